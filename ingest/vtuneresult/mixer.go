package vtuneresult

import "occudiff/ingest"

// mixer fills a mix with the shares that launches have in samples.
// A sample is the mean of what ran in its time: each of them is one equation for the occupancies of the parts, which
// compare/launches solves.
type mixer struct {
	mix   *ingest.Mix
	parts [][3]int // of each task: first interval, middle, last interval; -1 where it has none
	edge  uint64   // ticks of an interval
}

// A kernel has parts when its launches last so many intervals on average; a shorter launch of it is all middle.
const (
	meanOfParts = 4
	allMiddle   = 3
)

// newMixer makes the unknowns of some launches, nil when they are too many.
func newMixer(t *tasks, launches []launch, edge uint64) *mixer {
	x := &mixer{mix: &ingest.Mix{Tasks: t.list}, parts: make([][3]int, len(t.list)), edge: edge}
	count, total := make([]uint64, len(t.list)), make([]uint64, len(t.list))
	for i := range launches {
		l := &launches[i]
		count[l.task]++
		total[l.task] += l.end - l.start
	}
	// How long each part runs in all. A part that never runs is no unknown.
	seconds := make([][3]float64, len(t.list))
	for task := range x.parts {
		// Begin and end of a launch differ from its middle (threads start, the last wave runs out), but of short ones
		// the samples cannot tell them apart.
		if total[task] < meanOfParts*edge*count[task] {
			x.parts[task][0] = -1
		}
	}
	for i := range launches {
		for part, p := range x.pieces(&launches[i]) {
			seconds[launches[i].task][part] += float64(p[1] - p[0])
		}
	}
	for task := range x.parts {
		for part, ticks := range seconds[task] {
			if x.parts[task][part] = -1; ticks > 0 {
				x.parts[task][part] = x.mix.AddPart(ingest.MixPart{Task: task, Seconds: ticks})
			}
		}
	}
	// The matrix of the least squares grows with the square of the parts.
	if len(x.mix.Parts) == 0 || len(x.mix.Parts) > ingest.MaxMixParts {
		return nil
	}
	return x
}

// pieces cuts a launch into its parts.
func (x *mixer) pieces(l *launch) [3][2]uint64 {
	if x.parts[l.task][0] < 0 || l.end-l.start < allMiddle*x.edge {
		return [3][2]uint64{{}, {l.start, l.end}, {}}
	}
	return [3][2]uint64{{l.start, l.start + x.edge}, {l.start + x.edge, l.end - x.edge}, {l.end - x.edge, l.end}}
}

// share takes the part of the next sample that a launch has.
func (x *mixer) share(l *launch, s *sample) {
	if x == nil {
		return
	}
	for part, p := range x.pieces(l) {
		if from, to := max(p[0], s.start), min(p[1], s.end); from < to {
			x.mix.Share(x.parts[l.task][part], float64(to-from)/float64(s.end-s.start))
		}
	}
}

func (x *mixer) take(s *sample) {
	if x != nil {
		x.mix.Take(s.values[occupancy])
	}
}
