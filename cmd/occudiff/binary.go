package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"occudiff/cmd/cli"
	"occudiff/compare/binary"
	"occudiff/ingest/note"
	"occudiff/ingest/ocloc"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/binarydoc"
	"occudiff/report/deliver"
)

// binaryFlags are what predict and diff ask of kernel binaries and sources.
type binaryFlags struct {
	devices []*arch.Device
	global  unit.Size3
	local   unit.Size3
	options string // of the OpenCL compiler, for sources
}

// predictFiles predicts what is in the files of the command line.
func (a *app) predictFiles(c *cobra.Command, paths []string, p *predictFlags) error {
	err := cli.Refuse(c.Flags(), "a file: the binary says it, or it asks for another answer",
		"simd slm barriers grf registers policy batch sweep timeline explain compat model")
	if err != nil {
		return err
	}
	f := binaryFlags{options: p.compileOptions}
	if f.global, err = p.global.Size("global"); err != nil {
		return err
	}
	if f.local, err = p.local.Size("local"); err != nil {
		return err
	}
	if len(p.devices) > 0 && !slices.Equal(p.devices, []string{"all"}) {
		chosen, err := a.chooseDevices(&p.launchFlags)
		if err != nil {
			return err
		}
		for _, c := range chosen {
			f.devices = append(f.devices, c.Device)
		}
	}
	return a.predictBinaries(c.Context(), paths, f)
}

// predictBinaries predicts the kernels of binaries and sources.
func (a *app) predictBinaries(ctx context.Context, paths []string, f binaryFlags) error {
	out, err := a.openOutputs(a.outputs, deliver.Endings()...)
	if err != nil {
		return err
	}
	defer out.Discard()
	kernels, notes, err := a.readBinaries(ctx, paths, f)
	if err != nil {
		return err
	}
	a.sayNotes(notes)
	return a.deliver(binarydoc.Predict(kernels, notes, f.global, a.provenance()), out)
}

// diffBinaries compares the kernels of two compilations.
func (a *app) diffBinaries(ctx context.Context, older, newer string, f binaryFlags) error {
	out, err := a.openOutputs(a.outputs, deliver.Endings(".xml")...)
	if err != nil {
		return err
	}
	defer out.Discard()
	var sides [2][]binary.Kernel
	var notes []note.Note
	for i, path := range []string{older, newer} {
		kernels, more, err := a.readBinaries(ctx, []string{path}, f)
		if err != nil {
			return err
		}
		sides[i], notes = kernels, append(notes, more...)
	}
	a.sayNotes(notes)
	pairs := binary.Diff(sides[0], sides[1])
	if err := a.deliver(binarydoc.Diff(pairs, notes, a.provenance()), out); err != nil {
		return err
	}
	if err := a.printAnnotations(binarydoc.Annotations(pairs, a.annotateLevels().Regression)); err != nil {
		return err
	}
	if a.failOn != "regression" {
		return nil
	}
	return gateBinaries(pairs)
}

// gateBinaries turns kernels that got worse into the exit status.
func gateBinaries(pairs []binary.Pair) error {
	var worse []string
	for i := range pairs {
		if p := &pairs[i]; p.Verdict == binary.Worse {
			worse = append(worse, report.CutMiddle(report.OneLine(p.Kernel().Demangled()),
				40)+" on "+p.Kernel().Device.Key)
		}
	}
	if len(worse) == 0 {
		return nil
	}
	n := len(worse)
	if n > report.MostTasks {
		worse = append(worse[:report.MostTasks:report.MostTasks], fmt.Sprintf("%d more", n-report.MostTasks))
	}
	return &gateError{fmt.Sprintf("--fail-on regression: %d of %d kernels got worse: %s", n, len(pairs),
		strings.Join(worse, ", "))}
}

