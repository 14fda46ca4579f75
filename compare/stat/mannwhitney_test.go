package stat

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/aclements/go-moremath/stats"
)

func TestMannWhitney(t *testing.T) {
	long := func(n int, from, step float64) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = from + step*float64(i)
		}
		return xs
	}
	cases := []struct {
		reason string
		a, b   []float64
		u, p   float64
	}{
		// The example of the manual of scipy.stats.mannwhitneyu (age at
		// diagnosis): U1 = 17, exact p = 0.1111111111111111.
		{"scipy's example", []float64{19, 22, 16, 29, 24}, []float64{20, 11, 17, 12}, 17, 1.0 / 9},
		// The example of R's ?wilcox.test (Hollander and Wolfe 1973, p. 69): W
		// = 35, one-sided p = 0.1272 = 382/3003.
		{"R's example", []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}, []float64{1.15, 0.88, 0.90, 0.74, 1.21},
			35, 2 * 382.0 / 3003},
		{"four against four, apart: 2/C(8,4)", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 0, 2.0 / 70},
		{"three against three can never reach 5%: 2/C(6,3)", []float64{1, 2, 3}, []float64{4, 5, 6}, 0, 0.1},
		{"in the middle p is 1", []float64{1, 4}, []float64{2, 3}, 2, 1},
		{"ties, by hand: each side gets the 2 in half of the arrangements, and U is 1 or 3, which are equally far from 2", []float64{1, 1}, []float64{1, 2}, 1, 1},
		{"equal but for a binary fraction, as 90 / (1 - 0.1) and 80 / (1 - 0.2) are", []float64{100, 100, 100, 100},
			[]float64{99.99999999999999, 99.99999999999999, 99.99999999999999, 99.99999999999999}, 8, 1},
		{"a tie except for binary rounding: 0.1 + 0.2 is 0.3", []float64{0.30000000000000004, 1}, []float64{0.3, 2}, 1.5, 1},
		{"as near as a printed digit is apart, at the size of a count", []float64{1e9, 1e9}, []float64{1e9 + 0.1, 1e9 + 0.1}, 0, 1.0 / 3},
		{"all equal: every arrangement is as extreme", []float64{5, 5, 5}, []float64{5, 5}, 3, 1},
		// Computed by hand for U = 0 with 60 values per side: mean 1800, sigma
		// sqrt(60*60*121/12) = 190.5256, z = 1799.5/sigma = 9.44492.
		{"large: normal with continuity correction", long(60, 0, 1), long(60, 100, 1), 0, math.Erfc(1799.5 / math.Sqrt(36300) / math.Sqrt2)},
	}
	for _, c := range cases {
		got, ok := MannWhitney(c.a, c.b)
		if !ok || got.U != c.u || !near(got.P, c.p, 1e-12) {
			t.Errorf("%s: MannWhitney(%v, %v) = %+v, %v; want U %v, p %v", c.reason, c.a, c.b, got, ok, c.u, c.p)
		}
	}
	for _, c := range []struct{ a, b []float64 }{{nil, []float64{1}}, {[]float64{1}, nil}, {[]float64{nan}, []float64{1}}} {
		if got, ok := MannWhitney(c.a, c.b); ok {
			t.Errorf("MannWhitney(%v, %v) = %+v; want none", c.a, c.b, got)
		}
	}
}

// enumerate returns p by assigning all values to the two sides in every
// possible way. The tests compare with it.
func enumerate(a, b []float64) float64 {
	all := append(append([]float64{}, a...), b...)
	u := func(mask uint) (sum float64) {
		for i := range all {
			for j := range all {
				if mask>>i&1 == 1 && mask>>j&1 == 0 {
					switch {
					case all[i] > all[j]:
						sum++
					case all[i] == all[j]:
						sum += 0.5
					}
				}
			}
		}
		return math.Abs(sum - float64(len(a)*len(b))/2)
	}
	seen := u(1<<len(a) - 1)
	extreme, total := 0.0, 0.0
	for mask := uint(0); mask < 1<<len(all); mask++ {
		if bits.OnesCount(mask) == len(a) {
			total++
			if u(mask) >= seen {
				extreme++
			}
		}
	}
	return extreme / total
}

func TestMannWhitneyAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	moremathWrong := 0
	for range 300 {
		a, b := make([]float64, 1+rng.IntN(6)), make([]float64, 1+rng.IntN(6))
		levels := 2 + rng.IntN(20) // few levels cause many ties
		for _, s := range [][]float64{a, b} {
			for i := range s {
				s[i] = float64(rng.IntN(levels))
			}
		}
		want := enumerate(a, b)
		got, ok := MannWhitney(a, b)
		if !ok || !near(got.P, want, 1e-12) {
			t.Fatalf("MannWhitney(%v, %v) = %+v, %v; all arrangements give p = %v", a, b, got, ok, want)
		}
		turned, _ := MannWhitney(b, a)
		if turned.P != got.P || turned.U != float64(len(a)*len(b))-got.U {
			t.Fatalf("MannWhitney(%v, %v) is %+v, turned around %+v", a, b, got, turned)
		}
		r, err := stats.MannWhitneyUTest(a, b, stats.LocationDiffers)
		if err == nil && math.Abs(r.P-want) > 1e-9 {
			moremathWrong++
		}
	}
	// These wrong results are the reason for our own table.
	if moremathWrong == 0 {
		t.Error("go-moremath agrees with the enumeration on ties now and can take over")
	}
	t.Logf("go-moremath's two-sided p differs from the enumeration in %d of 300 samples with ties", moremathWrong)
}

// TestExactAgainstMoremath compares p with go-moremath, which is exact without
// ties for up to 50 values per side.
func TestExactAgainstMoremath(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range [][2]int{{4, 50}, {50, 50}, {20, 31}, {1, 7}} {
		a, b := make([]float64, n[0]), make([]float64, n[1])
		for i := range a {
			a[i] = rng.Float64() + 0.1
		}
		for i := range b {
			b[i] = rng.Float64()
		}
		got, _ := MannWhitney(a, b)
		want, err := stats.MannWhitneyUTest(a, b, stats.LocationDiffers)
		if err != nil || got.U != want.U || !near(got.P, min(1, want.P), 1e-9) {
			t.Errorf("%v: go-moremath gives %+v, %v, the table %+v", n, want, err, got)
		}
	}
	// If only one side has more than 50 values, our p is still exact, but
	// go-moremath uses the normal approximation.
	a, b := []float64{200, 201, 202, 203}, make([]float64, 60)
	for i := range b {
		b[i] = float64(i)
	}
	if got, _ := MannWhitney(a, b); !near(got.P, 2/635376.0, 1e-12) {
		t.Errorf("four above sixty = %+v; want exact, 2/C(64,4) = %v", got, 2/635376.0)
	}
}

func BenchmarkMannWhitneyTies(b *testing.B) {
	x, y := make([]float64, 50), make([]float64, 50)
	for i := range x {
		x[i], y[i] = float64(i/2), float64(i/2+3)
	}
	for b.Loop() {
		MannWhitney(x, y)
	}
}
