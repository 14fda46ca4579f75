package diff

import (
	"fmt"
	"math"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Sensitivity is how the time of a kernel goes with its occupancy over runs in which nothing but the occupancy was
// changed: a line through the logarithms of both, so that its slope holds at any occupancy. Nobody can see in the runs
// that nothing else was changed.
type Sensitivity struct {
	Slower   unit.Ratio
	Low      unit.Ratio
	High     unit.Ratio
	Least    unit.Ratio
	Most     unit.Ratio
	Runs     int
	Bound    BoundByIt
	Relative []RunOfLine
}

// RunOfLine is a run: its occupancy in percent, and its time per work-item against the shortest of all.
type RunOfLine struct{ Occupancy, Time float64 }

// BoundByIt says whether occupancy bounds the time of a kernel.
type BoundByIt string

// The words.
const (
	boundNo     BoundByIt = "no"  // half the occupancy costs less than a tenth of the time
	boundYes    BoundByIt = "yes" // it costs more
	boundUntold BoundByIt = "cannot be told"
)

const (
	// leastSpread is how many times the lowest occupancy of the runs their highest is at least: a smaller change of
	// occupancy tells little of half of it.
	leastSpread = 1.25
	// aboutHalf is which share of the highest occupancy is still about half of it.
	aboutHalf = 0.45
	// bindingShare is how much more time half the occupancy takes at least where occupancy bounds a kernel. Twice the
	// time is the most that it can cost where threads only hide latency. mostShare allows a tenth more: a kernel that
	// is bound by nothing else lies at the limit itself, and noise puts the interval of some beyond it.
	bindingShare, mostShare unit.Ratio = 0.1, 1.1
)

// point is what a run of a side tells of a kernel's time and occupancy, of all XVEs and of those that ran.
type point struct {
	measured float64 // percent
	loaded   unit.Opt[unit.Ratio]
	seconds  float64 // per work-item
}

// sensitivityOf fits a line to samples; nil where they are fewer than three, or too much alike. Threads hide latency up
// to a number that is enough, so time is no straight line over all occupancies: where three samples or more lie between
// the highest and half of it, only they say what half of it costs.
func sensitivityOf(samples []point) *Sensitivity {
	s := Sensitivity{Bound: boundUntold}
	loaded, shortest, most := true, math.Inf(1), 0.0
	for _, p := range samples {
		loaded, shortest = loaded && p.loaded.Present(), min(shortest, p.seconds)
	}
	for _, p := range samples {
		x := p.measured
		if loaded {
			x = p.loaded.Or(0).Percent()
		}
		s.Relative, most = append(s.Relative, RunOfLine{x, p.seconds / shortest}), max(most, x)
	}
	fit := func(from float64) (slope, half float64, ok bool) {
		var xs, ys []float64
		s.Least, s.Most = 1, 0
		for i, p := range s.Relative {
			if x := unit.FromPercent(p.Occupancy); p.Occupancy >= from {
				s.Least, s.Most = min(s.Least, x), max(s.Most, x)
				xs, ys = append(xs, math.Log2(p.Occupancy)), append(ys, math.Log2(samples[i].seconds))
			}
		}
		s.Runs = len(xs)
		slope, half, ok = stat.Slope(xs, ys, 0.95)
		return slope, half, ok && s.Most >= leastSpread*s.Least
	}
	slope, half, ok := fit(aboutHalf * most)
	if !ok {
		slope, half, ok = fit(0)
	}
	if !ok {
		return nil
	}
	slower := func(slope float64) unit.Ratio { return unit.Ratio(math.Exp2(-slope) - 1) }
	s.Slower, s.Low, s.High = slower(slope), slower(slope+half), slower(slope-half)
	switch {
	case math.IsInf(float64(s.High), 0):
		return nil
	case s.High <= bindingShare:
		s.Bound = boundNo
	case s.Low > bindingShare && s.Low <= mostShare:
		s.Bound = boundYes
	}
	return &s
}

// String words it as the reports have it.
func (s *Sensitivity) String() string {
	way, by := "slower", s.Slower
	if by < 0 {
		way, by = "faster", -by
	}
	end := "more or narrower runs would tell whether occupancy bounds it"
	switch {
	case s.Bound == boundNo:
		end = "not bound by it, occupancy is enough"
	case s.Bound == boundYes:
		end = "it needs its occupancy"
	case s.Low > mostShare:
		end = "less occupancy alone cannot cost as much, so something else was changed"
	}
	return fmt.Sprintf("If nothing but the occupancy was changed: %.1f %% %s at half the occupancy (%.1f to %.1f %%, "+
		"of %d runs at %.1f to %.1f %%): %s.", by.Percent(), way, s.Low.Percent(), s.High.Percent(), s.Runs,
		s.Least.Percent(), s.Most.Percent(), end)
}

// Sensitivity is that of a kernel over all sides, nil where they do not tell it.
func (k *KernelOfSides) Sensitivity() *Sensitivity {
	var all []point
	if first := k.First(); first != nil {
		all = append(all, first.samples[0].points...)
	}
	for _, r := range k.Rows {
		if r != nil {
			all = append(all, r.samples[1].points...)
		}
	}
	return sensitivityOf(all)
}
