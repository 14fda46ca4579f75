package track

import (
	"cmp"
	"fmt"
	"slices"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Shared is one finding for many series. It is reported if at least half of the
// series of a device changed at once.
type Shared struct {
	Device string
	// Changed lists the other changes in the first run after the shift. It may
	// be empty.
	Changed       []Change
	Before, First Ref // last run before the shift, and first run after it
	Series        []*Series
	Of            int     // number of series on the device
	Median        float64 // median over the series of their distance from the median
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
	faster        bool
}

// part is the finding or the alarm of one series.
type part struct {
	series *Series
	open   *Open // nil for an alarm
	off    float64
}

// findShared returns the findings that many series share, largest first, and
// marks the findings of single series that belong to them. A change of at least
// twice the median change does not belong to them.
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
		switch {
		case t.Unmeasurable:
		case len(t.Open) > 0:
			for i := range t.Open {
				if o := &t.Open[i]; o.LastGood != nil {
					p := part{t, o, o.Shift}
					if len(t.Open) == 1 {
						p.off = t.Off()
					}
					at := moment{device, o.LastGood.Run, o.FirstBad.Run, faster}
					groups[at] = append(groups[at], p)
				}
			}
		case t.FirstBad != nil && t.LastGood != nil:
			at := moment{device, t.LastGood.Run, t.FirstBad.Run, faster}
			groups[at] = append(groups[at], part{t, nil, t.Off()})
		}
	}
	var found []Shared
	for at, list := range groups {
		before, first := byID[at.before], byID[at.first]
		if len(list) < least || 2*len(list) < of[at.device] || before == nil || first == nil {
			continue
		}
		median := medianOff(list)
		// A much larger change has a cause of its own.
		list = slices.DeleteFunc(slices.Clone(list), func(p part) bool { return p.off/median >= 2 })
		if len(list) < least {
			continue
		}
		for other, parts := range groups { // in some series, the first bad run is one run earlier or later
			if other.device == at.device && other.faster == at.faster &&
				(other.first == at.before || other.before == at.first) {
				for _, p := range parts {
					if ratio := p.off / median; p.open != nil && ratio > 0.5 && ratio < 2 {
						list = append(list, p)
					}
				}
			}
		}
		s := Shared{Device: at.device, Before: refOf(before), First: refOf(first), Median: median, Of: of[at.device],
			Changed: changes(before, first)}
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

// findChanged sets the properties of the machine that the checked run does not
// have in common with any of the last runs, and the median shift of the series
// in the run.
func (c *Check) findChanged(before []*history.Run) {
	recent := before[:min(len(before), missingAfterRuns)]
	c.Changed = slices.DeleteFunc(changes(before[0], &c.Run), func(change Change) bool {
		return slices.ContainsFunc(recent, func(r *history.Run) bool {
			return slices.Contains(machine(r), Change{What: change.What, To: change.To})
		})
	})
	var off []float64
	for _, t := range c.Series {
		if len(t.Open) == 0 && !t.Unmeasurable && t.Gate.Median.Present() {
			off = append(off, t.Off())
		}
	}
	c.Shift = unit.Maybe(stat.Median(off))
}

// machine returns the properties of the machine that a run used, as changes
// from an unknown value.
func machine(r *history.Run) []Change {
	frequency := ""
	if hz, ok := r.Frequency.Value(); ok {
		frequency = fmt.Sprintf("%g MHz", hz/1e6)
	}
	return []Change{{"device", "", r.Device}, {"driver", "", r.Driver}, {"host", "", r.Host}, {"VTune", "", r.VTune},
		{"clock", "", frequency}}
}

// changes returns the properties of the machine that differ between two runs. A
// property that one run lacks does not count as changed.
func changes(a, b *history.Run) (list []Change) {
	before := machine(a)
	for i, c := range machine(b) {
		if c.From = before[i].To; c.From != c.To && c.From != "" && c.To != "" {
			list = append(list, c)
		}
	}
	return list
}
