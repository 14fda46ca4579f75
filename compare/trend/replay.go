package trend

import (
	"fmt"
	"math"
	"slices"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Replay is the gate's result for every run in some series. Each run is judged
// from the runs up to it.
type Replay struct {
	Series []Judged
	Checks []Check // one check per run
}

// Check is one run of a replay.
type Check struct {
	Judged bool // at least one series could be judged
	Opened bool // the check opened a finding
	Failed bool // a finding is open after the check
}

// Judged is one series in a replay.
type Judged struct {
	Verdict  Verdict   // verdict on the newest run
	Findings []Finding // in the order in which they were opened
}

const (
	// settled is the number of runs after which the spread of a kernel needs no
	// assumption.
	settled = 8
	// memory is the number of earlier runs that count as noise of a kernel.
	// assumed is the weight of the assumed noise, in runs.
	memory, assumed = 60, 12.0
	// mostBad is the largest number of runs that are searched backward for the
	// first bad run.
	mostBad = 15
	// An improvement must persist for hold runs before it becomes the level.
	// better is the ratio of the largest chance of an improvement to the chance
	// of a finding.
	hold, better = 8, 0.1
	// recovered is the sum of distances above the midpoint between both levels
	// at which a finding closes, in spreads.
	recovered = 3.0
	// A run in which at least eventShare of the kernels are eventSpreads off is
	// one event. Such a run does not count as noise of the kernels.
	eventShare, eventSpreads = 0.33, 4.0
	// ownShare is the share of runs at 4 spreads or more from which a kernel
	// does not inform other kernels. mostOwn is the largest autocorrelation
	// that is assumed for one kernel, because 60 runs with a shift overstate
	// it.
	ownShare, mostOwn = 0.08, 0.4
	// latest is the number of last checks that do not count for the common tail
	// and that determine the number of kernels. The largest number of these
	// checks counts, because a run may measure only some kernels again.
	latest = 3
	// sharedPart is the part of the variance that consecutive runs share,
	// because they have the same host and day.
	sharedPart = 0.1
	// modeShare is the share of kernels that may have two modes. modeStart is
	// the probability that a run shows the second mode for the first time, and
	// modeStay is the probability that it persists for another run.
	modeShare, modeStart, modeStay = 0.05, 0.12, 0.8
	// An earlier run counts as alike if it is at least this part of a distance
	// off.
	alike = 0.65
)

// lengths contains the lengths of the judged windows, in runs. It has no 1,
// because a single run proves nothing.
var lengths = [...]int{2, 3, 4, 6, 10}

// Replay returns the gate's result for series that are judged together, run by
// run.
func (g Gate) Replay(series [][]Point) (*Replay, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	for i, points := range series {
		if err := checkValues(valuesOf(points)); err != nil {
			return nil, fmt.Errorf("series %d: %w", i, err)
		}
	}
	return g.replay(series), nil
}

// replay is the state of a replay.
type replay struct {
	gate   Gate
	lines  []*line
	checks []Check
	prior  stat.Prior // prior from the spreads of all kernels
	sizes  []int      // number of kernels, by check
	tail   shares     // distribution of the distances of all kernels
	rho    float64    // median autocorrelation of the kernels
}

func (g Gate) replay(series [][]Point) *Replay {
	r := &replay{gate: g}
	for _, points := range series {
		r.lines = append(r.lines, &line{points: points})
	}
	for run, ok := r.nextRun(); ok; run, ok = r.nextRun() {
		r.checks = append(r.checks, r.step(run))
	}
	out := &Replay{Checks: r.checks}
	for _, l := range r.lines {
		v := r.verdict(l)
		for i, f := range l.list {
			l.list[i] = g.printed(f)
		}
		out.Series = append(out.Series, Judged{v, l.list})
	}
	return out
}

// nextRun returns the number of the next run.
func (r *replay) nextRun() (run int, ok bool) {
	for _, l := range r.lines {
		if l.next < len(l.points) && (!ok || l.points[l.next].Run < run) {
			run, ok = l.points[l.next].Run, true
		}
	}
	return run, ok
}

// step judges one run.
func (r *replay) step(run int) (c Check) {
	var here []*line
	for _, l := range r.lines {
		if l.next < len(l.points) && l.points[l.next].Run == run {
			here = append(here, l)
		}
	}
	r.learn(here)
	if !r.gate.Exact {
		r.advance(here)
	}
	for _, l := range here {
		p, opened := l.points[l.next], false
		switch {
		case r.gate.Exact:
			if p.Restart {
				l.accept()
			}
			opened = r.exact(l, r.gate.worse(p.Value))
		case l.sd > 0:
			r.recover(l)
			opened = r.scan(l)
			if p.Noise {
				r.acceptNoise(l)
			}
		}
		c.Judged = c.Judged || l.sd > 0 || r.gate.Exact && l.next > 0
		c.Opened = c.Opened || opened
		l.next++
	}
	c.Failed = slices.ContainsFunc(r.lines, func(l *line) bool { return l.open() && !l.over(run) })
	return c
}

// learn counts a check's kernels and measures their spreads and tails.
func (r *replay) learn(here []*line) {
	var of []stat.Variance
	for _, l := range here {
		if l.own.n >= r.gate.Learning {
			of = append(of, l.own.variance())
		}
	}
	r.prior = stat.NewPrior(of)
	if !r.gate.Exact {
		r.measureTail(here)
	}
	r.sizes = append(r.sizes, len(here))
}

// budget returns the chance below which a window of one kernel is a finding.
func (r *replay) budget() float64 {
	return r.gate.Budget / float64(len(lengths)) / float64(r.kernels())
}

func (r *replay) kernels() int { return max(1, slices.Max(r.sizes[max(0, len(r.sizes)-latest):])) }

// advance adds a run's values to the levels.
func (r *replay) advance(here []*line) {
	check := len(r.checks)
	off, judged := 0, 0
	for _, l := range here {
		p := l.points[l.next]
		u := run{u: r.gate.worse(p.Value), point: l.next, check: check}
		if p.Restart { // the level was accepted after a check that may have opened a finding
			if r.push(l, u); l.sd > 0 {
				r.recover(l)
				r.scan(l)
			}
			l.past = l.before(check)
			l.accept()
		}
		r.push(l, u)
		if newest := l.runs[len(l.runs)-1]; newest.was.spread > 0 {
			judged++
			off += count(math.Abs(newest.z) >= eventSpreads)
		}
	}
	if off > 2 && float64(off) >= eventShare*float64(judged) {
		for _, l := range here {
			l.past = l.before(check)
		}
	}
}

// accept closes the open findings. The next run starts a new level.
func (l *line) accept() {
	for i := range l.list {
		if l.list[i].Closed < 0 {
			l.list[i].Closed = l.next
		}
	}
	l.runs, l.below = nil, nil
}

// acceptNoise closes the open findings. The bad runs become part of the
// kernel's noise, and the previous level continues.
func (r *replay) acceptNoise(l *line) {
	l.noise = l.next + 1
	if !l.open() {
		return
	}
	bad := l.runs
	for i := len(l.below) - 1; i > 0; i-- {
		bad = append(slices.Clone(l.below[i].runs), bad...)
	}
	l.past = l.before(bad[0].check)
	for _, below := range l.below {
		l.list[below.finding].Closed = l.next
	}
	l.runs, l.below, l.sum = l.below[0].runs, nil, 0
	for _, u := range bad {
		r.push(l, u)
	}
}

// over reports whether the open findings were accepted after the last run of
// the line.
func (l *line) over(run int) bool {
	at := l.points[len(l.points)-1].Closed
	return l.next == len(l.points) && at > 0 && run >= at
}

// scan looks for a finding or an improvement that ends with the newest run. It
// reports whether it opened a finding.
func (r *replay) scan(l *line) bool {
	bar, floor := r.budget(), r.gate.floor()
	for _, m := range lengths {
		if w := r.window(l, m, 1, bar); w.chance < bar && w.shift-floor > rounding &&
			r.newModes(len(l.known(m)), m) <= 1 {
			r.found(l, w)
			return true
		}
	}
	if w := r.window(l, hold, -1, bar*better); w.chance < bar*better && w.shift-floor > rounding {
		r.rebase(l, hold)
	}
	return false
}

// found opens a finding. The first bad run is the run that maximizes the sum of
// distances below the midpoint between both levels (CUSUM). Each distance is
// clipped to half of the shift. Otherwise, a single very low run before the
// drop would outweigh the good runs after it.
func (r *replay) found(l *line, w window) {
	sum, largest, first := 0.0, math.Inf(-1), len(l.runs)-1
	half := w.shift / 2
	for i := first; i >= max(1, len(l.runs)-mostBad) && l.runs[i].point >= l.noise; i-- {
		if sum += clip(l.runs[i].u-w.base.at-half, half); sum > largest {
			largest, first = sum, i
		}
	}
	good, m := l.runs[first].was, len(l.runs)-first
	now, _ := stat.Median(values(l.runs[first:]))
	l.list = append(l.list, Finding{First: l.runs[first].point, Opened: l.next, Closed: -1, Level: good.at,
		Spread: w.base.spread, Shift: now - good.at, P: w.chance})
	l.below = append(l.below, frame{r.rebase(l, m), len(l.list) - 1})
	l.sum = 0
}

// recover closes findings if the runs since then are far enough above the
// midpoint between both levels, as a sum of distances in spreads. Both levels
// are the levels at detection. Considered and rejected: the level of all runs
// since the finding, because it becomes the good level after some good runs.
func (r *replay) recover(l *line) {
	if !l.open() {
		return
	}
	f := l.list[l.below[len(l.below)-1].finding]
	n := len(l.runs)
	l.sum = max(0, l.sum+(f.middle()-l.runs[n-1].u)/f.Spread)
	if l.sum < recovered {
		return
	}
	m := 1
	for m < n-1 && l.runs[n-1-m].u < f.middle() {
		m++
	}
	back := l.runs[n-m:]
	now, _ := stat.Median(values(back))
	l.past = l.before(back[0].check)
	depth, newest := len(l.below), l.below[len(l.below)-1].finding
	good := math.Inf(1)
	for l.open() {
		top := l.below[len(l.below)-1]
		f := &l.list[top.finding]
		if now > f.middle() {
			break
		}
		f.Closed, good = l.next, f.Level
		l.runs, l.below = top.runs, l.below[:len(l.below)-1]
	}
	// An earlier drop may have recovered while the newest drop has not. In this
	// case, the shift of the newest finding is the remaining shift.
	if f := &l.list[newest]; depth-len(l.below) > 1 && now-good > f.Shift/2 {
		f.Closed, f.Level = -1, good
		l.runs, l.below = nil, append(l.below, frame{l.runs, newest})
	}
	for _, u := range back {
		r.push(l, u)
	}
	l.sum = 0
}

// middle returns the midpoint between the levels before and after the drop, on
// the scale that Gate.worse returns.
func (f Finding) middle() float64 { return f.Level + f.Shift/2 }

// exact compares a value without noise with the best value of the baseline. It
// reports whether it opened a finding.
func (r *replay) exact(l *line, u float64) bool {
	floor := r.gate.floor() + rounding*math.Abs(u)
	if len(l.runs) == 0 {
		l.runs = []run{{u: u}}
	}
	best := &l.runs[0]
	if worse := u-best.u > floor; worse && !l.open() {
		l.list = append(l.list, Finding{First: l.next, Opened: l.next, Closed: -1, Level: best.u, Shift: u - best.u})
		l.below = []frame{{l.runs, len(l.list) - 1}}
		return true
	} else if !worse && l.open() {
		l.list[l.below[0].finding].Closed, l.below = l.next, nil
	}
	best.u = min(u, best.u) // so that several small losses within the floor add up
	return false
}

// verdict returns the verdict on the newest run of a line.
func (r *replay) verdict(l *line) Verdict {
	v := Verdict{Outcome: Learning, Index: len(l.points) - 1, Window: r.gate.Window}
	if v.Index < 0 {
		return v
	}
	v.Value = l.points[v.Index].Value
	runs, at, sd := l.runs[:len(l.runs)-1], 0.0, l.sd // the newest run is not part of the earlier runs
	if r.gate.Exact {
		runs, at = l.runs, l.runs[0].u
	} else {
		at = l.runs[len(runs)].was.at
	}
	for i, below := range l.below {
		f := l.list[below.finding]
		if v.Open = append(v.Open, r.gate.printed(f)); i == 0 {
			runs, at, sd, v.Consecutive = below.runs, f.Level, f.Spread, v.Index-f.First+1
		}
	}
	v.N = min(len(runs), r.gate.Window)
	switch {
	case l.open():
		v.Outcome = Regression
	case l.sd == 0 && !(r.gate.Exact && len(l.points) > 1):
		return v
	default:
		v.Outcome = OK
	}
	if !r.gate.Exact && v.Outcome == OK {
		newest, rare := l.runs[len(l.runs)-1], r.gate.Budget/float64(r.kernels())
		if newest.was.spread > 0 && newest.off()-r.gate.floor() > rounding {
			chance := r.beyond(l.known(1), newest.z)
			if v.Suspect = chance < 5*rare; chance < rare {
				v.Outcome = Alarm
			}
		}
	}
	if v.N == 0 { // the newest run was accepted as the start of a level, so no run can be compared with it
		return v
	}
	limit := r.gate.floor()
	if !r.gate.Exact {
		limit = max(limit, sd*r.limit(v.N))
	}
	mad := sd / normalMAD
	if r.gate.Relative {
		mad *= r.gate.value(at)
	}
	v.Median, v.MAD = unit.Some(r.gate.value(at)), unit.Some(mad)
	v.Threshold = unit.Some(r.gate.value(at + limit))
	return v
}

// limit returns the distance from a level at which the runs of the shortest
// window become a finding, in spreads. The level is assumed to be known
// exactly.
func (r *replay) limit(n int) float64 {
	chance := math.Pow(r.budget(), 1/independentRuns(lengths[0], n, 0))
	return -student.Quantile(chance) * math.Sqrt(1+locationLoss/float64(n))
}

// printed returns a finding with its values converted back from the scale of
// worse to the unit of the series.
func (g Gate) printed(f Finding) Finding {
	after := g.value(f.Level + f.Shift)
	f.Level = g.value(f.Level)
	f.Shift = after - f.Level
	return f
}
