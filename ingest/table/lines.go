package table

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"occudiff/ingest"
	"occudiff/ingest/note"
)

// MaxLine is a line's maximum length that is kept completely. Kernel names in
// heavily templated code reach about 10 KB, and unitrace pads every row to the
// longest name. Longer lines do not come from a profiler.
const MaxLine = 256 << 10

// checkEvery is the number of bytes between two context checks, small enough
// for Ctrl-C to stop at once.
const checkEvery = 1 << 20

// Lines reads a source's lines one after the other, in bounded memory.
type Lines struct {
	// Text is the current line without its line end. It is valid until the next
	// Next call.
	Text []byte
	// Number is the physical line number of Text, from 1.
	Number int
	// CRLF reports that the line ended with CR LF.
	CRLF bool
	// Cut reports that the line was longer than MaxLine and was cut.
	Cut bool

	path string
	r    *bufio.Reader
	long []byte // line that did not fit into the buffer
	err  error
}

// NewLines returns a reader for a source's lines, from its start.
func NewLines(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) *Lines {
	return &Lines{path: src.Path, r: bufio.NewReaderSize(NewStream(ctx, src, opt), 64<<10)}
}

// Next reports whether there is a next line, and moves to it. It returns false
// at the end of the source and after an error; see Err.
func (r *Lines) Next() bool {
	if r.err != nil {
		return false
	}
	r.long, r.Cut = r.long[:0], false
	for {
		part, err := r.r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			r.keep(part)
			continue
		}
		r.err = err
		if err != nil && err != io.EOF {
			return false
		}
		if len(part) == 0 && len(r.long) == 0 {
			return false // end of the source, after a line end
		}
		line := bytes.TrimSuffix(part, []byte("\n"))
		if len(r.long) > 0 {
			r.keep(line)
			line = r.long
		}
		r.Text, r.CRLF = bytes.CutSuffix(line, []byte("\r"))
		r.Number++
		if r.Number == 1 {
			r.Text = bytes.TrimPrefix(r.Text, []byte("\ufeff"))
		}
		return true
	}
}

func (r *Lines) keep(part []byte) {
	if room := MaxLine - len(r.long); len(part) > room {
		part, r.Cut = part[:room], true
	}
	r.long = append(r.long, part...)
}

// Err returns the error that ended the reading, or nil at the end of the
// source.
func (r *Lines) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Pos returns a position in the current line. Columns count from 1.
func (r *Lines) Pos(column int) note.Pos {
	return note.Pos{File: r.path, Line: r.Number, Column: column}
}

// A Stream reads a source's bytes. It stops if the context is canceled, and
// reports progress.
type Stream struct {
	ctx   context.Context
	r     io.Reader
	opt   ingest.ReadOptions
	read  int64
	shown int64
	ended error
}

// NewStream returns a Stream that reads a source from its start.
func NewStream(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) *Stream {
	return &Stream{ctx: ctx, r: src.R, opt: opt}
}

// Read returns small pieces, so that canceling stops at once.
func (s *Stream) Read(p []byte) (int, error) {
	if s.ended != nil {
		return 0, s.ended
	}
	if err := s.ctx.Err(); err != nil {
		s.ended = err
		return 0, err
	}
	n, err := s.r.Read(p[:min(len(p), checkEvery)])
	s.read += int64(n)
	if s.opt.Progress != nil && (s.read-s.shown >= checkEvery || err == io.EOF) {
		s.shown = s.read
		s.opt.Progress(s.read)
	}
	s.ended = err
	return n, err
}

// MaxShown is the number of bad rows in a file that are reported individually.
const MaxShown = 20

// BadRows collects a file's unusable rows. It counts all and keeps the first
// MaxShown. The zero BadRows is ready to use.
type BadRows struct {
	Count   int64
	Several bool // a line has several rows, and the caller adds each once
	shown   []note.Note
	last    note.Pos
}

// Add counts an unusable row. A row with two errors is counted once.
func (b *BadRows) Add(pos note.Pos, hint, format string, args ...any) {
	if b.Count > 0 && b.last.Line == pos.Line && !b.Several {
		return
	}
	b.last = pos
	b.Count++
	if len(b.shown) < MaxShown {
		b.shown = append(b.shown, note.Newf(note.Error, "bad-row", pos, hint, format, args...))
	}
}

