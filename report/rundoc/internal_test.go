package rundoc

import (
	"math"
	"testing"

	"occudiff/compare/phases"
	"occudiff/ingest/unit"
)

func TestSecondsDecimals(t *testing.T) {
	for _, c := range []struct {
		reason   string
		shortest float64
		want     int
	}{
		{"the picture of the design: 1.0710 and 0.0377", 0.037689, 4},
		{"one digit before the point", 1.07, 2},
		{"long times keep two decimals", 1000, 2},
		{"tenths", 0.268, 3},
		{"a microsecond is what profilers resolve", 18e-6, 6},
		{"not finer than that", 1e-9, 6},
	} {
		if got := secondsDecimals(c.shortest); got != c.want {
			t.Errorf("%s: secondsDecimals(%g) = %d, want %d", c.reason, c.shortest, got, c.want)
		}
	}
}

// Launches laid over each other: the quantiles are of the samples at the same time of a launch, and few launches are
// shown sample by sample.
func TestLay(t *testing.T) {
	l := &phases.Launch{Length: 1, Launches: 11}
	for i := range l.Launches {
		for part := range spreadParts {
			l.Moments = append(l.Moments, phases.Moment{At: (unit.Seconds(part) + 0.5) / spreadParts,
				Measured: unit.Ratio(part+i) / 200})
		}
	}
	k := &OverTime{}
	k.lay(l)
	for i, want := range []float64{35.5, 39.5, 37.5} { // of part 70: 35 to 40
		if got := k.spread[i]; len(got) != spreadParts || math.Abs(got[70].Y-want) > 1e-9 || math.Abs(got[70].X-705) > 1e-9 {
			t.Errorf("%d: %v", i, got)
		}
	}
	few := &OverTime{}
	l.Launches = spreadLaunches - 1
	if few.lay(l); few.spread[0] != nil {
		t.Error(few.spread)
	}
}
