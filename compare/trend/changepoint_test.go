package trend

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// distances returns the sum of |a-b| over all pairs of values from two lists,
// or over all pairs within one list.
func distances(a, b []float64) (sum float64) {
	for _, x := range a {
		for _, y := range b {
			sum += math.Abs(x - y)
		}
	}
	return sum
}

// cutOf returns the best cut of an interval by definition. It has the largest
// energy distance between [start, t) and [t, end'), over all t and end'
// (Matteson and James with alpha = 1). For every t after the first, the value 0
// is also compared.
func cutOf(values []float64, start, end int) (index int, q float64, ok bool) {
	for t := start + 1; t < end; t++ {
		if t > start+1 && (!ok || q < 0) {
			index, q, ok = t, 0, true
		}
		for k := t + 1; k <= end; k++ {
			x, y := values[start:t], values[t:k]
			n, m := float64(len(x)), float64(len(y))
			e := 2 / (m + n) * distances(x, y)
			if n > 1 {
				e -= 2 * m / ((m + n) * (n - 1)) * distances(x, x) / 2
			}
			if m > 1 {
				e -= 2 * n / ((m + n) * (m - 1)) * distances(y, y) / 2
			}
			if !ok || e > q+1e-9 {
				index, q, ok = t, e, true
			}
		}
	}
	return index, q, ok
}

// tTest returns p by the definition of the t-test, with population variances.
func tTest(a, b []float64) float64 {
	moments := func(list []float64) (n, mean, variance float64) {
		for _, v := range list {
			mean += v / float64(len(list))
		}
		for _, v := range list {
			variance += (v - mean) * (v - mean) / float64(len(list))
		}
		return float64(len(list)), mean, variance
	}
	n, x, u := moments(a)
	m, y, v := moments(b)
	if n+m <= 2 {
		return 1
	}
	pooled := ((n-1)*u + (m-1)*v) / (n + m - 2)
	t := (x - y) / math.Sqrt(pooled*(1/n+1/m))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n + m - 2}.CDF(-math.Abs(t))
}

// windowOf returns the cuts of a window: it cuts at the best place among all
// intervals while the cut is significant.
func windowOf(values []float64, p float64) (found []int) {
	cuts := [][2]int{{0, len(values)}}
	for {
		best, at, most := -1, 0, 0.0
		for i, c := range cuts {
			if index, q, ok := cutOf(values, c[0], c[1]); ok && (best < 0 || q > most) {
				best, at, most = i, index, q
			}
		}
		if best < 0 {
			break
		}
		c := cuts[best]
		if !(tTest(values[c[0]:at], values[at:c[1]]) <= p) {
			break
		}
		found = append(found, at)
		cuts = slices.Replace(cuts, best, best+1, [2]int{c[0], at}, [2]int{at, c[1]})
	}
	slices.Sort(found)
	return found
}

// TestWindowEqualsDefinition compares the search in a window, which uses
// running sums, with a search that sums over all pairs.
func TestWindowEqualsDefinition(t *testing.T) {
	s := &search{p: 0.01}
	cut := 0
	for seed := range 60 {
		levels := [][2]float64{{float64(3 + seed%9), 60}, {float64(1 + seed%7), 60 - float64(seed%4)*3}, {float64(seed % 11), 60 + float64(seed%3)*4}}
		values := noisy(seed, 1, levels...)
		want := windowOf(values, s.p)
		if got := s.window(values); !slices.Equal(got, want) {
			t.Errorf("seed %d: changes at %v, by the definition at %v", seed, got, want)
		}
		cut += len(want)
	}
	if cut < 30 {
		t.Errorf("only %d cuts: nothing was tested", cut)
	}
}

