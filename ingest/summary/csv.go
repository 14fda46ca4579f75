package summary

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/table"
)

// The first two names of the report's header; what stands between them is the delimiter.
const levelName, metricName = "Hierarchy Level", "Metric Name"

// delimited reads the report as CSV (-format csv): a level, a name and a value on each line. The header of a table has
// the level of its heading, and so do its rows. Numbers have no units: times are in seconds, and the name of a
// percentage ends in (%).
type delimited struct {
	in    *table.Lines
	to    *builder
	delim byte     // 0 before the header
	names []string // of the current table, with (%)
	level int      // of the current table
}

// delimiter gives what separates the cells of a line if it is the header, else 0. What vtune told while it worked may
// stand before it.
func delimiter(line []byte) byte {
	i := bytes.Index(line, []byte(levelName))
	// 1 is for the opening quote.
	if i < 0 || i > 1 && !isMessage(line) && line[i-1] != '\r' {
		return 0
	}
	quote := []byte{'"'}
	rest := bytes.TrimPrefix(line[i+len(levelName):], quote)
	// A delimiter is one byte of ASCII: -csv-delimiter takes a character, and half of a UTF-8 one would cut every cell
	// wrongly.
	if len(rest) == 0 || rest[0] == '"' || rest[0] >= 0x80 ||
		!bytes.HasPrefix(bytes.TrimPrefix(rest[1:], quote), []byte(metricName)) {
		return 0
	}
	return rest[0]
}

// isMessage says whether a line is a message of the vtune command.
func isMessage(line []byte) bool {
	return bytes.HasPrefix(line, []byte("vtune: ")) || bytes.HasPrefix(line, []byte("war:"))
}

// isCSV says whether the file begins as the report in CSV does, after what vtune printed before.
func isCSV(head []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		switch line = bytes.TrimSpace(line); {
		case delimiter(line) != 0:
			return true
		case len(line) > 0 && !isMessage(line):
			return false
		}
	}
	return false
}

func readCSV(ctx context.Context, r io.Reader, to *builder) error {
	d := &delimited{to: to, in: to.lines(ctx, r)}
	for d.in.Next() {
		d.line()
	}
	return d.in.Err()
}

func (d *delimited) line() {
	line := table.Plain(d.in.Text)
	switch {
	case d.in.Cut:
		d.to.bad.Add(d.in.Pos(table.MaxLine), "", "the line is longer than %d bytes", table.MaxLine)
		return
	case d.delim == 0:
		d.delim = delimiter(bytes.TrimSpace(line))
		return
	}
	cells := split(string(line), d.delim)
	level, err := strconv.Atoi(cells[0])
	if err != nil || len(cells) < 2 {
		return // blank, or a message of vtune
	}
	d.cells(level, cells[1:])
}

// split gives the cells of a line. Those that hold the delimiter stand in quotes.
// encoding/csv is not used since a cell may have blanks before its quote, and text behind it.
func split(line string, delim byte) (cells []string) {
	for {
		line = strings.TrimLeft(line, " ")
		var quoted strings.Builder
		for parts := 0; strings.HasPrefix(line, `"`); parts++ {
			if parts > 0 {
				quoted.WriteByte('"') // two quotes are one
			}
			part, rest, _ := strings.Cut(line[1:], `"`)
			quoted.WriteString(part)
			line = rest
		}
		part, rest, more := strings.Cut(line, string(delim))
		cells = append(cells, strings.TrimSpace(quoted.String()+part))
		if !more {
			return cells
		}
		line = rest
	}
}

// cells takes the name and the values of a line.
func (d *delimited) cells(level int, cells []string) {
	pos := d.in.Pos(1)
	// A name without a value is a heading, here and in the report as text.
	heading := !slices.ContainsFunc(cells[1:], func(s string) bool { return s != "" })
	switch {
	case cells[0] == "Computing Task" && slices.Contains(cells, "Total Time"),
		slices.Contains(cells, "GPU Adapter") && slices.Contains(cells, "GPU Stack"):
		d.names, d.level = cells, level
		d.to.startTable(cells)
		return
	case d.names != nil && level == d.level && !heading && len(cells) <= len(d.names):
		for i := range cells {
			cells[i] = withUnit(d.names[i], cells[i])
		}
		d.to.row(cells, pos)
		return
	case d.names != nil:
		d.names = nil
		d.to.endTable()
	}
	value := ""
	if !heading {
		value = withUnit(cells[0], cells[1])
	}
	d.to.metric(level, strings.TrimSuffix(cells[0], "(%)"), value, pos)
}

// withUnit gives a number the unit that it has in the report as text.
// The builder has one way to read a quantity; so a number of the CSV is given its unit again instead of a second set
// of parsers. What is no number, as [Unknown], stays.
func withUnit(name, value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		return value
	}
	switch {
	case strings.HasSuffix(name, "(%)"):
		return value + "%"
	case strings.HasSuffix(name, " Time"), name == "Execution":
		return value + "s"
	case name == "Max Core Frequency":
		return value + " Hz"
	}
	return value
}
