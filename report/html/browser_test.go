package html_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"occudiff/compare"
	"occudiff/report/internal/sample"
)

var shots = flag.String("shots", "", "folder for screenshots to look at; the test makes none without it")

const (
	names = `Array.from(document.querySelectorAll("#t-kernels tbody tr"))
		.map(r => r.children[0].textContent.trim()).join(" ")`
	heading = `document.querySelector("#t-kernels th[data-key=%s]").getAttribute("aria-sort")`
	button  = `#t-kernels th[data-key=%s] button`
	status  = `document.querySelector("#filter-status").textContent`
)

// open opens a page with everything unfolded.
func open(t testing.TB, html string, before ...action) *tab {
	t.Helper()
	b := openFile(t, html, before...)
	b.want(t, "what is folded can be opened",
		`document.querySelectorAll("details").forEach(d => d.open = true); document.readyState`, "complete")
	return b
}

// story returns a run with a few rows for sorting and filtering: their names
// are short, and the last three differ in the measured occupancy.
func story() *compare.Result {
	r := sample.Gaussian()
	like := r.Rows[0]
	r.Rows = r.Rows[:2]
	for _, name := range []string{"k10", "k9", "absent"} {
		row, kernel := like, *like.Kernel
		row.Kernel = &kernel
		row.Task, row.Verdict, row.Cause = name, compare.Match, nil
		r.Rows = append(r.Rows, row)
	}
	r.Rows[2].Measured, r.Rows[3].Measured = like.Peak, r.Rows[1].Peak
	r.Rows[4].Measured = sample.Absent().Rows[0].Measured
	return r
}

func TestSorting(t *testing.T) {
	b := open(t, render(t, story()))
	b.want(t, "the report's order", names, "Fan2 Fan1 k10 k9 absent")
	b.run(t, chromedp.Click(chromedp.CSS(fmt.Sprintf(button, "measured_percent"))))
	b.want(t, "numbers begin with the highest; what is absent comes last", names, "k10 Fan2 Fan1 k9 absent")
	b.want(t, "the heading says so", fmt.Sprintf(heading, "measured_percent"), "descending")
	b.want(t, "and the line above", status, "5 of 5 rows, sorted by Measured %, descending")
	b.run(t, chromedp.Click(chromedp.CSS(fmt.Sprintf(button, "measured_percent"))))
	b.want(t, "the other way round; what is absent comes last still", names, "k9 Fan1 Fan2 k10 absent")
	b.run(t, chromedp.Click(chromedp.CSS(fmt.Sprintf(button, "measured_percent"))))
	b.want(t, "the third press gives the report's order back", names, "Fan2 Fan1 k10 k9 absent")
	b.want(t, "and the heading is none", fmt.Sprintf(heading, "measured_percent"), "none")
	b.run(t, chromedp.Focus(chromedp.CSS(fmt.Sprintf(button, "task"))), chromedp.KeyEvent(kb.Enter))
	b.want(t, "by keyboard; numbers in names count as numbers", names, "absent Fan1 Fan2 k9 k10")
	b.want(t, "one column at a time", fmt.Sprintf(heading, "measured_percent"), "none")
	b.want(t, "the focus shows",
		`getComputedStyle(document.activeElement).outlineStyle + " " + document.activeElement.tagName`, "solid BUTTON")
	b.quiet(t)
}

func TestFiltering(t *testing.T) {
	b := open(t, render(t, story()))
	b.want(t, "all rows", status, "5 of 5 rows")
	b.run(t, chromedp.SendKeys(chromedp.CSS("#filter-text"), "FAN gaps"))
	b.want(t, "every word counts, in any column, in any case", names, "Fan2")
	b.want(t, "how many are left", status, "1 of 5 rows")
	b.run(t, chromedp.KeyEvent(kb.Escape))
	b.want(t, "escape clears", status, "5 of 5 rows")
	b.run(t, chromedp.SetValue(chromedp.CSS("#filter-verdict"), "match"))
	ask[bool](t, b, `document.querySelector("#filter-verdict").dispatchEvent(new Event("change"))`)
	b.want(t, "one verdict", names, "k10 k9 absent")
	b.run(t, chromedp.Click(chromedp.CSS(fmt.Sprintf(button, "task"))))
	b.want(t, "sorted, the filter holds", names, "absent k9 k10")
	b.run(t, chromedp.SendKeys(chromedp.CSS("#filter-text"), "no such kernel"))
	b.want(t, "nothing is left", status, "0 of 5 rows, sorted by Kernel, ascending")
	b.run(t, chromedp.Click(chromedp.CSS("#filter-clear")))
	b.want(t, "the button clears", status, "5 of 5 rows, sorted by Kernel, ascending")
	b.quiet(t)
}

