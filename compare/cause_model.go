package compare

import (
	"fmt"
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

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
