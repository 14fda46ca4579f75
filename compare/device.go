package compare

import "occudiff/ingest"

// NeedsDevice says whether anything in a run can be predicted: a launch with a global size, or a timing of a log.
func NeedsDevice(run *ingest.Run) bool {
	if len(run.Timings) > 0 {
		return true
	}
	for s := range run.Kernels.Settings() {
		if k := run.Kernels.SettingKernel(s); k.Global.Present() {
			return true
		}
	}
	return false
}
