package track

import (
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
}

// ReadReport reads the whole history of a metric, finds the change points and judges the newest values. now is the time
// that dates are held against.
func ReadReport(ctx context.Context, db *history.DB, m Metric, p trend.Params, now time.Time) (*Report, error) {
	runs, err := db.List(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{Metric: m, Params: p, Where: db.Where(), Runs: refsOf(runs)}
	runs = slices.DeleteFunc(runs, func(run history.Run) bool { return !db.IsBase(run.Branch) })
	for i := range runs {
		if Future(runs[i].Time, now) {
			r.Future = append(r.Future, refOf(&runs[i]))
		}
	}
	r.Series, err = readSeries(ctx, db, m, now, func(t *Series) error {
		var err error
		if t.Changes, err = trend.ChangePoints(trendPoints(t.Own()), p); err != nil {
			err = fmt.Errorf("%s: %w", t.Key.Name(), err)
		}
		return err
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
	findBegins(r.Series, r.Runs)
	markStopped(r.Series, runs, m.Gate.Learning)
	err = r.complete(ctx, db, now)
	r.Shared = findShared(r.Series, runs)
	return r, err
}

// complete says of the newest run of each series what a check of it would.
func (r *Report) complete(ctx context.Context, db *history.DB, now time.Time) error {
	newest := map[int64][]*Series{}
	for _, t := range r.Series {
		if p, ok := t.Newest(); ok {
			newest[p.Run] = append(newest[p.Run], t)
		}
	}
	for _, t := range r.Series {
		if b := t.Begins; b != nil {
			b.Last = lastOf(history.Span{Run: b.Last.Run, Last: b.Last.Time}, r.Runs)
		}
	}
	for id, list := range newest {
		run, err := db.Get(ctx, id)
		if err != nil {
			return err
		}
		addFindings(run.Rows, list)
		wanted := slices.DeleteFunc(slices.Clone(list), func(t *Series) bool { return !t.Bad() && !t.afterReshape() })
		if len(wanted) == 0 {
			continue
		}
		j := &judge{db: db, run: &run, metric: r.Metric, runs: r.Runs, now: now}
		err = j.readSpans(ctx, slices.ContainsFunc(wanted, func(t *Series) bool { return t.ByAdding }))
		if err == nil {
			err = j.addFallbacks(ctx, wanted)
		}
		if err == nil {
			err = j.addMoved(ctx, wanted)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readSeries reads every series that has the metric, and when all are read does some work on each, on all processors.
func readSeries(ctx context.Context, db *history.DB, m Metric, now time.Time, work func(*Series) error) (
	[]*Series, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var all []*Series
	add := func(t *Series) error {
		all = append(all, t)
		group.Go(func() error { return work(t) })
		return ctx.Err()
	}
	var raw []history.Series
	err := db.EachSeries(ctx, m.Metric, func(s history.Series) error {
		raw = append(raw, s)
		return nil
	})
	accepts, failed := db.Accepts(ctx)
	if err == nil {
		err = failed
	}
	for _, s := range joinSeries(raw, m.acrossShapes()) {
		t := newWhole(s.Series, s.own, m, now)
		t.Begins, t.ids = s.begins, s.ids
		t.accept(accepts)
		if err == nil {
			err = add(t)
		}
	}
	if failed := group.Wait(); failed != nil { // the reason why reading was stopped
		return nil, failed
	}
	return all, err
}

// newWhole makes a series of all points that it has.
func newWhole(s history.Series, own int, m Metric, now time.Time) *Series {
	byAdding := !s.Ordered && arrange(s.Points, now)
	t := newSeries(s, own, m.leaveOut(), 0)
	t.ByAdding = byAdding
	return t
}

// joined is a series with those before it in other launch shapes.
type joined struct {
	history.Series
	own    int    // points of the last one
	begins *Begin // where that begins; nil when there is none before it
	ids    []int64
}

// joinSeries makes one series of those that took each other's place when the driver changed, or the launch shape where
// shapes are to be joined.
func joinSeries(raw []history.Series, shapes bool) []joined {
	spans := make([]history.Span, len(raw))
	same, at := map[history.Key][]history.Span{}, map[int64]int{}
	for i, s := range raw {
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		spans[i] = history.Span{ID: s.ID, Key: s.Key, First: first.Time, Last: last.Time, FirstRun: first.Run,
			Run: last.Run}
		same[kernelOf(s.Key)], at[s.ID] = append(same[kernelOf(s.Key)], spans[i]), i
	}
	took, gone := map[int]int{}, map[int]bool{}
	if shapes {
		took = reshaped(spans)
	}
	for i, s := range spans {
		if old := otherDriver(s, same[kernelOf(s.Key)]); old.ID != 0 && !gone[at[old.ID]] {
			took[i] = at[old.ID]
		}
		if old, ok := took[i]; ok {
			gone[old] = true
		}
	}
	var list []joined
	for i, s := range raw {
		if gone[i] {
			continue
		}
		one := joined{s, len(s.Points), nil, []int64{s.ID}}
		if old, ok := took[i]; ok {
			one.begins = &Begin{s.Key.ChangedFrom(raw[old].Key), spans[old].Key, lastOf(spans[old], nil)}
			if len(one.begins.What) == 0 {
				one.begins.What = []string{LaunchShape}
			}
		}
		for old, ok := took[i]; ok; old, ok = took[old] {
			one.Points, one.ids = slices.Concat(raw[old].Points, one.Points), append(one.ids, raw[old].ID)
		}
		list = append(list, one)
	}
	return list
}
