package trend

import (
	"context"
	"math"
	"slices"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Backtest counts the gate's results over a history.
type Backtest struct {
	Checks       int // number of checks in which at least one series could be judged
	Opened       int // number of judged checks that opened a finding: false alarms, unless something was wrong
	FailedChecks int // number of judged checks in which a finding was open
}

// Rate returns how many of 100 checks opened a finding.
func (b Backtest) Rate() float64 { return 100 * float64(b.Opened) / math.Max(1, float64(b.Checks)) }

// Plus returns the sum of two counts.
func (b Backtest) Plus(o Backtest) Backtest {
	return Backtest{b.Checks + o.Checks, b.Opened + o.Opened, b.FailedChecks + o.FailedChecks}
}

// Tally returns a replay's counts.
func (r *Replay) Tally() (b Backtest) {
	for _, c := range r.Checks {
		if c.Judged {
			b.Checks++
			b.Opened += count(c.Opened)
			b.FailedChecks += count(c.Failed)
		}
	}
	return b
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Power counts how many injected drops the gate finds.
type Power struct {
	Drop            float64   // size of the drop, in points; in percent for relative gates
	Injected, Found int       // Found is the number of drops that were found within reach runs
	Delays          []float64 // for each found drop, the number of runs until it was found, including the first bad run
}

// Plus returns the sum of two counts.
func (p Power) Plus(o Power) Power {
	return Power{p.Drop, p.Injected + o.Injected, p.Found + o.Found, append(p.Delays, o.Delays...)}
}

// Delay returns the median of Delays. It is absent if no drop was found.
func (p Power) Delay() unit.Opt[float64] { return unit.Maybe(stat.Median(p.Delays)) }

const (
	// reach is the number of runs within which an injected drop has to be
	// found.
	reach = 10
	// places is the number of places at which each drop is injected.
	places = 3
)

// Power returns how many drops the gate finds within ten runs. It injects each
// drop into 1 of 20 series, at several places in the history. A history needs
// at least 26 runs.
func (g Gate) Power(ctx context.Context, series [][]Point, drop float64) (Power, error) {
	p := Power{Drop: drop}
	var runs []int
	for _, points := range series {
		for _, point := range points {
			runs = append(runs, point.Run)
		}
	}
	slices.Sort(runs)
	runs = slices.Compact(runs)
	for i := range places {
		from, to := 2*settled, len(runs)-reach
		if to < from || to == from && i > 0 || ctx.Err() != nil {
			break
		}
		at := from + (to-from)*i/(places-1)
		planted, where := g.inject(series, runs[at], drop, i)
		r, err := g.Replay(planted)
		if err != nil {
			return p, err
		}
		for k, first := range where {
			p.Injected++
			for _, f := range r.Series[k].Findings {
				if f.Opened >= first && f.Opened < first+reach {
					p.Found++
					p.Delays = append(p.Delays, float64(f.Opened-first+1))
					break
				}
			}
		}
	}
	return p, ctx.Err()
}

// inject lowers every twentieth series from a run on. It returns the series,
// and the index of this run in each lowered series.
func (g Gate) inject(series [][]Point, run int, drop float64, offset int) (planted [][]Point, where map[int]int) {
	planted, where = slices.Clone(series), map[int]int{}
	for k := offset % min(20, len(series)); k < len(series); k += 20 {
		first, _ := slices.BinarySearchFunc(series[k], run, func(p Point, run int) int { return p.Run - run })
		if first < 2*settled || len(series[k])-first < reach {
			continue
		}
		planted[k] = slices.Clone(series[k])
		for i := first; i < len(planted[k]); i++ {
			planted[k][i].Value = g.dropped(planted[k][i].Value, drop)
		}
		where[k] = first
	}
	return planted, where
}

// dropped returns a value after a drop makes it worse.
func (g Gate) dropped(value, drop float64) float64 {
	if g.Relative {
		drop *= value / 100
	}
	if g.Direction == Up {
		return value + drop
	}
	return value - drop
}

// Keep returns the gate with the smallest floor that keeps a budget, and the
// gate's backtest. A floor keeps the budget if a history opens findings in no
// more checks than the budget allows. Every finding counts as a false alarm
// unless it is a drop: a shift of several kernels at once, or a shift that
// lasts at least 8 runs. ok is false if such a floor would hide a drop.
func (g Gate) Keep(ctx context.Context, panels [][][]Point, budget float64) (
	kept Gate, sum Backtest, ok bool, err error) {
	for {
		sum = Backtest{}
		var shifts []float64
		smallest := math.Inf(1)
		for _, series := range panels {
			r, err := g.Replay(series)
			if err != nil {
				return g, sum, false, err
			}
			b := r.Tally()
			alone, drop := g.alone(r, series)
			smallest = min(smallest, drop)
			for _, of := range alone {
				shifts = append(shifts, of...)
			}
			b.Opened = len(alone)
			sum = sum.Plus(b)
		}
		if float64(sum.Opened) <= budget*float64(sum.Checks) || len(shifts) == 0 {
			return g, sum, true, ctx.Err()
		}
		// The smallest shifts are removed first.
		slices.Sort(shifts)
		if g.Floor = max(shifts[len(shifts)/4], g.Floor*1.1); g.Floor >= smallest {
			return g, sum, false, ctx.Err()
		}
	}
}

// alone returns the shifts of short findings that began while hardly any other
// series fell. They are indexed by the run that opened them. "Hardly any" means
// fewer than three series, or fewer than 20%, within one run. drop is the
// smallest of the other shifts.
func (g Gate) alone(r *Replay, series [][]Point) (shifts map[int][]float64, drop float64) {
	fell := map[int]int{} // number of findings by their first bad run
	for k, s := range r.Series {
		for _, f := range s.Findings {
			fell[series[k][f.First].Run]++
		}
	}
	shifts, drop = map[int][]float64{}, math.Inf(1)
	for k, s := range r.Series {
		for _, f := range s.Findings {
			first, opened, end := series[k][f.First].Run, series[k][f.Opened].Run, f.Closed
			if end < 0 {
				end = len(series[k])
			}
			shift := math.Abs(f.Shift)
			if g.Relative {
				shift /= f.Level
			}
			n := fell[first-1] + fell[first] + fell[first+1]
			if end-f.First >= hold || n >= 3 && 5*n >= len(series) {
				drop = min(drop, shift)
			} else {
				shifts[opened] = append(shifts[opened], shift)
			}
		}
	}
	return shifts, drop
}
