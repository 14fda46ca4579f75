package report

import (
	"iter"
	"math"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

const (
	// cloudRows is how many kernels the cloud shows: a run that keeps every launch has millions.
	cloudRows = 5000
	// profileRows is how many kernels get a picture of their waves.
	profileRows = 12
)

// Cloud is points in groups of one colour each, around the diagonal on which both axes agree.
type Cloud struct {
	X, Y   string  // what the axes show, without the unit
	Band   float64 // how far from the diagonal still agrees
	Groups []Group
}

// Group is the points that have something in common.
type Group struct {
	Name   string
	Status Status
	Hue    int // the same number is the same colour in every report
	Points []Point
}

// Point is one thing with two values.
type Point struct {
	X, Y float64
	Name string
}

// Profile is a level that changes over time.
type Profile struct {
	X, Y   string
	Levels []Level
	Lines  []Line
}

// Level is a height that lasts for a width.
type Level struct {
	Width, Height float64
	Name          string
}

// Line is a height to hold the levels against.
type Line struct {
	Name   string
	Height float64
}

// cloudPlot sets what was seen against what was predicted, in the strongest basis that the run has: measurements, else
// measurements against VTune's peak, else VTune's peak. False when no row has two numbers.
func cloudPlot(r *compare.Result, rows *rowSet) (Plot, bool) {
	for _, basis := range []compare.Basis{compare.BasisMeasured, compare.BasisMeasuredPeak, compare.BasisPeak} {
		c := cloud(rows, basis)
		if len(c.Groups) == 0 {
			continue
		}
		c.Band = float64(r.Options.Tolerance)
		p := Plot{Key: "predicted-measured", Title: c.Y + " against " + startLower(c.X), Unit: "%", Max: 100, Cloud: c}
		if rows.kernels > cloudRows {
			p.Title += ", the first " + Thousands(cloudRows) + " of " + Thousands(int64(rows.kernels))
		}
		p.Text = "A point per kernel. On the diagonal both agree; the band is the tolerance of " + plain(c.Band) + " points."
		return p, true
	}
	return Plot{}, false
}

func cloud(rows *rowSet, basis compare.Basis) *Cloud {
	c := &Cloud{X: "Predicted average", Y: "Measured occupancy"}
	switch basis {
	case compare.BasisMeasuredPeak:
		c.X = "VTune's peak"
	case compare.BasisPeak:
		c.X, c.Y = "Predicted peak", "VTune's peak"
	}
	match := Group{Name: string(compare.Match), Status: Good}
	other := Group{Name: "no cause", Status: Muted}
	causes := compare.Causes()
	named := make([]Group, len(causes))
	for i, row := range rows.result.Skim() {
		if i == min(rows.kernels, cloudRows) {
			break
		}
		p, ok := cloudPoint(row, basis)
		if !ok {
			continue
		}
		g := &other
		if row.Cause != nil {
			for k, name := range causes {
				if name == row.Cause.Name {
					g, named[k].Name, named[k].Hue, named[k].Status = &named[k], name, k, Bad
				}
			}
		} else if row.Verdict == compare.Match {
			g = &match
		}
		g.Points = append(g.Points, p)
	}
	for _, g := range append(append([]Group{match}, named...), other) {
		if len(g.Points) > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c
}

// cloudPoint is a row's two numbers when they are of the basis.
func cloudPoint(row *compare.Row, basis compare.Basis) (Point, bool) {
	if row.Basis != basis {
		return Point{}, false
	}
	seen, ok := row.Measured.Value()
	if basis == compare.BasisPeak {
		seen, ok = row.Peak.Value()
	}
	var want unit.Ratio
	switch {
	case basis == compare.BasisMeasuredPeak:
		peak, known := row.Peak.Value()
		want, ok = peak, ok && known
	case row.Predicted == nil || row.Predicted.Groups <= 0:
		return Point{}, false
	case basis == compare.BasisMeasured:
		want = row.Predicted.Average
	default:
		want = row.Predicted.Peak
	}
	p := Point{X: want.Percent(), Y: seen.Percent(), Name: CutMiddle(OneLine(row.Task), labelWidth)}
	return p, ok && finite(p.X) && finite(p.Y)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// anyOccupancy says whether one of the kernels that the bars show has a value to draw.
func anyOccupancy(rows *rowSet) bool {
	for i, row := range rows.result.Skim() {
		if i == min(rows.kernels, plotRows) {
			break
		}
		_, measured := row.Measured.Value()
		_, peak := row.Peak.Value()
		if measured || peak || row.Predicted != nil && row.Predicted.Groups > 0 {
			return true
		}
	}
	return false
}

// profilePlot shows the waves of a launch one after the other, each counted as long as the others. False without a grid.
func profilePlot(row *compare.Row, key string) (Plot, bool) {
	p := row.Predicted
	if p == nil || p.Groups <= 0 || !(p.Waves > 0) || !finite(p.Waves) {
		return Plot{}, false
	}
	f := &Profile{X: "Wave", Y: "Occupancy"}
	last := p.Tail.Percent()
	full := math.Floor(p.Waves + 1e-9)
	if full > 0 {
		f.Levels = append(f.Levels, Level{full, p.Peak.Percent(), "full waves"})
	}
	if p.Tail > 0 && p.Waves-full > 1e-9 {
		f.Levels = append(f.Levels, Level{1, last, "last wave"})
	}
	f.Lines = append(f.Lines, Line{"predicted average", p.Average.Percent()})
	if m, ok := row.Measured.Value(); ok && finite(m.Percent()) {
		f.Lines = append(f.Lines, Line{"measured", m.Percent()})
	}
	return Plot{Key: key, Title: "Waves of " + CutMiddle(OneLine(row.Task), labelWidth), Unit: "%", Max: 100, Profile: f, Text: wavesText(p)}, true
}

// wavesText says what a picture of waves shows.
func wavesText(p *predict.Prediction) string {
	full := int64(math.Floor(p.Waves + 1e-9))
	last := "."
	if p.Tail > 0 && p.Waves-float64(full) > 1e-9 {
		last = "a last one at " + Decimal(p.Tail.Percent(), 1) + " %."
		if full == 0 {
			return "One wave that does not fill the GPU: " + Decimal(p.Tail.Percent(), 1) + " %."
		}
		last = ", then " + last
	}
	word := " full waves at "
	if full == 1 {
		word = " full wave at "
	}
	return Thousands(full) + word + Decimal(p.Peak.Percent(), 1) + " %" + last
}

// tailSection shows the kernels that match and yet stay low because of their last wave; nothing where there are none.
func tailSection(r *compare.Result, rows *rowSet) (Section, bool) {
	s := Section{Key: SectionTail, Title: "Held back by the last wave", In: Page}
	if rows.tails == 0 {
		return s, false
	}
	for _, row := range r.Skim() {
		if !tailed(row) {
			continue
		}
		if p, ok := profilePlot(row, "tail-"+Thousands(int64(len(s.Plots)+1))); ok {
			s.Plots = append(s.Plots, p)
		}
		if len(s.Plots) == profileRows {
			break
		}
	}
	s.Text = []string{"What was measured matches, and the prediction is low: the last wave of work-groups fills only part of the GPU while the " +
		"rest waits. Work-group counts that are a multiple of what the GPU holds would raise it (occudiff advise)."}
	return s, len(s.Plots) > 0
}

// tailed says whether a kernel matches and yet stays low because of its last wave.
func tailed(r *compare.Row) bool {
	return r.Verdict != compare.NotAKernel && !needsAttention(r) && r.Predicted != nil && r.Predicted.Limits&predict.LimitTail != 0
}

// startLower lets a name stand inside a sentence; a name of several capitals stays as it is.
func startLower(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] < 'A' || s[1] > 'Z') {
		return string(s[0]-'A'+'a') + s[1:]
	}
	return s
}

// Plots gives the plots of the sections that a view shows, and of their items, in reading order.
func (d *Document) Plots(in View) iter.Seq[*Plot] {
	return func(yield func(*Plot) bool) {
		for i := range d.Sections {
			s := &d.Sections[i]
			if !s.Shown(in) {
				continue
			}
			for k := range s.Plots {
				if !yield(&s.Plots[k]) {
					return
				}
			}
			for k := range s.Items {
				if p := s.Items[k].Plot; p != nil && s.ItemsIn&in != 0 && !yield(p) {
					return
				}
			}
		}
	}
}
