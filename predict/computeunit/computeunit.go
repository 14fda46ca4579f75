// Package computeunit predicts how many of a kernel's work-groups fit on a
// compute unit, for any vendor's GPUs. It implements the model in the OpenCL
// occupancy notes. The model for Intel GPUs counts thread slots. This model
// starts from the registers per work-item, which limit GPUs whose sub-groups
// share one register file.
//
// A compute unit is an Xe-core or subslice at Intel, an SM at NVIDIA, and a
// shader core at Arm. A processing block is an XVE, an SM partition, or an
// execution engine.
//
// The package does not know Intel's device table, GRF modes, SLM allocation
// steps or barriers, nor measured numbers.
package computeunit

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// Launch contains a kernel's properties that the model needs. A zero SLM or
// RegisterBytes means that none is used.
type Launch struct {
	GroupSize     int64      `json:"work_group_size"`         // work-items per work-group
	SubgroupSize  int64      `json:"sub_group_size"`          // work-items per sub-group
	SLM           unit.Bytes `json:"slm_bytes"`               // per work-group
	RegisterBytes unit.Bytes `json:"register_bytes_per_item"` // per work-item
}

// The limits, in the order in which outputs list them.
const (
	LimitRegisters = "registers" // register file
	LimitSLM       = "slm"       // shared local memory
	LimitSubgroups = "subgroups" // sub-groups that a compute unit can hold
	LimitHardware  = "hardware"  // active work-groups
)

// Result is one compute unit's theoretical occupancy.
type Result struct {
	RegisterBytesAllowed unit.Bytes `json:"register_bytes_per_item_allowed"` // maximum at this sub-group size
	// Spilled is set if the kernel uses more registers. It then cannot run from
	// registers alone, and Groups is 0.
	Spilled bool `json:"spilled"`

	// Work-groups by the register file and by SLM; absent if the kernel uses
	// none.
	ByRegisters unit.Opt[int64] `json:"by_registers"`
	BySLM       unit.Opt[int64] `json:"by_slm"`
	BySubgroups int64           `json:"by_sub_groups"`                // by sub-group states
	ByHardware  int64           `json:"by_hardware"`                  // by active work-groups
	Groups      int64           `json:"work_groups_per_compute_unit"` // the minimum of the four
	Limits      []string        `json:"limits"`                       // all limits that equal it

	SubgroupsPerGroup int64      `json:"sub_groups_per_work_group"`
	ActiveSubgroups   int64      `json:"active_sub_groups"`
	TotalSubgroups    int64      `json:"total_sub_groups"`
	Occupancy         unit.Ratio `json:"occupancy_percent"` // active / total sub-groups
	Lanes             unit.Ratio `json:"lanes_percent"`     // work-items / lanes in their sub-groups

	// PaddedSize is the work-group size with a full last sub-group, and
	// ByRegistersPadded is the register limit for that size: hardware allocates
	// registers to whole sub-groups, but the notes allocate them to work-items.
	PaddedSize        int64           `json:"-"`
	ByRegistersPadded unit.Opt[int64] `json:"-"`
}

// maxQuantity limits a launch's values to prevent overflow in products: 2^30
// work-items, sub-group lanes or bytes.
const maxQuantity = 1 << 30

// Predict returns a compute unit's occupancy. An error names the invalid number
// in the launch. A kernel that does not fit is not an error: its Result has 0
// work-groups, and the reason in Limits. Predict does not check MaxGroupSize
// and SubgroupSizes, because the notes' model has no such limits, and what-if
// questions exceed them.
func (p *Platform) Predict(l Launch) (Result, error) {
	if err := l.check(); err != nil {
		return Result{}, err
	}
	r := Result{
		RegisterBytesAllowed: unit.Bytes(ceilDiv(int64(p.RegisterBytesPerSubgroup), l.SubgroupSize)),
		SubgroupsPerGroup:    ceilDiv(l.GroupSize, l.SubgroupSize),
		TotalSubgroups:       p.subgroups(),
		ByHardware:           int64(p.MaxGroups),
	}
	r.PaddedSize = r.SubgroupsPerGroup * l.SubgroupSize
	r.Spilled = l.RegisterBytes > r.RegisterBytesAllowed
	r.BySubgroups = r.TotalSubgroups / r.SubgroupsPerGroup
	r.ByRegisters = p.byRegisters(l.RegisterBytes, l.GroupSize, r.Spilled)
	r.ByRegistersPadded = p.byRegisters(l.RegisterBytes, r.PaddedSize, r.Spilled)
	if l.SLM > 0 {
		r.BySLM = unit.Some(int64(p.SLM / l.SLM))
	}
	r.limit()
	r.ActiveSubgroups = r.SubgroupsPerGroup * r.Groups
	r.Occupancy = unit.Ratio(float64(r.ActiveSubgroups) / float64(r.TotalSubgroups))
	r.Lanes = unit.Ratio(float64(l.GroupSize) / float64(r.PaddedSize))
	return r, nil
}

