package main

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/compare/binary"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// runOptions say how a run is read.
type runOptions struct {
	local     cli.Size
	simd      int
	instances bool
	digest    string
	truncated bool // use what is whole of a compressed file that is cut off
	timeline  bool // show occupancies over time
	side      int  // of a difference report, 1 or 2
	content   bool // also take the digests of the texts
}

// define registers those flags of reading a run that a command uses. --accept-truncated is not for a history: a run
// that is not whole is no point of a series.
func (v *runOptions) define(f *pflag.FlagSet, names string) {
	v.digest = "auto"
	for _, d := range []cli.Flag{
		{Name: "local", Value: &v.local, Arg: "SIZE", Usage: "work-group size for logs and exports without it, as in " +
			"256 or 16x16"}, {Name: "simd", Value: &v.simd, Arg: "N", Hints: "8 16 32",
			Usage: "sub-group size for logs and exports without it"},
		{Name: "instances", Value: &v.instances, Usage: "show every launch as its own row"},
		{Name: "timeline", Value: &v.timeline, Usage: "plot samples of occupancy over the simulated launch (from " +
			"oneprof -k, or -m and -i; from unitrace -k)"},
		{Name: "digest", Value: &v.digest, Arg: "KIND", Words: "auto sha256",
			Usage: "digest of large inputs: auto (xxh3 above 64 MiB) or sha256"},
		{Name: "accept-truncated", Value: &v.truncated, Usage: "use the complete lines of a compressed input that is " +
			"cut off; every output says so"},
	} {
		if slices.Contains(strings.Fields(names), d.Name) {
			cli.Define(f, d)
		}
	}
}

// rowsAlone names an output that was asked for and that holds rows and no notes; empty when there is none.
func (a *app) rowsAlone() string {
	for _, o := range append([]string{"." + a.format}, a.outputs...) {
		if e := strings.ToLower(filepath.Ext(o)); e == ".csv" || e == ".xml" {
			return e
		}
	}
	return ""
}

// readRun reads the files of a run.
func (a *app) readRun(ctx context.Context, paths []string, v runOptions) (*ingest.Run, error) {
	if ending := a.rowsAlone(); v.truncated && ending != "" {
		return nil, cli.Errorf("--accept-truncated: %s has no place for the warning that a run is not whole; use "+
			"another format", ending)
	}
	opt := ingest.Options{Formats: formats.All(), Stdin: a.stdin, SHA256: v.digest == "sha256",
		AcceptTruncated: v.truncated, Content: v.content}
	opt.Instances, opt.Samples, opt.Side = v.instances, v.timeline, v.side
	// Reading makes next to no garbage: collecting what there is early costs nothing and keeps memory flat at any file
	// size.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var done func()
	opt.Progress, done = a.progressBar(paths)
	defer done()
	return ingest.Read(ctx, paths, opt)
}

// table gives the device table with the user's device file on top. It is read once, so that what the file is warned
// of is said once.
func (a *app) table() (*arch.Table, error) {
	if a.devices != nil {
		return a.devices, nil
	}
	t, err := arch.Builtin()
	if err == nil && a.deviceFile != "" {
		var notes []note.Note
		notes, err = t.AddFile(a.deviceFile)
		for _, n := range notes {
			a.say("%s", n)
		}
	}
	if err == nil {
		a.devices = t
	}
	return t, err
}

// namedDevice gives the device that --device names; nothing where it names none.
func (a *app) namedDevice() ([]*arch.Device, error) {
	if a.device == "" {
		return nil, nil
	}
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	c, err := t.Choose(arch.Options{Name: a.device, XVEs: a.xve})
	if err != nil {
		return nil, err
	}
	return []*arch.Device{c.Device}, nil
}

// compareRun compares a run that was read with the predictions for its device. unnamed says what to do where nobody
// names it.
func (a *app) compareRun(run *ingest.Run, v runOptions, unnamed compare.Unnamed) (*compare.Result, error) {
	opt := a.options()
	var err error
	if opt.Local, err = v.local.Size("local"); err != nil {
		return nil, err
	}
	if v.simd < 0 {
		return nil, cli.Errorf("--simd %d: expected a sub-group size as in 8, 16 or 32", v.simd)
	}
	opt.SIMD = v.simd
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	if a.driver != "" {
		run.Platform.Driver = a.driver
	}
	if a.vtune != "" {
		run.Platform.VTune = a.vtune
	}
	r, err := compare.On(run, t, a.device, a.xve, unnamed, opt)
	if err == nil {
		r.ChosenBy = a.chosenBy(r.ChosenBy)
	}
	return r, err
}

// options gives the comparison's options from the flags.
func (a *app) options() compare.Options {
	o := compare.DefaultOptions()
	o.Tolerance, o.ModelTolerance = unit.Points(a.tolerance), unit.Points(a.modelTolerance)
	o.SamplingInterval = unit.Seconds(a.sampling.Seconds())
	o.SamplingAssumed = !a.samplingSet
	return o
}

// readBinaries reads kernel binaries, compiles sources, and predicts what is in them.
func (a *app) readBinaries(ctx context.Context, paths []string, opt binary.Options) (
	[]binary.Kernel, []note.Note, error) {
	t, err := a.table()
	if err != nil {
		return nil, nil, err
	}
	return binary.Read(ctx, paths, t, opt)
}
