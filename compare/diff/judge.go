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
	// timeDiffers is the relative difference between launch times up to which
	// measured occupancies are comparable. shortLaunchTimes multiplies the
	// threshold for launches below a sampling interval, whose busy occupancy
	// varied by 5.6 to 6.2 points between runs of one program.
	timeDiffers                  = 0.1
	shortLaunchTimes unit.Points = 3

	// SingleRuns is the largest difference that was seen between single runs of
	// one program, over several days. If there are too few runs for a test, and
	// no history that knows the noise, a smaller change cannot be distinguished
	// from noise.
	SingleRuns unit.Points = 9
	// minShare is the smallest share of a run's time from which it matters that
	// only one side has a kernel.
	minShare = 0.01
)

// Missing reports whether only one side has the kernel and the kernel takes at
// least 1% of that side's time, or an unknown share.
func (r *Row) Missing() bool {
	return r.IsKernel && (r.Old == nil || r.New == nil) && r.Share.Or(1) >= minShare
}

// Unexplained reports whether a kernel's launch or device changed and the effect
// cannot be predicted.
func (r *Row) Unexplained() bool {
	return (r.Verdict == ChangedLaunch || r.Verdict == ChangedDevice) &&
		!r.Delta(compare.MetricResidual).Change.Present()
}

// Unfollowed reports whether a kernel's launch or device changed, and its
// measured occupancy fell by more than predicted, while its busy occupancy did
// not. Such a kernel may have regressed. The reason may also be the change
// itself: for example, a launch of half the work spends a larger share of its
// time in starting and ending.
func (r *Row) Unfollowed() bool {
	return (r.Verdict == ChangedLaunch || r.Verdict == ChangedDevice) &&
		r.Measured().Moved() < 0 && r.Delta(compare.MetricResidual).Moved() < 0
}

