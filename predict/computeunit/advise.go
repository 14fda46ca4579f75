package computeunit

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/ingest/unit"
)

// Target contains a kernel's fixed properties when a user asks for advice. An
// absent value is free.
type Target struct {
	SubgroupSize  unit.Opt[int64]
	GroupSize     unit.Opt[int64]
	SLM           unit.Opt[unit.Bytes] // per work-group; 0 means that none is used
	RegisterBytes unit.Opt[unit.Bytes] // per work-item
}

// Setting is a size choice that reaches the highest occupancy, with the amounts
// that a kernel may use without a lower occupancy.
type Setting struct {
	SubgroupSize int64
	GroupSize    int64
	Groups       int64
	Occupancy    unit.Ratio // share of sub-group states
	Lanes        unit.Ratio // used lanes in the sub-groups
	// MaxRegisterBytes per work-item and MaxSLM per work-group are the largest
	// amounts that keep this occupancy, even if the kernel uses both.
	MaxRegisterBytes unit.Bytes
	MaxSLM           unit.Bytes
	// Fill is the smallest number of work-groups that fills the whole GPU. Its
	// multiples have no partial last wave. It is absent if the compute unit
	// count is unknown.
	Fill unit.Opt[int64]
}

// Advice is Advise's result.
type Advice struct {
	Full bool // the settings reach 100% of the sub-group states and use all lanes
	// Settings are all settings with the highest occupancy, ordered by
	// sub-group size and work-group size. They are empty if no work-group fits.
	Settings []Setting
	// Least is set if no setting is full. Its settings are full after the
	// smallest change to one fixed resource: registers first, then SLM.
	Least []Relaxed
}

// Relaxed is a setting that reaches full occupancy if one fixed resource
// changes.
type Relaxed struct {
	Resource string // registers or slm
	From     unit.Bytes
	To       unit.Bytes // the largest amount that keeps the occupancy full
	Setting  Setting
}

// Advise returns the settings with the highest occupancy, and among these, the
// settings that use the most lanes. It searches all of the platform's sub-group
// sizes and all work-group sizes that are their multiples, unless they are
// fixed. Predict returns a setting's occupancy for any use of registers and SLM
// up to the setting's maxima.
func (p *Platform) Advise(w Target) (a Advice, err error) {
	subgroupSizes := p.SubgroupSizes
	if sg, ok := w.SubgroupSize.Value(); ok {
		subgroupSizes = counts{count(sg)} // a size that the platform does not offer is a what-if question
	}
	if len(subgroupSizes) == 0 {
		return a, fmt.Errorf("platform %q lists no sub-group sizes; "+
			"give one, or fill the column subgroup_sizes of its platform file", p.Key)
	}
	for _, sg := range subgroupSizes {
		for _, size := range p.groupSizes(w, int64(sg)) {
			if err := p.try(&a, w, int64(sg), size); err != nil {
				return a, err
			}
		}
	}
	a.Full = len(a.Settings) > 0 && a.Settings[0].Occupancy == 1 && a.Settings[0].Lanes == 1
	if !a.Full {
		a.Least, err = p.relax(w)
	}
	return a, err
}

// relax returns advice without each fixed resource, one at a time.
func (p *Platform) relax(w Target) (list []Relaxed, err error) {
	registers, slm := w, w
	registers.RegisterBytes, slm.SLM = unit.Opt[unit.Bytes]{}, unit.Opt[unit.Bytes]{}
	for _, r := range []struct {
		name string
		from unit.Bytes
		free Target
		most func(Setting) unit.Bytes
	}{
		{LimitRegisters, w.RegisterBytes.Or(0), registers, func(s Setting) unit.Bytes { return s.MaxRegisterBytes }},
		{LimitSLM, w.SLM.Or(0), slm, func(s Setting) unit.Bytes { return s.MaxSLM }},
	} {
		if r.from == 0 {
			continue
		}
		free, err := p.Advise(r.free)
		if err != nil {
			return nil, err
		}
		if free.Full { // the smallest change keeps most of the resource
			best := slices.MaxFunc(free.Settings, func(a, b Setting) int { return cmp.Compare(r.most(a), r.most(b)) })
			list = append(list, Relaxed{r.name, r.from, r.most(best), best})
		}
	}
	return list, nil
}

// groupSizes returns the work-group sizes to try: full sub-groups, from one to
// a compute unit's capacity.
func (p *Platform) groupSizes(w Target, subgroupSize int64) []int64 {
	if size, ok := w.GroupSize.Value(); ok {
		return []int64{size}
	}
	largest := int64(cmp.Or(p.MaxGroupSize, maxQuantity))
	var sizes []int64
	for n := int64(1); n <= p.subgroups() && n*subgroupSize <= largest; n++ {
		sizes = append(sizes, n*subgroupSize)
	}
	return sizes
}

// try adds a choice to the advice if it is as good as the previous ones, and
// replaces them if it is better. It skips the choice if no work-group fits, or
// if a kernel would have no register at all.
func (p *Platform) try(a *Advice, w Target, subgroupSize, groupSize int64) error {
	r, err := p.Predict(Launch{
		GroupSize: groupSize, SubgroupSize: subgroupSize, SLM: w.SLM.Or(0), RegisterBytes: w.RegisterBytes.Or(0),
	})
	if err != nil || r.Groups == 0 {
		return err
	}
	s := Setting{
		SubgroupSize: subgroupSize, GroupSize: groupSize, Groups: r.Groups, Occupancy: r.Occupancy, Lanes: r.Lanes,
		MaxRegisterBytes: min(r.RegisterBytesAllowed, p.RegisterBytes/unit.Bytes(r.Groups*groupSize)),
		MaxSLM:           p.SLM / unit.Bytes(r.Groups),
		Fill:             unit.NonZero(int64(p.ComputeUnits) * r.Groups),
	}
	if s.MaxRegisterBytes == 0 {
		return nil
	}
	if len(a.Settings) > 0 {
		best := a.Settings[0]
		better := cmp.Or(cmp.Compare(s.Occupancy, best.Occupancy), cmp.Compare(s.Lanes, best.Lanes))
		if better < 0 {
			return nil
		} else if better > 0 {
			a.Settings = nil
		}
	}
	a.Settings = append(a.Settings, s)
	return nil
}
