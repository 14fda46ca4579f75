package trackdoc

import (
	"testing"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

var (
	occupancy = metric{track.Metric{Metric: history.Measured, Gate: trend.PointsGate()}}
	duration  = metric{track.Metric{Metric: history.Seconds, Gate: trend.RelativeGate()}}
	spill     = metric{track.Metric{Metric: history.Spill, Gate: trend.ExactGate()}}
)

func init() { duration.Gate.Direction, spill.Gate.Direction = trend.Up, trend.Up }

// at returns a reference to a run on January 2, 2026.
func at(run int64, commit, label string) *track.Ref {
	return &track.Ref{Run: run, Time: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Commit: commit, Label: label}
}

// reduce returns a series with 10 runs of the kernel "reduce".
func reduce(outcome trend.Outcome, edits ...func(*track.Series)) *track.Series {
	s := &track.Series{Key: history.Key{Task: "reduce", Device: "mtl-112", Driver: "24.1"},
		Points: make([]history.Point, 10), Age: 9, Gate: trend.Verdict{Outcome: outcome, Index: 9, Value: 50, N: 9, Window: 40,
			Median: unit.Some(60.0), MAD: unit.Some(0.5), Threshold: unit.Some(58.0)}}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

// open returns an edit that adds n open findings with a shift of 8 points each.
func open(n int) func(*track.Series) {
	return func(s *track.Series) {
		for i := range n {
			f := trend.Finding{Level: 60 - 8*float64(i), Shift: -8}
			s.Open = append(s.Open, track.Open{Finding: f, FirstBad: *at(int64(10+i), "", ""), LastGood: at(int64(9+i), "", "")})
		}
		s.FirstBad, s.LastGood = at(10, "", ""), at(9, "", "")
	}
}

func restarted(age, points int) func(*track.Series) {
	return func(s *track.Series) {
		s.Age, s.Points = age, make([]history.Point, points)
		s.Restart = &track.Change{What: "launch size", From: "8x8", To: "4x4"}
	}
}

func viewOf(m metric, list ...*track.Series) *view {
	return newView(&track.Judgment{Metric: m.Metric, Series: list})
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ why, got, want string }{
		{"a percentage", occupancy.print(62.71), "62.7%"},
		{"a noise of binary arithmetic", occupancy.print(60.8 - 60.5), "0.3%"},
		{"points are not percent", occupancy.difference(-8), "-8.0 points"},
		{"a rise", occupancy.difference(8), "+8.0 points"},
		{"a column has the unit", occupancy.change(-8), "-8.0"},
		{"below", occupancy.side(-8), "8.0 points below"},
		{"above", occupancy.side(8), "8.0 points above"},
		{"two values and one unit", occupancy.between(60, 52), "60.0 -> 52.0%"},
		{"people read microseconds", duration.print(0.000523), "523.0 us"},
		{"so for differences", duration.difference(1e-6), "+1.0 us"},
		{"which are no points", duration.change(1e-6), "+1.0 us"},
		{"bytes are whole", spill.print(1024), "1,024 bytes"},
		{"more bytes", spill.side(64), "64.0 bytes above"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.why, c.got, c.want)
		}
	}
	for _, c := range []struct {
		why  string
		d    trend.Direction
		x    float64
		want float64
	}{
		{"a drop is worse", trend.Down, -3, 3}, {"a rise is worse", trend.Up, 3, 3},
	} {
		m := occupancy
		m.Gate.Direction = c.d
		if got := m.worse(c.x); got != c.want {
			t.Errorf("%s: %g, want %g", c.why, got, c.want)
		}
	}
}

