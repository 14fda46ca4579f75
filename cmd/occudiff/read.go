package main

import (
	"context"
	"runtime/debug"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
)

// readingGarbage is for debug.SetGCPercent: reading makes next to no garbage, so that collecting what there is early
// costs nothing and keeps memory flat at any file size.
const readingGarbage = 20

// readRun reads the files of a run; opt is what the command adds to the flags.
// It does not compare: diff reads all sides before it compares the first, and track add wants the run itself. Notes on
// bad rows come with the run; an error means that nothing of it can be used.
func (a *app) readRun(ctx context.Context, paths []string, opt ingest.Options) (*ingest.Run, error) {
	opt.Formats, opt.Stdin = formats.All(), a.stdin
	defer debug.SetGCPercent(debug.SetGCPercent(readingGarbage))
	var done func()
	opt.Progress, done = a.progressBar(paths)
	defer done()
	run, err := ingest.Read(ctx, paths, opt)
	if a.NoCommand && err == nil {
		run.Platform.Command = ""
	}
	return run, err
}

// table gives the device table with the user's device file on top. It is read once, so that what the file is warned
// of is said once.
func (a *app) table() (*arch.Table, error) {
	if a.devices != nil {
		return a.devices, nil
	}
	t, err := arch.Builtin()
	if err == nil && a.DeviceFile != "" {
		var notes []note.Note
		notes, err = t.AddFile(a.DeviceFile)
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
	if a.Device == "" {
		return nil, nil
	}
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	c, err := t.Choose(arch.Options{Name: a.Device, XVEs: a.XVE})
	if err != nil {
		return nil, err
	}
	return []*arch.Device{c.Device}, nil
}

// compareRun compares a run that was read with the predictions for its device. unnamed says what to do where nobody
// names it.
// --driver wins over what the inputs say: of them only traces name the driver.
func (a *app) compareRun(run *ingest.Run, unnamed compare.NoDevice) (*compare.Result, error) {
	opt := a.options()
	var err error
	if opt.Local, err = a.Local.ByName("local"); err != nil {
		return nil, err
	}
	if opt.SIMD, err = a.SIMD.ByName("simd"); err != nil {
		return nil, err
	}
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	if a.Driver != "" {
		run.Platform.Driver = a.Driver
	}
	by := arch.Options{Name: a.Device, XVEs: a.XVE, By: a.given["device"].from}
	on, err := compare.ChooseDevice(run, t, by, unnamed, opt)
	if err != nil {
		return nil, err
	}
	return compare.Compare(run, on, opt), nil
}

// options gives the comparison's options from the flags.
func (a *app) options() compare.Options {
	o := compare.DefaultOptions()
	o.Tolerance = unit.Points(a.Tolerance)
	o.SamplingInterval = unit.Seconds(a.Sampling.Seconds())
	o.MemoryBandwidth = a.Bandwidth
	// An assumed interval weakens what a launch that is short against it allows to say, and each report names it as
	// assumed.
	o.SamplingAssumed = !a.samplingSet
	return o
}

// readBinaries reads kernel binaries, compiles sources, and predicts what is in them.
func (a *app) readBinaries(ctx context.Context, paths []string, opt batch.Options) (
	[]batch.Kernel, []note.Note, error) {
	t, err := a.table()
	if err != nil {
		return nil, nil, err
	}
	return batch.Read(ctx, paths, t, opt)
}
