package unitrace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// A source is a kind of table that describes a kernel. One report may describe
// the same launches in several tables. Sources are sorted by preference: a
// query measures a single launch, and samples measure any work that ran.
type source uint8

const (
	fromQuery      source = iota // one row per launch
	fromAggregate                // one row per launch, which the tool computed from samples
	fromSamples                  // launch samples
	fromTiming                   // sums
	fromIntervals                // launch times
	fromSubmission               // sums
	sources
)

// noDevice is the adapter in tables that do not contain an adapter.
const noDevice = -1

type kernelKey struct {
	ingest.Key
	adapter int
}

// kernelSums contains one kernel's data. Tables are kept separate until the
// end, because the best one is known only after all have been read.
type kernelSums struct {
	key    kernelKey
	pos    note.Pos // position of the first row
	number int      // index by first occurrence
	rank   int      // position in the report, or in its timing table if there is one
	sums   [sources]*sum
}

// kernelSums returns a kernel's sums. It creates them for the kernel's first
// row.
func (r *reader) kernelSums(t *names.Launch, adapter int, pos note.Pos) *kernelSums {
	key := kernelKey{ingest.KeyOf(t), adapter}
	if a, ok := r.index[key]; ok {
		return a
	}
	key.Task, key.Device = strings.Clone(t.Name), strings.Clone(t.Tile) // do not keep the line in memory
	a := &kernelSums{key: key, pos: pos, number: len(r.order), rank: len(r.order)}
	// If the timing table has the kernel already, use its position in the
	// order.
	if t, ok := r.index[kernelKey{key.Key, noDevice}]; ok {
		a.rank = t.rank
	}
	r.index[key] = a
	r.order = append(r.order, a)
	return a
}

func (a *kernelSums) of(src source) *sum {
	if a.sums[src] == nil {
		a.sums[src] = &sum{}
	}
	return a.sums[src]
}

// best returns the sums in the first table that has some, and the table. It
// returns nil if none has.
func (a *kernelSums) best(from ...source) (*sum, source) {
	for _, src := range from {
		if a.sums[src] != nil {
			return a.sums[src], src
		}
	}
	return nil, sources
}

// measured returns the sums in the table with the best measurement.
func (a *kernelSums) measured() (*sum, source) { return a.best(fromQuery, fromAggregate, fromSamples) }

// A sum is the data for a kernel's launches in one kind of table.
type sum struct {
	launches           int64
	seconds            float64
	means              [3]ingest.Mean
	counts             [4]unit.Opt[int64]
	exact              int64         // launches whose work-groups were counted exactly
	times, occupancies ingest.Sample // one value per launch
	pos                note.Pos      // position of the first row
}

// add adds a row. Threads and barriers are counts, so the tile counts and
// samples are added.
func (s *sum) add(x *sample) {
	for i := range s.means {
		s.means[i].Add(x.means[i], x.gpu)
	}
	s.plus(&x.counts)
}

func (s *sum) merge(o *sum) {
	s.launches += o.launches
	s.seconds += o.seconds
	// Exact work-group counters are not in every row, so their sum is compared
	// with the count of launches that have them.
	if o.counts[groups-threads].Present() {
		s.exact += o.launches
	}
	for i := range s.means {
		s.means[i].Merge(&o.means[i])
	}
	s.plus(&o.counts)
}

// plus adds counts that may be absent. A sum saturates at an impossible count,
// see ingest.CheckCounts.
func (s *sum) plus(counts *[4]unit.Opt[int64]) {
	for i, o := range counts {
		if n, ok := o.Value(); ok {
			s.counts[i] = unit.Some(min(s.counts[i].Or(0)+n, unit.MaxCount+1))
		}
	}
}

// into sets a kernel's measured values.
func (s *sum) into(k *ingest.Kernel, from source) {
	k.Reading = ingest.SampledIn
	switch each := s.means[0].EachWeight(); {
	case from == fromQuery:
		k.Reading = ingest.AroundLaunch
	// A sample's weight is the time that it covers, so the mean weight is the
	// interval.
	case from == fromSamples && each > 0:
		k.Interval = unit.Some(unit.Seconds(each))
	}
	k.SetMeasured(&s.means[0], &s.means[1], &s.means[2])
	k.Threads, k.Barriers = s.counts[0], s.counts[barriers-threads]
}

