package main

import (
	"cmp"
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
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/diffdoc"
	"occudiff/report/rundoc"
)

// validateFlags are the flags that only validate has.
type validateFlags struct {
	Instances bool     `flag:"instances" help:"write a row for each launch to JSON and CSV"`
	Also      []string `flag:"also" expert:"true" arg:"DEVICES" help:"also predict the launches on these devices, for example b580,max1550"`
	NoVTune   bool     `flag:"no-vtune" expert:"true" help:"read VTune result folders directly, even if vtune is installed"`
	Timeline  bool     `flag:"timeline" expert:"true" help:"plot samples of occupancy over the simulated launch, from oneprof (-k, or -m and -i) or unitrace -k"`
}

func (a *app) validateCommand() *cobra.Command {
	f := &validateFlags{}
	return a.command(command{text: "validate", flags: []any{f},
		share: "local simd driver" + runFlags + tableFlags + unseenFlags +
			"sort:lost,time,speedup,difference,name fail-on:never,mismatch,model annotations" + outputFlags,
		args: cli.Args(1, cli.Unlimited,
			"nothing to validate: give an export, a log, a summary, or a folder of files; or try 'occudiff demo'"),
		check: func([]string) error {
			if a.endings = fileEndings(".svg", ".xml", perfettoEnding); f.Timeline {
				a.Verbose = true // the timeline is part of the evidence
			}
			return nil
		},
		run: func(ctx context.Context, args []string) (*report.Output, error) {
			also := &launch{app: a, named: f.Also}
			for _, name := range also.names(a.devices.Knows) {
				c, err := a.devices.Choose(arch.Options{Name: name})
				if err != nil {
					return nil, fmt.Errorf("--also %s: %w", name, err)
				}
				a.also = append(a.also, c.Device)
			}
			return a.validatePaths(ctx, args, f)
		}})
}

// validatePaths reads and compares each run of the command line. done is
// deferred before the error is checked, because it also removes the files that
// were exported before the error.
func (a *app) validatePaths(ctx context.Context, paths []string, f *validateFlags) (*report.Output, error) {
	// If vtune is installed, it exports the tables of a result folder. If it is
	// not, or with --no-vtune, the folder is read directly.
	if !f.NoVTune {
		with, done, err := collect.ExportResults(ctx, paths, a.raw)
		defer done()
		if err != nil {
			return nil, err
		}
		paths = with
	}
	if f.Instances {
		// Frequent garbage collection keeps the memory low. It is cheap even
		// for millions of launches, because they contain no pointers.
		debug.SetGCPercent(30)
	}
	var names []string
	var results []*compare.Result
	opt := ingest.Options{ReadOptions: ingest.ReadOptions{Instances: f.Instances,
		Samples: f.Timeline || a.writes(perfettoEnding)}}
	if err := a.eachRun(ctx, paths, opt, func(name string, run *ingest.Run) error {
		r, err := a.validateRun(run, f)
		names, results = append(names, name), append(results, r)
		return err
	}); err != nil {
		return nil, err
	}
	return a.outputRuns(names, results)
}

// validateRun compares a run with its prediction. If there is neither a gate
// nor a device, it compares the run with VTune's peaks.
func (a *app) validateRun(run *ingest.Run, f *validateFlags) (*compare.Result, error) {
	unnamed := compare.UsePeaks
	if a.FailOn != "never" { // an unknown device must not make a gate pass
		unnamed = compare.RejectRun
	}
	if len(run.Kernels) > 20_000 { // the rows need hundreds of megabytes
		debug.SetGCPercent(40)
	}
	r, err := a.compareRun(run, unnamed)
	// Without samples, the timeline is an error, because an empty chart would
	// look like a kernel with no occupancy.
	if err == nil && f.Timeline && !rundoc.Sampled(r) {
		return nil, cli.Errorf("--timeline: no kernel of %s has both a prediction and samples over time; give the "+
			"output of oneprof -k, of oneprof -m and -i, or of unitrace -k", run.Inputs[0].Path)
	}
	return r, err
}

