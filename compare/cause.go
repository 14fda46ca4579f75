package compare

import (
	"fmt"
	"math"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// The causes, in the order in which they are looked for.
const (
	CauseShape       = "shape"
	CauseModel       = "model"
	CauseSampling    = "sampling"
	CauseOverlap     = "overlap"
	CauseAdapters    = "adapters"
	CauseIdle        = "idle"
	CauseDispatch    = "dispatch"
	CauseImbalance   = "imbalance"
	CauseGRF         = "grf"
	CauseSIMD        = "simd"
	CauseStack       = "stack"
	CauseUnexplained = "unexplained"
)

// Causes lists the words of Cause.Name in the order in which they are looked for.
func Causes() []string {
	return []string{CauseShape, CauseModel, CauseSampling, CauseOverlap, CauseAdapters, CauseIdle, CauseDispatch, CauseImbalance,
		CauseGRF, CauseSIMD, CauseStack, CauseUnexplained}
}

// cause names why a row does not match; nil for rows that match or were not judged. The first that applies is taken.
func (r *Result) cause(row *Row) *Cause {
	switch row.Verdict {
	case Below, Above, Unmeasurable:
	case NoPrediction:
		return r.idleAdapters(row)
	default:
		return nil
	}
	looks := []func(*Row) *Cause{r.shape, r.model, r.sampling}
	if row.Verdict == Above {
		looks = append(looks, r.smallerGRF, r.overlap)
	} else {
		// Without the column of barrier stalls, imbalance is only what is left: a refit that fits says more.
		looks = append(looks, r.adapters, r.idle, r.dispatch, r.imbalanceSeen, r.refit, r.imbalance)
	}
	for _, look := range looks {
		if c := look(row); c != nil {
			return c
		}
	}
	return r.unexplained(row)
}

// reference is what the measured value is held against: the predicted peak, or the profiler's where nothing is predicted.
func reference(row *Row) (unit.Ratio, string, bool) {
	if row.Predicted != nil {
		return row.Predicted.Peak, "predicted peak", true
	}
	p, ok := row.Peak.Value()
	return p, "profiler's peak", ok
}

// modelOff says whether the two static predictions differ by so much that one of them has the wrong launch or device. Where
// there is no measurement, that difference is the mismatch itself, however small.
func modelOff(row *Row) bool {
	d, ok := row.ModelDifference.Value()
	return ok && (abs(d) > modelCausePoints || row.Basis == BasisPeak)
}

func (r *Result) shape(row *Row) *Cause {
	if !modelOff(row) {
		return nil
	}
	p, peak := row.Predicted, row.Peak.Or(0)
	threads := p.Groups * p.ThreadsPerGroup
	slots := int64(r.Device.Slots())
	step := unit.Points(100 * float64(threads) / float64(slots))
	if peak <= row.ModelPeak || threads >= slots || step < shapeStepPoints {
		return nil
	}
	// A grid that fills the GPU reaches the most that this work-group can; any larger one reaches it as well.
	k := (slots + threads - 1) / threads
	most := r.grown(row, k)
	clamped := abs(peak.Minus(most)) <= shapeFitPoints+digit
	if clamped {
		k = max(int64(math.Ceil(float64(most)*float64(slots)/float64(threads)-1e-9)), 1)
	} else {
		k = int64(math.Round(float64(peak) * float64(slots) / float64(threads)))
	}
	if k < 2 || abs(peak.Minus(r.grown(row, k))) > shapeFitPoints+digit {
		return nil
	}
	c := &Cause{Name: CauseShape, Confidence: "high"}
	times := fmt.Sprintf("%d times", k)
	switch {
	case clamped:
		c.Confidence, times = "low", fmt.Sprintf("%d or more times", k)
	case step < shapeCertain || k > shapeFactor:
		c.Confidence = "low"
	}
	c.Because = fmt.Sprintf("The profiler's peak of %.1f %% is %s of %s thread slots where the work-size cell (%s in work-groups of %s, SIMD %d) has %s: "+
		"a grid %s larger fits, so a dimension is missing in the cell (or the GPU is one with about %s thread slots: check the device).", peak.Percent(),
		plural(min(k*threads, int64(math.Round(float64(most)*float64(slots)))), "thread"), count(slots), row.Global, row.Local,
		row.SIMD.Or(r.Options.SIMD), plural(threads, "thread"), times, count(int64(math.Round(float64(threads)/float64(peak)))))
	return c
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

func (r *Result) model(row *Row) *Cause {
	if !modelOff(row) {
		return nil
	}
	figures := fmt.Sprintf("The profiler's peak is %.1f %% and the predicted peak %.1f %% of %s thread slots", row.Peak.Or(0).Percent(), row.ModelPeak.Percent(), count(int64(r.Device.Slots())))
	c := &Cause{Name: CauseModel, Confidence: "medium"}
	switch slm, barriers := row.PeakSLM.Or(1), row.PeakBarrier.Or(1); {
	case slm < 1 && slm <= barriers && !row.SLM.Present():
		c.Because = fmt.Sprintf("%s. VTune limits it by SLM to %.1f %%, and the SLM per work-group is not in the export: give unitrace's kernel properties beside it.", figures, slm.Percent())
	case barriers < 1 && barriers <= slm:
		c.Because = fmt.Sprintf("%s. VTune limits it by barriers to %.1f %%, and how many barriers a work-group takes is in no export", figures, barriers.Percent())
		if row.LeastBarriers() > 0 {
			c.Because += "; one is taken, the least"
		}
		c.Because += "."
	default:
		c.Because = figures + "; both come from the launch alone, so the device (--device, --xve) or the launch shape is not the one that ran."
	}
	return c
}

func (r *Result) sampling(row *Row) *Cause {
	if row.Verdict != Unmeasurable {
		return nil
	}
	interval := r.Options.SamplingInterval
	total, summed := row.Total.Value()
	avg, timed := row.Average().Value()
	life, known := row.ThreadLife.Value()
	what := fmt.Sprintf("The whole kernel ran for %s, less than %d sampling intervals of %s", span(total), minIntervals, span(interval))
	if timed && avg < interval && (!summed || total >= minIntervals*interval) {
		what = fmt.Sprintf("A launch takes %s, below the sampling interval of %s, and the value ", span(avg), span(interval))
		if known {
			what += fmt.Sprintf("would need threads that live %s", span(life))
		} else {
			what += fmt.Sprintf("of %.1f %% is more than all its threads, which are the profiler's peak of %.1f %%", row.Measured.Or(0).Percent(), row.Peak.Or(0).Percent())
		}
	}
	return &Cause{Name: CauseSampling, Confidence: "high", Because: what +
		": the counter holds the neighbours. Collect with a smaller gpu-sampling-interval, or give a launch more work."}
}

func (r *Result) overlap(row *Row) *Cause {
	ref, name, ok := reference(row)
	m, measured := row.Measured.Value()
	if !ok || !measured {
		return nil
	}
	c := &Cause{Name: CauseOverlap, Confidence: "medium"}
	c.Because = fmt.Sprintf("Measured %.1f %% is above the %s of %.1f %%, which this launch alone cannot exceed: other kernels ran in its window (several queues, ranks or processes on the GPU).",
		m.Percent(), name, ref.Percent())
	switch {
	case row.Basis == BasisMeasuredPeak && !row.Average().Present():
		c.Confidence = "low"
		c.Because += " The summary gives no launch count: launches shorter than the sampling interval would look the same."
	case row.Predicted != nil && m.Minus(ref) <= r.unseen(row)+digit: // between the average over waves and the peak
		c.Confidence = "low"
		c.Because = fmt.Sprintf("Measured %.1f %% is above the predicted average of %.1f %% and within the %s of %.1f %%: the tail is shorter than a full wave, or other kernels filled it.",
			m.Percent(), row.Predicted.Average.Percent(), name, ref.Percent())
	}
	return c
}

func (r *Result) idle(row *Row) *Cause {
	ref, name, ok := reference(row)
	loaded, known := row.Loaded.Value()
	if !ok || !known || abs(loaded.Minus(ref)) > r.Options.Tolerance+digit {
		return nil
	}
	m, own := r.own(row)
	idle, gap := own.Or(0), ref.Minus(m)
	// The same idle time takes more from the predicted peak than from the occupancy while loaded, and the gap may start at
	// either: its part is half way between the two.
	explained := unit.Points(100 * idle * (ref + loaded) / 2)
	if row.Predicted != nil {
		explained += ref.Minus(row.Predicted.Average) // the tail
	}
	if gap <= 0 || explained < gap*idleShare {
		return nil
	}
	fits := "fits"
	if explained < gap*idleMost {
		fits = fmt.Sprintf("is within %g points of", float64(r.Options.Tolerance))
	}
	c := &Cause{Name: CauseIdle, Confidence: "high", Because: fmt.Sprintf("While loaded, occupancy was %.1f %%, which %s the %s of %.1f %%: ",
		loaded.Percent(), fits, name, ref.Percent())}
	what := "the gap"
	const advice = "Larger launches, or launches without a wait between them, would help."
	if of := r.ownText(row); of != "" { // two things at once
		c.Because, c.Confidence, what = of+c.Because, "medium", "the rest of the gap"
	} else {
		c.Because = fmt.Sprintf("The XVEs were idle %.1f %% of the kernel's time. ", idle.Percent()) + c.Because
	}
	if explained < gap*idleMost {
		c.Confidence = "medium"
		c.Because += fmt.Sprintf("most of %s of %.1f points is idle time and tail. %s", what, float64(gap), advice)
	} else {
		c.Because += fmt.Sprintf("%s is idle time and tail, not residency. %s", what, advice)
	}
	return c
}

func (r *Result) dispatch(row *Row) *Cause {
	avg, timed := row.Average().Value()
	p := row.Predicted
	m := row.Measured.Or(0)
	if p == nil || !timed || !row.ThreadLife.Present() || r.nothingSeen(row) {
		return nil
	}
	// Several GPUs may have worked in turn or at once: threads live no longer than if it was in turn.
	gpus := r.AveragedGPUs(row)
	slots, threads := int64(r.Device.Slots()*gpus), p.Groups*p.ThreadsPerGroup
	life := func(m unit.Ratio) unit.Seconds { return littlesLaw(m, slots, avg, threads) }
	if life(m+unit.FromPercent(float64(r.unseen(row)))) > dispatchLife {
		return nil
	}
	lives, of := "lives", ""
	if gpus > 1 {
		lives, of = "lives at most", fmt.Sprintf(" of %d GPUs", gpus)
	}
	return &Cause{Name: CauseDispatch, Confidence: "high", Because: fmt.Sprintf(
		"A thread %s %s (%.1f %% of %s slots%s, %s per launch, %s), so the dispatcher cannot keep the slots full. More work per work-item, or fewer and longer threads, would help.",
		lives, span(life(m)), m.Percent(), count(slots), of, span(avg), plural(threads, "thread"))}
}

// nothingSeen says whether the measured value was printed as 0.0, so that it tells nothing of the threads.
func (r *Result) nothingSeen(row *Row) bool {
	m, measured := row.Measured.Value()
	return measured && m.Percent() < float64(r.unseen(row))
}

// imbalanceSeen is imbalance with barrier stalls as evidence.
func (r *Result) imbalanceSeen(row *Row) *Cause {
	if !row.BarrierStall.Present() {
		return nil
	}
	return r.imbalance(row)
}

func (r *Result) imbalance(row *Row) *Cause {
	idle, known := row.Idle.Value()
	barrier, exported := row.BarrierStall.Value()
	m, p := row.Measured.Or(0), row.Predicted
	// One thread a work-group waits for nobody, and work-groups of T threads hold at least one each.
	if p == nil || p.ThreadsPerGroup < 2 || m < p.Peak/unit.Ratio(p.ThreadsPerGroup) || p.Waves < imbalanceWaves || !known || idle >= imbalanceIdle || (exported && barrier < imbalanceBarrier) {
		return nil
	}
	c := &Cause{Name: CauseImbalance, Confidence: "low"}
	stalls := "barrier stalls were not exported"
	if exported {
		c.Confidence, stalls = "medium", fmt.Sprintf("%.1f %% of stalls are at barriers", barrier.Percent())
	}
	c.Because = fmt.Sprintf("With %.1f waves the tail is small and the array was idle only %.1f %% of the time (%s): threads of a work-group end at different times and hold slots that are empty in part. Even out the work per work-item, or use smaller work-groups.",
		row.Predicted.Waves, idle.Percent(), stalls)
	return c
}

// smallerGRF looks for a register mode with more threads than the assumed one that makes a higher value fit: an Xe3 kernel
// of 96 registers fills all 10 threads of an XVE.
func (r *Result) smallerGRF(row *Row) *Cause {
	m, measured := row.Measured.Value()
	if row.Predicted == nil || !measured || row.Registers.Present() {
		return nil
	}
	l := r.LaunchOf(row)
	for _, mode := range r.Device.GRFModes {
		g := l
		g.GRF = mode.Registers
		p, err := predict.Predict(r.Device, g)
		if err == nil && p.Peak > row.Predicted.Peak && abs(m.Minus(p.Average)) <= r.Options.Tolerance+digit {
			ref, name := row.Predicted.Peak, "peak"
			if m.Minus(ref) <= r.unseen(row)+digit {
				ref, name = row.Predicted.Average, "average"
			}
			return &Cause{Name: CauseGRF, Confidence: "medium", Because: fmt.Sprintf(
				"Measured %.1f %% is above the predicted %s of %.1f %%, which assumes 128 registers per thread; a kernel compiled for %d registers predicts %.1f %%. unitrace prints the register file size per thread.",
				m.Percent(), name, ref.Percent(), mode.Registers, p.Average.Percent())}
		}
	}
	return nil
}

// refit looks for the one simple thing which, if it were otherwise than assumed, would make the prediction fit: half the
// threads (a large-GRF kernel), half the Xe-cores (one stack of two), another SIMD width.
func (r *Result) refit(row *Row) *Cause {
	loaded, known := row.Loaded.Value()
	avg, timed := row.Average().Value()
	m, _ := r.own(row)
	if row.Predicted == nil || !known || !timed || avg < refitIntervals*r.Options.SamplingInterval || r.nothingSeen(row) {
		return nil
	}
	// A prediction that stays as it was, or fits no better, is no sign of anything.
	before := abs(loaded.Minus(row.Predicted.Peak))
	fits := func(p predict.Prediction) bool {
		off := abs(loaded.Minus(p.Peak))
		return off <= r.Options.Tolerance+digit && off < before-digit && m.Minus(p.Peak) <= refitAbove+digit
	}
	l := r.LaunchOf(row)
	because := func(what string, p predict.Prediction) string {
		return fmt.Sprintf("Occupancy while loaded is %.1f %%, and %s predicts a peak of %.1f %%.", loaded.Percent(), what, p.Peak.Percent())
	}
	if !row.Registers.Present() {
		for _, mode := range r.Device.GRFModes {
			g := l
			g.GRF = mode.Registers
			if p, err := predict.Predict(r.Device, g); mode.Registers > 128 && err == nil && fits(p) {
				confidence, also := "medium", ""
				if r.Device.Tiles > 1 && !row.ModelDifference.Present() {
					confidence, also = "low", fmt.Sprintf(" A launch on one of %d stacks would look the same.", r.Device.Tiles)
				}
				return &Cause{Name: CauseGRF, Confidence: confidence, Because: because(fmt.Sprintf("a kernel compiled for %d registers per thread (large GRF)", mode.Registers), p) +
					" VTune does not know the GRF mode and divides by all thread slots. unitrace prints the register file size per thread." + also}
			}
		}
	}
	confirmed := row.ModelDifference.Present() // beyond a point `model` has been named already
	if confirmed {
		return nil
	}
	for _, simd := range r.Device.SIMDWidths {
		s := l
		s.SIMD = simd
		if p, err := predict.Predict(r.Device, s); simd != l.SIMD && err == nil && fits(p) {
			return &Cause{Name: CauseSIMD, Confidence: "low", Because: because(fmt.Sprintf("SIMD %d instead of %d", simd, l.SIMD), p)}
		}
	}
	if r.Device.Tiles > 1 {
		one := *r.Device
		one.XeCores /= one.Tiles
		if p, err := predict.Predict(&one, l); err == nil {
			p.Peak /= unit.Ratio(r.Device.Tiles) // seen over the slots of all stacks
			if fits(p) {
				return &Cause{Name: CauseStack, Confidence: "low", Because: because(fmt.Sprintf("a launch that runs on one of %d stacks", r.Device.Tiles), p)}
			}
		}
	}
	return nil
}

func (r *Result) unexplained(row *Row) *Cause {
	d, _ := row.Difference.Value()
	c := &Cause{Name: CauseUnexplained, Confidence: "low", Because: fmt.Sprintf("The difference of %+.1f points fits none of the known causes.", float64(d))}
	if of := r.ownText(row); of != "" {
		c.Because += " " + strings.TrimSpace(of)
	}
	if missing := r.missingEvidence(row); missing != "" {
		c.Because += " " + missing
	}
	return c
}

// missingEvidence says which column would have helped.
func (r *Result) missingEvidence(row *Row) string {
	switch {
	case r.nothingSeen(row):
		return fmt.Sprintf("%.1f %% says that no thread was seen, not how long one lives: the counters may be of another window or of another adapter.", row.Measured.Or(0).Percent())
	case row.Basis == BasisMeasuredPeak && row.Idle.Present():
		return "The export lacks the launch shape: export it with the columns Work Size:Global, Work Size:Local and SIMD Width."
	case row.Basis == BasisMeasuredPeak:
		return "A summary has neither launch shapes nor the XVE array state: give the computing-task export beside it."
	case !row.Idle.Present():
		return "The export has no XVE array state (Active, Stalled, Idle), which would tell idle time from low residency."
	case row.Predicted != nil && !row.Average().Present():
		return "The export has no total time and instance count, which would give the mean thread life."
	case !row.BarrierStall.Present():
		return "A collection with stall reasons would tell waiting at barriers from other stalls."
	}
	return ""
}
