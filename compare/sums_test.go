package compare

import (
	"math"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// TestShares checks a row's share of the GPU time, and which rows count as
// judged.
func TestShares(t *testing.T) {
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{
		kernel("match", "114688", "256", 32, 10, 1, measured(97), idle(1)),
		kernel("short", "114688", "256", 32, 10000, 0.5, measured(97), idle(1)),
		kernel("untimed", "114688", "256", 32, 0, 0),
		kernel("below", "114688", "256", 32, 10, 2.5, measured(50), idle(40))}}, given(mtl112()), DefaultOptions())
	want := map[string]float64{"match": 0.25, "short": 0.125, "below": 0.625}
	for i := range r.Rows {
		row := &r.Rows[i]
		if share, known := row.TimeShare.Value(); known && math.Abs(float64(share)-want[row.Task]) > 1e-9 || !known &&
			want[row.Task] > 0 {
			t.Errorf("%s takes %v of the time, want %v", row.Task, row.TimeShare, want[row.Task])
		}
	}
	if s := r.Summary; s.Judged+s.NotJudged != 4 || s.NotJudged != s.Unmeasurable+s.NoMeasurement {
		t.Errorf("%d judged, %d not, of which %d cannot be measured and %d were not", s.Judged, s.NotJudged,
			s.Unmeasurable, s.NoMeasurement)
	}
}

// TestPrintedParts checks that an unknown part is not printed, not even as 0.0.
func TestPrintedParts(t *testing.T) {
	row := compared(t, mtl112(), DefaultOptions(),
		&ingest.Run{Kernels: []ingest.Kernel{kernel("k", "114688", "256", 32, 10, 1, measured(60))}})
	printed := row.Breakdown.Rounded()
	for part, told := range map[Part]bool{PartOccupied: true, PartShortfall: true, PartLaunchLimit: true,
		PartLastWave: true, PartIdle: false, PartUnderfilled: false} {
		if printed.Of(part).Present() != told {
			t.Errorf("%s is printed as %v", part, printed.Of(part))
		}
	}
}

// TestNearestBandwidth checks that the nearer limit is named if a kernel is
// near two peak bandwidths.
func TestNearestBandwidth(t *testing.T) {
	k := kernel("k", "458752", "16", 16, 100, 1, measured(40), idle(5), peak(100))
	for _, c := range []struct {
		memory, l3 float64
		want       string
	}{{85, 950, "L3 moves 950.0 of at most 1000 GB/s"}, {95, 850, "memory moves 95.0 of at most 100 GB/s"}} {
		k.Counters = &ingest.Counters{MemoryRead: unit.Some(c.memory), MemoryWrite: unit.Some(0.0),
			L3Read: unit.Some(c.l3), L3Write: unit.Some(0.0), L3Peak: unit.Some(1000.0)}
		d := mtl112()
		d.Memory = []arch.Bandwidth{{Source: "test", GBPerSecond: 100}}
		w := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(d), DefaultOptions()).Rows[0].Speedup
		if !w.Has(LimitedByOther) || !strings.Contains(w.Evidence, c.want) {
			t.Errorf("%v of 100 and %v of 1,000 GB/s: %s: %s", c.memory, c.l3, w.Words(), w.Evidence)
		}
	}
}

// TestUnnamedDevice checks that a single peak is sufficient to list the
// possible devices.
func TestUnnamedDevice(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	_, err = on(&ingest.Run{Kernels: []ingest.Kernel{kernel("k", "2048", "16", 32, 10, 1, measured(14), peak(14.3))}},
		table, "", 0, DefaultOptions())
	if err == nil || !strings.Contains(err.Error(), "the profiler's peaks are consistent with mtl-112") {
		t.Errorf("%v", err)
	}
}
