package predict

import (
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Idle is what a prediction implies for XVEs that hold no thread, and what is left of the average for those that do.
type Idle struct {
	Share  unit.Ratio // of the XVEs, over all waves
	Loaded unit.Ratio // average occupancy of the others: Average / (1 - Share)
}

// Idle says how many XVEs the launch itself leaves empty, taken over waves of equal length. It is a floor: launching
// and draining leave more of them empty, for times that the model does not know.
//
// Under Whole the work-groups of a wave go round the Xe-cores and the threads of an Xe-core round its XVEs. Under
// Free the threads of a wave go round all XVEs. The device has to be the one that the prediction was made for;
// without a grid nothing is idle.
func (p *Prediction) Idle(d *arch.Device) Idle {
	if !p.HasGrid() {
		return Idle{Loaded: p.Average}
	}
	total := p.Groups * p.ThreadsPerGroup
	wave := int64(math.Round(float64(total) / p.Waves))
	full := quotient(total, wave)
	rest := total - full*wave
	waves := float64(full)
	used := waves * p.usedXVEs(d, wave)
	if rest > 0 {
		waves++
		used += p.usedXVEs(d, rest)
	}
	share := unit.Ratio(max(1-used/(waves*float64(d.XVEs())), 0))
	return Idle{Share: share, Loaded: min(p.Average/(1-share), 1)}
}

// usedXVEs counts the XVEs that hold at least one of so many threads.
func (p *Prediction) usedXVEs(d *arch.Device, threads int64) float64 {
	if p.Policy == Free {
		return float64(min(threads, int64(d.XVEs())))
	}
	cores, perCore := int64(d.XeCores), int64(d.XVEPerXeCore)
	groups := quotient(threads, p.ThreadsPerGroup)
	each := quotient(groups, cores)
	more := groups - each*cores
	return float64((cores-more)*min(perCore, each*p.ThreadsPerGroup) + more*min(perCore, (each+1)*p.ThreadsPerGroup))
}
