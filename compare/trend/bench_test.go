package trend

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkGolden runs all golden series and parameter sets once. For
// comparison, a pure-Python program with the same sums is at least 20 times
// slower.
func BenchmarkGolden(b *testing.B) {
	g := readGolden(b)
	for b.Loop() {
		for _, s := range g.Series {
			for _, run := range s.Runs {
				if _, err := ChangePoints(s.Values, Params{Window: run.Window, P: run.MaxPValue, Magnitude: run.MinMagnitude}); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// BenchmarkWindow shows how time depends on the window size. The time per point
// must not grow faster than the window, so that the time per window is at most
// quadratic.
func BenchmarkWindow(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 8000)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	for _, w := range []int{25, 50, 100, 200, 400, 800} {
		b.Run(fmt.Sprint(w), func(b *testing.B) {
			for b.Loop() {
				if _, err := ChangePoints(values, Params{Window: w, P: 0.001}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(values)), "ns/point")
		})
	}
}

// BenchmarkHistory processes 1,000 points in one of 1,000 series, as in a large
// history.
func BenchmarkHistory(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 1000)
	for i := range values {
		values[i] = 60 + rng.NormFloat64()
	}
	for b.Loop() {
		if _, err := ChangePoints(values, DefaultParams()); err != nil {
			b.Fatal(err)
		}
	}
}
