package trend

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"occudiff/internal/testenv"
)

type goldenFile struct {
	Series map[string]struct {
		Values []float64
		Runs   []struct {
			Window       int
			MaxPValue    float64 `json:"max_pvalue"`
			MinMagnitude float64 `json:"min_magnitude"`
			ChangePoints []struct {
				Index      int
				P          float64
				MeanBefore float64 `json:"mean_before"`
				MeanAfter  float64 `json:"mean_after"`
			} `json:"change_points"`
		}
	}
}

// readGolden returns the change points that Otava's algorithm finds in real
// series; see "about" in the file.
func readGolden(t testing.TB) goldenFile {
	t.Helper()
	data, err := os.ReadFile(testenv.Shared(t, "golden", "change_points.json"))
	var g goldenFile
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// apart returns the relative distance between two numbers.
func apart(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestGoldenChangePoints(t *testing.T) {
	g := readGolden(t)
	sets, found, worst := 0, 0, 0.0
	for _, name := range slices.Sorted(maps.Keys(g.Series)) {
		s := g.Series[name]
		for _, run := range s.Runs {
			got, err := ChangePoints(s.Values, Params{Window: run.Window, P: run.MaxPValue, Magnitude: run.MinMagnitude})
			if err != nil {
				t.Fatal(err)
			}
			sets++
			var indices, want []int
			for _, c := range got {
				indices = append(indices, c.Index)
			}
			for _, c := range run.ChangePoints {
				want = append(want, c.Index)
			}
			if !slices.Equal(indices, want) {
				t.Errorf("%s, window %d, p %v, magnitude %v: change points at %v, want %v", name, run.Window, run.MaxPValue, run.MinMagnitude, indices, want)
				continue
			}
			for i, c := range run.ChangePoints {
				off := max(apart(got[i].P, c.P), apart(got[i].MeanBefore, c.MeanBefore), apart(got[i].MeanAfter, c.MeanAfter))
				if !(off <= 1e-9) {
					t.Errorf("%s, window %d, index %d: %+v, want %+v", name, run.Window, c.Index, got[i], c)
				}
				worst = max(worst, off)
				found++
			}
		}
	}
	t.Logf("%d series, %d parameter sets, %d change points; largest relative difference %.1e", len(g.Series), sets, found, worst)
	if len(g.Series) != 12 || sets != 96 || found == 0 {
		t.Errorf("read %d series and %d sets, want 12 and 96", len(g.Series), sets)
	}
}
