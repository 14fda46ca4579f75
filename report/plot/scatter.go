package plot

import (
	"cmp"
	"math"
	"slices"

	"occudiff/report"
)

const (
	scatterWidth = 560.0
	// namedPoints is how many of the points farthest from the diagonal carry their name.
	namedPoints = 8
	// markRadius is that of a mark in the legend. That of a point grows with its share from leastRadius.
	markRadius, leastRadius, shareRadius = 4.6, 3.0, 9.0
)

// scatter is what a scatter plot draws.
type scatter struct {
	*pen
	data  *report.Scatter
	field field
	dots  []dot
}

// dot is a point in its place.
type dot struct {
	report.Point
	group  int
	at     point
	radius float64
}

// drawScatter draws points around the diagonal, with the band in which both axes agree.
func drawScatter(plot *report.Plot, look Look) []byte {
	s := scatter{pen: newPen(plot, look, scatterWidth), data: plot.Scatter}
	var keys []key
	top := plot.Max
	for i, g := range s.data.Groups {
		keys = append(keys, key{g.Name, func(x, y float64) {
			s.shape("path", "", "d", mark(shapeOf(g), point{x, y}, markRadius), "fill", groupPaint(g))
		}})
		for _, pt := range g.Points {
			top = math.Max(top, math.Max(pt.X, pt.Y))
			share := math.Max(0, math.Min(pt.Share, 1))
			s.dots = append(s.dots, dot{Point: pt, group: i, radius: leastRadius + shareRadius*math.Sqrt(share)})
		}
	}
	y := s.legend(s.heading(), keys) + titleHeight
	s.field = newField(0, y, s.width-margin-8, y+0.76*s.width)
	_, top = span(0, math.Max(top, 0))
	s.field.x.to, s.field.y.to = top, top
	s.field.fitNumbers()
	for i := range s.dots {
		s.dots[i].at = s.field.at(s.dots[i].X, s.dots[i].Y)
	}
	if w := math.Min(s.data.Band, top); w > 0 {
		at := s.field.at
		s.shape("polygon", "within tolerance", "points", list([]point{at(0, 0), at(w, 0), at(top, top-w), at(top, top),
			at(top-w, top), at(0, w)}), "fill", band)
	}
	s.xAxis(&s.field, withUnit(s.data.X, plot.Unit), 0)
	s.yAxis(&s.field, withUnit(s.data.Y, plot.Unit))
	from, to := s.field.at(0, 0), s.field.at(top, top)
	s.line(from.x, from.y, to.x, to.y, axis, 1, "5 4")
	s.marks()
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

// marks draws the points, with a thin edge that keeps neighbors apart.
func (s *scatter) marks() {
	for _, d := range s.dots {
		g := s.data.Groups[d.group]
		tooltip := ""
		if !s.narrow() {
			tooltip = d.Name + ": " + g.Name + "\n" + withValue(s.data.X, d.X, s.plot.Unit) + "\n" +
				withValue(s.data.Y, d.Y, s.plot.Unit)
		}
		s.shape("path", tooltip, "d", mark(shapeOf(g), d.at, d.radius), "fill", groupPaint(g), "fill-opacity", "0.85",
			"stroke", ground, "stroke-width", 0.7)
	}
}

// box is a part of a picture.
type box struct{ x0, y0, x1, y1 float64 }

func (a box) overlaps(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// names writes the names of the points that are farthest from the diagonal where there is room.
func (s *scatter) names() {
	off := func(d dot) float64 { return math.Abs(d.X - d.Y) }
	var far []dot
	var taken []box
	for _, d := range s.dots {
		if off(d) > s.data.Band {
			far = append(far, d)
		}
		taken = append(taken, box{d.at.x - d.radius, d.at.y - d.radius, d.at.x + d.radius, d.at.y + d.radius})
	}
	slices.SortStableFunc(far, func(a, b dot) int { return cmp.Compare(off(b), off(a)) })
	for _, d := range far[:min(len(far), namedPoints)] {
		beside, w := d.radius+4, textWidth(d.Name, tickSize)
		places := []point{{beside, 0}, {-beside - w, 0}, {-w / 2, -beside - 5}, {-w / 2, beside + 5},
			{-w - 4, beside + 3}, {4, beside + 3}}
		for _, move := range places {
			x, y := d.at.x+move.x, d.at.y+move.y
			b := box{x, y - 6, x + w, y + 6}
			inside := b.x0 >= s.field.x.start && b.x1 <= s.width && b.y0 >= s.field.y.end && b.y1 <= s.field.y.start
			if inside && !slices.ContainsFunc(taken, b.overlaps) {
				s.text(x, y+4, "", tickSize, text2, d.Name)
				taken = append(taken, b)
				break
			}
		}
	}
}
