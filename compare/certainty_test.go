package compare

import (
	"testing"

	"occudiff/ingest"
)

// TestResample checks which collection is proposed to separate launches from
// their neighbors.
func TestResample(t *testing.T) {
	for _, c := range []struct {
		reason string
		n      int64
		total  float64
		want   string
	}{
		{"two launches of 3 ms, with nine samples each", 2, 0.006, "gpu-sampling-interval 0.33"},
		{"no collector samples a launch of 10 us", 100, 0.001, moreWork},
		{"a time that is printed as 0 has no interval, and not NaN", 100, 0, moreWork},
	} {
		k := kernel("k", "896x256", "256", 16, c.n, c.total, measured(80), peak(100))
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(mtl112()), DefaultOptions())
		row := &r.Rows[0]
		if row.Cause == nil || row.Cause.ConfirmWith != c.want {
			t.Errorf("%s: %s, cause %+v", c.reason, row.Verdict, row.Cause)
		}
	}
}
