package trend

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// seriesOf returns a series of runs with the given values.
func seriesOf(values []float64) []Point {
	points := make([]Point, len(values))
	for i, v := range values {
		points[i] = Point{Run: i, Value: v}
	}
	return points
}

// noisy returns values with normal noise around some levels. Each level is a
// pair: the number of values, and the level.
func noisy(seed int, spread float64, levels ...[2]float64) (values []float64) {
	rng := rngOf(seed, 7)
	for _, l := range levels {
		for range int(l[0]) {
			values = append(values, l[1]+spread*rng.NormFloat64())
		}
	}
	return values
}

// one returns the judgment of a single series.
func one(t *testing.T, g Gate, points []Point) Judged {
	t.Helper()
	r, err := g.Replay([][]Point{points})
	if err != nil {
		t.Fatal(err)
	}
	return r.Series[0]
}

func TestReplayScenarios(t *testing.T) {
	exact := ExactGate()
	spill := ExactGate()
	spill.Direction = Up
	cases := []struct {
		why      string
		gate     Gate
		values   []float64
		outcome  Outcome
		findings int
		first    int // first bad run of the last finding
		closed   int // run that closed the finding; -1 if it is open
	}{
		{"too few runs to judge", PointsGate(), noisy(1, 1, [2]float64{2, 60}, [2]float64{1, 10}), Learning, 0, 0, 0},
		{"a step that is not fixed keeps failing, even after 60 runs", PointsGate(),
			noisy(1, 1, [2]float64{30, 60}, [2]float64{60, 50}), Regression, 1, 30, -1},
		{"a recovered step passes with the first good run", PointsGate(),
			noisy(1, 1, [2]float64{30, 60}, [2]float64{9, 50}, [2]float64{1, 60}), OK, 1, 30, 39},
		{"a level that rose and fell back is a regression", PointsGate(),
			noisy(2, 1, [2]float64{30, 60}, [2]float64{30, 70}, [2]float64{5, 60}), Regression, 1, 60, -1},
		{"an improvement is not a finding", PointsGate(), noisy(2, 1, [2]float64{30, 60}, [2]float64{10, 70}), OK, 0, 0, 0},
		{"from 40 to 38 is 2 points", PointsGate(), noisy(3, 0.1, [2]float64{20, 40}, [2]float64{3, 38}), Regression, 1, 20, -1},
		{"less than a point is not a finding, however sure", PointsGate(),
			noisy(3, 0.1, [2]float64{20, 40}, [2]float64{20, 39.2}), OK, 0, 0, 0},
		{"one run far off is an alarm", PointsGate(), noisy(4, 1, [2]float64{30, 60}, [2]float64{1, 30}), Alarm, 0, 0, 0},
		{"times rise", RelativeGate(), scaled(noisy(5, 0.01, [2]float64{20, 1}, [2]float64{4, 1.2})), Regression, 1, 20, -1},
		{"a peak has no noise: the first bad run fails", exact, []float64{100, 25}, Regression, 1, 1, -1},
		{"a bad peak keeps failing", exact, []float64{100, 25, 25, 25}, Regression, 1, 1, -1},
		{"until the last good value is back", exact, []float64{100, 25, 25, 100}, OK, 1, 1, 3},
		{"a better peak becomes the baseline", exact, []float64{25, 100, 50}, Regression, 1, 2, -1},
		{"spill that grew", spill, []float64{0, 0, 64}, Regression, 1, 2, -1},
		{"losses within the floor add up", exact, []float64{100, 99.95, 99.85}, Regression, 1, 2, -1},
	}
	for _, c := range cases {
		j := one(t, c.gate, seriesOf(c.values))
		if j.Verdict.Outcome != c.outcome || len(j.Findings) != c.findings {
			t.Errorf("%s: %s, %+v; want %s and %d findings", c.why, j.Verdict.Outcome, j.Findings, c.outcome, c.findings)
			continue
		}
		if c.findings > 0 {
			f := j.Findings[c.findings-1]
			if c.first >= 0 && f.First != c.first || f.Closed != c.closed {
				t.Errorf("%s: %+v; want the first bad run to be %d, closed at %d", c.why, f, c.first, c.closed)
			}
		}
	}
}

