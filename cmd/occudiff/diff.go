package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/track"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/batch"
	"occudiff/report"
	"occudiff/report/diffdoc"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	Threshold      float64  `flag:"threshold" arg:"POINTS" range:"0 100 percentage points from 0 to 100" help:"smallest change of occupancy to report, in percentage points"`
	Noise          string   `flag:"noise" arg:"HISTORY" help:"history with the noise of each kernel, so that one run per side can be judged"`
	Global         cli.Size `flag:"global" expert:"true" arg:"SIZE" help:"global size for kernel binaries, to compare the predicted average as well"`
	CompileOptions string   `flag:"compile-options" expert:"true" arg:"OPTIONS" help:"options of the OpenCL compiler, for source files"`
	branchFlag
}

const wrongPaths = "diff needs two or more paths, OLD and NEW, not %d: each is a file, a folder of one run, or a " +
	"folder of repeats"

// diffCommand returns the command that compares runs, folders with repeated
// runs, or kernel binaries. The command distinguishes binaries from runs, and
// reads them. The verdicts come from compare/diff.
func (a *app) diffCommand() *cobra.Command {
	f := &diffFlags{Threshold: float64(diff.DefaultOptions().Threshold)}
	return a.command(command{text: "diff", flags: []any{f},
		share: "-local -simd -sampling-interval" + runFlags + tableFlags +
			"sort:lost,time,difference,name fail-on:never,regression annotations" + unseenFlags + outputFlags,
		args: cli.Args(1, cli.Unlimited, wrongPaths), endings: fileEndings(".svg", ".xml"),
		run: func(ctx context.Context, paths []string) (*report.Output, error) { return a.diff(ctx, paths, f) }})
}

func (a *app) diff(ctx context.Context, paths []string, f *diffFlags) (*report.Output, error) {
	// Kernel binaries contain no measurements, so they are compared differently
	// from runs. If the paths are a mix of binaries and runs, all are read as
	// runs, and the reader reports the binary as an error.
	binaries, streams := 0, 0
	for _, p := range paths {
		if p == "-" {
			streams++
		} else if batch.ContainsKernels(p) {
			binaries++
		}
	}
	switch {
	case len(paths) == 1 && binaries == 1:
		return nil, cli.Errorf(wrongPaths, 1)
	case streams > 1:
		return nil, cli.Errorf("only one of the paths can be standard input")
	case binaries == len(paths) && binaries > 2:
		return nil, cli.Errorf("kernel binaries are compared two at a time, not %d", binaries)
	case binaries == len(paths) && a.show.Sort != "" && a.show.Sort != report.SortName:
		return nil, cli.Errorf(
			"--sort %q: kernel binaries have no times; sort them by name, or omit --sort to list worse ones first",
			a.show.Sort)
	case binaries == len(paths):
		return a.diffBinaries(ctx, paths[0], paths[1], f)
	}
	sides, err := a.readSides(ctx, paths)
	if err != nil {
		return nil, err
	}
	opt := diff.DefaultOptions()
	opt.Threshold = unit.Points(f.Threshold)
	if f.Noise != "" {
		if opt.Noise, err = noiseOf(ctx, f, sides[0].Runs[0]); err != nil {
			return nil, err
		}
	}
	return a.outputComparisons(diff.CompareSides(sides[0], sides[1:], opt))
}

// noiseOf returns a function for each kernel's noise on the device of a run:
// the variance of busy or measured occupancy, in squared points. If the history
// contains no noise at all, noiseOf returns an error. Otherwise, single runs
// could not be judged, and the gate would pass without a message.
func noiseOf(ctx context.Context, f *diffFlags,
	run *compare.Result) (func(*diff.Row, string) (stat.Variance, bool), error) {
	if run.Device == nil {
		return nil, cli.Errorf("--noise %q: the runs do not identify the GPU, so their kernels cannot be found in the "+
			"history; use --device", f.Noise)
	}
	db, err := history.Open(ctx, f.Noise, history.Options{MustExist: true, ReadOnly: true, Base: f.base()})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	noise, known := map[string]map[history.Key]stat.Variance{}, 0
	for _, metric := range []history.Metric{history.Busy, history.Measured} {
		of, err := track.Noise(ctx, db, metric)
		if err != nil {
			return nil, err
		}
		noise[string(metric)], known = of, known+len(of)
	}
	if known == 0 {
		return nil, fmt.Errorf("--noise %q: no kernel has at least 8 runs of a base branch (%s, or none) in this "+
			"history, so the noise is unknown; --base-branch selects another branch",
			f.Noise, strings.Join(f.base(), ", "))
	}
	// The lookup ignores the driver and the program. They may be the very
	// change between the runs, and the history has no runs yet with a new
	// driver or program.
	return func(r *diff.Row, metric string) (v stat.Variance, ok bool) {
		l := cmp.Or(r.New, r.Old)
		v, ok = noise[metric][history.Key{Task: r.Task, Global: l.Global, Local: l.Local, SIMD: l.SIMD.Or(0),
			Direction: r.Direction.Or(""), Device: run.Device.Key}.OnDevice()]
		return v, ok
	}, nil
}

