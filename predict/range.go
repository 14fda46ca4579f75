package predict

import (
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Utilization is what a launch holds over its waves, the last of which takes
// some part of a full one's time.
type Utilization struct {
	Average       unit.Ratio // of all thread slots
	Idle          unit.Ratio // of the XVEs, those without a thread
	BusyOccupancy unit.Ratio // of the slots of the others: Average / (1 - Idle)
}

// Range is what a launch may hold. How long its last, partial wave lasts
// depends on what keeps threads busy. Where they wait for memory, each for
// itself, it lasts as long as a full one: Low. Where the threads of an XVE
// share what it can do, one that holds n threads where full ones hold N is
// through after n / N of the time: High. Both are one where there is no partial
// wave after a full one. Where an Xe-core holds one work-group, the Xe-cores no
// longer finish together after several waves, so that the last wave may be as
// short as if all Xe-cores shared it. The idle shares are floors: launching and
// draining leave more XVEs empty, for times that the model does not know.
// docs/model.md derives it.
type Range struct {
	Low, High Utilization

	waves             float64 // full ones
	held, left        float64 // of all slots, by a full wave and by the last one
	used, leftUsed    float64 // of the XVEs, those with a thread then
	shortest, longest float64 // time of the last wave / that of a full one, at least and at most; 0 without one
}

// Range returns the range of a prediction on the device that it was made for.
// Under Whole the work-groups of a wave go round the Xe-cores and the threads
// of an Xe-core round its XVEs; under Free the threads of a wave go round all
// XVEs. Without a grid nothing is idle.
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

// Nearest is the point of the range of the average that is nearest to a value.
func (p *Prediction) Nearest(v unit.Ratio) unit.Ratio { return min(max(v, p.Average), p.AverageHigh) }

// Ranges reports whether the ends of the average print apart.
func (p *Prediction) Ranges() bool {
	return p.HasGrid() && percent(p.Average) != percent(p.AverageHigh)
}

// rangeOf returns the range of so many full waves of so many threads, and the
// rest.
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
	r.Low.Average = p.Average // with one division, and so exact
	r.Low.BusyOccupancy = min(p.Average/(1-r.Low.Idle), 1)
	if r.shortest == r.longest {
		r.High = r.Low
	}
	return r
}

// drifts reports whether the Xe-cores no longer finish together: each holds one
// work-group, and takes the next one whenever it is done.
func (p *Prediction) drifts(fullWaves int64) bool {
	return p.GroupsPerXeCore == 1 && p.Policy == Whole && fullWaves > 1
}

// at is the point of the range at which the last wave takes t of a full one's
// time.
func (r *Range) at(t float64) Utilization {
	time := r.waves + t
	used := (r.waves*r.used + t*r.leftUsed) / time
	h := Utilization{Average: unit.Ratio((r.waves*r.held + t*r.left) / time), Idle: unit.Ratio(max(1-used, 0))}
	h.BusyOccupancy = min(h.Average/(1-h.Idle), 1)
	return h
}

// NearestBusy is the point of the range that comes nearest to what busy XVEs
// held.
func (r *Range) NearestBusy(loaded unit.Ratio) Utilization {
	return r.nearest(loaded, Utilization.busyOccupancy, r.left-float64(loaded)*r.leftUsed, float64(loaded)*r.used-r.held)
}

// NearestAverage is the point of the range that comes nearest to an average
// over all slots.
func (r *Range) NearestAverage(average unit.Ratio) Utilization {
	return r.nearest(average, Utilization.average, r.left-float64(average), float64(average)-r.held)
}

func (h Utilization) busyOccupancy() unit.Ratio { return h.BusyOccupancy }
func (h Utilization) average() unit.Ratio       { return h.Average }

// nearest solves t x slope = waves x rise between the ends of the range.
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

// usedXVEs counts the XVEs that hold at least one of so many threads, and the
// threads of the one that holds most.
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
