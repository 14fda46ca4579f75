package html_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"occudiff/internal/testenv"
)

// chromium returns the path of the browser. It skips the test if there is no
// browser.
func chromium(t testing.TB) string {
	t.Helper()
	testenv.Long(t)
	return testenv.Program(t, "chromium", "chromium-browser", "google-chrome", "headless-shell")
}

// action is a step that a person takes.
type action = chromedp.Action[chromedp.Void]

// command returns an action that sends a protocol command.
func command[P, R any](c cdp.Command[P, R], params P) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// tab is a page in a browser, with its requests and its error messages.
type tab struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	faults   []string
}

// openFile opens a page from a file, as people do.
func openFile(t testing.TB, html string, before ...action) *tab {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(html), 0o666); err != nil {
		t.Fatal(err)
	}
	return openAddress(t, "file://"+path, before...)
}

// openAddress opens an address. The actions in before run first, for example to
// configure the browser.
func openAddress(t testing.TB, address string, before ...action) *tab {
	t.Helper()
	opt := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WindowSize(1400, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opt...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.run(t, command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}),
		command(runtime.Enable, cdp.Empty{}))
	b.run(t, before...)
	b.run(t, chromedp.Navigate(address))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.faults = append(b.faults, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.faults = append(b.faults, fmt.Sprint("console.", e.Type))
	case *page.EventJavascriptDialogOpening:
		b.faults = append(b.faults, "dialog: "+e.Message)
	}
}

// patience is the time limit of a step on a busy machine.
const patience = 2 * time.Minute

// run runs actions.
func (b *tab) run(t testing.TB, actions ...action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates a script, waits for its promise, and returns the result.
func ask[T any](t testing.TB, b *tab, script string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// want checks that a script returns the expected result. It retries for as long
// as a busy machine may need.
func (b *tab) want(t testing.TB, reason, script, want string) {
	t.Helper()
	got := ""
	for range 50 {
		if got = ask[string](t, b, script); got == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%s: got %q, want %q", reason, got, want)
}

// quiet checks that the page requested only itself and reported no error.
func (b *tab) quiet(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "file:///") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") {
			t.Errorf("the page asked for %s", r)
		}
	}
	for _, f := range b.faults {
		t.Errorf("the browser says: %s", f)
	}
}

// colorScheme returns an action that makes the browser prefer light or dark
// pages.
func colorScheme(name string) action {
	feature := emulation.MediaFeature{Name: "prefers-color-scheme", Value: name}
	return command(emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&feature}})
}

// axeCore returns the source of axe-core (npm install axe-core). The
// environment variable AXE names its axe.min.js. Without it, the test is
// skipped.
func axeCore(t testing.TB) string {
	t.Helper()
	name := os.Getenv("AXE")
	if name == "" {
		t.Skip("AXE names no axe.min.js, so only the other tests of accessibility run")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// accessible checks that axe-core finds no violation.
func (b *tab) accessible(t testing.TB, reason, axe string) {
	t.Helper()
	ask[string](t, b, axe+`; "loaded"`)
	b.want(t, reason, `axe.run().then(r =>
		r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ")).join("\n"))`, "")
}
