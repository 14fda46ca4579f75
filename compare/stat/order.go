package stat

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// sorted gives a sorted copy, or false when there are no values or not all are numbers.
func sorted(xs []float64) ([]float64, bool) {
	if !finite(xs) {
		return nil, false
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	return s, true
}

// middle gives the median of sorted values.
func middle(s []float64) float64 {
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// Median gives the middle value, the mean of the middle two when their number is even.
func Median(xs []float64) (float64, bool) {
	s, ok := sorted(xs)
	if !ok {
		return 0, false
	}
	return present(middle(s))
}

// MAD gives the median of the absolute deviations from the median, as it is: it is not multiplied by 1.4826, the factor
// that makes it estimate the standard deviation of normal values.
func MAD(xs []float64) (float64, bool) {
	s, _ := sorted(xs)
	_, mad, ok := MedianMADSorted(s)
	return mad, ok
}

// MedianMADSorted gives median and MAD of values that are sorted and finite already, for callers that slide over a long
// series. It neither checks nor copies nor changes them.
func MedianMADSorted(s []float64) (median, mad float64, ok bool) {
	if len(s) == 0 {
		return 0, 0, false
	}
	median = middle(s)
	// The deviations grow from the median outwards on both sides, so they come in order by taking the nearer end.
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

// Interval is a confidence interval of a median.
type Interval struct {
	Low, High float64
	// Confidence that was reached. Order statistics come in steps, so it is usually above the one that was asked for.
	Confidence float64
}

// MedianInterval gives the narrowest interval between the k-th smallest and the k-th largest value that holds the
// population's median with at least the given confidence (between 0 and 1). It assumes nothing of the distribution
// (David and Nagaraja, Order Statistics, section 7.1). It is absent when even the smallest and the largest value do not
// reach the confidence: 95 % takes 6 values, 99 % takes 8.
func MedianInterval(xs []float64, confidence float64) (Interval, bool) {
	if !(confidence > 0 && confidence < 1) {
		return Interval{}, false
	}
	s, ok := sorted(xs)
	if !ok {
		return Interval{}, false
	}
	n := len(s)
	// Each tail is the chance that fewer than k of n values lie below the median: a binomial with p = 1/2.
	coins := distuv.Binomial{N: float64(n), P: 0.5}
	coverage := func(k int) float64 { return 1 - 2*coins.CDF(float64(k-1)) }
	// The coverage falls with k: find the largest k that still reaches the confidence.
	low := sort.Search(n/2, func(k int) bool { return coverage(k+1) < confidence })
	if low == 0 {
		return Interval{}, false
	}
	return Interval{Low: s[low-1], High: s[n-low], Confidence: coverage(low)}, true
}
