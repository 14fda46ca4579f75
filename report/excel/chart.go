package excel

import (
	"fmt"

	"github.com/xuri/excelize/v2"

	"occudiff/report"
)

// placedChart is a chart and the cell of its upper left corner.
type placedChart struct {
	at    string
	chart *excelize.Chart
}

const (
	chartWidth   = 820 // pixels
	barHeight    = 30  // pixels for the bars of one row
	chartFrame   = 170 // pixels for title, legend and axis
	chartColumn  = 5   // beside the small tables
	pixelsPerRow = 17  // at least, in all programs
)

// chart places a plot beside the tables, from row top on, and gives the row below it. It draws from the cells of the
// table that it shows; when that table has no sheet of its own, there is nothing to draw from.
func (p *page) chart(plot report.Plot, top int) int {
	at, ok := p.book.placed[plot.Table]
	if !ok || plot.Rows < 1 {
		return top
	}
	height, column, draw := barsHeight(plot), chartColumn, p.book.barChart
	if plot.Stacked {
		column = 1
	}
	if plot.Lines { // beside the rows that it draws
		height, column, draw = lineChartHeight, len(at.columns)+2, p.book.lineChart
	}
	p.charts = append(p.charts, placedChart{address(column, top), draw(plot, at, height)})
	below := top + height/pixelsPerRow + 1
	p.free = max(p.free, below)
	return below
}

func barsHeight(plot report.Plot) int { return chartFrame + barHeight*plot.Rows }

// seriesColor keeps its contrast to its neighbors when printed in gray. Parts of a whole end in those that nobody
// misses.
func seriesColor(i int, stacked bool) string {
	colors := []string{"1F3864", "F4B183", "548235"}
	if stacked {
		colors = []string{"2E75B6", "F4B183", "A02B2B", "BF8F00", "D9D9D9", "EDEDED"}
	}
	return colors[i%len(colors)]
}

// barChart draws horizontal bars, so that names can be read, the first row on top.
func (b *book) barChart(plot report.Plot, at place, height int) *excelize.Chart {
	last := at.row + plot.Rows - 1
	gap, zero, axis := uint(60), 0.0, excelize.Font{Color: "404040", Size: 9}
	c := &excelize.Chart{
		Type: excelize.Bar, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: plot.Title,
			Font: &excelize.Font{Bold: true, Size: 13}}}},
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: uint(height)},
		XAxis:     excelize.ChartAxis{ReverseOrder: true, Font: axis},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Minimum: &zero, Font: axis,
			TickLabelPosition: excelize.ChartTickLabelHigh, // which is below, since the other axis is reversed
			Title: excelize.ChartTitle{
				Paragraph: []excelize.RichTextRun{{Text: "[" + plot.Unit + "]", Font: &axis}}},
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: "0"}},
		GapWidth:     &gap,
		ShowBlanksAs: "gap",
	}
	if plot.Stacked {
		c.Type = excelize.BarStacked
	}
	if plot.Max > 0 {
		c.YAxis.Maximum = &plot.Max
	}
	for i, key := range plot.Series {
		column, ok := at.columns[key]
		if !ok {
			continue
		}
		c.Series = append(c.Series, excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!%s", at.sheet, absoluteCell(column, at.row-1)),
			Categories: absolute(at.sheet, at.columns[plot.Label], at.row, last),
			Values:     absolute(at.sheet, column, at.row, last),
			Fill:       excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{seriesColor(i, plot.Stacked)}},
		})
	}
	return c
}

func absoluteCell(column, row int) string {
	a, err := excelize.CoordinatesToCellName(column, row, true)
	if err != nil {
		panic("excel: no such cell: " + err.Error())
	}
	return a
}
