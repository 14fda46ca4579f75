// Package browsertest opens pages in Chromium as people do, for the tests of packages that write pages. What a page
// asked for, and what the browser complained of, is kept.
package browsertest

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

// chromium finds the browser, or skips the test.
func chromium(t testing.TB) string {
	t.Helper()
	testenv.Long(t)
	return testenv.Program(t, "chromium", "chromium-browser", "google-chrome", "headless-shell")
}

// Action is a step of a person.
type Action = chromedp.Action[chromedp.Void]

// Command is an action that sends a command of the protocol.
func Command[P, R any](c cdp.Command[P, R], params P) Action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// Tab is a page in a browser with what it asked for and complained of.
type Tab struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	faults   []string
}

// OpenFile opens a page from a file, as people do.
func OpenFile(t testing.TB, html string, before ...Action) *Tab {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(html), 0o666); err != nil {
		t.Fatal(err)
	}
	return Open(t, "file://"+path, before...)
}

// Open opens an address. The actions before come first: what the browser is to be like.
func Open(t testing.TB, address string, before ...Action) *Tab {
	t.Helper()
	opt := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WindowSize(1400, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opt...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Tab{ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.Run(t, Command(network.Enable, network.EnableParams{}), Command(log.Enable, cdp.Empty{}),
		Command(runtime.Enable, cdp.Empty{}))
	b.Run(t, before...)
	b.Run(t, chromedp.Navigate(address))
	return b
}

func (b *Tab) listen(event any) {
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

// patience is for how long a step may take on a busy machine.
const patience = 2 * time.Minute

// Context is that of the browser, for chromedp.
func (b *Tab) Context() context.Context { return b.ctx }

// Run takes steps.
func (b *Tab) Run(t testing.TB, actions ...Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// Ask evaluates a script, and waits for what it promises.
func Ask[T any](t testing.TB, b *Tab, script string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Want checks what a script gives, for as long as a busy machine may need.
func (b *Tab) Want(t testing.TB, reason, script, want string) {
	t.Helper()
	got := ""
	for range 50 {
		if got = Ask[string](t, b, script); got == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%s: got %q, want %q", reason, got, want)
}

// Quiet checks that the page asked for nothing but itself and complained of nothing.
func (b *Tab) Quiet(t testing.TB) {
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

// ColorScheme opens a page for people who prefer light or dark.
func ColorScheme(name string) Action {
	feature := emulation.MediaFeature{Name: "prefers-color-scheme", Value: name}
	return Command(emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&feature}})
}

// Axe is the text of axe-core (npm install axe-core), whose axe.min.js the environment variable AXE names; without it
// the test is skipped.
func Axe(t testing.TB) string {
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

// Accessible checks that axe-core finds no violation.
func (b *Tab) Accessible(t testing.TB, reason, axe string) {
	t.Helper()
	Ask[string](t, b, axe+`; "loaded"`)
	b.Want(t, reason, `axe.run().then(r =>
		r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ")).join("\n"))`, "")
}
