package compare

import (
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// TestFiguresOfSentences checks the numbers in sentences: intervals have two
// digits, shares have no decimals, and no small value is printed as 0.
func TestFiguresOfSentences(t *testing.T) {
	short := func(n int64, total float64) ingest.Kernel {
		return kernel("k", "114688", "256", 32, n, total, measured(90), idle(8))
	}
	beside := func(total float64) ingest.Kernel {
		return kernel("other", "114688", "256", 32, 10, total, measured(70), idle(8))
	}
	for _, c := range []struct {
		reason  string
		kernels []ingest.Kernel
		inRows  float64 // instructions in rows of kernels, of 100
		says    string
	}{
		{"hundredths below a tenth", []ingest.Kernel{short(1000, 0.094), beside(1)}, 95, "lasts 0.09 of an interval"},
		{"tenths from there", []ingest.Kernel{short(1000, 0.096), beside(1)}, 95, "lasts 0.1 of an interval"},
		{"of less than one", []ingest.Kernel{short(1000, 0.3), beside(1)}, 95, "lasts 0.3 of an interval"},
		{"a share of the time that rounds to nothing", []ingest.Kernel{short(1000, 0.3), beside(100)}, 95, "takes less than 1"},
		{"one that rounds to one", []ingest.Kernel{short(1000, 0.3), beside(40)}, 95, "takes 1"},
		{"no time of its own", []ingest.Kernel{short(1000, 0.3)}, 20, "Only 20"},
		{"nearly none of the instructions", []ingest.Kernel{short(1000, 0.3)}, 0.3, "Only 0"},
		{"10% of the time of others", []ingest.Kernel{kernel("k", "3584", "256", 32, 10, 0.126, measured(18.5), idle(5)), beside(10)}, 95, "lasts 13 sampling intervals"},
		{"one and a half", []ingest.Kernel{kernel("k", "3584", "256", 32, 1000, 1.5, measured(30), idle(5)), beside(1)}, 95, "lasts 1.5 sampling intervals"},
	} {
		run := &ingest.Run{Kernels: c.kernels, Instructions: ingest.Instructions{Kernels: c.inRows, All: 100}}
		row := compared(t, mtl112(), DefaultOptions(), run)
		if row.Cause == nil || !strings.Contains(row.Cause.Evidence, c.says) {
			t.Errorf("%s: %s, %+v, want %q", c.reason, row.Verdict, row.Cause, c.says)
		}
	}
}

// TestSavesTime checks that a remedy does not save time if it only makes a
// kernel measurable, or if it states that nothing can be gained.
func TestSavesTime(t *testing.T) {
	for _, l := range []Remedy{LongerThreads, FewerRegisters, LessSLM, FillWaves, MoreWorkGroups, BalanceWorkGroups,
		BalanceWork, MoreThreads, ShorterGaps, AllStacks, AllAdapters} {
		if !l.SavesTime() {
			t.Errorf("%s may save time", l)
		}
	}
	for _, l := range []Remedy{NoRemedy, RunAlone, MeasureEach, SampleFiner, LongerLaunch, LimitedElsewhere} {
		if l.SavesTime() {
			t.Errorf("%q saves no time", l)
		}
	}
}

// TestRecorded checks that values from all samples of a run replace the
// profiler's own values, which stay available as printed. Counters that were
// read around each launch are not replaced.
func TestRecorded(t *testing.T) {
	record := func(idle float32, tasks ...string) *ingest.Recording {
		trace := sequence(40, 1_500_000, 2_500_000, 0, tasks...)
		r := &ingest.Recording{Trace: trace}
		for at := int64(1_000_000); at <= trace.Last; at += 1_000_000 {
			busy := float32(0) // share of a sample in which a launch ran
			for l := range trace.All() {
				if over := min(l.End, at) - max(l.Start, at-1_000_000); over > 0 {
					busy += float32(over) / 1e6
				}
			}
			r.Add(ingest.CounterSample{At: at, Length: 1_000_000, Measured: .6*busy + idle*(1-busy),
				Active: .5 * busy, Stalled: .4 * busy})
		}
		return r
	}
	queried := func(k *ingest.Kernel) { k.Reading = ingest.AroundLaunch }
	printed := func(k *ingest.Kernel) { pct(&k.Printed, 33) }
	for _, c := range []struct {
		reason      string
		more        tell
		task        string
		idle        float32 // occupancy of samples without a launch
		measured    float64
		printed     float64 // occupancy as printed; 0 if it was not replaced
		note        string
		other, copy bool
	}{
		{"60 in each launch, where 20 is printed", func(*ingest.Kernel) {}, "k", 0, 60, 20, "", false, false},
		{"what the file says to be printed stays so", printed, "k", 0, 60, 33, "", false, false},
		{"counters around each launch are its own", queried, "k", 0, 20, 0, "", false, false},
		{"a kernel of which no launch was recorded", func(*ingest.Kernel) {}, "other", 0, 20, 0, "", false, false},
		{"10% of the slots is in use where nothing runs", func(*ingest.Kernel) {}, "k", .1, 60, 20, "foreign-load", false, false},
	} {
		k := kernel("k", "114688", "256", 32, 40, 0.1, measured(20), idle(30), c.more)
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}, Recording: record(c.idle, c.task)}, given(mtl112()),
			DefaultOptions())
		row := &r.Rows[0]
		got, as := row.Measured.Or(0).Percent(), row.Printed.Or(0).Percent()
		if got < c.measured-1 || got > c.measured+1 || as != c.printed ||
			row.MeasuredLow.Present() != (c.measured == 60) {
			t.Errorf("%s: measured %.1f, printed %.1f, from %v, want %v and %v", c.reason, got, as, row.MeasuredLow,
				c.measured, c.printed)
		}
		if i := row.Idle.Or(0).Percent(); c.measured == 60 && (i < 9 || i > 11) {
			t.Errorf("%s: idle %.1f, want that of the launches, 10", c.reason, i)
		}
		if i, low, high := row.Idle.Or(0), row.IdleLow.Or(0), row.IdleHigh.Or(0); c.measured == 60 && (low > i ||
			high < i || high > i+.05 || low < i-.05) {
			t.Errorf("%s: idle %v of %v to %v", c.reason, i, low, high)
		}
		note := ""
		for _, n := range r.Notes {
			note += n.Code
		}
		if note != c.note {
			t.Errorf("%s: notes %q, want %q", c.reason, note, c.note)
		}
	}
}

