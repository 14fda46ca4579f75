package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// The causes, in the order in which they are looked for. Shape, model, sampling and tolerance come before any account; the others are of a part of it, or of a row
// above its prediction.
const (
	CauseShape       = "shape"
	CauseModel       = "model"
	CauseSampling    = "sampling"
	CauseTolerance   = "tolerance"
	CauseOverlap     = "overlap"
	CauseNothingRan  = "nothing ran"
	CauseAdapters    = "adapters"
	CauseStack       = "stack"
	CauseGaps        = "gaps"
	CausePlacement   = "placement"
	CauseImbalance   = "imbalance"
	CauseDispatch    = "dispatch"
	CauseGRF         = "grf"
	CauseSIMD        = "simd"
	CauseSLM         = "slm"
	CauseBarriers    = "barriers"
	CauseUnexplained = "unexplained"
)

// Cause says why what was seen differs from the prediction.
type Cause struct {
	Part       Part   // that it is of; empty for causes that come before an account
	Name       string // one of the causes
	Confidence string // high, medium, low; empty of a row that cannot be judged, which is a fact and no conclusion
	Because    string // one or two sentences with the figures
	Decide     string // what would settle it, without a full stop; may be empty
	Next       Next   // the same, where it is a collection
	Registers  int    // per thread, of the mode that CauseGRF names; else 0
	measured   bool   // by a trace or a result folder, and not bounded from counters
}

// setCause says why a row does not match: nothing for rows that match or were not judged. Of an account it is the surest
// cause, of equal ones that of the larger part.
func (r *Result) setCause(row *Row) {
	f := finder{r: r, row: row}
	switch v := row.Verdict; {
	case v == NoPrediction:
		row.Cause = r.adapters(row)
	case v != Below && v != Above && v != Unmeasurable:
	case r.withheld != nil:
		row.Cause = r.withheld
	case modelOff(row):
		row.Cause = cmp.Or(r.shape(row), r.model(row))
	case v == Above:
		f.above()
		row.Cause = surest(f.found)
	case v == Below:
		row.Account = r.account(row)
		row.Cause = surest(row.Account.Causes)
	} // of a row that is unmeasurable the reason is there
}

// surest is the cause that a row is headed by: the one with the most confidence, of such the first that was measured,
// else the first.
func surest(found []Cause) *Cause {
	first := slices.MinFunc(found, surer)
	return &first
}

// surer puts the cause with more confidence first, of equal ones that which was measured.
func surer(a, b Cause) int {
	rank := func(c *Cause) int {
		r := 2 * slices.Index([]string{low.String(), medium.String(), high.String()}, c.Confidence)
		if c.measured {
			r++
		}
		return r
	}
	return cmp.Compare(rank(&b), rank(&a))
}

// largest is the part that most of what is missing from the prediction went to, as printed.
func (a *Account) largest() Part {
	switch printed := a.Printed(); {
	case a.Points(PartShortfall).Present():
		return PartShortfall
	case printed.Of(PartUnderfilled).Or(0) > printed.Of(PartEmpty).Or(0):
		return PartUnderfilled
	}
	return PartEmpty
}

// finder gathers the causes of a row.
type finder struct {
	r       *Result
	row     *Row
	account *Account
	found   []Cause
}

// add takes a cause, no surer than the counters allow. It is good until the next one.
func (f *finder) add(part Part, name string, sure confidence, because string, decide decision) *Cause {
	if sure = min(sure, f.row.Certainty.limit()); f.row.HeldLow.Present() { // the row is judged by a range
		sure = low
	}
	f.found = append(f.found, Cause{Part: part, Name: name, Confidence: sure.String(), Because: because,
		Decide: decide.text, Next: decide.Next})
	return &f.found[len(f.found)-1]
}

// all finds the causes of both parts, those of the larger one first, or says of that that there is none.
func (f *finder) all() []Cause {
	first := f.account.largest()
	if f.causes(first); len(f.found) == 0 {
		because, decide := f.missing()
		f.add(first, CauseUnexplained, low, f.r.ownText(f.row)+because, decide)
	}
	for _, other := range []Part{PartEmpty, PartUnderfilled} {
		if p, told := f.account.Points(other).Value(); other != first && told && p >= partPoints {
			f.causes(other)
		}
	}
	return f.found
}

