package predictdoc

import (
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// deviceColumns are the columns for the device of a prediction.
var deviceColumns = append(report.Within("", "",
	func(c *arch.Choice) *arch.Device { return c.Device },
	report.InJSON([]report.Col[arch.Device]{
		deviceKey.As(report.Key("device"), report.Title("Device")),
		deviceName.As(report.Drop(1)),
		architecture, xeCores, xvesPerXeCore, threadsPerXVE,
		threadSlots.As(report.Brief("Slots"), report.Drop(4)),
	}, "device", "name", "thread_slots")),
	report.JSON("chosen_by",
		func(c *arch.Choice) string { return c.By.String() },
		report.NonZero))

// launchColumns are the columns for the launch of a prediction. Settings with
// their default value are absent. SLM and barriers are always present, because
// 0 is an amount.
var launchColumns = append(report.EachAs([]report.Col[predict.Launch]{
	report.Define("global", "Global",
		func(l *predict.Launch) unit.Size3 { return l.Global }),
	report.Define("local", "Local",
		func(l *predict.Launch) unit.Size3 { return l.Local }),
	report.Define("simd", "SIMD",
		func(l *predict.Launch) int { return l.SIMD },
		report.NonZero),
	report.Define("slm_bytes", "SLM per work-group",
		func(l *predict.Launch) unit.Bytes { return l.SLM }),
	report.Define("barriers", "Barriers",
		func(l *predict.Launch) int { return l.Barriers }),
	report.Define("registers_per_thread", "Registers per thread",
		func(l *predict.Launch) int { return l.GRF },
		report.NonZero),
}, report.Wide),
	report.JSON("policy",
		func(l *predict.Launch) string { return l.Policy.String() }),
	report.JSON("barrier_slots",
		func(l *predict.Launch) int { return l.BarrierSlots },
		report.NonZero),
	report.JSON("work_group_slots",
		func(l *predict.Launch) int { return l.GroupSlots },
		report.NonZero),
)

// The columns of a prediction that a table of kernels has, too.
var (
	policy = report.Define("policy", "Policy",
		func(p *predict.Prediction) string { return p.Policy.String() },
		report.Drop(2))
	threadsPerGroup = report.Define("threads_per_work_group", "Threads per work-group",
		func(p *predict.Prediction) int64 { return p.ThreadsPerGroup },
		report.Brief("Threads"), report.Drop(3))
	groupsPerXeCore = report.Define("work_groups_per_xe_core", "Work-groups per Xe-core",
		func(p *predict.Prediction) int64 { return p.GroupsPerXeCore },
		report.Brief("Per Xe-core"), report.Drop(5))
	groups = report.Define("work_groups", "Work-groups",
		func(p *predict.Prediction) int64 { return p.Groups },
		report.Kept,
		report.NonZero)
	xeCore = report.Define("xe_core_percent", "Xe-core",
		func(p *predict.Prediction) unit.Ratio { return p.XeCore })
	peak = report.Define("peak_percent", "Predicted peak",
		func(p *predict.Prediction) unit.Ratio { return p.Peak },
		report.NonZero)
	average = report.Define("average_percent", "Predicted average",
		func(p *predict.Prediction) unit.Opt[unit.Ratio] { return unit.Maybe(p.Average, p.HasGrid()) })
	averageHigh = report.JSON("average_high_percent",
		func(p *predict.Prediction) unit.Opt[unit.Ratio] { return unit.Maybe(p.AverageHigh, p.HasGrid()) })
	waves = report.Define("waves", "Waves",
		func(p *predict.Prediction) unit.Opt[float64] { return unit.Maybe(p.Waves, p.HasGrid()) },
		report.Decimals(2),
		report.Drop(6))
	lastWave = report.Define("tail_percent", "Last-wave occupancy",
		func(p *predict.Prediction) unit.Opt[unit.Ratio] { return unit.Maybe(p.LastWaveOccupancy, p.HasGrid()) },
		report.Drop(7))
	limits = report.Define("limits", "Limited by",
		func(p *predict.Prediction) []string { return p.Limits.Names() })
)

// predictionColumns are the columns for all values of a prediction. Values that
// depend on the number of work-groups are absent without a global size.
var predictionColumns = []report.Col[predict.Prediction]{
	policy,
	threadsPerGroup,
	byResource("by_threads", "by threads",
		func(p *predict.Prediction) int64 { return p.ByThreads }),
	byResource("by_slm", "by SLM",
		func(p *predict.Prediction) int64 { return p.BySLM }),
	byResource("by_slots", "by slots",
		func(p *predict.Prediction) int64 { return p.ByGroupSlots }),
	byResource("by_barriers", "by barriers",
		func(p *predict.Prediction) int64 { return p.ByBarriers }),
	groupsPerXeCore,
	groups,
	xeCore,
	report.Define("xe_core_of_grf_mode_percent", "Xe-core of the GRF mode",
		func(p *predict.Prediction) unit.Ratio { return p.XeCoreOfMode },
		report.Kept),
	peak,
	average,
	averageHigh,
	waves,
	lastWave,
	limits,
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
	predicted(policy, "policy", report.Wide),
	ofKernel(threadsPerGroup, report.Wide),
	ofKernel(groups, report.Wide),
	ofKernel(groupsPerXeCore, report.Wide),
	ofKernel(limits, report.Kept),
	predicted(xeCore, "Xe-core", report.Wide),
	predicted(peak, "peak", report.Drop(9)),
	predicted(average, "average", report.Bar),
	predicted(averageHigh, "to", report.Drop(7), report.All),
	ofKernel(waves, report.Wide),
	ofKernel(lastWave, report.Wide),
}

// ofKernel returns a column of a prediction for a table of kernels.
func ofKernel(c report.Col[predict.Prediction], options ...report.Option) report.Col[predict.Prediction] {
	return c.As(append([]report.Option{report.Brief(""), report.Drop(0)}, options...)...)
}

// predicted returns a column of a prediction with a title below the heading
// "Predicted".
func predicted(c report.Col[predict.Prediction], title string,
	options ...report.Option) report.Col[predict.Prediction] {
	return ofKernel(c, append(options, report.Key("predicted_"+c.Path), report.Title(title),
		report.Group("Predicted"))...)
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
