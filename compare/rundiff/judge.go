package rundiff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

const (
	// timeDiffers is how far launch times may be apart before measured occupancies are of different launches.
	// shortLaunchTimes and untestedTimes multiply the threshold of a diff: where a launch is below a sampling interval
	// the occupancy of XVEs that ran moved by 5.6 to 6.2 points between runs of one program, and measured occupancy by
	// up to 2.6 between two of one day.
	timeDiffers                  = 0.1
	shortLaunchTimes unit.Points = 3
	untestedTimes    unit.Points = 2

	// digit absorbs binary fractions when a change is held against a threshold given in decimals.
	digit unit.Points = 1e-9
)

// Sample is what the runs of one side say of one quantity.
type Sample struct {
	N      int // runs that have a value
	Median unit.Opt[float64]
	// Low and High are the interval of the median, Confidence how sure that is; see Delta.
	Low        unit.Opt[float64]
	High       unit.Opt[float64]
	Confidence unit.Opt[float64]
}

// Delta is one quantity on both sides. From 4 runs a side on it is tested (Mann-Whitney, two-sided) and has intervals:
// those of 4 and 5 runs reach from the smallest to the largest value and hold the median with 87.5 and 93.8 %
// confidence, from 6 runs on the confidence that was asked for is reached.
type Delta struct {
	Old    Sample
	New    Sample
	Change unit.Opt[float64]
	Ratio  unit.Opt[float64]
	P      unit.Opt[float64] // two-sided; absent below 4 runs on a side
	// Significant is absent where nothing was tested. Of occupancies it is what remains when all kernels are looked at
	// together.
	Significant unit.Opt[bool]
}

// Insignificant says whether a test found that chance may explain the change: it is shown as `~`.
func (d *Delta) Insignificant() bool { return !d.Significant.Or(true) }

// fell and rose say whether the change is beyond a floor and nothing says that it is chance.
func (d *Delta) fell(floor unit.Points) bool {
	c, ok := d.Change.Value()
	return ok && c < -float64(floor+digit) && !d.Insignificant()
}

func (d *Delta) rose(floor unit.Points) bool {
	c, ok := d.Change.Value()
	return ok && c > float64(floor+digit) && !d.Insignificant()
}

func (d *Result) sample(xs []float64) Sample {
	s := Sample{N: len(xs), Median: unit.Maybe(stat.Median(xs))}
	if len(xs) < stat.MinPerSide {
		return s
	}
	confidence := d.Options.Confidence
	// Smallest to largest value hold the median with 1 - 2^(1-n); more cannot be had of n values.
	if most := 1 - 2/float64(uint64(1)<<min(len(xs), 60)); most < confidence {
		confidence = most - 1e-9
	}
	if i, ok := stat.MedianInterval(xs, confidence); ok {
		s.Low, s.High, s.Confidence = unit.Some(i.Low), unit.Some(i.High), unit.Some(i.Confidence)
	}
	return s
}

func (d *Result) delta(older, newer []float64) Delta {
	r := Delta{Old: d.sample(older), New: d.sample(newer)}
	if min(r.Old.N, r.New.N) < stat.MinPerSide {
		return r
	}
	if t, ok := stat.MannWhitney(older, newer); ok {
		r.P, r.Significant = unit.Some(t.P), unit.Some(t.P < d.Options.Alpha)
	}
	return r
}

// finest is the least variance that is believed, in squared points: figures are printed with one digit.
const finest = 0.05 * 0.05

// quantities are what stepDown looks at, in the order of kept.significant.
var quantities = [2]struct {
	delta   func(*Row) *Delta
	samples func(*group) []float64
}{
	{func(r *Row) *Delta { return &r.Loaded }, func(g *group) []float64 { return g.loaded }},
	{func(r *Row) *Delta { return &r.Measured }, func(g *group) []float64 { return g.measured }},
}

// evidence is what a row brings to stepDown of one of the quantities.
type evidence struct {
	row, of      int
	change       float64
	p            unit.Opt[float64]
	older, newer int // samples
	spread       stat.Variance
}

// evidence gives what a row brings: its own spread from 4 runs a side on, else that of the history, where there is one.
func (d *Result) evidence(i int, row *Row, p groupPair) (list []evidence) {
	for of, q := range quantities {
		delta := q.delta(row)
		e := evidence{row: i, of: of, p: delta.P, older: delta.Old.N, newer: delta.New.N}
		var known bool
		if e.change, known = delta.Change.Value(); !known || !row.IsKernel {
			continue
		}
		if delta.P.Present() {
			e.spread = pooled(q.samples(p.older), q.samples(p.newer))
		} else if d.Options.Noise != nil {
			loaded, measured := d.Options.Noise(row)
			if e.spread, known = [2]unit.Opt[stat.Variance]{loaded, measured}[of].Value(); !known {
				continue
			}
		} else {
			continue
		}
		list = append(list, e)
	}
	return list
}

