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

// isTerminal reports whether a stream is a terminal. The stream may be an input
// or an output. For a masked stream, it checks the underlying stream.
func isTerminal(w any) bool {
	if m, ok := w.(masked); ok {
		w = m.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// open opens a file, or standard input for "-". It also returns the name of the
// file for messages. Reading stops when the context is canceled.
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

// output returns standard output, with a filter that depends on the format,
// because names of kernels and files must not control a terminal or the runner
// of a CI job. A table is not filtered, because it cleans its own cells and may
// contain colors. CSV is filtered only for a terminal. Other programs read CSV,
// and it has no escape sequences for such names, so it must be exact.
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

// printResult prints a line of a result, even with -q. It returns write errors,
// so that the exit status is not 0 if the disk is full.
func (a *app) printResult(format string, args ...any) error {
	line := report.OneLine(fmt.Sprintf(format, args...)) + "\n"
	if _, err := io.WriteString(text.Safe(a.stdout), line); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// useColor reports whether the output on standard output has colors. If
// NO_COLOR (https://no-color.org) is set, it has none, even on a terminal.
func (a *app) useColor() bool {
	switch {
	case a.Color != "auto":
		return a.Color == "always"
	case a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb":
		return false
	}
	return isTerminal(a.stdout)
}

// pipeWidth is the width of tables if the width of the output is unknown. It is
// as wide as a wide window, because kernel names can have hundreds of letters.
const pipeWidth = 160

// width returns the number of columns of standard output.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !isTerminal(a.stdout) {
		return pipeWidth
	}
	// The conversion to a file cannot fail, because isTerminal is true only for
	// a file, and standard output is never masked.
	if w, _, err := term.GetSize(int(a.stdout.(*os.File).Fd())); err == nil {
		return w
	}
	return 80
}

// progressAfter is the time before a progress bar is shown. A bar for a shorter
// time would only flicker.
const progressAfter = 500 * time.Millisecond

// progressBar returns a callback for the number of bytes read, and a function
// that removes the bar. The callback is nil if no progress is shown: if
// standard error is not a terminal, with --progress never, and with -q.
func (a *app) progressBar(paths []string) (report func(int64), done func()) {
	if !a.showsProgress() {
		return nil, func() {}
	}
	total, start := cmp.Or(ingest.Size(paths), -1), time.Now()
	bar := progressbar.NewOptions64(total, progressbar.OptionSetWriter(a.raw),
		progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(30))
	var mu sync.Mutex // guards the bar, which is updated in two steps
	return func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		if total > 0 {
			n = min(n, total-1) // never at the end, which would clear the bar, because another file may follow
		}
		if time.Since(start) >= progressAfter {
			_ = bar.Set64(n)
		}
	}, func() { _ = bar.Clear() }
}

// showsProgress reports whether the progress is shown on standard error.
func (a *app) showsProgress() bool {
	return !a.Quiet && (a.Progress == "always" || a.Progress == "auto" && isTerminal(a.raw))
}

// showStep shows a step that takes long, and the seconds since its start, until
// the returned function is called.
func (a *app) showStep(text string) (done func()) {
	if !a.showsProgress() {
		return func() {}
	}
	bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(a.raw),
		progressbar.OptionSetDescription(report.OneLine(text)),
		progressbar.OptionSetSpinnerChangeInterval(progressAfter), progressbar.OptionClearOnFinish())
	bar.StartWithoutRender()
	return func() { _ = bar.Finish() }
}

// provenance returns the origin of a report.
func (a *app) provenance() report.Provenance {
	return report.Provenance{Version: version(), CommandLine: a.commandLine(), Label: a.Label, Show: a.show}
}

// commandLine returns the command line for reports. Passwords are replaced,
// because users share reports. A password can be a separate word after its flag
// (--token abc), so each word is also examined together with the word before
// it.
func (a *app) commandLine() []string {
	if a.NoCommand {
		return nil
	}
	words := []string{"occudiff"}
	for i, w := range a.args {
		w = ingest.HideSecrets(history.Mask(w))
		if i > 0 && !strings.HasSuffix(ingest.HideSecrets(a.args[i-1]+" "+w), w) {
			w = "xxxxx" // the word is the secret of the flag before it
		}
		words = append(words, w)
	}
	return words
}

// maskSecrets installs a filter on standard error that removes passwords from
// every message. The passwords come from the command line and the settings.
func (a *app) maskSecrets() {
	words := slices.Clone(a.args)
	for _, name := range settingNames() {
		words = append(words, a.getenv(settingVariable(name)))
	}
	// An error is ignored here, because the command that needs the file reports
	// it. The error may quote any line, so all words of the file are masked.
	file, _ := readSettings()
	if file != nil {
		words = append(words, file.words...)
	}
	// Complete words come before their parts, because a Replacer uses the first
	// of two strings that begin at the same position. A masked complete word
	// still contains the user and the host.
	var pairs []string
	for _, w := range words {
		if safe := history.Mask(w); safe != w {
			pairs = append(pairs, w, safe)
		}
	}
	for _, w := range words {
		for _, secret := range history.Secrets(w) {
			if len(secret) >= 4 { // a shorter secret would mask other words, and can be guessed anyway
				pairs = append(pairs, secret, "xxxxx")
			}
		}
	}
	if len(pairs) > 0 {
		a.stderr = masked{a.stderr, strings.NewReplacer(pairs...)}
	}
}

// masked is a stream that removes secrets from the text that is written to it.
// It does not detect a secret that is split over two writes, but the program
// writes each message in one call.
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
