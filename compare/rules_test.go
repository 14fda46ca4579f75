package compare

import (
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// given returns the choice of a device, without a check against the run.
func given(d *arch.Device) Choice { return Choice{Choice: arch.Choice{Device: d}} }

// on compares a run with the named device. If name is empty, it uses the device
// that the run identifies.
func on(run *ingest.Run, t *arch.Table, name string, xves int, opt Options) (*Result, error) {
	c, err := ChooseDevice(run, t, arch.Options{Name: name, XVEs: xves}, RejectRun, opt)
	if err != nil {
		return nil, err
	}
	return Compare(run, c, opt), nil
}

// TestRules checks kernels of 4 full waves whose values are just below and just
// above the threshold of a rule. It checks the verdict and the causes of the
// breakdown.
func TestRules(t *testing.T) {
	const most = "114688"
	threads := func(n int64, uneven bool) tell {
		return func(k *ingest.Kernel) { k.Threads, k.Uneven = unit.Some(n), uneven }
	}
	for _, c := range []struct {
		reason  string
		d       *arch.Device
		k       ingest.Kernel
		all     float64 // number of instructions, of which 1 is in rows of kernels
		verdict Verdict
		causes  []string
		decide  string // confirming measurement of the row's cause
	}{
		{"4.0 points are empty and 3.8 underfilled: only idle time is missing", mtl112(), kernel("k", most, "256", 32, 1000, 1, measured(92.2), idle(4)), 1.2, MatchWhileBusy, nil, ""},
		{"3.0 are empty and 3.9 underfilled", mtl112(), kernel("k", most, "256", 32, 1000, 1, measured(93.1), idle(3), registers(128)), 1, Below, []string{CauseImbalance, CauseImbalance}, "a collection with stall reasons"},
		{"40% idle, of which a tenth can lie outside: gaps are not what it is", mtl112(), kernel("k", most, "256", 32, 100, 0.9, measured(55), idle(40), registers(128)), 1.2, Below, []string{CauseImbalance, CauseImbalance}, evenWork},
		{"15% idle, of which a tenth can lie outside: gaps may be", mtl112(), kernel("k", most, "256", 32, 100, 0.9, measured(83), idle(15), registers(128)), 1.2, Below, []string{CauseImbalance, CauseGaps, CauseImbalance}, evenWork},
		{"no thread was seen, and no XVE ran", mtl112(), kernel("k", most, "256", 32, 100, 1, measured(0), idle(100)), 1, Below, []string{CauseNoActivity}, "a collection with -knob target-gpu"},
		{"three times the threads of ten launches of 3,584: too long for threads of others to matter", gen9(), kernel("k", most, "256", 32, 10, 1, measured(60), idle(4), threads(107520, false)), 1, Below, []string{CauseImbalance, CauseImbalance}, "a collection with stall reasons"},
		{"launches of several sizes may have started them", gen9(), kernel("k", most, "256", 32, 10, 1, measured(60), idle(4), threads(107520, true)), 1, Below, []string{CauseImbalance, CauseImbalance}, "a collection with stall reasons"},
	} {
		row := compared(t, c.d, DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k},
			Instructions: ingest.Instructions{Kernels: 1, All: c.all}})
		var causes []string
		decide := ""
		if row.Breakdown != nil {
			for _, x := range row.Breakdown.Causes {
				causes = append(causes, x.Name)
			}
		}
		if row.Cause != nil {
			decide = row.Cause.ConfirmWith
		}
		if row.Verdict != c.verdict || !slices.Equal(causes, c.causes) || decide != c.decide {
			t.Errorf("%s: %s, %v, to decide %q; want %s, %v, %q", c.reason, row.Verdict, causes, decide, c.verdict,
				c.causes, c.decide)
		}
	}
}

// TestContradictingFigures checks that values of a row that contradict each
// other have a note, and that values that agree or are absent have no note.
func TestContradictingFigures(t *testing.T) {
	const grf, sum = "does not know the GRF mode", "add up to"
	state := func(active, stalled float64) tell {
		return func(k *ingest.Kernel) {
			pct(&k.Active, active)
			pct(&k.Stalled, stalled)
		}
	}
	for _, c := range []struct {
		reason string
		tells  []tell
		says   []string
	}{
		{"256 registers hold half of the slots", []tell{measured(49), idle(1), registers(256), peak(100)}, []string{grf}},
		{"128 registers hold all", []tell{measured(97), idle(1), registers(128), peak(100)}, nil},
		{"90% in all", []tell{measured(60), idle(30), state(30, 30)}, []string{sum}},
		{"100% in all", []tell{measured(60), idle(30), state(30, 40)}, nil},
		{"idle alone", []tell{measured(60), idle(30)}, nil},
	} {
		row := compared(t, mtl112(), DefaultOptions(),
			&ingest.Run{Kernels: []ingest.Kernel{kernel("k", "114688", "256", 32, 10, 1, c.tells...)}})
		for _, text := range []string{grf, sum} {
			if strings.Contains(notesOf(row), text) != slices.Contains(c.says, text) {
				t.Errorf("%s: notes %q, want those with %q", c.reason, notesOf(row), c.says)
			}
		}
	}
}

