package rundoc

import (
	"occudiff/compare"
	"occudiff/compare/rundiff"
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
		"ValidateRow.verdict": report.Words(compare.Verdicts()),
		"AccountValue.policy": {predict.Free.String(), predict.Whole.String()},
		"AccountValue.room": {string(compare.RoomLittle), string(compare.RoomSome),
			string(compare.RoomUnknown)},
		"AccountCauseValue.part":       report.Words(compare.Parts()),
		"AccountCauseValue.name":       compare.Causes(),
		"AccountCauseValue.confidence": {"high", "medium", "low"},
		"ValidateRun.findings":         report.Words(rundiff.RunFindings()),
	}
	return []report.Output{
		{Name: "validate", ID: ValidateSchema, Command: "occudiff validate --format json",
			Text: "the kernels of a run with what was predicted and measured.", Values: []any{Validate{}},
			Words: words},
		{Name: "validate-runs", ID: runsSchema, Command: "occudiff validate --format json RUN1 RUN2",
			Text:   "several runs: what stands out, the kernels over all of them, and each as validate writes one.",
			Values: []any{ValidateRuns{}}, Words: words},
	}
}
