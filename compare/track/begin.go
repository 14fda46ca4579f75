package track

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/history"
	"occudiff/ingest/unit"
)

// Begin says how a series begins: where another one of the kernel left off.
type Begin struct {
	What []string    // what changed: "device", "driver", LaunchShape
	From history.Key // the predecessor
	Last Ref         // its last run before the series begins
}

// LaunchShape is what changed when a kernel goes on in another shape.
const LaunchShape = "launch shape"

// begin says what changed between two spans; nil when nothing has. A device or driver that only one of them names counts:
// nobody can tell.
func begin(now, old history.Span, runs map[int64]Ref) *Begin {
	b := &Begin{From: old.Key, Last: Ref{Run: old.Run, Time: old.Last}}
	if now.Key.Device != old.Key.Device {
		b.What = append(b.What, "device")
	}
	if now.Key.Driver != old.Key.Driver {
		b.What = append(b.What, "driver")
	}
	if otherShape(now.Key, old.Key) {
		b.What = append(b.What, LaunchShape)
	}
	if len(b.What) == 0 {
		return nil
	}
	if r, ok := runs[old.Run]; ok {
		b.Last = r
	}
	return b
}

func otherShape(a, b history.Key) bool {
	return a.Global != b.Global || a.Local != b.Local || a.SIMD != b.SIMD
}

// span is a series from its first run to its last, with the runs between.
type span struct {
	history.Span
	seen []presence // in the order in which runs are judged
}

// presence is a run that has a kernel, by its place among all.
type presence struct {
	place int
	Ref
}

// before gives the span up to where another one begins; false where it has no run before that, or that very run: then
// the two stand side by side.
func (s *span) before(other *span) (history.Span, bool) {
	n, beside := slices.BinarySearchFunc(s.seen, other.seen[0], func(a, b presence) int { return a.place - b.place })
	if n == 0 || beside {
		return history.Span{}, false
	}
	cut := s.Span
	cut.Run, cut.Last = s.seen[n-1].Run, s.seen[n-1].Time
	return cut, true
}

// points gives those of the span that come before another one begins.
func (s *span) points(all []history.Point, other *span) []history.Point {
	known := map[int64]bool{}
	for _, p := range s.seen {
		known[p.Run] = p.place < other.seen[0].place
	}
	return slices.DeleteFunc(slices.Clone(all), func(p history.Point) bool { return !known[p.Run] })
}

// lineage is where the series of spans come from.
type lineage struct {
	spans []span
	from  map[int]int
}

func lineageOf(spans []span) lineage { return lineage{spans, predecessors(spans)} }

// begins says what changed where a span begins; nil when nothing is known to have.
func (l *lineage) begins(i int, runs map[int64]Ref) *Begin {
	old, ok := l.from[i]
	if !ok {
		return nil
	}
	cut, _ := l.spans[old].before(&l.spans[i])
	return begin(l.spans[i].Span, cut, runs)
}

// before lists the spans that one goes on from, the last first.
func (l *lineage) before(i int) (list []int) {
	for old, ok := l.from[i]; ok && goesOn(l.spans[i].Span, l.spans[old].Span); old, ok = l.from[i] {
		list = append(list, old)
		i = old
	}
	return list
}

// prepend puts the points of an earlier series in front of those of a later one. Times are for the work-items of the
// later one.
func prepend(points []history.Point, m history.Metric, now, old history.Key, earlier []history.Point) []history.Point {
	x, ok1 := now.Global.Items()
	y, ok2 := old.Global.Items()
	if m.Unit() == "s" && ok1 && ok2 && x != y && y > 0 {
		earlier = slices.Clone(earlier)
		for i := range earlier {
			earlier[i].Value *= float64(x) / float64(y)
		}
	}
	return slices.Concat(earlier, points)
}

// goesOn says whether a series goes on from another one: what was before is its baseline. Another device is another
// series.
func goesOn(now, old history.Span) bool {
	return now.Key.Device == old.Key.Device
}

