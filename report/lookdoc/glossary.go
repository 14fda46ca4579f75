package lookdoc

// entry is a word of the glossary.
type entry struct {
	kind  string
	names string // the first is shown; the others are its headings and keys elsewhere
	means string
	sign  string // the sign, with its thresholds
}

// entries are the words that no other package documents.
var entries = []entry{
	{verdict, "match", "The observed occupancy is the predicted one.",
		"The difference is within the tolerance (--tolerance, 5 points), plus half a printed digit. The basis says " +
			"which two numbers are compared."},
	{verdict, "below", "Less was observed than predicted. The parts of the account say where the thread slots went, " +
		"and the cause says why.",
		"The observed occupancy is lower than the predicted one by more than the tolerance (--tolerance, 5 points)."},
	{verdict, "above", "More was observed than predicted: other kernels ran at the same time, or the launch was not " +
		"the one that was predicted.",
		"The observed occupancy is higher than the predicted one by more than the tolerance (--tolerance, 5 points)."},
	{verdict, "unmeasurable", "Most of the counter's value can come from other tasks, or the launch fills too little " +
		"of the GPU: the difference means nothing.",
		"See the causes sampling and tolerance."},
	{verdict, "no prediction", "The launch cannot be predicted; a note says what is missing or why it " +
		"cannot run.", ""},
	{verdict, "no measurement", "The row has neither a measured occupancy nor the profiler's peak.", ""},
	{verdict, "not a kernel", "A copy, a fill, a barrier, or time outside any task: it has a time and no " +
		"occupancy.", ""},

	{diffResult, "regression", "Occupancy fell. --fail-on regression exits 1.",
		"The occupancy of XVEs that ran fell by more than --threshold (three times that where a launch is shorter " +
			"than a sampling interval), or the measured occupancy fell by more than --threshold (twice that without " +
			"a test) while launches take as long as before. With at least 4 runs on each side the change must be " +
			"significant. If the launch or the device changed, the residual must have fallen as well."},
	{diffResult, "improvement", "Occupancy rose, by the rule for a regression in the other direction.", ""},
	{diffResult, "unchanged", "The change is within the threshold, or not significant.", ""},
	{diffResult, "changed launch", "The launch shape, sub-group size or GRF mode changed and the residual did not: " +
		"the change was intended.", ""},
	{diffResult, "changed device", "The device changed, and the residual is not worse.", ""},
	{diffResult, "only old, only_old", "The kernel ran only in OLD.", ""},
	{diffResult, "only new, only_new", "The kernel ran only in NEW.", ""},
	{diffResult, "not comparable", "One of the sides has no usable value.", ""},

	{compiled, "same", "The figures of both compilations are the same.", ""},
	{compiled, "better", "A figure is better and none is worse.", ""},
	{compiled, "worse", "At least one figure is worse: more spills, more registers, less occupancy.", ""},
	{compiled, "added", "The kernel is new.", ""},
	{compiled, "removed", "The kernel is gone.", ""},

	{gate, "learning", "The series has too few earlier runs to judge by.", "Fewer than 8 of them."},
	{gate, "ok", "The run is not beyond the threshold.", ""},
	{gate, "alarm", "The run is beyond the threshold for the first time; one run may be an outlier.",
		"Differs from the median of the window by more than 4 median absolute deviations and by more than " +
			"--threshold."},
	{gate, "regression", "The run is beyond the threshold, as was the one before it: track check exits 1.", ""},

	{limit, "threads", "The thread slots of an Xe-core admit no more work-groups.",
		"XVEs x threads per XVE / threads per work-group"},
	{limit, "slm", "The shared local memory of an Xe-core admits no more work-groups.",
		"SLM per Xe-core / SLM per work-group, rounded up to a step"},
	{limit, "slots", "An Xe-core holds no more work-groups, whatever their size.", ""},
	{limit, "barriers", "The barriers of an Xe-core admit no more work-groups.",
		"barriers per Xe-core / barriers per work-group"},
	{limit, "registers", "Large GRF mode leaves an XVE half of its threads.", ""},
	{limit, "grid", "The launch has too few work-groups to fill the GPU.", ""},
	{limit, "tail", "The last, partial wave lowers the average noticeably.", "More than 5 points."},

	{policy, "free", "A thread goes to any free slot of the GPU: the kernel uses neither SLM nor barriers.", ""},
	{policy, "whole", "A work-group stays whole on one Xe-core: the kernel uses SLM or a barrier.", ""},
	{policy, "partial", "A what-if that explains published phases; it is never the prediction: the threads of a " +
		"work-group enter one by one.", ""},
	{policy, "auto", "Free or whole, by the SLM and barriers of the launch.", ""},

	{column, "Kernel, task, series", "The kernel as the profiler prints it.", ""},
	{column, "Adapter", "The adapter of the row, when the run used several.", ""},
	{column, "Global, global_old, global_new, global_size",
		"Work-items of the launch, as many dimensions as were printed.", ""},
	{column, "Local, local_old, local_new, local_size, Work-group", "Work-items per work-group.", ""},
	{column, "SIMD, simd_old, simd_new, sub-group size",
		"Work-items that a hardware thread runs at once; the sub-group size.", ""},
	{column, "Direction", "For copies: host to device, or back.", ""},
	{column, "Launches, instances", "How often the kernel was launched.", ""},
	{column, "GPU time, Time, total_seconds", "GPU time of all launches together.", ""},
	{column, "Time per launch, average_seconds, average_old_seconds, average_new_seconds",
		"Mean GPU time of a launch.", ""}, {column, "Predicted peak, peak_percent, predicted_peak_percent, Peak",
		"Predicted occupancy of the GPU while its waves are full.", ""},
	{column, "Predicted average, average_percent, predicted_average_percent, predicted_old_percent, " +
		"predicted_new_percent, Average",
		"Predicted occupancy over all waves, the last one counted as long as a full one. Measured occupancy is " +
			"compared with it.", ""}, {column, "Predicted Xe-core, xe_core_percent, predicted_xe_core_percent, Xe-core",
		"Predicted occupancy of one Xe-core that holds as many work-groups as it can.", ""},
	{column, "Xe-core, of the GRF mode's slots, xe_core_of_grf_mode_percent",
		"Predicted occupancy of one Xe-core as a share of the slots that the GRF mode leaves; VTune divides by all " +
			"slots.", ""},
	{column, "VTune peak, profiler_peak_percent", "The profiler's own prediction from the launch; it is not " +
		"measured.", ""},
	{column, "Measured, measured_percent, measured_old_percent, measured_new_percent, measured_change_points",
		"Measured occupancy: thread slots that held a thread, averaged over the kernel's time.", ""},
	{column, "Difference, difference_points", "Observed minus predicted occupancy. The basis says which two " +
		"numbers.", ""}, {column, "Peak difference, model_difference_points",
		"The profiler's peak minus the predicted peak: two predictions, which should agree within 0.1.", ""},
	{column, "Verdict, finding", "How the row compares: see match, below, above, unmeasurable and the others.", ""},
	{column, "Cause", "Why the row does not match: see the causes.", ""},
	{column, "Confidence", "Confidence in a cause, or in the figures of a device: high, medium or low.", ""},
	{column, "Because", "The figures behind a cause or a verdict.", ""},
	{column, "Limited by, limits", "Why the prediction is not higher: see threads, slm, slots, barriers, registers, " +
		"grid, tail.", ""},
	{column, "Compared, basis", "The two numbers of the difference.", ""},
	{column, "XVE idle, idle_percent, idle_old_percent, idle_new_percent",
		"Share of the time in which an XVE had no thread at all.", ""},
	{column, "Occupancy of XVEs that ran, Measured while loaded, loaded_percent, loaded_old_percent, " +
		"loaded_new_percent",
		"Occupancy without the time in which XVEs were idle: how full they were while they ran.",
		"measured / (1 - idle)"},
	{column, "part_used, Used", "The part of the account that held threads: see used.", ""},
	{column, "Underfilled XVEs, part_underfilled", "The part of the account on XVEs that ran with room for more: see " +
		"underfilled.", ""},
	{column, "Empty XVEs, part_empty", "The part of the account on XVEs without any thread: see empty.", ""},
	{column, "part_tail", "The part of the account that the last wave costs: see tail.", ""},
	{column, "part_limits", "The part of the account that the limits of the launch cost: see limits.", ""},
	{column, "█ used ▓ underfilled ▒ empty ░ last · lim, account",
		"The account of the row as a bar, in a wide terminal.", ""},
	{column, "Threads started, threads_started", "Hardware threads that the profiler saw start; sampled, so lower " +
		"than the true number.", ""},
	{column, "Threads predicted", "Hardware threads of all launches, computed from their shape.", ""},
	{column, "Thread life, thread_life_seconds", "How long a thread lives on average.",
		"Little's law: residents = starts per time x life"},
	{column, "Dispatch rate", "Threads that start per microsecond.", ""},
	{column, "Idle lanes", "Lanes of the last sub-group of a work-group that have no work-item; occupancy counts " +
		"threads and does not show them.", ""},
	{column, "Share of GPU time, time_share", "The kernel's share of the time in which the GPU ran any task.", ""},
	{column, "Predicted policy, policy, predicted_policy", "How threads are dispatched: see free and whole.", ""},
	{column, "Threads per work-group, threads_per_work_group", "Hardware threads of a work-group.",
		"local size / sub-group size, rounded up"}, {column, "Work-groups, work_groups", "Work-groups of the launch.",
		"global size / local size, rounded up in each dimension"},
	{column, "Work-groups per Xe-core, work_groups_per_xe_core, by_threads, by_slm, by_slots, by_barriers, Per Xe-core",
		"Work-groups that an Xe-core holds at once, by each resource and by all of them.", ""},
	{column, "Waves", "How often the launch fills the GPU, with a fraction for the last wave.",
		"work-groups / work-groups that the GPU holds"},
	{column, "Last wave, tail_percent, Tail", "Predicted occupancy during the last, partial wave; 0 when it is " +
		"full.", ""},
	{column, "Label in charts, label", "A short name that tells kernels apart; for a run, the name from --label.", ""},
	{column, "File, Line", "Position of the row in the input.", ""},
	{column, "Launch shortest, launch_min, Launch median, launch_median, Launch longest, launch_max",
		"The shortest, the median and the longest time of a launch, over the launches of a row.", ""},
	{column, "Launch measured lowest, launch_measured_min, Launch measured median, launch_measured_median, Launch " +
		"measured highest, launch_measured_max",
		"The lowest, the median and the highest measured occupancy of a launch, over the launches of a row.", ""},
	{column, "Residual, residual_old_points, residual_new_points, residual_change_points",
		"Measured occupancy minus the predicted average: the part that the launch itself does not explain.",
		""},
	{column, "Time ratio, time_ratio", "Mean time of a launch in NEW over that in OLD; above 1 is slower.", ""},
	{column, "p, measured_p, residual_p, time_p", "How likely a change this large is by chance alone, by a " +
		"Mann-Whitney test; needs at least 4 runs on each side.", ""},
	{column, "Thread slots, thread_slots, Slots", "Hardware threads that the GPU holds at once.",
		"Xe-cores x XVEs x threads per XVE"},
	{column, "Xe-cores, xe_cores", "The cores of the GPU, each with its own SLM.", ""},
	{column, "XVEs", "Vector engines of the GPU, also called EUs.", ""},
	{column, "Threads per XVE, threads_per_xve", "Hardware threads that a vector engine holds at once.", ""},
	{column, "Largest work-group, max_group_size, work_group_max_items",
		"Work-items of the largest work-group that the driver admits.", ""},
	{column, "SLM, slm_bytes, slm_kb, SLM per Xe-core, SLM per work-group", "Shared local memory.", ""},
	{column, "Registers, registers_per_thread, Registers per thread", "GRF mode: registers per hardware thread.",
		""},
	{column, "Resident, resident_work_groups, driver_work_groups, Resident model, Resident driver's formula",
		"Work-groups that fill the GPU, by the model and by the formula of the compute driver.", ""},
	{column, "Change, changes", "What differs from the launch as it is, or between OLD and NEW.", ""},
	{column, "Newest, value", "The value of the newest run.", ""},
	{column, "Median", "The median of the earlier runs in the window.", ""},
	{column, "MAD", "Median absolute deviation: how far a typical run is from the median.", ""},
	{column, "Threshold", "How far a run has to be from the median to count.",
		"the larger of 4 MAD and --threshold"},
	{column, "Window", "How many earlier runs the median is taken over.", ""},
	{column, "Runs in a row beyond, in_a_row", "How many runs, up to the newest, are beyond the threshold; from 2 on " +
		"it is a regression.", ""},
}
