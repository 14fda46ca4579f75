package compare

import (
	"fmt"

	"occudiff/ingest/unit"
)

// boundByArray sets the bounds of a row's occupancy that follow from the state
// of the XVE array if thread occupancy was not measured. An idle XVE has no
// thread. Another XVE has at least one thread, and at most all of its
// threads. For example, XVEs with 7 threads that are idle for 30% of the time
// are between 10% and 70% occupied. Without the number of threads per XVE,
// there is no lower bound.
func (r *Result) boundByArray(row *Row) {
	if idle, known := row.Idle.Value(); known && !noArray(row) {
		row.BoundLow, row.BoundHigh = r.leastOfBusy(row), unit.Some(1-idle)
	}
}

// leastOfBusy returns the occupancy of a row if each XVE that is not idle has one
// thread. It is absent if the idle time or the device is not known.
func (r *Result) leastOfBusy(row *Row) optRatio {
	if r.Device == nil || noArray(row) {
		return optRatio{}
	}
	return unit.Maybe((1-row.Idle.Or(0))/unit.Ratio(r.Device.ThreadsPerXVE), row.Idle.Present())
}

// beyondBounds returns the number of points by which the predicted average is
// outside the bounds of a row. It is negative if the upper bound is below the
// prediction, and 0 if the prediction is within the bounds. The samples at the
// edges of a launch also cover other tasks, so the share of the time outside
// the launches is added to the tolerance.
func (r *Result) beyondBounds(row *Row) unit.Points {
	outside, known := row.Certainty.OutsideLaunches.Value()
	if gpus, _ := r.averaged(row); !known || row.OneStack || gpus > 1 {
		return 0
	}
	margin := pointsOf(outside) + printedHalf
	low, high := row.BoundLow.Or(0), row.BoundHigh.Or(1)
	if d := high.Minus(row.Predicted.Average); r.Options.beyond(-d - margin) {
		return d
	}
	if d := low.Minus(row.Predicted.AverageHigh); r.Options.beyond(d - margin) {
		return d
	}
	return 0
}

// boundsCause states which measured bound the prediction violates. The reason is
// not known, because the counter of thread occupancy is missing.
func (r *Result) boundsCause(row *Row) *Cause {
	p, idle := row.Predicted, row.Idle.Or(0)
	text := fmt.Sprintf("XVEs were idle for %s of the time, so at most %s of the thread slots were occupied, "+
		"and %s are predicted.", idle, row.BoundHigh.Or(1), p.Average)
	if row.Verdict == Above {
		text = fmt.Sprintf("XVEs were idle for %s of the time, and each of the others had a thread, so at least %s "+
			"of the thread slots were occupied, and at most %s are predicted.", idle, row.BoundLow.Or(0),
			p.AverageHigh) + " Another kernel may have run at the same time."
	}
	confirm := "an export of all columns, which has the thread occupancy"
	if r.Device.IsBeforeXe() {
		confirm = "a collection with -knob characterization-mode=full-compute, which counts thread occupancy"
	}
	return &Cause{Name: CauseUnexplained, Evidence: text + " Thread occupancy was not measured.", ConfirmWith: confirm}
}
