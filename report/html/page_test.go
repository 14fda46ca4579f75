package html_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"occudiff/cmd/page/app"
	"occudiff/cmd/page/site"
	"occudiff/internal/testenv"
	"occudiff/predict/arch"
)

var compiled = sync.OnceValues(func() (string, error) {
	return site.Compile(context.Background(), "../..", "v0.0.0-test")
})

// whole returns the complete page of the browser version of occudiff.
func whole(t testing.TB) string {
	t.Helper()
	testenv.Long(t) // compiling the page
	page, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// native returns the page's program, compiled for this machine instead of for
// the browser.
func native(t testing.TB) *app.App {
	t.Helper()
	a, err := app.New("v0.0.0-test")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const (
	peak   = `document.getElementById("peak").textContent`
	limits = `document.getElementById("limits").textContent`
)

// TestPagePredict types launches into the form as a person does, and checks the
// predictions.
func TestPagePredict(t *testing.T) {
	b := openFile(t, whole(t))
	b.want(t, "it answers for a launch of its own", peak, "100.0")
	b.want(t, "with the curves", `String(document.querySelectorAll("#result-others figure").length)`, "3")
	b.run(t, replace("slm", "64K")...)
	b.want(t, "SLM limits it now", limits, "slm")
	b.want(t, "the slider follows", `document.getElementById("slm-range").value`, "64")
	b.want(t, "the address holds the launch", `String(location.hash.includes("slm=64K") && location.hash.includes("device=max1100"))`, "true")
	b.run(t, replace("global", "1024x1024")...)
	b.run(t, replace("local", "16x")...)
	b.want(t, "a size that is none is said", `String(document.getElementById("problems-predict").textContent.includes("local"))`, "true")
	b.run(t, chromedp.SendKeys(chromedp.CSS(`#launch [name=local]`), "16"))
	b.want(t, "and no more when it is one", `String(document.getElementById("problems-predict").hidden)`, "true")
	b.want(t, "the steps name it", `String(document.getElementById("result-predict").textContent.includes("work-groups of 16x16"))`, "true")
	b.quiet(t)
}

// replace returns actions that replace the text in a field of the form.
func replace(field, text string) []action {
	at := chromedp.CSS("#launch [name=" + field + "]")
	return []action{chromedp.Focus(at), chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)),
		chromedp.SendKeys(at, text)}
}

