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

// A Cause is a reason why the measured value differs from the prediction.
type Cause struct {
	Part        Part       // empty for causes that come before a breakdown
	Name        string     // one of the causes
	Confidence  Confidence // zero for a row that cannot be judged
	Ground      Ground
	Evidence    string   // one or two sentences with the measured values
	ConfirmWith string   // measurement that confirms the cause, without a period; may be empty
	Next        NextStep // the confirming measurement as a command, if it is a collection
	Registers   int      // registers per thread in the mode that CauseGRF names; otherwise 0
	// Explains is the largest number of points that the cause can explain. It
	// is absent if the cause can explain all of its part.
	Explains optPoints
}

// newCause returns a cause without a confidence, which is a fact.
func newCause(name string, decide decision, evidence string, args ...any) *Cause {
	return &Cause{Name: name, Evidence: fmt.Sprintf(evidence, args...), ConfirmWith: decide.text, Next: decide.NextStep}
}

// setCause sets the cause of a row that does not match. The first cause of the
// largest part becomes the cause of the row, even if it is "unexplained".
func (r *Result) setCause(row *Row) {
	switch v := row.Verdict; {
	case v == NoPrediction:
		row.Cause = r.adapters(row)
	case v != Below && v != Above && v != Unmeasurable:
	case r.withheld != nil:
		row.Cause = r.withheld
	case row.Basis == BasisBounds:
		row.Cause = r.boundsCause(row)
	case modelOff(row):
		row.Cause = cmp.Or(r.launchSize(row), r.modelMismatch(row))
	case v == Above:
		f := r.finder(row, nil)
		f.look(noPart)
		row.Cause = &f.found[0]
	case v == Below:
		row.Breakdown = r.breakdown(row)
		cause := row.Breakdown.Causes[0]
		row.Cause = &cause
	} // an unmeasurable row already has its cause
}

// better orders causes: first those that can explain enough of the missing
// points, then by confidence, then those that a trace shows.
func (f *finder) better(a, b Cause) int {
	rank := func(c *Cause) int {
		rank := 2 * int(c.Confidence)
		if c.Ground.traced() {
			rank++
		}
		if f.explainsEnough(c) {
			rank += 2 * int(High+1)
		}
		return rank
	}
	return rank(&b) - rank(&a)
}

// explainsEnough reports whether a cause can explain enough of the missing
// points to become the cause of the row. For example, gaps that explain 5
// points are not the cause of a row that is 40 points below its prediction.
func (f *finder) explainsEnough(c *Cause) bool {
	return c.Explains.Or(100) >= leastReturned*f.row.missing()
}

// largest returns the part that contains most of the missing points, after
// rounding as printed.
func (a *SlotBreakdown) largest() Part {
	largest, printed := PartIdle, a.Rounded()
	for _, p := range []Part{PartUnderfilled, PartShortfall} {
		if printed.Of(p).Or(0) > printed.Of(largest).Or(0) {
			largest = p
		}
	}
	return largest
}

// SecondCause returns the first cause of the smaller part if that part is
// nearly as large as the larger part, otherwise nil. For example, 16.2 points
// of underfilled XVEs are nearly as many as 20.6 points of idle XVEs.
func (r *Row) SecondCause() *Cause {
	if r.Verdict != Below || r.Breakdown == nil || r.Cause.Part == "" {
		return nil
	}
	points := func(p Part) unit.Points { return r.Breakdown.Points(p).Or(0) }
	for i := range r.Breakdown.Causes {
		c := &r.Breakdown.Causes[i]
		if c.Part != r.Cause.Part && points(c.Part) >= nearlyAsLarge*points(r.Cause.Part) && c.Name != r.Cause.Name {
			return c
		}
	}
	return nil
}

// finder gathers the causes of a row.
type finder struct {
	r         *Result
	row       *Row
	breakdown *SlotBreakdown
	part      Part // the part that is searched
	found     []Cause
	evidence
}

func (r *Result) finder(row *Row, a *SlotBreakdown) *finder {
	return &finder{r: r, row: row, breakdown: a, evidence: r.evidenceOf(row)}
}

