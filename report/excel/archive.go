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
// destination instead of through memory. And the rows of lists are put in while their sheet passes by, and their links:
// the library makes the frame of the sheet - heading, panes, rules, table - but would take four times as long for the
// rows, and a temporary file as large as the sheet.
//
// It compresses at the fastest level, because sheets are so repetitive that more effort saves little and costs the most
// time of a large workbook. The parts follow each other, so one compressor, which is large, serves all.
type archive struct {
	*zip.Writer
	rows   map[string]func(io.Writer) error // by the name of the part
	links  map[string]func(io.Writer) error
	begun  []*splicer
	sheet  *sheetPart // what is being written, when it is a sheet of the library's alone
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
	if rows, ok := a.rows[name]; ok && err == nil {
		delete(a.rows, name)
		s := &splicer{w: w, puts: []put{{endOfData, rows}}}
		if links, ok := a.links[name]; ok {
			s.puts = append(s.puts, put{endOfLinks, links})
		}
		a.begun = append(a.begun, s)
		return s, nil
	}
	if strings.HasPrefix(name, "xl/worksheets/sheet") && err == nil {
		a.sheet = &sheetPart{w: w}
		return a.sheet, nil
	}
	return w, err
}

// sheetPart is a sheet without a list, which is not large.
type sheetPart struct {
	w io.Writer
	bytes.Buffer
}

// cellTexts are the texts of cells, which unlike formulas are read with escapes.
var cellTexts = regexp.MustCompile(`<t[ >][^<]*`)

// endSheet writes the sheet that was made last, with the escapes that the library leaves out: see appendEscaped.
func (a *archive) endSheet() error {
	p := a.sheet
	if p == nil {
		return nil
	}
	a.sheet = nil
	_, err := p.w.Write(cellTexts.ReplaceAllFunc(p.Bytes(), func(text []byte) (escaped []byte) {
		for i, c := range text {
			if c == '_' && hasEscape(text[i:], 1) {
				escaped = append(escaped, escape...)
			}
			escaped = append(escaped, c)
		}
		return escaped
	}))
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
	for _, s := range a.begun {
		if len(s.puts) > 0 {
			return fmt.Errorf("the library ended a sheet without %s", s.puts[0].before)
		}
	}
	return a.Writer.Close()
}

// splicer passes a sheet on and puts in what the library did not write.
type splicer struct {
	w    io.Writer
	puts []put  // that are still to come, in the order of the sheet
	held []byte // what came so far without the text before which the next stands; it is short
}

// put is something that stands before a text of a sheet. Texts of cells cannot hold that: `<` is escaped there.
type put struct {
	before string
	write  func(io.Writer) error
}

const (
	endOfData  = "</sheetData>"
	endOfLinks = "</hyperlinks>"
)

// Write implements io.Writer.
func (s *splicer) Write(p []byte) (int, error) {
	if len(s.puts) == 0 {
		return s.w.Write(p)
	}
	s.held = append(s.held, p...)
	for len(s.puts) > 0 {
		next := s.puts[0]
		at := bytes.Index(s.held, []byte(next.before))
		if at < 0 {
			return len(p), nil
		}
		if _, err := s.w.Write(s.held[:at]); err != nil {
			return 0, err
		}
		if err := next.write(s.w); err != nil {
			return 0, err
		}
		s.held, s.puts = s.held[at:], s.puts[1:]
	}
	held := s.held
	s.held = nil
	if _, err := s.w.Write(held); err != nil {
		return 0, err
	}
	return len(p), nil
}