func TestStudentP(t *testing.T) {
	for seed := range 20 {
		a, b := noisy(seed, 1, [2]float64{float64(2 + seed%5), 60}), noisy(seed+100, 2, [2]float64{float64(1 + seed%9), 60 + float64(seed%6)})
		if got, want := studentP(describe(a), describe(b)), tTest(a, b); math.Abs(got-want) > 1e-9+1e-6*want {
			t.Errorf("%v against %v: p %v, want %v", a, b, got, want)
		}
	}
	for _, c := range []struct {
		why  string
		a, b []float64
		want float64 // NaN if p is undefined
	}{
		{"two points have p = 1", []float64{1}, []float64{9}, 1},
		{"two constant levels differ for sure", []float64{1, 1}, []float64{9, 9}, 0},
		{"two constant equal ones have no p", []float64{1, 1}, []float64{1, 1}, math.NaN()},
		{"equal means are equal", []float64{1, 3}, []float64{1, 3}, 1},
	} {
		got := studentP(describe(c.a), describe(c.b))
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: p %v, want %v", c.why, got, c.want)
		}
	}
	for _, c := range [][3]float64{{10, 20, 1}, {20, 10, 1}, {0, 5, 1}, {5, 0, 1}, {0, 0, 0}, {10, 11, 0.1}} {
		if got := magnitude(c[0], c[1]); math.Abs(got-c[2]) > 1e-9 {
			t.Errorf("from %v to %v: %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// indices returns the places at which the levels change.
func indices(list []ChangePoint) (at []int) {
	for _, c := range list {
		at = append(at, c.Index)
	}
	return at
}

func TestChangePoints(t *testing.T) {
	repeat := func(levels ...[2]float64) []float64 { return noisy(3, 0.3, levels...) }
	with := func(f func(*Params)) Params { p := DefaultParams(); f(&p); return p }
	for _, c := range []struct {
		why    string
		values []float64
		params Params
		want   []int
	}{
		{"nothing", nil, DefaultParams(), nil},
		{"one run", []float64{1}, DefaultParams(), nil},
		{"noise", repeat([2]float64{60, 60}), DefaultParams(), nil},
		{"no noise at all", slices.Repeat([]float64{5}, 40), DefaultParams(), nil},
		{"a step", repeat([2]float64{20, 60}, [2]float64{20, 55}), DefaultParams(), []int{20}},
		{"there and back", repeat([2]float64{20, 60}, [2]float64{10, 55}, [2]float64{20, 60}), DefaultParams(), []int{20, 30}},
		{"steps far apart, over several windows", repeat([2]float64{70, 60}, [2]float64{70, 55}, [2]float64{70, 50}), with(func(p *Params) { p.MinSegment = 3 }), []int{70, 140}},
		{"a small window finds them, too", repeat([2]float64{70, 60}, [2]float64{70, 55}, [2]float64{70, 50}), with(func(p *Params) { p.Window, p.MinSegment = 12, 2 }), []int{70, 140}},
		{"one run far off is a spike", repeat([2]float64{20, 60}, [2]float64{1, 20}, [2]float64{20, 60}), with(func(p *Params) { p.MinSegment = 3 }), nil},
		{"ten runs are a level", repeat([2]float64{20, 60}, [2]float64{10, 50}, [2]float64{20, 60}), with(func(p *Params) { p.MinSegment = 10 }), []int{20, 30}},
		{"a segment of ten is too short for a minimum of eleven", repeat([2]float64{20, 60}, [2]float64{10, 50}, [2]float64{20, 60}), with(func(p *Params) { p.MinSegment = 11 }), nil},
		{"a step of 8% with a magnitude limit of 5%", repeat([2]float64{20, 60}, [2]float64{20, 55}), with(func(p *Params) { p.Magnitude = 0.05 }), []int{20}},
		{"a step of 8% with a magnitude limit of 10%", repeat([2]float64{20, 60}, [2]float64{20, 55}), with(func(p *Params) { p.Magnitude = 0.1 }), nil},
		{"the larger of two steps", repeat([2]float64{20, 60}, [2]float64{20, 58}, [2]float64{20, 40}), with(func(p *Params) { p.Magnitude = 0.1 }), []int{40}},
		{"five runs of ten are no proof at one in a million", noisy(1, 3, [2]float64{5, 60}, [2]float64{5, 55}), with(func(p *Params) { p.P = 1e-6 }), nil},
	} {
		found, err := ChangePoints(c.values, c.params)
		if err != nil || !slices.Equal(indices(found), c.want) {
			t.Errorf("%s: changes at %v, %v; want %v", c.why, indices(found), err, c.want)
			continue
		}
		for i, f := range found {
			from, to := 0, len(c.values)
			if i > 0 {
				from = found[i-1].Index
			}
			if i+1 < len(found) {
				to = found[i+1].Index
			}
			before, after := describe(c.values[from:f.Index]), describe(c.values[f.Index:to])
			if f.Before != before.n || f.After != after.n || f.MeanBefore != before.mean || f.MeanAfter != after.mean ||
				f.P != studentP(before, after) || f.Magnitude != magnitude(before.mean, after.mean) {
				t.Errorf("%s: %+v is not what stands next to it", c.why, f)
			}
		}
	}
}

func TestParamsReject(t *testing.T) {
	for _, c := range []struct {
		change func(*Params)
		want   string // expected error; "" if the parameters are valid
	}{
		{func(p *Params) { p.Window = 3 }, "a change point window of 3 points"}, {func(p *Params) { p.Window = 4 }, ""},
		{func(p *Params) { p.Window = 1000 }, ""}, {func(p *Params) { p.Window = 1001 }, "use 4 to 1000"},
		{func(p *Params) { p.P = 0 }, "a p of 0"}, {func(p *Params) { p.P = 1 }, "a p of 1"}, {func(p *Params) { p.P = 0.99 }, ""},
		{func(p *Params) { p.Magnitude = -0.1 }, "magnitude of -0.1"}, {func(p *Params) { p.Magnitude = math.Inf(1) }, "magnitude of +Inf"},
		{func(p *Params) { p.MinSegment = -1 }, "least segment of -1"}, {func(p *Params) { p.MinSegment = 25 }, ""},
		{func(p *Params) { p.MinSegment = 26 }, "use 0 to half the window (25)"},
	} {
		p := DefaultParams()
		c.change(&p)
		_, err := ChangePoints(nil, p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", p, err, c.want)
		}
	}
	if _, err := ChangePoints([]float64{1, math.Inf(1)}, DefaultParams()); err == nil || !strings.Contains(err.Error(), "point 1 of the series is +Inf") {
		t.Errorf("an infinite value: %v", err)
	}
	for p, want := range map[float64]float64{0.001: 0.01, 0.04: 0.4, 0.05: 0.1, 0.4: 0.8, 0.5: 0.5, 0.9: 0.9} {
		if got := firstPassP(p); math.Abs(got-want) > 1e-12 {
			t.Errorf("the first pass of p %v goes by %v, want %v", p, got, want)
		}
	}
}
