package table

import (
	"bufio"
	"io"
	"strings"
)

// CSV writes records as encoding/csv does, but so that a spreadsheet runs none of them: a cell that it would take for a
// formula gets an apostrophe unless it has one, and a cell that it might split, at a semicolon or a tab, stands in
// quotes, because what is behind one would begin a cell without a guard. Its error is that of the last Flush.
type CSV struct {
	w   *bufio.Writer
	err error
}

// NewCSV writes to w. Flush must be called at the end.
func NewCSV(w io.Writer) *CSV { return &CSV{w: bufio.NewWriter(w)} }

// Write writes a record.
func (c *CSV) Write(record []string) error {
	for i, cell := range record {
		if runnable(cell) && !number.MatchString(cell) {
			cell = "'" + cell
		}
		if i > 0 {
			c.w.WriteByte(',')
		}
		if !quoted(cell) {
			c.w.WriteString(cell)
			continue
		}
		c.w.WriteByte('"')
		c.w.WriteString(strings.ReplaceAll(cell, `"`, `""`))
		c.w.WriteByte('"')
	}
	return c.w.WriteByte('\n') // which fails when anything before did
}

// quoted says whether a cell has to stand in quotes. One that begins with a colon is among them because the runner of a
// CI job takes a line that begins with two for a command.
func quoted(cell string) bool {
	return cell != "" && (strings.ContainsAny(cell, ",;\t\"\r\n") || cell[0] == ' ' || cell[0] == ':')
}

// Flush writes what is left.
func (c *CSV) Flush() { c.err = c.w.Flush() }

// Error gives the first error of writing.
func (c *CSV) Error() error { return c.err }
