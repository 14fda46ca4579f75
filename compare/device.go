package compare

import (
	"fmt"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// otherXVEs says that the counters are of another number of XVEs than the device or one of its stacks has.
func (r *Result) otherXVEs() bool {
	n, counted := r.Platform.CountedXVEs.Value()
	return counted && r.Device != nil && n != r.Device.XVEs() && n*max(r.Device.Tiles, 1) != r.Device.XVEs()
}

// contradicted withholds causes where the device cannot be the one that ran.
func (r *Result) contradicted(row *Row) *Cause {
	if row.Reading == ingest.Sampled || !r.otherXVEs() {
		return nil
	}
	n := r.Platform.CountedXVEs.Or(0)
	return &Cause{Name: CauseModel, Confidence: high.String(), Because: fmt.Sprintf("The counters are of %s XVEs "+
		"(events / (clocks x utilization)), and %s has %s: it is not the device that ran, so nothing else is told.",
		unit.Thousands(int64(n)), r.Device.Name, unit.Thousands(int64(r.Device.XVEs()))),
		Decide: "--device, with a GPU or a stack of that many XVEs"}
}

// needsDevice says whether anything in a run can be predicted: a launch with a global size, or a timing of a log.
func needsDevice(run *ingest.Run) bool {
	if len(run.Timings) > 0 {
		return true
	}
	for s := range run.Kernels.Settings() {
		if k := run.Kernels.SettingKernel(s); k.Global.Present() {
			return true
		}
	}
	return false
}

// Fit is which devices the profiler's peaks of a run are consistent with: the peaks come from the launches and the
// thread slots of the GPU alone.
type Fit struct {
	Devices  []*arch.Device
	Of       int // devices that were tried
	Launches int // launch settings whose peaks were held against them; none tells anything where it is 0
}

// mostFitted is how many launch settings are held against each device: a few dozen are usual.
const mostFitted = 256

// fitDevices finds the devices that every peak of a run is consistent with, under either policy. Peaks that SLM or
// barriers limit are left out, since no export says how much of them a work-group has.
func fitDevices(run *ingest.Run, devices []arch.Device, opt Options) Fit {
	f := Fit{Of: len(devices)}
	var kernels []ingest.Kernel
	for s := range min(run.Kernels.Settings(), mostFitted) {
		k := run.Kernels.SettingKernel(s)
		if k.Peak.Present() && k.PeakSLM.Or(1) == 1 && k.PeakBarrier.Or(1) == 1 && k.Global.Present() && k.IsKernel() {
			kernels = append(kernels, k)
		}
	}
	f.Launches = len(kernels)
	for i := range devices {
		r := Result{Device: &devices[i], Options: opt}
		fits := len(kernels) > 0
		for j := range kernels {
			fits = fits && r.fitsPeak(&kernels[j])
		}
		if fits {
			f.Devices = append(f.Devices, r.Device)
		}
	}
	return f
}

// fitsPeak says whether a launch has the profiler's peak on the device.
func (r *Result) fitsPeak(k *ingest.Kernel) bool {
	l := r.launchOfKernel(k)
	l.GRF = mostThreads(r.Device)
	for _, l.Policy = range []predict.Policy{predict.Free, predict.Whole} {
		p, err := predict.Predict(r.Device, l)
		if err == nil && abs(k.Peak.Or(0).Minus(p.Peak)) <= r.Options.ModelTolerance+digit {
			return true
		}
	}
	return false
}

// String names the devices: "mtl-112 only", "25 of 75 devices, among them a770, a750 and b580".
func (f *Fit) String() string {
	const named = 3
	var keys []string
	for _, d := range f.Devices {
		keys = append(keys, d.Key)
	}
	switch n := len(keys); {
	case n == 0:
		return fmt.Sprintf("none of %d devices", f.Of)
	case n == 1:
		return keys[0] + " only"
	case n <= named:
		return unit.Listed(keys, "and")
	}
	return fmt.Sprintf("%d of %d devices, among them %s", len(keys), f.Of, strings.Join(keys[:named], ", "))
}

// advice says how a device can be named, and which where only one comes into question.
func (f *Fit) advice(by arch.Naming) string {
	const summary = " or give the VTune summary along with the export"
	if f.Launches > 0 && len(f.Devices) == 1 {
		return by.Words("name it: --device ", "choose it above: ") + f.Devices[0].Key +
			" is the only one that fits VTune's peaks;" + summary
	}
	return by.Words("name it with --device (see 'occudiff devices')", "choose it above") + "," + summary
}