// TestFitString checks that up to three devices are named, and that more
// devices are counted.
func TestFitString(t *testing.T) {
	var f Fit
	for i, want := range []string{"none of 75 devices", "a only", "a and b", "a, b and c",
		"4 of 75 devices, among them a, b, c"} {
		if f.Of = 75; f.String() != want {
			t.Errorf("%d devices: %q, want %q", i, f.String(), want)
		}
		f.Devices = append(f.Devices, &arch.Device{Key: string(rune('a' + i))})
	}
	// Counters of 112 XVEs come from one of the two stacks of a device with 224
	// XVEs.
	f = Fit{Counted: 112, Devices: []*arch.Device{{Key: "two", XeCores: 14, XVEPerXeCore: 16, Tiles: 2}, {Key: "one",
		XeCores: 7, XVEPerXeCore: 16}}}
	if f.String() != "a stack of two and one" {
		t.Errorf("%q", f.String())
	}
}

// TestNamesOfMetrics checks that a history finds a metric by its name, and
// knows whether the metric comes from counters.
func TestNamesOfMetrics(t *testing.T) {
	for i, m := range Metrics {
		sampled := !slices.Contains([]string{MetricPredicted, "peak", MetricTime, MetricTotal, "spill"}, m.Name)
		if MetricNamed(m.Name) != i || m.Sampled != sampled {
			t.Errorf("%d: %+v is found at %d", i, m, MetricNamed(m.Name))
		}
	}
	k := kernel("k", "114688", "256", 32, 10, 1, measured(60), idle(10))
	k.Spill = unit.Some[unit.Bytes](64)
	row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k}})
	for name, want := range map[string]float64{"spill": 64, MetricTotal: 1, MetricTime: 0.1, MetricIdle: 10,
		"peak": 100, MetricPredicted: 100, MetricResidual: -40} {
		if v, ok := Metrics[MetricNamed(name)].Of(row).Value(); !ok || v-want > 1e-9 || want-v > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	for _, m := range Metrics {
		if v := m.Of(&Row{Kernel: &ingest.Kernel{}}); v.Present() {
			t.Errorf("%s of a row that has nothing is %v", m.Name, v)
		}
	}
	if MetricNamed("none") != -1 {
		t.Error("a name that no metric has")
	}
}

// TestSamplingInterval checks that the real distance between samples is used
// instead of the given interval, and that a note reports the difference.
func TestSamplingInterval(t *testing.T) {
	opt := DefaultOptions()
	opt.SamplingInterval = 0.002
	run := &ingest.Run{Kernels: []ingest.Kernel{kernel("k", "114688", "256", 32, 10, 1, measured(97), idle(1))}}
	run.Platform.SamplingInterval = unit.Some(unit.Seconds(0.000853))
	for _, assumed := range []bool{false, true} { // an assumed interval has no note
		opt.SamplingAssumed = assumed
		r := Compare(run, given(mtl112()), opt)
		said := slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Code == "sampling-interval" })
		if said == assumed || r.SamplingInterval() != 0.000853 {
			t.Errorf("assumed %v: said %v, the interval is %v", assumed, said, r.SamplingInterval())
		}
	}
	if r := (Result{Options: DefaultOptions()}); r.SamplingInterval() != 0.001 {
		t.Errorf("without a device the interval is %v", r.SamplingInterval())
	}
}

// TestPeaksAgree checks that rows without a measurement are not counted as
// matches, even if their two predicted peaks agree.
func TestPeaksAgree(t *testing.T) {
	if s := (Summary{Matched: 1, MatchedWhileBusy: 2, Below: 4, Above: 8}); s.Compared() != 15 || s.Mismatched() != 12 {
		t.Errorf("%d compared, %d of them mismatched", s.Compared(), s.Mismatched())
	}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{
		kernel("a", "114688", "256", 32, 10, 1, peak(100)), kernel("b", "114688", "256", 32, 10, 1, measured(97),
			idle(1), peak(100)),
		kernel("c", "2048", "16", 16, 10, 1, peak(14.3))}}, given(mtl112()), DefaultOptions())
	if s := r.Summary; s.Matched != 1 || s.PeaksAgree != 2 || s.ModelMatched != 3 {
		t.Errorf("%d matched, %d of peaks alone, %d of the model", s.Matched, s.PeaksAgree, s.ModelMatched)
	}
}

// TestBusyOutsideTasks checks a summary in which the GPU is busy for longer
// than all tasks take. This is evidence of time between launches.
func TestBusyOutsideTasks(t *testing.T) {
	for _, c := range []struct {
		reason string
		busy   unit.Seconds
		want   bool
	}{{"37% of 1.774 s is outside any task", 1.774, true}, {"tasks take all of the time", 1.112, false}} {
		k := kernel("Fan2", "2048 x 2048", "1024 x 1", 32, 2047, 1.112, measured(62.7), idle(20.7))
		run := &ingest.Run{Kernels: []ingest.Kernel{k}}
		run.Platform.GPUTime = unit.Some(c.busy)
		row := compared(t, mtl112(), DefaultOptions(), run)
		i := slices.IndexFunc(row.Breakdown.Causes, func(x Cause) bool { return x.Name == CauseGaps })
		if i < 0 || strings.Contains(row.Breakdown.Causes[i].Evidence,
			"37% of that time is outside any task") != c.want {
			t.Errorf("%s: %+v", c.reason, row.Breakdown.Causes)
		}
	}
}
