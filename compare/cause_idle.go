package compare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
	"occudiff/predict/timeline"
)

// The limits of the causes in this file.
const (
	// stackIdleLess and stackIdleMore bound the difference between a measured
	// idle share and the share of the other stacks, if a launch ran on one
	// stack. The measured share can be larger, because the one stack is also
	// idle for some time. On simulated GPUs with two stacks, 7 of 8 such rows
	// ran on one stack.
	stackIdleLess unit.Points = 0.5
	stackIdleMore unit.Points = 5

	// alikeLaunches is the ratio of a kernel's longest launch to its shortest
	// launch up to which their mean describes every launch.
	alikeLaunches = 2
)

// adapters adds the cause that the profiler averaged over stacks or adapters
// that did not work.
func (f *finder) adapters() {
	if c := f.r.adapters(f.row); c != nil {
		c.Part = f.part
		f.found = append(f.found, *c)
	}
}

// noActivity adds the cause that no thread was seen at any time. If another
// stack has threads of the same launches, this stack was idle.
func (f *finder) noActivity() {
	if pointsOf(1-f.row.Idle.Or(1)) > printedHalf+digit {
		return
	}
	if busy, found := f.r.busyStack[f.row.launchKey()]; found && f.row.OneStack {
		f.add(noThreadSeen, byOtherMeans("ZE_AFFINITY_MASK of the run"),
			"One stack was idle: no thread was seen on %s, and %s has %s for the same launches.", f.row.Device,
			busy.Device, busy.Measured.Or(0)).Name = CauseStack
		return
	}
	f.add(noThreadSeen, byOtherMeans(targetGPU), "No thread was seen on any XVE: the counters belong to another "+
		"window or adapter, or the kernel did not run.")
}

// unlikeLaunches adds the cause that the row is a mean over unlike launches.
func (f *finder) unlikeLaunches() {
	if s := f.row.Launches; f.r.launchesDiffer(f.row) {
		f.add(unlikeLaunches, causeNamed(CauseLaunches).confirm, "The launches have %s to %s (median %s): at least "+
			"25%% of them match, others are much lower, and the mean describes neither.", s.MinMeasured.Or(0),
			s.MaxMeasured.Or(0), s.MedianMeasured.Or(0))
	}
}

// launchesDiffer reports whether some launches of a row match the prediction,
// and others are lower by more than their samples can differ. For example, one
// of four launches has 48.4%, and the others have 98%. Launches that only
// scatter do not qualify: 25% of them would have to miss at most half of the
// points that the mean misses, which are more than the tolerance. With a normal
// distribution, this requires a scatter of 3.7 points. The mean of 10 samples
// scatters by 1.6 points, see fewSamples.
func (r *Result) launchesDiffer(row *Row) bool {
	s := row.Launches
	if s == nil || !s.UpperMeasured.Present() {
		return false
	}
	upper := s.UpperMeasured.Or(0)
	missing := abs(upper.Minus(row.nearest(upper)))
	return r.Options.within(missing) && 2*missing <= row.missing() &&
		r.Options.beyond(upper.Minus(s.MinMeasured.Or(0))-pointsOf(row.Certainty.OutsideLaunches.Or(1)))
}

// launchKey is the key of a row without its adapter and stack.
func (r *Row) launchKey() ingest.Key {
	k := r.Key()
	k.Device = ""
	return k
}

// ran returns the idle share. ok is false if the idle share contradicts the
// measured occupancy, which means that the two values cover different times.
func (r *Row) ran() (idle unit.Ratio, ok bool) {
	idle, ok = r.Idle.Value()
	return idle, ok && r.BusyOccupancy.Present()
}

// oneOfStacks adds the cause that the launches ran on one of several stacks.
// The other stacks were idle, and this stack was idle for little of the time.
func (f *finder) oneOfStacks() {
	d, idle := f.r.Device, f.row.Idle.Or(0)
	_, counted := f.r.averaged(f.row)
	over := idle.Minus(1 - 1/unit.Ratio(max(d.Tiles, 1)))
	if d.Tiles < 2 || counted.Present() || f.row.OneStack || over < -stackIdleLess || over > stackIdleMore {
		return
	}
	ground := idleStack
	if on, ok := f.r.onOneStack(f.r.LaunchOf(f.row)); ok && f.r.Options.within(f.row.Measured.Or(0).Minus(on)) {
		ground = idleStackFull
	}
	f.add(ground, byOtherMeans(affinity), "XVEs were idle %s of the time, and a launch on one of %d stacks leaves "+
		"%.0f%% idle.", idle, d.Tiles, 100-100/float64(d.Tiles))
}

