package track

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
)

// Begin says how a series begins: where another one of the kernel left off.
type Begin struct {
	What []string    // what changed: "device", "driver", LaunchShape
	From history.Key // the predecessor
	Last Ref         // its last run before the series begins
}

// LaunchShape is what changed when a kernel goes on in another shape.
const LaunchShape = "launch shape"

// predecessor says which of some series of the same kernel, as they were when own had its last run, own goes on from;
// -1 is none. One that has a run while own lasts is no predecessor: two devices in every run, runs of one moment and
// machines that take turns are parallel, and nothing changed. Of the others it is one on the same device before
// others, since machines that take turns get a new driver one after the other, then one with the same driver, then
// the one that ended last.
func predecessor(own history.Span, others []history.Span) int {
	differs := func(k history.Key) (n int) {
		if k.Device != own.Key.Device {
			n += 2
		}
		if k.Driver != own.Key.Driver {
			n++
		}
		return n
	}
	closer := func(a, b history.Span) bool {
		return cmp.Or(cmp.Compare(differs(a.Key), differs(b.Key)), b.Last.Compare(a.Last)) < 0
	}
	best := -1
	for i, s := range others {
		if s.Last.Before(own.First) && (best < 0 || closer(s, others[best])) {
			best = i
		}
	}
	return best
}

// otherDriver gives the span that own goes on from with another driver on the same device; it has no ID when there is
// none. A driver is no excuse: the runs before it are the baseline.
func otherDriver(own history.Span, others []history.Span) history.Span {
	i := predecessor(own, others)
	if i < 0 || others[i].Key.Device != own.Key.Device || len(own.Key.ChangedFrom(others[i].Key)) == 0 {
		return history.Span{}
	}
	return others[i]
}

// reshaped says, by index, which series took the place of which when a task went on in another launch shape on the same
// device and driver. It says so only where the task had one launch shape at a time: else nobody can tell.
func reshaped(spans []history.Span) map[int]int {
	type task struct {
		history.Key
		program string
	}
	taskOf := func(k history.Key) history.Key {
		return history.Key{Task: k.Task, Direction: k.Direction, Device: k.Device, Driver: k.Driver}
	}
	only := map[history.Key]string{} // the program of a task, empty where there are several
	for _, s := range spans {
		if program := s.Key.Program; program != "" {
			if known, ok := only[taskOf(s.Key)]; ok && known != program {
				program = ""
			}
			only[taskOf(s.Key)] = program
		}
	}
	groups := map[task][]int{}
	for i, s := range spans {
		// What was stored before runs named their program is of the only one that they name.
		k := task{taskOf(s.Key), cmp.Or(s.Key.Program, only[taskOf(s.Key)])}
		groups[k] = append(groups[k], i)
	}
	took := map[int]int{}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b int) int { return spans[a].First.Compare(spans[b].First) })
		var last time.Time // of all before the one at k-1
		for k := 1; k < len(group); k++ {
			old, now := spans[group[k-1]], spans[group[k]]
			alone := k == 1 || last.Before(old.First)
			if after := k + 1; after < len(group) && !now.Last.Before(spans[group[after]].First) {
				alone = false
			}
			if alone && old.Last.Before(now.First) {
				took[group[k]] = group[k-1]
			}
			if k == 1 || old.Last.After(last) {
				last = old.Last
			}
		}
	}
	return took
}

// kernelOf is what series of one kernel on several devices and drivers share.
func kernelOf(k history.Key) history.Key {
	k.Device, k.Driver = "", ""
	return k
}

// fromPlatform takes a series on another device or driver for the one before, unless the launch shape changed since. It
// says whether anything is known to have changed.
func (t *Series) fromPlatform(old history.Span, runs map[int64]Ref) bool {
	b := &Begin{t.Key.ChangedFrom(old.Key), old.Key, lastOf(old, runs)}
	if len(b.What) == 0 || t.Begins != nil && !b.follows(t.Begins, t.Key.Device) {
		return false
	}
	t.Begins = b
	return true
}

