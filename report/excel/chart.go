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

// chart places a plot at a column from row top on, beside the tables, and gives the row below it. It draws from the cells of the
// table that it shows; when that table has no sheet of its own, there is nothing to draw from.
// Charts are native, so that a reader can change them, and they follow the cells when somebody sorts or corrects these.
func (p *sheet) chart(plot report.Plot, top, column int) int {
	at, ok := p.book.placed[plot.Table]
	if !ok || plot.Rows < 1 {
		return top
	}
	height := barsHeight(plot)
	p.charts = append(p.charts, placedChart{address(column, top), newChart(plot, at, height)})
	below := top + height/pixelsPerRow + 1
	p.free = max(p.free, below)
	return below
}

func barsHeight(plot report.Plot) int { return chartFrame + barHeight*plot.Rows }

// newChart draws horizontal bars, so that names can be read, the first row on top: a series for each column of the plot
// that the table has.
// What is absent is a gap and not 0, as everywhere.
func newChart(plot report.Plot, at place, height int) *excelize.Chart {
	font, gap, zero := excelize.Font{Color: "404040", Size: 9}, uint(60), 0.0
	text := func(s string, font excelize.Font) excelize.ChartTitle {
		return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: s, Font: &font}}}
	}
	c := &excelize.Chart{
		Type: excelize.Bar, GapWidth: &gap,
		// A title of several lines would take its room from the bars.
		Title:     text(report.CutMiddle(plot.Title, 90), excelize.Font{Bold: true, Size: 13}),
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: uint(height)},
		// A spreadsheet draws the first row at the bottom; the other axis then stands high, which is below.
		XAxis: excelize.ChartAxis{Font: font, ReverseOrder: true},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Font: font, Title: text("["+plot.Unit+"]", font), Minimum: &zero,
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: "0"}, TickLabelPosition: excelize.ChartTickLabelHigh},
		ShowBlanksAs: "gap",
	}
	if plot.Stacked != nil {
		c.Type = excelize.BarStacked
	}
	if plot.Max > 0 {
		c.YAxis.Maximum = &plot.Max
	}
	last, label := at.row+plot.Rows-1, max(at.columns[plot.Label], 1) // the first has names, too
	for i, key := range plot.Series {
		if column, ok := at.columns[key]; ok {
			c.Series = append(c.Series, excelize.ChartSeries{
				Name:       fmt.Sprintf("'%s'!%s", at.sheet, absoluteCell(column, at.row-1)),
				Categories: absolute(at.sheet, label, at.row, last),
				Values:     absolute(at.sheet, column, at.row, last),
				Fill:       excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{seriesColor(plot, i)}},
			})
		}
	}
	return c
}

// seriesColor keeps its contrast to its neighbors when printed in gray. Parts have the colors of package plot.
func seriesColor(plot report.Plot, i int) string {
	if plot.Stacked == nil {
		return [...]string{"1F3864", "F4B183", "548235"}[i%3]
	}
	return [...]string{"12499B", "0A8F96", "8250DF", "BF3989", "CFC6B4", "E9E3D7"}[(plot.Stacked[i].Hue-1)%6]
}
