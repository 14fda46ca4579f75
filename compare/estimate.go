package compare

import (
	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// mostMargin is the widest an estimate may be to take the place of a measured value, in percent to either side.
const mostMargin = 5

// estimated gives kernels with estimates in place of counters that are not theirs alone, where all samples and launches
// of the run are known and tell the kernel from what ran beside it.
func estimated(kernels *ingest.Kernels, mix *ingest.Mix) *ingest.Kernels {
	estimates := launches.Solve(mix)
	list := &ingest.Kernels{}
	for _, k := range kernels.All() {
		task, known := mix.Find(k)
		if known && task < len(estimates) && !k.Within.Present() && k.IsKernel() {
			if e := estimates[task]; e.Margin <= mostMargin {
				k.Measured = unit.Some(unit.FromPercent(min(max(e.Mean, 0), 100)))
				k.Margin = unit.Some(unit.FromPercent(e.Margin))
				k.Outside, k.Foreign = unit.Some[unit.Ratio](0), unit.Some[unit.Ratio](0)
				none := unit.Opt[unit.Ratio]{}
				k.Active, k.Stalled, k.Idle, k.BarrierStall = none, none, none, none // of whatever ran
				k.Threads, k.Counters = unit.Opt[int64]{}, nil
			}
		}
		list.Append(k)
	}
	return list
}
