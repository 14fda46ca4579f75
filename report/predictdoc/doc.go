// Package predictdoc reports the occupancy that a launch can reach on a device.
//
// Each function accepts a question and calls package predict or another model
// to compute the result. It returns a report.Output: a document for people, the
// value of a JSON contract, a table for CSV, and a chart if the result is a
// curve. The types of the JSON values are also the rows of the tables, so that
// each value has the same name and description everywhere.
//
// The package computes no occupancy itself, and it contains no code for file
// formats, flags, or colors.
package predictdoc

import (
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// The names of the JSON contracts. The outputs of the program's other models
// use the schema of the command that runs the model.
const (
	predictSchema  = "occudiff/predict/1"
	sweepSchema    = "occudiff/sweep/1"
	timelineSchema = "occudiff/timeline/1"
	adviseSchema   = "occudiff/advise/1"
	devicesSchema  = "occudiff/devices/1"
	kernelsSchema  = "occudiff/predict-binary/1"
	toolsSchema    = "occudiff/collect-check/1"
	settingsSchema = "occudiff/config/1"
	explainSchema  = "occudiff/explain/1"
)

// Schemas returns the JSON outputs of this package.
func Schemas() []report.Schema {
	noDevice, aLaunch := deviceValue(nil), launchValue(&predict.Launch{})
	return []report.Schema{
		{Name: "predict", ID: predictSchema, Command: "occudiff predict --format json",
			Text: "a launch on each requested device; with --compat calculator or --model compute-unit, the " +
				"result of that model.",
			Values: []any{prediction{predictSchema, aLaunch, report.NoRows(onDeviceColumns)},
				calculation{Calculated: report.One(nil, calculatedColumns)}, unitPrediction{}}},
		{Name: "sweep", ID: sweepSchema, Command: "occudiff predict --sweep local|slm|simd --format json",
			Text: "a launch with one setting varied.", Values: []any{sweep{Device: noDevice, Launch: launchValue(nil),
				Points: report.NoRows((&axis{}).columnsOf(nil, nil))}}},
		{Name: "timeline", ID: timelineSchema, Command: "occudiff predict --timeline --format json",
			Text: "the dispatch of a launch over time.", Values: []any{timelineValue{Device: noDevice, Launch: aLaunch,
				Phases: report.NoRows(phaseColumns), Explained: report.NoRows(explainedColumns),
				Predicted: predictedValue(nil)}}},
		{Name: "advise", ID: adviseSchema, Command: "occudiff advise --format json",
			Text: "settings of higher occupancy for a launch, or of compute units; with --probe settings of lower " +
				"occupancy.",
			Values: []any{adviceList{Device: noDevice, Kernels: report.NoRows(adviceColumns), Notes: report.Notes(nil)},
				unitAdvice{Settings: report.NoRows(unitSettingColumns), Least: report.NoRows(relaxedColumns)},
				probeList{Device: noDevice, Launch: aLaunch, Current: predictedValue(nil),
					Probes: report.NoRows(probeColumns)}}},
		{Name: "devices", ID: devicesSchema, Command: "occudiff devices --format json",
			Text: "the device table.", Values: []any{Devices(nil).Value}},
		{Name: "predict-binary", ID: kernelsSchema, Command: "occudiff predict FILE... --format json",
			Text:   "the kernels of binaries with what was predicted; with --sweep grf in each register mode.",
			Values: []any{Kernels(nil, nil, unit.Size3{}, true).Value}},
		{Name: "collect-check", ID: toolsSchema, Command: "occudiff collect --check --format json",
			Text:   "the tools that are installed for collecting.",
			Values: []any{ToolChecks(nil, nil).Value}},
		{Name: "config", ID: settingsSchema, Command: "occudiff config --format json",
			Text:   "the settings that apply, and where each is from.",
			Values: []any{Settings("", nil, nil).Value}},
		{Name: "explain", ID: explainSchema, Command: "occudiff explain --format json",
			Text:   "the meanings of the terms in the other outputs.",
			Values: []any{Glossary().Value}},
	}
}
