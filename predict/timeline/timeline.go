// Package timeline simulates how the dispatcher of a GPU places the work-groups of a launch over time: which threads
// are resident when, and what occupancy that gives on average.
//
// Three policies are simulated. Free and Whole are what predictions rest on. Partial is a what-if that explains
// published phases which neither of the two gives; outputs must label it so.
//
// All threads run equally long, so time counts in run times of a thread. Free and Whole follow from a division. Partial
// is stepped from one run time to the next: a million work-groups take some milliseconds. Leaping from one occurrence
// of a state to the next was tried and left; it paid for launches only that nobody has.
//
// [Run] takes plain numbers; [Simulate] puts the launch that a prediction is of into them. Nothing here is measured.
package timeline

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"occudiff/ingest/unit"
)

// Policy says how the threads of a work-group find their slots.
type Policy uint8

// The policies.
const (
	// Free starts a thread on any free slot of the GPU: no barrier and no SLM holds its work-group together.
	Free Policy = iota
	// Whole starts a work-group only on an Xe-core where all its threads, its SLM and its barrier fit.
	Whole
	// Partial binds a work-group to an Xe-core and lets its threads enter in order, in part if need be. Dispatch
	// ports each take the next work-group, stay on their Xe-core while it has a free slot, are blocked while their
	// work-group is half in, and move to an unused Xe-core only when theirs is exactly full.
	Partial
)

// String gives the word that outputs and flags carry.
func (p Policy) String() string {
	switch p {
	case Whole:
		return "whole"
	case Partial:
		return "partial"
	}
	return "free"
}

// WhatIf says whether the policy explains rather than predicts.
func (p Policy) WhatIf() bool { return p == Partial }

// Input is a launch on a GPU, in plain numbers.
type Input struct {
	Policy          Policy
	XeCores         int
	SlotsPerXeCore  int // thread slots
	ThreadsPerGroup int
	Groups          int64 // work-groups of the launch, dispatched in order
	// GroupsPerXeCore is the most work-groups that an Xe-core holds by SLM, barriers or work-group slots; thread slots
	// limit besides. Free ignores it. Whole and Partial need at least 1: a launch with 0 cannot run.
	GroupsPerXeCore int

	Ports int // dispatch ports of Partial, at least 1; more than one per Xe-core do nothing
	// Early is an Xe-core, from 1 on, of which one work-group of the first wave ends a tenth of a run time before all
	// others, for Partial; 0 for none. What enters in its place is taken to end with the others.
	Early int
	// Barrier matters to Partial only: a half-in work-group holds its slots but does not run before its last thread
	// is in.
	Barrier bool
}

// Phase is a span of time in which the number of resident threads does not change.
type Phase struct {
	Start     float64
	End       float64
	Threads   int64 // resident on the whole GPU
	Occupancy unit.Ratio
}

// Result is a simulated launch.
type Result struct {
	Policy  Policy
	Slots   int64   // thread slots of the GPU
	Phases  []Phase // without gaps, neighbors differ in Threads
	Peak    unit.Ratio
	Average unit.Ratio // time-weighted: sum(threads x time) / (slots x time)
	// XeCores is the part of the Xe-cores that held a thread, over the time and at most; of Partial alone.
	XeCores, MostXeCores unit.Ratio
	Time                 float64 // from the first thread's start to the last one's end, in run times of a thread
}

// Run simulates a launch. An error says which input makes no sense, or why the launch could never run. The context can
// end the simulation of policy Partial.
func Run(ctx context.Context, in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	rec := &recorder{slots: in.slots()}
	switch in.Policy {
	case Free: // equal threads fill all slots, wave by wave
		threads := in.Groups * int64(in.ThreadsPerGroup)
		rec.waves(threads/rec.slots, rec.slots, threads%rec.slots)
	case Whole: // equal work-groups fill every Xe-core, wave by wave
		perXeCore := min(in.GroupsPerXeCore, in.SlotsPerXeCore/in.ThreadsPerGroup)
		wave, t := int64(in.XeCores)*int64(perXeCore), int64(in.ThreadsPerGroup)
		rec.waves(in.Groups/wave, wave*t, in.Groups%wave*t)
	default:
		if err := runPartial(ctx, &in, rec); err != nil {
			return Result{}, err
		}
	}
	r := rec.result(in.Policy)
	r.XeCores = unit.Ratio(float64(rec.used) / (float64(in.XeCores) * r.Time))
	r.MostXeCores = unit.Ratio(float64(rec.most) / float64(in.XeCores))
	return r, nil
}

// maxCount bounds the counts of an Input, so that products of two of them fit.
const maxCount = 1 << 24

func (in *Input) slots() int64 { return int64(in.XeCores) * int64(in.SlotsPerXeCore) }

func (in *Input) check() error {
	for _, c := range [...]struct {
		name  string
		value int
	}{
		{"number of Xe-cores", in.XeCores}, {"number of thread slots per Xe-core", in.SlotsPerXeCore},
		{"number of threads per work-group", in.ThreadsPerGroup},
	} {
		if c.value < 1 || c.value > maxCount {
			return fmt.Errorf("the %s is %d; expected 1 to %d", c.name, c.value, maxCount)
		}
	}
	hi, lo := bits.Mul64(uint64(in.Groups), uint64(in.ThreadsPerGroup))
	if in.Groups < 1 || hi != 0 || lo > math.MaxInt64 {
		return fmt.Errorf("the number of work-groups is %d; "+
			"expected at least 1, and no more than 2^63-1 threads in all", in.Groups)
	}
	return in.checkPolicy()
}

func (in *Input) checkPolicy() error {
	switch {
	case in.Policy > Partial:
		return fmt.Errorf("policy %d is not known; expected free, whole or partial", in.Policy)
	case in.Policy == Free:
		return nil
	case in.GroupsPerXeCore < 1:
		return fmt.Errorf("an Xe-core holds %d work-groups of this launch, so that it can never start",
			in.GroupsPerXeCore)
	case in.ThreadsPerGroup > in.SlotsPerXeCore && (in.Policy == Whole || in.Barrier):
		return fmt.Errorf("a work-group has %d threads but an Xe-core %d thread slots; "+
			"policy whole, and partial with a barrier, need all of them on one Xe-core",
			in.ThreadsPerGroup, in.SlotsPerXeCore)
	case in.Policy == Partial && in.Ports < 1:
		return fmt.Errorf("policy partial has %d dispatch ports; expected at least 1", in.Ports)
	case in.Early < 0 || in.Early > in.XeCores || in.Early > 0 && in.Policy != Partial:
		return fmt.Errorf("a work-group of Xe-core %d cannot end first: policy %s, %d Xe-cores", in.Early, in.Policy,
			in.XeCores)
	}
	return nil
}
