package trend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"occudiff/internal/testenv"
)

// panel makes values of so many kernels over so many runs, each kernel at a level of its own.
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

var folder = FolderBudget()

var points = func() Gate { g := PointsGate(); g.Floor = 2; return g }()

// TestAsides are panels by hand.
func TestAsides(t *testing.T) {
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
		{"a run without values is nowhere", Panel{{90, 90, 90, none}, {80, 80, 80, none}}, "[]"},
		{"three runs of three levels", Panel{{90, 80, 70}, {60, 50, 40}, {50, 40, 30}}, "[]"},
	} {
		_, found := Asides(c.panel, points, folder)
		if got := asidesText(found); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

func asidesText(found []Aside) string {
	list := []string{}
	for _, f := range found {
		list = append(list, fmt.Sprintf("%d/%d %+.0f", f.Row, f.Run, f.Off))
	}
	return fmt.Sprint(list)
}

// TestAsidesWholeRunsFirst: two of 24 nodes are 20 points low in all kernels, and a third in one kernel.
func TestAsidesWholeRunsFirst(t *testing.T) {
	p := normal(1.2).panel(rand.New(rand.NewPCG(3, 4)), 24, 20)
	for k := range p {
		p[k][5] -= 20
		p[k][17] -= 25
	}
	p[7][2] -= 15
	_, found := Asides(p, points, folder)
	if len(found) != 3 || found[0].Run != 17 || found[1].Run != 5 || found[0].Row >= 0 || found[2].Run != 2 || found[2].Row != 7 {
		t.Errorf("found %s, want run 17 before run 5, and then kernel 7 of run 2", asidesText(found))
	}
}

// TestAsidesOfFolders holds the figures of docs/gate.md: of folders in which nothing lies aside at most one in a hundred
// names anything; two of all nodes that are 20 points low are always found and come first; and 10 points in one kernel
// of one node are found in nine of ten folders of 24 nodes where the noise is normal.
func TestAsidesOfFolders(t *testing.T) {
	testenv.Long(t)
	const folders = 1000
	for _, size := range [][2]int{{6, 20}, {24, 20}, {12, 100}} {
		for _, n := range []kind{normal(1.2), students(1.2), outliers(1.2)} {
			rng := rand.New(rand.NewPCG(1, 2))
			named, both, one := 0, 0, 0
			for range folders {
				p := n.panel(rng, size[0], size[1])
				if _, found := Asides(p, points, folder); len(found) > 0 {
					named++
				}
				p[0][1] -= 10
				_, found := Asides(p, points, folder)
				for _, f := range found {
					if f.Row == 0 && f.Run == 1 {
						one++
					}
				}
				p[0][1] += 10
				for k := range p {
					p[k][2] -= 20
					p[k][3] -= 20
				}
				if _, found = Asides(p, points, folder); len(found) > 1 && found[0].Row < 0 && found[1].Row < 0 &&
					found[0].Run+found[1].Run == 5 && found[0].Run*found[1].Run == 6 {
					both++
				}
			}
			share := func(n int) float64 { return 100 * float64(n) / folders }
			t.Logf("%d nodes x %d kernels, %s: %.1f%% named for nothing, two low nodes first in %.1f%%, 10 points in one kernel found in %.1f%%",
				size[0], size[1], n.name, share(named), share(both), share(one))
			if share(named) > 1 || size[0] > 6 && both < folders || size[0] > 6 && n.name == "normal 1.2" && share(one) < 90 {
				t.Errorf("%d x %d, %s: beyond the figures", size[0], size[1], n.name)
			}
		}
	}
}
