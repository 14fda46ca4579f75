package track

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"occudiff/compare/history"
	"occudiff/compare/trend"
)

// Report is the whole history of one metric.
type Report struct {
	Metric Metric
	Params trend.Params
	Where  string        // the history
	Series []*Series     // in the order in which they were first stored
	Runs   map[int64]Ref // by their numbers
	Future []Ref         // runs that are dated in the future
	Shared []Shared

	Renumbered []Renumbered
}

// ReadReport reads the whole history of a metric, finds the change points and judges the newest values. now is the time
// that dates are held against.
func ReadReport(ctx context.Context, db *history.DB, m Metric, p trend.Params, now time.Time) (*Report, error) {
	panel, err := db.Panel(ctx, 0, 0, askFor(m)...)
	if err != nil {
		return nil, err
	}
	runs := panel.Runs
	r := &Report{Metric: m, Renumbered: renumber(panel, m), Params: p, Where: db.Where(), Runs: refsOf(runs)}
	for i := range runs {
		if Future(runs[i].Time, now) {
			r.Future = append(r.Future, refOf(&runs[i]))
		}
	}
	r.Series, err = readSeries(panel, m, r.Runs, now, func(t *Series) error {
		points := make([]trend.Point, len(t.Own()))
		for i, p := range t.Own() {
			points[i] = trend.Point{Time: p.Time, Value: p.Value, Run: i}
		}
		var err error
		if t.Found, err = trend.ChangePoints(points, p); err != nil {
			return fmt.Errorf("%s: %w", t.Key.Name(), err)
		}
		if t.Changes = t.Found; p.MinSegment == 0 {
			t.Changes = trend.Lasting(points, t.Found, p, trend.Levels)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	group := errgroup.Group{}
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, series := range panels(r.Series) {
		group.Go(func() error {
			_, err := judgeTogether(m.Gate, series, r.Runs)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	markStopped(r.Series, runs, m.Gate.Learning)
	// Of the newest run of each series what a check of it would say.
	kernels := kernelsOf(panel)
	addFindings(panel, kernels, r.Series)
	addMoved(kernels, m, r.Series)
	r.Shared = findShared(r.Series, runs)
	return r, nil
}

// readSeries takes every series that has the metric, and does some work on each, on all processors.
func readSeries(panel *history.Panel, m Metric, runs map[int64]Ref, now time.Time, work func(*Series) error) (
	[]*Series, error) {
	var list []raw
	for i := range panel.Kernels {
		k := &panel.Kernels[i]
		if points := k.Points(m.Metric); len(points) > 0 {
			list = append(list, raw{k.ID, k.Key, points})
		}
	}
	all := joinSeries(list, panel.Ordered, m, runs, now)
	group := errgroup.Group{}
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range all {
		t.accept(panel.Accepts)
		group.Go(func() error { return work(t) })
	}
	return all, group.Wait()
}

// joinSeries makes one series of those that go on from each other.
func joinSeries(raw []raw, ordered bool, m Metric, runs map[int64]Ref, now time.Time) (list []*Series) {
	place := placesOf(raw)
	spans := make([]span, len(raw))
	for i, s := range raw {
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		spans[i].Span = history.Span{ID: s.ID, Key: s.Key, First: first.Time, Last: last.Time, FirstRun: first.Run,
			Run: last.Run}
		for _, p := range s.Points {
			spans[i].seen = append(spans[i].seen, presence{place[p.Run], Ref{Run: p.Run, Time: p.Time}})
		}
		slices.SortFunc(spans[i].seen, func(a, b presence) int { return a.place - b.place })
	}
	l := lineageOf(spans)
	gone, ended := map[int]bool{}, map[int]bool{}
	for i, old := range l.from {
		cut, _ := spans[old].before(&spans[i])
		if over := cut.Run == spans[old].Run; goesOn(spans[i].Span, spans[old].Span) {
			gone[old] = over // else it came back, and is a series of its own
		} else {
			ended[old] = begin(spans[i].Span, spans[old].Span, nil) != nil
		}
	}
	for i, s := range raw {
		if gone[i] {
			continue
		}
		own, ids, next := len(s.Points), []int64{s.ID}, i
		for _, old := range l.before(i) {
			s.Points = prepend(s.Points, m.Metric, s.Key, raw[old].Key, spans[old].points(raw[old].Points, &spans[next]))
			ids, next = append(ids, raw[old].ID), old
		}
		byAdding := !ordered && arrange(s.Points, now)
		t := newSeries(s, own, m, 0)
		t.ByAdding, t.ids, t.Ended = byAdding, ids, ended[i]
		t.Begins = l.begins(i, runs)
		list = append(list, t)
	}
	return list
}

// placesOf gives the place of each run of some series in the order of time.
func placesOf(raw []raw) map[int64]int {
	var all []history.Point
	for _, s := range raw {
		all = append(all, s.Points...)
	}
	slices.SortFunc(all, func(a, b history.Point) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Run, b.Run)) })
	place := map[int64]int{}
	for _, p := range all {
		if _, known := place[p.Run]; !known {
			place[p.Run] = len(place)
		}
	}
	return place
}
