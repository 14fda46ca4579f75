package compare

import (
	"math"
	"strings"

	"occudiff/ingest/unit"
)

// spans prints two estimates of a time in the unit of the longer one: "2.2 to 2.8 us". Two digits are all they hold.
func spans(a, b unit.Seconds) string {
	x, y := unit.Span(twoDigits(a)), unit.Span(twoDigits(b))
	if x == y {
		return x
	}
	if number, u, _ := strings.Cut(x, " "); strings.HasSuffix(y, " "+u) {
		x = number
	}
	return x + " to " + y
}

func twoDigits(s unit.Seconds) unit.Seconds {
	if s <= 0 {
		return s
	}
	step := math.Pow(10, math.Floor(math.Log10(float64(s)))-1)
	return unit.Seconds(math.Round(float64(s)/step) * step)
}
