package trend

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func close6(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// TestLevel compares levels with values that were computed by hand from the
// definition.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		why        string
		values     []float64
		at, spread float64
	}{
		{"even", []float64{0, 1, 2, 3, 4}, 2, 1.4826 * math.Sqrt(10/1.4826/1.4826/4/0.9776)},
		// The median is 2 and the MAD is 1. The value 100 counts as 1.345 in
		// the location, in which 4 values are inside, and as 2.5 in the spread.
		{"one far off", []float64{1, 2, 2, 3, 100}, 2 + 1.4826*1.345/4, 0},
		{"no noise", []float64{7, 7, 7}, 7, 0.05},
		{"one", []float64{7}, 7, 0.05},
	} {
		l := levelOf(c.values, 0.05)
		if !close6(l.at, c.at) || c.spread > 0 && !close6(l.spread, c.spread) || l.n != len(c.values) {
			t.Errorf("%s: %+v, want %v with a spread of %v", c.why, l, c.at, c.spread)
		}
	}
	l := levelOf([]float64{1, 2, 2, 3, 100}, 0.05)
	far, squares := 1.4826, 0.0
	for _, v := range []float64{1, 2, 2, 3, 100} {
		z := max(-2.5, min(2.5, (v-l.at)/far))
		squares += z * z
	}
	if want := far * math.Sqrt(squares/4/0.9776); !close6(l.spread, want) {
		t.Errorf("the spread of values with one far off is %v, want %v", l.spread, want)
	}
	if l := levelOf(nil, 0.05); l != (level{}) {
		t.Errorf("nothing has the level %+v", l)
	}
	if v := (level{spread: 2, n: 21}).variance(); v.Value != 4 || !close6(v.Freedom, 17) {
		t.Errorf("a spread of 2 from 21 runs is %+v, want a variance of 4 with 17 degrees of freedom", v)
	}
	if v := (level{spread: 2, n: 1}).variance(); v.Freedom != 1 {
		t.Errorf("of one run it has %v degrees of freedom, want 1", v.Freedom)
	}
	if z := (level{spread: 2, n: 11}).distance(4); !close6(z, 2/math.Sqrt(1.1)) {
		t.Errorf("4 off a level of 11 runs with a spread of 2 are %v spreads", z)
	}
}

// TestIndependentRuns compares the number of independent runs with values that
// were computed by hand from the formula.
func TestIndependentRuns(t *testing.T) {
	for _, c := range []struct {
		m, n      int
		rho, want float64
	}{
		{1, 40, 0.9, 1}, {2, 40, 0, 2 / (1 + 0.1)}, {10, 40, 0, 10 / (1 + 9*0.1)},
		{2, 40, 0.5, (1 + 1.0/3) / (1 + 1.0/3*0.1)}, {4, 8, 0.5, 2 / (1 + 3.3/11.3)}, {3, 1, 0, 3 / (1 + 2*1.1/2.1)},
	} {
		if got := independentRuns(c.m, c.n, c.rho); !close6(got, c.want) {
			t.Errorf("%d runs against %d at %v are worth %v, want %v", c.m, c.n, c.rho, got, c.want)
		}
	}
}

// TestScales checks that values are converted to the scale on which larger is
// worse, and back.
func TestScales(t *testing.T) {
	up, relative := PointsGate(), RelativeGate()
	up.Direction = Up
	down := relative
	down.Direction = Down
	for _, c := range []struct {
		g                         Gate
		value, worse, drop, after float64
		floor, finest             float64
	}{
		{PointsGate(), 60, -60, 5, 55, 1, 0.05}, {up, 60, 60, 5, 65, 1, 0.05},
		{relative, 2, math.Log(2), 10, 2.2, math.Log(1.02), 0.0005}, {down, 2, -math.Log(2), 10, 1.8, math.Log(1.02), 0.0005},
	} {
		if got := c.g.worse(c.value); !close6(got, c.worse) || !close6(c.g.value(got), c.value) {
			t.Errorf("%s: %v is %v and back %v", c.g.Direction, c.value, got, c.g.value(got))
		}
		if got := c.g.dropped(c.value, c.drop); !close6(got, c.after) {
			t.Errorf("%s: a drop of %v from %v is %v, want %v", c.g.Direction, c.drop, c.value, got, c.after)
		}
		if !close6(c.g.floor(), c.floor) || c.g.finest() != c.finest {
			t.Errorf("%s: floor %v, finest %v", c.g.Direction, c.g.floor(), c.g.finest())
		}
		f := c.g.printed(Finding{Level: c.g.worse(c.value), Shift: c.g.worse(c.after) - c.g.worse(c.value)})
		if !close6(f.Level, c.value) || !close6(f.Shift, c.after-c.value) {
			t.Errorf("%s: the finding is %+v", c.g.Direction, f)
		}
	}
	if x := relative.worse(0); math.IsInf(x, 0) || math.IsNaN(x) {
		t.Errorf("a time of 0 is %v", x)
	}
}

