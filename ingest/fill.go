package ingest

import (
	"cmp"
	"math"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

const oneRunHint = "give one export per run, or compare runs with: occudiff diff OLD NEW; a folder per run is " +
	"reported per run"

// twoRuns refuses different measured occupancies in two files of one kind: these are two runs.
func twoRuns(a, b *Kernel) error {
	x, both := a.Measured.Value()
	y, ok := b.Measured.Value()
	if !both || !ok || x == y {
		return nil
	}
	return note.Faultf(codeTwoRuns, b.Pos, oneRunHint,
		"task %q was measured at %.1f %% here and at %.1f %% in %s: these are two runs", b.Task, y.Percent(),
		x.Percent(), a.Pos)
}

// mergeKernel fills what a lacks from b, and gives the names of values that differ.
func mergeKernel(a, b *Kernel, sameKind bool) (differ []string) {
	mergeMean(a, b, sameKind)
	fill(&a.Instances, b.Instances, "instance count", &differ, sameKind)
	fill(&a.Total, b.Total, "total time", &differ, sameKind && !sameTotal(a.Total.Or(0), b))
	apart := b.Measured.Or(0).Minus(a.Measured.Or(0)) // what two tools print of one run may differ by a rounding
	fill(&a.Measured, b.Measured, "measured occupancy", &differ, sameKind || max(apart, -apart) > summaryDigit)
	fill(&a.Printed, b.Printed, "", &differ, false)
	if !a.MeasuredLow.Present() && a.Measured == b.Measured { // they go together
		a.MeasuredLow, a.MeasuredHigh, a.IdleLow, a.IdleHigh = b.MeasuredLow, b.MeasuredHigh, b.IdleLow, b.IdleHigh
	}
	fill(&a.Active, b.Active, "active", &differ, sameKind)
	fill(&a.Stalled, b.Stalled, "stalled", &differ, sameKind)
	fill(&a.Idle, b.Idle, "idle", &differ, sameKind)
	fill(&a.BarrierStall, b.BarrierStall, "barrier stalls", &differ, sameKind)
	fill(&a.Threads, b.Threads, "threads started", &differ, sameKind)
	fill(&a.Barriers, b.Barriers, "GPU barriers", &differ, sameKind)
	a.Launches = mergeSpreads(a.Launches, b.Launches)
	return append(differ, mergeShared(a, b)...)
}

// mergeCounters gives a, with what it lacks of b. Launches that share them share what comes out, too.
func (m *merger) mergeCounters(a, b *Counters) *Counters {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	if c, known := m.counters[[2]*Counters{a, b}]; known {
		return c
	}
	c := *a
	if len(c.Stalls) == 0 {
		c.Stalls = b.Stalls
	}
	c.MemoryRead, c.MemoryWrite = cmp.Or(a.MemoryRead, b.MemoryRead), cmp.Or(a.MemoryWrite, b.MemoryWrite)
	if !a.L3Read.Present() && !a.L3Write.Present() { // one of them may be both
		c.L3Read, c.L3Write = b.L3Read, b.L3Write
	}
	c.MemoryReadRoof = cmp.Or(a.MemoryReadRoof, b.MemoryReadRoof)
	c.MemoryWriteRoof, c.L3Roof = cmp.Or(a.MemoryWriteRoof, b.MemoryWriteRoof), cmp.Or(a.L3Roof, b.L3Roof)
	if c.OfKernel {
		m.counters[[2]*Counters{a, b}] = &c
	}
	return &c
}

// mergeSpreads gives a, with the measured occupancies of b where it has none. Times it has always.
func mergeSpreads(a, b *Spread) *Spread {
	switch {
	case a == nil:
		return b
	case b == nil || a.MinMeasured.Present():
		return a
	}
	s := *a // a may be of other kernels too
	s.MinMeasured, s.MedianMeasured, s.MaxMeasured = b.MinMeasured, b.MedianMeasured, b.MaxMeasured
	return &s
}

// mergeMean gives a the mean time of b, as long as a has not total and count of its own to take it from. Where a keeps
// a count of other launches than those of b's total, or a total of others than b counts, b's mean is the only one.
func mergeMean(a, b *Kernel, sameKind bool) {
	timed := b.Total.Present() && b.Instances.Present()
	if a.Total.Present() && a.Instances.Present() || a.Mean.Present() && !timed {
		return
	}
	n, counted := a.Instances.Value()
	t, total := a.Total.Value()
	if timed && (counted && n != b.Instances.Or(0) || sameKind && total && !sameTotal(t, b)) {
		a.Mean, a.Uneven = b.Average(), true
		return
	}
	a.Mean, a.Uneven = b.Mean, b.Uneven
}

// sameTotal says whether a total is that of a kernel, which an export without totals has from an average, printed to a
// microsecond.
func sameTotal(t unit.Seconds, k *Kernel) bool {
	const half = 0.5e-6 * (1 + 1e-9)
	return math.Abs(float64(t-k.Total.Or(0))) <= half*float64(k.Instances.Or(0))
}

// mergeShared is mergeKernel for what all launches of a kernel have in common.
func mergeShared(a, b *Kernel) (differ []string) {
	fill(&a.Peak, b.Peak, "peak occupancy", &differ, true)
	fill(&a.PeakWork, b.PeakWork, "work size limit", &differ, true)
	fill(&a.PeakSLM, b.PeakSLM, "SLM limit", &differ, true)
	fill(&a.PeakBarrier, b.PeakBarrier, "barriers limit", &differ, true)
	fill(&a.Spill, b.Spill, "spill", &differ, true)
	fill(&a.SLM, b.SLM, "SLM per work-group", &differ, true)
	fill(&a.Registers, b.Registers, "registers per thread", &differ, true)
	return differ
}

// fill sets what is missing. Two collections of one run never agree to the digit on times and counters: a difference
// is reported only where the caller says that the two should agree.
func fill[T comparable](to *unit.Opt[T], from unit.Opt[T], name string, differ *[]string, report bool) {
	v, ok := from.Value()
	if !ok {
		return
	}
	w, has := to.Value()
	switch {
	case !has:
		*to = from
	case report && v != w:
		*differ = append(*differ, name)
	}
}
