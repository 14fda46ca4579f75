package track

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
	"occudiff/internal/bug"
)

// judge reads the series of a panel and judges them as of the last run, or as
// of the checked run.
type judge struct {
	panel   *history.Panel
	run     *history.Run // the checked run; nil for a report
	adds    int64        // the run that the checked run supplements, or 0
	metric  Metric
	runs    map[int64]Ref
	now     time.Time
	kernels map[int64]*history.Kernel // the panel's kernels by series
	adding  bool                      // in a check, the runs are in the order of adding
	// Both slices are indexed by the panel's kernels. seen contains the places
	// of a kernel's runs, in the order in which they are judged. from is the
	// kernel that the kernel continues.
	seen   [][]int
	from   map[int]int
	merged map[int64]bool // series of which all points are also in a later series
}

// read returns a judge for the panel of a run. If run is nil, the panel has the
// last n runs.
func read(ctx context.Context, db *history.DB, run *history.Run, n int, m Metric, now time.Time) (*judge, error) {
	var id int64
	if run != nil {
		id = run.ID
	}
	// The parts of the breakdown and the total time are read, too, because they
	// explain changes of the metric.
	metrics := append(history.Parts(), m.Metric, history.Total, history.Peak, history.Spill)
	if run == nil { // only a report compares measurements with predictions
		metrics = append(metrics, history.Difference)
	}
	p, err := db.Panel(ctx, id, n, metrics...)
	if err != nil {
		return nil, err
	}
	j := &judge{panel: p, run: run, metric: m, runs: map[int64]Ref{}, now: now, kernels: map[int64]*history.Kernel{}}
	for i := range p.Runs {
		j.runs[p.Runs[i].ID] = refOf(&p.Runs[i])
	}
	for i := range p.Kernels {
		j.kernels[p.Kernels[i].ID] = &p.Kernels[i]
	}
	if run != nil {
		j.adds = supplemented(p, run)
	}
	return j, nil
}

// series returns the series to judge. A check judges all series of the run's
// program on its device, and other series with a value in the run. Each series
// includes the runs of its kernel under earlier keys. A series of which all
// runs are part of a later series is left out.
func (j *judge) series() (list []*Series) {
	j.adding = j.run != nil && j.byAdding(j.run.Program, j.run.Device)
	j.readLineage()
	j.merged = map[int64]bool{}
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		points := k.Points(j.metric.Metric)
		if len(points) == 0 || j.run != nil && !j.mayHave(k) &&
			!slices.ContainsFunc(points, func(p history.Point) bool { return p.Run == j.run.ID }) {
			continue
		}
		t := &Series{Key: k.Key, ByAdding: j.adding, Age: len(points) - 1}
		if j.run == nil {
			of := t.group()
			t.ByAdding = j.byAdding(of[0], of[1])
		}
		points, t.ids = j.withEarlier(i, points)
		if t.Age < recentRuns && t.Age+1 < len(points) {
			t.Restart = j.restart(i)
		}
		slices.SortStableFunc(points, func(a, b history.Point) int {
			return j.place(a.Run, t.ByAdding) - j.place(b.Run, t.ByAdding)
		})
		t.take(points, j.metric)
		for _, a := range j.panel.Accepts {
			if slices.ContainsFunc(t.ids, func(id int64) bool { return a.Covers(id, t.Key) }) {
				t.Accepted = append(t.Accepted, a)
			}
		}
		list = append(list, t)
	}
	return slices.DeleteFunc(list, func(t *Series) bool { return j.merged[t.ids[0]] })
}

// mayHave reports whether a kernel could occur in the checked run.
func (j *judge) mayHave(k *history.Kernel) bool {
	return history.SameProgram(k.Key.Program, j.run.Program) && history.OnDevice(k.Key.Device, j.run.Device)
}

// together returns the replay of one check. All of its series share information
// about the noise.
func (j *judge) together(all []*Series) (*trend.Replay, error) {
	r, err := j.metric.Gate.Replay(j.points(all))
	if err != nil {
		return nil, err
	}
	for i, t := range all {
		t.judged(r.Series[i], j.runs)
	}
	return r, nil
}