func scaled(values []float64) []float64 {
	for i := range values {
		values[i] *= 1e-6
	}
	return values
}

// TestAccepted checks that an accepted level is the baseline immediately, and
// keeps the known noise.
func TestAccepted(t *testing.T) {
	points := seriesOf(noisy(1, 1, [2]float64{30, 60}, [2]float64{15, 50}))
	points[35].Restart = true
	j := one(t, PointsGate(), points)
	if v := j.Verdict; v.Outcome != OK || math.Abs(v.Median.Or(0)-50) > 1 || v.N != 9 {
		t.Errorf("accepted at run 35: %+v; want ok around 50", v)
	}
	exact := seriesOf([]float64{100, 100, 50, 50})
	exact[3].Restart = true
	if v := one(t, ExactGate(), exact).Verdict; v.Outcome != OK || v.Median.Or(0) != 50 {
		t.Errorf("a peak of 50 was accepted: %+v; want ok", v)
	}
	if len(j.Findings) != 1 || j.Findings[0].Closed != 35 {
		t.Errorf("findings %+v; want one that ends at run 35", j.Findings)
	}
	for _, g := range []Gate{PointsGate(), RelativeGate()} { // without runs, a level has no statistics
		newest := seriesOf(noisy(1, 1, [2]float64{30, 60}, [2]float64{3, 50}))
		newest[32].Restart = true
		if v := one(t, g, newest).Verdict; v.Outcome != OK || v.N != 0 || v.Median.Present() || v.MAD.Present() || v.Threshold.Present() {
			t.Errorf("accepted at the newest run: %+v; want ok without a baseline", v)
		}
	}
	more := seriesOf(noisy(1, 1, [2]float64{30, 60}, [2]float64{15, 50}, [2]float64{3, 40}))
	more[35].Restart = true
	if v := one(t, PointsGate(), more).Verdict; v.Outcome != Regression || len(v.Open) != 1 || v.Open[0].First != 45 {
		t.Errorf("a second drop after that is %+v; want a regression from run 45 on", v)
	}
}

// TestShared checks a shift of most kernels. It is a finding for each of them,
// with the same first bad run. A kernel that did not shift has no finding.
func TestShared(t *testing.T) {
	var series [][]Point
	for k := range 40 {
		levels := [][2]float64{{30, 60 + float64(k)/2}, {6, 50 + float64(k)/2}}
		if k == 3 {
			levels[1][1] += 10
		}
		series = append(series, seriesOf(noisy(100+k, 1, levels...)))
	}
	for k, s := range replayed(t, series).Series {
		if k == 3 && len(s.Findings) > 0 || k != 3 && (len(s.Findings) != 1 || s.Findings[0].First != 30) {
			t.Errorf("kernel %d: findings %+v; want one from run 30 on, but for kernel 3", k, s.Findings)
		}
	}
}

func TestGateRejects(t *testing.T) {
	change := func(f func(*Gate)) Gate { g := PointsGate(); f(&g); return g }
	cases := []struct {
		gate Gate
		want string
	}{
		{Gate{}, "a gate over the last 0 runs is not possible"},
		{change(func(g *Gate) { g.Window = 2 }), "a gate over the last 2 runs is not possible; use 8 to 1000"},
		{change(func(g *Gate) { g.Floor = math.NaN() }), "a gate with a floor of NaN is not possible"},
		{change(func(g *Gate) { g.Direction = "sideways" }), `direction "sideways" is not known`},
	}
	for _, c := range cases {
		if _, err := c.gate.Replay(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Replay says %v, want %s", err, c.want)
		}
	}
	if _, err := PointsGate().Replay([][]Point{seriesOf([]float64{1, math.NaN()})}); err == nil {
		t.Error("a value that is not a number is judged")
	}
	if r, err := PointsGate().Replay([][]Point{nil}); err != nil || r.Series[0].Verdict.Outcome != Learning {
		t.Errorf("a series without runs is %+v, %v; want learning", r, err)
	}
}

