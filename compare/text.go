package compare

import (
	"strings"

	"occudiff/ingest/unit"
)

func span(s unit.Seconds) string { return unit.Span(s) }

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

func plural(n int64, noun string) string { return unit.Plural(n, noun) }