// points returns the points of each series, with the places of their runs. It
// also marks accepted levels.
func (j *judge) points(all []*Series) [][]trend.Point {
	panel := make([][]trend.Point, len(all))
	for i, t := range all {
		own := t.Own()
		for _, p := range own {
			panel[i] = append(panel[i], trend.Point{Value: p.Value, Run: j.place(p.Run, t.ByAdding)})
		}
		from := func(run int64) int { // the first point from a run on
			if at := slices.IndexFunc(own, func(p history.Point) bool { return p.Run >= run }); at >= 0 {
				return at
			}
			return len(own)
		}
		for _, a := range t.Accepted {
			switch at, after := from(a.Run), from(a.Run+1); {
			case a.Noise && after > 0:
				panel[i][after-1].Noise = true
			case a.Noise:
			case at < len(own):
				panel[i][at].Restart = true
			case at > 0:
				panel[i][at-1].Closed = j.place(a.Run, t.ByAdding)
			}
		}
	}
	return panel
}

// whole returns all series, judged in groups by program and device.
func (j *judge) whole() (all []*Series, replays []*trend.Replay, groups [][]*Series, err error) {
	all = j.series()
	at := map[[2]string]int{} // one group for each program and device, including all adapters of the device
	for _, t := range all {
		i, known := at[t.group()]
		if !known {
			i, at[t.group()] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	replays = make([]*trend.Replay, len(groups))
	err = each(len(groups), func(i int) (err error) {
		replays[i], err = j.together(groups[i])
		return err
	})
	if err == nil {
		markStopped(all, j.panel.Runs, recentRuns)
	}
	return all, replays, groups, err
}

// judgeTimes judges the time per launch of the series.
func (j *judge) judgeTimes(list []*Series) error {
	if j.metric.Metric == history.Seconds || j.metric.Gate.Exact {
		return nil
	}
	times := *j
	times.metric = Metric{Metric: history.Seconds, Gate: trend.RelativeGate()}
	times.metric.Gate.Window, times.metric.Gate.Budget = j.metric.Gate.Window, j.metric.Gate.Budget
	var all []*Series
	var err error
	if j.run == nil {
		all, _, _, err = times.whole()
	} else if all = times.series(); len(all) > 0 {
		_, err = times.together(all)
	}
	byKey := map[history.Key]*Series{}
	for _, t := range all {
		byKey[t.Key] = t
	}
	for _, t := range list {
		if o := byKey[t.Key]; o != nil && o.Newest().Run == t.Newest().Run {
			t.Timing, t.times = o, j.metric.Times
		}
	}
	return err
}

// each calls work with the numbers from 0 to n-1, on all processors.
func each(n int, work func(i int) error) error {
	group := errgroup.Group{}
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return bug.Call(func() error { return work(i) }) })
	}
	return bug.Raise(group.Wait())
}

// holds reports whether a series without a value in the run makes the check
// fail. This is the case if it has an open finding and no other series replaced
// it.
func (t *Series) holds(all []*Series) bool {
	if _, accepted := t.AcceptedAfter(); len(t.Gate.Open) == 0 || accepted {
		return false
	}
	return !slices.ContainsFunc(all, t.replaced)
}

// replaced reports whether another series replaced t. A successor, for example
// with another driver or launch size, includes the runs of t, so it either has
// the same finding or has recovered. A predecessor replaces t if the last runs
// lack t, because the launch size was changed back.
func (t *Series) replaced(by *Series) bool {
	if slices.Contains(by.ids[1:], t.ids[0]) {
		return true
	}
	if !slices.Contains(t.ids[1:], by.ids[0]) {
		return false
	}
	newest, later := t.Newest(), 0
	for _, p := range by.Points {
		if t.ByAdding && p.Run > newest.Run || !t.ByAdding && p.Time.After(newest.Time) {
			later++
		}
	}
	return later >= recentRuns
}

