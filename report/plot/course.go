package plot

import (
	"html"
	"math"
	"strconv"
	"strings"

	"occudiff/report"
)

// The sizes of a large course in pixels. These pictures have an element per run, so they are written straight: the drawing
// library takes ten times as long for a thousand series.
const (
	largeWidth, largeHeight   = 860.0, 300.0
	courseWidth, courseHeight = 560.0, 230.0
	courseLeft, courseRight   = 62.0, 14.0
	courseTop, courseBottom   = 14.0, 34.0
	// labelWidth is what a date takes with the air around it, also where it moves in from the edge.
	labelWidth = 95.0
	// dottedRuns is up to how many runs each has a dot.
	dottedRuns = 600
	// thresholdRuns is over how many of the last runs the threshold is drawn: it is the newest run's.
	thresholdRuns = 20
)

// frame turns runs and values into places.
type frame struct {
	x0, y0, x1, y1 float64 // of the field: left, top, right, bottom
	lo, hi         float64 // values at the bottom and at the top
	n              int
}

// newFrame fits values into a field with some air.
func newFrame(c *report.Course, x0, y0, x1, y1 float64) frame {
	f := frame{x0: x0, y0: y0, x1: x1, y1: y1, lo: math.Inf(1), hi: math.Inf(-1), n: len(c.Points)}
	take := func(v float64) { f.lo, f.hi = math.Min(f.lo, v), math.Max(f.hi, v) }
	for _, p := range c.Points {
		take(p.Value)
	}
	for _, l := range c.Levels {
		take(l.Mean)
	}
	if c.Threshold != nil {
		take(*c.Threshold)
	}
	if !(f.lo <= f.hi) {
		f.lo, f.hi = 0, 1
	}
	air := math.Max((f.hi-f.lo)*0.08, math.Max(math.Abs(f.hi)*1e-3, 1e-9)) // a flat line stays in the middle
	f.lo, f.hi = f.lo-air, f.hi+air
	return f
}

// x is the middle of run i.
func (f *frame) x(i float64) float64 {
	return f.x0 + (i+0.5)*(f.x1-f.x0)/math.Max(float64(f.n), 1)
}

func (f *frame) y(v float64) float64 { return f.y1 - (v-f.lo)/(f.hi-f.lo)*(f.y1-f.y0) }

// pen writes SVG.
type pen struct {
	strings.Builder
	look Look
}

// px prints a coordinate to a tenth.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (p *pen) line(x0, y0, x1, y1 float64, ink paint, width float64, more string) {
	p.WriteString(`<line x1="` + px(x0) + `" y1="` + px(y0) + `" x2="` + px(x1) + `" y2="` + px(y1) + `" stroke="` + ink.css(p.look) + `" stroke-width="` + px(width) + `"` + more + `/>`)
}

// text writes a text; anchor is start, middle or end.
func (p *pen) text(x, y float64, anchor string, size float64, ink paint, s string) {
	p.WriteString(`<text x="` + px(x) + `" y="` + px(y) + `" text-anchor="` + anchor + `" font-size="` + px(size) + `" fill="` + ink.css(p.look) + `">` + escape(s) + "</text>")
}

func (p *pen) title(s string) {
	if s != "" {
		p.WriteString("<title>" + escape(s) + "</title>")
	}
}

func escape(s string) string { return html.EscapeString(clean(s)) }

// open begins a picture.
func (p *pen) open(width, height float64, title, description string) {
	w, h := px(width), px(height)
	p.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + w + " " + h + `" width="` + w + `" height="` + h + `" role="img" aria-label="` +
		escape(strings.TrimSpace(title+". "+description)) + `" font-family="'Liberation Sans',Arial,Helvetica,sans-serif">` + "\n")
	if !p.look.Inline {
		p.WriteString(`<rect width="` + w + `" height="` + h + `" fill="` + ground.hex() + `"/>` + "\n")
	}
}

// drawCourse draws one series large: every run with its value to point at, levels, change points, the threshold.
func drawCourse(plot *report.Plot, look Look) ([]byte, error) {
	p, c := &pen{look: look}, plot.Course
	top, width, height := courseTop, courseWidth, courseHeight
	if c.Large {
		width, height = largeWidth, largeHeight
	}
	if !look.Inline {
		top, height = top+26, height+26
	}
	p.open(width, height, plot.Title, plot.Text)
	if !look.Inline {
		p.text(courseLeft, 24, "start", 15, text1, shorten(plot.Title, int(width/8)))
	}
	f := newFrame(c, courseLeft, top, width-courseRight, height-courseBottom)
	p.axes(&f, c, plot.Unit)
	p.threshold(&f, c)
	p.changes(&f, c, f.y0, true)
	p.values(&f, c, 1.4)
	p.levels(&f, c, 2.6)
	p.runs(&f, c)
	p.WriteString("</svg>\n")
	return []byte(p.String()), nil
}

