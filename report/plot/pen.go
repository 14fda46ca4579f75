package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"occudiff/report"
)

// phone is a width in pixels. A narrower chart is laid out for a phone.
const phone = 480

// pen writes one chart.
type pen struct {
	strings.Builder
	look   Look
	plot   *report.Plot
	width  float64
	height float64 // set when the chart is complete
}

// newPen returns a pen for a chart. The chart has the width in the look, or the
// given width if the look has none.
func newPen(p *report.Plot, l Look, width float64) *pen {
	if l.Width > 0 {
		width = l.Width
	}
	return &pen{look: l, plot: p, width: width}
}

// narrow reports whether the chart is for a phone.
func (p *pen) narrow() bool { return p.width < phone }

// px returns a coordinate as text, rounded to 0.1 pixels. NaN becomes 0, and a
// value far outside the chart is limited.
func px(v float64) string {
	if math.IsNaN(v) {
		v = 0
	}
	v = max(-1e6, min(v, 1e6))
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) // + 0 turns -0 into 0
}

// escape returns a text that is safe in XML.
func escape(s string) string { return html.EscapeString(report.Clean(s)) }

// open begins an element. Attributes are names, each followed by a value: a
// text, a coordinate, or a paint. Colors are attributes and not styles, because
// a page's content security policy may forbid styles. An attribute with an
// empty text is left out.
func (p *pen) open(name string, attributes ...any) {
	p.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		value := ""
		switch v := attributes[i+1].(type) {
		case string:
			value = escape(v)
		case float64:
			value = px(v)
		case paint:
			value = v.css(p.look)
		}
		if value != "" {
			p.WriteString(` ` + attributes[i].(string) + `="` + value + `"`)
		}
	}
}

// shape writes an element whose only child is the tooltip, if there is one.
func (p *pen) shape(name, tooltip string, attributes ...any) {
	p.open(name, attributes...)
	if tooltip == "" {
		p.WriteString("/>\n")
		return
	}
	p.WriteString("><title>" + escape(tooltip) + "</title></" + name + ">\n")
}

func (p *pen) rect(x, y, width, height float64, ink paint, tooltip string) {
	width, height = max(width, 0), max(height, 0)
	p.shape("rect", tooltip, "x", x, "y", y, "width", width, "height", height, "fill", ink)
}

// line draws a straight line. dashes is the SVG attribute stroke-dasharray, or
// empty for a solid line.
func (p *pen) line(x0, y0, x1, y1 float64, ink paint, width float64, dashes string) {
	p.shape("line", "", "x1", x0, "y1", y0, "x2", x1, "y2", y1, "stroke", ink, "stroke-width", width,
		"stroke-dasharray", dashes)
}

// polyline draws a line through points.
func (p *pen) polyline(points []point, ink paint, width float64, dashes string) {
	if len(points) > 1 {
		p.shape("polyline", "", "points", list(points), "fill", "none", "stroke", ink, "stroke-width", width,
			"stroke-linejoin", "round", "stroke-dasharray", dashes)
	}
}

// dot draws a circle.
func (p *pen) dot(at point, radius float64, ink paint, tooltip string) {
	p.shape("circle", tooltip, "cx", at.x, "cy", at.y, "r", radius, "fill", ink)
}

// point is a position in the chart.
type point struct{ x, y float64 }

// list returns points as the value of an SVG attribute.
func list(points []point) string {
	return strings.Join(report.ListOf(points, func(at point) string { return px(at.x) + "," + px(at.y) }), " ")
}

// The text sizes.
const (
	titleSize = 15.0
	textSize  = 12.0
	tickSize  = 11.0
)

// text writes a text on a baseline. The anchor determines whether the text
// begins, ends, or has its middle at x.
func (p *pen) text(x, y float64, anchor string, size float64, ink paint, s string) {
	p.open("text", "x", x, "y", y, "text-anchor", anchor, "font-size", size, "fill", ink)
	p.WriteString(">" + escape(s) + "</text>\n")
}

// textWidth returns the approximate width of a text, in the widest font among
// the browsers' fallback fonts.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ijlI'|", r):
			w += 0.3
		case strings.ContainsRune(` .,:;!/\()[]{}ftr-"`, r):
			w += 0.4
		case strings.ContainsRune("mwMW@%<>=+~#", r):
			w += 0.9
		case r < 0x2e80:
			w += 0.64
		default: // Chinese, Japanese, and Korean characters, and most symbols
			w++
		}
	}
	return w * size
}

// fit removes characters from the middle of a text until the text fits the room
// or has only eight characters left.
func fit(s string, size, room float64) string {
	n := report.Width(s)
	for wide := textWidth(s, size); n > 8 && wide > room; wide = textWidth(s, size) {
		n = max(8, min(n-1, int(float64(n)*room/wide)+1))
		s = report.CutMiddle(s, n)
	}
	return s
}

