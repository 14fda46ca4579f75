package compare

import (
	"strings"
	"testing"

	"occudiff/ingest"
)

// TestTwoKernels checks a kernel with 45% of the time, so up to 55% of its
// samples may belong to another kernel. The values of the other kernel decide
// whether the first kernel can be judged.
func TestTwoKernels(t *testing.T) {
	const most = "114688" // 4 full waves of 896 threads of 32 work-items, so 100% is predicted
	for _, c := range []struct {
		reason    string
		k, other  ingest.Kernel
		verdict   Verdict
		cause     string
		mentioned string
	}{
		{"0.9 intervals: up to 55% of the value are the other's, which may be all of what is missing",
			kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(8)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(30), idle(8)), Unmeasurable, CauseSampling, ""},
		{"of a kernel that leaves 40% idle no more than a fourth can be in samples that are idle 8%: 72% at most, and 100 are predicted",
			kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(8), registers(128)), kernel("o", most, "256",
				32, 1222, 1.1, measured(30), idle(40)), Below, CauseImbalance, ""},
		{"the other reaches 3.6% (32 threads), so the launches held no less than 96%",
			kernel("k", most, "256", 32, 1000, 0.9, measured(96), idle(2)), kernel("o", "1024", "256", 32, 1222, 1.1,
				measured(30), idle(60)), Match, "", ""},
		{"and 50% of 128 threads (14.3%) and 55% of full XVEs are 61%: 80% is of kernels that ran at the same time",
			kernel("k", "4096", "256", 32, 1000, 0.9, measured(80), idle(5)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(90), idle(5)), Above, CauseConcurrentKernels, "which this launch alone cannot exceed"},
		{"both measure the same, and are hardly idle",
			kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(1)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(60), idle(1)), Below, CauseImbalance, ""},
		{"the same with 60%, of which 20% may be idle time outside: and of the other, which idles, no more than 37%",
			kernel("k", most, "256", 32, 1000, 0.9, measured(62), idle(20)), kernel("o", "1024", "256", 32, 1222, 1.1,
				measured(30), idle(60)), Unmeasurable, CauseSampling, "The launches alone have 61.8 to 96.5%"},
		{"few instructions are outside launches of 3 intervals, so that 8% of idle time next to a kernel with as much is within them",
			kernel("k", most, "256", 32, 100, 0.3, measured(91.6), idle(8)), kernel("o", most, "256", 32, 1222, 2.7,
				measured(91), idle(8)), Below, CauseImbalance, ""},
		{"if the neighbor leaves half of the XVEs idle, its part of the samples explains the 8%",
			kernel("k", most, "256", 32, 100, 0.3, measured(91.6), idle(8)), kernel("o", most, "256", 32, 1222, 2.7,
				measured(50), idle(50)), MatchWhileBusy, "", ""},
		{"what a kernel without a sample held is in the other's",
			kernel("k", most, "256", 32, 1000, 0.9, measured(92), idle(5)), kernel("o", "1024", "256", 32, 1222, 1.1,
				measured(0), idle(0)), Unmeasurable, CauseSampling, "up to 55%"},
	} {
		run := &ingest.Run{Kernels: []ingest.Kernel{c.k, c.other}, Instructions: ingest.Instructions{Kernels: 99,
			All: 100}}
		r := Compare(run, given(mtl112()), DefaultOptions())
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Task != "k" {
				continue
			}
			cause, because := "", ""
			if row.Cause != nil {
				cause, because = row.Cause.Name, row.Cause.Evidence
			}
			if row.Verdict != c.verdict || cause != c.cause || !strings.Contains(because, c.mentioned) {
				t.Errorf("%s: %s (%s) %q, want %s (%s) %q", c.reason, row.Verdict, cause, because, c.verdict, c.cause,
					c.mentioned)
			}
		}
	}
}

// TestPartsOfCandidate checks the parts that a candidate cause leaves. A kernel
// of 256 registers fills half of each XVE. So 4% of idle XVEs are 2% of all
// slots, not 4%.
func TestPartsOfCandidate(t *testing.T) {
	k := kernel("k", "114688", "256", 32, 1000, 5, measured(48), idle(4))
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}, Instructions: ingest.Instructions{Kernels: 1, All: 1}},
		given(mtl112()), DefaultOptions())
	row := &r.Rows[0]
	a := row.Breakdown
	if empty, underfilled := a.Points(PartIdle).Or(0), a.Points(PartUnderfilled).Or(0); row.Cause.Name != CauseGRF ||
		abs(empty-2) > digit || abs(underfilled-50) > digit {
		t.Errorf("%s: empty %v, underfilled %v; want 2 and 50 of a kernel of 256 registers", row.Cause.Name, empty,
			underfilled)
	}
}

// TestIdleOfShortLaunches checks idle time that is within the launches
// according to the instruction counts. Its confidence is low if a sample can
// contain both a launch and a gap, because all instructions of the sample may
// have been counted for the launch.
func TestIdleOfShortLaunches(t *testing.T) {
	for _, c := range []struct {
		launches int64
		want     string
	}{{2000, "low"}, {200, "medium"}} {
		k := kernel("k", "57344", "256", 32, c.launches, 1, measured(75), idle(20))
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}, Instructions: ingest.Instructions{Kernels: 1, All: 1}},
			given(mtl112()), DefaultOptions())
		if got := r.Rows[0].Cause; got == nil || got.Name != CauseImbalance || got.Confidence.String() != c.want {
			t.Errorf("%d launches in a second: %+v, want %s", c.launches, got, c.want)
		}
	}
}
