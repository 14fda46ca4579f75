package diff

import (
	"math/rand/v2"
	"testing"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// TestKernelsAreJudgedTogether checks that unchanged kernels cause a false
// alarm in at most 5 of 100 diffs, for any number of kernels. It also checks
// that a drop of 10 points at a noise of 2 points is found with 4 runs per
// side.
func TestKernelsAreJudgedTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	runs := func(n int, drop float64) (xs []float64) {
		for range n {
			xs = append(xs, 80-drop+2*rng.NormFloat64())
		}
		return xs
	}
	for _, kernels := range []int{1, 20, 200} {
		const diffs = 400
		red, found := 0, 0
		for range diffs * 20 / max(20, kernels) {
			d := &Result{Options: DefaultOptions()}
			for i := range kernels {
				drop := 0.0
				if i == 0 {
					drop = 10
				}
				d.Rows = append(d.Rows, rowOf([2]*samples{sampled(runs(4, 0)), sampled(runs(4, drop))}))
				d.Rows[i].IsKernel = true
			}
			d.stepDown()
			for i := range d.Rows {
				m := d.Rows[i].Measured()
				if m.Limit = unit.Some[unit.Points](2); m.Moved() < 0 && i == 0 {
					found++
				} else if m.Moved() < 0 {
					red++
					break
				}
			}
		}
		n := float64(diffs * 20 / max(20, kernels))
		t.Logf("%d kernels: %.1f%% red for nothing, %.1f%% found", kernels, 100*float64(red)/n, 100*float64(found)/n)
		if float64(red) > 0.05*n || float64(found) < 0.9*n && kernels > 1 {
			t.Errorf("%d kernels: of %.0f diffs %d red for nothing, %d found", kernels, n, red, found)
		}
	}
}

// TestNoiseOfAHistory checks one run per side. The change is judged if a
// history contains the noise. Otherwise, it is inconclusive.
func TestNoiseOfAHistory(t *testing.T) {
	for _, c := range []struct {
		why    string
		spread float64 // noise in the history; 0 if unknown
		drop   float64
		want   bool
	}{
		{"nothing is known of the noise", 0, 30, false},
		{"3 points at a spread of 2 are noise", 2, 3, false},
		{"30 are not", 2, 30, true},
	} {
		opt := DefaultOptions()
		if c.spread > 0 {
			opt.Noise = func(*Row, string) (stat.Variance, bool) {
				return stat.Variance{Value: c.spread * c.spread, Freedom: 20}, true
			}
		}
		d := &Result{Options: opt}
		d.Rows = []Row{rowOf([2]*samples{sampled([]float64{80}), sampled([]float64{80 - c.drop})})}
		d.stepDown()
		if got := d.Rows[0].Measured().Significant.Or(false); got != c.want {
			t.Errorf("%s: significant is %v", c.why, got)
		}
	}
}

// sampled returns samples that contain only measured occupancy.
func sampled(measured []float64) *samples {
	s := &samples{values: make([][]float64, len(compare.Metrics))}
	s.values[compare.MetricNamed(compare.MetricMeasured)] = measured
	return s
}

// TestLimits checks the smallest change that counts. With a test, it is the
// threshold, or three times the threshold for busy occupancy if launches may be
// short. Without a test, the change must exceed the difference between single
// runs.
func TestLimits(t *testing.T) {
	idle := func(x *k) { x.idle = 10 }
	for _, c := range []struct {
		why              string
		runs             []*compare.Result
		threshold        unit.Points
		noise            bool // a history knows the noise
		measured, loaded unit.Points
	}{
		{"one run", runs(fan2(idle), 60), 2, false, 9, 9},
		{"one run and a threshold that only triples above 9", runs(fan2(idle), 60), 5, false, 9, 15},
		{"one run and a threshold above 9", runs(fan2(idle), 60), 10, false, 10, 30},
		{"one run with known noise, which is a test", runs(fan2(idle), 60), 2, true, 2, 6},
		{"four runs", runs(fan2(idle), 60, 61, 62, 63), 2, false, 2, 6},
		{"four runs and a threshold of zero", runs(fan2(idle), 60, 61, 62, 63), 0, false, 0, 0},
		{"four runs, read around each launch", exact(runs(fan2(idle), 60, 61, 62, 63)), 2, false, 2, 2},
	} {
		opt := Options{Threshold: c.threshold}
		if c.noise {
			opt.Noise = func(*Row, string) (stat.Variance, bool) { return stat.Variance{Value: 1, Freedom: 20}, true }
		}
		row := &compareTwo(c.runs, c.runs, opt).Rows[0]
		if row.Measured().Limit != unit.Some(c.measured) || row.busy().Limit != unit.Some(c.loaded) || row.time().Limit.Present() {
			t.Errorf("%s: %v, %v; want %v, %v", c.why, row.Measured().Limit, row.busy().Limit, c.measured, c.loaded)
		}
	}
}

// exact sets that the counters of the runs were read around each launch.
func exact(list []*compare.Result) []*compare.Result {
	for _, r := range list {
		r.Rows[0].Certainty.Exact = true
	}
	return list
}
