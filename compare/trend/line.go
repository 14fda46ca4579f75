package trend

import (
	"math"
	"slices"

	"occudiff/compare/stat"
)

// line is a series on its way through a replay, on the scale of Gate.worse.
type line struct {
	points []Point
	next   int // the point that comes

	runs  []run   // of the level that holds now
	below []frame // while findings are open: the levels before, the first one first
	at    level   // of these, where it was measured: of no run before
	own   level   // the last one of enough runs: its spread is that of the series

	sd   float64 // that spread, shrunk
	list []Finding

	pairs, squares float64 // as of a run, with the newest one

	episodes []float64 // distances of runs of findings that were recovered: they may have been noise
	closed   int       // the finding that was closed last
	reopens  int       // up to which point one bad run opens it again

	alone float64 // chance of the newest run by itself
	above bool    // which is beyond the floor
}

// run is one of a line, with what was known when it came.
type run struct {
	u, z  float64 // value; distance from the level in spreads, NaN where there was none
	was   level   // before it
	point int     // index
	check int
	known bool // its distance is among those of all kernels

	pairs, squares float64 // of neighboring distances before it, the older ones counting less
}

func values(runs []run) (list []float64) {
	list = make([]float64, len(runs))
	for i := range runs {
		list[i] = runs[i].u
	}
	return list
}

// frame is a level with a finding on top of it.
type frame struct {
	runs    []run
	finding int
}

// judged reports whether there is a spread to judge by.
func (l *line) judged() bool { return l.own.n > 0 }

func (l *line) open() bool { return len(l.below) > 0 }

// level returns that of the newest runs.
func (r *replay) level(l *line) level {
	if l.at.n > 0 {
		return l.at
	}
	l.at = levelOf(values(l.runs[max(0, len(l.runs)-r.gate.Window):]), r.gate.finest())
	if n := r.gate.Learning; l.at.n >= n && !l.open() || l.at.n >= 2*n {
		l.own = l.at
	}
	return l.at
}

// push adds a run to the level.
func (r *replay) push(l *line, u run) {
	at := r.level(l)
	if l.judged() {
		l.sd = l.own.shrunk(r.prior)
	}
	u.z, at.spread = math.NaN(), l.sd // 0 as long as it is unknown it
	if at.n > 0 && at.spread > 0 {
		u.z = at.distance(u.u - at.at)
	}
	u.was, u.pairs, u.squares = at, l.pairs, l.squares
	l.set(append(l.runs, u))
}

// set puts other runs in the place of those that a line has.
func (l *line) set(runs []run) { l.runs, l.at = runs, level{} }

// rebase lets the last m runs be a level of their own, and gives those before.
func (r *replay) rebase(l *line, m int) (before []run) {
	from := len(l.runs) - m
	before, after := slices.Clone(l.runs[:from]), l.runs[from:]
	l.set(nil)
	for _, u := range after {
		if u.known {
			r.noise.add(u.check, u.z, -1)
		}
		u.known = false
		r.push(l, u)
	}
	return before
}

// rho returns the autocorrelation of a line: that of all, or its own of the
// runs before a window where that is larger by more than half a standard error.
func (r *replay) rho(before run) float64 {
	rho := r.noise.rho
	if before.squares > 0 {
		rho = max(rho, before.pairs/before.squares-0.5/math.Sqrt(before.squares))
	}
	if rho < 0.1 {
		return 0
	}
	return min(rho, 0.95)
}

// beyond returns the share of runs that lie as far off as z or farther: that of
// all kernels, or of the kernel's own distances where that is larger.
func (r *replay) beyond(l *line, z float64, s side, before []run) float64 {
	n, beyond := 0.0, 0.0
	see := func(y float64) {
		if !math.IsNaN(y) {
			n++
			beyond += float64(count(sideOf(y) == s && math.Abs(y) >= min(z, far)))
		}
	}
	for _, y := range l.episodes {
		see(y)
	}
	for _, u := range before[max(0, len(before)-memory):] {
		see(u.z)
	}
	all := r.noise.beyond(z, s, l.runs[len(before):])
	return max(all, (ownWeight*all+beyond)/(ownWeight+n))
}

