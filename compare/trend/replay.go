package trend

import (
	"fmt"
	"math"
	"slices"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Replay is what the gate said of every run of some series, each as it was
// then.
type Replay struct {
	Series []Judged
	Checks []Check // a run each
}

// Check is one run of a replay.
type Check struct {
	Judged bool // something could be judged
	Opened bool // a finding was opened
	Failed bool // one is open
}

// Judged is one series of a replay.
type Judged struct {
	Verdict  Verdict   // of the newest run
	Findings []Finding // in the order in which they were opened
}

const (
	// many is how many series must be there before the noise that they share is
	// looked at.
	many = 8
	// hold is how many runs an improvement must last to become the level.
	hold = 8
	// better is how much rarer than a finding it must be.
	better = 0.1
	// recovered is the chance that runs of a bad level look as if it were
	// recovered.
	recovered = 1e-3
	// relapse is for how many runs after a finding was closed one bad run opens
	// it again, when it is one in a hundred.
	relapse, relapsed = 8, 0.01
)

// lengths are the windows that are looked at, in runs. A single run proves
// nothing.
var lengths = [...]int{2, 3, 4, 6, 10}

// Replay judges series of one check, run by run: those that a run has in
// common.
func (g Gate) Replay(series [][]Point) (*Replay, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	for i, points := range series {
		if err := checkPoints(points); err != nil {
			return nil, fmt.Errorf("series %d: %w", i, err)
		}
	}
	if g.Direction == Both { // half of the budget for each
		g.Budget /= 2
		g.Direction = Down
		down := g.replay(series)
		g.Direction = Up
		return down.with(g.replay(series)), nil
	}
	return g.replay(series), nil
}

// with adds what was found in the other direction.
func (r *Replay) with(other *Replay) *Replay {
	for i, o := range other.Series {
		s := &r.Series[i]
		s.Findings = append(s.Findings, o.Findings...)
		if s.Verdict.Outcome == OK || s.Verdict.Outcome == Alarm && o.Verdict.Outcome == Regression {
			s.Verdict = o.Verdict
		}
	}
	for i, c := range other.Checks {
		r.Checks[i].Opened = r.Checks[i].Opened || c.Opened
		r.Checks[i].Failed = r.Checks[i].Failed || c.Failed
	}
	return r
}

// replay is its state.
type replay struct {
	gate   Gate
	lines  []*line
	checks []Check
	noise  *noise
	prior  stat.Prior
	shared []float64 // what the kernels had in common, run by run
	sizes  []int     // of the checks, in kernels
}

func (g Gate) replay(series [][]Point) *Replay {
	r := &replay{gate: g, noise: newNoise()}
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

// nextRun returns the number of the run that comes.
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
	kernels := slices.DeleteFunc(slices.Clone(here), func(l *line) bool { return l.points[l.next].Earlier })
	r.learn(kernels)
	shift := r.common(kernels)
	for _, l := range here {
		p := l.points[l.next]
		if p.Restart {
			l.accept()
		}
		opened := false
		if r.gate.Exact {
			opened = r.exact(l, r.gate.worse(p.Value))
		} else {
			opened = r.advance(l, r.gate.worse(p.Value)-shift)
		}
		if !p.Earlier {
			c.Judged = c.Judged || l.judged() || r.gate.Exact && l.next > 0
			c.Opened = c.Opened || opened
		}
		l.next++
	}
	c.Failed = slices.ContainsFunc(r.lines, func(l *line) bool { return l.open() && !l.over(run) })
	return c
}

// learn takes note of a check that begins: of its kernels and of what they have
// in common of their spreads.
func (r *replay) learn(kernels []*line) {
	var of []stat.Variance
	for _, l := range kernels {
		if r.level(l); l.judged() {
			of = append(of, l.own.variance())
		}
	}
	r.prior = stat.NewPrior(of)
	r.sizes = append(r.sizes, len(kernels))
	r.noise.next()
}

// budget is the chance below which a window of a kernel is a finding. It counts
// the kernels of the largest of the last checks: those of a run that measures
// some of them again were chosen.
func (r *replay) budget() float64 {
	return r.gate.Budget / float64(len(lengths)) / float64(r.kernels())
}

func (r *replay) kernels() int { return max(1, slices.Max(r.sizes[max(0, len(r.sizes)-late):])) }

// common returns the noise that all kernels of a run share, on the scale of
// worse: the median of how far they lie off their levels, as far as it usually
// goes, less what the noise of single kernels makes of a median. Shifts go
// farther and are not noise.
func (r *replay) common(kernels []*line) float64 {
	var off, own []float64
	for _, l := range kernels {
		if p := l.points[l.next]; l.judged() && len(l.runs) > 0 && !p.Restart && !r.gate.Exact {
			off, own = append(off, r.gate.worse(p.Value)-r.level(l).at), append(own, l.sd*l.sd)
		}
	}
	if len(off) < many {
		return 0
	}
	c, _ := stat.Median(off)
	r.shared = append(r.shared, c)
	before := r.shared[max(0, len(r.shared)-1-r.gate.Window) : len(r.shared)-1]
	mad, _ := stat.MAD(before)
	sd := normalMAD * mad
	if len(before) < r.gate.Learning || sd == 0 {
		return 0
	}
	variance, _ := stat.Median(own)
	return max(0, 1-math.Pi*variance/(float64(len(off))*sd*sd)) * clip(c, 3*sd)
}

// accept closes what is open; the next run begins a level.
func (l *line) accept() {
	for i := range l.list {
		if l.list[i].Closed < 0 {
			l.list[i].Closed = l.next
		}
	}
	l.set(nil)
	l.below, l.episodes, l.reopens = nil, nil, 0
}

// over reports whether what is open was accepted after the last run that has
// the line.
func (l *line) over(run int) bool {
	at := l.points[len(l.points)-1].Closed
	return l.next == len(l.points) && at > 0 && run >= at
}

// advance takes a line one run on, and says whether that opened a finding.
func (r *replay) advance(l *line, u float64) bool {
	check := len(r.checks)
	r.push(l, run{u: u, point: l.next, check: check})
	n := len(l.runs)
	newest := &l.runs[n-1]
	l.alone, l.above = 1, false
	if !math.IsNaN(newest.z) {
		l.alone, _ = r.window(l, 1, bad, 1)
		l.above = u-newest.was.at-r.gate.floor() > rounding
		if !l.points[l.next].Earlier {
			r.noise.add(check, newest.z, 1)
			newest.known = true
		}
		if n > 1 {
			p, s := r.noise.pair(newest.z, l.runs[n-2].z)
			l.pairs, l.squares = l.pairs*(1-1.0/memory)+p, l.squares*(1-1.0/memory)+s
		}
	}
	if !l.judged() {
		return false
	}
	r.recover(l)
	return r.reopen(l) || r.scan(l)
}

// scan looks for a finding or for an improvement that ends with the newest run.
func (r *replay) scan(l *line) bool {
	bar, floor := r.budget(), r.gate.floor()
	for _, m := range lengths {
		if p, shift := r.window(l, m, bad, bar); p < bar && shift-floor > rounding {
			r.found(l)
			return true
		}
	}
	for m := hold; m <= 2*hold; m += hold / 2 {
		if p, shift := r.window(l, m, good, bar*better); p < bar*better && shift-floor > rounding {
			r.rebase(l, m)
			break
		}
	}
	return false
}

// found opens a finding that begins where its runs are least likely.
func (r *replay) found(l *line) {
	best := Finding{P: math.Inf(1)}
	runs := 0
	for m := 1; m <= lengths[len(lengths)-1]; m++ {
		p, shift := r.window(l, m, bad, 1)
		if p < best.P && shift-r.gate.floor() > rounding {
			first := l.runs[len(l.runs)-m]
			best = Finding{First: first.point, Opened: l.next, Closed: -1, Level: first.was.at, Spread: first.was.spread,
				Shift: shift, P: p}
			runs = m
		}
	}
	l.list = append(l.list, best)
	r.lower(l, runs, len(l.list)-1)
}

// lower lets the last m runs be a level of their own on top of the one before.
func (r *replay) lower(l *line, m, finding int) {
	l.below = append(l.below, frame{finding: finding})
	l.below[len(l.below)-1].runs = r.rebase(l, m)
}

// recover closes findings when the last runs lie nearer to the level before,
// and hardly ever would at the bad one.
func (r *replay) recover(l *line) {
	for m := 1; m <= lengths[len(lengths)-1] && l.open(); m++ {
		top := l.below[len(l.below)-1]
		f := l.list[top.finding]
		from := len(l.runs) - m
		if from < 1 || l.runs[from].point <= f.Opened {
			return
		}
		last := values(l.runs[from:])
		now, _ := stat.Median(last)
		bad := level{spread: f.Spread, n: from}
		bad.at, _ = stat.Median(values(l.runs[:from]))
		z := bad.distance(bad.at - slices.Max(last))
		if z <= 0 || now > f.Level+f.Shift/2 ||
			math.Pow(r.beyond(l, z, good, l.runs[:0]), severityOf(m, from, r.rho(l.runs[from]))) >= recovered {
			continue
		}
		r.raise(l, m, now)
		return
	}
}

// raise takes the last m runs back to the level that they are nearest to.
func (r *replay) raise(l *line, m int, now float64) {
	back := slices.Clone(l.runs[len(l.runs)-m:])
	l.set(l.runs[:len(l.runs)-m])
	for l.open() {
		top := l.below[len(l.below)-1]
		f := &l.list[top.finding]
		if now > f.Level+f.Shift/2 {
			break
		}
		if f.Closed = l.next; len(l.runs) < hold {
			for _, u := range l.runs {
				l.episodes = append(l.episodes, (u.u-f.Level)/f.Spread)
			}
			l.episodes = l.episodes[max(0, len(l.episodes)-memory/4):]
		}
		l.closed, l.reopens = top.finding, l.next+relapse
		l.below = l.below[:len(l.below)-1]
		l.set(top.runs)
	}
	for _, u := range back {
		r.push(l, u)
	}
}

// reopen opens a finding again that was closed a few runs ago.
func (r *replay) reopen(l *line) bool {
	if l.open() || l.next > l.reopens || l.reopens == 0 {
		return false
	}
	newest := l.runs[len(l.runs)-1]
	f := &l.list[l.closed]
	off := newest.u - newest.was.at
	if l.next == f.Closed || off <= f.Shift/2 || !l.above ||
		r.noise.beyond(min(newest.z, far), bad, nil) >= relapsed {
		return false
	}
	f.Closed, l.reopens = -1, 0
	r.lower(l, 1, l.closed)
	return true
}

// exact holds a value without noise against the best since the baseline began.
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
	best.u = min(u, best.u) // several losses within the floor add up
	return false
}

