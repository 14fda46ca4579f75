package unitrace

import (
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// sum is what a table tells of a kernel's launches.
type sum struct {
	launches                   int64
	seconds                    float64
	occupancy, active, stalled ingest.Mean
	threads, barriers          unit.Opt[int64]
	groups, exits              unit.Opt[int64] // counted one by one
	exact                      int64           // launches of those
	times, occupancies         ingest.Sample   // of the launches
	pos                        note.Pos        // of the first row
}

// Threads and barriers are counts of the whole launch, so tiles and samples add up.
func (s *sum) add(x sample) {
	s.occupancy.Add(x.occupancy, x.gpu)
	s.active.Add(x.active, x.gpu)
	s.stalled.Add(x.stalled, x.gpu)
	plus(&s.threads, x.threads)
	plus(&s.barriers, x.barriers)
	plus(&s.groups, x.groups)
	plus(&s.exits, x.exits)
}

func (s *sum) merge(o *sum) {
	s.launches += o.launches
	// The counters of single work-groups are not in every row, so their sum is held against the launches that have
	// them.
	if o.groups.Present() {
		s.exact += o.launches
	}
	s.seconds += o.seconds
	s.occupancy.Merge(&o.occupancy)
	s.active.Merge(&o.active)
	s.stalled.Merge(&o.stalled)
	plus(&s.threads, o.threads)
	plus(&s.barriers, o.barriers)
	plus(&s.groups, o.groups)
	plus(&s.exits, o.exits)
}

// plus adds a count that may be absent. A sum stays at what is no count any more, see ingest.CheckCounts.
func plus(to *unit.Opt[int64], o unit.Opt[int64]) {
	if n, ok := o.Value(); ok {
		*to = unit.Some(min(to.Or(0)+n, unit.MaxCount+1))
	}
}

// into sets what was measured.
func (s *sum) into(k *ingest.Kernel, from source) {
	k.Reading = ingest.SampledIn
	switch {
	case from == fromQuery:
		k.Reading = ingest.AroundLaunch
	// A sample's weight is the time that it covers, so the mean weight is the interval.
	case from == fromSamples && s.occupancy.EachWeight() > 0:
		k.Interval = unit.Some(unit.Seconds(s.occupancy.EachWeight()))
	}
	k.SetMeasured(&s.occupancy, &s.active, &s.stalled)
	k.Threads, k.Barriers = s.threads, s.barriers
}

// spread gives how much two launches or more differ.
func (s *sum) spread() *ingest.Spread { return s.times.Spread(&s.occupancies) }
