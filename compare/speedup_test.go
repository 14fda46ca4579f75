package compare

import (
	"math"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// array sets the state of the XVE array of a kernel, in percent.
func array(active, stalled, idle float64) tell {
	return func(k *ingest.Kernel) {
		pct(&k.Active, active)
		pct(&k.Stalled, stalled)
		pct(&k.Idle, idle)
	}
}

// speedupCase is the expected potential speedup of 100 launches of 28,672
// threads, 32 full waves, on the Meteor Lake part with 100 GB/s of memory
// bandwidth.
type speedupCase struct {
	name                   string
	time                   float64 // time of all launches, in seconds
	measured               float64
	array                  tell
	counters               *ingest.Counters
	words                  string
	moreThreads, balancing float64 // expected bounds; 0 for no bound
	evidence               string
}

func (c *speedupCase) check(t *testing.T) {
	t.Helper()
	k := kernel("k", "458752", "16", 16, 100, c.time, measured(c.measured), peak(100), c.array)
	k.Counters = c.counters
	d := mtl112()
	d.Memory = []arch.Bandwidth{{Source: "test", GBPerSecond: 100}}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(d), DefaultOptions())
	w := r.Rows[0].Speedup
	near := func(got unit.Opt[float64], want float64) bool { return math.Abs(got.Or(0)-want) < 5e-3 }
	if w.Words() != c.words || !near(w.MoreThreads.Max, c.moreThreads) || !near(w.Balancing.Max, c.balancing) ||
		!strings.Contains(w.Evidence, c.evidence) {
		t.Errorf("%s (%s): %s, bounds %v and %v: %s; want %s, %v, %v: %s", c.name, r.Rows[0].Verdict, w.Words(),
			w.MoreThreads.Max, w.Balancing.Max, w.Evidence, c.words, c.moreThreads, c.balancing, c.evidence)
	}
	if (w.MoreThreads.Formula != "") != w.MoreThreads.Max.Present() ||
		(w.Balancing.Formula != "") != w.Balancing.Max.Present() {
		t.Errorf("%s: bounds and formulas: %+v", c.name, w)
	}
}

func pipes(alu, send float64) *ingest.Counters {
	return &ingest.Counters{Pipes: []ingest.Pipe{{Name: "ALU0", Active: unit.FromPercent(alu)},
		{Name: "SEND", Active: unit.FromPercent(send)}}, MemoryRead: unit.Some(5.0), MemoryWrite: unit.Some(5.0)}
}

func TestSpeedup(t *testing.T) {
	for _, c := range []speedupCase{
		// The following cases are pairs of real runs: a program at 99.7% in
		// both runs, and a program that became faster at lower occupancy. Their
		// exports count no pipe.
		{"full and slow", 0.848, 99.7, array(35, 64.7, 0.3), nil, "limited by something else", 1, 1.003, "at most 1.00 times as fast (slots: 100.0% / 100.0% busy occupancy"},
		{"full, without the array", 0.848, 99.7, func(*ingest.Kernel) {}, nil, "limited by something else", 1.003, 0, "slots"},
		{"39.8% and slow", 1.000, 39.8, array(80, 15, 5), nil, "undetermined", 95 / 39.8, 1 / .398, "no pipe counters"},

		{"few slots, a pipe that has room", 1, 40, array(30, 65, 5), pipes(30, 10), "more threads may help", 95. / 40, 1 / .4, "at most 2.4 times as fast (slots: 100.0% / 42.1% busy occupancy"},
		{"a busy pipe binds before the slots", 1, 40, array(80, 15, 5), pipes(60, 10), "more threads may help", 95. / 60, 1 / .4, "pipe ALU0: 1 / 63.2% of the busy time"},
		{"a pipe that is busy all the time", 1, 40, array(90, 5, 5), pipes(94, 10), "occupancy is sufficient", 95. / 94, 1 / .4, "active 94.7% of the time"},
		{"the same, and busy XVEs are active 81% of the time", 1, 40, array(77, 18, 5), pipes(94, 10), "occupancy is sufficient", 95. / 94, 1 / .4, "active 81.1% of the time"},
		{"the same, and active 79%", 1, 40, array(75, 20, 5), pipes(94, 10), "limited by something else", 95. / 94, 1 / .4, "more threads make it at most 1.01 times as fast"},
		{"half of the XVEs empty, in 32 waves of threads that live 2 us: more of them would wait to be started", 28672 * 100 * 2e-6 / 896 / 0.3, 30, array(24, 26, 50), pipes(24.5, 1), "undetermined", 50. / 30, 1 / .3, "starting threads may limit"},
		{"30% of the XVEs at work", 1, 30, array(29, 1, 70), pipes(29.5, 1), "balance the work, limited by something else", 1, 10. / 3, "were idle for"},
		{"threads that live 2 us", 28672 * 100 * 4e-6 / 896 / 0.4, 40, array(30, 65, 5), pipes(30, 10), "undetermined", 95. / 40, 1 / .4, "starting threads may limit"},
		{"no sample of the array", 1, 40, array(0, 0, 0), nil, "undetermined", 0, 0, "no sample"},
		{"no array and no pipe", 1, 40, func(*ingest.Kernel) {}, nil, "undetermined", 2.5, 0, "no pipe counters"},
	} {
		c.check(t)
	}
}

