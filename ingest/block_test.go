package ingest

import (
	"math"
	"math/rand/v2"
	"testing"

	"occudiff/ingest/unit"
)

// TestBlockGivesBack puts numbers of each packing in, in every order: the very bits have to come out.
func TestBlockGivesBack(t *testing.T) {
	f := math.Float64bits
	least := f(0.0004725)
	for _, test := range []struct {
		why    string
		column int
		list   []uint64
	}{
		{"all are the same", numberTotal, []uint64{f(1), f(1), f(1)}},
		{"wider and wider", numberThreads, []uint64{0, 255, 256, 1 << 16, 1<<32 - 1, 1 << 32, math.MaxInt64}},
		{"narrower than the first", numberThreads, []uint64{1 << 40, 0, 1}},
		{"a line before the first, of a run that was merged", numberLine, []uint64{900, 901, 1155, 1156, 899, 902}},
		{"shares of one decimal", numberMeasured, []uint64{f(0), f(62.7 / 100), f(1), f(100.5 / 100)}},
		{"a share in full after short ones", numberIdle, []uint64{f(62.7 / 100), f(62.71 / 100), f(0.5)}},
		{"a share in full before short ones", numberIdle, []uint64{f(1. / 3), f(62.7 / 100), f(0.5)}},
		{"a share beyond the list of short ones", numberIdle, []uint64{f(0.5), f(102.4 / 100), f(0.4)}},
		{"times to the nanosecond", numberMean, []uint64{f(0.000472), least, f(0.000000001), f(4.294967296)}},
		{"a mean that no clock shows", numberMean, []uint64{f(0.000472), f(1. / 3), f(0.000473)}},
		{"a time beyond what an integer holds", numberTotal, []uint64{f(1), f(1e300), f(2)}},
		{"no number at all", numberTotal, []uint64{f(1), f(math.NaN()), f(math.Inf(1)), f(math.Copysign(0, -1)), f(-1)}},
		{"a share that is none", numberIdle, []uint64{f(0.1), f(math.NaN()), f(math.Inf(-1)), f(-0.1)}},
	} {
		for _, turn := range []int{1, -1} {
			var b block
			n := len(test.list)
			want := func(i int) uint64 { return test.list[(i*turn%n+n)%n] }
			for i := range blockRows {
				v := [numbers]uint64{numberShape: uint64(i % 3)}
				v[test.column] = want(i)
				b.set(i, &v)
			}
			var v [numbers]uint64
			v[test.column] = least
			b.set(7, &v)
			for i := range blockRows {
				var got [numbers]uint64
				b.get(i, &got)
				x, shape := want(i), uint64(i%3)
				if i == 7 {
					x, shape = least, 0
				}
				if got[test.column] != x || b.number(i, test.column) != x || got[numberShape] != shape {
					t.Fatalf("%s: row %d is %#x of shape %d, want %#x of %d", test.why, i, got[test.column],
						got[numberShape], x, shape)
				}
			}
		}
	}
}

// TestBlockSize holds what a launch takes: a fifth of its numbers.
func TestBlockSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b block
	for i := range blockRows {
		share := func() uint64 { return math.Float64bits(float64(unit.FromPercent(float64(r.IntN(1000)) / 10))) }
		b.set(i, &[numbers]uint64{numberShape: r.Uint64N(240), numberLine: 1e6 + uint64(i), numberInstances: 1,
			numberTotal:    math.Float64bits(float64(r.IntN(1<<24)) / 1e9),
			numberMeasured: share(), numberActive: share(), numberStalled: share(), numberIdle: share(),
			numberThreads: r.Uint64N(1 << 24)})
	}
	if per := float64(len(b.records)) / blockRows; per > 17 {
		t.Errorf("a row takes %.1f bytes, want at most 17", per)
	}
}
