// Package diff compares runs of the same kernels: an old side and a new side, each
// with one run or with repeats. It pairs kernels by their launch, tests whether
// occupancy and time changed, and decides for each kernel whether the change is a
// regression, an intended change, or inconclusive. For many runs of one program,
// it finds the runs that differ from the others.
//
// A sampled counter varies between runs of one program, so measured occupancy
// alone is not sufficient. Three other values help. The busy occupancy varies
// the least. The residual excludes the effect of the launch itself. The launch
// times show whether two values belong to the same kind of launch. The package
// depends on results of compare and on statistics. It must not depend on files,
// or on how a diff is shown.
package diff

import (
	"cmp"
	"slices"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Verdict of a kernel that ran on two sides.
type Verdict string

// The verdicts of a diff. These rules apply in order:
//
//   - Busy occupancy is the most reliable metric: between days and programs,
//     measured occupancy varies by 9 points and busy occupancy by one. A kernel
//     is a regression if its busy occupancy fell by more than the threshold. If
//     a launch is shorter than a sampling interval on either side, the limit is
//     three times the threshold. A kernel is an improvement if its busy
//     occupancy rose by more than the same limit. If busy occupancy fell and
//     tested launch times are more than 10% faster, the kernel is faster at
//     lower occupancy.
//   - A kernel whose launches became more than 10% faster while its measured
//     occupancy fell is also faster at lower occupancy.
//   - Swapping the sides mirrors each verdict. So a kernel is slower at higher
//     occupancy if its launches became slower while occupancy rose, and it is a
//     regression if its launches became slower while occupancy fell.
//   - Measured occupancy is comparable if launches take as long as before,
//     within 10%, and if most instructions are in kernel rows. A condition
//     whose values are unknown is ignored. If measured occupancy is comparable,
//     a change beyond the threshold is a regression or an improvement.
//   - If no occupancy moved, but tested launch times are more than 10% slower or
//     faster, the kernel is slower or faster at the same occupancy. This is not
//     a regression, because only occupancy is judged.
//   - Every other kernel is not comparable, including kernels that lack
//     measured occupancy on either side, because a missing value is not zero.
//
// A kernel that spills more, or has more private memory, is a regression if no
// rule about its occupancy decides and its launches are not more than 10%
// faster. A kernel that spills less is an improvement under the mirrored
// conditions. These rules need no test, because the compiler's numbers have no
// noise.
//
// With at least 4 runs per side, all changes are tested. With fewer runs, and
// without a history that knows the noise, no test is possible. A change below
// SingleRuns then cannot be distinguished from noise.
//
// If the launch or the device changed, the residual (measured - predicted) must
// have changed in the same direction, too. For example, an intended change of
// the work-group size may lower occupancy by exactly the predicted amount. That
// is a change, not a regression. If measured occupancy and the residual fell,
// but busy occupancy did not, the kernel is not judged; see Unfollowed.
const (
	Regression    Verdict = "regression"
	Improvement   Verdict = "improvement"
	Faster        Verdict = "faster at lower occupancy"
	Slower        Verdict = "slower at higher occupancy"
	SlowerSame    Verdict = "slower at the same occupancy"
	FasterSame    Verdict = "faster at the same occupancy"
	Unchanged     Verdict = "unchanged"    // the change is not significant, or within the threshold
	Inconclusive  Verdict = "inconclusive" // too few runs to distinguish such a small change from noise
	ChangedLaunch Verdict = "changed launch"
	ChangedDevice Verdict = "changed device"
	OnlyOld       Verdict = "only old"
	OnlyNew       Verdict = "only new"
	NotComparable Verdict = "not comparable"
	NotAKernel    Verdict = "not a kernel" // copies, barriers, fills: their times are shown, but they are not judged
)

// verdicts lists the verdicts in display order.
var verdicts = [...]Verdict{Regression, ChangedLaunch, ChangedDevice, SlowerSame, Slower, Faster, FasterSame,
	Improvement, OnlyOld, OnlyNew, NotComparable, Inconclusive, Unchanged, NotAKernel}

// Options defines which changes count.
type Options struct {
	Threshold unit.Points // smallest occupancy change that counts, even if it is significant
	// Noise returns the variance of a kernel's occupancy according to a
	// history, in squared points. metric is the name of measured or busy
	// occupancy. With Noise, fewer than 4 runs per side can be judged. It may
	// be nil.
	Noise func(r *Row, metric string) (stat.Variance, bool)
}

// DefaultOptions returns a threshold of 2 points, which is the value in users'
// own scripts.
func DefaultOptions() Options { return Options{Threshold: 2} }

// Side is one side of a diff: repeated runs of one program, one sample per run.
type Side struct {
	Name string // the user's name for the side, for example a path; may be empty
	Runs []*compare.Result
}

// Launch describes a kernel's launch on one side.
type Launch struct {
	Global    ingest.Size3
	Local     ingest.Size3
	SIMD      unit.Opt[int]
	Adapter   unit.Opt[string] // adapter of the row, if the export names it
	Registers unit.Opt[int]
	SLM       unit.Opt[unit.Bytes]
	Spill     unit.Opt[unit.Bytes] // spilled registers per thread
	Private   unit.Opt[unit.Bytes] // private memory per thread
	// File and Line locate the kernel in the first run that has it.
	// Unmeasurable is the number of runs whose value may belong to other
	// kernels. Such values are not used as samples.
	File         unit.Opt[string]
	Line         unit.Opt[int]
	Runs         int // runs that have the kernel
	Of           int // all runs on this side
	Unmeasurable int
	Total        unit.Opt[unit.Seconds] // median over the runs
	// Intervals is the shortest mean launch time of the runs, in sampling
	// intervals. Misattributed is the largest share of instructions outside
	// kernel rows in a run. Exact is set if the counters were read around each
	// launch.
	Intervals     unit.Opt[float64]
	Misattributed unit.Opt[unit.Ratio]
	Exact         bool
}

// Row is a kernel that is on both sides, or on one side. It is complete when
// Compare returns, and does not change.
type Row struct {
	Task      string
	Direction unit.Opt[string]
	IsKernel  bool
	Old       *Launch // nil if the old side lacks the kernel
	New       *Launch
	Changes   []Change // launch changes, in the order of the Change constants; never nil
	Deltas    []Delta  // metrics that at least one side has, in order; see Delta

	Verdict Verdict
	Share   unit.Opt[unit.Ratio]     // share of the time of all tasks, on the side with the larger share
	Speedup compare.PotentialSpeedup // potential speedup from more occupancy, on the new side

	samples [2]*samples
}

// Summary contains the kernel counts by verdict.
type Summary struct {
	Kernels       int               `json:"kernels"`
	Regressions   int               `json:"regressions"`
	Improvements  int               `json:"improvements"`
	Faster        int               `json:"faster_at_lower_occupancy"`
	Slower        int               `json:"slower_at_higher_occupancy"`
	SlowerSame    int               `json:"slower_at_the_same_occupancy"`
	FasterSame    int               `json:"faster_at_the_same_occupancy"`
	Unchanged     int               `json:"unchanged"`
	ChangedLaunch int               `json:"changed_launch"`
	ChangedDevice int               `json:"changed_device"`
	OnlyOld       int               `json:"only_old"`
	OnlyNew       int               `json:"only_new"`
	NotComparable int               `json:"not_comparable"`
	NotKernels    int               `json:"not_kernels"`
	Tested        int               `json:"tested"` // kernels whose measured occupancy was tested; the others have too few runs
	TimeRatio     unit.Opt[float64] `json:"time_ratio"`
	TimePairs     int               `json:"time_pairs"` // number of pairs that TimeRatio covers
	// OtherWork counts the paired kernels with different global sizes. Their
	// times measure a different amount of work, so TimeRatio leaves them out.
	OtherWork    int `json:"time_left_out"`
	Inconclusive int `json:"inconclusive"`
	Missing      int `json:"missing"`
}

// Result is a comparison of two sides. Its rows are in the order of verdicts,
// then by time, with tasks that are not kernels last.
type Result struct {
	Old, New Side
	Options  Options
	Rows     []Row
	Changes  []Change // whole-run changes first, then kernel changes
	Summary  Summary
	Notes    []note.Note

	otherDevice bool
}

// CompareSides returns a comparison of each other side with the first one. The
// other sides are not compared with each other, because five sides would
// already need ten comparisons.
func CompareSides(first Side, others []Side, opt Options) []*Result {
	list := make([]*Result, len(others))
	for i, other := range others {
		list[i] = compareTwo(first.Runs, other.Runs, opt)
		list[i].Old.Name, list[i].New.Name = first.Name, other.Name
	}
	return list
}

// compareTwo returns the comparison of two sides, kernel by kernel. Each run is
// one sample. Kernels are paired by task, launch size, SIMD width, direction,
// and adapter. The remaining kernels are paired by fewer properties if the pair
// is unique, and then by names without their variable parts.
func compareTwo(older, newer []*compare.Result, opt Options) *Result {
	d := &Result{Options: opt}
	copied := d.take(older, newer)
	d.Changes = d.runChanges()
	d.otherDevice = hasChange(d.Changes, ChangeDevice)
	for _, p := range pair(collect(d.Old.Runs), collect(d.New.Runs)) {
		d.Rows = append(d.Rows, rowOf(p))
	}
	// All kernels are tested before any is judged, because the significance of
	// a change depends on the number of tested kernels.
	d.stepDown()
	for i := range d.Rows {
		row := &d.Rows[i]
		if row.Old != nil {
			row.Old.Of = len(d.Old.Runs)
		}
		if row.New != nil {
			row.New.Of = len(d.New.Runs)
		}
		d.setLimits(row)
		row.Verdict, row.Speedup = d.judge(row), speedupOf(row)
	}
	slices.SortStableFunc(d.Rows, func(a, b Row) int { return a.Compare(&b) })
	d.summarize()
	d.addNotes(copied)
	return d
}

// rowOf returns the row of a pair, without its verdict.
func rowOf(sides [2]*samples) Row {
	row := Row{Changes: []Change{}}
	of := [2]*Launch{}
	for i, s := range sides { // the new name, if the kernel was renamed
		if s == nil {
			sides[i] = &samples{values: make([][]float64, len(compare.Metrics))}
			continue
		}
		row.Task, row.Direction, row.IsKernel = s.key.Task, unit.NonZero(string(s.key.Direction)), !s.notAKernel
		of[i] = &s.launch
		if s.share.Present() {
			row.Share = unit.Some(max(row.Share.Or(0), s.share.Or(0)))
		}
	}
	row.Old, row.New, row.samples = of[0], of[1], sides
	for i, m := range compare.Metrics {
		if a, b := sides[0].values[i], sides[1].values[i]; len(a)+len(b) > 0 {
			row.Deltas = append(row.Deltas, deltaOf(m, a, b))
		}
	}
	if row.Old != nil && row.New != nil {
		row.Changes = launchChanges(row.Task, row.Old, row.New)
		if was := sides[0].key.Task; was != row.Task {
			row.Changes = append([]Change{{ChangeName, unit.Some(row.Task), was, row.Task}}, row.Changes...)
		}
	}
	return row
}

// Delta returns a metric's change. It is empty if neither side has the metric.
func (r *Row) Delta(metric string) *Delta {
	for i := range r.Deltas {
		if r.Deltas[i].Metric == metric {
			return &r.Deltas[i]
		}
	}
	return &Delta{Metric: metric}
}

// Measured, busy, and time return the deltas that the rules use.
func (r *Row) Measured() *Delta { return r.Delta(compare.MetricMeasured) }
func (r *Row) busy() *Delta     { return r.Delta(compare.MetricBusy) }
func (r *Row) time() *Delta     { return r.Delta(compare.MetricTime) }

// Compare orders rows for display: kernels before other tasks, then kernels
// that one side lacks and that take a relevant share of its time, then by
// verdict and time. Equal rows keep the new side's order.
func (r *Row) Compare(o *Row) int {
	return cmp.Or(r.rank()-o.rank(), cmp.Compare(o.Seconds(), r.Seconds()))
}

func (r *Row) rank() int {
	rank := slices.Index(verdicts[:], r.Verdict)
	switch {
	case !r.IsKernel:
		rank += len(verdicts)
	case r.Missing():
		rank -= len(verdicts)
	}
	return rank
}

// Seconds returns the larger total time of the two sides, or a negative number
// if neither is known.
func (r *Row) Seconds() unit.Seconds {
	longest := unit.Seconds(-1)
	for _, l := range []*Launch{r.Old, r.New} {
		if l != nil {
			longest = max(longest, l.Total.Or(-1))
		}
	}
	return longest
}

// summarize counts the rows by verdict.
func (d *Result) summarize() {
	s, ratios := &d.Summary, []float64(nil)
	for i := range d.Rows {
		r := &d.Rows[i]
		d.Changes = append(d.Changes, r.Changes...)
		if !r.IsKernel {
			s.NotKernels++
			continue
		}
		s.Kernels++
		counts := [...]*int{&s.Regressions, &s.ChangedLaunch, &s.ChangedDevice, &s.SlowerSame, &s.Slower, &s.Faster,
			&s.FasterSame, &s.Improvements, &s.OnlyOld, &s.OnlyNew, &s.NotComparable, &s.Inconclusive, &s.Unchanged}
		*counts[slices.Index(verdicts[:], r.Verdict)]++
		if r.Missing() {
			s.Missing++
		}
		if r.Measured().P.Present() {
			s.Tested++
		}
		switch x, ok := r.time().Ratio.Value(); {
		case !ok:
		case hasChange(r.Changes, ChangeGlobal):
			s.OtherWork++
		default:
			ratios = append(ratios, x)
		}
	}
	s.TimeRatio, s.TimePairs = unit.Maybe(stat.GeometricMean(ratios)), len(ratios)
}
