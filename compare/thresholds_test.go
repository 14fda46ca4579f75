package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict/arch"
)

// A way changes one value of a run in steps and keeps the other values.
type way struct {
	reason         string // description of the values and thresholds that the steps pass
	from, to, step float64
	d              *arch.Device
	run            func(x float64) *ingest.Run
	options        func(o *Options, x float64)
	next           bool // also compare the next step, which takes time to compute
}

// TestThresholds varies one value at a time and compares the results for the
// first kernel with a file. The file has the values on both sides of each
// change, so that every threshold shows its position and its side.
func TestThresholds(t *testing.T) {
	var got strings.Builder
	for _, w := range ways() {
		fmt.Fprintf(&got, "# %s\n", w.reason)
		began, last, said := 0.0, 0.0, ""
		var first, figures, shown []string
		end := func() {
			if said == "" {
				return
			}
			fmt.Fprintf(&got, "%.6g to %.6g: %s\n", began, last, said)
			for _, list := range [][]string{first, figures} {
				var changed []string
				for _, f := range list {
					if !slices.Contains(shown, f) {
						changed = append(changed, f)
					}
				}
				if shown = list; len(changed) > 0 {
					fmt.Fprintf(&got, "    %s\n", strings.Join(changed, ", "))
				}
			}
		}
		n := int(math.Round((w.to - w.from) / w.step))
		for i := range n + 1 {
			x := math.Round((w.from+float64(i)*w.step)*1e9) / 1e9
			o := DefaultOptions()
			if w.options != nil {
				w.options(&o, x)
			}
			run := w.run(x)
			r := Compare(run, given(w.d), o)
			list := run.Kernels
			if len(list) == 0 {
				list = run.Summary
			}
			row := &r.Rows[slices.IndexFunc(r.Rows, func(row Row) bool { return row.Task == list[0].Task })]
			if a := row.Breakdown; a != nil && a.Certainty != row.Certainty {
				t.Errorf("%s, %v: the thread-slot breakdown is of another certainty: %+v", w.reason, x, a.Certainty)
			}
			now, with := inShort(r, row, w.next), inFigures(r, row)
			if now != said {
				end()
				began, said, first = x, now, with
			}
			last, figures = x, with
		}
		end()
	}
	testenv.Golden(t, "testdata/thresholds.txt", []byte(got.String()))
}

// inShort returns the results for a row, without sentences and numbers.
func inShort(r *Result, row *Row, next bool) string {
	said := []string{string(row.Verdict)}
	cause := func(c *Cause) string {
		s := strings.TrimSpace(string(c.Part) + " " + c.Name + " " + c.Confidence.String())
		if c.ConfirmWith != "" {
			s += " (" + string(c.Next.Action) + ")"
		}
		if c.Registers > 0 {
			s += fmt.Sprintf(" of %d registers", c.Registers)
		}
		return s
	}
	if row.Cause != nil {
		said = append(said, cause(row.Cause))
	}
	if row.Breakdown != nil && row.Verdict == Below {
		var causes []string
		for i := range row.Breakdown.Causes {
			causes = append(causes, cause(&row.Breakdown.Causes[i]))
		}
		said = append(said, "["+strings.Join(causes, ", ")+"]")
	}
	if row.OwnLow.Present() {
		said = append(said, "a range")
	}
	worth := row.Speedup.Words()
	if b := row.Speedup.LimitedBy; b != "" {
		worth += " (" + string(b) + ")"
	}
	h := row.Fix
	said = append(said, "at most "+row.Certainty.limit().String(), "potential speedup: "+worth,
		"fix: "+string(h.Remedy))
	if next {
		n := r.NextStep(row)
		said = append(said, "next: "+string(n.Action))
	}
	for _, n := range slices.Concat(r.Notes, row.Notes) {
		said = append(said, n.Code)
	}
	return strings.Join(said, "; ")
}

