package predict

import (
	"slices"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

func TestDriverMaxGroups(t *testing.T) {
	tests := []struct {
		name    string
		d       *arch.Device
		l       Launch
		want    DriverLimit // except Reasons, which are compared separately
		reasons []string
	}{
		{"only the threads agree", tgl(), Launch{Global: size(22528), Local: size(512), SIMD: 32},
			DriverLimit{Groups: 42, ByThreads: unit.Some[int64](42), BarrierSlots: 32, Model: 42}, []string{}},
		{"barriers differ", tgl(), Launch{Local: size(16), SIMD: 16, Barriers: 1},
			DriverLimit{Groups: 192, ByThreads: unit.Some[int64](672), ByBarriers: unit.Some[int64](192), BarrierSlots: 32, Model: 384, Differs: true},
			[]string{"barriers: 32 slots per Xe-core in the driver's formula, 64 (calculator) in the model"}},
		{"SLM limit of a work-group, not of the Xe-core", mtl112(), Launch{Local: size(64), SIMD: 32, SLM: 16 * kb},
			DriverLimit{Groups: 28, ByThreads: unit.Some[int64](448), BySLM: unit.Some[int64](28), BarrierSlots: 32, Model: 56, Differs: true},
			[]string{"SLM: the driver's formula distributes 7 x 64 KB, the maximum of one work-group, over the GPU; the model uses 128 KB per Xe-core"}},
		{"SLM pooled over the Xe-cores", max1100(), Launch{Local: size(32), SIMD: 32, SLM: 48 * kb},
			DriverLimit{Groups: 149, ByThreads: unit.Some[int64](3584), BySLM: unit.Some[int64](149), BarrierSlots: 32, Model: 112, Differs: true},
			[]string{"SLM: the driver's formula distributes 56 x 128 KB, the maximum of one work-group, over the GPU; the model uses 128 KB per Xe-core"}},
		{"large GRF", max1100(), Launch{Local: size(512), SIMD: 32, GRF: 256},
			DriverLimit{Groups: 112, ByThreads: unit.Some[int64](112), BarrierSlots: 32, Model: 112}, []string{}},
		{"slots given", tgl(), Launch{Local: size(32), SIMD: 8, GroupSlots: 16},
			DriverLimit{Groups: 168, ByThreads: unit.Some[int64](168), BarrierSlots: 32, Model: 96, Differs: true},
			[]string{"work-group slots: the driver's formula has none, the model has 16 per Xe-core"}},
		{"barriers that the driver refuses", tgl(), Launch{Local: size(32), SIMD: 8, Barriers: 40},
			DriverLimit{Groups: 0, ByThreads: unit.Some[int64](168), ByBarriers: unit.Some[int64](0), BarrierSlots: 32, Model: 6, Differs: true},
			[]string{"barriers: 32 slots per Xe-core in the driver's formula, 64 (calculator) in the model"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DriverMaxGroups(tt.d, tt.l)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Reasons, tt.reasons) {
				t.Errorf("reasons %q, want %q", got.Reasons, tt.reasons)
			}
			g, w := got, tt.want
			g.Reasons = nil
			if g.Groups != w.Groups || g.ByThreads != w.ByThreads || g.ByBarriers != w.ByBarriers || g.BySLM != w.BySLM ||
				g.BarrierSlots != w.BarrierSlots || g.Model != w.Model || g.Differs != w.Differs {
				t.Errorf("got  %+v\nwant %+v", g, w)
			}
		})
	}
	if _, err := DriverMaxGroups(tgl(), Launch{Local: size(640), SIMD: 8}); err == nil {
		t.Error("a launch that cannot run has a driver limit")
	}
}
