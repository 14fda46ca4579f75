package compare

import "slices"

// CauseText documents a word of the answers for people: what it means, the sign it is told by, what to do, and where
// that is from.
type CauseText struct {
	Name    string
	Means   string
	Sign    string // how it is told, with the thresholds
	Do      string
	From    string
	Applies string // what it stands with: verdicts, or parts of an account
}

// CauseTexts documents every cause, in the order in which they are looked for.
func CauseTexts() []CauseText { return slices.Clone(causeTexts) }

var causeTexts = []CauseText{
	{CauseShape, "The work-size cell of the export lacks a dimension: the profiler computed its peak from a " +
		"larger grid than it printed.",
		"The profiler's peak differs from the predicted peak by more than 1 point, and fits within 0.1 points " +
			"when the grid is k times larger, up to what work-groups of this size can fill. Where one more copy " +
			"of the grid is less than half a point every peak would fit, so that says nothing; below a point, " +
			"above 64 times, or at the highest peak that any grid reaches the confidence is low.",
		"Take the launch shape from the program or from unitrace. The measured occupancy is right; the " +
			"prediction of this row is not.",
		"Seen in a real export: `128 x 8` / `64 x 8`, SIMD 16, peak 40.0 = 512 of 1,280 thread slots, eight " +
			"times the threads of the cell.",
		"below, above, unmeasurable"},
	{CauseModel, "The two static predictions disagree: the profiler's peak and ours come from the launch alone, " +
		"so one of them has another device, launch shape, SLM size or barrier use.",
		"The profiler's peak differs from the predicted peak by more than 1 point, and no larger grid fits or " +
			"launches of several sizes would all need one that is larger by the same factor; where nothing was " +
			"measured, any mismatch.",
		"Check --device and --xve against the VTune summary. If VTune limits the peak by SLM, give unitrace's " +
			"kernel properties (-v), which have the SLM per work-group. If all that is right, the device table " +
			"is wrong: please report it.",
		"The published Gen9 vec_add table agrees with the model on 14 rows of 14, so a difference is no rounding.",
		"below, above, unmeasurable"},
	{CauseSampling, "The counters are sampled, and too many of the samples can belong to other tasks: the values " +
		"say little about this kernel.",
		"More than half of a value can be of other tasks (see foreign), more than 60 % of all instructions stand " +
			"in rows of no kernel (see crosstalk), all launches together ran for less than 10 sampling " +
			"intervals, or more than twice as many threads were started as the launches have. Above a " +
			"prediction: what other tasks can have made is enough.",
		"Collect with the gpu-sampling-interval that the report names, or read the counters around each launch " +
			"with unitrace -q.",
		"Seen: an 18 us kernel that measures 19.9, 26.5, 29.3 and 42.7 % in four runs with a peak of 14.3 %. The " +
			"hardware samples every 2^n ticks of its clock: 1 ms is 0.683 ms on Gen9 and 0.853 ms on Meteor Lake.",
		"unmeasurable, above"},
	{CauseTolerance, "The launch fills so little of the GPU that no measurement can be below it by more than the " +
		"tolerance.",
		"The reference, the predicted average or the profiler's peak, is below the tolerance (5 points).",
		"Nothing about the value. A larger grid would fill more of the GPU.",
		"Seen: 0.1 and 0.0 measured against a peak of 1.2.",
		"unmeasurable"},
	{CauseOverlap, "Other kernels ran at the same time: the counter covers the whole GPU, not one kernel.",
		"Measured above the prediction by more than the tolerance and more than the sampling can mix in. Between " +
			"the average and the peak the tail may also be shorter than a full wave (low confidence). A trace names " +
			"the other kernels and how much of its time they ran, or rules them out below 1 %.",
		"Look for several queues, ranks or processes on the GPU; run them one after another to measure them.",
		"The counter XVE Threads Occupancy counts all threads on the GPU.",
		"above"},
	{CauseNothingRan, "No thread was seen at all, so the values say nothing about the kernel.",
		"Measured 0.0 with XVEs idle all of the time, or a summary in which the GPU was busy for 0.0 % of the " +
			"elapsed time.",
		"Collect the adapter that the kernel ran on (-knob target-gpu), and a run in which it works long enough.",
		"Seen: a summary with GPU time 0.0 % of elapsed.",
		"below: empty; unmeasurable"},
	{CauseAdapters, "The profiler averaged over several adapters or stacks, and not all of them worked.",
		"The run has k adapters or stacks (summary), and measured x k / busy fits the prediction within the " +
			"tolerance; where nothing can be predicted, the summary's own table of adapters says how many worked.",
		"Collect with -knob target-gpu, or use all stacks (implicit or explicit scaling).",
		"Seen: one busy Max 1100 of four reads 23.7 %, which is 94.8 % of that one.",
		"below: empty; no prediction"},
	{CauseStack, "The kernel ran on part of the GPU: one stack of two, or one compute engine of a Max GPU that " +
		"is split by CCS mode 2 or 4.",
		"XVEs idle within 2 points of (k - 1) / k of the time; or the XVEs that ran held what a launch on one " +
			"stack predicts over the slots of all; or, above the prediction, the value fits a launch on one " +
			"stack that is read by that stack's counter.",
		"Use both stacks (implicit scaling), or name one with --device (max1550-1t); look at ZEX_NUMBER_OF_CCS.",
		"Seen: a query of SubDeviceId 0 that fits one stack to 3.1 points and two to 25.",
		"below: empty, underfilled; above"},
	{CauseGaps, "Time between launches, in which no XVE has a thread, is counted as the kernel's.",
		"A launch is shorter than 3 sampling intervals, or no more idle time was seen than can lie outside the " +
			"launches (see edges). Then time between launches and time within look the same, and the " +
			"confidence is low. With a trace the gaps before its launches are known: high where they come to half of " +
			"the idle time, none below 1 % of the kernel's window.",
		"Make launches larger, batch them, or wait less between them.",
		"Two runs of one program on one day had idle shares of 20.7 and 43.0 % with the same residency of the " +
			"XVEs that ran.",
		"below: empty"},
	{CauseImbalance, "Work-groups, or threads of a work-group, end at different times.",
		"Of empty XVEs: three waves or more, and more idle time than can lie outside the launches, so that " +
			"Xe-cores run dry before a launch ends. Of underfilled ones: three waves or more, two threads or " +
			"more per work-group, and barrier stalls of at least 20 %; without that column the confidence is low " +
			"and only where no refit fits.",
		"Even out the work per work-item, or use smaller work-groups.",
		"Intel GPU optimization guide, on barriers and work-group size.",
		"below: empty, underfilled"},
	{CauseDispatch, "Threads end faster than the dispatcher can start new ones, so slots of running XVEs stay " +
		"empty between threads.",
		"Mean thread life by Little's law, measured x thread slots x average launch time / threads per launch, " +
			"is at most 5 us, also with half a printed digit more. The life lies between this value, by which " +
			"idle time is within the launch, and that from the occupancy of XVEs that ran. Medium at best from a " +
			"mean; high when the launches are known to be alike: nine of ten take less than twice as long as the " +
			"fastest tenth, in a trace or a per-launch export.",
		"Give each work-item more work (a loop, vector loads), so that there are fewer and longer threads; never " +
			"more threads.",
		"Little's law: residents = arrival rate x mean life. Seen: 131,072 threads of 2.2 to 2.8 us on average, in " +
			"launches that take 83 to 3,313 us by a trace.",
		"below: underfilled"},
	{CauseGRF, "The kernel was compiled for another register file than assumed: with a large one an XVE holds " +
		"half the threads. VTune does not know and divides by all of them.",
		"A launch lasts at least 3 sampling intervals, and the occupancy of XVEs that ran fits that of a " +
			"large-GRF kernel, and better than the prediction as it stands. Above the prediction: a mode with " +
			"more threads than the assumed 128 registers leave fits (Xe3).",
		"Look at the kernel's binary or at unitrace's Register File Size Per Thread. Large GRF is a trade: fewer " +
			"threads for less spilling; try both register modes and compare times, not occupancies.",
		"Intel GPU optimization guide, on small and large register mode.",
		"below: underfilled; above"},
	{CauseSIMD, "The kernel ran with another sub-group size than the export says.",
		"As for grf, with another SIMD width of the device, and no profiler's peak that confirms the width.",
		"Fix the sub-group size in the source (reqd_sub_group_size) and export the SIMD width column.",
		"The refit of the prediction.",
		"below: underfilled"},
	{CauseSLM, "Work-groups use more shared local memory than the export says, so that fewer of them are resident.",
		"As for grf, with fewer work-groups per Xe-core that fit to a point, where one of them is ten points or " +
			"more, and no profiler's peak.",
		"Look at the kernel's binary, or give unitrace's kernel properties along with the export.",
		"The refit of the prediction.",
		"below: underfilled"},
	{CauseBarriers, "Work-groups use more barriers than the export says, so that fewer of them are resident.",
		"As for slm, of a kernel whose barriers were counted.",
		"Look at the kernel's binary, or give unitrace's kernel properties along with the export.",
		"The refit of the prediction.",
		"below: underfilled"},
	{CauseUnexplained, "No known cause fits the figures, or the figures that would decide are missing.",
		"All other causes are ruled out. The text says what is not known, and what would settle it.",
		"Collect what is missing. The share of unexplained kernels is printed with every report: it is the " +
			"quality figure of this tool.",
		"-",
		"below, above"},
}

