// Package table reads text files. [Lines] reads a file line by line in bounded
// memory, with physical line numbers, a maximum line length, canceling, and
// progress. [BadRows] collects its unusable rows. [Reader] reads small CSV
// files, and [CSV] writes them: device and platform tables, launch batches, and
// exported series.
//
// A [Reader] checks the header against a [Format] and returns the file as
// records. Considered and rejected: encoding/csv, because it loses the rest of
// the file after a stray quote. Here, an unreadable line becomes a record with
// a problem, and the next line is read normally. Each record has its line and
// its cells' positions. [Convert] decodes records into structs with csv tags,
// using gocsv.
//
// gocsv alone has common mistakes. It reads an empty cell and a missing column
// as 0, it reads "1,234" as 1.234, and it counts records instead of lines.
// Therefore the header is checked first, a struct's fields have types that
// decode themselves, such as [Count], and an error is reported at its cell's
// position.
//
// The package does not know what a column means. Package scan reads profiler
// exports.
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

// A Format describes one kind of file.
type Format struct {
	Code string // error code, for example "device-file"
	What string // file kind in messages, for example "device file"

	Columns  []string // columns that are read, in lower case
	Required []string // columns that a header must have
	// Strict makes an unknown column and an empty cell in a required column an
	// error. Otherwise, unknown columns are collected in Reader.Unknown.
	Strict   bool
	Comments bool // skip lines that begin with #
}

// A Sheet contains a file's records and its header.
type Sheet struct {
	File    string
	Columns []string
	Records []Record

	code   string // code of the errors
	filled []int  // indexes for columns whose cells must not be empty
}

// Pos returns a cell's position, or the row's if there is no such column.
func (s *Sheet) Pos(row int, column string) note.Pos {
	line, at := s.Records[row].place(slices.Index(s.Columns, column))
	return note.Pos{File: s.File, Line: line, Column: at}
}

// maxFile is a file's maximum size for Load. A thousand devices need less than
// one megabyte.
const maxFile = 4 << 20

// Load returns the sheet in a complete file, which must fit into memory. For an
// empty file, it returns a sheet without columns and records.
func Load(file string, r io.Reader, f Format) (*Sheet, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, note.Errorf(f.Code, note.InFile(file), "", "the %s cannot be read: %v", f.What, err)
	}
	if len(data) > maxFile {
		return nil, note.Errorf(f.Code, note.InFile(file), "is it the right file?",
			"the %s is larger than %d MB", f.What, maxFile>>20)
	}
	return Parse(file, string(data), f)
}

// Parse returns the sheet in a string that contains a complete file.
func Parse(file, text string, f Format) (*Sheet, error) {
	r := NewReader(file, strings.NewReader(text), f)
	if err := r.Header(); errors.Is(err, io.EOF) {
		return &Sheet{File: file}, nil
	} else if err != nil {
		return nil, err
	}
	return r.Sheet(1 + strings.Count(text, "\n"))
}

// Columns returns a struct's csv tags, except "-", and the required ones, which
// also have the tag `table:"required"`.
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

// decode decodes each record into a struct. The errors are nil if all records
// are good. Otherwise there is one entry per record, which is nil for a good
// record. A bad record's cells are decoded as far as possible.
func decode[T any](s *Sheet) (rows []T, faults []*note.InputError) {
	n := len(s.Records)
	rows = make([]T, n) // gocsv allocates its own slice unless the length matches
	fault := func(row int, column, hint, text string) {
		if faults == nil {
			faults = make([]*note.InputError, n)
		}
		if faults[row] == nil {
			faults[row] = &note.InputError{Note: note.Newf(note.Error, s.code, s.Pos(row, column), hint, "%s", text)}
		}
	}
	cells := make([][]string, n+1) // rows after the header
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
	// gocsv stops at the first cell that does not decode. Continue after its
	// row.
	for from := 0; from < n; {
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
		from += cell.Line - 2 // the line counts records, with the header first
		column := s.Columns[cell.Column-1]
		fault(from, column, "", "column "+column+": "+cell.Err.Error())
		from++
	}
	return rows, faults
}

// Convert returns the values that all rows convert to, or all errors in the
// file.
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

// memory passes parsed cells to gocsv, which requests all rows at once.
type memory [][]string

// Read implements gocsv.CSVReader.
func (m memory) Read() ([]string, error) { return nil, io.EOF }

// ReadAll implements gocsv.CSVReader.
func (m memory) ReadAll() ([][]string, error) { return m, nil }
