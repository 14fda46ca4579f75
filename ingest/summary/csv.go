package summary

import (
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// The first two names in the report's header. The byte between them is the
// delimiter.
const levelName, metricName = "Hierarchy Level", "Metric Name"

// delimited reads the report as CSV (-format csv). Each line has a level, a
// name, and a value. A table's header and rows have its heading's level.
// Numbers have no units: times are in seconds, and a percentage's name ends
// with (%).
type delimited struct {
	to    *builder
	delim byte     // 0 before the header
	names []string // current columns, with (%); nil outside a table
	level int      // the current table's heading level
}

// delimiter returns a header line's delimiter, or 0 if the line is not the
// header. Progress messages from vtune may precede it.
func delimiter(line string) byte {
	i := strings.Index(line, levelName)
	// 1 allows an opening quote.
	if i < 0 || i > 1 && !isMessage(line) && line[i-1] != '\r' {
		return 0
	}
	rest := strings.TrimPrefix(line[i+len(levelName):], `"`)
	// Accept only an ASCII byte. -csv-delimiter accepts any character, but
	// splitting at one byte in a UTF-8 character would split every cell
	// incorrectly.
	if rest == "" || rest[0] == '"' || rest[0] >= 0x80 ||
		!strings.HasPrefix(strings.TrimPrefix(rest[1:], `"`), metricName) {
		return 0
	}
	return rest[0]
}

// isMessage reports whether a line is a message from the vtune command.
func isMessage(line string) bool {
	return strings.HasPrefix(line, "vtune: ") || strings.HasPrefix(line, "war:")
}

// isCSV reports whether the file begins like the report in CSV, after any
// messages from vtune.
func isCSV(head []byte) bool {
	for line := range strings.Lines(strings.TrimPrefix(string(head), "\ufeff")) {
		switch line = strings.TrimSpace(line); {
		case delimiter(line) != 0:
			return true
		case line != "" && !isMessage(line):
			return false
		}
	}
	return false
}

func (d *delimited) line(in *table.Lines, line string) {
	if d.delim == 0 {
		d.delim = delimiter(strings.TrimSpace(line))
		return
	}
	cells := split(line, d.delim)
	if len(cells) < 2 {
		return // blank, or a message from vtune
	}
	if level, err := strconv.Atoi(cells[0]); err == nil {
		d.cells(level, cells[1:], in.Pos(1))
	}
}

// split returns a line's cells. A cell that contains the delimiter is in
// quotes, in which two quotes are one.
func split(line string, delim byte) (cells []string) {
	for more := true; more; {
		line = strings.TrimLeft(line, " ")
		quoted, part := "", ""
		for parts := 0; strings.HasPrefix(line, `"`); parts++ {
			if parts > 0 {
				quoted += `"`
			}
			part, line, _ = strings.Cut(line[1:], `"`)
			quoted += part
		}
		part, line, more = strings.Cut(line, string(delim))
		cells = append(cells, strings.TrimSpace(quoted+part))
	}
	return cells
}

// cells adds the name and a line's values.
func (d *delimited) cells(level int, cells []string, pos note.Pos) {
	// A name without a value is a heading, as in the report as text.
	heading := !slices.ContainsFunc(cells[1:], func(s string) bool { return s != "" })
	switch {
	case d.to.rowsOf(cells) != nil:
		d.names, d.level = cells, level
		d.to.startTable(cells)
		return
	case d.names != nil && level == d.level && !heading && len(cells) <= len(d.names):
		for i := range cells {
			cells[i] = withUnit(d.names[i], cells[i])
		}
		d.to.row(cells, pos)
		return
	}
	d.names = nil
	value := ""
	if !heading {
		value = withUnit(cells[0], cells[1])
	}
	d.to.metric(level, strings.TrimSuffix(cells[0], "(%)"), value, pos)
}

// withUnit returns a number with the unit that it has in the report as text, so
// that the builder needs only one parser per quantity. It returns text that is
// not a number, such as [Unknown], unchanged.
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
