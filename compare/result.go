// Package compare compares predicted and measured occupancy, kernel by kernel. It
// joins a run with a device and the model, computes the differences, sets the
// verdict and the cause of each row, and summarizes the run. It does not depend on
// file formats or layout.
//
// A row of an export is a mean over samples, and a sample is a mean over
// everything that ran in an interval of 1 ms. So a single difference mixes
// several reasons. The breakdown therefore comes first: it splits the time of
// the thread slots into parts that add up. Each part is a difference between
// two values that were measured or follow from the launch. A cause is a reason
// for one part. The confidence in a cause is the frequency with which it is
// true on two simulated GPUs. causes.go lists the causes and the evidence for
// each, and threshold.go lists the limits with their reasons.
//
// Considered and rejected:
//   - one cause for a whole row: most rows have two, and the larger one would
//     hide the other
//   - causes ranked by how well each fits alone: a launch with large GRF also
//     has idle time at its end, so its idle time was counted twice. Instead, a
//     candidate must explain all parts at once.
//   - "gaps" as the cause of all long idle time: true in only 33% of the cases
package compare

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/launches"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// Verdict is the result of comparing a row with its prediction.
type Verdict string

// The verdicts.
const (
	Match          Verdict = "match"
	MatchWhileBusy Verdict = "match while busy" // busy XVEs have the predicted occupancy; only idle time is missing
	Below          Verdict = "below"
	Above          Verdict = "above"
	Possible       Verdict = "possible"    // occupancy was not measured, but the array state admits the prediction
	PeaksAgree     Verdict = "peaks agree" // nothing was measured, and the two predicted peaks agree
	Unmeasurable   Verdict = "unmeasurable"
	NoPrediction   Verdict = "no prediction"
	NoMeasurement  Verdict = "no measurement" // the row has neither a measured value nor a profiler's peak
	NotAKernel     Verdict = "not a kernel"   // copies, barriers, fills, and samples outside any task
)

// VerdictInfo describes a verdict.
type VerdictInfo struct {
	Verdict
	Urgency  int  // rows with a higher urgency are shown first
	Compared bool // the row was compared with a prediction
	MayLose  bool // the row can lose slot time: it was measured and is not above its prediction
	count    func(*Summary) *int
}

// Verdicts lists the verdicts.
var Verdicts = []VerdictInfo{
	{Below, 3, true, true, func(s *Summary) *int { return &s.Below }},
	{Above, 3, true, false, func(s *Summary) *int { return &s.Above }},
	{MatchWhileBusy, 2, true, true, func(s *Summary) *int { return &s.MatchedWhileBusy }},
	{Unmeasurable, 2, false, false, func(s *Summary) *int { return &s.Unmeasurable }},
	{NoPrediction, 1, false, false, func(s *Summary) *int { return &s.NoPrediction }},
	{Match, 0, true, true, func(s *Summary) *int { return &s.Matched }},
	{PeaksAgree, 0, false, false, func(s *Summary) *int { return &s.PeaksAgree }},
	{Possible, 0, false, false, func(s *Summary) *int { return &s.Possible }},
	{NoMeasurement, 0, false, false, func(s *Summary) *int { return &s.NoMeasurement }},
	{NotAKernel, -1, false, false, func(s *Summary) *int { return &s.NotKernels }},
}

// info returns the description of a verdict. For an unknown verdict, it is the
// zero value.
func (v Verdict) info() (info VerdictInfo) {
	for _, x := range Verdicts {
		if x.Verdict == v {
			info = x
		}
	}
	return info
}

// Compared reports whether a row with this verdict was compared with a
// prediction.
func (v Verdict) Compared() bool { return v.info().Compared }

// Basis identifies the two numbers whose difference is shown.
type Basis string

// The bases.
const (
	BasisMeasured Basis = "measured"      // measured - predicted average
	BasisPeak     Basis = "profiler peak" // profiler's peak - predicted peak: two predictions
	// BasisBounds is the nearest bound that the state of the XVE array sets,
	// minus the predicted average.
	BasisBounds       Basis = "array bounds"
	BasisMeasuredPeak Basis = "measured against profiler peak" // without a launch size: measured - profiler's peak
)

