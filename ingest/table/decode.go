package table

import (
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/gocarina/gocsv"
	"occudiff/ingest/note"
)

// Columns lists the columns of a struct with csv tags, "-" left out, and the required ones: they carry the tag
// `table:"required"` besides.
func Columns[T any]() (all, required []string) {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		if tag.Get("csv") == "-" {
			continue
		}
		all = append(all, tag.Get("csv"))
		if tag.Get("table") == "required" {
			required = append(required, tag.Get("csv"))
		}
	}
	return all, required
}

// decode fills a struct per record. The faults are nil when there is
// none, else one per record, nil for those in order. The cells of a faulty record are decoded as far as they go.
func decode[T any](s *Sheet) (rows []T, faults []*note.Fault) {
	n := len(s.Records)
	rows = make([]T, n) // gocsv makes a slice of its own unless this one has the length
	fault := func(row int, column, hint, text string) {
		if faults == nil {
			faults = make([]*note.Fault, n)
		}
		if faults[row] == nil {
			faults[row] = &note.Fault{Note: note.Note{Severity: note.Error, Code: s.code, Pos: s.Pos(row, column),
				Text: text, Hint: hint}}
		}
	}
	cells := make([][]string, n+1) // below the header
	for i, rec := range s.Records {
		cells[i+1] = rec.Cells
		if rec.Fault != "" {
			fault(i, "", "", rec.Fault)
			continue
		}
		for _, at := range s.filled {
			if strings.TrimSpace(rec.Cells[at]) == "" {
				c := s.Columns[at]
				fault(i, c, "every row needs it; there is no default", "column "+c+": the cell is empty")
			}
		}
	}
	for from := 0; from < n; { // gocsv stops at the first cell that does not decode: go on behind its row
		part := rows[from:]
		cells[from] = s.Columns
		err := gocsv.UnmarshalCSV(memory(cells[from:]), &part)
		if err == nil {
			break
		}
		var cell *csv.ParseError
		if !errors.As(err, &cell) {
			fault(from, "", "", err.Error())
			break
		}
		from += cell.Line - 2 // counts records, the header first
		column := s.Columns[cell.Column-1]
		fault(from, column, "", "column "+column+": "+cell.Err.Error())
		from++
	}
	return rows, faults
}

// Convert makes a value of every row. It gives no values unless all rows are right, and else every fault of the file.
func Convert[T, V any](s *Sheet, convert func(row int, t *T) (V, error)) ([]V, error) {
	rows, faults := decode[T](s)
	values := make([]V, 0, len(rows))
	var errs []error
	for i := range rows {
		if faults != nil && faults[i] != nil {
			errs = append(errs, faults[i])
			continue
		}
		v, err := convert(i, &rows[i])
		if err != nil {
			errs = append(errs, err)
		}
		values = append(values, v)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return values, nil
}

// memory hands cells that were read already to gocsv, which asks for all rows at once.
type memory [][]string

// Read implements gocsv.CSVReader.
func (m memory) Read() ([]string, error) { return nil, io.EOF }

// ReadAll implements gocsv.CSVReader.
func (m memory) ReadAll() ([][]string, error) { return m, nil }
