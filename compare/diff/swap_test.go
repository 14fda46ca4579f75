package diff

import (
	"math/rand/v2"
	"testing"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// mirrors has the verdict of each verdict when the sides are swapped. The
// others stay.
var mirrors = map[Verdict]Verdict{Regression: Improvement, Improvement: Regression, Faster: Slower, Slower: Faster,
	OnlyOld: OnlyNew, OnlyNew: OnlyOld}

// TestSwappedSides compares random sides in both orders: no rule depends on
// which side is the old one.
func TestSwappedSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 1))
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	side := func(runs int) (list []*compare.Result) {
		x := fan2(func(x *k) {
			x.idle, x.seconds = pick(0, 10, 40), pick(0, 0.001, 0.00109, 0.00111, 0.0015)
			x.simd, x.predicted = int(pick(16, 32, 32, 32)), pick(0, 50, 99.5)
		})
		level, exact := pick(-1, 40, 44, 50, 60, 75), rng.IntN(4) == 0
		for range runs {
			if x.measured = level; level > 0 {
				x.measured += rng.NormFloat64()
			}
			r := diffRun(x)
			r.Rows[0].Certainty.Exact = exact
			r.Rows[0].Certainty.Crosstalk = unit.Some(unit.Ratio(pick(0, 0, 0.9)))
			list = append(list, r)
		}
		return list
	}
	seen := map[Verdict]int{}
	for range 4000 {
		runs := []int{1, 4, 6}[rng.IntN(3)]
		a, b := side(runs), side(runs)
		there := compareTwo(a, b, DefaultOptions()).Rows[0].Verdict
		back := compareTwo(b, a, DefaultOptions()).Rows[0].Verdict
		seen[there]++
		want, ok := mirrors[there]
		if !ok {
			want = there
		}
		if back != want {
			t.Fatalf("%d runs: %s one way, %s the other; want %s\n%+v\n%+v", runs, there, back, want, a[0].Rows[0], b[0].Rows[0])
		}
	}
	for _, v := range []Verdict{Regression, Improvement, Faster, Slower, Unchanged, CannotTell, ChangedLaunch, NotComparable} {
		if seen[v] == 0 {
			t.Errorf("no random pair is %q", v)
		}
	}
}
