package excel

import (
	"fmt"
	"math"

	"github.com/xuri/excelize/v2"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const (
	chartWidth   = 900 // pixels
	chartHeight  = 400
	pixelsPerRow = 17 // minimum height of a row in all programs
)

// chart is a native chart of the table that follows it.
type chart struct {
	title, axis string
	from, to    unit.Opt[float64] // range of the vertical axis
	category    int               // index of the table column with the categories
	stacked     bool              // the first series are stacked columns
	series      []series
}

// series is a table column in a chart.
type series struct {
	column int    // column number, starting with 1
	color  string // RGB
	mark   string // symbol at each value; empty for none
	line   excelize.LineType
	dash   excelize.LineDashType
}

// bars adds a stacked bar chart with marks for the prediction, and its table.
func (s *sheet) bars(bars *report.StackedBars) {
	var rows []report.StackedRow
	for _, r := range bars.Rows {
		rows = append(rows, r.Each()...)
	}
	c := &chart{title: "Thread-slot breakdown", axis: "Thread slots [%]", from: unit.Some(0.0), to: unit.Some(100.0),
		category: 2,
		stacked:  true}
	columns := []report.Col[report.StackedRow]{
		texts("", func(*report.StackedRow) string { return "" }), // the narrow column
		texts("Kernel", func(r *report.StackedRow) string { return r.Name }, report.Wrap)}
	for i, part := range bars.Parts {
		if !bars.Shows(i) {
			continue
		}
		columns = append(columns, report.Shown("", part, func(r *report.StackedRow) float64 {
			for _, s := range r.Shares {
				if s.Part == i {
					return s.Value
				}
			}
			return math.NaN() // an absent value has no cell
		}, report.Percent))
		// The colors of package plot.
		color := [...]string{"12499B", "0A8F96", "8250DF", "BF3989", "CFC6B4", "E9E3D7"}[i%6]
		c.series = append(c.series, series{column: len(columns), color: color})
	}
	for i, end := range []func(*report.StackedRow) unit.Opt[float64]{
		func(r *report.StackedRow) unit.Opt[float64] { return r.Mark },
		func(r *report.StackedRow) unit.Opt[float64] { return r.MarkTo },
	} {
		if bars.Marks() > i {
			name := bars.Mark + []string{"", ", at most"}[i]
			columns = append(columns, report.Shown("", name, end, report.Percent))
			c.series = append(c.series, series{column: len(columns), color: "C9252D", mark: "dash",
				line: excelize.LineNone})
		}
	}
	s.space()
	s.add(block{chart: c.layers})
	t := report.NewTable("slots", "", rows, columns)
	s.add(block{table: t, lead: len(t.Columns)})
}

// trend adds a chart of a series over runs, and its table.
func (s *sheet) trend(p *report.Plot) {
	data := p.TimeSeries
	type run struct {
		report.TimePoint
		level unit.Opt[float64]
	}
	rows := report.ListOf(data.Points, func(p report.TimePoint) run { return run{TimePoint: p} })
	low, high := math.Inf(1), math.Inf(-1)
	for i := range rows {
		for _, l := range data.Segments {
			if l.From <= i && i < l.To {
				rows[i].level = unit.Some(l.Mean)
			}
		}
		low, high = math.Min(low, rows[i].Value), math.Max(high, rows[i].Value)
	}
	value := func(title string, of func(*run) unit.Opt[float64]) report.Col[run] {
		return report.Shown("", title, of, report.Unit(p.Unit), report.Decimals(3), report.Sheet)
	}
	columns := []report.Col[run]{
		texts("", func(*run) string { return "" }), // the narrow column
		texts("Collected", func(r *run) string { return r.Time.UTC().Format("2006-01-02 15:04") }),
		value("Value", func(r *run) unit.Opt[float64] { return unit.Some(r.Value) }),
		value("Bad runs", func(r *run) unit.Opt[float64] { return unit.Maybe(r.Value, r.Bad) }),
		value("Level", func(r *run) unit.Opt[float64] { return r.level }),
		value("Threshold of the newest run", func(*run) unit.Opt[float64] { return data.Threshold }),
		texts("Run", func(r *run) string { return r.Name })}
	axis := report.Column{Title: data.Y, Unit: p.Unit}.Heading()
	c := &chart{title: p.Title, axis: axis, category: 2, series: []series{
		{column: 3, color: "1F6FEB", mark: "circle", line: excelize.LineSolid},
		{column: 4, color: "C9252D", mark: "circle", line: excelize.LineNone},
		{column: 5, color: "1A7F37", line: excelize.LineSolid},
		{column: 6, color: "B7791F", line: excelize.LineSolid, dash: excelize.LineDashDash}}}
	if air := (data.Least - (high - low)) / 2; air > 0 {
		c.from, c.to = unit.Some(math.Floor(low-air)), unit.Some(math.Ceil(high+air))
	}
	if len(data.Segments) == 0 {
		c.series = append(c.series[:2], c.series[3])
	}
	if !data.Threshold.Present() {
		c.series = c.series[:len(c.series)-1]
	}
	s.space()
	s.add(block{chart: c.layers})
	t := report.NewTable("trend", "", rows, columns)
	s.add(block{table: t, lead: len(t.Columns)})
}

// layers returns the chart as layers: columns, and lines over them. The chart
// refers to the table's cells, so that it follows if a reader changes the
// values. An absent value is a gap.
func (c *chart) layers(sheet string, of *block) []*excelize.Chart {
	gap := uint(60)
	layer := func(kind excelize.ChartType) *excelize.Chart {
		l := newChart(kind, c.title, c.axis)
		l.GapWidth = &gap
		l.XAxis.TickLabelPosition = excelize.ChartTickLabelLow
		l.YAxis.Minimum, l.YAxis.Maximum = pointer(c.from), pointer(c.to)
		l.YAxis.NumFmt.CustomNumFmt = "General"
		return l
	}
	columns, lines := layer(excelize.ColStacked), layer(excelize.Line)
	for _, s := range c.series {
		one := newSeries(sheet, of, c.category, s.column, 0, of.table.Len-1)
		one.Fill = filled(s.color)
		if s.line == excelize.LineUnset {
			columns.Series = append(columns.Series, one)
			continue
		}
		one.Line = excelize.LineOptions{Type: s.line, Dash: s.dash, Fill: filled(s.color), Width: 2}
		one.Marker = excelize.ChartMarker{Symbol: "none"}
		if s.mark != "" {
			one.Marker = excelize.ChartMarker{Symbol: s.mark, Size: 7, Fill: filled(s.color)}
		}
		lines.Series = append(lines.Series, one)
	}
	switch {
	case !c.stacked:
		return []*excelize.Chart{lines}
	case len(lines.Series) == 0:
		return []*excelize.Chart{columns}
	}
	return []*excelize.Chart{columns, lines}
}

// newChart returns a chart without series.
func newChart(kind excelize.ChartType, title, axis string) *excelize.Chart {
	return &excelize.Chart{Type: kind, Title: chartText(title, excelize.Font{Bold: true, Size: 13}),
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: chartHeight},
		XAxis:     excelize.ChartAxis{Font: axisFont},
		YAxis:     excelize.ChartAxis{MajorGridLines: true, Font: axisFont, Title: chartText(axis, axisFont)},

		ShowBlanksAs: "gap"}
}

var axisFont = excelize.Font{Color: "404040", Size: 9}

func chartText(text string, font excelize.Font) excelize.ChartTitle {
	return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: text, Font: &font}}}
}

// newSeries returns a series with the values of a column over another column,
// from the first to the last row of a table. Rows are counted from 0 and
// columns from 1. The series refers to cells, such as 'Summary'!$K$2:$K$15.
func newSeries(sheet string, of *block, category, column, first, last int) excelize.ChartSeries {
	cells := func(column int) string {
		return fmt.Sprintf("'%s'!%s:%s", sheet, address(column, of.row+1+first, true),
			address(column, of.row+1+last, true))
	}
	return excelize.ChartSeries{Name: fmt.Sprintf("'%s'!%s", sheet, address(column, of.row, true)),
		Categories: cells(category), Values: cells(column)}
}

func pointer(o unit.Opt[float64]) *float64 {
	if v, known := o.Value(); known {
		return &v
	}
	return nil
}
