package trend

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
	"occudiff/compare/stat"
)

// line is a series in a replay. Its values are on the scale that Gate.worse
// returns.
type line struct {
	points []Point
	next   int // the next point to judge

	runs  []run   // runs at the current level
	below []frame // levels before the open findings, in the order of the findings
	past  []run   // noise runs: all runs whose distance is known, at any level
	own   level   // last measured level, which contains the spread of the series
	sd    float64 // own.spread, shrunk toward the spreads of the other series; 0 if unknown
	list  []Finding
	noise int     // point after the last run that was accepted as noise
	sum   float64 // sum of the last runs' distances above the midpoint between both levels, in spreads
}

// run is a run of a line, with the level before the run.
type run struct {
	u, z  float64 // u is the value; z is its distance from the level, in spreads
	was   level   // the level before the run; its spread is 0 if the run cannot be judged
	point int     // index of the point
	check int
}

// off returns the distance of the run from the level before it.
func (u run) off() float64 { return u.u - u.was.at }

func values(runs []run) []float64 {
	list := make([]float64, len(runs))
	for i := range runs {
		list[i] = runs[i].u
	}
	return list
}

// last returns the last n runs.
func last(runs []run, n int) []run { return runs[max(0, len(runs)-n):] }

// frame is the level below an open finding.
type frame struct {
	runs    []run
	finding int
}

func (l *line) open() bool { return len(l.below) > 0 }

// measure returns the level of the newest runs. If there are enough runs, it
// also updates the spread of the series. With fewer runs, the spread from
// before the accepted level or drop applies.
func (r *replay) measure(l *line) level {
	at := levelOf(values(last(l.runs, r.gate.Window)), r.gate.leastSpread())
	if at.n >= r.gate.Learning && !l.open() || at.n >= settled {
		l.own = at
	}
	return at
}

// push adds a run to the current level.
func (r *replay) push(l *line, u run) {
	at := r.measure(l)
	if l.own.n > 0 {
		prior := r.prior
		if l.own.n < settled && prior == (stat.Prior{}) {
			prior = r.gate.firstPrior()
		}
		l.sd = l.own.shrunk(prior)
	}
	u.was = level{at: at.at, n: at.n}
	if at.n > 0 && l.sd > 0 {
		u.was.spread = l.sd
		u.z = u.was.distance(u.off())
		l.past = last(append(l.past, u), memory+lengths[len(lengths)-1])
	}
	l.runs = append(l.runs, u)
}

// rebase makes the last m runs a separate level, and returns the runs before
// them.
func (r *replay) rebase(l *line, m int) (before []run) {
	from := len(l.runs) - m
	before, after := slices.Clone(l.runs[:from]), l.runs[from:]
	l.runs, l.past = nil, l.before(after[0].check)
	for _, u := range after {
		r.push(l, u)
	}
	return before
}

// before returns a line's noise runs before a check.
func (l *line) before(check int) []run {
	n := len(l.past)
	for n > 0 && l.past[n-1].check >= check {
		n--
	}
	return l.past[:n]
}

// known returns a line's noise runs before its last m runs.
func (l *line) known(m int) []run {
	return last(l.before(l.runs[len(l.runs)-m].check), memory)
}

// student is the assumed distribution of distances for a kernel without runs.
// It is Student's t with 4 degrees of freedom, scaled so that its median
// absolute deviation equals the normal distribution's.
var student = distuv.StudentsT{Sigma: 0.94, Nu: 4}

// shares contains, for each distance, the share of all kernels' runs that are
// at least that far off. Distances are in steps of 2%, up to 80 spreads.
type shares [220]float64

func stepOf(z float64) int { return min(len(shares{})-1, int(math.Log1p(max(z, 0))/0.02)) }

// measureTail measures the distribution of the distances of all kernels, and
// the median of their autocorrelations. A kernel that is often far off affects
// only its own distribution. The last runs do not count, because a drop in them
// would otherwise make itself look normal.
func (r *replay) measureTail(here []*line) {
	counts, n := shares{}, assumed
	var rho []float64
	for _, l := range here {
		known := last(l.before(len(r.checks)-latest), memory)
		off := 0.0
		for _, u := range known {
			off += float64(count(u.z >= eventSpreads))
		}
		if rho = append(rho, correlation(known, 1)); off > 1 && off >= ownShare*float64(len(known)) {
			continue
		}
		for _, u := range known {
			counts[stepOf(u.z)]++
		}
		n += float64(len(known))
	}
	sum := 0.0
	for i := len(counts) - 1; i >= 0; i-- {
		sum += counts[i]
		r.tail[i] = sum / n
	}
	r.rho, _ = stat.Median(rho)
}

// beyond returns the share of a kernel's runs that are at least as far off as
// z. It counts the kernel's own runs and some assumed runs that represent all
// kernels. Own runs that are far off, and nearly as far as z, also count,
// because they show a second mode. For example, runs at 14 spreads count for a
// z of 20.
func (r *replay) beyond(known []run, z float64) float64 {
	sum := assumed * max(r.tail[stepOf(z)], student.CDF(-z))
	about := min(z, max(eventSpreads, alike*z))
	for _, u := range known {
		sum += float64(count(u.z >= about))
	}
	return sum / (assumed + float64(len(known)))
}

