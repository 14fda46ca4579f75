// Package table reads text files: line by line in bounded memory, with physical
// line numbers, a cap on the length of a line, canceling, progress and the list
// of bad rows ([Lines], [BadRows]); and as small CSV files, which it writes
// too: device and platform tables, batches of launches, exported series.
//
// A [Reader] checks the header against a [Format] and gives the file as
// records. It is not encoding/csv, because that loses the rest of the file at a
// stray quote: here a line that cannot be read is a record with an error, and
// the next line is read as if nothing had happened. Every record knows its line
// and where its cells begin. [Decode] fills structs with csv tags from records,
// by gocsv; [CSV] writes records.
//
// gocsv alone would be a trap. It reads an empty cell, and a column that is
// missing, as 0; it reads "1,234" as 1.234; and it counts records where a
// person wants a line number. So the fields of a struct that is read have types
// that decode themselves, such as [Count], the header is checked first, and a
// cell that is at error is reported at its own place.
//
// The package does not know what a column means. Exports of a profiler are not
// read here: package scan reads those.
package table

import (
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"
	"occudiff/ingest/note"
)

// Format is what the files of one kind look like.
type Format struct {
	Code string // of the errors: "device-file"
	What string // the kind of file in messages: "device file"

	Columns  []string // those that are read, in lower case
	Required []string // those of them that a header must have
	Strict   bool     // another column is an error, and an empty cell of a required one; else see Reader.Unknown
	Comments bool     // lines that begin with # are skipped

	// Nearest, when not nil, gives what a message adds to the name of an
	// unknown column: which one may be meant.
	Nearest func(name string, columns []string) string
}

// Sheet is some records of a file under its header.
type Sheet struct {
	File    string
	Columns []string
	Records []Record

	code   string // of errors
	filled []int  // columns whose cells must not be empty
}

// Pos returns the place of a cell in a row, or that of the row when there is no
// such column.
func (s *Sheet) Pos(row int, column string) note.Pos {
	line, at := s.Records[row].place(slices.Index(s.Columns, column))
	return note.Pos{File: s.File, Line: line, Column: at}
}

// maxFile bounds what Load reads: a thousand devices take less than one of its
// megabytes.
const maxFile = 4 << 20

// Load reads a whole file that fits in memory. An empty file gives a sheet
// without columns and records.
func Load(file string, r io.Reader, f Format) (*Sheet, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, note.Errorf(f.Code, note.Pos{File: file}, "", "the %s cannot be read: %v", f.What, err)
	}
	if len(data) > maxFile {
		return nil, note.Errorf(f.Code, note.Pos{File: file}, "is it the right file?",
			"the %s is larger than %d MB", f.What, maxFile>>20)
	}
	return Parse(file, string(data), f)
}

// Parse is Load for a text in memory.
func Parse(file, text string, f Format) (*Sheet, error) {
	r := NewReader(file, strings.NewReader(text), f)
	if err := r.Header(); errors.Is(err, io.EOF) {
		return &Sheet{File: file}, nil
	} else if err != nil {
		return nil, err
	}
	return r.Sheet(1 + strings.Count(text, "\n"))
}

// Columns lists the columns of a struct with csv tags, "-" left out, and the
// required ones: they carry the tag `table:"required"` besides.
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

// decode fills a struct per record. The errors are nil when there is none,
// otherwise one per record, nil for those in order. The cells of a faulty
// record are decoded as far as they go.
func decode[T any](s *Sheet) (rows []T, faults []*note.InputError) {
	n := len(s.Records)
	rows = make([]T, n) // gocsv makes a slice of its own unless this one has the length
	fault := func(row int, column, hint, text string) {
		if faults == nil {
			faults = make([]*note.InputError, n)
		}
		if faults[row] == nil {
			faults[row] = &note.InputError{Note: note.Note{Severity: note.Error, Code: s.code, Pos: s.Pos(row, column),
				Text: text, Hint: hint}}
		}
	}
	cells := make([][]string, n+1) // below the header
	for i, rec := range s.Records {
		cells[i+1] = rec.Cells
		if rec.Problem != "" {
			fault(i, "", "", rec.Problem)
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

// Convert makes a value of every row. It gives no values unless all rows are
// right, and else every error of the file.
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

// memory hands cells that were read already to gocsv, which asks for all rows
// at once.
type memory [][]string

// Read implements gocsv.CSVReader.
func (m memory) Read() ([]string, error) { return nil, io.EOF }

// ReadAll implements gocsv.CSVReader.
func (m memory) ReadAll() ([][]string, error) { return m, nil }
