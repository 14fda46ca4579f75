package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// SpeedupVerdict states whether more threads, or more work for idle XVEs, may
// make a kernel faster.
type SpeedupVerdict string

// The verdicts. None of them promises a speedup.
const (
	MoreThreadsMayHelp  SpeedupVerdict = "more threads may help"
	BalanceTheWork      SpeedupVerdict = "balance the work"
	LimitedByOther      SpeedupVerdict = "limited by something else"
	OccupancySufficient SpeedupVerdict = "occupancy is sufficient"
	SpeedupUndetermined SpeedupVerdict = "undetermined"
)

// Bound is an upper bound of a speedup, with its formula. Max is absent if the
// bound is unknown.
type Bound struct {
	Max     optNumber
	Formula string
}

// PotentialSpeedup describes the possible gain from more occupancy, by more
// threads and by balancing, each with a bound. It is zero for a task that is not
// a kernel.
type PotentialSpeedup struct {
	Verdicts    []SpeedupVerdict // verdicts, starting with the one with the largest gain
	Evidence    string           // the values behind the verdicts, in a sentence without a period
	MoreThreads Bound            // bound of the speedup from more threads on busy XVEs
	Balancing   Bound            // bound of the speedup from work for XVEs that were idle during the launches
	// LimitedBy is the reason why more threads do not help. It is empty if they
	// may help.
	LimitedBy Limiter
}

// Limiter is the resource that prevents more threads from speeding up a kernel.
type Limiter string

// The limiters.
const (
	LimitedBySlots  Limiter = "slots"  // all thread slots of busy XVEs are occupied
	LimitedByPipe   Limiter = "pipe"   // the busiest pipe
	LimitedByMemory Limiter = "memory" // a peak bandwidth
	LimitedByStalls Limiter = "stalls" // other threads cannot hide the stalls
)

// Verdict returns the first verdict. It is empty for a task that is not a kernel.
func (w *PotentialSpeedup) Verdict() SpeedupVerdict {
	if len(w.Verdicts) == 0 {
		return ""
	}
	return w.Verdicts[0]
}

// Has reports whether the verdicts contain a verdict.
func (w *PotentialSpeedup) Has(v SpeedupVerdict) bool { return slices.Contains(w.Verdicts, v) }