// AccountTexts documents the other words of an account: its parts, how sure it is, and what it is worth.
func AccountTexts() []CauseText {
	return []CauseText{
		{string(PartUsed), "Thread slots that held a thread.", "The measured occupancy.", "-",
			"The counter XVE Threads Occupancy.", "a part of the account"},
		{string(PartUnderfilled), "Slots of XVEs that ran, with fewer threads than the launch admits.",
			"L0 x (1 - idle) - measured, where L0 is the predicted average over the XVEs that the launch uses. Below " +
				"0 where the counters hold more than was predicted.",
			"See its causes: dispatch, grf, simd, slm, barriers, stack, imbalance.", "docs/model.md, the account",
			"a part of the account"},
		{string(PartEmpty), "Slots of XVEs without any thread, beyond those that the launch itself leaves empty. " +
			"VTune's Idle holds those too.",
			"L0 x (idle - predicted idle).", "See its causes: gaps, imbalance, adapters, stack, nothing ran.",
			"docs/model.md, the account", "a part of the account"},
		{string(PartShortfall), "Underfilled and empty XVEs together, where the XVE array state does not tell them " +
			"apart.",
			"Predicted average - measured.", "Export the columns XVE Array:Active, Stalled, Idle.",
			"docs/model.md, the account", "a part of the account"},
		{string(PartTail), "The partial wave at the end of the launch, as predicted.",
			"Predicted peak - predicted average.",
			"Launch a multiple of the work-groups that the GPU holds (occudiff advise).",
			"docs/model.md, the account", "a part of the account"},
		{string(PartLimits), "Slots that threads, SLM, slots, barriers, registers or a small grid keep the " +
			"launch from filling, as predicted.", "100 - predicted peak.",
			"Other launch settings (occudiff advise).", "docs/model.md, the account", "a part of the account"},
		{"edges", "The share of a value's time that can lie outside the launches.",
			"1 / (1 + r) of a launch of r sampling intervals, 1 - r / 2 below one: a bound for the worst of the " +
				"plausible rules by which samples are given to tasks. Time between launches leaves all XVEs idle.",
			"Collect with a smaller gpu-sampling-interval, or read the counters around each launch (unitrace -q).",
			"docs/model.md, the account", "how sure an account is"},
		{"foreign", "The share of a value that can come from other tasks.",
			"min(edges, (1 - s) / s), where s is the kernel's share of the time in which the GPU ran any task. Says " +
				"nothing where several queues or processes use the GPU at once.",
			"As for edges.", "docs/model.md, the account", "how sure an account is"},
		{"crosstalk", "The share of all XVE instructions that was counted in rows of no kernel: copies and the " +
			"time outside any task run none.",
			"1 - c, where c is the share of ALU1 instructions (of all that are exported, where that column is " +
				"missing) in rows of kernels. One figure for a run.",
			"Collect again: it differs between runs of one program.", "Seen: 25 to 65 % in exports of one machine.",
			"how sure an account is"},
		{"room", "Whether more occupancy may hide more latency. It is no promise of a speed-up.",
			"little: XVEs are active for 80 % or more of the time in which they are not idle. some: they stall for " +
				"half of it or more, with less than half of all slots in use. Otherwise unknown.",
			"Where it is little, look at the instructions, not at the occupancy.", "docs/model.md, the account",
			"what an account is worth"}, {"lost", "Slot time below the prediction; reports are ranked by it.",
			"GPU time x (predicted average - measured).", "Begin with the first row.", "docs/model.md, the account",
			"what an account is worth"},
		{"faster at lower occupancy", "A kernel whose launches became faster while its occupancy fell: no regression.",
			"XVEs that ran hold what they did, within 2 points (6 where a launch is below a sampling interval); the " +
				"mean launch time fell by more than 10 %, and the measured occupancy fell.",
			"Nothing. Shorter launches give idle time between them more weight.", "Seen: one GEMM on two days, 2.05 " +
				"and 1.42 ms per launch, 94.0 and 88.2 % measured, 98.6 and 97.9 % of XVEs that ran.", "diff"},
	}
}
