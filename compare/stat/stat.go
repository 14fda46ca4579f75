// Package stat contains the statistics of comparisons and histories: location
// and spread that are robust against outliers, rank tests, and correlations. It
// checks its input before it calls gonum, which panics on empty, unsorted, or
// mismatched slices. It must not depend on kernels, occupancy, units, or time.
//
// Each function accepts unsorted samples and does not change them. If a
// statistic does not exist, the function returns false and never NaN. This is
// the case for too few values, for NaN or an infinite value, and for different
// lengths. An absent statistic is never returned as zero.
package stat

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// finite reports whether xs is not empty and all values are finite.
func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return len(xs) > 0
}

// Mean returns the arithmetic mean. For ratios with different bases, divide the
// sums instead of averaging the ratios.
func Mean(xs []float64) (float64, bool) {
	if !finite(xs) {
		return 0, false
	}
	return present(stat.Mean(xs, nil))
}

// MeanAbsolute returns the mean of |x|.
func MeanAbsolute(xs []float64) (float64, bool) {
	return norm(xs, 1, float64(len(xs)))
}

// MaxAbsolute returns the largest |x|.
func MaxAbsolute(xs []float64) (float64, bool) {
	return norm(xs, math.Inf(1), 1)
}

// RMSE returns the root mean square of differences, sqrt(mean(x^2)).
func RMSE(xs []float64) (float64, bool) {
	return norm(xs, 2, math.Sqrt(float64(len(xs)))) // norm scales, so that squares neither overflow nor vanish
}

func norm(xs []float64, l, by float64) (float64, bool) {
	if !finite(xs) {
		return 0, false
	}
	return present(floats.Norm(xs, l) / by)
}

// GeometricMean returns the n-th root of the product. It exists only for
// positive values, because one zero would make the product zero.
func GeometricMean(xs []float64) (float64, bool) {
	if !finite(xs) || slices.Min(xs) <= 0 {
		return 0, false
	}
	return present(stat.GeometricMean(xs, nil))
}

// present returns a result, and false if the result overflowed.
func present(x float64) (float64, bool) {
	if !finite([]float64{x}) {
		return 0, false
	}
	return x, true
}

// sorted returns a sorted copy, or false if there are no values or some are not
// finite.
func sorted(xs []float64) ([]float64, bool) {
	if !finite(xs) {
		return nil, false
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	return s, true
}

// middle returns the median of sorted values.
func middle(s []float64) float64 {
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// Median returns the middle value, or the mean of the middle two if the count
// is even.
func Median(xs []float64) (float64, bool) {
	s, ok := sorted(xs)
	if !ok {
		return 0, false
	}
	return present(middle(s))
}

// MAD returns the median of the absolute deviations from the median. It is not
// multiplied by 1.4826, the factor that turns it into an estimate of the
// standard deviation for normally distributed values.
func MAD(xs []float64) (float64, bool) {
	s, _ := sorted(xs)
	_, mad, ok := MedianMADSorted(s)
	return mad, ok
}

// MedianMADSorted returns the median and MAD of values that are already sorted
// and finite, for callers that slide over a long series. It does not check,
// copy, or change the values.
func MedianMADSorted(s []float64) (median, mad float64, ok bool) {
	if len(s) == 0 {
		return 0, 0, false
	}
	median = middle(s)
	// The deviations grow from the median outward on both sides. So taking the
	// nearer end each time visits them in ascending order.
	above, _ := slices.BinarySearch(s, median)
	below := above - 1
	previous, deviation := 0.0, 0.0
	for range len(s)/2 + 1 {
		previous = deviation
		if above == len(s) || below >= 0 && median-s[below] <= s[above]-median {
			deviation = median - s[below]
			below--
		} else {
			deviation = s[above] - median
			above++
		}
	}
	mad = deviation
	if len(s)%2 == 0 {
		mad = (previous + deviation) / 2
	}
	if math.IsInf(median, 0) || math.IsInf(mad, 0) {
		return 0, 0, false
	}
	return median, mad, true
}

// Interval is a confidence interval for a median.
type Interval struct {
	Low, High float64
	// Confidence is the confidence reached. Order statistics come in steps, so
	// it is usually higher than requested.
	Confidence float64
}

// MedianInterval returns the narrowest interval from the k-th smallest to the
// k-th largest value that contains the population's median with at least the
// given confidence (between 0 and 1). It makes no assumption on the
// distribution (David and Nagaraja, Order Statistics, section 7.1). It returns
// false if even the smallest and the largest value do not reach the confidence:
// 95% needs 6 values, and 99% needs 8.
func MedianInterval(xs []float64, confidence float64) (Interval, bool) {
	s, ok := sorted(xs)
	if !ok {
		return Interval{}, false
	}
	n := len(s)
	// Each tail is the probability that fewer than k of n values are below the
	// median: a binomial with p = 1/2.
	coins := distuv.Binomial{N: float64(n), P: 0.5}
	coverage := func(k int) float64 { return 1 - 2*coins.CDF(float64(k-1)) }
	// The coverage decreases with k: find the largest k that still reaches the
	// confidence.
	low := sort.Search(n/2, func(k int) bool { return coverage(k+1) < confidence })
	if low == 0 {
		return Interval{}, false
	}
	return Interval{Low: s[low-1], High: s[n-low], Confidence: coverage(low)}, true
}

// Pearson returns the linear correlation of pairs. It returns false with fewer
// than two pairs, or if all xs or all ys are equal.
func Pearson(xs, ys []float64) (float64, bool) {
	if len(xs) != len(ys) || len(xs) < 2 || !finite(xs) || !finite(ys) || constant(xs) || constant(ys) {
		return 0, false
	}
	r, ok := present(stat.Correlation(xs, ys, nil))
	// The limits are needed because rounding may result in 1.0000000000000002.
	return min(1, max(-1, r)), ok
}

// Spearman returns the rank correlation of pairs: Pearson's correlation between
// their ranks. Ties get their average rank.
func Spearman(xs, ys []float64) (float64, bool) {
	if len(xs) != len(ys) || !finite(xs) || !finite(ys) {
		return 0, false
	}
	return Pearson(ranks(xs), ranks(ys))
}

// constant reports whether all values are equal. A check for a variance of
// exactly zero would not work, because the mean of equal values may differ from
// them in the last digit.
func constant(xs []float64) bool { return slices.Min(xs) == slices.Max(xs) }

// sameDigits is the relative difference up to which two results count as equal.
// For example, 90 / (1 - 0.1) is 100 and 80 / (1 - 0.2) is 99.99999999999999.
const sameDigits = 1e-12

// ranks returns each value's rank, starting with 1. Equal values get their
// average rank, and so do values that differ only by binary rounding.
func ranks(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	ranks := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && same(xs[order[j-1]], xs[order[j]]) {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return ranks
}

// same reports whether b exceeds a by at most a rounding error. a must not be
// larger than b.
func same(a, b float64) bool {
	return b-a <= sameDigits*max(math.Abs(a), math.Abs(b))
}
