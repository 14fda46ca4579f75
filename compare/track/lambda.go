package track

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/ingest/names"
)

// Renumbered states that kernels have other numbers from a run on: lambdas are
// counted within their scope, and one more or less shifts those behind it. What
// was measured before goes with the kernel and not with its number.
type Renumbered struct {
	Run   Ref
	Names [][2]string // what a kernel is called from the run on, and what before
}

// renumber finds where numbers moved, by values and launch sizes, and gives
// what was measured before the numbers of later.
func renumber(p *history.Panel, m Metric) (found []Renumbered) {
	stable := map[string]string{} // names with numbers, without these; others without a name
	group := func(k history.Key) history.Key {
		name, known := stable[k.Task]
		if !known {
			if s, ordinal := names.Stable(k.Task); ordinal {
				name = s
			}
			stable[k.Task] = name
		}
		return history.Key{Task: name, Direction: k.Direction, Program: k.Program, Device: k.Device}
	}
	var groups []history.Key
	for i := range p.Kernels {
		if g := group(p.Kernels[i].Key); g.Task != "" && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	for _, of := range groups {
		g := alike{panel: p, metrics: []history.Metric{m.Metric, history.Seconds}}
		find := func() { // again where other names have moved the kernels
			g.kernels = nil
			for i := range p.Kernels {
				if k := &p.Kernels[i]; group(k.Key) == of {
					g.kernels = append(g.kernels, k)
				}
			}
		}
		find()
		var old []string
		for place := range p.Runs {
			now := g.namesIn(place)
			if len(now) == 0 || isSupplement(p, &p.Runs[place]) {
				continue
			}
			later := g.match(place, old, now)
			if old = now; later == nil {
				continue
			}
			r := Renumbered{Run: refOf(&p.Runs[place])}
			for _, name := range now {
				for was, is := range later {
					if is == name && was != name {
						r.Names = append(r.Names, [2]string{name, was})
					}
				}
			}
			found = append(found, r)
			p.Rename(place, func(k *history.Kernel) (string, bool) {
				is, ok := later[k.Key.Task]
				return is, ok && is != k.Key.Task && group(k.Key) == of
			})
			find()
		}
	}
	return found
}

// lately leaves what changed with one of the last runs.
func lately(list []Renumbered, runs []history.Run) []Renumbered {
	recent := runs[max(0, len(runs)-RecentRuns):]
	return slices.DeleteFunc(list, func(r Renumbered) bool {
		return !slices.ContainsFunc(recent, func(run history.Run) bool { return run.ID == r.Run.Run })
	})
}

// alike are kernels whose names differ in numbers alone, and the metrics by
// which they are told apart.
type alike struct {
	panel   *history.Panel
	kernels []*history.Kernel
	metrics []history.Metric
}

// namesIn returns the names that a run has, in the order of their numbers.
func (g *alike) namesIn(place int) (names []string) {
	for _, k := range g.kernels {
		if k.At(g.panel.Runs[place].ID) >= 0 && !slices.Contains(names, k.Key.Task) {
			names = append(names, k.Key.Task)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	return names
}

// match returns the later name of each earlier one, nil where numbers did not
// move: of what keeps the order and has every kernel of the smaller side near
// its own, the nearest. Names that fit as they are stay, and a run that has
// some of the kernels alone moves none.
func (g *alike) match(place int, old, now []string) map[string]string {
	fresh := slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(old, s) })
	if len(old) == 0 || !fresh && slices.Contains(now, old[len(old)-1]) {
		return nil
	}
	same := 0
	for _, name := range old {
		if slices.Contains(now, name) && g.far(place, name, name) <= 1 {
			same++
		}
	}
	if same == min(len(old), len(now)) {
		return nil
	}
	short, long, turned := old, now, len(old) > len(now)
	if turned {
		short, long = now, old
	}
	pair := func(i, j int) (was, is string) {
		if turned {
			return long[j], short[i]
		}
		return short[i], long[j]
	}
	// cost[i][j] is that of the first i of the shorter list, all of them, among
	// the first j of the longer one.
	cost := [][]float64{make([]float64, len(long)+1)}
	for i := range short {
		row := []float64{math.Inf(1)}
		for j := range long {
			was, is := pair(i, j)
			far := g.far(place, was, is)
			if far > 1 {
				far = math.Inf(1)
			}
			row = append(row, min(row[j], cost[i][j]+far))
		}
		cost = append(cost, row)
	}
	if math.IsInf(cost[len(short)][len(long)], 1) {
		return nil
	}
	later, taken := map[string]string{}, map[string]bool{}
	for i, j := len(short)-1, len(long)-1; i >= 0; j-- {
		if cost[i+1][j+1] < cost[i+1][j] {
			was, is := pair(i, j)
			later[was], taken[is] = is, true
			i--
		}
	}
	for _, was := range old { // what is like none takes a number that is free
		for _, free := range slices.Concat([]string{was}, old, now) {
			if _, matched := later[was]; !matched && !taken[free] {
				later[was], taken[free] = free, true
			}
		}
	}
	return later
}

// far describes how far the values of a kernel in a run lie off the last ones
// of another before it: 1 at 5 spreads of these, at 2 points or 10% of a time
// at least. Other launch sizes are infinitely far.
func (g *alike) far(place int, was, is string) (far float64) {
	for _, k := range g.kernels {
		at := k.At(g.panel.Runs[place].ID)
		if k.Key.Task != is || at < 0 {
			continue
		}
		there := false
		for _, m := range g.metrics {
			var before []float64
			for _, o := range g.kernels {
				if o.Key.Task == was && !otherLaunchSize(o.Key, k.Key) && o.In[0].Place < place {
					there = true
					for i := len(o.In) - 1; i >= 0 && len(before) < RecentRuns; i-- {
						if v, ok := o.Value(i, m).Value(); ok && o.In[i].Place < place {
							before = append(before, v)
						}
					}
				}
			}
			level, known := stat.Median(before[:min(3, len(before))])
			var steps []float64 // a level that changed is no spread
			for i := 1; i < len(before); i++ {
				steps = append(steps, math.Abs(before[i]-before[i-1]))
			}
			step, _ := stat.Median(steps)
			least := 2.0
			if m.Unit() == "s" {
				least = level / 10
			}
			limit := max(5*normalMAD*step/math.Sqrt2, least, math.SmallestNonzeroFloat64)
			if x, ok := k.Value(at, m).Value(); ok && known {
				far = max(far, math.Abs(x-level)/limit)
			}
		}
		if !there {
			return math.Inf(1)
		}
	}
	return far
}
