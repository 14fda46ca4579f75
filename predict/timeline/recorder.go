package timeline

import "occudiff/ingest/unit"

// maxTicks bounds the time and memory of a simulation: 128 MiB when every tick is a phase. A launch stays far below it
// unless it has tens of millions of work-groups.
const maxTicks = 1 << 22

// recorder turns a sequence of resident thread counts into phases.
type recorder struct {
	slots  int64
	phases []Phase
	// Xe-cores x ticks with a thread, and the most Xe-cores with one, of Partial.
	used, most int64
}

// add appends a span that ends at a tick. Spans of no length are dropped, and a span with the threads of the last one
// prolongs it.
func (r *recorder) add(threads, tick int64) { r.addUntil(threads, float64(tick)) }

func (r *recorder) addUntil(threads int64, end float64) {
	start := 0.0
	if n := len(r.phases); n > 0 {
		last := &r.phases[n-1]
		start = last.End
		if end > start && last.Threads == threads {
			last.End = end
			return
		}
	}
	if end > start {
		r.phases = append(r.phases, Phase{start, end, threads, unit.Ratio(float64(threads) / float64(r.slots))})
	}
}

// waves records full waves of threads and a tail of one more tick.
func (r *recorder) waves(full, threads, tail int64) {
	r.add(threads, full)
	if tail > 0 {
		r.add(tail, full+1)
	}
}

// result closes the recording.
func (r *recorder) result(p Policy) Result {
	out := Result{Policy: p, Slots: r.slots, Phases: r.phases}
	var busy float64 // sum of threads x time
	for _, ph := range r.phases {
		out.Peak = max(out.Peak, ph.Occupancy)
		busy += float64(ph.Threads) * (ph.End - ph.Start)
		out.Time = ph.End
	}
	out.Average = unit.Ratio(busy / (float64(r.slots) * out.Time))
	if len(r.phases) == 1 { // no rounding where there is nothing to average
		out.Average = out.Peak
	}
	return out
}
