package track

import (
	"context"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Backtest is the gate replayed over a history, check by check, each run against only what was known then.
type Backtest struct {
	Metric Metric
	Where  string
	Series []*Series // in the order in which they were first stored, with their findings
	Total  trend.Backtest
	Power  []trend.Power // of planted drops
	// Kept is the gate with the least floor that keeps the budget, and what it says of the history.
	Kept      trend.Gate
	KeptTotal trend.Backtest
	Target    float64 // the budget that it keeps, as a share of checks
	// LeftOut is how many values were left out, of how many series, since they are not the kernels' own.
	LeftOut, LeftOutOf int
}

// ProposeThreshold gives the threshold with which the gate of a metric over a window keeps to a number of red checks
// in 100, as Settings.Threshold takes it; the one that the gate has where that keeps to it. It is false when nothing
// can be judged.
func ProposeThreshold(ctx context.Context, db *history.DB, name history.Metric, window int, target unit.Opt[float64],
	now time.Time) (threshold float64, ok bool, err error) {
	m, err := NewMetric(string(name), Settings{Window: unit.Some(window)})
	if err != nil {
		return 0, false, err
	}
	b, err := ReadBacktest(ctx, db, m, target, nil, now)
	if err != nil || b.Total.Checks == 0 {
		return 0, false, err
	}
	return m.Threshold(b.Kept.Floor), true, nil
}

// ReadBacktest replays the gate as it is, with planted drops, and with the least floor that keeps the budget; a target,
// in red checks of 100, is another budget for that.
func ReadBacktest(ctx context.Context, db *history.DB, m Metric, target unit.Opt[float64], drops []float64,
	now time.Time) (*Backtest, error) {
	stored, err := db.Panel(ctx, 0, 0, m.Metric, history.Seconds)
	if err != nil {
		return nil, err
	}
	renumber(stored, m)
	j := newJudge(stored, nil, m, now)
	all, replays, groups, err := j.whole(func(*Series) error { return nil })
	if err != nil {
		return nil, err
	}
	b := &Backtest{Metric: m, Where: db.Where(), Kept: m.Gate}
	var points [][][]trend.Point
	for i, series := range groups {
		b.Total = b.Total.Plus(replays[i].Tally())
		points = append(points, j.points(series))
	}
	for _, s := range all {
		if left := len(s.LeftOut) + len(s.Points) - len(s.Own()); left > 0 {
			b.LeftOut += left
			b.LeftOutOf++
		}
		if len(s.Own()) > 0 {
			b.Series = append(b.Series, s)
		}
	}
	for _, drop := range drops {
		p := trend.Power{Drop: drop}
		for _, series := range points {
			more, err := m.Gate.Power(ctx, series, drop)
			if err != nil {
				return nil, err
			}
			p = p.Plus(more)
		}
		b.Power = append(b.Power, p)
	}
	b.Target = m.Gate.Budget
	if rate, given := target.Value(); given {
		b.Target = rate / 100
	}
	b.Kept, b.KeptTotal, err = m.Gate.Keep(ctx, points, b.Target)
	return b, err
}
