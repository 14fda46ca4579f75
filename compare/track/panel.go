package track

import (
	"slices"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/trend"
)

// reach is how many runs a check looks back at: a finding that is open for longer is of the past.
const reach = 400

// judgeTogether judges the newest values of the series of a check, whose kernels tell of each other's noise.
func judgeTogether(g trend.Gate, all []*Series, runs map[int64]Ref) (*trend.Replay, error) {
	r, err := g.Replay(panel(all))
	if err != nil {
		return nil, err
	}
	for i, t := range all {
		t.take(r.Series[i], runs)
	}
	return r, nil
}

// panel gives the points of series with the places of their runs, and says where a level was accepted.
func panel(all []*Series) [][]trend.Point {
	place := lineUp(all)
	here := map[int64]bool{}
	for _, t := range all {
		here[t.ids[0]] = true
	}
	panel := make([][]trend.Point, len(all))
	for i, t := range all {
		// Where series do not agree on the order, that of most counts.
		slices.SortStableFunc(t.Points, func(a, b history.Point) int { return place[a.Run] - place[b.Run] })
		for _, p := range t.Own() {
			panel[i] = append(panel[i], trend.Point{Time: p.Time, Value: p.Value, Run: place[p.Run],
				Earlier: t.goesOnFrom(here) && !t.own[p.Run]})
		}
		for _, a := range t.Accepted {
			if k := slices.IndexFunc(t.Own(), func(p history.Point) bool { return p.Run >= a.Run }); k >= 0 {
				panel[i][k].Begin = true
			}
		}
	}
	return panel
}

// goesOnFrom says whether the series before it is among some.
func (t *Series) goesOnFrom(here map[int64]bool) bool { return len(t.ids) > 1 && here[t.ids[1]] }

// lineUp gives each run of some series its place among all: behind the run that it follows in a series.
func lineUp(all []*Series) map[int64]int {
	var runs []int64
	place := map[int64]int{}
	for _, t := range all {
		at, fresh := 0, false
		for _, p := range t.Points {
			if k, known := place[p.Run]; known && !fresh {
				at = k + 1
				continue
			} else if known {
				at = slices.Index(runs, p.Run) + 1
				continue
			}
			runs, fresh = slices.Insert(runs, at, p.Run), true
			place[p.Run] = at
			at++
		}
		if fresh {
			for i, run := range runs {
				place[run] = i
			}
		}
	}
	return place
}

// panels puts the series together that a check would judge together: those of one program on one device, its adapters
// included.
func panels(all []*Series) (list [][]*Series) {
	at := map[[2]string]int{}
	for _, t := range all {
		device, _, _ := strings.Cut(t.Key.Device, " ")
		k := [2]string{t.Key.Program, device}
		i, known := at[k]
		if !known {
			i, at[k] = len(list), len(list)
			list = append(list, nil)
		}
		list[i] = append(list[i], t)
	}
	return list
}