// add adds a cause of the part that is searched, with the confidence of its
// ground and a sentence with the measured values. The returned pointer is valid
// until the next call.
func (f *finder) add(ground Ground, decide decision, evidence string, args ...any) *Cause {
	sure := Grounds[ground].Sure
	switch {
	case ground.traced():
	case f.row.OwnLow.Present(): // the row is judged by its range, not by the measured value
		sure = Low
	default:
		sure = min(sure, f.row.Certainty.limit())
	}
	name := Grounds[ground].Cause
	if sure == Low && decide.text == "" { // a cause of low confidence is only a question
		decide = causeNamed(name).confirm
	}
	c := newCause(name, decide, evidence, args...)
	c.Part, c.Ground, c.Confidence = f.part, ground, sure
	f.found = append(f.found, *c)
	return &f.found[len(f.found)-1]
}

// all returns the causes of both parts, starting with the causes of the larger
// part. The larger part is "unexplained" if no cause can explain enough of it.
func (f *finder) all() []Cause {
	first := f.breakdown.largest()
	if f.look(first); len(f.found) == 0 || !f.explainsEnough(&f.found[0]) {
		because, decide := f.missing()
		c := *f.add(noCause, decide, "%s%s", f.r.ownText(f.row), because)
		f.found = slices.Insert(f.found[:len(f.found)-1], 0, c)
	}
	for _, other := range []Part{PartIdle, PartUnderfilled} {
		if other != first && f.breakdown.Points(other).Or(0) >= partPoints {
			f.look(other)
		}
	}
	return f.found
}

// missing returns why a cause cannot be determined, and the measurement that
// would determine it. For example, without launch sizes the share of a partial
// last wave is unknown.
func (f *finder) missing() (because string, decide decision) {
	row := f.row
	switch {
	case f.evidence&noThread != 0:
		return fmt.Sprintf("%s means that no thread was seen, so the thread lifetime is unknown: "+
			"the counters may belong to another window or adapter.", row.Measured.Or(0)), byOtherMeans(targetGPU)
	case row.Basis == BasisMeasuredPeak:
		if decide = row.fullExport(); f.r.Device == nil && row.Global.Present() {
			decide = byOtherMeans("the device, or the VTune summary of the same result")
		}
		return "A partial last wave costs at most half of the peak. The rest is unknown without a prediction.", decide
	case row.XVEs.Other.Present():
		free, whole := row.XVEs.Low.BusyOccupancy, row.XVEs.Other.Or(predict.Range{}).Low.BusyOccupancy
		if row.XVEs.Policy == predict.Whole {
			free, whole = whole, free
		}
		return fmt.Sprintf("Busy occupancy is predicted as %s if threads run on any Xe-core, and as %s if work-groups "+
				"stay whole: the number of XVEs that should be idle is unknown.", free, whole),
			decision{"unitrace's kernel properties (SLM), or the kernel's binary", NextStep{Action: Binary}}
	case !row.Idle.Present():
		return "Idle time and low residency cannot be distinguished without the XVE array state.",
			row.fullExport()
	case !row.BusyOccupancy.Present():
		return row.contradiction() + ".", byOtherMeans("a new collection")
	case !row.Average().Present():
		return "The thread lifetime is unknown without total time and instance count.",
			row.fullExport()
	}
	decide = f.aTrace()
	if !row.BarrierStall.Present() {
		decide = byOtherMeans("a collection with stall reasons, which separates waiting at barriers from other stalls")
	}
	return fmt.Sprintf("None of the known causes fits the difference of %+.1f points.",
		float64(row.Difference.Or(0))), decide
}

// fullExport returns an export with the columns that the causes of a row need
// and the input lacks.
func (r *Row) fullExport() decision {
	var list []string
	need := func(column string, present bool) {
		if !present {
			list = append(list, column)
		}
	}
	need("Work Size:Global", r.Global.Present())
	need("Work Size:Local", r.Local.Present())
	need("SIMD Width", r.SIMD.Present())
	need("Total Time", r.Total.Present())
	need("Instance Count", r.Instances.Present())
	need("XVE Array", r.Idle.Present())
	return byExport(list...)
}

// noActivitySeen reports whether the measured value was printed as 0.0, so that
// nothing is known about the threads.
func (r *Result) noActivitySeen(row *Row) bool {
	return row.Measured.Present() && pointsOf(row.Measured.Or(0)) < r.unseen(row)
}

// above returns a search that adds a cause to a row above its prediction. text
// follows the measured value and the predicted value that it exceeds.
func above(ground Ground, decide decision, text string) func(*finder) {
	return func(f *finder) { f.add(ground, decide, "%s%s", f.r.aboveText(f.row), text) }
}

