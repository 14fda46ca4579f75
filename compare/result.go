// Package compare lines predicted and measured occupancy up, kernel by kernel: it joins a run with a device and the
// model, takes the differences, gives each row a verdict and a cause, and sums up. It does not know file formats or
// layout.
//
// A row of an export is a mean over samples, and a sample is a mean over whatever ran in an interval of a
// millisecond. So the account comes first: it splits the thread slots' time into parts that add up, each a
// difference of two figures that were measured or follow from the launch. A cause is a reason for one part. It is
// claimed with "high" where a figure that has nothing to do with occupancy proves it, with "medium" where the
// simulated GPU shows it true in nine of ten runs, else with "low", and with what would decide it. threshold.go has
// each limit with its reason.
//
// What was tried and left: one cause for a whole row (most rows have two, and the larger hides the other); causes
// ranked by how well they fit alone (a launch with large GRF also drains, so its idle time was told twice: a
// candidate now has to give all parts at once); "gaps" wherever idle time was long (true in a third of the cases).
package compare

import (
	"math"

	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// Verdict of a row.
type Verdict string

// The verdicts.
const (
	Match         Verdict = "match"
	Idle          Verdict = "idle" // XVEs that ran held what is predicted; only idle time is missing
	Below         Verdict = "below"
	Above         Verdict = "above"
	PeaksAgree    Verdict = "peaks agree" // nothing was measured, and the profiler's peak is the predicted one
	Unmeasurable  Verdict = "unmeasurable"
	NoPrediction  Verdict = "no prediction"
	NoMeasurement Verdict = "no measurement" // neither measured nor a peak
	NotAKernel    Verdict = "not a kernel"   // copies, barriers, fills, outside any task
)

// Basis says which two numbers a difference is of.
type Basis string

// The bases.
const (
	BasisMeasured     Basis = "measured"                       // measured - predicted average
	BasisPeak         Basis = "profiler peak"                  // profiler's peak - predicted peak: two predictions
	BasisMeasuredPeak Basis = "measured against profiler peak" // no launch shape: measured - profiler's peak
)

// XVEs is what a prediction implies for the XVEs that hold no thread. It is that of work-groups that stay whole where
// both policies predict the same occupancies.
type XVEs struct {
	Policy predict.Policy
	predict.Range
	Floor unit.Ratio // the least idle share that either policy implies
	// Other is that of the other policy, where that predicts another average and so much else of the XVEs that nothing
	// is told by them.
	Other unit.Opt[predict.Range]
}

// both gives the occupancy of XVEs that run when threads go anywhere and when work-groups stay whole.
func (x *XVEs) both() []any {
	free, whole := x.Low.Loaded, x.Other.Or(x.Range).Low.Loaded
	if x.Policy == predict.Whole {
		free, whole = whole, free
	}
	return []any{free.Percent(), whole.Percent()}
}

// Row is one task with its three occupancies.
type Row struct {
	ingest.Kernel
	// Predicted is nil when the launch cannot be predicted; NoPredictionWhy then says why.
	Predicted    *predict.Prediction
	NoPrediction string
	// ModelPeak is the predicted peak that the profiler's is held against: the profiler does not know the GRF mode and
	// divides by all thread slots, so it is that of the mode with the most threads.
	ModelPeak unit.Ratio
	XVEs      XVEs // of Predicted

	// BusyOccupancy is measured / (1 - Idle), occupancy while any thread was loaded; absent where the two counters contradict.
	BusyOccupancy unit.Opt[unit.Ratio]
	ThreadLife    unit.Opt[unit.Seconds] // mean, by Little's law
	// HeldLow and HeldHigh are what the launches can have held by themselves, where other tasks can have made so much of
	// the measured value that it alone tells nothing.
	HeldLow, HeldHigh unit.Opt[unit.Ratio]

	Basis          Basis
	Difference     unit.Opt[unit.Points] // what was seen - the nearest end of what is predicted, 0 within it
	PeakDifference unit.Opt[unit.Points] // profiler's peak - predicted peak
	Verdict        Verdict
	Cause          *Cause // the surest one of the account, or that of the whole row
	Notes          []note.Note
	FromLog        bool // the row stands for a log's timing that no export row explains

	// What follows from all of the above; see Result.Finish.
	Certainty Certainty
	Account   *Account             // nil where nothing tells where the thread slots were
	Worth     Worth                // of more occupancy; zero of tasks that are no kernels
	TimeShare unit.Opt[unit.Ratio] // of the GPU time of all tasks
}

// ThreadsPredicted is how many threads all launches start together.
func (r *Row) ThreadsPredicted() unit.Opt[int64] {
	n, counted := r.Instances.Value()
	if r.Predicted == nil || !counted {
		return unit.Opt[int64]{}
	}
	launch := r.Predicted.Groups * r.Predicted.ThreadsPerGroup
	return unit.Maybe(launch*n, launch <= 0 || n <= math.MaxInt64/launch) // more is a count that nobody launched
}

// IdleLanes is the share of lanes without a work-item, in the last sub-group of each work-group. Occupancy does not
// show it.
func (r *Row) IdleLanes() unit.Opt[unit.Ratio] {
	p := r.Predicted
	if p == nil || p.GroupSize <= 0 {
		return unit.Opt[unit.Ratio]{}
	}
	return unit.Some(unit.Ratio(p.IdleLanes) / unit.Ratio(p.GroupSize+p.IdleLanes))
}

// Timing is a log's timing with the row it belongs to.
type Timing struct {
	ingest.Timing
	Row int // row of the Result, -1 when none
}

// Summary of the rows that are kernels.
type Summary struct {
	Kernels       int `json:"kernels"`
	Matched       int `json:"matched"`
	Idle          int `json:"idle" jsonschema:"filled as predicted while they ran; idle time may lie between launches"`
	Below         int `json:"below"`
	Above         int `json:"above"`
	Unmeasurable  int `json:"unmeasurable"`
	NoPrediction  int `json:"no_prediction"`
	NoMeasurement int `json:"no_measurement"`
	NotKernels    int `json:"not_kernels"`
	ModelCompared int `json:"model_compared" jsonschema:"kernels with both a predicted peak and one of the profiler"`
	ModelMatched  int `json:"model_matched"`
	Unexplained   int `json:"unexplained"`
	Judged        int `json:"judged" jsonschema:"kernels of which a measurement was held against the prediction"`
	NotJudged     int `json:"not_judged" jsonschema:"unmeasurable, without a prediction or a measurement, or compared with the profiler's peak alone"`

	// Of the rows that were compared. Absent when there are too few.
	Bias         unit.Opt[unit.Points] `json:"bias_points"`
	MeanAbsolute unit.Opt[unit.Points] `json:"mean_absolute_points"`
	MaxAbsolute  unit.Opt[unit.Points] `json:"max_absolute_points"`
	RMSE         unit.Opt[unit.Points] `json:"rmse_points"`
	Pearson      unit.Opt[float64]     `json:"pearson"`
	Spearman     unit.Opt[float64]     `json:"spearman"`

	PeaksAgree          int                    `json:"-"` // nothing was measured of them: they are among ModelMatched and NotJudged
	GPUTime, KernelTime unit.Opt[unit.Seconds] `json:"-"` // of all rows, of kernels
}

// Result is a run, compared.
type Result struct {
	ingest.Run              // without its kernels, which are in Rows, and timings
	Device     *arch.Device // nil when none is known
	ChosenBy   string       // what named it: "--device", "the form", "the summary: 112 XVE", ...
	Fit        Fit          // where none is known, or where it cannot be the one that ran
	// Sequence is how the launches follow each other, nil without a trace.
	Sequence *launches.Sequence
	// Rows are the kernels in the order for reading: what needs attention first, then by slot time lost. Each is
	// complete and does not change.
	Rows    []Row
	Timings []Timing
	Summary Summary
	Options Options // as used

	taskTime    unit.Seconds            // of all tasks
	adapterTime map[string]unit.Seconds // of those that name their adapter, by its name; "" is of all of them
	kernelTime  kernelTimes
	fromSummary bool  // the rows are those of a summary
	place       []int // the row of each kernel of the run
	withheld    *Cause
}

// Options are the tolerances and what the inputs do not say. Use DefaultOptions: the zero value has no tolerance.
type Options struct {
	Tolerance        unit.Points  // of measured against the range of the predicted average
	SamplingInterval unit.Seconds // of the GPU counters
	SamplingAssumed  bool         // nobody said so: it is the collector's default
	MemoryBandwidth  float64      // GB/s that memory moves at most; 0 is the device table's figure
	// Local and SIMD complete rows and timings of logs that lack them.
	Local names.ByName[unit.Size3]
	SIMD  names.ByName[int]
	// Naming is how whoever asks names a device.
	Naming arch.Naming
}

// DefaultOptions are 5 points and 1 ms.
func DefaultOptions() Options {
	return Options{Tolerance: 5, SamplingInterval: 0.001, SamplingAssumed: true}
}

// within is the rule of the tolerance: whether so many points are no difference.
func (o *Options) within(p unit.Points) bool { return !o.beyond(abs(p), 0) }

// beyond says whether so many points, but for those that something else explains, are a difference.
func (o *Options) beyond(p, explained unit.Points) bool { return p > o.Tolerance+explained+digit }
