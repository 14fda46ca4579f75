package track

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
)

// judge reads and judges the series of one run, as they were when it was added.
type judge struct {
	db     *history.DB
	run    *history.Run
	metric Metric
	runs   map[int64]Ref
	now    time.Time

	accepts []history.Accept
	spans   []history.Span                 // of the tasks of the run
	same    map[history.Key][]history.Span // of one kernel
	at      map[history.Key]int            // where each stands in spans
	shapes  map[int]int                    // which of them took the place of which in another launch shape
}

// read reads the last points of the series that have a value in the run, and judges that.
func (j *judge) read(ctx context.Context) ([]*Series, error) {
	found, byAdding, err := j.latest(ctx, reach)
	if err != nil {
		return nil, err
	}
	if j.accepts, err = j.db.Accepts(ctx); err != nil {
		return nil, err
	}
	// A check of an earlier run knows what was accepted of the runs before.
	j.accepts = slices.DeleteFunc(j.accepts, func(a history.Accept) bool { return a.Run > j.run.ID })
	if err := j.readSpans(ctx, len(byAdding) > 0); err != nil {
		return nil, err
	}
	own := make([]int, len(found))
	for i := range found {
		own[i] = len(found[i].Points)
	}
	if err := j.join(ctx, found, byAdding); err != nil {
		return nil, err
	}
	var list []*Series
	for i, s := range found {
		t := newSeries(s, own[i], j.metric.leaveOut(), j.metric.Gate.Window)
		t.ByAdding = byAdding[s.ID]
		t.ids = append(t.ids, j.before(t.Key, j.metric.acrossShapes())...)
		t.accept(j.accepts)
		list = append(list, t)
	}
	if _, err := judgeTogether(j.metric.Gate, list, j.runs); err != nil {
		return nil, err
	}
	j.addBegins(list)
	return list, nil
}

