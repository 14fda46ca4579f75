package report

import (
	"occudiff/compare"
	"occudiff/predict"
)

// LaunchOutputs are the JSON outputs of this package.
func LaunchOutputs() []Output {
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
		"AdviceJSON.verdict":           Words(compare.Verdicts()),
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
	return []Output{
		{"predict", PredictSchema, "occudiff predict --format json",
			"a launch on each device asked for; with --compat calculator or --model compute-unit what those say.",
			[]any{PredictJSON{}, CalculatorJSON{}, UnitJSON{}}, words},
		{"sweep", SweepSchema, "occudiff predict --sweep local|slm|simd --format json", "a launch with one setting varied.",
			[]any{SweepJSON{}}, words},
		{"timeline", TimelineSchema, "occudiff predict --timeline --format json", "the dispatch of a launch over time.",
			[]any{TimelineJSON{}}, words},
		{"advise", AdviseSchema, "occudiff advise --format json", "settings of higher occupancy for a launch or the kernels of a run; " +
			"for a device alone, or with --model compute-unit, what those say.",
			[]any{AdviseJSON{}, FullJSON{}, AdviseUnitJSON{}}, words},
		{"devices", "occudiff/devices/1", "occudiff devices --format json", "the device table.", []any{DevicesJSON{}}, words},
	}
}