// XVEs is the predicted state of XVEs. If both policies predict the same
// occupancies, XVEs is the state for work-groups that stay whole.
type XVEs struct {
	Policy predict.Policy
	predict.Range
	Floor unit.Ratio // lowest idle share under either policy
	// Other is the range of the other policy. It is set if the two policies
	// differ so much, in the average and in busy XVEs, that the real policy is
	// unknown.
	Other unit.Opt[predict.Range]
}

// Row is one task with three occupancies: predicted, measured, and the
// profiler's peak.
type Row struct {
	*ingest.Kernel // shared with the run, so it must not change
	// Predicted is nil if the launch cannot be predicted. In that case,
	// NoPrediction is the reason.
	Predicted    *predict.Prediction
	NoPrediction string
	// ModelPeak is the predicted peak that is compared with the profiler's
	// peak. The profiler does not know the GRF mode and divides by all thread
	// slots. So ModelPeak is the peak in the mode with the most threads.
	ModelPeak unit.Ratio
	XVEs      XVEs // XVEs of the launch in Predicted

	// BusyOccupancy is measured / (1 - idle). It is absent if the two counters
	// contradict each other.
	BusyOccupancy  optRatio
	ThreadLifetime optSeconds // mean thread lifetime, by Little's law
	// OwnLow and OwnHigh bound the occupancy of the launches. They are set if
	// so much of the measured value may come from other tasks that the value
	// means nothing without the bounds.
	OwnLow, OwnHigh optRatio
	// BoundLow and BoundHigh bound the occupancy if it was not measured. They
	// follow from the state of the XVE array.
	BoundLow, BoundHigh optRatio

	Basis          Basis
	Difference     optPoints // measured - nearest end of the predicted range; 0 inside the range
	PeakDifference optPoints // profiler's peak - predicted peak
	Verdict        Verdict
	Cause          *Cause // most likely cause of the largest part, or the cause of the whole row
	Notes          []note.Note
	FromLog        bool // the row comes from a timing in a log and is in no export

	// The following values follow from the values above; see Result.Finish.
	Certainty Certainty
	Breakdown *SlotBreakdown   // nil if the breakdown is unknown
	Speedup   PotentialSpeedup // potential speedup from more occupancy; zero for tasks that are not kernels
	Fix       PossibleFix      // remedy for the row; zero if there is none
	TimeShare optRatio         // share of the GPU time of all tasks
}

// ThreadsPredicted returns the number of threads that all launches start.
func (r *Row) ThreadsPredicted() unit.Opt[int64] {
	n, counted := r.Instances.Value()
	if r.Predicted == nil || !counted {
		return unit.Opt[int64]{}
	}
	launch := r.Predicted.Groups * r.Predicted.ThreadsPerGroup
	return unit.Maybe(launch*n, launch <= 0 || n <= math.MaxInt64/launch) // a larger number is not a real count
}

// IdleLanes returns the share of lanes without a work-item. Such lanes are in
// the last sub-group of each work-group. Occupancy does not include this loss.
func (r *Row) IdleLanes() optRatio {
	p := cmp.Or(r.Predicted, &predict.Prediction{})
	return unit.Maybe(p.IdleLaneShare(), p.GroupSize > 0)
}

// HasRow reports whether a row has a property. It copies no row, because a run
// can have 100,000 of them.
func (r *Result) HasRow(is func(*Row) bool) bool {
	for i := range r.Rows {
		if is(&r.Rows[i]) {
			return true
		}
	}
	return false
}

// Timing is a timing from a log, with the row that it belongs to.
type Timing struct {
	ingest.Timing
	Row int // index in Result.Rows, or -1 if it has no row
}

