package arch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"

	"occudiff/ingest/note"
)

// sheet is a delimited table as it lies in a file: the cells, and where each of them stands.
type sheet struct {
	file   string
	header []string
	rows   [][]string
	places [][]place // of each cell, the header's first
}

// place is where a cell begins.
type place struct{ line, column int32 }

const bom = "\xef\xbb\xbf"

var errNoContent = errors.New("no content")

// readSheet reads comma-separated values and remembers the place of every cell, which gocsv cannot tell: it counts
// records, so its line numbers are wrong after blank lines and line breaks inside quotes. Lines that begin with # are comments.
func readSheet(file string, data []byte) (*sheet, error) {
	shift := 0
	if bytes.HasPrefix(data, []byte(bom)) {
		data, shift = data[len(bom):], len(bom)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	s := &sheet{file: file}
	for {
		record, err := r.Read()
		switch {
		case err == io.EOF && s.header == nil:
			return nil, errNoContent
		case err == io.EOF:
			return s, nil
		case err != nil:
			return nil, s.syntax(err, record)
		}
		if s.header == nil {
			s.header = trimAll(record)
		} else {
			s.rows = append(s.rows, record)
		}
		places := make([]place, len(record))
		for i := range record {
			line, column := r.FieldPos(i)
			if line == 1 {
				column += shift
			}
			places[i] = place{int32(line), int32(column)}
		}
		s.places = append(s.places, places)
	}
}

func trimAll(cells []string) []string {
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// syntax words an error of encoding/csv.
func (s *sheet) syntax(err error, record []string) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return note.Faultf("device-file", note.Pos{File: s.file}, "", "the table cannot be read: %v", err)
	}
	pos := note.Pos{File: s.file, Line: p.Line, Column: p.Column}
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		pos.Line, pos.Column = p.StartLine, 1
		return note.Faultf("device-file", pos, "quote a cell that holds a comma",
			"the row has %d cells, the header has %d", len(record), len(s.header))
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return note.Faultf("device-file", pos, `write a quote inside a quoted cell twice, as in "7"" wafer"`, "a quote is out of place or never closed")
	}
	return note.Faultf("device-file", pos, "", "the row cannot be read: %v", p.Err)
}

// headerPlace gives the place of a header cell.
func (s *sheet) headerPlace(i int) note.Pos { return s.pos(s.places[0][i]) }

// place gives the place of a cell.
func (s *sheet) place(row, cell int) note.Pos { return s.pos(s.places[row+1][cell]) }

func (s *sheet) pos(p place) note.Pos {
	return note.Pos{File: s.file, Line: int(p.line), Column: int(p.column)}
}

// placeOf gives the place of a column's cell in a row, or of the row when the table has no such column.
func (s *sheet) placeOf(row int, column string) note.Pos {
	if i := slices.Index(s.header, column); i >= 0 {
		return s.place(row, i)
	}
	p := s.place(row, 0)
	p.Column = 0
	return p
}

// checkHeader compares the header with the columns that there are: an unknown column would be dropped without a word,
// the first of two equal ones likewise, and a missing one would read as empty.
func (s *sheet) checkHeader(known, required []string) error {
	if len(s.header) == 1 && strings.Contains(s.header[0], ";") {
		return note.Faultf("device-file", s.headerPlace(0), "save the table with commas", "the header is one cell with semicolons; expected comma-separated values")
	}
	for i, h := range s.header {
		if !slices.Contains(known, h) {
			return note.Faultf("device-file", s.headerPlace(i), "columns are "+strings.Join(known, ", "), "unknown column %s%s", quoted(h), didYouMean(h, known))
		}
		if slices.Contains(s.header[:i], h) {
			return note.Faultf("device-file", s.headerPlace(i), "remove one of them", "column %q stands twice in the header", h)
		}
	}
	for _, c := range required {
		if !slices.Contains(s.header, c) {
			p := s.headerPlace(0)
			p.Column = 0
			return note.Faultf("device-file", p, "required columns are "+strings.Join(required, ", "), "column %q is missing", c)
		}
	}
	return nil
}

// decode fills a slice of structs with csv tags from the sheet.
func (s *sheet) decode(out any) error {
	err := gocsv.UnmarshalCSV(records(append([][]string{s.header}, s.rows...)), out)
	var p *csv.ParseError
	if errors.As(err, &p) { // Line and Column are counts of records and cells: turn them into places
		row, cell := p.Line-2, p.Column-1
		return note.Faultf("device-file", s.place(row, cell), "", "column %s: %v", s.header[cell], p.Err)
	}
	return err
}

// records hands rows that were read already to gocsv.
type records [][]string

// Read implements gocsv.CSVReader; gocsv asks for all rows at once.
func (r records) Read() ([]string, error) { return nil, io.EOF }

// ReadAll implements gocsv.CSVReader.
func (r records) ReadAll() ([][]string, error) { return r, nil }

// columnsOf lists the csv tags of a struct, the columns of its table in order.
func columnsOf(row any) []string {
	t := reflect.TypeOf(row)
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("csv")
	}
	return names
}
