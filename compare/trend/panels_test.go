package trend

import (
	"context"
	"fmt"
	"math"
	"occudiff/internal/testenv"
	"strings"
	"testing"
)

// TestPanels compares all results for small panels with a file: the verdicts
// and findings of every series after every fourth run, outliers, change points,
// the power of a gate, and the floor that keeps a budget.
func TestPanels(t *testing.T) {
	var got strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&got, format+"\n", args...) }
	times, exact, up := RelativeGate(), ExactGate(), PointsGate()
	up.Direction = Up
	const runs, kernels = 36, 4
	for seed, c := range []struct {
		reason string
		gate   Gate
		level  float64
		spread float64
		change func(kernel, run int, v float64) float64
	}{
		{"nothing happens", PointsGate(), 60, .5, func(_, _ int, v float64) float64 { return v }},
		{"a kernel falls by 6 spreads for good", PointsGate(), 60, .5, func(k, run int, v float64) float64 { return v - 3*so(k == 0 && run >= 20) }},
		{"by 6 and then by 10 more", PointsGate(), 60, .5, func(k, run int, v float64) float64 {
			return v - 3*so(k == 0 && run >= 16) - 5*so(k == 0 && run >= 26)
		}},
		{"for six runs", PointsGate(), 60, .5, func(k, run int, v float64) float64 { return v - 4*so(k == 1 && run >= 18 && run < 24) }},
		{"again and again", PointsGate(), 60, .5, func(k, run int, v float64) float64 {
			return v - 6*so(k == 1 && run >= 14 && run%8 < 3)
		}},
		{"half of the way back", PointsGate(), 60, .5, func(k, run int, v float64) float64 {
			return v - 8*so(k == 2 && run >= 14) + 5*so(k == 2 && run >= 24)
		}},
		{"all fall in one run", PointsGate(), 60, .5, func(_, run int, v float64) float64 { return v - 5*so(run == 25) }},
		{"all fall for good", PointsGate(), 60, .5, func(_, run int, v float64) float64 { return v - 5*so(run >= 25) }},
		{"a kernel that scatters much", PointsGate(), 60, .5, func(k, run int, v float64) float64 { return v + 8*(v-60)*so(k == 3) }},
		{"a slow drift", PointsGate(), 60, .5, func(k, run int, v float64) float64 { return v - .15*float64(run)*so(k == 0) }},
		{"one rises where a rise is worse", up, 60, .5, func(k, run int, v float64) float64 { return v + 4*so(k == 0 && run >= 20) }},
		{"time grows by a tenth", times, .01, .0001, func(k, run int, v float64) float64 { return v * (1 + .1*so(k == 0 && run >= 20)) }},
		{"by two hundredths", times, .01, .00005, func(k, run int, v float64) float64 { return v * (1 + .021*so(k == 0 && run >= 20)) }},
		{"what has no noise falls and comes back", exact, 60, 0, func(k, run int, v float64) float64 {
			return v - .2*so(k == 0 && run >= 20 && run < 30) - .05*so(k == 1 && run >= 10) - .06*so(k == 1 && run >= 20)
		}},
		{"by as much as the floor", exact, 60, 0, func(k, run int, v float64) float64 { return v - .1*so(k == 0 && run >= 20) }},
	} {
		rng := rngOf(seed+1, 99)
		panel := make(Panel, kernels)
		series := make([][]Point, kernels)
		for run := range runs {
			for k := range kernels {
				v := c.change(k, run, c.level+c.spread*rng.NormFloat64())
				panel[k] = append(panel[k], v)
				series[k] = append(series[k], Point{Run: run, Value: v})
			}
		}
		line("# %s", c.reason)
		for end := 8; end <= runs; end += 4 {
			cut := make([][]Point, kernels)
			for k := range series {
				cut[k] = series[k][:end]
			}
			r, err := c.gate.Replay(cut)
			if err != nil {
				t.Fatal(err)
			}
			b := r.Tally()
			line("%d runs: %d checks, %d opened, %d red", end, b.Checks, b.Opened, b.FailedChecks)
			for k, s := range r.Series {
				v := s.Verdict
				line("  %d: %s, n %d, level %.5g, spread %.4g, limit %.5g, in a row %d, suspect %v", k, v.Outcome, v.N, v.Median.Or(0), v.MAD.Or(0), v.Threshold.Or(0), v.Consecutive, v.Suspect)
				for _, f := range s.Findings {
					line("    from %d, opened %d, closed %d: %.5g by %.4g, spread %.4g, p %.3g", f.First, f.Opened, f.Closed, f.Level, f.Shift, f.Spread, f.P)
				}
			}
		}
		aside := panel
		if c.gate.Relative {
			aside = Panel{}
			for _, row := range panel {
				var logs []float64
				for _, v := range row {
					logs = append(logs, math.Log(v))
				}
				aside = append(aside, logs)
			}
		}
		offs, found, _ := FindOutliers(aside, c.gate, true)
		sum := 0.
		for _, o := range offs {
			sum += math.Abs(o)
		}
		line("aside: %.4g in all", sum)
		for _, a := range found {
			line("  %d of run %d by %.4g, p %.3g", a.Row, a.Run, a.Off, a.P)
		}
		for k := range series {
			points, err := ChangePoints(valuesOf(series[k]), DefaultParams())
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range points {
				line("change of %d at %d: %.5g to %.5g, %d and %d points, p %.3g", k, p.Index, p.MeanBefore, p.MeanAfter, p.Before, p.After, p.P)
			}
		}
		// The first series ends with run 29. Its level is accepted with a later
		// run, or not at all (0).
		ended := append([][]Point{append([]Point{}, series[0][:30]...)}, series[1:]...)
		for _, closed := range []int{0, 31, 35, 99} {
			ended[0][29].Closed = closed
			r, err := c.gate.Replay(ended)
			if err != nil {
				t.Fatal(err)
			}
			red := 0
			for _, check := range r.Checks[30:] {
				if check.Failed {
					red++
				}
			}
			line("accepted with %d: %s, %d open, %d of the last %d red", closed, r.Series[0].Verdict.Outcome, len(r.Series[0].Verdict.Open), red, len(r.Checks[30:]))
		}
		for _, n := range []int{2, 3, 4} { // panels so small that one of three values may be an outlier
			var few Panel
			for k := range n {
				few = append(few, append([]float64{}, aside[k][:n]...))
			}
			few[0][0] += 20 * c.gate.Floor
			offs, found, _ := FindOutliers(few, c.gate, true)
			line("of %d by %d: %.4g, %d aside", n, n, offs, len(found))
		}
		kept, b, _, err := c.gate.Keep(context.Background(), [][][]Point{series}, .02)
		if err != nil {
			t.Fatal(err)
		}
		line("kept: a floor of %.4g opens %d of %d", kept.Floor, b.Opened, b.Checks)
		power, err := c.gate.Power(context.Background(), series, 5*c.gate.Floor)
		if err != nil {
			t.Fatal(err)
		}
		power.Drop = math.Round(power.Drop*1e6) / 1e6
		line("power: %+v", power)
	}
	testenv.Golden(t, "testdata/panels.txt", []byte(got.String()))
}

// so returns 1 for true and 0 for false.
func so(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
