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
	"occudiff/compare/diff"
	"occudiff/ingest"
	"occudiff/ingest/collect"
	"occudiff/ingest/formats"
	"occudiff/ingest/note"
	"occudiff/report"
	"occudiff/report/diffdoc"
	"occudiff/report/rundoc"
)

// validateFlags are those of validate alone.
type validateFlags struct {
	Instances bool `flag:"instances" help:"JSON and CSV have a row for each launch"`
	NoVTune   bool `flag:"no-vtune" expert:"true" help:"read VTune result folders directly, even where vtune is installed"`
	Timeline  bool `flag:"timeline" expert:"true" help:"plot samples of occupancy over the simulated launch (from oneprof -k, or -m and -i; from unitrace -k)"`
}

func (a *app) validateCommand() *cobra.Command {
	f := &validateFlags{}
	return a.command(command{text: "validate", flags: []any{f},
		share: "local simd driver" + runFlags + tableFlags + unseenFlags +
			"sort:lost,time,worth,difference,name fail-on:never,mismatch,model annotations" + answerFlags,
		args: cli.Args(1, cli.Many, "nothing to validate: give an export, a log, a summary, or a folder of them; or "+
			"try 'occudiff demo'"),
		check: func([]string) error {
			if a.endings = fileEndings(".xml", perfettoEnding); f.Timeline {
				a.endings = append(a.endings, ".svg")
				a.Verbose = true // a terminal shows what was asked for
			}
			return nil
		},
		answer: func(ctx context.Context, args []string) (*report.Answer, error) {
			return a.validatePaths(ctx, args, f)
		}})
}

// validatePaths reads and compares each run of the command line.
// done is deferred before the error is looked at: it is there in any case, and removes what was exported until then.
func (a *app) validatePaths(ctx context.Context, paths []string, f *validateFlags) (*report.Answer, error) {
	// Where vtune is installed the tables of a result folder are its own; else, or with --no-vtune, the folder is read
	// by itself.
	if !f.NoVTune {
		with, done, err := collect.ExportResults(ctx, paths, a.raw)
		defer done()
		if err != nil {
			return nil, err
		}
		paths = with
	}
	if f.Instances {
		// Collecting garbage early is cheap with millions of launches, which hold no pointers, and keeps memory near
		// what is used.
		debug.SetGCPercent(30)
	}
	var names []string
	var results []*compare.Result
	read := func(side int, paths ...string) (*ingest.Run, error) {
		return a.readRun(ctx, paths, ingest.Options{ReadOptions: ingest.ReadOptions{Instances: f.Instances,
			Samples: f.Timeline || a.writes(perfettoEnding), Side: side}})
	}
	if err := ingest.EachRun(ctx, paths, formats.All(), read, func(name string, run *ingest.Run) error {
		r, err := a.validateRun(run, f)
		names, results = append(names, name), append(results, r)
		return err
	}); err != nil {
		return nil, err
	}
	return a.answerRuns(names, results)
}

// validateRun compares a run that was read.
// Without a gate and without a device the run is held against VTune's peaks.
func (a *app) validateRun(run *ingest.Run, f *validateFlags) (*compare.Result, error) {
	unnamed := compare.UsePeaks
	if a.FailOn != "never" { // a gate is not to pass because nobody said what to judge by
		unnamed = compare.Refuse
	}
	r, err := a.compareRun(run, unnamed)
	// An empty picture would look like a kernel without occupancy.
	if err == nil && f.Timeline && !rundoc.Sampled(r) {
		return nil, cli.Errorf("--timeline: no kernel of %s has both a prediction and samples over time; give the "+
			"output of oneprof -k, of oneprof -m and -i, or of unitrace -k", run.Inputs[0].Path)
	}
	return r, err
}

// answerRuns answers for one run, or for several side by side; what a gate says comes last.
// All runs are judged before anything is written, since what was accepted stands in every output as a note.
func (a *app) answerRuns(names []string, results []*compare.Result) (*report.Answer, error) {
	var failed, unseen []string
	for i, r := range results {
		of := ""
		if len(results) > 1 {
			of = names[i] + ": "
		}
		g := rundoc.GateOf(r, a.FailOn)
		lost, err := a.accept(&r.Notes, g.Unjudged)
		if err != nil {
			return nil, err
		}
		for _, text := range lost {
			unseen = append(unseen, of+text)
		}
		if g.Failure != "" {
			failed = append(failed, of+g.Failure)
		}
	}
	// Without a gate kernels that were lost are a note in every output, and no error.
	if a.FailOn == "never" {
		unseen = nil
	}
	failure := ""
	if n := len(failed) - report.MostTasks; n > 0 {
		failed = append(failed[:report.MostTasks], fmt.Sprintf("%d more of %d runs", n, len(results)))
	}
	if len(failed) > 0 {
		failure = "--fail-on " + a.FailOn + ": " + strings.Join(failed, "; ")
	}
	a.after = func() error {
		var marks []report.Annotation
		var notes []note.Note
		for _, r := range results {
			for _, n := range r.Notes {
				if !slices.Contains(notes, n) { // many runs say the same of their device
					notes = append(notes, n)
				}
			}
			if a.Annotate {
				marks = append(marks, rundoc.Annotations(r, a.FailOn)...)
			}
		}
		a.sayNotes(notes)
		return a.conclude(marks, failure, unseen)
	}
	if len(results) > 1 {
		return diffdoc.Runs(diff.SideBySide(names, results), a.provenance()), nil
	}
	return rundoc.Answer(results[0], a.provenance()), nil
}
