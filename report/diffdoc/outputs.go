package diffdoc

import (
	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest"
	"occudiff/report"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	return []report.Output{{Name: "diff", ID: diffSchema, Command: "occudiff diff --format json",
		Text: "two runs, or two sets of repeats, kernel by kernel.", Values: []any{DiffOutput{}},
		Words: map[string][]string{
			"DiffRowOutput.direction": {string(ingest.HostToDevice), string(ingest.DeviceToHost)},
			"DiffRowOutput.verdict":   report.Words(rundiff.Verdicts()),
			"DiffPart.part":           report.Words(compare.Parts()),
			"DiffChange.what": {rundiff.ChangeDevice, rundiff.ChangeDriver, rundiff.ChangeVTune, rundiff.ChangeAdapter,
				rundiff.ChangeSIMD, rundiff.ChangeGRF, rundiff.ChangeGlobal, rundiff.ChangeLocal, rundiff.ChangeSLM},
		}}}
}