// TestPageLink checks that a shared link opens the page with the launch from
// the link.
func TestPageLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "occudiff.html")
	if err := os.WriteFile(path, []byte(whole(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	launch := app.Launch{"device": "tgl", "global": "81920x1", "local": "320x1", "simd": "32", "slm": "16K", "barriers": "1",
		"with": "b580,max1100", "calculator": "1"}
	r, err := native(t).Predict(launch)
	if err != nil {
		t.Fatal(err)
	}
	b := openAddress(t, "file://"+path+hash(launch))
	b.want(t, "its numbers", peak, r.Fields["peak"])
	b.want(t, "the devices next to it", `String(document.querySelectorAll("#result-others #t-predictions tbody tr").length)`, "3")
	b.want(t, "the calculator next to it",
		`String(document.getElementById("result-others").textContent.includes("Intel GPU Occupancy Calculator"))`, "true")
	b.run(t, chromedp.Reload())
	b.want(t, "again after a reload", `document.querySelector("#launch [name=slm]")?.value + " " + `+peak, "16K "+r.Fields["peak"])
	b.quiet(t)
}

func hash(l app.Launch) string {
	var parts []string
	for _, name := range []string{"device", "global", "local", "simd", "slm", "registers", "barriers", "with", "calculator"} {
		if l[name] != "" {
			parts = append(parts, name+"="+strings.ReplaceAll(url.QueryEscape(l[name]), "%2C", ","))
		}
	}
	return "#" + strings.Join(parts, "&")
}

// TestPageCalculatorRows predicts 500 launches from the rows of calculator.csv
// through the page.
func TestPageCalculatorRows(t *testing.T) {
	f, err := os.Open(testenv.Shared(t, "golden", "calculator.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	a := native(t)
	devices, err := app.DeviceChoices()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	b := openFile(t, whole(t))
	b.want(t, "it is ready", peak, "100.0")
	answered := 0
	for range 500 {
		row := rows[1+random.IntN(len(rows)-1)]
		d := devices[random.IntN(len(devices))]
		l := app.Launch{"device": d.Key, "global": strings.ReplaceAll(row[at["global_text"]], "*", "x"),
			"local": strings.ReplaceAll(row[at["wg_text"]], "*", "x"), "simd": row[at["simd"]],
			"slm": row[at["slm_kb"]] + "K", "barriers": "0"}
		if row[at["barrier"]] == "1" || row[at["barrier"]] == "true" {
			l["barriers"] = "1"
		}
		want := "refused"
		if r, err := a.Predict(l); err == nil {
			want = fmt.Sprint(r.Fields["peak"], " ", r.Fields["average"], " ", r.Fields["waves"], " ", r.Fields["limits"])
			answered++
		}
		got := ask[string](t, b, `new Promise(done => {
			const answer = document.querySelector(".answer"), text = id => document.getElementById(id).textContent;
			delete answer.dataset.launch;
			location.hash = `+"`"+hash(l)+"`"+`;
			const look = () => {
				if (!answer.dataset.launch) return setTimeout(look, 1);
				done(answer.classList.contains("old") ? "refused" : ["peak", "average", "waves", "limits"].map(text).join(" "));
			};
			setTimeout(look, 1);
		})`)
		if got != want {
			t.Fatalf("%s: the page has %s, the program %s", hash(l), got, want)
		}
	}
	if answered < 200 {
		t.Errorf("only %d of 500 launches run", answered)
	}
	b.quiet(t)
}

// choose sets the files of a file field, as the field's button does.
func choose(b *tab, t testing.TB, field string, paths ...string) {
	t.Helper()
	ask[string](t, b, `document.getElementById("result-run").textContent = "";
		document.getElementById("problems-run").hidden = true; "forgotten"`)
	b.run(t, chromedp.SetUploadFiles(chromedp.CSS(field+` button.files + input`), paths))
}

const (
	state = `document.querySelector("#result-run h2") ? "report" :
		document.getElementById("problems-run").hidden ? "none" : "error"`
	problems = `document.getElementById("problems-run").textContent`
)

// await waits until the page shows the result of a run (a report or an error),
// and returns its text.
func await(t testing.TB, b *tab) string {
	t.Helper()
	return ask[string](t, b, `new Promise(done => { const look = () => { const a = `+state+`;
		if (a === "none") setTimeout(look, 5); else done(a); }; look(); })`)
}

// TestPageCorpus validates every file of the corpus through the page and
// compares its JSON with the program's on this machine.
func TestPageCorpus(t *testing.T) {
	var files []string
	corpus := testenv.Shared(t, "corpus")
	for _, folder := range []string{"vtune-csv", "vtune-summary", "unitrace", "published", "oneprof", "zebin"} {
		list, _ := filepath.Glob(filepath.Join(corpus, folder, "*"))
		files = append(files, list...)
	}
	files = slices.DeleteFunc(files, func(p string) bool { info, err := os.Stat(p); return err != nil || info.IsDir() })
	results, _ := filepath.Glob(filepath.Join(corpus, "vtune-result", "*"))
	if folder := os.Getenv("OCCUDIFF_RESULT_FOLDER"); folder != "" {
		results = append(results, folder)
	}
	for _, folder := range results {
		files = append(files, packed(t, folder))
	}
	b := openFile(t, whole(t), command(browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny}))
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")))
	reports := 0
	for _, path := range files {
		a := native(t)
		t.Chdir(filepath.Dir(path)) // so that both use the same file name
		asked := app.RunSettings{}
		_, want := a.Validate(context.Background(), []string{filepath.Base(path)}, asked)
		if errors.Is(want, arch.ErrNoDevice) {
			asked.Device = "max1100"
			_, want = a.Validate(context.Background(), []string{filepath.Base(path)}, asked)
		}
		ask[string](t, b, `document.querySelector("#options-validate [name=device]").value = "`+asked.Device+`"`)
		choose(b, t, "#validate-drop", path)
		if got := await(t, b); (got == "report") != (want == nil) {
			t.Errorf("%s: the page has a %s (%s), the program %v", path, got, ask[string](t, b, problems), want)
			continue
		}
		if want != nil {
			for _, f := range app.ProblemsOf(want) {
				if said := ask[string](t, b, problems); !strings.Contains(said, f.Text) {
					t.Errorf("%s: the page says %q, the program %q", path, said, f.Text)
				}
			}
			continue
		}
		reports++
		var value bytes.Buffer
		if err := a.Download(&value, "json"); err != nil {
			t.Fatal(err)
		}
		// The test intercepts the saved data instead of reading the downloaded
		// files, because a browser may rename files if there are many
		// downloads.
		got := ask[string](t, b, `new Promise(done => {
			const create = URL.createObjectURL;
			URL.createObjectURL = blob => { URL.createObjectURL = create; blob.text().then(done); return create.call(URL, blob); };
			document.querySelector("#downloads button[value=json]").click();
		})`)
		if got != value.String() {
			t.Errorf("%s: the page's JSON is not the program's: %s", path, firstDifference(got, value.String()))
		}
	}
	t.Logf("%d files, %d reports", len(files), reports)
	b.quiet(t)
}

// packed returns the path of a zip archive of a folder, as people make it to
// copy a result.
func packed(t testing.TB, folder string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(folder)+".zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	if err := errors.Join(z.AddFS(os.DirFS(folder)), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// firstDifference returns the first difference between two texts.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %s, want %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// download presses a button below a report and returns the file that the
// browser writes.
func download(t testing.TB, b *tab, into, name, format string) string {
	t.Helper()
	b.run(t, chromedp.Click(chromedp.CSS(`#downloads button[value=`+format+`]`)))
	path := filepath.Join(into, name+"."+format)
	for range 500 {
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 { // an incomplete download is an empty file
			return string(text)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no download %s", path)
	return ""
}

// TestPageDrop drops files on the page: one run, then two runs to compare, then
// a third run.
func TestPageDrop(t *testing.T) {
	old := testenv.Shared(t, "corpus", "vtune-csv", "cl_gemm.hotspots.csv")
	fresh := testenv.Shared(t, "corpus", "vtune-csv", "cl_gemm_second.hotspots.csv")
	b := openFile(t, whole(t))
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")))
	ask[string](t, b, `document.querySelectorAll(".options [name=device]").forEach(e => e.value = "max1100"); "set"`)
	drop(t, b, "#validate-drop .drop", old)
	if got := await(t, b); got != "report" {
		t.Fatalf("%s: %s", got, ask[string](t, b, problems))
	}
	b.run(t, chromedp.Click(chromedp.CSS("#tab-compare")))
	drop(t, b, "#sides .drop:nth-child(1)", old)
	drop(t, b, "#sides .drop:nth-child(2)", fresh)
	await(t, b)
	b.want(t, "the verdict of the diff",
		`String(document.getElementById("result-run").textContent.includes("inconclusive below 9 points"))`, "true")
	b.want(t, "a field for a third run", `String(document.querySelectorAll("#sides .drop").length)`, "3")
	b.quiet(t)
}

func drop(t testing.TB, b *tab, field string, paths ...string) {
	t.Helper()
	at := ask[[]float64](t, b, `(() => { const e = document.querySelector("`+field+`");
		e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + 20]; })()`)
	data := input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver,
		input.DispatchDragEventTypeDrop} {
		b.run(t, command(input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at[0], Y: at[1],
			Data: &data}))
	}
}

// TestPageExample presses the example button of the empty page and saves the
// report in several formats.
func TestPageExample(t *testing.T) {
	into := t.TempDir()
	b := openFile(t, whole(t), command(browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: into}))
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")), chromedp.Click(chromedp.CSS("#example")))
	await(t, b)
	answersFirst(t, b)
	b.want(t, "kernels of the built-in run", `String(document.querySelectorAll("#t-kernels tbody tr").length > 4)`, "true")
	for _, format := range []string{"html", "md", "json", "csv"} {
		if text := download(t, b, into, "example", format); len(text) < 500 {
			t.Errorf("%s has %d bytes", format, len(text))
		}
	}
	b.run(t, chromedp.Click(chromedp.CSS("#kernels > summary")),
		chromedp.Click(chromedp.CSS(`#t-kernels th[data-key=measured_percent] button`)))
	b.want(t, "its tables sort", `document.querySelector("#t-kernels th[data-key=measured_percent]").getAttribute("aria-sort")`, "descending")
	b.quiet(t)
}

// answersFirst checks that the whole summary is in the first 920 pixels of the
// page, so that it is visible without scrolling.
func answersFirst(t *testing.T, b *tab) {
	t.Helper()
	if ends := ask[float64](t, b, `scrollY + document.querySelector("#result-run .checks").getBoundingClientRect().bottom`); ends > 920 {
		t.Errorf("the answer ends at %.0f", ends)
	}
}

// TestPageHostileNames drops an export with malicious kernel names.
func TestPageHostileNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, `<img src=x onerror=alert(1)>.csv`)
	write(t, path, "Computing Task,Work Size:Global,Work Size:Local,SIMD Width,Computing Task:Total Time,Computing Task:Instance Count,XVE Threads Occupancy(%)\n"+
		"\"<script>document.title='run'</script>\",4096,256,32,0.5,10,50.0\n\"<img src=x onerror=document.title='run'>\",4096,256,32,0.5,10,60.0\n")
	b := openFile(t, whole(t))
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")), chromedp.SetValue(chromedp.CSS("#options-validate [name=device]"), "max1100"))
	choose(b, t, "#validate-drop", path)
	if got := await(t, b); got != "report" {
		t.Fatalf("%s: %s", got, ask[string](t, b, problems))
	}
	b.want(t, "the name is text", `String(document.querySelector("#t-kernels").textContent.includes("<script>"))`, "true")
	b.want(t, "no chart and no script of it", `String(document.querySelectorAll("#result-run img, #result-run script").length)`, "0")
	b.want(t, "nothing ran", `document.title`, "occudiff: GPU occupancy")
	b.quiet(t)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPageBadInput drops unknown files. The page reports an error and continues
// to work.
func TestPageBadInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty.csv": "", "photo.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\x00", "cut.csv.gz": "\x1f\x8b\x08\x00\x00"} {
		write(t, filepath.Join(dir, name), text)
	}
	b := openFile(t, whole(t))
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")))
	for _, c := range []struct{ name, want string }{
		{"empty.csv", "empty.csv: the file is empty"}, {"photo.png", "photo.png: "}, {"cut.csv.gz", "cut.csv.gz: "},
	} {
		choose(b, t, "#validate-drop", filepath.Join(dir, c.name))
		await(t, b)
		b.want(t, c.name, `String(`+problems+`.startsWith("`+c.want+`")) + " " + `+problems, "true "+ask[string](t, b, problems))
	}
	b.run(t, chromedp.Click(chromedp.CSS("#example")))
	if got := await(t, b); got != "report" {
		t.Errorf("after bad files the example gives a %s", got)
	}
	b.quiet(t)
}

