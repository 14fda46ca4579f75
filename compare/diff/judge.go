package diff

import (
	"cmp"
	"math"
	"slices"
	"time"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

const (
	// timeDiffers is how far launch times may be apart before measured
	// occupancies are of different launches. shortLaunchTimes and untestedTimes
	// multiply the threshold of a diff: where a launch is below a sampling
	// interval the busy occupancy moved by 5.6 to 6.2 points between runs of
	// one program, and measured occupancy by up to 2.6 between two of one day.
	timeDiffers                  = 0.1
	shortLaunchTimes unit.Points = 3
	untestedTimes    unit.Points = 2

	// SingleRuns is how far single runs of one program lie apart at most, over
	// days: with fewer runs than a test takes, and without a history that knows
	// the noise, a smaller change cannot be determined from none.
	SingleRuns unit.Points = 9
	// minShare is the smallest share of the time of its runs with which a kernel
	// that only they have matters.
	minShare = 0.01
)

// Missing reports whether one side alone has a kernel that takes a hundredth of
// its time or more, or it is unknown how much.
func (r *Row) Missing() bool {
	return r.IsKernel && (r.Old == nil || r.New == nil) && r.Share.Or(1) >= minShare
}

// Unexplained reports whether a kernel's launch or device changed and the effect
// cannot be predicted.
func (r *Row) Unexplained() bool {
	return (r.Verdict == ChangedLaunch || r.Verdict == ChangedDevice) &&
		!r.Delta(compare.MetricResidual).Change.Present()
}

// setLimits describes how far occupancies have to move to count: beyond the
// threshold where they were tested, and beyond what single runs differ by where
// they were not.
func (d *Result) setLimits(row *Row) {
	if row.Old == nil || row.New == nil {
		return
	}
	loaded, measured := d.Options.Threshold, untestedTimes*d.Options.Threshold
	for _, l := range []*Launch{row.Old, row.New} {
		// How long launches were is not known: then they are taken for short,
		// which is the careful choice.
		if n, ok := l.Intervals.Value(); !l.Exact && (!ok || n < 1) {
			loaded = shortLaunchTimes * d.Options.Threshold
		}
	}
	if row.Measured().P.Present() || row.Old.Exact && row.New.Exact {
		measured = d.Options.Threshold
	}
	if !row.busy().Significant.Present() {
		loaded = max(loaded, SingleRuns)
	}
	if !row.Measured().Significant.Present() {
		measured = max(measured, SingleRuns)
	}
	for i := range row.Deltas {
		switch x := &row.Deltas[i]; x.Metric {
		case compare.MetricBusy, compare.MetricBusyResidual:
			x.Limit = unit.Some(loaded)
		case compare.MetricMeasured, compare.MetricResidual:
			x.Limit = unit.Some(measured)
		}
	}
}

// Memory returns the change of spill or private memory per thread, and its way:
// -1 for more of it, which is worse, 1 for less, and 0 for no change.
func (r *Row) Memory() (c Change, way int) {
	for _, c := range r.Changes {
		switch c.What {
		case ChangeSpill:
			return c, cmp.Compare(r.Old.Spill.Or(0), r.New.Spill.Or(0))
		case ChangePrivate:
			return c, cmp.Compare(r.Old.Private.Or(0), r.New.Private.Or(0))
		}
	}
	return c, 0
}

// judge returns the verdict by the rules that stand with the verdicts.
func (d *Result) judge(row *Row) Verdict {
	v := d.judgeOccupancy(row)
	_, way := row.Memory()
	if way == 0 || !row.IsKernel || d.otherDevice || row.pace() == -way {
		return v
	}
	// Another sub-group size spills another amount, and not for that reason in
	// another time.
	if v == NotComparable || v == Inconclusive || v == Unchanged || v == ChangedLaunch && row.pace() == way {
		return changed(way)
	}
	return v
}

func (d *Result) judgeOccupancy(row *Row) Verdict {
	switch {
	case row.New == nil:
		return OnlyOld
	case row.Old == nil:
		return OnlyNew
	case !row.IsKernel:
		return NotAKernel
	case !row.Measured().Change.Present():
		return NotComparable
	}
	other := launchChanged(row.Changes) || d.otherDevice
	tested := row.Measured().Significant.Present() || row.busy().Significant.Present()
	pace, way := row.pace(), row.Measured().Moved()
	if other {
		pace = 0 // launches that changed on purpose may take any time
	}
	for _, to := range []int{-1, 1} {
		trade := pace == -to && row.time().Significant.Or(false)
		switch moved := row.moved(to, other); {
		case moved && trade:
			return traded(to)
		case moved || pace == to && way == to:
			return changed(to)
		}
	}
	switch pace = row.pace(); {
	case launchChanged(row.Changes):
		return ChangedLaunch
	case d.otherDevice:
		return ChangedDevice
	case row.trade() != 0 && (tested || way != 0):
		return traded(row.trade())
	case !tested && pace != 0:
		return Inconclusive
	case !row.comparable():
		return NotComparable
	case !tested:
		return Inconclusive
	}
	return Unchanged
}

// changed returns the verdict of a kernel that changed one way, -1 for the worse.
func changed(way int) Verdict {
	if way < 0 {
		return Regression
	}
	return Improvement
}

// traded returns the verdict of a kernel whose occupancy moved one way, -1 for
// down, and whose time moved such that this is neither better nor worse.
func traded(way int) Verdict {
	if way < 0 {
		return Faster
	}
	return Slower
}

// moved reports whether occupancy moved one way, -1 for down: busy occupancy if
// both sides have it and the measured one does not move the other way, and the
// measured one if it is comparable. With another launch, the residual has to
// have moved as well.
func (r *Row) moved(way int, other bool) bool {
	loaded, measured := r.busy(), r.Measured()
	// Two values that move opposite ways show that something else changed.
	if loaded.Moved() == way && measured.Moved() != -way &&
		(!other || r.Delta(compare.MetricBusyResidual).Moved() == way) {
		return true
	}
	// If busy occupancy is known and did not move, the measured one of another
	// launch proves nothing.
	if !other && (r.trade() != 0 || !r.comparable()) || other && loaded.Change.Present() {
		return false
	}
	return measured.Moved() == way && (!other || r.Delta(compare.MetricResidual).Moved() == way)
}

// pace returns 1 if launches became faster, -1 if they became slower, and 0 if
// their times are alike to a tenth, unknown, or not significantly different.
func (r *Row) pace() int {
	switch x, ok := r.time().Ratio.Value(); {
	case !ok || r.time().Insignificant():
		return 0
	case x < 1/(1+timeDiffers):
		return 1
	case x > 1+timeDiffers:
		return -1
	}
	return 0
}

// OtherTime reports whether a launch of the same work takes another time, by
// more than a tenth and by more than a test calls noise.
func (r *Row) OtherTime() bool { return r.pace() != 0 && !hasChange(r.Changes, ChangeGlobal) }

// trade returns the way that measured occupancy moved if launches became faster
// while it fell, or slower while it rose, and 0 otherwise.
func (r *Row) trade() int {
	m, pace := r.Measured(), r.pace()
	if change := m.Change.Or(0) * float64(-pace); pace == 0 || m.Insignificant() || change <= float64(digit) {
		return 0
	}
	return -pace
}

// comparable reports whether nothing contradicts comparing measured
// occupancies.
func (r *Row) comparable() bool {
	if r.Old.Exact && r.New.Exact {
		return true
	}
	if x, ok := r.time().Ratio.Value(); ok && max(x, 1/x) > 1+timeDiffers {
		return false
	}
	return r.Old.Misattributed.Or(0) <= compare.MisattributedMedium &&
		r.New.Misattributed.Or(0) <= compare.MisattributedMedium
}

// Reversed reports whether all runs of the old side were collected after those
// of the new one, as far as their times are known.
func (d *Result) Reversed() bool {
	var times [2][]time.Time
	for i, runs := range [][]*compare.Result{d.Old.Runs, d.New.Runs} {
		for _, r := range runs {
			if t := r.Platform.Collected; !t.IsZero() {
				times[i] = append(times[i], t)
			}
		}
	}
	return len(times[0]) > 0 && len(times[1]) > 0 &&
		slices.MinFunc(times[0], time.Time.Compare).After(slices.MaxFunc(times[1], time.Time.Compare))
}

// speedupOf describes what more occupancy is worth to a kernel on the new side.
// Runs that disagree tell nothing.
func speedupOf(r *Row) compare.PotentialSpeedup {
	untold := compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{compare.SpeedupUndetermined}}
	if !r.IsKernel || r.New == nil {
		return untold
	}
	list := r.samples[1].speedup
	for _, x := range list {
		if !slices.Equal(x.Verdicts, list[0].Verdicts) {
			untold.Evidence = "its runs differ in it"
			return untold
		}
	}
	return list[0]
}