// Notes returns the notes about the bad rows in the file's order. The last note
// states how many rows are not listed.
func (b *BadRows) Notes() []note.Note {
	notes := b.shown[:len(b.shown):len(b.shown)]
	if more := b.Count - int64(len(notes)); more > 0 {
		notes = append(notes, note.Newf(note.Error, "bad-rows", note.InFile(b.last.File), "",
			"%d more bad rows, the last in line %d", more, b.last.Line))
	}
	return notes
}

// Quote returns a piece of input for a message: in quotes, with escaped
// invisible bytes, and cut to a readable length.
func Quote[T string | []byte](text T) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most-3])
	}
	return fmt.Sprintf("%q", text)
}

const escape = 0x1b

// Plain returns the line as a terminal would show it. It returns the line
// itself if there is nothing to remove.
func Plain(line []byte) []byte {
	if bytes.IndexByte(line, 0) < 0 && bytes.IndexByte(line, escape) < 0 {
		return line
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		if n := invisible(line[i:]); n > 0 {
			i += n
			continue
		}
		out = append(out, line[i])
		i++
	}
	return out
}

// RawColumn returns the column, from 1, of the byte in line that has the given
// index in Plain(line).
func RawColumn(line []byte, index int) int {
	for i := 0; i < len(line); {
		if n := invisible(line[i:]); n > 0 {
			i += n
			continue
		}
		if index == 0 {
			return i + 1
		}
		index--
		i++
	}
	return len(line) + 1
}

// invisible returns how many bytes at the start of b a terminal does not show,
// or 0 if b starts with text. Invisible are:
//
//   - NUL bytes, which file systems leave in logs of crashed nodes
//   - control sequences, such as colors and cursor movement
//   - operating system commands up to BEL or ESC \
//   - other escape sequences of two bytes
//
// If a sequence is broken, only its valid part is invisible. Considered and
// rejected: a regular expression, because logs with gigabytes have colors in
// each line.
func invisible(b []byte) int {
	switch {
	case b[0] == 0:
		return 1
	case b[0] != escape:
		return 0
	case len(b) == 1:
		return 1
	case b[1] == '[': // parameters, then a byte from @ to ~
		for i := 2; i < len(b); i++ {
			if b[i] >= '@' && b[i] <= '~' {
				return i + 1
			}
			if b[i] < ' ' || b[i] > '?' {
				return i
			}
		}
		return len(b)
	case b[1] == ']':
		for i := 2; i < len(b); i++ {
			if b[i] == 7 {
				return i + 1
			}
			if b[i] == escape {
				return min(i+2, len(b))
			}
		}
	}
	return 2
}

// Dashed contains the columns in a table that is printed under a dashed line.
// Each run of dashes is a column. Offsets are counted in characters.
type Dashed struct{ from, to []int }

// Dashes returns the columns in a dashed line, or nil if the line is not one.
func Dashes(line string) *Dashed {
	if !strings.Contains(line, "---") || strings.Trim(line, " -") != "" {
		return nil
	}
	c := &Dashed{}
	for i := 0; i < len(line); i++ {
		if line[i] == '-' && (i == 0 || line[i-1] == ' ') {
			c.from = append(c.from, i)
		}
		if line[i] == '-' && (i+1 == len(line) || line[i+1] == ' ') {
			c.to = append(c.to, i+1)
		}
	}
	return c
}

// Cells returns a line's cells, split at the gaps between the columns. The last
// column has no end. It counts characters, not bytes, because a kernel name may
// contain multibyte characters and VTune pads by characters.
func (c *Dashed) Cells(line string) []string {
	runes := []rune(line)
	out := make([]string, len(c.from))
	for i := range c.from {
		end := len(runes)
		if i+1 < len(c.from) {
			end = min(end, c.from[i+1])
		}
		if from := min(c.from[i], len(runes)); from < end {
			out[i] = strings.TrimSpace(string(runes[from:end]))
		}
	}
	return out
}

// InColumns reports whether a line has the form of a row: it reaches beyond the
// first column, and it is blank wherever the dashed line is blank. A metric that
// follows the table without an empty line is not a row: it is as short as a name,
// or its text crosses a gap.
func (c *Dashed) InColumns(line string) bool {
	if utf8.RuneCountInString(line) <= c.to[0] {
		return false
	}
	runes := []rune(line)
	blank := func(from, to int) bool {
		return from >= len(runes) || strings.TrimSpace(string(runes[from:min(to, len(runes))])) == ""
	}
	if !blank(0, c.from[0]) {
		return false
	}
	for i := 1; i < len(c.from); i++ {
		if !blank(c.to[i-1], c.from[i]) {
			return false
		}
	}
	return true
}