// TestHostileNamesInBrowser checks that the browser treats kernel names as
// text: no name creates an element or runs a script.
func TestHostileNamesInBrowser(t *testing.T) {
	r := sample.Hostile()
	r.Rows[0].Task = `<img src=x onerror="alert(1)"><script>alert(2)</script>`
	b := open(t, render(t, r))
	b.want(t, "the name as it is", `document.querySelector("#t-kernels tbody tr").children[0].textContent.trim()`,
		r.Rows[0].Task)
	b.want(t, "no element of it", `String(document.querySelectorAll("img,main script,tbody script").length)`, "0")
	b.want(t, "in the drawing, too", `String(document.querySelectorAll("svg script,svg img,svg a").length)`, "0")
	b.quiet(t)
}

// TestPolicy checks that the page's content security policy blocks injected
// scripts, injected styles, and requests to other addresses.
func TestPolicy(t *testing.T) {
	asked := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(server.Close)
	html := strings.Replace(render(t, sample.Gaussian()), "</main>",
		`<script>document.title="run"</script><img src="`+server.URL+`/img">`+
			`<script src="`+server.URL+`/script"></script></main>`, 1)
	b := openFile(t, html)
	b.want(t, "no other_tasks_bound script runs", `String(document.title.startsWith("Predicted"))`, "true")
	select {
	case path := <-asked:
		t.Errorf("the page reached the network: %s", path)
	case <-time.After(200 * time.Millisecond):
	}
}

// TestWithoutScript checks that a page is complete without its script: it has
// plain tables and no controls that would do nothing.
func TestWithoutScript(t *testing.T) {
	b := open(t, render(t, sample.Gaussian()), command(emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.want(t, "all rows are there",
		`String(Array.from(document.querySelectorAll("#t-kernels tbody tr"))
			.filter(r => r.getClientRects().length).length)`, "5")
	b.want(t, "no filter", `String(document.querySelector(".filter"))`, "null")
	b.want(t, "no buttons", `String(document.querySelectorAll("th button").length)`, "0")
	b.quiet(t)
}

// TestPhone opens the page on a phone. Only tables may be wider than the
// screen, and each plot is complete. A table that is wider than the screen
// keeps its first column visible, shows that it has more columns, and can be
// scrolled with the keyboard.
func TestPhone(t *testing.T) {
	b := open(t, render(t, story()), chromedp.EmulateViewport(390, 900))
	b.want(t, "the page fits", `String(document.documentElement.scrollWidth)`, "390")
	b.want(t, "every plot is whole",
		`String(Array.from(document.querySelectorAll("figure svg")).filter(s => s.getClientRects().length &&
		(s.getBoundingClientRect().right > 390 || s.getBoundingClientRect().width < 250)).length)`, "0")
	b.want(t, "one drawing of each is shown", `String(Array.from(document.querySelectorAll("figure")).filter(f =>
		Array.from(f.querySelectorAll("svg")).filter(s => s.getClientRects().length).length !== 1).length)`, "0")
	b.want(t, "text is readable", `String(Array.from(document.querySelectorAll(".phone text")).filter(e => {
		const scale = e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width;
		return e.getClientRects().length && e.getAttribute("font-size") * scale < 10; }).length)`, "0")
	b.want(t, "the table says that there is more",
		`getComputedStyle(document.querySelector(".main .scroll"), "::after").content.slice(1, 13)`, "more columns")
	b.run(t, chromedp.Focus(chromedp.CSS(".main .scroll")), chromedp.KeyEvent(kb.ArrowRight))
	b.want(t, "it moves", `String(document.querySelector(".main .scroll").scrollLeft > 0)`, "true")
	b.want(t, "names stay", `String(document.querySelector("#t-kernels tbody th").getBoundingClientRect().left -
		document.querySelector(".main .scroll").getBoundingClientRect().left)`, "0")
	b.quiet(t)
}

// TestAccessible checks the page with axe-core, if the environment variable AXE
// names its file axe.min.js (npm install axe-core).
func TestAccessible(t *testing.T) {
	axe := axeCore(t)
	for _, width := range []int64{390, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			b := open(t, render(t, story()), colorScheme(scheme), chromedp.EmulateViewport(width, 900))
			b.accessible(t, scheme, axe)
		}
	}
}

// TestContrast computes the contrast of every text with its background, on a
// light and on a dark page. WCAG AA requires 4.5, or 3 for large text.
func TestContrast(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			b := open(t, render(t, story()), colorScheme(scheme))
			b.want(t, "every text is readable", contrast, "")
			b.quiet(t)
		})
	}
}

