package track

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Report is the whole history of one metric.
type Report struct {
	Metric Metric
	Params trend.Params
	Where  string    // the history
	Series []*Series // in the order in which they were first stored
}

// ReadReport reads the whole history of a metric, finds the change points and judges the newest values.
func ReadReport(ctx context.Context, db *history.DB, m Metric, p trend.Params) (*Report, error) {
	r := &Report{Metric: m, Params: p, Where: db.Where()}
	var err error
	r.Series, err = readSeries(ctx, db, m, func(t *Series) error {
		var err error
		if t.Changes, err = trend.ChangePoints(trendPoints(t.Own()), p); err != nil {
			return fmt.Errorf("%s: %w", t.Key.Name(), err)
		}
		return t.judge(m.Gate)
	})
	if err != nil {
		return nil, err
	}
	newest := map[int64][]*Series{}
	for _, t := range r.Series {
		if p, ok := t.Newest(); ok {
			newest[p.Run] = append(newest[p.Run], t)
		}
	}
	for id, list := range newest {
		run, err := db.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		addFindings(run.Rows, list)
	}
	findBegins(r.Series)
	runs, err := db.List(ctx)
	if err != nil {
		return nil, err
	}
	markStopped(r.Series, runs, m.Gate.Learning)
	return r, nil
}

// readSeries reads every series that has the metric and does some work on each, on all processors while reading goes
// on.
func readSeries(ctx context.Context, db *history.DB, m Metric, work func(*Series) error) ([]*Series, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	todo := make(chan *Series, 16)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for t := range todo {
				if err := work(t); err != nil {
					stop(err)
				}
			}
		}()
	}
	var all []*Series
	err := db.EachSeries(ctx, m.Metric, func(s history.Series) error {
		t := newSeries(s, m.leaveOut())
		all = append(all, t)
		select {
		case todo <- t:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(todo)
	wait.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return all, err
}

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

// Replay is one series, replayed.
type Replay struct {
	*Series
	Result trend.Backtest
}

// ReadBacktest replays the gate. With a target it proposes the floor for that many confirmed alarms per 100 runs.
func ReadBacktest(ctx context.Context, db *history.DB, m Metric, target unit.Opt[float64]) (*Backtest, error) {
	all, err := readSeries(ctx, db, m, func(*Series) error { return nil })
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
