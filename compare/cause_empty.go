package compare

import (
	"fmt"

	"occudiff/ingest/unit"
)

// empty looks for why XVEs had no thread. Where the two policies leave different XVEs empty, that is not known.
func (f *finder) empty(p Part) {
	if f.nothingRan(p) || f.row.XVEs.Other.Present() {
		return
	}
	before := len(f.found)
	if c := f.r.adapters(f.row); c != nil { // stacks or adapters that the profiler averaged over and that did not work
		c.Part = p
		f.found = append(f.found, *c)
	}
	if !f.placement(p) {
		f.dry(p)
	}
	if len(f.found) == before {
		f.engines(p)
	}
	f.gaps(p, len(f.found) > before)
}

// nothingRan says so where no thread was ever seen.
func (f *finder) nothingRan(p Part) bool {
	idle := f.row.Idle.Or(1)
	if !f.r.nothingSeen(f.row) || (1-idle).Percent() > float64(printedHalf+digit) || f.row.Predicted == nil {
		return false // a summary's 0.0 against a peak: of another adapter, or of nothing
	}
	f.add(p, CauseNothingRan, high, "No thread was seen on any XVE: the counters are of another window or adapter, or the kernel did not "+
		"run.", said(targetGPU))
	return true
}

// ran gives the idle share where it can be that of the measured occupancy's window.
func (r *Row) ran() (idle unit.Ratio, ok bool) {
	idle, ok = r.Idle.Value()
	return idle, ok && r.BusyOccupancy.Present()
}

// engines fits a GPU of which one of k stacks or compute engines worked, where nothing counts them.
func (f *finder) engines(p Part) {
	idle, known := f.row.ran()
	d := f.r.Device
	_, counted := f.r.averaged(f.row)
	if !known || d == nil || counted.Present() || d.Tiles < 2 && d.Architecture != "Xe-HPC" {
		return
	}
	for _, k := range []int{2, 4} {
		share := 1 - 1/unit.Ratio(k)
		if abs(idle.Minus(share)) > engineShare || k == 4 && d.Architecture != "Xe-HPC" {
			continue
		}
		what := "compute engines"
		if d.Tiles == k {
			what = "stacks"
		}
		f.add(p, CauseStack, low, fmt.Sprintf("XVEs were idle %.1f%% of the time, and a kernel that has one of %d %s leaves %.0f%% idle.",
			idle.Percent(), k, what, share.Percent()),
			said("ZEX_NUMBER_OF_CCS and the affinity mask of the run, or a collection with -knob target-gpu"))
		return
	}
}

// gaps is time between launches, as far as it can hold enough of what is missing; told says that something else does.
func (f *finder) gaps(p Part, told bool) {
	if t := f.r.Traced(f.row); t != nil {
		f.tracedGaps(p, t)
		return
	}
	c := &f.row.Certainty
	idle, known := f.row.ran()
	most := min(c.likelyOutside().Or(1), idle)
	points := pointsOf(f.row.Measured.Or(0) * most / max(1-most, 1e-9))
	if !known || c.Exact || points < leastCause || told && idle > 2*most {
		return
	}
	decide := byTrace("")
	if c.Intervals.Present() {
		decide = byTrace(", or " + c.resample().text)
	}
	f.add(p, CauseGaps, low, fmt.Sprintf("%s, so time between launches may be included, up to %.1f points of what is missing; "+
		"it cannot be distinguished from time within.", c.edgesText(), float64(points)), decide)
}

// dry is idle time that cannot be between launches: Xe-cores run out of work before the launch ends.
func (f *finder) dry(p Part) {
	idle, known := f.row.ran()
	likely, bounded := f.row.Certainty.likelyOutside().Value()
	if !known || !bounded || f.row.Predicted == nil {
		return
	}
	_, of := f.r.perBusyStack(f.row)
	held, own := f.r.predictedWhileBusy(f.row), f.r.apart(f.row, of.Or(idle))
	within := func(outside unit.Ratio) bool {
		return pointsOf(held.Loaded*(own-outside-held.Idle)) >= leastCause
	}
	if !within(likely) {
		return
	}
	if f.r.launchBound(f.row) { // XVEs wait for threads
		f.dispatch(p)
		return
	}
	outside := min(f.row.Certainty.Edges.Or(1), of.Or(idle))
	sure, were := low, "Probably they were empty within launches too"
	if within(outside) {
		sure, were = medium, "So they were empty within launches"
	}
	if f.account.Points(PartUnderfilled).Or(0) > 2*f.account.Points(p).Or(0) {
		sure = low // what keeps threads from XVEs that ran may keep whole work-groups from others
	}
	f.add(p, CauseImbalance, sure, f.r.ownText(f.row)+fmt.Sprintf("XVEs were idle %.1f%% of the time, of which at most %.1f "+
		"can lie outside the launches. %s, as they are when work-groups end at different times.", of.Or(idle).Percent(),
		outside.Percent(), were), f.aTrace())
}

// diluted names other kernels that hold less, where what they can have made of the samples comes to all that is
// missing.
func (f *finder) diluted(p Part) bool {
	c := &f.row.Certainty
	share, m := c.Foreign.Or(0), f.row.Measured.Or(0)
	o, known := f.r.others(f.row)
	points := pointsOf(share / max(1-share, 0.01) * (m - unit.Ratio(o.measured)))
	if most, ranged := f.row.HeldHigh.Value(); ranged {
		points = min(points, most.Minus(m))
	}
	if missing := f.account.Points(p).Or(0); !known || points < max(leastCause, missing) {
		return false
	}
	f.add(p, CauseSampling, low, fmt.Sprintf("%s, and up to %s of its value can be of other kernels, which hold %.1f%%: by "+
		"itself it may hold up to %.1f points more.", c.edgesText(), shareText(share), unit.Ratio(o.measured).Percent(), float64(points)),
		c.resample())
	return true
}
