package excel

import (
	"fmt"

	"github.com/xuri/excelize/v2"

	"occudiff/report"
)

// lineChartHeight is in pixels; its width is that of all charts.
const lineChartHeight = 420

// placePage notes where the table of a page stands, for a chart beside it.
func (b *book) placePage(sheet string, t *report.Table, row int) {
	at := place{sheet: sheet, row: row, columns: map[string]int{}}
	for _, i := range sheetColumns(t) {
		at.columns[t.Columns[i].Key] = len(at.columns) + 1
	}
	b.placed[t.Key] = at
}

// lineChart draws a line per series over the rows: the first with a mark per row, the others plain, for levels and
// limits.
func (b *book) lineChart(plot report.Plot, at place, height int) *excelize.Chart {
	last := at.row + plot.Rows - 1
	axis := excelize.Font{Color: "404040", Size: 9}
	c := &excelize.Chart{
		Type: excelize.Line,
		Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: report.CutMiddle(plot.Title, 90),
			Font: &excelize.Font{Bold: true, Size: 13}}}},
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: uint(height)},
		// Aslant, since LibreOffice does not know the skip: it wraps dates that lie flat, and leaves out what has no
		// room aslant.
		XAxis: excelize.ChartAxis{Font: axis, TickLabelPosition: excelize.ChartTickLabelLow,
			TickLabelSkip: max(1, plot.Rows/8), Alignment: excelize.Alignment{TextRotation: -45}},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Font: axis, NumFmt: excelize.ChartNumFmt{CustomNumFmt: "0.0"},
			Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "[" + plot.Unit + "]", Font: &axis}}}},
		ShowBlanksAs: "gap",
	}
	for i, key := range plot.Series {
		column, ok := at.columns[key]
		if !ok {
			continue
		}
		s := excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!%s", at.sheet, absoluteCell(column, at.row-1)),
			Categories: absolute(at.sheet, at.columns[plot.Label], at.row, last),
			Values:     absolute(at.sheet, column, at.row, last),
			Marker:     excelize.ChartMarker{Symbol: "none"},
			Line: excelize.LineOptions{Width: 1.5, Fill: excelize.Fill{Type: "pattern", Pattern: 1,
				Color: []string{seriesColor(i, false)}}},
		}
		if i == 0 && plot.Rows <= 200 {
			s.Marker = excelize.ChartMarker{Symbol: "circle", Size: 4, Fill: s.Line.Fill}
		}
		c.Series = append(c.Series, s)
	}
	return c
}
