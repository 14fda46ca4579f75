package track

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

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

// begin says what changed between two spans; nil when nothing is known to have.
func begin(now, old history.Span, runs map[int64]Ref) *Begin {
	b := &Begin{now.Key.ChangedFrom(old.Key), old.Key, Ref{Run: old.Run, Time: old.Last}}
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

// lineage is where the series of spans come from.
type lineage struct {
	spans []history.Span
	from  map[int]int
}

func lineageOf(spans []history.Span) lineage { return lineage{spans, predecessors(spans)} }

// before lists the spans that one goes on from, the last first.
func (l *lineage) before(i int) (list []int) {
	for old, ok := l.from[i]; ok && goesOn(l.spans[i], l.spans[old]); old, ok = l.from[i] {
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
	return now.Key.Device == old.Key.Device && begin(now, old, nil) != nil
}

// link says that one span may go on from another.
type link struct {
	now, old int
	differs  int // in the device, the shape, the driver: the heavier one first
	last     time.Time
	apart    float64 // of sizes, as logarithms
}

// predecessors says of spans of tasks, by index, which others they go on from: one that ended before they began. One
// that has a run while the other lasts is none: two shapes in every run, two devices, and machines that take turns are
// parallel, and nothing changed. Of several it is the one on the same device in the same shape with the same driver,
// as far as there is one, then the one that ended last, then the one of the nearest sizes. On its device each is gone
// on from once.
func predecessors(spans []history.Span) map[int]int {
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
		slices.SortStableFunc(group, func(a, b int) int { return spans[a].First.Compare(spans[b].First) })
		for k, end := 0, 0; k < len(group); k = end { // those that begin at once
			for end < len(group) && spans[group[end]].First.Equal(spans[group[k]].First) {
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
func candidates(spans []history.Span, before, now []int) (list []link) {
	for _, n := range now {
		for _, o := range before {
			a, b := &spans[n], &spans[o]
			if !b.Last.Before(a.First) {
				continue
			}
			l := link{now: n, old: o, last: b.Last}
			if a.Key.Device != b.Key.Device {
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
		return cmp.Or(cmp.Compare(a.differs, b.differs), b.last.Compare(a.last), cmp.Compare(a.apart, b.apart))
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
// past.
func markStopped(all []*Series, runs []history.Run, enough int) {
	for _, t := range all {
		last, _ := t.Newest()
		later := 0
		for i := len(runs) - 1; i >= 0 && later < enough; i-- {
			r := &runs[i]
			if !t.ByAdding && !r.Time.After(last.Time) {
				break
			}
			here := r.Device == t.Key.Device || r.Device != "" && strings.HasPrefix(t.Key.Device, r.Device+" ")
			if here && r.ID > last.Run && sameProgram(r.Program, t.Key.Program) {
				later++
			}
		}
		t.Ended = t.Ended || later >= enough
	}
}
