package machine

import (
	"fmt"
	"io"
	"strconv"

	"occudiff/ingest/table"
	"occudiff/report"
)

// Table writes any table as CSV: a line of column keys, then the raw values at full precision, see number. Absent
// values are empty, and texts that a spreadsheet would run are guarded.
func Table(w io.Writer, t *report.Table) error {
	out := table.NewCSV(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = c.Key
	}
	err := out.Write(line)
	for cells := range t.All() {
		if err != nil {
			break
		}
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
	return number(c.Num)
}

// number prints a number at full precision, but for the last digits of what is a short number to a person:
// 60.8 - 60.5 is 0.29999999999999716 to a computer.
func number(x float64) string {
	full := strconv.FormatFloat(x, 'f', -1, 64)
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64); err == nil {
		if short := strconv.FormatFloat(rounded, 'f', -1, 64); 2*len(short) < len(full) {
			return short
		}
	}
	return full
}