// affinity names the settings that limit a run to a part of the GPU.
const affinity = "ZEX_NUMBER_OF_CCS and the affinity mask of the run, or a collection with -knob target-gpu"

// engines adds the cause that only one of k compute engines worked. It requires
// that the idle share fits, and that the inputs do not count the stacks or
// engines that worked.
func (f *finder) engines() {
	idle, d := f.row.Idle.Or(0), f.r.Device
	if _, counted := f.r.averaged(f.row); d == nil || counted.Present() || d.Architecture != "Xe-HPC" {
		return
	}
	for _, k := range []unit.Ratio{2, 4} {
		if share := 1 - 1/k; abs(idle.Minus(share)) <= engineShare {
			f.add(idleStack, byOtherMeans(affinity), "XVEs were idle %s of the time, and a kernel on one of %.0f "+
				"compute engines leaves %.0f%% idle.", idle, float64(k), share.Percent())
		}
	}
}

// oneGPU adds the cause that one of several GPUs worked, unless a cause already
// has that reading.
func (f *finder) oneGPU() {
	if one := f.oneGPUText(); one != "" && !slices.ContainsFunc(f.found, Cause.onOneGPU) {
		f.add(idleGPU, decision{}, "XVEs were idle %s of the time, which fits if %s.", f.row.Idle.Or(0), one)
	}
}

// gaps adds time between launches as a cause, if that time can contain enough
// of the missing points. If another cause also explains the idle time, gaps
// must be able to explain at least half of it.
func (f *finder) gaps() {
	c, idle := &f.row.Certainty, f.row.Idle.Or(0)
	most := min(c.likelyOutside().Or(1), idle)
	points := f.pointsOfGaps(most)
	explained := slices.ContainsFunc(f.found, func(c Cause) bool { return c.Part == f.part })
	if c.Exact || points < leastCause || explained && idle > 2*most {
		return
	}
	or := ""
	if c.Intervals.Present() {
		or = ", or " + c.resample().text
	}
	text := fmt.Sprintf("%s, so time between launches may be included, up to %.1f of the missing points. It cannot be "+
		"distinguished from idle time within launches.", c.outsideText(), float64(points))
	if busy, known := f.r.Platform.GPUTime.Value(); known && !f.r.fromSummary && f.r.taskTime < busy*(1-gapsSeen) {
		text += fmt.Sprintf(" VTune counts the GPU as busy for %s, and all tasks together take %s: %s of that time is "+
			"outside any task.", unit.FormatDuration(busy), unit.FormatDuration(f.r.taskTime),
			shareText(unit.Ratio(1-f.r.taskTime/busy)))
	}
	f.add(gapsPossible, byTrace(or), "%s", text).Explains = unit.Some(points)
}

// pointsOfGaps returns the number of missing points that gaps explain, if this
// share of the value's time is gaps.
func (f *finder) pointsOfGaps(share unit.Ratio) unit.Points {
	return pointsOf(f.row.Measured.Or(0) * share / max(1-share, 1e-9))
}

