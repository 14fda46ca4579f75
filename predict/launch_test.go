package predict

import (
	"fmt"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

func TestGRFModeFor(t *testing.T) {
	tests := []struct {
		d         *arch.Device
		registers int
		want      int // 0 if there is none
		reason    string
	}{
		{b390(), 96, 96, "exactly a mode"}, {b390(), 97, 128, "the next mode"}, {b390(), 140, 160, "the next mode"},
		{b390(), 257, 0, "above the largest mode"}, {tgl(), 128, 128, "its only mode"}, {tgl(), 129, 0, "no large GRF"},
		{&arch.Device{ThreadsPerXVE: 7}, 100, 128, "a device without modes has one of 128"},
		{&arch.Device{ThreadsPerXVE: 7}, 256, 0, "a device without modes has no other mode"},
	}
	for _, tt := range tests {
		m, ok := GRFModeFor(tt.d, tt.registers)
		if ok != (tt.want > 0) || m.Registers != tt.want {
			t.Errorf("%s, %d registers: %+v %v, want %d (%s)", tt.d.Key, tt.registers, m, ok, tt.want, tt.reason)
		}
	}
}

// TestForRegisters checks the launch for a number of registers, and the error
// for more registers than the device has.
func TestForRegisters(t *testing.T) {
	for _, tt := range []struct {
		d         *arch.Device
		registers int
		want      string
	}{
		{b390(), 140, "160"},
		{max1100(), 256, "256"},
		{max1100(), 300, "Data Center GPU Max 1100 has at most 256 registers per thread, not 300 (a kernel that needs more spills)"},
		{&arch.Device{Name: "new"}, 200, "new has at most 128 registers per thread, not 200 (a kernel that needs more spills)"},
	} {
		l, err := Launch{SIMD: 16}.ForRegisters(tt.d, tt.registers)
		got := fmt.Sprint(l.GRF)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want || l.SIMD != 16 {
			t.Errorf("%d registers: %s, want %s", tt.registers, got, tt.want)
		}
	}
}

// TestLimitsOfOneResource checks the limits that registers or SLM set for any
// launch size, and the SLM that a launch could use in addition.
func TestLimitsOfOneResource(t *testing.T) {
	bare := &arch.Device{ThreadsPerXVE: 8}
	for _, tt := range []struct {
		reason    string
		registers unit.Opt[unit.Ratio]
		want      unit.Opt[unit.Ratio]
	}{
		{"half of the threads", RegisterLimit(max1100(), 256), unit.Some(unit.Ratio(0.5))},
		{"all threads", RegisterLimit(max1100(), 100), unit.Some(unit.Ratio(1))},
		{"no such mode", RegisterLimit(max1100(), 257), unit.Opt[unit.Ratio]{}},
		{"unknown XVEs", RegisterLimit(bare, 128), unit.Opt[unit.Ratio]{}},
	} {
		if tt.registers != tt.want {
			t.Errorf("%s: %v, want %v", tt.reason, tt.registers, tt.want)
		}
	}
	for _, tt := range []struct {
		reason string
		slm    unit.Opt[int64]
		want   unit.Opt[int64]
	}{
		{"26 KB take 32 KB of 128 KB", SLMLimit(max1100(), 26*kb), unit.Some(int64(4))},
		{"no SLM", SLMLimit(max1100(), 0), unit.Opt[int64]{}},
		{"unknown SLM", SLMLimit(bare, 26*kb), unit.Opt[int64]{}},
	} {
		if tt.slm != tt.want {
			t.Errorf("%s: %v, want %v", tt.reason, tt.slm, tt.want)
		}
	}
	for _, tt := range []struct {
		reason string
		l      Launch
		want   unit.Bytes
	}{
		{"4 work-groups fill an Xe-core, 128 KB / 4", Launch{Local: size(512), SIMD: 32}, 32 * kb},
		{"26 KB are allocated as 32", Launch{Local: size(512), SIMD: 32, SLM: 26 * kb}, 32 * kb},
		{"64 work-groups of one thread, 128 KB / 64", Launch{Local: size(32), SIMD: 32}, 2 * kb},
		{"a launch that cannot run", Launch{Local: size(4096), SIMD: 32}, 0},
	} {
		if got := slmRoom(max1100(), tt.l); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, unit.FormatBytes(got), unit.FormatBytes(tt.want))
		}
	}
}