// correlation returns the autocorrelation between neighboring runs of a kernel,
// minus a part of its standard error. It assumes some uncorrelated pairs in
// addition to the real pairs.
func correlation(known []run, pairs float64) float64 {
	products, squares := 0.0, pairs
	for i := 1; i < len(known); i++ {
		a, b := clip(known[i-1].z, 3), clip(known[i].z, 3)
		products, squares = products+a*b, squares+(a*a+b*b)/2
	}
	rho := products/squares - pairs/8/math.Sqrt(squares)
	if rho < 0.1 {
		return 0
	}
	return min(rho, 0.95)
}

// independentRuns returns the number of independent runs that prove as much as
// m runs. The number is smaller than m for three reasons: neighboring runs are
// correlated (rho), all m runs are compared with the same level, which is based
// on n runs, and runs share hosts and days. For example, 10 runs after 40 runs
// are worth about 5.
func independentRuns(m, n int, rho float64) float64 {
	a := (1 + rho) / (1 - rho)
	runs := 1 + float64(m-1)/a
	common := max(sharedPart, locationLoss*a/(float64(n)+locationLoss*a))
	return runs / (1 + (runs-1)*common)
}

// window describes a line's last m runs.
type window struct {
	base   level
	chance float64 // probability that noise makes all of these runs at least as far off
	least  float64 // smallest distance of these runs from the previous level
	shift  float64 // median distance of these runs
}

// window returns the result for the last m runs of a line. sign is -1 in a
// search for an improvement. If the chance is at least bar, it need not be
// exact.
func (r *replay) window(l *line, m int, sign, bar float64) window {
	w := window{chance: 1, least: math.Inf(1)}
	from := len(l.runs) - m
	if from < 1 || l.runs[from].was.spread == 0 || l.runs[from].point < l.noise {
		return w
	}
	w.base = l.runs[from].was
	off := values(l.runs[from:])
	for i, u := range off {
		off[i] = sign * (u - w.base.at)
		w.least = min(w.least, off[i])
	}
	z := w.base.distance(w.least)
	if z <= 0 {
		return w
	}
	w.shift, _ = stat.Median(off)
	if w.chance = math.Pow(student.CDF(-z), independentRuns(m, w.base.n, 0)); w.chance < bar {
		known := l.known(m)
		// Even if the kernel's known runs are quiet, several consecutive bad
		// runs do not become less likely than for other kernels, because the
		// known runs may lack bursts and hosts.
		rho := max(r.rho, min(correlation(known, 4), mostOwn))
		w.chance = math.Pow(max(student.CDF(-z), r.beyond(known, z)), independentRuns(m, w.base.n, rho))
	}
	return w
}

// newModes returns the expected number of kernels that show a second mode for
// the first time in m runs, after n runs without it. The number matters because
// among many new kernels, some have a second mode.
func (r *replay) newModes(n, m int) float64 {
	persist := math.Pow(modeStay, float64(m-lengths[0]))
	return modeShare * float64(r.kernels()) * math.Pow(1-modeStart, float64(n)) * persist
}

const (
	// normalMAD converts a MAD to a standard deviation, for normally
	// distributed values.
	normalMAD = 1.4826
	// bend is the distance at which the weights of the location start to
	// decrease (Huber), in standard deviations. With this value, the estimate
	// has an efficiency of 95% for normal values.
	bend = 1.345
	// locationLoss is the variance of the location divided by the variance of a
	// mean. It includes a margin, because the estimate has only one step.
	locationLoss = 1.1
	// winsor is the limit at which distances are clipped before they are
	// squared. kept is the mean of the clipped squares for normal values.
	winsor, kept = 2.5, 0.9776
	// efficiency is the factor by which clipping reduces the degrees of freedom
	// of a variance.
	efficiency = 0.85
)

// level is the location and spread of a window: a one-step Huber location and a
// winsorized standard deviation. Both computations start with the median and
// the MAD (Huber and Ronchetti, Robust Statistics, sections 5.3 and 6.7).
type level struct {
	at, spread float64
	n          int
}

// levelOf returns the level of a window. The spread is at least least.
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

// VarianceOf returns the variance of one series and its degrees of freedom, as
// the gate computes them: outliers count little, and the spread is at least the
// rounding error of a printed digit.
func VarianceOf(values []float64) stat.Variance {
	return levelOf(values, PointsGate().finest()).variance()
}

// variance returns the squared spread and its degrees of freedom.
func (l level) variance() stat.Variance {
	return stat.Variance{Value: l.spread * l.spread, Freedom: max(1, efficiency*float64(l.n-1))}
}

// shrunk returns the spread, shrunk toward the spreads of the other kernels.
func (l level) shrunk(p stat.Prior) float64 {
	v, _ := p.Shrink(l.variance())
	return math.Sqrt(v)
}

// distance returns the distance of a value from the level, in spreads. If the
// level has few runs, the distance is smaller, because the level is then
// uncertain.
func (l level) distance(off float64) float64 {
	return off / l.spread / math.Sqrt(1+locationLoss/float64(l.n))
}

func clip(x, at float64) float64 { return max(-at, min(at, x)) }