// Summary contains the counts and statistics of the rows that are kernels.
type Summary struct {
	Kernels          int `json:"kernels"`
	Matched          int `json:"matched"`
	MatchedWhileBusy int `json:"matched_while_busy"`
	Below            int `json:"below"`
	Above            int `json:"above"`
	Unmeasurable     int `json:"unmeasurable"`
	NoPrediction     int `json:"no_prediction"`
	NoMeasurement    int `json:"no_measurement"`
	NotKernels       int `json:"not_kernels"`
	ModelCompared    int `json:"model_compared"`
	ModelMatched     int `json:"model_matched"`
	Unexplained      int `json:"unexplained"`
	Judged           int `json:"judged"`
	NotJudged        int `json:"not_judged"`

	// Statistics of the differences of the compared rows. They are absent if
	// there are too few rows.
	Bias         optPoints `json:"bias_points"`
	MeanAbsolute optPoints `json:"mean_absolute_points"`
	MaxAbsolute  optPoints `json:"max_absolute_points"`
	RMSE         optPoints `json:"rmse_points"`
	Pearson      optNumber `json:"pearson"`
	Spearman     optNumber `json:"spearman"`

	Total *Total `json:"total"` // nil if no kernel was both measured and compared

	Possible            int        `json:"-"` // part of NotJudged: rows whose bounds admit the prediction
	PeaksAgree          int        `json:"-"` // part of ModelMatched and NotJudged: not measured
	GPUTime, KernelTime optSeconds `json:"-"` // time of all rows, and of the kernels
}

// Result is a compared run.
type Result struct {
	Inputs       []ingest.Input
	Platform     ingest.Platform
	Instructions ingest.Instructions
	Recording    *ingest.Recording // as in Run
	Trace        *ingest.Trace     // as in Run
	Samples      []ingest.Samples
	Notes        []note.Note
	Device       *arch.Device // nil if none is known
	ChosenBy     arch.Source
	Fit          Fit // set if no device is known, or if the device cannot be the GPU that ran
	// Sequence is the sequence of the launches, or nil without a trace.
	Sequence *launches.Sequence
	// Rows contains the kernels, sorted by urgency and then by slot time lost.
	// Each row is complete and does not change.
	Rows    []Row
	Timings []Timing
	Summary Summary
	Options Options // options that were used

	launches    *ingest.Launches
	taskTime    unit.Seconds                  // GPU time of all tasks
	busyStack   map[ingest.Key]*ingest.Kernel // for launches with a row per stack: the row of a stack that had threads
	adapterTime map[string]unit.Seconds       // time of the tasks on each adapter; "" is the sum over all adapters
	kernelTime  kernelTimes
	threads     startedThreads
	fromSummary bool  // the rows come from a summary
	place       []int // index of each kernel's row
	otherTrace  bool  // the trace belongs to another run
	withheld    *Cause
	gpus        int // number of GPUs of which one may have worked; 0 without such a sign
}

// Options are the tolerances, and values that the inputs lack. Use
// DefaultOptions: the zero value has no tolerance.
type Options struct {
	Tolerance        unit.Points  // for the measured value against the range of the predicted average
	SamplingInterval unit.Seconds // time between two samples of the GPU counters
	SamplingAssumed  bool         // no interval was given, so the default of the collector is assumed
	// MemoryBandwidth is the peak bandwidth. The zero value stands for the
	// bandwidth in the device table.
	MemoryBandwidth arch.Bandwidth
	// Local and SIMD provide sizes for rows and timings that lack them.
	Local names.ByName[unit.Size3]
	SIMD  names.ByName[int]
	Also  []*arch.Device // other devices for which the launches are predicted, too
}

// DefaultOptions returns a tolerance of 5 points and a sampling interval of 1
// ms.
func DefaultOptions() Options {
	return Options{Tolerance: 5, SamplingInterval: 0.001, SamplingAssumed: true}
}

// within reports whether a number of points is within the tolerance.
func (o *Options) within(p unit.Points) bool { return !o.beyond(abs(p)) }

// beyond reports whether a number of points exceeds the tolerance.
func (o *Options) beyond(p unit.Points) bool { return p > o.Tolerance+digit }

