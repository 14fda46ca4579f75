package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// The bounds of a batch file's lines: a row of launch sizes takes some 50 bytes, so that anything beyond is a fault of the
// file, and a fault must not fill the memory.
const (
	maxLineBytes  = 64 << 10
	maxQuotedRows = 16 // lines that one quoted cell may run over
)

// batchLine is one record of a batch file: its cells, or why it has none.
type batchLine struct {
	cells []string
	line  int    // physical line of the file, from 1
	fault string // empty for a record that can be read
}

// lineReader splits a batch file into records. It differs from encoding/csv in what it does with faults: a line that cannot
// be read is a record with a fault, and the next line is read as if nothing had happened, also after a stray quote.
type lineReader struct {
	in      *bufio.Reader
	pending []string // lines that were read ahead, without their ends
	line    int      // number of the last line given out
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{in: bufio.NewReaderSize(r, 256<<10)} }

// errLong marks a line above maxLineBytes; what was read of it is thrown away.
var errLong = errors.New("the line is too long")

// next gives the next physical line.
func (r *lineReader) next() (string, error) {
	r.line++
	if len(r.pending) > 0 {
		text := r.pending[0]
		r.pending = r.pending[1:]
		return text, nil
	}
	return r.physical()
}

func (r *lineReader) physical() (string, error) {
	part, err := r.in.ReadSlice('\n')
	long := len(part) > maxLineBytes
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		part, err = r.in.ReadSlice('\n')
	}
	switch {
	case long && (err == nil || errors.Is(err, io.EOF)):
		return "", errLong
	case len(part) == 0 && err != nil:
		return "", err
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	part = bytes.TrimSuffix(part, []byte("\n"))
	return string(bytes.TrimSuffix(part, []byte("\r"))), nil
}

// read gives the next record; blank lines are none. The error is that of the file, io.EOF at its end.
func (r *lineReader) read() (batchLine, error) {
	for {
		text, err := r.next()
		switch {
		case errors.Is(err, errLong):
			return batchLine{line: r.line, fault: fmt.Sprintf("the line is longer than %d KB", maxLineBytes>>10)}, nil
		case err != nil:
			return batchLine{}, err
		case strings.TrimSpace(text) == "":
			continue
		case strings.IndexByte(text, '"') < 0:
			return batchLine{cells: strings.Split(text, ","), line: r.line}, nil
		}
		return r.quoted(text)
	}
}

// quoted reads a record with quotes, which may run over several lines.
func (r *lineReader) quoted(text string) (batchLine, error) {
	rec := batchLine{line: r.line}
	var ahead []string
	whole := text
	for {
		cells, open, fault := splitQuoted(whole)
		if !open {
			rec.cells, rec.fault = cells, fault
			if fault != "" { // the cells as far as they can be told
				rec.cells = strings.Split(text, ",")
				r.pending = append(ahead, r.pending...)
			} else {
				r.line += len(ahead)
			}
			return rec, nil
		}
		more, err := r.ahead()
		if err != nil && !errors.Is(err, errLong) && !errors.Is(err, io.EOF) {
			return rec, err
		}
		if err == nil {
			ahead = append(ahead, more)
			whole += "\n" + more
		}
		if err != nil || len(ahead) == maxQuotedRows || len(whole) > maxLineBytes {
			rec.cells, rec.fault = strings.Split(text, ","), "a quote is opened and not closed"
			r.pending = append(ahead, r.pending...)
			return rec, nil
		}
	}
}

// ahead reads a line without counting it as given out.
func (r *lineReader) ahead() (string, error) {
	if len(r.pending) > 0 {
		text := r.pending[0]
		r.pending = r.pending[1:]
		return text, nil
	}
	return r.physical()
}

// splitQuoted splits a record with quotes (RFC 4180). Open says that its last quote does not close.
func splitQuoted(text string) (cells []string, open bool, fault string) {
	for rest := text; ; {
		if !strings.HasPrefix(rest, `"`) {
			cell, after, more := strings.Cut(rest, ",")
			if strings.IndexByte(cell, '"') >= 0 {
				return nil, false, fmt.Sprintf("a quote stands inside the cell %s: quote the whole cell and double the quotes in it", cell)
			}
			cells = append(cells, cell)
			if !more {
				return cells, false, ""
			}
			rest = after
			continue
		}
		cell, after, closed := cutQuoted(rest[1:])
		if !closed {
			return nil, true, ""
		}
		cells = append(cells, cell)
		switch {
		case after == "":
			return cells, false, ""
		case after[0] != ',':
			return nil, false, fmt.Sprintf("text follows the closing quote of the cell %q", cell)
		}
		rest = after[1:]
	}
}

// cutQuoted takes a quoted cell, its opening quote gone already, from the front of a text.
func cutQuoted(text string) (cell, after string, closed bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 {
			return "", "", false
		}
		b.WriteString(text[:i])
		text = text[i+1:]
		if !strings.HasPrefix(text, `"`) {
			return b.String(), text, true
		}
		b.WriteByte('"')
		text = text[1:]
	}
}

// batchHeader checks the first record of a batch file against the columns that the model reads, and gives the names that the
// cells have. Extra names the columns that nothing reads.
func batchHeader(file string, rec batchLine, columns, required []string) (names, extra []string, err error) {
	pos := note.Pos{File: file, Line: rec.line}
	expected := fmt.Sprintf("expected the columns %s, of which only %s must be there", strings.Join(columns, ","), strings.Join(required, ", "))
	if rec.fault != "" {
		return nil, nil, note.Faultf("batch-header", pos, expected, "the header cannot be read: %s", rec.fault)
	}
	seen := map[string]bool{}
	for i, name := range rec.cells {
		if i == 0 {
			name = strings.TrimPrefix(name, "\ufeff")
		}
		name = strings.ToLower(strings.TrimSpace(name))
		if seen[name] {
			return nil, nil, note.Faultf("batch-header", pos, "keep one of them", "the column %q is there twice", name)
		}
		seen[name] = true
		if !slices.Contains(columns, name) {
			extra = append(extra, name)
		}
		names = append(names, name)
	}
	var missing []string
	for _, name := range required {
		if !seen[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		return nil, nil, note.Faultf("batch-header", pos, "write the file with commas between the columns", "the header has no comma but other separators: %q", names[0])
	}
	if len(missing) > 0 {
		return nil, nil, note.Faultf("batch-header", pos, expected, "the header lacks %s", strings.Join(missing, ", "))
	}
	return names, extra, nil
}
