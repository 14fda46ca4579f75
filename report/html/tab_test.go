package html_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "folder for screenshots to look at; the test makes none without it")

// chromium finds the browser, or skips the test.
func chromium(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long; run without -short")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("Chromium is not installed, so pages cannot be opened")
	return ""
}

type action = chromedp.Action[chromedp.Void]

// command is an action that sends a command of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// tab is a page in a browser with what it asked for and complained of.
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
	return open(t, "file://"+path, before...)
}

func open(t testing.TB, address string, before ...action) *tab {
	t.Helper()
	opt := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
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

// patience is for how long a step may take on a busy machine.
const patience = time.Minute

func (b *tab) run(t testing.TB, actions ...action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates a script, and waits for what it promises.
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

// want checks what a script gives, for as long as a busy machine may need.
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

// quiet checks that the page asked for nothing but itself and complained of nothing.
func (b *tab) quiet(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "file:///") && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asked for %s", r)
		}
	}
	for _, f := range b.faults {
		t.Errorf("the browser says: %s", f)
	}
}