// insidePeak reports whether the predicted peak covers the measured value.
func (r *Result) insidePeak(row *Row) bool {
	return row.Predicted != nil && row.Measured.Or(0).Minus(row.Predicted.Peak) <= r.unseen(row)+digit
}

// aboveText describes the predicted value that the measured value exceeds: the
// predicted peak, or the predicted average if the measured value is within the
// peak.
func (r *Result) aboveText(row *Row) string {
	ref, name, within := row.Peak.Or(0), "profiler's peak", ""
	switch p := row.Predicted; {
	case p == nil:
	case r.insidePeak(row):
		ref, name, within = row.reference(), "predicted average", " and within the peak of "+p.Peak.String()
	default:
		ref, name = p.Peak, "predicted peak"
	}
	return fmt.Sprintf("Measured %s is above the %s of %s%s", row.Measured.Or(0), name, ref, within)
}

// otherTasks adds other tasks in the same samples as the cause, if they are
// enough to explain the value.
func (f *finder) otherTasks() {
	c, m := &f.row.Certainty, f.row.Measured.Or(0)
	if m <= c.mixed(f.row.reference()) {
		f.add(otherTasksAdd, c.resample(), "%s, and up to %s of its value can come from other tasks, which is enough "+
			"for %s.", c.outsideText(), shareText(c.OtherTasks.Or(0)), m)
	}
}

// mixed returns the highest value that can be measured for a launch with
// occupancy own. It assumes the largest possible share of other tasks in the
// samples, and that the other tasks fill the GPU.
func (c *Certainty) mixed(own unit.Ratio) unit.Ratio { return own + c.OtherTasks.Or(1)*(1-own) }

// readOnOneStack adds a launch on one stack as the cause, if the value fits a
// counter that divides by the slots of that stack alone.
func (f *finder) readOnOneStack() {
	r, m := f.r, f.row.Measured.Or(0)
	over, ok := r.onOneStack(r.LaunchOf(f.row))
	stacks := r.Device.Tiles
	if over *= unit.Ratio(stacks); ok && r.Options.within(m.Minus(over)) {
		f.add(oneStackAbove, byOtherMeans("the column SubDeviceId: if all rows belong to one stack, choose that "+
			"device"), "For a launch on one of %d stacks, %s is predicted for the counter of that stack, and %s was measured. "+
			"Other kernels may also have run in its window.", stacks, over, m)
	}
}

// smallerGRF adds a register mode with more threads than the known or assumed
// mode, if the higher measured value fits that mode. For example, an Xe3 kernel
// with 96 registers fills all 10 threads of an XVE.
func (f *finder) smallerGRF() {
	mode, p := f.modeWithMoreThreads()
	above := f.r.aboveText(f.row)
	switch n, known := f.row.Registers.Value(); {
	case mode == 0:
	case known:
		f.add(otherBuildAbove, byOtherMeans(fmt.Sprintf("the same launch of a build for %d registers", mode)),
			"%s for %d registers per thread, and fits the %s that are predicted for %d: either the kernel that "+
				"ran was compiled for %d registers, or this GPU's counter counts a thread with more registers more than once.",
			above, n, p, mode, mode).Registers = mode
	default:
		f.add(otherModeAbove, byBinary(), "%s, which assumes 128 registers per thread. For %d registers per thread, "+
			"%s is predicted.", above, mode, p).Registers = mode
	}
}

// modeWithMoreThreads returns a register mode whose prediction fits a measured
// value above the row's prediction, and the predicted average in that mode. The
// number of registers is 0 if no mode fits.
func (f *finder) modeWithMoreThreads() (registers int, predicted unit.Ratio) {
	l, m := f.r.LaunchOf(f.row), f.row.Measured.Or(0)
	for _, mode := range f.r.Device.DistinctModes() {
		l.GRF = mode.Registers
		p, err := predict.Predict(f.r.Device, l)
		if at := p.Nearest(m); err == nil && p.Peak > f.row.Predicted.Peak && f.r.Options.within(m.Minus(at)) {
			return mode.Registers, at
		}
	}
	return 0, 0
}

// modelOff reports whether the profiler's peak and the predicted peak differ so
// much that one of them has the wrong launch or device. Without a measurement,
// any difference of the two peaks is the mismatch itself.
func modelOff(row *Row) bool {
	d, ok := row.PeakDifference.Value()
	return ok && (abs(d) > modelCausePoints || row.Basis == BasisPeak)
}