// TestBacktest checks that injected drops are found. It also checks that a
// history with too many findings gets a floor that keeps the budget.
func TestBacktest(t *testing.T) {
	series := normal(1).kernels(rngOf(3, 3), 40, 60, still)
	p, err := PointsGate().Power(t.Context(), series, 10)
	if err != nil || p.Injected != 6 || p.Found != 6 || p.Delay().Or(9) > 2 {
		t.Errorf("10 points at noise 1: %+v, %v; want all 6 found with the second run", p, err)
	}
	var steps [][]Point
	for k := range 20 {
		steps = append(steps, seriesOf(noisy(k, 0.3, [2]float64{12 + float64(k), 60}, [2]float64{40, 57})))
	}
	// A drop that lasts 8 runs is not a false alarm. Short drops up to its size
	// are false alarms.
	g, b, ok, err := PointsGate().Keep(t.Context(), [][][]Point{steps}, 0.001)
	if err != nil || b.Opened > 0 || !ok || g.Floor != 1 {
		t.Errorf("a lasting step of 3 points in each series: floor %v, %+v, %v, %v; want the floor as it was", g.Floor, b, ok, err)
	}
	for low, want := range map[float64]bool{58: true, 55: false} {
		series := append(slices.Clone(steps), seriesOf(noisy(30, 0.3, [2]float64{20, 60}, [2]float64{4, low}, [2]float64{30, 60})))
		if g, b, ok, err := PointsGate().Keep(t.Context(), [][][]Point{series}, 0.001); err != nil || ok != want || want && g.Floor < 1.8 {
			t.Errorf("4 runs at %v next to steps of 3 points: floor %v, %+v, %v, %v; want %v", low, g.Floor, b, ok, err, want)
		}
	}
	if !slices.Equal(steps[0], seriesOf(noisy(0, 0.3, [2]float64{12, 60}, [2]float64{40, 57}))) {
		t.Error("the series were changed")
	}
	// A shift that many kernels share is a real event, so a threshold that
	// would hide it must not be proposed.
	shared := normal(1).kernels(rngOf(4, 4), 100, 60, drop(60, 30, 10))
	g, b, _, err = PointsGate().Keep(t.Context(), [][][]Point{shared}, 0.01)
	if err != nil || g.Floor != PointsGate().Floor || b.Checks == 0 {
		t.Errorf("60 of 100 kernels fell by 10: floor %v, %+v, %v; want the floor as it was", g.Floor, b, err)
	}
}

// TestEvents checks the gate's verdict for ordinary events, one event each.
func TestEvents(t *testing.T) {
	levels := func(seed int, spread float64, l ...[2]float64) []Point { return seriesOf(noisy(seed, spread, l...)) }
	// Other kernels with constant levels show the noise.
	beside := func(points []Point, spread float64) *Replay {
		series := [][]Point{points}
		for k := range 30 {
			series = append(series, levels(500+k, spread, [2]float64{float64(len(points)), 70}))
		}
		return replayed(t, series)
	}
	// A second drop during an open finding is a separate finding. Both findings
	// close when the first level returns.
	r := beside(levels(20, 1, [2]float64{20, 60}, [2]float64{4, 55}, [2]float64{6, 40}), 1)
	if open := r.Series[0].Verdict.Open; len(open) != 2 || open[0].First != 20 || open[1].First != 24 ||
		math.Abs(open[1].Level-55) > 1.5 || math.Abs(open[1].Shift+15) > 2 {
		t.Errorf("-5 at run 20 and -15 at run 24: %+v; want two findings, from run 20 and from run 24 on", open)
	}
	r = beside(levels(20, 1, [2]float64{20, 60}, [2]float64{4, 55}, [2]float64{6, 40}, [2]float64{6, 55}), 1)
	if open := r.Series[0].Verdict.Open; len(open) != 1 || open[0].First != 20 {
		t.Errorf("the second step is recovered: %+v; want the first finding alone", open)
	}
	r = beside(levels(20, 1, [2]float64{20, 60}, [2]float64{4, 55}, [2]float64{6, 40}, [2]float64{4, 60}), 1)
	if s := r.Series[0]; s.Verdict.Outcome != OK || len(s.Findings) != 2 || s.Findings[0].Closed != s.Findings[1].Closed {
		t.Errorf("both are recovered: %+v; want ok", s)
	}
	// Four better runs do not become a level, but eight runs do.
	r = beside(levels(21, 1, [2]float64{30, 60}, [2]float64{4, 66}, [2]float64{30, 60}), 1)
	if s := r.Series[0]; len(s.Findings) > 0 {
		t.Errorf("+6 for four runs: %+v; want no finding", s.Findings)
	}
	r = beside(levels(21, 1, [2]float64{30, 60}, [2]float64{9, 66}, [2]float64{8, 60}), 1)
	if s := r.Series[0]; len(s.Verdict.Open) != 1 || s.Verdict.Open[0].First != 39 {
		t.Errorf("+6 for nine runs, then lost: %+v; want a finding from run 39 on", s.Findings)
	}
	r = beside(levels(22, 1, [2]float64{30, 60}, [2]float64{12, 50}, [2]float64{12, 60}, [2]float64{1, 50}), 1)
	if s := r.Series[0]; s.Verdict.Outcome != Alarm || !s.Verdict.Suspect {
		t.Errorf("one bad run, twelve after it was recovered: %+v; want an alarm", s.Verdict)
	}
	// One run may be suspect without being an alarm.
	points := levels(23, 1, [2]float64{40, 60}, [2]float64{1, 54.8})
	points[40].Value = 54.8
	if v := beside(points, 1).Series[0].Verdict; v.Outcome != OK || !v.Suspect {
		t.Errorf("one run 5 spreads low: %+v; want ok and suspect", v)
	}
	// If only a few kernels are measured again, the budget still covers all
	// kernels.
	all := normal(1).kernels(rngOf(6, 6), 100, 42, still)
	all[0][41].Value = all[0][30].Value - 3.2
	for k := range all {
		if k > 0 {
			all[k] = all[k][:41]
		}
	}
	if v := replayed(t, all).Series[0].Verdict; v.Outcome != OK {
		t.Errorf("one of 100 kernels measured again, 3 spreads low once: %+v; want ok", v)
	}
}

