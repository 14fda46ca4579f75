package compare

import (
	"fmt"
	"math"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Certainty describes the part of a row's counter values that can belong to the
// kernel.
//
// Counters are sampled, and each sample is assigned to one task. In real
// folders, a sample is assigned to the launch at its end, but no documentation
// states this. So OutsideLaunches and OtherTasks are computed for the worst
// plausible rule, as bounds of a mean over many launches. Neither bound applies
// if several queues or processes use the GPU at once.
type Certainty struct {
	// Exact states that the counters were read around each launch. In this
	// case, only Window and OutsideLaunches apply. Own states that each sample
	// is assigned to the launch that ran at the time of the sample. In this
	// case, no instructions are misattributed, and few launches are sufficient.
	Exact, Own bool
	Window     optNumber    // time of the counters / time of the kernel
	Interval   unit.Seconds // time between two samples, as the hardware takes them
	Intervals  optNumber    // mean time of a launch / Interval
	OwnShare   optRatio     // time of the kernel / time in which the GPU ran any task
	// OutsideLaunches is the largest share of the values' time that is outside
	// the launches, whatever ran there.
	OutsideLaunches optRatio
	OtherTasks      optRatio // largest share of the values that can come from other tasks
	Misattributed   optRatio // in the run: instructions outside rows of kernels / all instructions
	elsewhere       optRatio // the same share, computed from threads if the run has no instructions
}

// SamplingInterval returns the time between two samples of the counters. The
// clock of the device allows only some intervals.
func (r *Result) SamplingInterval() unit.Seconds {
	assumed := r.Options.SamplingInterval
	if r.Device != nil {
		assumed = r.Device.SamplingInterval(assumed)
	}
	return r.Platform.SamplingInterval.Or(assumed)
}

// sampledEvery returns the time between two samples. It comes from the first
// kernel whose input contains it, otherwise from the run.
func (r *Result) sampledEvery(run *ingest.Run) unit.Seconds {
	for i := range run.Kernels {
		if v, known := run.Kernels[i].Interval.Value(); known {
			return v
		}
	}
	return r.SamplingInterval()
}

// certainty returns the bounds for a row.
func (r *Result) certainty(row *Row) Certainty {
	c := Certainty{Exact: row.Reading == ingest.AroundLaunch, Own: row.Reading == ingest.SampledIn,
		Window:   row.CounterTimeRatio,
		Interval: row.Interval.Or(r.SamplingInterval())}
	avg, timed := row.Average().Value()
	c.Intervals = unit.Maybe(float64(avg/c.Interval), timed && c.Interval > 0)
	if t, ok := row.Total.Value(); ok && t > 0 {
		c.OwnShare = unit.Some(unit.Ratio(t / max(r.busy(row), t)))
	}
	none := unit.Some[unit.Ratio](0)
	switch {
	case c.Exact:
		c.OutsideLaunches = unit.Some(unit.Ratio(max(1-1/c.Window.Or(1), 0)))
		c.OtherTasks, c.Misattributed = none, none
		return c
	case row.MeasuredLow.Present(): // an estimate from all samples, which covers only the launches
		c.Own, c.OutsideLaunches, c.OtherTasks, c.Misattributed = true, none, none, none
		return c
	case c.Own:
		c.Misattributed = none
	case r.Instructions.All > 0:
		c.Misattributed = unit.Some(unit.Ratio(1 - r.Instructions.Kernels/r.Instructions.All))
	}
	c.elsewhere = c.Misattributed
	if n := &r.threads; !c.elsewhere.Present() && n.kernels > 0 && n.others.Present() {
		c.elsewhere = unit.Some(unit.Ratio(n.others.Or(0) / (n.kernels + n.others.Or(0))))
	}
	// A sample that is assigned to a launch of n intervals began up to one
	// interval before that launch. For n below 1, most samples contain a launch
	// and its neighbors.
	if n, ok := c.Intervals.Value(); ok {
		c.OutsideLaunches = unit.Some(unit.Ratio(max(1-n/2, 1/(1+n))))
	}
	c.OtherTasks = c.OutsideLaunches
	if s, ok := c.OwnShare.Value(); ok {
		foreign := min(c.OutsideLaunches.Or(1), (1-s)/s)
		// If samples are divided by time, a kernel's share of the samples is on
		// average its share of all time, plus half of the samples that are
		// assigned to the longest task. Real folders assign a sample to the
		// launch at its end, which can cover less of the sample. This rule
		// requires many launches and a list of all tasks, which a summary does
		// not have.
		if timed && !r.fromSummary && !r.kernelTime.unsampled {
			foreign = min(foreign, max(1-s, 0.5, 1-ownAtEnd(c.Intervals.Or(0), float64(s))))
		}
		c.OtherTasks = unit.Some(foreign)
	}
	return c
}

// ownAtEnd returns the kernel's own share of the samples that end in its
// launches. The launches are n intervals long, and take the share s of the time
// in regular turns. For example, if launches of half an interval alternate with
// launches of two other kernels, 25% of their samples are their own.
func ownAtEnd(n, s float64) unit.Ratio {
	turn := n / s
	if turn < 0.1 { // a sample contains many turns
		return unit.Ratio(s)
	}
	own := 0.0 // pairs of a time in a launch and an earlier time, up to an interval before, in any launch
	for before := 0.0; before < 1+n; before += turn {
		switch y := 1 - before; {
		case y <= 0:
			own += (n + y) * (n + y) / 2
		case y < n:
			own += n*n - (n-y)*(n-y)/2
		default:
			own += n * n
		}
	}
	return unit.Ratio((own - n*n/2) / n) // minus the pairs in the wrong order
}

// likelyOutside returns the share of the values' time that is probably outside
// the launches, at most OutsideLaunches. A sample at the edge of a launch that
// is assigned to the launch's neighbor contains some instructions of the
// launch. So by most rules, the share of time outside is at most the share of
// instructions in rows of no kernel. This is not a proof: a launch that gains
// as many samples as it loses has no misattributed instructions, but may have
// gaps.
func (c *Certainty) likelyOutside() optRatio {
	x, known := c.elsewhere.Value()
	if !known || c.Exact || c.Own {
		return c.OutsideLaunches
	}
	return unit.Some(min(c.OutsideLaunches.Or(1), x))
}

// likelyOutside returns the share of the time of a row's values that is
// probably outside its launches. If there is a trace, it is the share of the
// gaps in the trace.
func (r *Result) likelyOutside(row *Row) optRatio {
	if t := r.Traced(row); t != nil {
		return unit.Some(min(t.GapShare(), row.Certainty.OutsideLaunches.Or(1)))
	}
	return row.Certainty.likelyOutside()
}

// busy returns the time in which the GPU of a row ran any task. Tasks that name
// another adapter are excluded, because they have no samples in the row.
func (r *Result) busy(row *Row) unit.Seconds {
	if row.Device != "" {
		return r.taskTime - r.adapterTime[""] + r.adapterTime[row.Device]
	}
	return r.taskTime
}

// Confidence is the confidence in a cause. It is zero for a row that cannot be
// judged, because the reason for that is a fact and not a cause.
type Confidence uint8

// The confidences.
const (
	Low Confidence = iota + 1
	Medium
	High
)

// String returns the term for outputs, and "" for a fact.
func (c Confidence) String() string { return [...]string{"", "low", "medium", "high"}[c] }

// limit returns the highest confidence that the row's counters support. It
// depends on the thresholds for the shares of other tasks and misattributed
// instructions.
func (c *Certainty) limit() Confidence {
	by := sureWith(c.OtherTasks.Or(1), otherTasksHigh, otherTasksMedium)
	crosstalk, known := c.Misattributed.Value()
	if !known {
		return max(by, Medium) - 1
	}
	return min(by, sureWith(crosstalk, misattributedHigh, MisattributedMedium))
}

// sureWith returns the confidence in values that are partly wrong. wrong is the
// wrong share, and ofHigh and ofMedium are the largest wrong shares for high
// and medium confidence.
func sureWith(wrong, ofHigh, ofMedium unit.Ratio) Confidence {
	switch {
	case wrong <= ofHigh:
		return High
	case wrong <= ofMedium:
		return Medium
	}
	return Low
}

// rejectUnmeasurable returns the reason why the values of a row cannot be
// compared with its reference, or nil if they can be compared. The reason is a
// fact, so it has no confidence.
func (r *Result) rejectUnmeasurable(row *Row) *Cause {
	c, m, reference := &row.Certainty, row.Measured.Or(0), row.reference()
	sampled := func(format string, args ...any) *Cause {
		decide, own := c.resample(), " The occupancy of the launches alone is not known."
		if least, most := row.OwnLow.Or(0), row.OwnHigh.Or(1); most.Minus(least) <= widestRange {
			own = fmt.Sprintf(" The launches alone have %.1f to %s.", least.Percent(), most)
		}
		return newCause(CauseSampling, decide, format+"%s", append(args, own)...)
	}
	if pointsOf(r.Platform.GPUBusy.Or(1)) < printedHalf && r.noActivitySeen(row) {
		return newCause(CauseNoActivity, byOtherMeans("a run in which the kernel works for longer"),
			"The GPU was busy for 0.0%% of the elapsed time and no thread was seen: nothing was sampled, and the value "+
				"does not describe the kernel.")
	}
	margin, estimated := margin(row.Kernel).Value()
	switch {
	case margin > mostMargin:
		return sampled("The samples also contain other launches and gaps.")
	case estimated:
	case noArray(row):
		return sampled("Active, stalled, and idle are all 0.0%%: no sample of the XVE array belongs to this kernel.")
	case unsampled(row.Kernel) && row.Idle.Present() && !c.Exact:
		return sampled("%s means that no thread was seen, but the array was idle for only %s of the time: "+
			"no sample belongs to this kernel.", m, row.Idle.Or(0))
	}
	if over := m.Minus(reference); pointsOf(reference) < r.Options.Tolerance && !r.Options.beyond(over) {
		return newCause(CauseBelowTolerance, decision{}, "The launch can occupy at most %.2g%% of the thread slots, "+
			"which is less than the tolerance of %g points: no measurement can be below it.", reference.Percent(),
			float64(r.Options.Tolerance))
	}
	switch {
	case c.Exact && c.OutsideLaunches.Or(0) > otherTasksMax:
		return sampled("%s: the values mostly describe the time around it.", c.outsideText())
	case c.Exact || estimated:
		return nil
	case r.shortInAll(row):
		if !r.sameAnyway(row) {
			return sampled("The whole kernel ran for %s, less than %d sampling intervals of %s.",
				unit.FormatDuration(row.Total.Or(0)),
				minIntervals, unit.FormatDuration(c.Interval))
		}
	case c.Misattributed.Or(0) > misattributedMax:
		return sampled("Only %.0f%% of all XVE instructions of the run are in rows of kernels. Copies execute none, "+
			"so the rest belongs to kernels: too many samples of this run are in the wrong rows to judge its values.",
			(1 - c.Misattributed.Or(0)).Percent())
	case c.OtherTasks.Or(0) > otherTasksMax:
		nothingExplains := row.Predicted != nil && r.Options.beyond(m.Minus(c.mixed(reference)))
		if !nothingExplains && !r.sameAnyway(row) {
			return sampled("%s", c.othersText())
		}
	}
	if unsampled(row.Kernel) {
		return newCause(CauseNoActivity, byExport("XVE Array"), "%s without the XVE array state is not a measurement: "+
			"no sample belongs to the kernel, or no thread was seen.", m)
	}
	short := c.Intervals.Or(0) < refitIntervals && c.OtherTasks.Or(1) > otherTasksHigh
	if short && r.shareByThreads(row) > otherTasksMax {
		return sampled("%s threads were counted, and all launches together start %s: more than half of the value "+
			"comes from other tasks.", unit.Thousands(row.Threads.Or(0)), unit.Thousands(row.ThreadsPredicted().Or(0)))
	}
	return nil
}

// shareByThreads returns the share of other tasks in the time of a row's
// samples, computed from the threads that the other tasks started. For example,
// if a neighbor starts 1,000 threads per microsecond, 1,000 threads in the row
// stand for one microsecond.
func (r *Result) shareByThreads(row *Row) unit.Ratio {
	started, want, known := r.threadsStarted(row)
	if !known || started <= want {
		return 0
	}
	own, predicted := row.Total.Or(0), float64(row.ThreadsPredicted().Or(0))
	extra := predicted * (started/want - 1)
	theirs := own * unit.Seconds(extra/predicted)
	if rest, threads := r.kernelTime.predicted-own, r.kernelTime.starts-predicted; rest > 0 && threads > 0 {
		theirs = rest * unit.Seconds(extra/threads)
	}
	return unit.Ratio(theirs / max(own+theirs, math.SmallestNonzeroFloat64))
}

// shortInAll reports whether the total time of a row's launches is too short for
// sampled counters.
func (r *Result) shortInAll(row *Row) bool {
	t, timed := row.Total.Value()
	return timed && t < minIntervals*row.Certainty.Interval && !row.Certainty.Own && !row.Certainty.Exact
}

// mixedUp reports whether a value is useful only with its range, because too
// much of the value may come from other tasks.
func (r *Result) mixedUp(row *Row) bool {
	c := &row.Certainty
	return r.shortInAll(row) || c.Misattributed.Or(0) > misattributedMax || c.OtherTasks.Or(0) > otherTasksMax
}

// othersText describes the share of a value that can come from other tasks.
func (c *Certainty) othersText() string {
	n, timed := c.Intervals.Value()
	own, known := c.OwnShare.Value()
	if !timed {
		return fmt.Sprintf("This kernel takes %s of the GPU's time, and the time of a launch is not given: the value "+
			"may come from other tasks, or other kernels ran at the same time.", shareText(own))
	}
	takes := ""
	if known {
		takes = fmt.Sprintf(", and this kernel takes %s of the GPU's time", shareText(own))
	}
	return fmt.Sprintf("A launch lasts %s of an interval%s: up to %s of the value can come from other tasks.",
		intervals(n), takes,
		shareText(c.OtherTasks.Or(1)))
}

// outsideText compares the length of the launches with the sampling interval,
// in a sentence.
func (c *Certainty) outsideText() string {
	n, ok := c.Intervals.Value()
	window, query := c.Window.Value()
	switch {
	case query:
		return fmt.Sprintf("The counters ran %s times as long as the kernel", intervals(window))
	case !ok:
		return "The time of a launch is not given"
	case n < 1:
		return fmt.Sprintf("A launch lasts %s of a sampling interval", intervals(n))
	}
	return fmt.Sprintf("A launch lasts %s sampling intervals", intervals(n))
}

// resample returns the collection that separates a launch from its neighbors.
// If a collector supports a sampling interval with enough samples per launch,
// it is a collection with that interval. Otherwise it is a collection that
// reads the counters around each launch.
func (c *Certainty) resample() decision {
	n, known := c.Intervals.Value()
	enough := n * float64(c.Interval) / enoughIntervals * 1e3
	// 'occudiff collect' chooses the same interval: a multiple of 10 us, and
	// for VTune at least the shortest interval that VTune supports.
	want := math.Floor(enough*100+1e-9) / 100
	if !c.Own {
		want = max(want, leastOfVTune)
	}
	switch {
	case c.Window.Present():
		return byOtherMeans("launches that do more work")
	case known && n < enoughIntervals && enough >= leastInterval && want < 1e3*float64(c.Interval):
		text := fmt.Sprintf("gpu-sampling-interval %.4g", want)
		if c.Own {
			text = fmt.Sprintf("oneprof --sampling-interval %.4g", want*1e3)
		}
		return decision{text, NextStep{Interval, unit.Some(want / 1e3)}}
	case known && n < 1:
		return byOtherMeans(moreWork)
	}
	return byQuery
}

// moreWork is the advice for launches that are too short for any collector.
// Reading the counters around a launch takes half a millisecond. In real files,
// this was 76 and 89 times as long as kernels of 7 us.
const moreWork = "more work per launch, or more launches in one submission"

// intervals formats a number of intervals with two digits.
func intervals(n float64) string {
	switch {
	case n < 0.095:
		return fmt.Sprintf("%.2f", n)
	case n < 9.95:
		return fmt.Sprintf("%.1f", n)
	}
	return unit.Thousands(int64(math.Round(n)))
}

// shareText formats a share without decimals.
func shareText(v unit.Ratio) string {
	if p := v.Percent(); p > 0 && p <= 0.5 {
		return "less than 1%"
	}
	return fmt.Sprintf("%.0f%%", v.Percent())
}

// startedThreads is the number of threads that were counted in rows of kernels,
// and the number in other rows. The second number is absent if no other row has
// a count.
type startedThreads struct {
	kernels float64
	others  optNumber
}

// add counts the threads of a row.
func (t *startedThreads) add(row *Row) {
	n, counted := row.Threads.Value()
	switch {
	case !counted:
	case row.IsKernel():
		t.kernels += float64(n)
	default:
		t.others = unit.Some(t.others.Or(0) + float64(n))
	}
}

// kernelTimes contains sums over the kernels that were measured: their time,
// and their counters weighted with their time.
type kernelTimes struct {
	all       unit.Seconds
	used      use
	kernels   int  // number of kernels, with or without a time
	unsampled bool // some kernels have no sample, so their occupancy is part of the samples of other kernels
	// Sums over the kernels that have a prediction: their time, and the threads
	// that they start.
	predicted unit.Seconds
	starts    float64
	// Sums over all kernels, measured or not: the time, the time weighted with
	// the bounds of the occupancy, and the time weighted with the lower bound
	// of the idle share.
	timed, least, most, empty unit.Seconds
}

// add adds the kernel of a row.
func (t *kernelTimes) add(row *Row) {
	k, total, held := row.Kernel, row.Total.Or(0), row.bounds()
	t.kernels++
	t.timed += total
	t.least += total * unit.Seconds(held.least)
	t.most += total * unit.Seconds(held.most)
	t.empty += total * unit.Seconds(held.empty)
	if n, known := row.ThreadsPredicted().Value(); known {
		t.predicted += total
		t.starts += float64(n)
	}
	if k.Idle.Present() && k.Measured.Present() {
		t.unsampled = t.unsampled || unsampled(k)
		t.all += total
		t.used = t.used.with(usedBy(k), func(sum, own float64) float64 { return sum + float64(total)*own })
	}
}

// use contains the counters of a kernel. A missing counter is 0.
type use struct {
	measured, idle float64 // share of the thread slots with a thread, and share of XVEs without a thread
	pipe           float64 // share of the time in which the busiest pipe was active
	memory         float64 // GB/s
}

func usedBy(k *ingest.Kernel) use {
	busiest, _ := k.Counters.BusiestPipe()
	return use{float64(k.Measured.Or(0)), float64(k.Idle.Or(0)), float64(busiest.Or(0)), k.Counters.Memory().Or(0)}
}

// with combines each value of a use with the same value of another use.
func (u use) with(v use, join func(u, v float64) float64) use {
	return use{join(u.measured, v.measured), join(u.idle, v.idle), join(u.pipe, v.pipe), join(u.memory, v.memory)}
}

// ownTime contains bounds of the occupancy of a kernel, as sums weighted with
// time. empty is a lower bound of the kernel's idle share.
type ownTime struct{ least, most, empty unit.Ratio }

// bounds returns the bounds of a neighbor's occupancy: the values of its own
// row, plus or minus asMeasured. The margin is necessary because other tasks
// are part of that row, too. A neighbor without a sample may have any occupancy
// up to its peak.
func (r *Row) bounds() ownTime {
	reach := r.Peak.Or(1)
	if r.Predicted != nil {
		reach = r.Predicted.Peak
	}
	m, measured := r.Measured.Value()
	h := ownTime{least: max(min(m-asMeasured, reach), 0), most: reach}
	if unsampled(r.Kernel) {
		return h
	}
	if measured {
		h.most = min(m+asMeasured, reach)
	}
	h.empty = max(r.Idle.Or(0)-asMeasured, 0)
	return h
}

// unsampled reports whether it is possible that no sample was assigned to a
// kernel: no thread was seen, although the XVE array was not idle or its state
// is unknown.
func unsampled(k *ingest.Kernel) bool {
	m, measured := k.Measured.Value()
	idle, known := k.Idle.Value()
	return measured && pointsOf(m) < printedHalf && (!known || pointsOf(1-idle) > arraySum)
}

// apart returns the lowest possible idle share of a row's own launches. The
// rest of the idle share may belong to the other kernels of the run.
func (r *Result) apart(row *Row, idle unit.Ratio) unit.Ratio {
	f := row.Certainty.OtherTasks.Or(0)
	others, known := r.others(row)
	if !known || f >= 1 {
		return idle
	}
	return min(idle, max((idle-f*unit.Ratio(others.idle))/(1-f), 0))
}

// others returns the mean use of the other measured kernels, weighted by time.
func (r *Result) others(row *Row) (mean use, known bool) {
	t, of := row.Total.Or(0), &r.kernelTime
	rest := of.all - t
	if rest <= t*1e-9 || !row.Idle.Present() || !row.Measured.Present() || of.unsampled {
		return use{}, false
	}
	return of.used.with(usedBy(row.Kernel), func(sum, own float64) float64 {
		return (sum - float64(t)*own) / float64(rest)
	}), true
}

// ownRange returns the bounds of the occupancy of a row's own launches. A share
// a of the measured value comes from other tasks, and during a share g of the
// value's time nothing ran, so own = (measured - a theirs) / (1 - a - g).
// OtherTasks bounds a, OutsideLaunches bounds a + g, and the idle share bounds
// both. The other tasks have the occupancy of their rows, plus or minus
// asMeasured. No launch has more than the prediction plus the tolerance. The
// range does not apply to kernels that run at the same time. If there are too
// few samples, only the upper end is known, from the prediction.
func (r *Result) ownRange(row *Row) (least, most unit.Ratio) {
	c, top := &row.Certainty, r.maxOwn(row)
	if row.MeasuredLow.Present() {
		return row.MeasuredLow.Or(0), row.MeasuredHigh.Or(1)
	}
	samples := math.Inf(1)
	if t, timed := row.Total.Value(); timed && !c.Exact {
		samples = float64(t / c.Interval)
	}
	if samples < leastIntervals || !c.Exact && (unsampled(row.Kernel) || noArray(row)) {
		return 0, top
	}
	m, i := r.perBusyStack(row)
	idle, edges := i.Or(1), c.OutsideLaunches.Or(1)
	foreign := min(c.OtherTasks.Or(edges), 1-1e-9)
	if row.contradiction() != "" {
		idle = 1
	}
	theirs := r.neighbors(row)
	if theirs.empty > 0 {
		foreign = min(foreign, idle/theirs.empty)
	}
	least, most = min(m, (m-foreign*theirs.most)/(1-foreign)), m
	for _, a := range []unit.Ratio{0, foreign, min(max((edges-idle)/max(1-theirs.empty, 1e-9), 0), foreign)} {
		g := max(min(edges-a, idle-a*theirs.empty), 0)
		most = max(most, (m-a*theirs.least)/max(1-a-g, 1e-9))
	}
	if stacks, worked := r.averaged(row); !worked.Present() && stacks > 1 { // any of the stacks may have done nothing
		most *= unit.Ratio(stacks)
	}
	few := unit.Ratio(fewSamples / math.Sqrt(samples))
	if least = max(least-few, 0); least > top { // the neighbors have more occupancy than their rows show
		least = 0
	}
	return least, min(most+few, top)
}

// maxOwn returns the highest predicted occupancy of the launches of a row. It is
// 100% if the prediction may be for another launch or device.
func (r *Result) maxOwn(row *Row) unit.Ratio {
	switch p := row.Predicted; {
	case modelOff(row):
		return 1
	case p != nil:
		return min(p.Peak, p.AverageHigh+unit.FromPercent(float64(r.Options.Tolerance)))
	}
	return row.Peak.Or(1)
}

// neighbors returns the bounds of the occupancy of the other tasks of a run. Tasks
// that are not kernels have no threads.
func (r *Result) neighbors(row *Row) (theirs ownTime) {
	t, of, own := row.Total.Or(0), &r.kernelTime, row.bounds()
	rest, all := of.timed-t, r.busy(row)-t
	if theirs.most = 1; rest <= t*1e-9 || r.fromSummary {
		return theirs
	}
	less := func(sum unit.Seconds, own unit.Ratio, of unit.Seconds) unit.Ratio {
		return min(max(unit.Ratio((sum-t*unit.Seconds(own))/of), 0), 1)
	}
	theirs.least = less(of.least, own.least, max(all, rest))
	theirs.most = less(of.most, own.most, rest)
	theirs.empty = less(of.empty, own.empty, rest)
	return theirs
}

// sameAnyway reports whether the verdict of a row would be the same at all
// points of its range: all of them are at least the prediction, or all of them
// are below it.
func (r *Result) sameAnyway(row *Row) bool {
	p := row.Predicted
	if p == nil || modelOff(row) {
		return false
	}
	least, most := row.OwnLow.Or(0), row.OwnHigh.Or(1)
	atLeast := !r.Options.beyond(p.Average.Minus(least)) && !r.Options.beyond(row.Difference.Or(0))
	return atLeast || r.Options.beyond(p.Average.Minus(most))
}
