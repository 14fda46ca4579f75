package diffdoc

import (
	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// diffSchema names the version of the JSON contract of `diff`.
const diffSchema = "occudiff/diff/1"

// DiffOutput is the JSON output of `occudiff diff`: the conventions are those of Validate.
type DiffOutput struct {
	Schema          string        `json:"schema"`
	ThresholdPoints float64       `json:"threshold_points" jsonschema:"a smaller change is none, in percentage points"`
	Alpha           float64       `json:"alpha" jsonschema:"a change is significant when its p is below"`
	Old             DiffSide      `json:"old"`
	New             DiffSide      `json:"new"`
	Changes         *report.Table `json:"changes"`
	Rows            *report.Table `json:"rows"`
	Summary         diff.Summary  `json:"summary"`
	Notes           *report.Table `json:"notes"`
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

// newOutput gives the value of the JSON contract.
func newOutput(d *diff.Result) *DiffOutput {
	return &DiffOutput{
		Schema: diffSchema, ThresholdPoints: float64(d.Options.Threshold), Alpha: d.Options.Alpha,
		Old: newSide(&d.Old), New: newSide(&d.New), Changes: report.NewTable("changes", "", d.Changes, changeColumns), Summary: d.Summary,
		Rows: report.NewTable("rows", "", rowsOf(d), kernelColumns), Notes: report.Notes(d.Notes),
	}
}

func newSide(s *diff.Side) DiffSide {
	return DiffSide{unit.NonZero(s.Name), report.ListOf(s.Runs, func(r *compare.Result) DiffRun {
		return DiffRun{Device: report.NewDeviceValue(r.Device, r.ChosenBy), Driver: unit.NonZero(r.Platform.Driver),
			VTuneVersion: unit.NonZero(r.Platform.VTune), Inputs: report.InputValues(r)}
	})}
}
