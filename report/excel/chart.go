package excel

import (
	"fmt"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

const (
	chartWidth   = 820 // pixels
	barHeight    = 30  // pixels for the bars of one row
	chartFrame   = 170 // pixels for title, legend and axis
	pixelsPerRow = 17  // at least, in all programs
)

func chartHeight(bars *report.StackedBars) int { return chartFrame + barHeight*len(bars.Rows) }

// slots is the table that a chart draws: the parts of each row that any of them shows.
func slots(bars *report.StackedBars) *report.Table {
	columns := []report.Col[report.StackedRow]{
		report.Define(report.Column{Kind: report.Text}, func(*report.StackedRow) report.Cell { return report.Cell{} }), // the narrow one
		texts("Kernel", true, func(r *report.StackedRow) string { return r.Name })}
	for i, part := range bars.Parts {
		if !bars.Shows(i) {
			continue
		}
		columns = append(columns, report.Define(report.Column{Title: part, Kind: report.Percent}, func(r *report.StackedRow) report.Cell {
			for _, s := range r.Shares {
				if s.Part == i {
					return report.NumCell(report.Percent, s.Value)
				}
			}
			return report.Cell{}
		}))
	}
	return report.NewTable("slots", "", bars.Rows, columns)
}

// newChart draws horizontal bars, so that names can be read, the first row on top, from the cells of the table: a reader
// can change it, and it follows the cells when somebody corrects these. What is absent is a gap and not 0.
func newChart(bars *report.StackedBars, sheet string, of *block) *excelize.Chart {
	font, gap, zero, whole := excelize.Font{Color: "404040", Size: 9}, uint(60), 0.0, 100.0
	text := func(s string, font excelize.Font) excelize.ChartTitle {
		return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: s, Font: &font}}}
	}
	c := &excelize.Chart{
		Type: excelize.BarStacked, GapWidth: &gap,
		Title:     text("Where the thread slots went", excelize.Font{Bold: true, Size: 13}),
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: uint(chartHeight(bars))},
		// A spreadsheet draws the first row at the bottom; the other axis then stands high, which is below.
		XAxis: excelize.ChartAxis{Font: font, ReverseOrder: true},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Font: font, Title: text("[%]", font), Minimum: &zero, Maximum: &whole,
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: "0"}, TickLabelPosition: excelize.ChartTickLabelHigh},
		ShowBlanksAs: "gap",
	}
	// A range of one column: 'Answer'!$K$2:$K$15.
	cells := func(column int) string {
		return fmt.Sprintf("'%s'!%s:%s", sheet, address(column, of.row+1, true), address(column, of.row+of.table.Len, true))
	}
	column := 3
	for i := range bars.Parts {
		if !bars.Shows(i) {
			continue
		}
		c.Series = append(c.Series, excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!%s", sheet, address(column, of.row, true)),
			Categories: cells(2), Values: cells(column),
			// The colors are those of package plot.
			Fill: filled([...]string{"12499B", "0A8F96", "8250DF", "BF3989", "CFC6B4", "E9E3D7"}[i%6]),
		})
		column++
	}
	return c
}
