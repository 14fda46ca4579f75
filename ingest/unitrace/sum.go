package unitrace

import (
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// source is which table told of a kernel. One report may tell of the same launches in several.
// The order is that in which measurements are preferred: a query is of one launch alone, samples are of whatever ran.
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

// account is what the tables tell of one kernel.
// Tables are kept apart until the end, since which of them tells best is known when all have been read.
type account struct {
	key    kernelKey
	pos    note.Pos // of the first row
	number int      // in the order in which accounts are met
	rank   int      // place in the report, that of its timing when there is one
	sums   [sources]*sum
}

// account gives that of a kernel, which it opens when it is the first row of it.
func (r *reader) account(t *names.Launch, adapter int, pos note.Pos) *account {
	key := kernelKey{ingest.KeyOf(t), adapter}
	if a, ok := r.index[key]; ok {
		return a
	}
	key.Task, key.Device = strings.Clone(t.Name), strings.Clone(t.Tile) // not to keep the line
	a := &account{key: key, pos: pos, number: len(r.order), rank: len(r.order)}
	// A kernel that the timing table has already takes its place in the order.
	if t, ok := r.index[kernelKey{key.Key, noDevice}]; ok {
		a.rank = t.rank
	}
	r.index[key] = a
	r.order = append(r.order, a)
	return a
}

func (a *account) of(src source) *sum {
	if a.sums[src] == nil {
		a.sums[src] = &sum{}
	}
	return a.sums[src]
}

// best gives the sums of the first table that has some, and which that is; nil when none has.
func (a *account) best(from ...source) (*sum, source) {
	for _, src := range from {
		if a.sums[src] != nil {
			return a.sums[src], src
		}
	}
	return nil, sources
}

// measured gives the sums of the table that measured best.
func (a *account) measured() (*sum, source) { return a.best(fromQuery, fromAggregate, fromSamples) }

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

// Threads and barriers are counts of the whole launch, so tiles and samples add up.
func (s *sum) add(x *sample) {
	for i := range s.means {
		s.means[i].Add(x.means[i], x.gpu)
	}
	s.plus(&x.counts)
}

func (s *sum) merge(o *sum) {
	s.launches += o.launches
	s.seconds += o.seconds
	// The counters of single work-groups are not in every row, so their sum is held against the launches that have
	// them.
	if o.counts[groups-threads].Present() {
		s.exact += o.launches
	}
	for i := range s.means {
		s.means[i].Merge(&o.means[i])
	}
	s.plus(&o.counts)
}

// plus adds counts that may be absent. A sum stays at what is no count any more, see ingest.CheckCounts.
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
	// A sample's weight is the time that it covers, so the mean weight is the interval.
	case from == fromSamples && each > 0:
		k.Interval = unit.Some(unit.Seconds(each))
	}
	k.SetMeasured(&s.means[0], &s.means[1], &s.means[2])
	k.Threads, k.Barriers = s.counts[0], s.counts[barriers-threads]
}

// spread gives how much two launches or more differ.
func (s *sum) spread() *ingest.Spread { return s.times.Spread(&s.occupancies) }

// launch is the launch whose rows are being read: tiles and samples of one launch stand together, ended by a blank
// line, another kernel or another instance.
// Only one is open at a time, however many launches a file has.
type launch struct {
	account  *account // nil when none is open
	source   source
	instance int64
	tile     int64             // of the last row
	tiles    map[int64]float64 // seconds of each, to find the longest
	sum      sum
	pos      note.Pos
}

// sample adds a row of a metric table to its launch.
func (r *reader) sample(a *account, src source, x *sample, pos note.Pos) {
	l := &r.launch
	// Rows of one launch stand together in the files; an instance alone would not do, for some tables have no such
	// column, and all are 0 then. A row that is no sample is a launch, or a tile of it.
	if l.account != a || l.source != src || l.instance != x.instance || src != fromSamples && x.tile <= l.tile {
		r.endLaunch()
		clear(l.tiles)
		*l = launch{account: a, source: src, instance: x.instance, tiles: l.tiles, pos: pos}
	}
	l.tile = x.tile
	// Of tiles the occupancies are averaged by time; their seconds are not added, see endLaunch.
	l.sum.add(x)
	l.tiles[x.tile] += x.seconds
}

// endLaunch adds the launch to its kernel. Tiles work at the same time: the launch takes as long as the longest.
func (r *reader) endLaunch() {
	l := &r.launch
	if l.account == nil {
		return
	}
	l.sum.launches = 1
	for _, seconds := range l.tiles {
		l.sum.seconds = max(l.sum.seconds, seconds)
	}
	total := l.account.of(l.source)
	total.merge(&l.sum)
	if total.launches == 1 {
		total.pos = l.pos
	}
	most := ingest.SampleSize(len(r.order))
	total.times.Add(l.sum.seconds, most)
	if o, have := l.sum.means[0].Value().Value(); have {
		total.occupancies.Add(float64(o), most)
	}
	// Launches are those of the first table that measures some: a report may tell of the same ones in several.
	if r.opt.Instances && l.source <= fromSamples && (r.launches.Len() == 0 || r.eachFrom == l.source) {
		r.eachFrom = l.source
		var k ingest.Kernel
		l.sum.into(&k, l.source)
		r.launches.Add(&ingest.LaunchRecord{Kernel: l.account.number, Line: l.pos.Line,
			Time: unit.Some(unit.Seconds(l.sum.seconds)), Threads: k.Threads, Measured: k.Measured, Active: k.Active,
			Stalled: k.Stalled, Idle: k.Idle})
	}
	l.account = nil
}
