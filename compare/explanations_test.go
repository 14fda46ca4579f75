package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict/arch"
)

// TestExplanations compares all explanations of constructed kernels with a
// file: verdicts, causes with their sentences, potential speedup, and next
// steps. The reason of a case describes its first kernel. The numbers can be
// checked by hand: the default is 4 full waves of 896 thread slots.
func TestExplanations(t *testing.T) {
	const most = "114688" // 4 full waves of the Meteor Lake part
	reading := func(r ingest.Reading) tell { return func(k *ingest.Kernel) { k.Reading = r } }
	window := func(x float64) tell { return func(k *ingest.Kernel) { k.CounterTimeRatio = unit.Some(x) } }
	states := func(active, stalled, idle float64) tell {
		return func(k *ingest.Kernel) { pct(&k.Active, active); pct(&k.Stalled, stalled); pct(&k.Idle, idle) }
	}
	within := func(low, high float64) tell {
		return func(k *ingest.Kernel) { pct(&k.MeasuredLow, low); pct(&k.MeasuredHigh, high) }
	}
	counts := func(c *ingest.Counters) tell { return func(k *ingest.Kernel) { k.Counters = c } }
	stalls := func(hidden, send float64) tell {
		return func(k *ingest.Kernel) {
			c := pipes(20, 10)
			c.Stalls = []ingest.Stall{{Reason: "SBID", Share: unit.FromPercent(hidden)}, {Reason: "Send",
				Share: unit.FromPercent(send)},
				{Reason: "Pipe", Share: unit.FromPercent(100 - hidden - send)}}
			k.Counters = c
		}
	}
	busy := func(memory, l3 float64) *ingest.Counters {
		c := pipes(20, 10)
		c.MemoryRead, c.MemoryWrite, c.L3Read = unit.Some(memory), unit.Some(0.0), unit.Some(l3)
		return c
	}
	launches := func(gap, length int64, tasks ...string) *ingest.Trace {
		trace := &ingest.Trace{}
		for range tasks {
			trace.AddLane("gpu")
		}
		for i := range int64(10) {
			for lane, task := range tasks {
				at := i*(length+gap) + int64(lane)*length/2
				trace.Add(ingest.Launch{Start: at, End: at + length, Task: trace.Task(ingest.Key{Task: task}),
					Lane: uint32(lane)})
			}
		}
		trace.Finish()
		return trace
	}
	other := kernel("o", most, "256", 32, 1222, 1.1, measured(30), idle(40))
	four := ingest.Platform{Adapters: unit.Some(4)}
	counted := func(n int) ingest.Platform {
		return ingest.Platform{Adapters: unit.Some(4), BusyStacks: unit.Some(n)}
	}
	alone := func(k ingest.Kernel) []ingest.Kernel { return []ingest.Kernel{k} }
	var got strings.Builder
	for _, c := range []struct {
		reason   string
		d        *arch.Device
		kernels  []ingest.Kernel
		platform ingest.Platform
		trace    *ingest.Trace
		samples  float32 // occupancy of samples of 1 ms over the trace's launches; 0 for no samples
		fastest  string  // type of the device's memory, which moves 100 GB/s
		outside  float64 // instructions in rows of no kernel, of 100; 0 stands for 5
	}{
		{reason: "of 4 adapters one fits the predicted average", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(24.5), idle(60))), platform: four},
		{reason: "of 4 adapters one leaves as many XVEs idle", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(20), idle(74))), platform: four},
		{reason: "of 4 adapters two fit", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(49.5), idle(20))), platform: four},
		{reason: "all four worked, of which hardly an XVE was idle", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(65), idle(1), registers(128))), platform: four},
		{reason: "any of four adapters may have done nothing next to another", d: mtl112(), kernels: []ingest.Kernel{kernel("k", most, "256", 32, 1000, 0.3, measured(10), idle(20)), kernel("o", most, "256", 32, 1222, 1.1, measured(30))}, platform: four},
		{reason: "one of two stacks worked where idle time may lie outside", d: max1550(), kernels: alone(kernel("k", "8388608", "256", 32, 1000, 0.9, measured(40), idle(50), registers(128)))},
		{reason: "one stack cannot leave one idle", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 1000, 0.9, measured(40), idle(50), registers(128)))},
		{reason: "a summary counts the one that worked", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(20), idle(76))), platform: counted(1)},
		{reason: "it counts one, and 40% of four is more than that can hold", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(40), idle(30))), platform: counted(1)},
		{reason: "3 of 8 work-groups a core: more SLM than the export says", d: mtl112(), kernels: alone(kernel("k", most, "512", 32, 100, 1, measured(37.4), idle(0.4), registers(128)))},
		{reason: "with a barrier it may be more of those", d: mtl112(), kernels: alone(kernel("k", most, "512", 32, 100, 1, measured(37.4), idle(0.4), registers(128), barriers(1)))},
		{reason: "half of the slots of two stacks", d: max1550(), kernels: alone(kernel("k", "8388608", "256", 32, 100, 1, measured(49.8), idle(0.4), registers(128)))},
		{reason: "XVEs of one of two stacks idle half of the time", d: max1550(), kernels: alone(kernel("k", "8388608", "256", 32, 100, 1, measured(40), idle(51), registers(128)))},
		{reason: "more than one launch can hold, read by one stack's counter", d: max1550(), kernels: alone(kernel("k", "65536", "256", 32, 100, 1, measured(50), idle(10)))},
		{reason: "one thread a work-group in SIMD 32, not two", d: mtl112(), kernels: alone(kernel("k", "7168", "32", 16, 100, 1, measured(25), idle(0.2), registers(128)))},
		{reason: "half of the threads is large GRF", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(49), idle(1)))},
		{reason: "others may have put some in", d: mtl112(), kernels: []ingest.Kernel{kernel("k", most, "256", 32, 1000, 1.2, measured(55), idle(1)), kernel("o", most, "256", 32, 100, 0.5, measured(97), idle(1))}},
		{reason: "96 registers hold ten threads", d: xe3(), kernels: alone(kernel("k", "4194304", "256", 32, 100, 1, measured(98), idle(1)))},
		{reason: "threads live 0.4 us", d: mtl112(), kernels: alone(kernel("k", "4194304", "256", 32, 2000, 0.2, measured(60), idle(20)))},
		{reason: "the same without the array", d: mtl112(), kernels: alone(kernel("k", "4194304", "256", 32, 2000, 0.2, measured(60)))},
		{reason: "filling the Xe-cores takes a third of a launch", d: mtl112(), kernels: alone(kernel("k", "28672", "256", 32, 20000, 0.2, measured(60), idle(20)))},
		{reason: "nothing but barriers is waited for", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(70), idle(1), barrier(40), registers(128)))},
		{reason: "a quarter of the stalls at barriers is enough", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(70), idle(1), barrier(25), registers(128)))},
		{reason: "15% of the instructions in rows of no kernel make it medium", d: mtl112(), kernels: alone(kernel("k", "4194304", "256", 32, 2000, 0.2, measured(60), idle(20), func(k *ingest.Kernel) {
			k.Launches = &ingest.LaunchSpread{MinSeconds: 9e-5, MaxSeconds: 1.1e-4}
		})), outside: 15},
		{reason: "5% leave it high, of launches that take alike", d: mtl112(), kernels: alone(kernel("k", "4194304", "256", 32, 2000, 0.2, measured(60), idle(20), func(k *ingest.Kernel) {
			k.Launches = &ingest.LaunchSpread{MinSeconds: 9e-5, MaxSeconds: 1.1e-4}
		}))},
		{reason: "VTune's limit by SLM says that work-groups of 20 threads stay whole", d: mtl112(), kernels: alone(kernel("k", "573440", "640", 32, 100, 1, measured(93), idle(1), slmLimit(93.75)))},
		{reason: "no array state tells why", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(70)))},
		{reason: "no time does", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 0, 0, measured(70), idle(1)))},
		{reason: "more is measured than XVEs that idle for so long hold", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(70), idle(60)))},
		{reason: "without a shape the profiler's peak is left", d: mtl112(), kernels: alone(kernel("k", "", "", 0, 100, 1, measured(70), peak(100), idle(5)))},
		{reason: "without a device, too", kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(70), peak(100)))},
		{reason: "registers tell nothing without one", kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(70), peak(100), registers(256)))},
		{reason: "no width", d: mtl112(), kernels: alone(kernel("k", most, "256", 0, 100, 1, measured(70)))},
		{reason: "a work-group that no such GPU runs", d: mtl112(), kernels: alone(kernel("k", "4096", "2048", 32, 100, 1, measured(70)))},
		{reason: "a value of the whole run", d: mtl112(), kernels: alone(kernel(ingest.WholeRun, "", "", 0, 0, 0, measured(30), idle(50)))},
		{reason: "the GPU was busy for 0.0% of the run", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(0), idle(100))), platform: ingest.Platform{GPUBusy: unit.Some[unit.Ratio](0)}},
		{reason: "no sample has a state", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(10), states(0, 0, 0)))},
		{reason: "nine intervals in all", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 9, 0.004, measured(60), idle(20)))},
		{reason: "short, next to another", d: mtl112(), kernels: []ingest.Kernel{kernel("k", most, "256", 32, 1000, 0.3, measured(60), idle(20)), other}},
		{reason: "a launch of less than the tolerance", d: mtl112(), kernels: alone(kernel("k", "512", "256", 32, 100, 1, measured(1), idle(98)))},
		{reason: "counters that ran three times as long", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 1, measured(30), idle(60), reading(ingest.AroundLaunch), window(3)))},
		{reason: "that ran a tenth longer", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 1, measured(60), idle(30), reading(ingest.AroundLaunch), window(1.1)))},
		{reason: "samples of each launch", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.005, measured(60), idle(30), reading(ingest.SampledIn)))},
		{reason: "an estimate of 3 points either way", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.005, measured(60), idle(30), within(57, 63)))},
		{reason: "of 4.5", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.005, measured(60), idle(30), within(55.5, 64.5)))},
		{reason: "60% in all samples of a recording", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.025, measured(20), idle(30))), trace: launches(0, 2_500_000, "k"), samples: 0.6},
		{reason: "of 9", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.005, measured(60), idle(30), within(51, 69)))},
		{reason: "above its prediction, and nobody says how long it takes", d: mtl112(), kernels: alone(kernel("k", "3584", "256", 32, 0, 0, measured(60), idle(10)))},
		{reason: "above it by what the last wave may hold", d: mtl112(), kernels: alone(kernel("k", "43008", "256", 32, 100, 1, measured(99), idle(0)))},
		{reason: "gaps of a third, by a trace", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.02, measured(60), idle(33))), trace: launches(1_000_000, 2_000_000, "k")},
		{reason: "the same, of counters that ran as long as each launch", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 0.02, measured(60), idle(33), reading(ingest.AroundLaunch), window(1))), trace: launches(1_000_000, 2_000_000, "k")},
		{reason: "another kernel next to it, by a trace", d: mtl112(), kernels: []ingest.Kernel{kernel("k", "14336", "256", 32, 10, 0.02, measured(90), idle(1)), kernel("o", most, "256", 32, 10, 0.02, measured(90), idle(1))}, trace: launches(2_000_000, 2_000_000, "k", "o")},
		{reason: "no other kernel, by a trace", d: mtl112(), kernels: alone(kernel("k", "14336", "256", 32, 10, 0.5, measured(90), idle(1))), trace: launches(0, 50_000_000, "k")},
		{reason: "idle alone is missing", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 1000, 1, measured(70), idle(29)))},
		{reason: "too few work-groups to fill the GPU", d: mtl112(), kernels: alone(kernel("k", "7168", "256", 32, 100, 1, measured(24), states(20, 70, 10), counts(busy(5, 5))))},
		{reason: "in two dimensions the program chooses which", d: mtl112(), kernels: alone(kernel("k", "512x14", "256x1", 32, 100, 1, measured(24), states(20, 70, 10), counts(busy(5, 5))))},
		{reason: "the same, but VTune's peak is of another launch: no number of work-groups follows", d: mtl112(), kernels: alone(kernel("k", "34304", "256", 32, 100, 1, peak(60), measured(60), states(20, 78, 2), counts(busy(5, 5))))},
		{reason: "20% of the second wave", d: mtl112(), kernels: alone(kernel("k", "34304", "256", 32, 100, 1, measured(60), states(20, 78, 2), counts(busy(5, 5))))},
		{reason: "a pipe is active half of the time", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(97), states(60, 39, 1), counts(pipes(50, 10))))},
		{reason: "SLM keeps threads out", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(24), states(20, 79, 1), counts(busy(5, 5)), func(k *ingest.Kernel) { k.SLM = unit.Some[unit.Bytes](32768) }))},
		{reason: "registers do", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(49), states(20, 79, 1), counts(busy(5, 5)), registers(256)))},
		{reason: "memory is at its roof", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), counts(busy(95, 5))))},
		{reason: "more moves than memory can", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), counts(busy(150, 5))))},
		{reason: "memory may be slower than the fastest: 15 of 100", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), counts(busy(15, 5)))), fastest: "LPDDR5"},
		{reason: "memory is at 60% of it", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), counts(busy(60, 5))))},
		{reason: "10% of the stalls is latency", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), stalls(10, 5)))},
		{reason: "most are on send, of either kind", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), stalls(10, 80)))},
		{reason: "most are latency", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(20, 79, 1), stalls(90, 5)))},
		{reason: "of five reasons the first four stand there", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(98), states(20, 79, 1), func(k *ingest.Kernel) {
			k.Counters = pipes(20, 10)
			for _, reason := range []string{"SBID", "Send", "Pipe", "Control", "Other"} {
				k.Counters.Stalls = append(k.Counters.Stalls, ingest.Stall{Reason: reason, Share: 0.2})
			}
		}))},
		{reason: "what memory moves for another kernel is taken out", d: mtl112(), kernels: []ingest.Kernel{
			kernel("k", most, "256", 32, 1000, 1.2, measured(90), states(20, 79, 1), counts(busy(70, 5)),
				registers(128)),
			kernel("o", most, "256", 32, 100, 0.5, measured(97), states(20, 79, 1), counts(busy(90, 5)))}},
		{reason: "slots are full and XVEs active", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(98), states(90, 9, 1), counts(pipes(80, 10))))},
		{reason: "nobody counts a pipe", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 100, 1, measured(48), states(60, 39, 1), registers(128)))},
		{reason: "XVEs stand empty", d: mtl112(), kernels: alone(kernel("k", most, "256", 32, 10, 1, measured(50), states(20, 35, 45), counts(busy(5, 5)), registers(128)))},
	} {
		if c.d != nil {
			c.d.Memory = []arch.Bandwidth{{Source: "test", GBPerSecond: 100, Fastest: c.fastest}}
		}
		run := &ingest.Run{Kernels: c.kernels, Platform: c.platform, Trace: c.trace,
			Instructions: ingest.Instructions{Kernels: 100 - cmp.Or(c.outside, 5), All: 100}}
		if c.samples > 0 {
			run.Recording = &ingest.Recording{Trace: c.trace}
			for at := int64(1_000_000); at <= c.trace.Last; at += 1_000_000 {
				run.Recording.Add(ingest.CounterSample{At: at, Length: 1_000_000, Measured: c.samples, Active: 0.5,
					Stalled: 0.4})
			}
		}
		r := Compare(run, given(c.d), DefaultOptions())
		at := slices.IndexFunc(r.Rows, func(x Row) bool { return x.Task == c.kernels[0].Task })
		fmt.Fprintf(&got, "# %s\n%s\n", c.reason, allExplanations(r, &r.Rows[at]))
	}
	testenv.Golden(t, "testdata/explanations.txt", []byte(got.String()))
}