// latest reads the last n points of the series that have a value in the run, in the order in which they are judged, and
// says which are in that of adding. These are read whole.
func (j *judge) latest(ctx context.Context, n int) (found []history.Series, byAdding map[int64]bool, err error) {
	has := map[history.Key]bool{}
	for i := range j.run.Rows {
		if r := &j.run.Rows[i]; j.metric.In(r) {
			has[r.Key] = true
		}
	}
	found, err = j.db.Latest(ctx, j.run.ID, j.metric.Metric, n, j.metric.leaveOut())
	if err != nil {
		return nil, nil, err
	}
	found = slices.DeleteFunc(found, func(s history.Series) bool { return !has[s.Key] })
	byAdding = map[int64]bool{}
	var ids []int64
	for _, s := range found {
		if last := s.Points[len(s.Points)-1]; !s.Ordered && last.Run != j.run.ID || Future(last.Time, j.now) {
			byAdding[s.ID] = true
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return found, byAdding, nil
	}
	points, err := j.db.Points(ctx, j.metric.Metric, ids, time.Time{}, j.run.ID)
	for i := range found {
		if s := &found[i]; byAdding[s.ID] {
			s.Points = points[s.ID]
			arrange(s.Points, j.now)
		}
	}
	return found, byAdding, err
}

// readSpans reads where the series of the run's tasks begin and end, and which went on in another launch shape.
func (j *judge) readSpans(ctx context.Context, byAdding bool) error {
	if j.spans != nil {
		return nil
	}
	var err error
	if j.spans, err = j.db.Spans(ctx, j.run.ID, byAdding); err != nil {
		return err
	}
	j.at, j.same = make(map[history.Key]int, len(j.spans)), map[history.Key][]history.Span{}
	for i := range j.spans {
		s := &j.spans[i]
		if byAdding { // an axis of its own: dates are not to be trusted
			s.First, s.Last = time.Unix(s.FirstRun, 0), time.Unix(s.Run, 0)
		}
		j.at[s.Key] = i
		j.same[kernelOf(s.Key)] = append(j.same[kernelOf(s.Key)], *s)
	}
	j.shapes = reshaped(j.spans)
	return nil
}

// before lists the series that a key took the place of, the last first: of other drivers, and of other launch shapes
// where shapes are joined.
func (j *judge) before(k history.Key, shapes bool) (ids []int64) {
	for at := j.at[k]; ; {
		next := otherDriver(j.spans[at], j.same[kernelOf(j.spans[at].Key)])
		i, reshaped := j.shapes[at]
		switch {
		case next.ID != 0:
			at = j.at[next.Key]
		case reshaped && shapes:
			at = i
		default:
			return ids
		}
		ids = append(ids, j.spans[at].ID)
	}
}

// join puts what was before a change in front of the points of series.
func (j *judge) join(ctx context.Context, found []history.Series, byAdding map[int64]bool) error {
	for i := range found {
		s := &found[i]
		ids := j.before(s.Key, j.metric.acrossShapes())
		if len(ids) == 0 {
			continue
		}
		points, err := j.db.Points(ctx, j.metric.Metric, ids, time.Time{}, j.run.ID)
		if err != nil {
			return err
		}
		for _, id := range ids {
			earlier := points[id]
			if byAdding[s.ID] {
				slices.SortFunc(earlier, func(a, b history.Point) int { return cmp.Compare(a.Run, b.Run) })
			}
			s.Points = slices.Concat(earlier, s.Points)
		}
	}
	return nil
}

// addBegins says what changed where series begin.
func (j *judge) addBegins(list []*Series) {
	for _, t := range list {
		others := j.same[kernelOf(t.Key)]
		if i := predecessor(j.spans[j.at[t.Key]], others); i >= 0 {
			t.fromPlatform(others[i], j.runs)
		}
		if i, ok := j.shapes[j.at[t.Key]]; ok {
			t.fromShape(j.spans[i], j.runs)
		}
	}
}

// addFallbacks judges the residual of series that are learning since their launch shape changed.
func (j *judge) addFallbacks(ctx context.Context, list []*Series) error {
	if j.metric.acrossShapes() || !slices.ContainsFunc(list, (*Series).afterReshape) {
		return nil
	}
	f := *j
	f.metric = j.metric.fallback()
	residuals, err := f.read(ctx)
	if err != nil {
		return err
	}
	at := make(map[history.Key]*Series, len(residuals))
	for _, r := range residuals {
		at[r.Key] = r
	}
	for _, t := range list {
		if r := at[t.Key]; r != nil && t.afterReshape() && r.Outcome() != trend.Learning {
			t.Fallback, t.FirstBad, t.LastGood = r, r.FirstBad, r.LastGood
		}
	}
	return nil
}

// Move is how far a metric that says where a change comes from moved at the first bad run of a series.
type Move struct {
	Metric history.Metric `json:"metric"`
	Unit   string         `json:"unit"`
	Before float64        `json:"before"` // medians
	After  float64        `json:"after"`
}

// addMoved says what moved in the series that are bad.
func (j *judge) addMoved(ctx context.Context, list []*Series) error {
	bad := map[*Series][]int64{} // with what is read of each
	var all []int64
	var since time.Time
	for _, t := range list {
		if t.FirstBad == nil || !t.Bad() {
			continue
		}
		bad[t] = append(j.before(t.Key, j.metric.acrossShapes() || t.Fallback != nil), j.spans[j.at[t.Key]].ID)
		all = append(all, bad[t]...)
		for _, p := range slices.Concat(t.streak(j.metric.Gate.Window)) {
			if since.IsZero() || p.Time.Before(since) {
				since = p.Time
			}
		}
	}
	for _, m := range history.Parts() {
		if m == j.metric.Metric || len(bad) == 0 {
			continue
		}
		points, err := j.db.Points(ctx, m, all, since, j.run.ID)
		if err != nil {
			return err
		}
		for t, ids := range bad {
			var of []history.Point
			for _, id := range ids {
				of = append(of, points[id]...)
			}
			if move, ok := t.moved(m, of, j.metric.Gate.Window); ok {
				t.Moved = append(t.Moved, move)
			}
		}
	}
	for t := range bad {
		slices.SortStableFunc(t.Moved, func(a, b Move) int {
			return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before))
		})
	}
	return nil
}

// streak gives the last n runs that were judged before the first bad one, then those from there on.
func (t *Series) streak(n int) (good, bad []history.Point) {
	t = t.Judged()
	first := t.Gate.Index - t.Gate.InARow + 1
	return t.Points[max(0, first-n):first], t.Points[first:]
}

// moved holds the values of a metric in the bad runs against those in the last n before them.
func (t *Series) moved(m history.Metric, points []history.Point, n int) (Move, bool) {
	median := func(runs []history.Point) (float64, bool) {
		in := make(map[int64]bool, len(runs))
		for _, p := range runs {
			in[p.Run] = true
		}
		var values []float64
		for _, p := range points {
			if in[p.Run] {
				values = append(values, p.Value)
			}
		}
		return stat.Median(values)
	}
	good, bad := t.streak(n)
	before, ok1 := median(good)
	after, ok2 := median(bad)
	return Move{m, m.Unit(), before, after}, ok1 && ok2
}
