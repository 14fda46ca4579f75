package unitrace

import (
	"slices"

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
	spread                     spread
	pos                        note.Pos // of the first row
	kept                       bool     // the launches are rows of their own
}

// mean is an average weighted by the time of the measurement.
type mean struct{ product, weight, plain, n float64 }

func (m *mean) add(x, weight float64) {
	m.product += x * weight
	m.weight += weight
	m.plain += x
	m.n++
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

func (s *sum) add(x sample) {
	for _, c := range []struct {
		m    *mean
		x    float64
		have bool
	}{{&s.occupancy, x.occupancy, x.haveOccupancy}, {&s.active, x.active, x.haveActive},
		{&s.stalled, x.stalled, x.haveStalled}} {
		if c.have {
			c.m.add(c.x, x.gpu)
		}
	}
	if x.haveThreads {
		plus(&s.threads, x.threads)
	}
	if x.haveBarriers {
		plus(&s.barriers, x.barriers)
	}
}

func (s *sum) merge(o *sum) {
	s.launches += o.launches
	s.seconds += o.seconds
	s.occupancy.merge(o.occupancy)
	s.active.merge(o.active)
	s.stalled.merge(o.stalled)
	if n, ok := o.threads.Value(); ok {
		plus(&s.threads, n)
	}
	if n, ok := o.barriers.Value(); ok {
		plus(&s.barriers, n)
	}
}

// plus adds two counts. A sum stays at what is no count any more, see ingest.CheckCounts.
func plus(to *unit.Opt[int64], n int64) { *to = unit.Some(min(to.Or(0)+n, unit.MaxCount+1)) }

// into sets what was measured. The tools do not print the idle share: what is neither active nor stalled is idle, by
// the definition of the two counters.
func (s *sum) into(k *ingest.Kernel, from source) {
	k.Reading = ingest.SampledIn
	switch {
	case from == fromQuery:
		k.Reading = ingest.AroundLaunch
	case from == fromSamples && s.occupancy.n > 0 && s.occupancy.weight > 0:
		k.Interval = unit.Some(unit.Seconds(s.occupancy.weight / s.occupancy.n))
	}
	k.Measured = s.occupancy.value()
	k.Active, k.Stalled = s.active.value(), s.stalled.value()
	k.Threads, k.Barriers = s.threads, s.barriers
	a, haveActive := k.Active.Value()
	b, haveStalled := k.Stalled.Value()
	if rest := 1 - a - b; haveActive && haveStalled && rest > -0.005 {
		k.Idle = unit.Some(max(rest, 0))
	}
}

// spread gathers how much launches differ. A limited number is kept for the median, beyond it every second, fourth, ...
// launch: the median is then that of an even selection.
type spread struct {
	n             int64
	stride        int64
	min, max      float64
	seconds       []float64
	minOcc        float64
	maxOcc        float64
	haveOccupancy bool
	occupancies   []float64
}

func (s *spread) add(seconds float64, occupancy unit.Opt[unit.Ratio], most int) {
	if s.n == 0 {
		s.min, s.max, s.stride = seconds, seconds, 1
	}
	s.min, s.max = min(s.min, seconds), max(s.max, seconds)
	o, have := occupancy.Value()
	if x := float64(o); have {
		if !s.haveOccupancy {
			s.minOcc, s.maxOcc, s.haveOccupancy = x, x, true
		}
		s.minOcc, s.maxOcc = min(s.minOcc, x), max(s.maxOcc, x)
	}
	if s.n%s.stride == 0 {
		s.seconds = append(s.seconds, seconds)
		if have {
			s.occupancies = append(s.occupancies, float64(o))
		}
		for len(s.seconds) >= most {
			s.seconds, s.occupancies, s.stride = thin(s.seconds), thin(s.occupancies), s.stride*2
		}
	}
	s.n++
}

// thin keeps every second value.
func thin(x []float64) []float64 {
	n := 0
	for i := 0; i < len(x); i += 2 {
		x[n] = x[i]
		n++
	}
	return x[:n]
}

// result gives the spread of two launches or more.
func (s *spread) result() *ingest.Spread {
	if s.n < 2 {
		return nil
	}
	out := &ingest.Spread{MinSeconds: unit.Seconds(s.min), MedianSeconds: unit.Seconds(median(s.seconds)),
		MaxSeconds: unit.Seconds(s.max)}
	if s.haveOccupancy {
		out.MinMeasured = unit.Some(unit.Ratio(s.minOcc))
		out.MedianMeasured = unit.Some(unit.Ratio(median(s.occupancies)))
		out.MaxMeasured = unit.Some(unit.Ratio(s.maxOcc))
	}
	return out
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
