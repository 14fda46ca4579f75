package track

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
)

// Shared is one finding about many series: at least half of those of a device
// moved at once.
type Shared struct {
	Device string
	// Changed is what else changed with the first run of them; it may be
	// nothing that is known.
	Changed       []Change
	Before, First Ref  // the last run before it, and that run
	Restarts      bool // they restart, since the change makes other series of them
	Continues     bool // what was before the change is part of them
	Series        []*Series
	Of            int     // series of the device
	Median        float64 // of how far they are off their own medians; 0 for those that restart
}

// Change is what a run says, and the run before said otherwise.
type Change struct {
	What, From, To string
}

// least is how many series are many.
const least = 3

// findShared finds what many series have in common, the largest first, and
// marks them.
func findShared(series []*Series, runs []history.Run) []Shared {
	type moment struct {
		device        string
		before, first int64
		anew, faster  bool
	}
	byID := make(map[int64]*history.Run, len(runs))
	for i := range runs {
		byID[runs[i].ID] = &runs[i]
	}
	groups, of := map[moment][]*Series{}, map[string]int{}
	for _, t := range series {
		if t.Ended {
			continue
		}
		device := t.Key.Device
		of[device]++
		switch first := len(t.Points) - 1 - t.Age; {
		case t.Unmeasurable:
		case t.FirstBad != nil && t.LastGood != nil:
			at := moment{device, t.LastGood.Run, t.FirstBad.Run, false, t.Outcome() == Faster}
			groups[at] = append(groups[at], t)
		case t.Restart != nil && t.Restart.Changed[0].What != launchSize && t.Age < RecentRuns && first >= 0:
			at := moment{device, t.Restart.Last.Run, t.Points[first].Run, true, false}
			groups[at] = append(groups[at], t)
		}
	}
	var found []Shared
	for at, list := range groups {
		before, first := byID[at.before], byID[at.first]
		if len(list) < least || 2*len(list) < of[at.device] || before == nil || first == nil {
			continue
		}
		s := Shared{Device: at.device, Before: refOf(before), First: refOf(first), Restarts: at.anew, Series: list,
			Continues: list[0].Continues(),
			Of:        of[at.device], Changed: changes(before, first)}
		if len(s.Changed) == 0 && at.anew {
			continue
		}
		var off []float64
		for _, t := range list {
			if at.anew {
				off = append(off, t.Since())
			} else {
				off = append(off, t.Off())
			}
		}
		s.Median, _ = stat.Median(off)
		found = append(found, s)
	}
	slices.SortFunc(found, func(a, b Shared) int {
		return cmp.Or(len(b.Series)-len(a.Series), cmp.Compare(a.First.Run, b.First.Run), cmp.Compare(a.Device, b.Device),
			cmp.Compare(a.Series[0].ids[0], b.Series[0].ids[0]))
	})
	for i := range found {
		for _, t := range found[i].Series {
			t.Shared = &found[i]
		}
	}
	return found
}

// findChanged describes how the series of a checked run lie whose host or clock
// is not that of the runs before, where nothing else says it. A driver is said
// where series begin.
func (c *Check) findChanged(before []*history.Run) {
	recent := before[:min(len(before), missingAfterRuns)]
	machine := func(r *history.Run) []Change {
		return slices.DeleteFunc(changes(r, &c.Run),
			func(c Change) bool { return c.What != "host" && c.What != "clock" })
	}
	list := machine(before[0])
	if slices.ContainsFunc(recent, func(r *history.Run) bool { return len(machine(r)) == 0 }) ||
		slices.ContainsFunc(c.Shared, func(s Shared) bool { return s.First.Run == c.Run.ID }) {
		return
	}
	s := Shared{Device: c.Run.Device, Changed: list, Before: refOf(before[0]), First: refOf(&c.Run), Restarts: true,
		Continues: true, Of: len(c.Series)}
	var off []float64
	for _, t := range c.Series {
		if t.Outcome() == trend.OK {
			s.Series, off = append(s.Series, t), append(off, t.Off())
		}
	}
	if s.Median, _ = stat.Median(off); len(off) > 0 {
		c.Shared = append(c.Shared, s)
	}
}

// changes describes what two runs say of their machines. What one of them does
// not say has not changed.
func changes(a, b *history.Run) (list []Change) {
	frequency := func(r *history.Run) string {
		hz, ok := r.Frequency.Value()
		if !ok {
			return ""
		}
		return fmt.Sprintf("%g MHz", hz/1e6)
	}
	for _, c := range []Change{{"device", a.Device, b.Device}, {"driver", a.Driver, b.Driver}, {"host", a.Host, b.Host},
		{"clock", frequency(a), frequency(b)}} {
		if c.From != c.To && c.From != "" && c.To != "" {
			list = append(list, c)
		}
	}
	return list
}
