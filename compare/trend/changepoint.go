package trend

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// Limits of Params. The upper limit of the window keeps its table (window^2
// numbers) small.
const (
	minWindow = 4
	maxWindow = 1000
)

// Params are the parameters for the change point search. Use DefaultParams: the
// zero value is rejected.
type Params struct {
	Window    int     `json:"window"`    // number of points that are examined together
	P         float64 `json:"p"`         // p must be below this for a change point
	Magnitude float64 `json:"magnitude"` // smallest relative difference of the means (0.05 = 5 %)
	// MinSegment is the smallest number of points between change points. 0 and
	// 1 allow any number, and 3 ignores short spikes. It applies when change
	// points are merged, not during the search, because a search that avoids
	// short segments would move a change to another run.
	MinSegment int `json:"min_segment"`
}

// DefaultParams returns the parameters of Hunter and Otava: window 50, p 0.001,
// any magnitude, any segment length.
func DefaultParams() Params {
	return Params{Window: 50, P: 0.001}
}

// Validate returns an error that states which parameter is wrong and which
// values are possible.
func (p Params) Validate() error {
	switch {
	case p.Window < minWindow || p.Window > maxWindow:
		return fmt.Errorf("a change point window of %d points is not possible; use %d to %d (50 is the default)",
			p.Window, minWindow, maxWindow)
	case !(p.P > 0 && p.P < 1):
		return fmt.Errorf("a p of %v is not possible for change points; use a number between 0 and 1 (0.001 is the "+
			"default)", p.P)
	case !(p.Magnitude >= 0) || math.IsInf(p.Magnitude, 0):
		return fmt.Errorf("a change point magnitude of %v is not possible; use a share from 0, as in 0.05 for 5%%",
			p.Magnitude)
	case p.MinSegment < 0 || p.MinSegment > p.Window/2:
		return fmt.Errorf("a least segment of %d points is not possible; use 0 to half the window (%d)", p.MinSegment,
			p.Window/2)
	}
	return nil
}

// ChangePoint is a place at which a series changed to a new level.
type ChangePoint struct {
	Index int     // index of the new level's first point
	P     float64 // p of a two-sided t-test between the segments before and after

	MeanBefore, MeanAfter float64
	Before, After         int     // number of points in the two segments
	Magnitude             float64 // max(|after/before - 1|, |before/after - 1|)
}

// ChangePoints returns the change points of a series. It searches overlapping
// windows with E-divisive means and a t-test, and merges the results. Hunter
// (Fleming et al., 2023, https://doi.org/10.1145/3578244.3583719) and its
// successor Apache Otava do the same, after Matteson and James (2014). The
// search needs O(n * window) time. A series with fewer than two points has no
// change points.
func ChangePoints(values []float64, params Params) ([]ChangePoint, error) {
	if err := params.Validate(); err != nil {
		return nil, err
	}
	if err := checkValues(values); err != nil {
		return nil, err
	}
	return merge(values, split(values, params), params), nil
}

// firstPassP returns the p for the search within windows. It is larger than the
// final p, because merging lowers the p of real changes.
func firstPassP(p float64) float64 {
	switch {
	case p < 0.05:
		return p * 10
	case p < 0.5:
		return p * 2
	}
	return p
}

