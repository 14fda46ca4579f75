package plot

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"occudiff/report"
)

const (
	barWidth  vg.Length = 760
	barRow    vg.Length = 40 // of one label, when there are many
	barMost   vg.Length = 66 // when there are few
	barArea   vg.Length = 410
	nameWidth vg.Length = 215
)

// bars is what a bar plot draws.
type bars struct {
	names  []string
	series []barSeries
	max    float64
}

type barSeries struct {
	name   string
	paint  paint
	values []float64
	known  []bool // an absent value has no bar
	print  []string
}

// readBars takes the series out of the rows of a table.
func readBars(t *report.Table, p *report.Plot) bars {
	b := bars{max: p.Max}
	var columns []int
	for _, key := range p.Series {
		if i := t.Column(key); i >= 0 {
			columns = append(columns, i)
			name := t.Columns[i].Title
			if g := t.Columns[i].Group; g != "" {
				name = g + " " + name
			}
			b.series = append(b.series, barSeries{name: name, paint: series1 + paint(len(b.series)%3)})
		}
	}
	label := t.Column(p.Label)
	var cells []report.Cell
	for row := range min(p.Rows, t.Len) {
		cells = t.Row(row, cells[:0])
		name := ""
		if label >= 0 {
			name = t.Columns[label].Print(cells[label])
		}
		b.names = append(b.names, name)
		for k, i := range columns {
			s := &b.series[k]
			c := cells[i]
			s.values = append(s.values, c.Num)
			s.known = append(s.known, c.Kind == report.Percent || c.Kind == report.Number)
			s.print = append(s.print, t.Columns[i].Print(c))
			if c.Num > b.max {
				b.max = c.Num
			}
		}
	}
	if b.max <= 0 {
		b.max = 1
	}
	b.series = slices.DeleteFunc(b.series, func(s barSeries) bool { return !slices.Contains(s.known, true) })
	return b
}

// drawBars draws horizontal bars, the first row on top, so that names can be read.
func drawBars(t *report.Table, p *report.Plot, look Look) ([]byte, error) {
	b := readBars(t, p)
	s := newSheet(barWidth, 1, look) // the height follows from the legend, which needs a font only
	keys := b.keys(s)
	height := s.legendHeight(keys) + b.height() + 2*margin + 44
	if !look.Inline {
		height += titleSize + margin
	}
	s = newSheet(barWidth, height, look)
	c := s.top(p.Title, b.keys(s))
	pl := s.newPlot()
	pl.X.Min, pl.X.Max = 0, b.max
	pl.X.Tick.Marker = ticks(b.max)
	pl.X.Label.Text = "[" + p.Unit + "]"
	pl.HideY()
	pl.Y.Min, pl.Y.Max = 0, float64(max(len(b.names), 1))
	pl.Y.Padding = 0
	pl.Add(&barPlotter{b, s})
	names := draw.Crop(c, nameWidth, -24, 0, 0)
	pl.Draw(names)
	return s.finish(p.Title, p.Text)
}

// height is that of all bars: the picture of few kernels is about as high as the others.
func (b *bars) height() vg.Length {
	n := vg.Length(len(b.names))
	return max(n*barRow, min(barArea, n*barMost))
}

func (b *bars) keys(s *sheet) []key {
	var keys []key
	for i := range b.series {
		keys = append(keys, key{b.series[i].name, s.swatch(b.series[i].paint)})
	}
	return keys
}

// barPlotter draws the bars with their values, and the names left of the axis.
type barPlotter struct {
	bars
	s *sheet
}

// Plot implements plot.Plotter.
func (b *barPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	gridLine := draw.LineStyle{Color: b.s.ink(gridInk), Width: 0.8}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() && t.Value > 0 {
			c.StrokeLine2(gridLine, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	name := b.s.label(text2, labelSize)
	name.XAlign = draw.XRight
	value := b.s.label(muted, smallSize)
	n := len(b.names)
	for row := range n {
		middle := y(float64(n-row) - 0.5)
		half := (y(1) - y(0)) * 0.4
		c.FillText(name, vg.Point{X: x(0) - 10, Y: middle}, clean(fit(name, b.names[row], nameWidth-6)))
		thick := 2 * half / vg.Length(max(len(b.series), 1))
		for k := range b.series {
			s := &b.series[k]
			if !s.known[row] {
				continue
			}
			top := middle + half - vg.Length(k)*thick
			end := x(s.values[row])
			fill(&c, b.s.titled(s.paint, b.names[row]+": "+s.name+" "+s.print[row]), x(0), top-thick+1, end, top-0.5)
			c.FillText(value, vg.Point{X: end + 4, Y: top - thick/2 + 0.8}, s.print[row])
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: b.s.ink(axis), Width: 0.8}, x(0), c.Min.Y, x(0), c.Max.Y)
}

// ticks marks every fifth of percentages, also where a value is a little above 100, and whatever suits other scales.
func ticks(max float64) plot.Ticker {
	if max < 100 || max > 130 {
		return plot.DefaultTicks{}
	}
	var t plot.ConstantTicks
	for _, m := range []struct {
		at    float64
		label string
	}{{0, "0"}, {20, "20"}, {40, "40"}, {60, "60"}, {80, "80"}, {100, "100"}} {
		t = append(t, plot.Tick{Value: m.at, Label: m.label})
	}
	return t
}