// fromShape takes a series in another launch shape, on the same device and driver, for the one before, unless that
// device got another driver since.
func (t *Series) fromShape(old history.Span, runs map[int64]Ref) bool {
	b := &Begin{[]string{LaunchShape}, old.Key, lastOf(old, runs)}
	if t.Begins != nil && t.Begins.follows(b, t.Key.Device) {
		return false
	}
	t.Begins = b
	return true
}

// follows says whether a begin on another platform is nearer than one in another shape: it is on the device of the
// series, and did not end earlier.
func (b *Begin) follows(shape *Begin, device string) bool {
	return b.From.Device == device && !b.Last.Time.Before(shape.Last.Time)
}

// lastOf names the last run of a span.
func lastOf(s history.Span, runs map[int64]Ref) Ref {
	if r, ok := runs[s.Run]; ok {
		return r
	}
	return Ref{Run: s.Run, Time: s.Last}
}

// afterReshape says whether the series is too young to be judged since its launch shape changed.
func (t *Series) afterReshape() bool {
	return t.Anew() && t.Begins.What[0] == LaunchShape
}

// before orders runs; those of one moment are in the order of their numbers.
func before(a, b history.Point) bool {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Run, b.Run)) < 0
}

// span gives the first run and the last one, left out or not.
func (t *Series) span() history.Span {
	first, last := t.Points[0], t.Points[len(t.Points)-1]
	if len(t.LeftOut) > 0 && before(t.LeftOut[0], first) {
		first = t.LeftOut[0]
	}
	return history.Span{Key: t.Key, First: first.Time, Last: last.Time, FirstRun: first.Run, Run: last.Run}
}

// upTo gives the span of a series as it was at a time, false when it had not begun.
func (t *Series) upTo(end time.Time) (history.Span, bool) {
	s := t.span()
	if s.First.After(end) {
		return s, false
	}
	var last history.Point
	for _, points := range [][]history.Point{t.Points, t.LeftOut} {
		n, _ := slices.BinarySearchFunc(points, end, func(p history.Point, end time.Time) int {
			if p.Time.After(end) {
				return 1
			}
			return -1
		})
		if n > 0 && before(last, points[n-1]) {
			last = points[n-1]
		}
	}
	s.Last, s.Run = last.Time, last.Run
	return s, true
}

// findBegins says of each series of a history where it comes from, and marks those as ended that others went on from.
func findBegins(all []*Series, runs map[int64]Ref) {
	same := map[history.Key][]*Series{}
	spans := make([]history.Span, len(all))
	for i, t := range all {
		spans[i] = t.span()
		same[kernelOf(t.Key)] = append(same[kernelOf(t.Key)], t)
	}
	took := make(map[*Series]*Series, len(all))
	for i, t := range all {
		var others []history.Span
		var whose []*Series
		for _, other := range same[kernelOf(t.Key)] {
			if s, begun := other.upTo(spans[i].Last); begun {
				others, whose = append(others, s), append(whose, other)
			}
		}
		if i := predecessor(spans[i], others); i >= 0 && t.fromPlatform(others[i], runs) {
			took[t] = whose[i]
		}
	}
	for now, old := range reshaped(spans) {
		if all[now].fromShape(spans[old], runs) {
			took[all[now]] = all[old]
		}
		all[old].Ended = true
	}
	for t, old := range took {
		old.Ended = old.Ended || old.span().Last.Before(t.span().First)
	}
}

// markStopped marks the series that none of the last runs of their program on their device has: what they say is of the
// past.
func markStopped(all []*Series, runs []history.Run, enough int) {
	for _, t := range all {
		last, later := t.span(), 0
		for i := len(runs) - 1; i >= 0 && later < enough; i-- {
			r := &runs[i]
			if !t.ByAdding && !r.Time.After(last.Last) {
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