// inFigures returns the numbers in the results for a row.
func inFigures(r *Result, row *Row) (list []string) {
	add := func(name string, v float64, ok bool) {
		if ok && !math.IsNaN(v) {
			list = append(list, fmt.Sprintf("%s %.4g", name, v))
		}
	}
	ratio := func(name string, o unit.Opt[unit.Ratio]) {
		v, ok := o.Value()
		add(name, v.Percent(), ok)
	}
	for _, m := range Metrics {
		v, ok := m.Of(row).Value()
		add(m.Name, v, ok)
	}
	ratio("held from", row.OwnLow)
	ratio("held to", row.OwnHigh)
	c := &row.Certainty
	add("intervals", c.Intervals.Or(0), c.Intervals.Present())
	ratio("own", c.OwnShare)
	ratio("outside launches", c.OutsideLaunches)
	ratio("other tasks", c.OtherTasks)
	ratio("misattributed", c.Misattributed)
	add("life", float64(row.ThreadLifetime.Or(0))*1e6, row.ThreadLifetime.Present())
	if a := row.Breakdown; a != nil {
		add("lost", float64(a.Lost.Or(0)), a.Lost.Present())
	}
	w, h := &row.Speedup, row.Fix
	add("depth", w.MoreThreads.Max.Or(0), w.MoreThreads.Max.Present())
	add("spread", w.Balancing.Max.Or(0), w.Balancing.Max.Present())
	add("stake", w.SavableTime(row), true)
	add("at", float64(h.At), h.At > 0)
	add("for", float64(h.From), h.From > 0)
	add("most", h.Bound.Or(0), h.Bound.Present())
	if row.Cause != nil {
		add("setting", row.Cause.Next.Setting.Or(0)*1e3, row.Cause.Next.Setting.Present())
	}
	add("GPU", float64(r.Summary.GPUTime.Or(0)), r.Summary.GPUTime.Present())
	return list
}

