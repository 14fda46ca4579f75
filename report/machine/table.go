package machine

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"occudiff/ingest/ahead"
	"occudiff/ingest/table"
	"occudiff/report"
)

// rowsAhead is how many rows are made together.
const rowsAhead = 256

// Table writes any table as CSV: a line of column keys, then the raw values at full precision, see number. Absent
// values are empty, and texts that a spreadsheet would run are guarded.
// Keys and the style of numbers (whole digits, no exponent) are a contract with scripts. Row must be safe for several
// goroutines at once: rows are made on all cores and written in order.
func Table(w io.Writer, t *report.Table) error {
	if err := writeTable(w, t); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

func writeTable(w io.Writer, t *report.Table) error {
	if t.Typed() {
		return writeRecords(w, t)
	}
	out := table.NewCSV(w)
	line := t.Keys()
	if err := out.Write(line); err != nil {
		return err
	}
	if t.Len == 0 { // of none, or of rows of which nobody knows how many there are
		for cells := range t.All() {
			if err := out.Write(rawLine(line, cells)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	for part := range ahead.Parts(t.Len, rowsAhead, func(first, last int, into *bytes.Buffer) *bytes.Buffer {
		return rows(t, first, last, into)
	}) {
		if _, err := w.Write(part.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// writeRecords writes the columns of typed rows that are for CSV.
func writeRecords(w io.Writer, t *report.Table) error {
	out, columns := table.NewCSV(w), t.ColumnsIn(report.Data)
	line := report.ListOf(columns, func(i int) string { return t.Columns[i].Key })
	if err := out.Write(line); err != nil {
		return err
	}
	for record := range t.Records() {
		for k, i := range columns {
			line[k] = raw(record(i))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// rows writes some rows into memory, where nothing fails.
func rows(t *report.Table, first, last int, into *bytes.Buffer) *bytes.Buffer {
	if into == nil {
		into = new(bytes.Buffer)
	}
	into.Reset()
	out, line := table.NewCSV(into), make([]string, len(t.Columns))
	var cells []report.Cell
	for row := first; row < last; row++ {
		cells = t.Row(row, cells[:0])
		out.Write(rawLine(line, cells))
	}
	out.Flush()
	return into
}

func rawLine(line []string, cells []report.Cell) []string {
	for i, c := range cells {
		line[i] = raw(c)
	}
	return line
}

// raw is a cell without its unit and its decimals: the key of the column names the unit.
func raw(c report.Cell) string {
	switch c.Kind {
	case report.Absent:
		return ""
	case report.Text, report.Name, report.Bool:
		return table.Guard(c.Text)
	case report.Array:
		return table.Guard(strings.Join(c.List, " "))
	case report.Integer:
		return strconv.FormatInt(c.Int, 10)
	}
	return number(c.Num)
}

// number prints a number at full precision, but for the last digits of what is a short number to a person:
// 60.8 - 60.5 is 0.29999999999999716 to a computer.
// Twelve digits are taken only where that makes the text less than half as long: a computed value such as
// 99.51409135082604 keeps all of its digits.
func number(x float64) string {
	full := strconv.FormatFloat(x, 'f', -1, 64)
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64); err == nil {
		if short := strconv.FormatFloat(rounded, 'f', -1, 64); 2*len(short) < len(full) {
			return short
		}
	}
	return full
}
