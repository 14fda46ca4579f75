package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// TestOwnRange compares the range of the launches' own occupancy with values
// computed by hand. The launches have 4 waves of 896 threads, and samples are 1
// ms apart.
func TestOwnRange(t *testing.T) {
	const most = "114688"
	for _, c := range []struct {
		reason    string
		kernels   []ingest.Kernel
		verdict   Verdict
		low, high float64 // bounds of the range, in percent
	}{
		// r = 0.9 and s = 0.45, so at most 0.55 of the value comes from the
		// other kernel, whose occupancy is 70 plus or minus 6. There are 900
		// samples.
		{"(60 - 0.55 x 76) / 0.45 - 5 / 30, and 60 / (1 - 0.08) + 5 / 30", []ingest.Kernel{
			kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(8)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(70), idle(8))}, Below, 40.28, 65.38},
		// The other kernel has an idle share of at least 34%, so that at most 8
		// / 34 of the samples can come from it.
		{"(60 - 0.2353 x 24) / 0.7647 + 5 / 30", []ingest.Kernel{
			kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(8)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(30), idle(40))}, Below, 59.83, 71.24},
		{"nine samples, of which a tenth can lie outside: 90 - 5 / 3, and 90 / 0.9 + 5 / 3, of 100", []ingest.Kernel{
			kernel("k", most, "256", 32, 1, 0.009, measured(90), idle(20))}, Unmeasurable, 88.33, 100},
		{"five samples of a launch alone, a sixth outside: 30 / (1 - 1 / 6) + 5 / 2.236", []ingest.Kernel{
			kernel("k", most, "256", 32, 1, 0.005, measured(30), idle(50))}, Below, 27.76, 38.24},
		{"nothing is known from less than five samples", []ingest.Kernel{
			kernel("k", most, "256", 32, 1, 0.0049, measured(30), idle(50))}, Unmeasurable, 0, 100},
		{"without a sample, only the prediction bounds the launch", []ingest.Kernel{
			kernel("k", "1024", "256", 32, 1000, 0.9, measured(0), idle(0)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(70), idle(8))}, Unmeasurable, 0, 3.57},
		{"the neighbor must have more than its row shows if 80% are left for a launch of at most 3.6%", []ingest.Kernel{
			kernel("k", "1024", "256", 32, 1000, 0.1, measured(80), idle(8)), kernel("o", most, "256", 32, 1222, 0.9,
				measured(70), idle(8))}, Unmeasurable, 0, 3.57},
		{"32 threads of 896 hold 3.6%, whatever was measured", []ingest.Kernel{
			kernel("k", "7168", "256", 32, 1000, 0.02, measured(60), idle(30)), kernel("o", most, "256", 32, 1222,
				1.1, measured(70), idle(8))}, Unmeasurable, 0, 25},
		{"a time that is printed as 0 counts no samples", []ingest.Kernel{
			kernel("k", most, "256", 32, 10, 0, measured(60), idle(8)), kernel("o", most, "256", 32, 1222, 1.1,
				measured(70), idle(8))}, Unmeasurable, 0, 100},
	} {
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: c.kernels,
			Instructions: ingest.Instructions{Kernels: 99, All: 100}})
		low, high := row.OwnLow.Or(-1).Percent(), row.OwnHigh.Or(-1).Percent()
		if row.Verdict != c.verdict || math.Abs(low-c.low) > 0.01 || math.Abs(high-c.high) > 0.01 {
			t.Errorf("%s: %s, %.2f to %.2f, want %s, %.2f to %.2f", c.reason, row.Verdict, low, high, c.verdict,
				c.low, c.high)
		}
		if row.Cause != nil && (row.Cause.Confidence == 0) != (row.Verdict == Unmeasurable) || row.Cause != nil &&
			row.Cause.Confidence > 0 && row.Cause.Confidence != Low {
			t.Errorf("%s: %s with %q confidence", c.reason, row.Verdict, row.Cause.Confidence)
		}
	}
	long := compared(t, mtl112(), DefaultOptions(),
		&ingest.Run{Kernels: []ingest.Kernel{kernel("k", most, "256", 32, 10, 1, measured(60), idle(8))}})
	if long.OwnLow.Present() || long.OwnHigh.Present() {
		t.Errorf("a launch of a hundred samples has a range of %v to %v", long.OwnLow, long.OwnHigh)
	}
}

// TestThreadsOfNeighbors checks a kernel of 0.9 s whose row has three times the
// kernel's threads. The extra threads make the row unmeasurable only if a
// neighbor needs much time for them.
func TestThreadsOfNeighbors(t *testing.T) {
	const most = "114688" // 3,584 threads, which are 4 full waves
	for _, c := range []struct {
		reason  string
		seconds float64
		verdict Verdict
	}{
		{"7,168,000 threads of a neighbor that starts 3,584,000 in 0.2 s are 0.4 s of 1.3", 0.2, Below},
		{"7,168,000 threads of a neighbor that starts 3,584,000 in 0.6 s are 1.2 s of 2.1", 0.6, Unmeasurable},
	} {
		k := kernel("k", most, "256", 32, 1000, 0.9, measured(60), idle(4),
			func(k *ingest.Kernel) { k.Threads = unit.Some[int64](3 * 3584000) })
		row := compared(t, gen9(), DefaultOptions(),
			&ingest.Run{Kernels: []ingest.Kernel{k, kernel("o", most, "256", 32, 1000, c.seconds, measured(60),
				idle(4))},
				Instructions: ingest.Instructions{Kernels: 99, All: 100}})
		if row.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s", c.reason, row.Verdict, c.verdict)
		}
	}
}

