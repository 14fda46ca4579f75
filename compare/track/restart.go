package track

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// Restart describes how a series begins: where another one of the kernel left
// off.
type Restart struct {
	Changed []Change // device, driver, launchSize
	Last    Ref      // the last run before the series begins
}

// launchSize is what changed when a kernel goes on in another shape.
const launchSize = "launch size"

func otherLaunchSize(a, b history.Key) bool {
	return a.Global != b.Global || a.Local != b.Local || a.SIMD != b.SIMD
}

// readLineage describes which runs have the kernels, and which kernels went on
// from which.
func (j *judge) readLineage() {
	j.seen = nil
	for i := range j.panel.Kernels {
		var seen []int
		for _, in := range j.panel.Kernels[i].In {
			seen = append(seen, j.place(j.panel.Runs[in.Place].ID, j.adding))
		}
		slices.Sort(seen)
		j.seen = append(j.seen, seen)
	}
	j.from = j.predecessors()
}

// lastBefore returns the last run of a kernel before another one begins; false
// where it has no run before that, or that very run: then the two stand side by
// side.
func (j *judge) lastBefore(old, now int) (at int, ok bool) {
	n, beside := slices.BinarySearch(j.seen[old], j.seen[now][0])
	return n - 1, n > 0 && !beside
}

// restarts describes what changed where a kernel begins; nil when nothing is
// known to have. A device or driver that only one of the two series names
// counts: it is unknown.
func (j *judge) restarts(i int) *Restart {
	before, ok := j.from[i]
	if !ok {
		return nil
	}
	now, old := &j.panel.Kernels[i].Key, &j.panel.Kernels[before].Key
	changed := slices.DeleteFunc([]Change{{"device", old.Device, now.Device}, {"driver", old.Driver, now.Driver},
		{launchSize, old.Shape(), now.Shape()}}, func(c Change) bool { return c.From == c.To })
	if len(changed) == 0 {
		return nil
	}
	at, _ := j.lastBefore(before, i)
	last := int64(j.seen[before][at])
	if !j.adding {
		last = j.panel.Runs[last].ID
	}
	return &Restart{changed, j.runs[last]}
}

// continues reports whether a kernel goes on from another one: what was before
// is its baseline. On another device it is another series.
func (j *judge) continues(now, old int) bool {
	return j.panel.Kernels[now].Key.Device == j.panel.Kernels[old].Key.Device
}

// withEarlier puts what a kernel goes on from in front of its points, and lists
// its series with those of that. Each earlier one counts up to where the next
// begins.
func (j *judge) withEarlier(i int, points []history.Point) (all []history.Point, ids []int64) {
	m, now, next := j.metric.Metric, &j.panel.Kernels[i], i
	ids = []int64{now.ID}
	for old, ok := j.from[i]; ok && j.continues(next, old); old, ok = j.from[old] {
		k, first := &j.panel.Kernels[old], j.seen[next][0]
		earlier := slices.DeleteFunc(k.Points(m), func(p history.Point) bool { return j.place(p.Run, j.adding) >= first })
		points = prepend(points, m, now.Key, k.Key, earlier)
		ids, next = append(ids, k.ID), old
	}
	return points, ids
}

// prepend puts the points of an earlier series in front of those of a later
// one. Times are for the work-items of the later one.
func prepend(points []history.Point, m history.Metric, now, old history.Key, earlier []history.Point) []history.Point {
	x, ok1 := now.Global.Items()
	y, ok2 := old.Global.Items()
	if m.Unit() == "s" && ok1 && ok2 && x != y && y > 0 {
		for i := range earlier {
			earlier[i].Value *= float64(x) / float64(y)
		}
	}
	return slices.Concat(earlier, points)
}

// link states that one kernel may go on from another.
type link struct {
	now, old int
	differs  int     // in the device, the shape, the driver: the heavier one first
	last     int     // the place of its last run before the other one begins
	apart    float64 // of sizes, as logarithms
}

