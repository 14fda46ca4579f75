package rundoc

import (
	"occudiff/compare"
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
		Rows:    report.Stream[ValidateRow]{Seq: jsonRows(r)},
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
