package computeunit

import (
	"fmt"

	"occudiff/ingest/unit"
)

// Spread is how a number of work-groups runs on all compute units of a GPU.
type Spread struct {
	Least   int64      // work-groups that fill the GPU once: the fewest that give its full occupancy, none left over
	Waves   float64    // fractional
	Peak    unit.Ratio // occupancy while the waves are full, or of the only wave
	Tail    unit.Ratio // occupancy of the last, partial wave; 0 when it is full
	Average unit.Ratio // over all waves, the last one counted as long as a full one
}

// Spread says how so many work-groups of a predicted kernel run on the whole GPU. The number that fills it is compute
// units x work-groups per compute unit, and only multiples of that leave no tail.
func (p *Platform) Spread(r Result, groups int64) (Spread, error) {
	units, ok := p.ComputeUnits.Value()
	switch {
	case !ok:
		return Spread{}, fmt.Errorf("platform %q has no number of compute units; fill the column compute_units of "+
			"its platform file", p.Key)
	case r.Groups < 1:
		return Spread{}, fmt.Errorf("a compute unit of platform %q holds no work-group of this kernel (%s), so "+
			"nothing fills it", p.Key, r.Limits)
	case groups < 1:
		return Spread{}, fmt.Errorf("%d work-groups; expected at least 1", groups)
	}
	s := Spread{Least: units * r.Groups}
	full, left := groups/s.Least, groups%s.Least
	s.Waves = float64(groups) / float64(s.Least)
	if left == 0 {
		s.Peak, s.Average = r.Occupancy, r.Occupancy
		return s, nil
	}
	s.Tail = unit.Ratio(float64(r.Occupancy) * float64(left) / float64(s.Least))
	s.Peak = r.Occupancy
	if full == 0 {
		s.Peak = s.Tail
	}
	s.Average = unit.Ratio(float64(r.Occupancy) * s.Waves / float64(full+1))
	return s, nil
}

// WorkGroups counts the work-groups of a launch, of which the last in a dimension may be smaller; 0 without a global
// size.
func WorkGroups(global, local unit.Size3) int64 {
	if !global.Present() || !local.Present() {
		return 0
	}
	n := int64(1) // no overflow: there are no more work-groups than work-items
	for i := range 3 {
		n *= (global.Dim(i)-1)/local.Dim(i) + 1
	}
	return n
}
