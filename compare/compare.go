package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// Compare returns the rows of a run with their predictions for a device.
// Without a device, rows have no prediction. The rows are sorted by urgency,
// and then by slot time lost.
func Compare(run *ingest.Run, on Choice, opt Options) *Result {
	if on.fit == nil {
		on.fit = fitDevices(run, on.Device, nil, opt)
	}
	r := &Result{Inputs: run.Inputs, Platform: run.Platform, Instructions: run.Instructions, Recording: run.Recording,
		Trace: run.Trace, Samples: run.Samples, Notes: slices.Concat([]note.Note{}, run.Notes, on.Notes),
		launches: run.Launches, Device: on.Device, ChosenBy: on.By, Fit: *on.fit, Options: opt,
		adapterTime: map[string]unit.Seconds{}, busyStack: map[ingest.Key]*ingest.Kernel{}}
	r.intervalGiven()
	r.Sequence = launches.NewSequence(run.Trace, r.sampledEvery(run))
	r.rejectTrace(run)
	r.withheld = r.withheldCause()
	kernels := run.Kernels
	if len(kernels) == 0 {
		kernels, r.fromSummary = run.Summary, true
	}
	kernels = r.estimated(kernels)
	r.recorded(run)
	r.makeRows(run, kernels)
	r.nothingMeasured()
	r.groupsPartial()
	return r
}

// warn adds a note on a problem of the run, with a hint.
func (r *Result) warn(code string, at note.Pos, hint, format string, args ...any) {
	r.Notes = append(r.Notes, note.Warningf(code, at, hint, format, args...))
}

// rejectTrace rejects a trace that comes from another run than the export. In
// such a trace, the kernel with the most time has more launches, or launches of
// another length. For example, launches of 4 ms do not belong to an export with
// launches of 0.4 ms. A trace with fewer launches can be an excerpt of the same
// run.
func (r *Result) rejectTrace(run *ingest.Run) {
	var k *ingest.Kernel
	for i := range run.Kernels {
		if x := &run.Kernels[i]; x.Reading == ingest.Sampled && r.Sequence.Of(x) != nil && x.Instances.Present() &&
			(k == nil || x.Total.Or(0) > k.Total.Or(0)) {
			k = x
		}
	}
	if k == nil || r.Recording != nil {
		return
	}
	t, n, mean := r.Sequence.Of(k), k.Instances.Or(0), k.Average().Or(0)
	traced := t.Time / unit.Seconds(max(t.Launches, 1))
	if int64(t.Launches) <= sameRunTimes*n && (mean <= 0 || max(traced, mean) <= sameRunTimes*min(traced, mean)) {
		return
	}
	r.Sequence, r.otherTrace = nil, true
	r.warn("trace-of-another-run", note.Pos{}, "give the trace of the same run",
		"the trace is not used, because it belongs to another run: it has %s of %s of %s, "+
			"and the export has %s of %s", unit.FormatCount(int64(t.Launches), "launch", "launches"),
		kernelName(k.Task), unit.FormatDuration(traced),
		unit.FormatCount(n, "launch", "launches"), unit.FormatDuration(mean))
}

// recorded adds a note if an export has fewer or more launches than the summary of
// its run. For example, tracing may have stopped early.
func (r *Result) recorded(run *ingest.Run) {
	counts := map[string]int64{}
	for _, k := range run.Kernels {
		counts[k.Task] += k.Instances.Or(0)
	}
	for _, k := range run.Summary {
		if has, n := counts[k.Task], k.Instances.Or(0); has > 0 && n > 0 && has != n {
			r.warn("launches-recorded", k.Pos, "", "the export has %s of the %s of %s that the summary counts",
				unit.Thousands(has),
				unit.FormatCount(n, "launch", "launches"), kernelName(k.Task))
		}
	}
}

// nothingMeasured adds a note if no kernel has an occupancy. The note names the
// column that the exports lack.
func (r *Result) nothingMeasured() {
	if r.HasRow(func(row *Row) bool { return row.Measured.Present() || row.Peak.Present() }) {
		return
	}
	if i := slices.IndexFunc(r.Inputs, func(in ingest.Input) bool { return in.Traits.ColumnsVary }); i >= 0 {
		r.warn("no-occupancy", note.Pos{File: r.Inputs[i].Path},
			"collect gpu-hotspots, or export all columns of its result",
			`no export has the column "XVE Threads Occupancy(%%)" ("EU Threads Occupancy(%%)" of older GPUs): `+
				"nothing was measured")
	}
}

