package report

import "testing"

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		reason  string
		seconds float64
		want    string
	}{
		{"nothing", 0, "0 s"},
		{"three digits", 1.112048, "1.11 s"},
		{"long times have no decimals", 12345.6, "12,346 s"},
		{"no trailing zeros", 0.001, "1 ms"},
		{"milliseconds", 0.323, "323 ms"},
		{"rounds up into the next unit", 0.9996, "1 s"},
		{"just below that", 0.9994, "999 ms"},
		{"microseconds", 2.2425e-6, "2.24 us"},
		{"nanoseconds", 40e-9, "40 ns"},
		{"no exponent", 999.4, "999 s"},
		{"negative", -0.5, "-500 ms"},
	} {
		if got := duration(c.seconds); got != c.want {
			t.Errorf("%s: duration(%g) = %q, want %q", c.reason, c.seconds, got, c.want)
		}
	}
}

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
