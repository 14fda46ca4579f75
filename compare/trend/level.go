package trend

import (
	"math"
	"slices"

	"occudiff/compare/stat"
)

const (
	// normalMAD makes a MAD estimate the standard deviation of normal values.
	normalMAD = 1.4826
	// bend is where the location's weights fall off (Huber), in standard deviations; 95 % efficient for normal values.
	bend = 1.345
	// locationLoss is the variance of that location over the variance of a mean, with room for its one step.
	locationLoss = 1.1
	// winsor is where distances are cut before they are squared, kept the mean of such squares for normal values.
	winsor, kept = 2.5, 0.9776
	// efficiency is how many degrees of freedom a winsorized variance is worth, of those that it has.
	efficiency = 0.85
)

// level is where the values of a window lie and how far they scatter: a one-step Huber location and a winsorized
// standard deviation, both from the median and the MAD (Huber and Ronchetti, Robust Statistics, sections 5.3 and 6.7).
type level struct {
	at, spread float64
	n          int
}

// levelOf measures a window. least bounds the spread from below.
func levelOf(values []float64, least float64) level {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	median, mad, ok := stat.MedianMADSorted(sorted)
	if !ok {
		return level{}
	}
	rough := max(normalMAD*mad, least)
	sum, inside := 0.0, 0.0
	for _, v := range values {
		z := (v - median) / rough
		sum += clip(z, bend)
		if math.Abs(z) <= bend {
			inside++
		}
	}
	at := median + rough*sum/max(inside, 1)
	squares := 0.0
	for _, v := range values {
		z := clip((v-at)/rough, winsor)
		squares += z * z
	}
	n := float64(len(values))
	spread := rough * math.Sqrt(squares/max(n-1, 1)/kept)
	return level{at, max(spread, least), len(values)}
}

// SpreadOf gives the variance of values that one series has, and its degrees of freedom, as the gate sees it: outliers
// count little, and no spread is below what a printed digit hides.
func SpreadOf(values []float64) stat.Variance {
	return levelOf(values, PointsGate().finest()).variance()
}

// variance gives that of the spread, and how many degrees of freedom it is worth.
func (l level) variance() stat.Variance {
	return stat.Variance{Value: l.spread * l.spread, Freedom: max(1, efficiency*float64(l.n-1))}
}

// shrunk gives the standard deviation with what the other kernels say of it.
func (l level) shrunk(p stat.Prior) float64 {
	v, _ := p.Shrink(l.variance())
	return math.Sqrt(v)
}

// distance gives how far a value lies off the level, in spreads: the level of few runs is not known well itself.
func (l level) distance(off float64) float64 {
	return off / l.spread / math.Sqrt(1+locationLoss/float64(l.n))
}

func clip(x, at float64) float64 { return max(-at, min(at, x)) }
