package predictdoc

import (
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// deviceColumns are the columns for the device of a prediction.
var deviceColumns = []report.Col[arch.Choice]{
	report.Define("device", "Device",
		func(c *arch.Choice) string { return c.Device.Key },
		report.Path("key")),
	report.Define("name", "Name",
		func(c *arch.Choice) string { return c.Device.Name },
		report.Drop(1), report.Cut),
	report.JSON("architecture",
		func(c *arch.Choice) string { return c.Device.Architecture }),
	report.JSON("xe_cores",
		func(c *arch.Choice) int { return c.Device.XeCores },
		report.NonZero),
	report.JSON("xve_per_xe_core",
		func(c *arch.Choice) int { return c.Device.XVEPerXeCore }),
	report.JSON("threads_per_xve",
		func(c *arch.Choice) int { return c.Device.ThreadsPerXVE }),
	report.Define("thread_slots", "Thread slots",
		func(c *arch.Choice) int { return c.Device.Slots() },
		report.Brief("Slots"), report.Drop(4), report.NonZero),
	report.JSON("chosen_by",
		func(c *arch.Choice) string { return c.By.String() },
		report.NonZero),
}

// launchColumns are the columns for the launch of a prediction. Settings with
// their default value are absent. SLM and barriers are always present, because
// 0 is an amount.
var launchColumns = []report.Col[predict.Launch]{
	report.Define("global", "Global",
		func(l *predict.Launch) unit.Size3 { return l.Global },
		report.Wide),
	report.Define("local", "Local",
		func(l *predict.Launch) unit.Size3 { return l.Local },
		report.Wide),
	report.Define("simd", "SIMD",
		func(l *predict.Launch) int { return l.SIMD },
		report.Wide, report.NonZero),
	report.Define("slm_bytes", "SLM per work-group",
		func(l *predict.Launch) unit.Bytes { return l.SLM },
		report.Wide),
	report.Define("barriers", "Barriers",
		func(l *predict.Launch) int { return l.Barriers },
		report.Wide),
	report.Define("registers_per_thread", "Registers per thread",
		func(l *predict.Launch) int { return l.GRF },
		report.Wide, report.NonZero),
	report.JSON("policy",
		func(l *predict.Launch) string { return l.Policy.String() }),
	report.JSON("barrier_slots",
		func(l *predict.Launch) int { return l.BarrierSlots },
		report.NonZero),
	report.JSON("work_group_slots",
		func(l *predict.Launch) int { return l.GroupSlots },
		report.NonZero),
}

// predictionColumns are the columns for all values of a prediction. Values that
// depend on the number of work-groups are absent without a global size.
var predictionColumns = []report.Col[predict.Prediction]{
	report.Define("policy", "Policy",
		func(p *predict.Prediction) string { return p.Policy.String() },
		report.Drop(2)),
	report.Define("threads_per_work_group", "Threads per work-group",
		func(p *predict.Prediction) int64 { return p.ThreadsPerGroup },
		report.Brief("Threads"), report.Drop(3)),

	byResource("by_threads", "by threads",
		func(p *predict.Prediction) int64 { return p.ByThreads }),
	byResource("by_slm", "by SLM",
		func(p *predict.Prediction) int64 { return p.BySLM }),
	byResource("by_slots", "by slots",
		func(p *predict.Prediction) int64 { return p.ByGroupSlots }),
	byResource("by_barriers", "by barriers",
		func(p *predict.Prediction) int64 { return p.ByBarriers }),
	report.Define("work_groups_per_xe_core", "Work-groups per Xe-core",
		func(p *predict.Prediction) int64 { return p.GroupsPerXeCore },
		report.Brief("Per Xe-core"), report.Drop(5)),

	report.Define("work_groups", "Work-groups",
		func(p *predict.Prediction) int64 { return p.Groups },
		report.Kept,
		report.NonZero),
	report.Define("xe_core_percent", "Xe-core",
		func(p *predict.Prediction) unit.Ratio { return p.XeCore }),
	report.Define("xe_core_of_grf_mode_percent", "Xe-core of the GRF mode",
		func(p *predict.Prediction) unit.Ratio { return p.XeCoreOfMode },
		report.Kept),
	report.Define("peak_percent", "Predicted peak",
		func(p *predict.Prediction) unit.Ratio { return p.Peak },
		report.NonZero),
	report.Define("average_percent", "Predicted average",
		func(p *predict.Prediction) unit.Opt[unit.Ratio] { return unit.Maybe(p.Average, p.HasGrid()) }),

	report.JSON("average_high_percent",
		func(p *predict.Prediction) unit.Opt[unit.Ratio] { return unit.Maybe(p.AverageHigh, p.HasGrid()) }),

	report.Define("waves", "Waves",
		func(p *predict.Prediction) unit.Opt[float64] { return unit.Maybe(p.Waves, p.HasGrid()) },
		report.Decimals(2),
		report.Drop(6)),
	report.Define("tail_percent", "Last-wave occupancy",
		func(p *predict.Prediction) unit.Opt[unit.Ratio] { return unit.Maybe(p.LastWaveOccupancy, p.HasGrid()) },
		report.Drop(7)),

	report.Define("limits", "Limited by",
		func(p *predict.Prediction) []string { return p.Limits.Names() }),
	report.JSON("work_group_size",
		func(p *predict.Prediction) int64 { return p.GroupSize }),
	report.JSON("slm_bytes_allocated",
		func(p *predict.Prediction) unit.Bytes { return p.SLMAllocated }),
	report.JSON("xe_core_limits",
		func(p *predict.Prediction) []string { return p.XeCoreLimits.Names() }),
	report.JSON("idle_lanes_per_work_group",
		func(p *predict.Prediction) int64 { return p.IdleLanes }),
	report.JSON("partial_work_groups",
		func(p *predict.Prediction) bool { return p.Partial }),
}

// KernelPrediction contains the prediction columns for a table of kernels.
var KernelPrediction = []report.Col[predict.Prediction]{
	predictedAs("policy", "policy", report.Wide),
	as("threads_per_work_group", report.Wide),
	as("work_groups", report.Wide),
	as("work_groups_per_xe_core", report.Wide),
	as("limits", report.Kept),
	predictedAs("xe_core_percent", "Xe-core", report.Wide),
	predictedAs("peak_percent", "peak", report.Drop(9)),
	predictedAs("average_percent", "average", report.Bar),
	predictedAs("average_high_percent", "to", report.Drop(7), report.All),
	as("waves", report.Wide),
	as("tail_percent", report.Wide),
}

// as returns the prediction column with the given path.
func as(path string, options ...report.Option) report.Col[predict.Prediction] {
	at := slices.IndexFunc(predictionColumns, func(c report.Col[predict.Prediction]) bool { return c.Path == path })
	return predictionColumns[at].As(append([]report.Option{report.Brief(""), report.Drop(0)}, options...)...)
}

// predictedAs returns the prediction column with the given path and a title
// below the heading "Predicted".
func predictedAs(path, title string, options ...report.Option) report.Col[predict.Prediction] {
	return as(path, append(options, report.Key("predicted_"+path), report.Title(title), report.Group("Predicted"))...)
}

// byResource returns a column with the number of work-groups that a resource
// allows. The number is absent if the resource sets no limit.
func byResource(key, title string, of func(*predict.Prediction) int64) report.Col[predict.Prediction] {
	return report.Define(key, title, func(p *predict.Prediction) unit.Opt[int64] {
		n := of(p)
		return unit.Maybe(n, n != predict.Unlimited)
	}, report.Kept, report.Group("Work-groups per Xe-core"))
}

// stepColumns are the columns for a step of the calculation.
var stepColumns = []report.Col[predict.Step]{
	report.Define("step", "Step",
		func(s *predict.Step) string { return s.Label }),
	report.Define("calculation", "Calculation",
		func(s *predict.Step) string { return s.Formula },
		report.Drop(1),
		report.Fold),
	report.Define("value", "Value",
		func(s *predict.Step) string { return s.Value }),
	report.JSON("binds",
		func(s *predict.Step) bool { return s.Limiting }),
	report.Shown("binds", "Limit", func(s *predict.Step) report.Word {
		if s.Limiting {
			return report.Unsure.Word("limits")
		}
		return report.Word{Text: " "}
	}),
}
