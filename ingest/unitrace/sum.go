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

// source is which table told of a kernel. One report may tell of the same
// launches in several. The order is that in which measurements are preferred: a
// query is of one launch alone, samples are of whatever ran.
type source uint8

const (
	fromQuery      source = iota // a row for a launch
	fromAggregate                // a row for a launch, put together from samples by the tool
	fromSamples                  // samples of launches
	fromTiming                   // sums
	fromIntervals                // times of launches
	fromSubmission               // sums
	sources
)

// noDevice stands for tables that do not say which adapter ran a kernel.
const noDevice = -1

type kernelKey struct {
	ingest.Key
	adapter int
}

// kernelSums is what the tables tell of one kernel. Tables are kept apart until
// the end, since which of them tells best is known when all have been read.
type kernelSums struct {
	key    kernelKey
	pos    note.Pos // of the first row
	number int      // in the order in which accounts are met
	rank   int      // place in the report, that of its timing when there is one
	sums   [sources]*sum
}

// kernelSums returns that of a kernel, which it opens when it is the first row
// of it.
func (r *reader) kernelSums(t *names.Launch, adapter int, pos note.Pos) *kernelSums {
	key := kernelKey{ingest.KeyOf(t), adapter}
	if a, ok := r.index[key]; ok {
		return a
	}
	key.Task, key.Device = strings.Clone(t.Name), strings.Clone(t.Tile) // not to keep the line
	a := &kernelSums{key: key, pos: pos, number: len(r.order), rank: len(r.order)}
	// A kernel that the timing table has already takes its place in the order.
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

// best returns the sums of the first table that has some, and which that is;
// nil when none has.
func (a *kernelSums) best(from ...source) (*sum, source) {
	for _, src := range from {
		if a.sums[src] != nil {
			return a.sums[src], src
		}
	}
	return nil, sources
}

// measured returns the sums of the table that measured best.
func (a *kernelSums) measured() (*sum, source) { return a.best(fromQuery, fromAggregate, fromSamples) }

// sum is what a table tells of a kernel's launches.
type sum struct {
	launches           int64
	seconds            float64
	means              [3]ingest.Mean
	counts             [4]unit.Opt[int64]
	exact              int64         // launches whose work-groups were counted one by one
	times, occupancies ingest.Sample // of the launches
	pos                note.Pos      // of the first row
}

// Threads and barriers are counts of the whole launch, so tiles and samples add
// up.
func (s *sum) add(x *sample) {
	for i := range s.means {
		s.means[i].Add(x.means[i], x.gpu)
	}
	s.plus(&x.counts)
}

func (s *sum) merge(o *sum) {
	s.launches += o.launches
	s.seconds += o.seconds
	// The counters of single work-groups are not in every row, so their sum is
	// compared with the launches that have them.
	if o.counts[groups-threads].Present() {
		s.exact += o.launches
	}
	for i := range s.means {
		s.means[i].Merge(&o.means[i])
	}
	s.plus(&o.counts)
}

// plus adds counts that may be absent. A sum stays at what is no count any
// more, see ingest.CheckCounts.
func (s *sum) plus(counts *[4]unit.Opt[int64]) {
	for i, o := range counts {
		if n, ok := o.Value(); ok {
			s.counts[i] = unit.Some(min(s.counts[i].Or(0)+n, unit.MaxCount+1))
		}
	}
}

// into sets what was measured.
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

// spread returns how much two launches or more differ.
func (s *sum) spread() *ingest.LaunchSpread { return s.times.Spread(&s.occupancies) }

// launch is the launch whose rows are being read: tiles and samples of one
// launch are together, ended by a blank line, another kernel or another
// instance. Only one is open at a time, however many launches a file has.
type launch struct {
	kernelSums *kernelSums // nil when none is open
	source     source
	instance   int64
	tile       int64             // of the last row
	tiles      map[int64]float64 // seconds of each, to find the longest
	sum        sum
	pos        note.Pos
}

// sample adds a row of a metric table to its launch.
func (r *reader) sample(a *kernelSums, src source, x *sample, pos note.Pos) {
	l := &r.launch
	// Rows of one launch are together in the files; an instance alone would
	// not do, for some tables have no such column, and all are 0 then. A row
	// that is no sample is a launch, or a tile of it.
	if l.kernelSums != a || l.source != src || l.instance != x.instance || src != fromSamples && x.tile <= l.tile {
		r.endLaunch()
		clear(l.tiles)
		*l = launch{kernelSums: a, source: src, instance: x.instance, tiles: l.tiles, pos: pos}
	}
	l.tile = x.tile
	// Of tiles the occupancies are averaged by time; their seconds are not
	// added, see endLaunch.
	l.sum.add(x)
	l.tiles[x.tile] += x.seconds
}

// endLaunch adds the launch to its kernel. Tiles work at the same time: the
// launch takes as long as the longest.
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
	// Launches are those of the first table that measures some: a report may
	// tell of the same ones in several.
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

// voids are the columns that say that the counters of their row are not to be
// used, where they are not 0. ReportCtxSwitchLost is none of them: it is 8 in a
// real report whose occupancies are right. So is each that begins with
// MidQuery.
var voids = []string{"ResultUncertainty", "QuerySplitOccurred", "OverrunOccured", "OverrunOccurred", "ReportError",
	"ReportLost", "ReportInconsistent", "ReportWithoutWorkload", "ReportContextMismatch"}

// void returns the name of a column that says that the counters of a row are
// not to be used; empty when none does.
func (f *fields) void() string {
	for _, i := range f.voids {
		if x, err := strconv.ParseFloat(f.parts[i], 64); err == nil && x != 0 {
			return f.names[i]
		}
	}
	return ""
}

// invalid counts the rows whose counters are left out.
type invalid struct {
	rows    int64
	columns []string
	first   note.Pos
}

// drop takes the counters out of a row that says so itself. Its launch still
// counts.
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
	// What is left is what finds the launch and how long it took.
	*s = sample{seconds: s.seconds, gpu: s.gpu, instance: s.instance, tile: s.tile}
}