// setLimits sets the smallest change that counts for each occupancy. It is the
// threshold if the change was tested, and otherwise at least the difference
// between single runs.
func (d *Result) setLimits(row *Row) {
	if row.Old == nil || row.New == nil {
		return
	}
	loaded, measured := d.Options.Threshold, d.Options.Threshold
	for _, l := range []*Launch{row.Old, row.New} {
		// If the launch length is unknown, assume short launches, which is the
		// cautious choice.
		if n, ok := l.Intervals.Value(); !l.Exact && (!ok || n < 1) {
			loaded = shortLaunchTimes * d.Options.Threshold
		}
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

// Memory returns the change of spill or private memory per thread, and its
// direction: -1 for more memory, which is worse, 1 for less, and 0 for no
// change.
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

// judge returns the verdict by the rules that are listed with the verdicts.
func (d *Result) judge(row *Row) Verdict {
	v := d.judgeOccupancy(row)
	_, way := row.Memory()
	if way == 0 || !row.IsKernel || d.otherDevice || row.pace() == -way {
		return v
	}
	// With another sub-group size, a kernel spills a different amount. That
	// amount does not explain a different time.
	switch v {
	case ChangedLaunch:
		if row.pace() != way {
			return v
		}
		fallthrough
	case NotComparable, Inconclusive, Unchanged, SlowerSame, FasterSame:
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
	tested := row.tested()
	pace, way := row.pace(), row.Measured().Moved()
	if other {
		pace = 0 // intended changes may change the launch time, so the time proves nothing
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
	case pace != 0 && !(tested && row.time().Significant.Or(false)):
		return Inconclusive
	case pace < 0 && row.attributed():
		return SlowerSame
	case pace > 0 && row.attributed():
		return FasterSame
	case !row.comparable():
		return NotComparable
	case !tested:
		return Inconclusive
	}
	return Unchanged
}

// tested reports whether a change of the kernel's occupancy was tested, by its
// own runs or by the noise of a history.
func (r *Row) tested() bool {
	return r.Measured().Significant.Present() || r.busy().Significant.Present()
}

// changed returns the verdict for a kernel that became worse (-1) or better
// (1).
func changed(way int) Verdict {
	if way < 0 {
		return Regression
	}
	return Improvement
}

// traded returns the verdict for a kernel whose occupancy changed in one
// direction (-1 for down) while its time changed so that the kernel is neither
// better nor worse.
func traded(way int) Verdict {
	if way < 0 {
		return Faster
	}
	return Slower
}

// moved reports whether occupancy changed in the given direction (-1 for down).
// It uses busy occupancy if both sides have it and measured occupancy does not
// change in the opposite direction. Otherwise it uses measured occupancy, if
// that is comparable. If the launch changed, the residual must have changed in
// that direction, too.
func (r *Row) moved(way int, other bool) bool {
	loaded, measured := r.busy(), r.Measured()
	// Two values that change in opposite directions show that something else
	// changed.
	if loaded.Moved() == way && measured.Moved() != -way &&
		(!other || r.Delta(compare.MetricBusyResidual).Moved() == way) {
		return true
	}
	// If busy occupancy is known and did not change, a change of measured
	// occupancy proves nothing for another launch.
	if !other && (r.trade() != 0 || !r.comparable()) || other && loaded.Change.Present() {
		return false
	}
	return measured.Moved() == way && (!other || r.Delta(compare.MetricResidual).Moved() == way)
}

// pace returns 1 if launches became faster, -1 if they became slower, and 0 if
// their times are within 10%, unknown, or not significantly different.
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

// OtherTime reports whether launches of the same work take a different time.
// The difference must be more than 10%, and must not be due to noise according
// to the test.
func (r *Row) OtherTime() bool { return r.pace() != 0 && !hasChange(r.Changes, ChangeGlobal) }

// trade returns the direction in which measured occupancy changed, if it fell
// while launches became faster, or rose while they became slower. Otherwise it
// returns 0.
func (r *Row) trade() int {
	m, pace := r.Measured(), r.pace()
	if change := m.Change.Or(0) * float64(-pace); pace == 0 || m.Insignificant() || change <= float64(digit) {
		return 0
	}
	return -pace
}

// comparable reports whether measured occupancies may be compared, which is the
// case if no evidence contradicts it.
func (r *Row) comparable() bool {
	x, ok := r.time().Ratio.Value()
	return r.attributed() && (!ok || r.exact() || max(x, 1/x) <= 1+timeDiffers)
}

// attributed reports whether no evidence contradicts that the values belong to
// the kernel.
func (r *Row) attributed() bool {
	return r.exact() || r.Old.Misattributed.Or(0) <= compare.MisattributedMedium &&
		r.New.Misattributed.Or(0) <= compare.MisattributedMedium
}

// exact reports whether the counters were read around each launch on both
// sides.
func (r *Row) exact() bool { return r.Old.Exact && r.New.Exact }

// Reversed reports whether all runs on the old side were collected after all
// runs on the new side, as far as their times are known.
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

// speedupOf returns the potential speedup from more occupancy, on the new side.
// It is undetermined if the runs have different verdicts.
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
	Alpha      = 0.05 // a change is significant if its p is below Alpha
	confidence = 0.95 // confidence of the interval of a median
)

// digit absorbs binary rounding errors when a change is compared with a decimal
// threshold.
const digit unit.Points = 1e-9

// A Sample contains the values of one quantity in the runs of one side.
type Sample struct {
	N      int // runs that have a value
	Median unit.Opt[float64]
	// Low and High are the ends of the median's confidence interval. Delta
	// describes its confidence.
	Low        unit.Opt[float64]
	High       unit.Opt[float64]
	Confidence unit.Opt[float64]
}

// Delta is the change of one metric between the sides: a ratio for times,
// otherwise a difference. With at least 4 runs per side, the change is tested
// (Mann-Whitney, two-sided) and both medians have intervals. With 4 and 5 runs,
// an interval extends from the smallest to the largest value and contains the
// median with 87.5% and 93.8% confidence. With at least 6 runs, the interval
// reaches the requested confidence.
type Delta struct {
	Metric string // metric name
	Old    Sample
	New    Sample
	Change unit.Opt[float64]
	Ratio  unit.Opt[float64]
	P      unit.Opt[float64] // p of the two-sided test; absent with fewer than 4 runs per side
	// Significant is absent if nothing was tested. For an occupancy, the test
	// accounts for the number of tested kernels.
	Significant unit.Opt[bool]
	// Limit is the occupancy change that must be exceeded to count. It is
	// absent if no rule uses the metric.
	Limit unit.Opt[unit.Points]
}

// Insignificant reports whether a test found that the change may be due to
// noise. Such a change is shown as `~`.
func (d *Delta) Insignificant() bool { return !d.Significant.Or(true) }

// Moved returns the direction of a change that exceeds its limit: -1 for down,
// 1 for up. It returns 0 if the change is within the limit, or if it may be due
// to noise according to a test.
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
	// The smallest and largest of n values contain the median with confidence 1
	// - 2^(1-n), which is the maximum for n values.
	if most := 1 - 2/float64(uint64(1)<<min(len(xs), 60)); most < sure {
		sure = most - 1e-9
	}
	if i, ok := stat.MedianInterval(xs, sure); ok {
		s.Low, s.High, s.Confidence = unit.Some(i.Low), unit.Some(i.High), unit.Some(i.Confidence)
	}
	return s
}

// deltaOf returns the change of a metric between two samples. If the old time
// is zero, there is no ratio.
func deltaOf(m compare.MetricInfo, older, newer []float64) Delta {
	r := Delta{Metric: m.Name, Old: sampleOf(older), New: sampleOf(newer)}
	was, hadOne := r.Old.Median.Value()
	is, hasOne := r.New.Median.Value()
	switch {
	case !hadOne || !hasOne:
	case m.Unit != compare.InSeconds:
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

// finest is the smallest variance that is trusted, in squared points. A smaller
// variance only shows that values are printed with one decimal.
const finest = 0.05 * 0.05

// evidence is the part of a row that stepDown uses for one metric.
type evidence struct {
	delta  *Delta
	spread stat.Variance
	own    bool // the variance comes from the row's runs, not from a history
}

// evidenceOf returns the evidence of the rows for a metric. With at least 4
// runs per side, it contains the variance of the row's own runs. Otherwise, it
// contains the variance from the history, if there is a history.
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

// stepDown decides which occupancy changes are significant if all kernels are
// tested together. With at least 4 runs per side, a change must pass two tests.
// The first is the Mann-Whitney test of each change, which is robust against
// outliers. The second is Student's t-test, with variances that are shrunk
// toward each other and with Holm's step-down procedure. The second test is
// needed because with 4 + 4 runs, no order of the ranks is rare enough for many
// kernels. With fewer runs, the variance comes from the history, if there is
// one.
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

// pooled returns the variance of values around the mean of their own sample,
// over all samples.
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
