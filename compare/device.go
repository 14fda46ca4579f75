package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// NoDevice describes how to handle a run without a device.
type NoDevice uint8

// The ways to handle a run without a device.
const (
	RejectRun    NoDevice = iota
	UsePeaks              // compare the run with the profiler's peaks, or reject it if it has none
	MeasuredOnly          // compare the run in any case: its measured values alone are useful
)

// Choice is the device that a run is compared with, and how the run fits it.
type Choice struct {
	arch.Choice // its Device is nil if none is known
	fit         *Fit
}

// ChooseDevice returns the device that the user named. If the user named none,
// it returns the device that the run's inputs identify.
func ChooseDevice(run *ingest.Run, t *arch.Table, by arch.Options, unnamed NoDevice, opt Options) (c Choice,
	err error) {
	by.Inputs, by.Run, by.Needed = run.Platforms, run.Platform, needsDevice(run)
	if i := slices.IndexFunc(run.Inputs, func(in ingest.Input) bool { return in.Traits.XVEColumns }); i >= 0 {
		by.XVEColumns = run.Inputs[i].Path
	}
	c.Choice, err = t.Choose(by)
	unknown := errors.Is(err, arch.ErrNoDevice)
	fit := new(Fit)
	if unknown || c.Device != nil {
		fit = fitDevices(run, c.Device, t.Devices(), opt)
	}
	if against := fit.Against(); by.Force && against != "" {
		fit = new(Fit)
		c.Notes = append(slices.Clip(c.Notes), note.Warningf(arch.CodeForced, note.Pos{}, "", "%s", against))
	}
	if listed := t.Listed(run.Platforms); unknown && len(listed) > 0 {
		fit.among(listed)
	}
	switch c.fit = fit; {
	case err != nil && !unknown:
		return c, err
	case !unknown:
	case fit.Counted > 0 && len(fit.Devices) == 1 && fit.Devices[0].XVEs() == fit.Counted:
		c = Choice{arch.Choice{Device: fit.Devices[0], By: arch.Source{Name: "the counters",
			Detail: fmt.Sprintf(": %d XVEs", fit.Counted)}}, new(Fit)}
	case unnamed == MeasuredOnly, unnamed == UsePeaks && fit.Launches > 0:
		c.Choice = arch.Choice{Notes: []note.Note{{Severity: note.Warning, Code: "no-device",
			Text: "the inputs do not identify the GPU, so there is no prediction and no residual",
			Hint: fit.advice()}}}
	case fit.Listed:
		return c, fmt.Errorf("%w; %s", err, fit.String())
	case fit.Launches > 0:
		return c, fmt.Errorf("%w; the profiler's peaks are consistent with %s", err, fit.String())
	case fit.Counted > 0:
		return c, fmt.Errorf("%w; the counters cover %d XVEs, which fits %s", err, fit.Counted, fit.String())
	default:
		return c, err
	}
	if most := opt.MemoryBandwidth; most.GBPerSecond > 0 && c.Device != nil {
		c.Device.Memory = []arch.Bandwidth{most}
	}
	return c, nil
}

// intervalGiven adds a note if the given sampling interval differs from the
// interval of a run's samples.
func (r *Result) intervalGiven() {
	real, known := r.Platform.SamplingInterval.Value()
	if !known || r.Options.SamplingAssumed || r.Device == nil {
		return
	}
	if would := r.Device.SamplingInterval(r.Options.SamplingInterval); would >= 1.01*real || would <= 0.99*real {
		r.warn("sampling-interval", note.Pos{}, "",
			"the sampling interval was given as %s; the samples of the result are %s "+
				"apart, which is used", unit.FormatDuration(r.Options.SamplingInterval), unit.FormatDuration(real))
	}
}

// withheldCause returns the cause of all rows if the device may not be the GPU
// that ran; otherwise nil. It is called once per run, because the result is the
// same for all kernels, and a run can have 100,000 of them.
func (r *Result) withheldCause() *Cause {
	against := r.Fit.Against()
	if against == "" {
		return nil
	}
	c := &Cause{Name: CauseModelMismatch, Confidence: Medium, Evidence: against +
		". Therefore no other cause is reported."}
	if len(r.Fit.Devices) > 0 {
		c.ConfirmWith = "another device: the run fits " + r.Fit.String()
	}
	return c
}

