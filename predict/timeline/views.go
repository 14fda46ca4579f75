package timeline

import (
	"cmp"
	"slices"

	"occudiff/ingest/unit"
)

// Level is how long a launch had a certain number of threads resident, over all its phases.
type Level struct {
	Threads   int64
	Occupancy unit.Ratio
	Time      unit.Seconds
	Phases    int
}

// Levels sums the phases up by their number of threads, the one with the most time first. A launch that alternates between two
// counts thousands of times has thousands of phases, but two levels.
func (r Result) Levels() []Level {
	at := map[int64]int{}
	var levels []Level
	for _, p := range r.Phases {
		i, ok := at[p.Threads]
		if !ok {
			i = len(levels)
			at[p.Threads] = i
			levels = append(levels, Level{Threads: p.Threads, Occupancy: p.Occupancy})
		}
		levels[i].Time += p.End - p.Start
		levels[i].Phases++
	}
	slices.SortStableFunc(levels, func(a, b Level) int { return cmp.Compare(b.Time, a.Time) })
	return levels
}

// Sampled gives the mean occupancy of n spans of equal length, for a plot that cannot draw every phase. It is nil when n is
// below 1 or nothing was simulated.
func (r Result) Sampled(n int) []unit.Ratio {
	if n < 1 || r.Time <= 0 {
		return nil
	}
	means := make([]unit.Ratio, n)
	width := float64(r.Time) / float64(n)
	span := 0
	for _, p := range r.Phases {
		// A phase adds to every span that it overlaps; both lists rise, so that each span is met from where the last
		// phase left it.
		for ; span < n; span++ {
			from, to := max(float64(p.Start), float64(span)*width), min(float64(p.End), float64(span+1)*width)
			if to > from {
				means[span] += unit.Ratio(float64(p.Occupancy) * (to - from) / width)
			}
			if float64(span+1)*width > float64(p.End) {
				break // the next phase begins in this span
			}
		}
	}
	return means
}
