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
	occupancy, active, stalled mean
	threads, barriers          unit.Opt[int64]
	groups, exits              unit.Opt[int64] // counted one by one
	exact                      int64           // launches of those
	spread                     spread
	pos                        note.Pos // of the first row
}

// mean is an average weighted by the time of the measurement.
type mean struct{ product, weight, plain, n float64 }

func (m *mean) add(o unit.Opt[float64], weight float64) {
	if x, ok := o.Value(); ok {
		m.merge(mean{x * weight, weight, x, 1})
	}
}

// value is the average; rows without a time count alike.
func (m *mean) value() unit.Opt[unit.Ratio] {
	switch {
	case m.n == 1:
		return unit.Some(unit.Ratio(m.plain)) // as printed, without the rounding of product and division
	case m.weight > 0:
		return unit.Some(unit.Ratio(m.product / m.weight))
	case m.n > 0:
		return unit.Some(unit.Ratio(m.plain / m.n))
	}
	return unit.Opt[unit.Ratio]{}
}

func (m *mean) merge(o mean) {
	m.product += o.product
	m.weight += o.weight
	m.plain += o.plain
	m.n += o.n
}

// Threads and barriers are counts of the whole launch, so tiles and samples add up.
func (s *sum) add(x sample) {
	s.occupancy.add(x.occupancy, x.gpu)
	s.active.add(x.active, x.gpu)
	s.stalled.add(x.stalled, x.gpu)
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
	s.occupancy.merge(o.occupancy)
	s.active.merge(o.active)
	s.stalled.merge(o.stalled)
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

// into sets what was measured. The tools do not print the idle share: what is neither active nor stalled is idle, by
// the definition of the two counters.
func (s *sum) into(k *ingest.Kernel, from source) {
	k.Reading = ingest.SampledIn
	switch {
	case from == fromQuery:
		k.Reading = ingest.AroundLaunch
	// A sample's weight is the time that it covers, so the mean weight is the interval.
	case from == fromSamples && s.occupancy.n > 0 && s.occupancy.weight > 0:
		k.Interval = unit.Some(unit.Seconds(s.occupancy.weight / s.occupancy.n))
	}
	k.Measured = s.occupancy.value()
	k.Active, k.Stalled = s.active.value(), s.stalled.value()
	k.Threads, k.Barriers = s.threads, s.barriers
	a, haveActive := k.Active.Value()
	b, haveStalled := k.Stalled.Value()
	// More than a rounding below 0 means that the two counters overlap on this GPU: then the idle share is not known.
	if rest := 1 - a - b; haveActive && haveStalled && rest > -0.005 {
		k.Idle = unit.Some(max(rest, 0))
	}
}

// spread gathers how much launches differ.
type spread struct{ seconds, occupancies ingest.Sample }

func (s *spread) add(seconds float64, occupancy unit.Opt[unit.Ratio], most int) {
	s.seconds.Add(seconds, most)
	if o, have := occupancy.Value(); have {
		s.occupancies.Add(float64(o), most)
	}
}

// result gives the spread of two launches or more.
func (s *spread) result() *ingest.Spread { return s.seconds.Spread(&s.occupancies) }
