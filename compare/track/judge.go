package track

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/stat"
)

// judge judges the series of one run, as they were when it was added.
type judge struct {
	panel  *history.Panel
	run    *history.Run
	adds   int64 // the run that this one measures some kernels of again; 0 when it is a run by itself
	metric Metric
	runs   map[int64]Ref
	now    time.Time

	kernels map[int64]*history.Kernel // of the panel, by series
	lineage                           // of the kernels of the panel
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

// read takes the series of the run's program on its device from the panel, and judges them together. It gives those that
// have a value in the run, and those that have none and a finding that is open: that belongs to the kernel, and a blank
// cell, a missing row, another driver or launch shape do not mend it.
func (j *judge) read() ([]*Series, error) {
	found, byAdding := j.latest()
	j.readSpans(len(byAdding) > 0)
	var list []*Series
	for _, s := range found {
		own := len(s.Points)
		k := j.at[s.Key]
		before, next := j.before(k), k
		ids := []int64{s.ID}
		for _, old := range before {
			o := &j.spans[old]
			earlier := o.points(j.kernels[o.ID].Points(j.metric.Metric), &j.spans[next])
			if byAdding[s.ID] {
				slices.SortFunc(earlier, func(a, b history.Point) int { return cmp.Compare(a.Run, b.Run) })
			}
			s.Points = prepend(s.Points, j.metric.Metric, s.Key, o.Key, earlier)
			ids, next = append(ids, o.ID), old
		}
		t := newSeries(s, own, j.metric, j.metric.Gate.Window)
		t.ByAdding, t.ids = byAdding[s.ID], ids
		t.Absent = !slices.ContainsFunc(s.Points, func(p history.Point) bool { return p.Run == j.run.ID || p.Run == j.adds })
		t.accept(j.panel.Accepts)
		t.Begins = j.begins(k, j.runs)
		list = append(list, t)
	}
	if _, err := judgeTogether(j.metric.Gate, list, j.runs); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(t *Series) bool { return t.Absent && !t.holds(list) }), nil
}

// holds says whether a series without a value in the run keeps a check red: it has an open finding that nobody accepted,
// and none of the series that go on from it has the same.
func (t *Series) holds(all []*Series) bool {
	newest, ok := t.Newest()
	if !ok || len(t.Gate.Open) == 0 ||
		slices.ContainsFunc(t.Accepted, func(a history.Accept) bool { return a.Run > newest.Run }) {
		return false
	}
	return !slices.ContainsFunc(all, func(heir *Series) bool {
		return slices.Contains(heir.ids[1:], t.ids[0]) && heir.FirstBad != nil && heir.FirstBad.Run == t.FirstBad.Run
	})
}

// latest gives the points of the series of the run's program on its device, in the order in which they are judged, and
// says which are in that of adding. Of other devices there are those that have a value in the run.
func (j *judge) latest() (found []raw, byAdding map[int64]bool) {
	byAdding = map[int64]bool{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		points := k.Points(j.metric.Metric)
		has := slices.ContainsFunc(points, func(p history.Point) bool { return p.Run == j.run.ID })
		here := sameProgram(k.Key.Program, j.run.Program) && (k.Key.Device == j.run.Device ||
			strings.HasPrefix(k.Key.Device, j.run.Device+" "))
		if len(points) == 0 || !has && !here {
			continue
		}
		last := points[len(points)-1]
		if has && !j.panel.Ordered && last.Run != j.run.ID || Future(last.Time, j.now) {
			byAdding[k.ID] = true
			arrange(points, j.now)
		}
		found = append(found, raw{k.ID, k.Key, points})
	}
	return found, byAdding
}

// readSpans says where the series of the panel begin and end, and which went on from which.
func (j *judge) readSpans(byAdding bool) {
	var spans []span
	j.at = map[history.Key]int{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		s := span{Span: k.Span()}
		for _, in := range k.In {
			r := &j.panel.Runs[in.Place]
			at := presence{in.Place, refOf(r)}
			if byAdding { // dates are not to be trusted
				at.place = int(r.ID)
				s.FirstRun, s.Run = min(s.FirstRun, r.ID), max(s.Run, r.ID)
			}
			s.seen = append(s.seen, at)
		}
		slices.SortFunc(s.seen, func(a, b presence) int { return a.place - b.place })
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
		// The newest run has to be nearer to the fast ones: one that is slow again at the low occupancy is a regression.
		t.faster = faster(before, after) && after[len(after)-1]*after[len(after)-1] < a*b
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
	return fell > -math.Log1p(-quicker) && fell > 3*normalMAD*mad/math.Sqrt(float64(len(after)))
}
