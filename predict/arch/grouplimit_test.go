package arch

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseGroupLimits(t *testing.T) {
	const most = math.MaxInt
	tests := []struct {
		text   string
		want   []GroupLimit
		reason string
	}{
		{"", nil, "no limits"},
		{"large_grf_simd16=512", []GroupLimit{{SIMD: 16, MinRegisters: 256, MaxRegisters: most, WorkItems: 512}}, "work-items, both conditions must apply"},
		{"large_grf=256", []GroupLimit{{MinRegisters: 256, MaxRegisters: most, WorkItems: 256}}, "any sub-group size"},
		{"max_threads_per_wg.simd16_grf128=64;other=32", []GroupLimit{
			{SIMD: 16, MinRegisters: 128, MaxRegisters: 128, Threads: 64}, {MaxRegisters: most, Threads: 32}}, "the driver's own name, either separator"},
		{"max_threads_per_wg.large_grf=32", []GroupLimit{{MinRegisters: 256, MaxRegisters: most, Threads: 32}}, "the driver's own name means threads"},
		{"grf256_or_simd32=16", []GroupLimit{
			{MinRegisters: 256, MaxRegisters: 256, Threads: 16}, {SIMD: 32, MaxRegisters: most, Threads: 16}}, "alternatives are separate limits"},
	}
	for _, tt := range tests {
		got, err := ParseGroupLimits(tt.text)
		if err != nil {
			t.Errorf("%q: %v (%s)", tt.text, err, tt.reason)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (%s) (-want +got):\n%s", tt.text, tt.reason, diff)
		}
	}
	for _, bad := range []struct{ text, reason string }{
		{"nonsense", "no number"}, {"simd16=", "no number"}, {"simd16=-1", "a sign"}, {"=5", "no name"}, {"simd16=x", "no digits"},
		{"other=0", "would reject every launch"},
		{"colour_blue=1", "a word that selects no kernels"}, {"simd=1", "no size"}, {"simd016=1", "a leading zero"}, {"16=1", "no word"},
		{"simd16_simd32=1", "no kernel has both"}, {"large_grf_grf128=1", "no kernel is both"}, {"large_grfx=1", "a typo"},
		{"simd16_=1", "nothing after _"}, {"simd16_or_=1", "no alternative"}, {"large=1", "half a word"},
	} {
		if got, err := ParseGroupLimits(bad.text); err == nil {
			t.Errorf("%q is parsed as %v, want an error (%s)", bad.text, got, bad.reason)
		}
	}
}
