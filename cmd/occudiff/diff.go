package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/compare/binary"
	"occudiff/compare/rundiff"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/binarydoc"
	"occudiff/report/deliver"
	"occudiff/report/diffdoc"
)

// diffFlags are those of diff alone.
type diffFlags struct {
	read                 runOptions
	threshold            float64
	oldDriver, newDriver string
	oldVTune, newVTune   string
	global               cli.Size
	compileOptions       string
}

const diffHelp = `Compare two runs, or two folders of repeated runs, kernel by kernel: measured occupancy, the residual
(measured minus predicted average), and times. Other changes (driver, device, VTune version, GRF,
SIMD width, launch shape) come first. With more than two runs, each is compared with the first: a
row for each kernel with a column for each run, then each run by itself.

OLD and NEW may also be two builds: kernel binaries, archives or folders of them, or source files
that ocloc compiles. Then spills, registers, SIMD width, SLM, barriers and the predicted occupancy
of each kernel are compared. A kernel is a regression when it spills more or its predicted occupancy
fell.

VTune's difference report (vtune -report ... -r A -r B) holds both results: give only that file.

OLD and NEW are each a file, a folder with the files of one run, or a folder of repeated runs. A
folder holds repeated runs when its subfolders are runs, or when its files measured the same kernels
differently. Every such subfolder or export is one sample, and summaries and logs next to them
belong to all of them. Otherwise the files of a folder are merged into one run.

With at least 4 runs on each side, changes are tested (Mann-Whitney; ~ marks p of 0.05 or more).
With fewer, no test is possible, and changes are compared only with --threshold. A kernel is a
regression when the occupancy of XVEs that ran, measured / (1 - idle), fell by more than the
threshold (three times the threshold if a launch is shorter than a sampling interval), or when the
measured occupancy fell by more than twice the threshold and launches take as long as before. A
kernel whose launches became faster is "faster at lower occupancy", which is not a regression. If
the launch or the device changed, the residual must have fallen as well, because an intended change
may lower both the prediction and the measurement.`

const wrongPaths = "diff takes two paths or more, OLD and NEW, not %d: each a file, a folder of one run, or a folder " +
	"of repeats"

func (a *app) diffCommand() *cobra.Command {
	f := diffFlags{read: runOptions{content: true}, threshold: float64(rundiff.DefaultOptions().Threshold)}
	c := &cobra.Command{
		Use:   "diff [flags] OLD [NEW]...",
		Short: "Compare two runs, or two folders of repeated runs, kernel by kernel",
		Long:  diffHelp,
		Example: `  # Two runs
  occudiff diff old.csv new.csv --device mtl --xve 112

  # Folders of repeated runs, as a gate in CI, and as a report
  occudiff diff runs/main runs/branch --fail-on regression
  occudiff diff runs/main runs/branch --threshold 3 -o diff.md -o diff.xlsx

  # Several variants, each against the first
  occudiff diff runs/base runs/a runs/b runs/c -o variants.html

  # Two builds, before any run
  occudiff diff old.zebin new.zebin --fail-on regression`,
		Args: cli.Args(1, cli.Many, wrongPaths),
		RunE: func(c *cobra.Command, args []string) error { return a.diff(c.Context(), args, f) },
	}
	f.read.define(c.Flags(), "local simd accept-truncated")
	cli.Define(c.Flags(), []cli.Flag{
		{Name: "threshold", Value: &f.threshold, Arg: "POINTS",
			Usage: "smallest change of occupancy that counts, in percentage points"},
		{Name: "old-driver", Value: &f.oldDriver, Arg: "VERSION", Usage: "GPU driver of OLD"},
		{Name: "new-driver", Value: &f.newDriver, Arg: "VERSION", Usage: "GPU driver of NEW"},
		{Name: "old-vtune-version", Value: &f.oldVTune, Arg: "VERSION", Usage: "VTune version of OLD"},
		{Name: "new-vtune-version", Value: &f.newVTune, Arg: "VERSION", Usage: "VTune version of NEW"},
		{Name: "global", Value: &f.global, Arg: "SIZE", Usage: "global size for kernel binaries: the predicted " +
			"average is compared too"}, {Name: "compile-options", Value: &f.compileOptions, Arg: "OPTIONS",
			Usage: "of the OpenCL compiler, for sources"},
	}...)
	a.share(c, runFlags, answerFlags)
	a.shareTable(c, report.SortLost, report.SortTime, report.SortDifference, report.SortName)
	a.shareGate(c, "regression")
	return c
}

