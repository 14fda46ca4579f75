package track

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/stat"
)

// judge reads and judges the series of one run, as they were when it was added.
type judge struct {
	db     *history.DB
	run    *history.Run
	metric Metric
	runs   map[int64]Ref
	now    time.Time

	accepts []history.Accept
	lineage                     // of the tasks of the run
	at      map[history.Key]int // where each stands in it
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
		t := newSeries(s, own[i], j.metric, j.metric.Gate.Window)
		t.ByAdding = byAdding[s.ID]
		k := j.at[t.Key]
		for _, old := range j.before(k) {
			t.ids = append(t.ids, j.spans[old].ID)
		}
		t.accept(j.accepts)
		if old, ok := j.from[k]; ok {
			t.Begins = begin(j.spans[k], j.spans[old], j.runs)
		}
		list = append(list, t)
	}
	_, err = judgeTogether(j.metric.Gate, list, j.runs)
	return list, err
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

// readSpans reads where the series of the run's tasks begin and end, and which went on from which.
func (j *judge) readSpans(ctx context.Context, byAdding bool) error {
	spans, err := j.db.Spans(ctx, j.run.ID, byAdding)
	if err != nil {
		return err
	}
	j.at = make(map[history.Key]int, len(spans))
	for i := range spans {
		s := &spans[i]
		if byAdding { // an axis of its own: dates are not to be trusted
			s.First, s.Last = time.Unix(s.FirstRun, 0), time.Unix(s.Run, 0)
		}
		j.at[s.Key] = i
	}
	j.lineage = lineageOf(spans)
	return nil
}

// join puts what was before a change in front of the points of series.
func (j *judge) join(ctx context.Context, found []history.Series, byAdding map[int64]bool) error {
	var ids []int64
	for i := range found {
		for _, old := range j.before(j.at[found[i].Key]) {
			ids = append(ids, j.spans[old].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	points, err := j.db.Points(ctx, j.metric.Metric, ids, time.Time{}, j.run.ID)
	for i := range found {
		s := &found[i]
		for _, k := range j.before(j.at[s.Key]) {
			old := &j.spans[k]
			earlier := points[old.ID]
			if byAdding[s.ID] {
				slices.SortFunc(earlier, func(a, b history.Point) int { return cmp.Compare(a.Run, b.Run) })
			}
			s.Points = prepend(s.Points, j.metric.Metric, s.Key, old.Key, earlier)
		}
	}
	return err
}

// Move is how far a metric that says where a change comes from moved at the first bad run of a series.
type Move struct {
	Metric history.Metric `json:"metric"`
	Unit   string         `json:"unit"`
	Before float64        `json:"before"` // medians
	After  float64        `json:"after"`
}

// addMoved says what else moved in the series that are bad or go on after a change, and which of them are faster.
func (j *judge) addMoved(ctx context.Context, list []*Series) error {
	var wanted []*Series
	var ids []int64
	var since time.Time
	for _, t := range list {
		before, after := t.sides(j.metric.Gate.Window)
		if len(before) == 0 || !t.Bad() && !t.Anew() {
			continue
		}
		wanted, ids = append(wanted, t), append(ids, t.ids...)
		for _, p := range slices.Concat(before, after) {
			if since.IsZero() || p.Time.Before(since) {
				since = p.Time
			}
		}
	}
	for _, m := range history.Parts() {
		if len(wanted) == 0 {
			break
		}
		points, err := j.db.Points(ctx, m, ids, since, j.run.ID)
		if err != nil {
			return err
		}
		for _, t := range wanted {
			if m != t.On {
				t.move(m, j.pointsOf(t, m, points), j.metric)
			}
		}
	}
	for _, t := range wanted {
		slices.SortStableFunc(t.Moved, func(a, b Move) int {
			return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before))
		})
	}
	return nil
}

// pointsOf gives the points of a series with those that it goes on from.
func (j *judge) pointsOf(t *Series, m history.Metric, points map[int64][]history.Point) []history.Point {
	k := j.at[t.Key]
	all := points[j.spans[k].ID]
	for _, old := range j.before(k) {
		all = prepend(all, m, t.Key, j.spans[old].Key, points[j.spans[old].ID])
	}
	return all
}

// sides gives the last n runs that were judged before the first bad one, or else before the series began anew, then
// those from there on.
func (t *Series) sides(n int) (before, after []history.Point) {
	first := t.Gate.Index - t.Gate.InARow + 1
	if t.Gate.InARow == 0 {
		first = max(0, len(t.Points)-1-t.age)
	}
	return t.Points[max(0, first-n):first], t.Points[first:]
}

// move holds the values of a metric after a change against those in the last runs before it.
func (t *Series) move(m history.Metric, points []history.Point, judged Metric) {
	values := func(runs []history.Point) (list []float64) {
		in := make(map[int64]bool, len(runs))
		for _, p := range runs {
			in[p.Run] = true
		}
		for _, p := range points {
			if in[p.Run] {
				list = append(list, p.Value)
			}
		}
		return list
	}
	good, bad := t.sides(judged.Gate.Window)
	before, after := values(good), values(bad)
	a, ok1 := stat.Median(before)
	b, ok2 := stat.Median(after)
	if !ok1 || !ok2 {
		return
	}
	t.Moved = append(t.Moved, Move{m, m.Unit(), a, b})
	if m == history.Seconds && !judged.Gate.Exact && t.Bad() {
		t.faster = faster(before, after)
	}
}

// quicker is how much less time launches take that are faster, as a diff of two sides has it.
const quicker = 0.1

// faster says whether times fell by more than a tenth, and by more than they scatter.
func faster(before, after []float64) bool {
	logs := make([]float64, len(before))
	for i, x := range before {
		logs[i] = math.Log(max(x, math.SmallestNonzeroFloat64))
	}
	level, _ := stat.Median(logs)
	mad, _ := stat.MAD(logs)
	now, _ := stat.Median(after)
	fell := level - math.Log(max(now, math.SmallestNonzeroFloat64))
	return fell > -math.Log1p(-quicker) && fell > 3*1.4826*mad/math.Sqrt(float64(len(after)))
}
