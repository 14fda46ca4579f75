package summary

import (
	"bufio"
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"occudiff/ingest"
	"occudiff/ingest/lines"
)

// peek gives the first bytes without taking them.
// A file that is shorter than that is no error.
func peek(r io.Reader) (*bufio.Reader, []byte, error) {
	in := bufio.NewReaderSize(r, 4096)
	head, err := in.Peek(4096)
	if err == io.EOF {
		err = nil
	}
	return in, head, err
}

// text reads the report that is meant for a terminal: metrics indented below each other, tables under a line of
// dashes whose runs are the columns.
type text struct {
	in     *lines.Reader
	to     *builder
	before string // the last line, the header when dashes follow
	table  *columns
}

// columns are the runs of dashes, counted in characters.
type columns struct{ from, to []int }

func readText(ctx context.Context, r io.Reader, to *builder) error {
	t := &text{to: to}
	t.in = lines.NewReader(ctx, &ingest.Source{Path: to.path, Size: -1, R: r}, ingest.ReadOptions{})
	for t.in.Next() {
		t.line()
	}
	return t.in.Err()
}

func (t *text) line() {
	line := strings.TrimRight(string(lines.Plain(t.in.Text)), " \t\r")
	if t.in.Cut {
		t.to.bad.Add(t.in.Pos(lines.MaxLine), "", "the line is longer than %d bytes", lines.MaxLine)
		return
	}
	line = progress(line)
	trimmed := strings.TrimSpace(line)
	before := t.before
	t.before = line
	if c := dashes(line); c != nil && before != "" {
		t.table = c
		t.to.startTable(c.cells(before))
		return
	}
	at := t.to.at(t.in.Number, len(line)-len(strings.TrimLeft(line, " "))+1)
	switch {
	case trimmed == "":
		t.endTable()
		return
	case t.table != nil && t.table.holds(line): // else the table has ended without a blank line
		t.to.row(t.table.cells(line), at)
		return
	case trimmed[0] == '|': // what a value means, in words
		return
	}
	t.endTable()
	name, value, ok := strings.Cut(trimmed, ": ")
	if !ok {
		name = strings.TrimSuffix(trimmed, ":")
	}
	t.to.metric(at.Column-1, name, strings.TrimSpace(value), at)
}

// progress takes off what vtune told while it worked: `vtune: Executing actions 75 % Generating a report` is
// overwritten on a terminal and stands before the report's first line in a file.
func progress(line string) string {
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if !strings.HasPrefix(line, "vtune: ") {
		return line
	}
	for _, first := range []string{elapsedMark, platformHead} {
		if i := strings.Index(line, first); i >= 0 {
			return line[i:]
		}
	}
	return ""
}

func (t *text) endTable() {
	if t.table != nil {
		t.table = nil
		t.to.endTable()
	}
}

// dashes gives the columns under a header, nil when the line is not made of runs of dashes.
func dashes(line string) *columns {
	if !strings.Contains(line, "---") || strings.Trim(line, " -") != "" {
		return nil
	}
	c := &columns{}
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

// cells cuts a line at the gaps between the columns. The last column has no end.
// Not bytes: a name of a kernel may hold characters of several bytes, and VTune pads by characters.
func (c *columns) cells(line string) []string {
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

// holds says whether a line has the form of a row: nothing before the first column or in the gaps, and more than a
// name.
// The next metric begins at the left edge, too; what tells it is that it is as short as a name, or that its text runs
// over a gap.
func (c *columns) holds(line string) bool {
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
