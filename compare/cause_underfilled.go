package compare

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// The limits of the causes in this file.
const (
	// dispatchLifetime is the longest mean thread lifetime for which the
	// dispatcher may be the bottleneck. The thread lifetime is 2.2 to 2.8 us in a
	// real launch-bound kernel (Fan2, 62.7% of a predicted 99.5%), and at least
	// 200 us in a saturating GEMM.
	dispatchLifetime unit.Seconds = 5e-6

	// dispatchRate is the number of threads that start per second on an
	// Xe-core. It comes from Fan2, which starts 250 threads per microsecond on
	// 7 Xe-cores. Filling and draining affect launches up to fillsShort times
	// as long as it takes to fill an Xe-core.
	dispatchRate unit.Seconds = 35e6
	fillsShort   unit.Seconds = 10
)

// dispatch adds the cause that threads end faster than new threads start. The
// computed thread lifetime depends on when the XVEs were idle: the lower bound
// assumes idle time within the launches, and the upper bound assumes idle time
// outside them.
func (f *finder) dispatch() {
	r, row := f.r, f.row
	shortest, longest, ok := r.threadLifetimes(row)
	if !ok {
		f.filling()
		return
	}
	ground := shortThreads5us
	if longest <= dispatchLifetime && row.BusyOccupancy.Present() && f.alike() {
		t := f.newTrial()
		if _, registers := t.largerGRF(); registers == 0 {
			ground = shortThreadsAlike
		}
	}
	lives := spans(shortest, longest)
	switch gpus := r.averagedGPUs(row); {
	case gpus > 1:
		lives = fmt.Sprintf("at most %s on %d GPUs", unit.FormatDuration(longest), gpus)
	case !row.BusyOccupancy.Present():
		lives = unit.FormatDuration(shortest) + " if no XVE was ever idle"
	}
	decide := byTrace(", or a computing-instance export")
	if t := r.Traced(row); t != nil {
		lives += fmt.Sprintf(" (according to the trace, launches take %s, p10 to p90)", spans(t.P10, t.P90))
		decide = decision{}
	}
	f.add(ground, decide, "The mean thread lifetime is %s: the dispatcher may not keep up.", lives)
}

// launchBound reports whether a launch is so short that the dispatcher affects
// its occupancy: threads end faster than new threads start, or the launch takes
// little longer than the time to fill the Xe-cores.
func (r *Result) launchBound(row *Row) bool {
	avg, timed := row.Average().Value()
	_, _, short := r.threadLifetimes(row)
	return short || timed && row.Predicted != nil && avg < fillsShort*r.fills()
}

// fills returns the time in which the dispatcher fills an Xe-core.
func (r *Result) fills() unit.Seconds { return unit.Seconds(r.Device.SlotsPerXeCore()) / dispatchRate }

// filling adds the dispatcher as the cause for a launch that takes little
// longer than the time to fill the Xe-cores.
func (f *finder) filling() {
	if f.evidence&shortThreads != 0 {
		f.add(shortToFill, byOtherMeans("launches with more work, measured again"),
			"A launch takes %s, and filling an Xe-core with threads takes about %s of it.",
			unit.FormatDuration(f.row.Average().Or(0)), unit.FormatDuration(f.r.fills()))
	}
}

// threadLifetimes returns the bounds of the mean thread lifetime by Little's
// law. short reports whether the lifetime is short enough to matter, even if
// the rounded input values are half a digit higher. Several GPUs may have
// worked in turn or at once; the longest lifetime assumes that they worked in
// turn.
func (r *Result) threadLifetimes(row *Row) (shortest, longest unit.Seconds, short bool) {
	m, measured := row.Measured.Value()
	shortest, known := r.threadLifetime(row, m)
	if !known || !measured {
		return 0, 0, false
	}
	if longest = shortest; r.averagedGPUs(row) == 1 {
		longest, _ = r.threadLifetime(row, max(row.BusyOccupancy.Or(m), m))
	}
	printed, _ := r.threadLifetime(row, m+unit.FromPercent(float64(r.unseen(row))))
	return shortest, longest, printed <= dispatchLifetime
}

