package report

import (
	"occudiff/compare"
	"occudiff/ingest"
)

// DiffOutputs are the JSON outputs of this package.
func DiffOutputs() []Output {
	return []Output{{"diff", DiffSchema, "occudiff diff --format json",
		"two runs, or two sets of repeats, kernel by kernel.", []any{DiffOutput{}}, map[string][]string{
			"DiffRowOutput.direction": {string(ingest.HostToDevice), string(ingest.DeviceToHost)},
			"DiffRowOutput.verdict":   Words(compare.DiffVerdicts()),
			"DiffChange.what": {compare.ChangeDevice, compare.ChangeDriver, compare.ChangeVTune, compare.ChangeAdapter,
				compare.ChangeSIMD, compare.ChangeGRF, compare.ChangeGlobal, compare.ChangeLocal, compare.ChangeSLM},
		}}}
}
