package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// maxLines is the maximum number of lines that a quoted cell may cross. It
// limits the search for a quote that never closes.
const maxLines = 64

// A Record is a row in a file: its cells, or the reason why they cannot be
// used.
type Record struct {
	Cells   []string // as many as the header has
	Line    int      // physical line in the file, from 1
	Problem string   // why the cells cannot be used; empty for a good record

	text   string // a quoted record's text, and its cells' offsets
	starts []int
}

// place returns the line and column at which a cell begins. The column is 0 if
// the record does not have the cell.
func (r *Record) place(cell int) (line, column int) {
	switch {
	case cell < 0 || r.Problem != "":
		return r.Line, 0
	case r.starts != nil:
		before := r.text[:r.starts[cell]]
		return r.Line + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
	}
	column = 1 + cell
	for _, c := range r.Cells[:cell] {
		column += len(c)
	}
	return r.Line, column
}

// A Reader reads a file's records one after the other.
type Reader struct {
	Columns []string // header columns in lower case; empty for an unknown column
	Unknown []string // unknown columns' names

	file    string
	format  Format
	in      *Lines
	pending []string // lines that were read ahead
	line    int      // the last line that next returned
	crlf    bool     // the first line ends with CR LF, so a cell's lines do, too
}

// NewReader returns a Reader. The file name is used in messages. Call Header
// before anything else.
func NewReader(file string, r io.Reader, f Format) *Reader {
	in := NewLines(context.Background(), &ingest.Source{R: r}, ingest.ReadOptions{})
	return &Reader{file: file, format: f, in: in}
}

// Sheet returns up to the given number of records. It returns an empty Sheet at
// the end of the file.
func (r *Reader) Sheet(most int) (*Sheet, error) {
	s := &Sheet{File: r.file, Columns: r.Columns, Records: make([]Record, 0, min(most, 512)), code: r.format.Code}
	if r.format.Strict {
		for _, c := range r.format.Required {
			s.filled = append(s.filled, slices.Index(r.Columns, c))
		}
	}
	for len(s.Records) < most {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		s.Records = append(s.Records, rec)
	}
	return s, nil
}

// Next returns the next record with as many cells as the header has. It skips
// blank lines.
func (r *Reader) Next() (Record, error) {
	rec, err := r.record()
	if n := len(rec.Cells); err == nil && n != len(r.Columns) {
		if rec.Problem == "" {
			rec.Problem = fmt.Sprintf("the row has %d cells, but the header has %d", n, len(r.Columns))
		}
		rec.Cells = append(slices.Clip(rec.Cells[:min(n, len(r.Columns))]), make([]string, max(0, len(r.Columns)-n))...)
	}
	return rec, err
}

// record returns the next record with its own number of cells. The error is a
// read error, or io.EOF at the end of the file.
func (r *Reader) record() (Record, error) {
	for {
		text, err := r.next()
		r.line++
		switch {
		case err != nil:
			return Record{}, err
		case len(text) >= MaxLine:
			return Record{Line: r.line, Problem: fmt.Sprintf("the line is longer than %d KB", MaxLine>>10)}, nil
		case strings.TrimSpace(text) == "" || r.format.Comments && text[0] == '#':
			continue
		case strings.IndexByte(text, '"') < 0:
			return Record{Cells: strings.Split(strings.TrimSuffix(text, "\r"), ","), Line: r.line}, nil
		}
		return r.quoted(text)
	}
}

// quoted returns a record with quotes, which may cross several lines. A quote
// that never closes makes only its own line unusable.
func (r *Reader) quoted(text string) (Record, error) {
	rec := Record{Line: r.line, text: text}
	var ahead []string
	for {
		var open bool
		if rec.Cells, rec.starts, open, rec.Problem = split(strings.TrimSuffix(rec.text, "\r")); !open {
			break
		}
		line, err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return rec, err
		}
		if err == nil {
			ahead = append(ahead, line)
			rec.text += "\n" + line
		}
		if err != nil || len(ahead) == maxLines || len(rec.text) >= MaxLine {
			rec.Problem = "a quote is opened and not closed"
			break
		}
	}
	if rec.Problem == "" {
		r.line += len(ahead)
		return rec, nil
	}
	r.pending = append(ahead, r.pending...)
	text = strings.TrimSuffix(text, "\r")
	// The cells before the problem are known.
	return Record{Cells: strings.Split(text, ","), Line: r.line, Problem: rec.Problem}, nil
}

