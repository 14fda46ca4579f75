package main

import (
	"fmt"
	"occudiff/compare"
	"occudiff/ingest"
)

// compareRun compares a run that was read with the predictions for its device. unnamed says what to do where nobody
// names it.
func (a *app) compareRun(run *ingest.Run, v validateFlags, unnamed compare.Unnamed) (*compare.Result, error) {
	opt := a.options()
	var err error
	if opt.Local, err = v.local.Size("local"); err != nil {
		return nil, err
	}
	if v.simd < 0 {
		return nil, usageErrorf("--simd %d: expected a sub-group size as in 8, 16 or 32", v.simd)
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
