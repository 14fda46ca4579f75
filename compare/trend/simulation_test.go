package trend

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// noise is a kind of noise, in points.
type noise struct {
	name string
	make func(rng *rand.Rand) func() float64
}

func student(r *rand.Rand) float64 {
	x, s := r.NormFloat64(), 0.0
	for range 3 {
		y := r.NormFloat64()
		s += y * y
	}
	return x / math.Sqrt(s/3) / math.Sqrt(3)
}

func normal(s float64) noise {
	return noise{fmt.Sprint("normal ", s), func(r *rand.Rand) func() float64 { return func() float64 { return s * r.NormFloat64() } }}
}
func students(s float64) noise {
	return noise{fmt.Sprint("student ", s), func(r *rand.Rand) func() float64 { return func() float64 { return s * student(r) } }}
}
func outliers(s float64) noise {
	return noise{fmt.Sprint("outliers ", s), func(r *rand.Rand) func() float64 {
		return func() float64 {
			x := s * r.NormFloat64()
			if r.Float64() < 0.05 {
				x -= 15 * r.Float64()
			}
			return x
		}
	}}
}
func auto(s float64) noise {
	return noise{fmt.Sprint("ar ", s), func(r *rand.Rand) func() float64 {
		x := s * r.NormFloat64()
		return func() float64 { x = 0.7*x + s*math.Sqrt(0.51)*r.NormFloat64(); return x }
	}}
}

// mixed gives each kernel a spread of its own, and each tenth an outlier in four runs.
func mixed(s float64) noise {
	return noise{fmt.Sprint("mixed ", s), func(r *rand.Rand) func() float64 {
		own := s * math.Exp(0.8*r.NormFloat64())
		rate := 0.0
		if r.Float64() < 0.1 {
			rate = 0.25
		}
		return func() float64 {
			x := own * r.NormFloat64()
			if r.Float64() < rate {
				x -= 10
			}
			return x
		}
	}}
}

// histories makes kernels of which the first ones fall.
func histories(rng *rand.Rand, n noise, kernels, runs, at, fallen int, drop float64) [][]Point {
	all := make([][]Point, kernels)
	for k := range all {
		next, base := n.make(rng), 45+45*rng.Float64()
		for i := range runs {
			v := base + next()
			if k < fallen && i >= at {
				v -= drop
			}
			all[k] = append(all[k], Point{Run: i, Value: math.Round(10*min(100, max(0, v))) / 10})
		}
	}
	return all
}

// simulate is how many histories of each kind the long run makes: go test ./compare/trend -run Simulated -simulate 40 -v
var simulate = flag.Int("simulate", 0, "histories of each kind; 0 makes a few, and looks for gross faults only")

// TestSimulatedFalse holds the budget: checks that are red for nothing, in all kinds of noise.
func TestSimulatedFalse(t *testing.T) {
	for _, n := range []noise{normal(0.5), normal(2), normal(5), students(2), outliers(0.5), auto(2), mixed(1)} {
		for _, kernels := range []int{1, 5, 20, 200} {
			for _, runs := range []int{30, 70} {
				rng, sum := rngOf(1, kernels), Backtest{}
				many := *simulate * max(1, 20/kernels)
				if *simulate == 0 {
					if kernels != 20 {
						continue
					}
					many = 2
				}
				for range many {
					r, err := PointsGate().Replay(histories(rng, n, kernels, runs, runs, 0, 0))
					if err != nil {
						t.Fatal(err)
					}
					sum = sum.Plus(r.Tally())
				}
				t.Logf("%-12s %3d kernels, %d runs: %.2f %% of %d checks opened a finding, %.2f %% were red", n.name, kernels,
					runs, sum.Rate(), sum.Checks, 100*float64(sum.Red)/float64(sum.Checks))
				allowed := 0.02*float64(sum.Checks) + 2
				if strings.HasPrefix(n.name, "mixed") || strings.HasPrefix(n.name, "ar") {
					allowed = 0.05*float64(sum.Checks) + 2
				}
				if float64(sum.Opened) > allowed {
					t.Errorf("%s, %d kernels: %d of %d checks opened a finding for nothing", n.name, kernels, sum.Opened,
						sum.Checks)
				}
			}
		}
	}
}

// TestSimulatedPower holds how soon drops are found.
func TestSimulatedPower(t *testing.T) {
	for _, c := range []struct {
		noise
		drop   float64
		within int     // runs
		want   float64 // share that is found by then
	}{
		{normal(1), 20, 2, 0.99}, {normal(0.5), 2, 10, 0.95}, {normal(2), 5, 10, 0.9}, {normal(2), 10, 10, 0.99},
		{normal(5), 20, 10, 0.95}, {students(2), 5, 10, 0}, {outliers(0.5), 5, 10, 0}, {outliers(0.5), 2, 10, 0},
		{auto(2), 10, 10, 0},
	} {
		for _, kernels := range []int{20, 200} {
			const at = 50
			rng, many := rngOf(2, kernels), *simulate*200/kernels/5
			if *simulate == 0 {
				if kernels != 20 || c.want == 0 {
					continue
				}
				many = 5
			}
			fallen := max(1, kernels/20)
			var delays [reach + 1]int
			for range many {
				r, err := PointsGate().Replay(histories(rng, c.noise, kernels, at+reach, at, fallen, c.drop))
				if err != nil {
					t.Fatal(err)
				}
				for k := range fallen {
					for _, f := range r.Series[k].Findings {
						if f.Opened >= at {
							delays[f.Opened-at+1]++
							break
						}
					}
				}
			}
			total, found := float64(many*fallen), 0
			text := ""
			for runs, n := range delays {
				if found += n; runs > 0 {
					text += fmt.Sprintf(" %3.0f", 100*float64(found)/total)
				}
			}
			t.Logf("%-12s drop of %2.0f, %3d kernels: %% found by run 1..10:%s", c.name, c.drop, kernels, text)
			sum := 0
			for _, n := range delays[:c.within+1] {
				sum += n
			}
			if float64(sum) < c.want*total-0.5-math.Sqrt(total*c.want*(1-c.want)) {
				t.Errorf("%s: a drop of %v points is found by run %d in %d of %v cases", c.name, c.drop, c.within, sum, total)
			}
		}
	}
}

// A drop of sixty spreads is found with a short history, too, in one kernel and in all. Until it is, its runs are alarms.
func TestSimulatedShort(t *testing.T) {
	const at, many = 9, 20
	for _, kernels := range []int{1, 5, 12, 40} {
		for _, fallen := range []int{1, kernels} {
			rng := rngOf(9, kernels)
			for range many {
				h := histories(rng, normal(0.15), kernels, at+4, at, fallen, 9)
				for runs := at + 2; runs <= at+4; runs++ {
					cut := make([][]Point, kernels)
					for k := range h {
						cut[k] = h[k][:runs]
					}
					r, err := PointsGate().Replay(cut)
					if err != nil {
						t.Fatal(err)
					}
					o := r.Series[0].Verdict.Outcome
					if o != Regression && (o != Alarm || runs == at+4) {
						t.Errorf("%d of %d kernels fell by 9 points: the first is %s in run %d after the drop", fallen, kernels, o,
							runs-at)
					}
				}
			}
		}
	}
}