// TestEstimatedRows checks values that have an interval. A wide interval
// supports no conclusion. VTune's own value is printed, too, if it differs.
func TestEstimatedRows(t *testing.T) {
	for _, c := range []struct {
		reason    string
		low, high float64
		printed   float64
		verdict   Verdict
		because   string
	}{
		{"two points on either side", 95, 99, 97, Match, ""},
		{"17 below", 80, 99, 97, Unmeasurable, "The launches alone have 80.0 to 99.0%"},
		{"VTune prints what a neighbor held", 95, 99, 60, Match, ""},
	} {
		k := kernel("k", "114688", "256", 32, 10, 1, measured(97), idle(1), func(k *ingest.Kernel) {
			pct(&k.MeasuredLow, c.low)
			pct(&k.MeasuredHigh, c.high)
			pct(&k.Printed, c.printed)
		})
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k}})
		because := ""
		if row.Cause != nil {
			because = row.Cause.Evidence
		}
		if row.Verdict != c.verdict || !strings.Contains(because, c.because) {
			t.Errorf("%s: %s, %q, notes %q", c.reason, row.Verdict, because, notesOf(row))
		}
	}
}

func notesOf(row *Row) (text string) {
	for _, n := range row.Notes {
		text += n.Text + "\n"
	}
	return text
}

// TestModelDiffers checks that a difference of half a point between the two
// peaks causes a note, but is not a cause.
func TestModelDiffers(t *testing.T) {
	for _, c := range []struct {
		peak float64
		want bool
	}{{100, false}, {99.9, false}, {99.5, true}} {
		k := kernel("k", "114688", "256", 32, 10, 1, measured(97), idle(1), peak(c.peak))
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k}})
		if got := strings.Contains(notesOf(row), "points from the predicted peak"); got != c.want {
			t.Errorf("a peak of %v where 100 is predicted: %q", c.peak, notesOf(row))
		}
	}
}

// TestSurest checks the order of causes: measured before bounded, and higher
// confidence before lower.
func TestSurest(t *testing.T) {
	bounded, told := Cause{Name: CauseImbalance, Confidence: Medium}, Cause{Name: CauseGaps, Confidence: Medium,
		Ground: tracedGapsEnough}
	weak, sure := Cause{Name: CauseGRF, Confidence: Low, Ground: tracedGapsEnough}, Cause{Name: CauseDispatch, Confidence: High}
	for _, c := range []struct {
		found []Cause
		want  string
	}{
		{[]Cause{bounded, told}, CauseGaps}, {[]Cause{told, bounded}, CauseGaps}, {[]Cause{weak, bounded}, CauseImbalance},
		{[]Cause{told, bounded, sure}, CauseDispatch}, {[]Cause{weak}, CauseGRF},
	} {
		f := finder{row: &Row{Kernel: &ingest.Kernel{}}}
		if got := slices.MinFunc(c.found, f.better); got.Name != c.want {
			t.Errorf("of %v %s, want %s", c.found, got.Name, c.want)
		}
	}
}

// TestAlike checks launches with a mean thread lifetime of 2 us. The dispatcher
// is the cause with medium confidence only if the launches have similar
// lengths.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		p10, p90 unit.Seconds
		want     string
	}{{300e-6, 590e-6, "medium"}, {300e-6, 610e-6, "low"}, {300e-6, 890e-6, "low"}} {
		k := kernel("Fan2", "2048 x 2048", "1024 x 1", 32, 2047, 1.070996, measured(62.7), idle(20.7),
			func(k *ingest.Kernel) {
				k.Launches = &ingest.LaunchSpread{MinSeconds: c.p10, MedianSeconds: c.p10, MaxSeconds: 4 * c.p90,
					P10Seconds: unit.Some(c.p10), P90Seconds: unit.Some(c.p90)}
			})
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{k},
			Instructions: ingest.Instructions{Kernels: 1, All: 1}})
		i := slices.IndexFunc(row.Breakdown.Causes, func(c Cause) bool {
			return c.Part == PartUnderfilled &&
				c.Name == CauseDispatch
		})
		if i < 0 || row.Breakdown.Causes[i].Confidence.String() != c.want {
			t.Errorf("launches of %v to %v: %+v, want dispatch (%s)", c.p10, c.p90, row.Breakdown.Causes, c.want)
		}
	}
}

// TestStake checks the savable time: it is 0.5 s for a kernel with 1 s and a
// bound of 2x.
func TestStake(t *testing.T) {
	k := kernel("k", "1024", "256", 32, 1, 1)
	row := &Row{Kernel: &k}
	w := PotentialSpeedup{Verdicts: []SpeedupVerdict{MoreThreadsMayHelp}, MoreThreads: Bound{Max: unit.Some(2.0)}}
	if got := w.SavableTime(row); got != 0.5 {
		t.Errorf("%v s", got)
	}
	w.Verdicts[0] = SpeedupUndetermined
	if got := w.SavableTime(row); !math.IsNaN(got) {
		t.Errorf("%v s where nothing can be told", got)
	}
}

// TestOwnAtEnd compares ownAtEnd with the kernel's own share in samples that
// end in its launches, which a loop counts.
func TestOwnAtEnd(t *testing.T) {
	for _, c := range []struct {
		reason      string
		n, s, share float64
	}{
		{"alone", 2, 1, 1},
		{"half an interval, in turns with two others", 0.5, 1. / 3, 0.25},
		{"half an interval, in turns with one: the launch before is in the sample, too", 0.5, 0.5, 0.5},
		{"many turns in a sample", 0.01, 0.2, 0.2},
		{"three intervals: half of the first sample is outside", 3, 0.3, 1 - 0.5/3},
	} {
		if got := float64(ownAtEnd(c.n, c.s)); math.Abs(got-c.share) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.reason, got, c.share)
		}
	}
}