// byRegisters returns how many work-groups with size work-items fit in the
// register file.
func (p *Platform) byRegisters(perItem unit.Bytes, size int64, spilled bool) unit.Opt[int64] {
	switch {
	case perItem == 0:
		return unit.Opt[int64]{}
	case spilled:
		return unit.Some(int64(0))
	}
	return unit.Some(int64(p.RegisterBytes) / (int64(perItem) * size))
}

// limit sets Groups to the minimum of the limits, and Limits to all that equal
// it.
func (r *Result) limit() {
	r.Groups = min(r.ByHardware, r.BySubgroups, r.ByRegisters.Or(r.ByHardware), r.BySLM.Or(r.ByHardware))
	for _, l := range [...]struct {
		name  string
		value unit.Opt[int64]
	}{
		{LimitRegisters, r.ByRegisters}, {LimitSLM, r.BySLM},
		{LimitSubgroups, unit.Some(r.BySubgroups)}, {LimitHardware, unit.Some(r.ByHardware)},
	} {
		if l.value == unit.Some(r.Groups) {
			r.Limits = append(r.Limits, l.name)
		}
	}
}

func (l Launch) check() error {
	for _, q := range [...]struct {
		name  string
		value int64
		least int64
	}{
		{"work-group size", l.GroupSize, 1}, {"sub-group size", l.SubgroupSize, 1},
		{"SLM per work-group", int64(l.SLM), 0}, {"register bytes per work-item", int64(l.RegisterBytes), 0},
	} {
		if q.value < q.least || q.value > maxQuantity {
			return fmt.Errorf("%s is %d; expected %d to %d", q.name, q.value, q.least, maxQuantity)
		}
	}
	return nil
}

// ceilDiv returns the quotient rounded up; both numbers are at least 1.
func ceilDiv(a, b int64) int64 { return (a-1)/b + 1 }

// GridOccupancy describes how a number of work-groups runs on all compute units
// on a GPU. Without that number, all fields except Fill are absent.
type GridOccupancy struct {
	WorkGroups unit.Opt[int64] `json:"work_groups"`
	// Fill is the smallest number of work-groups that reaches the GPU's full
	// occupancy. Its multiples have no partial last wave. It is absent if the
	// compute unit count is unknown.
	Fill  unit.Opt[int64]      `json:"work_groups_that_fill"`
	Waves unit.Opt[float64]    `json:"waves"`        // fractional
	Peak  unit.Opt[unit.Ratio] `json:"peak_percent"` // during the full waves, or during the only wave
	// over all waves; the last one counts as long as a full one
	Average unit.Opt[unit.Ratio] `json:"average_percent"`
	Tail    unit.Opt[unit.Ratio] `json:"tail_percent"` // last, partial wave; 0 if that wave is full
}

// GridOccupancy returns how a number of a predicted kernel's work-groups runs
// on the whole GPU. For 0, only Fill is set. It returns an error if the
// platform has no compute unit count, or if no work-group fits.
func (p *Platform) GridOccupancy(r Result, groups int64) (s GridOccupancy, err error) {
	fill := int64(p.ComputeUnits) * r.Groups
	s.Fill = unit.NonZero(fill)
	switch {
	case groups == 0:
		return s, nil
	case p.ComputeUnits == 0:
		return s, fmt.Errorf("platform %q has no number of compute units; fill the column compute_units of "+
			"its platform file", p.Key)
	case fill == 0:
		return s, fmt.Errorf("no work-group of this kernel fits on a compute unit of platform %q (%s)",
			p.Key, strings.Join(r.Limits, "+"))
	}
	full, left, peak := groups/fill, groups%fill, r.Occupancy
	waves := float64(groups) / float64(fill)
	average, tail := peak, unit.Ratio(0)
	if left > 0 {
		tail = unit.Ratio(float64(peak) * float64(left) / float64(fill))
		average = unit.Ratio(float64(peak) * waves / float64(full+1))
		if full == 0 {
			peak = tail
		}
	}
	s.WorkGroups, s.Waves = unit.Some(groups), unit.Some(waves)
	s.Peak, s.Average, s.Tail = unit.Some(peak), unit.Some(average), unit.Some(tail)
	return s, nil
}

// WorkGroups returns a launch's work-group count, including a smaller last one
// in each dimension. It returns 0 without a global size.
func WorkGroups(global, local unit.Size3) int64 {
	if !global.Present() || !local.Present() {
		return 0
	}
	n := int64(1) // no overflow: there are no more work-groups than work-items
	for i := range 3 {
		n *= ceilDiv(global.Dim(i), local.Dim(i))
	}
	return n
}
