package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Pearson gives the linear correlation of pairs. It is absent below two pairs, and when all values of a side are equal:
// what does not vary correlates with nothing.
func Pearson(xs, ys []float64) (float64, bool) {
	if len(xs) != len(ys) || len(xs) < 2 || !finite(xs) || !finite(ys) || constant(xs) || constant(ys) {
		return 0, false
	}
	r, ok := present(stat.Correlation(xs, ys, nil))
	// Rounding may leave 1.0000000000000002.
	return min(1, max(-1, r)), ok
}

// Spearman gives the rank correlation of pairs: Pearson's correlation of their ranks, ties having their average rank.
func Spearman(xs, ys []float64) (float64, bool) {
	if len(xs) != len(ys) || !finite(xs) || !finite(ys) {
		return 0, false
	}
	return Pearson(ranks(xs), ranks(ys))
}

// constant says whether all values are equal. A variance of exactly zero would not do: the mean of equal values may
// differ from them in the last digit.
func constant(xs []float64) bool { return slices.Min(xs) == slices.Max(xs) }

// sameDigits is how far two results of one calculation may be apart, relative to their size, and still be the same
// value: 90 / (1 - 0.1) and 80 / (1 - 0.2) are 100 and 99.99999999999999.
const sameDigits = 1e-12

// ranks gives each value's rank, from 1; equal values get the average of the ranks that they take up, and so do those
// that binary fractions alone tell apart.
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

// same says whether two values, of which the second is not below the first, are apart by no more than a rounding.
func same(a, b float64) bool {
	return b-a <= sameDigits*max(math.Abs(a), math.Abs(b))
}
