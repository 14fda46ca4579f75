package trackdoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
)

// printed returns the cells of a table row as people read them, by path and
// key.
func printed[R any](row *R, cols []report.Col[R]) string {
	var parts []string
	for _, c := range cols {
		if c.Kind != report.Object && c.Kind != report.Array {
			parts = append(parts, strings.Trim(c.Path+"/"+c.Key, "/")+"="+c.Print(c.Of(row)))
		}
	}
	return strings.Join(parts, " ")
}

// rows returns the texts of a table's rows without empty cells, with | between
// cells.
func rows(table *report.Table) string {
	var lines []string
	for cells := range table.All() {
		var row []string
		for i, c := range cells {
			if text := table.Columns[i].Print(c); text != "-" {
				row = append(row, table.Columns[i].Key+"="+text)
			}
		}
		lines = append(lines, strings.Join(row, "|"))
	}
	return strings.Join(lines, "\n")
}

// filled returns the texts of a row whose fields all have different values.
func filled[R any](cols []report.Col[R]) string {
	row := new(R)
	testenv.Fill(row, 0)
	return printed(row, cols)
}

// TestColumns checks that each column shows the value of its own field.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"run", filled(runColumns), `id/id=2 time/time=0001-01-01T00:00:00Z label/label=label device/device=device driver/driver=driver kernels/kernels=24 host/host=host job_id/job=jobid commit/commit=commit commit=commit branch/branch=branch vtune_version/vtune=vtune inputs=path program/program=program`},
		{"reference", filled(refColumns), "run/run=2 time=0001-01-01T00:00:00Z commit/commit=commit commit=commit label=label"},
		{"input", filled(inputColumns), "path=path kind=kind digest=digest rows=6 bad_rows=7"},
		{"accepted", filled(acceptedColumns), "run/run=3 kernel/kernel=task [10x10 / 11x11, SIMD12, direction] time/time=0001-01-01T00:00:00Z noise/noise=yes note/note=note"},
		{"renamed", filled(renameColumns), "old/old=old new/new=new run/run=4 time/time=0001-01-01T00:00:00Z"},
		{"missing", filled(missingColumns), "name=task [4x4 / 5x5, SIMD6, direction] last_run=12 share_percent=1,700.0"},
		{"metric change", printed(&track.MetricChange{Metric: history.Seconds, Before: 1, After: 2}, metricChangeColumns), "metric=seconds unit=s before=1 after=2 scaled=no"},
		{"open", filled(occupancy.openColumns()), `first_bad.run/first_bad=11 first_bad.time=0001-01-01T00:00:00Z first_bad.commit/first_bad_commit=commit first_bad_commit=commit first_bad.label=label last_good.run/last_good=18 last_good.time=0001-01-01T00:00:00Z last_good.commit/last_good_commit=commit last_good_commit=commit last_good.label=label level=6.0 shift=8.0 p=9`},
		{"power", filled(powerColumns), "drop=2 injected=3 found=4 found_percent=133 median_delay_runs=6"},
		{"calibration", filled(calibrationColumns), `device=device driver=driver vtune_version=vtune device=device driver=driver vtune=vtune runs/runs=5 kernels/kernels=6 rows/rows=7 median_points/median=+8.0 p10_points/p10=+9.0 p90_points/p90=+10.0 kernel_low_points=+11.0 kernel_high_points=+12.0 drift_points/drift=+13.0 bias/bias=above drift_p=14 tolerance_points/tolerance=16.0 left_out/left_out=-`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, c.got, c.want)
		}
	}
}

