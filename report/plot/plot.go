// Package plot draws the plots of a report as SVG: lines, and the bars of a
// table.
//
// A pen writes elements directly into a buffer, in CSS pixels from the top left
// corner. A scale converts values to pixels. The same few functions draw the
// axes, legends, and titles of every kind of plot. The package uses no drawing
// library, because it also runs in a browser, where every megabyte counts.
//
// A chart is drawn for a width. A narrow chart is drawn again instead of scaled
// down, so that its text stays readable on a phone. Colors are named by their
// purpose. A page defines them as CSS variables, for light and for dark pages,
// and a file contains the color values. Names from any source are escaped. The
// output depends only on the plot and the look.
//
// The package does not depend on kernels, devices, the meaning of the numbers,
// or the page around a chart.
package plot

import (
	"errors"
	"math"
	"strings"

	"occudiff/report"
)

// Look describes the place for which a chart is drawn.
type Look struct {
	// Inline is set for a chart in a page that defines the colors as CSS
	// variables (see Variables) and prints the title itself. Otherwise, the
	// chart is a standalone file with a title, a white background, and fixed
	// colors.
	Inline bool
	// Width is the width of the chart in CSS pixels, or 0 for the default of
	// the kind of plot. Below 480, the chart is laid out for a phone, without
	// tooltips, because a finger cannot open them.
	Width float64
}

// Draw returns a plot as SVG, or an error if there is nothing to draw.
func Draw(p *report.Plot, l Look) ([]byte, error) { return Stack([]*report.Plot{p}, l) }

// draw returns a pen that has drawn a plot.
func draw(p *report.Plot, l Look) (*pen, error) {
	switch {
	case p.TimeSeries != nil:
		return drawTimeSeries(p, l), nil
	case p.LineChart != nil:
		return drawLineChart(p, l)
	case p.Bars != nil:
		return drawBars(p, l), nil
	}
	return nil, errors.New("plot " + p.Key + " has no chart")
}

// Stack draws plots one below the other, as one SVG.
func Stack(list []*report.Plot, l Look) ([]byte, error) {
	all := newPen(&report.Plot{}, l, 0)
	for _, p := range list {
		one, err := draw(p, l)
		if err != nil {
			return nil, err
		}
		chart := one.chart()
		if len(list) == 1 {
			return chart, nil
		}
		all.open("svg", "y", all.height)
		all.Write(chart[len("<svg"):])
		all.width = max(all.width, one.width)
		all.height += one.height
	}
	titles := report.ListOf(list, func(p *report.Plot) string { return p.Title })
	return all.svg(strings.Join(titles, ", ")), nil
}

const (
	linesWidth  = 820.0
	linesHeight = 330.0 // height of the field with the data
)

// drawLineChart draws series over one horizontal axis.
func drawLineChart(plot *report.Plot, look Look) (*pen, error) {
	data := plot.LineChart
	p := newPen(plot, look, linesWidth)
	least, most := math.Inf(1), math.Inf(-1)
	top := plot.Max
	var keys []key
	for i, s := range data.Series {
		ink, dashes := seriesLine(i)
		k := key{s.Name, func(at point) {
			p.line(at.x-8, at.y, at.x+8, at.y, ink, 2, dashes)
		}}
		if s.Style == report.Marks {
			k.mark = func(at point) { p.dot(at, markSize(i), ink, "") }
		}
		if s.Name != "" {
			keys = append(keys, k)
		}
		for _, pt := range s.Points {
			if !isGap(pt) {
				least = min(least, pt.X)
				most = max(most, pt.X)
				top = max(top, pt.Y)
			}
		}
	}
	if least > most {
		return nil, errors.New("there is no point to draw")
	}
	y := p.legend(p.heading(), keys) + titleHeight
	f := newField(y, p.width-margin-12, y+min(linesHeight, 0.7*p.width))
	f.x.from, f.x.to = span(least, most)
	_, f.y.to = span(0, max(top, 0))
	f.fitNumbers()
	p.xAxis(&f, data)
	p.yAxis(&f, report.Column{Title: data.Y, Unit: plot.Unit}.Heading())
	for i, s := range data.Series {
		p.series(&f, i, s)
	}
	p.height = f.y.start + axisHeight
	return p, nil
}

// seriesLine returns the paint and the dashes of the series at index i.
func seriesLine(i int) (ink paint, dashes string) {
	ink = [...]paint{line1, hue0 + 3, good, hue0 + 2, mark1, hue0 + 1}[i%6]
	dashes = [...]string{"", "6 4", "2 3"}[i%3]
	return ink, dashes
}

// markSize returns the radius of the marks of a series. The marks of later
// series are smaller, so that equal values of several series are visible as
// rings.
func markSize(series int) float64 { return max(6-1.5*float64(series), 3) }

func isGap(p report.Point) bool { return math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) }

// series draws the parts of a series between its gaps. A part with a single
// point is drawn as a mark.
func (p *pen) series(f *field, index int, s report.LineSeries) {
	ink, dashes := seriesLine(index)
	var stretch []point
	end := func() {
		switch {
		case s.Style == report.Marks || len(stretch) == 1:
			for _, at := range stretch {
				p.dot(at, markSize(index), ink, s.Name)
			}
		case len(stretch) > 1 && s.Style == report.Steps:
			first, last := stretch[0], stretch[len(stretch)-1]
			area := append([]point{{first.x, f.y.start}}, stretch...)
			area = append(area, point{last.x, f.y.start})
			p.shape("polygon", "", "points", list(area), "fill", ink, "fill-opacity", "0.18")
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
		if n := len(stretch); n > 0 && s.Style == report.Steps { // the previous value remains until this point
			stretch = append(stretch, point{at.x, stretch[n-1].y})
		}
		stretch = append(stretch, at)
	}
	end()
}