// causes finds the causes of one part, the surest first.
func (f *finder) causes(p Part) {
	before := len(f.found)
	if p != PartUnderfilled {
		f.empty(p)
	}
	if p != PartEmpty {
		f.underfilled(p)
	}
	slices.SortStableFunc(f.found[before:], surer)
}

// missing says what cannot be told, and what would tell it.
func (f *finder) missing() (because string, decide decision) {
	row := f.row
	switch {
	case f.r.nothingSeen(row):
		return fmt.Sprintf("%.1f%% says that no thread was seen, not how long one lives: the counters may be of another window "+
			"or adapter.", row.Measured.Or(0).Percent()), said(targetGPU)
	case row.Basis == BasisMeasuredPeak:
		lacks, from := ", idle time or low residency is unknown without launch shapes and the XVE array state",
			"an export with the columns Work Size:Global, Work Size:Local, SIMD Width and those of the XVE array"
		switch {
		case f.r.Device == nil && row.Global.Present():
			lacks, from = " is unknown without the device", f.r.Options.Naming.Words("--device", "the device")+", or the VTune summary of the same result"
		case row.Idle.Present():
			lacks, from = " is unknown without the launch shape", "an export with the columns Work Size:Global, Work Size:Local and SIMD Width"
		case f.r.fromSummary:
			from = "the computing-task export of the same result"
		}
		return "How much of it is a partial last wave" + lacks + ".", said(from)
	case row.XVEs.Other.Present():
		free, whole := row.XVEs.Low.Loaded, row.XVEs.Other.Or(predict.Range{}).Low.Loaded
		if row.XVEs.Policy == predict.Whole {
			free, whole = whole, free
		}
		return fmt.Sprintf("Threads that go anywhere would fill %.1f%% of the XVEs that run, work-groups that stay whole %.1f%%: "+
			"which XVEs should have been empty is unknown.", free.Percent(), whole.Percent()), decision{"unitrace's kernel properties (SLM), or the kernel's binary", Next{Do: Binary}}
	case !row.Idle.Present():
		return "Idle time and low residency are not told apart without the XVE array state.", said("an export with the columns of the XVE array")
	case !row.BusyOccupancy.Present():
		return "More is measured than XVEs that idle for so long can hold.", said("a new collection")
	case !row.Average().Present():
		return "How long threads live is unknown without total time and instance count.",
			said("an export with the columns Total Time and Instance Count")
	}
	decide = f.aTrace()
	if !row.BarrierStall.Present() {
		decide = said("a collection with stall reasons, which separates waiting at barriers from other stalls")
	}
	return fmt.Sprintf("None of the known causes fits the difference of %+.1f points.", float64(row.Difference.Or(0))), decide
}

// nothingSeen says whether the measured value was printed as 0.0, so that it tells nothing of the threads.
func (r *Result) nothingSeen(row *Row) bool {
	m, measured := row.Measured.Value()
	return measured && m.Percent() < float64(r.unseen(row))
}

// above names why more was seen than the launch can hold.
func (f *finder) above() {
	r, row := f.r, f.row
	m, traced := row.Measured.Or(0), r.Traced(row)
	if f.smallerGRF(m) || traced != nil && f.tracedOverlap(traced, m) || f.foreign(m) {
		return
	}
	above, withinPeak := r.aboveText(row)
	switch {
	case traced == nil && withinPeak:
		f.add("", CauseOverlap, low, fmt.Sprintf("%s and within the peak of %.1f%%: the tail is shorter than a full wave, or other "+
			"kernels filled it.", above, row.Predicted.Peak.Percent()), byTrace(""))
	case f.readOnOneStack(m):
	case traced != nil:
		f.add("", CauseUnexplained, low, above+", and in the trace no other kernel runs at that time: it may be of another run.", decision{})
	case !row.Average().Present() && row.Reading == ingest.Sampled:
		f.add("", CauseOverlap, low, above+": other kernels may have run in its window, or launches are shorter than the sampling "+
			"interval, which is not given.", byTrace(""))
	default:
		f.add("", CauseOverlap, medium, above+", which this launch alone cannot exceed: other kernels may have run in its window.", byTrace(""))
	}
}