func TestGateBounds(t *testing.T) {
	for _, c := range []struct {
		change func(*Gate)
		want   string
	}{
		{func(g *Gate) { g.Window = 8 }, ""}, {func(g *Gate) { g.Window = 7 }, "the last 7 runs"},
		{func(g *Gate) { g.Window = 1000 }, ""}, {func(g *Gate) { g.Window = 1001 }, "the last 1001 runs"},
		{func(g *Gate) { g.Floor = 0 }, ""}, {func(g *Gate) { g.Floor = 0.5 }, ""}, {func(g *Gate) { g.Floor = -1 }, "a floor of -1"},
		{func(g *Gate) { g.Floor = math.Inf(1) }, "a floor of +Inf"},
	} {
		g := PointsGate()
		c.change(&g)
		err := g.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", g, err, c.want)
		}
	}
}

// TestVerdict checks the numbers of the verdict on the newest run. It also
// checks that the threshold is exact: two runs beyond it are a finding.
func TestVerdict(t *testing.T) {
	kernels := func(low float64) *Replay {
		var all [][]Point
		for k := range 30 {
			levels := [][2]float64{{50, 60 + float64(k)}}
			values := noisy(900+k, 1, levels...)
			if k == 0 && low > 0 {
				values = append(values, low, low)
			}
			all = append(all, seriesOf(values))
		}
		return replayed(t, all)
	}
	v := kernels(0).Series[0].Verdict
	if v.Outcome != OK || v.N != 40 || v.Window != 40 || v.Index != 49 || v.Consecutive != 0 || len(v.Open) > 0 ||
		math.Abs(v.Median.Or(0)-60) > 0.5 || math.Abs(v.MAD.Or(0)-1/1.4826) > 0.2 {
		t.Fatalf("a kernel at rest: %+v", v)
	}
	limit := v.Threshold.Or(0)
	if limit > 60-1.5 || limit < 60-6.5 {
		t.Errorf("the threshold is %v", limit)
	}
	if w := kernels(limit - 0.4).Series[0].Verdict; w.Outcome != Regression || w.Consecutive != 2 || w.N != 40 || w.Open[0].First != 50 || w.Open[0].Opened != 51 ||
		math.Abs(w.Median.Or(0)-60) > 0.5 || w.Value != limit-0.4 || math.Abs(w.Open[0].Shift-(limit-0.4-60)) > 0.6 || !(w.Open[0].P < 0.01/5/30) {
		t.Errorf("two runs below the threshold: %+v", w)
	}
	if w := kernels(limit + 0.6).Series[0].Verdict; w.Outcome != OK {
		t.Errorf("two runs above the threshold: %+v", w)
	}
	// A value without noise is compared with the best value. The verdict counts
	// the runs that have the best value.
	exact := one(t, ExactGate(), seriesOf([]float64{80, 100, 100})).Verdict
	if exact.Outcome != OK || exact.Median.Or(0) != 100 || exact.Threshold.Or(0) != 99.9 || exact.N != 1 {
		t.Errorf("a peak: %+v", exact)
	}
	if w := one(t, ExactGate(), seriesOf([]float64{100, 60, 50})).Verdict; w.Consecutive != 2 || w.Median.Or(0) != 100 || w.Open[0].Shift != -40 {
		t.Errorf("a peak that fell: %+v", w)
	}
	if w := one(t, ExactGate(), seriesOf([]float64{100})).Verdict; w.Outcome != Learning {
		t.Errorf("one value: %+v", w)
	}
	if w := one(t, PointsGate(), nil).Verdict; w.Index != -1 || w.Outcome != Learning {
		t.Errorf("no run: %+v", w)
	}
}