// TestAcceptedNoise checks that bad runs that were accepted as noise close the
// findings, that the level before them continues, and that runs that are as bad
// open no finding later.
func TestAcceptedNoise(t *testing.T) {
	for _, c := range []struct {
		why    string
		levels [][2]float64
		at     int // run that was accepted; -1 for none
		closed []int
		want   Outcome
		median float64
	}{
		{"the next bad runs are a finding", [][2]float64{{40, 60}, {4, 50}, {10, 60}, {3, 50}}, -1, []int{44, -1}, Regression, 60},
		{"but not after they were accepted", [][2]float64{{40, 60}, {4, 50}, {10, 60}, {3, 50}}, 43, []int{43}, OK, 60},
		{"a lower level is still a finding", [][2]float64{{40, 60}, {4, 50}, {10, 60}, {3, 20}}, 43, []int{43, -1}, Regression, 60},
		{"both of two drops are noise", [][2]float64{{40, 60}, {4, 55}, {4, 45}, {9, 60}}, 47, []int{47, 47}, OK, 60},
		{"one bad run is noise before it is a finding", [][2]float64{{40, 60}, {1, 50}, {1, 60}, {1, 50}}, 40, nil, OK, 60},
		{"a run that was accepted is not the first bad run", [][2]float64{{40, 60}, {1, 50}, {3, 20}}, 40, []int{-1}, Regression, 60},
	} {
		all := [][]Point{seriesOf(noisy(41, 0.5, c.levels...))}
		if c.at >= 0 {
			all[0][c.at].Noise = true
		}
		for k := range 30 {
			all = append(all, seriesOf(noisy(900+k, 0.5, [2]float64{float64(len(all[0])), 70})))
		}
		s := replayed(t, all).Series[0]
		var closed []int
		for _, f := range s.Findings {
			closed = append(closed, f.Closed)
			if f.Closed < 0 && f.First <= c.at {
				t.Errorf("%s: run %d is the first bad run", c.why, f.First)
			}
		}
		if v := s.Verdict; !slices.Equal(closed, c.closed) || v.Outcome != c.want || math.Abs(v.Median.Or(0)-c.median) > 0.5 || v.N < 30 {
			t.Errorf("%s: %s of %d runs at %.1f, closed %v; want %s at %v, closed %v", c.why, v.Outcome, v.N, v.Median.Or(0), closed, c.want, c.median, c.closed)
		}
	}
}
