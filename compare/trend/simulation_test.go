package trend

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noises are the five kinds of noise on an occupancy of 80 %, in points.
var noises = []struct {
	name string
	make func(rng *rand.Rand) func() float64
}{
	{"quiet", func(rng *rand.Rand) func() float64 {
		return func() float64 { return 0.1 * rng.NormFloat64() }
	}},
	{"1 %", func(rng *rand.Rand) func() float64 {
		return func() float64 { return 0.8 * rng.NormFloat64() }
	}},
	{"outliers", func(rng *rand.Rand) func() float64 { // 5 % of the runs are 5 to 25 points too low
		return func() float64 {
			if rng.Float64() < 0.05 {
				return -5 - 20*rng.Float64()
			}
			return 0.8 * rng.NormFloat64()
		}
	}},
	{"autocorrelated", func(rng *rand.Rand) func() float64 { // AR(1), 0.7 from run to run, 2 % over time
		last := 1.6 * rng.NormFloat64()
		return func() float64 {
			last = 0.7*last + 1.6*math.Sqrt(1-0.7*0.7)*rng.NormFloat64()
			return last
		}
	}},
	{"two machines", func(rng *rand.Rand) func() float64 { // at random one of two, 2 % apart
		return func() float64 {
			x := 0.4 * rng.NormFloat64()
			if rng.Float64() < 0.5 {
				x -= 1.6
			}
			return x
		}
	}},
}

// history makes runs with a drop (a share of the level) from run `at` on.
func history(rng *rand.Rand, kind int, runs, at int, drop float64) []Point {
	noise := noises[kind].make(rng)
	values := make([]float64, runs)
	for i := range values {
		level := 80.0
		if i >= at {
			level *= 1 - drop
		}
		values[i] = level + noise()
	}
	return pointsOf(values...)
}

// TestSimulatedFalseAlarms holds the promise that an alarm is worth reading: at most one false alarm per 100 runs.
func TestSimulatedFalseAlarms(t *testing.T) {
	const histories, runs = 200, 208
	for kind, noise := range noises {
		rng := rand.New(rand.NewPCG(2026, uint64(kind)))
		judged, single, confirmed, red := 0, 0, 0, 0
		previous := 0
		for range histories {
			points := history(rng, kind, runs, runs, 0)
			b, err := PointsGate().Backtest(points)
			if err != nil {
				t.Fatal(err)
			}
			judged += b.Runs
			confirmed += b.Regressions()
			for _, e := range b.Episodes {
				single += e.Last - e.First + 1
				red += e.Last - e.First
			}
			// What the gate replaces: 2 % below the previous run.
			for i := 8; i < runs; i++ {
				if points[i].Value < 0.98*points[i-1].Value {
					previous++
				}
			}
		}
		per := func(n int) float64 { return 100 * float64(n) / float64(judged) }
		t.Logf("%-14s per 100 runs: %.2f confirmed (%.2f runs red, %.2f beyond the threshold once); against the previous run with 2 %%: %.1f",
			noise.name, per(confirmed), per(red), per(single), per(previous))
		if per(red) > 1 {
			t.Errorf("%s: %.2f runs of 100 are falsely red, want at most 1.0", noise.name, per(red))
		}
	}
}

// TestSimulatedDetection reports how often a drop is confirmed within 3 and 10 runs of it.
func TestSimulatedDetection(t *testing.T) {
	const histories, before = 1000, 40
	for kind, noise := range noises {
		for _, drop := range []float64{0.03, 0.05, 0.10} {
			rng := rand.New(rand.NewPCG(7, uint64(kind)))
			within3, within10 := 0, 0
			for range histories {
				points := history(rng, kind, before+10, before, drop)
				for i := before; i < before+10; i++ {
					v, err := PointsGate().Judge(points, i)
					if err != nil {
						t.Fatal(err)
					}
					if v.Outcome == Regression {
						within10++
						if i < before+3 {
							within3++
						}
						break
					}
				}
			}
			share := func(n int) float64 { return 100 * float64(n) / histories }
			t.Logf("%-14s drop of %2.0f %% (%.1f points): confirmed within 3 runs %5.1f %%, within 10 runs %5.1f %%",
				noise.name, 100*drop, 80*drop, share(within3), share(within10))
			if drop == 0.10 && share(within10) < 95 {
				t.Errorf("%s: a drop of 10 %% is confirmed within 10 runs in %.1f %% of the histories, want 95", noise.name, share(within10))
			}
		}
	}
}
