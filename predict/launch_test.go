package predict

import (
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
