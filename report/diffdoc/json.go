package diffdoc

import (
	"iter"

	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// diffSchema names the version of the JSON contract of `diff`.
const diffSchema = "occudiff/diff/1"

// DiffOutput is the JSON output of `occudiff diff`: the conventions are those of Validate.
type DiffOutput struct {
	Schema          string                 `json:"schema"`
	ThresholdPoints float64                `json:"threshold_points" jsonschema:"a smaller change is none, in percentage points"`
	Alpha           float64                `json:"alpha" jsonschema:"a change is significant when its p is below"`
	Old             DiffSide               `json:"old"`
	New             DiffSide               `json:"new"`
	Changes         []DiffChange           `json:"changes"`
	Rows            report.Stream[DiffRow] `json:"rows"`
	Summary         DiffSummary            `json:"summary"`
	Notes           []report.NoteValue     `json:"notes"`
}

// DiffSide is one side: its runs are repeats.
type DiffSide struct {
	Name unit.Opt[string] `json:"name"`
	Runs []DiffRun        `json:"runs"`
}

// DiffRun is one run of a side.
type DiffRun struct {
	Device       *report.DeviceValue `json:"device"`
	Driver       unit.Opt[string]    `json:"driver"`
	VTuneVersion unit.Opt[string]    `json:"vtune_version"`
	Inputs       []report.InputValue `json:"inputs"`
}

// DiffChange is something that is not the same; its task is null when it is of the whole run.
type DiffChange struct {
	What string           `json:"what" col:"What"`
	Task unit.Opt[string] `json:"task" col:"Of"`
	Old  string           `json:"old" col:"Old"`
	New  string           `json:"new" col:"New"`
}

// DiffSummary counts the verdicts of kernels.
type DiffSummary struct {
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
	Tested        int               `json:"tested"`
	TimeRatio     unit.Opt[float64] `json:"time_ratio" jsonschema:"geometric mean of new / old"`
	TimePairs     int               `json:"time_pairs"`
	OtherWork     int               `json:"time_left_out"`
}

// newOutput gives the value of the JSON contract.
func newOutput(d *rundiff.Result) *DiffOutput {
	return &DiffOutput{
		Schema: diffSchema, ThresholdPoints: float64(d.Options.Threshold), Alpha: d.Options.Alpha,
		Old: newSide(&d.Old), New: newSide(&d.New), Changes: appendChanges(nil, d.Changes),
		Rows: report.Stream[DiffRow]{Seq: jsonRows(d)}, Notes: report.NoteValues(d.Notes),
		Summary: DiffSummary(d.Summary),
	}
}

func newSide(s *rundiff.Side) DiffSide {
	return DiffSide{unit.NonZero(s.Name), report.ListOf(s.Runs, func(r *compare.Result) DiffRun {
		return DiffRun{Device: report.NewDeviceValue(r.Device, r.ChosenBy), Driver: unit.NonZero(r.Platform.Driver),
			VTuneVersion: unit.NonZero(r.Platform.VTune), Inputs: report.InputValues(r)}
	})}
}

// jsonRows gives the rows one by one.
func jsonRows(d *rundiff.Result) iter.Seq[*DiffRow] {
	return func(yield func(*DiffRow) bool) {
		var v DiffRow
		for i := range d.Rows {
			if v.set(&d.Rows[i]); !yield(&v) {
				return
			}
		}
	}
}

// appendChanges adds changes to a list, which is never nil then.
func appendChanges(to []DiffChange, list []rundiff.Change) []DiffChange {
	if to == nil {
		to = make([]DiffChange, 0, len(list))
	}
	for _, c := range list {
		to = append(to, DiffChange{c.What, unit.NonZero(c.Task), c.Old, c.New})
	}
	return to
}
