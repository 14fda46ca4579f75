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
// its cells' positions. [Convert] decodes records into structs with csv tags.
//
// Considered and rejected: gocsv. It reads an empty cell and a missing column
// as 0, it reads "1,234" as 1.234, and it counts records instead of lines.
// Here, the header is checked first, a struct's fields have types that decode
// themselves, such as [Count], and an error is reported at its cell's position.
//
// The package does not know what a column means. Package scan reads profiler
// exports.
package table

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

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

	// Nearest returns a suggestion that a message appends to an unknown
	// column's name. It may be nil.
	Nearest func(name string, columns []string) string
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

// A Cell is a value that decodes itself.
type Cell interface{ UnmarshalCSV(cell string) error }

// decode decodes a record into the fields of a struct, by their csv tags. It
// returns the first error, in the order of the columns. The other cells are
// decoded in any case.
func (s *Sheet) decode(row int, to reflect.Value) (first error) {
	rec := &s.Records[row]
	if rec.Problem != "" {
		return note.Errorf(s.code, s.Pos(row, ""), "", "%s", rec.Problem)
	}
	for _, at := range s.filled {
		if c := s.Columns[at]; strings.TrimSpace(rec.Cells[at]) == "" {
			first = cmp.Or(first, note.Errorf(s.code, s.Pos(row, c), "every row needs it; there is no default",
				"column %s: the cell is empty", c))
		}
	}
	for at, cell := range rec.Cells {
		for i := range to.NumField() {
			if c := to.Type().Field(i).Tag.Get("csv"); c != "-" && c == s.Columns[at] {
				if err := set(to.Field(i), cell); err != nil {
					first = cmp.Or(first, note.Errorf(s.code, s.Pos(row, c), "", "column %s: %v", c, err))
				}
			}
		}
	}
	return first
}

// set decodes a cell into a field. An empty cell is 0.
func set(field reflect.Value, cell string) (err error) {
	switch v := field.Addr().Interface().(type) {
	case Cell:
		return v.UnmarshalCSV(cell)
	case *string:
		*v = cell
	case *bool:
		*v = cell == "yes"
	case *int:
		if cell != "" {
			*v, err = ParseCount(cell)
		}
	}
	return err
}

// Convert returns the values that all rows convert to, or all errors in the
// file.
func Convert[T, V any](s *Sheet, convert func(row int, t *T) (V, error)) ([]V, error) {
	values := make([]V, len(s.Records))
	var errs []error
	for i := range s.Records {
		var t T
		err := s.decode(i, reflect.ValueOf(&t).Elem())
		if err == nil {
			values[i], err = convert(i, &t)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return values, nil
}