// needsDevice reports whether a run has anything that a device makes
// predictable: a launch with a global size, or a timing in a log.
func needsDevice(run *ingest.Run) bool {
	return len(run.Timings) > 0 || slices.ContainsFunc(run.Kernels,
		func(k ingest.Kernel) bool { return k.Global.Present() })
}

// Fit lists the devices that are consistent with a run. The launches of the run
// can run on these devices, and have the profiler's peaks there. The peaks
// depend only on the launches and the thread slots of the GPU. If the counters
// imply a number of XVEs, the device or one of its stacks has that number.
type Fit struct {
	Devices  []*arch.Device
	Of       int  // number of devices that were tried
	Launches int  // number of launch settings whose peaks were compared with the devices
	Listed   bool // the list contains the devices of a machine with several GPUs
	Counted  int  // number of XVEs that the counters imply; 0 if unknown
	// Contradiction is the reason why the run's device cannot be the GPU that
	// ran. No row has a prediction then. It is empty without a device, or if
	// the user forces the device.
	Contradiction string
	off           int // number of launch settings whose peaks do not fit the device
	// Doubt describes a peak that does not fit the device but fits other
	// devices. It is empty if a missing dimension of the work size explains the
	// peak.
	Doubt string
}

// mostFitted is the largest number of launch settings that are compared with
// each device. A run usually has a few dozen.
const mostFitted = 256

// fitDevices returns the devices that a run fits under either policy. Other
// devices are tried only if the run's own device does not fit. Peaks that SLM
// or barriers limit are not compared, because no export contains the SLM or
// barriers per work-group.
func fitDevices(run *ingest.Run, own *arch.Device, devices []arch.Device, opt Options) *Fit {
	f, kernels := &Fit{Of: len(devices), Counted: run.Platform.CountedXVEs.Or(0)}, settings(run.Kernels)
	for i := range kernels {
		if comparable(&kernels[i]) {
			f.Launches++
		}
	}
	agrees := own != nil && f.misfit(&Result{Device: own, Options: opt, Platform: run.Platform}, kernels)
	wrong := wrongColumns(run, own)
	if f.Contradiction = cmp.Or(f.Contradiction, wrong); agrees && wrong == "" {
		return new(Fit)
	}
	for i := range devices {
		r := Result{Device: &devices[i], Options: opt}
		fits := (f.Launches > 0 || f.Counted > 0) && r.counted(f.Counted) && wrongColumns(run, r.Device) == ""
		for j := range kernels {
			fits = fits && r.fitsLaunch(&kernels[j])
		}
		if fits {
			f.Devices = append(f.Devices, r.Device)
		}
	}
	if own != nil && len(f.Devices) == 0 && f.Counted == 0 && wrong == "" {
		return &Fit{off: f.off} // launches that fit no GPU are not evidence against this GPU
	}
	if run.Platform.XVEs.Present() || f.Launches < 2 { // the run names its GPU, or has no second launch that fits
		f.Doubt = ""
	}
	return f
}

// wrongColumns returns why the columns of an export contradict a device, or "".
func wrongColumns(run *ingest.Run, d *arch.Device) string {
	i := slices.IndexFunc(run.Inputs, func(in ingest.Input) bool { return in.Traits.XVEColumns })
	if i < 0 || d == nil || !d.IsBeforeXe() {
		return ""
	}
	return fmt.Sprintf("exports of %s GPUs count EUs, and %s counts XVEs", d.Architecture, run.Inputs[i].Path)
}

// among restricts the fit to the devices of a machine with several GPUs. If none
// of them fits, all of them are listed, because one of them ran.
func (f *Fit) among(listed []arch.Device) {
	var all, fits []*arch.Device
	for i := range listed {
		all = append(all, &listed[i])
		if slices.ContainsFunc(f.Devices, func(d *arch.Device) bool { return d.Key == listed[i].Key }) {
			fits = append(fits, &listed[i])
		}
	}
	if len(fits) == 0 {
		fits = all
	}
	f.Devices, f.Of, f.Listed = fits, len(all), true
}

