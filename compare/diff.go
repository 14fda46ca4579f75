package compare

import (
	"sort"

	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// DiffVerdict of a kernel that was run on two sides.
type DiffVerdict string

// The verdicts of a diff, by these rules in turn:
//
// - The occupancy of XVEs that ran is the figure to trust: days and programs move the measured one by 9 points and this
// by
// one. A kernel is a regression when it fell by more than the threshold, three times the threshold where a launch is
// below
//
//	a sampling interval on either side; an improvement when it rose by as much.
//
// - A kernel whose launches became faster by more than a tenth while measured occupancy fell is faster at lower
// occupancy.
// - Measured occupancy is comparable when launches take as long as before, to a tenth, and most instructions stand in
// rows of
// kernels, as far as either is known. Then it is a regression or an improvement too, beyond twice the threshold.
// Launches that
//
//	  are faster and hold more are an improvement whatever else.
//	- All else is not comparable, and so is what has no measured occupancy on both sides: missing is not zero.
//
// From 4 runs a side on all changes are tested as well, and the threshold itself is enough for measured. Where the
// launch or the device is not the same, the residual (what was seen - what was predicted) has to have moved like that
// too: a work-group size that was changed on purpose may lower occupancy by exactly what was predicted, and that is a
// change, not a regression.
const (
	DiffRegression    DiffVerdict = "regression"
	DiffImprovement   DiffVerdict = "improvement"
	DiffFaster        DiffVerdict = "faster at lower occupancy"
	DiffUnchanged     DiffVerdict = "unchanged" // not significant, or within the threshold
	DiffChangedLaunch DiffVerdict = "changed launch"
	DiffChangedDevice DiffVerdict = "changed device"
	DiffOnlyOld       DiffVerdict = "only old"
	DiffOnlyNew       DiffVerdict = "only new"
	DiffNotComparable DiffVerdict = "not comparable"
	DiffNotAKernel    DiffVerdict = "not a kernel" // copies, barriers, fills: times are shown, nothing is judged
)

// DiffVerdicts lists the verdicts in the order in which rows are shown.
func DiffVerdicts() []DiffVerdict {
	return []DiffVerdict{DiffRegression, DiffChangedLaunch, DiffChangedDevice, DiffFaster, DiffImprovement, DiffOnlyOld,
		DiffOnlyNew,
		DiffNotComparable, DiffUnchanged, DiffNotAKernel}
}

// DiffOptions say when a change counts. Use DefaultDiffOptions: the zero value finds nothing significant.
type DiffOptions struct {
	Threshold  unit.Points // the floor: a smaller change of occupancy is none, whatever a test says
	Alpha      float64     // a change is significant when its p is below
	Confidence float64     // of the interval of a median
}

// DefaultDiffOptions are 2 points, the value that people's own scripts use, 5 % and 95 %.
func DefaultDiffOptions() DiffOptions {
	return DiffOptions{Threshold: 2, Alpha: 0.05, Confidence: 0.95}
}

// DiffSide is one side of a diff: the runs are repeats of one program, a sample each.
type DiffSide struct {
	Name string // what the user calls it, a path; may be empty
	Runs []*Result
}

// DiffLaunch is what a side knows of a kernel's launch.
type DiffLaunch struct {
	Global, Local ingest.Size3
	SIMD          unit.Opt[int]
	Device        string // adapter of the row when the export names one
	Registers     unit.Opt[int]
	SLM           unit.Opt[unit.Bytes]
	Pos           note.Pos               // in the first run that has the kernel
	Runs          int                    // that have the kernel
	Unmeasurable  int                    // runs whose counter value is not this kernel's; they are no samples
	Total         unit.Opt[unit.Seconds] // median over the runs
	// Intervals is the least mean launch time over the runs in sampling intervals, Crosstalk the most of what was
	// counted in rows of no kernel. Exact says that the counters were read around each launch.
	Intervals unit.Opt[float64]
	Crosstalk unit.Opt[unit.Ratio]
	Exact     bool
}

// DiffRow is one kernel on both sides, or on one.
type DiffRow struct {
	Task       string
	Direction  ingest.Direction
	NotAKernel bool
	Old, New   *DiffLaunch // nil on the side that does not have it
	Changes    []Change    // of the launch, in the order of Change

	Measured       Delta // occupancy in percent, change in points
	Residual       Delta // measured - predicted average, in points
	Predicted      Delta // predicted average in percent
	Loaded         Delta // occupancy of XVEs that ran, in percent
	LoadedResidual Delta // that - the predicted one, in points
	Idle           Delta // share of the time in which the XVEs were idle, in percent
	Time           Delta // average time of a launch in seconds, change as new / old
	// Parts of the account, in points, in the order of Parts; those that neither side tells are left out.
	Parts []PartDelta

	Verdict DiffVerdict
	Because string // the figures behind the verdict, in sentences
}

// PartDelta is a part of the account on both sides.
type PartDelta struct {
	Part Part
	Delta
}

// DiffSummary counts the verdicts of kernels.
type DiffSummary struct {
	Kernels, Regressions, Improvements, Faster, Unchanged, ChangedLaunch, ChangedDevice, OnlyOld, OnlyNew,
	NotComparable, NotKernels int

	Tested    int               // kernels whose measured occupancy was tested, the rest has too few runs
	TimeRatio unit.Opt[float64] // geometric mean of new / old over TimePairs kernels
	TimePairs int
	// OtherWork counts the paired kernels with another global size: their times are of another amount of work and are
	// left out of TimeRatio.
	OtherWork int
}

// DiffResult is two sides, compared.
type DiffResult struct {
	Old, New DiffSide
	Options  DiffOptions
	Changes  []Change  // of the whole run first, then of kernels
	Rows     []DiffRow // in the order of DiffVerdicts, then by time; tasks that are no kernels last
	Summary  DiffSummary
	Notes    []note.Note
}

// Diff compares two sides kernel by kernel. Each run of a side is one sample; kernels are paired by task, launch shape,
// SIMD width, direction and adapter, and those that are left over by what they still share, where that is unique.
func Diff(older, newer []*Result, opt DiffOptions) *DiffResult {
	d := &DiffResult{Options: opt}
	copied := d.take(older, newer)
	d.Changes = d.runChanges()
	otherDevice := hasChange(d.Changes, ChangeDevice)
	for _, p := range pair(collect(d.Old.Runs), collect(d.New.Runs)) {
		d.Rows = append(d.Rows, d.row(p, otherDevice))
	}
	d.order()
	for i := range d.Rows {
		d.Changes = append(d.Changes, d.Rows[i].Changes...)
	}
	d.summarise()
	d.addNotes(copied)
	return d
}

// row compares a pair.
func (d *DiffResult) row(p groupPair, otherDevice bool) DiffRow {
	var row DiffRow
	older, newer := p.older, p.newer
	for _, g := range []*group{newer, older} {
		if g != nil {
			row.Task, row.Direction, row.NotAKernel = g.key.Task, g.key.Direction, g.notAKernel
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
	for _, p := range Parts() {
		if a, b := older.parts[p], newer.parts[p]; len(a) > 0 || len(b) > 0 {
			row.Parts = append(row.Parts, PartDelta{p, d.points(a, b)})
		}
	}
	if row.Old != nil && row.New != nil {
		row.Changes = launchChanges(row.Task, row.Old, row.New)
	}
	d.judge(&row, otherDevice)
	return row
}

// order sorts the rows for reading; equal rows stay in the order of the new side.
func (d *DiffResult) order() {
	rank := map[DiffVerdict]int{}
	for i, v := range DiffVerdicts() {
		rank[v] = i
	}
	sort.SliceStable(d.Rows, func(i, j int) bool {
		a, b := &d.Rows[i], &d.Rows[j]
		if a.NotAKernel != b.NotAKernel {
			return b.NotAKernel
		}
		if x, y := rank[a.Verdict], rank[b.Verdict]; x != y {
			return x < y
		}
		return a.seconds() > b.seconds()
	})
}

// seconds is the larger total time of the two sides, below zero when none is known.
func (r *DiffRow) seconds() unit.Seconds {
	longest := unit.Seconds(-1)
	for _, l := range []*DiffLaunch{r.Old, r.New} {
		if l != nil {
			longest = max(longest, l.Total.Or(-1))
		}
	}
	return longest
}

func (d *DiffResult) summarise() {
	s := &d.Summary
	counters := map[DiffVerdict]*int{
		DiffRegression: &s.Regressions, DiffImprovement: &s.Improvements, DiffFaster: &s.Faster,
		DiffUnchanged: &s.Unchanged, DiffChangedLaunch: &s.ChangedLaunch,
		DiffChangedDevice: &s.ChangedDevice, DiffOnlyOld: &s.OnlyOld, DiffOnlyNew: &s.OnlyNew,
		DiffNotComparable: &s.NotComparable,
	}
	var ratios []float64
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.NotAKernel {
			s.NotKernels++
			continue
		}
		s.Kernels++
		*counters[r.Verdict]++
		if r.Measured.Test.Present() {
			s.Tested++
		}
		if x, ok := r.Time.Change.Value(); ok {
			if hasChange(r.Changes, ChangeGlobal) {
				s.OtherWork++
			} else {
				ratios = append(ratios, x)
			}
		}
	}
	s.TimeRatio = number(stat.GeometricMean(ratios))
	s.TimePairs = len(ratios)
}
