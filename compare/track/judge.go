package track

import (
	"cmp"
	"math"
	"slices"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/stat"
)

// judge judges the series of one run, as they were when it was added.
type judge struct {
	panel  *history.Panel
	run    *history.Run
	metric Metric
	runs   map[int64]Ref
	now    time.Time

	kernels map[int64]*history.Kernel // of the panel, by series
	lineage                           // of the tasks of the run
	at      map[history.Key]int       // where each stands in it
}

// askFor lists what is read for judging a metric: what else moves, and how much time a kernel held.
func askFor(m Metric) []history.Metric {
	return append([]history.Metric{m.Metric, history.Total}, history.Parts()...)
}

// kernelsOf finds the kernels of a panel by series.
func kernelsOf(p *history.Panel) map[int64]*history.Kernel {
	m := make(map[int64]*history.Kernel, len(p.Kernels))
	for i := range p.Kernels {
		m[p.Kernels[i].ID] = &p.Kernels[i]
	}
	return m
}

// read takes the series that have a value in the run from the panel, and judges that.
func (j *judge) read() ([]*Series, error) {
	found, byAdding := j.latest()
	j.readSpans(len(byAdding) > 0)
	var list []*Series
	for _, s := range found {
		own := len(s.Points)
		k := j.at[s.Key]
		before := j.before(k)
		for _, old := range before {
			earlier := j.kernels[j.spans[old].ID].Points(j.metric.Metric)
			if byAdding[s.ID] {
				slices.SortFunc(earlier, func(a, b history.Point) int { return cmp.Compare(a.Run, b.Run) })
			}
			s.Points = prepend(s.Points, j.metric.Metric, s.Key, j.spans[old].Key, earlier)
		}
		t := newSeries(s, own, j.metric, j.metric.Gate.Window)
		t.ByAdding = byAdding[s.ID]
		for _, old := range before {
			t.ids = append(t.ids, j.spans[old].ID)
		}
		t.accept(j.panel.Accepts)
		if old, ok := j.from[k]; ok {
			t.Begins = begin(j.spans[k], j.spans[old], j.runs)
		}
		list = append(list, t)
	}
	_, err := judgeTogether(j.metric.Gate, list, j.runs)
	return list, err
}

// latest gives the points of the series that have a value in the run, in the order in which they are judged, and says
// which are in that of adding.
func (j *judge) latest() (found []raw, byAdding map[int64]bool) {
	byAdding = map[int64]bool{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		points := k.Points(j.metric.Metric)
		if !slices.ContainsFunc(points, func(p history.Point) bool { return p.Run == j.run.ID }) {
			continue
		}
		last := points[len(points)-1]
		if !j.panel.Ordered && last.Run != j.run.ID || Future(last.Time, j.now) {
			byAdding[k.ID] = true
			arrange(points, j.now)
		}
		found = append(found, raw{k.ID, k.Key, points})
	}
	return found, byAdding
}

// readSpans says where the series of the run's tasks begin and end, and which went on from which.
func (j *judge) readSpans(byAdding bool) {
	tasks := map[string]bool{}
	for i := range j.run.Rows {
		tasks[j.run.Rows[i].Task] = true
	}
	var spans []history.Span
	j.at = map[history.Key]int{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		if !tasks[k.Key.Task] {
			continue
		}
		s := k.Span()
		if byAdding { // an axis of its own: dates are not to be trusted
			for _, in := range k.In {
				id := j.panel.Runs[in.Place].ID
				s.FirstRun, s.Run = min(s.FirstRun, id), max(s.Run, id)
			}
			s.First, s.Last = time.Unix(s.FirstRun, 0), time.Unix(s.Run, 0)
		}
		j.at[s.Key] = len(spans)
		spans = append(spans, s)
	}
	j.lineage = lineageOf(spans)
}

// Move is how far a metric that says where a change comes from moved at the first bad run of a series.
type Move struct {
	Metric history.Metric `json:"metric"`
	Unit   string         `json:"unit"`
	Before float64        `json:"before"` // medians
	After  float64        `json:"after"`
}

// addMoved says what else moved in the series that are bad or go on after a change, and which of them are faster.
func addMoved(kernels map[int64]*history.Kernel, metric Metric, list []*Series) {
	for _, t := range list {
		before, _ := t.sides(metric.Gate.Window)
		if len(before) == 0 || !t.Bad() && !t.Anew() {
			continue
		}
		for _, m := range history.Parts() {
			if m == t.On {
				continue
			}
			points := kernels[t.ids[0]].Points(m)
			for _, id := range t.ids[1:] { // those that it goes on from
				points = prepend(points, m, t.Key, kernels[id].Key, kernels[id].Points(m))
			}
			t.move(m, points, metric)
		}
		slices.SortStableFunc(t.Moved, func(a, b Move) int {
			return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before))
		})
	}
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
