package rundoc

import "testing"

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
