package trend

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"occudiff/compare/stat"
)

// Replay is what the gate said of every run of some series, each as it was then.
type Replay struct {
	Series []Judged
	Checks []Check   // a run each
	Shared []Finding // of most series at once; indices are those of Checks
}

// Check is one run of a replay.
type Check struct {
	Run    int
	Judged bool // something could be judged
	Opened bool // a finding was opened
	Red    bool // one is open
}

// Judged is one series of a replay.
type Judged struct {
	Verdict  Verdict   // of the newest run
	Findings []Finding // in the order in which they were opened
}

const (
	// many is how many series must be there before what they share is looked at.
	many = 8
	// memory is how many checks the tails and the autocorrelation come from.
	memory = 60
	// late is how many checks the tails lag behind, so that a drop does not excuse itself.
	late = 3
	// unrelated is how many pairs of neighboring runs without correlation are assumed before any was seen: a dozen
	// pairs cannot tell an autocorrelation of 0.3 from none.
	unrelated = 20.0
	// better is how much rarer than a finding an improvement must be to begin a baseline.
	better = 0.1
)

// Replay judges series of one check, run by run: those that a run has in common, with what they share taken out.
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
	r.Shared = append(r.Shared, other.Shared...)
	for i, o := range other.Series {
		s := &r.Series[i]
		s.Findings = append(s.Findings, o.Findings...)
		if s.Verdict.Outcome == OK || s.Verdict.Outcome == Alarm && o.Verdict.Outcome == Regression {
			s.Verdict = o.Verdict
		}
	}
	for i, c := range other.Checks {
		r.Checks[i].Opened = r.Checks[i].Opened || c.Opened
		r.Checks[i].Red = r.Checks[i].Red || c.Red
	}
	return r
}

func (g Gate) replay(series [][]Point) *Replay {
	start := startTails()
	r := &replay{gate: g, fft: fourier.NewFFT(size), start: start, before: start, scratch: make([]float64, g.Window)}
	for _, points := range series {
		r.lines = append(r.lines, &line{points: points})
	}
	for run, ok := r.nextRun(); ok; run, ok = r.nextRun() {
		r.checks = append(r.checks, r.step(run))
	}
	out := &Replay{Checks: r.checks, Shared: r.common.list}
	for _, l := range r.lines {
		v := r.verdict(l, g.Budget/float64(len(lengths)*len(r.lines)))
		for i, f := range l.list {
			l.list[i] = g.printed(f)
		}
		out.Series = append(out.Series, Judged{v, l.list})
	}
	for i, f := range out.Shared {
		out.Shared[i] = g.printed(f)
	}
	return out
}

// replay is its state.
type replay struct {
	gate    Gate
	fft     *fourier.FFT
	lines   []*line
	common  line // what the series share
	checks  []Check
	scratch []float64

	start   tails    // what is assumed before anything was seen
	before  tails    // of the checks up to the last one
	recent  []moment // the last of them
	chances *chances // of before; nil when it has to be made
	rho     float64  // autocorrelation
	prior   stat.Prior

	limitOfOne float64 // distance of one run that is an alarm
}

// moment is what one check says of the noise.
type moment struct {
	tails          tails
	squares, pairs float64
}

// nextRun gives the number of the run that comes.
func (r *replay) nextRun() (run int, ok bool) {
	for _, l := range r.lines {
		if l.next < len(l.points) && (!ok || l.points[l.next].Run < run) {
			run, ok = l.points[l.next].Run, true
		}
	}
	return run, ok
}

// step judges one run.
func (r *replay) step(run int) Check {
	c := Check{Run: run}
	var here []*line
	for _, l := range r.lines {
		if l.next < len(l.points) && l.points[l.next].Run == run {
			here = append(here, l)
		}
	}
	r.learn(here)
	shift, shared := r.share(here)
	var m moment
	r.limitOfOne = r.unheard(here...)
	alpha := r.gate.Budget / float64(len(lengths))
	if shared {
		alpha /= 2
		c.Opened = r.advance(&r.common, shift, len(r.checks), alpha, nil)
	}
	alpha /= float64(len(here))
	for _, l := range here {
		p := l.points[l.next]
		if p.Begin {
			l.accept()
		}
		opened := false
		if r.gate.Exact {
			c.Judged = c.Judged || len(l.base) > 0
			opened = r.exact(l, r.gate.worse(p.Value))
		} else {
			opened = r.advance(l, r.gate.worse(p.Value)-shift, l.next, alpha, &m)
			c.Judged = c.Judged || l.judged()
		}
		c.Opened = c.Opened || opened
		l.next++
	}
	r.remember(m)
	c.Red = r.common.open != nil || slices.ContainsFunc(r.lines, func(l *line) bool { return l.open != nil })
	return c
}

// accept closes what is open; the next run begins a baseline.
func (l *line) accept() {
	if l.open != nil {
		l.close(l.next)
	}
	l.cut(len(l.base))
	l.episodes = nil
}

// close ends the finding that is open.
func (l *line) close(index int) {
	l.list[len(l.list)-1].Closed = index
	l.open, l.off, l.offAt = nil, nil, nil
}

// learn finds what the series have in common of their spreads.
func (r *replay) learn(here []*line) {
	var of []stat.Variance
	for _, l := range here {
		if l.judged() {
			of = append(of, stat.Variance{Value: l.own.spread * l.own.spread, Freedom: l.own.freedom()})
		}
	}
	r.prior = stat.NewPrior(of)
}

// share gives what most series moved by, on the scale of worse; 0 with too few of them.
func (r *replay) share(here []*line) (shift float64, ok bool) {
	var off []float64
	begun := 0
	for _, l := range here {
		if l.points[l.next].Begin {
			begun++
		}
		if !l.judged() {
			continue
		}
		at := l.own.at
		if l.open == nil && len(l.base) > 0 {
			at = l.level(r.gate, r.scratch).at
		}
		off = append(off, r.gate.worse(l.points[l.next].Value)-at)
	}
	if len(off) < many {
		return 0, false
	}
	if len(r.common.list)+len(r.common.base) == 0 {
		r.backward(here)
	}
	if 2*begun >= len(here) {
		r.common.next = len(r.checks)
		r.common.accept()
	}
	return stat.Median(off)
}

// backward gives what the series share its first runs: those that the series learned from.
func (r *replay) backward(here []*line) {
	for back := r.gate.Learning; back > 0; back-- {
		var off []float64
		for _, l := range here {
			if n := len(l.base); l.judged() && n >= back {
				off = append(off, l.base[n-back]-l.own.at)
			}
		}
		if shift, ok := stat.Median(off); ok && len(off) >= many && len(r.checks) >= back {
			r.common.push(shift, len(r.checks)-back, r.common.now(r.gate, r.scratch))
		}
	}
}

// advance takes a line one run on, and says whether that opened a finding.
func (r *replay) advance(l *line, u float64, index int, alpha float64, m *moment) bool {
	l.alarm = false
	if l.open != nil {
		r.recover(l, u, index)
		return false
	}
	at := l.now(r.gate, r.scratch)
	switch {
	case !l.judged():
	case l == &r.common:
		l.sd = l.own.spread
	default:
		l.sd = l.own.shrunk(r.prior)
	}
	l.push(u, index, at)
	if !l.judged() || l.sd == 0 {
		return false
	}
	r.noise(l, m)
	return r.scan(l, index, alpha)
}
