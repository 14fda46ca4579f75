package plot

import (
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"occudiff/report"
)

const (
	cloudWidth  vg.Length = 560
	cloudHeight vg.Length = 480
	// namedPoints is how many of the points farthest from the diagonal carry their name.
	namedPoints = 8
	// titledPoints is up to how many points each has a tooltip; above, they would double the size of a page.
	titledPoints = 400
	markRadius   = 4.6
	crowdRadius  = 3.2 // of points without a tooltip
)

// drawCloud draws points around the diagonal, with the band in which both axes agree.
func drawCloud(p *report.Plot, look Look) ([]byte, error) {
	s := newSheet(cloudWidth, cloudHeight, look)
	var keys []key
	for _, g := range p.Cloud.Groups {
		keys = append(keys, key{g.Name, func(c *draw.Canvas, at vg.Point) {
			c.SetColor(s.ink(groupPaint(g)))
			c.Fill(mark(nil, markOf(g), at, markRadius))
		}})
	}
	c := s.top(p.Title, keys)
	top := p.Max
	for _, g := range p.Cloud.Groups {
		for _, pt := range g.Points {
			top = math.Max(top, math.Max(pt.X, pt.Y))
		}
	}
	if !(top > 0) {
		top = 1
	}
	pl := s.newPlot()
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = 0, top, 0, top
	pl.X.Tick.Marker, pl.Y.Tick.Marker = ticks(top), ticks(top)
	pl.X.Label.Text, pl.Y.Label.Text = p.Cloud.X+" ["+p.Unit+"]", p.Cloud.Y+" ["+p.Unit+"]"
	pl.Add(&cloudPlotter{p.Cloud, s, p.Unit})
	pl.Draw(draw.Crop(c, 0, -12, 0, -4))
	return s.finish(p.Title, p.Text)
}

func groupPaint(g report.Group) paint {
	switch g.Status {
	case report.Good:
		return good
	case report.Muted:
		return muted
	}
	return hue0 + paint(((g.Hue%hues)+hues)%hues)
}

// markOf gives the shape of a group: colour alone does not tell groups apart for everybody.
func markOf(g report.Group) int {
	if g.Status == report.Good {
		return 0
	}
	return 1 + ((g.Hue%5)+5)%5
}

// mark adds a shape of a size to a path.
func mark(path vg.Path, shape int, at vg.Point, r float64) vg.Path {
	point := func(angle, radius float64) vg.Point {
		return vg.Point{X: at.X + vg.Length(radius*math.Cos(angle)), Y: at.Y + vg.Length(radius*math.Sin(angle))}
	}
	corners := func(n int, start, radius float64) {
		for i := range n {
			p := point(start+2*math.Pi*float64(i)/float64(n), radius)
			if i == 0 {
				path.Move(p)
			} else {
				path.Line(p)
			}
		}
		path.Close()
	}
	switch shape {
	case 0: // circle
		path.Move(point(0, r))
		path.Arc(at, vg.Length(r), 0, 2*math.Pi)
		path.Close()
	case 1: // square
		corners(4, math.Pi/4, r*1.25)
	case 2: // triangle
		corners(3, math.Pi/2, r*1.35)
	case 3: // diamond
		corners(4, 0, r*1.3)
	case 4: // triangle, downwards
		corners(3, -math.Pi/2, r*1.35)
	default: // hexagon
		corners(6, 0, r*1.15)
	}
	return path
}

type cloudPlotter struct {
	cloud *report.Cloud
	s     *sheet
	unit  string
}

// Plot implements plot.Plotter.
func (p *cloudPlotter) Plot(c draw.Canvas, pl *plot.Plot) {
	x, y := pl.Transforms(&c)
	at := func(a, b float64) vg.Point { return vg.Point{X: x(a), Y: y(b)} }
	top := pl.X.Max
	if w := math.Min(p.cloud.Band, top); w > 0 {
		c.FillPolygon(p.s.titled(band, "within tolerance"), []vg.Point{at(0, 0), at(w, 0), at(top, top-w), at(top, top), at(top-w, top), at(0, w)})
	}
	line := draw.LineStyle{Color: p.s.ink(gridInk), Width: 0.8}
	for _, t := range pl.X.Tick.Marker.Ticks(0, top) {
		if !t.IsMinor() && t.Value > 0 {
			c.StrokeLine2(line, x(t.Value), y(0), x(t.Value), y(top))
			c.StrokeLine2(line, x(0), y(t.Value), x(top), y(t.Value))
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: p.s.ink(axis), Width: 1, Dashes: []vg.Length{5, 4}}, x(0), y(0), x(top), y(top))
	for _, g := range p.cloud.Groups {
		p.group(&c, g, at)
	}
	p.names(&c, at)
}