// idleWithin adds idle time that cannot be between launches. Either Xe-cores
// run out of work before the launch ends, or they wait for threads that the
// dispatcher has not started.
func (f *finder) idleWithin() {
	likely, bounded := f.r.likelyOutside(f.row).Value()
	_, of := f.r.perBusyStack(f.row)
	idle := of.Or(f.row.Idle.Or(0))
	held, own := f.r.predictedWhileBusy(f.row), f.r.apart(f.row, idle)
	within := func(outside unit.Ratio) bool {
		return pointsOf(held.BusyOccupancy*(own-outside-held.Idle)) >= leastCause
	}
	outside := min(f.row.Certainty.OutsideLaunches.Or(1), idle)
	if t := f.r.Traced(f.row); t != nil { // samples may also contain the gap after a launch
		outside = min(outside, 2*t.GapShare())
	}
	if !bounded || !within(likely) {
		return
	}
	if f.evidence&shortThreads != 0 {
		f.dispatch()
		return
	}
	ground, were, decide := idleBeyondLikely, "They were probably idle within launches, too", f.aTrace()
	reason := "work-groups end at different times"
	if within(outside) { // a trace cannot raise this confidence
		ground, were, decide = idleBeyondBound, "So they were idle within launches", byOtherMeans(evenWork)
	}
	if f.breakdown.Points(PartUnderfilled).Or(0) > 2*f.breakdown.Points(f.part).Or(0) {
		ground = idleUnderfilled // the cause of underfilled XVEs may also keep whole work-groups from the idle XVEs
	}
	// Programs use one stack more often than the simulations do: it is the
	// default of the driver to offer each stack as a device.
	if n := f.r.Device.Tiles; n > 1 && idle.Minus(1-1/unit.Ratio(n)) >= -stackIdleLess {
		ground, decide = idleOrStack, byOtherMeans(affinity)
		reason += ", or if one stack has no work"
	}
	if one := f.oneGPUText(); one != "" {
		ground, decide = idleOrGPU, byOtherMeans(targetGPU)
		reason += ", or if " + one
	}
	f.add(ground, decide, "%sXVEs were idle %s of the time, and at most %s of the time can be outside the launches. "+
		"%s, which happens if %s.", f.r.ownText(f.row), idle, outside, were, reason)
}

// evenWork is the measurement that shows whether uneven work is the cause.
const evenWork = "the same launch with equal work in all work-groups"

// otherKernels adds other kernels with less occupancy as a cause, if their
// possible share of the samples explains all missing points.
func (f *finder) otherKernels() {
	c, m := &f.row.Certainty, f.row.Measured.Or(0)
	share := c.OtherTasks.Or(0)
	o, known := f.r.others(f.row)
	points := pointsOf(share / max(1-share, 0.01) * (m - unit.Ratio(o.measured)))
	if most, ranged := f.row.OwnHigh.Value(); ranged {
		points = min(points, most.Minus(m))
	}
	if missing := f.breakdown.Points(f.part).Or(0); !known || points < max(leastCause, missing) {
		return
	}
	f.add(otherKernelsHold, c.resample(), "%s, and up to %s of its value can come from other kernels, whose occupancy "+
		"is %s: its own occupancy may be up to %.1f points higher.", c.outsideText(), shareText(share),
		unit.Ratio(o.measured), float64(points)).Explains = unit.Some(points)
}

// placement adds the cause that the work-groups of a launch that does not fill
// the GPU once ran on few Xe-cores. It requires that policy partial predicts
// both the occupancy and the idle share. For example, a Tiger Lake ran 8
// work-groups of 40 threads on 2 of 6 Xe-cores, or on 3 with a barrier.
func (f *finder) placement() {
	row, q := f.row, f.row.Predicted
	c := &row.Certainty
	n, timed := c.Intervals.Value()
	if q.Waves >= 1 || q.Groups < 2 || !c.Exact && (!timed || n < 1) {
		return
	}
	within := &f.r.Options
	m, of := f.r.perBusyStack(row)
	idle := of.Or(row.Idle.Or(0))
	if within.within(q.Average.Minus(m)) || within.within(idle.Minus(row.XVEs.Low.Idle)) {
		return
	}
	var best, empty unit.Ratio
	off, ports := unit.Points(math.Inf(1)), 0
	l := f.r.LaunchOf(row)
	for ; l.Barriers < 2; l.Barriers++ { // with a barrier, too, if the launch may have one
		for n := 1; n <= f.r.Device.XeCores; n++ {
			p, err := timeline.Simulate(context.Background(), f.r.Device, &l, q, n)
			if err != nil || p.MostXeCores >= 1 {
				continue
			}
			// XVEs are idle if their Xe-core has no thread. The order in which
			// Xe-cores end depends on the lifetimes of their threads, so the
			// idle share can be anywhere between the two predictions.
			own := min(max(idle, 1-p.MostXeCores), 1-p.XeCores)
			if d := max(abs(p.Average.Minus(m)), abs(own.Minus(idle))); within.within(d) && d < off {
				best, empty, off, ports = p.Average, own, d, n
			}
		}
	}
	if ports == 0 {
		return
	}
	ground := fewXeCores
	if !c.Exact && n < refitIntervals || within.within((idle - c.OutsideLaunches.Or(1)).Minus(row.XVEs.Low.Idle)) {
		ground = fewXeCoresOrGaps
	}
	holds := q.GroupsPerXeCore * int64(f.r.Device.XeCores)
	f.add(ground, byOtherMeans(otherGroups), "%d work-groups are fewer than the %d that fit on the GPU at once. If "+
		"they are placed unevenly (policy partial, %s), occupancy is %s and %s of the XVEs are idle: %s and %s were "+
		"measured.", q.Groups, holds, unit.Plural(ports, "port"), best, empty, m, idle)
}

