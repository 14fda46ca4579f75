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
	// lineChartHeight is in pixels; its width is that of all charts.
	lineChartHeight = 420
)

// chart places a plot beside the tables, from row top on, and gives the row below it. It draws from the cells of the
// table that it shows; when that table has no sheet of its own, there is nothing to draw from.
// Charts are native, so that a reader can change them, and they follow the cells when somebody sorts or corrects these.
func (p *sheet) chart(plot report.Plot, top int) int {
	at, ok := p.book.placed[plot.Table]
	if !ok || plot.Rows < 1 {
		return top
	}
	height, column := barsHeight(plot), chartColumn
	if plot.Lines { // beside the rows that it draws
		height, column = lineChartHeight, len(at.columns)+2
	}
	p.charts = append(p.charts, placedChart{address(column, top), newChart(plot, at, height)})
	below := top + height/pixelsPerRow + 1
	p.free = max(p.free, below)
	return below
}

func barsHeight(plot report.Plot) int { return chartFrame + barHeight*plot.Rows }

// newChart draws a series for each column of the plot that the table has.
// What is absent is a gap and not 0, as everywhere.
func newChart(plot report.Plot, at place, height int) *excelize.Chart {
	font := excelize.Font{Color: "404040", Size: 9}
	text := func(s string, font excelize.Font) excelize.ChartTitle {
		return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: s, Font: &font}}}
	}
	c := &excelize.Chart{
		// A title of several lines would take its room from the bars.
		Title:        text(report.CutMiddle(plot.Title, 90), excelize.Font{Bold: true, Size: 13}),
		Legend:       excelize.ChartLegend{Position: "bottom"},
		Dimension:    excelize.ChartDimension{Width: chartWidth, Height: uint(height)},
		XAxis:        excelize.ChartAxis{Font: font},
		YAxis:        excelize.ChartAxis{MajorGridLines: true, Font: font, Title: text("["+plot.Unit+"]", font)},
		ShowBlanksAs: "gap",
	}
	if plot.Max > 0 {
		c.YAxis.Maximum = &plot.Max
	}
	last := at.row + plot.Rows - 1
	for i, key := range plot.Series {
		if column, ok := at.columns[key]; ok {
			c.Series = append(c.Series, excelize.ChartSeries{
				Name:       fmt.Sprintf("'%s'!%s", at.sheet, absoluteCell(column, at.row-1)),
				Categories: absolute(at.sheet, at.columns[plot.Label], at.row, last),
				Values:     absolute(at.sheet, column, at.row, last),
				Fill:       excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{seriesColor(plot, i)}},
			})
		}
	}
	if plot.Lines {
		asLines(c, plot.Rows)
	} else {
		asBars(c, plot.Stacked != nil)
	}
	return c
}

// asBars draws horizontal bars, so that names can be read, the first row on top.
func asBars(c *excelize.Chart, stacked bool) {
	gap, zero := uint(60), 0.0
	c.Type, c.GapWidth = excelize.Bar, &gap
	if stacked {
		c.Type = excelize.BarStacked
	}
	// A spreadsheet draws the first row at the bottom.
	c.XAxis.ReverseOrder = true
	c.YAxis.Minimum, c.YAxis.NumFmt = &zero, excelize.ChartNumFmt{CustomNumFmt: "0"}
	c.YAxis.TickLabelPosition = excelize.ChartTickLabelHigh // which is below, since the other axis is reversed
}

// asLines draws a line over the rows for each series: the first with a mark per row, the others plain, for levels and
// limits.
func asLines(c *excelize.Chart, rows int) {
	c.Type = excelize.Line
	// Aslant, since LibreOffice does not know the skip: it wraps dates that lie flat, and leaves out what has no room
	// aslant.
	c.XAxis.TickLabelPosition, c.XAxis.TickLabelSkip = excelize.ChartTickLabelLow, max(1, rows/8)
	c.XAxis.Alignment = excelize.Alignment{TextRotation: -45}
	c.YAxis.NumFmt = excelize.ChartNumFmt{CustomNumFmt: "0.0"}
	for i := range c.Series {
		s := &c.Series[i]
		s.Marker, s.Line = excelize.ChartMarker{Symbol: "none"}, excelize.LineOptions{Width: 1.5, Fill: s.Fill}
		// With more points marks run into each other.
		if i == 0 && rows <= 200 {
			s.Marker = excelize.ChartMarker{Symbol: "circle", Size: 4, Fill: s.Fill}
		}
		s.Fill = excelize.Fill{}
	}
}

// seriesColor keeps its contrast to its neighbors when printed in gray. Parts have the colors of package plot.
func seriesColor(plot report.Plot, i int) string {
	if plot.Stacked == nil {
		return [...]string{"1F3864", "F4B183", "548235"}[i%3]
	}
	return [...]string{"12499B", "0A8F96", "8250DF", "BF3989", "CFC6B4", "E9E3D7"}[(plot.Stacked[i].Hue-1)%6]
}
