package track

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// Restart is the start of a series that continues another series of the same
// kernel under another key.
type Restart struct {
	Changed []Change // changes of device, driver, or launch size
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

// lastBefore returns the last run of the kernel old before the kernel now
// begins. ok is false if old has no earlier run, or if it also has the run in
// which now begins, because then both exist in parallel.
func (j *judge) lastBefore(old, now int) (at int, ok bool) {
	n, beside := slices.BinarySearch(j.seen[old], j.seen[now][0])
	return n - 1, n > 0 && !beside
}

// restarts returns the changes at the start of a kernel, or nil if it continues
// no other kernel. If only one of the two series names a device or driver, this
// counts as a change, because the other value is unknown.
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

// continues reports whether the runs of the kernel old are part of the baseline
// of the kernel now. On another device, a kernel is a separate series.
func (j *judge) continues(now, old int) bool {
	return j.panel.Kernels[now].Key.Device == j.panel.Kernels[old].Key.Device
}

// withEarlier returns the points of a kernel after the points of its
// predecessors, with the numbers of all these series. The points of each
// predecessor end where the next series begins.
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
// later one. The times of the earlier series are scaled to the later series'
// number of work-items.
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
	differs  int     // bits for a different device, launch size, and driver; the highest is most important
	last     int     // place of the predecessor's last run before the kernel begins
	apart    float64 // difference between the launch sizes, as the logarithm of their ratio
}

// predecessors returns the predecessor of each kernel: a kernel that has runs
// before the kernel began, but not the run in which it began. Later runs of the
// predecessor change nothing, because otherwise the successor would become
// unknown when a driver or launch size comes back. Two launch sizes that occur
// in every run exist in parallel. Two devices exist in parallel as soon as they
// alternate.
//
// Candidates are sorted. Candidates on the same device with the same launch
// size and driver come first, then the candidate that ended last, then the
// candidate with the nearest launch size. Each kernel has at most one successor
// on its device.
func (j *judge) predecessors() map[int]int {
	type task struct{ name, direction, program string }
	programs := map[task]string{} // the only program that the runs of a task name; "" if there are several
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
		for k, end := 0, 0; k < len(group); k = end { // for each group of kernels that begin in the same run
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

// The differences between linked kernels.
const (
	otherDriver = 1 << iota
	differentLaunchSize
	otherDevice
)

// candidates returns the possible predecessors of the kernels, the best first.
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
// device lack them, unless they have an open finding that was not accepted. A
// series that only the newest run lacks is not marked.
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