// spread returns the spread over at least two launches.
func (s *sum) spread() *ingest.LaunchSpread { return s.times.Spread(&s.occupancies) }

// A launch is the launch whose rows are currently read. A launch's tiles and
// samples are adjacent. A blank line, another kernel, or another instance ends
// it. Only one launch is open at a time, no matter how many are in the file.
type launch struct {
	kernelSums *kernelSums // nil if none is open
	source     source
	instance   int64
	tile       int64             // last row's tile
	tiles      map[int64]float64 // seconds by tile, to find the longest
	sum        sum
	pos        note.Pos
}

// sample adds a row in a metric table to its launch.
func (r *reader) sample(a *kernelSums, src source, x *sample, pos note.Pos) {
	l := &r.launch
	// One launch's rows are adjacent. The instance alone is not sufficient,
	// because it is always 0 in tables without that column. A row that is not a
	// sample is a launch or one of its tiles.
	if l.kernelSums != a || l.source != src || l.instance != x.instance || src != fromSamples && x.tile <= l.tile {
		r.endLaunch()
		clear(l.tiles)
		*l = launch{kernelSums: a, source: src, instance: x.instance, tiles: l.tiles, pos: pos}
	}
	l.tile = x.tile
	// Tile occupancies are averaged by time. Their seconds are not added, see
	// endLaunch.
	l.sum.add(x)
	l.tiles[x.tile] += x.seconds
}

// endLaunch adds the launch to its kernel. Tiles run concurrently, so the
// launch's duration is its longest tile's.
func (r *reader) endLaunch() {
	l := &r.launch
	if l.kernelSums == nil {
		return
	}
	l.sum.launches = 1
	for _, seconds := range l.tiles {
		l.sum.seconds = max(l.sum.seconds, seconds)
	}
	total := l.kernelSums.of(l.source)
	total.merge(&l.sum)
	if total.launches == 1 {
		total.pos = l.pos
	}
	most := ingest.SampleSize(len(r.order))
	total.times.Add(l.sum.seconds, most)
	if o, have := l.sum.means[0].Value().Value(); have {
		total.occupancies.Add(float64(o), most)
	}
	// Use the launches of the first table that measures some, because several
	// tables in a report may contain the same launches.
	if r.opt.Instances && l.source <= fromSamples && (r.launches.Len() == 0 || r.eachFrom == l.source) {
		r.eachFrom = l.source
		var k ingest.Kernel
		l.sum.into(&k, l.source)
		r.launches.Add(&ingest.LaunchRecord{Kernel: l.kernelSums.number, Line: l.pos.Line,
			Time: unit.Some(unit.Seconds(l.sum.seconds)), Threads: k.Threads, Measured: k.Measured, Active: k.Active,
			Stalled: k.Stalled, Idle: k.Idle})
	}
	l.kernelSums = nil
}

// voids are columns that mark their row's counters as invalid if they are not
// 0. Columns that begin with MidQuery do the same. ReportCtxSwitchLost is not
// included: it is 8 in a real report with correct occupancies.
var voids = []string{"ResultUncertainty", "QuerySplitOccurred", "OverrunOccured", "OverrunOccurred", "ReportError",
	"ReportLost", "ReportInconsistent", "ReportWithoutWorkload", "ReportContextMismatch"}

// void returns a column's name that marks the row's counters as invalid, or an
// empty string.
func (f *fields) void() string {
	for _, i := range f.voids {
		if x, err := strconv.ParseFloat(f.parts[i], 64); err == nil && x != 0 {
			return f.names[i]
		}
	}
	return ""
}

// invalid counts the rows whose counters are not used.
type invalid struct {
	rows    int64
	columns []string
	first   note.Pos
}

// drop removes the counters from a row that marks them as invalid. The launch
// itself still counts.
func (v *invalid) drop(s *sample, column string, pos note.Pos) {
	if column == "" {
		return
	}
	if v.rows++; v.rows == 1 {
		v.first = pos
	}
	if !slices.Contains(v.columns, column) {
		v.columns = append(v.columns, column)
	}
	// Keep only what identifies the launch, and its duration.
	*s = sample{seconds: s.seconds, gpu: s.gpu, instance: s.instance, tile: s.tile}
}

