package main

import (
	"context"
	"errors"
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
	"occudiff/ingest/note"
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

func (a *app) diffCommand() *cobra.Command {
	f := diffFlags{read: validateFlags{content: true}, threshold: float64(rundiff.DefaultOptions().Threshold)}
	c := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Compare two runs, or two folders of repeats, kernel by kernel",
		Long: `Compare two runs, or two folders of repeats, kernel by kernel: measured occupancy, the residual
(measured minus predicted average), and times. What changed besides - driver, device, VTune version,
GRF, SIMD width, launch shape - is named first.

OLD and NEW may also be two compilations: kernel binaries, archives or folders of them, or sources
that ocloc compiles. Then spills, registers, SIMD width, SLM, barriers and the predicted occupancy
of each kernel are compared, and a kernel is a regression when it spills more or its predicted
occupancy fell.

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
lower both the prediction and the measurement.`,
		Example: `  occudiff diff old.csv new.csv --device mtl --xve 112
  occudiff diff runs/main runs/branch --fail-on regression
  occudiff diff runs/main runs/branch --threshold 3 -o diff.md -o diff.xlsx`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageErrorf("diff takes two paths, OLD and NEW, not %d: each a file, a folder of one run, or "+
					"a folder of repeats", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.diff(c.Context(), args[0], args[1], f) },
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
	a.shareGate(c, "regression")
	return c
}

func (a *app) diff(ctx context.Context, older, newer string, f diffFlags) error {
	switch {
	case !(f.threshold >= 0) || f.threshold > 100:
		return usageErrorf("--threshold %v: expected percentage points from 0 to 100", f.threshold)
	case older == "-" && newer == "-":
		return usageErrorf("OLD and NEW cannot both be standard input")
	case isBinary(older) && isBinary(newer):
		return a.diffCompiled(ctx, older, newer, f)
	}
	out, err := a.openOutputs(a.outputs, deliver.Endings(".xml")...)
	if err != nil {
		return err
	}
	defer out.Discard()
	var sides [2][]*compare.Result
	for i, s := range []struct{ path, driver, vtune string }{{older, f.oldDriver, f.oldVTune},
		{newer, f.newDriver, f.newVTune}} {
		runs, err := ingest.Repeats(ctx, s.path, func(paths ...string) (*ingest.Run, error) {
			return a.readRun(ctx, paths, f.read)
		})
		if err != nil {
			return err
		}
		for _, run := range runs {
			r, err := a.compareForDiff(run, f.read)
			if err != nil {
				return err
			}
			if s.driver != "" {
				r.Platform.Driver = s.driver
			}
			if s.vtune != "" {
				r.Platform.VTune = s.vtune
			}
			sides[i] = append(sides[i], r)
		}
	}
	opt := rundiff.DefaultOptions()
	opt.Threshold = unit.Points(f.threshold)
	d := rundiff.Compare(sides[0], sides[1], opt)
	d.Old.Name, d.New.Name = older, newer
	return a.emitDiff(d, out)
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

// compareForDiff compares one run. A device that nobody names costs the residual, not the diff.
func (a *app) compareForDiff(run *ingest.Run, v validateFlags) (*compare.Result, error) {
	r, err := a.compareRun(run, v)
	if !errors.Is(err, arch.ErrNoDevice) {
		return r, err
	}
	run.Notes = append(run.Notes, note.Note{Severity: note.Warning, Code: "no-device",
		Text: "no input says which GPU this is, so there is no prediction, no residual, and launches that are too " +
			"short to be measured are not told from others",
		Hint: "name it with --device (see 'occudiff devices'), or put the VTune summary beside the export"})
	r = compare.Compare(run, nil, a.options())
	if a.driver != "" {
		r.Platform.Driver = a.driver
	}
	if a.vtune != "" {
		r.Platform.VTune = a.vtune
	}
	return r, nil
}

// emitDiff writes the diff to standard output and to the files.
func (a *app) emitDiff(d *rundiff.Result, out *deliver.Files) error {
	ans := &report.Answer{Doc: diffdoc.FromDiff(d, a.provenance()), Value: diffdoc.DiffJSON(d),
		Table: diffdoc.DiffTable(d), Tests: func() *report.TestSuite { return diffdoc.Suite(d, a.provenance()) }}
	if err := a.deliver(ans, out); err != nil {
		return err
	}
	a.sayNotes(d.Notes)
	if err := a.printAnnotations(diffdoc.DiffAnnotations(d, a.annotateLevels().Regression)); err != nil {
		return err
	}
	return a.gateDiff(d)
}

// gateDiff turns regressions into the exit status that --fail-on asks for.
func (a *app) gateDiff(d *rundiff.Result) error {
	const most = 3
	if a.failOn != "regression" || d.Summary.Regressions == 0 {
		return nil
	}
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
	return &gateError{fmt.Sprintf("--fail-on regression: %d of %d kernels lost more than %g points of measured "+
		"occupancy: %s",
		d.Summary.Regressions, d.Summary.Kernels, float64(d.Options.Threshold), strings.Join(names, ", "))}
}