// launchSize returns the cause that the work size of a row lacks a dimension,
// or nil. The work size lacks a dimension if a grid that is larger by a whole
// factor has the profiler's peak.
func (r *Result) launchSize(row *Row) *Cause {
	k, clamped := r.gridTimes(row)
	if k < 2 {
		return nil
	}
	p, peak := row.Predicted, row.Peak.Or(0)
	threads, slots := p.Groups*p.ThreadsPerGroup, int64(r.Device.Slots())
	sure, times := High, fmt.Sprintf("%d times", k)
	if clamped {
		times = fmt.Sprintf("%d or more times", k)
	}
	// If several launches appear to lack a dimension, it is as likely that they
	// ran on another GPU.
	if clamped || gridStep(threads, slots) < sizeCertain || k > sizeFactor || r.Fit.off > 1 {
		sure = Low
	}
	fitting := ""
	if len(r.Fit.Devices) > 0 {
		fitting = ", which fits " + r.Fit.String()
	}
	grown := min(k*threads, int64(math.Round(float64(r.grown(row, k))*float64(slots))))
	return &Cause{Name: CauseLaunchSize, Confidence: sure,
		Evidence: fmt.Sprintf("The profiler's peak of %s is %s of %s thread "+
			"slots, and the work-size cell (%s in work-groups of %s, SIMD %d) has %s: a grid %s larger fits, so a "+
			"dimension is missing from the cell (or the GPU is one with about %s thread slots%s: check the device).", peak,
			unit.Plural(grown, "thread"),
			unit.Thousands(slots), row.Global, row.Local, r.launchOfKernel(row.Kernel).SIMD, unit.Plural(threads,
				"thread"),
			times, unit.Thousands(int64(math.Round(float64(threads)/float64(peak)))), fitting)}
}

// gridTimes returns the factor by which the grid of a row must grow to have the
// profiler's peak, or 0 if no factor fits. clamped reports whether larger
// factors fit as well.
func (r *Result) gridTimes(row *Row) (k int64, clamped bool) {
	p, peak := row.Predicted, row.Peak.Or(0)
	threads := p.Groups * p.ThreadsPerGroup
	slots := int64(r.Device.Slots())
	if peak <= row.ModelPeak || threads >= slots || gridStep(threads, slots) < sizeStepPoints {
		return 0, false
	}
	// A grid that fills the GPU has the highest peak that this work-group size
	// can have. Any larger grid has the same peak.
	k = (slots + threads - 1) / threads
	most := r.grown(row, k)
	clamped = abs(peak.Minus(most)) <= sizeFitPoints+digit
	if clamped {
		k = max(int64(math.Ceil(float64(most)*float64(slots)/float64(threads)-1e-9)), 1)
	} else {
		k = int64(math.Round(float64(peak) * float64(slots) / float64(threads)))
	}
	if k < 2 || abs(peak.Minus(r.grown(row, k))) > sizeFitPoints+digit {
		return 0, false
	}
	return k, clamped
}

// gridStep returns the points that one more copy of a grid adds to the peak.
func gridStep(threads, slots int64) unit.Points {
	return unit.Points(100 * float64(threads) / float64(slots))
}

// grown returns the peak that the profiler would print for k times as many
// work-groups of the row's launch.
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

// modelMismatch returns the cause that the profiler's peak and the predicted
// peak differ, with the likely reason.
func (r *Result) modelMismatch(row *Row) *Cause {
	var why string
	l := r.LaunchOf(row)
	switch slm, barriers := row.PeakSLM.Or(1), row.PeakBarrier.Or(1); {
	case slm < 1 && slm <= barriers && !row.SLM.Present() && l.GroupsBySLM == 0:
		why = fmt.Sprintf(". VTune limits it by SLM to %s, and the SLM per work-group is not in the export: add "+
			"unitrace's kernel properties.", slm)
	case barriers < 1 && barriers <= slm && l.GroupsByBarriers == 0:
		why = fmt.Sprintf(". VTune limits it by barriers to %s, and no export has the barriers of a work-group.",
			barriers)
	default:
		why = "; both come from the launch alone, so the device or the launch size is not the one that ran"
		if !row.PeakSLM.Present() || !row.PeakBarrier.Present() {
			why += ", or SLM or barriers limit it, which this export does not show"
		}
		why += "."
	}
	confirm := causeNamed(CauseModelMismatch).confirm
	c := &Cause{Name: CauseModelMismatch, Ground: otherPeak, Confidence: Grounds[otherPeak].Sure,
		ConfirmWith: confirm.text, Next: confirm.NextStep,
		Evidence: fmt.Sprintf("The profiler's peak is %s and the predicted "+
			"peak %s of %s thread slots%s", row.Peak.Or(0), row.ModelPeak, unit.Thousands(int64(r.Device.Slots())),
			why)}
	if explains := abs(row.ModelPeak.Minus(row.Peak.Or(0))); 2*explains < abs(row.Difference.Or(0)) {
		c.Confidence = Low
		c.Evidence += fmt.Sprintf(" This explains at most %.1f of the missing points.", float64(explains))
	}
	return c
}

