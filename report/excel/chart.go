package excel

import (
	"fmt"
	"math"
	"slices"

	"github.com/xuri/excelize/v2"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const (
	chartWidth   = 900 // pixels
	chartHeight  = 400
	pixelsPerRow = 17 // minimum height of a row in all programs
)

// drawing is a native chart of a table, which follows the chart.
type drawing[R any] struct {
	title, x, y string             // titles of the chart and its axes
	from, to    number             // range of the vertical axis
	kind        excelize.ChartType // of the series that are not stacked columns
	category    int                // number of the table column with the categories
	rows        []R
	columns     []report.Col[R]
	series      []series
}

type number = unit.Opt[float64]

// series is a table column in a chart. Columns are counted from 1 and rows from
// 0.
type series struct {
	column, first, last int
	color               string            // RGB
	mark                string            // symbol at each value; empty for none
	line                excelize.LineType // unset for stacked columns
	dash                excelize.LineDashType
}

// add adds a table column and its series, which has the values of all rows
// unless s has its own last row.
func (d *drawing[R]) add(title string, s series, of func(*R) number, options ...report.Option) {
	d.columns = append(d.columns, report.Shown("", title, of, options...))
	s.column = len(d.columns)
	d.series = append(d.series, s)
}

// draw adds a chart and its table to a sheet.
func draw[R any](s *sheet, d *drawing[R]) {
	s.space()
	s.add(block{chart: d.layers})
	s.add(block{table: report.NewTable("", "", d.rows, d.columns), lead: len(d.columns)})
}

// bars adds a stacked bar chart with marks for the prediction, and its table.
func (s *sheet) bars(bars *report.StackedBars) {
	d := &drawing[report.StackedRow]{
		title:    "Thread-slot breakdown",
		y:        "Thread slots [%]",
		from:     unit.Some(0.0),
		to:       unit.Some(100.0),
		kind:     excelize.Line,
		category: 2,
		columns: []report.Col[report.StackedRow]{
			texts("", func(*report.StackedRow) string { return "" }), // the narrow column
			texts("Kernel", func(r *report.StackedRow) string { return r.Name }, report.Wrap),
		},
	}
	for _, r := range bars.Rows {
		d.rows = append(d.rows, r.Each()...)
	}
	last := len(d.rows) - 1
	for i, part := range bars.Parts {
		if bars.Shows(i) {
			// The colors of package plot.
			color := [...]string{"12499B", "0A8F96", "8250DF", "BF3989", "CFC6B4", "E9E3D7"}[i%6]
			d.add(part, series{last: last, color: color}, func(r *report.StackedRow) (share number) {
				for _, s := range r.Shares {
					if s.Part == i {
						share = unit.Some(s.Value)
					}
				}
				return share
			}, report.Percent)
		}
	}
	mark := series{last: last, color: "C9252D", mark: "dash", line: excelize.LineNone}
	if bars.Marks() > 0 {
		d.add(bars.Mark, mark, func(r *report.StackedRow) number { return r.Mark }, report.Percent)
	}
	if bars.Marks() > 1 {
		d.add(bars.Mark+", at most", mark, func(r *report.StackedRow) number { return r.MarkTo }, report.Percent)
	}
	draw(s, d)
}

// run is a point of a trend.
type run struct {
	report.TimePoint
	level number
}

// trend adds a chart of a series over runs, and its table.
func (s *sheet) trend(p *report.Plot) {
	data := p.TimeSeries
	d := &drawing[run]{
		title:    p.Title,
		y:        report.Column{Title: data.Y, Unit: p.Unit}.Heading(),
		kind:     excelize.Line,
		category: 2,
		rows:     report.ListOf(data.Points, func(p report.TimePoint) run { return run{TimePoint: p} }),
		columns: []report.Col[run]{
			texts("", func(*run) string { return "" }), // the narrow column
			texts("Collected", func(r *run) string { return r.Time.UTC().Format("2006-01-02 15:04") }),
		},
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range d.rows {
		for _, l := range data.Segments {
			if l.From <= i && i < l.To {
				d.rows[i].level = unit.Some(l.Mean)
			}
		}
		low, high = min(low, d.rows[i].Value), max(high, d.rows[i].Value)
	}
	if air := (data.Least - (high - low)) / 2; air > 0 {
		d.from, d.to = unit.Some(math.Floor(low-air)), unit.Some(math.Ceil(high+air))
	}
	add := func(title string, s series, of func(*run) number) {
		s.last = len(d.rows) - 1
		d.add(title, s, of, report.Unit(p.Unit), report.Decimals(3), report.Sheet)
	}
	add("Value", series{color: "1F6FEB", mark: "circle", line: excelize.LineSolid},
		func(r *run) number { return unit.Some(r.Value) })
	add("Bad runs", series{color: "C9252D", mark: "circle", line: excelize.LineNone},
		func(r *run) number { return unit.Maybe(r.Value, r.Bad) })
	if len(data.Segments) > 0 {
		add("Level", series{color: "1A7F37", line: excelize.LineSolid}, func(r *run) number { return r.level })
	}
	if data.Threshold.Present() {
		add("Threshold of the newest run",
			series{color: "B7791F", line: excelize.LineSolid, dash: excelize.LineDashDash},
			func(*run) number { return data.Threshold })
	}
	d.columns = append(d.columns, texts("Run", func(r *run) string { return r.Name }))
	draw(s, d)
}

// layers returns the chart as layers: stacked columns, and lines over them. The
// chart refers to the table's cells, so that it follows if a reader changes the
// values. An absent value is a gap.
func (d *drawing[R]) layers(sheet string, of *block) []*excelize.Chart {
	cells := func(column, first, last int) string {
		return fmt.Sprintf("'%s'!%s:%s", sheet, address(column, of.row+1+first, true),
			address(column, of.row+1+last, true))
	}
	columns, lines := d.layer(excelize.ColStacked), d.layer(d.kind)
	for _, s := range d.series {
		one := excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!%s", sheet, address(s.column, of.row, true)),
			Categories: cells(d.category, s.first, s.last),
			Values:     cells(s.column, s.first, s.last),
			Fill:       filled(s.color),
		}
		if s.line == excelize.LineUnset {
			columns.Series = append(columns.Series, one)
			continue
		}
		one.Line = excelize.LineOptions{Type: s.line, Dash: s.dash, Fill: one.Fill, Width: 2}
		one.Marker = excelize.ChartMarker{Symbol: "none"}
		if s.mark != "" {
			one.Marker = excelize.ChartMarker{Symbol: s.mark, Size: 7, Fill: one.Fill}
		}
		lines.Series = append(lines.Series, one)
	}
	return slices.DeleteFunc([]*excelize.Chart{columns, lines},
		func(l *excelize.Chart) bool { return len(l.Series) == 0 })
}

// layer returns a layer without series.
func (d *drawing[R]) layer(kind excelize.ChartType) *excelize.Chart {
	gap, font := uint(60), excelize.Font{Color: "404040", Size: 9}
	title := func(text string, font excelize.Font) excelize.ChartTitle {
		return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: text, Font: &font}}}
	}
	l := &excelize.Chart{
		Type:         kind,
		Title:        title(d.title, excelize.Font{Bold: true, Size: 13}),
		Legend:       excelize.ChartLegend{Position: "bottom"},
		Dimension:    excelize.ChartDimension{Width: chartWidth, Height: chartHeight},
		XAxis:        excelize.ChartAxis{Font: font, TickLabelPosition: excelize.ChartTickLabelLow},
		YAxis:        excelize.ChartAxis{Font: font, Title: title(d.y, font), MajorGridLines: true},
		GapWidth:     &gap,
		ShowBlanksAs: "gap",
	}
	if d.x != "" {
		l.XAxis.Title, l.XAxis.Minimum = title(d.x, font), new(float64)
	}
	l.YAxis.Minimum, l.YAxis.Maximum = pointer(d.from), pointer(d.to)
	l.YAxis.NumFmt.CustomNumFmt = "General"
	return l
}

func pointer(o number) *float64 {
	if v, known := o.Value(); known {
		return &v
	}
	return nil
}
