package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// MinPerSide is the smallest number of samples per side for a useful test. With
// three against three, the smallest possible p is 2/20 = 0.1, which is never
// significant. With four against four, it is 2/70 = 0.029.
const MinPerSide = 4

// exactWork limits the size of the exact distribution's table, in additions. A
// table at the limit takes about 20 ms.
const exactWork = 2e7

// Test is the result of a two-sided Mann-Whitney U test.
type Test struct {
	U float64 // number of pairs in which the first sample's value is larger; ties count as one half
	P float64 // two-sided p
}

// MannWhitney tests whether one of two samples tends to larger values. If the
// table of all arrangements is small, p is exact, with and without ties. For up
// to 50 values per sample, the table is always small. Otherwise, p comes from
// the normal approximation with tie and continuity corrections. If all values
// are equal, p is 1. ok is false if a sample is empty or contains NaN.
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

// exactP returns P(|U - mean| >= |u - mean|) over all ways to assign the ranks
// to the two samples, including ties.
//
// Note: go-moremath is correct only without ties, because it doubles the lower
// tail at min(U1, U2). With ties, the distribution of U is not symmetric, so
// its p depends on the order of the samples and may exceed 1.
func exactP(ranks []float64, n1, n2 int, u float64) float64 {
	k := min(n1, n2)
	// Twice a rank is an integer. ways[j][s] counts the choices with j ranks
	// whose doubled sum is s.
	doubled := make([]int, len(ranks))
	for i, r := range ranks {
		doubled[i] = int(2 * r)
	}
	slices.Sort(doubled) // in ascending order, so that the largest reachable sum grows as late as possible
	ways := countWays(doubled, k)
	// For the smaller sample, twice U is s - k(k+1), and its mean is n1*n2.
	// Both are integers, so the comparison is exact.
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

// countWays returns, for each sum, the number of ways to choose k values with
// that sum. The values must be in ascending order.
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
	// U's variance is n1*n2/(n*(n-1)) times the sum of the ranks' squared
	// deviations, which includes the correction for ties.
	n, mean := float64(n1+n2), float64(n1+n2+1)/2
	squares := 0.0
	for _, r := range ranks {
		squares += (r - mean) * (r - mean)
	}
	sigma := math.Sqrt(float64(n1) * float64(n2) / (n * (n - 1)) * squares)
	distance := math.Max(0, math.Abs(u-float64(n1)*float64(n2)/2)-0.5)
	return math.Erfc(distance / sigma / math.Sqrt2)
}