// summarize counts the verdicts, and computes the statistics of the differences
// of all judged rows.
func (r *Result) summarize() Summary {
	var s Summary
	var differences, predicted, seen []float64
	for i := range r.Rows {
		row := &r.Rows[i]
		if t, ok := row.Total.Value(); ok {
			s.GPUTime = unit.Some(r.taskTime)
			if row.Verdict != NotAKernel {
				s.KernelTime = unit.Some(s.KernelTime.Or(0) + t)
			}
		}
		*row.Verdict.info().count(&s)++
		if row.Verdict.Compared() && row.Basis != BasisPeak { // VTune's peak is a prediction, not a measurement
			s.Judged++
		}
		if agrees, ok := row.ModelAgrees(); ok {
			s.ModelCompared++
			if agrees {
				s.ModelMatched++
			}
		}
		if row.HasCause(CauseUnexplained) {
			s.Unexplained++
		}
		d, ok := row.Difference.Value()
		if !ok || !row.Verdict.Compared() && row.Verdict != PeaksAgree {
			continue
		}
		of, found := row.reference(), row.Measured.Or(0)
		switch row.Basis {
		case BasisPeak:
			of, found = row.Predicted.Peak, row.Peak.Or(0)
		case BasisBounds:
			continue // a bound is not a measured value
		}
		differences = append(differences, float64(d))
		predicted, seen = append(predicted, of.Percent()), append(seen, found.Percent())
	}
	s.Total = r.total(s.KernelTime.Or(0))
	s.Kernels = len(r.Rows) - s.NotKernels
	s.NotJudged = s.Kernels - s.Judged
	s.Bias = points(stat.Mean(differences))
	s.MeanAbsolute = points(stat.MeanAbsolute(differences))
	s.MaxAbsolute = points(stat.MaxAbsolute(differences))
	s.RMSE = points(stat.RMSE(differences))
	s.Pearson = unit.Maybe(stat.Pearson(predicted, seen))
	s.Spearman = unit.Maybe(stat.Spearman(predicted, seen))
	return s
}

// Compared returns the number of rows that were compared with a prediction.
func (s *Summary) Compared() int { return s.Matched + s.MatchedWhileBusy + s.Mismatched() }

// Mismatched returns the number of rows that differ from their prediction. Rows
// that match while busy are not counted, because idle time around launches is
// not an error of the prediction.
func (s *Summary) Mismatched() int { return s.Below + s.Above }

func points(v float64, ok bool) optPoints {
	return unit.Maybe(unit.Points(v), ok)
}

// ModelAgrees reports whether the profiler's peak and the predicted peak agree
// within ModelTolerance. compared reports whether the row has both peaks.
func (r *Row) ModelAgrees() (agrees, compared bool) {
	d, compared := r.PeakDifference.Value()
	return compared && abs(d) <= ModelTolerance+digit, compared
}

// MetricInfo describes a value of a row that is compared between runs: by a
// diff, by a comparison of many runs, and by a history, which stores the value
// under its name.
type MetricInfo struct {
	Name  string // name in files, which must not change
	Title string
	Short string // column heading
	Unit  MetricUnit
	// Sampled states that the value comes from sampled counters. If a row is
	// unmeasurable, such a value does not belong to the kernel.
	Sampled bool
	Of      func(*Row) optNumber
}

// The types of values that may be absent.
type (
	optRatio   = unit.Opt[unit.Ratio]
	optPoints  = unit.Opt[unit.Points]
	optSeconds = unit.Opt[unit.Seconds]
	optNumber  = unit.Opt[float64]
)

// MetricUnit is the unit of a metric.
type MetricUnit string

// The units.
const (
	InPercent MetricUnit = "%"
	InPoints  MetricUnit = "points"
	InSeconds MetricUnit = "s"
	InBytes   MetricUnit = "bytes"
)

// The names of the metrics that the code looks up. A part of the breakdown is
// also the name of its metric.
const (
	MetricMeasured     = "measured"
	MetricResidual     = "residual"      // measured - predicted average
	MetricBusy         = "busy"          // busy occupancy
	MetricBusyResidual = "busy_residual" // busy occupancy - predicted busy occupancy
	MetricIdle         = "xve_idle"
	MetricPredicted    = "predicted"  // predicted average
	MetricTime         = "seconds"    // time of a launch
	MetricPeak         = "peak"       // predicted peak
	MetricTotal        = "total"      // time of all launches
	MetricSpill        = "spill"      // spilled bytes per thread
	MetricDifference   = "difference" // measured - the nearest end of the predicted range
)

