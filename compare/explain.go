package compare

// CauseText documents a cause for people: what it means, the sign it is told by, what to do, and where that is from.
type CauseText struct {
	Name    string
	Means   string
	Sign    string // how it is told, with the thresholds
	Do      string
	From    string
	Applies string // verdicts it can stand with
}

// Explain gives the text of a cause.
func Explain(name string) (CauseText, bool) {
	for _, c := range CauseTexts() {
		if c.Name == name {
			return c, true
		}
	}
	return CauseText{}, false
}

// CauseTexts documents every cause, in the order in which they are looked for: the first that applies is taken.
func CauseTexts() []CauseText {
	return []CauseText{
		{CauseShape, "The work-size cell of the export lacks a dimension: the profiler computed its peak from a larger grid than it printed.",
			"The profiler's peak differs from the predicted peak by more than 1 point, and fits within 0.1 points when the grid is k times larger, up to what work-groups of this size can fill. Where one more copy of the grid is less than half a point every peak would fit, so that says nothing; below a point, above 64 times, or at the highest peak that any grid reaches the confidence is low.",
			"Take the launch shape from the program or from unitrace. The measured occupancy is right; the prediction of this row is not.",
			"Seen in a real export: `128 x 8` / `64 x 8`, SIMD 16, peak 40.0 = 512 of 1,280 thread slots, eight times the threads of the cell.",
			"below, above, unmeasurable"},
		{CauseModel, "The two static predictions disagree: the profiler's peak and ours come from the launch alone, so one of them has another device, launch shape, SLM size or barrier use.",
			"The profiler's peak differs from the predicted peak by more than 1 point and no larger grid fits; where nothing was measured, any mismatch.",
			"Check --device and --xve against the VTune summary. If VTune limits the peak by SLM, give unitrace's kernel properties (-v), which have the SLM per work-group. If all that is right, the device table is wrong: please report it.",
			"The published Gen9 vec_add table agrees with the model on 14 rows of 14, so a difference is no rounding.",
			"below, above, unmeasurable"},
		{CauseSampling, "The counter's value is not this kernel's: GPU counters are sampled, and the kernel is too short for a sample of its own.",
			"All launches together ran for less than 10 sampling intervals; or a launch is shorter than one interval and Little's law contradicts the value, because threads would have to live longer than their launch.",
			"Collect again with a smaller gpu-sampling-interval (-knob gpu-sampling-interval=0.1), or give a launch more work; unitrace -q measures each launch by itself.",
			"Intel VTune user guide, GPU sampling interval (1 ms by default). Seen: an 18 us kernel that measures 19.9, 26.5, 29.3 and 42.7 % in four runs with a peak of 14.3 %.",
			"unmeasurable"},
		{CauseOverlap, "Other kernels ran in this kernel's window: the counter is of the whole GPU, not of one kernel.",
			"Measured above the prediction by more than the tolerance. Between the average and the peak the tail may also be shorter than a full wave (low confidence).",
			"Look for several queues, ranks or processes on the GPU; run them one after another to measure them.",
			"The counter XVE Threads Occupancy counts all threads on the GPU.",
			"above"},
		{CauseAdapters, "The profiler averaged over several adapters or stacks of which not all worked.",
			"The run has k adapters or stacks (summary), and measured x k / busy fits the prediction within the tolerance; where nothing can be predicted, the summary's own table of adapters says how many worked.",
			"Collect with -knob target-gpu, or use all stacks (implicit or explicit scaling).",
			"Seen: one busy Max 1100 of four reads 23.7 %, which is 94.8 % of that one.",
			"below, no prediction"},
		{CauseIdle, "The slots were well filled while threads were loaded; the gap is time in which nothing was loaded: launch gaps, waits and the tail.",
			"Occupancy while loaded, measured / (1 - Idle), is within the tolerance of the predicted peak, and idle time and tail account for at least half of the gap (below nine tenths the confidence is medium). Idle time of adapters that did not work by the summary's own table is left out.",
			"Larger launches, fewer waits between launches, or work-group counts that are a multiple of what the GPU holds (occudiff advise).",
			"XVE Array Idle is the share of time in which an XVE had no thread. Seen: 93.6 measured with Idle 5.0 gives 98.5 % while loaded.",
			"below"},
		{CauseDispatch, "Threads end faster than the dispatcher can start new ones, so slots stand empty between threads.",
			"Mean thread life by Little's law, measured x thread slots x average launch time / threads per launch, is at most 5 us, also with half a printed digit more. The slots are those of all GPUs that the profiler averaged over. A measured 0.0 tells nothing of threads.",
			"Give each work-item more work (a loop, vector loads), so that there are fewer and longer threads.",
			"Little's law: residents = arrival rate x mean life. Seen: 131,072 threads of 2.2 us hold 62.7 % of 896 slots.",
			"below"},
		{CauseImbalance, "Threads of a work-group end at different times; those that wait keep their slots, those that have ended leave theirs empty until the whole work-group is done.",
			"Three waves or more, Idle below 10 %, two threads or more per work-group, and barrier stalls of at least 20 %. Without that column it is looked for after grf, simd and stack, with low confidence.",
			"Even out the work per work-item, or use smaller work-groups.",
			"Intel GPU optimization guide, on barriers and work-group size.",
			"below"},
		{CauseGRF, "The kernel was compiled for another register file than assumed: with a large one an XVE holds half the threads. VTune does not know and divides by all of them.",
			"A launch lasts at least 3 sampling intervals, and both the loaded and the measured occupancy fit the peak of a large-GRF kernel, and better than the prediction as it stands. Above the prediction: a mode with more threads than the assumed 128 registers leave fits (Xe3).",
			"Look at unitrace's Register File Size Per Thread. Large GRF is a trade: fewer threads for less spilling; try both register modes and compare times, not occupancies.",
			"Intel GPU optimization guide, on small and large register mode.",
			"below, above"},
		{CauseSIMD, "The kernel ran with another sub-group size than the export says.",
			"As for grf, with another SIMD width of the device, and no profiler's peak that confirms the width.",
			"Fix the sub-group size in the source (reqd_sub_group_size) and export the SIMD width column.",
			"The refit of the prediction.",
			"below"},
		{CauseStack, "The kernel ran on one stack of a GPU with two; VTune divides by the slots of both.",
			"As for grf, with the Xe-cores of one stack, and no profiler's peak that confirms the device.",
			"Use both stacks (implicit scaling), or name one with --device (max1550-1t).",
			"The refit of the prediction.",
			"below"},
		{CauseUnexplained, "None of the known causes fits the figures.",
			"All others have been ruled out. The text names a column that would help, if one is missing.",
			"Collect what is missing; unitrace -q gives per-launch metrics. The share of unexplained kernels is printed with every report: it is the quality figure of this tool.",
			"-",
			"below, above"},
	}
}