// TestPagePhone checks the page on the screen of a phone.
func TestPagePhone(t *testing.T) {
	b := openFile(t, whole(t), chromedp.EmulateViewport(390, 900))
	b.want(t, "it is ready", peak, "100.0")
	b.want(t, "curves", `String(document.querySelectorAll("#result-others figure").length)`, "3")
	b.want(t, "the result is above the form", `String(document.querySelector(".tiles").getBoundingClientRect().bottom <=
		document.querySelector("#launch").getBoundingClientRect().top)`, "true")
	for _, tab := range []string{"predict", "validate", "compare"} {
		b.run(t, chromedp.Click(chromedp.CSS("#tab-"+tab)))
		b.want(t, tab+" fits", `String(document.documentElement.scrollWidth)`, "390")
	}
	b.run(t, chromedp.Click(chromedp.CSS("#tab-validate")), chromedp.Click(chromedp.CSS("#example")))
	await(t, b)
	answersFirst(t, b)
	b.quiet(t)
}

// TestPageKeyboard uses the page without a mouse.
func TestPageKeyboard(t *testing.T) {
	b := openFile(t, whole(t))
	b.want(t, "it is ready", peak, "100.0")
	b.run(t, chromedp.Focus(chromedp.CSS("#tab-predict")), chromedp.KeyEvent("\u0303"))
	b.want(t, "an arrow goes to the next tab", `document.activeElement.id + " " + document.activeElement.getAttribute("aria-selected")`, "tab-validate true")
	b.run(t, chromedp.Focus(chromedp.CSS("#example")), chromedp.KeyEvent("\r"))
	if got := await(t, b); got != "report" {
		t.Errorf("a %s", got)
	}
	b.quiet(t)
}

