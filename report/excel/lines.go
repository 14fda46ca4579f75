package excel

import (
	"math"
	"slices"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// plotData is the table for a line chart. Each series has its own rows. If an
// earlier series has the same horizontal values, the series share their rows.
type plotData struct {
	rows  []plotRow
	spans [][2]int // first and last row of each series
}

type plotRow struct {
	x float64
	y map[int]float64 // indexed by series
}

func newPlotData(p *report.Plot) *plotData {
	d := &plotData{}
	for i, s := range p.LineChart.Series {
		points := drawn(&s)
		at := slices.IndexFunc(d.spans, func(span [2]int) bool {
			return slices.EqualFunc(d.rows[span[0]:span[1]+1], points,
				func(r plotRow, p report.Point) bool { return r.x == p.X })
		})
		span := [2]int{len(d.rows), len(d.rows) + len(points) - 1}
		if at >= 0 {
			span = d.spans[at]
		} else {
			for _, p := range points {
				d.rows = append(d.rows, plotRow{p.X, map[int]float64{}})
			}
		}
		for k, p := range points {
			d.rows[span[0]+k].y[i] = p.Y
		}
		d.spans = append(d.spans, span)
	}
	return d
}

// drawn returns the points of a series in the form that a spreadsheet draws,
// which connects points by lines. For a series with steps, it adds a point
// before each change. A gap becomes a point without cells.
func drawn(s *report.LineSeries) (points []report.Point) {
	last := math.NaN()
	for _, p := range s.Points {
		if math.IsNaN(p.X + p.Y) {
			p = report.Point{X: math.NaN(), Y: math.NaN()}
		} else if s.Style == report.Steps && !math.IsNaN(last) {
			points = append(points, report.Point{X: p.X, Y: last})
		}
		points, last = append(points, p), p.Y
	}
	return points
}

// table returns the data as cells.
func (d *plotData) table(p *report.Plot) *report.Table {
	decimals := report.Decimals(0)
	if slices.ContainsFunc(d.rows, func(r plotRow) bool { return r.x > math.Floor(r.x) }) {
		decimals = 3
	}
	columns := []report.Col[plotRow]{
		report.Shown("x", p.LineChart.X, func(r *plotRow) float64 { return r.x }, decimals)}
	for i, s := range p.LineChart.Series {
		columns = append(columns, report.Shown("", s.Name, func(r *plotRow) float64 {
			if y, drawn := r.y[i]; drawn {
				return y
			}
			return math.NaN() // an absent value has no cell
		}, report.Decimals(2), report.Unit(p.Unit)))
	}
	return report.NewTable(p.Key, "", d.rows, columns)
}

// lines adds a line chart and its table.
func (s *sheet) lines(p *report.Plot) {
	d := newPlotData(p)
	s.space()
	s.add(block{chart: func(sheet string, of *block) []*excelize.Chart {
		return []*excelize.Chart{newLineChart(p, d, sheet, of)}
	}})
	t := d.table(p)
	s.add(block{table: t, lead: len(t.Columns)})
}

// newLineChart returns a chart of the cells in the table that follows.
func newLineChart(p *report.Plot, d *plotData, sheet string, of *block) *excelize.Chart {
	axis, zero := report.Column{Title: p.LineChart.Y, Unit: p.Unit}, 0.0
	c := newChart(excelize.Scatter, p.Title, axis.Heading())
	c.XAxis.Title, c.XAxis.Minimum, c.YAxis.Minimum = chartText(p.LineChart.X, axisFont), &zero, &zero
	if p.Max > 0 {
		c.YAxis.Maximum = &p.Max
	}
	for i, s := range p.LineChart.Series {
		// The colors of package plot.
		color := filled([...]string{"1F6FEB", "BC4C00", "1A7F37", "66707E", "B7791F", "6F6A00"}[i%6])
		series := newSeries(sheet, of, 1, i+2, d.spans[i][0], d.spans[i][1])
		series.Fill, series.Line = color, excelize.LineOptions{Type: excelize.LineSolid, Width: 1.75}
		series.Marker.Symbol = "none"
		if s.Style == report.Marks {
			series.Line.Type = excelize.LineNone
			series.Marker = excelize.ChartMarker{Symbol: "circle", Size: 7, Fill: color}
		}
		c.Series = append(c.Series, series)
	}
	return c
}
