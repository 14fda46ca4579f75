// Package site assembles the page: one HTML file with the form, the style of the
// reports, and the program compiled for browsers. The page loads nothing else,
// and its content security policy allows no network.
//
// The package determines the order in which the parts of the file load. It must
// not depend on the results of the program. The content security policy lists
// the hashes of the page's scripts, so that a text from an input cannot run as
// a script.
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

// write returns the page with the WebAssembly program of cmd/page. glue is the
// wasm_exec.js of the Go version that compiled the program. The same program
// results in the same bytes. The program is compressed with Zstandard at its
// best level, although browsers can only decompress gzip themselves. Zstandard
// saves 14% of the size, and the readers of result folders need this space.
func write(wasm []byte, glue string) (string, error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false))
	if err != nil {
		return "", err
	}
	work := glue + unpack + worker
	if strings.Contains(work, "</script") || strings.Contains(html.Script()+start+script, "</script") {
		return "", errors.New("a script contains its own end tag")
	}
	offers, err := app.DeviceChoices() // the HTML has the devices, so that the form is complete before the program runs
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
	feed = "occudiff.feed()" // script after each piece of the program
	// pieceBytes is the size of a piece of the program. It is large, so that
	// there are few pieces, but small enough that the worker can compile pieces
	// while the browser reads the rest. It is a multiple of seven, so that each
	// piece can be decoded separately.
	pieceBytes = 7 << 15
)

// pieces writes the program as the texts of elements that the browser does not
// run as scripts. A script after each element passes the text to the worker,
// which compiles a piece while the browser reads the next one.
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

// septets writes bytes as text with seven bits per character, which is 14%
// larger than the bytes. Considered and rejected: base64, which is 33% larger.
// Three characters cannot be used, because HTML changes NUL and the carriage
// return, and because < could begin a tag. Each of them is replaced by a
// character whose code has the same last seven bits.
func septets(page *strings.Builder, data []byte) {
	add := func(c byte) {
		switch c {
		case 0, '\r', '<':
			page.WriteRune(0x80 | rune(c)) // a browser stores text up to U+00FF in bytes
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

// Sources returns the checkout of occudiff that contains a folder, or "" if
// there is none.
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

// small contains compiler flags that limit inlining, to make the program
// smaller. Inlining everywhere would make it 10% larger, and inlining in the
// runtime and in the readers 2%. The size limit of the file allows inlining
// only in the scanner, which reads exports byte by byte, and in
// internal/bytealg.
var small = []string{"all=-l", "occudiff/ingest/scan=", "internal/bytealg="}

// Compile builds the program from its sources with the Go on PATH and returns
// the page with it. The glue comes from the same Go version, because the glue
// and the compiled program must match. Compile leaves no files behind.
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
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the page's program does not build: %w: %s", err, bytes.TrimSpace(output))
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