// stepDown says which changes of occupancy are significant when all kernels are looked at together. From 4 runs a side
// on a change has to pass Mann-Whitney's test by itself, which outliers do not mislead, and Student's t with the
// kernels' spreads shrunk to each other, stepped down after Holm: ranks of 4 + 4 runs cannot be rare enough for many
// kernels. With fewer runs the spread is the history's, where there is one.
func (d *Result) stepDown(all []evidence) {
	var own [2][]stat.Variance
	for _, e := range all {
		if e.p.Present() {
			own[e.of] = append(own[e.of], e.spread)
		}
	}
	priors := [2]stat.Prior{stat.NewPrior(own[0]), stat.NewPrior(own[1])}
	ps := make([]float64, len(all))
	for i, e := range all {
		v, freedom := e.spread.Value, e.spread.Freedom
		if e.p.Present() {
			v, freedom = priors[e.of].Shrink(e.spread)
		}
		ps[i] = stat.TwoSided(e.change/math.Sqrt(v*(1/float64(e.older)+1/float64(e.newer))), freedom)
	}
	for i, significant := range stat.Holm(ps, d.Options.Alpha) {
		say := &d.rows[all[i].row].significant[all[i].of]
		if *say = -1; significant && all[i].p.Or(0) < d.Options.Alpha {
			*say = 1
		}
	}
}

// tell gives a row what stepDown says.
func (k *kept) tell(row *Row) {
	for of, say := range k.significant {
		if say != 0 {
			quantities[of].delta(row).Significant = unit.Some(say > 0)
		}
	}
}

// pooled gives the variance within two samples.
func pooled(samples ...[]float64) stat.Variance {
	sum, n := 0.0, 0
	for _, xs := range samples {
		mean, _ := stat.Mean(xs)
		for _, x := range xs {
			sum += (x - mean) * (x - mean)
		}
		n += len(xs) - 1
	}
	return stat.Variance{Value: max(sum/float64(n), finest), Freedom: float64(n)}
}

// Proven says whether a regression was told from noise. A gate fails on no other.
func (r *Row) Proven() bool {
	return r.Verdict == Regression && (r.Loaded.Significant.Or(false) || r.Measured.Significant.Or(false))
}

// points compares percentages or points.
func (d *Result) points(older, newer []float64) Delta {
	r := d.delta(older, newer)
	a, ok1 := r.Old.Median.Value()
	b, ok2 := r.New.Median.Value()
	if ok1 && ok2 {
		r.Change = unit.Some(b - a)
	}
	return r
}

// ratio compares times. There is no ratio to a time of zero.
func (d *Result) ratio(older, newer []float64) Delta {
	r := d.delta(older, newer)
	a, ok1 := r.Old.Median.Value()
	b, ok2 := r.New.Median.Value()
	if ok1 && ok2 && a > 0 && b > 0 {
		r.Ratio = unit.Some(b / a)
	}
	return r
}

// judge gives the verdict by the rules that stand with the verdicts.
func (d *Result) judge(row *Row) Verdict {
	other := launchChanged(row.Changes) || d.otherDevice
	switch {
	case row.New == nil:
		return OnlyOld
	case row.Old == nil:
		return OnlyNew
	case !row.IsKernel:
		return NotAKernel
	case !row.Measured.Change.Present():
		return NotComparable
	case d.moved(row, other, (*Delta).fell, (*Delta).rose):
		if !other && row.quicker() && row.Time.Significant.Or(false) {
			return Faster
		}
		return Regression
	case d.moved(row, other, (*Delta).rose, (*Delta).fell), !other && row.quicker() &&
		row.Measured.rose(d.measuredFloor(row)):
		return Improvement
	case launchChanged(row.Changes):
		return ChangedLaunch
	case d.otherDevice:
		return ChangedDevice
	case row.faster():
		return Faster
	case !row.comparable():
		return NotComparable
	}
	return Unchanged
}

// moved says whether occupancy moved one way: that of XVEs that ran where both sides tell it and the measured one does
// not move the other way, and the measured one where it is comparable. With another launch the residual has to have
// moved as well.
func (d *Result) moved(row *Row, other bool, way, back func(*Delta, unit.Points) bool) bool {
	limit, floor := d.loadedLimit(row), d.measuredFloor(row)
	// Two figures that move opposite ways say that something else changed.
	if way(&row.Loaded, limit) && !back(&row.Measured, floor) && (!other || way(&row.LoadedResidual, limit)) {
		return true
	}
	// Where the figure of XVEs that ran is there and did not move, the measured one of another launch proves nothing.
	if !other && (row.faster() || !row.comparable()) || other && row.Loaded.Change.Present() {
		return false
	}
	return way(&row.Measured, floor) && (!other || way(&row.Residual, floor))
}

