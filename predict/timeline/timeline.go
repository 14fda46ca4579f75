// Package timeline simulates how a GPU's dispatcher places a launch's
// work-groups over time. It computes which threads are resident at each time,
// and the resulting average occupancy.
//
// A launch runs with its prediction's policy, free or whole. If the caller sets
// dispatch ports, it runs with policy partial, a what-if that explains
// published phases that neither free nor whole reproduces. Outputs must label
// it as a what-if.
//
// All threads run equally long, so the unit of time is a thread's run time.
// Free and whole follow from a division. Partial is simulated in steps of one
// run time: a million work-groups take some milliseconds. Considered and
// rejected: skipping to a repeated state's next occurrence, because it pays off
// only for launches that do not occur in practice.
//
// Nothing here is measured.
package timeline

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// Phase is a time span with a constant number of resident threads.
type Phase struct {
	Start     float64
	End       float64
	Threads   int64 // resident on the whole GPU
	Occupancy unit.Ratio
}

// Result is a simulated launch. Occupancies are shares of all the device's
// thread slots, even if a GRF mode leaves fewer slots to the launch.
type Result struct {
	Phases  []Phase // without gaps; neighbors differ in Threads
	Peak    unit.Ratio
	Average unit.Ratio // time-weighted: sum(threads x time) / (slots x time)
	// XeCores is the share of Xe-cores with a resident thread, averaged over
	// time, and MostXeCores is its maximum. They are set for policy partial
	// only.
	XeCores, MostXeCores unit.Ratio
	// FirstEnd is the state in which one work-group has ended before all others
	// in its phase and no other work-group can start. It is absent if another
	// one starts.
	FirstEnd unit.Opt[Phase]
	// from the first thread's start to the last one's end, in thread run times
	Time float64
}

// Simulate returns the phases of a launch that was predicted with a global
// size. If ports is above 0, it uses policy partial with that many dispatch
// ports. It returns an error with the reason if the phases cannot be counted.
// Canceling the context ends policy partial.
func Simulate(
	ctx context.Context, d *arch.Device, l *predict.Launch, p *predict.Prediction, ports int,
) (Result, error) {
	hi, threads := bits.Mul64(uint64(p.Groups), uint64(p.ThreadsPerGroup))
	if p.Groups < 1 || hi != 0 || threads > math.MaxInt64 {
		return Result{}, fmt.Errorf(
			"the number of work-groups is %d; expected at least 1, and no more than 2^63-1 threads in all", p.Groups)
	}
	return run(ctx, inputOf(d, l, p, ports), int64(d.Slots()))
}

// input is a launch on a GPU in plain numbers.
type input struct {
	xeCores, slotsPerXeCore int
	threadsPerGroup         int
	groups                  int64 // the launch's work-groups, dispatched in order
	// A work-group starts only on an Xe-core with room for the whole
	// work-group. Otherwise, its threads start on any free slots.
	whole bool
	// groupsPerXeCore is the maximum number of work-groups per Xe-core by SLM,
	// barriers or work-group slots. Thread slots are a separate limit. Policy
	// free ignores this field.
	groupsPerXeCore int

	// The dispatch ports select policy partial if above 0. More than one port
	// per Xe-core has no effect.
	ports int
	// For policy partial, a partly dispatched work-group occupies its slots but
	// does not run until its last thread is dispatched.
	barrier bool
}

// slots returns the GPU's thread slots that the launch can use.
func (in *input) slots() int64 { return int64(in.xeCores) * int64(in.slotsPerXeCore) }

// inputOf returns a simulation's input for a predicted launch.
func inputOf(d *arch.Device, l *predict.Launch, p *predict.Prediction, ports int) *input {
	// The slots that the GRF mode leaves.
	slots := int64(math.Round(float64(p.ThreadsPerGroup*p.GroupsPerXeCore) / float64(p.XeCoreOfMode)))
	others := slots // no resource admits more than one work-group per slot
	for _, n := range []int64{p.BySLM, p.ByGroupSlots, p.ByBarriers} {
		if n != predict.Unlimited {
			others = min(others, n)
		}
	}
	whole := p.Policy == predict.Whole
	// as in the prediction, few work-group slots also limit an Xe-core under
	// policy free
	if ports == 0 && !whole {
		slots = min(slots, p.ThreadsPerGroup*others)
	}
	return &input{
		xeCores: d.XeCores, slotsPerXeCore: int(slots), threadsPerGroup: int(p.ThreadsPerGroup), groups: p.Groups,
		whole: whole, groupsPerXeCore: int(others), ports: ports, barrier: l.Barriers > 0,
	}
}

// run returns a launch's simulation. Occupancies are shares of slots.
func run(ctx context.Context, in *input, slots int64) (Result, error) {
	rec, threads := &recorder{slots: slots}, int64(in.threadsPerGroup)
	switch {
	case in.ports > 0:
		if err := runPartial(ctx, in, rec); err != nil {
			return Result{}, err
		}
	case in.whole: // equal work-groups fill every Xe-core, wave by wave
		wave := int64(in.xeCores) * int64(min(in.groupsPerXeCore, in.slotsPerXeCore/in.threadsPerGroup))
		rec.waves(in.groups/wave, wave*threads, in.groups%wave*threads)
	default: // equal threads fill all slots, wave by wave
		all := in.groups * threads
		rec.waves(all/in.slots(), in.slots(), all%in.slots())
	}
	r := rec.result()
	r.XeCores = unit.Ratio(float64(rec.used) / (float64(in.xeCores) * r.Time))
	r.MostXeCores = unit.Ratio(float64(rec.most) / float64(in.xeCores))
	if rec.firstEnd > 0 {
		occupancy := unit.Ratio(float64(rec.firstEnd) / float64(slots))
		r.FirstEnd = unit.Some(Phase{Threads: rec.firstEnd, Occupancy: occupancy})
	}
	return r, nil
}

// maxTicks limits a simulation's time and memory: 128 MiB if every tick is a
// phase. Only launches with tens of millions of work-groups reach it.
const maxTicks = 1 << 22

// recorder converts resident thread counts over time into phases.
type recorder struct {
	slots  int64
	phases []Phase
	// For policy partial: Xe-cores with a resident thread, as a sum over all
	// ticks and as a maximum.
	used, most int64
	firstEnd   int64 // FirstEnd's threads
}

// add appends a span that ends at a tick. It drops empty spans, and extends the
// last span if its thread count is the same.
func (r *recorder) add(threads, tick int64) {
	start, end, n := 0.0, float64(tick), len(r.phases)
	if n > 0 {
		start = r.phases[n-1].End
	}
	switch {
	case end <= start:
	case n > 0 && r.phases[n-1].Threads == threads:
		r.phases[n-1].End = end
	default:
		r.phases = append(r.phases, Phase{start, end, threads, unit.Ratio(float64(threads) / float64(r.slots))})
	}
}

// waves records full waves, and a partial wave of one more tick.
func (r *recorder) waves(full, threads, tail int64) {
	r.add(threads, full)
	if tail > 0 {
		r.add(tail, full+1)
	}
}

// result returns the phases with their peak, average and total time.
func (r *recorder) result() Result {
	out := Result{Phases: r.phases}
	var busy float64 // total of threads x time
	for _, ph := range r.phases {
		out.Peak = max(out.Peak, ph.Occupancy)
		busy += float64(ph.Threads) * (ph.End - ph.Start)
		out.Time = ph.End
	}
	out.Average = unit.Ratio(busy / (float64(r.slots) * out.Time))
	if len(r.phases) == 1 { // avoid rounding if there is nothing to average
		out.Average = out.Peak
	}
	return out
}
