package compare

import (
	"math"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

func registers(n int) tell { return func(k *ingest.Kernel) { k.Registers = unit.Some(n) } }

// compared returns the row of the first kernel of a run.
func compared(t *testing.T, d *arch.Device, o Options, run *ingest.Run) *Row {
	t.Helper()
	k := run.Kernels[0]
	r := Compare(run, given(d), o)
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Task == k.Task {
			return row
		}
	}
	t.Fatal("the kernel has no row")
	return nil
}

// TestOthersBeside checks causes that depend on the occupancy and the idle time
// of the other kernels of a run.
func TestOthersBeside(t *testing.T) {
	const most = "114688" // 4 full waves of 896 threads, so 100% is predicted
	for _, c := range []struct {
		reason    string
		k, other  ingest.Kernel
		cause     string
		mentioned string
	}{
		{"3 intervals next to a kernel in whose time XVEs were idle 60%: a fourth of it may be in the samples, which leaves (16 - 15) / 0.75%",
			kernel("k", most, "256", 32, 1000, 3, measured(70), idle(16), barrier(2), registers(128)), kernel("o",
				most, "256", 32, 1000, 3, measured(30), idle(60)), CauseUnexplained, ""},
		{"next to one that is never idle all of it is the kernel's",
			kernel("k", most, "256", 32, 1000, 3, measured(70), idle(16), barrier(2), registers(128)), kernel("o",
				most, "256", 32, 1000, 3, measured(90), idle(0)), CauseImbalance, "XVEs were idle 16.0%"},
		{"a fourth of the value can be of a kernel that holds 50%: 1/3 of 38 points",
			kernel("k", most, "256", 32, 1000, 3, measured(88), idle(1), registers(128)), kernel("o", most, "256", 32,
				1000, 3, measured(50), idle(1)), CauseSampling, "its own occupancy may be up to 12.7 points higher"},
		{"1000 intervals in 0.55 of the time of the samples: at most 60 / 0.45 in launches",
			kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(10)), kernel("o", "1024", "256", 32, 1222, 1.1,
				measured(3), idle(8)), CauseSampling, "The launches alone have 59.8 to 100.0%"},
	} {
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k, c.other},
			Instructions: ingest.Instructions{Kernels: 99, All: 100}})
		if row.Cause == nil || row.Cause.Name != c.cause || !strings.Contains(row.Cause.Evidence, c.mentioned) {
			t.Errorf("%s: %s, %+v, want %s %q", c.reason, row.Verdict, row.Cause, c.cause, c.mentioned)
		}
	}
}

// TestEdgesOfCauses checks launches whose values are at the threshold of a
// rule.
func TestEdgesOfCauses(t *testing.T) {
	for _, c := range []struct {
		reason     string
		d          *arch.Device
		k          ingest.Kernel
		cause      string
		confidence string
	}{
		{"2,048 threads are 25% of two stacks and 50% of the one that they run on", max1550(),
			kernel("k", "32768", "512", 16, 10, 1, measured(50)), CauseStack, "medium"},
		{"two threads a work-group can wait for each other", mtl112(),
			kernel("k", "4194304", "64", 32, 10, 1, measured(70), idle(2), barrier(35), registers(128)),
			CauseImbalance, "medium"},
		{"a grid 70 times larger: launches have no such factors", max1100(),
			kernel("k", "640", "16", 16, 10, 1, peak(78.1)), CauseLaunchSize, "low"},
		{"28 threads are 0.8 points each: some multiple fits due to noise", max1100(),
			kernel("k", "448", "16", 16, 10, 1, peak(7.8)), CauseLaunchSize, "low"},
		{"56 threads are 1.6 points each", max1100(),
			kernel("k", "896", "16", 16, 10, 1, peak(15.6)), CauseLaunchSize, "high"},
	} {
		row := compared(t, c.d, DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k}})
		if row.Cause == nil || row.Cause.Name != c.cause || row.Cause.Confidence.String() != c.confidence {
			t.Errorf("%s: %s, %+v, want %s %s", c.reason, row.Verdict, row.Cause, c.cause, c.confidence)
		}
	}
}

// TestHalfTheSlots checks two launches of different sizes whose peaks are both
// off by a factor of 2. They may come from a GPU with half of the thread slots.
func TestHalfTheSlots(t *testing.T) {
	a := kernel("a", "2048", "16", 16, 10, 1, measured(7), peak(7.1))
	b := kernel("b", "3584", "16", 16, 10, 1, measured(12), peak(12.5))
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{a, b}}, given(max1100()), DefaultOptions())
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Cause == nil || row.Cause.Confidence != Low || !strings.Contains(row.Cause.Evidence,
			map[string]string{"a": "about 1,803 thread slots", "b": "about 1,792 thread slots"}[row.Task]) {
			t.Errorf("%s: %+v", row.Task, row.Cause)
		}
	}
}

// TestWidthOfOptions checks that a SIMD width from the options is not reported
// as a missing property of the launch.
func TestWidthOfOptions(t *testing.T) {
	k := kernel("k", "4096", "2048", 0, 1, 1, measured(50), peak(50)) // more work-items than a work-group may have
	for simd, want := range map[int]Basis{0: BasisMeasuredPeak, 1: "", 32: ""} {
		o := DefaultOptions()
		o.SIMD.Set("", simd)
		if row := compared(t, mtl112(), o, &ingest.Run{Kernels: []ingest.Kernel{k}}); row.Basis != want {
			t.Errorf("SIMD %d: %s on %q, want %q", simd, row.Verdict, row.Basis, want)
		}
	}
}

