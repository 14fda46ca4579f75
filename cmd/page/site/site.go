// Package site puts the page together: one HTML file that holds the form, the style of the reports, and the program
// that was compiled for browsers, and that asks for nothing else. Its content security policy allows no network.
//
// It knows where everything stands in the file and in which order it loads. It does not know what the program answers.
// The scripts are listed in the policy by their hashes, so a text of an input that got into the page as a script would
// not run.
package site

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
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

// Program is what runs in the worker.
type Program struct {
	Packed []byte // the WebAssembly of cmd/page, compressed as one Zstandard frame
	Glue   string // wasm_exec.js of the Go that compiled it
}

// Compress makes a program from its WebAssembly. Zstandard at its best takes a seventh less than gzip, which is what
// browsers unpack by themselves: that room is what the page reads result folders with.
func Compress(wasm []byte, glue string) (Program, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false))
	if err != nil {
		return Program{}, err
	}
	return Program{w.EncodeAll(wasm, nil), glue}, w.Close()
}

// Write writes the page. The same program gives the same bytes.
func Write(w io.Writer, p Program) error {
	if len(p.Packed) == 0 || p.Glue == "" {
		return errors.New("the page has no program")
	}
	work := p.Glue + unpack + worker
	if strings.Contains(work, "</script") || strings.Contains(html.Script()+start+script, "</script") {
		return errors.New("a script holds its own end")
	}
	devices, err := deviceList()
	if err != nil {
		return err
	}
	sheet := html.Style() + style
	hashes := make([]string, 0, 4)
	for _, text := range []string{html.Script(), start, script, feed} {
		hashes = append(hashes, html.Hash(text))
	}
	policy := "default-src 'none'; script-src " + strings.Join(hashes, " ") +
		" 'wasm-unsafe-eval'; worker-src blob:; style-src " + html.Hash(sheet) +
		"; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
	for _, part := range []string{
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"", policy, "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<title>occudiff: GPU occupancy</title>\n<link rel=\"icon\" href=\"data:,\">\n",
		"<script id=\"worker\" type=\"text/plain\">", work, "</script>\n<script>", start, "</script>\n",
		"<style>", sheet, "</style>\n<script>", html.Script(), "</script>\n</head>\n<body>\n",
		strings.Replace(body, "{{logo}}", html.Logo, 1),
		"<script id=\"devices\" type=\"application/json\">", devices, "</script>\n<script>", script, "</script>\n",
	} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	if err := pieces(w, p.Packed); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</body>\n</html>\n")
	return err
}

// deviceList is what the form offers, as JSON: it is there before the program is.
func deviceList() (string, error) {
	list, err := app.Offers()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(list)
	return string(text), err
}

const (
	feed = "occudiff.feed()" // the script behind each piece
	// pieceBytes is how much of the program is in a piece: large enough that there are few, small enough that the
	// worker has something to do while the browser reads the rest. A multiple of seven, so that pieces decode alone.
	pieceBytes = 7 << 15
)

// pieces writes the program in elements that the browser does not run, each with a script that passes it on.
// The worker compiles a piece while the browser reads the next one.
func pieces(w io.Writer, program []byte) error {
	for len(program) > 0 {
		n, last := min(len(program), pieceBytes), ""
		if n == len(program) {
			last = " data-last"
		}
		if _, err := io.WriteString(w, "<script type=\"text/plain\""+last+">"); err != nil {
			return err
		}
		if err := septets(w, program[:n]); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "</script><script>"+feed+"</script>\n"); err != nil {
			return err
		}
		program = program[n:]
	}
	return nil
}

// septets writes bytes as text with seven bits in a character, an eighth more than they are; base64 takes a third more.
// HTML changes NUL and a carriage return, and < could begin a tag: these three are written as characters whose code has
// the same last seven bits.
func septets(w io.Writer, data []byte) error {
	out := make([]byte, 0, len(data)*6/5)
	add := func(c byte) {
		switch c {
		case 0, '\r', '<':
			out = append(out, 0xc2, 0x80|c) // U+0080 + c: up to U+00FF a browser keeps text in bytes
		default:
			out = append(out, c)
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
	_, err := w.Write(out)
	return err
}
