// Package rundiff compares runs of the same kernels: an old side and a new one, each of one run or of repeats. It pairs
// kernels by their launch, tests whether occupancy and time moved, and says for each kernel whether that is a
// regression, a change that was intended, or nothing that can be told. Many runs of one program it sets side by side,
// and says which of them stand out.
//
// The idea: a sampled counter moves between runs of one program, so the measured occupancy alone is no judge. The
// occupancy of XVEs that ran moves the least, the residual takes away what the launch itself changed, and the launch
// times say whether two values are of the same kind of launch at all. The package knows results of compare and the
// statistics; it knows neither files nor how a diff is shown.
package rundiff

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sync"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/ahead"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Verdict of a kernel that was run on two sides.
type Verdict string

// The verdicts of a diff, by these rules in turn:
//
//   - The occupancy of XVEs that ran is the figure to trust: days and programs move the measured one by 9 points and
//     this by one. A kernel is a regression when it fell by more than the threshold, three times the threshold where a
//     launch is below a sampling interval on either side; an improvement when it rose by as much. Where launches are
//     tested and became faster by more than a tenth, a kernel that fell is faster at lower occupancy.
//   - A kernel whose launches became faster by more than a tenth while measured occupancy fell is that, too.
//   - Measured occupancy is comparable when launches take as long as before, to a tenth, and most instructions stand in
//     rows of kernels, as far as either is known. Then it is a regression or an improvement too, beyond twice the
//     threshold. Launches that are faster and hold more are an improvement whatever else.
//   - All else is not comparable, and so is what has no measured occupancy on both sides: missing is not zero.
//
// From 4 runs a side on all changes are tested as well, and the threshold itself is enough for measured. Where the
// launch or the device is not the same, the residual (what was seen - what was predicted) has to have moved like that
// too: a work-group size that was changed on purpose may lower occupancy by exactly what was predicted, and that is a
// change, not a regression.
const (
	Regression    Verdict = "regression"
	Improvement   Verdict = "improvement"
	Faster        Verdict = "faster at lower occupancy"
	Unchanged     Verdict = "unchanged" // not significant, or within the threshold
	ChangedLaunch Verdict = "changed launch"
	ChangedDevice Verdict = "changed device"
	OnlyOld       Verdict = "only old"
	OnlyNew       Verdict = "only new"
	NotComparable Verdict = "not comparable"
	NotAKernel    Verdict = "not a kernel" // copies, barriers, fills: times are shown, nothing is judged
)

// Verdicts lists the verdicts in the order in which rows are shown.
func Verdicts() []Verdict {
	return []Verdict{Regression, ChangedLaunch, ChangedDevice, Faster, Improvement, OnlyOld, OnlyNew,
		NotComparable, Unchanged, NotAKernel}
}

// Options say when a change counts. Use DefaultOptions: the zero value finds nothing significant.
type Options struct {
	Threshold  unit.Points // the floor: a smaller change of occupancy is none, whatever a test says
	Alpha      float64     // a change is significant when its p is below
	Confidence float64     // of the interval of a median
	// Noise gives what a history knows of the spread of a kernel's occupancy, of XVEs that ran and measured, in squared
	// points. With it fewer than 4 runs a side can be judged. It may be nil.
	Noise func(*Row) (loaded, measured unit.Opt[stat.Variance])
}

// DefaultOptions are 2 points, the value that people's own scripts use, 5 % and 95 %.
func DefaultOptions() Options {
	return Options{Threshold: 2, Alpha: 0.05, Confidence: 0.95}
}

// Side is one side of a diff: the runs are repeats of one program, a sample each.
type Side struct {
	Name string // what the user calls it, a path; may be empty
	Runs []*compare.Result
}

