package ingest

import (
	"math"

	"occudiff/ingest/unit"
)

// Field is a value of a Kernel, as far as joining files, messages and digests know of it.
type Field struct {
	Name   string // in messages; "" of a value that two files may have differently without a word
	Static bool   // the same in all launches: files of any two kinds should agree on it
	// fill sets what a kernel lacks, and says whether both have it with different values.
	fill func(to, from *Kernel) (differ bool)
	bits func(k *Kernel) (v uint64, present bool)
}

func value[T ~int | ~int64 | ~float64](name string, of func(*Kernel) *unit.Opt[T]) Field {
	return Field{Name: name, fill: func(to, from *Kernel) bool {
		a, b := of(to), of(from)
		if !a.Present() {
			*a = *b
		}
		return b.Present() && *a != *b
	}, bits: func(k *Kernel) (uint64, bool) {
		v, ok := of(k).Value()
		return math.Float64bits(float64(v)), ok
	}}
}

// static marks a value that all launches of a kernel share.
func (f Field) static() Field {
	f.Static = true
	return f
}

// unsaid is for what comes from one reading of counters and has no name of its own.
const unsaid = ""

// kernelFields are the optional values of a Kernel that its key does not have; a test finds one that is missing. The mean
// time has a rule of its own, see joinMean.
var kernelFields = []Field{
	value("instance count", func(k *Kernel) *unit.Opt[int64] { return &k.Instances }),
	value("total time", func(k *Kernel) *unit.Opt[unit.Seconds] { return &k.Total }),
	value("measured occupancy", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.Measured }),
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.Printed }),
	value("active", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.Active }),
	value("stalled", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.Stalled }),
	value("idle", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.Idle }),
	value("barrier stalls", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.BarrierStall }),
	value("threads started", func(k *Kernel) *unit.Opt[int64] { return &k.Threads }),
	value("GPU barriers", func(k *Kernel) *unit.Opt[int64] { return &k.Barriers }),
	value("peak occupancy", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.Peak }).static(),
	value("work size limit", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.PeakWork }).static(),
	value("SLM limit", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.PeakSLM }).static(),
	value("barriers limit", func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.PeakBarrier }).static(),
	value("spill", func(k *Kernel) *unit.Opt[unit.Bytes] { return &k.Spill }).static(),
	value("SLM per work-group", func(k *Kernel) *unit.Opt[unit.Bytes] { return &k.SLM }).static(),
	value("registers per thread", func(k *Kernel) *unit.Opt[int] { return &k.Registers }).static(),
}

// how are the values that say how counters were read, or how sure one is. They go with what they are of, and are joined
// by themselves with none.
var how = []Field{
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Seconds] { return &k.Mean }),
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.MeasuredLow }),
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.MeasuredHigh }),
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.IdleLow }),
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Ratio] { return &k.IdleHigh }),
	value(unsaid, func(k *Kernel) *unit.Opt[unit.Seconds] { return &k.Interval }),
	value(unsaid, func(k *Kernel) *unit.Opt[float64] { return &k.CounterTimeRatio }),
}