// TestOwnNoise checks which findings do not occur because of a kernel's own
// noise: correlated neighboring runs, and outliers that are as large as past
// ones.
func TestOwnNoise(t *testing.T) {
	opened := func(values []float64) int {
		all := [][]Point{seriesOf(values)}
		for k := range 40 {
			all = append(all, seriesOf(noisy(700+k, 1, [2]float64{float64(len(values)), 70})))
		}
		return len(replayed(t, all).Series[0].Findings)
	}
	var walk, outliers []float64
	x := 0.0
	for i, e := range noisy(5, 1, [2]float64{60, 0}) {
		x = 0.9*x + 0.44*e
		walk = append(walk, 60+x)
		outliers = append(outliers, 60+e)
		if i%6 == 5 {
			outliers[i] -= 6
		}
	}
	drop := []float64{56.4, 56.3, 56.5} // three runs that are 3.6 spreads low
	if n := opened(append(noisy(5, 1, [2]float64{60, 60}), drop...)); n != 1 {
		t.Errorf("a quiet kernel that fell has %d findings, want 1", n)
	}
	if n := opened(append(slices.Clone(walk), walk[59]-1.5, walk[59]-1.6, walk[59]-1.4)); n != 0 {
		t.Errorf("a kernel whose neighbors know of each other has %d findings, want 0", n)
	}
	if n := opened(append(slices.Clone(outliers), drop...)); n != 0 {
		t.Errorf("a kernel that has had as bad runs has %d findings, want 0", n)
	}
}

// TestCommonTail checks which runs count as noise of all kernels: one run far
// off is noise, but a kernel that is often far off does not inform the others,
// and runs of the last checks do not count.
func TestCommonTail(t *testing.T) {
	for _, c := range []struct {
		off, checks int
		want        float64
	}{{1, 20, 1 / (assumed + 10)}, {2, 20, 0}, {1, 12, 1 / (assumed + 9)}} {
		l := &line{}
		for i := range 10 {
			l.past = append(l.past, run{check: i, z: 6 * on(i < c.off)})
		}
		r := &replay{checks: make([]Check, c.checks)}
		r.measureTail([]*line{l})
		if got := r.tail[stepOf(6)]; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d of 10 runs far off, before check %d: a share of %v, want %v", c.off, c.checks, got, c.want)
		}
	}
}

// TestRecovery checks when a finding closes, and when it opens again.
func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		why    string
		levels [][2]float64
		open   bool
		n      int
	}{
		{"half way back is not mended", [][2]float64{{30, 60}, {6, 40}, {4, 48}}, true, 1},
		{"a run nearer to the old level recovers, and the remaining shift is a separate finding", [][2]float64{{30, 60}, {6, 40}, {4, 53}}, true, 2},
		{"one bad run after a recovery is not the finding again", [][2]float64{{30, 60}, {6, 40}, {8, 60}, {1, 40}}, false, 1},
		{"a regression that was fixed does not delay the next one", [][2]float64{{30, 60}, {6, 40}, {9, 60}, {2, 40}}, true, 2},
		{"the earlier drop recovers and the newer one does not", [][2]float64{{30, 60}, {6, 50}, {6, 46}, {6, 56}}, true, 2},
		{"a slightly low run is not a relapse", [][2]float64{{30, 60}, {6, 40}, {4, 60}, {1, 52}}, false, 1},
	} {
		all := [][]Point{seriesOf(noisy(31, 0.5, c.levels...))}
		for k := range 30 {
			all = append(all, seriesOf(noisy(800+k, 0.5, [2]float64{float64(len(all[0])), 70})))
		}
		s := replayed(t, all).Series[0]
		if open := s.Verdict.Outcome == Regression; open != c.open || len(s.Findings) != c.n {
			t.Errorf("%s: %s, %+v; want open: %v with %d findings", c.why, s.Verdict.Outcome, s.Findings, c.open, c.n)
		}
	}
}

// TestNewModes checks that many new kernels need more bad runs, because one of
// them may show its second mode during three runs.
func TestNewModes(t *testing.T) {
	r := &replay{gate: PointsGate(), sizes: []int{300}}
	for n, want := range map[int][2]bool{10: {false, false}, 20: {false, true}, 40: {true, true}} {
		if got := [2]bool{r.newModes(n, 2) <= 1, r.newModes(n, 4) <= 1}; got != want {
			t.Errorf("2 and 4 bad runs after %d runs of one of 300 kernels are findings: %v, want %v", n, got, want)
		}
	}
}

