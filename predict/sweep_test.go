package predict

import (
	"testing"

	"occudiff/ingest/unit"
)

// TestCalculatorSweeps compares the sweeps with the points in the calculator's
// charts. They differ in three ways. The charts begin at 0 work-items, which is
// not a work-group. The SLM chart does not round to allocation steps, unlike
// the calculator's table. The charts never show more work-groups than the
// launch has with its own work-group size.
func TestCalculatorSweeps(t *testing.T) {
	devices := calculatorDevices(t)
	sweeps := map[string]map[int64]Point{}
	points, empty, unrounded, capped := 0, 0, 0, 0
	for _, r := range readOracle(t, "calculator_sweeps.csv") {
		d, why := devices[r["dev"]].device(int(r.int(t, "xve")))
		if why != "" {
			t.Fatalf("%s: %s", r["dev"], why)
		}
		l := Launch{Global: unit.Size(r.int(t, "global_items")), Local: unit.Size(r.int(t, "wg_items")), SIMD: int(r.int(t, "simd")),
			SLM: unit.Bytes(r.int(t, "slm_kb")) * kb, Barriers: int(r.int(t, "barrier"))}
		name := r["dev"] + r["wg_items"] + r["chart"]
		if sweeps[name] == nil {
			list, scale := SweepLocal(d, l), int64(1)
			if r["chart"] == "slm_sweep" {
				list, scale = SweepSLM(d, l), kb
			}
			sweeps[name] = map[int64]Point{}
			for _, p := range list {
				sweeps[name][p.X/scale] = p
			}
		}
		x := r.int(t, "x")
		want, _ := r.number("core_pct")
		if x == 0 && r["chart"] == "wg_sweep" {
			empty++
			continue
		}
		p, ok := sweeps[name][x]
		if q := p.Prediction; r["chart"] == "slm_sweep" && q.SLMAllocated > p.Launch.SLM {
			n := min(q.ByThreads, q.ByGroupSlots, int64(d.SLMPerXeCore/p.Launch.SLM))
			if q.ByBarriers != Unlimited {
				n = min(n, q.ByBarriers)
			}
			if !near9(ratio(n*q.ThreadsPerGroup, int64(d.SlotsPerXeCore())).Percent(), want) {
				t.Errorf("%s at %d: not even without rounding, want %v", name, x, want)
			}
			unrounded++
			continue
		}
		if own := r.int(t, "global_items") / r.int(t, "wg_items"); own < p.Prediction.GroupsPerXeCore {
			if !near9(ratio(own*p.Prediction.ThreadsPerGroup, int64(d.SlotsPerXeCore())).Percent(), want) {
				t.Errorf("%s at %d: not even capped by %d work-groups, want %v", name, x, own, want)
			}
			capped++
			continue
		}
		if !ok || p.Err != nil || !near9(p.Prediction.XeCore.Percent(), want) {
			t.Errorf("%s at %d: %v (%v, there %v), want %v", name, x, p.Prediction.XeCore.Percent(), p.Err, ok, want)
		}
		points++
	}
	t.Logf("%d points equal, %d at 0 work-items, %d not rounded to an allocation step there, %d capped by the launch's own work-groups", points, empty, unrounded, capped)
	if points != 452 || empty != 5 || unrounded != 345 || capped != 8 {
		t.Errorf("%d points, %d empty, %d unrounded, %d capped", points, empty, unrounded, capped)
	}
}

func TestSweepEnds(t *testing.T) {
	tests := []struct {
		name        string
		points      []Point
		count       int
		first, last int64
		reason      string
	}{
		{"local", SweepLocal(tgl(), Launch{Local: size(100), SIMD: 32}), 65, 8, 512, "64 multiples of 8 and its own size"},
		{"local of a driver rule", SweepLocal(max1100(), Launch{Local: size(16), SIMD: 16, GRF: 256}), 64, 8, 512, "SIMD16 with large GRF ends at 512"},
		{"local without sub-group size", SweepLocal(tgl(), Launch{Local: size(100)}), 1, 100, 100, "no step size: its own error"},
		{"local, unknown GRF", SweepLocal(tgl(), Launch{Local: size(8), SIMD: 8, GRF: 7}), 1, 8, 8, "its own error"},
		{"slm", SweepSLM(tgl(), Launch{Local: size(8), SIMD: 8, SLM: 1500}), 66, 0, 64 * kb, "0..64 KB and its own"},
		{"simd", SweepSIMD(max1100(), Launch{Local: size(8), SIMD: 8}), 3, 8, 32, "its own width is shown with its error"},
		{"no device", SweepSIMD(nil, Launch{Local: size(8), SIMD: 8}), 1, 8, 8, "its own error"},
		{"local, unknown GRF, no size", SweepLocal(tgl(), Launch{SIMD: 8, GRF: 7}), 1, 8, 8, "the smallest size, with the error"},
		{"nothing", SweepLocal(nil, Launch{}), 1, 8, 8, "the smallest size, with the error"},
	}
	for _, tt := range tests {
		if tt.points == nil || len(tt.points) != tt.count {
			t.Errorf("%s: %d points, want %d (%s)", tt.name, len(tt.points), tt.count, tt.reason)
			continue
		}
		if tt.count > 0 && (tt.points[0].X != tt.first || tt.points[tt.count-1].X != tt.last) {
			t.Errorf("%s: %d..%d, want %d..%d (%s)", tt.name, tt.points[0].X, tt.points[tt.count-1].X, tt.first, tt.last, tt.reason)
		}
	}
	if p := SweepSLM(tgl(), Launch{Global: size(6400), Local: size(64), SIMD: 8}); p[0].Prediction.Policy != Free || p[1].Prediction.Policy != Whole {
		t.Errorf("without SLM %v, with 1 KB %v", p[0].Prediction.Policy, p[1].Prediction.Policy)
	}
}
