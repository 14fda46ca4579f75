package predict

import (
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Utilization is a launch's mean utilization over its waves. The last wave may
// be shorter than a full one.
type Utilization struct {
	Average       unit.Ratio // share of all thread slots
	Idle          unit.Ratio // share of XVEs without a thread
	BusyOccupancy unit.Ratio // busy occupancy: Average / (1 - Idle)
}

// A Range is the range of a launch's possible utilization. How long the partial
// last wave takes depends on what limits the threads:
//
//   - Low: the threads wait for memory independently, and the last wave is as
//     long as a full one.
//   - High: the threads of an XVE share its throughput. If full XVEs hold N
//     threads, an XVE with n threads finishes after n / N of the time.
//
// Both are equal unless a partial wave follows a full one. If an Xe-core holds
// a single work-group, the Xe-cores no longer finish together after several
// waves, so the last wave may be as short as if all Xe-cores shared it. The
// idle shares are lower bounds: launching and draining leave more XVEs idle,
// for times that the model does not know. docs/design/model.md derives the range.
type Range struct {
	Low, High Utilization

	waves          float64 // number of full waves
	held, left     float64 // share of all slots used by a full wave, and by the last one
	used, leftUsed float64 // share of XVEs with a thread in these waves
	// The last wave's shortest and longest duration relative to a full one.
	// Both are 0 without a partial wave.
	shortest, longest float64
}

// Range returns a prediction's range. d must be the prediction's device. With
// Whole, a wave's work-groups are distributed over the Xe-cores, and an
// Xe-core's threads over its XVEs. With Free, a wave's threads are distributed
// over all XVEs. Without a grid, nothing is idle.
func (p *Prediction) Range(d *arch.Device) Range {
	if !p.HasGrid() {
		h := Utilization{Average: p.Average, BusyOccupancy: p.Average}
		return Range{Low: h, High: h}
	}
	total := p.Groups * p.ThreadsPerGroup
	wave := int64(math.Round(float64(total) / p.Waves))
	full := quotient(total, wave)
	return p.rangeOf(d, full, wave, total-full*wave)
}

// Nearest returns the value nearest to v within the average's range.
func (p *Prediction) Nearest(v unit.Ratio) unit.Ratio { return min(max(v, p.Average), p.AverageHigh) }

// Ranges reports whether the average's ends print differently.
func (p *Prediction) Ranges() bool {
	return p.HasGrid() && percent(p.Average) != percent(p.AverageHigh)
}

// rangeOf returns the range for a number of full waves with the given number of
// threads, and the remaining threads.
func (p *Prediction) rangeOf(d *arch.Device, full, wave, rest int64) Range {
	slots, xves := float64(d.Slots()), float64(d.XVEs())
	used, most := p.usedXVEs(d, wave)
	r := Range{waves: float64(full), held: float64(wave) / slots, used: float64(used) / xves}
	if rest > 0 {
		leftUsed, leftMost := p.usedXVEs(d, rest)
		r.left, r.leftUsed = float64(rest)/slots, float64(leftUsed)/xves
		r.longest, r.shortest = 1, min(float64(leftMost)/float64(most), 1)
		if p.drifts(full) {
			r.shortest = min(r.shortest, float64(rest)/float64(wave))
		}
	}
	if full == 0 {
		r.shortest = r.longest
	}
	r.Low, r.High = r.at(r.longest), r.at(r.shortest)
	r.Low.Average = p.Average // computed with one division, and therefore exact
	r.Low.BusyOccupancy = min(p.Average/(1-r.Low.Idle), 1)
	if r.shortest == r.longest {
		r.High = r.Low
	}
	return r
}

// drifts reports whether the Xe-cores no longer finish together: each holds one
// work-group and starts the next one when it finishes.
func (p *Prediction) drifts(fullWaves int64) bool {
	return p.GroupsPerXeCore == 1 && p.Policy == Whole && fullWaves > 1
}

// at returns the point in the range at which the last wave takes t times as
// long as a full one.
func (r *Range) at(t float64) Utilization {
	time := r.waves + t
	used := (r.waves*r.used + t*r.leftUsed) / time
	h := Utilization{Average: unit.Ratio((r.waves*r.held + t*r.left) / time), Idle: unit.Ratio(max(1-used, 0))}
	h.BusyOccupancy = min(h.Average/(1-h.Idle), 1)
	return h
}

// NearestBusy returns the point in the range that is nearest to a busy
// occupancy.
func (r *Range) NearestBusy(loaded unit.Ratio) Utilization {
	busy := float64(loaded)
	return r.nearest(loaded, Utilization.busyOccupancy, r.left-busy*r.leftUsed, busy*r.used-r.held)
}

// NearestAverage returns the point in the range that is nearest to an average
// over all slots.
func (r *Range) NearestAverage(average unit.Ratio) Utilization {
	return r.nearest(average, Utilization.average, r.left-float64(average), float64(average)-r.held)
}

func (h Utilization) busyOccupancy() unit.Ratio { return h.BusyOccupancy }
func (h Utilization) average() unit.Ratio       { return h.Average }

// nearest returns the point with t x slope = waves x rise between the range's
// ends.
func (r *Range) nearest(v unit.Ratio, of func(Utilization) unit.Ratio, slope, rise float64) Utilization {
	low, high := of(r.Low), of(r.High)
	switch {
	case v <= min(low, high) && low <= high, v >= max(low, high) && low >= high:
		return r.Low
	case v <= min(low, high), v >= max(low, high), slope == 0:
		return r.High
	}
	return r.at(min(max(r.waves*rise/slope, r.shortest), r.longest))
}

// usedXVEs returns how many XVEs have at least one of the given threads, and
// the largest thread count on one XVE.
func (p *Prediction) usedXVEs(d *arch.Device, threads int64) (used, most int64) {
	cores, perCore := int64(d.XeCores), int64(d.XVEPerXeCore)
	if p.Policy == Free {
		return min(threads, cores*perCore), ceilDiv(threads, cores*perCore)
	}
	groups := quotient(threads, p.ThreadsPerGroup)
	each := quotient(groups, cores)
	more := groups - each*cores
	used = (cores-more)*min(perCore, each*p.ThreadsPerGroup) + more*min(perCore, (each+1)*p.ThreadsPerGroup)
	return used, ceilDiv(ceilDiv(groups, cores)*p.ThreadsPerGroup, perCore)
}