// Metrics is the only list of metrics, in the order in which sentences list
// them. Not all of them are stored or tested.
var Metrics = []MetricInfo{
	{MetricMeasured, "Measured occupancy", "Measured", InPercent, true,
		func(r *Row) optNumber { return unit.PercentOf(r.Measured) }},
	{MetricBusy, "Busy occupancy", "Busy occupancy", InPercent, true,
		func(r *Row) optNumber { return unit.PercentOf(r.BusyOccupancy) }},
	{MetricPredicted, "Predicted average", "Predicted average", InPercent, false,
		predicted(func(r *Row) optNumber { return unit.Some(r.Predicted.Average.Percent()) })},
	{MetricResidual, "Residual (measured - predicted average)", "Residual", InPoints, true,
		predicted(func(r *Row) optNumber { return minus(r.Measured, r.Predicted.Average) })},
	{MetricTime, "Time per launch", "Time per launch", InSeconds, false,
		func(r *Row) optNumber { return unit.Float(r.Average()) }},
	partMetric(PartOccupied, "Slots with a thread", "Measured"),
	partMetric(PartUnderfilled, "Slots of underfilled XVEs", "Underfilled XVEs"),
	partMetric(PartIdle, "Slots of idle XVEs", "Idle XVEs"),
	partMetric(PartShortfall, "Slots below the prediction", "Shortfall"),
	partMetric(PartLastWave, "Slots of the last wave", "Last wave"),
	partMetric(PartLaunchLimit, "Slots kept free by limits", "Launch limit"),
	{MetricBusyResidual, "Residual of busy XVEs", "Busy residual", InPoints, true,
		predicted(func(r *Row) optNumber { return minus(r.BusyOccupancy, r.XVEs.Low.BusyOccupancy) })},
	{MetricIdle, "Idle share of the XVEs", "XVE idle", InPercent, true,
		func(r *Row) optNumber { return unit.PercentOf(r.Idle) }},
	{MetricPeak, "Predicted peak", "Predicted peak", InPercent, false,
		predicted(func(r *Row) optNumber { return unit.Maybe(r.Predicted.Peak.Percent(), r.Predicted.HasGrid()) })},
	{MetricTotal, "Time of all launches", "Total time", InSeconds, false,
		func(r *Row) optNumber { return unit.Float(r.Total) }},
	{MetricSpill, "Spill of a thread", "Spill", InBytes, false,
		func(r *Row) optNumber { return unit.Float(r.Spill) }},
	{MetricDifference, "Difference from the prediction", "Difference", InPoints, true, func(r *Row) optNumber {
		return unit.Maybe(float64(r.Difference.Or(0)), r.Basis == BasisMeasured)
	}},
}

// MetricNamed returns the index of a metric in Metrics, or -1.
func MetricNamed(name string) int {
	return slices.IndexFunc(Metrics, func(m MetricInfo) bool { return m.Name == name })
}

// Title returns the heading of a part.
func (p Part) Title() string { return Metrics[MetricNamed(string(p))].Short }

// partMetric returns the metric for a part of the breakdown, in points of all
// thread slots.
func partMetric(p Part, title, short string) MetricInfo {
	return MetricInfo{string(p), title, short, InPoints, true,
		func(r *Row) optNumber { return unit.Float(r.Breakdown.Points(p)) }}
}

// predicted returns a function that reads a value of the prediction. The value
// is absent in rows without a prediction.
func predicted(of func(*Row) optNumber) func(*Row) optNumber {
	return func(r *Row) (v optNumber) {
		if r.Predicted != nil {
			v = of(r)
		}
		return v
	}
}

func minus(o optRatio, predicted unit.Ratio) optNumber {
	v, ok := o.Value()
	return unit.Maybe(float64(v.Minus(predicted)), ok)
}

// View returns the result with only some of its rows, in the given order. The
// sums and the summary still cover all rows.
func (r *Result) View(rows []int) *Result {
	v := *r
	v.Rows = make([]Row, len(rows))
	to := make([]int, len(r.Rows)) // new index of each row; -1 if the row is left out
	for i := range to {
		to[i] = -1
	}
	for i, row := range rows {
		to[row], v.Rows[i] = i, r.Rows[row]
	}
	v.place = make([]int, len(r.place))
	for kernel, row := range r.place {
		v.place[kernel] = to[row]
	}
	v.Timings = nil
	for _, t := range r.Timings {
		if t.Row >= 0 {
			if t.Row = to[t.Row]; t.Row < 0 {
				continue
			}
		}
		v.Timings = append(v.Timings, t)
	}
	return &v
}