// settings returns the first kernel for each distinct combination of launch
// settings and peaks, whatever its name is.
func settings(list []ingest.Kernel) (different []ingest.Kernel) {
	seen := map[ingest.Kernel]bool{}
	for i := range list {
		k := &list[i]
		s := ingest.Kernel{Global: k.Global, Local: k.Local, SIMD: k.SIMD, Registers: k.Registers, SLM: k.SLM,
			Peak: k.Peak, PeakWork: k.PeakWork, PeakSLM: k.PeakSLM, PeakBarrier: k.PeakBarrier}
		if len(different) < mostFitted && k.Global.Present() && !seen[s] {
			seen[s], different = true, append(different, s)
		}
	}
	return different
}

// comparable reports whether the profiler's peak depends only on the launch and
// the thread slots.
func comparable(k *ingest.Kernel) bool {
	return k.Peak.Present() && k.PeakSLM.Or(1) == 1 && k.PeakBarrier.Or(1) == 1
}

// counted reports whether the device, or one of its stacks, has the given
// number of XVEs. 0 means that the number is unknown, which fits any device.
func (r *Result) counted(xves int) bool {
	return xves == 0 || xves == r.Device.XVEs() || xves*max(r.Device.Tiles, 1) == r.Device.XVEs()
}

// misfit reports whether the launches agree with the device. If they do not
// agree, it sets the contradiction or the doubt. Launches that the device
// cannot run, and peaks that it cannot have, are contradictions. A peak that a
// missing dimension of the work size explains is only a doubt.
func (f *Fit) misfit(r *Result, kernels []ingest.Kernel) (agrees bool) {
	if !r.counted(f.Counted) {
		f.Contradiction = fmt.Sprintf("the counters cover %s XVEs (events / (clocks x utilization)), and it has %s",
			unit.Thousands(int64(f.Counted)), unit.Thousands(int64(r.Device.XVEs())))
		return false
	}
	for i := range kernels {
		row := Row{Kernel: &kernels[i]}
		r.forecast(&row)
		p := row.Predicted
		if p == nil && r.shapeMissing(&row) == "" {
			f.Contradiction = cmp.Or(f.Contradiction, row.NoPrediction)
		}
		if p == nil || !comparable(row.Kernel) {
			continue
		}
		if d := row.Peak.Or(0).Minus(row.ModelPeak); abs(d) > modelCausePoints {
			f.off++
			off := fmt.Sprintf("the profiler's peak of %s for %s work-items in work-groups of %s would be %s on it",
				row.Peak.Or(0), row.Global, row.Local, row.ModelPeak)
			k, _ := r.gridTimes(&row)
			// SLM or barriers may limit the launch
			if f.Doubt = cmp.Or(f.Doubt, off); k < 2 && (d > 0 || row.PeakSLM.Present() && row.PeakBarrier.Present()) {
				f.Contradiction = cmp.Or(f.Contradiction, off)
			}
		}
	}
	return f.off == 0 && f.Contradiction == ""
}

// fitsLaunch reports whether a launch runs on the device and has the profiler's
// peak there.
func (r *Result) fitsLaunch(k *ingest.Kernel) bool {
	l := r.launchOfKernel(k)
	l.GRF = mostThreads(r.Device)
	for _, l.Policy = range []predict.Policy{predict.Free, predict.Whole} {
		p, err := predict.Predict(r.Device, l)
		if err == nil && (!comparable(k) || abs(k.Peak.Or(0).Minus(p.Peak)) <= ModelTolerance+digit) {
			return true
		}
	}
	return false
}

// String describes the devices that fit. For example, "mtl-112 only" or "25 of
// 75 devices, among them a770, a750, and b580".
func (f *Fit) String() string {
	const named = 3
	var keys []string
	for _, d := range f.Devices {
		key := d.Key
		if f.Counted > 0 && f.Counted != d.XVEs() {
			key = "a stack of " + key
		}
		keys = append(keys, key)
	}
	all := unit.JoinWords(keys, "and")
	switch n := len(keys); {
	case f.Listed && n == 1:
		return fmt.Sprintf("of the %d GPUs that the summary lists, only %s fits", f.Of, all)
	case f.Listed:
		return "the summary lists " + all
	case n == 0:
		return fmt.Sprintf("none of %d devices", f.Of)
	case n == 1:
		return all + " only"
	case n > named:
		return fmt.Sprintf("%d of %d devices, among them %s", n, f.Of, strings.Join(keys[:named], ", "))
	}
	return all
}

