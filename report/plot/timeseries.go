package plot

import (
	"math"
	"time"

	"occudiff/report"
)

const (
	// A time series has one of two sizes.
	largeWidth, largeHeight = 860.0, 250.0
	smallWidth, smallHeight = 560.0, 180.0
	// dateWidth is the width of a date with the space around it, including a
	// date that is moved away from the edge.
	dateWidth = 95.0
	// dottedStrip is the smallest distance between runs, in pixels, at which
	// each run has a dot.
	dottedStrip = 4.0
	// thresholdRuns is the number of runs at the end of the chart over which
	// the threshold is drawn. It is not drawn over all runs, because it belongs
	// to the newest run.
	thresholdRuns = 20
)

// timeField returns a field for the runs and the values of a time series, with
// some space around them. Its top is at y. Run i is at x.at(i).
func (p *pen) timeField(c *report.TimeSeries, y, height float64) *field {
	f := newField(y, p.width-margin-6, y+height)
	f.x.from = -0.5
	f.x.to = max(float64(len(c.Points)), 1) - 0.5
	low, high := math.Inf(1), math.Inf(-1)
	take := func(v float64) {
		low = min(low, v)
		high = max(high, v)
	}
	for _, p := range c.Points {
		take(p.Value)
	}
	for _, l := range c.Segments {
		take(l.Mean)
	}
	if limit, ok := c.Threshold.Value(); ok {
		take(limit)
	}
	air := max((high-low)*0.08, math.Abs(high)*1e-3, 1e-9) // space, also around a flat line
	air = max(air, (c.Least-(high-low))/2)
	f.y.from, f.y.to = span(low-air, high+air)
	f.fitNumbers()
	return &f
}

// drawTimeSeries draws a series with its levels, its change points, its
// threshold, and a tooltip with the value for every run.
func drawTimeSeries(plot *report.Plot, look Look) *pen {
	c := plot.TimeSeries
	width, height := smallWidth, smallHeight
	if c.Large {
		width, height = largeWidth, largeHeight
	}
	p := newPen(plot, look, width)
	f := p.timeField(c, p.heading()+titleHeight, height)
	p.yAxis(f, plot.Unit)
	p.dates(f, c)
	p.curve(f, c)
	p.segments(f, c)
	p.runs(f, c)
	p.threshold(f, c)
	p.height = f.y.start + 28
	return p
}

// dates draws the horizontal axis. Its dates go back from the newest run in
// equal steps that leave room for each date.
func (p *pen) dates(f *field, c *report.TimeSeries) {
	p.line(f.x.start, f.y.start, f.x.end, f.y.start, axis, 1, "")
	n := len(c.Points)
	if n == 0 {
		return
	}
	layout := "2006-01-02"
	switch all := c.Points[n-1].Time.Sub(c.Points[0].Time); {
	case all > 0 && all < 10*time.Minute:
		layout = "15:04:05"
	case all < 48*time.Hour:
		layout = "01-02 15:04"
	}
	apart := int(math.Ceil(dateWidth * float64(n) / (f.x.end - f.x.start)))
	after := ""
	for i := n - 1; i >= 0; i -= max(apart, 1) {
		if label := c.Points[i].Time.UTC().Format(layout); label != after {
			after = label
			x := f.x.at(float64(i))
			half := textWidth(label, tickSize) / 2
			p.line(x, f.y.start, x, f.y.start+4, axis, 1, "")
			x = min(max(x, f.x.start+half-20), p.width-half-2)
			p.text(x, f.y.start+18, "middle", tickSize, muted, label)
		}
	}
}

func (p *pen) threshold(f *field, c *report.TimeSeries) {
	limit, ok := c.Threshold.Value()
	if !ok || len(c.Points) == 0 {
		return
	}
	y := f.y.at(limit)
	name := "threshold " + report.Decimal(limit, 1)
	wide := textWidth(name, tickSize)
	first := max(0, len(c.Points)-thresholdRuns)
	p.line(f.x.at(float64(first)-0.5), y, f.x.end, y, mark1, 1.6, "6 4")
	// A rectangle behind the text covers the line of the runs, which may pass
	// there.
	p.rect(f.x.end-wide-2, y-16, wide+4, 14, ground, "threshold of the newest run")
	p.text(f.x.end, y-5, "end", tickSize, text2, name)
}

// segments draws the mean of each segment, and a tooltip for the change point
// at its beginning.
func (p *pen) segments(f *field, c *report.TimeSeries) {
	for _, l := range c.Segments {
		ink := [...]paint{
			report.Plain:  text2,
			report.Good:   good,
			report.Bad:    hue0,
			report.Unsure: mark1,
			report.Muted:  text2,
		}[l.Status]
		from, to := f.x.at(float64(l.From)-0.5), f.x.at(float64(l.To)-0.5)
		mean := f.y.at(l.Mean)
		p.line(from, mean, to, mean, ink, 2.6, "")
		if l.Name == "" || l.From == 0 {
			continue
		}
		p.line(from, f.y.end, from, f.y.start, ink, 1.2, "3 3")
		if y := f.y.end; !p.narrow() {
			triangle := []point{
				{from - 6, y - 6},
				{from + 6, y - 6},
				{from, y + 3},
			}
			p.shape("polygon", l.Name, "points", list(triangle), "fill", ink)
		}
	}
}

// curve draws a line through the runs.
func (p *pen) curve(f *field, c *report.TimeSeries) {
	var places []point
	for i := range c.Points {
		places = append(places, f.at(float64(i), c.Points[i].Value))
	}
	p.polyline(places, line1, 1.4, "")
}

// runs draws a dot for each run. The tooltip of a run appears anywhere in the
// vertical strip above and below its dot.
func (p *pen) runs(f *field, c *report.TimeSeries) {
	strip := f.x.at(1) - f.x.at(0)
	for i, run := range c.Points {
		at := f.at(float64(i), run.Value)
		if !p.narrow() {
			height := f.y.start - f.y.end
			p.shape("rect", run.Name,
				"x", at.x-strip/2,
				"y", f.y.end,
				"width", strip,
				"height", height,
				"fill", "none",
				"pointer-events", "all")
		}
		radius, ink := 2.6, line1
		if run.Bad {
			radius, ink = 3.6, hue0
		}
		if strip > dottedStrip || run.Bad {
			p.shape("circle", "", "cx", at.x, "cy", at.y, "r", radius, "fill", ink, "pointer-events", "none")
		}
	}
}
