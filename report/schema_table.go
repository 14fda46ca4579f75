package report

import (
	"fmt"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/predict"
)

// Output is a JSON output of the program.
type Output struct {
	Name    string // validate
	ID      string // occudiff/validate/1: the value of its field "schema"
	Command string
	Text    string
	values  []any // of the types that are written: one, or the alternatives
}

// Outputs lists the JSON outputs in the order of the commands. Whoever adds one adds it here; a test looks for those that were
// forgotten.
func Outputs() []Output {
	return []Output{
		{"validate", ValidateSchema, "occudiff validate --format json", "the kernels of a run with what was predicted and measured.", []any{Validate{}}},
		{"validate-runs", "occudiff/validate-runs/1", "occudiff validate --format json RUN1 RUN2", "several runs, each as validate writes one.", []any{ValidateRuns{}}},
		{"predict", PredictSchema, "occudiff predict --format json", "a launch on each device asked for; with --compat calculator or --model compute-unit what those say.",
			[]any{PredictJSON{}, CalculatorJSON{}, UnitJSON{}}},
		{"sweep", SweepSchema, "occudiff predict --sweep local|slm|simd --format json", "a launch with one setting varied.", []any{SweepJSON{}}},
		{"timeline", TimelineSchema, "occudiff predict --timeline --format json", "the dispatch of a launch over time.", []any{TimelineJSON{}}},
		{"advise", AdviseSchema, "occudiff advise --format json", "settings of higher occupancy for a launch or the kernels of a run; for a device alone, or with --model compute-unit, what those say.",
			[]any{AdviseJSON{}, FullJSON{}, AdviseUnitJSON{}}},
		{"devices", "occudiff/devices/1", "occudiff devices --format json", "the device table.", []any{DevicesJSON{}}},
		{"diff", DiffSchema, "occudiff diff --format json", "two runs, or two sets of repeats, kernel by kernel.", []any{DiffOutput{}}},
		{"track-add", TrackAddSchema, "occudiff track add --format json", "what was done with each run.", []any{TrackAddOutput{}}},
		{"track-list", TrackListSchema, "occudiff track list --format json", "the stored runs.", []any{TrackListOutput{}}},
		{"track-check", TrackCheckSchema, "occudiff track check --format json", "the gate on the newest run, series by series.", []any{TrackCheckOutput{}}},
		{"track", TrackSchema, "occudiff track report --format json", "every series with its change points.", []any{TrackOutput{}}},
		{"track-backtest", TrackBacktestSchema, "occudiff track backtest --format json", "the gate over the stored history.", []any{TrackBacktestOutput{}}},
	}
}

// FindOutput finds an output by its name or its schema id: validate, validate/1, occudiff/validate/1.
func FindOutput(name string) (*Output, error) {
	var names []string
	for _, o := range Outputs() {
		if short := strings.TrimPrefix(o.ID, "occudiff/"); strings.EqualFold(name, o.Name) || strings.EqualFold(name, o.ID) || strings.EqualFold(name, short) {
			return &o, nil
		}
		names = append(names, o.Name)
	}
	return nil, fmt.Errorf("no JSON output is named %q; there are %s", name, strings.Join(names, ", "))
}