// predecessors describes which others the kernels go on from: one that has runs
// before they began, and not the run with which they did. What the other does
// later changes nothing: a driver or a shape that comes back would make what
// was known of its successor unknown. Two shapes in every run are parallel, and
// nothing changed; two devices are as soon as they take turns. Of several it is
// the one on the same device in the same shape with the same driver, as far as
// there is one, then the one that ended last, then the one of the nearest
// sizes. On its device each is gone on from once.
func (j *judge) predecessors() map[int]int {
	type task struct{ name, direction, program string }
	programs := map[task]string{} // the only one of a task that runs name, "" for several
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i].Key
		t := task{k.Task, k.Direction, ""}
		if known, ok := programs[t]; k.Program != "" && (!ok || known == k.Program) {
			programs[t] = k.Program
		} else if k.Program != "" {
			programs[t] = ""
		}
	}
	groups := map[task][]int{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i].Key
		// What was stored before runs named their program is of the only one
		// that they name.
		t := task{k.Task, k.Direction, cmp.Or(k.Program, programs[task{k.Task, k.Direction, ""}])}
		groups[t] = append(groups[t], i)
	}
	from := map[int]int{}
	for _, group := range groups {
		taken := map[int]bool{}
		first := func(i int) int { return j.seen[i][0] }
		slices.SortStableFunc(group, func(a, b int) int { return first(a) - first(b) })
		for k, end := 0, 0; k < len(group); k = end { // those that begin at once
			for end < len(group) && first(group[end]) == first(group[k]) {
				end++
			}
			for _, l := range j.candidates(group[:k], group[k:end]) {
				_, known := from[l.now]
				if alone := l.differs < otherDevice; !known && !(alone && taken[l.old]) {
					from[l.now] = l.old
					taken[l.old] = taken[l.old] || alone
				}
			}
		}
	}
	return from
}

// What spans differ in.
const (
	otherDriver = 1 << iota
	differentLaunchSize
	otherDevice
)

// candidates lists which kernels may go on from which, the best first.
func (j *judge) candidates(before, now []int) (list []link) {
	for _, n := range now {
		for _, o := range before {
			a, b := &j.panel.Kernels[n], &j.panel.Kernels[o]
			at, ok := j.lastBefore(o, n)
			otherOne := !j.continues(n, o)
			if !ok || otherOne && at+1 < len(j.seen[o]) {
				continue
			}
			l := link{now: n, old: o, last: j.seen[o][at]}
			if otherOne {
				l.differs |= otherDevice
			}
			if otherLaunchSize(a.Key, b.Key) {
				l.differs |= differentLaunchSize
				l.apart = apart(a.Key.Global, b.Key.Global) + apart(a.Key.Local, b.Key.Local)
			}
			if a.Key.Driver != b.Key.Driver {
				l.differs |= otherDriver
			}
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.differs, b.differs), cmp.Compare(b.last, a.last), cmp.Compare(a.apart, b.apart))
	})
	return list
}

// apart is how far sizes are apart, as the logarithm of their ratio; 0 where
// one is not known.
func apart(a, b unit.Size3) float64 {
	x, ok1 := a.Items()
	y, ok2 := b.Items()
	if !ok1 || !ok2 || x <= 0 || y <= 0 {
		return 0
	}
	return math.Abs(math.Log(float64(x) / float64(y)))
}

// markStopped marks the series that none of the last runs of their program on
// their device has: what they say is of the past, unless something is open that
// nobody accepted. Those that the newest run lacks are absent.
func markStopped(all []*Series, runs []history.Run, enough int) {
	for _, t := range all {
		last := t.Newest()
		later := 0
		for i := len(runs) - 1; i >= 0 && later < enough; i-- {
			r := &runs[i]
			if !t.ByAdding && !r.Time.After(last.Time) {
				break
			}
			if history.OnDevice(t.Key.Device, r.Device) && r.ID > last.Run && history.SameProgram(r.Program, t.Key.Program) {
				later++
			}
		}
		t.Absent = later > 0
		open := len(t.Gate.Open) > 0
		t.Ended = t.Ended || open && t.Absent && !t.holds(all) || !open && later >= enough
	}
}
