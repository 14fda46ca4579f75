package track_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// TestRenumberedLambdas puts a lambda before others, takes one out, or only
// makes one slow. A kernel is written as "number local value", several of one
// run with a comma.
func TestRenumberedLambdas(t *testing.T) {
	for _, c := range []struct {
		reason string
		runs   []string // the first twenty times, the others once
		moved  string   // what is said
		want   string   // of the newest run: verdict and earlier runs of each
	}{
		{"one before others of the same shape", []string{"1 16 90,2 16 60", "1 16 75,2 16 90,3 16 60", "1 16 75,2 16 90,3 16 60"},
			"run 21: #2 was #1, #3 was #2", "#1 learning 1; #2 ok 21; #3 ok 21"},
		{"one before others of other shapes, which adding a run sees", []string{"1 16 90,2 32 60", "1 64 75,2 16 90,3 32 60"}, "",
			"#1 learning 0; #2 ok 20; #3 ok 20"},
		{"the values of another shape say nothing", []string{"1 16 90,2 16 60", "1 16 75,2 32 90,3 16 60"}, "", "#1 alarm 20; #2 ok 20; #3 learning 0"},
		{"one before a single one", []string{"1 16 90", "1 16 75,2 16 90"}, "run 21: #2 was #1", "#1 learning 0; #2 ok 20"},
		{"one between", []string{"1 16 90,2 16 60", "1 16 90,2 16 75,3 16 60"}, "run 21: #3 was #2", "#1 ok 20; #2 learning 0; #3 ok 20"},
		{"one behind", []string{"1 16 90,2 16 60", "1 16 90,2 16 60,3 16 75"}, "", "#1 ok 20; #2 ok 20; #3 learning 0"},
		{"one before others on the host: no kernel is new", []string{"1 16 90,2 16 60", "2 16 90,3 16 60"}, "run 21: #2 was #1, #3 was #2",
			"#2 ok 20; #3 ok 20"},
		{"the first goes", []string{"1 16 90,2 16 60,3 16 40", "1 16 60,2 16 40", "1 16 60,2 16 40"}, "run 21: #1 was #2, #2 was #3", "#1 ok 21; #2 ok 21"},
		{"the last goes", []string{"1 16 90,2 16 60,3 16 40", "1 16 90,2 16 60", "1 16 90,2 16 60"}, "", "#1 ok 21; #2 ok 21"},
		{"one of alike goes: which one nobody can tell", []string{"1 16 90,2 16 90,3 16 90", "1 16 90,2 16 90"}, "", "#1 ok 20; #2 ok 20"},
		{"a drop is not a number that moved", []string{"1 16 90,2 16 60", "1 16 70,2 16 60", "1 16 70,2 16 60"}, "", "#1 regression 20; #2 ok 21"},
		{"a drop with one behind is none", []string{"1 16 90,2 16 60", "1 16 80,2 16 60,3 16 75", "1 16 80,2 16 60,3 16 75"}, "",
			"#1 regression 20; #2 ok 21; #3 learning 1"},
		{"a run with one of them alone moves none", []string{"1 16 90,2 16 60", "2 16 60"}, "", "#2 ok 20"},
		{"a drop after the numbers moved is of the one that fell", []string{"1 16 90,2 16 60", "1 16 75,2 16 90,3 16 60", "1 16 75,2 16 80,3 16 60",
			"1 16 75,2 16 80,3 16 60"}, "run 21: #2 was #1, #3 was #2", "#1 learning 2; #2 regression 21; #3 ok 22"},
		{"numbers that moved twice", []string{"1 16 90,2 16 60", "1 16 75,2 16 90,3 16 60", "1 16 75,2 16 40,3 16 90,4 16 60"},
			"run 21: #2 was #1, #3 was #2; run 22: #3 was #2, #4 was #3", "#1 learning 1; #2 learning 0; #3 ok 21; #4 ok 21"},
	} {
		var runs []history.Run
		for _, kernels := range append(slices.Repeat(c.runs[:1], 19), c.runs...) {
			run := history.Run{Device: "A", Commit: fmt.Sprint("c", len(runs))}
			for _, k := range strings.Split(kernels, ",") {
				var number, local int64
				var value float64
				if _, err := fmt.Sscan(k, &number, &local, &value); err != nil {
					t.Fatal(err)
				}
				row := measuredRow(value+0.1*float64(len(runs)%3), "match")
				row.Task, row.Device, row.Local = fmt.Sprintf("main::{lambda(auto)#%d}", number), "A", unit.Size(local)
				run.Rows = append(run.Rows, row)
			}
			runs = append(runs, run)
		}
		db := storeRuns(t, runs...)
		short := func(name string) string { return "#" + strings.Trim(name[strings.Index(name, "#")+1:][:1], "}") }
		got := check(t, db, 0, metric(t, "measured", 0))
		var said, verdicts []string
		for _, r := range got.Renumbered {
			var names []string
			for _, n := range r.Names {
				names = append(names, short(n[0])+" was "+short(n[1]))
			}
			said = append(said, fmt.Sprintf("run %d: %s", r.Run.Run, strings.Join(names, ", ")))
		}
		for _, s := range got.Series {
			verdicts = append(verdicts, fmt.Sprintf("%s %s %d", short(s.Key.Task), s.Outcome(), s.Gate.N))
		}
		slices.Sort(verdicts)
		if text := strings.Join(said, "; "); text != c.moved {
			t.Errorf("%s: it says %q, want %q", c.reason, text, c.moved)
		}
		if text := strings.Join(verdicts, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.reason, text, c.want)
		}
		red := 0
		for _, s := range whole(t, db) { // a report and a replay say the same
			if s.Outcome() == trend.Regression && !s.Ended {
				red++
			}
		}
		if n := strings.Count(c.want, "regression"); red != n || replay(t, db, metric(t, "measured", 0)).Total.Opened != n {
			t.Errorf("%s: the report has %d regressions, want %d", c.reason, red, n)
		}
	}
}

// TestAcceptedFollowsTheNumber: what was accepted of a kernel is of it under
// its later number.
func TestAcceptedFollowsTheNumber(t *testing.T) {
	var runs []history.Run
	for i := range 30 {
		run := history.Run{Device: "A", Commit: fmt.Sprint("c", i)}
		values := []float64{90, 60}
		if i >= 12 {
			values[0] = 70
		}
		if i >= 20 {
			values = []float64{40, values[0], values[1]}
		}
		for k, v := range values {
			row := measuredRow(v+0.1*float64(i%3), "match")
			row.Task, row.Device = fmt.Sprintf("main::{lambda(auto)#%d}", k+1), "A"
			run.Rows = append(run.Rows, row)
		}
		runs = append(runs, run)
	}
	db := storeRuns(t, runs...)
	first := func(k history.Key) bool { return strings.HasSuffix(k.Task, "#1}") }
	if _, err := db.Accept(bg, history.Accept{Run: 13, Time: now}, first); err != nil {
		t.Fatal(err)
	}
	for _, s := range check(t, db, 0, metric(t, "measured", 0)).Series {
		if n := len(s.Accepted); s.Outcome() != trend.OK || n == 1 != strings.HasSuffix(s.Key.Task, "#2}") {
			t.Errorf("%s: %s with %d accepted", s.Key.Task, s.Outcome(), n)
		}
	}
}
