package plot

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// sheet is the paper of one picture. Everything drawn has a colour that stands for a paint and a tooltip; finish
// replaces it, because the drawing library knows neither CSS variables nor tooltips.
type sheet struct {
	look          Look
	canvas        *vgsvg.Canvas
	width, height vg.Length
	inks          []ink
	index         map[ink]int
}

type ink struct {
	paint paint
	title string
}

func newSheet(width, height vg.Length, l Look) *sheet {
	return &sheet{look: l, canvas: vgsvg.New(width, height), width: width, height: height, index: map[ink]int{}}
}

// ink gives the colour that stands for a paint.
func (s *sheet) ink(p paint) color.Color { return s.titled(p, "") }

// titled is ink with a tooltip for the shape that is filled with it.
func (s *sheet) titled(p paint, title string) color.Color {
	k := ink{p, title}
	n, ok := s.index[k]
	if !ok {
		s.inks = append(s.inks, k)
		n = len(s.inks) // never 0: black is left out by the library
		s.index[k] = n
	}
	return color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}
}

// draw gives the whole paper to draw on.
func (s *sheet) draw() draw.Canvas { return draw.NewCanvas(s.canvas, s.width, s.height) }

// label is the style of a text.
func (s *sheet) label(p paint, size vg.Length) draw.TextStyle {
	return draw.TextStyle{Color: s.ink(p), Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: text.Plain{Fonts: font.DefaultCache}}
}

// newPlot gives axes in the style of all pictures.
func (s *sheet) newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.LineStyle.Width = s.ink(axis), 0.8
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width, a.Tick.Length = s.ink(axis), 0.8, 4
		tick := s.label(muted, tickSize)
		tick.XAlign, tick.YAlign, tick.Rotation = a.Tick.Label.XAlign, a.Tick.Label.YAlign, a.Tick.Label.Rotation
		a.Tick.Label = tick
		title := s.label(text2, labelSize)
		title.XAlign, title.YAlign, title.Rotation = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign, a.Label.TextStyle.Rotation
		a.Label.TextStyle = title
		a.Label.Padding = 4
		a.Padding = 4
	}
	return p
}

const (
	titleSize  vg.Length = 15
	labelSize  vg.Length = 12
	tickSize   vg.Length = 11.5
	smallSize  vg.Length = 11
	margin     vg.Length = 8
	legendLine vg.Length = 20
)

// top draws title, if the picture stands alone, and legend, and gives what is left to draw on.
func (s *sheet) top(title string, keys []key) draw.Canvas {
	c := draw.Crop(s.draw(), margin, -margin, margin, -margin)
	if !s.look.Inline {
		st := s.label(text1, titleSize)
		c.FillText(st, vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize/2}, clean(fit(st, title, c.Max.X-c.Min.X)))
		c.Max.Y -= titleSize + margin
	}
	if len(keys) == 0 {
		return c
	}
	st := s.label(text2, labelSize)
	x, y := c.Min.X, c.Max.Y-legendLine/2
	for _, k := range keys {
		width := st.Width(k.name) + 34
		if x > c.Min.X && x+width > c.Max.X {
			x, y = c.Min.X, y-legendLine
		}
		k.mark(&c, vg.Point{X: x + 8, Y: y})
		c.FillText(st, vg.Point{X: x + 20, Y: y + 1}, clean(k.name))
		x += width
	}
	c.Max.Y = y - legendLine/2 - 4
	return c
}

// legendHeight is how much top takes of the height for the keys.
func (s *sheet) legendHeight(keys []key) vg.Length {
	st := s.label(text2, labelSize)
	lines, x := vg.Length(1), vg.Length(0)
	for _, k := range keys {
		width := st.Width(k.name) + 34
		if x > 0 && x+width > s.width-2*margin {
			lines, x = lines+1, 0
		}
		x += width
	}
	return lines*legendLine + 4
}