// otherGroups is the measurement that shows whether placement is the cause.
const otherGroups = "another number of work-groups, measured again"

// Traced returns the sequence of a row's launches, or nil without a trace.
func (r *Result) Traced(row *Row) *launches.Task { return r.Sequence.Of(row.Kernel) }

// aTrace returns a trace of the launches as the confirming measurement, or
// nothing if the inputs already have a trace.
func (f *finder) aTrace() decision {
	if f.r.Traced(f.row) != nil {
		return decision{}
	}
	return byTrace("")
}

// tracedGaps adds gaps as a cause if a trace shows them. A trace without gaps
// excludes this cause.
func (f *finder) tracedGaps() {
	t := f.r.Traced(f.row)
	share := min(t.GapShare(), f.row.Certainty.OutsideLaunches.Or(1))
	points := f.pointsOfGaps(share)
	if points < leastCause {
		return
	}
	ground := tracedGapsLess
	// If other tasks take most of the time, they may also be in the samples
	// with gaps.
	if points >= gapsEnough*-f.row.Difference.Or(0) && f.row.Certainty.OwnShare.Or(1) >= 1-otherTasksMax {
		ground = tracedGapsEnough
	}
	f.add(ground, decision{}, "According to the trace, the GPU runs no kernel for %s before a launch on average "+
		"(median %s, p90 %s). That is %s of the time of its samples, and up to %.1f of the missing points.",
		unit.FormatDuration(t.GapMean), unit.FormatDuration(t.GapMedian), unit.FormatDuration(t.GapP90), share,
		float64(points)).Explains = unit.Some(points)
}

// tracedOverlap adds other kernels as a cause if a trace shows that they ran at
// the same time. A trace without such kernels excludes this cause.
func (f *finder) tracedOverlap() {
	t, m := f.r.Traced(f.row), f.row.Measured.Or(0)
	share := t.SharedShare()
	if share < overlapSeen {
		return
	}
	ground, enough, with := tracedOverlapEnough, "", ""
	ref := f.row.reference()
	if most := ref + share*(1-ref); m > most && !f.r.Options.within(m.Minus(most)) {
		ground, enough = tracedOverlapLess, ", which is not enough for all that is above the prediction"
	}
	if t.With >= 0 {
		with = ", most of it " + kernelName(f.r.Sequence.Tasks[t.With].Key.Task)
	}
	f.add(ground, decision{}, "According to the trace, other kernels run on the GPU for %s of its time%s%s.",
		share, with, enough)
}

// kernelName returns a kernel's name for use in a sentence: the name as in the
// source, shortened to fit one line.
func kernelName(task string) string {
	short := names.Short([]string{names.Display(task)}, func(name string) bool { return len(name) <= 80 })
	name := []rune(strings.Join(strings.Fields(short[0]), " "))
	if len(name) > 80 {
		return string(name[:77]) + "..."
	}
	return string(name)
}

// alike reports whether the launches of a row have similar lengths, so that their
// mean describes each of them.
func (f *finder) alike() bool {
	if t := f.r.Traced(f.row); t != nil && t.Launches > 1 {
		return t.P10 > 0 && t.P90 < alikeLaunches*t.P10
	}
	s := f.row.Launches
	if s == nil || f.r.otherTrace {
		return false
	}
	return s.MinSeconds > 0 && s.P90Seconds.Or(s.MaxSeconds) < alikeLaunches*s.P10Seconds.Or(s.MinSeconds)
}