const (
	Alpha      = 0.05 // a change is significant when its p is below
	confidence = 0.95 // of the interval of a median
)

// digit absorbs binary fractions when a change is compared with a threshold
// given in decimals.
const digit unit.Points = 1e-9

// A Sample contains the values of one quantity in the runs of one side.
type Sample struct {
	N      int // runs that have a value
	Median unit.Opt[float64]
	// Low and High are the interval of the median, Confidence how sure that is;
	// see Delta.
	Low        unit.Opt[float64]
	High       unit.Opt[float64]
	Confidence unit.Opt[float64]
}

// Delta is one metric on both sides: of times it has their ratio, of everything
// else the change. From 4 runs per side on it is tested (Mann-Whitney,
// two-sided) and has intervals: those of 4 and 5 runs reach from the smallest
// to the largest value and hold the median with 87.5 and 93.8 % confidence,
// from 6 runs on the confidence that was asked for is reached.
type Delta struct {
	Metric string // its name
	Old    Sample
	New    Sample
	Change unit.Opt[float64]
	Ratio  unit.Opt[float64]
	P      unit.Opt[float64] // two-sided; absent with fewer than 4 runs per side
	// Significant is absent where nothing was tested. Of occupancies it is what
	// remains when all kernels are looked at together.
	Significant unit.Opt[bool]
	// what the change of an occupancy has to exceed to count; absent where nothing goes by it
	Limit unit.Opt[unit.Points]
}

