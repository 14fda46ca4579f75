// Package diff compares runs of the same kernels: an old side and a new side, each
// with one run or with repeats. It pairs kernels by their launch, tests whether
// occupancy and time changed, and decides for each kernel whether the change is a
// regression, an intended change, or inconclusive. For many runs of one program,
// it finds the runs that differ from the others.
//
// A sampled counter varies between runs of one program, so measured occupancy
// alone is not sufficient. The busy occupancy varies the least, the residual
// excludes the effect of the launch itself, and the launch times show whether two
// values belong to the same kind of launch. The package depends on results of
// compare and on statistics. It must not know files, or how a diff is shown.
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

// Verdict of a kernel that was run on two sides.
type Verdict string

// The verdicts of a diff, by these rules in turn:
//
//   - The busy occupancy is the figure to trust: days and programs move the measured one by 9 points and
//     this by one. A kernel is a regression when it fell by more than the threshold, three times the threshold where a
//     launch is below a sampling interval on either side; an improvement when it rose by as much. Where launches are
//     tested and became faster by more than a tenth, a kernel that fell is faster at lower occupancy.
//   - A kernel whose launches became faster by more than a tenth while measured occupancy fell is that, too.
//   - Swapping the sides mirrors each verdict. So launches that became slower while occupancy rose are slower at higher
//     occupancy, and launches that are slower and have a lower occupancy are a regression.
//   - Measured occupancy is comparable when launches take as long as before, to a tenth, and most instructions are in
//     rows of kernels, as far as either is known. Then it is a regression or an improvement too, beyond the threshold;
//     twice that where a history knows the noise.
//   - All else is not comparable, and so is what has no measured occupancy on both sides: missing is not zero.
//
// A kernel that spills more, or has more private memory, is a regression if no
// rule on its occupancy decides and its launches are not faster by more than a
// tenth. One that spills less is an improvement under the mirrored conditions.
// The compiler's numbers have no noise.
//
// From 4 runs per side on all changes are tested. With fewer, and without a
// history that knows the noise, no test is possible: what moved by less than
// SingleRuns cannot be determined.
//
// Where the launch or the device is not the same, the residual (what was seen -
// what was predicted) has to have moved like that too: a work-group size that
// was changed on purpose may lower occupancy by exactly what was predicted, and
// that is a change, not a regression.
const (
	Regression    Verdict = "regression"
	Improvement   Verdict = "improvement"
	Faster        Verdict = "faster at lower occupancy"
	Slower        Verdict = "slower at higher occupancy"
	Unchanged     Verdict = "unchanged"    // not significant, or within the threshold
	Inconclusive  Verdict = "inconclusive" // too few runs to tell so small a change from noise
	ChangedLaunch Verdict = "changed launch"
	ChangedDevice Verdict = "changed device"
	OnlyOld       Verdict = "only old"
	OnlyNew       Verdict = "only new"
	NotComparable Verdict = "not comparable"
	NotAKernel    Verdict = "not a kernel" // copies, barriers, fills: times are shown, nothing is judged
)

// verdicts are in the order in which rows are shown.
var verdicts = [...]Verdict{Regression, ChangedLaunch, ChangedDevice, Slower, Faster, Improvement, OnlyOld, OnlyNew,
	NotComparable, Inconclusive, Unchanged, NotAKernel}

// Options say when a change counts.
type Options struct {
	Threshold unit.Points // the floor: a smaller change of occupancy is none, whatever a test says
	// Noise returns what a history knows of the spread of a kernel's occupancy,
	// by the name of the metric (of busy XVEs, or measured), in squared points.
	// With it fewer than 4 runs per side can be judged. It may be nil.
	Noise func(r *Row, metric string) (stat.Variance, bool)
}

// DefaultOptions are 2 points, the value that people's own scripts use.
func DefaultOptions() Options { return Options{Threshold: 2} }

// Side is one side of a diff: the runs are repeats of one program, a sample
// each.
type Side struct {
	Name string // what the user calls it, a path; may be empty
	Runs []*compare.Result
}

// Launch describes a kernel's launch on one side.
type Launch struct {
	Global    ingest.Size3
	Local     ingest.Size3
	SIMD      unit.Opt[int]
	Adapter   unit.Opt[string] // of the row when the export names one
	Registers unit.Opt[int]
	SLM       unit.Opt[unit.Bytes]
	Spill     unit.Opt[unit.Bytes] // per thread
	Private   unit.Opt[unit.Bytes] // private memory per thread
	// File and Line belong to the first run that has the kernel. Unmeasurable
	// counts the runs whose value can belong to other kernels. They are not
	// samples.
	File         unit.Opt[string]
	Line         unit.Opt[int]
	Runs         int // runs that have the kernel
	Of           int // all runs of the side
	Unmeasurable int
	Total        unit.Opt[unit.Seconds] // median over the runs
	// Intervals is the least mean launch time over the runs in sampling
	// intervals, Misattributed the most of what was counted in rows of no
	// kernel. Exact says that the counters were read around each launch.
	Intervals     unit.Opt[float64]
	Misattributed unit.Opt[unit.Ratio]
	Exact         bool
}