// TestFloor checks that a run within the floor is not an alarm, and that for
// times, floor and spread are shares of the level.
func TestFloor(t *testing.T) {
	g := PointsGate()
	g.Floor = 10
	for low, want := range map[float64]Outcome{54: OK, 44: Alarm} {
		if v := one(t, g, seriesOf(noisy(1, 0.1, [2]float64{40, 60}, [2]float64{1, low}))).Verdict; v.Outcome != want || v.Suspect != (want == Alarm) {
			t.Errorf("one run at %v with a floor of 10: %+v, want %s", low, v, want)
		}
	}
	v := one(t, RelativeGate(), seriesOf(scaled(noisy(1, 0.01, [2]float64{60, 1})))).Verdict
	if math.Abs(v.MAD.Or(0)-1e-8/1.4826) > 2e-9 || math.Abs(v.Median.Or(0)-1e-6) > 1e-8 || v.Threshold.Or(0) < 1.02e-6 || v.Threshold.Or(0) > 1.1e-6 {
		t.Errorf("times of 1 us with a spread of 1%%: %+v", v)
	}
	v = one(t, RelativeGate(), seriesOf(scaled(noisy(1, 0.01, [2]float64{60, 1}, [2]float64{4, 1.3})))).Verdict
	if len(v.Open) != 1 || math.Abs(v.Open[0].Shift-0.3e-6) > 0.02e-6 || math.Abs(v.Open[0].Spread-0.01) > 0.004 {
		t.Errorf("times that rose by 30%%: %+v", v)
	}
}

// TestReplayReported checks that a replay reports results for each check, and
// that an injected drop is searched in the ten runs after it.
func TestReplayReported(t *testing.T) {
	r := replayed(t, [][]Point{seriesOf(noisy(1, 1, [2]float64{20, 60}, [2]float64{4, 30}, [2]float64{3, 60}))})
	judged, opened, red := 0, []int{}, []int{}
	for i, c := range r.Checks {
		judged += count(c.Judged)
		if c.Opened {
			opened = append(opened, i)
		}
		if c.Failed {
			red = append(red, i)
		}
	}
	if judged != 24 || !slices.Equal(opened, []int{21}) || !slices.Equal(red, []int{21, 22, 23}) {
		t.Errorf("%d judged, opened in %v, red in %v", judged, opened, red)
	}
	if b := r.Tally(); b != (Backtest{24, 1, 3}) || !close6(b.Rate(), 100.0/24) || b.Plus(b) != (Backtest{48, 2, 6}) {
		t.Errorf("counted: %+v", b)
	}
	if b := (Backtest{}); b.Rate() != 0 {
		t.Errorf("of no check %v in 100", b.Rate())
	}
	series := normal(1).kernels(rngOf(3, 3), 40, 60, still)
	planted, where := PointsGate().inject(series, 30, 10, 1)
	if len(where) != 2 || where[1] != 30 || where[21] != 30 || planted[1][29].Value != series[1][29].Value || planted[1][30].Value != series[1][30].Value-10 ||
		planted[0][30].Value != series[0][30].Value || planted[21][59].Value != series[21][59].Value-10 {
		t.Errorf("planted in %v", where)
	}
	for runs, want := range map[int]int{25: 0, 26: 2, 27: 4} { // 2*8 runs before the drop, and 10 from it on
		short := normal(1).kernels(rngOf(3, 3), 40, runs, still)
		if p, err := PointsGate().Power(t.Context(), short, 10); err != nil || p.Injected < want || want == 0 && p.Injected > 0 {
			t.Errorf("%d runs: %+v, %v; want %d or more planted", runs, p, err, want)
		}
	}
	small, err := PointsGate().Power(t.Context(), series, 0.2)
	if err != nil || small.Found != 0 || small.Injected != 6 || small.Delay().Present() {
		t.Errorf("0.2 points at noise 1: %+v, %v", small, err)
	}
	if p := (Power{10, 4, 2, []float64{2, 4}}).Plus(Power{10, 2, 1, []float64{6}}); p.Injected != 6 || p.Found != 3 || p.Delay().Or(0) != 4 {
		t.Errorf("added up: %+v", p)
	}
}

// TestInterrupted checks that an interrupted search returns no result.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	series := normal(1).kernels(rngOf(3, 3), 40, 60, still)
	if _, err := PointsGate().Power(ctx, series, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("planting drops: %v", err)
	}
	if _, _, _, err := PointsGate().Keep(ctx, [][][]Point{series}, 0.5); !errors.Is(err, context.Canceled) {
		t.Errorf("looking for a floor: %v", err)
	}
}
