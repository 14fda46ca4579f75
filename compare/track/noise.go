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

// Noise gives what a history knows of the spread of a metric, in squared points, by kernel and device, whatever the
// driver and the program: of the series with most runs. A change of level within them counts as spread, so that the
// figure is too large rather than too small. Spreads are shrunk to each other as those of the gate are (docs/gate.md).
func Noise(ctx context.Context, db *history.DB, m history.Metric) (map[history.Key]stat.Variance, error) {
	runs := map[history.Key]int{}
	noise := map[history.Key]stat.Variance{}
	err := db.EachSeries(ctx, m, func(s history.Series) error {
		points := slices.DeleteFunc(s.Points,
			func(p history.Point) bool { return p.Verdict == string(compare.Unmeasurable) })
		key := s.Key.OnDevice()
		if n := len(points); n < leastNoise || n <= runs[key] {
			return nil
		}
		runs[key] = len(points)
		points = points[max(0, len(points)-mostNoise):]
		values := make([]float64, len(points))
		for i, p := range points {
			values[i] = p.Value
		}
		noise[key] = trend.SpreadOf(values)
		return nil
	})
	all := make([]stat.Variance, 0, len(noise))
	for _, v := range noise {
		all = append(all, v)
	}
	prior := stat.NewPrior(all)
	for key, v := range noise {
		value, freedom := prior.Shrink(v)
		noise[key] = stat.Variance{Value: value, Freedom: freedom}
	}
	return noise, err
}
