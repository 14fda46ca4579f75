package rundiff

import (
	"cmp"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"sync"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// group is one launch on one side with its samples, at most one of each quantity per run.
type group struct {
	key        ingest.Key // with sizes trimmed
	launch     Launch
	notAKernel bool

	measured, residual, predicted, loaded, loadedResidual, idle []float64 // percent, residuals in points
	average, total                                              []float64 // seconds
	parts                                                       compare.ByPart[[]float64]
	samples                                                     []sample
}

var parts = compare.Parts()

// finish gives what the side knows of the launch, without the samples.
func (g *group) finish() *Launch {
	l := g.launch
	if t, ok := stat.Median(g.total); ok {
		l.Total = unit.Some(unit.Seconds(t))
	}
	return &l
}

// place is a row of a run of a side.
type place struct{ run, row uint32 }

// launches are those of a side, in the order in which they are met, and the rows of each: there may be millions, so
// that samples are read from the runs when they are asked for.
type launches struct {
	runs  []*compare.Result
	first []place
	hash  []uint64          // of the keys
	more  map[int32][]place // in the order of the runs
}

var seed = maphash.MakeSeed()

// collect finds the launches of the runs of one side by key.
func collect(runs []*compare.Result) *launches {
	l := &launches{runs: runs, more: map[int32][]place{}}
	index := map[uint64]int32{}
	for r, run := range runs {
		for i := range run.Rows {
			key, p := run.Rows[i].Kernel.Key().Trim(), place{uint32(r), uint32(i)}
			h := maphash.Comparable(seed, key)
			for {
				g, known := index[h]
				if !known {
					index[h] = int32(len(l.first))
					l.first, l.hash = append(l.first, p), append(l.hash, h)
				} else if l.key(g) != key { // another one of this hash
					h++
					continue
				} else {
					l.more[g] = append(l.more[g], p)
				}
				break
			}
		}
	}
	return l
}

func (l *launches) key(g int32) ingest.Key {
	return l.runs[l.first[g].run].Rows[l.first[g].row].Kernel.Key().Trim()
}

// group reads the samples of a launch, nil for none. Launches that a run keeps apart are no samples of their own,
// because they share whatever made this run differ from others.
func (l *launches) group(number int32) *group {
	if number < 0 {
		return nil
	}
	var g *group
	places := append([]place{l.first[number]}, l.more[number]...)
	for i := 0; i < len(places); {
		run := l.runs[places[i].run]
		var same []*compare.Row
		for at := places[i].run; i < len(places) && places[i].run == at; i++ {
			same = append(same, &run.Rows[places[i].row])
		}
		row := same[0]
		if len(same) > 1 {
			row = mergeRows(same)
		}
		if g == nil {
			g = &group{key: row.Kernel.Key().Trim(), notAKernel: row.Verdict == compare.NotAKernel, launch: Launch{
				Global: row.Global, Local: row.Local, SIMD: row.SIMD, Adapter: unit.NonZero(row.Device),
				File: unit.NonZero(row.Pos.File), Line: unit.NonZero(row.Pos.Line)}}
		}
		g.add(run, row)
	}
	return g
}

// add takes a run's row as a sample.
func (g *group) add(run *compare.Result, row *compare.Row) {
	g.launch.Runs++
	g.launch.take(row.Certainty)
	if !g.launch.Registers.Present() {
		g.launch.Registers = row.Registers
	}
	if !g.launch.SLM.Present() {
		g.launch.SLM = row.SLM
	}
	if t, ok := row.Total.Value(); ok {
		g.total = append(g.total, float64(t))
	}
	if t, ok := row.Average().Value(); ok {
		g.average = append(g.average, float64(t))
	}
	if row.Predicted != nil {
		g.predicted = append(g.predicted, row.Predicted.Average.Percent())
	}
	m, ok := row.Measured.Value()
	if !ok {
		return
	}
	if row.Verdict == compare.Unmeasurable {
		g.launch.Unmeasurable++
		return
	}
	g.measured = append(g.measured, m.Percent())
	if t, ok := row.Average().Value(); ok && t > 0 && m > 0 {
		items, _ := row.Global.Items()
		g.samples = append(g.samples, sample{m.Percent(), row.BusyOccupancy, float64(t) / float64(max(items, 1))})
	}
	if row.Predicted != nil {
		g.residual = append(g.residual, float64(m.Minus(row.Predicted.Average)))
	}
	if l, ok := row.BusyOccupancy.Value(); ok {
		g.loaded = append(g.loaded, l.Percent())
		if row.Predicted != nil {
			g.loadedResidual = append(g.loadedResidual, float64(l.Minus(row.XVEs.Low.Loaded)))
		}
	}
	if run.Accounted(row) {
		a := run.Parts(row)
		for i, p := range parts {
			if v, ok := a.Points(p).Value(); ok {
				g.parts[i] = append(g.parts[i], float64(v))
			}
		}
	}
	if i, ok := row.Idle.Value(); ok {
		g.idle = append(g.idle, i.Percent())
	}
}

// take keeps what is least sure of the runs' counters.
func (l *Launch) take(c compare.Certainty) {
	if n, ok := c.Intervals.Value(); ok {
		l.Intervals = unit.Some(min(n, l.Intervals.Or(n)))
	}
	if x, ok := c.Crosstalk.Value(); ok {
		l.Crosstalk = unit.Some(max(x, l.Crosstalk.Or(0)))
	}
	l.Exact = c.Exact
}

// byKey gives the rows of one run, those of one key merged: launches that were kept apart are no samples of their own,
// because they share whatever made this run differ from others. A row is good until the next one, and has no texts.
func byKey(r *compare.Result) iter.Seq2[ingest.Key, *compare.Row] {
	return func(yield func(ingest.Key, *compare.Row) bool) {
		first, again := map[ingest.Key]int{}, map[ingest.Key][]int{}
		for i := range r.Rows {
			row := &r.Rows[i]
			key := row.Kernel.Key().Trim()
			if _, seen := first[key]; seen {
				again[key] = append(again[key], i)
			} else {
				first[key] = i
			}
		}
		for i := range r.Rows {
			row := &r.Rows[i]
			key := row.Kernel.Key().Trim()
			if first[key] != i {
				continue
			}
			if more := again[key]; len(more) > 0 {
				same := []*compare.Row{row}
				for _, k := range more {
					same = append(same, &r.Rows[k])
				}
				row = mergeRows(same)
			}
			if !yield(key, row) {
				return
			}
		}
	}
}

// mergeRows adds up rows of one key: times and counts are sums, occupancies are weighted by time.
func mergeRows(parts []*compare.Row) *compare.Row {
	r := *parts[0]
	r.Total, r.Instances = sumOf(parts, func(p *compare.Row) unit.Opt[unit.Seconds] { return p.Total }),
		sumOf(parts, func(p *compare.Row) unit.Opt[int64] { return p.Instances })
	r.Mean, r.Uneven = meanOf(parts)
	r.Measured = byTime(parts, func(p *compare.Row) unit.Opt[unit.Ratio] { return p.Measured })
	r.Idle = byTime(parts, func(p *compare.Row) unit.Opt[unit.Ratio] { return p.Idle })
	r.BusyOccupancy = unit.Opt[unit.Ratio]{}
	if m, ok := r.Measured.Value(); ok {
		if idle, ok := r.Idle.Value(); ok && idle < 1 {
			r.BusyOccupancy = unit.Some(min(m/(1-idle), 1))
		}
	}
	for _, p := range parts {
		if p.Verdict != compare.Unmeasurable {
			r.Verdict = p.Verdict
		}
	}
	return &r
}

// meanOf gives the mean time of a launch over the rows that tell it, when some do not.
func meanOf(parts []*compare.Row) (mean unit.Opt[unit.Seconds], uneven bool) {
	var time unit.Seconds
	var launches int64
	for _, p := range parts {
		t, timed := p.Average().Value()
		n, counted := p.Instances.Value()
		if timed && counted {
			time += t * unit.Seconds(n)
			launches += n
		}
		uneven = uneven || !timed || !counted || p.Mean.Present()
	}
	if uneven && launches > 0 {
		mean = unit.Some(time / unit.Seconds(launches))
	}
	return mean, uneven
}

// sumOf is absent when one of the parts is.
func sumOf[T ~int64 | ~float64](parts []*compare.Row, get func(*compare.Row) unit.Opt[T]) unit.Opt[T] {
	var sum T
	for _, p := range parts {
		v, ok := get(p).Value()
		if !ok {
			return unit.Opt[T]{}
		}
		sum += v
	}
	return unit.Some(sum)
}

// byTime is the mean weighted by total time, over the parts that have both.
func byTime(parts []*compare.Row, get func(*compare.Row) unit.Opt[unit.Ratio]) unit.Opt[unit.Ratio] {
	var values, weights []float64
	for _, p := range parts {
		v, ok := get(p).Value()
		if t, timed := p.Total.Value(); ok && timed {
			values, weights = append(values, float64(v)), append(weights, float64(t))
		}
	}
	if m, ok := stat.WeightedMean(values, weights); ok {
		return unit.Some(unit.Ratio(m))
	}
	return get(parts[0])
}

// groupPair is one launch on both sides; nil where a side does not have it.
type groupPair struct{ older, newer *group }

// pairings say what may differ between two launches of one task that are paired, from the least.
var pairings = [...]func(*ingest.Key){
	func(*ingest.Key) {},
	func(k *ingest.Key) { k.Device = "" },
	func(k *ingest.Key) { k.SIMD = 0 },
	func(k *ingest.Key) { k.Local = ingest.Size3{} },
	func(k *ingest.Key) { k.Global = ingest.Size3{} },
	func(k *ingest.Key) { k.Local, k.SIMD = ingest.Size3{}, 0 },
	func(k *ingest.Key) { k.Global, k.Local = ingest.Size3{}, ingest.Size3{} },
	func(k *ingest.Key) { k.Global, k.Local, k.SIMD = ingest.Size3{}, ingest.Size3{}, 0 },
	func(k *ingest.Key) { k.Global, k.Local, k.SIMD, k.Device = ingest.Size3{}, ingest.Size3{}, 0, "" },
	func(k *ingest.Key) { k.Task, _ = names.Stable(k.Task) }, // by the rule that a history has, too
}

// moves lists the stable names of launches that have a partner, where they count their likes.
func (l *launches) moves(partner []int32) map[string]bool {
	moved := map[string]bool{}
	for i, p := range partner {
		if name, ordinal := names.Stable(l.key(int32(i)).Task); p != 0 && ordinal {
			moved[name] = true
		}
	}
	return moved
}

// pair finds the launches that belong together: equal keys first, then what is left over by ever less of the key, each
// time only where one launch of either side fits. The rest stays alone. The order is that of the new side.
func pair(older, newer *launches) []kept {
	partner, taken := make([]int32, len(newer.first)), make([]bool, len(older.first)) // 1 is the first
	moves := sync.OnceValue(func() map[string]bool { return newer.moves(partner) })
	follows := func(i int32) bool {
		name, ordinal := names.Stable(newer.key(i).Task)
		return names.Follows(1, ordinal, ordinal && moves()[name])
	}
	for level, blur := range pairings {
		type pile struct{ older, newer, olders, newers int32 }
		piles := map[uint64]pile{}
		key := func(l *launches, i int) ingest.Key {
			k := l.key(int32(i))
			blur(&k)
			return k
		}
		hash := func(l *launches, i int) uint64 {
			if level == 0 {
				return l.hash[i]
			}
			return maphash.Comparable(seed, key(l, i))
		}
		left := 0
		for i := range older.first {
			if !taken[i] {
				h := hash(older, i)
				p := piles[h]
				piles[h] = pile{int32(i), p.newer, p.olders + 1, p.newers}
				left++
			}
		}
		if left == 0 {
			break
		}
		for i := range newer.first {
			if partner[i] == 0 {
				h := hash(newer, i)
				if p, fits := piles[h]; fits {
					piles[h] = pile{p.older, int32(i), p.olders, p.newers + 1}
				}
			}
		}
		byPlace := func(a, b pile) int { return cmp.Compare(a.newer, b.newer) } // the map's jumps through memory
		for _, p := range slices.SortedFunc(maps.Values(piles), byPlace) {
			if p.olders == 1 && p.newers == 1 && key(older, int(p.older)) == key(newer, int(p.newer)) &&
				(level < len(pairings)-1 || follows(p.newer)) {
				partner[p.newer], taken[p.older] = p.older+1, true
			}
		}
	}
	pairs := make([]kept, 0, len(newer.first))
	for i := range newer.first {
		pairs = append(pairs, kept{older: partner[i] - 1, newer: int32(i)})
	}
	for i := range older.first {
		if !taken[i] {
			pairs = append(pairs, kept{older: int32(i), newer: -1})
		}
	}
	return pairs
}
