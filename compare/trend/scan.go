package trend

import (
	"math"
	"slices"

	"occudiff/compare/stat"
)

// noise adds what the newest run of a line says of the noise, and holds it against what was seen before.
func (r *replay) noise(l *line, m *moment) {
	n := len(l.z)
	z := l.z[n-1]
	if math.IsNaN(z) {
		return
	}
	if m == nil { // what the series share
		l.alarm = z > r.unheard(&line{z: l.z[:n-1]}) && (z*l.sd-r.gate.floor()) > rounding
		return
	}
	l.alarm = z > r.limitOfOne && (z*l.sd-r.gate.floor()) > rounding
	m.tails.add(z, 1)
	if n > 1 && min(math.Abs(z), math.Abs(l.z[n-2])) < far { // two runs far off are a drop, and not autocorrelation
		z, y := clip(z, 3), clip(l.z[n-2], 3)
		m.pairs += z * y
		m.squares += (z*z + y*y) / 2
	}
}

// unheard gives a distance that one run in a hundred reaches at most, by chance and in any of the series. Where the
// tails are no heavier than those of Student's t with 3 degrees of freedom, the farthest of n runs is exceeded in 100/n
// times as few cases at its (100/n)^(1/3)-fold.
func (r *replay) unheard(of ...*line) float64 {
	farthest, most := 3.0, 1 // nothing much, before anything was seen
	for _, l := range of {
		n := 1
		for _, z := range l.z[max(0, len(l.z)-late-memory):max(0, len(l.z)-late)] {
			if !math.IsNaN(z) {
				farthest = max(farthest, z)
				n++
			}
		}
		most = max(most, n)
	}
	return farthest * max(1.25, math.Cbrt(1/(r.gate.Budget*float64(most))))
}

// remember adds a check to what is known of the noise.
func (r *replay) remember(m moment) {
	r.recent = append(r.recent, m)
	if n := len(r.recent); n > late {
		r.before.merge(&r.recent[n-1-late].tails, 1)
	}
	if len(r.recent) > memory {
		r.before.merge(&r.recent[0].tails, -1)
		r.recent = r.recent[1:]
	}
	r.chances = nil
	pairs, squares := 0.0, 0.0
	for _, m := range r.recent {
		pairs += m.pairs
		squares += m.squares
	}
	r.rho = min(pairs/(squares+unrelated), 0.9)
	if r.rho < 0.1 {
		r.rho = 0
	}
}

// wide gives how much wider sums of n runs scatter than those of independent ones, as a ratio of variances.
func (r *replay) wide(n int) float64 {
	if r.rho == 0 {
		return 1
	}
	sum, power := 1.0, 1.0
	for j := 1; j < n; j++ {
		power *= r.rho
		sum += 2 * (1 - float64(j)/float64(n)) * power
	}
	return sum
}

// suspicious is the score below which nothing is worth the computation.
const suspicious = 2.5

// scan looks for a finding that ends with the newest run.
func (r *replay) scan(l *line, index int, alpha float64) bool {
	for k, n := range lengths {
		w, ok := l.windowOf(n, r.wide, 0)
		if !ok || math.Abs(w.score) < suspicious {
			continue
		}
		level := alpha
		if w.score < 0 {
			level *= better
		}
		p := r.chance(l, k, n, w.score > 0, level)
		if p >= level {
			continue
		}
		if w.score < 0 {
			l.improve(r.gate, n, r.scratch)
			return false
		}
		if r.found(l, index, p) {
			return true
		}
	}
	return false
}

// improve begins a baseline where a lasting improvement does.
func (l *line) improve(g Gate, n int, scratch []float64) {
	from := len(l.base) - n
	var off []float64
	for _, u := range l.base[from:] {
		off = append(off, l.was[from].at-u)
	}
	if shift, _ := stat.Median(off); shift > g.floor() {
		l.begin(g, n, scratch)
	}
}

// chance gives how likely the last n runs of a line are by chance: for the tails of all series, and for those of this
// one, as far as they are known. The larger one counts; above the level it need not be right.
func (r *replay) chance(l *line, k, n int, worse bool, level float64) float64 {
	of := func(c *chances) float64 {
		w, _ := l.windowOf(n, r.wide, c.mean)
		if worse {
			return c.chance(k, w.sum)
		}
		return 1 - c.chance(k, w.sum+grain)
	}
	p := 0.0
	mix := r.start
	if l != &r.common {
		if r.chances == nil {
			r.chances = r.before.chances(r.fft, lengths[:])
		}
		if p = of(r.chances); p >= level {
			return p
		}
		mix = tails{}
		mix.merge(&r.before, pseudo/r.before.count())
	}
	w, _ := l.windowOf(n, r.wide, 0)
	from := len(l.base) - n
	for _, u := range append(l.base[max(0, from-memory):from:from], l.episodes...) {
		mix.add((u-w.base.at)/w.base.spread, 1)
	}
	return max(p, of(mix.chances(r.fft, lengths[:k+1])))
}

// found opens a finding when it is large enough.
func (r *replay) found(l *line, index int, p float64) bool {
	w := l.first(r.wide, 0)
	from := len(l.base) - w.n
	var off []float64
	for _, u := range l.base[from:] {
		off = append(off, u-w.base.at)
	}
	shift, _ := stat.Median(off)
	if shift-r.gate.floor() <= rounding {
		return false
	}
	f := Finding{First: l.index[from], Opened: index, Closed: -1, Level: w.base.at, Spread: w.base.spread, Shift: shift,
		P: p}
	l.list = append(l.list, f)
	l.off, l.offAt = slices.Clone(l.base[from:]), slices.Clone(l.index[from:])
	l.cut(w.n)
	l.open = &l.list[len(l.list)-1]
	return true
}

// sure is the logarithm of how much likelier the level before must have become than the one after, to close a finding.
const sure = 3.9

// recover closes a finding when the runs say that the level before is back: a sequential probability ratio test (Wald
// 1945), which a large drop that is mended passes with one run.
func (r *replay) recover(l *line, u float64, index int) {
	f := l.open
	l.off, l.offAt = append(l.off, u), append(l.offAt, index)
	sum := 0.0
	for i, u := range slices.Backward(l.off) {
		if l.offAt[i] <= f.Opened {
			return
		}
		sum += clip((f.Level+f.Shift/2-u)/f.Spread, far) * f.Shift / f.Spread / r.wide(4)
		if sum < sure {
			continue
		}
		back, at := l.off[i:], l.offAt[i:]
		l.episodes = append(l.episodes, l.off[:i]...)
		l.episodes = l.episodes[max(0, len(l.episodes)-memory/4):]
		l.close(index)
		for i, u := range back {
			l.push(u, at[i], l.now(r.gate, r.scratch))
		}
		return
	}
}
