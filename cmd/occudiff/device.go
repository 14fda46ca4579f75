package main

import (
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
)

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

// chooseDevice takes the device of a run from the flags, else from what the inputs say.
func (a *app) chooseDevice(run *ingest.Run) (arch.Choice, error) {
	t, err := a.table()
	if err != nil {
		return arch.Choice{}, err
	}
	return t.Choose(arch.Options{Name: a.device, XVEs: a.xve, Inputs: run.Platforms, Run: run.Platform,
		Needed: compare.NeedsDevice(run)})
}
