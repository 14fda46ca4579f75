package trend

import (
	"context"
	"math"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// level gives n runs at a value.
func level(n int, value float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// noisy are eight runs with median 60 and MAD 1: deviations 0 0 .. of 2 1 1 0 0 1 1 2.
var noisy = []float64{58, 59, 61, 60, 60, 61, 59, 62}

func TestGate(t *testing.T) {
	type want struct {
		outcome   Outcome
		n         int
		median    float64
		mad       float64
		threshold float64 // NaN when absent
		row       int
	}
	none := math.NaN()
	down, up := PointsGate(), RelativeGate()
	both := PointsGate()
	both.Direction = Both
	narrow := PointsGate()
	narrow.Window = 3
	upPoints := PointsGate()
	upPoints.Direction = Up
	cases := []struct {
		reason string
		gate   Gate
		values []float64
		want   want
	}{
		{"a first run is compared with nothing", down, level(1, 60), want{Learning, 0, none, none, none, 0}},
		{"seven earlier runs are too few, whatever the drop", down, append(level(7, 60), 10), want{Learning, 7, 60, 0, none, 0}},
		{"eight will do", down, append(level(8, 60), 60), want{OK, 8, 60, 0, 58, 0}},
		{"two points below are still inside", down, append(level(8, 60), 58), want{OK, 8, 60, 0, 58, 0}},
		{"2 points, though 62.7 - 60.7 is more than 2 in binary", down, append(level(8, 62.7), 60.7), want{OK, 8, 62.7, 0, 60.7, 0}},
		{"a first run beyond is an alarm, not a regression", down, append(level(8, 60), 57.9), want{Alarm, 8, 60, 0, 58, 1}},
		{"two in a row are", down, append(level(8, 60), 57.9, 57.9), want{Regression, 9, 60, 0, 58, 2}},
		{"an outlier between does not confirm", down, append(level(8, 60), 50, 60, 50), want{Alarm, 10, 60, 0, 58, 1}},
		{"the seventh run was not judged, so it cannot confirm", down, append(level(7, 60), 50, 50), want{Alarm, 8, 60, 0, 58, 1}},
		{"from 40 to 38 is 2 points, not 5 %", down, append(level(9, 40), 38), want{OK, 9, 40, 0, 38, 0}},
		{"4 MAD above the floor: MAD 1 tolerates 4 points", down, append(noisy[:8:8], 56), want{OK, 8, 60, 1, 56, 0}},
		{"and not more", down, append(noisy[:8:8], 55.9), want{Alarm, 8, 60, 1, 56, 1}},
		{"rising occupancy is no regression", down, append(level(8, 60), 90), want{OK, 8, 60, 0, 58, 0}},
		{"only the last 20 count", down, append(append(level(30, 90), level(20, 60)...), 60), want{OK, 20, 60, 0, 58, 0}},
		{"seconds: 2 % more is inside", up, append(level(8, 0.5), 0.51), want{OK, 8, 0.5, 0, 0.51, 0}},
		{"seconds: above it is not", up, append(level(8, 0.5), 0.511, 0.511), want{Regression, 9, 0.5, 0, 0.51, 2}},
		{"seconds: faster is fine", up, append(level(8, 0.5), 0.1), want{OK, 8, 0.5, 0, 0.51, 0}},
		{"a residual below zero: relative would be wrong, points are not", down, append(level(8, -37), -39.5), want{Alarm, 8, -37, 0, -39, 1}},
		{"direction up in points", upPoints, append(level(8, 60), 63), want{Alarm, 8, 60, 0, 62, 1}},
		{"both: up", both, append(level(8, 60), 63, 63), want{Regression, 9, 60, 0, 62, 2}},
		{"both: down", both, append(level(8, 60), 57), want{Alarm, 8, 60, 0, 58, 1}},
		{"both: a drop and a peak do not confirm each other", both, append(level(8, 60), 50, 70), want{Alarm, 9, 60, 0, 62, 1}},
		{"a narrow window does not learn sooner", narrow, append(level(7, 60), 10), want{Learning, 3, 60, 0, none, 0}},
		{"and looks at its own runs when it has learned", narrow, append(level(8, 60), 62, 62, 59), want{Alarm, 3, 62, 0, 60, 1}},
		{"three in a row", down, append(level(8, 60), 50, 51, 49), want{Regression, 10, 60, 0, 58, 3}},
	}
	same := func(got unit.Opt[float64], want float64) bool {
		v, ok := got.Value()
		return ok != math.IsNaN(want) && (!ok || math.Abs(v-want) < 1e-12)
	}
	for _, c := range cases {
		points := pointsOf(c.values...)
		v, err := c.gate.Check(points)
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if v.Outcome != c.want.outcome || v.N != c.want.n || v.InARow != c.want.row || v.Window != c.gate.Window ||
			!same(v.Median, c.want.median) || !same(v.MAD, c.want.mad) || !same(v.Threshold, c.want.threshold) {
			t.Errorf("%s: %+v, want %+v", c.reason, v, c.want)
		}
		if last := points[len(points)-1]; v.Value != last.Value || !v.Time.Equal(last.Time) || v.Index != len(points)-1 {
			t.Errorf("%s: the verdict is of %v at %v, index %d; want the newest run", c.reason, v.Value, v.Time, v.Index)
		}
	}
}

func TestGateRefuses(t *testing.T) {
	change := func(f func(*Gate)) Gate { g := PointsGate(); f(&g); return g }
	points := pointsOf(level(10, 1)...)
	cases := []struct {
		gate   Gate
		points []Point
		run    int
		want   string
	}{
		{Gate{}, points, 0, "a gate over the last 0 runs is not possible; use at least 2 (20 is the default)"},
		{change(func(g *Gate) { g.Learning = 0 }), points, 0, "a gate that learns from 0 runs is not possible; use at least 1 (8 is the default)"},
		{change(func(g *Gate) { g.MADs = math.NaN() }), points, 0, "a gate at NaN median absolute deviations is not possible; use 0 or more (4 is the default)"},
		{change(func(g *Gate) { g.Floor = -1 }), points, 0, "a gate with a floor of -1 is not possible; use 0 or more (2 points or 0.02 of the median are the defaults)"},
		{change(func(g *Gate) { g.Direction = "sideways" }), points, 0, `direction "sideways" is not known; use down (lower is worse), up (higher is worse) or both`},
		{PointsGate(), points, 10, "there is no run 10 in a series of 10; runs count from 0"},
		{PointsGate(), pointsOf(1, math.NaN()), 1, "point 1 of the series is NaN, which is not a measurement; leave runs without a value out"},
	}
	for _, c := range cases {
		if _, err := c.gate.Judge(c.points, c.run); err == nil || err.Error() != c.want {
			t.Errorf("Judge says %v, want %s", err, c.want)
		}
	}
	v, err := PointsGate().Check(nil)
	if err != nil || v.Outcome != Learning || v.Index != -1 || v.Median.Present() {
		t.Errorf("Check of no runs = %+v, %v; want learning without figures", v, err)
	}
}

func TestBacktest(t *testing.T) {
	// 10 runs, an outlier, 5 runs, a drop that stays: the first two runs of it turn the build red.
	values := append(append(append(level(10, 60), 50), level(5, 60)...), level(6, 55)...)
	b, err := PointsGate().Backtest(pointsOf(values...))
	if err != nil {
		t.Fatal(err)
	}
	if b.Learning != 8 || b.Runs != len(values)-8 || len(b.Episodes) != 2 || b.Regressions() != 1 {
		t.Fatalf("Backtest = %+v; want 8 learning, %d judged, 2 episodes, 1 of them confirmed", b, len(values)-8)
	}
	outlier, drop := b.Episodes[0], b.Episodes[1]
	if outlier.First != 10 || outlier.Last != 10 || outlier.Confirmed.Present() || outlier.Start.Value != 50 || outlier.Start.Outcome != Alarm {
		t.Errorf("the outlier is %+v; want run 10 alone, not confirmed", outlier)
	}
	if drop.First != 16 || drop.Last != 21 || drop.Confirmed.Or(-1) != 17 || drop.Start.Threshold.Or(0) != 58 {
		t.Errorf("the drop is %+v; want runs 16 to 21, confirmed by 17, threshold 58", drop)
	}
	// The replay must say what the gate said on the day.
	for _, e := range b.Episodes {
		if v, _ := PointsGate().Judge(pointsOf(values...), e.First); v != e.Start {
			t.Errorf("the replay says %+v of run %d, the gate said %+v", e.Start, e.First, v)
		}
	}
}

// The replay slides over the series, the gate looks at it anew for each run: they must agree on every run.
func TestReplayIsTheGate(t *testing.T) {
	for kind := range noises {
		points := history(rngOf(1, kind), kind, 150, 70, 0.05)
		gate := PointsGate()
		gate.Window = []int{20, 4}[kind%2] // also one that is narrower than what it learns from
		b, err := gate.Backtest(points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range points {
			inside, confirmed := false, false
			for _, e := range b.Episodes {
				if e.First <= i && i <= e.Last {
					inside, confirmed = true, i > e.First
				}
			}
			v, err := gate.Judge(points, i)
			if err != nil || (v.Outcome == Alarm) != (inside && !confirmed) || (v.Outcome == Regression) != confirmed {
				t.Fatalf("%s, run %d: the gate says %s, %v; the replay: alarm %v, confirmed %v", noises[kind].name, i, v.Outcome, err, inside, confirmed)
			}
		}
	}
}

func TestPropose(t *testing.T) {
	// Three drops of two runs each: by 3, 5 and 7 points; 100 quiet runs in all.
	var values []float64
	for _, drop := range []float64{3, 5, 7} {
		values = append(values, level(28, 60)...)
		values = append(values, 60-drop, 60-drop-0.5)
	}
	values = append(values, level(18, 60)...) // 108 runs, 100 of them judged
	series := [][]Point{pointsOf(values...)}
	cases := []struct {
		reason      string
		target      float64
		floor       float64
		regressions int
	}{
		{"none at all: above the largest", 0, 7, 0},
		{"one in a hundred", 1, 5, 1},
		{"a target between two rates takes the safer one", 1.9, 5, 1},
		{"two", 2, 3, 2},
		{"all three are allowed: no floor is needed", 3, 0, 3},
	}
	for _, c := range cases {
		p, err := PointsGate().Propose(context.Background(), series, c.target)
		if err != nil {
			t.Fatal(err)
		}
		if p.Floor != c.floor || p.Regressions != c.regressions || p.RegressionsNow != 3 || p.Runs != 100 || p.Rate != float64(c.regressions) || p.Finest != 1 {
			t.Errorf("%s: Propose(%v) = %+v; want floor %v with %d regressions of 3 in 100 runs", c.reason, c.target, p, c.floor, c.regressions)
		}
		g := PointsGate()
		g.Floor = p.Floor
		if b, _ := g.Backtest(series[0]); b.Regressions() != c.regressions {
			t.Errorf("%s: with the floor %v the replay has %d regressions, promised were %d", c.reason, p.Floor, b.Regressions(), c.regressions)
		}
	}
	// The end of one series and the start of the next are no neighbors.
	if p, err := PointsGate().Propose(context.Background(), [][]Point{pointsOf(append(level(8, 60), 50)...), pointsOf(append(level(8, 60), 50)...)}, 0); err != nil || p.Floor != 0 {
		t.Errorf("Propose over two series with an unconfirmed alarm each = %+v, %v; want floor 0", p, err)
	}
	for _, c := range []struct {
		points []Point
		target float64
		want   string
	}{
		{pointsOf(level(8, 1)...), 1, "no series has more than 8 runs, so there is nothing to replay the gate over; add runs first"},
		{pointsOf(level(20, 1)...), -1, "a target of -1 false alarms per 100 runs is not possible; use a number from 0 to 100, as in 0.5"},
	} {
		if _, err := PointsGate().Propose(context.Background(), [][]Point{c.points}, c.target); err == nil || err.Error() != c.want {
			t.Errorf("Propose says %v, want %s", err, c.want)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := PointsGate().Propose(stopped, series, 1); err != context.Canceled {
		t.Errorf("Propose with a cancelled context says %v", err)
	}
}

// The proposal must hold on any history: replayed with the floor, the rate is met.
func TestProposeHoldsOnNoise(t *testing.T) {
	for kind, noise := range noises {
		for _, gate := range []Gate{PointsGate(), RelativeGate()} {
			gate.Direction = Both
			var series [][]Point
			for i := range 20 {
				series = append(series, history(rngOf(kind, i), kind, 108, 60, 0.04))
			}
			for _, target := range []float64{0, 0.2, 1} {
				p, err := gate.Propose(context.Background(), series, target)
				if err != nil {
					t.Fatal(err)
				}
				replay := gate
				replay.Floor = p.Floor
				n := 0
				for _, s := range series {
					b, err := replay.Backtest(s)
					if err != nil {
						t.Fatal(err)
					}
					n += b.Regressions()
				}
				if n != p.Regressions || p.Rate > target+1e-9 {
					t.Errorf("%s, target %v: floor %v promises %d regressions (rate %v), the replay has %d", noise.name, target, p.Floor, p.Regressions, p.Rate, n)
				}
			}
		}
	}
}

func TestChangePointDetails(t *testing.T) {
	// Ten runs at 60 and ten at 50, with a little noise that sums to nothing: by hand both variances are 0.01, so that
	// t = 10 / sqrt(0.01 * 2/10) = 223.6.
	var values []float64
	for i := range 20 {
		v := 60 + 0.1*float64(1-2*(i%2))
		if i >= 10 {
			v -= 10
		}
		values = append(values, v)
	}
	got, err := ChangePoints(pointsOf(values...), DefaultParams())
	if err != nil || len(got) != 1 {
		t.Fatalf("ChangePoints = %+v, %v; want one", got, err)
	}
	c := got[0]
	if c.Index != 10 || !c.Time.Equal(day(10)) || c.Before != 10 || c.After != 10 || apart(c.MeanBefore, 60) > 1e-12 ||
		apart(c.MeanAfter, 50) > 1e-12 || apart(c.Magnitude, 0.2) > 1e-12 || !(c.P > 0 && c.P < 1e-25) {
		t.Errorf("the change point is %+v; want index 10, 60 to 50, magnitude 0.2", c)
	}
}

func TestChangePointsOfOddSeries(t *testing.T) {
	cases := []struct {
		reason string
		values []float64
		want   []int
	}{
		{"no point, no change", nil, nil},
		{"one point", []float64{5}, nil},
		{"two points never suffice", []float64{5, 500}, nil},
		{"a constant series", level(200, 62.7), nil},
		{"a step without any noise has p = 0", append(level(30, 60), level(30, 50)...), []int{30}},
		{"from zero: the mean before has no relative change", append(level(30, 0), level(30, 50)...), []int{30}},
		{"from below zero to above", append(level(30, -5), level(30, 5)...), []int{30}},
		{"huge values do not overflow to a change", level(60, 1e300), nil},
	}
	for _, c := range cases {
		got, err := ChangePoints(pointsOf(c.values...), DefaultParams())
		if err != nil || len(got) != len(c.want) || len(got) > 0 && got[0].Index != c.want[0] {
			t.Errorf("%s: ChangePoints = %+v, %v; want %v", c.reason, got, err, c.want)
		}
	}
}

func TestMinSegment(t *testing.T) {
	// Two runs on a new level at the end: too few to be one when segments have three.
	values := append(level(20, 60), 40, 40)
	for i := range values {
		values[i] += 0.01 * float64(i%3)
	}
	params := DefaultParams()
	if got, _ := ChangePoints(pointsOf(values...), params); len(got) != 1 || got[0].Index != 20 || got[0].After != 2 {
		t.Errorf("any segment: %+v; want 20, with two points after it", got)
	}
	params.MinSegment = 3
	if got, _ := ChangePoints(pointsOf(values...), params); len(got) != 0 {
		t.Errorf("segments of three: %+v; want none", got)
	}
	values = append(values, 40)
	if got, _ := ChangePoints(pointsOf(values...), params); len(got) != 1 || got[0].Index != 20 || got[0].After != 3 {
		t.Errorf("segments of three, three on the new level: %+v; want 20", got)
	}
	step := append(level(20, 60), level(20, 50)...)
	if got, _ := ChangePoints(pointsOf(step...), params); len(got) != 1 || got[0].Index != 20 {
		t.Errorf("a step with segments of three: %+v; want 20", got)
	}
}

func TestParamsRefuse(t *testing.T) {
	cases := []struct {
		params Params
		want   string
	}{
		{Params{}, "a change point window of 0 points"},
		{Params{Window: 1001, P: 0.001}, "a change point window of 1001 points is not possible; use 4 to 1000 (50 is the default)"},
		{Params{Window: 50, P: 0}, "a p of 0 is not possible"},
		{Params{Window: 50, P: math.NaN()}, "a p of NaN is not possible"},
		{Params{Window: 50, P: 0.1, Magnitude: -1}, "a change point magnitude of -1 is not possible"},
		{Params{Window: 50, P: 0.1, MinSegment: 26}, "a least segment of 26 points is not possible; use 0 to half the window (25)"},
	}
	for _, c := range cases {
		if _, err := ChangePoints(nil, c.params); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.params, err, c.want)
		}
	}
	if _, err := ChangePoints(pointsOf(1, math.Inf(1)), DefaultParams()); err == nil || !strings.HasPrefix(err.Error(), "point 1 of the series is +Inf") {
		t.Errorf("an infinite point: %v", err)
	}
}

// FuzzChangePoints: any series gives ascending indices inside it and real figures.
func FuzzChangePoints(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 201, 202, 203, 204}, uint8(10), uint8(0))
	f.Add([]byte{0, 0, 0, 0, 9, 9, 9, 9}, uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, window, segment uint8) {
		params := Params{Window: int(window), P: 0.05, MinSegment: int(segment)}
		if params.Validate() != nil || len(data) > 400 {
			return
		}
		values := make([]float64, len(data))
		for i, b := range data {
			values[i] = float64(int8(b))
		}
		got, err := ChangePoints(pointsOf(values...), params)
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for _, c := range got {
			if c.Index <= last || c.Index >= len(values) || !(c.P < params.P) || math.IsNaN(c.Magnitude) || min(c.Before, c.After) < params.MinSegment {
				t.Fatalf("%+v of %d values", c, len(values))
			}
			last = c.Index
		}
	})
}
