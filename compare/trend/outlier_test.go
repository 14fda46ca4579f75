package trend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// panel returns a panel with the given numbers of kernels and runs. Each kernel
// has its own level.
func (n kind) panel(rng *rand.Rand, runs, kernels int) Panel {
	machine := make([]float64, runs)
	p := make(Panel, kernels)
	for k := range p {
		next, at := n.make(rng, k, machine), 30+60*rng.Float64()
		for run := range runs {
			p[k] = append(p[k], at+next(run))
		}
	}
	return p
}

var points = func() Gate { g := PointsGate(); g.Floor = 2; return g }()

// TestOutliers checks small panels that were made by hand.
func TestOutliers(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		reason string
		panel  Panel

		want string
	}{
		{"nothing at all", nil, "[]"},
		{"alike", Panel{{90, 90, 90, 90}, {80, 80, 80, 80}}, "[]"},
		{"a run is off in all of its kernels", Panel{{90, 90, 90, 80}, {80, 80, 80, 70}, {70, 70, 70, 60}}, "[-1/3 -10]"},
		{"within the floor", Panel{{90, 90, 90, 88}, {80, 80, 80, 78}, {70, 70, 70, 68}}, "[]"},
		{"two have no level", Panel{{90, 10}, {80, 10}}, "[]"},
		{"a run without values is not an outlier", Panel{{90, 90, 90, none}, {80, 80, 80, none}}, "[]"},
		{"one value among kernels that never vary", Panel{{90, 90, 90, 90, 90, 90}, {70, 70, 70, 70, 70, 70}, {80, 80, 60, 80, 80, 80}}, "[2/2 -20]"},
		{"three runs of three levels", Panel{{90, 80, 70}, {60, 50, 40}, {50, 40, 30}}, "[]"},
	} {
		_, found, _ := FindOutliers(c.panel, points, true)
		if got := asidesText(found); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

func asidesText(found []Outlier) string {
	list := []string{}
	for _, f := range found {
		list = append(list, fmt.Sprintf("%d/%d %+.0f", f.Row, f.Run, f.Off))
	}
	return fmt.Sprint(list)
}

// TestOutliersWholeRunsFirst checks 24 nodes: two nodes are 20 points low in
// all kernels, and a third node is low in one kernel.
func TestOutliersWholeRunsFirst(t *testing.T) {
	p := normal(1.2).panel(rand.New(rand.NewPCG(3, 4)), 24, 20)
	for k := range p {
		p[k][5] -= 20
		p[k][17] -= 25
	}
	p[7][2] -= 15
	_, found, _ := FindOutliers(p, points, true)
	if len(found) != 3 || found[0].Run != 17 || found[1].Run != 5 || found[0].Row >= 0 || found[2].Run != 2 || found[2].Row != 7 {
		t.Errorf("found %s, want run 17 before run 5, and then kernel 7 of run 2", asidesText(found))
	}
}

// TestOutliersOfTwoKernels checks 24 nodes: two nodes are low in one kernel,
// and two other nodes are low in another kernel. The farther pair must not hide
// the nearer pair.
func TestOutliersOfTwoKernels(t *testing.T) {
	p := students(1.2).panel(rand.New(rand.NewPCG(3, 4)), 24, 20)
	p[7][2] -= 60
	p[7][5] -= 40
	p[3][8] -= 20
	p[3][9] -= 19
	if _, found, _ := FindOutliers(p, points, true); len(found) != 4 || found[3].Row != 3 {
		t.Errorf("found %s, want two values of kernel 7 and two of kernel 3", asidesText(found))
	}
}

// TestOutliersOfFolders simulates folders of runs. Without a difference, a run is
// reported as an outlier in about one of 100 folders. Runs that are 10 spreads
// low must be reported. OCCUDIFF_TEST=all prints the table for docs/design/gate-rule.md.
func TestOutliersOfFolders(t *testing.T) {
	sizes, folders := [][2]int{{6, 20}, {12, 20}}, 20
	if long() > 0 {
		sizes, folders = [][2]int{{6, 5}, {6, 20}, {6, 100}, {12, 5}, {12, 20}, {24, 5}, {24, 20}, {24, 100}, {48, 5}, {48, 20}}, 200*long()
	}
	type cells = [][2]int // pairs of kernel and run; kernel -1 stands for all kernels
	cases := []struct {
		name  string
		low   cells
		least map[string]int // smallest number of found runs out of 100, by noise; other noises are not checked
	}{
		{"no difference", nil, nil},
		{"one run, one kernel", cells{{0, 1}}, map[string]int{"normal 0.3": 20, "normal 2": 20}},
		{"two runs, one kernel", cells{{0, 1}, {0, 2}}, map[string]int{"normal 0.3": 80, "normal 2": 80}},
		{"one run, all kernels", cells{{-1, 1}}, map[string]int{"normal 0.3": 99, "normal 2": 99, "student 2": 99}},
		{"two runs, all kernels", cells{{-1, 1}, {-1, 2}}, map[string]int{"normal 0.3": 90, "normal 2": 90, "student 2": 90}},
	}
	for _, n := range []struct {
		kind
		spread float64
	}{{normal(0.3), 0.3}, {normal(2), 2}, {students(2), 2}, {outliers(2), 2}} {
		for _, size := range sizes {
			rng := rand.New(rand.NewPCG(uint64(size[0]), uint64(size[1])))
			line := fmt.Sprintf("| %d x %d | %s |", size[0], size[1], n.name)
			for _, c := range cases {
				named, others := 0, 0
				for range folders {
					p := n.panel(rng, size[0], size[1])
					for _, cell := range c.low {
						for k := range p {
							if k == cell[0] || cell[0] < 0 {
								p[k][cell[1]] -= 10 * n.spread
							}
						}
					}
					_, found, _ := FindOutliers(p, points, true)
					isLow := func(f Outlier) bool { return slices.Contains(c.low, [2]int{f.Row, f.Run}) }
					low := len(found)
					if found = slices.DeleteFunc(found, isLow); low-len(found) == len(c.low) {
						named++
					}
					others += count(len(found) > 0)
				}
				if c.low == nil {
					line += fmt.Sprintf(" %.1f |", 100*float64(others)/float64(folders))
				} else {
					line += fmt.Sprintf(" %.0f |", 100*float64(named)/float64(folders))
				}
				if float64(others) > 0.04*float64(folders)+1 && n.name != "outliers 2" || 100*named < c.least[n.name]*folders-50*isqrt(folders) {
					t.Errorf("%s, %d x %d, %s: the low runs were named in %d of %d folders, other runs in %d",
						n.name, size[0], size[1], c.name, named, folders, others)
				}
			}
			t.Log(line)
		}
	}
}

func isqrt(n int) int { return int(math.Sqrt(float64(n))) }

// TestSmallestOutlier checks the size of the smallest single outlier that would
// be found: twice this size is found, and half of it is not.
func TestSmallestOutlier(t *testing.T) {
	for _, size := range [][2]int{{6, 5}, {6, 20}, {12, 5}, {24, 20}} {
		rng := rand.New(rand.NewPCG(uint64(size[0]), 77))
		found := map[float64]int{}
		const folders = 100
		for range folders {
			p := normal(1).panel(rng, size[0], size[1])
			_, _, smallest := FindOutliers(p, points, true)
			at := p[0][1]
			for _, part := range []float64{0.5, 1, 2} {
				p[0][1] = at - part*smallest
				_, list, _ := FindOutliers(p, points, true)
				found[part] += count(slices.ContainsFunc(list, func(f Outlier) bool { return f.Row == 0 && f.Run == 1 }))
			}
		}
		t.Logf("%d x %d: %v", size[0], size[1], found)
		if found[0.5] > folders/10 || found[2] < folders*9/10 {
			t.Errorf("%d x %d: found %v of %d", size[0], size[1], found, folders)
		}
	}
	if _, _, smallest := FindOutliers(Panel{{1, 2, 3}}, points, true); smallest != 0 {
		t.Errorf("three runs: %v, want 0", smallest)
	}
}
