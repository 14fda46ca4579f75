package unit

import "testing"

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		reason  string
		seconds Seconds
		want    string
	}{
		{"nothing", 0, "0 s"},
		{"three digits", 1.112048, "1.11 s"},
		{"long times have no decimals", 12345.6, "12,346 s"},
		{"no trailing zeros", 0.001, "1 ms"},
		{"milliseconds", 0.323, "323 ms"},
		{"rounds up into the next unit", 0.9996, "1 s"},
		{"just below the next unit", 0.9994, "999 ms"},
		{"microseconds", 2.2425e-6, "2.24 us"},
		{"nanoseconds", 40e-9, "40 ns"},
		{"no exponent", 999.4, "999 s"},
		{"negative", -0.5, "-500 ms"},
	} {
		if got := FormatDuration(c.seconds); got != c.want {
			t.Errorf("%s: Span(%g) = %q, want %q", c.reason, c.seconds, got, c.want)
		}
	}
}
