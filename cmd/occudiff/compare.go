package main

import (
	"errors"
	"fmt"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
)

// compareRun compares a run that was read with the predictions for its device.
func (a *app) compareRun(run *ingest.Run, v validateFlags) (*compare.Result, error) {
	opt, err := a.runOptions(v)
	if err != nil {
		return nil, err
	}
	dev, err := a.chooseDevice(run)
	if errors.Is(err, arch.ErrNoDevice) {
		if fit, e := a.fit(run, opt); e == nil && fit.Launches > 0 {
			err = fmt.Errorf("%w; the profiler's peaks are consistent with %s", err, fit.String())
		}
	}
	if err != nil {
		return nil, err
	}
	return a.compareOn(run, &dev, opt), nil
}

// compareAnyway compares a run also when nobody names its device: as far as its own peaks allow, with the devices that
// they fit. Without peaks there is nothing to hold a value against, which is an error unless that is not asked for.
func (a *app) compareAnyway(run *ingest.Run, v validateFlags, needPeaks bool) (*compare.Result, error) {
	r, err := a.compareRun(run, v)
	if !errors.Is(err, arch.ErrNoDevice) {
		return r, err
	}
	opt, e := a.runOptions(v)
	if e != nil {
		return nil, e
	}
	fit, e := a.fit(run, opt)
	switch {
	case e != nil:
		return nil, e
	case fit.Launches == 0 && needPeaks:
		return nil, err
	}
	run.Notes = append(run.Notes, note.Note{Severity: note.Warning, Code: "no-device",
		Text: "no input says which GPU this is, so there is no prediction and no residual",
		Hint: "name it with --device (see 'occudiff devices'), or put the VTune summary beside the export"})
	r = a.compareOn(run, &arch.Choice{}, opt)
	r.Fit = fit
	return r, nil
}

// runOptions are the options of comparing a run.
func (a *app) runOptions(v validateFlags) (compare.Options, error) {
	opt := a.options()
	var err error
	if opt.Local, err = v.local.Size("local"); err != nil {
		return opt, err
	}
	if v.simd < 0 {
		return opt, usageErrorf("--simd %d: expected a sub-group size as in 8, 16 or 32", v.simd)
	}
	opt.SIMD = v.simd
	return opt, nil
}

// fit finds the devices that the profiler's peaks of a run fit.
func (a *app) fit(run *ingest.Run, opt compare.Options) (compare.Fit, error) {
	t, err := a.table()
	if err != nil {
		return compare.Fit{}, err
	}
	return compare.FitDevices(run, t.Devices(), opt), nil
}

// compareOn compares a run on a device, or without one.
func (a *app) compareOn(run *ingest.Run, dev *arch.Choice, opt compare.Options) *compare.Result {
	run.Notes = append(run.Notes, dev.Notes...)
	if a.driver != "" {
		run.Platform.Driver = a.driver
	}
	if a.vtune != "" {
		run.Platform.VTune = a.vtune
	}
	r := compare.Compare(run, dev.Device, opt)
	r.ChosenBy = a.chosenBy(dev.By)
	return r
}

// gate says why a run fails the gate that --fail-on asks for; nothing when it does not.
func (a *app) gate(name string, r *compare.Result) string {
	s := r.Summary
	if judged := s.Matched + s.Below + s.Above; a.failOn == "mismatch" && judged == 0 ||
		a.failOn == "model" && s.ModelCompared == 0 {
		fmt.Fprintf(a.stderr, "occudiff: %swarning: --fail-on %s had nothing to judge: none of %d kernels could be "+
			"compared\n", name, a.failOn, s.Kernels)
	}
	switch n, m := s.Below+s.Above, s.ModelCompared-s.ModelMatched; {
	case a.failOn == "mismatch" && n > 0:
		return fmt.Sprintf("%s%d of %d kernels do not match within %g points", name, n, s.Kernels, a.tolerance)
	case a.failOn == "model" && m > 0:
		return fmt.Sprintf("%sthe prediction differs from the profiler's peak on %d of %d kernels by more than %g "+
			"points",
			name, m, s.ModelCompared, a.modelTol)
	}
	return ""
}
