package track

import (
	"context"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// Gone is a kernel that a checked run lacks though the runs before it had it.
type Gone struct {
	Key   history.Key
	Last  Ref                  // the last run that had it
	Share unit.Opt[unit.Ratio] // of the time of all kernels of that run; absent when it has no times
}

// Matters says whether the kernel held more than 1 % of the time, or nobody knows how much.
func (g *Gone) Matters() bool { return g.Share.Or(1) > 0.01 }

// goneRuns is how many runs are looked back over for kernels that are gone.
const goneRuns = 20

// findGone finds the kernels that at least half of the runs had, up to the last one that had them, and this one has
// not. These are the last runs of the base branch, of the same program on the same device and driver; those before a
// level was accepted do not count. A kernel in another launch shape is not gone.
func (c *Check) findGone(ctx context.Context, db *history.DB, runs []history.Run) error {
	accepted, err := db.Accepts(ctx)
	if err != nil {
		return err
	}
	since := func(k history.Key) (run int64) {
		for i := range accepted {
			a := &accepted[i]
			if a.Run <= c.Run.ID && (a.Series == 0 && a.Covers(0, k) || a.Series != 0 && a.Key == k) {
				run = max(run, a.Run)
			}
		}
		return run
	}
	var before []int64
	for i := len(runs) - 1; i >= 0 && len(before) < goneRuns; i-- {
		if r := &runs[i]; r.ID < c.Run.ID && samePlatform(r, &c.Run) && db.IsBase(r.Branch) {
			before = append(before, r.ID)
		}
	}
	there := map[string]bool{}
	for i := range c.Run.Rows {
		there[c.Run.Rows[i].Task] = true
	}
	seen, first := map[history.Key]int{}, map[history.Key]int{}
	var found []Gone
	for n, id := range before {
		run, err := db.Get(ctx, id)
		if err != nil {
			return err
		}
		var total unit.Seconds
		for i := range run.Rows {
			total += run.Rows[i].Total.Or(0)
		}
		for i := range run.Rows {
			r := &run.Rows[i]
			if there[r.Task] {
				continue
			}
			if seen[r.Key]++; seen[r.Key] == 1 {
				g := Gone{Key: r.Key, Last: refOf(&run)}
				if t, ok := r.Total.Value(); ok && total > 0 {
					g.Share = unit.Some(unit.Ratio(t / total))
				}
				first[r.Key] = n
				found = append(found, g)
			}
		}
	}
	for _, g := range found {
		if 2*seen[g.Key] >= len(before)-first[g.Key] && g.Last.Run >= since(g.Key) {
			c.Gone = append(c.Gone, g)
		}
	}
	return nil
}
