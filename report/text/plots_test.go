package text_test

import (
	"bytes"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
	"occudiff/report/text"
)

// TestPlotsAreLinked checks the positions of the plots in a page, and that a
// name in a link's text cannot end the link.
func TestPlotsAreLinked(t *testing.T) {
	d := rundoc.FromResult(sample.Gaussian(), report.Provenance{})
	d.Sections[0].Plots = append(d.Sections[0].Plots, report.Plot{Key: "sweep", Title: "Occupancy", Text: "A line."},
		report.Plot{Key: "named", Title: "a](http://x) [b"}, report.Plot{Key: "none"})
	var b bytes.Buffer
	pictures := map[*report.Plot]string{}
	for _, p := range d.Plots(report.Page) {
		if p.Key != "none" { // the plot "none" has no address
			pictures[p] = "r.files/" + p.Key + ".svg"
		}
	}
	if err := text.Markdown(&b, d, pictures); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.Contains(line, ".svg") {
			got = append(got, line)
		}
	}
	want := []string{
		"![Occupancy: A line.](r.files/sweep.svg)",
		`![a\](http://x) \[b](r.files/named.svg)`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
