package compare

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// span prints a time with the unit that suits it, for sentences; tables take raw values.
func span(s unit.Seconds) string {
	v := float64(s)
	switch {
	case v < 0.9995e-3:
		us := v * 1e6
		if us < 9.95 {
			return fmt.Sprintf("%.1f us", us)
		}
		return fmt.Sprintf("%.0f us", us)
	case v < 0.9995:
		return fmt.Sprintf("%.3g ms", v*1e3)
	}
	return fmt.Sprintf("%.3g s", v)
}

// spans prints two times in the unit of the longer one: "2.2 to 2.8 us".
func spans(a, b unit.Seconds) string {
	x, y := span(a), span(b)
	if x == y {
		return x
	}
	if number, u, _ := strings.Cut(x, " "); strings.HasSuffix(y, " "+u) {
		x = number
	}
	return x + " to " + y
}

// count prints an integer with thousands separators, for sentences.
func count(n int64) string { return unit.Thousands(n) }

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