const margin = 8.0

// heading draws the title of a standalone chart and returns the height at which
// the content begins.
func (p *pen) heading() float64 {
	if p.look.Inline {
		return margin
	}
	title := fit(p.plot.Title, titleSize, p.width-2*margin)
	p.text(margin, margin+titleSize, "", titleSize, text1, title)
	return 2*margin + titleSize
}

// key is an entry of a legend. The function mark draws its symbol around a
// position.
type key struct {
	name string
	mark func(at point)
}

// legend draws keys from left to right, in as many lines as they need, and
// returns the height at which the content begins.
func (p *pen) legend(y float64, keys []key) float64 {
	if len(keys) == 0 {
		return y
	}
	x := margin
	for _, k := range keys {
		name := fit(k.name, textSize, p.width-2*margin-22)
		width := 22 + textWidth(name, textSize)
		if x > margin && x+width > p.width-margin {
			x, y = margin, y+20
		}
		k.mark(point{x + 8, y + 9})
		p.text(x+22, y+13, "", textSize, text2, name)
		x += width + 14
	}
	return y + 24
}

// chart returns the drawing as SVG. The SVG contains the plot's title and text
// for readers who cannot see the drawing. On a page, they are in an attribute,
// because an SVG title would hide the tooltips.
func (p *pen) chart() []byte {
	font := []any{"font-family", "'Liberation Sans',Arial,Helvetica,sans-serif"}
	if p.look.Inline {
		return p.svg(strings.TrimSpace(p.plot.Title+". "+p.plot.Text), font...)
	}
	body := p.String()
	p.Reset()
	p.WriteString("<title>" + escape(p.plot.Title) + "</title>\n<desc>" + escape(p.plot.Text) + "</desc>\n")
	p.rect(0, 0, p.width, p.height, ground, "")
	p.WriteString(body)
	return p.svg("", font...)
}

// svg returns the drawing in an SVG element.
func (p *pen) svg(label string, attributes ...any) []byte {
	body := p.String()
	p.Reset()
	role := "img"
	if p.look.Inline && label == "" {
		role = "none"
	}
	size := "0 0 " + px(p.width) + " " + px(p.height)
	p.open("svg", append([]any{
		"xmlns", "http://www.w3.org/2000/svg",
		"viewBox", size,
		"width", p.width,
		"height", p.height,
		"role", role,
		"aria-label", label,
	}, attributes...)...)
	p.WriteString(">\n" + body + "</svg>\n")
	return []byte(p.String())
}

// paint is a color, named by its purpose. On a page, it is a CSS variable, so
// that a dark page can have other colors.
type paint int

// The paints. Four hues begin with hue0, the color of bad results.
const (
	ground  paint = iota
	text1         // titles
	text2         // labels
	muted         // ticks
	axis          // lines of axes
	gridInk       // grid lines
	mark1         // highlighted values
	line1
	good
	part0 // the six parts of a breakdown
	hue0  = part0 + 6
)

type shade struct{ name, light, dark string }

// shades returns the colors of the paints on a white and on a dark page. On
// both, series and marks have a contrast of at least 3:1, and text of at least
// 4.5:1.
func shades() []shade {
	return []shade{
		{"ground", "#ffffff", "#151b23"},
		{"text1", "#1b2430", "#e8edf4"},
		{"text2", "#3b4757", "#c3ccd8"},
		{"muted", "#566375", "#9aa7b8"},
		{"axis", "#8793a3", "#6b7889"},
		{"grid", "#e6eaf0", "#2a3441"},
		{"mark1", "#b7791f", "#d8a03f"},
		{"line1", "#1f6feb", "#5aa2ff"},
		{"good", "#1a7f37", "#3fb950"},
		{"part0", "#12499b", "#8fb8ff"},
		{"part1", "#0a8f96", "#3ac5cf"},
		{"part2", "#8250df", "#bc8cff"},
		{"part3", "#bf3989", "#f778ba"},
		{"part4", "#cfc6b4", "#5e574b"},
		{"part5", "#e9e3d7", "#3a362f"},
		{"hue0", "#c9252d", "#ff7b72"},
		{"hue1", "#6f6a00", "#b5b02e"},
		{"hue2", "#66707e", "#a3afbf"},
		{"hue3", "#bc4c00", "#f58a4a"},
	}
}

func (p paint) css(l Look) string {
	if !l.Inline {
		return shades()[p].light
	}
	return "var(--plot-" + shades()[p].name + ")"
}

// Variables returns the CSS declarations of the colors that inline charts use,
// on a light or on a dark page.
func Variables(dark bool) string {
	var b strings.Builder
	for _, s := range shades() {
		c := s.light
		if dark {
			c = s.dark
		}
		fmt.Fprintf(&b, "--plot-%s:%s;", s.name, c)
	}
	return b.String()
}
