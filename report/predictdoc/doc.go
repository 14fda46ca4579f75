// Package predictdoc answers one question: what occupancy can a launch reach on a device?
//
// Each function takes what was asked, has package predict or one of its models compute the answer, and gives it as a
// report.Answer: a document for people, the value of a JSON contract, a table for CSV and, where there is a curve, a
// chart. The types of the JSON values are also the rows of the tables, so that a figure is named and described in one
// place.
//
// The package computes no occupancy itself, and it knows no file formats, flags or colors.
package predictdoc

import "occudiff/report"

// The JSON contracts. The program's other models answer under the schema of the command that asks them.
const (
	predictSchema  = "occudiff/predict/1"
	sweepSchema    = "occudiff/sweep/1"
	timelineSchema = "occudiff/timeline/1"
	adviseSchema   = "occudiff/advise/1"
	devicesSchema  = "occudiff/devices/1"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	return []report.Output{
		{Name: "predict", ID: predictSchema, Command: "occudiff predict --format json",
			Text: "a launch on each device asked for; with --compat calculator or --model compute-unit what those " +
				"say.",
			Values: []any{prediction{Predictions: []onDevice{{Notes: report.Notes(nil)}}}, calculation{}, unitPrediction{}}},
		{Name: "sweep", ID: sweepSchema, Command: "occudiff predict --sweep local|slm|simd --format json",
			Text: "a launch with one setting varied.", Values: []any{sweep{}}},
		{Name: "timeline", ID: timelineSchema, Command: "occudiff predict --timeline --format json",
			Text: "the dispatch of a launch over time.", Values: []any{timelineValue{}}},
		{Name: "advise", ID: adviseSchema, Command: "occudiff advise --format json",
			Text: "settings of higher occupancy for a launch or the kernels of a run; " +
				"for a device alone, or with --model compute-unit, what those say; with --probe settings of lower " +
				"occupancy.",
			Values: []any{adviceList{Notes: report.Notes(nil)}, fullOccupancy{}, unitAdvice{}, probeList{}}},
		{Name: "devices", ID: devicesSchema, Command: "occudiff devices --format json",
			Text: "the device table.", Values: []any{deviceList{}}},
	}
}
