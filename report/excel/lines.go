package excel

import (
	"math"
	"slices"

	"github.com/xuri/excelize/v2"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// plotRow is a row of the table for a line chart. Each series has its own rows.
// If an earlier series has the same horizontal values, the series share their
// rows.
type plotRow struct {
	x float64
	y map[int]float64 // indexed by series
}

// lines adds a line chart and its table.
func (s *sheet) lines(p *report.Plot) {
	c := p.LineChart
	d := &drawing[plotRow]{
		title:    p.Title,
		x:        c.X,
		y:        report.Column{Title: c.Y, Unit: p.Unit}.Heading(),
		from:     unit.Some(0.0),
		to:       unit.NonZero(p.Max),
		kind:     excelize.Scatter,
		category: 1,
	}
	x := report.Shown("", c.X, func(r *plotRow) float64 { return r.x })
	d.columns = []report.Col[plotRow]{x}
	for i, s := range c.Series {
		points := drawn(&s)
		// The colors of package plot.
		look := series{first: len(d.rows), line: excelize.LineSolid,
			color: [...]string{"1F6FEB", "BC4C00", "1A7F37", "66707E", "B7791F", "6F6A00"}[i%6]}
		if s.Style == report.Marks {
			look.line, look.mark = excelize.LineNone, "circle"
		}
		same := slices.IndexFunc(d.series, func(s series) bool {
			return slices.EqualFunc(d.rows[s.first:s.last+1], points,
				func(r plotRow, p report.Point) bool { return r.x == p.X })
		})
		if same >= 0 {
			look.first = d.series[same].first
		} else {
			for _, p := range points {
				d.rows = append(d.rows, plotRow{p.X, map[int]float64{}})
			}
		}
		look.last = look.first + len(points) - 1
		for k, p := range points {
			d.rows[look.first+k].y[i] = p.Y
		}
		d.add(s.Name, look, func(r *plotRow) number {
			y, drawn := r.y[i]
			return unit.Maybe(y, drawn)
		}, report.Decimals(2), report.Unit(p.Unit))
	}
	if slices.ContainsFunc(d.rows, func(r plotRow) bool { return r.x > math.Floor(r.x) }) {
		d.columns[0] = x.As(report.Decimals(3))
	}
	draw(s, d)
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