// schemaWords are the words that a text field may hold, by Type.name.
func schemaWords() map[string][]string {
	limits, policies, confidences, status := predict.Limit(^predict.Limit(0)).Names(), []string{"free", "whole"}, []string{"high", "medium", "low"}, []string{"ok", "error"}
	directions := []string{string(ingest.HostToDevice), string(ingest.DeviceToHost)}
	words := map[string][]string{
		"ValidateMessage.severity":     {note.Info.String(), note.Warning.String(), note.Error.String()},
		"ValidateRow.direction":        directions,
		"ValidateRow.basis":            {string(compare.BasisMeasured), string(compare.BasisPeak), string(compare.BasisMeasuredPeak)},
		"ValidatePrediction.policy":    policies,
		"ValidatePrediction.limits":    limits,
		"ValidateCause.name":           compare.Causes(),
		"ValidateCause.confidence":     confidences,
		"DeviceJSON.confidence":        {"high", "medium", "user"},
		"LaunchJSON.policy":            {"auto", "free", "whole"},
		"PredictOnDeviceJSON.status":   status,
		"PredictedJSON.policy":         policies,
		"PredictedJSON.limits":         limits,
		"PredictedJSON.xe_core_limits": limits,
		"NextStepJSON.limits":          limits,
		"AdviseUnitJSON.model":         {"compute-unit"},
		"OtherPolicyJSON.policy":       policies,
		"CalculatorJSON.compat":        {"calculator"},
		"CalculatorJSON.status":        status,
		"CalculatorOutputJSON.limits":  {"threads", "slm", "slots", "barriers", "wg_total"},
		"UnitJSON.model":               {"compute-unit"},
		"UnitResultJSON.limits":        {"registers", "slm", "subgroups", "hardware"},
		"SweepJSON.sweep":              {string(SweepLocal), string(SweepSLM), string(SweepSIMD)},
		"SweepJSON.compat":             {"calculator"},
		"SweepPointJSON.status":        status,
		"TimelineJSON.policy":          {"free", "whole", "partial"},
		"DiffRowOutput.direction":      directions,
		"TrackGate.verdict":            {"regression", "alarm", "ok", "learning", "unmeasurable"},
		"TrackCheckOutput.verdict":     {"regression", "alarm", "ok", "learning"},
		"TrackBegin.changed":           {"device", "driver", LaunchShape},
		"DiffChange.what": {compare.ChangeDevice, compare.ChangeDriver, compare.ChangeVTune, compare.ChangeAdapter, compare.ChangeSIMD,
			compare.ChangeGRF, compare.ChangeGlobal, compare.ChangeLocal, compare.ChangeSLM},
	}
	for _, v := range []compare.Verdict{compare.Match, compare.Below, compare.Above, compare.Unmeasurable, compare.NoPrediction, compare.NoMeasurement, compare.NotAKernel} {
		words["ValidateRow.verdict"] = append(words["ValidateRow.verdict"], string(v))
	}
	words["AdviceJSON.verdict"] = words["ValidateRow.verdict"]
	words["NextStepJSON.limits"] = limits
	words["AdviseUnitJSON.model"] = words["UnitJSON.model"]
	words["ChangeJSON.setting"] = []string{predict.SettingLocal, predict.SettingSIMD, predict.SettingSLM, predict.SettingGRF, predict.SettingBarriers, predict.SettingGroups}
	for _, v := range compare.DiffVerdicts() {
		words["DiffRowOutput.verdict"] = append(words["DiffRowOutput.verdict"], string(v))
	}
	return words
}

