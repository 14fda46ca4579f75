package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLineup checks which runs count for the last run, and in which order. Each
// run is one hour after the previous run, unless the case sets the hour.
func TestLineup(t *testing.T) {
	type r struct {
		commit, branch string
		hour           int
	}
	for _, c := range []struct {
		reason string
		runs   []r
		want   string // numbers of the runs that count, in order
	}{
		{"time order if the commits are unknown", []r{{"x", "", 1}, {"y", "", 3}, {"z", "", 2}}, "1 3 2"},
		{"commit order if a run of an old commit was added later", []r{{"c1", "", 1}, {"c2", "", 2}, {"c3", "", 3}, {"c2", "", 9}, {"c4", "", 10}}, "1 2 4 3 5"},
		{"a run of an old commit is judged by those before it", []r{{"c1", "", 1}, {"c2", "", 2}, {"c3", "", 3}, {"c2", "", 9}}, "1 2 4"},
		{"runs of one commit by time", []r{{"c1", "", 3}, {"c1", "", 1}, {"c1", "", 2}, {"c2", "", 4}}, "2 3 1 4"},
		{"a run with an unknown commit is placed by its time", []r{{"c1", "", 1}, {"x", "", 2}, {"c2", "", 3}, {"c1", "", 9}, {"c3", "", 10}}, "1 2 4 3 5"},
		{"a wrong clock does not move the runs of known commits", []r{{"c1", "", 1}, {"c2", "", 900}, {"c3", "", 3}, {"c4", "", 4}}, "1 2 3 4"},
		{"branches do not count", []r{{"", "", 1}, {"", "topic", 2}, {"", "main", 3}, {"", "other", 4}, {"", "master", 5}}, "1 3 5"},
		{"for a run of a branch, main and the last of its own, behind", []r{{"", "topic", 1}, {"", "topic", 2}, {"", "", 3}, {"", "topic", 4}, {"", "other", 5}, {"", "main", 6}, {"", "topic", 7}}, "3 6 2 4 7"},
		{"the last run of a branch, with any clock", []r{{"", "", 5}, {"", "topic", 6}, {"", "topic", 7}, {"", "topic", 8}, {"", "topic", 1}}, "1 3 4 5"},
		{"of a known commit too", []r{{"c1", "", 1}, {"c9", "topic", 2}, {"c2", "", 3}, {"c8", "topic", 4}}, "1 3 4"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				d, err := Open(bg, dsn, Options{Base: []string{"main", "master"}, Commits: strings.Fields("c0 c1 c2 c3 c4 c8 c9")})
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				var last int64
				for i, r := range c.runs {
					run := named(i, "k")
					run.Time, run.Commit, run.Branch = start.Add(time.Duration(r.hour)*time.Hour), r.commit, r.branch
					last = add(t, d, run)
				}
				text := func(points []Point) string {
					var numbers []string
					for _, p := range points {
						numbers = append(numbers, fmt.Sprint(p.Run))
					}
					return strings.Join(numbers, " ")
				}
				panel, err := d.Panel(bg, last, 0, Measured)
				if err != nil || len(panel.Kernels) != 1 || text(panel.Kernels[0].Points(Measured)) != c.want {
					t.Errorf("Panel = %+v, %v; want the runs %s", panel, err, c.want)
				}
				// The export contains all runs, also runs that do not count.
				n := 0
				if err := d.Export(bg, func(Record) error { n++; return nil }); err != nil || n != len(c.runs) {
					t.Errorf("%d points are exported, %v; want %d", n, err, len(c.runs))
				}
			})
		})
	}
}

// TestLongHistory checks that a check of a long history reads only the newest
// runs, and reads earlier runs only if the newest are not sufficient.
func TestLongHistory(t *testing.T) {
	const runs = 1800
	for _, c := range []struct {
		reason string
		branch func(i int) string
		commit string
		first  int // number of the first run that counts for it
	}{
		{"the last 600 and itself among them", func(int) string { return "" }, "new", 1201},
		{"runs of the base branch, if most runs are on other branches", func(i int) string {
			return []string{"", "topic", "fix"}[i%3]
		}, "new", 3},
		{"those before an old commit", func(int) string { return "" }, "c9", 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			var commits []string
			for i := range runs {
				commits = append(commits, fmt.Sprint("c", i))
			}
			d, err := Open(bg, filepath.Join(t.TempDir(), "history.db"), Options{Base: []string{"main"}, Commits: append(commits, "new")})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			tx, err := d.sql.Begin()
			if err != nil {
				t.Fatal(err)
			}
			for i := range runs { // the same statement as in Add, but without its checks, to save time
				_, err := tx.Exec(`INSERT INTO occudiff_run (time, label, host, job, device, driver, vtune, commit_id, kernels, branch, program)
					VALUES (?, '', '', '', 'Max 1100', '24.1', '', ?, 1, ?, '')`, start.Add(time.Duration(i)*time.Minute).UnixMicro(), commits[i], c.branch(i))
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			run := named(0, "k")
			run.Time, run.Commit = start.Add(9000*time.Hour), c.commit
			p, err := d.Panel(bg, add(t, d, run), 600)
			if err != nil {
				t.Fatal(err)
			}
			first := p.Runs[0].ID
			if first != int64(c.first+1) {
				t.Errorf("the first run that counts is %d, want %d", first, c.first+1)
			}
		})
	}
}