func (a *app) diff(ctx context.Context, paths []string, f diffFlags) error {
	binaries, streams := 0, 0
	for _, p := range paths {
		if p == "-" {
			streams++
		} else if binary.IsPath(p) {
			binaries++
		}
	}
	switch {
	case !(f.threshold >= 0) || f.threshold > 100:
		return cli.Errorf("--threshold %v: expected percentage points from 0 to 100", f.threshold)
	case len(paths) == 1 && !a.hasSides(ctx, paths[0]):
		return cli.Errorf(wrongPaths, 1)
	case streams > 1:
		return cli.Errorf("only one of the paths can be standard input")
	case binaries == len(paths) && binaries > 2:
		return cli.Errorf("kernel binaries are compared two at a time, not %d", binaries)
	case binaries == len(paths) && a.show.Sort != "" && a.show.Sort != report.SortName:
		return cli.Errorf("--sort %s: kernel binaries have no times; they are sorted by name, or what got worse first",
			a.show.Sort)
	case binaries == len(paths):
		return a.diffCompiled(ctx, paths[0], paths[1], f)
	}
	out, err := a.openOutputs(a.outputs, deliver.Endings(".xml")...)
	if err != nil {
		return err
	}
	defer out.Discard()
	report := len(paths) == 1 // a difference report has both sides
	if report {
		paths = append(paths, paths[0])
	}
	var sides []rundiff.Side
	for i, p := range paths {
		driver, vtune := f.newDriver, f.newVTune
		if i == 0 {
			driver, vtune = f.oldDriver, f.oldVTune
		}
		name := p
		if report {
			f.read.side = i + 1
			name = fmt.Sprintf("%s, result %d", p, i+1)
		}
		runs, err := a.readSide(ctx, p, driver, vtune, f.read)
		if err != nil {
			return err
		}
		sides = append(sides, rundiff.Side{Name: name, Runs: runs})
	}
	opt := rundiff.DefaultOptions()
	opt.Threshold = unit.Points(f.threshold)
	return a.emitDiff(rundiff.CompareSides(sides[0], sides[1:], opt), out)
}

// readSide reads and compares the runs of a side.
func (a *app) readSide(ctx context.Context, path, driver, vtune string, f runOptions) (
	[]*compare.Result, error) {
	runs, err := ingest.Repeats(ctx, path, func(paths ...string) (*ingest.Run, error) {
		return a.readRun(ctx, paths, f)
	})
	if err != nil {
		return nil, err
	}
	var results []*compare.Result
	for _, run := range runs {
		r, err := a.compareRun(run, f, compare.InAnyCase)
		if err != nil {
			return nil, err
		}
		r.Platform.Driver = cmp.Or(driver, r.Platform.Driver)
		r.Platform.VTune = cmp.Or(vtune, r.Platform.VTune)
		results = append(results, r)
	}
	return results, nil
}

// hasSides says whether a file is a difference report of VTune.
func (a *app) hasSides(ctx context.Context, path string) bool {
	_, err := ingest.Read(ctx, []string{path}, ingest.Options{Formats: formats.All()})
	return ingest.HasSides(err)
}

// diffCompiled compares two compilations: binaries, archives, folders of dumps or sources.
func (a *app) diffCompiled(ctx context.Context, older, newer string, f diffFlags) error {
	opt := binary.Options{Compiler: f.compileOptions}
	var err error
	if opt.Global, err = f.global.Size("global"); err != nil {
		return err
	}
	if opt.Local, err = f.read.local.Size("local"); err != nil {
		return err
	}
	if opt.Devices, err = a.namedDevice(); err != nil {
		return err
	}
	return a.diffBinaries(ctx, older, newer, opt)
}

// diffBinaries compares the kernels of two compilations.
func (a *app) diffBinaries(ctx context.Context, older, newer string, opt binary.Options) error {
	out, err := a.openOutputs(a.outputs, deliver.Endings(".xml")...)
	if err != nil {
		return err
	}
	defer out.Discard()
	was, notes, err := a.readBinaries(ctx, []string{older}, opt)
	if err != nil {
		return err
	}
	is, more, err := a.readBinaries(ctx, []string{newer}, opt)
	if err != nil {
		return err
	}
	notes = append(notes, more...)
	a.sayNotes(notes)
	pairs := binary.Diff(was, is)
	if err := a.deliver(binarydoc.Diff(pairs, notes, a.provenance()), out); err != nil {
		return err
	}
	failure := ""
	if a.failOn == "regression" {
		failure = binarydoc.Failure(pairs)
	}
	return a.conclude(binarydoc.Annotations(pairs, a.annotateLevels().Regression), failure)
}

// emitDiff writes the diff to standard output and to the files.
func (a *app) emitDiff(s *rundiff.Sides, out *deliver.Files) error {
	if err := a.deliver(diffdoc.Answer(s, a.provenance()), out); err != nil {
		return err
	}
	a.sayNotes(diffdoc.SidesNotes(s))
	var marks []report.Annotation
	for _, d := range s.Against {
		marks = append(marks, diffdoc.DiffAnnotations(d, a.annotateLevels().Regression)...)
	}
	failure := ""
	if a.failOn == "regression" {
		failure = diffdoc.Failure(s)
	}
	return a.conclude(marks, failure)
}