// schemaNotes describe what a field's name does not say, by Type.name.
func schemaNotes() map[string]string {
	return map[string]string{
		"Validate.device":                           "what predictions were made for; null when nobody said which",
		"ValidateDevice.chosen_by":                  "what named the device",
		"ValidateInput.kind":                        "vtune, vtune-summary, unitrace, vec_add or another format",
		"ValidateInput.digest":                      "sha256:... or xxh3:... of the file",
		"ValidateRow.task":                          "the kernel's name as printed, line ends included",
		"ValidateRow.global":                        "work-items, as many dimensions as were printed; empty for copies",
		"ValidateRow.local":                         "work-items per work-group, as many dimensions as were printed",
		"ValidateRow.simd":                          "sub-group size",
		"ValidateRow.instances":                     "launches; null for a log's timing",
		"ValidateRow.predicted":                     "null when the launch cannot be predicted; a note says why",
		"ValidateRow.profiler_peak_percent":         "the profiler's own static prediction",
		"ValidateRow.loaded_percent":                "measured / (1 - idle): occupancy while any thread was loaded",
		"ValidateRow.thread_life_seconds":           "mean life of a thread by Little's law",
		"ValidateRow.basis":                         "the two numbers that difference_points is of",
		"ValidateRow.difference_points":             "what was seen - what was predicted, in percentage points",
		"ValidateRow.model_difference_points":       "profiler's peak - predicted peak, in percentage points",
		"ValidateRow.launches":                      "only of rows that are made of the launches of a per-launch export",
		"ValidateLaunches.measured_percent":         "null when no launch has a measured occupancy",
		"ValidateRow.cause":                         "why a row does not match",
		"ValidatePrediction.limits":                 "why the prediction is not higher",
		"ValidatePrediction.xe_core_percent":        "of one full Xe-core, 0..100",
		"ValidatePrediction.peak_percent":           "of the GPU while its waves are full, 0..100",
		"ValidatePrediction.average_percent":        "of the GPU over all waves, 0..100",
		"ValidatePrediction.waves":                  "with its fraction",
		"ValidatePrediction.tail_percent":           "occupancy of the last, partial wave; 0 when it is full",
		"ValidateTiming.task":                       "of the row that the timing belongs to",
		"ValidateSummary.model_compared":            "kernels with both a predicted peak and one of the profiler",
		"PredictedJSON.by_threads":                  "work-groups per Xe-core that thread slots admit",
		"PredictedJSON.by_slm":                      "work-groups per Xe-core that SLM admits; null without a limit",
		"PredictedJSON.by_slots":                    "work-groups per Xe-core that work-group slots admit",
		"PredictedJSON.by_barriers":                 "work-groups per Xe-core that barriers admit; null without a limit",
		"TimelineJSON.what_if":                      "the policy explains published phases; it predicts nothing",
		"DiffMetric.significant":                    "null when there were too few runs for a test",
		"DiffMetric.ratio":                          "new / old, of times",
		"DiffMetric.change_points":                  "new - old in percentage points, of percentages and points",
		"DiffSummaryOutput.time_ratio":              "geometric mean of new / old",
		"DiffRowOutput.residual_points":             "measured - predicted average, in percentage points",
		"DiffRowOutput.because":                     "the figures behind the verdict",
		"DeviceJSON.slm_steps_bytes":                "SLM per work-group is rounded up to one of these",
		"DeviceJSON.barrier_slots_per_xe_core":      "sources disagree; the first is the default",
		"TrackRunOutput.time":                       "RFC 3339, UTC",
		"TrackAddedRun.stored":                      "false when its content was there already",
		"AdviceJSON.current":                        "null when the launch cannot run; message says why",
		"AdviceJSON.work_groups_without_tail":       "multiples of it leave no tail",
		"SourcedJSON.source":                        "who says so",
		"TrackSeriesEntry.points":                   "how many runs have a value",
		"TrackSeriesEntry.begins":                   "the series of the kernel on another device or driver, or in another launch shape, that ends where this one begins",
		"TrackSeriesEntry.ended":                    "the kernel went on with another device, driver or launch shape",
		"TrackSeriesEntry.left_out":                 "earlier runs that are no points: too short for the sampling interval",
		"TrackCheckSeries.left_out":                 "of the earlier runs, those too short for the sampling interval; they are not in n",
		"TrackBacktestOutput.left_out":              "values that are not judged: too short for the sampling interval",
		"TrackChangePoint.index":                    "of the first run of the new level, from 0",
		"TrackGate.value":                           "of the newest run, in the series' unit",
		"TrackGate.n":                               "earlier runs that were looked at",
		"TrackGate.window":                          "the most that would have been",
		"ValidateMessage.code":                      "stable, for scripts",
		"ValidateMessage.hint":                      "what to do next",
		"DiffOutput.threshold_points":               "a smaller change is none, in percentage points",
		"DiffOutput.alpha":                          "a change is significant when its p is below",
		"DiffSample.confidence":                     "of the interval low to high, 0..1",
		"DiffLaunchOutput.grf":                      "registers per thread",
		"LaunchJSON.registers_per_thread":           "GRF mode; null is the device's default",
		"PredictedJSON.xe_core_of_grf_mode_percent": "of the slots that the GRF mode leaves",
	}
}