// Insignificant reports whether a test found that chance may explain the
// change: it is shown as `~`.
func (d *Delta) Insignificant() bool { return !d.Significant.Or(true) }

// Moved describes which way it went beyond its limit: -1 down, 1 up, 0 when it
// did not, or a test says that it may be chance.
func (d *Delta) Moved() int {
	limit := float64(d.Limit.Or(0) + digit)
	switch c, ok := d.Change.Value(); {
	case !ok || d.Insignificant():
	case c < -limit:
		return -1
	case c > limit:
		return 1
	}
	return 0
}

func sampleOf(xs []float64) Sample {
	s := Sample{N: len(xs), Median: unit.Maybe(stat.Median(xs))}
	if len(xs) < stat.MinPerSide {
		return s
	}
	sure := confidence
	// Smallest to largest value hold the median with 1 - 2^(1-n); more cannot
	// be had of n values.
	if most := 1 - 2/float64(uint64(1)<<min(len(xs), 60)); most < sure {
		sure = most - 1e-9
	}
	if i, ok := stat.MedianInterval(xs, sure); ok {
		s.Low, s.High, s.Confidence = unit.Some(i.Low), unit.Some(i.High), unit.Some(i.Confidence)
	}
	return s
}

// deltaOf compares the samples of a metric. There is no ratio to a time of
// zero.
func deltaOf(m compare.Metric, older, newer []float64) Delta {
	r := Delta{Metric: m.Name, Old: sampleOf(older), New: sampleOf(newer)}
	was, hadOne := r.Old.Median.Value()
	is, hasOne := r.New.Median.Value()
	switch {
	case !hadOne || !hasOne:
	case m.Unit != "s":
		r.Change = unit.Some(is - was)
	case was > 0 && is > 0:
		r.Ratio = unit.Some(is / was)
	}
	if min(r.Old.N, r.New.N) < stat.MinPerSide {
		return r
	}
	if t, ok := stat.MannWhitney(older, newer); ok {
		r.P, r.Significant = unit.Some(t.P), unit.Some(t.P < Alpha)
	}
	return r
}

// finest is the least variance that is believed, in squared points: figures are
// printed with one digit.
const finest = 0.05 * 0.05

// evidence is the part of a row that stepDown uses for a metric.
type evidence struct {
	delta  *Delta
	spread stat.Variance
	own    bool // the spread comes from the row's runs and not from a history
}

// evidenceOf returns what the rows bring of a metric: their own spread from 4
// runs per side on, otherwise that of the history, where there is one.
func (d *Result) evidenceOf(metric string) (list []evidence) {
	at := compare.MetricNamed(metric)
	for i := range d.Rows {
		row := &d.Rows[i]
		e := evidence{delta: row.Delta(metric)}
		switch {
		case !row.IsKernel || !e.delta.Change.Present():
			continue
		case e.delta.P.Present():
			e.spread, e.own = pooled(row.samples[0].values[at], row.samples[1].values[at]), true
		case d.Options.Noise == nil:
			continue
		default:
			var ok bool
			if e.spread, ok = d.Options.Noise(row, metric); !ok {
				continue
			}
		}
		list = append(list, e)
	}
	return list
}

// stepDown describes which changes of occupancy are significant when all
// kernels are looked at together. From 4 runs per side on a change has to pass
// Mann-Whitney's test by itself, which outliers do not mislead, and Student's t
// with the kernels' spreads shrunk to each other, stepped down after Holm:
// ranks of 4 + 4 runs cannot be rare enough for many kernels. With fewer runs
// the spread is the history's, where there is one.
func (d *Result) stepDown() {
	var all []evidence
	var ps []float64
	for _, metric := range []string{compare.MetricBusy, compare.MetricMeasured} {
		list := d.evidenceOf(metric)
		var own []stat.Variance
		for _, e := range list {
			if e.own {
				own = append(own, e.spread)
			}
		}
		prior := stat.NewPrior(own)
		for _, e := range list {
			v, freedom := e.spread.Value, e.spread.Freedom
			if e.own {
				v, freedom = prior.Shrink(e.spread)
			}
			runs := 1/float64(e.delta.Old.N) + 1/float64(e.delta.New.N)
			ps = append(ps, stat.TwoSided(e.delta.Change.Or(0)/math.Sqrt(v*runs), freedom))
		}
		all = append(all, list...)
	}
	for i, significant := range stat.Holm(ps, Alpha) {
		all[i].delta.Significant = unit.Some(significant && all[i].delta.P.Or(0) < Alpha)
	}
}

// pooled returns the variance within two samples.
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
