package main

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/report"
)

// tracked is a series on its way from the history to a report.
type tracked struct {
	key history.Key
	report.Tracked
}

// newTracked takes the points of a series.
func newTracked(s history.Series) *tracked {
	t := &tracked{key: s.Key, Tracked: report.Tracked{Name: s.Key.Name(), Task: s.Key.Task, Device: s.Key.Device, Driver: s.Key.Driver, Points: make([]report.TrackedPoint, len(s.Points))}}
	t.Shape = shapeOf(s.Key)
	for i, p := range s.Points {
		t.Points[i] = report.TrackedPoint{Run: p.Run, Time: p.Time, Value: p.Value}
	}
	return t
}

// shapeOf is a series' name without the task: 2048x2048 / 1024x1, SIMD32.
func shapeOf(k history.Key) string {
	k.Task = ""
	return strings.Trim(k.Name(), " []")
}

// trendPoints gives the points as statistics want them.
func (t *tracked) trendPoints() []trend.Point {
	points := make([]trend.Point, len(t.Points))
	for i, p := range t.Points {
		points[i] = trend.Point{Time: p.Time, Value: p.Value}
	}
	return points
}

// readSeries reads every series that has the metric and does some work on each, on all processors while reading goes on.
func readSeries(ctx context.Context, db *history.DB, m history.Metric, work func(*tracked) error) ([]*tracked, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	todo := make(chan *tracked, 16)
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
	var all []*tracked
	err := db.EachSeries(ctx, m, func(s history.Series) error {
		t := newTracked(s)
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

// unmeasurable marks the series whose newest value is not the kernel's own, and says of each what validate found.
func unmeasurable(ctx context.Context, db *history.DB, all []*tracked) error {
	byRun := map[int64][]*tracked{}
	for _, t := range all {
		if n := len(t.Points); n > 0 {
			byRun[t.Points[n-1].Run] = append(byRun[t.Points[n-1].Run], t)
		}
	}
	for id, list := range byRun {
		run, err := db.Get(ctx, id)
		if err != nil {
			return err
		}
		markVerdicts(run.Rows, list)
	}
	return nil
}

// markVerdicts takes the verdicts of a run's rows over into its series.
func markVerdicts(rows []history.Row, list []*tracked) {
	at := make(map[history.Key]*history.Row, len(rows))
	for i := range rows {
		at[rows[i].Key] = &rows[i]
	}
	for _, t := range list {
		row := at[t.key]
		if row == nil {
			continue
		}
		switch row.Verdict {
		case string(compare.Unmeasurable):
			t.Unmeasurable = true
		case string(compare.Below), string(compare.Above):
			t.Against = row.Verdict
			if row.Cause != "" {
				t.Against += ": " + row.Cause
			}
		}
	}
}

// findBegins says of each series whether an earlier one of the same kernel, on another device or driver, ends where it begins.
func findBegins(all []*tracked) {
	type kernel struct{ key history.Key }
	same := map[kernel][]*tracked{}
	of := func(t *tracked) kernel {
		k := t.key
		k.Device, k.Driver = "", ""
		return kernel{k}
	}
	for _, t := range all {
		same[of(t)] = append(same[of(t)], t)
	}
	for _, t := range all {
		if len(t.Points) == 0 {
			continue
		}
		var best *report.TrackedBegin
		for _, other := range same[of(t)] {
			b := beginsAfter(t, other)
			if b == nil {
				continue
			}
			if best == nil || b.Time.After(best.Time) {
				best = b
			}
			if last := other.Points[len(other.Points)-1]; last.Time.Before(t.Points[0].Time) {
				other.Ended = true
			}
		}
		t.Begins = best
	}
}

// beginsAfter gives the last run of another series before t begins, nil when it has none or when nothing known differs.
func beginsAfter(t, other *tracked) *report.TrackedBegin {
	what := t.key.ChangedFrom(other.key)
	if other == t || len(what) == 0 {
		return nil
	}
	start := t.Points[0].Time
	for i := len(other.Points) - 1; i >= 0; i-- {
		if p := other.Points[i]; p.Time.Before(start) {
			return &report.TrackedBegin{What: what, Device: other.Device, Driver: other.Driver, Run: p.Run, Time: p.Time}
		}
	}
	return nil
}

// plainSeries gives the series as reports hold them.
func plainSeries(all []*tracked) []report.Tracked {
	list := make([]report.Tracked, len(all))
	for i, t := range all {
		list[i] = t.Tracked
	}
	return list
}

// beginOf is what the history says of a series' predecessor.
func beginOf(key history.Key, e history.Earlier) *report.TrackedBegin {
	what := key.ChangedFrom(e.Key)
	if len(what) == 0 {
		return nil
	}
	return &report.TrackedBegin{What: what, Device: e.Key.Device, Driver: e.Key.Driver, Run: e.Run, Time: e.Last.In(time.UTC)}
}
