// Package computeunit predicts how many work-groups a compute unit holds from its register file, for GPUs of any
// vendor: the model of the OpenCL occupancy notes. Where the model of Intel GPUs counts thread slots, this one asks
// what the registers of a work-item leave, which is what limits GPUs that share one register file among their
// sub-groups.
//
// A compute unit is an Xe-core or subslice at Intel, an SM at NVIDIA, a shader core at Arm; a processing block is an
// XVE, an SM partition, an execution engine. The package does not know Intel's device table, GRF modes, SLM
// allocation steps or barriers, nor measured numbers.
package computeunit

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// Platform is one GPU as the model sees it: what a compute unit has.
type Platform struct {
	Key                      string // short, unique: gen11
	Name                     string
	Blocks                   int64      // processing blocks of a compute unit
	SubgroupsPerBlock        int64      // sub-group states that a processing block holds
	RegisterBytesPerSubgroup unit.Bytes // most that one sub-group may use
	RegisterBytes            unit.Bytes // register file of the compute unit
	SLM                      unit.Bytes // of the compute unit
	MaxGroups                int64      // work-groups that the hardware keeps active

	ComputeUnits  unit.Opt[int64] // of the whole GPU
	SubgroupSizes []int64         // that the compiler offers, rising; empty when not known
	MaxGroupSize  unit.Opt[int64] // work-items per work-group
}

// subgroups gives the sub-group states of a compute unit, the denominator of its occupancy.
func (p *Platform) subgroups() int64 { return p.Blocks * p.SubgroupsPerBlock }

// Launch is what the model needs to know of a kernel. The zero value of SLM and RegisterBytes means that none is used.
type Launch struct {
	GroupSize     int64      `json:"work_group_size"`         // work-items per work-group
	SubgroupSize  int64      `json:"sub_group_size"`          // work-items per sub-group
	SLM           unit.Bytes `json:"slm_bytes"`               // per work-group
	RegisterBytes unit.Bytes `json:"register_bytes_per_item"` // per work-item
}

// Limits are the resources that bind.
type Limits []string

// The limits, in the order in which outputs list them.
const (
	LimitRegisters = "registers" // register file
	LimitSLM       = "slm"       // shared local memory
	LimitSubgroups = "subgroups" // sub-group states
	LimitHardware  = "hardware"  // active work-groups
)

// String joins the limits with `+`, as the reference data does.
func (l Limits) String() string { return strings.Join(l, "+") }

// Result is the theoretical occupancy of one compute unit.
type Result struct {
	RegisterBytesAllowed unit.Bytes `json:"register_bytes_per_item_allowed"` // at this sub-group size
	// Spilled is set when the kernel uses more: it cannot run from registers alone, and Groups is 0.
	Spilled bool `json:"spilled"`

	// The work-groups by the register file and by SLM; absent when none is used.
	ByRegisters unit.Opt[int64] `json:"by_registers"`
	BySLM       unit.Opt[int64] `json:"by_slm"`
	BySubgroups int64           `json:"by_sub_groups"`                // by sub-group states
	ByHardware  int64           `json:"by_hardware"`                  // by active work-groups
	Groups      int64           `json:"work_groups_per_compute_unit"` // the least of the four
	Limits      Limits          `json:"limits"`                       // all that equal it

	SubgroupsPerGroup int64      `json:"sub_groups_per_work_group"`
	ActiveSubgroups   int64      `json:"active_sub_groups"`
	TotalSubgroups    int64      `json:"total_sub_groups"`
	Occupancy         unit.Ratio `json:"occupancy_percent"` // active / total sub-groups
	Lanes             unit.Ratio `json:"lanes_percent"`     // work-items / lanes of the sub-groups they fill

	// PaddedSize is the work-group size with its last sub-group filled, and ByRegistersPadded the register limit at
	// that size: hardware allocates registers to whole sub-groups, the notes to work-items.
	PaddedSize        int64           `json:"-"`
	ByRegistersPadded unit.Opt[int64] `json:"-"`
}

// maxQuantity bounds what a launch may hold, so that no product overflows: 2^30 work-items, sub-group lanes or bytes.
const maxQuantity = 1 << 30

// Predict computes the occupancy of a compute unit. An error says which number of the launch makes no sense; a kernel
// that does not fit is no error but a Result with 0 work-groups and its reason in Limits. MaxGroupSize and
// SubgroupSizes are not enforced: the notes' model has no such limits, and what-if questions go beyond them.
func (p *Platform) Predict(l Launch) (Result, error) {
	if err := l.check(); err != nil {
		return Result{}, err
	}
	r := Result{
		RegisterBytesAllowed: unit.Bytes(ceilDiv(int64(p.RegisterBytesPerSubgroup), l.SubgroupSize)),
		SubgroupsPerGroup:    ceilDiv(l.GroupSize, l.SubgroupSize),
		TotalSubgroups:       p.subgroups(),
		ByHardware:           p.MaxGroups,
	}
	r.PaddedSize = r.SubgroupsPerGroup * l.SubgroupSize
	r.Spilled = l.RegisterBytes > r.RegisterBytesAllowed
	r.BySubgroups = r.TotalSubgroups / r.SubgroupsPerGroup
	r.ByRegisters = p.byRegisters(l.RegisterBytes, l.GroupSize, r.Spilled)
	r.ByRegistersPadded = p.byRegisters(l.RegisterBytes, r.PaddedSize, r.Spilled)
	if l.SLM > 0 {
		r.BySLM = unit.Some(int64(p.SLM / l.SLM))
	}
	r.bind()
	r.ActiveSubgroups = r.SubgroupsPerGroup * r.Groups
	r.Occupancy = unit.Ratio(float64(r.ActiveSubgroups) / float64(r.TotalSubgroups))
	r.Lanes = unit.Ratio(float64(l.GroupSize) / float64(r.PaddedSize))
	return r, nil
}

// byRegisters gives how many work-groups of size work-items the register file holds.
func (p *Platform) byRegisters(perItem unit.Bytes, size int64, spilled bool) unit.Opt[int64] {
	switch {
	case perItem == 0:
		return unit.Opt[int64]{}
	case spilled:
		return unit.Some(int64(0))
	}
	return unit.Some(int64(p.RegisterBytes) / (int64(perItem) * size))
}

// bind takes the least of the limits and names all that equal it.
func (r *Result) bind() {
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

// ceilDiv divides and rounds up; both numbers are at least 0 and 1.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 {
		q++
	}
	return q
}
