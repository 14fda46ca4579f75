package html_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"occudiff/report"
	"occudiff/report/html"
	"occudiff/report/internal/sample"
)

// answered returns a report of six kernels that begins with a summary. The
// texts of the summary are as long as real texts.
func answered() *report.Document {
	text := func(key, title string) report.Column {
		return report.Column{Key: key, Title: title, Kind: report.Text, In: report.Everywhere}
	}
	columns := []report.Column{text("n", "#"), text("kernel", "Kernel"), text("time", "Time"), text("predicted", "Predicted"),
		text("measured", "Measured"), text("why", "Why"), text("help", "Possible fix")}
	columns[1].Traits, columns[5].Traits = report.Code, report.Fold
	var rows [][]report.Cell
	bars := &report.StackedBars{Parts: []string{"occupied", "underfilled XVEs", "idle XVEs", "launch limit (predicted)"}}
	for i, name := range []string{"axpy<256, float>", "gemm_bf16_xmx", "histogram_rows", "reduce_tail", "stencil_step",
		"<b>init</b>"} {
		row := report.ListOf([]string{fmt.Sprint(i + 1), name, "15.6%", "62.5-85%", "58.3%", "256 registers (GRF)",
			"128 registers: up to 2.2x"}, report.TextCell)
		row[5].Status = report.Bad
		rows = append(rows, row)
		bar := report.StackedRow{Name: name}
		if i < 5 {
			bar.Shares = []report.Share{{Part: 0, Value: 58.3}, {Part: 1, Value: 23.2}, {Part: 2, Value: 18.4}}
		}
		bars.Rows = append(bars.Rows, bar)
	}
	d := document(sample.Gaussian())
	d.Summary = &report.Summary{Headline: "Max 1100, built-in example: 6 kernels, 1.54 s. 3 below prediction, 2 match, 1 too short to measure",
		Impact: "Occupancy may cost time in kernels 1 to 4 (44%); more threads will not help stencil_step (55%)",
		Rows:   sample.Table("screen", columns, rows), Bars: bars, More: "and 31 more, 4% of the time",
		ConfirmReason: "Confirm first (medium confidence in 1 to 3)",
		Confirm: []report.NextCommand{{Rows: "1, 3", Command: "unitrace --chrome-kernel-logging ./app", Result: "give its .json to validate, too"},
			{Rows: "2", Command: "unitrace --device-timing --verbose ./app", Result: "shows registers and SLM"},
			{Rows: "4", Command: "occudiff predict --device max1100 --global 224K --local 1024 --simd 32"}}}
	return d
}

func renderDocument(t testing.TB, d *report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Render(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSummary checks that the summary is the first part of a page and appears
// once, and that all sections are folded.
func TestSummary(t *testing.T) {
	page := renderDocument(t, answered())
	at := -1
	for _, want := range []string{"Max 1100, built-in example", "Occupancy may cost time", `<tr><td class="c-n" data-title="#">1</td>`,
		`aria-label="occupied 58.3%, underfilled XVEs 23.2%, idle XVEs 18.4%"`, "&lt;b&gt;init&lt;/b&gt;", "and 31 more", "Confirm first",
		"<span>unitrace</span> <span>--chrome-kernel-logging</span> <span>./app</span>", "give its .json to validate, too",
		`<details id="kernels" class="part">`} {
		i := strings.Index(page, want)
		if i <= at {
			t.Errorf("%s is at %d, which is not after %d", want, i, at)
		}
		at = i
	}
	if strings.Contains(page, "<details open") || strings.Contains(page, "launch limit (predicted)</span>") {
		t.Error("a section is open, or the legend names a part that no bar has")
	}
	if n := strings.Count(page, `<td class="c-bar"></td>`); n != 1 {
		t.Errorf("%d rows without a bar, want 1", n)
	}
}

// TestFirstSummary checks that the summary is in the first 900 pixels of a wide
// window and of a phone, with nothing next to it. It also checks that the page
// is at most 3,000 pixels high when it opens, and that its commands can be
// copied.
func TestFirstSummary(t *testing.T) {
	page := renderDocument(t, answered())
	for _, width := range []int64{390, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			b := openFile(t, page, colorScheme(scheme), chromedp.EmulateViewport(width, 900))
			ends := ask[float64](t, b, `document.querySelector(".checks").getBoundingClientRect().bottom`)
			if ends > 900 || ends < 300 {
				t.Errorf("%d wide: the answer ends at %.0f, want at most 900", width, ends)
			}
			tall := ask[float64](t, b, `document.documentElement.scrollHeight`)
			if tall > 3000 {
				t.Errorf("%d wide: the page is %.0f tall, want at most 3,000", width, tall)
			}
			t.Logf("%d wide: the answer ends at %.0f of %.0f", width, ends, tall)
			b.want(t, "nothing is next to it", `String(document.documentElement.scrollWidth)`, fmt.Sprint(width))
			b.want(t, "every text is readable", contrast, "")
			b.want(t, "a button for each command", `Array.from(document.querySelectorAll(".checks button")).map(x => x.ariaLabel).join("; ")`,
				"Copy: unitrace --chrome-kernel-logging ./app; Copy: unitrace --device-timing --verbose ./app; "+
					"Copy: occudiff predict --device max1100 --global 224K --local 1024 --simd 32")
			b.run(t, chromedp.Click(chromedp.CSS(".checks button")))
			b.want(t, "it says that it has", `String(/^(Copied|Press Ctrl\+C)$/.test(document.querySelector(".checks button").textContent))`, "true")
			b.quiet(t)
		}
	}
}