// loadedLimit is the change of occupancy of XVEs that ran that counts.
func (d *Result) loadedLimit(row *Row) unit.Points {
	for _, l := range []*Launch{row.Old, row.New} {
		// How long launches were is not known: then they are taken for short, which is the careful choice.
		if n, ok := l.Intervals.Value(); !l.Exact && (!ok || n < 1) {
			return shortLaunchTimes * d.Options.Threshold
		}
	}
	return d.Options.Threshold
}

// measuredFloor is the change of measured occupancy that counts where it is comparable.
func (d *Result) measuredFloor(row *Row) unit.Points {
	if row.Measured.P.Present() || row.Old.Exact && row.New.Exact {
		return d.Options.Threshold
	}
	return untestedTimes * d.Options.Threshold
}

// quicker says whether launches became faster.
func (r *Row) quicker() bool {
	x, ok := r.Time.Ratio.Value()
	return ok && x < 1-timeDiffers && !r.Time.Insignificant()
}

// faster says whether launches became faster while less was measured.
func (r *Row) faster() bool { return r.quicker() && r.Measured.fell(0) }

// comparable says whether nothing speaks against comparing measured occupancies.
func (r *Row) comparable() bool {
	if r.Old.Exact && r.New.Exact {
		return true
	}
	if x, ok := r.Time.Ratio.Value(); ok && (x > 1+timeDiffers || x < 1-timeDiffers) {
		return false
	}
	return r.Old.Crosstalk.Or(0) <= compare.CrosstalkMedium && r.New.Crosstalk.Or(0) <= compare.CrosstalkMedium
}

// addNotes says what holds for all kernels, and then what was noted of the runs.
func (d *Result) addNotes(copied []note.Note) {
	add := func(severity note.Severity, code, hint, format string, args ...any) {
		d.Notes = append(d.Notes, note.Note{Severity: severity, Code: code, Text: fmt.Sprintf(format, args...),
			Hint: hint})
	}
	if a, b := len(d.Old.Runs), len(d.New.Runs); min(a, b) < stat.MinPerSide {
		add(note.Info, "no-test", "give each side a folder of 4 repeats or more",
			"no test is possible with %d + %d runs, 4 per side are needed: changes of occupancy are compared with a "+
				"floor of %g points, and times are not judged",
			a, b, float64(d.Options.Threshold))
	}
	for _, f := range runFacts() {
		for _, s := range []struct {
			side string
			runs []*compare.Result
		}{{"old", d.Old.Runs}, {"new", d.New.Runs}} {
			if said := f.said(s.runs); len(said) > 1 {
				add(note.Warning, "mixed-side", "compare runs of one "+f.what+" per side",
					"the runs of the %s side are not of one %s: %q", s.side, f.what, said)
			}
		}
	}
	d.Notes = append(d.Notes, copied...)
	for _, runs := range [][]*compare.Result{d.Old.Runs, d.New.Runs} {
		for _, r := range runs {
			for _, n := range r.Notes {
				if !slices.Contains(d.Notes, n) {
					d.Notes = append(d.Notes, n)
				}
			}
		}
	}
}

// contentOf tells files of one text by, whatever their line ends and their compression are.
func contentOf(in ingest.Input) string { return cmp.Or(in.Content, in.Digest) }

// contents are the files that a run's rows are of. A summary may belong to all runs.
func contents(r *compare.Result) []ingest.Input {
	files := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if files[row.Pos.File] = true; len(files) == len(r.Inputs) {
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Inputs), func(in ingest.Input) bool {
		return contentOf(in) == "" || !files[in.Path]
	})
}

// take takes the runs of both sides, without those that are copies of another on their side: a copy is no second
// sample.
func (d *Result) take(older, newer []*compare.Result) (copied []note.Note) {
	type place struct {
		path string
		side *Side
	}
	seen := map[string]place{}
	for _, s := range []struct {
		to   *Side
		runs []*compare.Result
	}{{&d.Old, older}, {&d.New, newer}} {
		for _, r := range s.runs {
			files := contents(r)
			copies := 0
			var twice []note.Note
			for _, in := range files {
				first, ok := seen[contentOf(in)]
				if !ok {
					continue
				}
				text := "the same content as " + first.path + ": a copy is not a second run"
				if first.path == in.Path {
					text = "the same file is compared with itself"
				}
				if first.side == s.to {
					copies++
				}
				twice = append(twice, note.Note{Severity: note.Warning, Code: "same-content",
					Pos: note.Pos{File: in.Path}, Text: text, Hint: "give each run once"})
			}
			for _, in := range files {
				if _, ok := seen[contentOf(in)]; !ok {
					seen[contentOf(in)] = place{in.Path, s.to}
				}
			}
			// A run of which one file is a copy may still be a run of its own: only where all are, it is left out.
			if copies > 0 && copies == len(files) {
				twice[0].Text += ", and this one is left out"
			} else {
				s.to.Runs = append(s.to.Runs, r)
			}
			copied = append(copied, twice...)
		}
	}
	return copied
}
