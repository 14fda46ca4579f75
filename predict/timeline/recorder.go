package timeline

import (
	"fmt"

	"occudiff/ingest/unit"
)

// maxPhases bounds the memory of a result, 128 MiB. A launch stays far below it unless it has tens of millions of
// work-groups.
const maxPhases = 1 << 22

// errPhases says that a launch has more phases than a result may hold.
func errPhases() error {
	return fmt.Errorf("the launch has more than %d phases; simulate fewer work-groups, since the phases repeat",
		maxPhases)
}

// recorder turns a sequence of resident thread counts into phases.
type recorder struct {
	slots  int64
	phases []Phase
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
		r.phases = append(r.phases, Phase{threads, unit.Ratio(float64(threads) / float64(r.slots)), start, end})
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
