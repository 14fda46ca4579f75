package trend

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mathext"
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
	Index int       // index of the new level's first point
	Time  time.Time // time of that point
	P     float64   // p of a two-sided t-test between the segments before and after

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
func ChangePoints(points []Point, params Params) ([]ChangePoint, error) {
	if err := params.Validate(); err != nil {
		return nil, err
	}
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	return merge(points, split(valuesOf(points), params), params), nil
}

func valuesOf(points []Point) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	return values
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
func merge(points []Point, indices []int, params Params) []ChangePoint {
	values, found := valuesOf(points), make([]ChangePoint, len(indices))
	for i, index := range indices {
		found[i] = ChangePoint{Index: index, Time: points[index].Time}
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
	*c = ChangePoint{Index: c.Index, Time: c.Time, P: studentP(left, right), MeanBefore: left.mean,
		MeanAfter: right.mean,
		Before:    left.n, After: right.n, Magnitude: magnitude(left.mean, right.mean)}
}

// search finds the change points in one window after another, and reuses its
// tables.
type search struct {
	p      float64
	values []float64
	// rows[t*n+k] is the sum over t < j <= k of |v[t]-v[j]|. columns[t] is the
	// sum over i < t of |v[i]-v[t]|.
	rows, columns []float64
	within        []float64 // sums of rows, from the bottom, for the current interval
	across        []float64 // sums of rows, from the top
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
		next := -1
		for i, c := range cuts {
			if c.index > 0 && (next < 0 || c.q > cuts[next].q) {
				next = i
			}
		}
		if next < 0 {
			break
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
	n := len(values)
	s.values = values
	s.rows = slices.Grow(s.rows[:0], n*n)[:n*n]
	s.within = slices.Grow(s.within[:0], n*n)[:n*n]
	s.columns = slices.Grow(s.columns[:0], n)[:n]
	s.across = slices.Grow(s.across[:0], n)[:n]
	clear(s.columns)
	for t, v := range values {
		row := s.rows[t*n : t*n+n]
		sum := 0.0
		for j := t + 1; j < n; j++ {
			d := math.Abs(values[j] - v)
			sum += d
			row[j] = sum
			s.columns[j] += d
		}
	}
}

// best returns the index t with the largest energy distance between [start, t)
// and [t, end'), over all t and all end' up to end (Q of Matteson and James
// with alpha = 1):
//
//	Q(X, Y) = 2/(m+n) sum|x-y| - 2m/((m+n)(n-1)) sum|x-x'| - 2n/((m+n)(m-1)) sum|y-y'|   with n = |X|, m = |Y|
//
// Every sum is computed from the previous sum, so an interval takes O(length^2)
// time. Additions have the same order as in Otava's matrices. The order
// matters, because with integer values several places can have equal Q, and
// then the last bit decides.
func (s *search) best(start, end int) candidate {
	c := candidate{start: start, end: end}
	if end-start < 2 {
		return c
	}
	s.sumBelow(start, end)
	n := len(s.values)
	across := s.across[start:end]
	clear(across)
	before := 0.0 // sum of the distances within [start, t)
	for t := start + 1; t < end; t++ {
		above := s.rows[(t-1)*n : t*n]
		for k := t; k < end; k++ {
			across[k-start] += above[k]
		}
		if t > start+1 {
			before += s.column(start, t-1)
		}
		s.row(&c, t, before)
	}
	return c
}

// row compares all ends of the second part for a cut at t.
func (s *search) row(c *candidate, t int, before float64) {
	n := len(s.values)
	x := float64(t - c.start)
	within := s.within[t*n : t*n+n]
	// If the table has no entry (an end before t), its value 0 is also
	// compared: if all real cuts have negative distances, Otava cuts at the
	// first such place. The cut is used only if it is significant.
	if t > c.start+1 && (c.index == 0 || 0 > c.q) {
		c.index, c.q = t, 0
	}
	for k := t; k < c.end; k++ {
		y := float64(k + 1 - t)
		both := x + y
		q := float64(2 / both * (s.across[k] - before))
		if x > 1 {
			q -= float64(2 * y / (both * (x - 1)) * before)
		}
		if y > 1 {
			q -= float64(2 * x / (both * (y - 1)) * within[k])
		}
		if c.index == 0 || q > c.q {
			c.index, c.q = t, q
		}
	}
}

// sumBelow sets within[t][k] to the sum of distances within [t, k], by adding
// rows from the bottom.
func (s *search) sumBelow(start, end int) {
	n := len(s.values)
	clear(s.within[(end-1)*n : (end-1)*n+end])
	for t := end - 2; t > start; t-- {
		row, below, sum := s.rows[t*n:t*n+end], s.within[(t+1)*n:(t+1)*n+end], s.within[t*n:t*n+end]
		sum[t] = 0
		for k := t + 1; k < end; k++ {
			sum[k] = below[k] + row[k]
		}
	}
}

// column returns the sum over start <= i < t of |v[i]-v[t]|.
func (s *search) column(start, t int) float64 {
	skipped := 0.0
	for _, v := range s.values[:start] {
		skipped += math.Abs(s.values[t] - v)
	}
	return s.columns[t] - skipped
}

// segment summarizes a part of a series for the t-test.
type segment struct {
	n              int
	mean, variance float64 // population variance (divisor n)
}

// describe returns the summary of a segment. It uses two passes, so that the
// last digits are correct.
func describe(values []float64) segment {
	s := segment{n: len(values)}
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