// Launch is what a side knows of a kernel's launch.
type Launch struct {
	Global    ingest.Size3
	Local     ingest.Size3
	SIMD      unit.Opt[int]
	Adapter   unit.Opt[string] // of the row when the export names one
	Registers unit.Opt[int]
	SLM       unit.Opt[unit.Bytes]
	// File and Line are those of the first run that has the kernel; Unmeasurable are runs whose counter value is not
	// this kernel's: they are no samples.
	File         unit.Opt[string]
	Line         unit.Opt[int]
	Runs         int // that have the kernel
	Unmeasurable int
	Total        unit.Opt[unit.Seconds] // median over the runs
	// Intervals is the least mean launch time over the runs in sampling intervals, Crosstalk the most of what was
	// counted in rows of no kernel. Exact says that the counters were read around each launch.
	Intervals unit.Opt[float64]
	Crosstalk unit.Opt[unit.Ratio]
	Exact     bool
}

// Row is one kernel on both sides, or on one: also a row of the JSON and CSV outputs.
type Row struct {
	Task      string
	Direction unit.Opt[string]
	IsKernel  bool
	Old       *Launch // nil on the side that does not have it
	New       *Launch
	Changes   []Change // of the launch, in the order of Change; never nil

	Measured  Delta
	Residual  Delta
	Predicted Delta
	Loaded    Delta // occupancy of XVEs that ran
	Idle      Delta // share of the time in which the XVEs were idle
	Time      Delta
	// Parts of the account in the order of Parts; those that neither side tells are left out. Never nil.
	Parts []PartDelta

	Verdict Verdict
	Because unit.Opt[string]

	// Sensitivity is null where fewer than three runs, or runs of about one occupancy, do not tell it.
	Sensitivity *Sensitivity

	LoadedResidual Delta // Loaded - the predicted one, in points
	samples        [2][]sample
}

// PartDelta is a part of the account on both sides.
type PartDelta struct {
	Part compare.Part
	Delta
}

// Summary counts the verdicts of kernels.
type Summary struct {
	Kernels       int               `json:"kernels"`
	Regressions   int               `json:"regressions"`
	Proven        int               `json:"proven_regressions" jsonschema:"regressions that were told from noise: a gate fails on them alone"`
	Improvements  int               `json:"improvements"`
	Faster        int               `json:"faster_at_lower_occupancy"`
	Unchanged     int               `json:"unchanged"`
	ChangedLaunch int               `json:"changed_launch"`
	ChangedDevice int               `json:"changed_device"`
	OnlyOld       int               `json:"only_old"`
	OnlyNew       int               `json:"only_new"`
	NotComparable int               `json:"not_comparable"`
	NotKernels    int               `json:"not_kernels"`
	Tested        int               `json:"tested"` // kernels whose measured occupancy was tested, the rest has too few runs
	TimeRatio     unit.Opt[float64] `json:"time_ratio" jsonschema:"geometric mean of new / old"`
	TimePairs     int               `json:"time_pairs"` // that TimeRatio is of
	// OtherWork counts the paired kernels with another global size: their times are of another amount of work and are
	// left out of TimeRatio.
	OtherWork int `json:"time_left_out"`
}

// Result is two sides, compared. Its rows are in the order of Verdicts, then by time; tasks that are no kernels last.
// They are made when they are asked for: a row takes some 2 KB, and there may be millions.
type Result struct {
	Old, New Side
	Options  Options
	Changes  []Change // of the whole run first, then of kernels
	Summary  Summary
	Notes    []note.Note

	otherDevice  bool
	older, newer *launches
	rows         []kept
}

// kept is what is kept of a row.
type kept struct {
	older, newer int32 // of the launches, -1 on the side that does not have it
	rank         uint8 // of the verdict
	isKernel     bool
	Shows
	significant [2]int8 // what stepDown says of Loaded and Measured: 1 is yes, -1 no, 0 nothing
	seconds     unit.Seconds
	ratio       float64 // of the times, NaN for none
	changes     []Change
}

// Shows says what a row tells beside what every row does.
type Shows struct{ Tested, Loaded, Residual bool }