// outputComparisons returns the output for compared sides. The gate judges all
// sides together, so the kernels that it cannot judge are reported only once,
// with the first side.
func (a *app) outputComparisons(sides []*diff.Result) (*report.Output, error) {
	unjudged := report.Unjudged{}
	if a.FailOn != "never" {
		unjudged = diffdoc.Unjudged(sides)
	}
	var unseen []string
	for _, d := range sides {
		lost, err := a.checkUnseen(&d.Notes, unjudged)
		if err != nil {
			return nil, err
		}
		unseen, unjudged = append(unseen, lost...), report.Unjudged{}
	}
	ans := diffdoc.NewOutput(sides, a.provenance())
	a.after = func() error {
		a.printWarnings(diffdoc.Notes(sides))
		// If the runs are too few, the gate passes. The message states that
		// this does not prove anything. The gate also passes if only the time
		// changed.
		for _, text := range []string{diffdoc.SlowerSame(sides), diffdoc.Inconclusive(sides)} {
			if text != "" && a.FailOn == "regression" {
				a.printMessage("%s", text)
			}
		}
		if text := diffdoc.Disjoint(sides); text != "" {
			return errors.New(text)
		}
		return a.concludeCases(ans, unseen)
	}
	return ans, nil
}

// concludeCases calls conclude with the test cases of an output. Failed cases
// become annotations and make the gate fail.
func (a *app) concludeCases(ans *report.Output, unseen []string) error {
	if a.FailOn == "never" && !a.Annotate {
		return a.conclude(nil, "", unseen)
	}
	cases, level := ans.Tests(), report.AnnotateWarning
	if a.FailOn == "regression" {
		level = report.AnnotateError
	}
	return a.conclude(diffdoc.Annotations(cases, level), diffdoc.Failure(cases), unseen)
}

// readSides reads the runs of each path and compares each run with its
// prediction. A single path must be a file with two results, which become the
// two sides. For example, a difference report of VTune contains two results.
func (a *app) readSides(ctx context.Context, paths []string) (sides []diff.Side, err error) {
	for _, path := range paths {
		side := diff.Side{Name: path}
		var runs []*ingest.Run
		// The readers also compute digests of the content, so that copies among
		// the runs are found.
		if err := a.eachRun(ctx, []string{path}, ingest.Options{Content: true}, func(_ string, run *ingest.Run) error {
			runs = append(runs, run)
			r, err := a.compareRun(run, compare.MeasuredOnly)
			side.Runs = append(side.Runs, r)
			return err
		}); err != nil {
			return nil, err
		}
		if len(paths) > 1 {
			sides = append(sides, side)
			continue
		}
		if len(runs) != 2 || !ingest.ResultsOfOneFile(runs) {
			return nil, cli.Errorf(wrongPaths, 1)
		}
		for i, r := range side.Runs {
			sides = append(sides, diff.Side{Name: fmt.Sprintf("%s, result %d", path, i+1), Runs: []*compare.Result{r}})
		}
	}
	return sides, nil
}

// diffBinaries compares the kernels of two builds: binaries, archives, folders of
// dumps, or sources. Without --device, each image is predicted for the device
// that it was compiled for.
func (a *app) diffBinaries(ctx context.Context, older, newer string, f *diffFlags) (*report.Output, error) {
	opt := batch.Options{Compiler: f.CompileOptions}
	var err error
	if opt.Global, err = f.Global.Size("global"); err != nil {
		return nil, err
	}
	if opt.Local, err = a.Local.ByName(); err != nil {
		return nil, err
	}
	if opt.Devices, err = a.namedDevice(); err != nil {
		return nil, err
	}
	var notes []note.Note
	var builds [2][]batch.Kernel
	for i, path := range []string{older, newer} {
		kernels, of, err := batch.Read(ctx, []string{path}, a.devices, opt)
		if err != nil {
			return nil, err
		}
		builds[i], notes = kernels, append(notes, of...)
	}
	notes = append(notes, batch.UnmatchedNames(opt, slices.Concat(builds[0], builds[1]))...)
	unseen, err := a.checkUnseen(&notes, report.Unjudged{})
	if err != nil {
		return nil, err
	}
	a.printWarnings(notes)
	pairs := diff.Builds(builds[0], builds[1])
	ans := diffdoc.Builds(pairs, notes, a.provenance())
	a.after = func() error {
		if text := diffdoc.DisjointBuilds(pairs); text != "" {
			return errors.New(text)
		}
		return a.concludeCases(ans, unseen)
	}
	return ans, nil
}
