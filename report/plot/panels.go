package plot

import (
	"math"
	"strconv"

	"occudiff/report"
)

// The sizes of small pictures in pixels.
const (
	panelsAcross            = 4
	panelWidth, panelHeight = 207.5, 112.0
	panelGap                = 10.0
	panelTitle, panelNote   = 30, 36 // characters
)

// drawPanels draws many courses small, each with its own vertical axis.
func drawPanels(plot *report.Plot, look Look) ([]byte, error) {
	p := &pen{look: look}
	rows := (len(plot.Panels) + panelsAcross - 1) / panelsAcross
	top := 0.0
	if !look.Inline {
		top = 36
	}
	p.open(largeWidth, top+float64(rows)*(panelHeight+panelGap), plot.Title, plot.Text)
	if !look.Inline {
		p.text(2, 24, "start", 15, text1, plot.Title)
	}
	for i := range plot.Panels {
		x := float64(i%panelsAcross) * (panelWidth + panelGap)
		y := top + float64(i/panelsAcross)*(panelHeight+panelGap)
		p.panel(&plot.Panels[i], x, y)
	}
	p.WriteString("</svg>\n")
	return []byte(p.String()), nil
}

// panel draws one: title, what is known of the newest run, the course.
func (p *pen) panel(n *report.Panel, x, y float64) {
	link := n.Link != "" && p.look.Inline
	if link {
		p.WriteString(`<a href="#plot-` + escape(n.Link) + `">`)
	} else {
		p.WriteString("<g>")
	}
	name := n.Title
	if n.Detail != "" {
		name += " on " + n.Detail
	}
	p.title(name + ": " + n.Note + ", " + strconv.Itoa(len(n.Course.Points)) + " runs shown")
	p.WriteString(`<rect x="` + px(x+0.5) + `" y="` + px(y+0.5) + `" width="` + px(panelWidth-1) + `" height="` + px(panelHeight-1) + `" rx="6" fill="none" pointer-events="all" stroke="` + gridInk.css(p.look) + `"/>`)
	p.text(x+10, y+17, "start", 12, text1, shorten(n.Title, panelTitle))
	ink := muted
	switch n.Status {
	case report.Bad:
		ink = hue0
	case report.Unsure:
		ink = series2
	case report.Good:
		ink = good
	}
	p.text(x+10, y+33, "start", 11, ink, shorten(n.Note, panelNote))
	f := newFrame(n.Course, x+10, y+42, x+panelWidth-10, y+panelHeight-9)
	c := thin(n.Course, int(f.x1-f.x0))
	f.n = len(n.Course.Points)
	p.changes(&f, n.Course, f.y0, false)
	p.spark(&f, c)
	p.levels(&f, n.Course, 1.8)
	if k := len(n.Course.Points); k > 0 {
		last := n.Course.Points[k-1].Value
		p.WriteString(`<circle cx="` + px(f.x(float64(k-1))) + `" cy="` + px(f.y(last)) + `" r="3" fill="` + ink.css(p.look) + `"/>`)
	}
	if link {
		p.WriteString("</a>\n")
	} else {
		p.WriteString("</g>\n")
	}
}

// dot is a run and its value.
type dot struct {
	at    int
	value float64
}

// thin leaves so many points that no more than two share a pixel: the least and the greatest of each.
func thin(c *report.Course, pixels int) []dot {
	n := len(c.Points)
	dots := make([]dot, 0, min(n, 2*pixels))
	if n <= 2*pixels {
		for i, p := range c.Points {
			dots = append(dots, dot{i, p.Value})
		}
		return dots
	}
	for k := range pixels {
		from, to := k*n/pixels, (k+1)*n/pixels
		lo, hi := from, from
		for i := from; i < to; i++ {
			if c.Points[i].Value < c.Points[lo].Value {
				lo = i
			}
			if c.Points[i].Value > c.Points[hi].Value {
				hi = i
			}
		}
		first, second := min(lo, hi), max(lo, hi)
		dots = append(dots, dot{first, c.Points[first].Value})
		if second != first {
			dots = append(dots, dot{second, c.Points[second].Value})
		}
	}
	return dots
}

// spark draws the line of a small picture.
func (p *pen) spark(f *frame, dots []dot) {
	if len(dots) < 2 {
		return
	}
	p.WriteString(`<polyline fill="none" stroke="` + series3.css(p.look) + `" stroke-width="1.2" points="`)
	for i, d := range dots {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(px(f.x(float64(d.at))) + "," + strconv.FormatFloat(math.Round(f.y(d.value)*10)/10, 'f', -1, 64))
	}
	p.WriteString(`"/>`)
}