// A byte in each of a million rows instead of a text of 16.
var ranks = Verdicts()

// diff compares two sides kernel by kernel. Each run of a side is one sample; kernels are paired by task, launch
// shape, SIMD width, direction and adapter, and those that are left over by what they still share, where that is
// unique, and then by names without the parts that move.
func diff(older, newer []*compare.Result, opt Options) *Result {
	d := &Result{Options: opt}
	copied := d.take(older, newer)
	d.Changes = d.runChanges()
	d.otherDevice = hasChange(d.Changes, ChangeDevice)
	var both sync.WaitGroup
	// The two sides have nothing to do with each other, and each takes seconds for a million launches.
	both.Go(func() { d.older = collect(d.Old.Runs) })
	both.Go(func() { d.newer = collect(d.New.Runs) })
	both.Wait()
	d.rows = pair(d.older, d.newer)
	// Tests come first and for all kernels: what is significant depends on how many were looked at.
	if min(len(d.Old.Runs), len(d.New.Runs)) >= stat.MinPerSide || opt.Noise != nil {
		var all []evidence
		for _, list := range ahead.Items(len(d.rows), func(i int, into *[]evidence) {
			p := d.groups(i)
			row := d.row(p)
			*into = d.evidence(i, &row, p)
		}) {
			all = append(all, *list...)
		}
		d.stepDown(all)
	}
	for i, row := range ahead.Items(len(d.rows), d.compare) {
		k := &d.rows[i]
		k.rank = uint8(slices.Index(ranks, d.judge(row)))
		k.isKernel, k.seconds = row.IsKernel, row.Seconds()
		k.ratio, k.changes = row.Time.Ratio.Or(math.NaN()), row.Changes
		k.Shows = Shows{row.Measured.P.Present() || row.Time.P.Present(), row.Loaded.Change.Present(),
			row.Residual.Change.Present()}
		d.count(row, ranks[k.rank])
	}
	d.order()
	d.summarize()
	d.addNotes(copied)
	return d
}

// groups reads the samples of row i.
func (d *Result) groups(i int) groupPair {
	return groupPair{d.older.group(d.rows[i].older), d.newer.group(d.rows[i].newer)}
}

// compare makes row i as far as its verdict.
func (d *Result) compare(i int, into *Row) {
	*into = d.row(d.groups(i))
	d.rows[i].tell(into)
}

// Len gives the number of rows.
func (d *Result) Len() int { return len(d.rows) }

// Row gives row i, made in into, or anew when that is nil. It is safe for concurrent use.
func (d *Result) Row(i int, into *Row) *Row {
	if into == nil {
		into = new(Row)
	}
	d.compare(i, into)
	into.Verdict = d.Verdict(i)
	into.Because = unit.NonZero(d.because(into) + d.worthText(i, into.Verdict))
	return into
}

// Verdict gives that of row i, IsKernel whether it is of a kernel, Shows what it tells, Task its name.
func (d *Result) Verdict(i int) Verdict { return ranks[d.rows[i].rank] }

// IsKernel says whether row i is of a kernel.
func (d *Result) IsKernel(i int) bool { return d.rows[i].isKernel }

// Shows says what row i tells.
func (d *Result) Shows(i int) Shows { return d.rows[i].Shows }

// Task gives the name of row i.
func (d *Result) Task(i int) string {
	if k := &d.rows[i]; k.newer >= 0 {
		return d.newer.key(k.newer).Task
	}
	return d.older.key(d.rows[i].older).Task
}

// OneSide says whether only one side has row i.
func (d *Result) OneSide(i int) bool { return d.rows[i].older < 0 || d.rows[i].newer < 0 }

// All gives the rows in order. A row is good until the next one.
func (d *Result) All() iter.Seq2[int, *Row] {
	return ahead.Items(len(d.rows), func(i int, into *Row) { d.Row(i, into) })
}