// readBinaries reads binaries, compiles sources, and predicts what is in them.
func (a *app) readBinaries(ctx context.Context, paths []string, f binaryFlags) ([]binary.Kernel, []note.Note, error) {
	t, err := a.table()
	if err != nil {
		return nil, nil, err
	}
	opt := binary.Options{Devices: f.devices, Global: f.global, Local: f.local}
	var kernels []binary.Kernel
	var notes []note.Note
	for _, path := range paths {
		if ocloc.IsSource(path) {
			got, said, err := compileFor(ctx, path, t, f)
			if err != nil {
				return nil, nil, err
			}
			kernels, notes = append(kernels, got...), append(notes, said...)
			continue
		}
		images, err := zebin.ReadPath(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		got, said, err := binary.Predict(images, t, opt)
		if err != nil {
			return nil, nil, err
		}
		kernels, notes = append(kernels, got...), append(notes, said...)
	}
	return kernels, notes, nil
}

// compileFor compiles a source for the devices that were asked for, or for all that the installed compiler knows, and
// predicts the kernels of each.
func compileFor(ctx context.Context, source string, t *arch.Table, f binaryFlags) ([]binary.Kernel, []note.Note,
	error) {
	compiler, err := ocloc.Find()
	if err != nil {
		return nil, nil, err
	}
	targets := arch.CompilerTargets(t, f.devices)
	if len(targets) == 0 {
		return nil, nil, usageErrorf("ocloc has no name for %s; compile for it yourself and give the binary",
			f.devices[0].Key)
	}
	dir, err := os.MkdirTemp("", "occudiff-ocloc-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	results := make([]compiled, len(targets))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2) // a compilation takes a core and a few hundred MB
	for i, target := range targets {
		group.Go(func() error {
			var err error
			results[i], err = compileOne(ctx, compiler, source, target, f, filepath.Join(dir, target.Name))
			if len(f.devices) == 0 && errors.Is(err, ocloc.ErrUnknownDevice) {
				return nil // nobody asked for it, and an older compiler knows fewer
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	var kernels []binary.Kernel
	var notes []note.Note
	for i, r := range results {
		if len(r.images) == 0 {
			continue
		}
		if r.warnings != "" && len(notes) == 0 {
			notes = append(notes, note.Note{Severity: note.Warning, Code: "compiler", Pos: note.Pos{File: source},
				Text: "the compiler says for " + targets[i].Name + ": " + r.warnings})
		}
		got, said, err := binary.Predict(r.images, t, binary.Options{Devices: targets[i].Devices, Global: f.global,
			Local: f.local})
		if err != nil {
			return nil, nil, err
		}
		kernels, notes = append(kernels, got...), append(notes, said...)
	}
	if len(kernels) == 0 {
		return nil, nil, note.Faultf("no-kernels", note.Pos{File: source}, "",
			"ocloc compiled no kernel of it for any device")
	}
	return kernels, notes, nil
}

// compiled is what the compiler made of a source for one device.
type compiled struct {
	images   []zebin.Image
	warnings string
}

func compileOne(ctx context.Context, compiler, source string, target arch.CompilerTarget, f binaryFlags,
	dir string) (c compiled, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return c, err
	}
	path, warnings, err := ocloc.Compile(ctx, compiler, source, target.Name, f.options, dir)
	if err != nil {
		return c, err
	}
	c.warnings = warnings
	if c.images, err = zebin.ReadPath(ctx, path); err != nil {
		return c, err
	}
	for i := range c.images {
		c.images[i].Pos.File = source
	}
	return c, nil
}

// isBinary says whether a path is a kernel binary, a source for the compiler, or a folder that holds binaries and no
// profiler output: then diff compares compilations instead of runs.
func isBinary(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		if exports, _ := filepath.Glob(filepath.Join(path, "*.[ch][st][vm]*")); len(exports) > 0 {
			return false // .csv and .html: profiler output that happens to have binaries beside it
		}
		images, err := zebin.ReadPath(context.Background(), path)
		return err == nil && len(images) > 0
	}
	if ocloc.IsSource(path) {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	return zebin.Is(head[:n])
}