// groupsPartial adds a note on launches without any whole work-group: the
// work-group is larger than the global size in a dimension. For example, an
// export may lack a dimension.
func (r *Result) groupsPartial() {
	var first *Row
	rows := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		l := r.launchOfKernel(row.Kernel)
		if row.Predicted != nil && (l.Local.Dim(0) > l.Global.Dim(0) || l.Local.Dim(1) > l.Global.Dim(1) ||
			l.Local.Dim(2) > l.Global.Dim(2)) {
			first = cmp.Or(first, row)
			rows++
		}
	}
	if first == nil {
		return
	}
	also := ""
	if rows > 1 {
		also = fmt.Sprintf(", also in %s", unit.FormatCount(rows-1, "other row", "other rows"))
	}
	l := r.launchOfKernel(first.Kernel)
	r.warn("work-groups-partial", first.Pos, "check both sizes", "the work-group %s of %s exceeds the global size %s%s",
		l.Local, kernelName(first.Task), l.Global, also)
}

// LimitsWithoutSize returns the limits that the registers and the SLM of a
// kernel set for any launch size. For example: "at most 50% (256 registers)".
func (r *Result) LimitsWithoutSize(row *Row) (list []string) {
	if r.Device == nil {
		return nil
	}
	if n, known := row.Registers.Value(); known {
		if most := predict.RegisterLimit(r.Device, n).Or(1); most < 1 {
			list = append(list, fmt.Sprintf("at most %g%% (%d registers)", most.Percent(), n))
		}
	}
	if slm, known := row.SLM.Value(); known {
		if n, limited := predict.SLMLimit(r.Device, slm).Value(); limited {
			list = append(list, fmt.Sprintf("at most %s per Xe-core (SLM)", unit.Plural(n, "work-group")))
		}
	}
	return list
}

// forecast sets the prediction for a row, or the reason why there is none.
func (r *Result) forecast(row *Row) {
	if r.Device == nil {
		row.NoPrediction = "the device is not known"
		return
	}
	if r.Fit.Contradiction != "" {
		row.NoPrediction = "the device cannot be the GPU that ran"
		return
	}
	if row.NoPrediction = r.shapeMissing(row); row.NoPrediction != "" {
		if limits := r.LimitsWithoutSize(row); len(limits) > 0 {
			row.NoPrediction += "; known without it: " + unit.JoinWords(limits, "and")
		}
		return
	}
	l := r.launchOfKernel(row.Kernel)
	p, other, err := r.choosePolicy(l, row.Kernel)
	if err != nil {
		row.NoPrediction = err.Error()
		return
	}
	row.Predicted, row.ModelPeak, row.XVEs = &p, p.Peak, r.predictIdleXVEs(&p, &other)
	if p.XeCoreOfMode != p.XeCore { // VTune's peak counts all thread slots, in any GRF mode
		l.GRF, l.Policy = mostThreads(r.Device), p.Policy
		if q, err := predict.Predict(r.Device, l); err == nil {
			row.ModelPeak = q.Peak
		}
	}
}

// shapeMissing returns the name of the launch size that a prediction requires
// and the input lacks, or "" if nothing is missing. Without that size, the
// measured value can only be compared with the profiler's peak. A launch that
// cannot run at all is missing nothing.
func (r *Result) shapeMissing(row *Row) string {
	l := r.launchOfKernel(row.Kernel)
	switch {
	case !l.Global.Present():
		return "the input has no global work size; an export with the columns Work Size:Global and " +
			"Work Size:Local has it"
	case !l.Local.Present():
		return "the input has no work-group size"
	case l.SIMD == 0:
		return "the input has no SIMD width"
	}
	return ""
}

// predictIdleXVEs returns the predicted state of XVEs under the policy that was
// chosen. If both policies predict the same occupancy, the policy with whole
// work-groups is used, because real runs of such launches fit it.
func (r *Result) predictIdleXVEs(taken, other *predict.Prediction) XVEs {
	apart := func(a, b unit.Ratio) bool { return abs(a.Minus(b)) > policyPoints+digit }
	p, q := taken, other
	if other.Policy == predict.Whole && !apart(taken.Peak, other.Peak) && !apart(taken.Average, other.Average) {
		p, q = other, taken
	}
	x := XVEs{Policy: p.Policy, Range: p.Range(r.Device)}
	o := q.Range(r.Device)
	x.Floor = min(x.Low.Idle, o.Low.Idle)
	if apart(p.Average, q.Average) && abs(o.Low.BusyOccupancy.Minus(x.Low.BusyOccupancy)) > policyIdlePoints {
		x.Other = unit.Some(o)
	}
	return x
}