// View gives the result with some of its rows, in another order. What it sums up is still of all rows.
func (d *Result) View(rows []int) *Result {
	v := *d
	v.rows = make([]kept, len(rows))
	for i, row := range rows {
		v.rows[i] = d.rows[row]
	}
	return &v
}

// row compares a pair.
func (d *Result) row(p groupPair) Row {
	row := Row{Changes: []Change{}, Parts: []PartDelta{}}
	older, newer := p.older, p.newer
	for _, g := range []*group{older, newer} { // the name of now, where it moved
		if g != nil {
			row.Task, row.Direction, row.IsKernel = g.key.Task, unit.NonZero(string(g.key.Direction)), !g.notAKernel
		}
	}
	if older != nil {
		row.Old = older.finish()
	} else {
		older = &group{}
	}
	if newer != nil {
		row.New = newer.finish()
	} else {
		newer = &group{}
	}
	row.Measured = d.points(older.measured, newer.measured)
	row.Residual = d.points(older.residual, newer.residual)
	row.Predicted = d.points(older.predicted, newer.predicted)
	row.Loaded = d.points(older.loaded, newer.loaded)
	row.LoadedResidual = d.points(older.loadedResidual, newer.loadedResidual)
	row.Idle = d.points(older.idle, newer.idle)
	row.Time = d.ratio(older.average, newer.average)
	row.samples = [2][]sample{older.samples, newer.samples}
	row.Sensitivity = sensitivityOf(slices.Concat(older.samples, newer.samples))
	for i, p := range parts {
		if a, b := older.parts[i], newer.parts[i]; len(a) > 0 || len(b) > 0 {
			row.Parts = append(row.Parts, PartDelta{p, d.points(a, b)})
		}
	}
	if row.Old != nil && row.New != nil {
		row.Changes = launchChanges(row.Task, row.Old, row.New)
		if was := older.key.Task; was != row.Task {
			row.Changes = append([]Change{{ChangeName, unit.Some(row.Task), was, row.Task}}, row.Changes...)
		}
	}
	return row
}

// order sorts the rows for reading; equal rows stay in the order of the new side.
func (d *Result) order() {
	slices.SortStableFunc(d.rows, func(a, b kept) int {
		if a.isKernel != b.isKernel {
			if a.isKernel {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.seconds, a.seconds))
	})
}

// Seconds is the larger total time of the two sides, below zero when none is known.
func (r *Row) Seconds() unit.Seconds {
	longest := unit.Seconds(-1)
	for _, l := range []*Launch{r.Old, r.New} {
		if l != nil {
			longest = max(longest, l.Total.Or(-1))
		}
	}
	return longest
}

// count counts a row with its verdict.
func (d *Result) count(r *Row, v Verdict) {
	s := &d.Summary
	if !r.IsKernel {
		s.NotKernels++
		return
	}
	s.Kernels++
	*[...]*int{&s.Regressions, &s.ChangedLaunch, &s.ChangedDevice, &s.Faster, &s.Improvements, &s.OnlyOld, &s.OnlyNew,
		&s.NotComparable, &s.Unchanged}[slices.Index(ranks, v)]++
	if r.Verdict = v; r.Proven() {
		s.Proven++
	}
	if r.Measured.P.Present() {
		s.Tested++
	}
	if r.Time.Ratio.Present() && hasChange(r.Changes, ChangeGlobal) {
		s.OtherWork++
	}
}

// summarize sums up over the rows in their order.
func (d *Result) summarize() {
	var ratios []float64
	for i := range d.rows {
		k := &d.rows[i]
		d.Changes = append(d.Changes, k.changes...)
		if k.isKernel && !math.IsNaN(k.ratio) && !hasChange(k.changes, ChangeGlobal) {
			ratios = append(ratios, k.ratio)
		}
	}
	d.Summary.TimeRatio = unit.Maybe(stat.GeometricMean(ratios))
	d.Summary.TimePairs = len(ratios)
}
