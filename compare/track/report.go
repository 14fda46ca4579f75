package track

import (
	"context"
	"fmt"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/trend"
)

// Report is the whole history of one metric.
type Report struct {
	Judgment
	Params trend.Params
}

// ReadReport reads the whole history of a metric, finds the change points and judges the newest values. now is the time
// that dates are held against.
func ReadReport(ctx context.Context, db *history.DB, m Metric, p trend.Params, now time.Time) (*Report, error) {
	j, moved, err := read(ctx, db, nil, 0, m, now)
	if err != nil {
		return nil, err
	}
	r := &Report{Judgment{Metric: m, Where: db.Where(), Renumbered: moved, Refs: j.runs}, p}
	for i := range j.panel.Runs {
		if Future(j.panel.Runs[i].Time, now) {
			r.Clock.Future = append(r.Clock.Future, refOf(&j.panel.Runs[i]))
		}
	}
	if r.Series, _, _, err = j.whole(); err != nil {
		return nil, err
	}
	if err := each(len(r.Series), func(i int) error { return r.Series[i].findChanges(p) }); err != nil {
		return nil, err
	}
	// Of the newest run of each series what a check of it would say.
	addMoved(j.kernels, m, r.Series)
	r.Shared = findShared(r.Series, j.panel.Runs)
	return r, nil
}

// findChanges finds the change points.
func (t *Series) findChanges(p trend.Params) (err error) {
	points := make([]trend.Point, len(t.Own()))
	for i, p := range t.Own() {
		points[i] = trend.Point{Time: p.Time, Value: p.Value, Run: i}
	}
	if t.Found, err = trend.ChangePoints(points, p); err != nil {
		return fmt.Errorf("%s: %w", t.Key.Name(), err)
	}
	if t.Changes = t.Found; p.MinSegment == 0 {
		t.Changes = trend.Lasting(points, t.Found, p, trend.Levels)
	}
	return nil
}