// verdict puts what is known of the newest run into figures.
func (r *replay) verdict(l *line) Verdict {
	v := Verdict{Outcome: Learning, Index: len(l.points) - 1, Window: r.gate.Window}
	if v.Index < 0 {
		return v
	}
	v.Value = l.points[v.Index].Value
	runs, at, sd := l.runs[:len(l.runs)-1], 0.0, l.sd // the newest is none of the earlier ones
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
	case !l.judged() && !(r.gate.Exact && len(l.points) > 1):
		return v
	case l.above && l.alone < r.gate.Budget/float64(r.kernels()):
		v.Outcome = Alarm
	default:
		v.Outcome = OK
	}
	v.Suspect = l.above && l.alone < 5*r.gate.Budget/float64(r.kernels())
	if v.N == 0 { // the level begins with the newest run, which was accepted: there is no run to hold it against
		return v
	}
	limit := r.gate.floor()
	if !r.gate.Exact {
		limit = max(limit, sd*r.limit())
	}
	mad := sd / normalMAD
	if r.gate.Relative {
		mad *= r.gate.value(at)
	}
	v.Median, v.MAD = unit.Some(r.gate.value(at)), unit.Some(mad)
	v.Threshold = unit.Some(r.gate.value(at + limit))
	return v
}

// limit returns how far the runs of the shortest window that can be a finding
// have to lie off a level that is known, in spreads.
func (r *replay) limit() float64 {
	bar := r.budget()
	for _, m := range lengths {
		for i := range bins {
			if math.Pow(r.noise.beyond(float64(i)*grain, bad, nil), severityOf(m, r.gate.Window, r.noise.rho)) < bar {
				return float64(i) * grain
			}
		}
	}
	return far
}

// printed turns the figures of a finding from the scale of worse into the unit
// of the values.
func (g Gate) printed(f Finding) Finding {
	after := g.value(f.Level + f.Shift)
	f.Level = g.value(f.Level)
	f.Shift = after - f.Level
	return f
}