// Against returns why a run does not fit the device that it is compared with,
// or "" if the run fits.
func (f *Fit) Against() string {
	text := "The device cannot be the GPU that ran: " + f.Contradiction
	switch {
	case f.Contradiction != "":
	case f.Doubt == "":
		return ""
	default:
		text = "The device may not be the GPU that ran (or a work size lacks a dimension): " + f.Doubt
	}
	if f.Launches+f.Counted > 0 { // something was compared with the other devices
		text += ". The run is consistent with " + f.String()
	}
	return text
}

// advice returns how the user can name the device. If only one device fits, the
// advice contains its name.
func (f *Fit) advice() string {
	var keys []string
	for _, d := range f.Devices {
		keys = append(keys, d.Key)
	}
	the := "the device"
	switch {
	case f.Listed:
		return "choose " + unit.JoinWords(keys, "or")
	case f.Launches > 0 && len(keys) == 1:
		the = keys[0] + ", the only one that fits VTune's peaks"
	}
	return "choose " + the + ", or give the VTune summary along with the export"
}

// averaged returns the number of stacks over which the profiler averaged a
// row's counters. If a summary counts the stacks that worked, worked is that
// number. A row that names its adapter, or whose counters were read around each
// launch, belongs to one adapter. A row that names its stack belongs to that
// stack.
func (r *Result) averaged(row *Row) (stacks int, worked unit.Opt[int]) {
	if row.OneStack {
		return 1, worked
	}
	stacks = r.Platform.Stacks.Or(1)
	if row.Device != "" || row.Reading != ingest.Sampled {
		return stacks, worked
	}
	return stacks * r.Platform.Adapters.Or(1), r.Platform.BusyStacks
}

// averagedGPUs returns the number of devices over which the profiler averaged.
// If the number of stacks of an adapter is unknown, the adapter counts as one
// device.
func (r *Result) averagedGPUs(row *Row) int {
	tiles := max(r.Device.Tiles, 1)
	stacks, _ := r.averaged(row)
	if !r.Platform.Stacks.Present() {
		stacks *= tiles
	}
	return max(stacks/tiles, 1)
}

// workedGPUs returns how many of the averaged devices worked at once. If that
// is unknown, it returns the number of all averaged devices.
func (r *Result) workedGPUs(row *Row) int {
	if r.workedShare(row) == 1 {
		return r.averagedGPUs(row)
	}
	_, worked := r.averaged(row)
	tiles := max(r.Device.Tiles, 1)
	return (worked.Or(0) + tiles - 1) / tiles
}

// workedShare returns the share of the averaged stacks that worked. It is 1 if
// no summary counts these stacks, or if the values of the row contradict the
// count. The other stacks add only idle time to a row.
func (r *Result) workedShare(row *Row) unit.Ratio {
	stacks, counted := r.averaged(row)
	worked, ok := counted.Value()
	if !ok || worked < 1 || worked >= stacks {
		return 1
	}
	share := unit.Ratio(worked) / unit.Ratio(stacks)
	if row.Measured.Or(0)/share > atMost || (1-row.Idle.Or(1))/share > atMost {
		return 1
	}
	return share
}

// perBusyStack returns the measured occupancy and the idle share of the stacks
// that worked. Busy occupancy is the same with and without the other stacks.
func (r *Result) perBusyStack(row *Row) (measured unit.Ratio, idle optRatio) {
	share := r.workedShare(row)
	i, known := row.Idle.Value()
	return min(row.Measured.Or(0)/share, 1), unit.Maybe(max(1-(1-i)/share, 0), known)
}

// ownText describes the result of perBusyStack. It is empty if the result is
// the row's own value.
func (r *Result) ownText(row *Row) string {
	if r.workedShare(row) == 1 {
		return ""
	}
	stacks, worked := r.averaged(row)
	m, idle := r.perBusyStack(row)
	text := fmt.Sprintf("The profiler averages over %d adapters or stacks, and %d worked: %s on average is %s on "+
		"those that worked", stacks, worked.Or(0), row.Measured.Or(0), m)
	if i, ok := idle.Value(); ok {
		text += fmt.Sprintf(", idle %s of the time", i)
	}
	return text + ". "
}

