// Package curve draws series as SVG: curves over a sweep, steps over time. It does not know kernels, devices or what the
// numbers mean; titles and names come with the series.
package curve

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Chart is a picture as data.
type Chart struct {
	Title  string
	X, Y   string  // headings of the axes, with their units
	MaxY   float64 // top of the vertical axis, 0 to leave it to the data; the axis always begins at 0
	XStep  float64 // between the numbers of the horizontal axis, 0 to leave it to the data
	YStep  float64 // the same of the vertical one
	Series []Series
}

// Style says how a series is drawn.
type Style uint8

// The styles.
const (
	Line  Style = iota // straight from point to point
	Steps              // each value holds until the next point
	Marks              // points alone
)

// Series is a row of points with a name for the legend. A point whose Y is NaN is a gap.
type Series struct {
	Name   string
	Style  Style
	Points []Point
}

// Point is one point of a series.
type Point struct{ X, Y float64 }

// width and height suit a page of a report.
const (
	width  = 24 * vg.Centimeter
	height = 12 * vg.Centimeter
)

// legendWidth is the strip on the right that holds the names of the series.
const legendWidth = 4.6 * vg.Centimeter

// maxTicks bounds the numbers of an axis: a step that is too small for the data is doubled until they fit.
const maxTicks = 16

// every marks an axis at the multiples of a step.
func every(step float64) plot.TickerFunc {
	return func(least, most float64) []plot.Tick {
		s := step
		for (most-least)/s > maxTicks {
			s *= 2
		}
		var ticks []plot.Tick
		for i := math.Ceil(least / s); i*s <= most; i++ {
			ticks = append(ticks, plot.Tick{Value: i * s, Label: strconv.FormatFloat(i*s, 'g', -1, 64)})
		}
		return ticks
	}
}

// palette holds colours that people with colour-blindness can tell apart (Okabe and Ito).
func palette(i int) color.Color {
	colors := [...]color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}}
	return colors[i%len(colors)]
}

// SVG draws a chart. The same chart gives the same bytes.
func SVG(w io.Writer, c Chart) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size, p.Title.Padding = vg.Points(13), vg.Points(8)
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(3)
	if c.XStep > 0 {
		p.X.Tick.Marker = every(c.XStep)
	}
	if c.YStep > 0 {
		p.Y.Tick.Marker = every(c.YStep)
	}
	p.Add(grid())
	drawn := false
	for i, s := range c.Series {
		for j, part := range runs(s.Points) {
			if err := addRun(p, s, i, part, j == 0); err != nil {
				return err
			}
			drawn = true
		}
	}
	if !drawn {
		return errors.New("there is no point to draw")
	}
	p.Y.Min = 0
	if c.MaxY > 0 {
		p.Y.Max = c.MaxY
	} else if p.Y.Max <= 0 {
		p.Y.Max = 1
	}
	if p.X.Min >= p.X.Max { // one point: an axis needs a length
		p.X.Min, p.X.Max = p.X.Min-1, p.X.Max+1
	}
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	legend := p.Legend // beside the picture: inside it would hide a part of some curve
	p.Legend = plot.NewLegend()
	p.Draw(draw.Crop(all, vg.Points(8), -legendWidth, vg.Points(6), -vg.Points(8)))
	legend.Draw(draw.Crop(all, width-legendWidth+vg.Points(8), -vg.Points(4), 0, -vg.Points(30)))
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	return nil
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{218}, color.Gray{218}
	return g
}

// runs cuts points at their gaps. Infinite values are gaps too: nothing could show them.
func runs(points []Point) []plotter.XYs {
	var all []plotter.XYs
	var run plotter.XYs
	for _, p := range points {
		if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
			if len(run) > 0 {
				all = append(all, run)
			}
			run = nil
			continue
		}
		run = append(run, plotter.XY{X: p.X, Y: p.Y})
	}
	if len(run) > 0 {
		all = append(all, run)
	}
	return all
}

// addRun draws a run of points without a gap; the first of a series names it in the legend.
func addRun(p *plot.Plot, s Series, index int, run plotter.XYs, first bool) error {
	dashes := []vg.Length{}
	if index%2 == 1 { // told apart without colours, too
		dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	if s.Style == Marks || len(run) == 1 {
		marks, err := plotter.NewScatter(run)
		if err != nil {
			return fmt.Errorf("series %q: %w", s.Name, err)
		}
		marks.Shape, marks.Radius, marks.Color = draw.CircleGlyph{}, vg.Points(3.5), palette(index)
		p.Add(marks)
		if first && s.Name != "" {
			p.Legend.Add(s.Name, marks)
		}
		return nil
	}
	line, err := plotter.NewLine(run)
	if err != nil {
		return fmt.Errorf("series %q: %w", s.Name, err)
	}
	line.Color, line.Width, line.Dashes = palette(index), vg.Points(1.6), dashes
	if s.Style == Steps {
		line.StepStyle = plotter.PostStep
		line.Dashes = nil
		fill := palette(index).(color.NRGBA)
		fill.A = 48
		line.FillColor = fill
	}
	p.Add(line)
	if first && s.Name != "" {
		p.Legend.Add(s.Name, line)
	}
	return nil
}