// window returns the chance that the last m runs lie as far off as they do, all
// of them, and how far they lie off in the median. Above the bar the chance
// need not be right.
func (r *replay) window(l *line, m int, s side, bar float64) (chance, shift float64) {
	from := len(l.runs) - m
	if from < 1 || l.runs[from].was.spread == 0 {
		return 1, 0
	}
	base, sign := l.runs[from].was, 1.0
	if s == good {
		sign = -1
	}
	least := math.Inf(1)
	for _, u := range l.runs[from:] {
		least = min(least, sign*(u.u-base.at))
	}
	z := base.distance(least)
	if z <= 0 {
		return 1, 0
	}
	if m > 1 { // several runs far off would be as good as impossible, and it is unknown tails that well
		z = min(z, far)
	}
	n := severityOf(m, base.n, r.rho(l.runs[from]))
	if chance = math.Pow(r.noise.beyond(z, s, l.runs[from:]), n); chance >= bar {
		return chance, 0
	}
	off := values(l.runs[from:])
	for i, u := range off {
		off[i] = sign * (u - base.at)
	}
	shift, _ = stat.Median(off)
	return math.Pow(r.beyond(l, z, s, l.runs[:from]), n), shift
}

const (
	// normalMAD makes a MAD estimate the standard deviation of normal values.
	normalMAD = 1.4826
	// bend is where the location's weights fall off (Huber), in standard
	// deviations; 95 % efficient for normal values.
	bend = 1.345
	// locationLoss is the variance of that location over the variance of a
	// mean, with room for its one step.
	locationLoss = 1.1
	// winsor is where distances are cut before they are squared, kept the mean
	// of such squares for normal values.
	winsor, kept = 2.5, 0.9776
	// efficiency is how many degrees of freedom a winsorized variance is worth,
	// of those that it has.
	efficiency = 0.85
)

// level is where the values of a window lie and how far they scatter: a
// one-step Huber location and a winsorized standard deviation, both from the
// median and the MAD (Huber and Ronchetti, Robust Statistics, sections 5.3 and
// 6.7).
type level struct {
	at, spread float64
	n          int
}

// levelOf measures a window. least bounds the spread from below.
func levelOf(values []float64, least float64) level {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	median, mad, ok := stat.MedianMADSorted(sorted)
	if !ok {
		return level{}
	}
	rough := max(normalMAD*mad, least)
	sum, inside := 0.0, 0.0
	for _, v := range values {
		z := (v - median) / rough
		sum += clip(z, bend)
		if math.Abs(z) <= bend {
			inside++
		}
	}
	at := median + rough*sum/max(inside, 1)
	squares := 0.0
	for _, v := range values {
		z := clip((v-at)/rough, winsor)
		squares += z * z
	}
	n := float64(len(values))
	spread := rough * math.Sqrt(squares/max(n-1, 1)/kept)
	return level{at, max(spread, least), len(values)}
}

// VarianceOf returns the variance of values that one series has, and its
// degrees of freedom, as the gate sees it: outliers count little, and no spread
// is below what a printed digit hides.
func VarianceOf(values []float64) stat.Variance {
	return levelOf(values, PointsGate().finest()).variance()
}

// variance returns that of the spread, and how many degrees of freedom it is
// worth.
func (l level) variance() stat.Variance {
	return stat.Variance{Value: l.spread * l.spread, Freedom: max(1, efficiency*float64(l.n-1))}
}

// shrunk returns the standard deviation with what the other kernels say of it.
func (l level) shrunk(p stat.Prior) float64 {
	v, _ := p.Shrink(l.variance())
	return math.Sqrt(v)
}

// distance returns how far a value lies off the level, in spreads: the level of
// few runs is not known well itself.
func (l level) distance(off float64) float64 {
	return off / l.spread / math.Sqrt(1+locationLoss/float64(l.n))
}

func clip(x, at float64) float64 { return max(-at, min(at, x)) }
