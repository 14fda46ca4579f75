package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
	"occudiff/compare/history"
	"occudiff/ingest"
	"occudiff/report"
	"occudiff/report/text"
)

// isTerminal reports whether a stream is a text.
// It takes standard input, too. A masked stream is judged by what is below it.
func isTerminal(w any) bool {
	if m, ok := w.(masked); ok {
		w = m.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// open opens a file, or standard input for -, and says what messages call it.
// Reading ends with the context.
func (a *app) open(ctx context.Context, path string) (in io.ReadCloser, name string, err error) {
	if path == "-" {
		return io.NopCloser(ingest.Waiting(ctx, a.stdin)), "standard input", nil
	}
	file, r, err := ingest.OpenFile(ctx, path)
	return struct {
		io.Reader
		io.Closer
	}{r, file}, path, err
}

// output returns standard output for a format. Names of kernels and files must
// not drive a terminal or be commands for the runner of a CI job. A table
// cleans its own cells, and may have colors. CSV that is not for a terminal is
// exact: another program reads it, and CSV has no other spelling for such a
// name.
func (a *app) output(format string) io.Writer {
	switch to, terminal := a.stdout, isTerminal(a.stdout); {
	case format == "table":
		return to
	case format == "csv" && terminal:
		return text.CSV(text.Safe(to))
	case format == "csv":
		return to
	case format == "markdown":
		return text.Safe(to)
	case terminal:
		return text.JSON(text.Safe(to))
	default:
		return text.JSON(to)
	}
}

// printResult prints a line of a result. Results are not silenced by -q, and a
// line that cannot be written is an error: a full disk must not end with status
// 0.
func (a *app) printResult(format string, args ...any) error {
	line := report.OneLine(fmt.Sprintf(format, args...)) + "\n"
	if _, err := io.WriteString(text.Safe(a.stdout), line); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// useColor decides on colors for standard output; NO_COLOR
// (https://no-color.org) speaks before a terminal does.
func (a *app) useColor() bool {
	switch {
	case a.Color != "auto":
		return a.Color == "always"
	case a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb":
		return false
	}
	return isTerminal(a.stdout)
}

// pipeWidth is how wide tables are where nobody says how wide the output is:
// what a wide window shows, since names of kernels have hundreds of letters.
const pipeWidth = 160

// width returns the columns that standard output has.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !isTerminal(a.stdout) {
		return pipeWidth
	}
	// isTerminal has seen a file: standard output is never masked.
	if w, _, err := term.GetSize(int(a.stdout.(*os.File).Fd())); err == nil {
		return w
	}
	return 80
}

// progressAfter is how long work may take before a bar is shown: less would
// only flicker.
const progressAfter = 500 * time.Millisecond

// progressBar returns a callback for the bytes read and a function that takes
// the bar away. Without a terminal on standard error (or with --progress never,
// or -q) it gives nil.
func (a *app) progressBar(paths []string) (report func(int64), done func()) {
	if a.Quiet || a.Progress == "never" || a.Progress == "auto" && !isTerminal(a.raw) {
		return nil, func() {}
	}
	total, start := cmp.Or(ingest.Size(paths), -1), time.Now()
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(a.raw),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(30))
	var mu sync.Mutex // setting the bar is two steps to it
	return func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		if total > 0 {
			n = min(n, total-1) // reaching the end clears the bar, and another file may follow
		}
		if time.Since(start) >= progressAfter {
			_ = bar.Set64(n)
		}
	}, func() { _ = bar.Clear() }
}

// provenance is what a report gives as its origin.
func (a *app) provenance() report.Provenance {
	return report.Provenance{Version: version(), CommandLine: a.commandLine(), Label: a.Label, Show: a.show}
}

// commandLine is what a report gives as its origin, without passwords: reports
// are handed on. A password can be in a word of its own behind its flag
// (--token abc), so each word is also looked at together with the one before
// it.
func (a *app) commandLine() []string {
	if a.NoCommand {
		return nil
	}
	words := []string{"occudiff"}
	for i, w := range a.args {
		w = ingest.HideSecrets(history.Mask(w))
		if i > 0 && !strings.HasSuffix(ingest.HideSecrets(a.args[i-1]+" "+w), w) {
			w = "xxxxx" // of the flag before it
		}
		words = append(words, w)
	}
	return words
}

// maskSecrets keeps the passwords of the command line and of the history's name
// off standard error, whichever message quotes them, however they got there.
func (a *app) maskSecrets() {
	words := slices.Clone(a.args)
	for _, name := range settingNames() {
		words = append(words, a.getenv(settingVariable(name)))
	}
	// Its error is reported where the file is needed, and may quote any line.
	file, _ := readSettings()
	if file != nil {
		words = append(words, file.words...)
	}
	// Whole words come before their parts: where both begin at one place a
	// Replacer takes the first, and a masked word still names its user and
	// host.
	var pairs []string
	for _, w := range words {
		if safe := history.Mask(w); safe != w {
			pairs = append(pairs, w, safe)
		}
	}
	for _, w := range words {
		for _, secret := range history.Secrets(w) {
			if len(secret) >= 4 { // less would make other words unreadable, and guessing it takes no log
				pairs = append(pairs, secret, "xxxxx")
			}
		}
	}
	if len(pairs) > 0 {
		a.stderr = masked{a.stderr, strings.NewReplacer(pairs...)}
	}
}

// masked is a stream without secrets. A secret that is split over two writes
// gets through. Messages of the program are one write each.
type masked struct {
	io.Writer
	replace *strings.Replacer
}

// Write implements io.Writer.
func (m masked) Write(p []byte) (int, error) {
	if _, err := m.replace.WriteString(m.Writer, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
