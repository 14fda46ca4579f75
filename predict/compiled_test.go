package predict

import (
	"cmp"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// TestPredictCompiled checks predictions from only a binary. The values were
// computed by hand from the model's section 1.
func TestPredictCompiled(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Find(arch.Query{Name: "max1100"})
	if err != nil {
		t.Fatal(err)
	}
	gemm := Compiled{SIMD: 32, Registers: 128, SLM: 2048, Barriers: 1, Local: unit.Size(16, 16)}
	large := gemm
	large.Registers = 256
	for _, c := range []struct {
		reason        string
		k             Compiled
		global, local unit.Size3
		peak          float64
		groups        int64
		code          string
	}{
		{"8 threads per work-group, 8 work-groups fill the 64 slots of an Xe-core", gemm, unit.Size3{}, unit.Size3{}, 100, 8, ""},
		{"256 registers halve the threads", large, unit.Size3{}, unit.Size3{}, 50, 4, ""},
		{"the same size, written in another rank", gemm, unit.Size3{}, unit.Size(16, 16, 1), 100, 8, ""},
		{"the kernel fixes its size", gemm, unit.Size3{}, unit.Size(8, 8), 0, 0, "local-fixed"},
		{"only the first dimension differs", gemm, unit.Size3{}, unit.Size(8, 16), 0, 0, "local-fixed"},
		{"the second", gemm, unit.Size3{}, unit.Size(16, 8), 0, 0, "local-fixed"},
		{"the third", gemm, unit.Size3{}, unit.Size(16, 16, 2), 0, 0, "local-fixed"},
		{"only the third dimension differs", Compiled{SIMD: 32, Registers: 128, Local: unit.Size(16, 16, 2)}, unit.Size3{}, unit.Size(16, 16), 0, 0, "local-fixed"},
		{"a swept size fills the GPU", Compiled{SIMD: 32, Registers: 128}, unit.Size3{}, unit.Size3{}, 100, 0, ""},
		{"a small grid has the peak of its work-groups", gemm, unit.Size(16, 16), unit.Size3{}, 100 * 8.0 / 3584, 8, ""},
		{"a sub-group size that the device lacks", Compiled{SIMD: 8, Registers: 128}, unit.Size3{}, unit.Size3{}, 0, 0, "simd-unsupported"},
		{"more registers than any mode", Compiled{SIMD: 32, Registers: 512, Local: unit.Size(32)}, unit.Size3{}, unit.Size3{}, 0, 0, "grf-unsupported"},
	} {
		b, err := PredictCompiled(m.Device, c.k, c.global, c.local)
		if c.code != "" {
			if le, ok := err.(*LaunchError); !ok || le.Code != c.code {
				t.Errorf("%s: %v, want %s", c.reason, err, c.code)
			}
			continue
		}
		p := b.Prediction
		if err != nil || p.Peak.Percent()-c.peak > 1e-9 || c.peak-p.Peak.Percent() > 1e-9 || c.groups > 0 && p.GroupsPerXeCore != c.groups {
			t.Errorf("%s: peak %.3f, %d work-groups per Xe-core, %v; want %.3f, %d", c.reason, p.Peak.Percent(), p.GroupsPerXeCore, err, c.peak, c.groups)
		}
		if c.global.Present() != p.HasGrid() || !c.global.Present() && (p.Average != 0 || p.Waves != 0) {
			t.Errorf("%s: values of a grid without a global size: %+v", c.reason, p)
		}
		if ofGrid := p.Limits & (LimitGrid | LimitTail); p.Limits == 0 || (ofGrid != 0) != c.global.Present() {
			t.Errorf("%s: limits %v", c.reason, p.Limits.Names())
		}
		if l := b.Launch; l.SIMD != c.k.SIMD || l.GRF != c.k.Registers || l.Global != c.global || l.Local != cmp.Or(c.k.Local, b.Best) {
			t.Errorf("%s: the launch is %+v", c.reason, l)
		}
	}
}

// TestBestLocal checks the range of the work-group sizes with the highest
// occupancy.
func TestBestLocal(t *testing.T) {
	for _, c := range []struct {
		reason        string
		k             Compiled
		global        unit.Size3
		best, largest unit.Size3
		sizes         int
	}{
		{"every power of two fills the slots", Compiled{SIMD: 32, Registers: 128}, unit.Size3{}, unit.Size(32), unit.Size(1024), 6},
		{"one work-group per Xe-core", Compiled{SIMD: 32, Registers: 128, SLM: 128 * kb}, unit.Size3{}, unit.Size(1024), unit.Size(1024), 1},
		{"two dimensions", Compiled{SIMD: 32, Registers: 128}, unit.Size(64, 64), unit.Size(32, 1), unit.Size(64, 16), 6},
		{"a fixed size", Compiled{SIMD: 32, Registers: 128, Local: unit.Size(64)}, unit.Size3{}, unit.Size3{}, unit.Size3{}, 0},
	} {
		b, err := PredictCompiled(max1100(), c.k, c.global, unit.Size3{})
		if err != nil || b.Best != c.best || b.BestLargest != c.largest || b.BestSizes != c.sizes {
			t.Errorf("%s: %v to %v, %d sizes, %v; want %v to %v, %d", c.reason, b.Best, b.BestLargest, b.BestSizes, err,
				c.best, c.largest, c.sizes)
		}
	}
}
