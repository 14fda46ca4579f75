package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"occudiff/ingest"
)

// progressAfter is how long work may take before a bar is shown: less would only flicker.
const progressAfter = 500 * time.Millisecond

// progressBar gives a callback for the bytes read and a function that takes the bar away. Without a terminal on standard error
// (or with --progress never, or -q) it gives nil.
func (a *app) progressBar(paths []string) (report func(int64), done func()) {
	if a.quiet || a.progress == "never" || (a.progress == "auto" && !isTerminal(a.raw)) {
		return nil, func() {}
	}
	var mu sync.Mutex
	var bar *progressbar.ProgressBar
	total, start := ingest.Size(paths), time.Now()
	report = func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		if bar == nil {
			if time.Since(start) < progressAfter {
				return
			}
			if total <= 0 {
				total = -1
			}
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(a.raw), progressbar.OptionSetDescription("reading"),
				progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
				progressbar.OptionSetWidth(30))
		}
		if total > 0 {
			n = min(n, total-1) // reaching the end clears the bar, and another file may follow
		}
		_ = bar.Set64(n)
	}
	return report, func() {
		mu.Lock()
		defer mu.Unlock()
		if bar != nil {
			_ = bar.Clear()
		}
	}
}
