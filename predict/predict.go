// Package predict computes the theoretical occupancy of a kernel launch on a
// device: how many work-groups an Xe-core holds, which resources limit it, what
// the whole GPU reaches at its peak and on average over its waves.
//
// [Predict] is the model; docs/model.md derives it. Each resource of an Xe-core
// admits some number of work-groups: thread slots, shared local memory,
// work-group slots, barriers. The least of these numbers is what the Xe-core
// holds. The launch then runs in waves over the whole GPU, and the last wave is
// usually not full, so the average is below the peak. What keeps a work-group
// together decides how a wave is filled: with a barrier or local memory it
// stays whole on one Xe-core (policy Whole), otherwise its threads go to any
// free slot (policy Free).
//
// The rest asks that one function: [Explain] for the steps of the reasoning,
// [Advise] for settings that reach more, SweepLocal and its like for curves,
// [DriverMaxGroups] for a second opinion. A launch that cannot run is a
// [LaunchError] with both figures and what would fit.
//
// The package knows launches and devices; it does not know files, formats or
// measured numbers.
package predict

import "occudiff/ingest/unit"

// Policy describes how the dispatcher places the threads of a work-group.
type Policy uint8

// The policies. Auto takes Whole when the launch uses barriers or SLM,
// otherwise Free.
const (
	Auto  Policy = iota
	Free         // no barrier and no SLM: a thread goes to any free slot of the GPU
	Whole        // barrier or SLM: a work-group stays whole on one Xe-core
)

// String returns the word that outputs carry.
func (p Policy) String() string {
	switch p {
	case Free:
		return "free"
	case Whole:
		return "whole"
	}
	return "auto"
}

// Launch is what a prediction needs to know of a kernel launch. The zero value
// of a field means that the resource is not used (SLM, Barriers) or is at its
// default (GRF, Policy).
type Launch struct {
	Global unit.Size3 // work-items; absent predicts the Xe-core only
	Local  unit.Size3 // work-items per work-group
	SIMD   int        // sub-group size
	SLM    unit.Bytes // per work-group
	// Barriers is the number of named barriers a work-group uses; 1 for an
	// ordinary barrier().
	Barriers int
	// GRF is the number of registers per thread; 0 is the device's default mode
	// (128).
	GRF    int
	Policy Policy
	// BarrierSlots and GroupSlots override the device's figures per Xe-core
	// when they are above 0.
	BarrierSlots, GroupSlots int
	// GroupsBySLM and GroupsByBarriers are the work-groups per Xe-core that SLM
	// and barriers admit, if a profiler reports them; 0 if it does not.
	GroupsBySLM, GroupsByBarriers int
}

// Limit is a set of reasons why occupancy is not higher.
type Limit uint16

// The limits, in the order in which outputs list them.
const (
	LimitThreads    Limit = 1 << iota // thread slots of the Xe-core
	LimitSLM                          // shared local memory
	LimitGroupSlots                   // work-group slots
	LimitBarriers                     // barrier slots
	LimitRegisters                    // large GRF leaves fewer threads
	LimitGrid                         // too few work-groups for the GPU
	LimitTail                         // the last wave costs more than tailPoints of the average
)

// tailPoints is how much of the average, in percentage points, the last wave
// has to cost before `tail` is named.
const tailPoints unit.Points = 5

var limitNames = [...]string{"threads", "slm", "work-group slots", "barriers", "registers", "grid", "tail"}

// Names lists the limits as words, never nil.
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

// Prediction is the theoretical occupancy of one launch. Ratios are 0..1 of all
// thread slots.
type Prediction struct {
	Policy          Policy // Free or Whole
	GroupSize       int64  // work-items per work-group
	ThreadsPerGroup int64
	Groups          int64 // work-groups of the launch, 0 when no global size was given
	GroupsPerXeCore int64 // N of section 1 of the model

	ByThreads, BySLM, ByGroupSlots, ByBarriers int64 // what each resource alone would admit per Xe-core, or Unlimited

	SLMAllocated unit.Bytes // per work-group after rounding up to a step
	Limits       Limit      // all that bind
	// XeCoreLimits are the resources of an Xe-core that admit no more than
	// GroupsPerXeCore, whether or not the whole GPU feels it; Limits leaves
	// them out where a small grid is the only reason.
	XeCoreLimits Limit

	XeCore  unit.Ratio // occupancy of one full Xe-core
	Peak    unit.Ratio // of the GPU while the waves are full
	Average unit.Ratio // over all waves, the last one counted as long as a full one: the lower end of a range
	// AverageHigh is the upper end: the last wave takes as much less time as
	// its XVEs share themselves among fewer threads. See Range.
	AverageHigh       unit.Ratio
	Waves             float64    // fractional
	LastWaveOccupancy unit.Ratio // occupancy of the last, partial wave; 0 when it is full
	// XeCoreOfMode is XeCore as a share of the slots that the GRF mode leaves:
	// 1 where a large-GRF kernel fills them.
	XeCoreOfMode unit.Ratio
	IdleLanes    int64 // of each work-group's last sub-group
	// Partial is set when the local size does not divide the global size in
	// some dimension: the last work-group there is smaller and counts as a
	// whole one.
	Partial bool
}

// LaunchError describes why a launch cannot run on a device, and what would
// fit.
type LaunchError struct {
	Code string // stable: group-too-large, simd-unsupported, slm-too-large, too-many-threads, no-local, no-simd, ...
	Text string // what is wrong, with both figures
	Hint string // what would fit
}

// Error implements error.
func (e *LaunchError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " (" + e.Hint + ")"
}
