package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether two values are equal within a relative tolerance.
func near(got, want, relative float64) bool {
	return got == want || math.Abs(got-want) <= relative*math.Abs(want)
}

var nan, inf = math.NaN(), math.Inf(1)

func TestScalars(t *testing.T) {
	one := func(f func([]float64) (float64, bool)) func([]float64) (float64, bool) { return f }
	cases := []struct {
		name, reason string
		f            func([]float64) (float64, bool)
		in           []float64
		want         float64
		absent       bool
	}{
		{"mean", "by hand: 10/4", one(Mean), []float64{4, 1, 2, 3}, 2.5, false},
		{"mean", "nothing has no mean", one(Mean), nil, 0, true},
		{"mean", "NaN is not a sample", one(Mean), []float64{1, nan}, 0, true},
		{"mean", "an overflow is absent, not infinite", one(Mean), []float64{math.MaxFloat64, math.MaxFloat64}, 0, true},
		{"mean absolute", "by hand: (1+2+3)/3", one(MeanAbsolute), []float64{-1, 2, -3}, 2, false},
		{"max absolute", "by hand: the sign does not count", one(MaxAbsolute), []float64{-7, 2, 3}, 7, false},
		{"max absolute", "nothing has no maximum", one(MaxAbsolute), nil, 0, true},
		{"rmse", "by hand: sqrt((9+16)/2)", one(RMSE), []float64{3, -4}, math.Sqrt(12.5), false},
		{"rmse", "no difference at all is a true zero", one(RMSE), []float64{0, 0}, 0, false},
		{"rmse", "squares above the largest float do not overflow", one(RMSE), []float64{1e200, 1e200}, 1e200, false},
		{"rmse", "nothing has no error", one(RMSE), nil, 0, true},
		// NIST StRD, univariate summary statistics, data set NumAcc1: mean
		// 10000002.
		{"mean", "NIST NumAcc1", one(Mean), []float64{10000001, 10000003, 10000002}, 10000002, false},
		{"geometric mean", "by hand: cube root of 1000", one(GeometricMean), []float64{1, 10, 100}, 10, false},
		{"geometric mean", "a zero would swallow the others", one(GeometricMean), []float64{0, 10}, 0, true},
		{"geometric mean", "negative values have none", one(GeometricMean), []float64{-2, -8}, 0, true},
		{"median", "odd: the middle one", one(Median), []float64{9, 1, 5}, 5, false},
		{"median", "even: the mean of the middle two", one(Median), []float64{9, 1, 5, 6}, 5.5, false},
		{"median", "one value is its own median", one(Median), []float64{0.1}, 0.1, false},
		{"median", "an infinite value is not a sample", one(Median), []float64{1, inf}, 0, true},
		{"median", "nothing has no median", one(Median), []float64{}, 0, true},
		// Wikipedia, "Median absolute deviation", first example: (1, 1, 2, 2,
		// 4, 6, 9) has median 2 and MAD 1.
		{"mad", "the textbook example", one(MAD), []float64{1, 1, 2, 2, 4, 6, 9}, 1, false},
		{"mad", "not scaled: 1 2 3 4 5 has 1, not 1.4826", one(MAD), []float64{5, 4, 3, 2, 1}, 1, false},
		{"mad", "a single value has spread zero, truly", one(MAD), []float64{7}, 0, false},
		{"mad", "nothing has no spread", one(MAD), nil, 0, true},
	}
	for _, c := range cases {
		before := slices.Clone(c.in)
		got, ok := c.f(c.in)
		if ok == c.absent || !near(got, c.want, 1e-14) {
			t.Errorf("%s of %v (%s) = %v, %v; want %v, %v", c.name, c.in, c.reason, got, ok, c.want, !c.absent)
		}
		if !slices.EqualFunc(before, c.in, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("%s changed its input %v to %v", c.name, before, c.in)
		}
	}
}

// TestMedianMADByDefinition computes the MAD by its definition, by sorting the
// deviations, for various lengths and with many ties.
func TestMedianMADByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		xs := make([]float64, 1+rng.IntN(23))
		for i := range xs {
			xs[i] = float64(rng.IntN(12)) / 4
		}
		median, _ := Median(xs)
		off := make([]float64, len(xs))
		for i, x := range xs {
			off[i] = math.Abs(x - median)
		}
		want, _ := Median(off)
		slices.Sort(xs)
		if m, got, ok := MedianMADSorted(xs); !ok || m != median || got != want {
			t.Fatalf("MedianMADSorted(%v) = %v, %v; want %v, %v", xs, m, got, median, want)
		}
	}
	if _, _, ok := MedianMADSorted(nil); ok {
		t.Error("MedianMADSorted of nothing is present")
	}
}

