package excel

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/klauspost/compress/flate"
)

// archive is the zip file of a workbook as the library writes it, with two differences. It goes straight to its
// destination instead of through memory. And the rows of lists are put in when their sheet is written, and their links:
// the library makes the frame of the sheet - heading, panes, rules, table - but would take more than twice as long for
// the rows, and a temporary file as large as the sheet.
//
// It compresses at the fastest level, because sheets are so repetitive that more effort saves little and costs the most
// time of a large workbook. The parts follow each other, so one compressor, which is large, serves all.
type archive struct {
	*zip.Writer
	rows   map[string]func(io.Writer) error // by the name of the part
	links  map[string]func(io.Writer) error
	sheet  *sheetPart // what is being written, when it is a sheet
	packer *flate.Writer
}

func newArchive(w io.Writer, rows, links map[string]func(io.Writer) error) *archive {
	a := &archive{Writer: zip.NewWriter(w), rows: rows, links: links}
	a.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		if a.packer == nil {
			var err error
			a.packer, err = flate.NewWriter(out, flate.BestSpeed)
			return a.packer, err
		}
		a.packer.Reset(out)
		return a.packer, nil
	})
	return a
}

// Create begins a part, as the library asks for it.
func (a *archive) Create(name string) (io.Writer, error) {
	if err := a.endSheet(); err != nil {
		return nil, err
	}
	w, err := a.Writer.Create(name)
	// Only sheets are held back; other parts (styles, tables, charts) go straight through.
	if err != nil || !strings.HasPrefix(name, "xl/worksheets/sheet") {
		return w, err
	}
	a.sheet = &sheetPart{w: w, name: name}
	return a.sheet, nil
}

// sheetPart is a sheet without the rows of its list, so it is not large.
type sheetPart struct {
	w    io.Writer
	name string
	bytes.Buffer
}

// cellTexts are the texts of cells, which unlike formulas are read with escapes.
var cellTexts = regexp.MustCompile(`<t[ >][^<]*`)

// endSheet writes the sheet that was made last, with the escapes that the library leaves out, see appendEscaped, and
// with its rows and links. They stand before the ends of their elements, which no text of a cell holds: `<` is escaped
// there.
func (a *archive) endSheet() error {
	p := a.sheet
	if p == nil {
		return nil
	}
	a.sheet = nil
	rest := cellTexts.ReplaceAllFunc(p.Bytes(), func(text []byte) (escaped []byte) {
		for i, c := range text {
			if c == '_' && hasEscape(text[i:], 1) {
				escaped = append(escaped, escape...)
			}
			escaped = append(escaped, c)
		}
		return escaped
	})
	// In the order in which the elements stand in a sheet.
	for _, put := range []struct {
		before string
		write  func(io.Writer) error
	}{{"</sheetData>", a.rows[p.name]}, {"</hyperlinks>", a.links[p.name]}} {
		if put.write == nil {
			continue
		}
		at := bytes.Index(rest, []byte(put.before))
		if at < 0 {
			return fmt.Errorf("the library made %s without %s", p.name, put.before)
		}
		if _, err := p.w.Write(rest[:at]); err != nil {
			return err
		}
		if err := put.write(p.w); err != nil {
			return err
		}
		rest = rest[at:]
	}
	// What is left at the end belongs to a part that the library did not make: a workbook without its rows must not
	// look whole.
	delete(a.rows, p.name)
	_, err := p.w.Write(rest)
	return err
}

// Close ends the file.
func (a *archive) Close() error {
	if err := a.endSheet(); err != nil {
		return err
	}
	for name := range a.rows {
		return fmt.Errorf("the library made no part %s for the rows of a table", name)
	}
	return a.Writer.Close()
}