func (v *invalid) notes() []note.Note {
	if v.rows == 0 {
		return nil
	}
	return []note.Note{{Severity: note.Warning, Code: "invalid-counters", Pos: v.first,
		Text: fmt.Sprintf("%d rows mark their counters as invalid (%s): these counters are left out, here and in the "+
			"rest of the file", v.rows, strings.Join(v.columns, ", ")),
		Hint: "collect again, with fewer metrics or alone on the GPU"}}
}

// counted holds the work-groups and threads that the GPU counted one by one
// against the launch size. They are counted and not sampled, so one work-group
// more or less is an error of the shape and no noise.
func (s *sum) counted(k *ingest.Kernel) (n note.Note, differs bool) {
	items, sized := k.Global.Items()
	local, _ := k.Local.Items()
	counted, known := s.counts[groups-threads].Value()
	if !sized || !known || local <= 0 || items > unit.MaxCount || s.exact == 0 {
		return n, false
	}
	shape := int64(1) // work-groups
	for i := range 3 {
		l := k.Local.Dim(i)
		shape *= (k.Global.Dim(i) + l - 1) / l
	}
	text := fmt.Sprintf("task %q: the GPU counted %s a launch", k.Task, perLaunch(counted, s.exact, "work-group"))
	want := fmt.Sprintf("where its launch size makes %d", shape)
	differs = counted != shape*s.exact
	ended, known := s.counts[exits-threads].Value()
	if simd := int64(k.SIMD.Or(0)); known && simd > 0 {
		// A work-group whose size is no multiple of the SIMD width has one
		// thread that is not full; so has a grid at its edge.
		each := (local + simd - 1) / simd
		text += " and " + perLaunch(ended, s.exact, "thread")
		want += fmt.Sprintf(" and %d", shape*each)
		differs = differs || ended != shape*each*s.exact
	}
	return note.Note{Severity: note.Warning, Code: "launch-shape", Pos: k.Pos, Text: text + ", " + want,
		Hint: "the launch size or the SIMD width of the name is not that of these launches: do not rely on its " +
			"prediction"}, differs
}

func perLaunch(n, launches int64, what string) string {
	if n != launches {
		what += "s"
	}
	return strconv.FormatFloat(float64(n)/float64(launches), 'f', -1, 64) + " " + what
}

// counts are the columns of a metric table that tell how many XVEs the counters
// are of: a counter of events and the part of all clocks of all XVEs that it
// says this is, `X[events]` and `X_UTILIZATION[%]`, and the clocks. No table
// says which GPU it is of; this number tells devices apart that names do not.
type counts struct {
	clocks int      // index behind the name
	pairs  [][2]int // none without the clocks
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

// xves is how many XVEs a row's counters are of: events / (clocks x
// utilization), where all pairs of columns say the same whole number; 0 where
// they do not. In real reports each pair gives 448.00.
func (f *fields) xves() (found int) {
	// Utilizations are printed with few digits: of a small one the quotient is
	// any number.
	const enough, exact = 1, 1e-3 // percent of all clocks, of the number
	number := func(i int) float64 {
		x, _ := strconv.ParseFloat(f.parts[i], 64) // 0 is of no use, either
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