// Words returns the verdicts as text for people: "balance the work,
// undetermined".
func (w *PotentialSpeedup) Words() string {
	words := make([]string, len(w.Verdicts))
	for i, v := range w.Verdicts {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// Bound returns the bound of the first verdict. It is absent if the verdict is
// undetermined.
func (w *PotentialSpeedup) Bound() optNumber {
	switch w.Verdict() {
	case SpeedupUndetermined, "":
		return optNumber{}
	case BalanceTheWork:
		return w.Balancing.Max
	}
	return w.MoreThreads.Max
}

// SavableTime returns the upper bound of the time that a kernel can save.
// Kernels are ranked by this time. It is NaN if the bound is unknown.
func (w *PotentialSpeedup) SavableTime(row *Row) float64 {
	t, timed := row.Total.Value()
	b, bounded := w.Bound().Value()
	if !timed || !bounded {
		return math.NaN()
	}
	return float64(t) * (1 - 1/max(b, 1))
}

// ownUse returns a row's counters after subtracting the other kernels. At most
// a share f of a value comes from other kernels, so the kernel's own value is
// (value - f theirs) / (1 - f). This formula applies only to kernels that take
// turns.
func (r *Result) ownUse(row *Row) (own use, mixed bool) {
	others, several := r.others(row)
	f := min(float64(row.Certainty.OtherTasks.Or(1)), 1-1e-9)
	return usedBy(row.Kernel).with(others, func(mix, theirs float64) float64 {
		return max((mix-f*theirs)/(1-f), 0)
	}), several && f > 0
}

// limit is an upper bound of the gain from more threads.
type limit struct {
	bound float64
	by    Limiter
	text  string
}

// threadLimits returns the limits of the gain from more threads on busy XVEs,
// starting with the tightest: free slots by Little's law, the busiest pipe, and
// peak bandwidths.
func (r *Result) threadLimits(row *Row, u use, roofs []peakBandwidth) []limit {
	busy := max(1-u.idle, 1e-3)
	held, pipe := unit.Ratio(min(max(u.measured/busy, 1e-3), 1)), unit.Ratio(min(u.pipe/busy, 1))
	list := []limit{{float64(1 / held), LimitedBySlots, fmt.Sprintf("slots: 100.0%% / %s busy occupancy",
		held)}}
	guessed := !row.Registers.Present() && row.Cause != nil && row.Cause.Confidence == Low
	if gain, mode := r.modeGain(row); gain > 1 && !guessed {
		list = append(list, limit{gain, LimitedBySlots,
			fmt.Sprintf("registers: %d per thread allow %.1f times the threads", mode, gain)})
	}
	if _, name := row.Counters.BusiestPipe(); pipe > 0 {
		list = append(list, limit{1 / float64(pipe), LimitedByPipe, fmt.Sprintf("pipe %s: 1 / %s of the busy time",
			name, pipe)})
	}
	for i := range roofs {
		f := &roofs[i]
		used := f.used
		if plain := row.Counters.Memory().Or(0); f.ofMemory && plain > 0 {
			used *= u.memory / plain
		}
		if used > 0 {
			list = append(list, limit{f.peak / used, LimitedByMemory, fmt.Sprintf("%s: %.0f / %.1f GB/s (%s)", f.name,
				f.peak, used,
				f.source)})
		}
	}
	slices.SortStableFunc(list, func(a, b limit) int { return cmp.Compare(a.bound, b.bound) })
	for i := range list {
		list[i].bound = max(list[i].bound, 1)
	}
	return list
}

// idleWithinLaunches returns the likely and the largest idle share of XVEs in
// the launches' own time. Outside the launches, all XVEs are idle, for a share
// of at most min(OutsideLaunches, idle). If the time outside was not measured,
// the likely value uses the share likelyOutside of that bound. Neither result
// is less than the idle share that the launch itself implies.
func idleWithinLaunches(row *Row, u use) (likely, most unit.Ratio) {
	floor, idle := row.XVEs.Floor, unit.Ratio(min(u.idle, 1-1e-3))
	outside := min(row.Certainty.OutsideLaunches.Or(1), idle)
	if !row.Certainty.Exact {
		outside *= likelyOutside
	}
	within := unit.Ratio(0)
	if outside < 1 {
		within = (idle - outside) / (1 - outside)
	}
	return max(within, floor), max(idle, floor)
}

// balancingBound returns the upper bound of the speedup from balancing the
// work. Idle time alone does not give a bound, because an XVE with a few long
// threads counts as busy. So the bound is the predicted occupancy divided by
// the measured occupancy. Threads that wait at a barrier count as resident, so
// a kernel with barriers has no bound.
func balancingBound(row *Row, byIdle float64, idle unit.Ratio) Bound {
	p, measured := row.Predicted, row.Measured.Or(0)
	if row.LeastBarriers() > 0 {
		return Bound{}
	}
	if p != nil && measured > 0 {
		high := p.AverageHigh
		if row.Instances.Or(fewLaunches) < fewLaunches { // a few launches may differ from their mean
			high = min(high+fewLaunchesAdd, 1)
		}
		if b := float64(high / measured); b > byIdle {
			return Bound{unit.Some(b), fmt.Sprintf("%s predicted / %s measured", high, measured)}
		}
	}
	return Bound{unit.Some(byIdle), fmt.Sprintf("1 / (1 - %s idle within the launches)", idle)}
}

// undeterminedReason returns why the potential speedup of a row is undetermined,
// or "".
func (r *Result) undeterminedReason(row *Row) string {
	t := r.Traced(row)
	switch {
	case !row.Measured.Present():
		return "occupancy was not measured"
	case r.withheld != nil && row.Verdict != Match && r.Device != nil:
		return "the device may not be the GPU that ran"
	case row.HasCause(CauseLaunches):
		return "the launches differ, and the values are means over all of them"
	case row.rejected():
		return "the launch or the device is not the one that ran"
	case noArray(row):
		return "active, stalled, and idle are all 0.0%: no sample of the XVE array belongs to this kernel"
	case row.contradiction() != "":
		return row.contradiction()
	case row.Verdict == Unmeasurable:
		return "too little of the counters' values belongs to this kernel"
	case row.Verdict == Above && (row.Cause == nil || row.Cause.Name == CauseConcurrentKernels):
		return "more was measured than the launch can reach, so part of the values comes from other tasks"
	case row.Verdict == Above && (row.Cause.Name == CauseUnexplained || row.Registers.Present()):
		return "more was measured than the launch can reach, for an unknown reason"
	case t != nil && t.SharedShare() >= overlapSeen:
		return "kernels of several queues ran at the same time, and no column separates their values"
	}
	return ""
}

// potentialSpeedup returns the potential speedup of a row. It depends on the
// limits of busy XVEs and on the idle time.
func (r *Result) potentialSpeedup(row *Row) (w PotentialSpeedup) {
	if why := r.undeterminedReason(row); why != "" {
		return PotentialSpeedup{Verdicts: []SpeedupVerdict{SpeedupUndetermined}, Evidence: why}
	}
	roofs, wrong := r.peakBandwidths(row)
	counted := usedBy(row.Kernel)
	limits := r.threadLimits(row, counted, roofs)
	likely, most := idleWithinLaunches(row, counted)
	// use the larger of the bounds with and without the other kernels
	if own, mixed := r.ownUse(row); mixed {
		if other := r.threadLimits(row, own, roofs); other[0].bound > limits[0].bound {
			limits = other
			limits[0].text += ", without the possible share of other kernels"
		}
		l, m := idleWithinLaunches(row, own)
		likely, most = min(likely, l), max(most, m)
	}
	w.MoreThreads = Bound{unit.Some(limits[0].bound), limits[0].text}
	byIdle := 1 / float64(1-most)
	if row.Idle.Present() {
		w.Balancing = balancingBound(row, byIdle, most)
	} else {
		byIdle = noSpeedup
	}
	why := stallsOf(row)
	var depth SpeedupVerdict
	var because string
	depth, because, w.LimitedBy = r.moreThreads(row, limits, roofs, &why)
	// If threads end faster than new threads start for most of a launch, XVEs
	// are idle because threads start too slowly. More work-groups do not change
	// that.
	_, _, short := r.threadLifetimes(row)
	spread := row.Idle.Present() && row.Predicted != nil && 1/float64(1-likely) >= noSpeedup &&
		row.Verdict != MatchWhileBusy && !(short && row.Predicted.Waves >= imbalanceWaves)
	if depth == OccupancySufficient && byIdle >= noSpeedup {
		depth = LimitedByOther // balancing the work may still help
	}
	if row.Breakdown != nil && slices.ContainsFunc(row.Breakdown.Causes, Cause.onOneGPU) {
		w.Balancing = Bound{} // the idle time may belong to other GPUs
		likely = max(1-(1-likely)*unit.Ratio(r.gpus), 0)
	}
	empty := "XVEs were idle for " + likely.String()
	if most.String() != likely.String() {
		empty += " to " + most.String()
	}
	empty += " of the launches' time"
	switch {
	case !spread:
		w.Verdicts, w.Evidence = []SpeedupVerdict{depth}, because
	case depth == SpeedupUndetermined:
		w.Verdicts, w.Evidence = []SpeedupVerdict{BalanceTheWork}, empty
	case depth == MoreThreadsMayHelp && limits[0].bound > byIdle:
		w.Verdicts, w.Evidence = []SpeedupVerdict{depth, BalanceTheWork}, because+"; "+empty
	default:
		w.Verdicts, w.Evidence = []SpeedupVerdict{BalanceTheWork, depth}, empty+"; "+because
	}
	w.Evidence = r.modeFull(row) + w.Evidence + why.text() + wrong
	return w
}

// modeFull describes a register mode whose thread slots are all occupied. It
// returns "" if the slots are not all occupied, if the mode is unknown, or if
// the mode allows all slots of the XVE.
func (r *Result) modeFull(row *Row) string {
	gain, mode := r.modeGain(row)
	if n, known := row.Registers.Value(); known && row.fillsMode(gain) {
		return fmt.Sprintf("the slots of the %d-register mode are full, and %d registers allow %.1f times the "+
			"threads; ", n, mode, gain)
	}
	return ""
}

// moreThreads returns the verdict on more threads for busy XVEs, with its
// reason and the limiter. limits is sorted, with the tightest limit first.
func (r *Result) moreThreads(row *Row, limits []limit, roofs []peakBandwidth, why *stalls) (v SpeedupVerdict,
	because string, by Limiter) {
	tight := limits[0]
	active, told := activeWhileBusy(row)
	_, counted := row.Counters.BusiestPipe()
	for i := range roofs {
		if f := &roofs[i]; !f.loose && f.share() >= reachablePeak {
			return LimitedByOther, f.text() + ", and more threads do not move more", LimitedByMemory
		}
	}
	switch {
	case tight.bound < noSpeedup && active >= activeLimit:
		return OccupancySufficient, fmt.Sprintf(
			"at most %.2f times as fast (%s), and busy XVEs are active %s of the time",
			tight.bound, tight.text, active), tight.by
	case tight.bound < noSpeedup:
		return LimitedByOther, fmt.Sprintf("more threads make it at most %.2f times as fast (%s)", tight.bound,
			tight.text), tight.by
	case why.usable() && why.hidden+why.send < hiddenStalls:
		return LimitedByOther, fmt.Sprintf("other threads can hide only %s of the stalls",
			why.hidden+why.send), LimitedByStalls
	case r.Device != nil && r.launchBound(row):
		return SpeedupUndetermined, "thread lifetimes are so short that starting threads may limit the kernel", ""
	case why.usable() && why.hidden < hiddenStalls:
		return SpeedupUndetermined, fmt.Sprintf(
			"%s of the stalls are on send: other threads hide waiting for its result, but not waiting for its "+
				"dispatch", why.send), ""
	case counted == "" && (!told || 1/float64(max(active, 1e-3)) < worthwhileSpeedup):
		return SpeedupUndetermined, "the input has no pipe counters, and the active time of XVEs does not show " +
			"enough headroom", ""
	case tight.bound < worthwhileSpeedup:
		return SpeedupUndetermined, fmt.Sprintf("at most %.2f times as fast (%s), which is too little to decide",
			tight.bound, tight.text), ""
	}
	if said := r.memoryUndetermined(row, roofs); said != "" {
		return SpeedupUndetermined, said, ""
	}
	text := fmt.Sprintf("at most %.1f times as fast (%s)", tight.bound, tight.text)
	if p := row.Predicted; p != nil {
		if l := p.Limits & (predict.LimitRegisters | predict.LimitSLM); l != 0 {
			text += "; limited by " + unit.JoinWords(l.Names(), "and") +
				": changing that requires another build of the kernel"
		}
	}
	if counted == "" {
		text += "; the input has no pipe counters, so a pipe may limit it sooner"
	}
	return MoreThreadsMayHelp, text, ""
}

// memoryUndetermined returns why it is unknown whether memory has bandwidth for
// more threads, or "" if it is known to have bandwidth.
func (r *Result) memoryUndetermined(row *Row, roofs []peakBandwidth) string {
	used, counted := row.Counters.Memory().Value()
	i := slices.IndexFunc(roofs, func(f peakBandwidth) bool { return f.ofMemory })
	switch {
	case !counted:
		return "the input has no memory bandwidth, which may be the limit"
	case used <= 0:
		return ""
	case i < 0:
		return "the peak memory bandwidth of the GPU is not known"
	}
	f := roofs[i]
	if f.loose {
		f.peak *= slowestMemory
	}
	if f.share() > memoryHeadroom {
		return fmt.Sprintf("memory moves %.1f GB/s, and its peak may be only %.0f GB/s (%s)", used, f.peak, f.source)
	}
	return ""
}

// activeWhileBusy returns the active share of the time in which XVEs were busy.
// told is false if the shares of the array states do not add up, or if no XVE
// was busy.
func activeWhileBusy(row *Row) (active unit.Ratio, told bool) {
	sum, all := arrayStates(row)
	busy := row.Active.Or(0) + row.Stalled.Or(0)
	if !row.Active.Present() || !row.Stalled.Present() || busy <= 0 || all && abs(sum.Minus(1)) > arraySum {
		return 0, false
	}
	return row.Active.Or(0) / busy, true
}

// arrayStates returns the sum of the shares of the XVE array states. all is
// false if the input lacks a state.
func arrayStates(row *Row) (sum unit.Ratio, all bool) {
	return row.Active.Or(0) + row.Stalled.Or(0) + row.Idle.Or(0), row.Active.Present() && row.Stalled.Present() &&
		row.Idle.Present()
}

// noArray reports whether all states of the XVE array are 0.0%, which happens
// only in a row without a sample.
func noArray(row *Row) bool {
	sum, all := arrayStates(row)
	return all && sum <= 0
}

// peakBandwidth is the bandwidth that a kernel used, with the highest bandwidth
// of the device, both in GB/s.
type peakBandwidth struct {
	name       string
	used, peak float64
	source     string
	loose      bool // the real peak may be lower
	ofMemory   bool // true for memory itself, false for the interface to memory and for L3
}

// share returns the ratio of the used bandwidth to the peak bandwidth.
func (f *peakBandwidth) share() unit.Ratio { return unit.Ratio(f.used / f.peak) }

// peakBandwidths returns the bandwidths whose used value and peak are known. If
// a peak is lower than the used bandwidth, it is an error: wrong describes it,
// and the peak is not used.
func (r *Result) peakBandwidths(row *Row) (list []peakBandwidth, wrong string) {
	c := row.Counters
	if c == nil || r.Device == nil || r.averagedGPUs(row) > 1 {
		return nil, ""
	}
	const folder = "the metric set of the result folder"
	cache := c.L3Read.Or(0) + c.L3Write.Or(0)
	memory, l3 := tableBandwidth("memory", c.Memory().Or(0), r.Device.Memory), tableBandwidth("L3", cache, r.Device.L3)
	memory.ofMemory = true
	if most, known := c.L3Peak.Value(); known {
		l3 = peakBandwidth{name: "L3", used: cache, peak: most, source: folder}
	}
	for _, x := range []peakBandwidth{
		// In each direction, the interface to memory may move more than the
		// memory itself can. The lower of the two peaks is the limit.
		{name: "reading from memory", used: c.MemoryRead.Or(0), peak: c.MemoryReadPeak.Or(0), source: folder},
		{name: "writing to memory", used: c.MemoryWrite.Or(0), peak: c.MemoryWritePeak.Or(0), source: folder},
		memory, l3,
	} {
		switch {
		case x.used <= 0 || x.peak <= 0:
		case x.used > x.peak:
			wrong += fmt.Sprintf("; %s moved %.1f GB/s, more than the %.0f GB/s of %s, so this peak is wrong and not "+
				"used", x.name, x.used, x.peak, x.source)
		default:
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b peakBandwidth) int { return cmp.Compare(b.share(), a.share()) })
	return list, wrong
}

// tableBandwidth returns a used bandwidth with the peak from the device table.
func tableBandwidth(name string, used float64, most []arch.Bandwidth) peakBandwidth {
	if len(most) == 0 {
		return peakBandwidth{}
	}
	source := most[0].Source
	if most[0].Fastest != "" {
		source = "with " + most[0].Fastest
	}
	return peakBandwidth{name: name, used: used, peak: most[0].GBPerSecond, source: source,
		loose: most[0].Fastest != ""}
}

// text describes the used and the peak bandwidth, and their ratio.
func (f *peakBandwidth) text() string {
	return fmt.Sprintf("%s moves %.1f of at most %.0f GB/s (%s), %s", f.name, f.used, f.peak, f.source,
		f.share())
}

// stalls are the reasons of a row's stalls.
type stalls struct {
	list []ingest.Stall
	sum  unit.Ratio
	// hidden is the share of stalls that other threads can hide: stalls that
	// wait for a result from memory or from an instruction.
	hidden unit.Ratio
	send   unit.Ratio // share of stalls that other threads may or may not hide
}

// latencies contains prefixes of the stall reasons that other threads can hide.
// All threads share the other reasons: a busy pipe, missing instructions, or
// threads that wait for each other.
var latencies = []string{"sbid", "scoreboard", "dist"}

// onSend is the prefix of stalls on send. Intel's Metrics Discovery describes
// this counter in two ways, which differ in what other threads can hide. Other
// threads hide the time to wait for the result of a send, but not the time to
// wait for its dispatch.
const onSend = "send"

func stallsOf(row *Row) (s stalls) {
	if row.Counters == nil {
		return s
	}
	for _, x := range row.Counters.Stalls {
		s.sum += x.Share
		name := strings.ToLower(x.Reason)
		if slices.ContainsFunc(latencies, func(l string) bool { return strings.HasPrefix(name, l) }) {
			s.hidden += x.Share
		} else if strings.HasPrefix(name, onSend) {
			s.send += x.Share
		}
	}
	s.list = slices.Clone(row.Counters.Stalls)
	slices.SortStableFunc(s.list, func(a, b ingest.Stall) int { return cmp.Compare(b.Share, a.Share) })
	return s
}

// usable reports whether the shares cover all stalls: their sum may differ from
// 100% by a rounding error per reason.
func (s *stalls) usable() bool {
	return len(s.list) > 0 && abs(s.sum.Minus(1)) <= printedHalf*unit.Points(len(s.list))+digit
}

// text lists the stall reasons, the largest first. It returns "" for an
// empty list.
func (s *stalls) text() string {
	if len(s.list) == 0 {
		return ""
	}
	var parts []string
	for _, x := range s.list {
		if x.Share > 0 && len(parts) < mostReasons {
			parts = append(parts, strings.ToLower(x.Reason)+" "+x.Share.String())
		}
	}
	text := "; reasons of stalls: " + strings.Join(parts, ", ")
	if !s.usable() {
		text += fmt.Sprintf(" (all of them add up to %s, not 100%%, and are not used)", s.sum)
	}
	return text
}

const mostReasons = 4
