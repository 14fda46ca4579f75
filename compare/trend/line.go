package trend

import "math"

// line is a series on its way through a replay.
type line struct {
	points []Point
	next   int // the point that comes

	// The runs of the baseline and of the window that may become a finding, on the scale of Gate.worse and without what
	// all series share. What is known of each when it came stands beside it.
	base  []float64
	index []int // in points
	was   []level
	z     []float64 // distance from the baseline in spreads, NaN where there was none

	at       level // of the newest runs of the baseline, where measured says so
	measured bool
	own      level   // of the last window that was long enough
	alarm    bool    // the newest run is farther off than any before
	sd       float64 // its spread, shrunk
	open     *Finding
	off      []float64 // while open: the runs since
	offAt    []int
	list     []Finding
	episodes []float64 // runs of findings that were mended: they may have been noise
}

// level gives that of the newest runs of the baseline.
func (l *line) level(g Gate, scratch []float64) level {
	if !l.measured {
		l.at, l.measured = levelOf(l.base[max(0, len(l.base)-g.Window):], g.finest(), scratch), true
	}
	return l.at
}

// now gives the level as level does, and takes its spread for that of the line.
func (l *line) now(g Gate, scratch []float64) level {
	at := l.level(g, scratch)
	if at.n >= g.Learning {
		l.own = at
	}
	return at
}

// judged says whether there is a spread to judge by.
func (l *line) judged() bool { return l.own.n > 0 }

// push adds a run to the baseline.
func (l *line) push(u float64, index int, at level) {
	z := math.NaN()
	if l.judged() && at.n > 0 {
		z = (u - at.at) / l.sd
	}
	at.spread, l.measured = l.sd, false
	l.base, l.index = append(l.base, u), append(l.index, index)
	l.was, l.z = append(l.was, at), append(l.z, z)
}

// cut drops the last n runs of the baseline.
func (l *line) cut(n int) {
	keep := len(l.base) - n
	l.base, l.index, l.was, l.z, l.measured = l.base[:keep], l.index[:keep], l.was[:keep], l.z[:keep], false
}

// begin lets a new baseline begin with the last n runs.
func (l *line) begin(g Gate, n int, scratch []float64) {
	from := len(l.base) - n
	base, index := append([]float64(nil), l.base[from:]...), append([]int(nil), l.index[from:]...)
	l.cut(len(l.base))
	l.episodes = nil
	for i, u := range base {
		l.push(u, index[i], l.now(g, scratch))
	}
}

// window is the evidence of the last runs of a line.
type window struct {
	n     int     // runs
	sum   float64 // of cut distances, corrected for what is not known of the baseline
	score float64 // in standard deviations, if they were normal
	base  level
}

// windowOf looks at the last n runs; false when there is no baseline before them.
func (l *line) windowOf(n int, wide func(int) float64, mean float64) (window, bool) {
	from := len(l.base) - n
	if from < 0 {
		return window{}, false
	}
	base := l.was[from]
	if base.n < n || base.spread == 0 {
		return window{}, false
	}
	sum := 0.0
	for _, u := range l.base[from:] {
		sum += clip((u-base.at)/base.spread, far)
	}
	length := float64(n)
	loose := wide(n) + locationLoss*length/float64(base.n)*wide(base.n)
	drift := length * mean
	w := window{n: n, base: base, sum: (sum-drift)/math.Sqrt(loose) + drift}
	w.score = (w.sum - drift) / math.Sqrt(length)
	return w, true
}

// first gives how many runs a finding lasts: where the evidence is largest.
func (l *line) first(wide func(int) float64, mean float64) (best window) {
	for n := 1; n <= lengths[len(lengths)-1]; n++ {
		if w, ok := l.windowOf(n, wide, mean); ok && (best.n == 0 || w.score > best.score) {
			best = w
		}
	}
	return best
}
