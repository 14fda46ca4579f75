package main

import (
	"context"
	"runtime/debug"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
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

// readDevices reads the device table with the user's device file on top.
func (a *app) readDevices() (err error) {
	if a.devices, err = arch.Builtin(); err != nil || a.DeviceFile == "" {
		return err
	}
	notes, err := a.devices.AddFile(a.DeviceFile)
	a.sayEach(notes)
	return err
}

// namedDevice gives the device that --device names; nothing where it names none.
func (a *app) namedDevice() ([]*arch.Device, error) {
	if a.Device == "" {
		return nil, nil
	}
	c, err := a.devices.Choose(arch.Options{Name: a.Device, XVEs: a.XVE})
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
	if opt.Local, err = a.Local.ByName(); err != nil {
		return nil, err
	}
	if opt.SIMD, err = a.SIMD.ByName(); err != nil {
		return nil, err
	}
	if a.Driver != "" {
		run.Platform.Driver = a.Driver
	}
	by := arch.Options{Name: a.Device, XVEs: a.XVE, By: a.given["device"].from}
	on, err := compare.ChooseDevice(run, a.devices, by, unnamed, opt)
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