// contrast lists the texts whose contrast is too low. The contrast is computed
// against the nearest background that is not transparent. The color of a text
// in a drawing is its fill.
const contrast = `(() => {
  const rgba = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; };
  const luminance = c => {
    const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = c.slice(0, 3).map(v => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = e => {
    for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; }
    return [255, 255, 255, 1];
  };
  const low = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (!Array.from(e.childNodes).some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (/^(SCRIPT|TITLE|STYLE|OPTION)$/i.test(e.tagName)) continue;
    const style = getComputedStyle(e), drawn = e instanceof SVGElement;
    if (style.display === "none" || e.closest("[hidden]") || e.disabled) continue;
    const a = luminance(rgba(drawn ? style.fill : style.color)), b = luminance(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    if (ratio < (large ? 3 : 4.5))
      low.add([e.tagName, e.getAttribute("class"), ratio.toFixed(2), e.textContent.trim().slice(0, 20)].join(" "));
  }
  return Array.from(low).join("; ");
})()`

// TestManyRows opens 5,000 kernels and checks that the page shows, sorts, and
// filters them fast enough for work. The time limits are several times the
// times on an idle machine, because several tests may run at once.
func TestManyRows(t *testing.T) {
	r := mismatching(5000)
	for i := range r.Rows {
		r.Rows[i].Task = fmt.Sprintf("%s kernel %d", r.Rows[i].Task, i)
	}
	b := open(t, render(t, r))
	shown := ask[float64](t, b, `new Promise(done => requestAnimationFrame(() => setTimeout(() => {
		const paint = performance.getEntriesByName("first-contentful-paint")[0];
		const loaded = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
		done(Math.max(paint ? paint.startTime : 0, loaded));
	})))`)
	sorted := ask[float64](t, b, timed(`document.querySelector("#t-kernels th[data-key=measured_percent] button").click()`))
	b.want(t, "all rows", status, "5,000 of 5,000 rows, sorted by Measured %, descending")
	b.want(t, "the first ones are laid out", `String(document.querySelectorAll("#t-kernels tbody tr").length)`, "300")
	filtered := ask[float64](t, b, timed(`document.querySelector("#filter-text").value = "kernel 4999";
		document.querySelector("#filter-text").dispatchEvent(new KeyboardEvent("input"))`))
	b.want(t, "one row", status, "1 of 5,000 rows, sorted by Measured %, descending")
	b.run(t, chromedp.Click(chromedp.CSS("#filter-clear")))
	b.run(t, chromedp.Click(chromedp.CSS(".more button:last-child")))
	b.want(t, "all on demand", `String(document.querySelectorAll("#t-kernels tbody tr").length)`, "5000")
	ask[string](t, b, `location.hash = "#t-provenance"`)
	b.want(t, "a link opens what is folded", `String(document.querySelector("#t-provenance").getClientRects().length)`, "1")
	t.Logf("5,000 kernels: shown after %.0f ms, sorted in %.0f ms, filtered in %.0f ms", shown, sorted, filtered)
	for what, ms := range map[string]float64{"shown": shown, "sorted": sorted, "filtered": filtered} {
		if ms > 5000 {
			t.Errorf("%s after %.0f ms, want less than 5,000", what, ms)
		}
	}
	b.quiet(t)
}

// timed returns a script that performs an action and returns the time until the
// next frame was ready.
func timed(script string) string {
	return `new Promise(done => { const start = performance.now(); ` + script +
		`; requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))); })`
}

// TestScreenshots saves images for people: go test -run Screenshots -shots
// FOLDER. If the environment variable REPORT names an HTML file, the images
// show that page.
func TestScreenshots(t *testing.T) {
	if *shots == "" {
		t.Skip("-shots names no folder for the screenshots")
	}
	html := render(t, sample.Gaussian())
	if name := os.Getenv("REPORT"); name != "" {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		html = string(page)
	}
	for _, c := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1400}, {"dark", "dark", 1400}, {"narrow", "light", 390}} {
		b := openFile(t, html, colorScheme(c.scheme), chromedp.EmulateViewport(c.width, 900))
		save(t, b, c.name+".png", chromedp.FullScreenshot(100))
	}
	b := openFile(t, html, colorScheme("dark"))
	save(t, b, "print.pdf", chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
}

func save(t *testing.T, b *tab, name string, picture chromedp.Action[[]byte]) {
	t.Helper()
	data, err := chromedp.Run(b.ctx, picture)
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name), data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
