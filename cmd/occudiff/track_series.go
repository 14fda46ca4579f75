package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"occudiff/report/trackdoc"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/trend"
)

// tracked is a series on its way from the history to a report.
type tracked struct {
	key history.Key
	trackdoc.Tracked
}

// passedOver is the verdict of values that are not judged, "" when all are: the counter of a kernel that is too short for the
// sampling interval shows other kernels. Time is no sampled counter.
func passedOver(m history.Metric) string {
	if m == history.Seconds {
		return ""
	}
	return string(compare.Unmeasurable)
}

// newTracked takes the points of a series. Earlier ones that are not judged are left out; the newest is shown all the same.
func newTracked(s history.Series, passOver string) *tracked {
	t := &tracked{key: s.Key, Tracked: trackdoc.Tracked{Name: s.Key.Name(), Task: s.Key.Task, Device: s.Key.Device, Driver: s.Key.Driver, Points: make([]trackdoc.TrackedPoint, 0, len(s.Points))}}
	t.Shape = shapeOf(s.Key)
	for i, p := range s.Points {
		point := trackdoc.TrackedPoint{Run: p.Run, Time: p.Time, Value: p.Value}
		switch {
		case passOver == "" || p.Verdict != passOver:
			t.Points = append(t.Points, point)
		case i == len(s.Points)-1:
			t.Points = append(t.Points, point)
			t.Unmeasurable = true
		default:
			t.LeftOut = append(t.LeftOut, point)
		}
	}
	return t
}

// judge holds the newest point against the ones before it.
func (t *tracked) judge(g trend.Gate) error {
	var err error
	if t.Gate, err = g.Check(t.trendPoints()); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if t.Unmeasurable {
		t.Gate.InARow = 0
	}
	return nil
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

// judged gives the points that statistics may look at: not a newest one that is only shown.
func (t *tracked) judged() []trend.Point {
	points := t.trendPoints()
	if t.Unmeasurable {
		points = points[:len(points)-1]
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
		t := newTracked(s, passedOver(m))
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

// addFindings says of each series what validate found in its newest run.
func addFindings(ctx context.Context, db *history.DB, all []*tracked) error {
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
		markFindings(run.Rows, list)
	}
	return nil
}

// markFindings takes the findings of a run's rows over into its series.
func markFindings(rows []history.Row, list []*tracked) {
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
		case string(compare.Below), string(compare.Above):
			t.Against = row.Verdict
			if row.Cause != "" {
				t.Against += ": " + row.Cause
			}
		}
	}
}

// plainSeries gives the series as reports hold them.
func plainSeries(all []*tracked) []trackdoc.Tracked {
	list := make([]trackdoc.Tracked, len(all))
	for i, t := range all {
		list[i] = t.Tracked
	}
	return list
}
