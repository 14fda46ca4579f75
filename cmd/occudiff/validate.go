package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/ingest"
	"occudiff/ingest/collect"
	"occudiff/ingest/formats"
	"occudiff/ingest/note"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/rundoc"
	"occudiff/report/runsdoc"
)

func (a *app) validateCommand() *cobra.Command {
	var v runOptions
	c := &cobra.Command{
		Use:   "validate [flags] PATH...",
		Short: "Compare a profiler run with predicted occupancy",
		Long: `Compare a profiler run with predicted occupancy, kernel by kernel.

The paths are the files of one run, or a folder of them: VTune computing-task exports (CSV), VTune
summaries, vec_add logs, unitrace output, Chrome traces, kernel binaries; plain, gzip or zstd; - is
standard input. The format is detected from the content. Files of one run are merged by kernel.

Several folders, a folder of folders, or a folder whose exports measured the same kernels differently
hold several runs, such as the nodes of a cluster or the ranks of a job. They are shown side by side:
first the runs that stand out, then each kernel over all runs, then each run. Each output file covers
all runs.`,
		Example: `  # An export, on a device that you name
  occudiff validate --device mtl --xve 112 run.hotspots.csv

  # With the summary, which names the device; write a workbook and a page
  occudiff validate run.hotspots.csv run.summary.txt -o run.xlsx -o run.html

  # A log, which has no launch sizes
  occudiff validate --local 256 --simd 32 vec_add.log

  # Several runs side by side, or a gate in CI
  occudiff validate run1/ run2/ -o report.md
  occudiff validate run.hotspots.csv --fail-on mismatch -o result.xml`,
		Args: cli.Args(1, cli.Many, "nothing to validate: give an export, a log, a summary, or a folder of them; or "+
			"try 'occudiff demo'"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.validatePaths(c.Context(), args, v)
		},
	}
	v.define(c.Flags(), "local simd instances timeline digest accept-truncated")
	a.share(c, runFlags, answerFlags)
	a.shareTable(c, report.SortLost, report.SortTime, report.SortDifference, report.SortName)
	a.shareGate(c, "mismatch", "model")
	return c
}

// validatePaths reads and compares each run of the command line and writes the reports.
func (a *app) validatePaths(ctx context.Context, paths []string, v runOptions) error {
	paths, done, err := collect.ExportResults(ctx, paths, a.raw)
	defer done()
	if err != nil {
		return err
	}
	if v.instances {
		// Collecting garbage early is cheap with millions of launches, which hold no pointers, and keeps memory near
		// what is used.
		defer debug.SetGCPercent(debug.SetGCPercent(30))
	}
	endings := deliver.Endings(".xml")
	if v.timeline {
		endings = append(endings, ".svg")
	}
	out, err := a.openOutputs(a.outputs, endings...)
	if err != nil {
		return err
	}
	defer out.Discard()
	var names []string
	var results []*compare.Result
	read := func(side int, paths ...string) (*ingest.Run, error) {
		v := v
		v.side = side
		return a.readRun(ctx, paths, v)
	}
	if err := ingest.EachRun(ctx, paths, formats.All(), read, func(name string, run *ingest.Run) error {
		r, err := a.validateRun(ctx, run, v)
		names, results = append(names, name), append(results, r)
		return err
	}); err != nil {
		return err
	}
	return a.emit(names, results, out)
}

// validateRun compares a run that was read.
func (a *app) validateRun(ctx context.Context, run *ingest.Run, v runOptions) (*compare.Result, error) {
	unnamed := compare.WithPeaks
	if a.failOn != "never" { // a gate is not to pass because nobody said what to judge by
		unnamed = compare.Refused
	}
	r, err := orStopped(ctx, func() (*compare.Result, error) { return a.compareRun(run, v, unnamed) })
	if err == nil && v.timeline && !rundoc.Sampled(r) {
		return nil, cli.Errorf("--timeline: no kernel of %s has both a prediction and samples over time; give the "+
			"output of oneprof -k, of oneprof -m and -i, or of unitrace -k", run.Inputs[0].Path)
	}
	return r, err
}

// orStopped gives what work gives, or gives up on it when the context ends: comparing millions of launches takes
// seconds, and what it would still bring is of no use to a program that is about to end.
func orStopped[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := work()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// fewRuns is how many runs a terminal shows each by itself, below what is said of all of them; files have every run.
const fewRuns = 3

// emit writes one run, or several side by side, to the files and to standard output; what a gate says comes last.
func (a *app) emit(names []string, results []*compare.Result, out *deliver.Files) error {
	t, err := a.table()
	if err != nil {
		return err
	}
	ans := rundoc.Answer(results[0], a.provenance(), t.Devices())
	if len(results) > 1 {
		ans = runsdoc.Answer(rundiff.SideBySide(names, results), a.provenance())
	}
	if err := a.deliver(ans, out); err != nil {
		return err
	}
	if len(results) > 1 && len(results) <= fewRuns && a.format == "table" {
		if err := a.printEach(names, results, out); err != nil {
			return err
		}
	}
	var failed []string
	var marks []report.Annotation
	var notes []note.Note
	for i, r := range results {
		for _, n := range r.Notes {
			if !slices.Contains(notes, n) { // many runs say the same of their device
				notes = append(notes, n)
			}
		}
		if a.annotate {
			marks = append(marks, rundoc.Annotations(r, a.annotateLevels())...)
		}
		name := ""
		if len(results) > 1 {
			name = names[i] + ": "
		}
		if text := a.gate(name, r); text != "" {
			failed = append(failed, text)
		}
	}
	a.sayNotes(notes)
	if n := len(failed); n > report.MostTasks {
		failed = append(failed[:report.MostTasks:report.MostTasks],
			fmt.Sprintf("%d more of %d runs", n-report.MostTasks, len(results)))
	}
	failure := ""
	if len(failed) > 0 {
		failure = "--fail-on " + a.failOn + ": " + strings.Join(failed, "; ")
	}
	return a.conclude(marks, failure)
}

// printEach prints each of a few runs by itself.
func (a *app) printEach(names []string, results []*compare.Result, out *deliver.Files) error {
	for i, r := range results {
		if _, err := fmt.Fprintf(a.stdout, "\nRun %s\n\n", report.OneLine(names[i])); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		one := rundoc.Answer(r, a.provenance(), nil)
		if err := a.chooseColumns(one); err != nil {
			return err
		}
		if err := a.print(out, one); err != nil {
			return err
		}
	}
	return nil
}

// gate says why a run fails the gate that --fail-on asks for; nothing when it does not.
func (a *app) gate(name string, r *compare.Result) string {
	failure, judged := rundoc.Failure(r, a.failOn)
	if !judged {
		fmt.Fprintf(a.stderr, "occudiff: %swarning: --fail-on %s had nothing to judge: none of %d kernels could be "+
			"compared\n", name, a.failOn, r.Summary.Kernels)
	}
	if failure == "" {
		return ""
	}
	return name + failure
}