// AcceptedAfter returns the run with which the open findings were accepted. ok
// is false unless that run is later than the last run of the series.
func (t *Series) AcceptedAfter() (run int64, ok bool) {
	newest := t.Newest()
	for _, a := range t.Accepted {
		if a.Run > newest.Run && !a.Noise {
			return a.Run, true
		}
	}
	return 0, false
}

// MetricChange is the change of another metric at the first bad run of a
// series. It helps to explain the finding.
type MetricChange struct {
	Metric        history.Metric
	Before, After float64 // medians before the first bad run and from it on
	Scaled        bool    // Before includes times that were scaled to the present number of work-items
}

// addAlsoChanged adds the other metrics that changed, to series that are bad or
// that continue after a change. It also marks series whose launches became
// faster.
func addAlsoChanged(kernels map[int64]*history.Kernel, metric Metric, list []*Series) {
	for _, t := range list {
		before, _ := t.sides(metric.Gate.Window)
		if len(before) == 0 || !t.Bad() && !t.Restarted() {
			continue
		}
		for _, m := range history.Parts() {
			if m == metric.Metric {
				continue
			}
			points, scaled := kernels[t.ids[0]].Points(m), false
			for _, id := range t.ids[1:] { // points of the predecessors
				points = prepend(points, m, t.Key, kernels[id].Key, kernels[id].Points(m))
				scaled = scaled || m == history.Seconds && kernels[id].Key.Global != t.Key.Global
			}
			t.move(m, points, metric, scaled)
		}
		slices.SortStableFunc(t.AlsoChanged, func(a, b MetricChange) int {
			return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before))
		})
	}
}

// nameCauses adds to each open finding, or to an alarm, the changes that
// occurred in its first bad run.
func (j *judge) nameCauses(list []*Series) {
	for _, t := range list {
		if t.LastGood != nil {
			t.Changed = j.causes(t, t.LastGood.Run, t.FirstBad.Run)
		}
		for i := range t.Open {
			if o := &t.Open[i]; o.LastGood != nil {
				o.Changed = j.causes(t, o.LastGood.Run, o.FirstBad.Run)
			}
		}
	}
}

// causes returns the differences between two runs, in the machine and in the
// kernel.
func (j *judge) causes(t *Series, good, bad int64) (list []Change) {
	before, ok1 := j.panel.Place(good)
	after, ok2 := j.panel.Place(bad)
	if !ok1 || !ok2 {
		return nil
	}
	list = changes(&j.panel.Runs[before], &j.panel.Runs[after])
	of := func(run int64) (shape, peak, spill string) {
		for _, id := range t.ids {
			k := j.kernels[id]
			if at := k.At(run); at >= 0 {
				shape = k.Key.Shape()
				if v, ok := k.Value(at, history.Peak).Value(); ok {
					peak = fmt.Sprintf("%.1f%%", v)
				}
				if v, ok := k.Value(at, history.Spill).Value(); ok {
					spill = fmt.Sprintf("%g bytes", v)
				}
			}
		}
		return shape, peak, spill
	}
	shape, peak, spill := of(good)
	newShape, newPeak, newSpill := of(bad)
	for _, c := range []Change{{launchSize, shape, newShape}, {"predicted peak", peak, newPeak},
		{"spill", spill, newSpill}} {
		if c.From != c.To && c.From != "" && c.To != "" {
			list = append(list, c)
		}
	}
	return list
}

// Lost returns why the measured occupancy of a series fell with its first bad
// run, in points: idle XVEs, underfilled XVEs, or the launch limit. It is empty
// if the breakdown does not show the reason.
func (t *Series) Lost() (list []MetricChange) {
	before, after := t.sides(t.Gate.Window)
	drop := median(after) - median(before)
	changed := map[history.Metric]float64{}
	for _, c := range t.AlsoChanged {
		changed[c.Metric] = c.After - c.Before
	}
	if _, other := changed[history.Measured]; other || drop >= 0 { // another metric was judged
		return nil
	}
	if r, ok := changed[history.Residual]; ok {
		changed[history.Peak] = r - drop // the part of the loss that was predicted
	}
	for _, m := range []history.Metric{history.IdleXVEs, history.Underfilled, history.Shortfall, history.Peak} {
		if lost := changed[m]; lost >= -drop/4 {
			list = append(list, MetricChange{Metric: m, After: lost})
		}
	}
	return list
}

