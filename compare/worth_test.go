package compare

import (
	"math"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// array gives a kernel the state of the XVE array, in percent.
func array(active, stalled, idle float64) tell {
	return func(k *ingest.Kernel) {
		pct(&k.Active, active)
		pct(&k.Stalled, stalled)
		pct(&k.Idle, idle)
	}
}

// TestWorth has 100 launches of 28,672 threads, 32 full waves, on the Meteor Lake part.
func TestWorth(t *testing.T) {
	for _, c := range []struct {
		name     string
		time     float64 // seconds, of all launches
		measured float64
		array    tell
		verdict  WorthVerdict
		bound    float64 // 0 for none
		because  string
	}{
		// Real pairs: a program at 99.7 % in both runs, and one that became faster at less occupancy.
		{"full and slow", 0.848, 99.7, array(35, 64.7, 0.3), ElseBinds, 1, "64.9 % of the time with 100.0 %"},
		{"full and fast", 0.622, 99.7, array(48, 51.7, 0.3), ElseBinds, 1, "no room for more threads"},
		{"full, without the array", 0.848, 99.7, func(*ingest.Kernel) {}, OccupancyEnough, 1, "no room for more"},
		{"39.8 % and slow", 1.000, 39.8, array(80, 15, 5), OccupancyEnough, 1, "active 84.2 %"},
		{"29.8 % and fast", 0.831, 29.8, array(82, 12, 6), OccupancyEnough, 1, "active 87.2 %"},

		{"stalls with few slots in use", 1, 40, array(30, 65, 5), MoreThreads, 95.0 / 30, "68.4 % of the time with 42.1 %"},
		{"stalls with most slots in use", 1, 70, array(30, 65, 5), WorthUntold, 95.0 / 30, "a run with fewer threads"},
		{"stalls less than half of the time", 1, 40, array(60, 35, 5), WorthUntold, 95.0 / 60, "less than half"},
		{"threads that live 2 us", 28672 * 100 * 4e-6 / 896 / 0.4, 40, array(30, 65, 5), WorthUntold, 95.0 / 30, "live so briefly"},
		{"no sample of the array", 1, 40, array(0, 0, 0), WorthUntold, 0, "no sample"},
		{"states that are not 100 %", 1, 40, array(30, 30, 5), WorthUntold, 0, "65.0 %"},
		{"never active", 1, 40, array(0, 95, 5), MoreThreads, 0, "100.0 % of the time"},
		{"no array", 1, 40, func(*ingest.Kernel) {}, WorthUntold, 0, "does not say"},
	} {
		k := kernel("k", "458752", "16", 16, 100, c.time, measured(c.measured), peak(100), c.array)
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, mtl112(), DefaultOptions())
		row := &r.Rows[0]
		w := row.Worth
		if b := w.Bound.Or(0); w.Verdict != c.verdict || math.Abs(b-c.bound) > 1e-9 || !strings.Contains(w.Because, c.because) {
			t.Errorf("%s (%s): %s, bound %v: %s; want %s, %v: %s", c.name, row.Verdict, w.Verdict, b, w.Because, c.verdict,
				c.bound, c.because)
		}
		if (w.Formula != "") != w.Bound.Present() {
			t.Errorf("%s: bound %v with the formula %q", c.name, w.Bound, w.Formula)
		}
		if unsampled := strings.HasPrefix(c.name, "no sample"); unsampled != (row.Verdict == Unmeasurable) {
			t.Errorf("%s: %s", c.name, row.Verdict)
		}
	}
}

// TestWorthOfOthers: counters that are not a kernel's tell nothing of what it lacks, and a copy has no worth.
func TestWorthOfOthers(t *testing.T) {
	short := kernel("short", "458752", "16", 16, 10, 1e-5, measured(40), peak(100), array(30, 65, 5))
	copied := ingest.Kernel{Task: "clEnqueueReadBuffer", Direction: ingest.DeviceToHost}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{short, copied}}, mtl112(), DefaultOptions())
	for i := range r.Rows {
		row := &r.Rows[i]
		if w := row.Worth; row.Task == "short" && w.Verdict != WorthUntold || row.Task != "short" && w != (Worth{}) {
			t.Errorf("%s: %+v", row.Task, w)
		}
	}
}

// TestWorthOfCounters has a kernel that would be helped by more threads, by its XVE array alone.
func TestWorthOfCounters(t *testing.T) {
	stall := func(list ...ingest.Stall) *ingest.Counters { return &ingest.Counters{Stalls: list} }
	memory := func(gb float64) *ingest.Counters {
		return &ingest.Counters{MemoryRead: unit.Some(gb / 2), MemoryWrite: unit.Some(gb / 2)}
	}
	for _, c := range []struct {
		name     string
		counters *ingest.Counters
		verdict  WorthVerdict
		bound    float64
		because  string
	}{
		{"waits for memory", stall(ingest.Stall{Reason: "Send", Share: 0.3}, ingest.Stall{Reason: "SBID", Share: 0.7}), MoreThreads, 95.0 / 30, "sbid 70.0 %, send 30.0 %"},
		{"waits for sends, for their results or to dispatch them", stall(ingest.Stall{Reason: "Send", Share: 0.7}, ingest.Stall{Reason: "SBID", Share: 0.3}), WorthUntold, 95.0 / 30, "of which 70.0 % are on send"},
		{"waits at barriers", stall(ingest.Stall{Reason: "Barrier", Share: 0.6}, ingest.Stall{Reason: "SBID", Share: 0.4}), ElseBinds, 1, "can hide only 40.0 %"},
		{"reasons of 90 %", stall(ingest.Stall{Reason: "Barrier", Share: 0.6}, ingest.Stall{Reason: "SBID", Share: 0.3}), MoreThreads, 95.0 / 30, "add up to 90.0 %, not 100 %"},
		{"far from the roof", memory(20), MoreThreads, 95.0 / 30, "68.4 %"},
		{"nearer the roof than the array", memory(50), MoreThreads, 2, "68.4 %"},
		{"at the roof", memory(90), ElseBinds, 1, "memory moves 90.0 of at most 100 GB/s (test), 90.0 %"},
		{"at the folder's roof, far from the table's",
			&ingest.Counters{MemoryRead: unit.Some(5.0), MemoryWrite: unit.Some(36.0), MemoryReadRoof: unit.Some(40.0),
				MemoryWriteRoof: unit.Some(40.0)}, ElseBinds, 1, "writing to memory moves 36.0 of at most 40 GB/s (the metric set of the result folder), 90.0 %"},
		{"beyond the roof, which is wrong", memory(120), MoreThreads, 95.0 / 30, "that roof is wrong and not used"},
	} {
		k := kernel("k", "458752", "16", 16, 100, 1, measured(40), peak(100), array(30, 65, 5))
		k.Counters = c.counters
		d := mtl112()
		d.Memory = []arch.Bandwidth{{Source: "test", GBPerSecond: 100}}
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, d, DefaultOptions())
		w := r.Rows[0].Worth
		if b := w.Bound.Or(0); w.Verdict != c.verdict || math.Abs(b-c.bound) > 1e-9 || !strings.Contains(w.Because, c.because) {
			t.Errorf("%s: %s, bound %v: %s; want %s, %v: %s", c.name, w.Verdict, b, w.Because, c.verdict, c.bound, c.because)
		}
		if c.name == "nearer the roof than the array" && w.Formula != "min(1 / active share of the busy time = 1 / (30.0 % / 95.0 %), roof / used bandwidth = 100 / 50.0 GB/s of memory)" {
			t.Errorf("formula: %s", w.Formula)
		}
	}
}
