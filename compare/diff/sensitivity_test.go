package diff

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// TestSensitivityCovers plants a truth in three runs with noise, a thousand times for each truth: the interval holds it in 95 % of
// the trials, whose count scatters by 7.
func TestSensitivityCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, slope := range []float64{0, -0.1, -1} { // of log time over log occupancy: flat, 7 % and 100 % more at half of it
		truth, covered, sum := unit.Ratio(math.Exp2(-slope)-1), 0, 0.0
		const trials = 1000
		for range trials {
			var runs []point
			for _, occupancy := range []float64{95, 50, 25} {
				runs = append(runs, point{measured: occupancy, seconds: 1e-9 * math.Pow(occupancy/95, slope) * math.Exp(r.NormFloat64()*0.01)})
			}
			s := sensitivityOf(runs)
			if s == nil {
				t.Fatal("three runs tell nothing")
			}
			if s.Low <= truth && truth <= s.High {
				covered++
			}
			sum += float64(s.Slower)
		}
		if covered < 930 || covered > 970 || math.Abs(sum/trials-float64(truth)) > 0.002 {
			t.Errorf("slope %v: %d intervals of 1,000 hold %v; the mean is %v", slope, covered, truth, sum/trials)
		}
	}
}

// TestSensitivity are runs by hand.
func TestSensitivity(t *testing.T) {
	at := func(values ...float64) (list []point) { // pairs of occupancy and time
		for i := 0; i < len(values); i += 2 {
			list = append(list, point{measured: values[i], seconds: values[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		reason string
		runs   []point
		want   string // "" for nothing
	}{
		{"half the occupancy takes 3 % more, exactly", at(80, 1, 40, 1.03, 20, 1.0609), "3.0 % slower at half the occupancy (3.0 to 3.0 %, of 3 runs at 20.0 to 80.0 %): not bound by it"},
		{"twice the time is all that latency can cost", at(80, 1, 40, 2, 20, 4), "100.0 % slower at half the occupancy (100.0 to 100.0 %, of 3 runs at 20.0 to 80.0 %): it needs its occupancy"},
		{"noise puts the whole interval a little beyond it", at(80, 1, 57, 1.43, 40, 2.05, 40, 2.06), "(101.0 to 109.7 %, of 4 runs at 40.0 to 80.0 %): it needs its occupancy"},
		{"more than latency can cost", at(80, 1, 40, 4, 20, 16), "300.0 % slower at half the occupancy (300.0 to 300.0 %, of 3 runs at 20.0 to 80.0 %): less occupancy alone cannot cost as much, so something else was changed"},
		{"faster with less", at(80, 1, 40, 0.9, 20, 0.81), "10.0 % faster at half the occupancy"},
		{"below half of the highest time is another line", at(80, 1, 60, 1, 40, 1, 20, 2), "0.0 % slower at half the occupancy (0.0 to 0.0 %, of 3 runs at 40.0 to 80.0 %): not bound by it"},
		{"noise is wider than what is asked for", at(80, 1, 40, 1.3, 20, 1), "more or narrower runs would tell"},
		{"two runs have no interval", at(80, 1, 40, 2), ""},
		{"one occupancy has no slope", at(80, 1, 80, 2, 80, 1), ""},
		{"a tenth less occupancy tells little of half of it", at(80, 1, 76, 1, 72, 1.1), ""},
		{"no run at all", nil, ""},
	} {
		s := sensitivityOf(c.runs)
		if got := s != nil; got != (c.want != "") || got && !strings.Contains(s.String(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, s, c.want)
		}
	}
	ran := point{measured: 10, loaded: unit.Some(unit.Ratio(0.8)), seconds: 1}
	if s := sensitivityOf([]point{ran, {40, unit.Some(unit.Ratio(0.4)), 1}, {20, unit.Some(unit.Ratio(0.2)), 1}}); s == nil || s.Most != 0.8 {
		t.Errorf("gaps between launches are no occupancy: %v", s)
	}
}