// allExplanations returns the explanations of a row, one per line.
func allExplanations(r *Result, row *Row) string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		if text := strings.TrimSpace(fmt.Sprintf(format, args...)); text != "" {
			fmt.Fprintf(&b, "%s: %s\n", what, text)
		}
	}
	share := func(o unit.Opt[unit.Ratio]) string {
		if v, ok := o.Value(); ok {
			return fmt.Sprintf("%.2f%%", v.Percent())
		}
		return "-"
	}
	line("verdict", "%s %s %+.2f", row.Verdict, row.Basis, float64(row.Difference.Or(0)))
	line("no prediction", "%s", row.NoPrediction)
	if row.OwnLow.Present() {
		line("held", "%s to %s", share(row.OwnLow), share(row.OwnHigh))
	}
	c := &row.Certainty
	line("certainty", "intervals %.3g, own %s, edges %s, foreign %s, crosstalk %s, at most %s", c.Intervals.Or(-1),
		share(c.OwnShare),
		share(c.OutsideLaunches), share(c.OtherTasks), share(c.Misattributed), c.limit())
	var causes []Cause
	if row.Cause != nil {
		line("headed by", "%s, %s", row.Cause.Name, row.Cause.Confidence)
		causes = []Cause{*row.Cause}
	}
	if a := row.Breakdown; a != nil {
		printed, parts := a.Rounded(), ""
		for _, p := range Parts() {
			if v, ok := printed.Of(p).Value(); ok {
				parts += fmt.Sprintf(" %s %.1f", p, float64(v))
			}
		}
		line("parts", "%s", parts)
		line("lost", "%.4g s", float64(a.Lost.Or(-1)))
		if row.Verdict == Below {
			causes = a.Causes
		}
	}
	for _, x := range causes {
		line("cause", "%s, %s, %s: %s Decide: %s (%s %.3g, %d)", x.Part, x.Name, x.Confidence, x.Evidence,
			x.ConfirmWith, x.Next.Action,
			x.Next.Setting.Or(0), x.Registers)
	}
	w := &row.Speedup
	line("potential speedup", "%s: %s", w.Words(), w.Evidence)
	line("bounds", "%.4g (%s), %.4g (%s), binds %q, %.4g s", w.MoreThreads.Max.Or(-1), w.MoreThreads.Formula,
		w.Balancing.Max.Or(-1), w.Balancing.Formula,
		w.LimitedBy, w.SavableTime(row))
	h, next := row.Fix, r.NextStep(row)
	line("help", "%s %d for %d, at most %.3g; next: %s %.3g", h.Remedy, h.At, h.From, h.Bound.Or(0), next.Action,
		next.Setting.Or(0))
	for _, n := range row.Notes {
		line("note", "%s: %s", n.Code, n.Text)
	}
	figures := ""
	for _, m := range Metrics {
		if v, ok := m.Of(row).Value(); ok {
			figures += fmt.Sprintf(" %s %.4g", m.Name, v)
		}
	}
	line("metrics", "%s", figures)
	return b.String()
}
