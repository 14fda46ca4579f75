package diff

import (
	"occudiff/ingest"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// TestDiffSpeedup checks a kernel whose occupancy fell from 39.8% to 29.8%
// while it became 16.9% faster, in a real measurement. The states of the XVE
// array are made up.
func TestDiffSpeedup(t *testing.T) {
	run := func(measured, seconds, active, stalled float64) *compare.Result {
		r := diffRun(fan2(func(x *k) { x.measured, x.seconds, x.idle, x.predicted = measured, seconds, 5, 0 }))
		r.Rows[0].Active, r.Rows[0].Stalled = unit.Some(unit.FromPercent(active)), unit.Some(unit.FromPercent(stalled))
		r.Rows[0].Counters = &ingest.Counters{Pipes: []ingest.Pipe{{Name: "ALU0", Active: unit.FromPercent(active)}},
			MemoryRead: unit.Some(0.0)}
		r.Finish()
		return r
	}
	older := []*compare.Result{run(39.8, 1, 30, 65)}
	busy, waiting := run(29.8, 0.831, 90, 5), run(29.8, 0.831, 30, 65)
	for _, c := range []struct {
		name    string
		newer   []*compare.Result
		verdict compare.SpeedupVerdict
		because string
	}{
		{"active nearly all of the time", []*compare.Result{busy}, compare.OccupancySufficient, "at most 1.06 times as fast (pipe ALU0"},
		{"stalled most of the time", []*compare.Result{waiting}, compare.MoreThreadsMayHelp, ""},
		{"two runs that disagree", []*compare.Result{busy, waiting}, compare.SpeedupUndetermined, "its runs differ in it"},
	} {
		d := compareTwo(older, c.newer, DefaultOptions())
		row := &d.Rows[0]
		if verdictOf(d) != c.verdict || !strings.Contains(row.Speedup.Evidence, c.because) {
			t.Errorf("%s: %s, %+v", c.name, row.Verdict, row.Speedup)
		}
	}
	if w := compareTwo(older, []*compare.Result{diffRun()}, DefaultOptions()).Rows[0].Speedup; w.Verdict() != compare.SpeedupUndetermined {
		t.Errorf("a kernel that is gone: %+v", w)
	}
}

func verdictOf(d *Result) compare.SpeedupVerdict {
	w := d.Rows[0].Speedup
	return w.Verdict()
}
