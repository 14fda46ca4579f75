package diff

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// mirrors maps each verdict to its verdict when the sides are swapped. Other
// verdicts do not change.
var mirrors = map[Verdict]Verdict{Regression: Improvement, Improvement: Regression, Faster: Slower, Slower: Faster,
	SlowerSame: FasterSame, FasterSame: SlowerSame, OnlyOld: OnlyNew, OnlyNew: OnlyOld}

// TestSwappedSides compares random sides in both orders, and with their runs in
// another order, because no rule may depend on an order.
func TestSwappedSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 1))
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	side := func(runs int) (list []*compare.Result) {
		x := fan2(func(x *k) {
			x.idle, x.seconds = pick(0, 10, 40), pick(0, 0.001, 0.00109, 0.00111, 0.0015)
			x.simd, x.predicted = int(pick(16, 32, 32, 32)), pick(0, 50, 99.5)
		})
		level := pick(-1, 40, 44, 50, 60, 75)
		for range runs {
			if x.measured = level; level > 0 {
				x.measured += rng.NormFloat64()
			}
			r := diffRun(x)
			r.Rows[0].Certainty.Exact = rng.IntN(4) > 0
			r.Rows[0].Certainty.Misattributed = unit.Some(unit.Ratio(pick(0, 0, 0.9)))
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
		slices.Reverse(a)
		if again := compareTwo(a, b, DefaultOptions()).Rows[0].Verdict; again != there {
			t.Fatalf("%d runs: %s, and %s with the old runs in another order", runs, there, again)
		}
		want, ok := mirrors[there]
		if !ok {
			want = there
		}
		if back != want {
			t.Fatalf("%d runs: %s one way, %s the other; want %s\n%+v\n%+v", runs, there, back, want, a[0].Rows[0], b[0].Rows[0])
		}
	}
	for _, v := range []Verdict{Regression, Improvement, Faster, Slower, SlowerSame, FasterSame, Unchanged, Inconclusive, ChangedLaunch, NotComparable} {
		if seen[v] == 0 {
			t.Errorf("no random pair is %q", v)
		}
	}
}

// TestReversed checks when the sides count as reversed: all old runs were
// collected after all new runs. Times are in hours; 0 is unknown.
func TestReversed(t *testing.T) {
	for _, c := range []struct {
		reason       string
		older, newer []int
		want         bool
	}{
		{"the old side is older", []int{1, 2}, []int{3}, false},
		{"the old side is newer", []int{3, 4}, []int{1, 2}, true},
		{"the times overlap", []int{1, 4}, []int{2, 3}, false},
		{"a time that is unknown is not early", []int{2}, []int{0}, false},
		{"the known times decide", []int{0, 3}, []int{2, 0}, true},
	} {
		var sides [2][]*compare.Result
		for i, hours := range [][]int{c.older, c.newer} {
			for _, h := range hours {
				r := diffRun(fan2(nil))
				if h > 0 {
					r.Platform.Collected = time.Unix(0, 0).Add(time.Duration(h) * time.Hour)
				}
				sides[i] = append(sides[i], r)
			}
		}
		if got := compareTwo(sides[0], sides[1], DefaultOptions()).Reversed(); got != c.want {
			t.Errorf("%s: reversed is %v", c.reason, got)
		}
	}
}