// link says that one span may go on from another.
type link struct {
	now, old int
	differs  int     // in the device, the shape, the driver: the heavier one first
	last     int     // the place of its last run before the other one begins
	apart    float64 // of sizes, as logarithms
}

// predecessors says of spans of tasks, by index, which others they go on from: one that has runs before they began, and
// not the run with which they did. What the other does later changes nothing: a driver or a shape that comes back would
// make what was known of its successor unknown. Two shapes in every run are parallel, and nothing changed; two devices
// are as soon as they take turns. Of several it is the one on the same device in the same shape with the same driver,
// as far as there is one, then the one that ended last, then the one of the nearest sizes. On its device each is gone
// on from once.
func predecessors(spans []span) map[int]int {
	type task struct{ name, direction, program string }
	programs := map[task]string{} // the only one of a task that runs name
	for _, s := range spans {
		if t := (task{s.Key.Task, s.Key.Direction, ""}); s.Key.Program != "" {
			if known, ok := programs[t]; ok && known != s.Key.Program {
				programs[t] = ""
			} else {
				programs[t] = s.Key.Program
			}
		}
	}
	groups := map[task][]int{}
	for i, s := range spans {
		t := task{s.Key.Task, s.Key.Direction, ""}
		// What was stored before runs named their program is of the only one that they name.
		t.program = cmp.Or(s.Key.Program, programs[t])
		groups[t] = append(groups[t], i)
	}
	from := map[int]int{}
	for _, group := range groups {
		taken := map[int]bool{}
		first := func(i int) int { return spans[i].seen[0].place }
		slices.SortStableFunc(group, func(a, b int) int { return first(a) - first(b) })
		for k, end := 0, 0; k < len(group); k = end { // those that begin at once
			for end < len(group) && first(group[end]) == first(group[k]) {
				end++
			}
			for _, l := range candidates(spans, group[:k], group[k:end]) {
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
	differentShape
	otherDevice
)

// candidates lists which spans may go on from which, the best first.
func candidates(spans []span, before, now []int) (list []link) {
	for _, n := range now {
		for _, o := range before {
			a, b := &spans[n], &spans[o]
			at, beside := slices.BinarySearchFunc(b.seen, a.seen[0], func(x, y presence) int { return x.place - y.place })
			otherOne := a.Key.Device != b.Key.Device
			if at == 0 || beside || otherOne && at < len(b.seen) {
				continue
			}
			l := link{now: n, old: o, last: b.seen[at-1].place}
			if otherOne {
				l.differs |= otherDevice
			}
			if otherShape(a.Key, b.Key) {
				l.differs |= differentShape
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

// apart is how far sizes are apart, as the logarithm of their ratio; 0 where one is not known.
func apart(a, b unit.Size3) float64 {
	x, ok1 := a.Items()
	y, ok2 := b.Items()
	if !ok1 || !ok2 || x <= 0 || y <= 0 {
		return 0
	}
	return math.Abs(math.Log(float64(x) / float64(y)))
}

// markStopped marks the series that none of the last runs of their program on their device has: what they say is of the
// past, unless something is open that nobody accepted. Those that the newest run lacks are absent.
func markStopped(all []*Series, runs []history.Run, enough int) {
	for _, t := range all {
		last, _ := t.Newest()
		later := 0
		for i := len(runs) - 1; i >= 0 && later < enough; i-- {
			r := &runs[i]
			if !t.ByAdding && !r.Time.After(last.Time) {
				break
			}
			if onDevice(t.Key, r.Device) && r.ID > last.Run && sameProgram(r.Program, t.Key.Program) {
				later++
			}
		}
		t.Absent = later > 0
		open := len(t.Gate.Open) > 0
		t.Ended = t.Ended || open && t.Absent && !t.holds(all) || !open && later >= enough
	}
}