// TestBalancingBound has a kernel with 57.1% predicted, 20.0% measured, and 50%
// idle XVEs. Long work-groups leave XVEs nearly idle, so the idle share alone
// is not a bound.
func TestBalancingBound(t *testing.T) {
	for _, c := range []struct {
		reason   string
		launches int64
		more     tell
		want     float64
	}{
		{"predicted over measured, not 1 / (1 - 0.5)", 100, func(*ingest.Kernel) {}, 57.14 / 20},
		{"nine launches may have had more work than the mean", 9, func(*ingest.Kernel) {}, 67.14 / 20},
		{"threads that wait at a barrier are resident, so occupancy is no bound", 100,
			func(k *ingest.Kernel) { k.Barriers = unit.Some[int64](1) }, 0},
	} {
		k := kernel("k", "8192", "256", 16, c.launches, 1, measured(20), array(40, 10, 50), c.more)
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k}})
		if got := row.Speedup.Balancing.Max.Or(0); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %.3f, want %.3f of %v", c.reason, got, c.want, row.Predicted.Average)
		}
	}
}

// TestSpeedupOfOthers: counters that do not belong to a kernel are no evidence
// of its limits, and a copy has no potential speedup.
func TestSpeedupOfOthers(t *testing.T) {
	short := kernel("short", "458752", "16", 16, 10, 1e-5, measured(40), peak(100), array(30, 65, 5))
	copied := ingest.Kernel{Task: "clEnqueueReadBuffer", Direction: names.DeviceToHost}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{short, copied}}, given(mtl112()), DefaultOptions())
	for i := range r.Rows {
		row := &r.Rows[i]
		if w := row.Speedup; row.Task == "short" && w.Verdict() != SpeedupUndetermined || row.Task != "short" &&
			w.Verdicts != nil {
			t.Errorf("%s: %+v", row.Task, w)
		}
	}
}