// TestTraced checks that gaps and lengths of launches in a trace are reported
// if they explain idle time.
func TestTraced(t *testing.T) {
	uneven := &ingest.Trace{} // nine launches of 0.2 ms and one of 2 ms, in sequence
	uneven.AddLane("gpu")
	at := int64(0)
	for i := range int64(10) {
		length := int64(200_000)
		if i%2 == 1 {
			length = 2_000_000
		}
		uneven.Add(ingest.Launch{Start: at, End: at + length, Task: uneven.Task(ingest.Key{Task: "k"})})
		at += length
	}
	uneven.Finish()
	for _, c := range []struct {
		reason string
		trace  *ingest.Trace
		k      ingest.Kernel
		want   string // expected causes with their confidence
	}{
		{"gaps of a third, and as much idle", sequence(10, 1_000_000, 2_000_000, 0, "k"), kernel("k", "114688", "256", 32, 10, .02, measured(55), idle(33), registers(128)), "gaps low"},
		{"gaps of a tenth, of a third idle", sequence(10, 220_000, 2_000_000, 0, "k"), kernel("k", "114688", "256", 32, 10, .02, measured(55), idle(33), registers(128)), "gaps low"},
		{"gaps of half of a hundredth are none", sequence(10, 10_000, 2_000_000, 0, "k"), kernel("k", "114688", "256", 32, 10, .02, measured(55), idle(33), registers(128)), ""},
		{"launches that all take 0.1 ms: their mean stands for each", sequence(100, 0, 100_000, 0, "k"), kernel("k", "4194304", "256", 32, 100, .01, measured(60), idle(20)), "dispatch medium"},
		{"launches of 0.2 and 2 ms, of which the mean is neither", uneven, kernel("k", "33554432", "256", 32, 10, .011, measured(60), idle(20)), "dispatch low"},
	} {
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k}, Trace: c.trace,
			Instructions: ingest.Instructions{Kernels: 99, All: 100}})
		var got []string
		if row.Breakdown != nil {
			for _, x := range row.Breakdown.Causes {
				if said := x.Name + " " + x.Confidence.String(); x.Name == CauseGaps || x.Name == CauseDispatch &&
					len(got) == 0 {
					got = append(got, said)
				}
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s %q, want %q: %+v", c.reason, row.Verdict, got, c.want, row.Breakdown)
		}
	}
}

