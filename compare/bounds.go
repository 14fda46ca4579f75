package compare

import (
	"fmt"
	"math"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// kernelTimes is the time of the kernels that were measured: in all, and times what each used.
type kernelTimes struct {
	all       unit.Seconds
	used      use
	unsampled bool // there are kernels of which no sample is: what they held is in those of others
	// The same of all kernels, measured or not: the least and the most that their launches hold, as far as they are
	// known, and the least time in which they leave XVEs empty.
	timed, least, most, empty unit.Seconds
}

// add takes a kernel with the most that it reaches.
func (t *kernelTimes) add(k *ingest.Kernel, reach unit.Ratio) {
	total, held := k.Total.Or(0), heldBy(k, reach)
	t.timed += total
	t.least += total * unit.Seconds(held.least)
	t.most += total * unit.Seconds(held.most)
	t.empty += total * unit.Seconds(held.empty)
	if k.Idle.Present() && k.Measured.Present() {
		t.unsampled = t.unsampled || unsampled(k)
		t.all += total
		t.used = t.used.with(usedBy(k), func(sum, own float64) float64 { return sum + float64(total)*own })
	}
}

// use is what the counters of a kernel say, 0 where it is not counted.
type use struct {
	measured, idle float64 // shares: of the thread slots, of XVEs without a thread
	pipe           float64 // share of the time in which the busiest pipe was active
	memory         float64 // GB/s
}

func usedBy(k *ingest.Kernel) use {
	busiest, _ := k.Counters.BusiestPipe()
	return use{float64(k.Measured.Or(0)), float64(k.Idle.Or(0)), float64(busiest.Or(0)), k.Counters.Memory().Or(0)}
}

// with joins each figure of one use with that of another.
func (u use) with(v use, join func(u, v float64) float64) use {
	return use{join(u.measured, v.measured), join(u.idle, v.idle), join(u.pipe, v.pipe), join(u.memory, v.memory)}
}

// held bounds what a kernel holds, and the XVEs that it leaves empty from below.
type held struct{ least, most, empty unit.Ratio }

// heldBy bounds what a neighbor holds: what its own row says, give or take what neighbors put into that, and anything
// where it has no sample.
func heldBy(k *ingest.Kernel, reach unit.Ratio) held {
	m, measured := k.Measured.Value()
	h := held{least: max(min(m-asMeasured, reach), 0), most: reach}
	if unsampled(k) {
		return h
	}
	if measured {
		h.most = min(m+asMeasured, reach)
	}
	h.empty = max(k.Idle.Or(0)-asMeasured, 0)
	return h
}

// unsampled says whether no thread was seen in an array that was not idle.
func unsampled(k *ingest.Kernel) bool {
	m, measured := k.Measured.Value()
	idle, known := k.Idle.Value()
	return measured && known && m.Percent() < float64(printedHalf) && (1-idle).Percent() > float64(arraySum)
}

// apart is the least idle share of a row that the other kernels' idle shares leave for it.
func (r *Result) apart(row *Row, idle unit.Ratio) unit.Ratio {
	f := row.Certainty.Foreign.Or(0)
	others, known := r.others(row)
	if !known || f >= 1 {
		return idle
	}
	return min(idle, max((idle-f*unit.Ratio(others.idle))/(1-f), 0))
}

// others is what the other measured kernels of a run use, weighted by time.
func (r *Result) others(row *Row) (mean use, known bool) {
	t, of := row.Total.Or(0), &r.kernelTime
	rest := of.all - t
	if rest <= t*1e-9 || !row.Idle.Present() || !row.Measured.Present() || of.unsampled {
		return use{}, false
	}
	return of.used.with(usedBy(&row.Kernel), func(sum, own float64) float64 {
		return (sum - float64(t)*own) / float64(rest)
	}), true
}

// ownRange bounds what the launches of a row held by themselves. Of its value a share a is of other tasks and a share g
// of time in which nothing ran, so that own = (measured - a theirs) / (1 - a - g): a is at most Foreign, a and g
// together at most Edges, and idle time is no less than what those two leave idle. Others hold what their rows say, give
// or take asMeasured; no launch holds more than is predicted, but for the tolerance. It says nothing of kernels that run
// side by side. It holds 113 of 114 simulated rows that are refused, and half are at most 40 points wide.
func (r *Result) ownRange(row *Row) (least, most unit.Ratio) {
	c, top := &row.Certainty, r.mostHeld(row)
	if row.MeasuredLow.Present() {
		return row.MeasuredLow.Or(0), row.MeasuredHigh.Or(1)
	}
	if unsampled(&row.Kernel) && !c.Exact || noArray(row) {
		return 0, top
	}
	m, i := r.perBusyStack(row)
	idle, edges := i.Or(1), c.Edges.Or(1)
	foreign := min(c.Foreign.Or(edges), 1-1e-9)
	theirs := r.neighbors(row)
	if theirs.empty > 0 {
		foreign = min(foreign, idle/theirs.empty)
	}
	least, most = min(m, (m-foreign*theirs.most)/(1-foreign)), m
	for _, a := range []unit.Ratio{0, foreign, min(max((edges-idle)/max(1-theirs.empty, 1e-9), 0), foreign)} {
		g := max(min(edges-a, idle-a*theirs.empty), 0)
		most = max(most, (m-a*theirs.least)/max(1-a-g, 1e-9))
	}
	if stacks, worked := r.averaged(row); !worked.Present() && stacks > 1 { // any of which may have done nothing
		most *= unit.Ratio(stacks)
	}
	few := unit.Ratio(0)
	if t := row.Total.Or(0); t > 0 && !c.Exact {
		few = unit.Ratio(fewSamples / math.Sqrt(float64(t/c.Interval)))
	}
	least = max(least-few, 0)
	return least, max(min(most+few, top), least)
}

// mostHeld is the most that the launches of a row can hold by the prediction; all slots where that may be of another
// launch or device.
func (r *Result) mostHeld(row *Row) unit.Ratio {
	switch p := row.Predicted; {
	case modelOff(row) || r.Fit.Contradiction != "":
		return 1
	case p != nil:
		return min(p.Peak, p.AverageHigh+unit.FromPercent(float64(r.Options.Tolerance)))
	}
	return row.Peak.Or(1)
}

// neighbors bounds what the other tasks of a run hold. Those that are no kernels hold nothing.
func (r *Result) neighbors(row *Row) (theirs held) {
	t, of, k := row.Total.Or(0), &r.kernelTime, &row.Kernel
	rest, all := of.timed-t, r.busy(row)-t
	if theirs.most = 1; rest <= t*1e-9 || r.fromSummary {
		return theirs
	}
	less := func(sum unit.Seconds, own unit.Ratio, of unit.Seconds) unit.Ratio {
		return min(max(unit.Ratio((sum-t*unit.Seconds(own))/of), 0), 1)
	}
	own := heldBy(k, reach(row.Predicted, k))
	theirs.least = less(of.least, own.least, max(all, rest))
	theirs.most = less(of.most, own.most, rest)
	theirs.empty = less(of.empty, own.empty, rest)
	return theirs
}

// sameAnyway says whether the verdict of a row is the same wherever in their range its launches are: no less than is
// predicted, or less.
func (r *Result) sameAnyway(row *Row) bool {
	p, c := row.Predicted, &row.Certainty
	if p == nil || modelOff(row) || r.Fit.Contradiction != "" || row.Total.Or(0) < leastIntervals*c.Interval {
		return false
	}
	least, most := row.HeldLow.Or(0), row.HeldHigh.Or(1)
	atLeast := !r.Options.beyond(p.Average.Minus(least), 0) && !r.Options.beyond(row.Difference.Or(0), 0)
	return atLeast || r.Options.beyond(p.Average.Minus(most), 0)
}

// heldText says what the row's launches may have held by themselves, empty where that is next to anything.
func heldText(row *Row) string {
	least, most := row.HeldLow.Or(0), row.HeldHigh.Or(1)
	if most.Minus(least) > widestRange {
		return ""
	}
	return fmt.Sprintf(" By themselves its launches held %.1f to %.1f%%.", least.Percent(), most.Percent())
}
