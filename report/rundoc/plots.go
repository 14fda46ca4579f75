package rundoc

import (
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

const (
	// scatterRows is how many kernels the scatter plot shows: more points hide each other.
	scatterRows = 400
	// wavesRows is how many kernels get a picture of their waves.
	wavesRows = 12
)

// scatterPlot sets what was seen against what was predicted, in the strongest basis that the run has: measurements,
// else measurements against VTune's peak, else VTune's peak. False when no row has two numbers.
func scatterPlot(r *compare.Result, rows *rowSet) (report.Plot, bool) {
	// One basis a chart: points of several would lie at different heights for no reason of the kernels.
	for _, basis := range []compare.Basis{compare.BasisMeasured, compare.BasisMeasuredPeak, compare.BasisPeak} {
		c := scatter(rows, basis)
		if len(c.Groups) == 0 {
			continue
		}
		c.Band = float64(r.Options.Tolerance)
		p := report.Plot{Key: "predicted-measured", Title: c.Y + " against " + report.StartLower(c.X), Unit: "%",
			Max: 100, Scatter: c}
		if rows.kernels > scatterRows {
			p.Title += ", the first " + report.Thousands(scatterRows) + " of " + report.Thousands(int64(rows.kernels))
		}
		p.Text = "A point per kernel, larger for more GPU time. On the diagonal both agree; the band is the " +
			"tolerance of " + report.Shortest(c.Band) + " points."
		return p, true
	}
	return report.Plot{}, false
}

func scatter(rows *rowSet, basis compare.Basis) *report.Scatter {
	c := &report.Scatter{X: "Predicted average", Y: "Measured occupancy"}
	switch basis {
	case compare.BasisMeasuredPeak:
		c.X = "VTune's peak"
	case compare.BasisPeak:
		c.X, c.Y = "Predicted peak", "VTune's peak"
	}
	// Those that match, each cause in its order, and what has none.
	causes := compare.Causes()
	groups := make([]report.Group, len(causes)+2)
	for k, name := range causes {
		groups[k+1] = report.Group{Name: name, Hue: k, Status: report.Bad}
	}
	match, other := &groups[0], &groups[len(groups)-1]
	match.Name, match.Status, other.Name, other.Status = string(compare.Match), report.Good, "no cause", report.Muted
	for i := range rows.result.Rows {
		row := &rows.result.Rows[i]
		if i == min(rows.kernels, scatterRows) {
			break
		}
		p, ok := scatterPoint(row, basis)
		if !ok {
			continue
		}
		// The area of a point is time: a kernel of no weight must not draw the eye.
		p.Share = float64(row.TimeShare.Or(0))
		g := other
		if row.Cause != nil {
			if k := slices.Index(causes, row.Cause.Name); k >= 0 {
				g = &groups[k+1]
			}
		} else if row.Verdict == compare.Match || row.Verdict == compare.PeaksAgree {
			g = match
		}
		g.Points = append(g.Points, p)
	}
	c.Groups = slices.DeleteFunc(groups, func(g report.Group) bool { return len(g.Points) == 0 })
	var names []*string
	for _, g := range c.Groups {
		for i := range g.Points {
			names = append(names, &g.Points[i].Name)
		}
	}
	report.CutNames(len(names), func(i int) *string { return names[i] })
	return c
}

// scatterPoint is a row's two numbers when they are of the basis.
func scatterPoint(row *compare.Row, basis compare.Basis) (report.Point, bool) {
	if row.Basis != basis {
		return report.Point{}, false
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
		return report.Point{}, false
	case basis == compare.BasisMeasured:
		want = row.Predicted.Average
	default:
		want = row.Predicted.Peak
	}
	p := report.Point{X: want.Percent(), Y: seen.Percent(), Name: report.KernelName(row.Task)}
	return p, ok && finite(p.X) && finite(p.Y)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// anyOccupancy says whether one of the kernels that the bars show has a value to draw.
func anyOccupancy(rows *rowSet) bool {
	for i := range rows.result.Rows {
		row := &rows.result.Rows[i]
		if i == min(rows.kernels, report.PlotRows) {
			break
		}
		if row.Measured.Present() || row.Peak.Present() || row.Predicted != nil && row.Predicted.Groups > 0 {
			return true
		}
	}
	return false
}

// wavesPlot shows the waves of a launch one after the other, each counted as long as the others. False without a grid.
// It draws the model: that the last wave takes as long as a full one is its assumption, and the measured line shows how
// far that holds.
func wavesPlot(row *compare.Row, key string) (report.Plot, bool) {
	p := row.Predicted
	if p == nil || p.Groups <= 0 || !(p.Waves > 0) || !finite(p.Waves) {
		return report.Plot{}, false
	}
	f := &report.LineChart{X: "Wave", Y: "Occupancy", Low: true}
	add := func(name string, style report.LineStyle, height, from, to float64) {
		f.Series = append(f.Series, report.LineSeries{Name: name + " " + report.PercentText(height), Style: style,
			Points: []report.Point{{X: from, Y: height}, {X: to, Y: height}}})
	}
	// Waves are a quotient of whole numbers, so a whole one may come out a rounding below.
	full := math.Floor(p.Waves + 1e-9)
	partial := p.LastWaveOccupancy > 0 && p.Waves-full > 1e-9
	end := full
	if full > 0 {
		add("full waves", report.Steps, p.Peak.Percent(), 0, full)
	}
	if partial {
		end++
		add("last wave", report.Steps, p.LastWaveOccupancy.Percent(), full, end)
	}
	add("predicted average", report.Straight, p.Average.Percent(), 0, end)
	if m, ok := row.Measured.Value(); ok && finite(m.Percent()) {
		add("measured", report.Straight, m.Percent(), 0, end)
	}
	if end < 10 { // there is no half wave to count
		f.XStep = 1
	}
	text, last := unit.Counted(int64(full), "full wave", "full waves")+" at "+report.PercentText(p.Peak.Percent()),
		report.PercentText(p.LastWaveOccupancy.Percent())
	switch {
	case partial && full == 0:
		text = "One wave that does not fill the GPU: " + last
	case partial:
		text += ", then a last one at " + last
	}
	return report.Plot{Key: key, Title: "Waves of " + report.CutMiddle(report.KernelName(row.Task), report.LabelWidth),
		Unit: "%", Max: 100, LineChart: f, Text: text + "."}, true
}

// tailSection shows the kernels that match and yet stay low because of their last wave; nothing where there are none.
func tailSection(r *compare.Result, rows *rowSet) (report.Section, bool) {
	s := report.Section{Key: report.SectionTail, Title: "Held back by the last wave", In: report.Page}
	if rows.tails == 0 {
		return s, false
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if !tailed(row) {
			continue
		}
		if p, ok := wavesPlot(row, "tail-"+report.Thousands(int64(len(s.Plots)+1))); ok {
			s.Plots = append(s.Plots, p)
		}
		if len(s.Plots) == wavesRows {
			break
		}
	}
	s.Text = []string{"The measurement matches, and the prediction is low: the last wave of work-groups fills only " +
		"part of the GPU while the rest idles. A number of work-groups that is a multiple of what the GPU holds " +
		"would raise it ('occudiff advise')."}
	return s, len(s.Plots) > 0
}

// tailed says whether a kernel matches and yet stays low because of its last wave.
func tailed(r *compare.Row) bool {
	return r.Verdict != compare.NotAKernel && !needsAttention(r) && r.Predicted != nil &&
		r.Predicted.Limits&predict.LimitTail != 0
}
