package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/predict"
	"occudiff/report"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	words := map[string][]string{
		"ValidateRow.direction": {string(ingest.HostToDevice), string(ingest.DeviceToHost)},
		"ValidateRow.basis": {
			string(compare.BasisMeasured), string(compare.BasisPeak), string(compare.BasisMeasuredPeak),
		},
		"ValidateRow.verdict":          report.Words(compare.Verdicts()),
		"AccountValue.policy":          {predict.Free.String(), predict.Whole.String()},
		"AccountValue.room":            {"little", "some", "unknown"},
		"WorthValue.verdict":           report.Words(compare.WorthVerdicts()),
		"AccountCauseValue.part":       report.Words(compare.Parts()),
		"AccountCauseValue.name":       compare.Causes(),
		"AccountCauseValue.confidence": {"high", "medium", "low"},
	}
	return []report.Output{
		{Name: "validate", ID: ValidateSchema, Command: "occudiff validate --format json",
			Text: "the kernels of a run with what was predicted and measured.", Values: []any{Validate{}},
			Words: words},
	}
}
