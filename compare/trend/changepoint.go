package trend

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Bounds of Params. The window's upper one keeps the table of a window (window^2 numbers) small.
const (
	minWindow = 4
	maxWindow = 1000
)

// Params steer the search for change points. Use DefaultParams: the zero value is refused.
type Params struct {
	Window    int     `json:"window"`    // points that are looked at together
	P         float64 `json:"p"`         // a change point has a p below this
	Magnitude float64 `json:"magnitude"` // and the means differ by more than this share (0.05 = 5 %)
	// MinSegment is the least number of points between change points; 0 and 1 allow any. 3 ignores short spikes. Points
	// are found without regard to it and dropped when merging: keeping the search away from short segments would move a
	// change to a run where nothing happened.
	MinSegment int `json:"min_segment"`
}

// DefaultParams are the ones of Hunter and Otava: window 50, p 0.001, any magnitude, any segment.
func DefaultParams() Params {
	return Params{Window: 50, P: 0.001}
}

// Levels is the least number of points of a level that people are shown: of single outliers each makes two change
// points otherwise.
const Levels = 3

// Validate says what is wrong with the parameters and what would be right.
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

// ChangePoint is a place where a series settled on a new level.
type ChangePoint struct {
	Index int       // of the first point of the new level
	Time  time.Time // of that point
	P     float64   // Student's t, two-sided, of the segment before against the segment after

	MeanBefore, MeanAfter float64
	Before, After         int     // points in the two segments
	Magnitude             float64 // max(|after/before - 1|, |before/after - 1|)
}

// ChangePoints finds the change points of a series: E-divisive means with a t-test in overlapping windows, then
// merging, as Hunter (Fleming et al., 2023, https://doi.org/10.1145/3578244.3583719) and its successor Apache Otava do
// it, after Matteson and James (2014). It takes O(n * window) time. A series of fewer than two points has none.
func ChangePoints(points []Point, params Params) ([]ChangePoint, error) {
	if err := params.Validate(); err != nil {
		return nil, err
	}
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	return merged(points, split(valuesOf(points), params), params), nil
}

// Lasting gives the change points that are left when those beside a segment of fewer than so many points are dropped.
func Lasting(points []Point, found []ChangePoint, params Params, least int) []ChangePoint {
	indices := make([]int, len(found))
	for i, c := range found {
		indices[i] = c.Index
	}
	params.MinSegment = least
	return merged(points, indices, params)
}

func valuesOf(points []Point) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	return values
}

func merged(points []Point, indices []int, params Params) []ChangePoint {
	found := merge(valuesOf(points), indices, params)
	for i := range found {
		found[i].Time = points[found[i].Index].Time
	}
	return found
}

// firstPassP is the p of the search within windows: laxer, since merging strengthens what is real.
func firstPassP(p float64) float64 {
	switch {
	case p < 0.05:
		return p * 10
	case p < 0.5:
		return p * 2
	}
	return p
}

// split searches overlapping windows and gives the indices found, ascending.
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
		// A window begins at the last change, so that the next one is not searched across it.
		start = max(last, start+params.Window/2)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// merge drops weak points until all that are left are significant and large enough: first those beside too short a
// segment (the smallest step first, since p says little of two or three points), then the one with the largest p of
// all, then the one with the least magnitude. What remains beside a dropped point is judged anew, over a longer
// segment.
func merge(values []float64, indices []int, params Params) []ChangePoint {
	points := make([]ChangePoint, len(indices))
	for i, index := range indices {
		points[i].Index = index
	}
	for i := range points {
		judge(values, points, i)
	}
	for len(points) > 0 {
		weakest := weakestOf(points, params)
		if weakest < 0 {
			break
		}
		points = slices.Delete(points, weakest, weakest+1)
		// Note: the neighbors to the right and the one after it are judged anew, the left one is not. This is what
		// Hunter and Otava do, and the expected results depend on it.
		judge(values, points, weakest)
		judge(values, points, weakest+1)
		if params.MinSegment > 1 { // not theirs: the length of the segment before must be true
			judge(values, points, weakest-1)
		}
	}
	return points
}

// weakestOf gives the point to drop next, -1 when all may stay. Comparisons are such that a p of NaN (two constant
// segments of equal mean) is never good enough.
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

// step gives how far the means are apart.
func step(c ChangePoint) float64 { return math.Abs(c.MeanAfter - c.MeanBefore) }

// judge computes point i between its neighbors; an i outside the list is none of them.
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
	*c = ChangePoint{Index: c.Index, P: studentP(left, right), MeanBefore: left.mean, MeanAfter: right.mean,
		Before: left.n, After: right.n, Magnitude: magnitude(left.mean, right.mean)}
}