// TestCorrelation checks Anscombe's quartet, in which all four data sets have r
// = 0.816 to three digits. Anscombe, Graphs in Statistical Analysis, 1973.
func TestCorrelation(t *testing.T) {
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	cases := []struct {
		name, reason string
		f            func(x, y []float64) (float64, bool)
		x, y         []float64
		want, within float64
		ok           bool
	}{
		{"pearson", "R: cor(anscombe$x1, anscombe$y1)", Pearson, x, y, 0.81642051634484, 1e-13, true},
		// Computed by hand from the rank differences, without ties: 1 -
		// 6*36/(11*120).
		{"spearman", "R: cor(..., method='spearman')", Spearman, x, y, 0.818181818181818, 1e-13, true},
		// Computed by hand: ranks 1, 2.5, 2.5, 4 and 1..4 have correlation
		// 4.5/sqrt(4.5*5).
		{"spearman", "ties have their average rank", Spearman, []float64{1, 2, 2, 3}, []float64{1, 2, 3, 4}, 4.5 / math.Sqrt(22.5), 1e-14, true},
		{"spearman", "any rising curve is 1", Spearman, []float64{1, 2, 3}, []float64{1, 10, 1000}, 1, 0, true},
		{"pearson", "falling line", Pearson, []float64{1, 2, 3}, []float64{3, 2, 1}, -1, 0, true},
		{"pearson", "a constant correlates with nothing, though its mean is not exactly 0.1", Pearson, []float64{.1, .1, .1}, []float64{1, 2, 3}, 0, 0, false},
		{"spearman", "a constant has no ranks to speak of", Spearman, []float64{1, 2, 3}, []float64{4, 4, 4}, 0, 0, false},
		{"pearson", "one pair", Pearson, []float64{1}, []float64{1}, 0, 0, false},
		{"spearman", "lengths differ", Spearman, []float64{1, 2}, []float64{1}, 0, 0, false},
		{"spearman", "NaN has no rank", Spearman, []float64{1, nan}, []float64{1, 2}, 0, 0, false},
	}
	for _, c := range cases {
		got, ok := c.f(c.x, c.y)
		if ok != c.ok || math.Abs(got-c.want) > c.within {
			t.Errorf("%s (%s) = %v, %v; want %v, %v", c.name, c.reason, got, ok, c.want, c.ok)
		}
	}
}

func TestRanks(t *testing.T) {
	got := ranks([]float64{30, 10, 30, 20, 30})
	if want := []float64{4, 1, 4, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("ranks = %v, want %v: three share ranks 3 to 5", got, want)
	}
}

// TestMedianInterval checks confidences that follow by hand from the binomial
// distribution with p = 1/2: n = 6 is 1 - 2/64, n = 10 with ranks 2 and 9 is 1
// - 2*11/1024, and n = 20 with ranks 6 and 15 is 1 - 2*21700/2^20.
func TestMedianInterval(t *testing.T) {
	upTo := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[n-1-i] = float64(i + 1)
		}
		return xs
	}
	cases := []struct {
		reason     string
		xs         []float64
		confidence float64
		want       Interval
		ok         bool
	}{
		{"five values reach 93.75% only", upTo(5), 0.95, Interval{}, false},
		{"six: smallest to largest", upTo(6), 0.95, Interval{1, 6, 1 - 2.0/64}, true},
		{"seven values do not reach 99%", upTo(7), 0.99, Interval{}, false},
		{"eight do", upTo(8), 0.99, Interval{1, 8, 1 - 2.0/256}, true},
		{"ten: ranks 2 and 9", upTo(10), 0.95, Interval{2, 9, 1 - 22.0/1024}, true},
		{"twenty: ranks 6 and 15", upTo(20), 0.95, Interval{6, 15, 1 - 2*21700.0/(1<<20)}, true},
		{"little confidence: of three, ranks 2 and 2 cover nothing", upTo(3), 0.1, Interval{1, 3, 0.75}, true},
		{"three values at 70%", upTo(3), 0.7, Interval{1, 3, 0.75}, true},
		{"no confidence of 100%", upTo(9), 1, Interval{}, false},
		{"nothing", nil, 0.95, Interval{}, false},
	}
	for _, c := range cases {
		got, ok := MedianInterval(c.xs, c.confidence)
		if ok != c.ok || got.Low != c.want.Low || got.High != c.want.High || !near(got.Confidence, c.want.Confidence, 1e-12) {
			t.Errorf("%s: MedianInterval(n=%d, %v) = %+v, %v; want %+v, %v", c.reason, len(c.xs), c.confidence, got, ok, c.want, c.ok)
		}
	}
	if got, ok := MedianInterval(upTo(1_000_001), 0.95); !ok || !near(got.Low, 500001-980, 1e-4) {
		t.Errorf("MedianInterval of a million = %+v, %v; want about 500001 -/+ 980 = 1.96*sqrt(n)/2", got, ok)
	}
}
