// Package timeline simulates how the dispatcher of a GPU places the work-groups
// of a launch over time: which threads are resident when, and what occupancy
// that gives on average.
//
// Launches run by the policy of their prediction, free or whole. With dispatch
// ports they run by policy partial, a what-if that explains published phases
// which neither of the two gives; outputs must label it so.
//
// All threads run equally long, so time counts in run times of a thread. Free
// and whole follow from a division. Partial is stepped from one run time to the
// next: a million work-groups take some milliseconds. Leaping from one
// occurrence of a state to the next was tried and left; it paid for launches
// only that has not been.
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

// Phase is a span of time in which the number of resident threads does not
// change.
type Phase struct {
	Start     float64
	End       float64
	Threads   int64 // resident on the whole GPU
	Occupancy unit.Ratio
}

// Result is a simulated launch. Occupancies are shares of all thread slots of
// the device, also where a GRF mode leaves fewer to the launch.
type Result struct {
	Phases  []Phase // without gaps, neighbors differ in Threads
	Peak    unit.Ratio
	Average unit.Ratio // time-weighted: sum(threads x time) / (slots x time)
	// XeCores is the part of the Xe-cores that held a thread, over the time and
	// at most; of policy partial alone.
	XeCores, MostXeCores unit.Ratio
	Time                 float64 // from the first thread's start to the last one's end, in run times of a thread
}

// Simulate returns the phases of a launch that was predicted with a global
// size. Ports above 0 ask for policy partial with so many dispatch ports. The
// error says why the phases cannot be counted; the context can end policy
// partial.
func Simulate(ctx context.Context, d *arch.Device, l *predict.Launch, p *predict.Prediction, ports int) (Result, error) {
	if hi, threads := bits.Mul64(uint64(p.Groups), uint64(p.ThreadsPerGroup)); p.Groups < 1 || hi != 0 || threads > math.MaxInt64 {
		return Result{}, fmt.Errorf("the number of work-groups is %d; expected at least 1, and no more than 2^63-1 threads in all", p.Groups)
	}
	return run(ctx, inputOf(d, l, p, ports), int64(d.Slots()))
}

// input is a launch on a GPU, in plain numbers.
type input struct {
	xeCores, slotsPerXeCore int
	threadsPerGroup         int
	groups                  int64 // of the launch, dispatched in order
	whole                   bool  // a work-group starts only on an Xe-core where all of it fits; else threads start on any free slot
	// groupsPerXeCore is the most work-groups that an Xe-core holds by SLM,
	// barriers or work-group slots; thread slots limit besides. Policy free
	// ignores it.
	groupsPerXeCore int

	ports   int  // dispatch ports of policy partial, which is taken above 0; more than one per Xe-core do nothing
	barrier bool // of policy partial: a half-in work-group holds its slots but does not run before its last thread is in
}

// slots are those of the GPU that the launch can take.
func (in *input) slots() int64 { return int64(in.xeCores) * int64(in.slotsPerXeCore) }

// inputOf puts a prediction's launch into the simulation's words.
func inputOf(d *arch.Device, l *predict.Launch, p *predict.Prediction, ports int) *input {
	// Those that the GRF mode leaves.
	slots := int64(math.Round(float64(p.ThreadsPerGroup*p.GroupsPerXeCore) / float64(p.XeCoreOfMode)))
	others := slots // no resource admits more than a slot each
	for _, n := range []int64{p.BySLM, p.ByGroupSlots, p.ByBarriers} {
		if n != predict.Unlimited {
			others = min(others, n)
		}
	}
	whole := p.Policy == predict.Whole
	if ports == 0 && !whole { // as in the prediction, few work-group slots cap an Xe-core under policy free too
		slots = min(slots, p.ThreadsPerGroup*others)
	}
	return &input{xeCores: d.XeCores, slotsPerXeCore: int(slots), threadsPerGroup: int(p.ThreadsPerGroup), groups: p.Groups,
		whole: whole, groupsPerXeCore: int(others), ports: ports, barrier: l.Barriers > 0}
}

// run simulates a launch. Occupancy is of so many slots.
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
	return r, nil
}

// maxTicks bounds the time and memory of a simulation: 128 MiB when every tick
// is a phase. A launch stays far below it unless it has tens of millions of
// work-groups.
const maxTicks = 1 << 22

// recorder turns a sequence of resident thread counts into phases.
type recorder struct {
	slots  int64
	phases []Phase
	// Xe-cores x ticks with a thread, and the most Xe-cores with one, of policy
	// partial.
	used, most int64
}

// add appends a span that ends at a tick. Spans of no length are dropped, and a
// span with the threads of the last one prolongs it.
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

// waves records full waves of threads and a tail of one more tick.
func (r *recorder) waves(full, threads, tail int64) {
	r.add(threads, full)
	if tail > 0 {
		r.add(tail, full+1)
	}
}

// result closes the recording.
func (r *recorder) result() Result {
	out := Result{Phases: r.phases}
	var busy float64 // sum of threads x time
	for _, ph := range r.phases {
		out.Peak = max(out.Peak, ph.Occupancy)
		busy += float64(ph.Threads) * (ph.End - ph.Start)
		out.Time = ph.End
	}
	out.Average = unit.Ratio(busy / (float64(r.slots) * out.Time))
	if len(r.phases) == 1 { // no rounding where there is nothing to average
		out.Average = out.Peak
	}
	return out
}
