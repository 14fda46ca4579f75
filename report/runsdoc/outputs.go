package runsdoc

import (
	"maps"

	"occudiff/compare/rundiff"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	words := map[string][]string{"ValidateRun.findings": report.Words(rundiff.RunFindings())}
	for _, o := range rundoc.Outputs() { // each run is written as that of one
		maps.Copy(words, o.Words)
	}
	return []report.Output{
		{Name: "validate-runs", ID: runsSchema, Command: "occudiff validate --format json RUN1 RUN2",
			Text:   "several runs: what stands out, the kernels over all of them, and each as validate writes one.",
			Values: []any{ValidateRuns{}}, Words: words},
	}
}
