// Package predict computes the theoretical occupancy of a kernel launch on a
// device: the number of work-groups per Xe-core, the resources that limit it,
// and the whole GPU's peak and average over its waves.
//
// [Predict] is the model, which docs/design/model.md derives. Each Xe-core
// resource allows a number of work-groups: thread slots, shared local memory,
// work-group slots, and barriers. The smallest number applies. The launch then
// runs in waves over the whole GPU. The last wave is usually not full, so the
// average is below the peak. The way a wave is filled depends on the kernel. If
// it has a barrier or local memory, a work-group stays whole on one Xe-core
// (policy Whole). Otherwise its threads use any free slot (policy Free).
//
// All other functions call Predict: [Explain] returns the computation's steps,
// [Advise] settings with a higher occupancy, SweepLocal and similar functions
// curves, and [DriverMaxGroups] a second opinion. If a launch cannot run, the
// error is a [LaunchError] with the requested and the available amount.
//
// The package knows launches and devices. It does not know files, formats, or
// measured values.
package predict

import "occudiff/ingest/unit"

// A Policy is the way in which the dispatcher places a work-group's threads.
type Policy uint8

// Policies. Auto is Whole if the launch uses barriers or SLM, and Free
// otherwise.
const (
	Auto  Policy = iota
	Free         // no barrier and no SLM: a thread uses any free slot on the GPU
	Whole        // barrier or SLM: a work-group stays whole on one Xe-core
)

// String returns the policy's name in outputs.
func (p Policy) String() string {
	switch p {
	case Free:
		return "free"
	case Whole:
		return "whole"
	}
	return "auto"
}

// A Launch contains the kernel launch parameters that a prediction uses. A zero
// field means that the resource is not used (SLM, Barriers) or has its default
// (GRF, Policy).
type Launch struct {
	Global unit.Size3 // work-items; if absent, only the Xe-core is predicted
	Local  unit.Size3 // work-items per work-group
	SIMD   int        // sub-group size
	SLM    unit.Bytes // per work-group
	// Barriers is the number of named barriers per work-group. It is 1 for an
	// ordinary barrier().
	Barriers int
	// GRF is the number of registers per thread. 0 is the device's default mode
	// (128).
	GRF    int
	Policy Policy
	// BarrierSlots and GroupSlots override the device's values per Xe-core if
	// they are above 0.
	BarrierSlots, GroupSlots int
	// GroupsBySLM and GroupsByBarriers are the work-groups per Xe-core that SLM
	// and barriers allow, if a profiler reports them, and 0 otherwise.
	GroupsBySLM, GroupsByBarriers int
}

// A Limit is a set of reasons why occupancy is not higher.
type Limit uint16

// Limits, in the order in which outputs list them.
const (
	LimitThreads    Limit = 1 << iota // the Xe-core's thread slots
	LimitSLM                          // shared local memory
	LimitGroupSlots                   // work-group slots
	LimitBarriers                     // barrier slots
	LimitRegisters                    // large GRF allows fewer threads
	LimitGrid                         // too few work-groups for the GPU
	LimitTail                         // the last wave reduces the average by more than tailPoints
)

// tailPoints is the reduction of the average by the last wave, in percentage
// points, above which `tail` is a limit.
const tailPoints unit.Points = 5

var limitNames = [...]string{"threads", "slm", "work-group slots", "barriers", "registers", "grid", "tail"}

// Names returns the limit names. The list is never nil.
func (l Limit) Names() []string {
	names := []string{}
	for i, n := range limitNames {
		if l&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// Unlimited marks a resource that sets no limit.
const Unlimited int64 = -1

// A Prediction is one launch's theoretical occupancy. Ratios are 0..1 of all
// thread slots.
type Prediction struct {
	Policy          Policy // Free or Whole
	GroupSize       int64  // work-items per work-group
	ThreadsPerGroup int64
	Groups          int64 // the launch's work-groups; 0 if no global size was given
	GroupsPerXeCore int64 // N in the model's section 1

	// Number that each resource alone would allow per Xe-core, or Unlimited.
	ByThreads, BySLM, ByGroupSlots, ByBarriers int64

	SLMAllocated unit.Bytes // per work-group, rounded up to an allocation step
	Limits       Limit      // all limiting resources
	// XeCoreLimits are the resources that limit one Xe-core to GroupsPerXeCore.
	// Limits excludes them if only a small grid limits the whole GPU.
	XeCoreLimits Limit

	XeCore unit.Ratio // one full Xe-core's occupancy
	Peak   unit.Ratio // whole GPU while the waves are full
	// Average is the mean over all waves. The last one counts as long as a full
	// one, so this is the lower end of a range.
	Average unit.Ratio
	// AverageHigh is the upper end: the last wave is shorter, because its XVEs
	// are shared by fewer threads. See Range.
	AverageHigh       unit.Ratio
	Waves             float64    // fractional
	LastWaveOccupancy unit.Ratio // the partial last wave's occupancy; 0 if it is full
	// XeCoreOfMode is XeCore as a share of the slots that the GRF mode allows.
	// It is 1 if a large-GRF kernel fills them.
	XeCoreOfMode unit.Ratio
	IdleLanes    int64 // in each work-group's last sub-group
	// Partial reports whether the local size does not divide the global size in
	// some dimension. The last work-group there is smaller and counts as a
	// whole one.
	Partial bool
}

// IdleLaneShare returns the share of lanes without a work-item, which occupancy
// does not show. For example, 48.4% of the lanes are idle if work-groups of 33
// work-items run in sub-groups of 32.
func (p *Prediction) IdleLaneShare() unit.Ratio {
	return ratio(p.IdleLanes, max(p.GroupSize+p.IdleLanes, 1))
}

// XeCoreShare returns one Xe-core's occupancy if the work-groups fill it before
// any other Xe-core. For example, 3 work-groups with 8 threads each fill 24 of
// 56 slots.
func (p *Prediction) XeCoreShare() unit.Ratio {
	return p.XeCore * unit.Ratio(min(float64(p.Groups)/float64(p.GroupsPerXeCore), 1))
}

// A LaunchError is the reason why a launch cannot run on a device, with the
// amount that would fit.
type LaunchError struct {
	// Code is stable: group-too-large, simd-unsupported, slm-too-large,
	// too-many-threads, no-local, no-simd, ...
	Code string
	Text string // description with the requested and the available amount
	Hint string // values that fit
}

// Error returns the message with the requested and the available amount.
func (e *LaunchError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " (" + e.Hint + ")"
}
