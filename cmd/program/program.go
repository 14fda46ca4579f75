// Package program is one run of the program, as all commands see it: its streams, the flags that they share, the
// settings of the environment and of the file, where a result goes and in which format, and the exit status. It reads
// and compares profiler runs for the commands that start with that.
//
// The package knows no command. A command takes the flags that it uses with Share, and ends in Answer or Deliver.
package program

import (
	"fmt"
	"io"
	"time"

	"occudiff/cmd/settings"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
	"occudiff/report"
)

// Env is what commands share. What is set before Execute are the streams and the environment; flags and settings fill
// in the rest before a command runs.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Raw            io.Writer // standard error as it is, for a progress bar and the output of other programs
	Getenv         func(string) string

	Device         string
	XVE            int
	Outputs        []string // of -o
	Format         string
	Tolerance      float64 // percentage points, as is ModelTolerance
	ModelTolerance float64
	Driver         string
	VTune          string
	Label          string
	FailOn         string
	Annotate       bool
	Show           report.Selection // which kernels of a table are shown, and in which order

	deviceFile string
	sampling   time.Duration
	progress   string
	kernel     string
	top        int
	sortBy     string
	columns    []string
	color      string
	quiet      bool

	args        []string // as given, for the provenance of reports
	samplingSet bool
	given       map[string]settings.Given // settings that are not from the command line
	reads       []string                  // the paths that the command reads
	stopped     func() error              // whether the work was called off
	devices     *arch.Table               // once it was asked for
}

// Say prints to standard error unless -q.
func (e *Env) Say(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintln(e.Stderr, report.OneLine(fmt.Sprintf(format, args...)))
	}
}

// SayNotes prints what a person should know of the input to standard error: reports carry all notes, this the first
// that warn.
func (e *Env) SayNotes(notes []note.Note) {
	const most = 20
	said, left := 0, 0
	for _, n := range notes {
		switch {
		case n.Severity < note.Warning:
		case said < most:
			e.Say("%s", n)
			said++
		default:
			left++
		}
	}
	if left > 0 {
		e.Say("... and %d more notes; reports have all of them", left)
	}
}
