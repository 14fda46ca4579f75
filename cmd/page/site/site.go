// Package site puts the page together: one HTML file that holds the form, the
// style of the reports, and the program that was compiled for browsers, and
// that asks for nothing else. Its content security policy allows no network.
//
// It knows where everything is in the file and in which order it loads. It
// does not know what the program answers. The scripts are listed in the policy
// by their hashes, so a text of an input that got into the page as a script
// would not run.
package site

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"occudiff/cmd/page/app"
	"occudiff/report/html"
)

//go:embed page.html
var body string

//go:embed app.css
var style string

//go:embed app.js
var script string

//go:embed start.js
var start string

//go:embed unpack.js
var unpack string

//go:embed worker.js
var worker string

// write writes the page around the WebAssembly of cmd/page and the glue,
// wasm_exec.js of the Go that compiled it. The same program gives the same
// bytes. Zstandard at its best takes a seventh less than gzip, which is what
// browsers unpack by themselves: that room is what the page reads result
// folders with.
func write(wasm []byte, glue string) (string, error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false))
	if err != nil {
		return "", err
	}
	work := glue + unpack + worker
	if strings.Contains(work, "</script") || strings.Contains(html.Script()+start+script, "</script") {
		return "", errors.New("a script holds its own end")
	}
	offers, err := app.DeviceChoices() // what the form offers: it is there before the program is
	if err != nil {
		return "", err
	}
	devices, err := json.Marshal(offers)
	if err != nil {
		return "", err
	}
	sheet := html.Style() + style
	hashes := make([]string, 0, 4)
	for _, text := range []string{html.Script(), start, script, feed} {
		hashes = append(hashes, html.Hash(text))
	}
	policy := "default-src 'none'; script-src " + strings.Join(hashes, " ") +
		" 'wasm-unsafe-eval'; worker-src blob:; style-src " + html.Hash(sheet) +
		"; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
	var page strings.Builder
	for _, part := range []string{
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"", policy, "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<title>occudiff: GPU occupancy</title>\n<link rel=\"icon\" href=\"data:,\">\n",
		"<script id=\"worker\" type=\"text/plain\">", work, "</script>\n<script>", start, "</script>\n",
		"<style>", sheet, "</style>\n<script>", html.Script(), "</script>\n</head>\n<body>\n",
		strings.Replace(body, "{{logo}}", html.Logo, 1),
		"<script id=\"devices\" type=\"application/json\">", string(devices), "</script>\n<script>", script, "</script>\n",
	} {
		page.WriteString(part)
	}
	pieces(&page, packer.EncodeAll(wasm, nil))
	page.WriteString("</body>\n</html>\n")
	return page.String(), nil
}

const (
	feed = "occudiff.feed()" // the script behind each piece
	// pieceBytes is how much of the program is in a piece: large enough that
	// there are few, small enough that the worker has something to do while the
	// browser reads the rest. A multiple of seven, so that pieces decode alone.
	pieceBytes = 7 << 15
)

// pieces writes the program in elements that the browser does not run, each
// with a script that passes it on. The worker compiles a piece while the
// browser reads the next one.
func pieces(page *strings.Builder, program []byte) {
	for piece := range slices.Chunk(program, pieceBytes) {
		last := ""
		if program = program[len(piece):]; len(program) == 0 {
			last = " data-last"
		}
		page.WriteString("<script type=\"text/plain\"" + last + ">")
		septets(page, piece)
		page.WriteString("</script><script>" + feed + "</script>\n")
	}
}

// septets writes bytes as text with seven bits in a character, an eighth more
// than they are; base64 takes a third more. HTML changes NUL and a carriage
// return, and < could begin a tag: these three are written as characters whose
// code has the same last seven bits.
func septets(page *strings.Builder, data []byte) {
	add := func(c byte) {
		switch c {
		case 0, '\r', '<':
			page.WriteRune(0x80 | rune(c)) // up to U+00FF a browser keeps text in bytes
		default:
			page.WriteByte(c)
		}
	}
	held, bits := uint(0), 0
	for _, b := range data {
		held, bits = held<<8|uint(b), bits+8
		for bits >= 7 {
			bits -= 7
			add(byte(held >> bits & 127))
			held &= 1<<bits - 1
		}
	}
	if bits > 0 {
		add(byte(held << (7 - bits) & 127))
	}
}

// Sources finds the checkout of occudiff that a folder is in, "" when it is in
// none.
func Sources(folder string) string {
	for ; ; folder = filepath.Dir(folder) {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		switch line, _, _ := strings.Cut(string(text), "\n"); {
		case err == nil && strings.TrimSpace(line) == "module occudiff":
			return folder
		case folder == filepath.Dir(folder):
			return ""
		}
	}
}

// small are flags of the compiler. Inlining everywhere makes the program 10%
// larger, and inlining in the runtime and in the readers 2%. The limit of the
// file leaves room only for the scanner, which reads exports byte by byte.
var small = []string{"all=-l", "occudiff/ingest/scan=", "internal/bytealg="}

// Compile builds the program from its sources with the Go on PATH and puts it
// into a page. The glue is that of the Go that compiles, since the two change
// together. Nothing of the build stays behind.
func Compile(ctx context.Context, sources, version string) (string, error) {
	dir, err := os.MkdirTemp("", "occudiff-page-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "page.wasm")
	args := []string{"build", "-trimpath", "-ldflags=-s -w -X main.version=" + version, "-o", out}
	for _, flag := range small {
		args = append(args, "-gcflags="+flag)
	}
	build := exec.CommandContext(ctx, "go", append(args, "./cmd/page")...)
	build.Dir = sources
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the page's program does not build: %w: %s", err, bytes.TrimSpace(said))
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return "", err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	glue, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return "", err
	}
	return write(wasm, string(glue))
}
