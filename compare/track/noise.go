package track

import (
	"context"
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
)

// A spread is told of 8 runs or more, and of no more than 40: what is older may have been another program.
const leastNoise, mostNoise = 8, 40

// normalMAD makes a MAD estimate the standard deviation of normal values.
const normalMAD = 1.4826

// Scatter says how the values of a series lie about their levels, those between its change points.
type Scatter struct {
	Runs        int     `json:"runs" col:"Runs"`
	Deviation   float64 `json:"deviation" csv:"deviation"` // from the MAD, which outliers do not move
	Correlation float64 `json:"correlation" col:"Correlation of neighbors; kind=number; decimals=2"`
	Outliers    int     `json:"outliers" col:"Farther than 5 deviations"`
}

// Scatter is false with fewer than 8 runs.
func (t *Series) Scatter() (s Scatter, ok bool) {
	points, changes := t.Own(), t.Changes
	if s.Runs = len(points); s.Runs < leastNoise {
		return s, false
	}
	off := make([]float64, len(points))
	for i, p := range points {
		off[i] = p.Value
	}
	level, _ := stat.Median(off)
	if len(changes) > 0 {
		level = changes[0].MeanBefore
	}
	for i := range off {
		if len(changes) > 0 && i == changes[0].Index {
			level, changes = changes[0].MeanAfter, changes[1:]
		}
		off[i] -= level
	}
	mad, _ := stat.MAD(off)
	s.Deviation = normalMAD * mad
	pairs, squares := 0.0, 0.0
	for i, x := range off {
		if math.Abs(x) > 5*s.Deviation {
			s.Outliers++
		}
		x = min(max(x, -3*s.Deviation), 3*s.Deviation)
		if squares += x * x; i > 0 {
			pairs += x * min(max(off[i-1], -3*s.Deviation), 3*s.Deviation)
		}
	}
	if squares > 0 {
		s.Correlation = pairs / squares
	}
	return s, true
}

// Noise gives what a history knows of the spread of a metric, in squared points, by kernel and device, whatever the
// driver and the program: of the series with most runs. A change of level within them counts as spread, so that the
// figure is too large rather than too small. Spreads are shrunk to each other as those of the gate are (docs/gate.md).
func Noise(ctx context.Context, db *history.DB, m history.Metric) (map[history.Key]stat.Variance, error) {
	runs := map[history.Key]int{}
	noise := map[history.Key]stat.Variance{}
	panel, err := db.Panel(ctx, 0, 0, m)
	if err != nil {
		return nil, err
	}
	for i := range panel.Kernels {
		k := &panel.Kernels[i]
		points := slices.DeleteFunc(k.Points(m),
			func(p history.Point) bool { return p.Verdict == string(compare.Unmeasurable) })
		key := k.Key.OnDevice()
		if n := len(points); n < leastNoise || n <= runs[key] {
			continue
		}
		runs[key] = len(points)
		points = points[max(0, len(points)-mostNoise):]
		values := make([]float64, len(points))
		for i, p := range points {
			values[i] = p.Value
		}
		noise[key] = trend.SpreadOf(values)
	}
	all := make([]stat.Variance, 0, len(noise))
	for _, v := range noise {
		all = append(all, v)
	}
	prior := stat.NewPrior(all)
	for key, v := range noise {
		value, freedom := prior.Shrink(v)
		noise[key] = stat.Variance{Value: value, Freedom: freedom}
	}
	return noise, nil
}
