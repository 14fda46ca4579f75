package rundoc

import (
	"iter"
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// ValidateRuns is the value of `validate` over several runs, schema occudiff/validate-runs/1.
type ValidateRuns struct {
	Schema string        `json:"schema"`
	Runs   []ValidateRun `json:"runs"`
}

// ValidateRun is one of several runs.
type ValidateRun struct {
	Name string    `json:"name"` // of its folder
	Run  *Validate `json:"run"`
}

// ValidateSchema names the version of the JSON contract of `validate`.
const ValidateSchema = "occudiff/validate/1"

// Validate is the JSON output of `occudiff validate`, a contract that scripts rely on: the order of the fields is the
// order in the output, an absent value is null, a list is never null, percentages are 0..100 at full precision.
type Validate struct {
	Schema  string                     `json:"schema"`
	Device  *report.DeviceValue        `json:"device" jsonschema:"what predictions were made for; null when nobody said which"`
	Inputs  []report.InputValue        `json:"inputs"`
	Rows    report.Stream[ValidateRow] `json:"rows"`
	Timings []ValidateTiming           `json:"timings"`
	Summary ValidateSummary            `json:"summary"`
	Notes   []report.NoteValue         `json:"notes"`
}

// ValidateRow is one task with its three occupancies.
type ValidateRow struct {
	Task                  string                  `json:"task" csv:"task" jsonschema:"the kernel's name as printed, line ends included"`
	Global                []int64                 `json:"global" csv:"global" jsonschema:"work-items, as many dimensions as were printed; empty for copies"`
	Local                 []int64                 `json:"local" csv:"local" jsonschema:"work-items per work-group, as many dimensions as were printed"`
	SIMD                  *int                    `json:"simd" csv:"simd" jsonschema:"sub-group size"`
	Direction             *string                 `json:"direction" csv:"direction"`
	File                  *string                 `json:"file" csv:"file"`
	Line                  *int                    `json:"line" csv:"line"`
	Instances             *int64                  `json:"instances" csv:"instances" jsonschema:"launches; null for a log's timing"`
	TotalSeconds          *float64                `json:"total_seconds" csv:"total_seconds"`
	AverageSeconds        *float64                `json:"average_seconds" csv:"average_seconds"`
	Predicted             *report.PredictionValue `json:"predicted" csv:",inline" jsonschema:"null when the launch cannot be predicted; a note says why"`
	ProfilerPeakPercent   *float64                `json:"profiler_peak_percent" csv:"profiler_peak_percent" jsonschema:"the profiler's own static prediction"`
	MeasuredPercent       *float64                `json:"measured_percent" csv:"measured_percent"`
	IdlePercent           *float64                `json:"idle_percent" csv:"idle_percent"`
	LoadedPercent         *float64                `json:"loaded_percent" csv:"loaded_percent" jsonschema:"measured / (1 - idle): occupancy while any thread was loaded"`
	ThreadsStarted        *int64                  `json:"threads_started" csv:"threads_started"`
	ThreadLifeSeconds     *float64                `json:"thread_life_seconds" csv:"thread_life_seconds" jsonschema:"mean life of a thread by Little's law"`
	Basis                 *string                 `json:"basis" csv:"basis" jsonschema:"the two numbers that difference_points is of"`
	DifferencePoints      *float64                `json:"difference_points" csv:"difference_points" jsonschema:"what was seen - what was predicted, in percentage points"`
	ModelDifferencePoints *float64                `json:"model_difference_points" csv:"model_difference_points" jsonschema:"profiler's peak - predicted peak, in percentage points"`
	Verdict               string                  `json:"verdict" csv:"verdict"`
	Cause                 *report.CauseValue      `json:"cause" csv:",inline" jsonschema:"why a row does not match"`
	Notes                 []report.NoteValue      `json:"notes"`
	Launches              *ValidateLaunches       `json:"launches,omitempty" jsonschema:"only of rows that are made of the launches of a per-launch export"` // beside the contract's fields
}

// ValidateLaunches is how much the launches differ that a row of a per-launch export is made of.
type ValidateLaunches struct {
	Seconds         ValidateSpread  `json:"seconds"`
	MeasuredPercent *ValidateSpread `json:"measured_percent" jsonschema:"null when no launch has a measured occupancy"`
}

// ValidateSpread is the least, the median and the most.
type ValidateSpread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// ValidateTiming is one line of a log.
type ValidateTiming struct {
	Kernel        string   `json:"kernel"`
	Groups        *int64   `json:"groups"`
	Seconds       *float64 `json:"seconds"`
	Printed       string   `json:"printed"`
	UnitAsPrinted string   `json:"unit_as_printed"`
	Task          *string  `json:"task" jsonschema:"of the row that the timing belongs to"`
	Line          *int     `json:"line"`
}

// ValidateSummary sums up the rows.
type ValidateSummary struct {
	Kernels            int      `json:"kernels"`
	Matched            int      `json:"matched"`
	Below              int      `json:"below"`
	Above              int      `json:"above"`
	Unmeasurable       int      `json:"unmeasurable"`
	NoPrediction       int      `json:"no_prediction"`
	NoMeasurement      int      `json:"no_measurement"`
	NotKernels         int      `json:"not_kernels"`
	ModelCompared      int      `json:"model_compared" jsonschema:"kernels with both a predicted peak and one of the profiler"`
	ModelMatched       int      `json:"model_matched"`
	Unexplained        int      `json:"unexplained"`
	BiasPoints         *float64 `json:"bias_points"`
	MeanAbsolutePoints *float64 `json:"mean_absolute_points"`
	MaxAbsolutePoints  *float64 `json:"max_absolute_points"`
	RMSEPoints         *float64 `json:"rmse_points"`
	Pearson            *float64 `json:"pearson"`
	Spearman           *float64 `json:"spearman"`
}

// validateValue gives the value of the JSON contract.
func validateValue(r *compare.Result) *Validate {
	v := &Validate{
		Schema:  ValidateSchema,
		Device:  report.NewDeviceValue(r.Device, r.ChosenBy),
		Inputs:  make([]report.InputValue, 0, len(r.Inputs)),
		Rows:    report.Stream[ValidateRow]{Seq: Rows(r)},
		Timings: make([]ValidateTiming, 0, len(r.Timings)),
		Summary: validateSummary(&r.Summary),
		Notes:   report.NoteValues(r.Notes),
	}
	for _, in := range r.Inputs {
		v.Inputs = append(v.Inputs, report.InputValue{
			Path: in.Path, Kind: in.Kind, Digest: report.Filled(in.Digest), Rows: in.Rows, BadRows: in.BadRows,
		})
	}
	for i := range r.Timings {
		v.Timings = append(v.Timings, validateTiming(r, &r.Timings[i]))
	}
	return v
}

// Rows gives the rows of the JSON contract one by one.
func Rows(r *compare.Result) iter.Seq[ValidateRow] {
	return func(yield func(ValidateRow) bool) {
		for _, row := range r.All() {
			if !yield(validateRow(row)) {
				return
			}
		}
	}
}

// flat is the table of the CSV output, of one run or of several below each other.
func flat(results ...*compare.Result) *report.Table {
	ends := make([]int, len(results)) // of each run's rows in the table
	n := 0
	for i, r := range results {
		n += r.Len()
		ends[i] = n
	}
	return report.CSV("rows", n, func(i int, into *ValidateRow) {
		k, _ := slices.BinarySearch(ends, i+1)
		first := 0
		if k > 0 {
			first = ends[k-1]
		}
		*into = validateRow(results[k].Row(i-first, nil))
	})
}

func validateRow(r *compare.Row) ValidateRow {
	return ValidateRow{
		Task:                  r.Task,
		Global:                r.Global.List(),
		Local:                 r.Local.List(),
		SIMD:                  report.Pointer(r.SIMD),
		Direction:             report.Filled(string(r.Direction)),
		File:                  report.Filled(r.Pos.File),
		Line:                  report.Positive(r.Pos.Line),
		Instances:             report.Pointer(r.Instances),
		TotalSeconds:          report.Finite(r.Total),
		AverageSeconds:        report.Finite(r.Average()),
		Predicted:             report.NewPredictionValue(r.Predicted),
		ProfilerPeakPercent:   report.PercentOrNull(r.Peak),
		MeasuredPercent:       report.PercentOrNull(r.Measured),
		IdlePercent:           report.PercentOrNull(r.Idle),
		LoadedPercent:         report.PercentOrNull(r.Loaded),
		ThreadsStarted:        report.Pointer(r.Threads),
		ThreadLifeSeconds:     report.Finite(r.ThreadLife),
		Basis:                 report.Filled(string(r.Basis)),
		DifferencePoints:      report.Finite(r.Difference),
		ModelDifferencePoints: report.Finite(r.ModelDifference),
		Verdict:               string(r.Verdict),
		Cause:                 report.NewCauseValue(r.Cause),
		Notes:                 report.NoteValues(rowNotes(r)),
		Launches:              validateLaunches(r.Launches),
	}
}

// rowNotes are the notes of a row; the reason why a kernel has no prediction is one of them.
func rowNotes(r *compare.Row) []note.Note {
	if r.Predicted != nil || r.NoPredictionWhy == "" || r.Verdict == compare.NotAKernel {
		return r.Notes
	}
	for _, n := range r.Notes {
		if n.Text == r.NoPredictionWhy {
			return r.Notes
		}
	}
	why := note.Note{Severity: note.Info, Code: "no-prediction", Pos: r.Pos, Text: r.NoPredictionWhy}
	return append(r.Notes[:len(r.Notes):len(r.Notes)], why)
}

func validateLaunches(s *ingest.Spread) *ValidateLaunches {
	if s == nil {
		return nil
	}
	v := &ValidateLaunches{Seconds: ValidateSpread{float64(s.MinSeconds), float64(s.MedianSeconds), float64(s.MaxSeconds)}}
	low, ok := s.MinMeasured.Value()
	if ok {
		v.MeasuredPercent = &ValidateSpread{low.Percent(), s.MedianMeasured.Or(0).Percent(), s.MaxMeasured.Or(0).Percent()}
	}
	return v
}

func validateTiming(r *compare.Result, t *compare.Timing) ValidateTiming {
	v := ValidateTiming{
		Kernel: t.Kernel, Groups: report.Pointer(t.Groups), Seconds: report.Finite(unit.Some(t.Seconds)),
		Printed: t.Printed, UnitAsPrinted: t.UnitAsPrinted, Line: report.Positive(t.Pos.Line),
	}
	if t.Row >= 0 && t.Row < r.Len() {
		v.Task = &r.Row(t.Row, nil).Task
	}
	return v
}

func validateSummary(s *compare.Summary) ValidateSummary {
	return ValidateSummary{
		Kernels: s.Kernels, Matched: s.Matched, Below: s.Below, Above: s.Above, Unmeasurable: s.Unmeasurable,
		NoPrediction: s.NoPrediction, NoMeasurement: s.NoMeasurement, NotKernels: s.NotKernels,
		ModelCompared: s.ModelCompared, ModelMatched: s.ModelMatched, Unexplained: s.Unexplained,
		BiasPoints: report.Finite(s.Bias), MeanAbsolutePoints: report.Finite(s.MeanAbsolute), MaxAbsolutePoints: report.Finite(s.MaxAbsolute),
		RMSEPoints: report.Finite(s.RMSE), Pearson: report.Finite(s.Pearson), Spearman: report.Finite(s.Spearman),
	}
}
