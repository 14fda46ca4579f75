package plot

import (
	"errors"
	"math"

	"occudiff/report"
)

const (
	linesWidth  = 820.0
	linesHeight = 330.0 // of the field
)

// drawLineChart draws series over one horizontal axis.
func drawLineChart(plot *report.Plot, look Look) ([]byte, error) {
	data, p := plot.LineChart, newPen(plot, look, linesWidth)
	least, most, top := math.Inf(1), math.Inf(-1), plot.Max
	var keys []key
	for i, s := range data.Series {
		ink, dashes := seriesLine(i)
		k := key{s.Name, p.stroke(ink, dashes)}
		if s.Style == report.Marks {
			k.mark = func(x, y float64) { p.shape("circle", "", "cx", x, "cy", y, "r", 4.5, "fill", ink) }
		}
		if s.Name != "" {
			keys = append(keys, k)
		}
		for _, pt := range s.Points {
			if !isGap(pt) {
				least, most, top = math.Min(least, pt.X), math.Max(most, pt.X), math.Max(top, pt.Y)
			}
		}
	}
	if least > most {
		return nil, errors.New("there is no point to draw")
	}
	y := p.legend(p.heading(), keys) + titleHeight
	f := newField(y, p.width-margin-12, y+math.Min(linesHeight, 0.7*p.width))
	f.x.from, f.x.to = span(least, most)
	_, f.y.to = span(0, math.Max(top, 0))
	f.fitNumbers()
	p.xAxis(&f, data)
	p.yAxis(&f, report.Column{Title: data.Y, Unit: plot.Unit}.Heading())
	for i, s := range data.Series {
		p.series(&f, i, s)
	}
	return p.picture(f.y.start + axisHeight), nil
}

// seriesLine gives paint and dashes of a series.
func seriesLine(i int) (ink paint, dashes string) {
	return [...]paint{line1, hue0 + 5, good, hue0 + 2, mark1, hue0 + 1}[i%6], [...]string{"", "6 4", "2 3"}[i%3]
}

func isGap(p report.Point) bool { return math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) }

// series draws the stretches of a series between its gaps. A stretch of a single point is a mark.
func (p *pen) series(f *field, index int, s report.LineSeries) {
	ink, dashes := seriesLine(index)
	var stretch []point
	end := func() {
		switch {
		case s.Style == report.Marks || len(stretch) == 1:
			for _, at := range stretch {
				p.shape("circle", s.Name, "cx", at.x, "cy", at.y, "r", 4.5, "fill", ink)
			}
		case len(stretch) > 1 && s.Style == report.Steps:
			area := append([]point{{stretch[0].x, f.y.start}}, stretch...)
			p.shape("polygon", "", "points", list(append(area, point{stretch[len(stretch)-1].x, f.y.start})),
				"fill", ink, "fill-opacity", "0.18")
			p.polyline(stretch, ink, 1.8, "")
		case len(stretch) > 1:
			p.polyline(stretch, ink, 1.8, dashes)
		}
		stretch = nil
	}
	for _, pt := range s.Points {
		if isGap(pt) {
			end()
			continue
		}
		at := f.at(pt.X, pt.Y)
		if n := len(stretch); n > 0 && s.Style == report.Steps { // the value before holds until here
			stretch = append(stretch, point{at.x, stretch[n-1].y})
		}
		stretch = append(stretch, at)
	}
	end()
}
