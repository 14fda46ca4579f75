package plot

import (
	"math"
	"sort"

	"occudiff/report"
)

const (
	scatterWidth = 560.0
	// namedPoints is how many of the points farthest from the diagonal carry their name.
	namedPoints = 8
	// titledPoints is up to how many points each has a tooltip; above, they would double the size of a page.
	titledPoints = 400
	markRadius   = 4.6
	crowdRadius  = 3.2 // of points that are many
)

// scatter is what a scatter plot draws.
type scatter struct {
	*pen
	data  *report.Scatter
	field field
	total int // of points
}

// drawScatter draws points around the diagonal, with the band in which both axes agree.
func drawScatter(plot *report.Plot, look Look) []byte {
	s := scatter{pen: newPen(plot, look, scatterWidth), data: plot.Scatter}
	var keys []key
	top := plot.Max
	for _, g := range s.data.Groups {
		keys = append(keys, key{g.Name, func(x, y float64) {
			s.shape("path", "", "d", mark(shapeOf(g), point{x, y}, markRadius), "fill", groupPaint(g))
		}})
		for _, pt := range g.Points {
			top = math.Max(top, math.Max(pt.X, pt.Y))
		}
		s.total += len(g.Points)
	}
	y := s.legend(s.heading(), keys) + titleHeight
	s.field = newField(0, y, s.width-margin-8, y+0.76*s.width)
	_, top = span(0, math.Max(top, 0))
	s.field.x.to, s.field.y.to = top, top
	s.field.fitNumbers()
	if w := math.Min(s.data.Band, top); w > 0 {
		at := s.field.at
		s.shape("polygon", "within tolerance", "points", list([]point{at(0, 0), at(w, 0), at(top, top-w), at(top, top),
			at(top-w, top), at(0, w)}), "fill", band)
	}
	s.xAxis(&s.field, withUnit(s.data.X, plot.Unit), 0)
	s.yAxis(&s.field, withUnit(s.data.Y, plot.Unit))
	from, to := s.field.at(0, 0), s.field.at(top, top)
	s.line(from.x, from.y, to.x, to.y, axis, 1, "5 4")
	for _, g := range s.data.Groups {
		s.drawGroup(g)
	}
	s.names()
	return s.picture(s.field.y.start + axisHeight)
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

// shapeOf gives the shape of a group: color alone does not tell groups apart for everybody.
func shapeOf(g report.Group) int {
	if g.Status == report.Good {
		return 0
	}
	return 1 + ((g.Hue%5)+5)%5
}

// mark gives the path of a shape around a place.
func mark(shape int, at point, r float64) string {
	if shape == 0 { // two halves of a circle
		arc := "a" + px(r) + " " + px(r) + " 0 1 0 "
		return "M" + px(at.x-r) + " " + px(at.y) + arc + px(2*r) + " 0" + arc + px(-2*r) + " 0z"
	}
	corner := [...]struct{ n, start, size float64 }{ // angles from the right, downwards
		{4, math.Pi / 4, 1.25},  // square
		{3, -math.Pi / 2, 1.35}, // triangle
		{4, 0, 1.3},             // diamond
		{3, math.Pi / 2, 1.35},  // triangle, downwards
		{6, 0, 1.15},            // hexagon
	}[shape-1]
	var corners []point
	for i := range int(corner.n) {
		angle := corner.start + 2*math.Pi*float64(i)/corner.n
		corners = append(corners, point{at.x + r*corner.size*math.Cos(angle), at.y + r*corner.size*math.Sin(angle)})
	}
	return "M" + list(corners) + "z"
}

// drawGroup draws the points of a group: each with its tooltip when they are few, else all as one path, those that would
// hide each other once. A thin edge keeps neighbors apart.
func (s *scatter) drawGroup(g report.Group) {
	titled, radius := s.total <= titledPoints && !s.narrow(), markRadius
	if s.total > titledPoints {
		radius = crowdRadius
	}
	path, seen := "", map[[2]int]bool{}
	dot := func(d, tooltip string) {
		s.shape("path", tooltip, "d", d, "fill", groupPaint(g), "stroke", ground, "stroke-width", 0.7)
	}
	for _, pt := range g.Points {
		at := s.field.at(pt.X, pt.Y)
		if titled {
			unit := " " + s.plot.Unit
			dot(mark(shapeOf(g), at, radius), pt.Name+": "+g.Name+"\n"+s.data.X+" "+report.Decimal(pt.X, 1)+unit+
				"\n"+s.data.Y+" "+report.Decimal(pt.Y, 1)+unit)
			continue
		}
		if pixel := [2]int{int(at.x), int(at.y)}; !seen[pixel] {
			seen[pixel] = true
			path += mark(shapeOf(g), at, radius)
		}
	}
	if path != "" {
		dot(path, "")
	}
}

// box is a part of a picture.
type box struct{ x0, y0, x1, y1 float64 }

func (a box) overlaps(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// names writes the names of the points that are farthest from the diagonal where there is room.
func (s *scatter) names() {
	var far []report.Point
	var taken []box
	for _, g := range s.data.Groups {
		for _, pt := range g.Points {
			if math.Abs(pt.X-pt.Y) > s.data.Band {
				far = append(far, pt)
			}
			if at := s.field.at(pt.X, pt.Y); len(taken) < titledPoints {
				taken = append(taken, box{at.x - 5, at.y - 5, at.x + 5, at.y + 5})
			}
		}
	}
	sort.SliceStable(far, func(i, j int) bool { return math.Abs(far[i].X-far[i].Y) > math.Abs(far[j].X-far[j].Y) })
	for _, pt := range far[:min(len(far), namedPoints)] {
		at, w := s.field.at(pt.X, pt.Y), textWidth(pt.Name, tickSize)
		for _, move := range []point{{9, 0}, {-9 - w, 0}, {-w / 2, -13}, {-w / 2, 13}, {-w - 4, 12}, {4, 12}} {
			x, y := at.x+move.x, at.y+move.y
			b := box{x, y - 6, x + w, y + 6}
			if b.x0 < s.field.x.start || b.x1 > s.width || b.y0 < s.field.y.end || b.y1 > s.field.y.start {
				continue
			}
			free := true
			for _, other := range taken {
				free = free && !b.overlaps(other)
			}
			if free {
				s.text(x, y+4, "", tickSize, text2, pt.Name)
				taken = append(taken, b)
				break
			}
		}
	}
}
