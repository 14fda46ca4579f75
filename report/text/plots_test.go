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

// TestPlotsAreLinked checks where the plots of a page stand and that names cannot leave their link.
func TestPlotsAreLinked(t *testing.T) {
	r := sample.Gaussian()
	r.Rows[0].Task = "a](http://x) [b"
	d := rundoc.FromResult(r, report.Provenance{})
	var b bytes.Buffer
	err := text.MarkdownPlots(&b, d, func(p *report.Plot) string {
		if p.Key == "occupancy" {
			return "" // not drawn
		}
		return "r.files/" + p.Key + ".svg"
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.Contains(line, ".svg") {
			got = append(got, line)
		}
	}
	want := []string{
		"![Where the thread slots went: A bar per kernel: the slots that held a thread, those of XVEs that ran underfilled and of XVEs without any thread, and what was predicted to stay empty.](r.files/account.svg)",
		"![Measured occupancy against predicted average: A point per kernel, larger for more GPU time. On the diagonal both agree; the band is the tolerance of 5 points.](r.files/predicted-measured.svg)",
		`  ![Waves of a\](http://x) \[b: 146 full waves at 100.0 %, then a last one at 28.6 %.](r.files/waves-1.svg)`,
		"  ![Waves of Fan1: One wave that does not fill the GPU: 14.3 %.](r.files/waves-2.svg)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
