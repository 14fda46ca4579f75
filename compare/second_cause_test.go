package compare

import (
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// TestSecondCause checks that a row shows the cause of its second part only if
// that part is nearly as large, and that kernels with different second causes
// are different findings.
func TestSecondCause(t *testing.T) {
	short := func(name string, m, i float64) ingest.Kernel {
		return kernel(name, "114688", "256", 32, 1000, 0.03, measured(m), idle(i))
	}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{short("k1", 60, 22), short("k2", 70, 25)}}, given(mtl112()),
		DefaultOptions())
	for i, want := range []string{CauseDispatch, ""} {
		row, got := &r.Rows[i], ""
		if c := row.SecondCause(); c != nil {
			got = c.Name
		}
		if got != want {
			t.Errorf("%s: %+v, second %q, want %q", row.Task, row.Cause, got, want)
		}
	}
	if n := len(r.Groups(false)); n != 2 {
		t.Errorf("%d findings, want 2", n)
	}
	if c := (&Row{Verdict: Below, Cause: &Cause{Part: PartIdle}}).SecondCause(); c != nil {
		t.Errorf("a row without a breakdown has the second cause %+v", c)
	}
}

// TestUnlikeLaunches checks rows that are a mean over launches. If some launches
// match and others are much lower, the row has no remedy that comes from the
// mean. Launches that only scatter keep the cause of their mean.
func TestUnlikeLaunches(t *testing.T) {
	for _, c := range []struct {
		reason                string
		mean, idle            float64
		seconds               float64 // time of a launch
		least, upper, highest float64
		cause                 string
		fix                   Remedy
	}{
		{"three of four are full", 85.7, 13.3, 0.1, 48.4, 98.1, 98.4, CauseLaunches, NoRemedy},
		{"one of two is full", 73.4, 25.8, 0.1, 48.4, 98.4, 98.4, CauseLaunches, NoRemedy},
		{"busy XVEs of some launches have fewer threads", 85.7, 1, 0.1, 48.4, 98.1, 98.4, CauseLaunches, NoRemedy},
		{"5% of the launches are low, with as much idle time as can be between launches of 10 ms", 94.1, 5.2, 0.01, 20, 98, 98,
			CauseLaunches, NoRemedy},
		{"all are alike", 85.7, 13.3, 0.1, 85.1, 86, 86.3, CauseImbalance, BalanceWorkGroups},
		{"noise of 2 points", 93, 6, 0.1, 85, 94.4, 100, CauseImbalance, BalanceWorkGroups},
		{"a match by noise alone: it misses more than half", 93.9, 5, 0.1, 80, 95, 100, CauseImbalance, BalanceWorkGroups},
		{"only one of eight matches", 54.6, 44.8, 0.1, 48.4, 48.6, 98.4, CauseImbalance, BalanceWorkGroups},
		{"a launch of one interval can contain a gap of the same length", 85.7, 13.3, 0.655e-3, 48.4, 98.1, 98.4, CauseGaps, NoRemedy},
	} {
		k := kernel("k", "16777216", "256", 32, 100, 100*c.seconds, measured(c.mean), array(41, 99-41-c.idle, c.idle), peak(100))
		share := func(percent float64) optRatio { return unit.Some(unit.FromPercent(percent)) }
		k.Launches = &ingest.LaunchSpread{MinMeasured: share(c.least), MedianMeasured: share(c.mean),
			UpperMeasured: share(c.upper), MaxMeasured: share(c.highest)}
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(max1100()), DefaultOptions())
		row := &r.Rows[0]
		if row.Cause == nil || row.Cause.Name != c.cause || row.Fix.Remedy != c.fix {
			t.Errorf("%s: %s, %+v, fix %+v", c.reason, row.Verdict, row.Cause, row.Fix)
			continue
		}
		unlike := c.cause == CauseLaunches
		if (row.Speedup.Verdict() == SpeedupUndetermined && !row.Speedup.Bound().Present()) != unlike && c.fix != NoRemedy ||
			unlike && r.NextStep(row).Action != EachLaunch {
			t.Errorf("%s: %+v, next %+v", c.reason, row.Speedup, r.NextStep(row))
		}
	}
}

// TestLongNames checks that a name of more than 80 characters is shortened.
func TestLongNames(t *testing.T) {
	for n, want := range map[int]int{80: 80, 81: 80} {
		if got := kernelName(strings.Repeat("a", n)); len(got) != want || strings.HasSuffix(got, "...") != (n > 80) {
			t.Errorf("a name of %d characters becomes %q", n, got)
		}
	}
}

