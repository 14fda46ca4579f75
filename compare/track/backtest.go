package track

import (
	"context"
	"fmt"
	"slices"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Backtest is the gate replayed over a history, each run against only what was known then.
type Backtest struct {
	Metric Metric
	Where  string
	Series []Replay // in the order in which they were first stored
	// Proposal is the floor for the rate that was asked for; absent when none was.
	Proposal unit.Opt[trend.Proposal]
	Target   unit.Opt[float64] // false alarms per 100 runs
	// LeftOut is how many values were left out, of how many series, since they are not the kernels' own.
	LeftOut, LeftOutOf int
}

// ProposeThreshold gives the threshold with which the gate of a metric over a window keeps to a rate of confirmed
// alarms per 100 runs, as Settings.Threshold takes it; the one that the gate has where that keeps to it, which is never
// below the default. It is false when nothing can be judged.
func ProposeThreshold(ctx context.Context, db *history.DB, name history.Metric, window int, target unit.Opt[float64],
	now time.Time) (threshold float64, ok bool, err error) {
	m, err := NewMetric(string(name), Settings{Window: unit.Some(window)})
	if err != nil {
		return 0, false, err
	}
	b, err := ReadBacktest(ctx, db, m, unit.Opt[float64]{}, now)
	if err != nil || !slices.ContainsFunc(b.Series, func(r Replay) bool { return r.Result.Runs > 0 }) {
		return 0, false, err
	}
	if b, err = ReadBacktest(ctx, db, m, target, now); err != nil {
		return 0, false, err
	}
	floor := m.Gate.Floor
	if p, ok := b.Proposal.Value(); ok && p.RateNow > target.Or(0) {
		floor = p.Floor
	}
	return m.Threshold(floor), true, nil
}

// Replay is one series, replayed.
type Replay struct {
	*Series
	Result trend.Backtest
}

// ReadBacktest replays the gate. With a target it proposes the floor for that many confirmed alarms per 100 runs.
func ReadBacktest(ctx context.Context, db *history.DB, m Metric, target unit.Opt[float64], now time.Time) (
	*Backtest, error) {
	all, err := readSeries(ctx, db, m, now, func(*Series) error { return nil })
	if err != nil {
		return nil, err
	}
	b := &Backtest{Metric: m, Where: db.Where(), Target: target}
	var points [][]trend.Point
	for _, s := range all {
		p := trendPoints(s.Own())
		if left := len(s.LeftOut) + len(s.Points) - len(p); left > 0 {
			b.LeftOut += left
			b.LeftOutOf++
		}
		if len(p) == 0 {
			continue
		}
		r, err := m.Gate.Backtest(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Key.Name(), err)
		}
		points = append(points, p)
		b.Series = append(b.Series, Replay{s, r})
	}
	if rate, wanted := target.Value(); wanted {
		p, err := m.Gate.Propose(ctx, points, rate)
		if err != nil {
			return nil, fmt.Errorf("--target %v: %w", rate, err)
		}
		b.Proposal = unit.Some(p)
	}
	return b, nil
}
