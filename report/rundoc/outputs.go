package rundoc

import (
	"occudiff/compare/launches"
	"occudiff/report"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	return []report.Output{
		{Name: "validate", ID: ValidateSchema, Command: "occudiff validate --format json",
			Text: "the kernels of a run with what was predicted and measured.", Values: []any{Validate{Rows: Rows(report.Selection{}), Notes: report.Notes(nil), Timings: timingTable(nil),
				Trace: traceValue(new(launches.Sequence)), Over: []OverTime{overTimeOf(nil)}}}},
	}
}