// barrierImbalance adds imbalance within work-groups: threads that have ended
// leave their slots empty until the other threads of the work-group end. A
// work-group of one thread has nothing to wait for, so it has no imbalance, and
// one thread of each work-group is always resident.
func (f *finder) barrierImbalance() {
	row, q := f.row, f.row.Predicted
	barrier, exported := row.BarrierStall.Value()
	if q.ThreadsPerGroup < 2 || row.Measured.Or(0) < q.Peak/unit.Ratio(q.ThreadsPerGroup) ||
		q.Waves < imbalanceWaves || exported && barrier < imbalanceBarrier {
		return
	}
	if exported {
		f.add(stallsAtBarriers, byOtherMeans("a trial with evenly distributed work, or with smaller work-groups"),
			"%s of the stalls are at barriers, and with %.1f waves, a partial last wave costs little: threads of a "+
				"work-group wait for each other, and slots may stay empty until all of its threads have ended.",
			barrier, q.Waves)
		return
	}
	f.add(manyWaves, byOtherMeans("a collection with stall reasons"), "With %.1f waves, a partial last wave costs "+
		"little: threads of a work-group may end at different times and leave slots empty.", q.Waves)
}

// largeGRF adds a register mode with fewer threads as the cause, if the
// prediction in that mode fits. Other kernels may have added to the value, so
// the busy occupancy and the measured value may both be higher than the
// prediction.
func (f *finder) largeGRF() {
	t, ok := f.trial()
	if !ok {
		return
	}
	share := f.row.Certainty.OtherTasks.Or(0)
	if t.registers(registerMode256) || share <= 0 {
		return
	}
	o, _ := t.r.others(t.row)
	t.above = pointsOf(max(share*(unit.Ratio(o.measured)-t.measured), 0))
	t.registers(registersOfOthers)
}

// trial returns a trial for refitting the row under other assumptions. ok is
// false if the row has too little data for it.
func (f *finder) trial() (t trial, ok bool) {
	c := &f.row.Certainty
	n, timed := c.Intervals.Value()
	if f.row.Predicted == nil || !f.row.BusyOccupancy.Present() ||
		!c.Exact && (!timed || n < registerIntervals && c.OtherTasks.Or(1) > 0 ||
			n < 1 && f.r.launchBound(f.row)) {
		return t, false
	}
	return f.newTrial(), true
}

func (f *finder) newTrial() trial {
	t := trial{finder: f, busy: f.row.BusyOccupancy.Or(0), launch: f.r.LaunchOf(f.row)}
	t.before = abs(t.busy.Minus(f.row.PredictedAt().BusyOccupancy))
	t.measured, _ = f.r.perBusyStack(f.row)
	return t
}

// predictedWhileBusy returns the point of the predicted range that the
// breakdown of a row uses. If a row is below its prediction and another
// register mode fits, the point comes from the prediction in that mode, because
// its launches leave other XVEs idle.
func (r *Result) predictedWhileBusy(row *Row) predict.Utilization {
	f := finder{r: r, row: row}
	if t, ok := f.trial(); ok && row.Verdict == Below {
		if p, registers := t.largerGRF(); registers > 0 {
			h := t.nearest(&p)
			h.Idle = min(h.Idle, row.Idle.Or(1)) // the predicted idle share is at most the measured one
			return h
		}
	}
	return row.PredictedAt()
}

// trial predicts a row's launch under another assumption.
type trial struct {
	*finder
	launch         predict.Launch
	busy, measured unit.Ratio
	before         unit.Points // error of the unchanged prediction
	above          unit.Points // points that other kernels may have added to the value
}

// predict returns the prediction for a launch. fits reports whether the
// prediction is near the measurement, and nearer than the unchanged prediction.
// Both the busy occupancy and the measured value must fit, apart from time
// outside the launches.
func (t *trial) predict(l predict.Launch, within unit.Points) (p predict.Prediction, fits bool) {
	p, err := predict.Predict(t.r.Device, l)
	if err != nil {
		return p, false
	}
	off, least := abs(t.busy.Minus(t.nearest(&p).BusyOccupancy)), p.Average*(1-t.row.Certainty.OutsideLaunches.Or(1))
	return p, off <= within+digit && off < t.before-digit && t.measured.Minus(p.Peak) <= refitAbove+t.above+digit &&
		!t.r.Options.beyond(least.Minus(t.measured))
}

// nearest returns the point of the predicted range that is nearest to the busy
// occupancy.
func (t *trial) nearest(p *predict.Prediction) predict.Utilization {
	g := p.Range(t.r.Device)
	return g.NearestBusy(t.busy)
}

