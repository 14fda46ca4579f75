package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// ValidateSchema names the version of the JSON contract of `validate`.
const ValidateSchema = "occudiff/validate/1"

// Validate is the JSON output of `occudiff validate`, a contract that scripts rely on: the order of the fields is the
// order in the output, an absent value is null, a list is never null, percentages are 0..100 at full precision.
type Validate struct {
	Schema  string              `json:"schema"`
	Device  *report.DeviceValue `json:"device" jsonschema:"what predictions were made for; null when nobody said which"`
	Fit     []string            `json:"consistent_devices,omitempty" jsonschema:"that what ran fits; only without a device, or where it cannot be the one that ran"`
	Inputs  []report.InputValue `json:"inputs"`
	Rows    *report.Table       `json:"rows"`
	Timings []ValidateTiming    `json:"timings"`
	Summary compare.Summary     `json:"summary"`
	Notes   []report.NoteValue  `json:"notes"`
	Trace   *TraceValue         `json:"trace,omitempty" jsonschema:"how launches follow each other; only with a trace"`
	Over    []OverTime          `json:"over_time,omitempty" jsonschema:"kernels sampled over time; only with --timeline"`
}

// ValidateTiming is one line of a log.
type ValidateTiming struct {
	Kernel        string          `json:"kernel" col:"As printed; cut"`
	Groups        unit.Opt[int64] `json:"groups" col:"Work-groups"`
	Seconds       seconds         `json:"seconds" col:"Host time [s]; decimals=6"`
	Printed       string          `json:"printed"`
	UnitAsPrinted string          `json:"unit_as_printed"`
	Task          text            `json:"task" col:"Kernel; cut" jsonschema:"of the row that the timing belongs to"`
	Line          unit.Opt[int]   `json:"line" col:"Line; in=page+sheet"`
}

// Value gives the value of the JSON contract.
func Value(r *compare.Result) *Validate {
	return &Validate{
		Schema:  ValidateSchema,
		Device:  report.NewDeviceValue(r.Device, r.ChosenBy),
		Fit:     fitKeys(&r.Fit),
		Inputs:  report.InputValues(r),
		Rows:    report.NewStream("rows", kernelsOf(r), kernelColumns),
		Timings: report.ListOf(r.Timings, func(t compare.Timing) ValidateTiming { return validateTiming(r, &t) }),
		Summary: r.Summary,
		Notes:   report.NoteValues(r.Notes),
		Trace:   traceValue(r),
		Over:    kernelsOverTime(r),
	}
}

func validateTiming(r *compare.Result, t *compare.Timing) ValidateTiming {
	v := ValidateTiming{Kernel: t.Kernel, Groups: t.Groups, Seconds: unit.Some(t.Seconds), Printed: t.Printed,
		UnitAsPrinted: t.UnitAsPrinted, Line: unit.NonZero(t.Pos.Line)}
	// A log may print a kernel that no row is of.
	if t.Row >= 0 && t.Row < len(r.Rows) {
		v.Task = unit.Some(r.Rows[t.Row].Task)
	}
	return v
}

// fitKeys names the devices that the profiler's peaks fit.
func fitKeys(f *compare.Fit) (keys []string) {
	for _, d := range f.Devices {
		keys = append(keys, d.Key)
	}
	return keys
}