// key is an entry of a legend.
type key struct {
	name string
	mark func(c *draw.Canvas, at vg.Point)
}

// swatch is the mark of an area.
func (s *sheet) swatch(p paint) func(*draw.Canvas, vg.Point) {
	return func(c *draw.Canvas, at vg.Point) { fill(c, s.ink(p), at.X-6, at.Y-5, at.X+6, at.Y+5) }
}

// stroke is the mark of a line.
func (s *sheet) stroke(p paint, dashes ...vg.Length) func(*draw.Canvas, vg.Point) {
	return func(c *draw.Canvas, at vg.Point) {
		c.StrokeLine2(draw.LineStyle{Color: s.ink(p), Width: 2, Dashes: dashes}, at.X-8, at.Y, at.X+8, at.Y)
	}
}

// fill fills a rectangle.
func fill(c *draw.Canvas, ink color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(ink, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// fit shortens a text in its middle until it is as wide as there is room.
func fit(st draw.TextStyle, s string, room vg.Length) string {
	for n := len([]rune(s)); n > 8 && st.Width(s) > room; n = len([]rune(s)) {
		r := []rune(s)
		s = string(r[:n/2-3]) + "..." + string(r[n/2+2:])
	}
	return s
}

// clean leaves out what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
}

var (
	styled = regexp.MustCompile(`(<path d="[^"]*" )?\s*style="([^"]*)"(\s*/>)?`)
	sizes  = regexp.MustCompile(`(?s)^.*?<svg[^>]*>\n`)
)

// finish gives the picture with its paints, its tooltips and a text for those who do not see it.
func (s *sheet) finish(title, description string) ([]byte, error) {
	var b bytes.Buffer
	if _, err := s.canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plot %q: %w", title, err)
	}
	body := b.Bytes()
	if head := sizes.Find(body); head != nil {
		body = body[len(head):]
	}
	var out bytes.Buffer
	w, h := strconv.Itoa(int(s.width)), strconv.Itoa(int(s.height))
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-label="%s" font-family="'Liberation Sans',Arial,Helvetica,sans-serif">`+"\n",
		w, h, w, h, html.EscapeString(clean(strings.TrimSpace(title+". "+description))))
	if !s.look.Inline {
		fmt.Fprintf(&out, `<rect width="%s" height="%s" fill="%s"/>`+"\n", w, h, ground.hex())
	}
	last := 0
	for _, m := range styled.FindAllSubmatchIndex(body, -1) {
		out.Write(body[last:m[0]])
		last = m[1]
		attributes, tooltip := s.restyle(string(body[m[4]:m[5]]))
		if m[2] < 0 { // a text
			out.WriteString(attributes)
			continue
		}
		out.Write(body[m[2] : m[3]-1])
		out.WriteString(attributes)
		if tooltip == "" {
			out.WriteString("/>")
		} else {
			out.WriteString("><title>" + html.EscapeString(clean(tooltip)) + "</title></path>")
		}
	}
	out.Write(body[last:])
	return out.Bytes(), nil
}

// restyle turns a style into attributes with the paints that its colours stand for. Attributes, because a page may
// forbid styles.
func (s *sheet) restyle(style string) (attributes, tooltip string) {
	var b strings.Builder
	for _, part := range strings.Split(style, ";") {
		name, value, _ := strings.Cut(part, ":")
		if strings.HasPrefix(name, "font-") && name != "font-size" {
			continue // one font for all, on the picture
		}
		if strings.HasPrefix(value, "#") {
			n, err := strconv.ParseUint(value[1:], 16, 32)
			if err == nil && n >= 1 && n <= uint64(len(s.inks)) {
				k := s.inks[n-1]
				value, tooltip = k.paint.css(s.look), k.title
			}
		}
		fmt.Fprintf(&b, ` %s="%s"`, name, strings.TrimSuffix(value, "px"))
	}
	return b.String(), tooltip
}
