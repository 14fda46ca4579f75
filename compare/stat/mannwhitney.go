package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// MinPerSide is the least number of samples per side that a comparison by test
// makes sense for: with three against three the smallest possible p is 2/20 =
// 0.1, with four against four 2/70 = 0.029.
const MinPerSide = 4

// exactWork limits the table of the exact distribution, in additions: about 20
// ms.
const exactWork = 2e7

// Test is the outcome of a two-sided Mann-Whitney U test.
type Test struct {
	U float64 // pairs in which the value of the first sample is larger, ties counting one half
	P float64 // two-sided
}

// MannWhitney tests whether one of two samples tends to larger values than the
// other. If the table of all arrangements is small (always for up to 50 values per
// sample), p is exact, with and without ties. Otherwise, it uses the normal
// approximation with tie and continuity correction. If all values are equal, p is
// 1. The test is absent if a sample is empty or contains NaN.
func MannWhitney(a, b []float64) (Test, bool) {
	if !finite(a) || !finite(b) {
		return Test{}, false
	}
	ranks := ranks(slices.Concat(a, b))
	n1, n2 := len(a), len(b)
	k, n := float64(min(n1, n2)), float64(n1+n2)
	t := Test{U: floats.Sum(ranks[:n1]) - float64(n1*(n1+1))/2}
	switch {
	case constant(ranks):
		t.P = 1
	case k*k*n*n/2 <= exactWork:
		t.P = exactP(ranks, n1, n2, t.U)
	default:
		t.P = normalP(ranks, n1, n2, t.U)
	}
	return t, true
}

// exactP returns P(|U - mean| >= |u - mean|) over all ways to deal the ranks to
// the two samples, ties included.
//
// Note: go-moremath is right without ties only. It doubles the lower tail at
// min(U1, U2), but with ties the distribution of U is not symmetric, so that p
// depends on which sample is called the first and can exceed 1.
func exactP(ranks []float64, n1, n2 int, u float64) float64 {
	k := min(n1, n2)
	// Twice the rank is a whole number. ways[j][s] counts the choices of j
	// ranks whose doubled sum is s.
	doubled := make([]int, len(ranks))
	for i, r := range ranks {
		doubled[i] = int(2 * r)
	}
	slices.Sort(doubled) // ascending, so that the sums that are reached grow late
	ways := countWays(doubled, k)
	// Doubled U of the smaller side is s - k(k+1), its mean n1*n2. Both are
	// whole, so the comparison is exact.
	distance := math.Abs(2*u - float64(n1*n2))
	extreme, total := 0.0, 0.0
	for s, w := range ways {
		total += w
		if math.Abs(float64(s-k*(k+1)-n1*n2)) >= distance {
			extreme += w
		}
	}
	return math.Min(1, extreme/total)
}

// countWays returns, for each sum, the number of ways to choose k of the
// values, which are in ascending order.
func countWays(values []int, k int) []float64 {
	ways := make([][]float64, k+1)
	tops := make([]int, k+1) // largest sum of j values so far
	top := 0
	for j := range ways {
		if j > 0 {
			top += values[len(values)-j]
		}
		ways[j] = make([]float64, top+1)
	}
	ways[0][0] = 1
	for i, v := range values {
		for j := min(i+1, k); j >= 1; j-- {
			from, to := ways[j-1][:tops[j-1]+1], ways[j]
			for s, w := range from {
				to[s+v] += w
			}
			tops[j] = max(tops[j], tops[j-1]+v)
		}
	}
	return ways[k]
}

// normalP returns the two-sided p by the normal approximation, corrected for
// ties and for continuity.
func normalP(ranks []float64, n1, n2 int, u float64) float64 {
	// The variance of U is n1*n2/(n*(n-1)) times the sum of the squared
	// deviations of the ranks: ties are in it.
	n, mean := float64(n1+n2), float64(n1+n2+1)/2
	squares := 0.0
	for _, r := range ranks {
		squares += (r - mean) * (r - mean)
	}
	sigma := math.Sqrt(float64(n1) * float64(n2) / (n * (n - 1)) * squares)
	distance := math.Max(0, math.Abs(u-float64(n1)*float64(n2)/2)-0.5)
	return math.Erfc(distance / sigma / math.Sqrt2)
}
