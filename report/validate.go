package report

import (
	"iter"
	"math"
	"occudiff/predict/arch"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// ValidateSchema names the version of the JSON contract of `validate`.
const ValidateSchema = "occudiff/validate/1"

// Validate is the JSON output of `occudiff validate`, a contract that scripts rely on: the order of the fields is the
// order in the output, an absent value is null, a list is never null, percentages are 0..100 at full precision.
type Validate struct {
	Schema  string            `json:"schema"`
	Device  *ValidateDevice   `json:"device" jsonschema:"what predictions were made for; null when nobody said which"`
	Inputs  []ValidateInput   `json:"inputs"`
	Rows    []ValidateRow     `json:"rows"`
	Timings []ValidateTiming  `json:"timings"`
	Summary ValidateSummary   `json:"summary"`
	Notes   []ValidateMessage `json:"notes"`
}

// ValidateDevice is the device that predictions were made for.
type ValidateDevice struct {
	Key           string  `json:"key"`
	Name          string  `json:"name"`
	Architecture  string  `json:"architecture"`
	XeCores       int     `json:"xe_cores"`
	XVEPerXeCore  int     `json:"xve_per_xe_core"`
	ThreadsPerXVE int     `json:"threads_per_xve"`
	ThreadSlots   int     `json:"thread_slots"`
	ChosenBy      *string `json:"chosen_by" jsonschema:"what named the device"`
}

// ValidateInput is one file that was read.
type ValidateInput struct {
	Path    string  `json:"path"`
	Kind    string  `json:"kind" jsonschema:"vtune, vtune-summary, unitrace, vec_add or another format"`
	Digest  *string `json:"digest" jsonschema:"sha256:... or xxh3:... of the file"`
	Rows    int64   `json:"rows"`
	BadRows int64   `json:"bad_rows"`
}

// ValidateRow is one task with its three occupancies.
type ValidateRow struct {
	Task                  string              `json:"task" jsonschema:"the kernel's name as printed, line ends included"`
	Global                []int64             `json:"global" jsonschema:"work-items, as many dimensions as were printed; empty for copies"`
	Local                 []int64             `json:"local" jsonschema:"work-items per work-group, as many dimensions as were printed"`
	SIMD                  *int                `json:"simd" jsonschema:"sub-group size"`
	Direction             *string             `json:"direction"`
	File                  *string             `json:"file"`
	Line                  *int                `json:"line"`
	Instances             *int64              `json:"instances" jsonschema:"launches; null for a log's timing"`
	TotalSeconds          *float64            `json:"total_seconds"`
	AverageSeconds        *float64            `json:"average_seconds"`
	Predicted             *ValidatePrediction `json:"predicted" jsonschema:"null when the launch cannot be predicted; a note says why"`
	ProfilerPeakPercent   *float64            `json:"profiler_peak_percent" jsonschema:"the profiler's own static prediction"`
	MeasuredPercent       *float64            `json:"measured_percent"`
	IdlePercent           *float64            `json:"idle_percent"`
	LoadedPercent         *float64            `json:"loaded_percent" jsonschema:"measured / (1 - idle): occupancy while any thread was loaded"`
	ThreadsStarted        *int64              `json:"threads_started"`
	ThreadLifeSeconds     *float64            `json:"thread_life_seconds" jsonschema:"mean life of a thread by Little's law"`
	Basis                 *string             `json:"basis" jsonschema:"the two numbers that difference_points is of"`
	DifferencePoints      *float64            `json:"difference_points" jsonschema:"what was seen - what was predicted, in percentage points"`
	ModelDifferencePoints *float64            `json:"model_difference_points" jsonschema:"profiler's peak - predicted peak, in percentage points"`
	Verdict               string              `json:"verdict"`
	Cause                 *ValidateCause      `json:"cause" jsonschema:"why a row does not match"`
	Notes                 []ValidateMessage   `json:"notes"`
	Launches              *ValidateLaunches   `json:"launches,omitempty" jsonschema:"only of rows that are made of the launches of a per-launch export"` // beside the contract's fields
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

// ValidatePrediction is the theoretical occupancy of one row. What needs the number of work-groups is null when the
// global size is not known.
type ValidatePrediction struct {
	Policy              string   `json:"policy"`
	ThreadsPerWorkGroup int64    `json:"threads_per_work_group"`
	WorkGroups          *int64   `json:"work_groups"`
	WorkGroupsPerXeCore int64    `json:"work_groups_per_xe_core"`
	Limits              []string `json:"limits" jsonschema:"why the prediction is not higher"`
	XeCorePercent       *float64 `json:"xe_core_percent" jsonschema:"of one full Xe-core, 0..100"`
	PeakPercent         *float64 `json:"peak_percent" jsonschema:"of the GPU while its waves are full, 0..100"`
	AveragePercent      *float64 `json:"average_percent" jsonschema:"of the GPU over all waves, 0..100"`
	Waves               *float64 `json:"waves" jsonschema:"with its fraction"`
	TailPercent         *float64 `json:"tail_percent" jsonschema:"occupancy of the last, partial wave; 0 when it is full"`
}

// ValidateCause says why what was seen differs from the prediction.
type ValidateCause struct {
	Name       string `json:"name"`
	Confidence string `json:"confidence"`
	Because    string `json:"because"`
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

// ValidateMessage is one note.
type ValidateMessage struct {
	Severity string  `json:"severity"`
	Code     string  `json:"code" jsonschema:"stable, for scripts"`
	File     *string `json:"file"`
	Line     *int    `json:"line"`
	Column   *int    `json:"column"`
	Text     string  `json:"text"`
	Hint     *string `json:"hint" jsonschema:"what to do next"`
}

// ValidateFrame gives the value of the JSON contract without its rows, for outputs that take them from ValidateRows.
func ValidateFrame(r *compare.Result) *Validate {
	v := &Validate{
		Schema:  ValidateSchema,
		Device:  validateDevice(r.Device, r.ChosenBy),
		Inputs:  make([]ValidateInput, 0, len(r.Inputs)),
		Rows:    []ValidateRow{},
		Timings: make([]ValidateTiming, 0, len(r.Timings)),
		Summary: validateSummary(&r.Summary),
		Notes:   messages(r.Notes),
	}
	for _, in := range r.Inputs {
		v.Inputs = append(v.Inputs, ValidateInput{in.Path, in.Kind, filled(in.Digest), in.Rows, in.BadRows})
	}
	for i := range r.Timings {
		v.Timings = append(v.Timings, validateTiming(r, &r.Timings[i]))
	}
	return v
}

// ValidateRows gives the rows of the JSON contract one by one, for outputs that do not need all of them at once.
func ValidateRows(r *compare.Result) iter.Seq[ValidateRow] {
	return func(yield func(ValidateRow) bool) {
		for _, row := range r.All() {
			if !yield(validateRow(row)) {
				return
			}
		}
	}
}

func validateRow(r *compare.Row) ValidateRow {
	return ValidateRow{
		Task:                  r.Task,
		Global:                r.Global.List(),
		Local:                 r.Local.List(),
		SIMD:                  pointer(r.SIMD),
		Direction:             filled(string(r.Direction)),
		File:                  filled(r.Pos.File),
		Line:                  positive(r.Pos.Line),
		Instances:             pointer(r.Instances),
		TotalSeconds:          number(r.Total),
		AverageSeconds:        number(r.Average()),
		Predicted:             validatePrediction(r.Predicted),
		ProfilerPeakPercent:   percent(r.Peak),
		MeasuredPercent:       percent(r.Measured),
		IdlePercent:           percent(r.Idle),
		LoadedPercent:         percent(r.Loaded),
		ThreadsStarted:        pointer(r.Threads),
		ThreadLifeSeconds:     number(r.ThreadLife),
		Basis:                 filled(string(r.Basis)),
		DifferencePoints:      number(r.Difference),
		ModelDifferencePoints: number(r.ModelDifference),
		Verdict:               string(r.Verdict),
		Cause:                 validateCause(r.Cause),
		Notes:                 messages(rowNotes(r)),
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

func validatePrediction(p *predict.Prediction) *ValidatePrediction {
	if p == nil {
		return nil
	}
	v := &ValidatePrediction{
		Policy:              p.Policy.String(),
		ThreadsPerWorkGroup: p.ThreadsPerGroup,
		WorkGroupsPerXeCore: p.GroupsPerXeCore,
		Limits:              p.Limits.Names(),
		XeCorePercent:       percent(unit.Some(p.XeCore)),
	}
	if p.Groups > 0 {
		v.WorkGroups = &p.Groups
		v.PeakPercent = percent(unit.Some(p.Peak))
		v.AveragePercent = percent(unit.Some(p.Average))
		v.Waves = number(unit.Some(p.Waves))
		v.TailPercent = percent(unit.Some(p.Tail))
	}
	return v
}

func validateCause(c *compare.Cause) *ValidateCause {
	if c == nil {
		return nil
	}
	return &ValidateCause{c.Name, c.Confidence, c.Because}
}

func validateDevice(d *arch.Device, chosenBy string) *ValidateDevice {
	if d == nil {
		return nil
	}
	return &ValidateDevice{d.Key, d.Name, d.Architecture, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, d.Slots(), filled(chosenBy)}
}

func validateTiming(r *compare.Result, t *compare.Timing) ValidateTiming {
	v := ValidateTiming{
		Kernel: t.Kernel, Groups: pointer(t.Groups), Seconds: number(unit.Some(t.Seconds)),
		Printed: t.Printed, UnitAsPrinted: t.UnitAsPrinted, Line: positive(t.Pos.Line),
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
		BiasPoints: number(s.Bias), MeanAbsolutePoints: number(s.MeanAbsolute), MaxAbsolutePoints: number(s.MaxAbsolute),
		RMSEPoints: number(s.RMSE), Pearson: number(s.Pearson), Spearman: number(s.Spearman),
	}
}

func messages(notes []note.Note) []ValidateMessage {
	list := make([]ValidateMessage, 0, len(notes))
	for _, n := range notes {
		list = append(list, ValidateMessage{
			n.Severity.String(), n.Code, filled(n.Pos.File), positive(n.Pos.Line), positive(n.Pos.Column), n.Text, filled(n.Hint),
		})
	}
	return list
}

// pointer gives nil for an absent value.
func pointer[T any](o unit.Opt[T]) *T {
	if x, ok := o.Value(); ok {
		return &x
	}
	return nil
}

// number gives nil for an absent value and for those that JSON cannot write.
func number[T ~float64](o unit.Opt[T]) *float64 {
	x, ok := o.Value()
	f := float64(x)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func percent(o unit.Opt[unit.Ratio]) *float64 {
	r, ok := o.Value()
	if !ok {
		return nil
	}
	return number(unit.Some(r.Percent()))
}

// filled gives nil for the empty text, where empty means that it was not said.
func filled(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// positive gives nil for 0, a place that is not known.
func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}
