package markdown

import (
	"strings"

	"occudiff/ingest/ahead"
	"occudiff/report"
)

// padTo is how wide cells are filled up, enough for a digest. A longer one - a name as a compiler mangles it - pushes
// its own row to the right instead of making every row of the table too wide to read.
const padTo = 72

// rowsAhead is how many rows are made together.
const rowsAhead = 256

// table writes a table with aligned pipes. Rows are made twice, once for the widths, because there may be too many to
// keep as text.
func (p *page) table(t *report.Table) {
	t = t.Shown(report.Page)
	if len(t.Columns) == 0 {
		return
	}
	heading := make([]string, len(t.Columns))
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		heading[i] = Escape(c.Heading())
		// Three dashes are the least that makes a rule.
		widths[i] = max(report.Width(heading[i]), 3)
	}
	for part := range ahead.Parts(t.Len, rowsAhead, func(first, last int, _ []int) []int {
		return widest(t, first, last)
	}) {
		for i := range widths {
			widths[i] = max(widths[i], min(part[i], padTo))
		}
	}
	p.w.WriteByte('\n')
	var line []byte
	for i, text := range heading {
		line = cell(line, text, widths[i], t.Columns[i].RightAligned())
	}
	p.w.Write(append(line, "|\n"...))
	p.rule(t, widths)
	for part := range ahead.Parts(t.Len, rowsAhead, func(first, last int, into []byte) []byte {
		return lines(into[:0], t, widths, first, last)
	}) {
		p.w.Write(part)
	}
}

// widest gives the widths of the widest cells of some rows.
func widest(t *report.Table, first, last int) []int {
	widths := make([]int, len(t.Columns))
	var cells []report.Cell
	for row := first; row < last; row++ {
		cells = t.Row(row, cells[:0])
		for i := range cells {
			widths[i] = max(widths[i], report.Width(Escape(t.Columns[i].Print(cells[i]))))
		}
	}
	return widths
}

// lines appends some rows.
func lines(dst []byte, t *report.Table, widths []int, first, last int) []byte {
	var cells []report.Cell
	for row := first; row < last; row++ {
		cells = t.Row(row, cells[:0])
		for i := range cells {
			dst = cell(dst, Escape(t.Columns[i].Print(cells[i])), widths[i], t.Columns[i].RightAligned())
		}
		dst = append(dst, "|\n"...)
	}
	return dst
}

// cell appends a text with the pipe before it.
func cell(dst []byte, text string, width int, right bool) []byte {
	dst = append(dst, "| "...)
	fill := width - report.Width(text)
	if right {
		dst = spaces(dst, fill)
		fill = 0
	}
	return append(spaces(append(dst, text...), fill), ' ')
}

func spaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// rule writes the line under the headings, which says how columns are aligned.
func (p *page) rule(t *report.Table, widths []int) {
	for i := range t.Columns {
		p.w.WriteString("| ")
		if t.Columns[i].RightAligned() {
			p.w.WriteString(strings.Repeat("-", widths[i]-1) + ": ")
		} else {
			p.w.WriteString(strings.Repeat("-", widths[i]) + " ")
		}
	}
	p.w.WriteString("|\n")
}