// aboveText says what a row measures more than: the most that the launch reaches alone, or the average over its waves
// where it is within the predicted peak.
func (r *Result) aboveText(row *Row) (text string, withinPeak bool) {
	m, ref, name := row.Measured.Or(0), row.Peak.Or(0), "profiler's peak"
	if p := row.Predicted; p != nil {
		ref, name = p.Peak, "predicted peak"
		if withinPeak = m.Minus(ref) <= r.unseen(row)+digit; withinPeak {
			ref, name = row.reference(), "predicted average"
		}
	}
	return fmt.Sprintf("Measured %.1f%% is above the %s of %.1f%%", m.Percent(), name, ref.Percent()), withinPeak
}

// foreign says that other tasks under the same samples are enough to explain the value.
func (f *finder) foreign(m unit.Ratio) bool {
	c := &f.row.Certainty
	share := c.Foreign.Or(0)
	if share == 0 || m > c.mixed(f.row.reference()) {
		return false
	}
	f.add("", CauseSampling, medium, fmt.Sprintf("%s, and up to %s of its value can be of other tasks: that is enough for %.1f%%.",
		c.edgesText(), shareText(share), m.Percent()), c.resample())
	return true
}

// mixed is the most that a launch and what can be of other tasks under its samples come to.
func (c *Certainty) mixed(own unit.Ratio) unit.Ratio { return own + c.Foreign.Or(1)*(1-own) }

// readOnOneStack fits a launch on one stack whose counter divides by that stack's slots alone.
func (f *finder) readOnOneStack(m unit.Ratio) bool {
	r := f.r
	if f.row.Predicted == nil {
		return false
	}
	over, ok := r.onOneStack(r.LaunchOf(f.row))
	of := over * unit.Ratio(max(r.Device.Tiles, 1))
	if !ok || !r.Options.within(m.Minus(of)) {
		return false
	}
	f.add("", CauseStack, medium, fmt.Sprintf("A launch on one of %d stacks, read by that stack's counter, predicts %.1f%%, and %.1f"+
		"%% was measured; or other kernels ran in its window.", r.Device.Tiles, of.Percent(), m.Percent()),
		said("the column SubDeviceId: if all rows are of one stack, "+
			r.Options.Naming.Words("name that with --device or --xve", "choose that device")))
	return true
}

// smallerGRF looks for a register mode with more threads than the assumed one that makes a higher value fit: an Xe3
// kernel of 96 registers fills all 10 threads of an XVE.
func (f *finder) smallerGRF(m unit.Ratio) bool {
	r, row := f.r, f.row
	if row.Predicted == nil || row.Registers.Present() {
		return false
	}
	l := r.LaunchOf(row)
	for _, mode := range r.Device.DistinctModes() {
		l.GRF = mode.Registers
		p, err := predict.Predict(r.Device, l)
		if err != nil || p.Peak <= row.Predicted.Peak || !r.Options.within(m.Minus(p.Nearest(m))) {
			continue
		}
		above, _ := r.aboveText(row)
		c := f.add("", CauseGRF, medium, fmt.Sprintf("%s, which assumes 128 registers per thread; a kernel compiled for %d registers predicts "+
			"%.1f%%.", above, mode.Registers, p.Nearest(m).Percent()), byBinary())
		c.Registers = mode.Registers
		return true
	}
	return false
}

// modelOff says whether the two static predictions differ by so much that one of them has the wrong launch or device.
// Where there is no measurement, that difference is the mismatch itself, however small.
func modelOff(row *Row) bool {
	d, ok := row.PeakDifference.Value()
	return ok && (abs(d) > modelCausePoints || row.Basis == BasisPeak)
}

