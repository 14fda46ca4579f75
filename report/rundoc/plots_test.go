package rundoc_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// TestSlots checks that each kernel with a breakdown has a bar whose parts sum
// to 100%, and that there is no chart if no kernel has a breakdown.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		reason string
		result *compare.Result
		want   []string
	}{
		{"Fan1 cannot be judged, copies are no kernels", sample.Gaussian(), []string{"Fan2"}},
		{"nothing was measured", sample.Absent(), nil},
	} {
		var got []string
		if bars := rundoc.FromResult(c.result, report.Provenance{}).Summary.Bars; bars != nil {
			for _, bar := range bars.Rows {
				sum := 0.0
				for _, s := range bar.Shares {
					sum += s.Value
				}
				if len(bar.Shares) > 0 {
					got = append(got, bar.Name)
				}
				if len(bar.Shares) > 0 && math.Abs(sum-100) > 1e-9 {
					t.Errorf("%s: the bar of %s adds up to %v", c.reason, bar.Name, sum)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: bars of %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestParagraphPerKernel checks that each kernel that does not match has a
// paragraph, up to the maximum.
func TestParagraphPerKernel(t *testing.T) {
	r := sample.Many(300)
	for i := range r.Rows {
		r.Rows[i].Verdict, r.Rows[i].Difference = compare.Below, unit.Some[unit.Points](-7)
	}
	items := sample.Section(rundoc.FromResult(r, report.Provenance{}), report.SectionAttention).Items
	if n := len(items); n != 201 || items[200].Lead != "100 more kernels" || !strings.HasPrefix(items[0].Text, "below by 7.0 points") {
		t.Errorf("%d paragraphs, the first %+v, the last %+v", n, items[0], items[len(items)-1])
	}
}
