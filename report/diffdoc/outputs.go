package diffdoc

import (
	"occudiff/report"
	"occudiff/report/predictdoc"
	"occudiff/report/rundoc"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	run, _ := rundoc.Outputs()[0].Values[0].(rundoc.Validate) // each run is written as that of one
	runs := ValidateRuns{Kernels: report.NewTable("kernels", "", nil, manyColumns), Findings: report.NewTable("findings", "", nil, findingColumns),
		Runs: []ValidateRun{{Run: &run}}}
	side := DiffSide{Runs: []DiffRun{{Device: predictdoc.DeviceOf(nil, ""), Inputs: rundoc.Inputs(nil)}}}
	diff := DiffOutput{Old: side, New: side, Rows: report.NewTable("rows", "", nil, kernelColumns), Notes: report.Notes(nil),
		Changes: report.NewTable("changes", "", nil, changeColumns)}
	return []report.Output{
		{Name: "validate-runs", ID: runsSchema, Command: "occudiff validate --format json RUN1 RUN2",
			Text: "several runs: what stands out, the kernels over all of them, and each as validate writes one.", Values: []any{runs}},
		{Name: "card", ID: report.CardSchema, Command: "occudiff validate|diff --format card",
			Text: "what was found and what may be concluded, in 8 kB.", Values: []any{report.Card{}}},
		{Name: "diff", ID: diffSchema, Command: "occudiff diff --format json",
			Text: "two runs, or two sets of repeats, kernel by kernel.", Values: []any{diff}},
		{Name: "diff-sides", ID: sidesSchema, Command: "occudiff diff --format json FIRST SIDE1 SIDE2",
			Text: "several sides, each compared with the first.", Values: []any{SidesOutput{Sides: []*DiffOutput{&diff}}}},
		{Name: "diff-binary", ID: buildsSchema, Command: "occudiff diff OLD NEW --format json",
			Text:   "what a new compilation changed, kernel by kernel.",
			Values: []any{buildsValue{Kernels: report.NewTable("", "", nil, buildColumns()), Notes: report.Notes(nil)}}},
	}
}
