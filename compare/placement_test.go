package compare

import (
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// TestPlacement checks the only published launch whose measured occupancy does
// not fit its prediction: 8 work-groups of 40 threads on a Tiger Lake. The test
// uses the values that an export of long launches would contain.
func TestPlacement(t *testing.T) {
	withBarrier := func(k *ingest.Kernel) { pct(&k.BarrierStall, 30) }
	for _, c := range []struct {
		reason    string
		k         ingest.Kernel
		cause     string
		sure      string
		mentioned string
	}{
		{"224 threads and then 96 on 2 of 6 Xe-cores", kernel("k", "2560", "320", 8, 10, 1, measured(23.8), idle(66.7)), CausePlacement, "medium",
			"8 work-groups are fewer than the 12 that fit on the GPU at once. If they are placed unevenly (policy partial, 2 ports), occupancy is 23.8% and 66.7%"},
		{"with a barrier 304 and then 80 on 3 of 6", kernel("k", "2560", "320", 8, 10, 1, measured(28.4), idle(50), withBarrier), CausePlacement, "medium",
			"(policy partial, 3 ports), occupancy is 28.6% and 50.0% of the XVEs are idle"},
		{"and a lone sixth of the Xe-cores more", kernel("k", "2560", "320", 8, 10, 1, measured(28.4), idle(40), withBarrier), CauseImbalance, "medium", ""},
		{"launches of 2 intervals: a third of it may lie between them", kernel("k", "2560", "320", 8, 500, 1, measured(23.8), idle(66.7)), CausePlacement, "low", ""},
		{"half of what two Xe-cores hold fits no placement", kernel("k", "2560", "320", 8, 10, 1, measured(12), idle(66.7), registers(128)), CauseImbalance, "medium", ""},
		{"24 work-groups of 28 threads fill every Xe-core", kernel("k", "5376", "224", 8, 10, 1, measured(33), idle(66.7), registers(128)), CauseImbalance, "medium", ""},
	} {
		platform := ingest.Platform{XVEs: unit.Some(96)} // a summary lists one GPU
		row := compared(t, tgl(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k}, Platform: platform,
			Instructions: ingest.Instructions{Kernels: 1, All: 1}})
		if got := row.Cause; got == nil || got.Name != c.cause || got.Confidence.String() != c.sure ||
			!strings.Contains(got.Evidence, c.mentioned) {
			t.Errorf("%s: %s, %+v, want %s (%s) %q", c.reason, row.Verdict, got, c.cause, c.sure, c.mentioned)
		}
	}
}