// TestXeCoreShare checks the occupancy of one Xe-core with few work-groups: 3
// work-groups of 8 threads fill 24 of 64 slots.
func TestXeCoreShare(t *testing.T) {
	for groups, want := range map[int64]unit.Ratio{1: 8. / 64, 3: 24. / 64, 8: 1, 100: 1} {
		p, err := Predict(max1100(), Launch{Global: size(256 * groups), Local: size(256), SIMD: 32})
		if got := p.XeCoreShare(); err != nil || got != want {
			t.Errorf("%d work-groups: %v, %v; want %v", groups, got, err, want)
		}
	}
}

// TestDefaultGRF checks that the default is the first mode with at least 128
// registers, also on a device whose modes all have more.
func TestDefaultGRF(t *testing.T) {
	d := max1100()
	d.GRFModes = []arch.GRFMode{{Registers: 256, ThreadsPerXVE: 8}, {Registers: 512, ThreadsPerXVE: 4}}
	p, err := Predict(d, Launch{Local: size(1024), SIMD: 32})
	if err != nil || p.XeCore != 1 {
		t.Errorf("%v %v: 256 registers are the default mode and leave all threads", p.XeCore, err)
	}
	d.GRFModes = nil
	if p, err := Predict(d, Launch{Local: size(1024), SIMD: 32, GRF: 128}); err != nil || p.XeCore != 1 {
		t.Errorf("%v %v: a device without modes has one", p.XeCore, err)
	}
}

// TestGroupLimits compares limits in every supported notation with the launches
// that Predict rejects.
func TestGroupLimits(t *testing.T) {
	tests := []struct {
		rules           string
		simd, registers int
		want            int64
		reason          string
	}{
		{"", 16, 128, 1024, "none"},
		{"large_grf_simd16=512", 16, 256, 512, "work-items"},
		{"large_grf=256", 32, 256, 256, "any sub-group size"},
		{"simd16_grf128=20 other=10", 16, 128, 320, "the first matching rule"},
		{"simd16_grf128=20;other=10", 32, 128, 320, "other"},
		{"grf256_or_simd32=16", 32, 128, 512, "an alternative"},
		{"grf256_or_simd32=16", 16, 256, 256, "the other alternative"},
		{"grf256_or_simd32=16", 16, 128, 1024, "neither"},
		{"other=200", 16, 128, 1024, "a rule never raises the maximum"},
	}
	for _, tt := range tests {
		d := max1100()
		d.GroupLimits = groupLimits(tt.rules)
		if got := maxGroupSize(d, tt.simd, tt.registers); got != tt.want {
			t.Errorf("%q SIMD%d GRF %d: %d, want %d (%s)", tt.rules, tt.simd, tt.registers, got, tt.want, tt.reason)
		}
		for x := int64(1); x <= 1024; x++ { // one more work-item is rejected, none fewer is
			_, err := Predict(d, Launch{Local: size(x), SIMD: tt.simd, GRF: tt.registers})
			refusal, ok := err.(*LaunchError)
			if tooLarge := ok && refusal.Code == "group-too-large"; tooLarge != (x > tt.want) {
				t.Fatalf("%q SIMD%d GRF %d: %d work-items: %v", tt.rules, tt.simd, tt.registers, x, err)
			}
		}
	}
}

func TestFillOf(t *testing.T) {
	tests := []struct {
		d      *arch.Device
		l      Launch
		want   FullGrid
		reason string
	}{
		{tgl(), Launch{Local: size(512), SIMD: 32}, FullGrid{42, 42}, "672 / 16"},
		{tgl(), Launch{Local: size(320), SIMD: 8}, FullGrid{17, 84}, "16.8 work-groups of 40 threads; 84 are five waves"},
		{tgl(), Launch{Local: size(320), SIMD: 8, Barriers: 1}, FullGrid{12, 12}, "6 Xe-cores x 2"},
		{max1100(), Launch{Global: size(7), Local: size(512), SIMD: 32, GRF: 256}, FullGrid{112, 112}, "half the threads; the grid does not matter"},
	}
	for _, tt := range tests {
		if got, err := fullGridOf(tt.d, tt.l); err != nil || got != tt.want {
			t.Errorf("%+v: %+v %v, want %+v (%s)", tt.l, got, err, tt.want, tt.reason)
		}
		// The result must agree with the prediction for such a launch.
		l := tt.l
		items, _ := l.Local.Items()
		l.Local, l.Global = size(items), unit.Size(items*tt.want.Multiple)
		if p, err := Predict(tt.d, l); err != nil || p.LastWaveOccupancy != 0 || p.Average != p.Peak {
			t.Errorf("%+v: tail %v, average %v of %v, %v", l, p.LastWaveOccupancy, p.Average, p.Peak, err)
		}
	}
	if _, err := fullGridOf(tgl(), Launch{Local: size(640), SIMD: 8}); err == nil {
		t.Error("a launch that cannot run fills the GPU")
	}
}
