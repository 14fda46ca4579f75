package markdown

import (
	"strings"

	"occudiff/report"
)

// padTo is how wide cells are filled up, enough for a digest. A longer one - a name as a compiler mangles it - pushes
// its own row to the right instead of making every row of the table too wide to read.
const padTo = 72

// table writes a table with aligned pipes. Rows are made twice, once for the widths, because there may be too many to
// keep as text.
func (p *page) table(t *report.Table) {
	var shown []int
	var widths []int
	for i, c := range t.Columns {
		if c.In&report.Page != 0 {
			shown = append(shown, i)
			widths = append(widths, max(report.Width(Escape(c.Heading())), 3))
		}
	}
	if len(shown) == 0 {
		return
	}
	var cells []report.Cell
	for row := range t.Len {
		cells = t.Row(row, cells[:0])
		for k, i := range shown {
			widths[k] = max(widths[k], min(report.Width(Escape(t.Columns[i].Print(cells[i]))), padTo))
		}
	}
	p.w.WriteByte('\n')
	p.row(t, shown, widths, func(c report.Column, _ int) string { return Escape(c.Heading()) })
	p.rule(t, shown, widths)
	for row := range t.Len {
		cells = t.Row(row, cells[:0])
		p.row(t, shown, widths, func(c report.Column, i int) string { return Escape(c.Print(cells[i])) })
	}
}

func (p *page) row(t *report.Table, shown, widths []int, text func(report.Column, int) string) {
	for k, i := range shown {
		s := text(t.Columns[i], i)
		fill := strings.Repeat(" ", max(widths[k]-report.Width(s), 0))
		p.w.WriteString("| ")
		if t.Columns[i].RightAligned() {
			p.w.WriteString(fill)
			fill = ""
		}
		p.w.WriteString(s)
		p.w.WriteString(fill)
		p.w.WriteByte(' ')
	}
	p.w.WriteString("|\n")
}

// rule writes the line under the headings, which says how columns are aligned.
func (p *page) rule(t *report.Table, shown, widths []int) {
	for k, i := range shown {
		p.w.WriteString("| ")
		if t.Columns[i].RightAligned() {
			p.w.WriteString(strings.Repeat("-", widths[k]-1) + ": ")
		} else {
			p.w.WriteString(strings.Repeat("-", widths[k]) + " ")
		}
	}
	p.w.WriteString("|\n")
}
