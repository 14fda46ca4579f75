package trend

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/unit"
)

// Episode is a stretch of runs beyond their thresholds, on one side.
type Episode struct {
	First, Last int     // indices of runs
	Start       Verdict // of the first run, as it was judged then
	// Confirmed is the run that turned the alarm into a regression: the second of the stretch. Absent when the next run
	// was within its threshold again, or when there is no next run yet.
	Confirmed unit.Opt[int]
}

// Backtest is what the gate would have said of every run of a series.
type Backtest struct {
	Runs     int // that could be judged
	Learning int // that could not
	Episodes []Episode
}

// Regressions counts the episodes that were confirmed: the times that a build would have turned red.
func (b Backtest) Regressions() int {
	n := 0
	for _, e := range b.Episodes {
		if e.Confirmed.Present() {
			n++
		}
	}
	return n
}

// Backtest replays the gate over a series.
func (g Gate) Backtest(points []Point) (Backtest, error) {
	var b Backtest
	if err := g.Validate(); err != nil {
		return b, err
	}
	if err := checkPoints(points); err != nil {
		return b, err
	}
	previous := 0.0
	var earlier baseline
	for i := range points {
		l := g.against(earlier, points, i)
		earlier.step(g, points, i)
		if l.learning {
			b.Learning++
			continue
		}
		b.Runs++
		switch {
		case l.beyond == 0:
		case l.beyond != previous:
			b.Episodes = append(b.Episodes, Episode{First: i, Last: i, Start: l.verdict(g)})
		default:
			e := &b.Episodes[len(b.Episodes)-1]
			e.Last = i
			if !e.Confirmed.Present() {
				e.Confirmed = unit.Some(i)
			}
		}
		previous = l.beyond
	}
	return b, nil
}

// Proposal is the least floor with which the gate would not have alarmed more often than wanted.
type Proposal struct {
	Floor float64 // in the unit of Gate.Floor
	// Confirmed regressions over the stored history with this floor, and with the floor that the gate has.
	Regressions, RegressionsNow int
	Runs                        int     // that could be judged, over all series
	Rate, RateNow               float64 // regressions per 100 runs
	// Finest is the rate of a single regression in this history: a target below it can only mean "none at all".
	Finest float64
}

// Propose finds the floor for a wanted rate of confirmed regressions per 100 runs. It takes every regression in the
// history for a false alarm; where some were real, the floor that it proposes is too high.
func (g Gate) Propose(ctx context.Context, series [][]Point, target float64) (Proposal, error) {
	if err := g.Validate(); err != nil {
		return Proposal{}, err
	}
	if !(target >= 0 && target <= 100) {
		return Proposal{}, fmt.Errorf("a target of %v false alarms per 100 runs is not possible; use a number from 0 "+
			"to 100, as in 0.5", target)
	}
	var p Proposal
	var pairs []pair
	at := 0
	for _, points := range series {
		if err := ctx.Err(); err != nil {
			return Proposal{}, err
		}
		b, err := g.Backtest(points)
		if err != nil {
			return Proposal{}, err
		}
		p.Runs += b.Runs
		p.RegressionsNow += b.Regressions()
		pairs = append(pairs, g.pairs(points, at)...)
		at += len(points) + 1 // a gap, so that the last run of a series and the first of the next are no neighbors
	}
	if p.Runs == 0 {
		return Proposal{}, fmt.Errorf("no series has more than %d runs, so there is nothing to replay the gate over; "+
			"add runs first", g.Learning)
	}
	p.Finest = 100 / float64(p.Runs)
	allowed := int(math.Floor(target*float64(p.Runs)/100 + rounding))
	p.Floor, p.Regressions = leastFloor(pairs, allowed)
	if math.IsInf(p.Floor, 1) {
		return Proposal{}, fmt.Errorf("no floor keeps the gate below %v false alarms per 100 runs: a series with a "+
			"median of 0 has no relative floor; use a metric in points", target)
	}
	p.Rate, p.RateNow = float64(p.Regressions)*p.Finest, float64(p.RegressionsNow)*p.Finest
	return p, nil
}

// pair is two runs in a row that lie beyond their MAD limits on one side; any floor below holds keeps them a
// regression.
type pair struct {
	at    int // place of the second run
	holds float64
}

// pairs lists the places where a regression is possible, whatever the floor.
func (g Gate) pairs(points []Point, offset int) []pair {
	open := g
	open.Floor = 0
	var found []pair
	var previous look
	var earlier baseline
	for i := range points {
		l := open.against(earlier, points, i)
		earlier.step(open, points, i)
		if l.beyond != 0 && l.beyond == previous.beyond {
			found = append(found, pair{offset + i, min(g.reach(l), g.reach(previous))})
		}
		previous = l
	}
	return found
}

// reach gives the floor at which a run stops being beyond it.
func (g Gate) reach(l look) float64 {
	if !g.Relative {
		return l.off
	}
	return l.off / math.Abs(l.median)
}

// leastFloor lowers the floor from above all pairs until one more step would make more stretches than allowed.
func leastFloor(pairs []pair, allowed int) (floor float64, stretches int) {
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(b.holds, a.holds) })
	active := map[int]bool{}
	for i := 0; i < len(pairs); {
		j, next := i, stretches
		for ; j < len(pairs) && pairs[j].holds == pairs[i].holds; j++ {
			at := pairs[j].at
			active[at] = true
			// A new one beside none is a stretch more; between two it joins them.
			next++
			if active[at-1] {
				next--
			}
			if active[at+1] {
				next--
			}
		}
		if next > allowed {
			return pairs[i].holds, stretches
		}
		i, stretches = j, next
	}
	return 0, stretches
}
