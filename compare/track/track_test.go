package track_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

var (
	bg  = context.Background()
	now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
)

// measuredRow returns a kernel row with measured occupancy in percent and a
// time per launch.
func measuredRow(value float64, verdict string) history.Row {
	row := history.Row{Key: history.Key{Task: "k", Global: unit.Size(4096), Local: unit.Size(256), SIMD: 32}, Verdict: verdict}
	row.Set(history.Measured, unit.Some(value))
	row.Set(history.Seconds, unit.Some(1/value))
	return row
}

// storeRuns returns a history with the given runs, one hour apart. Their
// numbers are 1, 2, 3, ...
func storeRuns(t *testing.T, runs ...history.Run) *history.DB {
	t.Helper()
	db, err := history.Open(bg, filepath.Join(t.TempDir(), "h.db"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for i, run := range runs {
		run.Time = time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		run.Inputs = []history.Input{{Path: fmt.Sprintf("%d.csv", i), Digest: fmt.Sprint(i), Contains: true}}
		if added, err := db.Add(bg, run); err != nil || added.ID != int64(i+1) {
			t.Fatalf("run %d is stored as %+v, %v", i+1, added, err)
		}
	}
	return db
}

// metric returns a metric with a gate that fits its unit. A window of 0 stands
// for the default.
func metric(t *testing.T, name string, window int) track.Metric {
	t.Helper()
	var s track.Settings
	if window > 0 {
		s.Window = unit.Some(window)
	}
	m, err := track.NewMetric(name, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// check returns the judgment of a run. If run is 0, it is the newest run.
func check(t *testing.T, db *history.DB, run int, m track.Metric) *track.Check {
	t.Helper()
	id := int64(run)
	if id == 0 {
		runs, _ := db.List(bg)
		for i := range runs {
			id = max(id, runs[i].ID)
		}
	}
	c, err := track.CheckRuns(bg, db, []int64{id}, m, now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// whole returns the series of measured occupancy in a history.
func whole(t *testing.T, db *history.DB) []*track.Series {
	t.Helper()
	r, err := track.ReadReport(bg, db, metric(t, "measured", 0), trend.DefaultParams(), now)
	if err != nil {
		t.Fatal(err)
	}
	return r.Series
}

// replay returns the backtest of a history.
func replay(t *testing.T, db *history.DB, m track.Metric) *track.Backtest {
	t.Helper()
	b, err := track.ReadBacktest(bg, db, m, unit.Opt[float64]{}, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestUnmeasurableIsNotJudged checks histories in which the values of some runs
// include other kernels. Such runs are between other runs.
func TestUnmeasurableIsNotJudged(t *testing.T) {
	row := func(value float64, short bool) history.Run {
		verdict := "match"
		if short {
			verdict = "unmeasurable"
		}
		return history.Run{Rows: []history.Row{measuredRow(value, verdict)}}
	}
	var steady, short []history.Run
	for i := range 10 {
		steady = append(steady, row(97+0.1*float64(i%3), false))
		short = append(short, row(97, true))
	}
	cases := []struct {
		reason string
		runs   []history.Run
		metric string
		window int
		want   string // verdict, number of runs, consecutive bad runs, and left-out runs
	}{
		{"a low run that is not the kernel's does not confirm the next one", append(slices.Clone(steady), row(40, true), row(90, false)), "measured", 0, "alarm 10 1 1"},
		{"such a run does not separate two runs that confirm each other", append(slices.Clone(steady), row(90, false), row(40, true), row(90, false)), "measured", 0, "regression 10 2 1"},
		{"such runs are not a baseline", append(slices.Clone(short), row(60, false), row(60, false)), "measured", 0, "learning 1 0 10"},
		{"the newest value is shown, with the statistics of the judged runs", append(slices.Clone(steady), row(40, true), row(50, true)), "measured", 0, "unmeasurable 10 0 1"},
		{"such runs do not count outside the window", append(append(slices.Clone(short), steady...), steady...), "measured", 10, "ok 10 0 10"},
		{"time is no sampled counter: all are judged", append(slices.Clone(short), row(50, true), row(50, true)), "seconds", 0, "regression 10 2 0"},
	}
	for _, c := range cases {
		s := check(t, storeRuns(t, c.runs...), len(c.runs), metric(t, c.metric, c.window)).Series[0]
		if got := fmt.Sprintf("%s %d %d %d", s.Outcome(), s.Gate.N, s.Gate.Consecutive, len(s.LeftOut)); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
		if short := strings.HasPrefix(c.want, "unmeasurable"); short != (s.Severity() == track.SeverityUnmeasurable) || short && s.NeedsAttention() {
			t.Errorf("%s: severity %v", c.reason, s.Severity())
		}
		if p := s.Newest(); p.Run != int64(len(c.runs)) || s.Gate.Value != p.Value {
			t.Errorf("%s: the newest run is %d with %v, want the one that was checked", c.reason, p.Run, s.Gate.Value)
		}
	}

	// If only the newest value includes other kernels, a changed level stays in
	// the report. The newest value belongs to no level.
	var moved []history.Run
	for i := range 30 {
		moved = append(moved, row(90-10*float64(i/15)+0.1*float64(i%3), false))
	}
	moved = append(slices.Insert(moved, 5, row(10, true)), row(10, true))
	s := whole(t, storeRuns(t, moved...))[0]
	if len(s.Found) != 1 || s.Found[0].Index != 15 || s.Points[15].Run != 17 || s.Outcome() != trend.Regression ||
		len(s.Points) != 31 || len(s.LeftOut) != 1 {
		t.Errorf("the report has %+v", s)
	}
	// If all values of a series include other kernels, the series is not
	// replayed.
	if b := replay(t, storeRuns(t, short...), metric(t, "measured", 0)); len(b.Series) != 1 || len(b.Series[0].Own()) != 0 || len(b.Series[0].LeftOut) != 9 || b.Total.Checks != 0 {
		t.Errorf("the replay of runs that are not judged is %+v", b)
	}
}

// TestBacktestEqualsChecks checks every run of a history as the newest one, and
// compares the open findings and their first runs with the replay. The history
// has runs that are not judged, drops that recover, and drops that stay.
func TestBacktestEqualsChecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var runs []history.Run
	for i := range 90 {
		level := 95.0
		if i >= 30 && i < 40 || i >= 60 {
			level = 85
		}
		value, verdict := level+rng.NormFloat64(), "match"
		if rng.IntN(8) == 0 {
			value, verdict = 100*rng.Float64(), "unmeasurable"
		}
		runs = append(runs, history.Run{Rows: []history.Row{measuredRow(max(value, 0), verdict)}})
	}
	db, m := storeRuns(t, runs...), metric(t, "measured", 20)
	whole := replay(t, db, m)
	if whole.Open != 1 {
		t.Errorf("%d findings are open, want the drop that stays", whole.Open)
	}
	b := whole.Series[0]
	red := 0
	for run := 1; run <= len(runs); run++ {
		s := check(t, db, run, m).Series[0]
		want := int64(0) // first bad run of the finding that is open in the replay
		for _, f := range b.Findings {
			opened := b.Points[f.Opened].Run <= int64(run)
			if opened && (f.Closed < 0 || b.Points[f.Closed].Run > int64(run)) {
				want = b.Points[f.First].Run
			}
		}
		got := int64(0)
		if s.Outcome() == trend.Regression {
			got = s.FirstBad.Run
			red++
		}
		if got != want && !s.Unmeasurable {
			t.Errorf("run %d: the check says %s since run %d, the replay since run %d", run, s.Outcome(), got, want)
		}
	}
	if len(b.Findings) != 2 || red < 30 {
		t.Errorf("%d red checks, findings %+v; want the drop that was recovered and the one that stays", red, b.Findings)
	}
}

// TestContinuedSeries checks in which cases a series continues another series,
// and in which cases both exist in parallel. A run is written as "device driver
// local". Several kernels of one run are separated by commas.
func TestContinuedSeries(t *testing.T) {
	const a, b = "A 1 16", "B 1 16"
	cases := []struct {
		reason string
		runs   []string
		check  string // findings of the newest run in a check
		report string // all series in a report
	}{
		{"another driver", []string{a, a, "A 2 16"}, "A/2/16", "A/2/16"},
		{"two runs later", []string{a, a, "A 2 16", "A 2 16"}, "A/2/16", "A/2/16"},
		{"two devices in every run", []string{a + "," + b, a + "," + b}, "A/1/16; B/1/16", "A/1/16; B/1/16"},
		{"two machines that take turns", []string{a, b, a, b}, "B/1/16", "A/1/16; B/1/16"},
		{"each of them with its own predecessor", []string{a, b, a, b, "A 2 16", "B 2 16"}, "B/2/16",
			"A/2/16; B/2/16"},
		{"the other one has not followed yet", []string{a, b, a, b, "A 2 16"}, "A/2/16", "A/2/16; B/1/16"},
		{"another device for one run", []string{a, b, a}, "A/1/16", "A/1/16; B/1/16"},
		{"a second device next to the first", []string{a, a + "," + b}, "A/1/16; B/1/16", "A/1/16; B/1/16"},
		{"another launch size", []string{a, "A 1 32"}, "A/1/32 after 16", "A/1/32 after 16"},
		{"two runs later", []string{a, a, "A 1 32", "A 1 32"}, "A/1/32 after 16", "A/1/32 after 16"},
		{"one after another", []string{a, "A 1 32", "A 1 64"}, "A/1/64 after 32", "A/1/64 after 32"},
		{"a driver in between", []string{"A 1 32", a, "A 2 16", "A 2 32"}, "A/2/32 after 16", "A/2/32 after 16"},
		{"two at a time: the nearer one went on", []string{a + ",A 1 32", "A 1 64"}, "A/1/64 after 32", "A/1/16; A/1/64 after 32"},
		{"two at a time, of which one changes", []string{a + ",A 1 32", a + ",A 1 64"}, "A/1/16; A/1/64 after 32", "A/1/16; A/1/64 after 32"},
		{"two at a time, and another driver", []string{a + ",A 1 32", "A 2 16,A 2 32"}, "A/2/16; A/2/32", "A/2/16; A/2/32"},
		{"one launch size became two: the nearer one continues", []string{a, "A 1 32,A 1 64"}, "A/1/32 after 16; A/1/64", "A/1/32 after 16; A/1/64"},
		{"a shape that comes and goes", []string{a, "A 1 32", a}, "A/1/16", "A/1/16; A/1/32 after 16"},
		{"two at a time: the one with the same driver went on", []string{"A 1 32,A 2 16", "A 1 64"}, "A/1/64 after 32",
			"A/1/64 after 32; A/2/16"},
		{"shape and driver", []string{a, "A 2 32"}, "A/2/32 after 16", "A/2/32 after 16"},
		{"a new launch size on machines that take turns", []string{a, b, a, b, "A 1 32", "B 1 32"}, "B/1/32 after 16",
			"A/1/32 after 16; B/1/32 after 16"},
		{"a run before that did not name its driver is the one before", []string{b, "A - 16", "A 2 16"}, "A/2/16", "A/2/16; B/1/16"},
		{"a driver that is not known is another one, and no excuse either", []string{"A - 16", "A 2 16"}, "A/2/16", "A/2/16"},
	}
	for _, c := range cases {
		var runs []history.Run
		for _, kernels := range c.runs {
			var run history.Run
			for _, k := range strings.Split(kernels, ",") {
				row := measuredRow(50, "match")
				var local int64
				if _, err := fmt.Sscan(k, &row.Device, &row.Driver, &local); err != nil {
					t.Fatal(err)
				}
				row.Driver, row.Local = strings.Trim(row.Driver, "-"), unit.Size(local)
				run.Rows = append(run.Rows, row)
			}
			runs = append(runs, run)
		}
		db := storeRuns(t, runs...)
		for _, what := range []struct {
			series []*track.Series
			want   string
		}{{check(t, db, 0, metric(t, "measured", 0)).Series, c.check}, {whole(t, db), c.report}} {
			var got []string
			for _, s := range what.series {
				got = append(got, begun(s))
			}
			if slices.Sort(got); strings.Join(got, "; ") != what.want {
				t.Errorf("%s: %q, want %q", c.reason, strings.Join(got, "; "), what.want)
			}
		}
	}
}

// TestStopped checks the report on series that have ended. An open finding in
// such a series stays open until it is accepted, as in a check.
func TestStopped(t *testing.T) {
	row := func(task string, value float64) history.Row {
		r := measuredRow(value, "match")
		r.Task, r.Device = task, "A"
		return r
	}
	for _, c := range []struct {
		reason string
		device string // device of the later runs
		later  int
		drop   float64
		accept bool // the newest run is accepted
		want   trend.Outcome
		ended  bool
		absent bool
	}{
		{"the newest run has it", "A", 0, 20, false, trend.Regression, false, false},
		{"an open finding stays open without a run", "A", 7, 20, false, trend.Regression, false, true},
		{"an open finding stays open for any time", "A", 20, 20, false, trend.Regression, false, true},
		{"until it is accepted", "A", 8, 20, true, trend.Regression, true, true},
		{"it may return", "A", 7, 0, false, trend.OK, false, true},
		{"none of the last eight runs has it", "A", 8, 0, false, trend.OK, true, true},
		{"runs on another device do not end it", "B", 39, 0, false, trend.OK, false, false},
		{"a device that is no longer in use does", "B", 40, 0, false, trend.OK, true, false},
		{"even with an open finding", "B", 40, 20, false, trend.Regression, true, false},
	} {
		var runs []history.Run
		for i := range 12 + c.later {
			run := history.Run{Device: "A", Rows: []history.Row{row("other", 80)}}
			if i < 12 {
				run.Rows = append(run.Rows, row("gone", 90-c.drop*float64(i/10)))
			} else {
				run.Device, run.Rows[0].Device = c.device, c.device
			}
			runs = append(runs, run)
		}
		db := storeRuns(t, runs...)
		if c.accept {
			if _, err := db.Accept(bg, history.Accept{Run: int64(len(runs)), Time: now}, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range whole(t, db) {
			if s.Key.Task == "gone" && (s.Outcome() != c.want || s.Ended != c.ended || s.Absent != c.absent) {
				t.Errorf("%s: %s, ended: %v, absent: %v", c.reason, s.Outcome(), s.Ended, s.Absent)
			}
		}
	}
}

// begun returns a series as short text: device/driver/local size, and the local
// size before a change.
func begun(s *track.Series) string {
	text := s.Key.Device + "/" + s.Key.Driver + "/" + s.Key.Local.String()
	if b := s.Restart; b != nil {
		_, local, _ := strings.Cut(b.From, " / ")
		local, _, _ = strings.Cut(local, ",")
		text += " after " + local
	}
	if s.Ended {
		text += ", ended"
	}
	return text
}

// TestFindingsStayOpen checks that a finding belongs to the kernel: it does not
// recover if the newest run lacks the kernel or has it under another key. A run
// is written as "driver local value". Several kernels of one run are separated
// by commas, and "-" means no value.
func TestFindingsStayOpen(t *testing.T) {
	good, bad := "1 16 90", "1 16 65"
	for _, c := range []struct {
		reason string
		runs   []string // runs that follow twenty good runs
		accept bool     // the second newest run is accepted
		want   string   // verdict of the newest run
	}{
		{"open", []string{bad, bad}, false, "1/16 regression since 21"},
		{"its cell is blank", []string{bad, bad, "1 16 -"}, false, "1/16 regression since 21, absent"},
		{"its row is missing", []string{bad, bad, ""}, false, "1/16 regression since 21, absent"},
		{"its row is missing, and the finding was accepted", []string{bad, bad, "", ""}, true, ""},
		{"missing, and good again", []string{bad, bad, "", good}, false, "1/16 ok"},
		{"a driver that takes turns hides nothing", []string{"2 16 65", "2 16 65", good}, false,
			"1/16 ok; 2/16 regression since 21, absent"},
		{"the bad driver fails again", []string{"2 16 65", "2 16 65", good, "2 16 65"}, false, "2/16 regression since 21"},
		{"a shape next to the old one", []string{"1 32 65", "1 32 65", good + ",1 32 65"}, false,
			"1/16 ok; 1/32 regression since 21"},
		{"a launch size that was taken back for seven runs", append([]string{"1 32 65", "1 32 65"}, slices.Repeat([]string{good}, 7)...),
			false, "1/16 ok; 1/32 regression since 21, absent"},
		{"and for eight", append([]string{"1 32 65", "1 32 65"}, slices.Repeat([]string{good}, 8)...), false, "1/16 ok"},
		{"another driver goes on with it", []string{bad, bad, "2 16 65"}, false, "2/16 regression since 21"},
		{"good on another driver closes it", []string{bad, bad, "2 16 90", "2 16 90"}, false, "2/16 ok"},
	} {
		var runs []history.Run
		for _, kernels := range append(slices.Repeat([]string{good}, 20), c.runs...) {
			other := measuredRow(80, "match")
			other.Key = history.Key{Task: "other", Device: "A"}
			run := history.Run{Device: "A", Rows: []history.Row{other}}
			for _, k := range strings.Split(kernels, ",") {
				var driver, value string
				var local int64
				if _, err := fmt.Sscan(k, &driver, &local, &value); err != nil {
					continue
				}
				x, err := strconv.ParseFloat(value, 64)
				row := measuredRow(max(x, 1)+0.1*float64(len(runs)%3), "match")
				if err != nil {
					row.Set(history.Measured, unit.Opt[float64]{})
				}
				row.Device, row.Driver, row.Local = "A", driver, unit.Size(local)
				run.Rows = append(run.Rows, row)
			}
			runs = append(runs, run)
		}
		db := storeRuns(t, runs...)
		if c.accept {
			if _, err := db.Accept(bg, history.Accept{Run: int64(len(runs) - 1), Time: now}, nil); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, s := range check(t, db, 0, metric(t, "measured", 0)).Series {
			if s.Key.Task == "other" {
				continue
			}
			text := s.Key.Driver + "/" + s.Key.Local.String() + " " + string(s.Outcome())
			if s.Outcome() == trend.Regression {
				text += fmt.Sprintf(" since %d", s.FirstBad.Run)
			}
			if s.Absent {
				text += ", absent"
			}
			got = append(got, text)
		}
		if slices.Sort(got); strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.reason, strings.Join(got, "; "), c.want)
		}
		// A replay fails from the run on that confirmed the finding, until the
		// finding is accepted. A check does the same.
		b := replay(t, db, metric(t, "measured", 0))
		at := slices.IndexFunc(b.Series, func(s *track.Series) bool { return s.Key.Task != "other" })
		if run, closed := b.Series[at].AcceptedAfter(); c.accept && (b.Total.FailedChecks != 1 || !closed || run != int64(len(runs)-1)) {
			t.Errorf("%s: the replay has %d red checks, accepted with run %d", c.reason, b.Total.FailedChecks, run)
		}
	}
}

// TestBranchFailsForItsOwn checks which findings make a run of a branch fail:
// only findings that began on the branch.
func TestBranchFailsForItsOwn(t *testing.T) {
	for _, c := range []struct {
		reason       string
		base, branch []float64
		want         trend.Outcome
	}{
		{"a finding that is open on the base branch is named", []float64{80, 80}, []float64{80}, track.OpenOnBase},
		{"the branch's own drop fails", nil, []float64{80, 80}, trend.Regression},
		{"the branch's own drop below an open finding fails", []float64{80, 80, 80}, []float64{60, 60}, trend.Regression},
		{"the branch fixes an open finding", []float64{80, 80}, []float64{95}, trend.OK},
	} {
		var runs []history.Run
		for i, v := range slices.Concat(slices.Repeat([]float64{95}, 20), c.base, c.branch) {
			run := history.Run{Rows: []history.Row{measuredRow(v+0.1*float64(i%3), "match")}}
			if i >= 20+len(c.base) {
				run.Branch = "topic"
			}
			runs = append(runs, run)
		}
		s := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series[0]
		if s.Outcome() != c.want || (s.Severity() == track.SeverityOnBase) != (c.want == track.OpenOnBase) {
			t.Errorf("%s: %s, severity %v, want %s", c.reason, s.Outcome(), s.Severity(), c.want)
		}
	}
}

// TestLastGoodOfBranch checks the last good run of a finding on a branch. It is
// the last run before the first bad run, and not a later run of the base.
func TestLastGoodOfBranch(t *testing.T) {
	var runs []history.Run
	for i := range 19 {
		run := history.Run{Rows: []history.Row{measuredRow(95+0.1*float64(i%3), "match")}}
		if i == 15 || i == 16 || i == 18 { // the base runs once more between the runs of the branch
			run.Rows[0], run.Branch = measuredRow(80, "match"), "topic"
		}
		runs = append(runs, run)
	}
	s := check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Series[0]
	if s.Outcome() != trend.Regression || s.FirstBad.Run != 16 || s.LastGood.Run != 15 || s.Open[0].LastGood.Run != 15 {
		t.Errorf("%s, first bad run %v, last good run %v and %v", s.Outcome(), s.FirstBad, s.LastGood, s.Open[0].LastGood)
	}
}

// TestNoLongerFaster checks that a kernel fails at once if it is slow again at
// the low occupancy.
func TestNoLongerFaster(t *testing.T) {
	var runs []history.Run
	for i := range 31 {
		row := measuredRow(90+0.1*float64(i%3), "match")
		seconds := 1.0
		if i >= 20 {
			row = measuredRow(70+0.1*float64(i%3), "match")
			seconds = 0.7
		}
		if i == 30 {
			seconds = 1
		}
		row.Set(history.Seconds, unit.Some(seconds+0.001*float64(i%3)))
		runs = append(runs, history.Run{Rows: []history.Row{row}})
	}
	db, m := storeRuns(t, runs...), metric(t, "measured", 0)
	for run, want := range map[int]trend.Outcome{30: track.Faster, 31: trend.Regression} {
		if s := check(t, db, run, m).Series[0]; s.Outcome() != want {
			t.Errorf("run %d: %s, want %s", run, s.Outcome(), want)
		}
	}
}

// TestMeasuredAgain checks a run of the same commit that has only some of the
// kernels. It supplements the earlier run.
func TestMeasuredAgain(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	run := func(i int, low string, of ...string) history.Run {
		r := history.Run{Device: "A", Commit: fmt.Sprintf("%040d", i)}
		for k, name := range of {
			row := measuredRow(90+0.1*float64((i+k)%4), "match")
			row.Task, row.Device = name, "A"
			if name == low {
				row.Set(history.Measured, unit.Some(70.0))
			}
			r.Rows = append(r.Rows, row)
		}
		return r
	}
	var runs []history.Run
	for i := range 30 {
		runs = append(runs, run(i, "", names...))
	}
	runs = append(runs, run(30, "c", names...), run(30, "", "c"), run(31, "", names...))
	db, m := storeRuns(t, runs...), metric(t, "measured", 0)
	suspects := func(c *track.Check) (list []string) {
		for _, s := range c.Suspects() {
			list = append(list, s.Key.Task)
		}
		return list
	}
	if got := suspects(check(t, db, 31, m)); !slices.Equal(got, []string{"c"}) {
		t.Errorf("suspects of a run in which c is 20 points low: %v", got)
	}
	for run := 32; run <= 33; run++ {
		c := check(t, db, run, m)
		if len(c.Series) != len(names) || len(c.MissingKernels)+len(suspects(c)) > 0 {
			t.Errorf("run %d: %d kernels, gone %v, suspect %v; want all kernels and nothing missing", run,
				len(c.Series), c.MissingKernels, suspects(c))
		}
	}
}