// TestPageAccessible checks the page with axe-core, if the environment variable
// AXE names its file axe.min.js (npm install axe-core).
func TestPageAccessible(t *testing.T) {
	axe := axeCore(t)
	for _, width := range []int64{390, 1400} {
		for _, scheme := range []string{"light", "dark"} {
			b := openFile(t, whole(t), colorScheme(scheme), chromedp.EmulateViewport(width, 900))
			b.want(t, "curves", `String(document.querySelectorAll("#result-others figure").length)`, "3")
			for _, tab := range []string{"predict", "validate", "compare"} {
				b.run(t, chromedp.Click(chromedp.CSS("#tab-"+tab)))
				if tab == "validate" {
					b.run(t, chromedp.Click(chromedp.CSS("#example")))
					await(t, b)
				}
				b.accessible(t, scheme+" "+tab, axe)
			}
		}
	}
}

// BenchmarkPage measures the times that a person waits, in milliseconds: the
// first result after the page opens, a result after a change, the report of an
// export, and the report of the large export that LAUNCHES names, if it is set.
func BenchmarkPage(b *testing.B) {
	html := whole(b)
	metric := func(name string, ms float64) { b.ReportMetric(ms, name) }
	for b.Loop() {
		tab := openFile(b, html)
		metric("ms/first-answer", ask[float64](b, tab, `new Promise(done => { const look = () =>
			document.querySelector(".answer").dataset.answered ? done(Number(document.querySelector(".answer").dataset.answered))
			: setTimeout(look, 5); look(); })`))
		metric("ms/change", ask[float64](b, tab, `(async () => {
			const answer = document.querySelector(".answer"), field = document.querySelector("#launch [name=local]");
			const times = [];
			for (let n = 32; n <= 1024; n += 32) {
				await new Promise(done => setTimeout(done, 150)); // let the page draw the content below the answer
				delete answer.dataset.launch;
				field.value = n;
				const begin = performance.now();
				field.dispatchEvent(new Event("input", { bubbles: true }));
				while (!answer.dataset.launch) await new Promise(done => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); });
				times.push(performance.now() - begin);
			}
			return times.sort((x, y) => x - y)[times.length / 2 | 0];
		})()`))
		for _, in := range []struct{ metric, path string }{
			{"ms/export", testenv.Shared(b, "corpus", "vtune-csv", "bench_gaussian.hotspots.csv")}, {"ms/launches", os.Getenv("LAUNCHES")},
		} {
			if _, err := os.Stat(in.path); err != nil {
				continue
			}
			path, err := filepath.Abs(in.path)
			if err != nil {
				b.Fatal(err)
			}
			tab.run(b, chromedp.Click(chromedp.CSS("#tab-validate")))
			ask[string](b, tab, `document.querySelector("#options-validate [name=device]").value = "max1100"`)
			ask[string](b, tab, `document.getElementById("result-run").textContent = "";
				document.querySelector("#validate-drop button.files + input").addEventListener("change",
					() => { window.begun = performance.now(); }, { capture: true, once: true }); "listening"`)
			tab.run(b, chromedp.SetUploadFiles(chromedp.CSS(`#validate-drop button.files + input`), []string{path}))
			metric(in.metric, ask[float64](b, tab, `new Promise(done => { const look = () =>
				document.querySelector("#result-run h2") ? done(performance.now() - window.begun) : setTimeout(look, 2); look(); })`))
		}
	}
}
