package launchdoc

import (
	"occudiff/compare"
	"occudiff/predict"
	"occudiff/report"
)

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	limits, policies, status := predict.Limit(^predict.Limit(0)).Names(), []string{"free", "whole"}, []string{"ok", "error"}
	words := map[string][]string{
		"DeviceJSON.confidence":        {"high", "medium", "user"},
		"LaunchJSON.policy":            {"auto", "free", "whole"},
		"PredictOnDeviceJSON.status":   status,
		"PredictedJSON.policy":         policies,
		"PredictedJSON.limits":         limits,
		"PredictedJSON.xe_core_limits": limits,
		"NextStepJSON.limits":          limits,
		"OtherPolicyJSON.policy":       policies,
		"AdviceJSON.verdict":           report.Words(compare.Verdicts()),
		"AdviseUnitJSON.model":         {"compute-unit"},
		"CalculatorJSON.compat":        {"calculator"},
		"CalculatorJSON.status":        status,
		"CalculatorOutputJSON.limits":  {"threads", "slm", "slots", "barriers", "wg_total"},
		"ChangeJSON.setting": {predict.SettingLocal, predict.SettingSIMD, predict.SettingSLM, predict.SettingGRF,
			predict.SettingBarriers, predict.SettingGroups},
		"UnitJSON.model":        {"compute-unit"},
		"UnitResultJSON.limits": {"registers", "slm", "subgroups", "hardware"},
		"SweepJSON.sweep":       {string(SweepLocal), string(SweepSLM), string(SweepSIMD)},
		"SweepJSON.compat":      {"calculator"},
		"SweepPointJSON.status": status,
		"TimelineJSON.policy":   {"free", "whole", "partial"},
	}
	return []report.Output{
		{Name: "predict", ID: PredictSchema, Command: "occudiff predict --format json",
			Text:   "a launch on each device asked for; with --compat calculator or --model compute-unit what those say.",
			Values: []any{PredictJSON{}, CalculatorJSON{}, UnitJSON{}}, Words: words},
		{Name: "sweep", ID: SweepSchema, Command: "occudiff predict --sweep local|slm|simd --format json", Text: "a launch with one setting varied.",
			Values: []any{SweepJSON{}}, Words: words},
		{Name: "timeline", ID: TimelineSchema, Command: "occudiff predict --timeline --format json", Text: "the dispatch of a launch over time.",
			Values: []any{TimelineJSON{}}, Words: words},
		{Name: "advise", ID: AdviseSchema, Command: "occudiff advise --format json", Text: "settings of higher occupancy for a launch or the kernels of a run; " +
			"for a device alone, or with --model compute-unit, what those say.",
			Values: []any{AdviseJSON{}, FullJSON{}, AdviseUnitJSON{}}, Words: words},
		{Name: "devices", ID: "occudiff/devices/1", Command: "occudiff devices --format json", Text: "the device table.", Values: []any{DevicesJSON{}}, Words: words},
	}
}
