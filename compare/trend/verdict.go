package trend

import (
	"math"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// exact holds a value without noise against the last good one.
func (r *replay) exact(l *line, u float64) bool {
	switch floor := r.gate.floor() + rounding*math.Abs(u); {
	case len(l.base) == 0:
		l.base, l.index = append(l.base, u), append(l.index, l.next)
		return false
	case l.open != nil:
		if u-l.open.Level <= floor {
			l.close(l.next)
			l.base[0] = min(u, l.base[0])
		}
	case u-l.base[0] > floor:
		l.list = append(l.list, Finding{First: l.next, Opened: l.next, Closed: -1, Level: l.base[0],
			Shift: u - l.base[0]})
		l.open = &l.list[len(l.list)-1]
		return true
	default: // the best so far: several losses within the floor add up
		l.base[0] = min(u, l.base[0])
	}
	return false
}

// verdict puts what is known of the newest run into figures.
func (r *replay) verdict(l *line, alpha float64) Verdict {
	v := Verdict{Outcome: Learning, Index: len(l.points) - 1, Window: r.gate.Window}
	if v.Index < 0 {
		return v
	}
	v.Time, v.Value = l.points[v.Index].Time, l.points[v.Index].Value
	v.N = len(l.base)
	if l.open == nil && !r.gate.Exact { // the newest is none of the earlier ones
		v.N--
	}
	v.N = max(0, min(v.N, r.gate.Window))
	switch {
	case l.open != nil:
		v.Outcome, v.Finding = Regression, unit.Some(r.gate.printed(*l.open))
	case r.gate.Exact && len(l.base) > 0 && len(l.points) > 1 || l.judged():
		v.Outcome = OK
		if l.alarm {
			v.Outcome = Alarm
		}
	default:
		return v
	}
	at, limit, sd := r.level(l), r.gate.floor(), l.sd
	if l.open != nil {
		sd = l.open.Spread
	}
	if !r.gate.Exact {
		limit = max(limit, sd*r.limit(alpha))
	}
	v.Median = unit.Some(r.gate.value(at))
	mad := sd / normalMAD
	if r.gate.Relative {
		mad *= r.gate.value(at)
	}
	v.MAD = unit.Some(mad)
	v.Threshold = unit.Some(r.gate.value(at + limit))
	if r.common.alarm && v.Outcome == OK && r.gate.worse(v.Value)-at > r.gate.floor() {
		v.Outcome = Alarm
	}
	if f, ok := r.shared(l, at); ok && v.Outcome != Regression {
		v.Outcome, v.Finding = Regression, unit.Some(r.gate.printed(f))
	}
	if f, ok := v.Finding.Value(); ok {
		v.InARow = v.Index - f.First + 1
	}
	return v
}

// level gives what the newest run of a line is held against.
func (r *replay) level(l *line) float64 {
	switch n := len(l.base); {
	case l.open != nil:
		return l.open.Level
	case r.gate.Exact || n == 0:
		return l.base[0]
	default:
		return levelOf(l.base[max(0, n-1-r.gate.Window):max(1, n-1)], r.gate.finest(), nil).at
	}
}

// shared gives the part of a series in what most of them share, false when it has none.
func (r *replay) shared(l *line, at float64) (Finding, bool) {
	if r.common.open == nil {
		return Finding{}, false
	}
	f, first := *r.common.open, len(l.points)
	for first > 0 && l.points[first-1].Run >= r.checks[f.First].Run && !l.points[first-1].Begin {
		first--
	}
	var off []float64
	for _, p := range l.points[first:] {
		off = append(off, r.gate.worse(p.Value)-at)
	}
	shift, ok := stat.Median(off)
	opened := first
	for opened < len(l.points)-1 && l.points[opened].Run < r.checks[f.Opened].Run {
		opened++
	}
	f.First, f.Opened, f.Level, f.Shift, f.Spread, f.Shared = first, opened, at, shift, l.sd, true
	return f, ok && shift > f.Shift/2 && shift > r.gate.floor()
}

// limit gives how far the runs of the shortest window that can be a finding have to lie off, in spreads.
func (r *replay) limit(alpha float64) float64 {
	if r.chances == nil {
		r.chances = r.before.chances(r.fft, lengths[:])
	}
	for k, n := range lengths {
		if r.chances.chance(k, float64(n)*far) >= alpha {
			continue
		}
		z := far
		for z > 0 && r.chances.chance(k, float64(n)*(z-grain)) < alpha {
			z -= grain
		}
		return z
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
