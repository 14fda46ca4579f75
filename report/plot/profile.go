package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"occudiff/report"
)

const (
	profileWidth  vg.Length = 560
	profileHeight vg.Length = 250
	// splitWaves is up to how many units of width the levels are parted into units.
	splitWaves = 40
)

// drawProfile draws levels one after the other, and lines across to hold them against.
func drawProfile(p *report.Plot, look Look) ([]byte, error) {
	s := newSheet(profileWidth, profileHeight, look)
	var keys []key
	for i, l := range p.Profile.Levels {
		keys = append(keys, key{l.Name + " " + report.Decimal(l.Height, 1) + " " + p.Unit, s.swatch(levelPaint(i))})
	}
	for i, l := range p.Profile.Lines {
		keys = append(keys, key{l.Name + " " + report.Decimal(l.Height, 1) + " " + p.Unit, s.stroke(linePaint(i), lineDashes(i)...)})
	}
	c := s.top(p.Title, keys)
	pl := s.newPlot()
	width, top := 0.0, p.Max
	for _, l := range p.Profile.Levels {
		width, top = width+l.Width, math.Max(top, l.Height)
	}
	for _, l := range p.Profile.Lines {
		top = math.Max(top, l.Height)
	}
	if !(width > 0) {
		width = 1
	}
	if !(top > 0) {
		top = 1
	}
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = 0, width, 0, top
	pl.Y.Tick.Marker, pl.X.Tick.Marker = ticks(top), wholeTicks{}
	pl.X.Label.Text, pl.Y.Label.Text = p.Profile.X, p.Profile.Y+" ["+p.Unit+"]"
	pl.Add(&profilePlotter{p.Profile, s, width})
	pl.Draw(draw.Crop(c, 0, -14, 0, -4))
	return s.finish(p.Title, p.Text)
}

func levelPaint(i int) paint {
	if i%2 == 0 {
		return level1
	}
	return level2
}

func linePaint(i int) paint {
	if i == 0 {
		return text2
	}
	return series3
}

// lineDashes tell lines apart without colour.
func lineDashes(i int) []vg.Length {
	if i == 0 {
		return []vg.Length{5, 3}
	}
	return nil
}

// wholeTicks marks whole units only: there is no half wave to count.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(from, to float64) []plot.Tick {
	step := 1.0
	for i := 0; (to-from)/step > 10; i++ {
		step *= [...]float64{2, 2.5, 2}[i%3]
	}
	var ticks []plot.Tick
	for v := math.Ceil(from/step) * step; v <= to; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: report.Thousands(int64(v))})
	}
	return ticks
}

type profilePlotter struct {
	profile *report.Profile
	s       *sheet
	width   float64
}

// Plot implements plot.Plotter.
func (p *profilePlotter) Plot(c draw.Canvas, pl *plot.Plot) {
	x, y := pl.Transforms(&c)
	line := draw.LineStyle{Color: p.s.ink(gridInk), Width: 0.8}
	for _, t := range pl.Y.Tick.Marker.Ticks(0, pl.Y.Max) {
		if !t.IsMinor() && t.Value > 0 {
			c.StrokeLine2(line, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
	from := 0.0
	for i, l := range p.profile.Levels {
		unit := l.Width
		if p.width <= splitWaves {
			unit = math.Min(1, l.Width)
		}
		ink := p.s.titled(levelPaint(i), l.Name+": "+report.Decimal(l.Height, 1))
		gap := vg.Length(0)
		if unit < p.width {
			gap = 0.6
		}
		for end := from + l.Width; from < end-1e-9; from += unit {
			to := math.Min(from+unit, end)
			right := x(to) - gap
			if right < x(from)+0.8 { // a last wave after thousands stays visible
				right = x(from) + 0.8
			}
			fill(&c, ink, x(from)+gap, y(0), right, y(l.Height))
		}
	}
	for i, l := range p.profile.Lines {
		c.StrokeLine2(draw.LineStyle{Color: p.s.ink(linePaint(i)), Width: 1.8, Dashes: lineDashes(i)}, c.Min.X, y(l.Height), c.Max.X, y(l.Height))
	}
}
