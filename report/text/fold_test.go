package text_test

import (
	"bytes"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/text"
)

// TestFold checks that a sentence or a formula in a table is broken into lines
// at widths at which names would be cut, and that numbers and names do not
// change.
func TestFold(t *testing.T) {
	type step struct {
		name, text string
		value      int
	}
	rows := []step{
		{"GPU peak occupancy", "min(704, 672) / 672", 100},
		{"a", "the last wave costs 47.6 points", 1234},
	}
	table := report.NewTable("steps", "", rows, []report.Col[step]{
		report.Define("name", "Step", func(s *step) string { return s.name }, report.Cut),
		report.Define("text", "Calculation", func(s *step) string { return s.text }, report.Fold, report.Drop(1)),
		report.Define("value", "Value", func(s *step) int { return s.value }),
	})
	d := &report.Document{Sections: []report.Section{{Tables: []*report.Table{table}}}}
	for _, c := range []struct {
		reason string
		width  int
		want   string
	}{
		{"there is room", 80, `
Step                Calculation                      Value
GPU peak occupancy  min(704, 672) / 672                100
a                   the last wave costs 47.6 points  1,234
`},
		{"formulas keep their parentheses", 47, `
Step                Calculation           Value
GPU peak occupancy  min(704, 672) / 672     100
a                   the last wave costs   1,234
                    47.6 points
`},
		{"a column of sentences that would be too narrow is dropped", 30, `
Step                Value
GPU peak occupancy    100
a                   1,234
Columns left out: Calculation.
A wider terminal or -o FILE
shows them.
`},
	} {
		var b bytes.Buffer
		if err := text.Terminal(&b, d, text.Options{Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if b.String() != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.reason, b.String(), c.want)
		}
		for line := range strings.Lines(b.String()) {
			if report.Width(strings.TrimSuffix(line, "\n")) > c.width {
				t.Errorf("%s: wider than %d: %q", c.reason, c.width, line)
			}
		}
	}
}