// adapters returns the cause that some adapters or stacks did not work. Their
// number comes from the table of the summary. Without such a table, it is a
// number that fits the prediction or the idle share.
func (r *Result) adapters(row *Row) *Cause {
	n, counted := r.averaged(row)
	m, measured := row.Measured.Value()
	own := strings.TrimSpace(r.ownText(row))
	if n < 2 || !measured || counted.Present() && own == "" {
		return nil
	}
	c := &Cause{Name: CauseAdapters, Confidence: min(Medium, row.Certainty.limit()), ConfirmWith: targetGPU}
	if counted.Present() {
		c.Confidence, c.Evidence = High, own
		return c
	}
	name := "profiler's peak"
	if row.Predicted != nil {
		name = "predicted average"
	}
	for busy := 1; busy < n && row.nearest(0) > 0; busy++ {
		share := unit.Ratio(busy) / unit.Ratio(n)
		v := min(m/share, 1)
		c.Evidence = fmt.Sprintf("The profiler averages over %d adapters or stacks; if %d worked, ", n, busy)
		switch ref := row.nearest(v); {
		case m/share > atMost:
		case r.Options.within(v.Minus(ref)):
			c.Evidence += fmt.Sprintf("%s on average is %s on those that worked, which fits the %s of %s.", m, v, name,
				ref)
			return c
		case row.Idle.Present() && abs(row.Idle.Or(0).Minus(1-share)) <= engineShare:
			c.Evidence += fmt.Sprintf("that leaves %s of the XVEs idle, and %s were.", 1-share, row.Idle.Or(0))
			return c
		}
	}
	return nil
}

// oneOfGPUs returns the number of GPUs over which the profiler may have
// averaged while one of them worked, or 0. It is k if XVEs of all kernels were
// busy for at most 1/k of the predicted time, and nearly that much for one
// kernel. A GPU that shares the memory of the CPU is the only one of its kind.
func (r *Result) oneOfGPUs() int {
	p := &r.Platform
	if r.Device == nil || p.Adapters.Present() || p.XVEs.Present() ||
		len(r.Device.Memory) > 0 && r.Device.Memory[0].Fastest != "" {
		return 0
	}
	most := unit.Ratio(0)
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.IsKernel() || !row.Idle.Present() || noArray(row) || !r.mayBeAveraged(row) {
			continue
		}
		busy := (1 - row.Idle.Or(0)) / max(1-row.XVEs.Low.Idle, 1e-3)
		if busy > most && r.certainty(row).OtherTasks.Or(1) <= otherTasksMedium { // the certainty takes longest
			most = busy
		}
	}
	k := math.Round(1 / float64(max(most, 1e-3)))
	if busy := unit.Ratio(k) * most; k < 2 || k > mostGPUs || busy > atMost || !r.Options.within(busy.Minus(1)) {
		return 0
	}
	return int(k)
}

// mayBeAveraged reports whether a row may be an average over several GPUs.
func (r *Result) mayBeAveraged(row *Row) bool {
	return row.Device == "" && row.Reading == ingest.Sampled
}

// oneGPUText describes the values of a row if they are an average over several
// GPUs of which one worked. It is empty if they are not.
func (f *finder) oneGPUText() string {
	r, row := f.r, f.row
	held := r.predictedWhileBusy(row)
	if row.Predicted == nil {
		held.BusyOccupancy = row.Peak.Or(0)
	}
	if r.gpus == 0 || !r.mayBeAveraged(row) || !r.Options.within(row.BusyOccupancy.Or(0).Minus(held.BusyOccupancy)) {
		return ""
	}
	return fmt.Sprintf("one of %d GPUs had work (the profiler averages over all GPUs without -knob target-gpu, and %s "+
		"on average is %s on one of them)", r.gpus, row.Measured.Or(0), min(row.Measured.Or(0)*unit.Ratio(r.gpus), 1))
}

const targetGPU = "a collection with -knob target-gpu"