// axes draws lines across with their numbers, and dates below.
func (p *pen) axes(f *frame, c *report.Course, unit string) {
	step, decimals := niceStep(f.hi-f.lo, 5)
	for k := math.Ceil(f.lo / step); k*step <= f.hi; k++ {
		v := k * step
		p.line(f.x0, f.y(v), f.x1, f.y(v), gridInk, 1, "")
		if f.y(v) > f.y0+10 { // the unit stands above
			p.text(f.x0-8, f.y(v)+4, "end", 11, muted, report.Decimal(v, decimals))
		}
	}
	p.text(f.x0-8, f.y0-2, "end", 11, text2, unit)
	p.line(f.x0, f.y1, f.x1, f.y1, axis, 1, "")
	if f.n == 0 {
		return
	}
	layout := "2006-01-02"
	if first, last := c.Points[0].Time, c.Points[f.n-1].Time; last.Sub(first).Hours() < 48 {
		layout = "01-02 15:04"
	}
	// From the newest back in equal steps, as wide as a label needs them.
	apart := int(math.Ceil(labelWidth * float64(f.n) / (f.x1 - f.x0)))
	after := ""
	for i := f.n - 1; i >= 0; i -= apart {
		if label := c.Points[i].Time.UTC().Format(layout); label != after {
			after = label
			x := f.x(float64(i))
			p.line(x, f.y1, x, f.y1+4, axis, 1, "")
			p.text(math.Min(math.Max(x, f.x0+24), f.x1-26), f.y1+18, "middle", 11, muted, label)
		}
	}
	p.WriteByte('\n')
}

// niceStep gives a distance between round numbers so that about n of them fit a span.
func niceStep(span float64, n int) (step float64, decimals int) {
	raw := span / float64(n)
	power := math.Floor(math.Log10(raw))
	step = math.Pow(10, power)
	for _, k := range []float64{1, 2, 5, 10} {
		if k*step >= raw*0.999 {
			step *= k
			break
		}
	}
	return step, int(math.Max(0, -math.Floor(math.Log10(step)+1e-9)))
}

func (p *pen) threshold(f *frame, c *report.Course) {
	if c.Threshold == nil || f.n == 0 {
		return
	}
	from := f.x(float64(max(0, f.n-thresholdRuns)) - 0.5)
	y := f.y(*c.Threshold)
	p.WriteString("<g>")
	p.title("threshold of the newest run: " + report.Decimal(*c.Threshold, 1))
	p.line(from, y, f.x1, y, series2, 1.6, ` stroke-dasharray="6 4"`)
	p.text(f.x1, y-5, "end", 11, text2, "threshold "+report.Decimal(*c.Threshold, 1))
	p.WriteString("</g>\n")
}

// changes draws where levels begin.
func (p *pen) changes(f *frame, c *report.Course, top float64, marks bool) {
	for _, l := range c.Levels {
		if l.Name == "" || l.From == 0 {
			continue
		}
		x := f.x(float64(l.From) - 0.5)
		p.WriteString("<g>")
		if marks {
			p.title(l.Name)
			p.WriteString(`<path d="M` + px(x-6) + " " + px(top-6) + "h12l-6 9z" + `" fill="` + levelInk(l.Status).css(p.look) + `"/>`)
		}
		p.line(x, top, x, f.y1, levelInk(l.Status), 1.2, ` stroke-dasharray="3 3"`)
		p.WriteString("</g>")
	}
}

func levelInk(s report.Status) paint {
	switch s {
	case report.Bad:
		return hue0
	case report.Good:
		return good
	case report.Unsure:
		return series2
	}
	return text2
}

// values draws the line through all runs.
func (p *pen) values(f *frame, c *report.Course, width float64) {
	if f.n < 2 {
		return
	}
	p.WriteString(`<polyline fill="none" stroke="` + series3.css(p.look) + `" stroke-width="` + px(width) + `" stroke-linejoin="round" points="`)
	for i, v := range c.Points {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(px(f.x(float64(i))) + "," + px(f.y(v.Value)))
	}
	p.WriteString(`"/>` + "\n")
}

// levels draws the mean of each stretch.
func (p *pen) levels(f *frame, c *report.Course, width float64) {
	for _, l := range c.Levels {
		p.line(f.x(float64(l.From)-0.5), f.y(l.Mean), f.x(float64(l.To)-0.5), f.y(l.Mean), levelInk(l.Status), width, "")
	}
}

// runs draws a dot for each run and makes the whole strip above and below it something to point at.
func (p *pen) runs(f *frame, c *report.Course) {
	half := (f.x1 - f.x0) / math.Max(float64(f.n), 1) / 2
	p.WriteString(`<g fill="` + series3.css(p.look) + `">` + "\n")
	for i, v := range c.Points {
		x := f.x(float64(i))
		p.WriteString(`<g class="run">`)
		p.title(v.Name)
		p.WriteString(`<rect x="` + px(x-half) + `" y="` + px(f.y0) + `" width="` + px(2*half) + `" height="` + px(f.y1-f.y0) + `" fill="none" pointer-events="all"/>`)
		if f.n <= dottedRuns {
			p.WriteString(`<circle cx="` + px(x) + `" cy="` + px(f.y(v.Value)) + `" r="2.6"/>`)
		}
		p.WriteString("</g>\n")
	}
	p.WriteString("</g>\n")
}

// shorten cuts a text to a number of characters.
func shorten(s string, width int) string { return report.CutMiddle(s, width) }