// sides returns the last n judged runs before the first bad run, and all runs
// from the first bad run on. Without a bad run, the series is divided at its
// restart.
func (t *Series) sides(n int) (before, after []history.Point) {
	first := t.Gate.Index - t.Gate.Consecutive + 1
	if t.Gate.Consecutive == 0 {
		first = max(0, len(t.Points)-1-t.Age)
	}
	return t.Points[max(0, first-n):first], t.Points[first:]
}

// move compares a metric's values after a change with its values in the last
// runs before it. scaled is set if earlier values were scaled.
func (t *Series) move(m history.Metric, points []history.Point, judged Metric, scaled bool) {
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
	t.AlsoChanged = append(t.AlsoChanged, MetricChange{m, a, b, scaled})
	if m == history.Seconds && !judged.Gate.Exact && t.Bad() {
		// The newest run must be closer to the fast runs than to the slow ones.
		// If it is slow again at the low occupancy, it is a regression.
		t.faster = faster(before, after) && after[len(after)-1]*after[len(after)-1] < a*b
	}
}

// quicker is the smallest time saving that counts as faster, as a share of the
// time. A diff uses the same share.
const quicker = 0.1

// faster reports whether times fell by at least 10%, and by more than their
// noise.
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

// skew is the longest time by which a date may be in the future without being
// reported. It allows for wrong time zones.
const skew = 24 * time.Hour

// Future reports whether a date is too late for a collection.
func Future(date, now time.Time) bool { return date.After(now.Add(skew)) }

// byAdding reports whether the runs of a program on a device are judged in the
// order of adding, instead of the order of dates or commits. It is true if
// dates cannot be trusted: a date is in the future, or the most recently added
// run does not have the latest date. So a wrong clock cannot prevent a check of
// a run.
func (j *judge) byAdding(program, device string) bool {
	var last *history.Run
	added := int64(0)
	for i := range j.panel.Runs {
		if r := &j.panel.Runs[i]; r.Device == device && history.SameProgram(r.Program, program) {
			last, added = r, max(added, r.ID)
		}
	}
	return last != nil && (Future(last.Time, j.now) || !j.panel.Ordered && last.ID != added)
}

// place returns a run's position in the judging order.
func (j *judge) place(run int64, byAdding bool) int {
	if byAdding {
		return int(run)
	}
	place, _ := j.panel.Place(run)
	return place
}

// Clock lists runs with wrong dates.
type Clock struct {
	Future []Ref // runs dated in the future
	// Before is the run with the latest date, if that run was added before the
	// most recently added run, which is Earlier. Otherwise both are nil.
	Earlier, Before *Ref
}

// clockOf returns the wrong dates among the runs that are compared with each
// other. Only runs up to the most recently added run count.
func clockOf(runs []history.Run, last *history.Run, now time.Time) (c Clock) {
	for i := range runs {
		r := &runs[i]
		if r.ID > last.ID || r.Device != last.Device || r.Driver != last.Driver ||
			!history.SameProgram(r.Program, last.Program) {
			continue
		}
		ref := refOf(r)
		switch {
		case Future(r.Time, now):
			c.Future = append(c.Future, ref)
		case r.Time.After(last.Time) && (c.Before == nil || r.Time.After(c.Before.Time)):
			earlier := refOf(last)
			c.Earlier, c.Before = &earlier, &ref
		}
	}
	return c
}

// group returns the program and the device without its adapter. All series with
// the same group are judged together.
func (t *Series) group() [2]string {
	device, _, _ := strings.Cut(t.Key.Device, " ")
	return [2]string{t.Key.Program, device}
}

func refOf(r *history.Run) Ref { return Ref{r.ID, r.Time, r.Commit, r.Label, r.Branch} }