// next returns the next physical line without its line end. If the file's lines
// end with LF, it keeps a CR at a line's end, because within quotes the CR
// belongs to the cell.
func (r *Reader) next() (string, error) {
	if len(r.pending) > 0 {
		text := r.pending[0]
		r.pending = r.pending[1:]
		return text, nil
	}
	if r.in.Next() {
		text := string(r.in.Text)
		if r.in.Number == 1 {
			r.crlf = r.in.CRLF
		}
		if r.in.CRLF && !r.crlf {
			text += "\r"
		}
		return text, nil
	}
	if err := r.in.Err(); err != nil {
		return "", fmt.Errorf("%s: reading stopped: %w", r.file, err)
	}
	return "", io.EOF
}

// split returns the cells in a record with quotes (RFC 4180). open reports that
// the last quote does not close.
func split(text string) (cells []string, starts []int, open bool, fault string) {
	for at, more := 0, true; more; {
		starts = append(starts, at)
		var cell, rest string
		if quoted, is := strings.CutPrefix(text[at:], `"`); is {
			var closed bool
			if cell, rest, closed = cutQuoted(quoted); !closed {
				return nil, nil, true, ""
			}
			if rest != "" && rest[0] != ',' {
				return nil, nil, false, fmt.Sprintf("text follows the closing quote of the cell %.60q", cell)
			}
		} else {
			cell, _, _ = strings.Cut(text[at:], ",")
			rest = text[at+len(cell):]
			if strings.IndexByte(cell, '"') >= 0 {
				return nil, nil, false, fmt.Sprintf(
					"the cell %s has a quote inside: quote the whole cell and double the quotes in it", cell)
			}
		}
		cells = append(cells, cell)
		more, at = rest != "", len(text)-len(rest)+1
	}
	return cells, starts, false, ""
}

// cutQuoted returns the quoted cell at a string's beginning and the text after
// it. The opening quote must have been removed.
func cutQuoted(text string) (cell, after string, closed bool) {
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 {
			return "", "", false
		}
		cell += text[:i]
		text = text[i+1:]
		if !strings.HasPrefix(text, `"`) {
			return cell, text, true
		}
		cell += `"`
		text = text[1:]
	}
}

// Header reads the first record and checks the columns against the format. It
// returns io.EOF if the input has no records. Without this check, an unknown
// column and a duplicate column's first copy would be ignored silently, and a
// missing column would read as empty.
func (r *Reader) Header() error {
	rec, err := r.record()
	if err != nil {
		return err
	}
	f, pos := &r.format, note.Pos{File: r.file, Line: rec.Line}
	expected := "expected the columns " + strings.Join(f.Columns, ",")
	if len(f.Required) > 0 {
		expected += ", of which only " + strings.Join(f.Required, ", ") + " are required"
	}
	if rec.Problem != "" {
		return note.Errorf(f.Code, pos, expected, "the header cannot be read: %s", rec.Problem)
	}
	var faults []error
	for i, name := range rec.Cells {
		name = strings.ToLower(strings.TrimSpace(name))
		known := slices.Contains(f.Columns, name)
		switch {
		case known && slices.Contains(r.Columns, name):
			faults = append(faults, note.Errorf(f.Code, pos, "keep one of them", "the column %q occurs twice", name))
		case !known && len(rec.Cells) == 1 && strings.ContainsAny(name, ";\t"):
			return note.Errorf(f.Code, pos, "write the file with commas between the columns",
				"the header has no comma but other separators: %q", name)
		case !known && f.Strict:
			faults = append(faults, r.unknown(&rec, i, name))
		case !known:
			r.Unknown = append(r.Unknown, name)
			name = ""
		}
		r.Columns = append(r.Columns, name)
	}
	missing := slices.DeleteFunc(slices.Clone(f.Required), func(c string) bool { return slices.Contains(r.Columns, c) })
	if len(missing) > 0 {
		faults = append(faults, note.Errorf(f.Code, pos, expected, "the header has no %s", strings.Join(missing, ", ")))
	}
	return errors.Join(faults...)
}

func (r *Reader) unknown(rec *Record, cell int, name string) error {
	line, column := rec.place(cell)
	nearest := note.DidYouMean("", name, r.format.Columns)
	return note.Errorf(r.format.Code, note.Pos{File: r.file, Line: line, Column: column},
		"the columns are "+strings.Join(r.format.Columns, ", "), "the column %q is not known%s", name, nearest)
}
