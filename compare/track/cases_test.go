package track_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// caseValue is a kernel's occupancy in one run of a gate case.
type caseValue struct {
	name   string
	value  float64
	driver string
	local  int64
}

// TestGateCases checks the gate on past problems: histories in which a gate was
// too late, did not notice a drop, or failed for too long. Runs are counted
// from 1.
func TestGateCases(t *testing.T) {
	quiet := []caseValue{{name: "b", value: 49.1}, {name: "c", value: 60.2}, {name: "d", value: 97.9},
		{name: "e", value: 61.1}}
	others := func(n int, level, noise float64, rng *rand.Rand) (list []caseValue) {
		for k := range n {
			list = append(list, caseValue{name: fmt.Sprintf("k%02d", k), value: level + noise*rng.NormFloat64()})
		}
		return list
	}
	in := func(i, from, to int) bool { return i >= from && i < to }
	low := func(is bool, points float64) float64 {
		if is {
			return points
		}
		return 0
	}
	for _, c := range []struct {
		name   string
		runs   int
		values func(i int, rng *rand.Rand) []caseValue
		branch func(i int) string
		fails  [][2]int // ranges of runs that fail, first to last
		passes [][2]int
		first  int // first bad run in the last failing check; 0 for any
	}{
		{name: "a drop after ten quiet runs fails with its second run", runs: 20, first: 11,
			values: func(i int, _ *rand.Rand) []caseValue {
				return append([]caseValue{{name: "a", value: 58.3 + float64(i%3)/10 - low(i >= 10, 15)}}, quiet...)
			}, fails: [][2]int{{12, 20}}, passes: [][2]int{{9, 11}}},
		{name: "a low run after a recovery does not keep the check failing", runs: 60,
			values: func(i int, rng *rand.Rand) []caseValue {
				z := []float64{0.3, -0.8, 1.1, -0.4, 0.9, -1.2, 0.1, 0.6, -0.5, -0.1}[i%10]
				v := 62 + 2*z - low(in(i, 20, 26), 10)
				if i == 29 {
					v = 56.4
				}
				return append(others(9, 70, 2, rng), caseValue{name: "a", value: v})
			}, fails: [][2]int{{23, 26}}, passes: [][2]int{{33, 60}}},
		{name: "a recovery with a new driver closes the finding", runs: 48,
			values: func(i int, rng *rand.Rand) []caseValue {
				driver := "24.1"
				if i >= 24 {
					driver = "24.2"
				}
				list := append(others(2, 70, 0.2, rng), caseValue{name: "a", value: 90 - low(in(i, 20, 24), 10) + 0.2*rng.NormFloat64()})
				for k := range list {
					list[k].driver = driver
				}
				return list
			}, fails: [][2]int{{22, 24}}, passes: [][2]int{{27, 48}}},
		{name: "another launch size that was taken back closes the finding", runs: 48,
			values: func(i int, rng *rand.Rand) []caseValue {
				a := caseValue{name: "a", value: 90 - low(in(i, 20, 24), 10) + 0.2*rng.NormFloat64(), local: 256}
				if in(i, 20, 24) {
					a.local = 512
				}
				return append(others(2, 70, 0.2, rng), a)
			}, fails: [][2]int{{22, 24}}, passes: [][2]int{{32, 48}}},
		{name: "another launch size fixes a drop", runs: 48,
			values: func(i int, rng *rand.Rand) []caseValue {
				a := caseValue{name: "a", value: 90 - low(in(i, 20, 24), 10) + 0.2*rng.NormFloat64(), local: 256}
				if i >= 24 {
					a.local = 512
				}
				return append(others(2, 70, 0.2, rng), a)
			}, fails: [][2]int{{22, 24}}, passes: [][2]int{{27, 48}}},
		{name: "a regression that was fixed does not delay the next one", runs: 140, first: 131,
			values: func(i int, rng *rand.Rand) []caseValue {
				a := 80 + 0.1*rng.NormFloat64() - low(in(i, 30, 36), 8) - low(i >= 130, 20)
				return append(others(7, 60, 0.1, rng), caseValue{name: "a", value: a})
			}, fails: [][2]int{{32, 36}, {132, 140}}, passes: [][2]int{{37, 40}, {126, 131}}},
		{name: "a flaky node in single runs hides no drop", runs: 60, first: 51,
			values: func(i int, rng *rand.Rand) []caseValue {
				list := others(40, 60, 0.1, rng)
				for k := range list {
					list[k].value -= low(i == 20 || i == 38, 12)
				}
				list[3].value -= low(i >= 50, 6)
				return list
			}, fails: [][2]int{{52, 60}}, passes: [][2]int{{20, 24}, {49, 51}}},
		{name: "all kernels drop twice", runs: 70, first: 61,
			values: func(i int, rng *rand.Rand) []caseValue {
				list := others(40, 60, 0.4, rng)
				for k := range list {
					list[k].value -= low(in(i, 30, 36) || i >= 60, 8)
				}
				return list
			}, fails: [][2]int{{62, 70}}, passes: [][2]int{{59, 61}}},
		{name: "a driver costs all kernels some points during another drop", runs: 50, first: 31,
			values: func(i int, rng *rand.Rand) []caseValue {
				list := others(10, 60, 0.3, rng)
				for k := range list {
					list[k].value -= low(in(i, 20, 36), 8) + low(i >= 30, 3)
					list[k].driver = "25.10"
					if i >= 30 {
						list[k].driver = "25.11"
					}
				}
				return list
			}, fails: [][2]int{{22, 50}}},
		{name: "a drop in the first week", runs: 16, first: 5,
			values: func(i int, rng *rand.Rand) []caseValue {
				return append([]caseValue{{name: "a", value: 58.4 - low(i >= 4, 15) + 0.1*rng.NormFloat64()}}, quiet...)
			}, fails: [][2]int{{8, 16}}},
		{name: "a drop with the seventh run", runs: 16, first: 7,
			values: func(i int, rng *rand.Rand) []caseValue {
				return append([]caseValue{{name: "a", value: 58.4 - low(i >= 6, 15) + 0.1*rng.NormFloat64()}}, quiet...)
			}, fails: [][2]int{{9, 16}}},
		{name: "a branch fails with its second run", runs: 33,
			values: func(i int, rng *rand.Rand) []caseValue {
				list := others(40, 60, 0.5, rng)
				for _, k := range []int{5, 18, 31} { // the kernel has two modes
					list[k].value -= low((i*7+k)%10 < 3, 5)
				}
				list[7].value -= low(i >= 30, 10)
				return list
			}, branch: func(i int) string {
				if i >= 30 {
					return "pr"
				}
				return ""
			}, fails: [][2]int{{32, 33}}, passes: [][2]int{{30, 31}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			var runs []history.Run
			for i := range c.runs {
				r := history.Run{Device: "max1100"}
				if c.branch != nil {
					r.Branch = c.branch(i)
				}
				for _, v := range c.values(i, rng) {
					row := kernelRow(v.name, math.Round(10*v.value)/10)
					row.Device, row.Driver, row.Local = "max1100", v.driver, unit.Size(max(v.local, 128))
					r.Rows, r.Driver = append(r.Rows, row), v.driver
				}
				runs = append(runs, r)
			}
			db, m := storeRuns(t, runs...), metric(t, "measured", 0)
			failing := func(run int) (first int64, fails bool) {
				found := check(t, db, run, m)
				for _, s := range found.Series {
					if !s.Ended && s.Outcome() == trend.Regression {
						first, fails = s.FirstBad.Run, true
					}
				}
				seen := map[string]bool{}
				for _, s := range found.Series {
					if seen[s.Key.Task] {
						t.Errorf("run %d: %s has two rows", run, s.Key.Name())
					}
					seen[s.Key.Task] = true
				}
				return first, fails
			}
			for want, list := range map[bool][][2]int{true: c.fails, false: c.passes} {
				for _, span := range list {
					for run := span[0]; run <= span[1]; run++ {
						first, fails := failing(run)
						if fails != want {
							t.Errorf("run %d: fails is %v, want %v", run, fails, want)
						} else if run == c.runs && c.first > 0 && first != int64(c.first) {
							t.Errorf("run %d: the first bad run is %d, want %d", run, first, c.first)
						}
					}
				}
			}
		})
	}
}
