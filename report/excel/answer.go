package excel

import (
	"fmt"
	"slices"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// answerSheet is the name of the sheet that a workbook begins with.
const answerSheet = "Answer"

// answer lays out the screen of a document: one printed page.
func (b *book) answer(d *report.Document) (*sheet, error) {
	s := d.Screen
	p := &sheet{book: b, name: answerSheet, widths: []float64{plainWidth / 2}, onePage: true}
	p.text(d.Title, title)
	p.text(s.Line, strong)
	for _, text := range append([]string{s.Means}, s.Notes...) {
		if text != "" {
			p.text(text, body)
		}
	}
	if s.Rows != nil {
		t := s.Rows
		if t.Form != report.Facts { // of whose row a terminal says some in its first line
			t = t.Shown(report.Terminal)
		}
		p.table(t)
	}
	for _, text := range append([]string{s.More}, s.Do...) {
		if text != "" {
			p.text(text, body)
		}
	}
	p.blank()
	if s.Ask != "" {
		p.text(s.Ask, strong)
	}
	for _, c := range s.Sure {
		p.widenTo(0, report.Width(c.Rows))
		text := c.Command
		if c.Gives != "" {
			text += "   (" + c.Gives + ")"
		}
		p.lines = append(p.lines, line{cells: []excelize.Cell{p.cell(report.TextCell(c.Rows), style{}),
			p.cell(report.TextCell(text), style{})}})
	}
	if s.Bars != nil {
		p.slots(s.Bars)
	}
	return p, p.err
}

// slots draws where the thread slots of the rows went, above the figures that it draws.
func (p *sheet) slots(bars *report.StackedBars) {
	rows := slices.DeleteFunc(slices.Clone(bars.Rows), func(r report.StackedRow) bool { return len(r.Shares) == 0 })
	plot := report.Plot{Title: "Where the thread slots went", Table: "slots", Label: "kernel", Rows: len(rows), Unit: "%",
		Max: 100}
	text := func(key, title string, of func(*report.StackedRow) string) report.Col[report.StackedRow] {
		return report.Define(report.Column{Key: key, Title: title, In: report.Sheet, Kind: report.Text, Wrap: true},
			func(r *report.StackedRow) report.Cell { return report.TextCell(of(r)) })
	}
	columns := []report.Col[report.StackedRow]{ // the first is narrow
		text("n", "", func(*report.StackedRow) string { return "" }),
		text("kernel", "Kernel", func(r *report.StackedRow) string { return r.Name })}
	for i, part := range bars.Parts {
		if !bars.Shows(i) {
			continue
		}
		key := fmt.Sprint("part", i)
		plot.Series, plot.Stacked = append(plot.Series, key), append(plot.Stacked, part)
		columns = append(columns, report.Define(report.Column{Key: key, Title: part.Name, In: report.Sheet,
			Kind: report.Percent}, func(r *report.StackedRow) report.Cell {
			for _, s := range r.Shares {
				if s.Part == i {
					return report.NumCell(report.Percent, s.Value)
				}
			}
			return report.Cell{}
		}))
	}
	top := len(p.lines) + 2
	for range (barsHeight(plot) / pixelsPerRow) + 2 {
		p.blank()
	}
	p.table(report.NewTable("slots", "", rows, columns))
	p.chart(plot, top, 2)
}