// causeNamed returns the description of a cause, or the zero value for "".
func causeNamed(name string) (info CauseInfo) {
	for _, c := range Causes {
		if c.Name == name {
			info = c
		}
	}
	return info
}

// rejected reports whether the prediction of a row is for another launch or
// device, so that it supports neither a bound nor a total.
func (r *Row) rejected() bool { return r.HasCause(CauseLaunchSize, CauseModelMismatch) }

// HasCause reports whether a row has one of the causes.
func (r *Row) HasCause(names ...string) bool {
	return r.Cause != nil && slices.Contains(names, r.Cause.Name)
}

// Title returns the name of the cause in a few words.
func (c *Cause) Title() string {
	if c.Name == CauseGRF && c.Registers > 0 {
		return fmt.Sprintf("%d registers (GRF)", c.Registers)
	}
	return causeNamed(c.Name).Short
}

// Short returns the name of the cause in a few words, with a question mark if
// its confidence is low.
func (c *Cause) Short() string {
	if c.Confidence == Low && c.Name != CauseUnexplained {
		return c.Title() + "?"
	}
	return c.Title()
}

// traced reports whether a ground comes from a trace or a result folder, so
// that sampling does not lower its confidence.
func (g Ground) traced() bool {
	return slices.Contains([]Ground{tracedGapsEnough, tracedGapsLess, tracedOverlapEnough, tracedOverlapLess}, g)
}

// onOneGPU reports whether the idle XVEs that a cause explains may belong to
// GPUs without work.
func (c Cause) onOneGPU() bool { return c.Ground == idleOrGPU || c.Ground == idleGPU }

// evidenceOf returns the facts about a row.
func (r *Result) evidenceOf(row *Row) (e evidence) {
	c, t := &row.Certainty, r.Traced(row)
	n, _ := c.Intervals.Value()
	outside := c.OutsideLaunches.Or(1)
	set := func(of evidence, holds bool) {
		if holds {
			e |= of
		}
	}
	set(queried, row.Reading == ingest.AroundLaunch)
	set(launchOnly, row.MeasuredLow.Present() || c.Exact && outside < gapsSeen)
	set(traced, t != nil)
	set(otherKernels, r.kernelTime.kernels > 1 || r.fromSummary || t != nil && len(r.Sequence.Tasks) > 1)
	set(otherTasks, c.OtherTasks.Or(0) > 0)
	set(arrayState, row.Idle.Present() && row.BusyOccupancy.Present())
	set(launchSize, row.Predicted != nil)
	set(timed, row.Average().Present())
	set(longLaunches, c.Exact || n >= refitIntervals)
	set(profilerPeak, row.PeakDifference.Present())
	set(registerMode, row.Registers.Present())
	set(simdWidth, row.SIMD.Present())
	set(slmSize, row.SLM.Present() || row.PeakSLM.Present())
	set(usesBarriers, row.LeastBarriers() > 0)
	set(barrierStalls, row.BarrierStall.Present())
	set(noThread, r.noActivitySeen(row))
	set(shortThreads, r.Device != nil && r.launchBound(row))
	set(policiesDiffer, row.XVEs.Other.Present())
	set(insidePeak, r.insidePeak(row))
	return e
}

// admit reports whether the evidence meets the conditions.
func (c *causeRule) admit(e evidence) bool { return e&c.needs == c.needs && e&c.excludedBy == 0 }

// look searches for the causes of a part that the evidence admits, and orders
// them with the best first.
func (f *finder) look(p Part) {
	before := len(f.found)
	f.part = p
	for i := range causeRules {
		rule, known := &causeRules[i], f.evidence
		if len(f.found) > before {
			known |= otherCause
		}
		searched := rule.part == p || p == PartShortfall && rule.part != noPart
		if searched && rule.admit(known) && (p != noPart || len(f.found) == 0) {
			rule.find(f)
		}
	}
	slices.SortStableFunc(f.found[before:], f.better)
}