// TestSpeedupOfCounters checks that other counters can limit a kernel for which
// more threads would help according to its slots and pipes.
func TestSpeedupOfCounters(t *testing.T) {
	with := func(change func(*ingest.Counters)) *ingest.Counters {
		c := pipes(30, 10)
		change(c)
		return c
	}
	stalls := func(list ...ingest.Stall) *ingest.Counters {
		return with(func(c *ingest.Counters) { c.Stalls = list })
	}
	memory := func(gb float64) *ingest.Counters {
		return with(func(c *ingest.Counters) { c.MemoryRead, c.MemoryWrite = unit.Some(gb/2), unit.Some(gb/2) })
	}
	const more, bound = "more threads may help", 95. / 40
	for _, c := range []struct {
		name     string
		counters *ingest.Counters
		words    string
		depth    float64
		because  string
	}{
		{"waits for memory", stalls(ingest.Stall{Reason: "Send", Share: 0.3}, ingest.Stall{Reason: "SBID", Share: 0.7}), more, bound, "sbid 70.0%, send 30.0%"},
		{"waits for sends, for their results or to dispatch them", stalls(ingest.Stall{Reason: "Send", Share: 0.7}, ingest.Stall{Reason: "SBID", Share: 0.3}), "undetermined", bound, "70.0% of the stalls are on send"},
		{"waits at barriers", stalls(ingest.Stall{Reason: "Barrier", Share: 0.6}, ingest.Stall{Reason: "SBID", Share: 0.4}), "limited by something else", bound, "can hide only 40.0%"},
		{"reasons of 90%", stalls(ingest.Stall{Reason: "Barrier", Share: 0.6}, ingest.Stall{Reason: "SBID", Share: 0.3}), more, bound, "add up to 90.0%, not 100%"},
		{"no pipe is counted, and memory has room", with(func(c *ingest.Counters) { c.Pipes = nil }), more, bound, "no pipe counters, so a pipe may limit it sooner"},
		{"far from the roof", memory(20), more, bound, "2.4 times"},
		{"the roof bounds before the slots", memory(50), more, 2, "memory: 100 / 50.0 GB/s (test)"},
		{"near the roof: what streams reach is less than the roof", memory(60), "undetermined", 100. / 60, "memory moves 60.0 GB/s"},
		{"at the roof", memory(90), "limited by something else", 100. / 90, "memory moves 90.0 of at most 100 GB/s (test), 90.0%"},
		{"at the folder's roof, far from the table's", with(func(c *ingest.Counters) {
			c.MemoryRead, c.MemoryWrite = unit.Some(5.0), unit.Some(36.0)
			c.MemoryReadPeak, c.MemoryWritePeak = unit.Some(40.0), unit.Some(40.0)
		}), "limited by something else", 40. / 36,
			"writing to memory moves 36.0 of at most 40 GB/s (the metric set of the result folder), 90.0%"},
		{"beyond the roof, which is wrong", memory(120), "undetermined", bound, "this peak is wrong and not used"},
		{"no bandwidth", with(func(c *ingest.Counters) {
			c.MemoryRead, c.MemoryWrite = unit.Opt[float64]{}, unit.Opt[float64]{}
		}), "undetermined", bound, "no memory bandwidth"},
	} {
		w := speedupCase{c.name, 1, 40, array(30, 65, 5), c.counters, c.words, c.depth, 1 / .4, c.because}
		w.check(t)
	}
}

// TestSpeedupOfTurns checks that the possible share of another kernel is
// subtracted from the counters, and that the larger of the two bounds is used.
func TestSpeedupOfTurns(t *testing.T) {
	counters := pipes(30, 10)
	one := kernel("one", "458752", "16", 16, 100, 0.5, measured(40), peak(100), array(30, 65, 5))
	two := kernel("two", "458752", "16", 16, 100, 0.5, measured(90), peak(100), array(60, 35, 5))
	one.Counters, two.Counters = counters, pipes(60, 10)
	alone := Compare(&ingest.Run{Kernels: []ingest.Kernel{one}}, given(mtl112()), DefaultOptions())
	both := Compare(&ingest.Run{Kernels: []ingest.Kernel{one, two}}, given(mtl112()), DefaultOptions())
	for i := range both.Rows {
		row := &both.Rows[i]
		if a, b := alone.Rows[0].Speedup.MoreThreads.Max.Or(0),
			row.Speedup.MoreThreads.Max.Or(0); row.Task == "one" && !(b > a) {
			t.Errorf("next to a kernel that holds 90%% the bound is %v, alone %v", b, a)
		}
	}
}
