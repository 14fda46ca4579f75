package track

import (
	"context"
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
