package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"occudiff/cmd/cli"
	"occudiff/compare/rundiff"
	"occudiff/predict/arch"
	"occudiff/report/deliver"
	"occudiff/report/diffdoc"

	"github.com/spf13/cobra"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// diffFlags are those of diff alone.
type diffFlags struct {
	read                 validateFlags
	threshold            float64
	oldDriver, newDriver string
	oldVTune, newVTune   string
	global               cli.Size
	compileOptions       string
}

const diffHelp = `Compare two runs, or two folders of repeats, kernel by kernel: measured occupancy, the residual
(measured minus predicted average), and times. What changed besides - driver, device, VTune version,
GRF, SIMD width, launch shape - is named first. Of more than two, each is compared with the first:
a row for each kernel with a column for each side, then each side by itself.

OLD and NEW may also be two compilations: kernel binaries, archives or folders of them, or sources
that ocloc compiles. Then spills, registers, SIMD width, SLM, barriers and the predicted occupancy
of each kernel are compared, and a kernel is a regression when it spills more or its predicted
occupancy fell.

A difference report of VTune (vtune -report ... -r A -r B) holds both results: give it alone.

OLD and NEW are each a file, a folder of the files of one run, or a folder of repeats, as their
content decides. A folder is one of repeats when folders below it hold runs, or when its files
measured the same kernels differently: every such folder and every export is then a run, a sample,
and the summaries and logs beside them belong to all of them. Otherwise the files of a folder are
merged into one run.

From 4 runs a side on, changes are tested (Mann-Whitney, shown as ~ where p is 0.05 or more). With
fewer no test is possible, and changes are held against --threshold alone. A kernel is a regression
when the occupancy of XVEs that ran, measured / (1 - idle), fell by more than the threshold (three
times that where a launch is below a sampling interval), or when the measured occupancy fell by more
than twice the threshold in launches that take as long as before. One whose launches became faster
while less was measured is "faster at lower occupancy", which is no regression. Where the launch or
the device is not the same, the residual has to have fallen as well, since an intended change may
lower both the prediction and the measurement.`

func (a *app) diffCommand() *cobra.Command {
	f := diffFlags{read: validateFlags{content: true}, threshold: float64(rundiff.DefaultOptions().Threshold)}
	c := &cobra.Command{
		Use:   "diff [flags] OLD [NEW]...",
		Short: "Compare two runs, or two folders of repeats, kernel by kernel",
		Long:  diffHelp,
		Example: `  # Two runs
  occudiff diff old.csv new.csv --device mtl --xve 112

  # Folders of repeats, as a gate in CI, and as a report
  occudiff diff runs/main runs/branch --fail-on regression
  occudiff diff runs/main runs/branch --threshold 3 -o diff.md -o diff.xlsx

  # Several variants, each against the first
  occudiff diff runs/base runs/a runs/b runs/c -o variants.html

  # Two compilations, before any run
  occudiff diff old.zebin new.zebin --fail-on regression`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 {
				return wrongPaths(0)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.diff(c.Context(), args, f) },
	}
	f.read.define(c.Flags(), "local simd accept-truncated")
	cli.Define(c.Flags(), []cli.Flag{
		{Name: "threshold", Value: &f.threshold, Arg: "POINTS",
			Usage: "change of occupancy that has to be exceeded, in percentage points"},
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
		} else if isBinary(p) {
			binaries++
		}
	}
	switch {
	case !(f.threshold >= 0) || f.threshold > 100:
		return usageErrorf("--threshold %v: expected percentage points from 0 to 100", f.threshold)
	case len(paths) == 1 && !a.hasSides(ctx, paths[0]):
		return wrongPaths(1)
	case streams > 1:
		return usageErrorf("only one of the paths can be standard input")
	case binaries == len(paths) && binaries > 2:
		return usageErrorf("kernel binaries are compared two at a time, not %d", binaries)
	case binaries == len(paths) && a.show.Sort != "" && a.show.Sort != report.SortName:
		return usageErrorf("--sort %s: kernel binaries have no times; they are sorted by name, or what got worse first",
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
func (a *app) readSide(ctx context.Context, path, driver, vtune string, f validateFlags) ([]*compare.Result, error) {
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

func wrongPaths(n int) error {
	return usageErrorf("diff takes two paths or more, OLD and NEW, not %d: each a file, a folder of one run, or a "+
		"folder of repeats", n)
}

// hasSides says whether a file is a difference report of VTune.
func (a *app) hasSides(ctx context.Context, path string) bool {
	_, err := ingest.Read(ctx, []string{path}, ingest.Options{Formats: formats.All()})
	return ingest.HasSides(err)
}

// diffCompiled compares two compilations: binaries, archives, folders of dumps or sources.
func (a *app) diffCompiled(ctx context.Context, older, newer string, f diffFlags) error {
	b := binaryFlags{options: f.compileOptions}
	var err error
	if b.global, err = f.global.Size("global"); err != nil {
		return err
	}
	if b.local, err = f.read.local.Size("local"); err != nil {
		return err
	}
	if a.device != "" {
		t, err := a.table()
		if err != nil {
			return err
		}
		m, err := t.Find(arch.Query{Name: a.device, XVEs: a.xve})
		if err != nil {
			return err
		}
		b.devices = []*arch.Device{m.Device}
	}
	return a.diffBinaries(ctx, older, newer, b)
}

// emitDiff writes the diff to standard output and to the files.
func (a *app) emitDiff(s *rundiff.Sides, out *deliver.Files) error {
	d := s.Against[0]
	ans := &report.Answer{Doc: diffdoc.FromDiff(d, a.provenance()), Value: diffdoc.DiffJSON(d),
		Table: diffdoc.DiffTable(d, a.show), Tests: func() *report.TestSuite {
			return diffdoc.Suite(d,
				a.provenance())
		}}
	if len(s.Against) > 1 {
		ans = diffdoc.Sides(s, a.provenance())
	}
	if err := a.deliver(ans, out); err != nil {
		return err
	}
	a.sayNotes(diffdoc.SidesNotes(s))
	var marks []report.Annotation
	var failed []string
	for _, d := range s.Against {
		marks = append(marks, diffdoc.DiffAnnotations(d, a.annotateLevels().Regression)...)
		if text := regressions(d); text != "" && len(s.Against) > 1 {
			failed = append(failed, d.New.Name+": "+text)
		} else if text != "" {
			failed = append(failed, text)
		}
	}
	if err := a.printAnnotations(marks); err != nil {
		return err
	}
	if a.failOn != "regression" || len(failed) == 0 {
		return nil
	}
	return &gateError{"--fail-on regression: " + strings.Join(failed, "; ")}
}

// regressions says which kernels regressed on a side; empty when none did.
func regressions(d *rundiff.Result) string {
	if d.Summary.Regressions == 0 {
		return ""
	}
	const most = 3
	var names []string
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict != rundiff.Regression {
			continue
		}
		if len(names) == most {
			names = append(names, fmt.Sprintf("%d more", d.Summary.Regressions-most))
			break
		}
		names = append(names, fmt.Sprintf("%s (%+.1f)", report.CutMiddle(report.KernelName(r.Task), 40),
			r.Measured.Change.Or(0)))
	}
	return fmt.Sprintf("%d of %d kernels lost more than %g points of measured occupancy: %s", d.Summary.Regressions,
		d.Summary.Kernels, float64(d.Options.Threshold), strings.Join(names, ", "))
}