// outputRuns returns the output for one run or for several runs. The gate is
// applied last, after the output was delivered. But all runs are judged before
// anything is written, because every output contains a note about unreadable or
// unjudged input that a flag allowed.
func (a *app) outputRuns(names []string, results []*compare.Result) (*report.Output, error) {
	var failed, unseen []string
	for i, r := range results {
		of := ""
		if len(results) > 1 {
			of = names[i] + ": "
		}
		g := rundoc.JudgeGate(r, a.FailOn)
		lost, err := a.checkUnseen(&r.Notes, g.Unjudged)
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
	// If there is no gate, lost kernels are not an error, but a note in every
	// output.
	if a.FailOn == "never" {
		unseen = nil
	}
	failure := ""
	if n := len(failed) - report.MaxListedTasks; n > 0 {
		failed = append(failed[:report.MaxListedTasks], fmt.Sprintf("%d more of %d runs", n, len(results)))
	}
	if len(failed) > 0 {
		failure = "--fail-on " + a.FailOn + ": " + strings.Join(failed, "; ")
		if a.FailOn == "mismatch" {
			failure +=
				"; if a kernel differs by design, 'occudiff track check --metric residual' fails only on changes"
		}
	}
	a.after = func() error {
		var marks []report.Annotation
		var notes []note.Note
		for _, r := range results {
			for _, n := range r.Notes {
				if !slices.Contains(notes, n) { // many runs have the same note about their device
					notes = append(notes, n)
				}
			}
			if a.Annotate {
				marks = append(marks, rundoc.Annotations(r, a.FailOn)...)
			}
		}
		a.printWarnings(notes)
		return a.conclude(marks, failure, unseen)
	}
	if len(results) > 1 {
		if len(a.also) > 0 {
			return nil, cli.Errorf("--also works with one run, but %d were given: validate them one by one",
				len(results))
		}
		return diffdoc.Runs(diff.CompareRuns(names, results), a.provenance()), nil
	}
	return rundoc.NewOutput(results[0], a.provenance()), nil
}

// readingGarbage is the value of debug.SetGCPercent while files are read.
// Frequent garbage collection makes the memory independent of the file size. It
// is cheap, because reading produces little garbage.
const readingGarbage = 20

// eachRun reads the runs of the paths and passes each one to a function. opt
// contains the options of the command in addition to the flags.
func (a *app) eachRun(ctx context.Context, paths []string, opt ingest.Options,
	each func(name string, run *ingest.Run) error) error {
	return ingest.EachRun(paths, formats.All(), func(paths []string) ([]*ingest.Run, error) {
		defer a.startReading(ctx, paths, &opt)()
		return ingest.ReadRuns(ctx, paths, opt)
	}, func(name string, run *ingest.Run) error {
		a.hideCommand(run)
		return each(name, run)
	})
}

// readRun reads paths as one run, without comparing it with a prediction,
// because track add also needs the run itself.
func (a *app) readRun(ctx context.Context, paths []string, opt ingest.Options) (*ingest.Run, error) {
	defer a.startReading(ctx, paths, &opt)()
	run, err := ingest.Read(ctx, paths, opt)
	if err == nil {
		a.hideCommand(run)
	}
	return run, err
}

// startReading completes the options for reading paths. It returns a function
// that must be called after reading.
func (a *app) startReading(ctx context.Context, paths []string, opt *ingest.Options) func() {
	opt.Formats, opt.Stdin = formats.All(), ingest.Waiting(ctx, a.stdin)
	percent := debug.SetGCPercent(readingGarbage)
	var clear func()
	opt.Progress, clear = a.progressBar(paths)
	return func() {
		clear()
		debug.SetGCPercent(percent)
	}
}

// hideCommand removes the command line from a run if the user requested this.
func (a *app) hideCommand(run *ingest.Run) {
	if a.NoCommand {
		run.Platform.Command = ""
	}
}

// readDevices reads the device table and adds the user's device file.
func (a *app) readDevices() (err error) {
	if a.devices, err = arch.Builtin(); err != nil || a.DeviceFile == "" {
		return err
	}
	notes, err := a.devices.AddFile(a.DeviceFile)
	a.printNotes(notes)
	return err
}

// namedDevice returns the device of --device, or nothing if the flag is empty.
func (a *app) namedDevice() ([]*arch.Device, error) {
	if a.Device == "" {
		return nil, nil
	}
	c, err := a.devices.Choose(a.deviceOptions(a.Device))
	if err != nil {
		return nil, err
	}
	return []*arch.Device{c.Device}, nil
}

// deviceOptions returns the options for the device with a name from the command
// line or the settings.
func (a *app) deviceOptions(name string) arch.Options {
	from := cmp.Or(a.given["device"].from, "--device")
	if a.XVE > 0 {
		from += " and --xve"
	}
	return arch.Options{Name: name, XVEs: a.XVE, By: arch.Source{Name: from}}
}

// compareRun compares a run with the predictions for its device. unnamed
// determines what to do if the device is unknown. --driver takes precedence
// over the driver in the inputs. Of all inputs, only traces contain the driver.
func (a *app) compareRun(run *ingest.Run, unnamed compare.NoDevice) (*compare.Result, error) {
	defer a.showStep("comparing")()
	opt := a.options()
	var err error
	if opt.Local, err = a.Local.ByName(); err != nil {
		return nil, err
	}
	if opt.SIMD, err = a.SIMD.ByName(); err != nil {
		return nil, err
	}
	if a.Driver != "" {
		run.Platform.Driver = a.Driver
	}
	by := a.deviceOptions(a.Device)
	by.Force = a.ForceDevice
	on, err := compare.ChooseDevice(run, a.devices, by, unnamed, opt)
	if err != nil {
		return nil, err
	}
	return compare.Compare(run, on, opt), nil
}

// options returns the comparison's options from the flags.
func (a *app) options() compare.Options {
	o := compare.DefaultOptions()
	o.Tolerance = unit.Points(a.Tolerance)
	o.SamplingInterval = unit.Seconds(a.Sampling.Seconds())
	o.MemoryBandwidth = arch.Bandwidth{Source: "--memory-bandwidth", GBPerSecond: a.Bandwidth}
	// If the sampling interval is assumed, the confidence for short launches is
	// lower, and each report states that the interval is assumed.
	o.SamplingAssumed = !a.samplingSet
	o.Also = a.also
	return o
}
