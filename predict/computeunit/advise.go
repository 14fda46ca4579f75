package computeunit

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/ingest/unit"
)

// Target is what of a kernel is fixed when advice is asked for. An absent value
// is free.
type Target struct {
	SubgroupSize  unit.Opt[int64]
	GroupSize     unit.Opt[int64]
	SLM           unit.Opt[unit.Bytes] // per work-group; 0 fixes that none is used
	RegisterBytes unit.Opt[unit.Bytes] // per work-item
}

// Setting is one choice of sizes that reaches the best occupancy, and how much
// a kernel may use without losing it.
type Setting struct {
	SubgroupSize int64
	GroupSize    int64
	Groups       int64
	Occupancy    unit.Ratio // of sub-group states
	Lanes        unit.Ratio // of the sub-groups' lanes
	// MaxRegisterBytes per work-item and MaxSLM per work-group are the most
	// that keep this occupancy, also both at once.
	MaxRegisterBytes unit.Bytes
	MaxSLM           unit.Bytes
	// Fill is the least number of work-groups that fills the whole GPU;
	// multiples of it leave no tail. Absent when the number of compute units is
	// not known.
	Fill unit.Opt[int64]
}

// Advice is what Advise found.
type Advice struct {
	Full     bool      // the settings reach 100 % of the sub-group states and use all lanes
	Settings []Setting // all of the best occupancy, by rising sub-group and work-group size; empty when nothing fits
	// Least, where nothing is full, are settings that are, of which one fixed
	// resource is changed and by no more than it takes: registers first, then
	// SLM.
	Least []Relaxed
}

// Relaxed is a setting that reaches full occupancy when one fixed resource is
// given up.
type Relaxed struct {
	Resource string // registers, slm
	From     unit.Bytes
	To       unit.Bytes // the most that keeps the occupancy full
	Setting  Setting
}

// Advise searches all sub-group sizes of the platform and all work-group sizes
// that are multiples of them, or the fixed ones, for the settings with the
// highest occupancy, and among these the most lanes in use. Every setting found
// works as it stands: Predict gives its occupancy for any use of registers and
// SLM up to its maxima.
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

// relax frees the fixed resources one by one.
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
		if free.Full { // the least change keeps the most of the resource
			best := slices.MaxFunc(free.Settings, func(a, b Setting) int { return cmp.Compare(r.most(a), r.most(b)) })
			list = append(list, Relaxed{r.name, r.from, r.most(best), best})
		}
	}
	return list, nil
}

// groupSizes lists the work-group sizes to try: full sub-groups from one to
// what a compute unit holds.
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

// try adds one choice to the advice if it is as good as those found, or in
// their place if it is better. It is passed over when no work-group fits, or
// when a kernel would have no register at all.
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
