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
}

// ReadBacktest replays the gate as it is, with planted drops, and with the least floor that keeps the budget; a target,
// in red checks of 100, is another budget for that.
func ReadBacktest(ctx context.Context, db *history.DB, m Metric, target unit.Opt[float64], drops []float64,
	now time.Time) (*Backtest, error) {
	j, _, err := read(ctx, db, nil, 0, m, now)
	if err != nil {
		return nil, err
	}
	all, replays, groups, err := j.whole()
	if err != nil {
		return nil, err
	}
	b := &Backtest{Metric: m, Where: db.Where(), Series: all, Kept: m.Gate, Target: target.Or(100*m.Gate.Budget) / 100}
	var points [][][]trend.Point
	for i, series := range groups {
		b.Total = b.Total.Plus(replays[i].Tally())
		points = append(points, j.points(series))
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
	b.Kept, b.KeptTotal, err = m.Gate.Keep(ctx, points, b.Target)
	return b, err
}
