package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"occudiff/report"
	"occudiff/report/terminal"
)

// isTerminal says whether a stream is a terminal.
func isTerminal(w any) bool {
	if m, ok := w.(masked); ok {
		w = m.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// plainOut is standard output for what is written byte by byte as it is, such as CSV: a terminal gets it without what would
// drive it.
func (a *app) plainOut() io.Writer {
	if isTerminal(a.stdout) {
		return terminal.Safe(a.stdout)
	}
	return a.stdout
}

// tell prints a line of a result.
func (a *app) tell(format string, args ...any) error {
	line := report.OneLine(fmt.Sprintf(format, args...)) + "\n"
	if _, err := io.WriteString(terminal.Safe(a.stdout), line); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// useColor decides on colours for standard output; NO_COLOR (https://no-color.org) speaks before a terminal does.
func (a *app) useColor() bool {
	switch {
	case a.color != "auto":
		return a.color == "always"
	case a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb":
		return false
	}
	return isTerminal(a.stdout)
}

// pipeWidth is how wide tables are where nobody says how wide the output is: what a wide window shows, since names of
// kernels have hundreds of letters.
const pipeWidth = 160

// width gives the columns that standard output has.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !isTerminal(a.stdout) {
		return pipeWidth
	}
	if w, _, err := term.GetSize(int(a.stdout.(*os.File).Fd())); err == nil {
		return w
	}
	return 80
}

// formatEnding gives the file ending that stands for a --format.
func formatEnding(format string) string {
	return map[string]string{"markdown": ".md", "json": ".json", "csv": ".csv"}[format]
}