// TestElsewhere checks the prediction for another device. It has no limits that
// a profiler reports as shares, and a remark about them.
func TestElsewhere(t *testing.T) {
	limited := kernel("k", "114688", "256", 32, 10, 1, measured(48), peak(50), func(k *ingest.Kernel) {
		pct(&k.PeakSLM, 50)
		pct(&k.PeakBarrier, 100)
	})
	for _, c := range []struct {
		reason  string
		k       ingest.Kernel
		average unit.Ratio
		remark  string
	}{
		{"VTune reports a limit by SLM", limited, 1, "at most: VTune reports a limit"},
		{"no limit", kernel("k", "114688", "256", 32, 10, 1, measured(48)), 1, ""},
		{"no launch size", kernel("k", "", "", 0, 10, 1, measured(48)), 0, "no global work size"},
		{"a work-group that the device cannot run", kernel("k", "8192", "4096", 32, 10, 1, measured(48)), 0, "4096"},
	} {
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{c.k}}, given(mtl112()), DefaultOptions())
		e := r.On(&r.Rows[0], mtl112())
		if p := e.Predicted; p != nil && p.Average != c.average || (p == nil) != (c.average == 0) ||
			!strings.Contains(e.Remark, c.remark) || (e.Remark == "") != (c.remark == "") {
			t.Errorf("%s: %+v, %q", c.reason, p, e.Remark)
		}
		if p := r.Rows[0].Predicted; p != nil && (p.Policy == predict.Whole) != (c.remark != "") {
			t.Errorf("%s: policy %v", c.reason, p.Policy)
		}
	}
}

// TestOneStack checks that a row that names its stack is not averaged over the
// stacks of the GPU.
func TestOneStack(t *testing.T) {
	for one, want := range map[bool]int{true: 1, false: 2} {
		r := &Result{Device: max1550(), Platform: ingest.Platform{Stacks: unit.Some(2)}}
		row := &Row{Kernel: &ingest.Kernel{OneStack: one}}
		if got, _ := r.averaged(row); got != want {
			t.Errorf("a row of one stack (%v): averaged over %d, want %d", one, got, want)
		}
	}
}

// TestNamesInOptions checks that only names that no kernel has are noted.
func TestNamesInOptions(t *testing.T) {
	o := DefaultOptions()
	for _, name := range []string{"a_kernel", "other"} {
		o.SIMD.Set(name, 32)
	}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{kernel("a_kernel", "114688", "256", 32, 10, 1, measured(90))}},
		given(mtl112()), o)
	var texts []string
	for _, n := range r.Notes {
		if n.Code == "no-such-kernel" {
			texts = append(texts, n.Text)
		}
	}
	if len(texts) != 1 || !strings.Contains(texts[0], "other") {
		t.Errorf("notes %q, want one on other", texts)
	}
}

// TestValueWithoutTime checks the sentence of a row whose share of other tasks is
// unknown, because the time of a launch is not given.
func TestValueWithoutTime(t *testing.T) {
	k := kernel("k", "114688", "256", 32, 10, 1, measured(80))
	k.Instances = unit.Opt[int64]{}
	other := kernel("o", "114688", "256", 32, 10, 9, measured(75))
	row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k, other}})
	if row.Cause == nil || !strings.Contains(row.Cause.Evidence, "10% of the GPU's time, and the time of a launch is not given") {
		t.Errorf("%s: %s, %+v", row.Task, row.Verdict, row.Cause)
	}
}

// TestThreadsElsewhere checks the share of threads outside the rows of kernels,
// which replaces the share of instructions if no row has instructions.
func TestThreadsElsewhere(t *testing.T) {
	counted := func(n int64) tell { return func(k *ingest.Kernel) { k.Threads = unit.Some(n) } }
	k := kernel("k", "114688", "256", 32, 1000, 1, measured(60), idle(30), counted(100))
	copies := kernel("zeCommandListAppendMemoryCopy", "", "", 0, 10, 0.25, counted(300))
	row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k, copies}})
	if got := row.Certainty.elsewhere; got != unit.Some[unit.Ratio](0.75) {
		t.Errorf("%v of the threads are outside the rows of kernels, want 0.75", got)
	}
}

// TestSameRunTimes checks that launches of up to twice the length may belong to
// the same run as the trace.
func TestSameRunTimes(t *testing.T) {
	for _, c := range []struct {
		seconds  float64
		rejected bool
	}{{10, false}, {20, false}, {20.1, true}} { // 10 launches; the trace has launches of 1 s
		trace := &ingest.Trace{}
		trace.AddLane("gpu")
		for i := range int64(10) {
			trace.Add(ingest.Launch{Start: 2 * i * 1e9, End: (2*i + 1) * 1e9, Task: trace.Task(ingest.Key{Task: "k"})})
		}
		trace.Finish()
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{kernel("k", "114688", "256", 32, 10, c.seconds, measured(60))},
			Trace: trace}, given(mtl112()), DefaultOptions())
		if r.otherTrace != c.rejected {
			t.Errorf("launches of %v s: rejected %v", c.seconds/10, r.otherTrace)
		}
	}
}
