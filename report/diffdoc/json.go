package diffdoc

import (
	"occudiff/compare/rundiff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// diffSchema names the version of the JSON contract of `diff`.
const diffSchema = "occudiff/diff/1"

// DiffOutput is the JSON output of `occudiff diff`: the conventions are those of Validate.
type DiffOutput struct {
	Schema          string             `json:"schema"`
	ThresholdPoints float64            `json:"threshold_points" jsonschema:"a smaller change is none, in percentage points"`
	Alpha           float64            `json:"alpha" jsonschema:"a change is significant when its p is below"`
	Old             DiffSideOutput     `json:"old"`
	New             DiffSideOutput     `json:"new"`
	Changes         []DiffChange       `json:"changes"`
	Rows            []DiffRowOutput    `json:"rows"`
	Summary         DiffSummaryOutput  `json:"summary"`
	Notes           []report.NoteValue `json:"notes"`
}

// DiffSideOutput is one side: its runs are repeats.
type DiffSideOutput struct {
	Name *string         `json:"name"`
	Runs []DiffRunOutput `json:"runs"`
}

// DiffRunOutput is one run of a side.
type DiffRunOutput struct {
	Device       *report.DeviceValue `json:"device"`
	Driver       *string             `json:"driver"`
	VTuneVersion *string             `json:"vtune_version"`
	Inputs       []report.InputValue `json:"inputs"`
}

// DiffChange is something that is not the same; its task is null when it is of the whole run.
type DiffChange struct {
	What string  `json:"what"`
	Task *string `json:"task"`
	Old  string  `json:"old"`
	New  string  `json:"new"`
}

// DiffRowOutput is one kernel on both sides, or on one.
type DiffRowOutput struct {
	Task      string            `json:"task"`
	Direction *string           `json:"direction"`
	IsKernel  bool              `json:"is_kernel"`
	Old       *DiffLaunchOutput `json:"old"`
	New       *DiffLaunchOutput `json:"new"`
	Changes   []DiffChange      `json:"changes"`
	Measured  DiffMetric        `json:"measured_percent"`
	Residual  DiffMetric        `json:"residual_points" jsonschema:"measured - predicted average, in percentage points"`
	Predicted DiffMetric        `json:"predicted_average_percent"`
	Loaded    DiffMetric        `json:"loaded_percent"`
	Idle      DiffMetric        `json:"idle_percent"`
	Average   DiffMetric        `json:"average_seconds"`
	Parts     []DiffPart        `json:"parts" jsonschema:"of the account, in points of all thread slots"`
	Verdict   string            `json:"verdict"`
	Because   *string           `json:"because" jsonschema:"the figures behind the verdict"`
}

// DiffPart is a part of the account on both sides.
type DiffPart struct {
	Part string `json:"part"`
	DiffMetric
}

// DiffLaunchOutput is what a side knows of a launch.
type DiffLaunchOutput struct {
	Global           []int64  `json:"global"`
	Local            []int64  `json:"local"`
	SIMD             *int     `json:"simd"`
	Adapter          *string  `json:"adapter"`
	GRF              *int     `json:"grf" jsonschema:"registers per thread"`
	SLMBytes         *int64   `json:"slm_bytes_per_work_group"`
	File             *string  `json:"file"`
	Line             *int     `json:"line"`
	Runs             int      `json:"runs"`
	UnmeasurableRuns int      `json:"unmeasurable_runs"`
	TotalSeconds     *float64 `json:"total_seconds"`
}

// DiffMetric is one quantity on both sides. Of percentages and points the change is new - old in points, of times the
// ratio is new / old; the other is null.
type DiffMetric struct {
	Old          DiffSample `json:"old"`
	New          DiffSample `json:"new"`
	ChangePoints *float64   `json:"change_points" jsonschema:"new - old in percentage points, of percentages and points"`
	Ratio        *float64   `json:"ratio" jsonschema:"new / old, of times"`
	P            *float64   `json:"p"`
	Significant  *bool      `json:"significant" jsonschema:"null when there were too few runs for a test"`
}

// DiffSample is what the runs of one side say of one quantity, in the unit that the quantity's name ends in.
type DiffSample struct {
	N          int      `json:"n"`
	Median     *float64 `json:"median"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Confidence *float64 `json:"confidence" jsonschema:"of the interval low to high, 0..1"`
}

// DiffSummaryOutput counts the verdicts of kernels.
type DiffSummaryOutput struct {
	Kernels       int      `json:"kernels"`
	Regressions   int      `json:"regressions"`
	Improvements  int      `json:"improvements"`
	Faster        int      `json:"faster_at_lower_occupancy"`
	Unchanged     int      `json:"unchanged"`
	ChangedLaunch int      `json:"changed_launch"`
	ChangedDevice int      `json:"changed_device"`
	OnlyOld       int      `json:"only_old"`
	OnlyNew       int      `json:"only_new"`
	NotComparable int      `json:"not_comparable"`
	NotKernels    int      `json:"not_kernels"`
	Tested        int      `json:"tested"`
	TimeRatio     *float64 `json:"time_ratio" jsonschema:"geometric mean of new / old"`
	TimePairs     int      `json:"time_pairs"`
	OtherWork     int      `json:"time_left_out"`
}

// DiffJSON gives the value of the JSON contract.
func DiffJSON(d *rundiff.Result) *DiffOutput {
	s := &d.Summary
	v := &DiffOutput{
		Schema: diffSchema, ThresholdPoints: float64(d.Options.Threshold), Alpha: d.Options.Alpha,
		Old: diffSideOutput(&d.Old), New: diffSideOutput(&d.New), Changes: diffChanges(d.Changes),
		Rows: make([]DiffRowOutput, 0, len(d.Rows)), Notes: report.NoteValues(d.Notes),
		Summary: DiffSummaryOutput{
			Kernels: s.Kernels, Regressions: s.Regressions, Improvements: s.Improvements, Faster: s.Faster,
			Unchanged: s.Unchanged, ChangedLaunch: s.ChangedLaunch,
			ChangedDevice: s.ChangedDevice, OnlyOld: s.OnlyOld, OnlyNew: s.OnlyNew, NotComparable: s.NotComparable,
			NotKernels: s.NotKernels,
			Tested:     s.Tested, TimeRatio: report.Finite(s.TimeRatio), TimePairs: s.TimePairs, OtherWork: s.OtherWork,
		},
	}
	for i := range d.Rows {
		v.Rows = append(v.Rows, diffRowOutput(&d.Rows[i]))
	}
	return v
}

func diffSideOutput(s *rundiff.Side) DiffSideOutput {
	v := DiffSideOutput{Name: report.Filled(s.Name), Runs: make([]DiffRunOutput, 0, len(s.Runs))}
	for _, r := range s.Runs {
		v.Runs = append(v.Runs, DiffRunOutput{Device: report.NewDeviceValue(r.Device, r.ChosenBy),
			Driver: report.Filled(r.Platform.Driver), VTuneVersion: report.Filled(r.Platform.VTune),
			Inputs: report.InputValues(r)})
	}
	return v
}

func diffChanges(list []rundiff.Change) []DiffChange {
	v := make([]DiffChange, 0, len(list))
	for _, c := range list {
		v = append(v, DiffChange{c.What, report.Filled(c.Task), c.Old, c.New})
	}
	return v
}

func diffRowOutput(r *rundiff.Row) DiffRowOutput {
	points := func(d *rundiff.Delta) DiffMetric {
		m := diffMetric(d)
		m.ChangePoints = report.Finite(d.Change)
		return m
	}
	average := diffMetric(&r.Time)
	average.Ratio = report.Finite(r.Time.Change)
	parts := make([]DiffPart, 0, len(r.Parts))
	for i := range r.Parts {
		parts = append(parts, DiffPart{string(r.Parts[i].Part), points(&r.Parts[i].Delta)})
	}
	return DiffRowOutput{
		Task: r.Task, Direction: report.Filled(string(r.Direction)), IsKernel: !r.NotAKernel,
		Old: diffLaunchOutput(r.Old), New: diffLaunchOutput(r.New), Changes: diffChanges(r.Changes),
		Measured: points(&r.Measured), Residual: points(&r.Residual), Predicted: points(&r.Predicted),
		Loaded: points(&r.Loaded), Idle: points(&r.Idle),
		Average: average, Parts: parts, Verdict: string(r.Verdict), Because: report.Filled(r.Because),
	}
}

func diffLaunchOutput(l *rundiff.Launch) *DiffLaunchOutput {
	if l == nil {
		return nil
	}
	v := &DiffLaunchOutput{
		Global: l.Global.List(), Local: l.Local.List(), SIMD: report.Pointer(l.SIMD), Adapter: report.Filled(l.Device),
		GRF:  report.Pointer(l.Registers),
		File: report.Filled(l.Pos.File), Line: report.Positive(l.Pos.Line), Runs: l.Runs,
		UnmeasurableRuns: l.Unmeasurable, TotalSeconds: report.Finite(l.Total),
	}
	if n, ok := l.SLM.Value(); ok {
		bytes := int64(n)
		v.SLMBytes = &bytes
	}
	return v
}

func diffMetric(d *rundiff.Delta) DiffMetric {
	m := DiffMetric{Old: diffSample(&d.Old), New: diffSample(&d.New), Significant: report.Pointer(d.Significant)}
	if t, ok := d.Test.Value(); ok {
		m.P = report.Finite(unit.Some(t.P))
	}
	return m
}

func diffSample(s *rundiff.Sample) DiffSample {
	v := DiffSample{N: s.N, Median: report.Finite(s.Median)}
	if i, ok := s.Interval.Value(); ok {
		v.Low, v.High, v.Confidence = report.Finite(unit.Some(i.Low)), report.Finite(unit.Some(i.High)),
			report.Finite(unit.Some(i.Confidence))
	}
	return v
}