// mostThreads returns the number of registers of the GRF mode that has the most
// threads per XVE.
func mostThreads(d *arch.Device) int {
	return slices.MaxFunc(d.DistinctModes(), func(a, b arch.GRFMode) int {
		return cmp.Compare(a.ThreadsPerXVE, b.ThreadsPerXVE)
	}).Registers
}

// launchOfKernel returns the launch of a kernel. The options provide sizes that
// the input lacks.
func (r *Result) launchOfKernel(k *ingest.Kernel) predict.Launch {
	l := predict.Launch{Global: k.Global, Local: k.Local, SIMD: k.SIMD.Or(0), SLM: k.SLM.Or(0),
		Barriers: k.LeastBarriers(), GRF: k.Registers.Or(0)}
	if !l.Local.Present() {
		l.Local, _ = r.Options.Local.Of(k.Task)
	}
	if l.SIMD == 0 {
		l.SIMD, _ = r.Options.SIMD.Of(k.Task)
	}
	l.Global = l.Global.WithRank(l.Local.Rank()) // the global size in an export may lack a dimension
	if !k.SLM.Present() {
		l.GroupsBySLM = r.groupsBy(k.PeakSLM, &l)
	}
	l.GroupsByBarriers = r.groupsBy(k.PeakBarrier, &l)
	return l
}

// groupsBy converts a limit to work-groups per Xe-core. VTune reports the limit
// as a share of the thread slots. The result is 0 if VTune reports no limit, or
// if the share is not a whole number of work-groups on the device. For example,
// 50% of 64 slots are 4 work-groups of 8 threads.
func (r *Result) groupsBy(limit optRatio, l *predict.Launch) int {
	items, ok := l.Local.Items()
	if !ok || l.SIMD <= 0 || r.Device == nil || limit.Or(1) >= 1 {
		return 0
	}
	threads := (items + int64(l.SIMD) - 1) / int64(l.SIMD)
	groups := float64(r.Device.SlotsPerXeCore()) / float64(threads)
	n := math.Round(float64(limit.Or(0)) * groups)
	if abs(limit.Or(0).Minus(unit.Ratio(n/groups))) > printedHalf+digit {
		return 0
	}
	return int(n)
}

// LaunchOf returns the launch of a row with the policy of its prediction.
func (r *Result) LaunchOf(row *Row) predict.Launch {
	l := r.launchOfKernel(row.Kernel)
	if row.Predicted != nil {
		l.Policy = row.Predicted.Policy
	}
	return l
}

// choosePolicy makes the prediction under the policy that the evidence
// supports. If the kernel uses SLM or barriers, or VTune reports a limit by
// them, work-groups stay whole. Otherwise the chosen policy is the only one
// that agrees with the profiler's peak, or free if both or neither agree.
func (r *Result) choosePolicy(l predict.Launch, k *ingest.Kernel) (taken, other predict.Prediction, err error) {
	l.Policy = predict.Whole
	whole, err := predict.Predict(r.Device, l)
	if err != nil {
		return whole, whole, err
	}
	l.Policy = predict.Free
	free, err := predict.Predict(r.Device, l)
	agrees := func(p predict.Prediction) bool {
		peak, ok := k.Peak.Value()
		return ok && abs(peak.Minus(p.Peak)) <= ModelTolerance+digit
	}
	if l.SLM > 0 || l.Barriers > 0 || k.PeakSLM.Or(1) < 1 || k.PeakBarrier.Or(1) < 1 || agrees(whole) && !agrees(free) {
		return whole, free, err
	}
	return free, whole, err
}

// derive sets the values of a row that are computed from its cells.
func (r *Result) derive(row *Row) {
	m, ok := row.Measured.Value()
	if !ok {
		r.boundByArray(row)
		return
	}
	// Both values are rounded to 0.1. If their sum is larger than rounding
	// allows, a thread was resident in time that was counted as idle.
	if idle, ok := row.Idle.Value(); ok && idle < 1 && m.Minus(1-idle) <= arraySum {
		row.BusyOccupancy = unit.Some(min(m/(1-idle), 1))
	}
	if o, ok := row.XVEs.Other.Value(); ok && m.Minus(o.Low.BusyOccupancy) > policyIdlePoints {
		// With the other policy, XVEs could not reach the measured value even
		// if all of them were busy.
		row.XVEs.Other = unit.Opt[predict.Range]{}
	}
	if life, known := r.threadLifetime(row, m); known {
		row.ThreadLifetime = unit.Some(life / unit.Seconds(r.workedGPUs(row)))
	}
}