func TestFindingText(t *testing.T) {
	for _, c := range []struct {
		why    string
		s      *track.Series
		want   string
		status report.Status
	}{
		{"as before", reduce(trend.OK), "ok", report.Good},
		{"a regression", reduce(trend.Regression), "regression", report.Bad},
		{"one run", reduce(trend.Alarm), "alarm", report.Unsure},
		{"few runs", reduce(trend.Learning), "learning", report.Muted},
		{"of the past", reduce(trend.Regression, func(s *track.Series) { s.Ended = true }), "regression, ended", report.Muted},
		{"a kernel that the newest run lacks", reduce(trend.OK, func(s *track.Series) { s.Absent = true }), "ok, not in the newest run", report.Good},
		{"another launch size", reduce(trend.Learning, restarted(0, 1)), "learning: launch size changed here", report.Muted},
		{"the launch size of the run before", reduce(trend.Learning, restarted(1, 2)), "learning: launch size changed 1 run ago", report.Muted},
		{"a regression with a launch size", reduce(trend.Regression, restarted(1, 10), open(1)),
			"regression: launch size changed 1 run ago", report.Bad},
		{"a value that is not judged", reduce(trend.OK, restarted(1, 10), func(s *track.Series) { s.Unmeasurable = true }), "unmeasurable", report.Unsure},
	} {
		if got := findingText(c.s); got != c.want || statusOf(c.s) != c.status {
			t.Errorf("%s: %q, status %d, want %q, %d", c.why, got, statusOf(c.s), c.want, c.status)
		}
	}
}

