package compare

import (
	"cmp"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// Part is a part of the thread-slot breakdown.
type Part string

// The parts. If the input has no XVE array state, Shortfall is the sum of Idle and
// Underfilled.
const (
	PartOccupied    Part = "occupied"    // slots with a thread
	PartUnderfilled Part = "underfilled" // free slots of busy XVEs, below the prediction for the launch
	// PartIdle is the slots of XVEs without any thread, in addition to the XVEs
	// that the launch itself leaves idle.
	PartIdle        Part = "idle"
	PartShortfall   Part = "shortfall"    // idle + underfilled, if they cannot be told apart
	PartLastWave    Part = "last_wave"    // slots that are free in the partial last wave, as predicted
	PartLaunchLimit Part = "launch_limit" // slots that the launch cannot use, by its resources and size
)

// Parts returns the parts in printing order.
func Parts() []Part { return slices.Clone(parts[:]) }

// SlotBreakdown splits all thread slots of the GPU into parts, in points. The
// parts add up to 100. A part that cannot be determined is absent, and another
// part contains it.
type SlotBreakdown struct {
	Parts         ByPart[optPoints]
	Policy        predict.Policy // policy of the prediction; Auto without a prediction
	PredictedIdle optRatio       // predicted share of XVEs that the launch itself leaves idle
	Certainty     Certainty
	Lost          optSeconds // slot time below the prediction
	Causes        []Cause    // causes of a mismatch: ordered by part, then the most likely first
}

// Points returns the points of a part. They are absent if the part is unknown.
func (a *SlotBreakdown) Points(p Part) optPoints {
	if a == nil {
		return optPoints{}
	}
	return a.Parts.Of(p)
}

// ByPart has a value for each part, in the order of Parts.
type ByPart[T any] [len(parts)]T

// Of returns the value of a part.
func (b *ByPart[T]) Of(p Part) T { return b[p.index()] }

// index returns the index of a part in Parts.
func (p Part) index() int { return max(slices.Index(parts[:], p), 0) }

var parts = [...]Part{PartOccupied, PartUnderfilled, PartIdle, PartShortfall, PartLastWave, PartLaunchLimit}

// Rounded returns the parts with one decimal. Rounding is by largest remainder, so
// that the printed parts still add up.
func (a *SlotBreakdown) Rounded() (printed ByPart[optPoints]) {
	var tenths, remainder ByPart[float64]
	var told []int
	left := 1000.0
	for i, o := range a.Parts {
		if v, ok := o.Value(); ok {
			tenths[i] = math.Floor(float64(v)*10 + 1e-6)
			remainder[i] = float64(v)*10 - tenths[i]
			left -= tenths[i]
			told = append(told, i)
		}
	}
	slices.SortStableFunc(told, func(a, b int) int { return cmp.Compare(remainder[b], remainder[a]) })
	for n, i := range told {
		if left-float64(n) > 0.5 {
			tenths[i]++
		}
		printed[i] = unit.Some(unit.Points(tenths[i]) / 10)
	}
	return printed
}

// Drawable returns the parts for a bar. A bar cannot show a negative part, so
// the part is drawn as 0, and the predicted parts are reduced by the same
// amount first.
func (a *SlotBreakdown) Drawable() ByPart[float64] {
	var drawn ByPart[float64]
	over := 0.0
	for i, o := range a.Parts {
		v := float64(o.Or(0))
		drawn[i] = max(v, 0)
		over += drawn[i] - v
	}
	for _, p := range []Part{PartLastWave, PartLaunchLimit, PartUnderfilled, PartIdle, PartShortfall, PartOccupied} {
		of := &drawn[p.index()]
		off := min(*of, over)
		*of -= off
		over -= off
	}
	return drawn
}

// breakdown returns the breakdown of a row whose verdict and certainty are set.
// It is nil if the measured value does not belong to this kernel, if the
// prediction is for another launch, or if the measured value is above the
// prediction. The breakdown of a row below its prediction includes the causes
// of each part.
func (r *Result) breakdown(row *Row) *SlotBreakdown {
	if !row.mayLose() || row.rejected() {
		return nil
	}
	a := r.parts(row)
	a.Certainty = row.Certainty
	a.Lost = unit.Maybe(row.Lost(), row.Total.Present())
	if row.Verdict == Below {
		a.Causes = r.finder(row, &a).all()
	}
	return &a
}

// parts returns the parts of the breakdown of a row.
func (r *Result) parts(row *Row) (a SlotBreakdown) {
	set := func(p Part, v unit.Points) { a.Parts[p.index()] = unit.Some(v) }
	m, p, peak := row.Measured.Or(0), row.Predicted, row.Peak.Or(0)
	if set(PartOccupied, pointsOf(m)); p == nil {
		set(PartShortfall, peak.Minus(m))
		set(PartLaunchLimit, pointsOf(1-peak))
		return a
	}
	held, ran := row.PredictedAt(), r.predictedWhileBusy(row)
	a.Policy, a.PredictedIdle = row.XVEs.Policy, unit.Some(ran.Idle)
	set(PartLastWave, p.Peak.Minus(held.Average))
	set(PartLaunchLimit, pointsOf(1-p.Peak))
	missing := held.Average.Minus(m)
	if idle, known := row.ran(); known {
		empty := pointsOf(ran.BusyOccupancy * (idle - ran.Idle))
		set(PartIdle, empty)
		set(PartUnderfilled, missing-empty)
	} else {
		set(PartShortfall, missing)
	}
	return a
}

func pointsOf(v unit.Ratio) unit.Points { return unit.Points(v.Percent()) }

// PredictedAt returns the point of the predicted range that is nearest to the
// busy occupancy. If the busy occupancy is unknown, or the same in the whole
// range, the point nearest to the measured value is returned.
func (r *Row) PredictedAt() predict.Utilization {
	x, m := &r.XVEs, r.Measured.Or(0)
	if loaded, ran := r.BusyOccupancy.Value(); ran &&
		abs(x.High.BusyOccupancy.Minus(x.Low.BusyOccupancy)) > printedTwice {
		return x.NearestBusy(loaded)
	}
	return x.NearestAverage(m)
}

// reference returns the value that the measured value is compared with.
func (r *Row) reference() unit.Ratio { return r.nearest(r.Measured.Or(0)) }

// nearest returns the point of the range of the predicted average that is
// nearest to a value, or the profiler's peak if the launch size is unknown.
func (r *Row) nearest(v unit.Ratio) unit.Ratio {
	if r.Predicted == nil {
		return r.Peak.Or(0)
	}
	return r.Predicted.Nearest(v)
}

// Lost returns the slot time that a row below its prediction lost. It is 0 if
// no measured value belongs to the kernel.
func (r *Row) Lost() unit.Seconds {
	if !r.mayLose() {
		return 0
	}
	return r.Total.Or(0) * unit.Seconds(max(r.reference()-r.Measured.Or(0), 0))
}

// mayLose reports whether a row can have lost slot time: it was measured and is
// not above its prediction.
func (r *Row) mayLose() bool { return r.Measured.Present() && r.Verdict.info().MayLose }
