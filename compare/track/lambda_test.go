package track_test

import (
	"fmt"
	"strings"
	"testing"

	"occudiff/compare/history"
)

// TestRenumbered checks that a changed number of lambdas in a scope is reported
// for the next few runs, because the numbers may now refer to other lambdas.
func TestRenumbered(t *testing.T) {
	for _, c := range []struct {
		reason string
		runs   []string // numbers of the lambdas in each run
		want   string
	}{
		{"a lambda before the others", []string{"1 2", "1 2", "1 2", "1 2 3"}, "run 4: 2 -> 3"},
		{"a lambda was removed", []string{"1 2 3", "1 2 3", "1 2", "1 2"}, "run 3: 3 -> 2"},
		{"other numbers, equally many lambdas", []string{"1 2", "1 2", "2 3"}, ""},
		{"numbers that stay", []string{"1 2", "1 2", "1 2"}, ""},
		{"longer ago than a change is worth a sentence", []string{"1", "1 2", "1 2", "1 2", "1 2", "1 2", "1 2", "1 2", "1 2", "1 2"}, ""},
		{"a run of the commit that measures one of them again", []string{"1 2", "1 2", "1 2", "2 again"}, ""},
	} {
		var runs []history.Run
		for i, numbers := range c.runs {
			run := history.Run{Device: "A", Commit: fmt.Sprint("c", i)}
			for _, n := range strings.Fields(numbers) {
				if n == "again" {
					run.Commit = fmt.Sprint("c", i-1)
					continue
				}
				row := measuredRow(60, "match")
				row.Task, row.Device = fmt.Sprintf("main::{lambda(auto)#%s}", n), "A"
				run.Rows = append(run.Rows, row)
			}
			runs = append(runs, run)
		}
		var got []string
		for _, r := range check(t, storeRuns(t, runs...), 0, metric(t, "measured", 0)).Renumbered {
			got = append(got, fmt.Sprintf("run %d: %d -> %d", r.Run.Run, r.Before, r.After))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %q, want %q", c.reason, text, c.want)
		}
	}
}
