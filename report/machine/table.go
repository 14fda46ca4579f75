package machine

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"occudiff/ingest/table"
	"occudiff/report"
)

// Table writes any table as CSV: a line of column keys, then the rows with raw
// values at full precision (see report.Tidy). Absent values are empty. A text
// that a spreadsheet would execute gets a prefix that prevents this. Keys and
// the number format (all digits, no exponent) are a contract with scripts.
func Table(w io.Writer, t *report.Table) error {
	if err := writeTable(w, t); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

func writeTable(w io.Writer, t *report.Table) error {
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

// raw returns a cell's value at full precision and without its unit. The column
// key contains the unit.
func raw(c report.Cell) string {
	switch c.Kind {
	case report.Absent:
		return ""
	case report.Text, report.Name:
		return table.Guard(c.Text)
	case report.Bool:
		return strconv.FormatBool(c.Bool)
	case report.Size:
		return c.Size.String()
	case report.Array, report.Integers:
		return table.Guard(strings.Join(c.Words(), "; "))
	case report.Integer:
		return strconv.FormatInt(c.Int, 10)
	}
	return strconv.FormatFloat(report.Tidy(c), 'f', -1, 64)
}
