package track

import (
	"maps"
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
func (c *Check) findGone(db *history.DB, j *judge) {
	var before []*history.Run // the last one first
	commits := map[string][]*history.Run{}
	for i := range j.panel.Runs {
		r := &j.panel.Runs[i]
		commits[r.Commit] = append(commits[r.Commit], r)
	}
	for i := len(j.panel.Runs) - 1; i >= 0; i-- {
		r := &j.panel.Runs[i]
		if r.ID < c.Run.ID && r.ID != j.adds && r.Device == c.Run.Device && sameProgram(r.Program, c.Run.Program) &&
			db.IsBase(r.Branch) && !slices.ContainsFunc(commits[r.Commit], func(of *history.Run) bool { return supplements(r, of) }) {
			before = append(before, r)
		}
	}
	if len(before) == 0 {
		return
	}
	c.findChanged(before)
	c.MissingBefore = before[0].ID
	has, tasks := make(map[history.Key]bool, len(c.Run.Rows)), map[string]bool{}
	for i := range c.Run.Rows {
		has[c.Run.Rows[i].Key], tasks[c.Run.Rows[i].Task] = true, true
	}
	for i := range j.panel.Kernels { // of the run that this one measures some kernels of again
		if k := &j.panel.Kernels[i]; j.adds > 0 && in(j.panel, k, j.adds) >= 0 {
			has[k.Key], tasks[k.Key.Task] = true, true
		}
	}
	for _, i := range j.from { // gone on from, in another launch shape
		has[j.panel.Kernels[i].Key] = true
	}
	var absent []*history.Kernel
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		if !has[k.Key] && in(j.panel, k, c.MissingBefore) >= 0 {
			c.Missing = append(c.Missing, k.Key.Name())
		}
		if !tasks[k.Key.Task] {
			absent = append(absent, k)
		}
	}
	slices.Sort(c.Missing)
	for _, g := range goneOf(j.panel, before, absent) {
		accepted := slices.ContainsFunc(j.panel.Accepts, func(a history.Accept) bool { // after it was gone, that it is
			return a.Run <= c.Run.ID && a.Run > g.Last.Run &&
				(a.Series == 0 && a.Covers(0, g.Key) || a.Series != 0 && kernelOf(a.Key) == kernelOf(g.Key))
		})
		if !accepted {
			g.Share = share(j.panel, &g)
			c.Gone = append(c.Gone, g)
		}
	}
}

// in says where a kernel has a run, -1 where it has not.
func in(p *history.Panel, k *history.Kernel, run int64) int {
	if place, counts := p.Place(run); counts {
		return presenceAt(k, place)
	}
	return -1
}

// goneOf lists which of some kernels more than half of the runs had, up to the last one that had them.
func goneOf(panel *history.Panel, before []*history.Run, absent []*history.Kernel) (list []Gone) {
	at := map[int64]int{}
	for i, r := range before {
		at[r.ID] = i
	}
	had := map[history.Key]map[int]history.Key{} // by the place of the run, the last one first
	var kernels []history.Key
	for _, k := range absent {
		of := kernelOf(k.Key)
		if had[of] == nil {
			had[of], kernels = map[int]history.Key{}, append(kernels, of)
		}
		for _, in := range k.In {
			if i, counts := at[panel.Runs[in.Place].ID]; counts {
				had[of][i] = k.Key
			}
		}
	}
	for _, of := range kernels {
		places := slices.Sorted(maps.Keys(had[of]))
		if len(places) == 0 {
			continue
		}
		last := places[0]
		runs := min(goneRuns, len(before)-last)
		if n, _ := slices.BinarySearch(places, last+runs); 2*n > runs {
			list = append(list, Gone{Key: had[of][last], Last: refOf(before[last])})
		}
	}
	return list
}

// kernelOf is what a kernel is on a device, whatever its launch shape and driver.
func kernelOf(k history.Key) history.Key {
	return history.Key{Task: k.Task, Direction: k.Direction, Device: k.Device, Program: k.Program}
}

// share says how much of the time of its last run a kernel held that is gone.
func share(p *history.Panel, g *Gone) unit.Opt[unit.Ratio] {
	own, all := 0.0, 0.0
	for i := range p.Kernels {
		k := &p.Kernels[i]
		at := in(p, k, g.Last.Run)
		if at < 0 {
			continue
		}
		t := k.Value(at, history.Total).Or(0)
		if all += t; kernelOf(k.Key) == kernelOf(g.Key) {
			own += t
		}
	}
	if all <= 0 {
		return unit.Opt[unit.Ratio]{}
	}
	return unit.Some(unit.Ratio(own / all))
}
