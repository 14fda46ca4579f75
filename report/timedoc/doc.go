// Package timedoc shows how a run goes over time: how the launches of a trace follow each other, and how the occupancy
// that was sampled within launches goes beside the simulated launch. It gives the sections, the pictures and the values
// for JSON. It does not know what was predicted for whole kernels, verdicts, or file formats.
package timedoc

import (
	"occudiff/compare"
	"occudiff/report"
)

// Sections show what is known of a run over time; none without a trace and samples.
func Sections(r *compare.Result) []report.Section {
	var list []report.Section
	if s, ok := launchSection(r); ok {
		list = append(list, s)
	}
	return append(list, overTimeSections(r)...)
}