// group draws the points of a group: each with its tooltip when they are few, else all as one shape, those that would
// hide each other once.
func (p *cloudPlotter) group(c *draw.Canvas, g report.Group, at func(x, y float64) vg.Point) {
	total := 0
	for _, other := range p.cloud.Groups {
		total += len(other.Points)
	}
	if total <= titledPoints {
		for _, pt := range g.Points {
			title := pt.Name + ": " + g.Name + "\n" + p.cloud.X + " " + report.Decimal(pt.X, 1) + " " + p.unit +
				"\n" + p.cloud.Y + " " + report.Decimal(pt.Y, 1) + " " + p.unit
			p.dot(c, p.s.titled(groupPaint(g), title), mark(nil, markOf(g), at(pt.X, pt.Y), markRadius))
		}
		return
	}
	var path vg.Path
	seen := map[[2]int]bool{}
	for _, pt := range g.Points {
		where := at(pt.X, pt.Y)
		pixel := [2]int{int(where.X), int(where.Y)}
		if !seen[pixel] {
			seen[pixel] = true
			path = mark(path, markOf(g), where, crowdRadius)
		}
	}
	p.dot(c, p.s.ink(groupPaint(g)), path)
}

// dot fills a shape and draws a thin edge in the colour of the ground, so that neighbours stay apart.
func (p *cloudPlotter) dot(c *draw.Canvas, ink color.Color, path vg.Path) {
	c.SetColor(ink)
	c.Fill(path)
	c.SetColor(p.s.ink(ground))
	c.SetLineWidth(0.7)
	c.SetLineDash(nil, 0)
	c.Stroke(path)
}

// names writes the names of the points that are farthest from the diagonal where there is room.
func (p *cloudPlotter) names(c *draw.Canvas, at func(x, y float64) vg.Point) {
	var far []report.Point
	var taken []vg.Rectangle
	for _, g := range p.cloud.Groups {
		for _, pt := range g.Points {
			if math.Abs(pt.X-pt.Y) > p.cloud.Band {
				far = append(far, pt)
			}
			if len(taken) < titledPoints {
				taken = append(taken, around(at(pt.X, pt.Y)))
			}
		}
	}
	sort.SliceStable(far, func(i, j int) bool { return math.Abs(far[i].X-far[i].Y) > math.Abs(far[j].X-far[j].Y) })
	st := p.s.label(text2, smallSize)
	for _, pt := range far[:min(len(far), namedPoints)] {
		where, w := at(pt.X, pt.Y), st.Width(pt.Name)
		for _, corner := range []vg.Point{{X: 9, Y: 0}, {X: -9 - w, Y: 0}, {X: -w / 2, Y: 13}, {X: -w / 2, Y: -13}, {X: -w - 4, Y: -12}, {X: 4, Y: -12}} {
			from := where.Add(corner)
			box := vg.Rectangle{Min: vg.Point{X: from.X, Y: from.Y - 6}, Max: vg.Point{X: from.X + w, Y: from.Y + 6}}
			if box.Min.X < c.Min.X || box.Max.X > c.Max.X || box.Min.Y < c.Min.Y || box.Max.Y > c.Max.Y || overlaps(box, taken) {
				continue
			}
			c.FillText(st, from, clean(pt.Name))
			taken = append(taken, box)
			break
		}
	}
}

func around(p vg.Point) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - 5, Y: p.Y - 5}, Max: vg.Point{X: p.X + 5, Y: p.Y + 5}}
}

func overlaps(a vg.Rectangle, list []vg.Rectangle) bool {
	for _, b := range list {
		if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
			return true
		}
	}
	return false
}
