package track

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
)

// Shared is one finding for many series. It is reported if at least half of the
// series of a device changed at once.
type Shared struct {
	Device string
	// Changed lists the other changes in the first run after the shift. It may
	// be empty.
	Changed       []Change
	Before, First Ref  // last run before the shift, and first run after it
	Restarts      bool // the change starts new series, for example with another driver
	Continues     bool // the runs before the change are also part of the new series
	Series        []*Series
	Of            int     // number of series on the device
	Median        float64 // median over the series of their distance from the median; 0 for restarts
}

// Change is a property that differs between two runs.
type Change struct {
	What, From, To string
}

// least is the smallest number of series in a shared finding.
const least = 3

// moment is a run of a device from which series have changed.
type moment struct {
	device        string
	before, first int64
	anew, faster  bool
}

// part is the finding or the restart of one series.
type part struct {
	series *Series
	open   *Open // nil for an alarm or a restart
	off    float64
}

// findShared returns the findings that many series share, largest first, and
// marks the findings of single series that belong to them.
func findShared(series []*Series, runs []history.Run) []Shared {
	byID := make(map[int64]*history.Run, len(runs))
	for i := range runs {
		byID[runs[i].ID] = &runs[i]
	}
	groups, of := map[moment][]part{}, map[string]int{}
	for _, t := range series {
		if t.Ended {
			continue
		}
		device, faster := t.Key.Device, t.Outcome() == Faster
		of[device]++
		switch first := len(t.Points) - 1 - t.Age; {
		case t.Unmeasurable:
		case len(t.Open) > 0:
			for i := range t.Open {
				if o := &t.Open[i]; o.LastGood != nil {
					p := part{t, o, o.Shift}
					if len(t.Open) == 1 {
						p.off = t.Off()
					}
					at := moment{device, o.LastGood.Run, o.FirstBad.Run, false, faster}
					groups[at] = append(groups[at], p)
				}
			}
		case t.FirstBad != nil && t.LastGood != nil:
			at := moment{device, t.LastGood.Run, t.FirstBad.Run, false, faster}
			groups[at] = append(groups[at], part{t, nil, t.Off()})
		case t.Restart != nil && t.Restart.Changed[0].What != launchSize && t.Age < RecentRuns && first >= 0:
			at := moment{device, t.Restart.Last.Run, t.Points[first].Run, true, false}
			groups[at] = append(groups[at], part{t, nil, t.Since()})
		}
	}
	var found []Shared
	for at, list := range groups {
		before, first := byID[at.before], byID[at.first]
		if len(list) < least || 2*len(list) < of[at.device] || before == nil || first == nil {
			continue
		}
		median := medianOff(list)
		for other, parts := range groups { // in some series, the first bad run is one run earlier or later
			if other.device == at.device && other.anew == at.anew && other.faster == at.faster &&
				(other.first == at.before || other.before == at.first) {
				for _, p := range parts {
					if ratio := p.off / median; p.open != nil && ratio > 0.5 && ratio < 2 {
						list = append(list, p)
					}
				}
			}
		}
		s := Shared{Device: at.device, Before: refOf(before), First: refOf(first), Restarts: at.anew, Median: median,
			Continues: list[0].series.Continues(), Of: of[at.device], Changed: changes(before, first)}
		if len(s.Changed) == 0 && at.anew {
			continue
		}
		slices.SortFunc(list, func(a, b part) int { return cmp.Compare(a.series.ids[0], b.series.ids[0]) })
		for _, p := range list {
			s.Series = append(s.Series, p.series)
			if p.open != nil {
				p.open.Shared = true
			}
		}
		found = append(found, s)
	}
	slices.SortFunc(found, func(a, b Shared) int {
		return cmp.Or(len(b.Series)-len(a.Series), cmp.Compare(a.First.Run, b.First.Run),
			cmp.Compare(a.Device, b.Device), cmp.Compare(a.Series[0].ids[0], b.Series[0].ids[0]))
	})
	for i := range found {
		for _, t := range found[i].Series {
			if !slices.ContainsFunc(t.Open, func(o Open) bool { return !o.Shared }) {
				t.Shared = &found[i]
			}
		}
	}
	return found
}

func medianOff(list []part) float64 {
	var off []float64
	for _, p := range list {
		off = append(off, p.off)
	}
	m, _ := stat.Median(off)
	return m
}

// findChanged adds a shared finding with the median shift of a checked run. It
// requires that the run's host or clock differs from the earlier runs, and that
// no other finding names the change. A driver change is reported with the
// series that it starts.
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

// changes returns the properties of the machine that differ between two runs. A
// property that one run lacks does not count as changed.
func changes(a, b *history.Run) (list []Change) {
	frequency := func(r *history.Run) string {
		hz, ok := r.Frequency.Value()
		if !ok {
			return ""
		}
		return fmt.Sprintf("%g MHz", hz/1e6)
	}
	for _, c := range []Change{{"device", a.Device, b.Device}, {"driver", a.Driver, b.Driver}, {"host", a.Host, b.Host},
		{"VTune", a.VTune, b.VTune}, {"clock", frequency(a), frequency(b)}} {
		if c.From != c.To && c.From != "" && c.To != "" {
			list = append(list, c)
		}
	}
	return list
}