// TestTraceWithoutOverlap checks that other kernels are excluded as a cause if
// a trace shows no other kernels at the same time.
func TestTraceWithoutOverlap(t *testing.T) {
	tr := &ingest.Trace{}
	tr.AddLane("")
	for i := range int64(10) {
		tr.Add(ingest.Launch{Start: i * 2e8, End: i*2e8 + 1e8, Task: tr.Task(ingest.Key{Task: "k"})})
	}
	tr.Finish()
	k := kernel("k", "2048", "16", 32, 10, 1, measured(60))
	row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k}, Trace: tr})
	if row.Cause == nil || row.Cause.Name != CauseUnexplained || !strings.Contains(row.Cause.Evidence,
		"no other kernel runs") {
		t.Errorf("%s: %+v", row.Verdict, row.Cause)
	}
}

// TestTimesOfSummary checks that the kernel time is the GPU time without
// copies.
func TestTimesOfSummary(t *testing.T) {
	copies := kernel("zeCommandListAppendMemoryCopy", "", "", 0, 10, 0.25)
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{kernel("a", "2048", "16", 32, 10, 1, measured(14)), copies,
		kernel("b", "2048", "16", 32, 10, 0.5, measured(14))}}, given(mtl112()), DefaultOptions())
	if s := r.Summary; s.KernelTime != unit.Some[unit.Seconds](1.5) || math.Abs(float64(s.GPUTime.Or(0))-1.75) > 1e-12 {
		t.Errorf("%v of kernels, %v in all, want 1.5 and 1.75", s.KernelTime, s.GPUTime)
	}
}

// TestCounted checks the number of XVEs that the counters imply. It identifies
// the device if only one device has that number, and it is reported if it
// contradicts the named device.
func TestCounted(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	having := map[int][]string{}
	for _, d := range table.Devices() {
		having[d.XVEs()] = append(having[d.XVEs()], d.Key)
		if d.Tiles > 1 {
			having[d.XVEs()/d.Tiles] = append(having[d.XVEs()/d.Tiles], "a stack of "+d.Key)
		}
	}
	alone, shared := 0, 0
	for _, d := range table.Devices() { // not over the map, so that every test run has the same devices
		if n := d.XVEs(); len(having[n]) == 1 && alone == 0 {
			alone = n
		} else if len(having[n]) > 1 && shared == 0 {
			shared = n
		}
	}
	run := func(xves int) *ingest.Run {
		return &ingest.Run{Kernels: []ingest.Kernel{kernel("k", "2048", "16", 16, 10, 1, measured(1))},
			Platform: ingest.Platform{CountedXVEs: unit.Some(xves)}}
	}
	if r, err := on(run(alone), table, "", 0, DefaultOptions()); err != nil || r.Device.Key != having[alone][0] {
		t.Errorf("%d XVEs: %v, want %s", alone, err, having[alone])
	}
	for _, xves := range []int{shared, 7777} {
		if _, err := on(run(xves), table, "", 0, DefaultOptions()); err == nil || !strings.Contains(err.Error(),
			"the counters cover ") {
			t.Errorf("%d XVEs of %d devices: %v", xves, len(having[xves]), err)
		}
	}
	// The device has two stacks of 512 XVEs.
	for xves, fits := range map[int]bool{0: true, 1024: true, 512: true, 2048: false, 511: false} {
		r, err := on(run(xves), table, "max1550", 0, DefaultOptions())
		if err != nil || (r.Fit.Contradiction == "") != fits {
			t.Errorf("counters of %d XVEs on max1550 of 1024: %v, %+v, want %v", xves, err, r, fits)
		}
	}
}

// TestSummaryBeside checks a summary next to an export. A summary lists only
// the hottest tasks, so its GPU time is used if it is larger than the sum of
// the tasks. The number of launches also comes from the summary.
func TestSummaryBeside(t *testing.T) {
	k := kernel("k", "114688", "256", 32, 10, 1, measured(60), idle(4))
	times := ingest.Platform{GPUTime: unit.Some[unit.Seconds](2)}
	for _, c := range []struct {
		reason  string
		run     ingest.Run
		seconds unit.Seconds
		notes   int
	}{
		{"the summary has one task of 1 s and a GPU time of 2 s", ingest.Run{Summary: []ingest.Kernel{k}, Platform: times}, 2, 0},
		{"an export lists all", ingest.Run{Kernels: []ingest.Kernel{k}, Platform: times}, 1, 0},
		{"the summary counts 12 launches, the export 10", ingest.Run{Kernels: []ingest.Kernel{k},
			Summary: []ingest.Kernel{kernel("k", "114688", "256", 32, 12, 1)}}, 1, 1},
	} {
		r := Compare(&c.run, given(mtl112()), DefaultOptions())
		if r.Summary.GPUTime.Or(0) != c.seconds {
			t.Errorf("%s: GPU time of %v", c.reason, r.Summary.GPUTime)
		}
		if n := len(r.Notes); n != c.notes || n > 0 && !strings.Contains(r.Notes[0].Text,
			"10 of the 12 launches of k") {
			t.Errorf("%s: %v", c.reason, r.Notes)
		}
	}
}
