package compare

import (
	"strings"

	"occudiff/ingest/unit"
)

// spans prints two times in the unit of the longer one: "2.2 to 2.8 us".
func spans(a, b unit.Seconds) string {
	x, y := unit.Span(a), unit.Span(b)
	if x == y {
		return x
	}
	if number, u, _ := strings.Cut(x, " "); strings.HasSuffix(y, " "+u) {
		x = number
	}
	return x + " to " + y
}
