// Package computeunit predicts how many work-groups a compute unit holds from
// its register file, for GPUs of any vendor: the model of the OpenCL occupancy
// notes. Where the model of Intel GPUs counts thread slots, this one asks what
// the registers of a work-item leave, which is what limits GPUs that share one
// register file among their sub-groups.
//
// A compute unit is an Xe-core or subslice at Intel, an SM at NVIDIA, a shader
// core at Arm; a processing block is an XVE, an SM partition, an execution
// engine. The package does not know Intel's device table, GRF modes, SLM
// allocation steps or barriers, nor measured numbers.
package computeunit

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// Launch is what the model needs to know of a kernel. The zero value of SLM and
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
	LimitSubgroups = "subgroups" // sub-group states
	LimitHardware  = "hardware"  // active work-groups
)

// Result is the theoretical occupancy of one compute unit.
type Result struct {
	RegisterBytesAllowed unit.Bytes `json:"register_bytes_per_item_allowed"` // at this sub-group size
	// Spilled is set when the kernel uses more: it cannot run from registers
	// alone, and Groups is 0.
	Spilled bool `json:"spilled"`

	// The work-groups by the register file and by SLM; absent when none is
	// used.
	ByRegisters unit.Opt[int64] `json:"by_registers"`
	BySLM       unit.Opt[int64] `json:"by_slm"`
	BySubgroups int64           `json:"by_sub_groups"`                // by sub-group states
	ByHardware  int64           `json:"by_hardware"`                  // by active work-groups
	Groups      int64           `json:"work_groups_per_compute_unit"` // the least of the four
	Limits      []string        `json:"limits"`                       // all that equal it

	SubgroupsPerGroup int64      `json:"sub_groups_per_work_group"`
	ActiveSubgroups   int64      `json:"active_sub_groups"`
	TotalSubgroups    int64      `json:"total_sub_groups"`
	Occupancy         unit.Ratio `json:"occupancy_percent"` // active / total sub-groups
	Lanes             unit.Ratio `json:"lanes_percent"`     // work-items / lanes of the sub-groups they fill

	// PaddedSize is the work-group size with its last sub-group filled, and
	// ByRegistersPadded the register limit at that size: hardware allocates
	// registers to whole sub-groups, the notes to work-items.
	PaddedSize        int64           `json:"-"`
	ByRegistersPadded unit.Opt[int64] `json:"-"`
}

// maxQuantity bounds what a launch may hold, so that no product overflows: 2^30
// work-items, sub-group lanes or bytes.
const maxQuantity = 1 << 30

// Predict computes the occupancy of a compute unit. An error says which number
// of the launch makes no sense; a kernel that does not fit is no error but a
// Result with 0 work-groups and its reason in Limits. MaxGroupSize and
// SubgroupSizes are not enforced: the notes' model has no such limits, and
// what-if questions go beyond them.
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

// byRegisters returns how many work-groups of size work-items the register file
// holds.
func (p *Platform) byRegisters(perItem unit.Bytes, size int64, spilled bool) unit.Opt[int64] {
	switch {
	case perItem == 0:
		return unit.Opt[int64]{}
	case spilled:
		return unit.Some(int64(0))
	}
	return unit.Some(int64(p.RegisterBytes) / (int64(perItem) * size))
}

// limit takes the least of the limits and names all that equal it.
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

// ceilDiv divides and rounds up; both numbers are at least 1.
func ceilDiv(a, b int64) int64 { return (a-1)/b + 1 }

// GridOccupancy is how a number of work-groups runs on all compute units of a
// GPU. All but Fill are absent without a number.
type GridOccupancy struct {
	WorkGroups unit.Opt[int64] `json:"work_groups"`
	// Fill is how many work-groups fill the GPU once: the fewest that give its
	// full occupancy; multiples of it leave no tail. Absent when the number of
	// compute units is not known.
	Fill    unit.Opt[int64]      `json:"work_groups_that_fill"`
	Waves   unit.Opt[float64]    `json:"waves"`           // fractional
	Peak    unit.Opt[unit.Ratio] `json:"peak_percent"`    // while the waves are full, or of the only wave
	Average unit.Opt[unit.Ratio] `json:"average_percent"` // over all waves, the last one counted as long as a full one
	Tail    unit.Opt[unit.Ratio] `json:"tail_percent"`    // of the last, partial wave; 0 when it is full
}

// GridOccupancy describes how so many work-groups of a predicted kernel run on
// the whole GPU; 0 are not known.
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
		return s, fmt.Errorf("a compute unit of platform %q holds no work-group of this kernel (%s), so "+
			"nothing fills it", p.Key, strings.Join(r.Limits, "+"))
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

// WorkGroups counts the work-groups of a launch, of which the last in a
// dimension may be smaller; 0 without a global size.
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