// ways returns the values to vary. Unless a way states otherwise, it starts
// with 100 launches of 4 full waves on the Meteor Lake part (896 thread slots),
// 1 s in total, with 5 of 100 instructions in rows of no kernel.
func ways() []way {
	const most = "114688"
	of := func(kernels ...ingest.Kernel) *ingest.Run {
		return &ingest.Run{Kernels: kernels, Instructions: ingest.Instructions{Kernels: 95, All: 100}}
	}
	on := func(p ingest.Platform, kernels ...ingest.Kernel) *ingest.Run {
		run := of(kernels...)
		run.Platform = p
		return run
	}
	k := func(tells ...tell) ingest.Kernel { return kernel("k", most, "256", 32, 100, 1, tells...) }
	in := func(n int64, total float64, tells ...tell) ingest.Kernel {
		return kernel("k", most, "256", 32, n, total, tells...)
	}
	other := func(total float64, tells ...tell) ingest.Kernel {
		return kernel("other", most, "256", 32, 100, total, tells...)
	}
	size := func(threads float64) string { return fmt.Sprint(int64(threads) * 32) }
	counts := func(change func(c *ingest.Counters)) tell {
		return func(k *ingest.Kernel) {
			k.Counters = pipes(20, 10)
			change(k.Counters)
		}
	}
	exactly := func(window float64) tell {
		return func(k *ingest.Kernel) {
			k.Reading, k.CounterTimeRatio = ingest.AroundLaunch, unit.Some(window)
		}
	}
	sampled := func(k *ingest.Kernel) { k.Reading = ingest.SampledIn }
	within := func(low, high float64) tell {
		return func(k *ingest.Kernel) { pct(&k.MeasuredLow, low); pct(&k.MeasuredHigh, high) }
	}
	slm := func(n float64) tell {
		return func(k *ingest.Kernel) { k.SLM = unit.Some(unit.Bytes(n)) }
	}
	spread := func(low, high float64) tell {
		return func(k *ingest.Kernel) {
			k.Launches = &ingest.LaunchSpread{MinSeconds: unit.Seconds(low), MaxSeconds: unit.Seconds(high)}
		}
	}
	started := func(n float64) tell {
		return func(k *ingest.Kernel) { k.Threads = unit.Some(int64(math.Round(n))) }
	}
	named := func(d *arch.Device, name string) *arch.Device { d.Architecture = name; return d }
	memory := func(d *arch.Device, fastest string) *arch.Device {
		d.Memory = []arch.Bandwidth{{Source: "test", GBPerSecond: 100, Fastest: fastest}}
		return d
	}
	return []way{
		{reason: "measured, without the state of the array", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(x))) }},
		{reason: "measured, idle 20%", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(x), idle(20), registers(128))) }},
		{reason: "measured, idle 2%, registers unknown", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(x), idle(2))) }},
		{reason: "measured, of a device of two stacks, idle 1%", to: 100, step: .1, d: max1550(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "8388608", "256", 32, 100, 1, measured(x), idle(1), registers(128)))
		}},
		{reason: "measured, of a third of a wave", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", size(300), "256", 32, 100, 1, measured(x), idle(50)))
		}},
		{reason: "measured, of a third of a wave of ten threads an XVE", to: 100, step: .5, d: xe3(), run: func(x float64) *ingest.Run {
			return of(kernel("k", size(2000), "256", 32, 100, 1, measured(x), idle(1)))
		}},
		{reason: "measured, of work-groups of 512 that SLM may keep out", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", most, "512", 32, 100, 1, measured(x), idle(.4), registers(128)))
		}},
		{reason: "measured by counters around each launch", to: 100, step: .5, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(x), idle(10), exactly(1.02))) }},
		{reason: "measured of four adapters", to: 40, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(4)}, k(measured(x), idle(74)))
		}},
		{reason: "measured of four adapters of which one worked", to: 40, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(4), BusyStacks: unit.Some(1)}, k(measured(x), idle(76)))
		}},
		{reason: "measured of two stacks, of which nothing says how many worked", to: 60, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Stacks: unit.Some(2)}, k(measured(x), idle(45)))
		}},
		{reason: "measured of two adapters next to another kernel, of launches of half an interval", to: 60, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(2)}, in(1000, .5, measured(x), idle(40)), other(.5,
				measured(40), idle(40)))
		}},
		{reason: "idle of four adapters, whose measured fits nothing", from: 20, to: 90, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(4)}, k(measured(8), idle(x)))
		}},
		{reason: "idle of four adapters of which one worked", from: 60, to: 100, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(4), BusyStacks: unit.Some(1)}, k(measured(min(8, 100-x)),
				idle(x)))
		}},
		{reason: "how many of four adapters worked", to: 5, step: 1, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(4), BusyStacks: unit.Some(int(x))}, k(measured(20), idle(77)))
		}},
		{reason: "measured by a counter around each launch, of four adapters", to: 30, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{Adapters: unit.Some(4)}, k(measured(x), idle(74), exactly(1)))
		}},
		{reason: "measured, of 8 work-groups of 40 threads on 2 of 6 Xe-cores", to: 60, step: .1, d: tgl(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "2560", "320", 8, 10, 1, measured(x), idle(min(66.7, 100-x))))
		}},
		{reason: "idle, of the same", from: 30, to: 76, step: .1, d: tgl(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "2560", "320", 8, 10, 1, measured(23.8), idle(x)))
		}},
		{reason: "work-groups of 40 threads, of which a sixth of the slots is held", from: 1, to: 20, step: 1, d: tgl(), run: func(x float64) *ingest.Run {
			return of(kernel("k", fmt.Sprint(320*int(x)), "320", 8, 10, 1, measured(min(x*3, 24)), idle(66)))
		}},
		{reason: "intervals of launches of 8 such work-groups", from: .5, to: 12, step: .5, d: tgl(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "2560", "320", 8, 1000, x, measured(23.8), idle(66.7)))
		}},
		{reason: "intervals of launches whose counters were read around each", from: .5, to: 12, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(1000, x, measured(49), idle(4), exactly(1)))
		}},
		{reason: "intervals of launches of half of the threads, which is large GRF", from: .1, to: 5, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(1000, x, measured(49), idle(1)), other(.2, measured(60), idle(10)))
		}},
		{reason: "the same, alone and without the profiler's peak: what SIMD 16 would hold", from: .1, to: 5, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "7168", "32", 16, 1000, x, measured(25), idle(.2), registers(128)))
		}},
		{reason: "measured, with the profiler's peak in place of a launch", to: 100, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "", "", 0, 100, 1, measured(x), peak(60), idle(30)))
		}},
		{reason: "measured, of a launch that can hold hardly anything", to: 20, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", size(45), "32", 32, 100, 1, measured(x), idle(80)))
		}},
		{reason: "idle", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(min(60, 100-x)), idle(x), registers(128))) }},
		{reason: "idle, of launches of one interval", to: 60, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return &ingest.Run{Kernels: []ingest.Kernel{in(1000, 1, measured(99-x), idle(x), registers(128))}}
		}},
		{reason: "idle, where nothing was seen", from: 99, to: 100, step: .01, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(0), idle(x))) }},
		{reason: "idle of one of two stacks, which may lie outside", from: 40, to: 80, step: .1, d: max1550(), run: func(x float64) *ingest.Run {
			return &ingest.Run{Kernels: []ingest.Kernel{kernel("k", "8388608", "256", 32, 1000, 0.3, measured(20),
				idle(x), registers(128))}}
		}},
		{reason: "idle of a GPU of four compute engines, which may lie outside", from: 40, to: 80, step: .1, d: named(max1100(), "Xe-HPC"), run: func(x float64) *ingest.Run {
			return &ingest.Run{Kernels: []ingest.Kernel{kernel("k", "8388608", "256", 32, 1000, 0.3, measured(20),
				idle(x), registers(128))}}
		}},
		{reason: "idle of a GPU of neither, which may lie outside", from: 40, to: 80, step: .1, d: max1100(), run: func(x float64) *ingest.Run {
			return &ingest.Run{Kernels: []ingest.Kernel{kernel("k", "8388608", "256", 32, 1000, 0.3, measured(20),
				idle(x), registers(128))}}
		}},
		{reason: "intervals of launches that a summary lists, of half of the GPU's time", from: .1, to: 30, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return &ingest.Run{Summary: []ingest.Kernel{in(1000, x, measured(60), idle(30))},
				Platform: ingest.Platform{GPUTime: unit.Some(unit.Seconds(2 * x))}}
		}},
		{reason: "intervals of launches of a fiftieth of the GPU's time", from: 1, to: 30, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(100, x*.1, measured(60), idle(30), registers(128)), other(x*4.9, measured(60), idle(30)))
		}},
		{reason: "idle, more than measured leaves", to: 100, step: .1, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(60), idle(x))) }},
		{reason: "10% of a thousand launches' time, in intervals", from: .1, to: 30, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(100, x*.1, measured(60), idle(30), registers(128)), other(1, measured(30), idle(10)))
		}},
		{reason: "time of all launches, alone", from: .001, to: .05, step: .001, d: mtl112(), run: func(x float64) *ingest.Run { return of(in(2, x, measured(60), idle(30), registers(128))) }},
		{reason: "time of all launches in all samples of each", from: .001, to: .02, step: .001, d: mtl112(), run: func(x float64) *ingest.Run { return of(in(2, x, measured(60), idle(30), sampled)) }},
		{reason: "time next to another kernel that holds little", from: .05, to: 3, step: .05, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(1000, x, measured(80), idle(8), registers(128)), other(1, measured(30), idle(30)))
		}},
		{reason: "time next to a kernel of which no sample is", from: .05, to: 3, step: .05, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(1000, x, measured(80), idle(8), registers(128)), other(1, measured(0), idle(30)))
		}},
		{reason: "what the other kernel holds", to: 100, step: 1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(in(1000, 1.5, measured(80), idle(5), registers(128)), other(1, measured(x), idle(100-x)))
		}},
		{reason: "time of threads that live shortly, idle 20%", from: .02, to: 1, step: .01, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "4194304", "256", 32, 200, x, measured(60), idle(20), spread(x/200*.9, x/200*1.1)))
		}},
		{reason: "the longest launch, of the shortest", from: 1, to: 4, step: .05, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", "4194304", "256", 32, 2000, .2, measured(60), idle(20), spread(1e-4, x*1e-4)))
		}},
		{reason: "time of launches that fill the Xe-cores, in filling times", from: 1, to: 20, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", size(896), "256", 32, 20000, x*20000*128/35e6, measured(60), idle(20)))
		}},
		{reason: "instructions in rows of no kernel", to: 100, step: .5, d: mtl112(), run: func(x float64) *ingest.Run {
			run := of(in(1000, 1, measured(70), idle(20), registers(128)))
			run.Instructions.Kernels = 100 - x
			return run
		}},
		{reason: "stalls at barriers", to: 60, step: .5, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(70), idle(2), barrier(x), registers(128))) }},
		{reason: "threads of a launch", from: 16, to: 5600, step: 16, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", size(x), "64", 32, 100, 1, measured(min(30, x/896*80)), idle(30), registers(128)))
		}},
		{reason: "threads of a work-group", from: 1, to: 32, step: 1, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(kernel("k", size(896*32), fmt.Sprint(32*int(x)), 32, 100, 1, measured(50), idle(1), barrier(30),
				registers(128)))
		}},
		{reason: "the profiler's peak of a small grid, nothing measured", from: .5, to: 100, step: .1, d: max1100(), run: func(x float64) *ingest.Run { return of(kernel("k", "640", "16", 16, 100, 1, peak(x))) }},
		{reason: "the profiler's peak of a very small grid", from: .1, to: 10, step: .1, d: max1100(), run: func(x float64) *ingest.Run { return of(kernel("k", "288", "16", 16, 100, 1, peak(x))) }},
		{reason: "the profiler's peak next to the predicted one", from: 96, to: 100, step: .05, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(70), idle(10), peak(x))) }},
		{reason: "SLM of a work-group", to: 65536, step: 1024, d: mtl112(), run: func(x float64) *ingest.Run {
			return of(k(measured(20), array(20, 75, 5), counts(func(*ingest.Counters) {}), slm(x)))
		}},
		{reason: "the busiest pipe", to: 100, step: .5, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(60), array(60, 39, 1), func(k *ingest.Kernel) { k.Counters = pipes(x, 10) }))
		}},
		{reason: "active, of XVEs that are full", to: 99, step: .5, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run { return of(k(measured(98), array(x, 99-x, 1))) }},
		{reason: "active, of those that are not, and no pipe is counted", to: 99, step: .5, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(50), array(x, 99-x, 1), registers(128)))
		}},
		{reason: "what memory moves of 100 GB/s", to: 130, step: .5, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(50), array(20, 79, 1), registers(128), counts(func(c *ingest.Counters) {
				c.MemoryRead, c.MemoryWrite = unit.Some(x), unit.Some(0.)
			})))
		}},
		{reason: "what memory moves of 100 GB/s at most", to: 130, step: .5, d: memory(mtl112(), "LPDDR5"), run: func(x float64) *ingest.Run {
			return of(k(measured(50), array(20, 79, 1), registers(128), counts(func(c *ingest.Counters) {
				c.MemoryRead, c.MemoryWrite = unit.Some(x), unit.Some(0.)
			})))
		}},
		{reason: "what L3 moves of 200 GB/s", to: 220, step: 1, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(50), array(20, 79, 1), registers(128), counts(func(c *ingest.Counters) {
				c.L3Read, c.L3Write, c.L3Peak = unit.Some(x/2), unit.Some(x/2), unit.Some(200.)
			})))
		}},
		{reason: "stalls that other threads hide", to: 100, step: .5, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(50), array(20, 79, 1), registers(128), counts(func(c *ingest.Counters) {
				c.Stalls = []ingest.Stall{{Reason: "SBID", Share: unit.FromPercent(x)}, {Reason: "Send",
					Share: unit.FromPercent((100 - x) / 4)},
					{Reason: "Pipe", Share: unit.FromPercent(75 - x*.75)}}
			})))
		}},
		{reason: "all stalls", from: 99, to: 101, step: .05, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(50), array(20, 79, 1), registers(128), counts(func(c *ingest.Counters) {
				c.Stalls = []ingest.Stall{{Reason: "SBID", Share: unit.FromPercent(20)}, {Reason: "Pipe",
					Share: unit.FromPercent(x - 20)}}
			})))
		}},
		{reason: "idle XVEs, of launches of 10 intervals", to: 80, step: .5, d: memory(mtl112(), ""), run: func(x float64) *ingest.Run {
			return of(k(measured(min(50, 100-x)), array(min(20, 100-x), max(80-x, 0), x), registers(128),
				counts(func(*ingest.Counters) {})))
		}},
		{reason: "active, stalled and idle in all", from: 98, to: 102, step: .05, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(60), array(30, x-50, 20))) }},
		{reason: "times as long as the kernel that its counters ran", from: 1, to: 4, step: .05, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(90/x), idle(100-95/x), exactly(x))) }},
		{reason: "half of the width of an estimate", to: 10, step: .1, d: mtl112(), run: func(x float64) *ingest.Run { return of(k(measured(92), idle(7), within(92-x, min(92+x, 100)))) }},
		{reason: "threads started of those of 10 launches, of which all are counted", from: .1, to: 3, step: .05, d: gen9(), run: func(x float64) *ingest.Run {
			return of(in(10, 1, measured(60), idle(4), started(x*35840)))
		}},
		{reason: "of which every second one is", from: .1, to: 3, step: .05, d: named(tgl(), "Xe-LP"), run: func(x float64) *ingest.Run {
			return of(in(10, 1, measured(60), idle(4), started(x*35840)))
		}},
		{reason: "time of launches of which all threads are counted, in intervals", from: 1, to: 100, step: 1, d: gen9(), run: func(x float64) *ingest.Run {
			return of(in(10, x*.01, measured(60), idle(4), started(30000)))
		}},
		{reason: "gaps between launches of 2 ms, in us, idle 33%", to: 3000, step: 5, d: mtl112(), run: func(x float64) *ingest.Run {
			run := of(in(10, .02, measured(60), idle(33)))
			run.Trace = sequence(10, int64(x*1e3), 2_000_000, 0, "k")
			return run
		}},
		{reason: "time in which another kernel runs next to launches of 2 ms, in us", from: 5, to: 2000, step: 5, d: mtl112(), run: func(x float64) *ingest.Run {
			run := of(kernel("k", size(448), "256", 32, 10, .02, measured(58), idle(1)), kernel("other", most, "256",
				32, 10, .02, measured(90), idle(1)))
			run.Trace = sequence(10, 2_000_000, 2_000_000, 2_000_000-int64(x*1e3), "k", "other")
			return run
		}},
		{reason: "the sampling interval, in ms", from: .05, to: 20, step: .05, d: mtl112(), run: func(float64) *ingest.Run {
			return of(in(200, 1, measured(60), idle(30), registers(128)), other(.5, measured(30), idle(10)))
		}, options: func(o *Options, x float64) { o.SamplingInterval = unit.Seconds(x / 1e3) }},
		{reason: "the tolerance", to: 50, step: .1, d: mtl112(), run: func(float64) *ingest.Run {
			return of(k(measured(70), idle(20), registers(128), peak(100)))
		}, options: func(o *Options, x float64) { o.Tolerance = unit.Points(x) }},
		{reason: "launches that the summary counts next to the 100 of the export", from: 90, to: 110, step: 1, d: mtl112(), run: func(x float64) *ingest.Run {
			run := of(k(measured(97), idle(1)))
			run.Summary = []ingest.Kernel{in(int64(x), 1)}
			return run
		}},
		{reason: "GPU time of a summary alone", from: .5, to: 2, step: .1, d: mtl112(), run: func(x float64) *ingest.Run {
			return &ingest.Run{Summary: []ingest.Kernel{in(1000, 1, measured(60), peak(100), idle(30))},
				Platform: ingest.Platform{GPUTime: unit.Some(unit.Seconds(x))}}
		}},
		{reason: "GPU busy, where nothing was seen", to: .2, step: .01, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{GPUBusy: unit.Some(unit.FromPercent(x))}, k(measured(0), idle(100)))
		}},
		{reason: "XVEs that were counted", from: 100, to: 240, step: 4, d: mtl112(), run: func(x float64) *ingest.Run {
			return on(ingest.Platform{CountedXVEs: unit.Some(int(x))}, k(measured(60), idle(10)))
		}},
		{reason: "what to run next, by the size of a grid", from: 100, to: 1800, step: 100, d: memory(mtl112(), ""), next: true, run: func(x float64) *ingest.Run {
			return of(kernel("k", size(x), "512", 32, 100, 1, measured(min(x/9, 90)), array(20, 75, 5),
				counts(func(*ingest.Counters) {}), registers(128)))
		}},
		{reason: "what to run next, of many waves whose last one is small", from: 17950, to: 18800, step: 50, d: memory(mtl112(), ""), next: true, run: func(x float64) *ingest.Run {
			return of(kernel("k", size(x), "512", 32, 100, 1, measured(60), array(20, 75, 5),
				counts(func(*ingest.Counters) {}), registers(128)))
		}},
		{reason: "what to run next, of a kernel of many registers", from: 5, to: 50, step: 5, d: memory(mtl112(), ""), next: true, run: func(x float64) *ingest.Run {
			return of(kernel("k", most, "1024", 32, 100, 1, measured(x), array(20, 79, 1),
				counts(func(*ingest.Counters) {}), registers(256)))
		}},
		{reason: "what to run next, by measured", from: 5, to: 100, step: 5, d: memory(mtl112(), ""), next: true, run: func(x float64) *ingest.Run {
			return of(kernel("k", most, "128", 32, 100, 1, measured(x), array(20, 79, 1), slm(16384), barrier(2)))
		}},
	}
}

// sequence returns a trace of n launches of each task with a gap between them.
// The first launch of each task is delay later than the first launch of the
// task before.
func sequence(n, gap, length, delay int64, tasks ...string) *ingest.Trace {
	trace := &ingest.Trace{}
	for range tasks {
		trace.AddLane("gpu")
	}
	for i := range n {
		for lane, task := range tasks {
			at := i*(length+gap) + int64(lane)*delay
			trace.Add(ingest.Launch{Start: at, End: at + length, Task: trace.Task(ingest.Key{Task: task}),
				Lane: uint32(lane)})
		}
	}
	trace.Finish()
	return trace
}
