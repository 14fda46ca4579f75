package main

import (
	"fmt"
	"io"
	"time"

	"occudiff/ingest/note"
	"occudiff/predict/arch"
	"occudiff/report"
)

// app is one run of the program, as all commands see it. What is set before run are the streams and the environment;
// flags and settings fill in the rest before a command runs. A command takes the flags that it uses with share, and
// ends in answer or deliver.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	raw            io.Writer // standard error as it is, for a progress bar and the output of other programs
	getenv         func(string) string

	device         string
	xve            int
	outputs        []string // of -o
	format         string
	tolerance      float64 // percentage points, as is modelTolerance
	modelTolerance float64
	driver         string
	vtune          string
	label          string
	failOn         string
	annotate       bool
	show           report.Selection // which kernels of a table are shown, and in which order

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
	given       map[string]given // settings that are not from the command line
	reads       []string         // the paths that the command reads
	stopped     func() error     // whether the work was called off
	devices     *arch.Table      // once it was asked for
}

// say prints to standard error unless -q.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.stderr, report.OneLine(fmt.Sprintf(format, args...)))
	}
}

// sayNotes prints what a person should know of the input to standard error: reports carry all notes, this the first
// that warn.
func (a *app) sayNotes(notes []note.Note) {
	const most = 20
	said, left := 0, 0
	for _, n := range notes {
		switch {
		case n.Severity < note.Warning:
		case said < most:
			a.say("%s", n)
			said++
		default:
			left++
		}
	}
	if left > 0 {
		a.say("... and %d more notes; reports have all of them", left)
	}
}
