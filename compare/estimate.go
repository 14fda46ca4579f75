package compare

import (
	"cmp"
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
func (r *Result) estimated(kernels []ingest.Kernel) []ingest.Kernel {
	e := launches.Estimator(r.Recording)
	if e == nil {
		return kernels
	}
	list, left := slices.Clone(kernels), 0
	for i := range list {
		k := &list[i]
		task, known := r.Recording.Trace.Find(k)
		if !known || !k.IsKernel() || k.Reading == ingest.AroundLaunch && k.Measured.Present() {
			continue
		}
		printed := cmp.Or(k.Printed, k.Measured)
		k.ClearSampled()
		k.Printed = printed
		if v := e.Tasks[task]; v != nil {
			setEstimates(k, v)
		} else {
			left++
		}
	}
	if e.Load > leastLoad {
		r.warn("foreign-load", note.Pos{}, "collect on a GPU that nothing else uses", "While none of the run's launches ran, "+
			"%.1f%% of the thread slots were in use: by another program, or by launches that the result does not have. As much "+
			"of each value may be of them", e.Load)
	}
	if left > 0 {
		r.Notes = append(r.Notes, note.Note{Severity: note.Info, Code: "too-many-kernels", Text: unit.Plural(left, "kernel") +
			" with the least time cannot be told apart beside so many others, and have no measured occupancy"})
	}
	return list
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
	m := k.Measured.Or(0)
	return unit.Maybe(max(m.Minus(low), k.MeasuredHigh.Or(m).Minus(m)), ok)
}
