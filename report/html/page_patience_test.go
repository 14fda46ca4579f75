package html_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shifts is a script that adds up the layout shifts without recent input. It
// also lists the parts of the form and of the results that moved by at least
// half a line of text. Smaller shifts are ignored, because they occur on some
// machines due to different fonts.
const shifts = `(() => {
	window.shifted = { unexpected: 0, held: new Set() };
	new PerformanceObserver(list => list.getEntries().forEach(e => {
		if (!e.hadRecentInput) window.shifted.unexpected += e.value;
		e.sources.forEach(s => {
			const n = s.node && (s.node.closest ? s.node : s.node.parentElement);
			const by = Math.hypot(s.currentRect.x - s.previousRect.x, s.currentRect.y - s.previousRect.y);
			if (by >= 8 && n && n.closest("#launch, .tiles")) window.shifted.held.add(n.id || n.className || n.tagName);
		});
	})).observe({ type: "layout-shift", buffered: true });
	return "observing";
})()`

// TestPageNothingShifts types launches with different limits, and a launch that
// is rejected. It checks that the form and the results do not move after the
// page has opened.
func TestPageNothingShifts(t *testing.T) {
	for _, width := range []int64{390, 1400} {
		b := openFile(t, whole(t), chromedp.EmulateViewport(width, 900))
		ask[string](t, b, shifts)
		b.want(t, "curves", `String(document.querySelectorAll("#result-others figure").length)`, "3")
		for _, c := range []struct{ field, text, limit string }{
			{"slm", "64K", "slm"}, {"local", "1024", "slm"}, {"slm", "0", "threads"}, {"global", "64", "grid"},
		} {
			b.run(t, replace(c.field, c.text)...)
			b.want(t, c.field+" "+c.text, `String(`+limits+`.includes("`+c.limit+`"))`, "true")
		}
		b.run(t, replace("local", "4096")...)
		b.want(t, "more work-items than a work-group may have", `String(document.getElementById("problems-predict").hidden)`, "false")
		// The limit 0.01 is the layout shift if the whole page moves by half a
		// line.
		if moved := ask[float64](t, b, `window.shifted.unexpected`); moved >= 0.01 {
			t.Errorf("%d wide: a layout shift of %v without input", width, moved)
		}
		b.want(t, "the form and the figures hold still", `Array.from(window.shifted.held).join(" ")`, "")
		b.quiet(t)
	}
}

// launches writes an export of about size bytes with a row per launch, and
// returns its path.
func launches(t *testing.T, size int) string {
	t.Helper()
	var rows bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&rows, "k%d,4096,256,0.000%03d,1,32,50.0,30.0,20.0,57.1,40.%d,4096\n", i%40, i, i%10)
	}
	path := filepath.Join(t.TempDir(), "launches.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,"+
		"Computing Task:SIMD Width,XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%),"+
		"XVE Threads Occupancy(%),Computing Threads Started")
	for n := 0; n < size; n += rows.Len() {
		if _, err := f.Write(rows.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestPageProgressAndStop checks that reading a large file can be stopped at
// the first progress message, and that the page works after that.
func TestPageProgressAndStop(t *testing.T) {
	html := whole(t)
	path := launches(t, 80e6)
	b := openFile(t, html)
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")))
	ask[string](t, b, `document.querySelector("#options-validate [name=device]").value = "max1100";
		window.said = new Promise(done => {
			const work = document.getElementById("work"), text = document.getElementById("working");
			new MutationObserver((_, observer) => {
				if (work.hidden || !/^read \d+ of \d+ MB$/.test(text.textContent)) return;
				observer.disconnect();
				done(text.textContent);
				document.getElementById("stop").click();
			}).observe(work, { subtree: true, attributes: true, childList: true, characterData: true });
		}); "observing"`)
	choose(b, t, "#validate-drop", path)
	if said := ask[string](t, b, `Promise.race([window.said,
		(async () => { while (!document.querySelector("#result-run h2")) await new Promise(f => setTimeout(f, 20)); return "a report"; })()])`); !strings.HasSuffix(said, " of 80 MB") {
		t.Fatalf("while the file is read it says %q, want how far it is", said)
	}
	b.want(t, "it says so", problems, "Stopped.")
	b.want(t, "no report comes", state, "error")
	b.want(t, "no progress is left", `String(document.getElementById("work").hidden)`, "true")
	b.run(t, chromedp.Click(chromedp.CSS("#example")))
	if got := await(t, b); got != "report" {
		t.Errorf("after the stop the example gives a %s", got)
	}
	b.run(t, chromedp.Click(chromedp.CSS("#tab-predict")))
	b.run(t, replace("slm", "64K")...)
	b.want(t, "it predicts again", limits, "slm")
	b.quiet(t)
}
