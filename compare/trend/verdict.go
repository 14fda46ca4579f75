package trend

import (
	"math"

	"occudiff/ingest/unit"
)

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
	v.Time, v.Value = l.points[v.Index].Time, l.points[v.Index].Value
	runs, at, sd := l.runs[:len(l.runs)-1], 0.0, l.sd // the newest is none of the earlier ones
	if r.gate.Exact {
		runs, at = l.runs, l.runs[0].u
	} else {
		at = l.runs[len(runs)].was.at
	}
	for i, below := range l.below {
		f := l.list[below.finding]
		if v.Open = append(v.Open, r.gate.printed(f)); i == 0 {
			runs, at, sd, v.InARow = below.runs, f.Level, f.Spread, v.Index-f.First+1
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

// limit gives how far the runs of the shortest window that can be a finding have to lie off a level that is known, in
// spreads.
func (r *replay) limit() float64 {
	bar := r.budget()
	for _, m := range lengths {
		for i := range bins {
			if math.Pow(r.noise.beyond(float64(i)*grain, bad, nil), worth(m, r.gate.Window, r.noise.rho)) < bar {
				return float64(i) * grain
			}
		}
	}
	return far
}

// printed turns the figures of a finding from the scale of worse into the unit of the values.
func (g Gate) printed(f Finding) Finding {
	after := g.value(f.Level + f.Shift)
	f.Level = g.value(f.Level)
	f.Shift = after - f.Level
	return f
}