// threadLifetime returns the mean thread lifetime at an occupancy by Little's
// law: resident threads = arrival rate x lifetime. If the profiler averaged
// over several GPUs, the function assumes that they worked in turn.
func (r *Result) threadLifetime(row *Row, occupancy unit.Ratio) (mean unit.Seconds, known bool) {
	avg, timed := row.Average().Value()
	if row.Predicted == nil || !timed || row.Predicted.Groups <= 0 {
		return 0, false
	}
	slots, threads := r.Device.Slots()*r.averagedGPUs(row), row.Predicted.Groups*row.Predicted.ThreadsPerGroup
	return unit.Seconds(float64(occupancy) * float64(slots) * float64(avg) / float64(threads)), true
}

// unseen returns the largest rounding error of a measured value as printed. It
// is 0 for tools that read the samples of each launch, because they print all
// digits.
func (r *Result) unseen(row *Row) unit.Points {
	if row.Reading != ingest.Sampled {
		return 0
	}
	return printedHalf
}

// judge sets the differences and the verdict of a row. If the row is a launch,
// the rule of its kernel applies.
func (r *Result) judge(row, kernel *Row) {
	m, measured := row.Measured.Value()
	peak, peaked := row.Peak.Value()
	p := row.Predicted
	if p != nil && peaked {
		row.PeakDifference = unit.Some(peak.Minus(row.ModelPeak))
	}
	switch {
	case p != nil && measured:
		row.Basis, row.Difference = BasisMeasured, unit.Some(m.Minus(row.reference()))
	case p != nil && row.BoundHigh.Present() && !modelOff(row):
		row.Basis, row.Verdict = BasisBounds, Possible
		if d := r.beyondBounds(row); d != 0 {
			row.Difference, row.Verdict = unit.Some(d), Below
			if d > 0 {
				row.Verdict = Above
			}
		}
		return
	case p != nil && peaked:
		row.Basis, row.Difference = BasisPeak, unit.Some(peak.Minus(row.ModelPeak))
	case measured && peaked && r.Fit.Contradiction == "" && (r.Device == nil || r.shapeMissing(row) != ""):
		row.Basis, row.Difference = BasisMeasuredPeak, unit.Some(m.Minus(peak))
	case p == nil && (measured || peaked):
		row.Verdict = NoPrediction
		return
	default:
		row.Verdict = NoMeasurement
		return
	}
	if kernel != nil {
		row.Certainty = kernel.Certainty
	} else if measured {
		least, most := r.ownRange(row)
		row.OwnLow, row.OwnHigh = unit.Some(least), unit.Some(most)
		if row.Cause = r.rejectUnmeasurable(row); row.Cause == nil && !r.mixedUp(row) {
			row.OwnLow, row.OwnHigh = optRatio{}, optRatio{}
		}
	}
	d := row.Difference.Or(0)
	agrees := !r.Options.beyond(abs(d) - margin(row.Kernel).Or(0))
	switch {
	case row.Cause != nil, kernel != nil && kernel.Verdict == Unmeasurable:
		row.Verdict = Unmeasurable
	case agrees && row.Basis == BasisPeak:
		row.Verdict = PeaksAgree // both values are predictions, and no measurement exists
	case agrees:
		row.Verdict = Match
	case d > 0:
		row.Verdict = Above
	case row.Basis == BasisMeasuredPeak && !r.Options.beyond(r.leastOfPeak(row).Minus(m)):
		row.Verdict = NoPrediction
		if kernel == nil {
			row.NoPrediction = "VTune's peak leaves out the partial last wave, which can cost half of it, and " +
				row.NoPrediction
		}
	case r.onlyIdle(row):
		row.Verdict = MatchWhileBusy
	default:
		row.Verdict = Below
	}
}

// leastOfPeak returns a lower bound of the predicted average of a launch whose
// size is unknown: half of the profiler's peak, or half of a lower limit by
// registers. The partial last wave costs the most in a launch of one full wave
// and one thread more. A launch that does not fill the GPU once has a lower
// peak, and no second wave. The bound also applies to a row with launches of
// several sizes if its peak is a mean over time, as in merged rows.
func (r *Result) leastOfPeak(row *Row) unit.Ratio {
	most := row.Peak.Or(0)
	if n, known := row.Registers.Value(); known && r.Device != nil {
		most = min(most, predict.RegisterLimit(r.Device, n).Or(1))
	}
	return most / 2
}