func (v *invalid) notes() []note.Note {
	if v.rows == 0 {
		return nil
	}
	return []note.Note{note.Warningf("invalid-counters", v.first,
		"collect again, with fewer metrics or alone on the GPU",
		"%d rows mark their counters as invalid (%s): these counters are left out, here and in the "+
			"rest of the file", v.rows, strings.Join(v.columns, ", "))}
}

// counted returns a note if the work-groups and threads that the GPU counted
// differ from the launch size. They are counted exactly, not sampled, so even a
// single work-group's difference means a wrong launch size, not noise.
func (s *sum) counted(k *ingest.Kernel) (n note.Note, differs bool) {
	items, sized := k.Global.Items()
	local, _ := k.Local.Items()
	counted, known := s.counts[groups-threads].Value()
	if !sized || !known || local <= 0 || items > unit.MaxCount || s.exact == 0 {
		return n, false
	}
	shape := int64(1) // work-group count
	for i := range 3 {
		l := k.Local.Dim(i)
		shape *= (k.Global.Dim(i) + l - 1) / l
	}
	text := fmt.Sprintf("task %q: the GPU counted %s per launch", k.Task, perLaunch(counted, s.exact, "work-group"))
	want := fmt.Sprintf("but its launch size requires %d", shape)
	differs = counted != shape*s.exact
	ended, known := s.counts[exits-threads].Value()
	if simd := int64(k.SIMD.Or(0)); known && simd > 0 {
		// If a work-group's size is not a multiple of the SIMD width, one
		// thread is not full. The same applies at a grid's edge.
		each := (local + simd - 1) / simd
		text += " and " + perLaunch(ended, s.exact, "thread")
		want += fmt.Sprintf(" and %d", shape*each)
		differs = differs || ended != shape*each*s.exact
	}
	return note.Warningf("launch-shape", k.Pos,
		"the name does not contain the actual launch size or SIMD width of these launches: do not rely on its "+
			"prediction", "%s", text+", "+want), differs
}

func perLaunch(n, launches int64, what string) string {
	if n != launches {
		what += "s"
	}
	return strconv.FormatFloat(float64(n)/float64(launches), 'f', -1, 64) + " " + what
}

// counts are the columns from which the XVE count can be computed: the clocks,
// and pairs with an event counter `X[events]` and its share of all XVE clocks,
// `X_UTILIZATION[%]`. No table identifies the GPU, and this number
// distinguishes devices that have the same name.
type counts struct {
	clocks int      // index after the kernel name
	pairs  [][2]int // empty without the clocks
}

func countsOf(names []string) counts {
	c := counts{clocks: slices.Index(names, "GpuSliceClocksCount[events]")}
	for i, name := range names {
		metric, ok := strings.CutSuffix(name, "_UTILIZATION[%]")
		if !ok || c.clocks < 0 {
			continue
		}
		if events := slices.Index(names, metric+"[events]"); events >= 0 {
			c.pairs = append(c.pairs, [2]int{events, i})
		}
	}
	return c
}

// xves returns how many XVEs a row's counters cover: events / (clocks x
// utilization). It returns 0 unless all column pairs result in the same whole
// number. In real reports, each pair results in 448.00.
func (f *fields) xves() (found int) {
	// Utilizations are printed with few digits, so a small one makes the
	// quotient inaccurate.
	const enough, exact = 1, 1e-3 // in percent of all clocks; relative to the number
	number := func(i int) float64 {
		x, _ := strconv.ParseFloat(f.parts[i], 64) // 0 is not useful, either
		return x
	}
	for _, p := range f.counts.pairs {
		clocks, share := number(f.counts.clocks), number(p[1])
		if !(share >= enough && share <= 100) {
			continue
		}
		n := number(p[0]) / (clocks * share / 100)
		whole := math.Round(n)
		if !(whole >= 1 && whole <= 1<<16 && math.Abs(n-whole) <= exact*whole) || found != 0 && found != int(whole) {
			return 0
		}
		found = int(whole)
	}
	return found
}
