package rundiff

import (
	"math/rand/v2"
	"testing"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Kernels that did not change are red for nothing in at most 5 of 100 diffs, however many there are, and a drop of 10
// points at a noise of 2 is found with 4 runs a side.
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
			d := &Result{Options: DefaultOptions(), rows: make([]kept, kernels)}
			rows, all := make([]Row, kernels), []evidence(nil)
			for i := range rows {
				drop := 0.0
				if i == 0 {
					drop = 10
				}
				p := groupPair{&group{measured: runs(4, 0)}, &group{measured: runs(4, drop)}}
				rows[i] = d.row(p)
				all = append(all, d.evidence(i, &rows[i], p)...)
			}
			d.stepDown(all)
			for i := range rows {
				if d.rows[i].tell(&rows[i]); rows[i].Measured.fell(2) && i == 0 {
					found++
				} else if rows[i].Measured.fell(2) {
					red++
					break
				}
			}
		}
		n := float64(diffs * 20 / max(20, kernels))
		t.Logf("%d kernels: %.1f %% red for nothing, %.1f %% found", kernels, 100*float64(red)/n, 100*float64(found)/n)
		if float64(red) > 0.05*n || float64(found) < 0.9*n && kernels > 1 {
			t.Errorf("%d kernels: of %.0f diffs %d red for nothing, %d found", kernels, n, red, found)
		}
	}
}

// One run a side is judged where a history knows the spread, and else cannot be told.
func TestNoiseOfAHistory(t *testing.T) {
	for _, c := range []struct {
		why    string
		spread float64 // 0 for none
		drop   float64
		want   bool
	}{
		{"nothing is known of the noise", 0, 30, false},
		{"3 points at a spread of 2 are noise", 2, 3, false},
		{"30 are not", 2, 30, true},
	} {
		opt := DefaultOptions()
		if c.spread > 0 {
			opt.Noise = func(*Row) (loaded, measured unit.Opt[stat.Variance]) {
				return loaded, unit.Some(stat.Variance{Value: c.spread * c.spread, Freedom: 20})
			}
		}
		d := &Result{Options: opt, rows: make([]kept, 1)}
		p := groupPair{&group{measured: []float64{80}}, &group{measured: []float64{80 - c.drop}}}
		row := d.row(p)
		d.stepDown(d.evidence(0, &row, p))
		d.rows[0].tell(&row)
		if got := row.Measured.Significant.Or(false); got != c.want {
			t.Errorf("%s: significant is %v", c.why, got)
		}
	}
}