// onlyIdle reports whether only idle time is missing: busy XVEs have the
// predicted occupancy, and the idle time beyond the prediction is probably
// between launches. Idle time that belongs to the rows of other tasks does not
// count.
func (r *Result) onlyIdle(row *Row) bool {
	loaded, known := row.BusyOccupancy.Value()
	if !known || row.Predicted == nil || modelOff(row) || row.XVEs.Other.Present() ||
		r.adapters(row) != nil || r.launchBound(row) || r.launchesDiffer(row) {
		return false
	}
	at, idle := row.XVEs.NearestBusy(loaded), row.Idle.Or(1)
	return r.Options.within(loaded.Minus(at.BusyOccupancy)) &&
		r.apart(row, idle)-at.Idle <= r.likelyOutside(row).Or(1) &&
		at.BusyOccupancy*(idle-at.Idle) >= (at.BusyOccupancy-loaded)*(1-idle)
}

// checkRow adds notes on contradictions between the values of a row.
func (r *Result) checkRow(row *Row) {
	say := func(severity note.Severity, code, format string, args ...any) {
		row.Notes = append(row.Notes, note.Newf(severity, code, row.Pos, "", format, args...))
	}
	if agrees, compared := row.ModelAgrees(); compared && !agrees &&
		(row.Cause == nil || row.HasCause(CauseSampling, CauseBelowTolerance)) {
		say(note.Warning, "model-differs",
			"the profiler's peak is %+.1f points from the predicted peak: check the device and the "+
				"launch size", float64(row.PeakDifference.Or(0)))
	}
	if p := row.Predicted; p != nil && row.ModelPeak != p.Peak && row.Peak.Present() {
		say(note.Info, "grf-unseen", "the profiler does not know the GRF mode, so its peak is compared with %s, "+
			"the peak of the mode with the most threads, and not with the predicted peak of %s",
			row.ModelPeak, p.Peak)
	}
	limited := func(by string, groups int) {
		if p := row.Predicted; p != nil && groups > 0 && int64(groups) < p.ByThreads {
			say(note.Info, "limited-by-vtune", "limited by %s according to VTune: %s per Xe-core, not %d", by,
				unit.Plural(groups, "work-group"), p.ByThreads)
		}
	}
	l := r.LaunchOf(row)
	limited("SLM", l.GroupsBySLM)
	limited("barriers", l.GroupsByBarriers)
	if text := row.contradiction(); text != "" {
		say(note.Warning, CodeIdleContradicts, "%s", text)
	}
	// A printed 0.0 means that no thread was seen, which another note reports.
	if m, low := row.Measured.Or(0), r.leastOfBusy(row).Or(0); m > 0 && m.Minus(low) < -arraySum {
		say(note.Warning, CodeIdleContradicts,
			"%s was measured, but XVEs that are idle for only %s of the time have at least "+
				"one of %d threads otherwise, which is at least %s", m, row.Idle.Or(0), r.Device.ThreadsPerXVE, low)
	}
	if sum, known := arrayStates(row); known && abs(sum.Minus(1)) > arraySum {
		say(note.Warning, "array-sum", "active, stalled, and idle add up to %s, not 100%%", sum)
	}
	started, want, known := r.threadsStarted(row)
	long := row.Average().Or(0) >= threadsIntervals*r.SamplingInterval()
	d := started/want - 1
	// If more threads were counted than predicted, they can come from another
	// kernel.
	if known && long && math.Abs(d) > threadsDiffer && (d < 0 || r.kernelTime.kernels == 1) {
		say(note.Warning, "threads-started", "%s started, and %s are predicted: check the launch size",
			unit.FormatCount(int64(started), "thread was", "threads were"), unit.Thousands(int64(math.Round(want))))
	}
}

// CodeIdleContradicts is the code of the note on a row whose idle share
// contradicts its measured occupancy.
const CodeIdleContradicts = "idle-contradicts"

// contradiction returns why the idle share and the measured occupancy of a row
// cannot both be right, or "" if they can. If they contradict each other, the
// idle share is not used.
func (r *Row) contradiction() string {
	m, idle := r.Measured.Or(0), r.Idle.Or(0)
	if !r.Idle.Present() || m.Minus(1-idle) <= arraySum {
		return ""
	}
	return fmt.Sprintf("%s was measured, but XVEs that are idle for %s of the time leave at most %s",
		m, idle, 1-idle)
}

// threadsStarted returns the number of threads that were counted over all
// launches of a row, and the predicted number. The prediction includes only the
// share of threads that the device counts. known is false if either number is
// unknown.
func (r *Result) threadsStarted(row *Row) (started, predicted float64, known bool) {
	want, known := row.ThreadsPredicted().Value()
	n, counted := row.Threads.Value()
	if !known || !counted || row.Uneven {
		return 0, 0, false
	}
	of, known := threadsCounted[r.Device.Architecture]
	return float64(n), float64(want) * of, known
}

func abs(p unit.Points) unit.Points { return max(p, -p) }
