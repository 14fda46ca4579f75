package predict_test

import (
	"fmt"
	"strings"
	"testing"

	"occudiff/predict"
	"occudiff/predict/arch"
)

// TestFullRanges checks the guides' tables for full occupancy.
func TestFullRanges(t *testing.T) {
	for _, c := range []struct {
		device, reason, want string
	}{
		{"tgl-96", "16 work-groups (guide of 2021): the guide prints 8 threads, which is wrong, and 64 = 512 / 8 at most",
			"16: 8 7-64 64-512, 16 7-32 128-512, 32 7-16 256-512"},
		{"icl-g7", "4 to 56 threads, of which the largest work-group allows 32", "16: 8 4-32 32-256, 16 4-16 64-256, 32 4-8 128-256"},
		{"b580", "the driver's 32 is the smallest limit", "32: 16 2-64 32-1024, 32 2-32 64-1024"},
	} {
		ranges, limit := predict.FullRanges(device(c.device))
		var got []string
		for _, r := range ranges {
			got = append(got, fmt.Sprintf("%d %d-%d %d-%d", r.SIMD, r.LeastThreads, r.MostThreads, r.LeastSize, r.MostSize))
		}
		if text := fmt.Sprintf("%d: %s", limit.Count, strings.Join(got, ", ")); text != c.want {
			t.Errorf("%s, %s: %s; want %s", c.device, c.reason, text, c.want)
		}
	}
	if ranges, _ := predict.FullRanges(&arch.Device{XVEPerXeCore: 8, ThreadsPerXVE: 7, SIMDWidths: []int{8}}); ranges != nil {
		t.Errorf("%v without a limit of work-groups; want none", ranges)
	}
}
