package compare

import (
	"fmt"
	"math"
	"slices"

	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

const (
	// mostMargin is half of the widest interval of an estimate that carries a conclusion, in percent.
	mostMargin unit.Points = 5
	// leastLoad is the occupancy of samples without launches that says that others used the GPU, in percent; counters
	// are read a little apart.
	leastLoad = 0.3
)

// estimated gives kernels with what all samples and launches of the run tell of each, in place of the counters by the
// profiler's own rule, which of short launches are those of whatever ran beside them.
func estimated(kernels []ingest.Kernel, r *ingest.Recording) (list []ingest.Kernel, notes []note.Note) {
	e := launches.Estimator(r)
	if e == nil {
		return kernels, nil
	}
	list = slices.Clone(kernels)
	left := int64(0)
	for i := range list {
		k := &list[i]
		own := k.Reading == ingest.AroundLaunch && k.Measured.Present()
		if task, known := r.Trace.Find(k); known && k.IsKernel() && !own {
			none := unit.Opt[unit.Ratio]{}
			if !k.Printed.Present() {
				k.Printed = k.Measured
			}
			k.Measured, k.Active, k.Stalled, k.Idle, k.BarrierStall = none, none, none, none, none
			if v := e.Tasks[task]; v == nil {
				left++
			} else {
				setEstimates(k, v)
			}
		}
	}
	if e.Load > leastLoad {
		notes = append(notes, note.Note{Severity: note.Warning, Code: "foreign-load", Text: "While none of the run's " +
			"launches ran, " + fmt.Sprintf("%.1f %%", e.Load) + " of the thread slots were in use: by another program, or by launches " +
			"that the result does not have. As much of each value may be of them", Hint: "collect on a GPU that nothing else uses"})
	}
	if left > 0 {
		notes = append(notes, note.Note{Severity: note.Info, Code: "too-many-kernels", Text: unit.Counted(left, "kernel", "kernels") +
			" with the least time cannot be told apart beside so many others, and have no measured occupancy"})
	}
	return list, notes
}

func setEstimates(k *ingest.Kernel, v *launches.Values) {
	ratio := func(percent float64) unit.Opt[unit.Ratio] {
		return unit.Some(unit.FromPercent(min(max(percent, 0), 100)))
	}
	o, busy := v[launches.Occupancy], v[launches.Busy]
	k.Measured, k.MeasuredLow, k.MeasuredHigh = ratio(o.Mean), ratio(o.Low), ratio(o.High)
	if math.IsNaN(busy.Mean) {
		return
	}
	k.Idle, k.IdleLow, k.IdleHigh = ratio(100-busy.Mean), ratio(100-busy.High), ratio(100-busy.Low)
	// Of two estimates that must add up to a third.
	k.Active = ratio(min(v[launches.Active].Mean, busy.Mean))
	k.Stalled = ratio(busy.Mean - k.Active.Or(0).Percent())
}

// margin is how far the truth may be from a row's measured value on either side, where that is known.
func margin(k *ingest.Kernel) unit.Opt[unit.Points] {
	low, ok := k.MeasuredLow.Value()
	if !ok {
		return unit.Opt[unit.Points]{}
	}
	m := k.Measured.Or(0)
	return unit.Some(max(m.Minus(low), k.MeasuredHigh.Or(m).Minus(m)))
}
