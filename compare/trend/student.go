package trend

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// segment is what the t-test needs of a part of a series.
type segment struct {
	n              int
	mean, variance float64 // of the population (divisor n)
}

// describe sums a segment up, in two passes for the sake of the last digits.
func describe(values []float64) segment {
	s := segment{n: len(values)}
	if s.n == 0 {
		return s
	}
	for _, v := range values {
		s.mean += v
	}
	s.mean /= float64(s.n)
	for _, v := range values {
		s.variance += (v - s.mean) * (v - s.mean)
	}
	s.variance /= float64(s.n)
	return s
}

// studentP gives the two-sided p of Student's t-test with equal variances. The population variance stands where the
// sample variance should, which makes short segments look a little more certain than they are: Hunter and Otava do so.
// Two points have p = 1. It is NaN when both segments are constant and equal.
func studentP(a, b segment) float64 {
	if a.n+b.n <= 2 {
		return 1
	}
	free := float64(a.n + b.n - 2)
	pooled := (float64(a.n-1)*a.variance + float64(b.n-1)*b.variance) / free
	t := (a.mean - b.mean) / math.Sqrt(pooled*(1/float64(a.n)+1/float64(b.n)))
	switch {
	case math.IsNaN(t):
		return t
	case math.IsInf(t, 0) || math.IsInf(t*t, 0):
		return 0
	}
	// The incomplete beta function keeps its relative accuracy in the far tail, where 1 - CDF would be 0.
	return mathext.RegIncBeta(free/2, 0.5, free/(free+t*t))
}

// magnitude gives the larger of the two relative changes between two means. A mean of zero has none.
func magnitude(before, after float64) float64 {
	largest := 0.0
	if before != 0 {
		largest = math.Abs(after/before - 1)
	}
	if after != 0 {
		largest = max(largest, math.Abs(before/after-1))
	}
	return largest
}
