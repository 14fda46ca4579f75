package compare

import (
	"errors"
	"fmt"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// NoDevice says what becomes of a run whose device nobody names.
type NoDevice uint8

// A run without a device is refused; or it is compared with the profiler's peaks, as long as it has any; or it is
// compared in any case, since its measured values alone are of use.
const (
	Refuse NoDevice = iota
	UsePeaks
	MeasuredOnly
)

// On compares a run with the predictions for the device that is named, or else for that which its inputs say. XVEs is
// the XVE count that the user gives, 0 for none.
func On(run *ingest.Run, t *arch.Table, name string, xves int, unnamed NoDevice, opt Options) (*Result, error) {
	c, err := t.Choose(arch.Options{Name: name, XVEs: xves, Inputs: run.Platforms, Run: run.Platform,
		Needed: needsDevice(run), Naming: opt.Naming, By: opt.DeviceBy})
	unknown := errors.Is(err, arch.ErrNoDevice)
	var fit Fit
	if unknown || c.Device != nil {
		fit = fitDevices(run, c.Device, t.Devices(), opt)
	}
	switch {
	case !unknown:
	case fit.Counted > 0 && len(fit.Devices) == 1 && fit.Devices[0].XVEs() == fit.Counted:
		c, err = arch.Choice{Device: fit.Devices[0], By: fmt.Sprintf("the counters: %d XVEs", fit.Counted)}, nil
		fit = Fit{}
	case unnamed == MeasuredOnly, unnamed == UsePeaks && fit.Launches > 0:
		c, err = arch.Choice{Notes: []note.Note{{Severity: note.Warning, Code: "no-device",
			Text: "no input says which GPU this is, so there is no prediction and no residual",
			Hint: fit.advice(opt.Naming)}}}, nil
	case fit.Launches > 0:
		err = fmt.Errorf("%w; the profiler's peaks are consistent with %s", err, fit.String())
	case fit.Counted > 0:
		err = fmt.Errorf("%w; the counters are of %d XVEs, which is so of %s", err, fit.Counted, fit.String())
	}
	if err != nil {
		return nil, err
	}
	if most := opt.MemoryBandwidth; most > 0 && c.Device != nil {
		c.Device.Memory = []arch.Bandwidth{{Source: opt.Naming.Words("--memory-bandwidth", "the form"), GBPerSecond: most}}
	}
	run.Notes = append(append(run.Notes, c.Notes...), intervalGiven(run, c.Device, opt)...)
	opt.fit = &fit
	r := Compare(run, c.Device, opt)
	r.ChosenBy = c.By
	return r, nil
}

// intervalGiven notes a sampling interval that is not the one at which the samples of a run were taken.
func intervalGiven(run *ingest.Run, d *arch.Device, opt Options) []note.Note {
	real, known := run.Platform.SamplingInterval.Value()
	if !known || opt.SamplingAssumed || d == nil {
		return nil
	}
	if would := d.SamplingInterval(opt.SamplingInterval); would < 1.01*real && would > 0.99*real {
		return nil
	}
	return []note.Note{{Severity: note.Warning, Code: "sampling-interval",
		Text: fmt.Sprintf("the sampling interval was given as %s; the samples of the result are %s apart, which is "+
			"used", unit.Span(opt.SamplingInterval), unit.Span(real))}}
}
