package rundoc

import (
	"occudiff/compare"
	"occudiff/compare/launches"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// ValidateSchema is the name and version of the JSON contract of `validate`.
const ValidateSchema = "occudiff/validate/1"

// Validate is the JSON output of `occudiff validate`. Scripts rely on this
// contract: fields have this order, a missing value is null, a list is never
// null, and percentages are 0..100 at full precision.
type Validate struct {
	Schema  string          `json:"schema"`
	Device  *report.Table   `json:"device"`
	Fit     []string        `json:"consistent_devices,omitempty"`
	Inputs  *report.Table   `json:"inputs"`
	Rows    *report.Table   `json:"rows"`
	Timings *report.Table   `json:"timings"`
	Summary compare.Summary `json:"summary"`
	Notes   *report.Table   `json:"notes"`
	Trace   *TraceValue     `json:"trace,omitempty"`
	Over    []OverTime      `json:"over_time,omitempty"`
	Also    *report.Table   `json:"also,omitempty"`
}

// timing is a timing from a line of a log, with the kernel of the row that it
// belongs to.
type timing struct {
	compare.Timing
	task unit.Opt[string]
}

// firstTimings lists the timing columns that come first for people.
var firstTimings = []string{"kernel", "groups", "seconds", "task", "file", "line"}

var timingColumns = []report.Col[timing]{
	report.Define("kernel", "As printed",
		func(t *timing) string { return t.Kernel },
		report.Cut),
	report.Define("groups", "Work-groups",
		func(t *timing) unit.Opt[int64] { return t.Groups }),
	report.Define("seconds", "Host time",
		func(t *timing) unit.Seconds { return t.Seconds },
		report.Decimals(6)),
	report.JSON("printed", func(t *timing) string { return t.Printed }),
	report.JSON("unit_as_printed",
		func(t *timing) string { return t.UnitAsPrinted }),
	report.Define("task", "Kernel",
		func(t *timing) unit.Opt[string] { return t.task },
		report.Cut),
	report.Shown("file", "File",
		func(t *timing) string { return t.Pos.File },
		report.Files, report.NonZero),
	report.Define("line", "Line",
		func(t *timing) int { return t.Pos.Line },
		report.Files, report.NonZero),
}

func timingTable(r *compare.Result) *report.Table {
	var list []timing
	for _, t := range r.Timings {
		one := timing{Timing: t}
		// A log may contain a timing of a kernel that has no row.
		if t.Row >= 0 && t.Row < len(r.Rows) {
			one.task = unit.Some(r.Rows[t.Row].Task)
		}
		list = append(list, one)
	}
	return report.NewTable(report.SectionTimings, "", list, timingColumns)
}

// Value returns the value of the JSON contract.
func Value(r *compare.Result) *Validate {
	v := &Validate{
		Schema:  ValidateSchema,
		Device:  predictdoc.DeviceOf(r.Device, r.ChosenBy),
		Inputs:  Inputs(r.Inputs),
		Rows:    report.NewStream(kernelsOf(r), kernelColumns),
		Timings: timingTable(r),
		Summary: r.Summary,
		Notes:   report.Notes(r.Notes),
		Trace:   traceValue(r.Sequence),
		Over:    kernelsOverTime(r),
	}
	if len(r.Options.Also) > 0 {
		v.Also = elsewhereTable(r)
	}
	for _, d := range r.Fit.Devices {
		v.Fit = append(v.Fit, d.Key)
	}
	return v
}

// Schemas returns the JSON outputs of this package.
func Schemas() []report.Schema {
	empty := Value(new(compare.Result))
	empty.Trace, empty.Over = traceValue(new(launches.Sequence)), []OverTime{overTimeOf(nil)}
	empty.Also = report.NoRows(elsewhereColumns)
	return []report.Schema{
		{Name: "validate", ID: ValidateSchema, Command: "occudiff validate --format json",
			Text: "the kernels of a run with what was predicted and measured.", Values: []any{*empty}},
	}
}
