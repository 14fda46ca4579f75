package report

import (
	"occudiff/compare"
	"occudiff/ingest"
)

// RunOutputs are the JSON outputs of this package.
func RunOutputs() []Output {
	words := map[string][]string{
		"ValidateRow.direction": {string(ingest.HostToDevice), string(ingest.DeviceToHost)},
		"ValidateRow.basis": {
			string(compare.BasisMeasured), string(compare.BasisPeak), string(compare.BasisMeasuredPeak),
		},
		"ValidateRow.verdict": Words(compare.Verdicts()),
	}
	return []Output{
		{"validate", ValidateSchema, "occudiff validate --format json",
			"the kernels of a run with what was predicted and measured.", []any{Validate{}}, words},
		{"validate-runs", "occudiff/validate-runs/1", "occudiff validate --format json RUN1 RUN2",
			"several runs, each as validate writes one.", []any{ValidateRuns{}}, words},
	}
}