// TestSeriesCells checks the cells that depend on the verdict or the metric of
// a series.
func TestSeriesCells(t *testing.T) {
	list := []history.Point{{Run: 3, Value: 60}, {Run: 4, Value: 50}}
	points := func(s *track.Series) { s.Points = list }
	closed := func(s *track.Series) {
		s.Findings = []trend.Finding{{First: 1, Opened: 1, Closed: -1, Level: 60, Shift: -10, P: 0.01}}
	}
	refs := map[int64]track.Ref{3: *at(3, "abc", ""), 4: *at(4, "def", "nightly")}
	of := func(m metric, changes bool, edits ...func(*track.Series)) string {
		v := viewOf(m, reduce(trend.Regression, append([]func(*track.Series){points}, edits...)...))
		v.Refs = refs
		return rows(v.table(v.series, changes))
	}
	values := viewOf(occupancy, reduce(trend.Regression, points, open(1), closed, func(s *track.Series) { s.Open[0].FirstBad.Run = 4 }))
	values.Refs = refs
	for _, c := range []struct{ why, got, want string }{
		{"a regression", of(occupancy, false, open(1)), `series=reduce|device=mtl-112|driver=24.1|=%|runs=2|left_out=0|value=50.0|median=60.0|mad=0.50|threshold=58.0|n=9|=40|in_a_row=0|finding=regression|verdict=regression|=|first_bad=10|=2026-01-02T03:04:00Z|=|last_good=9|=2026-01-02T03:04:00Z|=no|open=since run 10, last good run 9: 60.0 -> 52.0%`},
		{"an open finding as text", occupancy.openText(&series{reduce(trend.Regression, open(2))}), "since run 10, last good run 9: 60.0 -> 52.0%; since run 11, last good run 10: 52.0 -> 44.0%"},
		{"a time", of(duration, true, func(s *track.Series) { s.Absent = true }), `series=reduce|device=mtl-112|driver=24.1|=s|runs=2|left_out=0|value=50,000,000.0|median=60,000,000.0|mad=500,000.00|threshold=58,000,000.0|n=9|=40|in_a_row=0|finding=regression|verdict=regression|=yes|=no`},
		{"bytes", of(spill, true), `series=reduce|device=mtl-112|driver=24.1|=bytes|runs=2|left_out=0|value=50|median=60|mad=0.50|threshold=58|n=9|=40|in_a_row=0|finding=regression|verdict=regression|=no|=no`},
		{"values", rows(values.valueTable()), `series=reduce|run=3|time=0001-01-01 00:00|value=60.0|median=60.0|device=mtl-112|driver=24.1|commit=abc
series=reduce|run=4|time=0001-01-01 00:00|value=50.0|median=50.0|verdict=regressed|device=mtl-112|driver=24.1|commit=def|label=nightly`},
		{"incidents", rows(values.incidentTable()), "kernel=reduce|level=60.0 -> 50.0%|change=-10.0|=4|opened=run 4 of 2026-01-02 03:04 (commit def, nightly)|state=open"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestCalibration checks the conclusions about measurements and predictions.
func TestCalibration(t *testing.T) {
	of := func(edits ...func(*track.Calibration)) string {
		c := track.Calibration{Driver: "24.1", Runs: 12, Kernels: 8, Rows: 96, KernelLow: unit.Some[unit.Points](-1),
			KernelHigh: unit.Some[unit.Points](2), DriftP: unit.Some(0.4), Tolerance: unit.Some[unit.Points](6), Within: 5.95}
		for _, edit := range edits {
			edit(&c)
		}
		return reading(&c)
	}
	interval := func(low, high unit.Points) func(*track.Calibration) {
		return func(c *track.Calibration) { c.KernelLow, c.KernelHigh = unit.Some(low), unit.Some(high) }
	}
	none := func(c *track.Calibration) { c.Tolerance = unit.Opt[unit.Points]{} }
	for _, c := range []struct{ why, got, want string }{
		{"no error", of(), `Driver 24.1, VTune unknown. No error of the model is detected: the median kernel differs by -1.0 to +2.0 points (95% interval). No drift is detected. --tolerance 6 accepts 90% of 96 rows.`},
		{"below", of(interval(-4, -2)), `Driver 24.1, VTune unknown. Most kernels measure less than predicted: the median kernel differs by -4.0 to -2.0 points (95% interval). Either they lose occupancy at run time (idle XVEs, load imbalance), or the model predicts too much for this device. 'occudiff validate --fail-on model' compares the profiler's peak, which has no losses at run time. No drift is detected. --tolerance 6 accepts 90% of 96 rows.`},
		{"above", of(interval(2, 4)), `Driver 24.1, VTune unknown. Most kernels measure more than predicted: the median kernel differs by +2.0 to +4.0 points (95% interval). Either the model or the launch sizes are wrong, or other kernels ran at the same time. 'occudiff validate --fail-on model' compares the profiler's peak, which has no losses at run time. No drift is detected. --tolerance 6 accepts 90% of 96 rows.`},
		{"few kernels", of(none, func(c *track.Calibration) { c.KernelLow, c.Kernels = unit.Opt[unit.Points]{}, 5 }), `Driver 24.1, VTune unknown. 5 kernels: at least 6 are needed to detect an error of the model. No drift is detected. No tolerance is suggested for 96 rows of 5 kernels: at least 30 rows of 6 kernels are needed.`},
		{"few rows", of(none, func(c *track.Calibration) { c.Rows = 29 }), `Driver 24.1, VTune unknown. No error of the model is detected: the median kernel differs by -1.0 to +2.0 points (95% interval). No drift is detected. No tolerance is suggested for 29 rows of 8 kernels: at least 30 rows of 6 kernels are needed.`},
		{"just enough rows of too large a scatter", of(none, func(c *track.Calibration) { c.Rows, c.Kernels, c.Within = 30, 6, 20.25 }), `Driver 24.1, VTune unknown. No error of the model is detected: the median kernel differs by -1.0 to +2.0 points (95% interval). No drift is detected. No tolerance is suggested: 90% of 30 rows are within 20.2 points, and a tolerance above 15 would accept kernels that lose as much.`},
		{"a drift", of(func(c *track.Calibration) { c.Drift, c.DriftP = unit.Some[unit.Points](-3), unit.Some(0.0012345) }), `Driver 24.1, VTune unknown. No error of the model is detected: the median kernel differs by -1.0 to +2.0 points (95% interval). The later half of the runs is -3.0 points from the earlier half (p 0.00123). --tolerance 6 accepts 90% of 96 rows.`},
		{"few runs", of(func(c *track.Calibration) { c.DriftP, c.Runs = unit.Opt[float64]{}, 1 }), `Driver 24.1, VTune unknown. No error of the model is detected: the median kernel differs by -1.0 to +2.0 points (95% interval). 1 run: at least 10 are needed to detect a drift. --tolerance 6 accepts 90% of 96 rows.`},
		{"every reason to leave out a row", leftOutText(&track.Calibration{LeftOut: map[string]int{"unmeasurable": 1, "no prediction": 5000}}),
			"5,000 no prediction, 1 unmeasurable"},
		{"no row is left out", leftOutText(&track.Calibration{}), ""},
		{"the device of a paragraph", calibration([]track.Calibration{{}}).Items[0].Lead, "unknown"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestBacktest checks the summary of a replayed gate, and the cells of its
// findings.
func TestBacktest(t *testing.T) {
	s := reduce(trend.OK, func(s *track.Series) {
		for i := range s.Points {
			s.Points[i] = history.Point{Run: int64(i + 1), Time: time.Date(2026, 1, i+1, 0, 0, 0, 0, time.UTC)}
		}
		s.Findings = []trend.Finding{{First: 1, Opened: 2, Closed: 4, Level: 60, Shift: -8, P: 0.01}, {First: 5, Opened: 6, Closed: -1}}
	})
	of := func(m metric, edits ...func(*track.Backtest)) *track.Backtest {
		b := &track.Backtest{Metric: m.Metric, Total: trend.Backtest{Checks: 1200, Opened: 3, FailedChecks: 9}, Kept: m.Gate, Target: 0.01}
		for _, edit := range edits {
			edit(b)
		}
		return b
	}
	power := func(drop float64, injected, found int, delays ...float64) func(*track.Backtest) {
		return func(b *track.Backtest) {
			b.Power = append(b.Power, trend.Power{Drop: drop, Injected: injected, Found: found, Delays: delays})
		}
	}
	with := func(n int) func(*track.Backtest) {
		return func(b *track.Backtest) { b.Series = slices.Repeat([]*track.Series{s}, n) }
	}
	text := func(b *track.Backtest) string {
		s := FromBacktest(b, report.Provenance{}).Doc.Summary
		lines := []string{s.Headline, s.More}
		if s.Rows != nil {
			lines = append(lines, fmt.Sprint(s.Rows.Len, " rows"))
		}
		return strings.Join(append(lines, s.Advice...), "\n")
	}
	for _, c := range []struct{ why, got, want string }{
		{"few runs", text(of(occupancy, func(b *track.Backtest) { b.Total.Checks = 0 })), `Nothing could be judged: no series of measured has more than 3 runs.
`},
		{"within the budget", text(of(occupancy)), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. This is within the budget.
`},
		{"another threshold", text(of(occupancy, func(b *track.Backtest) { b.Kept.Floor, b.KeptTotal = 2.5, trend.Backtest{Checks: 1200, Opened: 1} })), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. --threshold 2.5 opens 0.0833 in 100.
`},
		{"a hidden drop", text(of(occupancy, func(b *track.Backtest) { b.Hides = true })), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. A --threshold that opens at most 1 in 100 would hide a drop of several kernels or of 8 runs.
`},
		{"an open finding", text(of(occupancy, func(b *track.Backtest) { b.Open, b.Hides = 1, true })), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. No --threshold is proposed while 1 finding is open.
`},
		{"injected drops", text(of(occupancy, power(5, 10, 8, 1, 3), power(10, 0, 0), power(20, 10, 0))), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. This is within the budget.

Injected drops found within ten runs: 5 points: 8 of 10 (after 2 runs); 20 points: 0 of 10.`},
		{"injected drops in percent", text(of(duration, power(5, 10, 8))), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. This is within the budget.

Injected drops found within ten runs: 5%: 8 of 10.`},
		{"all rows", text(of(occupancy, with(5))), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. This is within the budget.

10 rows`},
		{"more findings than rows", text(of(occupancy, with(6))), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. This is within the budget.
and 2 more
10 rows`},
		{"values that are left out", text(of(occupancy, func(b *track.Backtest) { b.Series = []*track.Series{{LeftOut: make([]history.Point, 2)}, {}} })), `3 of 1,200 checks opened a finding, 0.25 in 100; 9 failed while one was open. This is within the budget.

2 values of 1 series left out: unmeasurable.`},
		{"findings", rows(FromBacktest(of(occupancy, with(1)), report.Provenance{}).Table), `series=reduce|device=mtl-112|driver=24.1|=%|run=2|time=2026-01-02T00:00:00Z|opened=3|median=60.0|shift=-8.0|=0|closed=5
series=reduce|device=mtl-112|driver=24.1|=%|run=6|time=2026-01-06T00:00:00Z|opened=7|median=0.0|shift=0.0|=0`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
	for _, c := range []struct {
		why  string
		b    *track.Backtest
		want string
	}{
		{"a proposal", of(occupancy, func(b *track.Backtest) { b.Kept.Floor, b.KeptTotal = 2.5, trend.Backtest{Checks: 1000, Opened: 1} }), "1200 3 9 0.25 {1 {2.5 true} {1 true} {0.1 true}}"},
		{"no proposal with an open finding", of(occupancy, func(b *track.Backtest) { b.Open = 1 }), "1200 3 9 0.25 {1 {0 false} {0 false} {0 false}}"},
		{"no proposal that hides a drop", of(occupancy, func(b *track.Backtest) { b.Hides = true }), "1200 3 9 0.25 {1 {0 false} {0 false} {0 false}}"},
	} {
		v := (&backtestView{c.b, occupancy}).value(nil)
		if got := fmt.Sprint(v.Checks, v.Opened, v.FailedChecks, v.Rate, " ", v.Proposal); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// TestEvents checks the sentences about stored, imported, and accepted runs.
func TestEvents(t *testing.T) {
	added := func(edit func(*track.Added)) string {
		a := &track.Added{Run: history.Run{ID: 3, Kernels: 1, Time: at(1, "", "").Time}, Done: history.Added{Stored: true}}
		edit(a)
		return strings.TrimPrefix(AddedText(a), "run 3 stored: 1 kernel, collected 2026-01-02 03:04 UTC")
	}
	for _, c := range []struct{ why, got, want string }{
		{"the source of the time", added(func(a *track.Added) { a.TimeFrom = "date of the file" }), " (date of the file)"},
		{"every property of a run", RunText(&history.Run{Kernels: 2, Device: "mtl", Driver: "24", Program: "app", Label: "nightly", Time: at(1, "", "").Time,
			Inputs: []history.Input{{Path: "a.csv"}, {Path: "b#.csv"}}}),
			"2 kernels on mtl, driver 24, program app, nightly, collected 2026-01-02 03:04 UTC, from a.csv, b#.csv"},
		{"unreadable rows", added(func(a *track.Added) { a.Inputs = []history.Input{{Path: "a", BadRows: 2}, {Path: "b", BadRows: 1}} }), ", from a, b; 3 of its rows could not be read"},
		{"values of no use", added(func(a *track.Added) { a.Rows = make([]history.Row, 2) }), "; 2 without measured occupancy"},
		{"several programs", added(func(a *track.Added) { a.Done.Programs = []string{"a", "b"} }),
			"; the run does not name its program, and several programs have its kernels (a, b), so its series have no program: --program names it"},
		{"another name", added(func(a *track.Added) { a.Done.Moved = []history.Rename{{Old: "a", New: "b"}} }), "; a continues as b"},
		{"the future", added(func(a *track.Added) { a.Clock.Future = []track.Ref{{}} }), "; it is dated in the future"},
		{"the past", added(func(a *track.Added) { a.Clock.Before = at(2, "", "") }), "; it is dated before run 2, which was added earlier"},
		{"nothing imported", ImportedText(&history.Imported{}, 0), "nothing was changed"},
		{"an import", ImportedText(&history.Imported{Runs: 2, Kernels: 1, KnownRuns: 1, Events: 4}, 2),
			"2 runs with 1 kernel stored; 1 run was stored before; 4 accepted or renamed; 2 lines were not usable"},
		{"accepted", AcceptText(&history.Accept{Run: 7}, false), "all kernels: run 7 is accepted; the new baseline begins with it"},
		{"accepted for one kernel", AcceptText(&history.Accept{Run: 7, Series: 1, Key: history.Key{Task: "k"}}, false), "k: run 7 is accepted; the new baseline begins with it"},
		{"withdrawn", AcceptText(&history.Accept{Run: 7}, true), "all kernels: run 7 is no longer accepted"},
		{"noise", AcceptText(&history.Accept{Run: 7, Noise: true}, false), "all kernels: bad runs up to run 7 count as noise; the baseline stays"},
		{"no longer noise", AcceptText(&history.Accept{Run: 7, Noise: true}, true), "all kernels: bad runs up to run 7 no longer count as noise"},
		{"no runs", FromRuns(nil, nil, nil, "h.db", report.Provenance{}).Doc.Headline[0], "h.db has no run; add one with occudiff track add PATH"},
		{"one run", FromRuns(make([]history.Run, 1), nil, nil, "h.db", report.Provenance{}).Doc.Headline[0], "h.db: 1 run"},
		{"only the table of runs", fmt.Sprint(len(FromRuns(nil, nil, nil, "", report.Provenance{}).Doc.Sections)), "1"},
		{"all tables", fmt.Sprint(len(FromRuns(nil, make([]history.Accept, 1), make([]history.Rename, 1), "", report.Provenance{}).Doc.Sections)), "3"},
		{"a stored run", rows(NewAddValue([]track.Added{{Done: history.Added{Stored: true}}}).Runs), "=yes|id=0|time=0001-01-01T00:00:00Z|kernels=0"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestShared checks the texts about changes that many series share.
func TestShared(t *testing.T) {
	driver := track.Change{What: "driver", From: "24.1", To: "25.2"}
	shared := func(edits ...func(*track.Shared)) *track.Shared {
		bad := reduce(trend.Regression, open(1))
		s := &track.Shared{Device: "mtl-112", Before: *at(9, "", ""), First: *at(10, "", ""), Of: 4, Median: -8, Series: []*track.Series{bad, bad, bad}}
		for _, edit := range edits {
			edit(s)
		}
		return s
	}
	learning := func(s *track.Series) { s.Gate.Index = 1 }
	lines := func(s *track.Shared) string {
		v := newView(&track.Judgment{Metric: occupancy.Metric, Shared: []track.Shared{*s}, Series: s.Series})
		for _, one := range s.Series {
			one.Shared = s
		}
		var text []string
		for _, l := range v.lines() {
			text = append(text, printed(&l, v.lineColumns()))
		}
		for _, m := range v.messages(v.series) {
			text = append(text, fmt.Sprint(m.level, " ", m.title))
		}
		return strings.Join(append(text, v.notices(nil)...), "\n")
	}
	for _, c := range []struct{ why, got, want string }{
		{"a shift", occupancy.sharedText(shared()), "With run 10 of 2026-01-02 03:04. 3 of 4 series of mtl-112 changed at once, by -8.0 points in the median. One common cause is more likely than a separate cause for each."},
		{"a shift with a driver", occupancy.sharedText(shared(func(s *track.Shared) { s.Changed = []track.Change{driver} })), `Driver 24.1 -> 25.2 with run 10 of 2026-01-02 03:04. 3 of 4 series of mtl-112 changed at once, by -8.0 points in the median. One common cause is more likely than a separate cause for each.`},
		{"the title of a shift", sharedTitle(shared()), "mtl-112: 3 of 4 series changed at once"},
		{"one row for a shift", lines(shared()), `n= kernel=3 of 4 on mtl-112 at once level=- before/before=- after/after=- change=-8.0 change/change=- since=since run 10, last good run 9
error mtl-112: 3 of 4 series changed at once`},
		{"a launch size with too few runs", viewOf(occupancy).restarts(reduce(trend.Learning, restarted(1, 2), learning)), `Launch size changed 1 run ago: launch size 8x8 -> 4x4. The runs since are 0.0 points above the earlier runs, and are compared with them. 2 more runs are needed for a verdict.`},
		{"a launch size with enough runs", viewOf(occupancy).restarts(reduce(trend.OK, restarted(1, 9))), "Launch size changed 1 run ago: launch size 8x8 -> 4x4. The runs since are 0.0 points above the earlier runs, and are compared with them."},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestNotices checks the sentences about dates, lambdas, and missing kernels,
// and the levels of annotations.
func TestNotices(t *testing.T) {
	gone := func(task string, share unit.Opt[unit.Ratio]) track.MissingKernel {
		return track.MissingKernel{Key: history.Key{Task: task}, Last: *at(9, "", ""), Share: share}
	}
	notices := func(edit func(*track.Check)) string {
		c := &track.Check{Judgment: track.Judgment{Metric: occupancy.Metric}}
		edit(c)
		return strings.Join(newView(&c.Judgment).notices(c), "\n")
	}
	annotations := func(s *track.Series, edits ...func(*track.Check)) string {
		c := &track.Check{Judgment: track.Judgment{Metric: occupancy.Metric, Series: []*track.Series{s}}}
		for _, edit := range edits {
			edit(c)
		}
		var list []string
		for _, a := range CheckAnnotations(c) {
			list = append(list, fmt.Sprint(a.Level, " ", a.Title))
		}
		return strings.Join(list, ", ")
	}
	missing := func(c *track.Check) {
		c.MissingKernels = []track.MissingKernel{gone("copy", unit.Opt[unit.Ratio]{}), gone("small", unit.Some[unit.Ratio](0.001))}
	}
	alarm := reduce(trend.Alarm, func(s *track.Series) { s.FirstBad = at(10, "", "") })
	for _, c := range []struct{ why, got, want string }{
		{"nothing", notices(func(*track.Check) {}), ""},
		{"one date in the future", notices(func(c *track.Check) { c.Clock.Future = []track.Ref{*at(8, "", "")} }), `clock: Run 8 is dated 2026-01-02 03:04, in the future. Series with it are in the order in which their runs were added. track remove 8 and adding it again with --time repairs it.`},
		{"three dates in the future", notices(func(c *track.Check) { c.Clock.Future = []track.Ref{*at(7, "", ""), *at(8, "", ""), *at(9, "", "")} }), `clock: Run 9 is dated 2026-01-02 03:04, in the future (and 2 before it). Series with it are in the order in which their runs were added. track remove 9 and adding it again with --time repairs it.`},
		{"a date in the past", notices(func(c *track.Check) { c.Clock.Earlier, c.Clock.Before = at(9, "", ""), at(8, "", "") }), `clock: Run 9 is dated 2026-01-02 03:04:00, before run 8 (2026-01-02 03:04:00), which was added earlier. Series with it are in the order in which their runs were added.`},
		{"other lambdas", notices(func(c *track.Check) {
			c.Renumbered = []track.Renumbered{{Run: *at(9, "", ""), Scope: "main", Before: 2, After: 3}}
		}), `numbers: run 9 of 2026-01-02 03:04 has 3 of main, and the run before it has 2. Their numbers may belong to other lambdas; if a finding compares two lambdas, accept it with track accept.`},
		{"a missing kernel", notices(missing), "copy: missing: run 9 was the last one with it; if it has another name now, use track rename; if it was removed, use track accept."},
		{"two kernels without a value", notices(func(c *track.Check) { c.NotMeasured = 2 }), `not measured: 2 kernels of this run have no measured value.`},
		{"another machine", notices(func(c *track.Check) {
			c.Changed, c.Shift = []track.Change{{What: "driver", From: "24.1", To: "25.2"}, {What: "host", From: "a", To: "b"}}, unit.Some(-2.5)
		}), "changed: driver 24.1 -> 25.2, host a -> b. The kernels are 2.5 points below their levels (median)."},
		{"another machine without a level", notices(func(c *track.Check) { c.Changed = []track.Change{{What: "host", From: "a", To: "b"}} }), "changed: host a -> b."},
		{"a share of the time", missingText(gone("copy", unit.Some[unit.Ratio](0.5))),
			"it took 50.0% of the time of run 9, the last one with it; if it has another name now, use track rename; if it was removed, use track accept"},
		{"a regression is an error", annotations(reduce(trend.Regression, open(1))), "error reduce: regression"},
		{"a gate that never fails", annotations(reduce(trend.Regression, open(1)), func(c *track.Check) { c.NeverFails = true }), "warning reduce: regression"},
		{"an alarm is a warning", annotations(alarm), "warning reduce: alarm"},
		{"an alarm that fails the gate", annotations(alarm, func(c *track.Check) { c.Alarms = true }), "error reduce: alarm"},
		{"a series without changes", annotations(reduce(trend.OK)), ""},
		{"a missing kernel is a warning", annotations(reduce(trend.OK), missing), "warning copy: missing"},
		{"a missing kernel that fails the gate", annotations(reduce(trend.OK), missing, func(c *track.Check) { c.FailMissing = true }), "error copy: missing"},
		{"no suspects", SuspectPattern(&track.Check{}), ""},
		{"a suspect", SuspectPattern(&track.Check{Judgment: track.Judgment{Series: []*track.Series{
			reduce(trend.OK, func(s *track.Series) { s.Gate.Suspect = true }), reduce(trend.OK)}}}), "^reduce$"},
		{"series without a verdict", strings.Join(viewOf(occupancy, reduce(trend.Learning), reduce(trend.Learning),
			reduce(trend.OK, func(s *track.Series) { s.Unmeasurable = true }), reduce(trend.OK, func(s *track.Series) { s.Ended = true })).apart(), "\n"),
			"Too short to measure: reduce. Learning: reduce. Ended: reduce."},
		{"faster", viewOf(occupancy, reduce(trend.OK, func(s *track.Series) { s.OnBase = true })).sentence("w", ""), "w: 1 of 1 kernel open on the base branch"},
		{"a launch size that changed with a finding", viewOf(occupancy).evidence(reduce(trend.Regression, open(1), restarted(1, 10))), ""},
		{"a launch size that changed before an alarm", viewOf(occupancy).evidence(reduce(trend.Alarm, restarted(1, 10))), `Launch size changed 1 run ago: launch size 8x8 -> 4x4. The runs since are 0.0 points above the earlier runs, and are compared with them.`},
		{"all series have a verdict", strings.Join(viewOf(occupancy, reduce(trend.OK)).apart(), "\n"), ""},
		{"left out", strings.Join(leftOut([]*track.Series{{LeftOut: make([]history.Point, 2)}, {}, {LeftOut: make([]history.Point, 1)}}), ""),
			"3 values of 2 series left out: unmeasurable."},
		{"no run", viewOf(spill).extent(), " has no value of spill; occudiff track add PATH adds runs, --metric follows another number"},
		{"no counter", viewOf(occupancy).extent(), `: no run has XVE Threads Occupancy; collect with "vtune -collect gpu-hotspots -- PROGRAM", for Gen9 with -knob characterization-mode=full-compute; --metric follows another number`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestSummaryRows checks the rows of a summary and the commands below them.
func TestSummaryRows(t *testing.T) {
	alarm := reduce(trend.Alarm, func(s *track.Series) { s.FirstBad = at(10, "", "") })
	named := func(task string) func(*track.Series) { return func(s *track.Series) { s.Key.Task = task } }
	on := func(branch string, run int64) func(*track.Series) {
		return func(s *track.Series) { s.Branch, s.Points[9].Run = branch, run }
	}
	commits := func(s *track.Series) {
		s.Open[0].FirstBad, s.Open[0].LastGood = *at(10, "abc", ""), at(9, "def", "")
	}
	slower := reduce(trend.OK, func(s *track.Series) {
		s.Timing = reduce(trend.Regression, open(1))
		s.Timing.Gate.Value, s.Timing.Open[0].Level = 0.002, 0.001
	})
	var many []*track.Series
	for i := range 12 {
		many = append(many, reduce(trend.Regression, open(1), named(string(rune('a'+i)))))
	}
	of := func(list ...*track.Series) string {
		v := viewOf(occupancy, list...)
		for _, s := range list {
			s.Points[9].Run = max(s.Points[9].Run, 10)
		}
		s := &report.Summary{Advice: []string{"before"}}
		v.fill(s, report.Provenance{CommandLine: []string{"occudiff", "--db", "my h.db", "--metric=busy", "-v"}})
		lines := []string{s.More}
		if s.Rows != nil {
			lines = append(lines, rows(s.Rows.Shown(report.Everywhere)))
		}
		lines = append(lines, s.Advice...)
		for _, c := range s.Confirm {
			lines = append(lines, strings.TrimSpace(c.Rows+" "+c.Text()))
		}
		return strings.TrimSpace(strings.Join(lines, "\n"))
	}
	accepts := func(list ...*track.Series) string {
		text := of(list...)
		return text[strings.LastIndex(text, "occudiff track accept"):]
	}
	sized := func(o trend.Outcome, simd int) *track.Series {
		s := reduce(o, func(s *track.Series) { s.Key.SIMD = simd })
		if o == trend.Regression {
			open(1)(s)
		}
		return s
	}
	for _, c := range []struct{ why, got, want string }{
		{"nothing to do", of(reduce(trend.OK)), "before"},
		{"a regression", of(reduce(trend.Regression, open(1), commits)), `n=|kernel=reduce|level=60.0 -> 52.0%|before=60.0|after=52.0|change=-8.0|change=-8.0|since=since run 10 (abc), last good run 9 (def)
before
Inspect: git log --oneline def..abc
Inspect: occudiff track report --db 'my h.db' --metric=busy --kernel '^reduce$' -o trend.html
If intended: occudiff track accept --db 'my h.db' --run 10 --kernel '^reduce$' --note WHY`},
		{"an alarm", of(alarm), `n=|kernel=reduce|level=60.0 -> 50.0%|before=60.0|after=50.0|change=-10.0|change=-10.0|since=alarm: run 10 alone
One run is not enough to fail: exit 0. Measure again.
before
Kernels to measure again: occudiff track check --db 'my h.db' --metric=busy --suspects
Inspect: occudiff track report --db 'my h.db' --metric=busy --kernel '^reduce$' -o trend.html`},
		{"longer launches", of(slower), `n=|kernel=reduce|level=1,000.0 -> 2,000.0 us|change=2.00x|since=since run 10, last good run 9; time per launch, occupancy as before
before
Inspect: occudiff track report --db 'my h.db' --metric=busy --kernel '^reduce$' -o trend.html
If intended: occudiff track accept --db 'my h.db' --run 10 --kernel '^reduce$' --note WHY`},
		{"a finding of the base branch", of(reduce(trend.Regression, open(1), func(s *track.Series) { s.OnBase = true })), `n=|kernel=reduce|level=60.0 -> 52.0%|before=60.0|after=52.0|change=-8.0|change=-8.0|since=since run 10, last good run 9; open on the base branch
before`},
		{"two sizes of one kernel", of(sized(trend.Regression, 16), sized(trend.Regression, 32)), `n=1|kernel=reduce [SIMD16]|level=60.0 -> 52.0%|before=60.0|after=52.0|change=-8.0|change=-8.0|since=since run 10, last good run 9
n=2|kernel=reduce [SIMD32]|level=60.0 -> 52.0%|before=60.0|after=52.0|change=-8.0|change=-8.0|since=since run 10, last good run 9
before
Inspect: occudiff track report --db 'my h.db' --metric=busy --kernel '^reduce$' -o trend.html
If intended: occudiff track accept --db 'my h.db' --run 10 --kernel '^(reduce \[SIMD16\]|reduce \[SIMD32\])$' --note WHY`},
		{"one size of two: the other one is not accepted", accepts(sized(trend.Regression, 16), sized(trend.OK, 32)),
			`occudiff track accept --db 'my h.db' --run 10 --kernel '^reduce \[SIMD16\]$' --note WHY`},
		{"a kernel on two devices", strings.SplitN(of(reduce(trend.Regression, open(1)), reduce(trend.OK, func(s *track.Series) { s.Key.Device = "b580" })), "|", 3)[1],
			"kernel=reduce on mtl-112"},
		{"two findings", of(many[0], many[1], alarm), `n=1|kernel=a|level=60.0 -> 52.0%|before=60.0|after=52.0|change=-8.0|change=-8.0|since=since run 10, last good run 9
n=2|kernel=b|level=60.0 -> 52.0%|before=60.0|after=52.0|change=-8.0|change=-8.0|since=since run 10, last good run 9
n=3|kernel=reduce|level=60.0 -> 50.0%|before=60.0|after=50.0|change=-10.0|change=-10.0|since=alarm: run 10 alone
before
Inspect: occudiff track report --db 'my h.db' --metric=busy --kernel '^(a|b|reduce)$' -o trend.html
If intended: occudiff track accept --db 'my h.db' --run 10 --kernel '^(a|b)$' --note WHY`},
		{"two findings with long names: their pattern is long, and the others are not accepted",
			accepts(reduce(trend.Regression, open(1), named(strings.Repeat("f", 40))), reduce(trend.Regression, open(1), named(strings.Repeat("g", 40))), alarm),
			"occudiff track accept --db 'my h.db' --run 10 --kernel '^(" + strings.Repeat("f", 40) + "|" + strings.Repeat("g", 40) + ")$' --note WHY"},
		{"a finding of a branch: the report shows the branch", strings.Split(of(reduce(trend.Regression, open(1), on("pr-7", 10))), "\n")[2],
			"Inspect: occudiff track report --db 'my h.db' --metric=busy --branch pr-7 --kernel '^reduce$' -o trend.html"},
		{"findings of two checked runs: each is accepted with its own run", strings.Join(strings.Split(
			of(reduce(trend.Regression, open(1), on("pr-7", 11)), reduce(trend.Regression, open(1), named("b"))), "\n")[4:], "\n"),
			"If intended: occudiff track accept --db 'my h.db' --run 10 --kernel '^b$' --note WHY\n" +
				"If intended: occudiff track accept --db 'my h.db' --run 11 --kernel '^reduce$' --note WHY"},
		{"a kernel that the run lacks: the level of that run is accepted", accepts(reduce(trend.Regression, open(1), func(s *track.Series) { s.Absent = true }),
			reduce(trend.OK, named("b"), on("", 12))), "occudiff track accept --db 'my h.db' --run 12 --kernel '^reduce$' --note WHY"},
		{"more findings than rows", strings.SplitN(of(many...), "\n", 2)[0], "and 2 more"},
		{"commands for many findings", of(many...)[strings.LastIndex(of(many...), "before"):], `before
Inspect: occudiff track report --db 'my h.db' --metric=busy --kernel '^(a|b|c|d|e|f|g|h|i|j|k|l)$' -o trend.html
If intended: occudiff track accept --db 'my h.db' --run 10 --kernel '^(a|b|c|d|e|f|g|h|i|j|k|l)$' --note WHY`},
		{"all but one of the kernels", accepts(append(many, reduce(trend.OK))...),
			`occudiff track accept --db 'my h.db' --run 10 --kernel '^(a|b|c|d|e|f|g|h|i|j|k|l)$' --note WHY`},
		{"all kernels, with a pattern that is too long to read", accepts(reduce(trend.Regression, open(1), named(strings.Repeat("f", 400)))),
			"occudiff track accept --db 'my h.db' --run 10 --all --note WHY"},
		{"a pattern that is too long to read", accepts(reduce(trend.Regression, open(1), named(strings.Repeat("f", 200))),
			reduce(trend.Regression, open(1), named(strings.Repeat("g", 200))), reduce(trend.OK)),
			"occudiff track accept --db 'my h.db' --run 10 --kernel REGEXP --note WHY"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestIncidents checks which findings are one incident, and how each ends.
func TestIncidents(t *testing.T) {
	named := func(task string, shift float64, closed int, accepted ...history.Accept) *track.Series {
		return reduce(trend.OK, func(s *track.Series) {
			s.Key.Task, s.Accepted = task, accepted
			s.Findings = []trend.Finding{{First: 2, Opened: 2, Closed: closed, Level: 60, Shift: shift}}
			for i := range s.Points {
				s.Points[i].Run = int64(i + 1)
			}
		})
	}
	of := func(list ...*track.Series) string {
		v := viewOf(occupancy, list...)
		return rows(v.incidentTable()) + "\n" + v.counts()[0]
	}
	both := occupancy
	both.Times = true
	slower := named("a", -8, 5)
	slower.Timing = named("a", 10, -1)
	for _, c := range []struct{ why, got, want string }{
		{"none", of(), `
No incident.`},
		{"two kernels", of(named("a", -8, -1), named("b", -10, -1)), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=open
kernel=b|level=60.0 -> 50.0%|change=-10.0|=3|opened=run 3 of 0001-01-01 00:00|state=open
2 incidents: 2 open, 0 recovered, 0 accepted.`},
		{"three kernels at once", of(named("a", -8, -1), named("b", -10, -1), named("c", -9, -1)), `kernel=3 kernels at once|change=-9.0|=3|opened=run 3 of 0001-01-01 00:00|state=open
1 incident: 1 open, 0 recovered, 0 accepted.`},
		{"a time that is not judged", of(slower), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=recovered|closed=run 6 of 0001-01-01 00:00
1 incident: 0 open, 1 recovered, 0 accepted.`},
		{"a time that is judged next to occupancy", strings.SplitN(rows(viewOf(both, slower).incidentTable()), "\n", 2)[1],
			"kernel=a|level=60,000,000.0 -> 70,000,000.0 us|=3|opened=run 3 of 0001-01-01 00:00|state=open"},
		{"recovered", of(named("a", -8, 5)), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=recovered|closed=run 6 of 0001-01-01 00:00
1 incident: 0 open, 1 recovered, 0 accepted.`},
		{"recovered with the second run", of(named("a", -8, 0)), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=recovered|closed=run 1 of 0001-01-01 00:00
1 incident: 0 open, 1 recovered, 0 accepted.`},
		{"accepted with the run of its end", of(named("a", -8, 5, history.Accept{Run: 6})), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=accepted|closed=run 6
1 incident: 0 open, 0 recovered, 1 accepted.`},
		{"accepted with a note", of(named("a", -8, 5, history.Accept{Run: 6, Note: "new\nmath"})), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=accepted|closed=run 6: new math
1 incident: 0 open, 0 recovered, 1 accepted.`},
		{"another run was accepted", of(named("a", -8, 5, history.Accept{Run: 5})), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=recovered|closed=run 6 of 0001-01-01 00:00
1 incident: 0 open, 1 recovered, 0 accepted.`},
		{"accepted after the last run", of(named("a", -8, -1, history.Accept{Run: 20})), `kernel=a|level=60.0 -> 52.0%|change=-8.0|=3|opened=run 3 of 0001-01-01 00:00|state=accepted|closed=run 20
1 incident: 0 open, 0 recovered, 1 accepted.`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}

// TestHeadlines checks the first line of a check and of a report, and the
// rows and charts that a selection shows.
func TestHeadlines(t *testing.T) {
	check := func(edits ...func(*track.Check)) string {
		c := &track.Check{Run: history.Run{ID: 12}, Judgment: track.Judgment{Metric: occupancy.Metric, Where: "h.db",
			Checked: []track.Ref{*at(12, "abc", "")}, Series: []*track.Series{reduce(trend.OK)}}}
		for _, edit := range edits {
			edit(c)
		}
		d := FromCheck(c, report.Provenance{}).Doc
		return strings.Join(append([]string{d.Title, d.Summary.Headline}, d.Headline[:len(d.Headline)-1]...), "\n")
	}
	several := func(c *track.Check) { c.Checked = append(c.Checked, *at(14, "", "")) }
	lost := func(c *track.Check) {
		c.FailMissing, c.MissingKernels = true, []track.MissingKernel{{Key: history.Key{Task: "copy"}}}
	}
	with := func(s *track.Series) func(*track.Check) {
		return func(c *track.Check) { c.Series = []*track.Series{s} }
	}
	reportOf := func(n int, show report.Selection, calibrated int) string {
		r := &track.Report{Judgment: track.Judgment{Metric: duration.Metric, Where: "h.db", Refs: map[int64]track.Ref{9: *at(9, "", "")}},
			Calibrations: make([]track.Calibration, calibrated)}
		for range n {
			r.Series = append(r.Series, reduce(trend.OK))
		}
		d := FromReport(r, report.Provenance{Show: show}).Doc
		lines := []string{d.Title}
		if d.Summary.Rows != nil {
			lines = append(lines, fmt.Sprint(d.Summary.Rows.Len, " rows"))
		}
		for _, s := range d.Sections {
			text := s.Key
			for _, p := range s.Plots {
				text += fmt.Sprint(" ", p.TimeSeries.Large, p.TimeSeries.Threshold.Or(0), p.TimeSeries.Least)
			}
			lines = append(lines, text)
		}
		return strings.Join(lines, "\n")
	}
	long := reduce(trend.OK, func(s *track.Series) {
		s.Points = make([]history.Point, 2001)
		s.Findings = []trend.Finding{{First: 1500, Closed: 1800, Level: 60, Shift: -8}}
	})
	chart := viewOf(occupancy, long).plots("k", "", "", []*track.Series{long}).Plots[0]
	shortest := viewOf(occupancy, reduce(trend.OK)).plots("k", "", "", slices.Repeat([]*track.Series{reduce(trend.OK)}, 20))
	for _, c := range []struct{ why, got, want string }{
		{"a check", check(), `Check of run 12 on mtl-112
ok: run 12 (abc), 1 of 1 kernel as before; largest change reduce -10.0
Run 12 of h.db: 0 kernels, collected 0001-01-01 00:00 UTC`},
		{"several runs", check(several), `Check of runs 12 to 14 on mtl-112
ok: runs 12 to 14, 1 of 1 kernel as before; largest change reduce -10.0
Run 12 of h.db: 0 kernels, collected 0001-01-01 00:00 UTC
Runs 12 to 14 are judged, each against what was known then; of a series the worst verdict counts.`},
		{"a missing kernel fails the check", check(lost), `Check of run 12 on mtl-112
missing: run 12 (abc), 1 of 1 kernel as before; largest change reduce -10.0
Run 12 of h.db: 0 kernels, collected 0001-01-01 00:00 UTC`},
		{"a regression is worse than a missing kernel", check(lost, with(reduce(trend.Regression, open(1)))), `Check of run 12 on mtl-112
regression: run 12 (abc), 1 of 1 kernel regressed
Run 12 of h.db: 0 kernels, collected 0001-01-01 00:00 UTC`},
		{"a missing kernel that fails nothing", check(lost, func(c *track.Check) { c.FailMissing = false }), `Check of run 12 on mtl-112
ok: run 12 (abc), 1 of 1 kernel as before; largest change reduce -10.0
Run 12 of h.db: 0 kernels, collected 0001-01-01 00:00 UTC`},
		{"an ended regression is not the verdict", check(with(reduce(trend.Regression, func(s *track.Series) { s.Ended = true }))), `Check of run 12 on mtl-112
learning: run 12 (abc), 1 of 1 kernel ended
Run 12 of h.db: 0 kernels, collected 0001-01-01 00:00 UTC`},
		{"a report", reportOf(1, report.Selection{}, 0), `Occupancy over time on mtl-112, 2026-01-02
series
attention
incidents
time-series true 5.8e+07 0
values
terms
provenance`},
		{"a report with a calibration", reportOf(2, report.Selection{}, 1), `Occupancy over time on mtl-112, 2026-01-02
series
attention
incidents
time-series false 5.8e+07 0 false 5.8e+07 0
values
calibration
terms
provenance`},
		{"a selection", reportOf(20, report.Selection{Sort: report.SortName}, 0), `Occupancy over time on mtl-112, 2026-01-02
10 rows
series
attention
incidents
time-series false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0
values
terms
provenance`},
		{"a selection of more rows", reportOf(20, report.Selection{Top: 12}, 0), `Occupancy over time on mtl-112, 2026-01-02
12 rows
series
attention
incidents
time-series false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0 false 5.8e+07 0
values
terms
provenance`},
		{"the last runs of a long series", fmt.Sprint(chart.Text, " ", len(chart.TimeSeries.Points), " ", chart.TimeSeries.Segments), `Measured [%], the last 2,000 of 2,001 runs, oldest on the left. 2000 [{0 1499 0 level since run 0 of 0001-01-01 00:00 1} {1499 1799 0 level since run 0 of 0001-01-01 00:00 2} {1799 2000 0 level since run 0 of 0001-01-01 00:00 1}]`},
		{"charts of some series", fmt.Sprint(len(shortest.Plots), " ", shortest.Plots[0].TimeSeries.Large, " ", shortest.Plots[12].Key, " ", shortest.Plots[0].Text), "13 false k-13 Measured [%], 10 runs, oldest on the left."},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, c.got, c.want)
		}
	}
}
