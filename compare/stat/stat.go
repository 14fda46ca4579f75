// Package stat holds the statistics of comparisons and histories: location and spread that outliers cannot move, rank
// tests, correlations. It checks its input before it calls gonum, which panics on empty, unsorted and mismatched
// slices, and says "absent" instead of giving NaN. It does not know kernels, occupancy, units or time.
//
// Every function takes its samples unsorted, leaves them as they are, and gives (value, false) when the statistic does
// not exist: too few values, a value that is NaN or infinite, lengths that differ. Absent is never zero.
package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// finite says whether there are values and all of them are numbers.
func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return len(xs) > 0
}

// Mean gives the arithmetic mean. Never use it on ratios of different bases: divide the sums instead.
func Mean(xs []float64) (float64, bool) {
	if !finite(xs) {
		return 0, false
	}
	return present(stat.Mean(xs, nil))
}

// MeanAbsolute gives the mean of |x|.
func MeanAbsolute(xs []float64) (float64, bool) {
	return Mean(absolute(xs))
}

// MaxAbsolute gives the largest |x|.
func MaxAbsolute(xs []float64) (float64, bool) {
	if !finite(xs) {
		return 0, false
	}
	largest := 0.0
	for _, x := range xs {
		largest = max(largest, math.Abs(x))
	}
	return largest, true
}

// RMSE gives sqrt(mean(x^2)) of differences.
func RMSE(xs []float64) (float64, bool) {
	largest, ok := MaxAbsolute(xs)
	if !ok {
		return 0, false
	}
	if largest == 0 {
		return 0, true
	}
	// Scaled by the largest difference, so that squares neither overflow nor vanish.
	sum := 0.0
	for _, x := range xs {
		sum += (x / largest) * (x / largest)
	}
	return present(largest * math.Sqrt(sum/float64(len(xs))))
}

// GeometricMean gives the n-th root of the product. It exists for values above zero only: a zero would swallow all
// others.
func GeometricMean(xs []float64) (float64, bool) {
	if !finite(xs) {
		return 0, false
	}
	for _, x := range xs {
		if x <= 0 {
			return 0, false
		}
	}
	return present(stat.GeometricMean(xs, nil))
}

// absolute gives |x| of each x.
func absolute(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Abs(x)
	}
	return out
}

// present drops results that overflowed.
func present(x float64) (float64, bool) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}