func TestLines(t *testing.T) {
	companion := func(m history.Metric, before, after float64) func(*track.Series) {
		return func(s *track.Series) {
			s.AlsoChanged = append(s.AlsoChanged, track.MetricChange{Metric: m, Before: before, After: after})
		}
	}
	lost := func(s *track.Series) {
		s.Gate.Consecutive, s.Gate.Index, s.Points[9].Value = 1, 9, -8
	}
	for _, c := range []struct {
		why  string
		s    *track.Series
		want string
	}{
		{"no open finding", reduce(trend.OK), ""},
		{"a regression", reduce(trend.Regression, open(1)), "60.0 -> 52.0%, -8.0, since run 10, last good run 9."},
		{"two levels", reduce(trend.Regression, open(2)),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9. 52.0 -> 44.0%, -8.0, since run 11, last good run 10; now 50.0%."},
		{"an alarm", reduce(trend.Alarm, func(s *track.Series) { s.FirstBad = at(10, "", "") }),
			"60.0 -> 50.0%, -10.0, alarm: run 10 alone. It may be an outlier; if the next run is as low, it is a regression."},
		{"no good run", reduce(trend.Regression, open(1), func(s *track.Series) { s.Open[0].LastGood = nil }),
			"60.0 -> 52.0%, -8.0, since run 10."},
		{"a longer time", reduce(trend.Regression, open(1), companion(history.Seconds, 1, 1.25)),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9; time 1.25x. Also changed: time per launch 1,000,000.0 -> 1,250,000.0 us (+250,000.0 us)."},
		{"the same time", reduce(trend.Regression, open(1), companion(history.Seconds, 1e-3, 1.01e-3)),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9; time as before. Also changed: time per launch 1,000.0 -> 1,010.0 us (+10.0 us)."},
		{"a time of another launch size", reduce(trend.Regression, open(1), companion(history.Seconds, 1e-3, 2e-3), func(s *track.Series) { s.AlsoChanged[0].Scaled = true }),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9; time per work-item 2.00x. " +
				"Also changed: time per launch, scaled to the new launch size, 1,000.0 -> 2,000.0 us (+1,000.0 us)."},
		{"a loss to idle XVEs", reduce(trend.Regression, open(1), companion(history.IdleXVEs, 1, 9), lost),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9; lost 8.0 points to idle XVEs. Also changed: slots of idle XVEs 1.0 -> 9.0 points (+8.0 points)."},
		{"two levels: the loss belongs to both together", reduce(trend.Regression, open(2), companion(history.IdleXVEs, 1, 9), lost),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9. 52.0 -> 44.0%, -8.0, since run 11, last good run 10; now 50.0%. " +
				"Also changed: slots of idle XVEs 1.0 -> 9.0 points (+8.0 points)."},
		{"a change that prints as 0.0", reduce(trend.Regression, open(1), companion(history.IdleXVEs, 1, 1.04)),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9."},
		{"a change that prints as 0.1", reduce(trend.Regression, open(1), companion(history.IdleXVEs, 1, 1.06)),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9. Also changed: slots of idle XVEs 1.0 -> 1.1 points (+0.1 points)."},
		{"absent from the run", reduce(trend.Regression, open(1), func(s *track.Series) { s.Absent = true }),
			"60.0 -> 52.0%, -8.0, since run 10, last good run 9; not in the run. " +
				"It closes with a good run on this driver in this launch size, or with 'occudiff track accept'."},
	} {
		if got := viewOf(occupancy, c.s).whole(c.s); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

func TestSentence(t *testing.T) {
	ended := reduce(trend.OK, func(s *track.Series) { s.Ended = true })
	for _, c := range []struct {
		why  string
		list []*track.Series
		want string
	}{
		{"no series", nil, "w: "},
		{"as before", []*track.Series{reduce(trend.OK)}, "w: 1 of 1 kernel as before; largest change reduce -10.0"},
		{"a regression hides the largest change", []*track.Series{reduce(trend.OK), reduce(trend.Regression, open(1))},
			"w: 1 of 2 kernels regressed, 1 as before"},
		{"a kernel that the newest run lacks", []*track.Series{reduce(trend.Regression, open(1)), reduce(trend.OK, func(s *track.Series) { s.Absent = true })},
			"w: 1 of 2 kernels regressed, 1 not in the newest run"},
		{"of the past", []*track.Series{reduce(trend.OK), ended}, "w: 1 of 2 kernels as before, 1 ended; largest change reduce -10.0"},
		{"few runs", []*track.Series{reduce(trend.Learning, func(s *track.Series) { s.Gate.Median = unit.Opt[float64]{} })},
			"w: 1 of 1 kernel with fewer than 3 earlier runs"},
		{"another launch size", []*track.Series{reduce(trend.Learning, restarted(0, 1))},
			"w: 1 of 1 kernel with fewer than 3 earlier runs (1 after a change of the launch size)"},
	} {
		if got := viewOf(occupancy, c.list...).sentence("w", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	many := []*track.Series{}
	for range 5 {
		many = append(many, reduce(trend.Regression, open(1)))
	}
	alarm := reduce(trend.Alarm, func(s *track.Series) { s.FirstBad = at(10, "", "") })
	gone := track.MissingKernel{Key: history.Key{Task: "copy"}, Last: *at(9, "", ""), Share: unit.Some[unit.Ratio](0.5)}
	for _, c := range []struct {
		why  string
		j    track.Judgment
		want string
	}{
		{"as before", track.Judgment{Series: []*track.Series{reduce(trend.OK)}}, ""},
		{"a regression", track.Judgment{Series: many[:1]}, "1 of 1 kernel regressed: reduce (60.0 -> 52.0%)"},
		{"an alarm passes", track.Judgment{Series: []*track.Series{alarm}}, ""},
		{"unless it fails the gate", track.Judgment{Series: []*track.Series{alarm}, Alarms: true},
			"1 of 1 kernel is worse: reduce (60.0 -> 50.0%)"},
		{"the run is named", track.Judgment{Series: many[:1], Checked: []track.Ref{{Run: 12}}},
			"run 12: 1 of 1 kernel regressed: reduce (60.0 -> 52.0%)"},
		{"several runs", track.Judgment{Series: many[:1], Checked: []track.Ref{{Run: 12}, {Run: 14}}},
			"runs 12 to 14: 1 of 1 kernel regressed: reduce (60.0 -> 52.0%)"},
		{"a missing kernel passes", track.Judgment{MissingKernels: []track.MissingKernel{gone}}, ""},
		{"unless it fails the gate", track.Judgment{MissingKernels: []track.MissingKernel{gone}, FailMissing: true},
			"1 kernel that took more than 1% of the time is missing: copy"},
	} {
		c.j.Metric = occupancy.Metric
		if got := Failure(&c.j); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	const commit = "0123456789abcdef"
	for _, c := range []struct{ why, got, want string }{
		{"a commit is cut", shortCommit(commit), "0123456789ab"},
		{"a tag is not", shortCommit("release-2026-01"), "release-2026-01"},
		{"a single run", runName(at(7, "", "")), "run 7 of 2026-01-02 03:04"},
		{"with a commit", runName(at(7, commit, "")), "run 7 of 2026-01-02 03:04 (commit 0123456789ab)"},
		{"with a label", runName(at(7, "", "nightly")), "run 7 of 2026-01-02 03:04 (nightly)"},
		{"with both", runName(at(7, commit, "nightly")), "run 7 of 2026-01-02 03:04 (commit 0123456789ab, nightly)"},
		{"a short name", shortRef(at(7, "", "")), "run 7"},
		{"prefers the commit", shortRef(at(7, commit, "nightly")), "run 7 (0123456789ab)"},
		{"a place", place(reduce(trend.OK)), "mtl-112, driver 24.1"},
		{"without a device", place(&track.Series{Key: history.Key{Driver: "24.1"}}), "driver 24.1"},
		{"a class", caseClass(history.Key{Device: "mtl", Driver: "24.1"}), "mtl/24.1"},
		{"no class", caseClass(history.Key{}), "unknown device"},
		{"no pattern", report.NamePattern(nil), ""},
		{"one pattern", report.NamePattern([]string{"a<1>+", "a<1>+"}), `^a<1>\+$`},
		{"two patterns", report.NamePattern([]string{"b", "a"}), "^(a|b)$"},
		{"one change", changedText([]track.Change{{What: "host", From: "node7", To: "node9"}}), "host node7 -> node9"},
		{"no count", also(0, "unmeasurable"), ""},
		{"a count", also(1234, "unmeasurable"), "; 1,234 unmeasurable"},
		{"a rate", rate(0.001), "0.001"},
		{"a rate of three digits", rate(12.345), "12.3"},
		{"some names", few([]string{"a", "b", "c", "d", "e"}), "a, b, c, 2 more"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.why, c.got, c.want)
		}
	}
}

func TestRunText(t *testing.T) {
	for _, c := range []struct {
		why  string
		r    track.Added
		want string
	}{
		{"known content", track.Added{Run: history.Run{ID: 3, Inputs: []history.Input{{Path: "a.csv"}}}},
			"run 3 has this content already (a.csv); nothing was changed"},
		{"a run", track.Added{Run: history.Run{ID: 3, Kernels: 2, Device: "mtl-112", Driver: "24.1", Time: at(1, "", "").Time},
			Done: history.Added{Stored: true}}, "run 3 stored: 2 kernels on mtl-112, driver 24.1, collected 2026-01-02 03:04 UTC"},
	} {
		if got := AddedText(&c.r); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestRule(t *testing.T) {
	set := occupancy
	set.Gate.Direction, set.Gate.Floor, set.From = trend.Up, 2.5, "occudiff.yaml:3"
	for _, c := range []struct {
		why  string
		m    metric
		want string
	}{
		{"points", occupancy, "Measured occupancy [%], lower is worse. A regression is a lasting shift of more than 1 point " +
			"from the last 40 runs that is very unlikely to be noise. It needs 3 earlier runs, and " +
			"is open until the kernel recovers or the level is accepted."},
		{"an exact metric", spill, "Spill of a thread [bytes], higher is worse. There is no noise: more than 0.1 bytes off the last good run is a regression."},
		{"a setting", set, "Measured occupancy [%], higher is worse. " +
			"A regression is a lasting shift of more than 2.5 points (from occudiff.yaml:3) " +
			"from the last 40 runs that is very unlikely to be noise. It needs 3 earlier runs, and " +
			"is open until the kernel recovers or the level is accepted."},
	} {
		if got := c.m.rule(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}
