package diffdoc

import (
	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest"
	"occudiff/report"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	words := map[string][]string{
		"Row.direction":  {string(ingest.HostToDevice), string(ingest.DeviceToHost)},
		"Row.verdict":    report.Words(rundiff.Verdicts()),
		"PartDelta.part": report.Words(compare.Parts()),
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
