package track

import (
	"context"
	"slices"

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

// goneRuns is how many runs tell whether a kernel belongs to them.
const goneRuns = 20

// findGone finds the kernels that more than half of the runs had, up to the last one that had them, and this one has
// not in any launch shape; nothing but accepting that, or the kernel, makes them forgotten. The runs are those of the
// base branch, of the same program on the same device; a new driver is no excuse. Missing is what the last of them had
// and this one has not in that launch shape.
func (c *Check) findGone(ctx context.Context, db *history.DB, runs []history.Run, j *judge) error {
	var before []*history.Run // the last one first
	for i := len(runs) - 1; i >= 0 && len(before) < reach; i-- {
		r := &runs[i]
		if r.ID < c.Run.ID && r.Device == c.Run.Device && sameProgram(r.Program, c.Run.Program) && db.IsBase(r.Branch) {
			before = append(before, r)
		}
	}
	if len(before) == 0 {
		return nil
	}
	c.findChanged(before)
	c.MissingBefore = before[0].ID
	old, err := db.Get(ctx, c.MissingBefore)
	if err != nil {
		return err
	}
	has := make(map[history.Key]bool, len(c.Run.Rows))
	for i := range c.Run.Rows {
		has[c.Run.Rows[i].Key] = true
	}
	for _, i := range j.from { // gone on from, in another launch shape
		has[j.spans[i].Key] = true
	}
	for i := range old.Rows {
		if r := &old.Rows[i]; !has[r.Key] {
			c.Missing = append(c.Missing, r.Name())
		}
	}
	absences, err := db.Absences(ctx, &c.Run, before[len(before)-1].Time)
	if err != nil {
		return err
	}
	accepted, err := db.Accepts(ctx)
	if err != nil {
		return err
	}
	for _, g := range goneOf(before, absences) {
		if !c.accepts(accepted, &g) {
			c.Gone = append(c.Gone, g)
		}
	}
	return c.weigh(ctx, db)
}

// goneOf lists the kernels that more than half of the runs had, up to the last one that had them.
func goneOf(before []*history.Run, absences []history.Absence) (list []Gone) {
	at := map[int64]int{}
	for i, r := range before {
		at[r.ID] = i
	}
	type presence struct {
		Gone
		last int          // of the runs
		in   map[int]bool // which of them
	}
	had := map[history.Key]*presence{}
	var all []*presence
	for _, a := range absences {
		i, counts := at[a.Run]
		if !counts {
			continue
		}
		p := had[kernelOf(a.Key)]
		if p == nil {
			p = &presence{Gone{Key: a.Key, Last: refOf(before[i])}, i, map[int]bool{}}
			had[kernelOf(a.Key)], all = p, append(all, p)
		}
		if p.in[i] = true; i < p.last {
			p.Key, p.Last, p.last = a.Key, refOf(before[i]), i
		}
	}
	for _, p := range all {
		of, n := min(goneRuns, len(before)-p.last), 0
		for i := range p.in {
			if i < p.last+of {
				n++
			}
		}
		if 2*n > of {
			list = append(list, p.Gone)
		}
	}
	return list
}

// kernelOf is what a kernel is on a device, whatever its launch shape and driver.
func kernelOf(k history.Key) history.Key {
	return history.Key{Task: k.Task, Direction: k.Direction, Device: k.Device, Program: k.Program}
}

// accepts says whether it was accepted, after a kernel was gone, that it is.
func (c *Check) accepts(list []history.Accept, g *Gone) bool {
	return slices.ContainsFunc(list, func(a history.Accept) bool {
		return a.Run <= c.Run.ID && a.Run > g.Last.Run &&
			(a.Series == 0 && a.Covers(0, g.Key) || a.Series != 0 && kernelOf(a.Key) == kernelOf(g.Key))
	})
}

// weigh says how much of the time of their last run the kernels held that are gone.
func (c *Check) weigh(ctx context.Context, db *history.DB) error {
	read := map[int64]*history.Run{}
	for i := range c.Gone {
		g := &c.Gone[i]
		run := read[g.Last.Run]
		if run == nil {
			r, err := db.Get(ctx, g.Last.Run)
			if err != nil {
				return err
			}
			run, read[r.ID] = &r, &r
		}
		var own, all float64
		for k := range run.Rows {
			t := run.Rows[k].Of(history.Total).Or(0)
			if all += t; kernelOf(run.Rows[k].Key) == kernelOf(g.Key) {
				own += t
			}
		}
		if all > 0 {
			g.Share = unit.Some(unit.Ratio(own / all))
		}
	}
	return nil
}
