package machine

import (
	"fmt"
	"io"
	"strconv"

	"occudiff/ingest/table"
	"occudiff/report"
)

// Table writes any table as CSV: a line of column keys, then the raw values at full precision. Absent values are empty,
// and texts that a spreadsheet would run are guarded.
func Table(w io.Writer, t *report.Table) error {
	out := table.NewCSV(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = c.Key
	}
	err := out.Write(line)
	var cells []report.Cell
	for i := 0; i < t.Len && err == nil; i++ {
		cells = t.Row(i, cells[:0])
		for j, c := range cells {
			line[j] = raw(c)
		}
		err = out.Write(line)
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

func raw(c report.Cell) string {
	switch c.Kind {
	case report.Absent:
		return ""
	case report.Text:
		return table.Guard(c.Text)
	case report.Integer:
		return strconv.FormatInt(c.Int, 10)
	}
	return strconv.FormatFloat(c.Num, 'f', -1, 64)
}
