package track

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

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

// restart returns the change of the launch size at the start of a kernel, or
// nil if the kernel continues no kernel with another launch size.
func (j *judge) restart(i int) *Change {
	old, ok := j.from[i]
	if !ok || !otherLaunchSize(j.panel.Kernels[old].Key, j.panel.Kernels[i].Key) {
		return nil
	}
	return &Change{launchSize, j.panel.Kernels[old].Key.Shape(), j.panel.Kernels[i].Key.Shape()}
}

// withEarlier returns the points of a kernel after the points of its
// predecessors, with the numbers of all these series. The points of each
// predecessor end where the next series begins.
func (j *judge) withEarlier(i int, points []history.Point) (all []history.Point, ids []int64) {
	m, now, next := j.metric.Metric, &j.panel.Kernels[i], i
	ids = []int64{now.ID}
	for old, ok := j.from[i]; ok; old, ok = j.from[old] {
		k, first := &j.panel.Kernels[old], j.seen[next][0]
		earlier := k.Points(m)
		n := len(earlier)
		earlier = slices.DeleteFunc(earlier, func(p history.Point) bool { return j.place(p.Run, j.adding) >= first })
		j.merged[k.ID] = j.merged[k.ID] || len(earlier) == n
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
	if m.Unit() == "s" && ok1 && ok2 && x != y {
		for i := range earlier {
			earlier[i].Value *= float64(x) / float64(y)
		}
	}
	return slices.Concat(earlier, points)
}

// link is a possible predecessor of a kernel.
type link struct {
	now, old int
	differs  int     // 2 for another launch size, plus 1 for another driver
	last     int     // place of the predecessor's last run before the kernel begins
	apart    float64 // difference between the launch sizes, as the logarithm of their ratio
}

// predecessors returns the predecessor of each kernel: a kernel on the same
// device that has runs before the kernel began, but not the run in which it
// began. Later runs of the predecessor change nothing, because otherwise the
// successor would become unknown when a driver or launch size comes back. Two
// launch sizes that occur in every run exist in parallel.
//
// Candidates are sorted. Candidates with the same launch size and driver come
// first, then the candidate that ended last, then the candidate with the
// nearest launch size. Each kernel has at most one successor.
func (j *judge) predecessors() map[int]int {
	type task struct{ name, direction, device, program string }
	programs := map[task]string{} // the only program that the runs of a task name; "" if there are several
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i].Key
		t := task{k.Task, k.Direction, k.Device, ""}
		if known, ok := programs[t]; k.Program != "" && (!ok || known == k.Program) {
			programs[t] = k.Program
		} else if k.Program != "" {
			programs[t] = ""
		}
	}
	groups := map[task][]int{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i].Key
		t := task{k.Task, k.Direction, k.Device, ""}
		// A run without a program belongs to the only program that other runs
		// name.
		t.program = cmp.Or(k.Program, programs[t])
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
				if _, known := from[l.now]; !known && !taken[l.old] {
					from[l.now], taken[l.old] = l.old, true
				}
			}
		}
	}
	return from
}

// candidates returns the possible predecessors of the kernels, the best first.
func (j *judge) candidates(before, now []int) (list []link) {
	for _, n := range now {
		for _, o := range before {
			a, b := &j.panel.Kernels[n].Key, &j.panel.Kernels[o].Key
			at, beside := slices.BinarySearch(j.seen[o], j.seen[n][0])
			if beside { // both exist in parallel
				continue
			}
			differs := 2*count(otherLaunchSize(*a, *b)) + count(a.Driver != b.Driver)
			list = append(list, link{n, o, differs, j.seen[o][at-1],
				apart(a.Global, b.Global) + apart(a.Local, b.Local)})
		}
	}
	slices.SortStableFunc(list, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.differs, b.differs), cmp.Compare(b.last, a.last), cmp.Compare(a.apart, b.apart))
	})
	return list
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// apart returns the difference between two launch sizes as the logarithm of
// their ratio, or 0 if one is unknown.
func apart(a, b unit.Size3) float64 {
	x, ok1 := a.Items()
	y, ok2 := b.Items()
	if !ok1 || !ok2 {
		return 0
	}
	return math.Abs(math.Log(float64(x) / float64(y)))
}

// elsewhere is the number of runs of a program on other devices after which a
// device is no longer in use.
const elsewhere = 40

// markStopped marks series as ended if the last runs of their program on their
// device lack them, unless they have an open finding that was not accepted, or
// if the program moved to other devices. A series that only the newest run
// lacks is not marked.
func markStopped(all []*Series, runs []history.Run, enough int) {
	for _, t := range all {
		last := t.Newest()
		later, moved := 0, 0
		for i := len(runs) - 1; i >= 0 && later < enough && moved < elsewhere; i-- {
			r := &runs[i]
			if !t.ByAdding && !r.Time.After(last.Time) {
				break
			}
			switch {
			case r.ID <= last.Run || !history.SameProgram(r.Program, t.Key.Program):
			case history.OnDevice(t.Key.Device, r.Device):
				later++
			default:
				moved++
			}
		}
		t.Absent = later > 0
		open := len(t.Gate.Open) > 0
		t.Ended = open && t.Absent && !t.holds(all) || !open && later >= enough || moved >= elsewhere
	}
}
