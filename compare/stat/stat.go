// Package stat holds the statistics of comparisons and histories: location and spread that outliers cannot move, rank
// tests, correlations. It checks its input before it calls gonum, which panics on empty, unsorted and mismatched
// slices, and says "absent" instead of giving NaN. It does not know kernels, occupancy, units or time.
//
// Every function takes its samples unsorted, leaves them as they are, and gives (value, false) when the statistic does
// not exist: too few values, a value that is NaN or infinite, lengths that differ. Absent is never zero.
package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	return norm(xs, 1, float64(len(xs)))
}

// MaxAbsolute gives the largest |x|.
func MaxAbsolute(xs []float64) (float64, bool) {
	return norm(xs, math.Inf(1), 1)
}

// RMSE gives sqrt(mean(x^2)) of differences.
func RMSE(xs []float64) (float64, bool) {
	return norm(xs, 2, math.Sqrt(float64(len(xs)))) // scaled, so that squares neither overflow nor vanish
}

func norm(xs []float64, l, by float64) (float64, bool) {
	if !finite(xs) {
		return 0, false
	}
	return present(floats.Norm(xs, l) / by)
}

// GeometricMean gives the n-th root of the product. It exists for values above zero only: a zero would swallow all
// others.
func GeometricMean(xs []float64) (float64, bool) {
	if !finite(xs) || slices.Min(xs) <= 0 {
		return 0, false
	}
	return present(stat.GeometricMean(xs, nil))
}

// present drops results that overflowed.
func present(x float64) (float64, bool) {
	if !finite([]float64{x}) {
		return 0, false
	}
	return x, true
}
