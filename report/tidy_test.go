package report

import (
	"math"
	"testing"
)

func TestTidy(t *testing.T) {
	tenth, fifth := 0.1, 0.2
	for _, c := range []struct {
		reason string
		kind   Kind
		x      float64
		want   float64
	}{
		{"a difference of percentages", Points, 60.8 - float64(60.5), 0.3},
		{"a small difference of percentages", Points, 98.1 - float64(98), 0.1},
		{"a part that is not there", Points, 0.000000000000014210854715202004, 0},
		{"a negative part that is not there", Points, -1.4e-14, 0},
		{"a sum", Number, tenth + fifth, 0.3},
		{"a sum of times", Duration, 0.39948150800000004, 0.399481508},
		{"a time that falls short", Duration, 0.0010652812499999992, 0.00106528125},
		{"a quotient", Number, 15.234375000000002, 15.234375},
		{"a percentage keeps its digits", Percent, 99.51409135082604, 99.51409135082604},
		{"a short time keeps its digits", Duration, 7.755434740393886e-5, 7.755434740393886e-5},
		{"a short time is not a small share", Duration, 1.4e-14, 1.4e-14},
		{"a large number", Number, 9007199254740993, 9007199254740993},
		{"whole", Number, 20, 20},
		{"zero", Percent, 0, 0},
	} {
		if got := Tidy(NumCell(c.kind, c.x)); got != c.want || math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}
