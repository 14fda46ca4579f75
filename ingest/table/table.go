// Package table reads text files: line by line in bounded memory, with physical line numbers, a cap on the length of a
// line, cancelling, progress and the list of bad rows ([Lines], [Bad]); and as small CSV files, which it writes too:
// device and platform tables, batches of launches, exported series.
//
// A [Reader] checks the header against a [Format] and gives the file as records. It is not encoding/csv, because that
// loses the rest of the file at a stray quote: here a line that cannot be read is a record with a fault, and the next
// line is read as if nothing had happened. Every record knows its line and where its cells begin. [Decode] fills
// structs with csv tags from records, by gocsv; [CSV] writes records.
//
// gocsv alone would be a trap. It reads an empty cell, and a column that is missing, as 0; it reads "1,234" as 1.234;
// and it counts records where a person wants a line number. So the fields of a struct that is read have types that
// decode themselves, such as [Count], the header is checked first, and a cell that is at fault is reported at its own
// place.
//
// The package does not know what a column means. Exports of a profiler are not read here: package scan reads those.
package table

import (
	"errors"
	"io"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// Format is what the files of one kind look like.
type Format struct {
	Code string // of the faults: "device-file"
	What string // the kind of file in messages: "device file"

	Columns  []string // those that are read, in lower case
	Required []string // those of them that a header must have
	Strict   bool     // another column is a fault, and an empty cell of a required one; else see Reader.Unknown
	Comments bool     // lines that begin with # are skipped

	// Nearest, when not nil, gives what a message adds to the name of an unknown column: which one may be meant.
	Nearest func(name string, columns []string) string
}

// Sheet is some records of a file under its header.
type Sheet struct {
	File    string
	Columns []string
	Records []Record

	code   string // of faults
	filled []int  // columns whose cells must not be empty
}

// Pos gives the place of a cell in a row, or that of the row when there is no such column.
func (s *Sheet) Pos(row int, column string) note.Pos {
	line, at := s.Records[row].place(slices.Index(s.Columns, column))
	return note.Pos{File: s.File, Line: line, Column: at}
}

// maxFile bounds what Load reads: a thousand devices take less than one of its megabytes.
const maxFile = 4 << 20

// Load reads a whole file that fits in memory. An empty file gives a sheet without columns and records.
func Load(file string, r io.Reader, f Format) (*Sheet, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, note.Faultf(f.Code, note.Pos{File: file}, "", "the %s cannot be read: %v", f.What, err)
	}
	if len(data) > maxFile {
		return nil, note.Faultf(f.Code, note.Pos{File: file}, "is it the right file?",
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