// shape says, of a row of which the model is off, that its work size lacks a dimension, where a grid larger by a whole factor has the profiler's peak.
func (r *Result) shape(row *Row) *Cause {
	k, clamped := r.gridTimes(row)
	if k < 2 {
		return nil
	}
	p, peak := row.Predicted, row.Peak.Or(0)
	threads, slots := p.Groups*p.ThreadsPerGroup, int64(r.Device.Slots())
	sure, times := high, fmt.Sprintf("%d times", k)
	if clamped {
		times = fmt.Sprintf("%d or more times", k)
	}
	// Several launches that lack something are as likely of another GPU.
	if clamped || gridStep(threads, slots) < shapeCertain || k > shapeFactor || r.Fit.off > 1 {
		sure = low
	}
	fitting := "" // all that ran
	if len(r.Fit.Devices) > 0 {
		fitting = ", which is so of " + r.Fit.String()
	}
	grown := min(k*threads, int64(math.Round(float64(r.grown(row, k))*float64(slots))))
	return &Cause{Name: CauseShape, Confidence: sure.String(), Because: fmt.Sprintf("The profiler's peak of %.1f%% is %s of %s thread "+
		"slots where the work-size cell (%s in work-groups of %s, SIMD %d) has %s: a grid %s larger fits, so a dimension is missing "+
		"from the cell (or the GPU is one with about %s thread slots%s: check the device).", peak.Percent(), unit.Plural(grown, "thread"),
		unit.Thousands(slots), row.Global, row.Local, r.launchOfKernel(&row.Kernel).SIMD, unit.Plural(threads, "thread"),
		times, unit.Thousands(int64(math.Round(float64(threads)/float64(peak)))), fitting)}
}

// gridTimes is how many times larger a row's grid would have to be for the profiler's peak, 0 where no factor fits;
// clamped says that it may be larger still.
func (r *Result) gridTimes(row *Row) (k int64, clamped bool) {
	p, peak := row.Predicted, row.Peak.Or(0)
	threads := p.Groups * p.ThreadsPerGroup
	slots := int64(r.Device.Slots())
	if peak <= row.ModelPeak || threads >= slots || gridStep(threads, slots) < shapeStepPoints {
		return 0, false
	}
	// A grid that fills the GPU reaches the most that this work-group can; any larger one reaches it as well.
	k = (slots + threads - 1) / threads
	most := r.grown(row, k)
	clamped = abs(peak.Minus(most)) <= shapeFitPoints+digit
	if clamped {
		k = max(int64(math.Ceil(float64(most)*float64(slots)/float64(threads)-1e-9)), 1)
	} else {
		k = int64(math.Round(float64(peak) * float64(slots) / float64(threads)))
	}
	if k < 2 || abs(peak.Minus(r.grown(row, k))) > shapeFitPoints+digit {
		return 0, false
	}
	return k, clamped
}

// gridStep is what one more copy of a grid adds to the peak.
func gridStep(threads, slots int64) unit.Points {
	return unit.Points(100 * float64(threads) / float64(slots))
}

// grown is the peak that the profiler would print for k times as many work-groups of the row's launch.
func (r *Result) grown(row *Row, k int64) unit.Ratio {
	l := r.LaunchOf(row)
	l.GRF = mostThreads(r.Device)
	size := row.Predicted.GroupSize
	l.Local, l.Global = unit.Size(size), unit.Size(k*row.Predicted.Groups*size)
	p, err := predict.Predict(r.Device, l)
	if err != nil {
		return 0
	}
	return p.Peak
}

// model says that the profiler's peak and the predicted one differ.
func (r *Result) model(row *Row) *Cause {
	var why string
	switch slm, barriers := row.PeakSLM.Or(1), row.PeakBarrier.Or(1); {
	case slm < 1 && slm <= barriers && !row.SLM.Present():
		why = fmt.Sprintf(". VTune limits it by SLM to %.1f%%, and the SLM per work-group is not in the export: add unitrace's kernel "+
			"properties.", slm.Percent())
	case barriers < 1 && barriers <= slm:
		why = fmt.Sprintf(". VTune limits it by barriers to %.1f%%, and how many a work-group takes is in no export.", barriers.Percent())
	default:
		why = "; both come from the launch alone, so the device" + r.Options.Naming.Words(" (--device, --xve)", "") + " or the launch " +
			"shape is not the one that ran"
		if !row.PeakSLM.Present() || !row.PeakBarrier.Present() {
			why += ", or SLM or barriers limit it, which this export does not say"
		}
		why += "."
	}
	return &Cause{Name: CauseModel, Confidence: medium.String(), Because: fmt.Sprintf("The profiler's peak is %.1f%% and the predicted "+
		"peak %.1f%% of %s thread slots%s", row.Peak.Or(0).Percent(), row.ModelPeak.Percent(), unit.Thousands(int64(r.Device.Slots())), why)}
}
