package track

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// Restart is the start of a series that continues another series of the same
// kernel.
type Restart struct {
	Changed []Change // device, driver, launchSize
	Last    Ref      // the last run before the series starts
}

// launchSize is the name of the change if a kernel continues with another
// launch size.
const launchSize = "launch size"

func otherLaunchSize(a, b history.Key) bool {
	return a.Global != b.Global || a.Local != b.Local || a.SIMD != b.SIMD
}

// readLineage sets each kernel's runs and its predecessor.
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

// lastBefore returns a kernel's last run before another kernel begins. ok is
// false if it has no earlier run, or if it also has the run in which the other
// one begins: then both exist in parallel.
func (j *judge) lastBefore(old, now int) (at int, ok bool) {
	n, beside := slices.BinarySearch(j.seen[old], j.seen[now][0])
	return n - 1, n > 0 && !beside
}

// restarts returns the changes at the start of a kernel, or nil if none is
// known. If only one of the two series names a device or driver, it counts as a
// change, because the other value is unknown.
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

// continues reports whether a kernel continues another kernel, whose runs then
// are its baseline. On another device, it is a separate series.
func (j *judge) continues(now, old int) bool {
	return j.panel.Kernels[now].Key.Device == j.panel.Kernels[old].Key.Device
}

// withEarlier returns a kernel's points, preceded by its predecessors' points,
// and the numbers of all these series. Each predecessor counts until the next
// one begins.
func (j *judge) withEarlier(i int, points []history.Point) (all []history.Point, ids []int64) {
	m, now, next := j.metric.Metric, &j.panel.Kernels[i], i
	ids = []int64{now.ID}
	for old, ok := j.from[i]; ok && j.continues(next, old); old, ok = j.from[old] {
		k, first := &j.panel.Kernels[old], j.seen[next][0]
		earlier := slices.DeleteFunc(k.Points(m), func(p history.Point) bool {
			return j.place(p.Run, j.adding) >= first
		})
		points = prepend(points, m, now.Key, k.Key, earlier)
		ids, next = append(ids, k.ID), old
	}
	return points, ids
}

// prepend returns the points of an earlier series followed by the points of a
// later one. Times are scaled to the later one's number of work-items.
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

// link is a possible predecessor of a kernel.
type link struct {
	now, old int
	differs  int     // bits for a different device, launch size, and driver, the most important first
	last     int     // the place of the predecessor's last run before the kernel begins
	apart    float64 // difference between the launch sizes, as a logarithm
}

// predecessors returns each kernel's predecessor: a kernel with runs before the
// kernel began, but not in the run in which it began. Later runs of the
// predecessor change nothing, because a driver or launch size that comes back
// must not make the successor unknown. Two launch sizes that occur in every run
// exist in parallel. Two devices exist in parallel as soon as they alternate.
//
// Candidates are sorted: those on the same device with the same launch size and
// driver come first, then the one that ended last, then the one with the
// nearest launch size. Each kernel has at most one successor on its device.
func (j *judge) predecessors() map[int]int {
	type task struct{ name, direction, program string }
	programs := map[task]string{} // the only program that a task's runs name, "" if there are several
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
		// A run without a program belongs to the only program that other runs
		// name.
		t := task{k.Task, k.Direction, cmp.Or(k.Program, programs[task{k.Task, k.Direction, ""}])}
		groups[t] = append(groups[t], i)
	}
	from := map[int]int{}
	for _, group := range groups {
		taken := map[int]bool{}
		first := func(i int) int { return j.seen[i][0] }
		slices.SortStableFunc(group, func(a, b int) int { return first(a) - first(b) })
		for k, end := 0, 0; k < len(group); k = end { // kernels that begin in the same run
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

// Differences between linked kernels.
const (
	otherDriver = 1 << iota
	differentLaunchSize
	otherDevice
)

// candidates returns the kernels' possible predecessors, the best first.
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

// apart returns the difference between two launch sizes as the logarithm of
// their ratio, or 0 if one is unknown.
func apart(a, b unit.Size3) float64 {
	x, ok1 := a.Items()
	y, ok2 := b.Items()
	if !ok1 || !ok2 || x <= 0 || y <= 0 {
		return 0
	}
	return math.Abs(math.Log(float64(x) / float64(y)))
}

// markStopped marks series as ended if the last runs of their program on their
// device lack them, unless a finding is open and not accepted. Series that only
// the newest run lacks are absent.
func markStopped(all []*Series, runs []history.Run, enough int) {
	for _, t := range all {
		last := t.Newest()
		later := 0
		for i := len(runs) - 1; i >= 0 && later < enough; i-- {
			r := &runs[i]
			if !t.ByAdding && !r.Time.After(last.Time) {
				break
			}
			if history.OnDevice(t.Key.Device, r.Device) && r.ID > last.Run &&
				history.SameProgram(r.Program, t.Key.Program) {
				later++
			}
		}
		t.Absent = later > 0
		open := len(t.Gate.Open) > 0
		t.Ended = t.Ended || open && t.Absent && !t.holds(all) || !open && later >= enough
	}
}