// largerGRF returns the prediction for a mode with more registers that fits,
// and the number of registers in that mode. The number is 0 if no mode fits.
func (t *trial) largerGRF() (p predict.Prediction, registers int) {
	l := t.launch
	for _, mode := range t.r.Device.DistinctModes() {
		// The mode of the unchanged prediction is not a candidate.
		if l.GRF = mode.Registers; l.GRF <= 128 || t.row.Registers.Present() {
			continue
		}
		if p, fits := t.predict(l, t.r.Options.Tolerance+t.above); fits {
			return p, l.GRF
		}
	}
	return p, 0
}

// name adds a cause whose prediction fits the measurement.
func (t *trial) name(cause string, ground Ground, p *predict.Prediction, what string) *Cause {
	c := t.add(ground, byBinary(), "Busy occupancy is %s, and %s is predicted for %s", t.busy,
		t.nearest(p).BusyOccupancy, what)
	c.Name = cause
	return c
}

func (t *trial) registers(ground Ground) bool {
	p, registers := t.largerGRF()
	if registers == 0 {
		return false
	}
	also := ""
	switch c := &t.row.Certainty; {
	case c.Intervals.Or(0) < 1 && !c.Exact:
		ground = registersOfOthers
	case t.row.Predicted.Waves <= 1:
		ground, also = registersOrUneven, " Work-groups of different lengths, which all start at once, look the same."
	}
	t.name(CauseGRF, ground, &p, fmt.Sprintf("a kernel compiled for %d registers per thread (large GRF). VTune does "+
		"not know the GRF mode and divides by all thread slots.%s", registers, also)).Registers = registers
	return true
}

// width adds another SIMD width as the cause, if the prediction with that width
// fits.
func (f *finder) width() {
	t, ok := f.trial()
	l := t.launch
	for _, l.SIMD = range f.r.Device.SIMDWidths {
		if !ok || t.launch.SIMD == predict.ExplicitSIMD || l.SIMD == t.launch.SIMD {
			continue
		}
		if p, fits := t.predict(l, f.r.Options.Tolerance); fits {
			t.name(CauseSIMD, otherResidency, &p, fmt.Sprintf("SIMD %d instead of %d.", l.SIMD, t.launch.SIMD))
			return
		}
	}
}

// onOneStack returns the peak of a launch on one stack, as a share of the slots of
// all stacks. It returns false for a device with one stack.
func (r *Result) onOneStack(l predict.Launch) (unit.Ratio, bool) {
	if r.Device.Tiles < 2 {
		return 0, false
	}
	one := *r.Device
	one.XeCores /= one.Tiles
	p, err := predict.Predict(&one, l)
	return p.Peak / unit.Ratio(r.Device.Tiles), err == nil
}

// residency adds the cause that fewer work-groups fit on an Xe-core than
// predicted, if the prediction with fewer work-groups fits. The reason is that
// the kernel uses more SLM or barriers than the inputs list.
func (f *finder) residency() {
	t, ok := f.trial()
	most, each := int(f.row.Predicted.GroupsPerXeCore), unit.Ratio(f.row.Predicted.ThreadsPerGroup)
	if !ok || pointsOf(each/unit.Ratio(f.r.Device.SlotsPerXeCore())) < resourceStep {
		return
	}
	cause, what := CauseSLM, "SLM"
	if f.evidence&usesBarriers != 0 {
		cause, what = CauseBarriers, "barriers"
	}
	l := t.launch
	l.Policy = predict.Whole
	for l.GroupSlots = most - 1; l.GroupSlots > 0; l.GroupSlots-- {
		if p, fits := t.predict(l, resourceFit); fits {
			t.name(cause, otherResidency, &p,
				fmt.Sprintf("%s per Xe-core instead of %d. More %s per work-group than in the export would explain "+
					"that.", unit.Plural(l.GroupSlots, "work-group"), most, what))
			return
		}
	}
}

// spans formats two estimates of a time in the unit of the longer one, for
// example "2.2 to 2.8 us". Estimates have no more than two digits.
func spans(a, b unit.Seconds) string {
	x, y := unit.FormatDuration(twoDigits(a)), unit.FormatDuration(twoDigits(b))
	if x == y {
		return x
	}
	if number, u, _ := strings.Cut(x, " "); strings.HasSuffix(y, " "+u) {
		x = number
	}
	return x + " to " + y
}

func twoDigits(s unit.Seconds) unit.Seconds {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(s), 'g', 2, 64), 64)
	return unit.Seconds(v)
}