// Row is one kernel on both sides, or on one. It is complete when Compare
// returns, and does not change.
type Row struct {
	Task      string
	Direction unit.Opt[string]
	IsKernel  bool
	Old       *Launch // nil on the side that does not have it
	New       *Launch
	Changes   []Change // of the launch, in the order of Change; never nil
	Deltas    []Delta  // metrics that at least one side has, in their order; see Delta

	Verdict Verdict
	Share   unit.Opt[unit.Ratio]     // of the time of all tasks, on the side where it is larger
	Speedup compare.PotentialSpeedup // of more occupancy, on the new side

	samples [2]*samples
}

// Summary counts the verdicts of kernels.
type Summary struct {
	Kernels       int               `json:"kernels"`
	Regressions   int               `json:"regressions"`
	Improvements  int               `json:"improvements"`
	Faster        int               `json:"faster_at_lower_occupancy"`
	Slower        int               `json:"slower_at_higher_occupancy"`
	Unchanged     int               `json:"unchanged"`
	ChangedLaunch int               `json:"changed_launch"`
	ChangedDevice int               `json:"changed_device"`
	OnlyOld       int               `json:"only_old"`
	OnlyNew       int               `json:"only_new"`
	NotComparable int               `json:"not_comparable"`
	NotKernels    int               `json:"not_kernels"`
	Tested        int               `json:"tested"` // kernels whose measured occupancy was tested, the rest has too few runs
	TimeRatio     unit.Opt[float64] `json:"time_ratio"`
	TimePairs     int               `json:"time_pairs"` // that TimeRatio is of
	// OtherWork counts the paired kernels with another global size: their times
	// are of another amount of work and are left out of TimeRatio.
	OtherWork    int `json:"time_left_out"`
	Inconclusive int `json:"inconclusive"`
	Missing      int `json:"missing"`
}

// Result is two sides, compared. Its rows are in the order of Verdicts, then by
// time; tasks that are not a kernel last.
type Result struct {
	Old, New Side
	Options  Options
	Rows     []Row
	Changes  []Change // of the whole run first, then of kernels
	Summary  Summary
	Notes    []note.Note

	otherDevice bool
}

// CompareSides compares each of the other sides with the first. All are
// compared with one, and not against each other: of five that would be ten
// comparisons.
func CompareSides(first Side, others []Side, opt Options) []*Result {
	list := make([]*Result, len(others))
	for i, other := range others {
		list[i] = compareTwo(first.Runs, other.Runs, opt)
		list[i].Old.Name, list[i].New.Name = first.Name, other.Name
	}
	return list
}

// compareTwo compares two sides kernel by kernel. Each run is one sample. Kernels
// are paired by task, launch size, SIMD width, direction, and adapter. The
// remaining kernels are paired by the parts that they share, if the pair is
// unique, and then by names without their variable parts.
func compareTwo(older, newer []*compare.Result, opt Options) *Result {
	d := &Result{Options: opt}
	copied := d.take(older, newer)
	d.Changes = d.runChanges()
	d.otherDevice = hasChange(d.Changes, ChangeDevice)
	for _, p := range pair(collect(d.Old.Runs), collect(d.New.Runs)) {
		d.Rows = append(d.Rows, rowOf(p))
	}
	// Tests come first and for all kernels: what is significant depends on how
	// many were looked at.
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

// rowOf compares a pair as far as its verdict.
func rowOf(sides [2]*samples) Row {
	row := Row{Changes: []Change{}}
	of := [2]*Launch{}
	for i, s := range sides { // the name of now, where it moved
		if s == nil {
			sides[i] = &samples{values: make([][]float64, len(compare.Metrics()))}
			continue
		}
		row.Task, row.Direction, row.IsKernel = s.key.Task, unit.NonZero(string(s.key.Direction)), !s.notAKernel
		of[i] = &s.launch
		if s.share.Present() {
			row.Share = unit.Some(max(row.Share.Or(0), s.share.Or(0)))
		}
	}
	row.Old, row.New, row.samples = of[0], of[1], sides
	for i, m := range compare.Metrics() {
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

// Delta returns the change of a metric. It is empty if neither side has it.
func (r *Row) Delta(metric string) *Delta {
	for i := range r.Deltas {
		if r.Deltas[i].Metric == metric {
			return &r.Deltas[i]
		}
	}
	return &Delta{Metric: metric}
}

// Measured, loaded and time are the deltas that rules go by.
func (r *Row) Measured() *Delta { return r.Delta(compare.MetricMeasured) }
func (r *Row) busy() *Delta     { return r.Delta(compare.MetricBusy) }
func (r *Row) time() *Delta     { return r.Delta(compare.MetricTime) }

// Compare orders rows for reading: kernels before other tasks, what one side
// lacks and takes its time first, then by verdict and time. Equal rows stay in
// the order of the new side.
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

// Seconds is the larger total time of the two sides, below zero when none is
// known.
func (r *Row) Seconds() unit.Seconds {
	longest := unit.Seconds(-1)
	for _, l := range []*Launch{r.Old, r.New} {
		if l != nil {
			longest = max(longest, l.Total.Or(-1))
		}
	}
	return longest
}

// summarize counts the rows, in their order.
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
		*[...]*int{&s.Regressions, &s.ChangedLaunch, &s.ChangedDevice, &s.Slower, &s.Faster, &s.Improvements,
			&s.OnlyOld, &s.OnlyNew,
			&s.NotComparable, &s.Inconclusive, &s.Unchanged}[slices.Index(verdicts[:], r.Verdict)]++
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