// split searches overlapping windows and returns the indices in ascending
// order.
func split(values []float64, params Params) []int {
	search := &search{p: firstPassP(params.P)}
	var found []int
	for start := 0; start < len(values); {
		end := min(start+params.Window, len(values))
		last := 0
		for _, i := range search.window(values[start:end]) {
			last = start + i
			found = append(found, last)
		}
		// The next window starts at the last change, so that no window contains
		// it.
		start = max(last, start+params.Window/2)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// merge removes weak points until all remaining points are significant and
// large enough, and returns these. It first removes points next to a segment
// that is too short (the smallest step first, because p is unreliable for two
// or three points), then the point with the largest p, then the point with the
// smallest magnitude. The neighbors of a removed point are judged again,
// because their segments are longer.
func merge(values []float64, indices []int, params Params) []ChangePoint {
	found := make([]ChangePoint, len(indices))
	for i, index := range indices {
		found[i].Index = index
	}
	for i := range found {
		judge(values, found, i)
	}
	for len(found) > 0 {
		weakest := weakestOf(found, params)
		if weakest < 0 {
			break
		}
		found = slices.Delete(found, weakest, weakest+1)
		// The right neighbor and the point after it are judged again, but not
		// the left neighbor. Hunter and Otava do the same, and the expected
		// results depend on it.
		judge(values, found, weakest)
		judge(values, found, weakest+1)
		if params.MinSegment > 1 { // unlike Hunter and Otava: the previous segment's length must be correct
			judge(values, found, weakest-1)
		}
	}
	return found
}

// weakestOf returns the index of the point to remove next, or -1 if all may
// stay. If p is NaN (two constant segments with equal means), every comparison
// with it fails, so the point is removed.
func weakestOf(points []ChangePoint, params Params) int {
	least, weakest := 0, 0
	short := -1
	for i, c := range points {
		if c.P > points[weakest].P {
			weakest = i
		}
		if c.Magnitude < points[least].Magnitude {
			least = i
		}
		if min(c.Before, c.After) < params.MinSegment && (short < 0 || step(c) < step(points[short])) {
			short = i
		}
	}
	switch {
	case short >= 0:
		return short
	case !(points[weakest].P < params.P):
		return weakest
	case !(points[least].Magnitude > params.Magnitude):
		return least
	}
	return -1
}

// step returns the difference between the means of the two segments.
func step(c ChangePoint) float64 { return math.Abs(c.MeanAfter - c.MeanBefore) }

// judge computes point i from the segments between its neighbors. It ignores an
// index outside the list.
func judge(values []float64, points []ChangePoint, i int) {
	if i < 0 || i >= len(points) {
		return
	}
	from, to := 0, len(values)
	if i > 0 {
		from = points[i-1].Index
	}
	if i+1 < len(points) {
		to = points[i+1].Index
	}
	c := &points[i]
	left, right := describe(values[from:c.Index]), describe(values[c.Index:to])
	*c = ChangePoint{Index: c.Index, P: studentP(left, right), MeanBefore: left.mean,
		MeanAfter: right.mean, Before: left.n, After: right.n, Magnitude: magnitude(left.mean, right.mean)}
}

// search finds the change points in one window after another.
type search struct {
	p float64
	n int // number of values in the window
	// sums[i*(n+1)+j] is the sum of the distances between each of the first i
	// values and each of the first j values.
	sums []float64
}

// candidate is the best place to cut an interval in the window.
type candidate struct {
	start, end, index int // index is 0 if there is no cut
	q                 float64
}

// window returns the change points of a window in ascending order. As long as
// the best cut among all intervals is significant, it cuts there. After a cut,
// only the two new intervals are searched. The other intervals keep their
// candidates.
func (s *search) window(values []float64) []int {
	s.tabulate(values)
	cuts := []candidate{s.best(0, len(values))}
	var found []int
	for {
		next := slices.IndexFunc(cuts, func(c candidate) bool { return c.index > 0 })
		if next < 0 {
			break
		}
		for i, c := range cuts {
			if c.index > 0 && c.q > cuts[next].q {
				next = i
			}
		}
		c := cuts[next]
		p := studentP(describe(values[c.start:c.index]), describe(values[c.index:c.end]))
		if !(p <= s.p) {
			break
		}
		found = append(found, c.index)
		cuts = slices.Replace(cuts, next, next+1, s.best(c.start, c.index), s.best(c.index, c.end))
	}
	slices.Sort(found)
	return found
}

// tabulate computes the sums of distances between the window's values.
func (s *search) tabulate(values []float64) {
	s.n = len(values)
	row := s.n + 1
	s.sums = make([]float64, row*row)
	for i, v := range values {
		sum := 0.0
		for j, w := range values {
			sum += math.Abs(v - w)
			s.sums[(i+1)*row+j+1] = s.sums[i*row+j+1] + sum
		}
	}
}

// between returns the sum of the distances between the values from a to b and
// the values from c to d. The ends b and d are exclusive.
func (s *search) between(a, b, c, d int) float64 {
	first, last := s.sums[a*(s.n+1):], s.sums[b*(s.n+1):]
	return last[d] - last[c] - (first[d] - first[c])
}

// best returns the index t with the largest energy distance between [start, t)
// and [t, k), over all t and all k up to end (Q of Matteson and James with
// alpha = 1):
//
//	Q(X, Y) = 2/(m+n) sum|x-y| - 2m/((m+n)(n-1)) sum|x-x'| - 2n/((m+n)(m-1)) sum|y-y'|   with n = |X|, m = |Y|
//
// Every sum comes from the table, so an interval takes O(length^2) time. With
// integer values, several places can have equal Q. The sums of integers are
// exact, so the last bit decides as in Otava.
func (s *search) best(start, end int) candidate {
	c := candidate{start: start, end: end}
	for t := start + 1; t < end; t++ {
		// If all real cuts have negative distances, Otava cuts at the first
		// place with an empty second part, whose distance is 0. The cut is used
		// only if it is significant.
		if t > start+1 && (c.index == 0 || c.q < 0) {
			c.index, c.q = t, 0
		}
		x, before := float64(t-start), s.between(start, t, start, t)/2
		for k := t + 1; k <= end; k++ {
			y := float64(k - t)
			both := x + y
			q := float64(2 / both * s.between(start, t, t, k))
			if x > 1 {
				q -= float64(2 * y / (both * (x - 1)) * before)
			}
			if y > 1 {
				q -= float64(2 * x / (both * (y - 1)) * s.between(t, k, t, k) / 2)
			}
			if c.index == 0 || q > c.q {
				c.index, c.q = t, q
			}
		}
	}
	return c
}

// segment summarizes a part of a series for the t-test.
type segment struct {
	n              int
	mean, variance float64 // population variance (divisor n)
}

func describe(values []float64) segment {
	mean, variance := stat.PopMeanVariance(values, nil)
	return segment{len(values), mean, variance}
}

// studentP returns the two-sided p of Student's t-test with equal variances.
// Like Hunter and Otava, it uses the population variance instead of the sample
// variance, so short segments look slightly more certain than they are. For a
// total of two points, p is 1. The result is NaN if both segments are constant
// and equal.
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
	// The incomplete beta function is accurate even in the far tail, in which 1
	// - CDF would be 0.
	return mathext.RegIncBeta(free/2, 0.5, free/(free+t*t))
}

// magnitude returns the larger of the two relative changes between two means.
// It is 0 if a mean is zero.
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
