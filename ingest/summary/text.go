package summary

import (
	"bufio"
	"context"
	"io"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/table"
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
	in     *table.Lines
	to     *builder
	before string // the last line, the header when dashes follow
	table  *table.Dashed
}

func readText(ctx context.Context, r io.Reader, to *builder) error {
	t := &text{to: to}
	t.in = table.NewLines(ctx, &ingest.Source{Path: to.path, Size: -1, R: r}, ingest.ReadOptions{})
	for t.in.Next() {
		t.line()
	}
	return t.in.Err()
}

func (t *text) line() {
	line := strings.TrimRight(string(table.Plain(t.in.Text)), " \t\r")
	if t.in.Cut {
		t.to.bad.Add(t.in.Pos(table.MaxLine), "", "the line is longer than %d bytes", table.MaxLine)
		return
	}
	line = progress(line)
	trimmed := strings.TrimSpace(line)
	before := t.before
	t.before = line
	if c := table.Dashes(line); c != nil && before != "" {
		t.table = c
		t.to.startTable(c.Cells(before))
		return
	}
	at := t.to.at(t.in.Number, len(line)-len(strings.TrimLeft(line, " "))+1)
	switch {
	case trimmed == "":
		t.endTable()
		return
	case t.table != nil && t.table.Holds(line): // else the table has ended without a blank line
		t.to.row(t.table.Cells(line), at)
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
