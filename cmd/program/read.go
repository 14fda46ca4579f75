package program

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

// RunOptions say how a run is read.
type RunOptions struct {
	Local     cli.Size
	SIMD      int
	Instances bool
	Digest    string
	Truncated bool // use what is whole of a compressed file that is cut off
	Timeline  bool // show occupancies over time
	Side      int  // of a difference report, 1 or 2
	Content   bool // also take the digests of the texts
}

// Define registers those flags of reading a run that a command uses. --accept-truncated is not for a history: a run
// that is not whole is no point of a series.
func (v *RunOptions) Define(f *pflag.FlagSet, names string) {
	v.Digest = "auto"
	for _, d := range []cli.Flag{
		{Name: "local", Value: &v.Local, Arg: "SIZE", Usage: "work-group size for logs and exports without it, as in " +
			"256 or 16x16"}, {Name: "simd", Value: &v.SIMD, Arg: "N", Hints: "8 16 32",
			Usage: "sub-group size for logs and exports without it"},
		{Name: "instances", Value: &v.Instances, Usage: "show every launch as its own row"},
		{Name: "timeline", Value: &v.Timeline, Usage: "plot samples of occupancy over the simulated launch (from " +
			"oneprof -k, or -m and -i; from unitrace -k)"},
		{Name: "digest", Value: &v.Digest, Arg: "KIND", Words: "auto sha256",
			Usage: "digest of large inputs: auto (xxh3 above 64 MiB) or sha256"},
		{Name: "accept-truncated", Value: &v.Truncated, Usage: "use the complete lines of a compressed input that is " +
			"cut off; every output says so"},
	} {
		if slices.Contains(strings.Fields(names), d.Name) {
			cli.Define(f, d)
		}
	}
}

// rowsAlone names an output that was asked for and that holds rows and no notes; empty when there is none.
func (e *Env) rowsAlone() string {
	for _, o := range append([]string{"." + e.Format}, e.Outputs...) {
		if e := strings.ToLower(filepath.Ext(o)); e == ".csv" || e == ".xml" {
			return e
		}
	}
	return ""
}

// ReadRun reads the files of a run.
func (e *Env) ReadRun(ctx context.Context, paths []string, v RunOptions) (*ingest.Run, error) {
	if ending := e.rowsAlone(); v.Truncated && ending != "" {
		return nil, cli.Errorf("--accept-truncated: %s has no place for the warning that a run is not whole; use "+
			"another format", ending)
	}
	opt := ingest.Options{Formats: formats.All(), Stdin: e.Stdin, SHA256: v.Digest == "sha256",
		AcceptTruncated: v.Truncated, Content: v.Content}
	opt.Instances, opt.Samples, opt.Side = v.Instances, v.Timeline, v.Side
	// Reading makes next to no garbage: collecting what there is early costs nothing and keeps memory flat at any file
	// size.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var done func()
	opt.Progress, done = e.progressBar(paths)
	defer done()
	return ingest.Read(ctx, paths, opt)
}

// Table gives the device table with the user's device file on top. It is read once, so that what the file is warned
// of is said once.
func (e *Env) Table() (*arch.Table, error) {
	if e.devices != nil {
		return e.devices, nil
	}
	t, err := arch.Builtin()
	if err == nil && e.deviceFile != "" {
		var notes []note.Note
		notes, err = t.AddFile(e.deviceFile)
		for _, n := range notes {
			e.Say("%s", n)
		}
	}
	if err == nil {
		e.devices = t
	}
	return t, err
}

// NamedDevice gives the device that --device names; nothing where it names none.
func (e *Env) NamedDevice() ([]*arch.Device, error) {
	if e.Device == "" {
		return nil, nil
	}
	t, err := e.Table()
	if err != nil {
		return nil, err
	}
	c, err := t.Choose(arch.Options{Name: e.Device, XVEs: e.XVE})
	if err != nil {
		return nil, err
	}
	return []*arch.Device{c.Device}, nil
}

// CompareRun compares a run that was read with the predictions for its device. unnamed says what to do where nobody
// names it.
func (e *Env) CompareRun(run *ingest.Run, v RunOptions, unnamed compare.Unnamed) (*compare.Result, error) {
	opt := e.options()
	var err error
	if opt.Local, err = v.Local.Size("local"); err != nil {
		return nil, err
	}
	if v.SIMD < 0 {
		return nil, cli.Errorf("--simd %d: expected a sub-group size as in 8, 16 or 32", v.SIMD)
	}
	opt.SIMD = v.SIMD
	t, err := e.Table()
	if err != nil {
		return nil, err
	}
	if e.Driver != "" {
		run.Platform.Driver = e.Driver
	}
	if e.VTune != "" {
		run.Platform.VTune = e.VTune
	}
	r, err := compare.On(run, t, e.Device, e.XVE, unnamed, opt)
	if err == nil {
		r.ChosenBy = e.chosenBy(r.ChosenBy)
	}
	return r, err
}

// options gives the comparison's options from the flags.
func (e *Env) options() compare.Options {
	o := compare.DefaultOptions()
	o.Tolerance, o.ModelTolerance = unit.Points(e.Tolerance), unit.Points(e.ModelTolerance)
	o.SamplingInterval = unit.Seconds(e.sampling.Seconds())
	o.SamplingAssumed = !e.samplingSet
	return o
}

// ReadBinaries reads kernel binaries, compiles sources, and predicts what is in them.
func (e *Env) ReadBinaries(ctx context.Context, paths []string, opt binary.Options) (
	[]binary.Kernel, []note.Note, error) {
	t, err := e.Table()
	if err != nil {
		return nil, nil, err
	}
	return binary.Read(ctx, paths, t, opt)
}