// TestBesideInTrace checks that the kernel that shares most of the time is
// named, even if it is the first in the trace.
func TestBesideInTrace(t *testing.T) {
	k := kernel("k", "14336", "256", 32, 10, .02, measured(90), idle(1))
	other := kernel("other", "114688", "256", 32, 10, .02, measured(90), idle(1))
	for _, tasks := range [][]string{{"k", "other"}, {"other", "k"}} {
		run := &ingest.Run{Kernels: []ingest.Kernel{k, other}, Trace: sequence(10, 2_000_000, 2_000_000, 1_000_000,
			tasks...)}
		row := compared(t, mtl112(), DefaultOptions(), run)
		if row.Cause == nil || row.Cause.Name != CauseConcurrentKernels || !strings.Contains(row.Cause.Evidence,
			"most of it other") {
			t.Errorf("%q: %s, %+v", tasks, row.Verdict, row.Cause)
		}
	}
}

// TestIdleEngines checks a run in which half of the XVEs are idle. On a device
// with two stacks, one of them worked. On a device with one stack, some compute
// engines worked.
func TestIdleEngines(t *testing.T) {
	hpc := max1100()
	hpc.Architecture = "Xe-HPC"
	for _, c := range []struct {
		d    *arch.Device
		idle float64
		says string
	}{{max1550(), 51, "one of 2 stacks"}, {hpc, 51, "one of 2 compute engines"}, {hpc, 74,
		"one of 4 compute engines"}} {
		k := kernel("k", "8388608", "256", 32, 1000, 0.3, measured(20), idle(c.idle), registers(128))
		row := compared(t, c.d, DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k}})
		i := slices.IndexFunc(row.Breakdown.Causes, func(x Cause) bool { return x.Name == CauseStack })
		if i < 0 || !strings.Contains(row.Breakdown.Causes[i].Evidence, c.says) {
			t.Errorf("%s idle %v: %+v, want %q", c.d.Key, c.idle, row.Breakdown.Causes, c.says)
		}
	}
}

// TestProven checks that a bound from counters does not count as a proof. A row
// that matches or cannot be judged needs no proof.
func TestProven(t *testing.T) {
	for sure, want := range map[Confidence]bool{High: true, Medium: false, Low: false, 0: true} {
		if row := (Row{Cause: &Cause{Confidence: sure}}); row.Proven() != want {
			t.Errorf("a cause of confidence %q: %v", sure, !want)
		}
	}
	if !(&Row{Kernel: &ingest.Kernel{}}).Proven() {
		t.Error("a row without a cause needs a proof")
	}
}

// TestWhyModel checks that a different peak is explained by SLM or barriers, if
// VTune reports such a limit or no input excludes it.
func TestWhyModel(t *testing.T) {
	peaks := func(slm, barrier float64) tell {
		return func(k *ingest.Kernel) {
			if slm > 0 {
				pct(&k.PeakSLM, slm)
			}
			if barrier > 0 {
				pct(&k.PeakBarrier, barrier)
			}
		}
	}
	for _, c := range []struct {
		reason string
		more   tell
		says   string
		not    string
	}{
		{"SLM limits it", peaks(60, 100), "limits it by SLM", "or SLM or barriers"},
		{"SLM limits it, and that is known", func(k *ingest.Kernel) { peaks(60, 100)(k); k.SLM = unit.Some[unit.Bytes](1024) }, "both come from the launch alone", "limits it by"},
		{"barriers do", peaks(100, 60), "limits it by barriers", "or SLM or barriers"},
		{"neither does", peaks(100, 100), "both come from the launch alone", "or SLM or barriers"},
		{"nothing says so", peaks(0, 0), "or SLM or barriers limit it", "limits it by"},
		{"nothing says so of barriers", peaks(100, 0), "or SLM or barriers limit it", "limits it by"},
		{"nothing says so of SLM", peaks(0, 100), "or SLM or barriers limit it", "limits it by"},
	} {
		row := compared(t, mtl112(), DefaultOptions(),
			&ingest.Run{Kernels: []ingest.Kernel{kernel("k", "114688", "256", 32, 10, 1, measured(55), peak(60),
				c.more)}})
		if row.Cause == nil || row.Cause.Name != CauseModelMismatch || !strings.Contains(row.Cause.Evidence,
			c.says) || strings.Contains(row.Cause.Evidence, c.not) {
			t.Errorf("%s: %s %+v, want %q and no %q", c.reason, row.Verdict, row.Cause, c.says, c.not)
		}
	}
}
