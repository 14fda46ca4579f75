package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"occudiff/report/trackdoc"

	"occudiff/compare/history"
)

// before says whether a run came before another one; runs of one moment are in the order of their numbers.
func before(a, b trackdoc.TrackedPoint) bool {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Run, b.Run)) < 0
}

// ends gives the first run and the last one, judged or not.
func (t *tracked) ends() (first, last trackdoc.TrackedPoint) {
	first, last = t.Points[0], t.Points[len(t.Points)-1]
	if len(t.LeftOut) > 0 && before(t.LeftOut[0], first) {
		first = t.LeftOut[0]
	}
	return first, last
}

// span is a series from its first run to its last.
func (t *tracked) span() history.Span {
	first, last := t.ends()
	return history.Span{Key: t.key, First: first.Time, Last: last.Time, Run: last.Run}
}

// until gives the last run before a series began, false when there is none, or when this series has a run while that one
// lasts: two devices in every run, runs of one moment, or machines that take turns, are parallel, and nothing changed.
func (t *tracked) until(other *tracked) (last trackdoc.TrackedPoint, ok bool) {
	first, end := other.ends()
	for _, points := range [][]trackdoc.TrackedPoint{t.Points, t.LeftOut} {
		for _, p := range points {
			switch {
			case p.Time.Before(first.Time):
				if !ok || before(last, p) {
					last, ok = p, true
				}
			case !p.Time.After(end.Time):
				return trackdoc.TrackedPoint{}, false
			}
		}
	}
	return last, ok
}

// closest gives, of series that ended before another one of the same kernel began, the one that it most likely goes on from:
// one on its device before others, since machines that take turns get a new driver one after the other, then one with its
// driver, then the one that ended last. -1 is none.
func closest(key history.Key, earlier []history.Span) int {
	differs := func(s history.Span) (n int) {
		if s.Key.Device != key.Device {
			n += 2
		}
		if s.Key.Driver != key.Driver {
			n++
		}
		return n
	}
	best := -1
	for i, s := range earlier {
		if best < 0 || cmp.Or(cmp.Compare(differs(s), differs(earlier[best])), earlier[best].Last.Compare(s.Last)) < 0 {
			best = i
		}
	}
	return best
}

// kernelOf is what series of one kernel on several devices and drivers share.
func kernelOf(k history.Key) history.Key {
	k.Device, k.Driver = "", ""
	return k
}

// findBegins says of each series which one of the same kernel, on another device or driver or in another launch shape, ended
// where it begins, and marks those as ended.
func findBegins(all []*tracked) {
	same := map[history.Key][]*tracked{}
	for _, t := range all {
		same[kernelOf(t.key)] = append(same[kernelOf(t.key)], t)
	}
	took := make(map[*tracked]*tracked, len(all))
	for _, t := range all {
		var earlier []history.Span
		var whose []*tracked
		for _, other := range same[kernelOf(t.key)] {
			if last, ok := other.until(t); ok {
				earlier, whose = append(earlier, history.Span{Key: other.key, Last: last.Time, Run: last.Run}), append(whose, other)
			}
		}
		if i := closest(t.key, earlier); i >= 0 {
			if t.Begins = beginOf(t.key, earlier[i]); t.Begins != nil {
				took[t] = whose[i]
			}
		}
	}
	spans := make([]history.Span, len(all))
	for i, t := range all {
		spans[i] = t.span()
	}
	for now, old := range reshaped(spans) {
		if t := all[now]; t.fromShape(spans[old]) {
			took[t] = all[old]
		}
		all[old].Ended = true
	}
	for t, old := range took {
		first, _ := t.ends()
		_, last := old.ends()
		old.Ended = old.Ended || last.Time.Before(first.Time)
	}
}

// fromShape takes a series in another launch shape, on the same device and driver, for the one before, unless that device
// got another driver since.
func (t *tracked) fromShape(old history.Span) bool {
	if b := t.Begins; b != nil && b.Device == t.key.Device && !b.Time.Before(old.Last) {
		return false
	}
	t.Begins = shapeBegin(old)
	return true
}

// markStopped marks the series that none of the last runs on their device has: what they say is of the past.
func markStopped(all []*tracked, runs []history.Run, enough int) {
	for _, t := range all {
		_, last := t.ends()
		later := 0
		for i := len(runs) - 1; i >= 0 && later < enough && runs[i].Time.After(last.Time); i-- {
			if on := runs[i].Device; on == t.key.Device || on != "" && strings.HasPrefix(t.key.Device, on+" ") {
				later++
			}
		}
		t.Ended = t.Ended || later >= enough
	}
}

// reshaped says, by index, which series took the place of which when a task went on in another launch shape on the same
// device and driver. It says so only where the task had one launch shape at a time: else nobody can tell.
func reshaped(spans []history.Span) map[int]int {
	groups := map[history.Key][]int{}
	for i, s := range spans {
		task := history.Key{Task: s.Key.Task, Direction: s.Key.Direction, Device: s.Key.Device, Driver: s.Key.Driver}
		groups[task] = append(groups[task], i)
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

// beginOf says what changed from an earlier series of the same kernel, nil when nothing is known to have.
func beginOf(key history.Key, old history.Span) *trackdoc.TrackedBegin {
	what := key.ChangedFrom(old.Key)
	if len(what) == 0 {
		return nil
	}
	return &trackdoc.TrackedBegin{What: what, Device: old.Key.Device, Driver: old.Key.Driver, Run: old.Run, Time: old.Last}
}

// shapeBegin says that the launch shape changed.
func shapeBegin(old history.Span) *trackdoc.TrackedBegin {
	return &trackdoc.TrackedBegin{What: []string{trackdoc.LaunchShape}, Device: old.Key.Device, Driver: old.Key.Driver, Shape: shapeOf(old.Key), Run: old.Run, Time: old.Last}
}
