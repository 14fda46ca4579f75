package compare

import (
	"math"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// TestBounds checks the bounds of the occupancy, from the idle time of rows
// without thread occupancy.
func TestBounds(t *testing.T) {
	adapters := ingest.Platform{Adapters: unit.Some(2)}
	active := func(v float64) tell { return func(k *ingest.Kernel) { pct(&k.Active, v) } }
	stalled := func(v float64) tell { return func(k *ingest.Kernel) { pct(&k.Stalled, v) } }
	for _, c := range []struct {
		reason     string
		platform   ingest.Platform
		kernel     ingest.Kernel
		verdict    Verdict
		low, high  float64 // bounds of the occupancy, in percent; NaN if there is no bound
		difference float64
	}{
		{"20 work-groups fill 95.2%, and idle XVEs leave 86.0%", ingest.Platform{},
			kernel("k", "5120", "256", 32, 1, 0.0778, idle(14), peak(95.2)), Below, 86.0 / 7, 86, -9.2},
		{"the edges of a launch of 10 intervals may be another kernel's", ingest.Platform{},
			kernel("k", "5120", "256", 32, 1, 0.010, idle(14), peak(95.2)), Possible, 86.0 / 7, 86, math.NaN()},
		{"launches of unknown length may be all edges", ingest.Platform{},
			kernel("k", "5120", "256", 32, 0, 0, idle(14)), Possible, 86.0 / 7, 86, math.NaN()},
		{"16 work-groups fill 76.2% of at most 78.4%", ingest.Platform{},
			kernel("k", "4096", "256", 32, 1, 0.0695, idle(21.6), peak(76.2)), Possible, 78.4 / 7, 78.4, math.NaN()},
		{"the range of a partial last wave starts below the bound", ingest.Platform{},
			kernel("k", "6144", "256", 32, 1, 0.1086, idle(36.3), peak(100)), Possible, 63.7 / 7, 63.7, math.NaN()},
		{"one work-group cannot keep all XVEs busy", ingest.Platform{},
			kernel("k", "256", "256", 32, 1, 0.1, idle(0)), Above, 100.0 / 7, 100, 100.0/7 - 100*8.0/168},
		{"idle time of two GPUs contains that of the one that did not work", adapters,
			kernel("k", "5120", "256", 32, 1, 0.0778, idle(57)), Possible, 43.0 / 7, 43, math.NaN()},
		{"a launch that VTune predicts differently is a question of the launch", ingest.Platform{},
			kernel("k", "5120", "256", 32, 1, 0.0778, idle(14), peak(50)), Below, 86.0 / 7, 86, 50 - 95.238},
		{"a measured value needs no bound", ingest.Platform{},
			kernel("k", "5120", "256", 32, 1, 0.0778, idle(14), measured(80)), Below, math.NaN(), math.NaN(),
			80 - 95.238},
		{"no sample of the array is of this kernel", ingest.Platform{},
			kernel("k", "5120", "256", 32, 1, 0.0778, idle(0), active(0), stalled(0)), NoMeasurement, math.NaN(),
			math.NaN(), math.NaN()},
		{"without a launch size nothing is predicted", ingest.Platform{},
			ingest.Kernel{Task: "k", Idle: unit.Some(unit.FromPercent(14))}, NoMeasurement, 86.0 / 7, 86, math.NaN()},
	} {
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{c.kernel}, Platform: c.platform}, given(gen9()),
			DefaultOptions())
		row := &r.Rows[0]
		got := []float64{optional(row.BoundLow), optional(row.BoundHigh), math.NaN()}
		if d, ok := row.Difference.Value(); ok {
			got[2] = float64(d)
		}
		for i, want := range []float64{c.low, c.high, c.difference} {
			if math.IsNaN(got[i]) != math.IsNaN(want) || math.Abs(got[i]-want) > 0.05 {
				t.Errorf("%s: low, high, difference %.2f, want %.2f in place %d", c.reason, got, want, i)
			}
		}
		if row.Verdict != c.verdict {
			t.Errorf("%s: verdict %s, want %s", c.reason, row.Verdict, c.verdict)
		}
		if row.Verdict == Possible && (row.Cause != nil || r.Summary.Judged != 0 || r.Summary.Mismatched() != 0) {
			t.Errorf("%s: a possible row is judged: cause %v, summary %+v", c.reason, row.Cause, r.Summary)
		}
	}
}

// TestBoundsConfirm checks the suggested measurement for a row outside its
// bounds. Only GPUs before Xe need another mode of VTune to count thread
// occupancy.
func TestBoundsConfirm(t *testing.T) {
	for _, c := range []struct {
		why    string
		device *arch.Device
		want   string
	}{
		{"Gen9 counts thread occupancy in full-compute only", gen9(),
			"a collection with -knob characterization-mode=full-compute, which counts thread occupancy"},
		{"Xe counts it in each mode, so the export lacks the column", mtl112(),
			"an export of all columns, which has the thread occupancy"},
	} {
		k := kernel("k", "1048576", "256", 32, 1, 0.1, idle(60))
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(c.device), DefaultOptions())
		if cause := r.Rows[0].Cause; cause == nil || cause.ConfirmWith != c.want {
			t.Errorf("%s: %+v, want %q", c.why, cause, c.want)
		}
	}
}

func optional(o unit.Opt[unit.Ratio]) float64 {
	if v, ok := o.Value(); ok {
		return v.Percent()
	}
	return math.NaN()
}

// TestLeastOfBusy checks rows whose measured occupancy is lower than one thread
// in each busy XVE.
func TestLeastOfBusy(t *testing.T) {
	for _, c := range []struct {
		reason string
		kernel ingest.Kernel
		want   bool
	}{
		{"XVEs that are busy all the time hold at least one of 7 threads", kernel("k", "5120", "256", 32, 1, 0.1, idle(0), measured(10)), true},
		{"one thread in each", kernel("k", "5120", "256", 32, 1, 0.1, idle(0), measured(14.3)), false},
		{"without idle time there is no bound", kernel("k", "5120", "256", 32, 1, 0.1, measured(10)), false},
	} {
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{c.kernel}}, given(gen9()), DefaultOptions())
		found := false
		for _, n := range r.Rows[0].Notes {
			found = found || n.Code == CodeIdleContradicts
		}
		if found != c.want {
			t.Errorf("%s: noted %v, want %v: %v", c.reason, found, c.want, r.Rows[0].Notes)
		}
	}
}

// TestLimitsWithoutSize checks the limits of kernels whose launch size is not
// in any input.
func TestLimitsWithoutSize(t *testing.T) {
	for _, c := range []struct {
		reason    string
		registers int
		slm       unit.Bytes
		want      string
	}{
		{"256 registers leave 4 of 8 threads per XVE", 256, 0, "at most 50% (256 registers)"},
		{"128 registers limit nothing", 128, 0, ""},
		{"48 KB of SLM are allocated as 64 KB, of 128 KB per Xe-core", 128, 48 << 10, "at most 2 work-groups per Xe-core (SLM)"},
		{"both", 256, 64 << 10, "at most 50% (256 registers) and at most 2 work-groups per Xe-core (SLM)"},
		{"more registers than the device has", 512, 0, ""},
	} {
		k := ingest.Kernel{Task: "k", Registers: unit.Some(c.registers), SLM: unit.Some(c.slm)}
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(max1100()), DefaultOptions())
		if got := unit.JoinWords(r.LimitsWithoutSize(&r.Rows[0]), "and"); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
