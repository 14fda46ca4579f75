package names

import (
	"fmt"
	"testing"
)

func TestParseLaunch(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		items        bool
		want         string
	}{
		{"work-groups are multiplied by their size", "f[SIMD16 {56; 1; 1} {64; 8; 1}]", false, "f 3584x8x1 64x8x1 16 "},
		{"work-items", "f[SIMD16 {56; 1; 1} {64; 8; 1}]", true, "f 56x1x1 64x8x1 16 "},
		{"without a width the opening bracket is missing", `"f {56; 1; 1} {64; 8; 1}]"`, false, "f 3584x8x1 64x8x1 0 "},
		{"indirect launches have no group count", "f[SIMD16 {0; 0; 0} {64; 8; 1}]", false, "f  64x8x1 16 "},
		{"brackets in a name", "f[3]{x}[SIMD8 {1; 1; 1} {8; 1; 1}]", false, "f[3]{x} 8x1x1 8x1x1 8 "},
		{"a name that ends like a launch size", "lambda[{x}]", false, "lambda[{x}]   0 "},
		{"from host to device", "zeCommandListAppendMemoryCopyRegion(H2D)[64]", false, "zeCommandListAppendMemoryCopyRegion   0 host-to-device"},
		{"to the host", "zeCommandListAppendMemoryCopy(D2H)", false, "zeCommandListAppendMemoryCopy   0 device-to-host"},
		{"shared memory has no direction", "zeCommandListAppendMemoryCopy(S2D)[64]", false, "zeCommandListAppendMemoryCopy(S2D)   0 "},
		{"a kernel is not a copy even if its name looks like one", "copy(M2D)[64]", false, "copy(M2D)[64]   0 "},
		{"the number of a launch after its size", `"f[SIMD32 {1; 256; 1} {512; 2; 1}]<4.1>"`, false, "f 512x512x1 512x2x1 32 "},
		{"a template after a bracket is not a launch number", "f[{x}]<int>", false, "f[{x}]<int>   0 "},
		{"an explicit tile", `"Tile #0: f[SIMD16 {1; 1; 1} {16; 1; 1}]"`, false, "f 16x1x1 16x1x1 16 "},
	} {
		x, err := ParseLaunch(c.text, c.items)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		got := fmt.Sprintf("%s %v %v %d %s", x.Name, x.Global, x.Local, x.SIMD.Or(0), x.Direction)
		if got != c.want {
			t.Errorf("%s: %q is parsed as %q, want %q", c.reason, c.text, got, c.want)
		}
	}
	if x, err := ParseLaunch("gemm[SIMD16 {99999999999999999999; 1; 1} {64; 8; 1}]", false); err == nil {
		t.Errorf("a size of more than 63 bits is parsed as %+v", x)
	}
}
