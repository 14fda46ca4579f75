package diffdoc

import (
	"maps"

	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	words := map[string][]string{
		"Row.direction":  {string(ingest.HostToDevice), string(ingest.DeviceToHost)},
		"Row.verdict":    report.Words(rundiff.Verdicts()),
		"PartDelta.part": report.Words(compare.Parts()),
		"Sensitivity.bound_by_occupancy": {string(rundiff.NotBound), string(rundiff.Bound),
			string(rundiff.BoundOrNot)},
		"Change.what": {rundiff.ChangeDevice, rundiff.ChangeDriver, rundiff.ChangeVTune, rundiff.ChangeAdapter,
			rundiff.ChangeSIMD, rundiff.ChangeGRF, rundiff.ChangeGlobal, rundiff.ChangeLocal, rundiff.ChangeSLM},
	}
	return []report.Output{
		{Name: "diff", ID: diffSchema, Command: "occudiff diff --format json",
			Text: "two runs, or two sets of repeats, kernel by kernel.", Values: []any{DiffOutput{}}, Words: words},
		{Name: "diff-sides", ID: sidesSchema, Command: "occudiff diff --format json FIRST SIDE1 SIDE2",
			Text: "several sides, each compared with the first.", Values: []any{SidesOutput{}}, Words: words},
	}
}

// RunsOutputs are the JSON outputs of several runs.
func RunsOutputs() []report.Output {
	words := map[string][]string{"ValidateRun.findings": report.Words(rundiff.RunFindings())}
	for _, o := range rundoc.Outputs() { // each run is written as that of one
		maps.Copy(words, o.Words)
	}
	return []report.Output{
		{Name: "validate-runs", ID: runsSchema, Command: "occudiff validate --format json RUN1 RUN2",
			Text:   "several runs: what stands out, the kernels over all of them, and each as validate writes one.",
			Values: []any{ValidateRuns{}}, Words: words},
		{Name: "card", ID: report.CardSchema, Command: "occudiff validate|diff --format card",
			Text: "what was found and what may be concluded, in 8 kB.", Values: []any{report.Card{}},
			Words: map[string][]string{"Finding.worth": report.Words(compare.WorthVerdicts()),
				"Finding.cause": compare.Causes(), "Finding.confidence": {"high", "medium", "low"},
				"Finding.verdict": append(report.Words(compare.Verdicts()[:4]), report.Words(rundiff.Verdicts())...)}},
	}
}
