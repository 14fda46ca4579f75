package plot

import (
	"math"

	"occudiff/report"
)

// scale converts values to pixels along an axis.
type scale struct {
	from, to   float64 // values
	start, end float64 // pixel positions of from and to
}

func (s scale) at(v float64) float64 {
	return s.start + (v-s.from)/(s.to-s.from)*(s.end-s.start)
}

// span returns the ends of a scale, widened if they are too close to each
// other. If an end is not finite, it returns 0 and 1.
func span(from, to float64) (float64, float64) {
	if wide := to - from; math.IsNaN(wide) || math.IsInf(wide, 0) {
		return 0, 1
	}
	if !(to > from) || from+(to-from)/1000 == from { // the ends are too close for numbers between them
		grow := max(math.Abs(from)*1e-3, 1)
		return from - grow, from + grow
	}
	return from, to
}

// ticks returns the round values to print along a scale, and the number of
// decimals that they need. The values are at least distance pixels apart, and
// the number of steps between them is at most most. The step is 1, 2, or 5
// times a power of ten. If the argument step is not 0, it is a power of two
// times that argument.
func (s scale) ticks(distance, step, most float64) (values []float64, decimals int) {
	room := math.Floor(math.Abs(s.end-s.start) / distance)
	most = max(min(room, most), 1)
	least := (s.to - s.from) / most
	if step > 0 {
		for step < least*0.999 {
			step *= 2
		}
	} else {
		power := math.Pow(10, math.Floor(math.Log10(least)))
		step = 10 * power
		for _, k := range []float64{5, 2, 1} {
			if k*power >= least*0.999 {
				step = k * power
			}
		}
	}
	first := math.Ceil(s.from/step - 1e-9)
	for k := range int(most) + 1 {
		if v := (first + float64(k)) * step; v <= s.to+step*1e-9 {
			values = append(values, v)
		}
	}
	if step != math.Floor(step) {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	return values, min(max(decimals, 0), 12)
}

// field is the area of a plot with axes in which the data is drawn.
type field struct{ x, y scale }

// newField returns a field between two vertical pixels. Its right side is at
// right, and fitNumbers sets its left side.
func newField(top, right, bottom float64) field {
	return field{x: scale{end: right}, y: scale{start: bottom, end: top}}
}

func (f *field) at(x, y float64) point { return point{f.x.at(x), f.y.at(y)} }

// xAxis draws the horizontal axis of a field with its numbers, grid lines, and
// title.
func (p *pen) xAxis(f *field, c *report.LineChart) {
	values, decimals := c.XAlone, 0
	if values == nil {
		values, decimals = f.x.ticks(54, c.XStep, 16)
	}
	for _, v := range values {
		x := f.x.at(v)
		label := report.Decimal(v, decimals)
		p.line(x, f.y.start, x, f.y.end, gridInk, 1, "")
		p.text(x, f.y.start+16, "middle", tickSize, muted, label)
	}
	p.line(f.x.start, f.y.start, f.x.end, f.y.start, axis, 1, "")
	middle := (f.x.start + f.x.end) / 2
	p.text(middle, f.y.start+33, "middle", textSize, text2, c.X)
}

// axisHeight is the height that xAxis needs below the field.
const axisHeight = 40.0

// yAxis draws the vertical axis of a field with its numbers and grid lines, and
// its title above the field.
func (p *pen) yAxis(f *field, title string) {
	values, decimals := f.y.ticks(30, 0, 6)
	for _, v := range values {
		y := f.y.at(v)
		label := report.Decimal(v, decimals)
		p.line(f.x.start, y, f.x.end, y, gridInk, 1, "")
		p.text(f.x.start-7, y+4, "end", tickSize, muted, label)
	}
	p.line(f.x.start, f.y.start, f.x.start, f.y.end, axis, 1, "")
	p.text(margin, f.y.end-10, "", textSize, text2, title)
}

// titleHeight is the height that the title of the vertical axis needs above the
// field.
const titleHeight = 26.0

// fitNumbers moves the left side of a field so that the numbers of the vertical
// axis fit next to it.
func (f *field) fitNumbers() {
	values, decimals := f.y.ticks(30, 0, 6)
	widest := 0.0
	for _, v := range values {
		widest = max(widest, textWidth(report.Decimal(v, decimals), tickSize))
	}
	f.x.start = min(margin+widest+7, f.x.end/2)
}
