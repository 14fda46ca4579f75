package compare

import (
	"cmp"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"occudiff/ingest"
	"occudiff/ingest/ahead"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// rows makes the rows of a result when they are asked for: from the kernels as the run holds them, and from what is
// predicted for their settings. There may be millions, so that only what decides the order and the counts is kept of
// each.
type rows struct {
	kernels   *ingest.Kernels
	extra     *ingest.Kernels // of timings of logs that no kernel explains; their places follow those of the kernels
	forecasts []forecast      // by setting, without and with barriers; nil where there are too many to keep
	found     []found         // by place
	order     []uint32        // the place of each row
}

// maxForecasts is how many settings have their forecast kept: a few dozen are usual, and making one takes less than a
// microsecond.
const maxForecasts = 1 << 14

// found is what came out for a kernel.
type found struct {
	verdict, cause uint8 // into verdicts and causes; no cause is len(causes)
	noted          bool  // see Noted
}

var (
	verdicts = [...]Verdict{Match, Idle, Below, Above, Unmeasurable, NoPrediction, NoMeasurement, NotAKernel}
	causes   = Causes()
)

// forecast is what is predicted for a kernel, or why nothing is.
type forecast struct {
	predicted *predict.Prediction
	why       string
	modelPeak unit.Ratio // Row.ModelPeak
	xves      XVEs
}

// setRows judges every kernel once.
func (r *Result) setRows(kernels *ingest.Kernels) {
	r.rows = rows{kernels: kernels, extra: &ingest.Kernels{}, found: make([]found, kernels.Len())}
	if n := kernels.Settings(); n <= maxForecasts {
		r.rows.forecasts = make([]forecast, 2*n)
		for i := range r.rows.forecasts {
			k := kernels.SettingKernel(i / 2)
			k.Barriers = unit.Some(int64(i % 2))
			r.rows.forecasts[i] = r.forecast(&k)
		}
	}
	for i, k := range kernels.All() {
		r.taskTime += k.Total.Or(0)
		if k.Idle.Present() && k.Measured.Present() && k.IsKernel() {
			f := r.forecastAt(i, k)
			r.kernelTime.add(k, reach(f.predicted, k))
		}
		if k.Device != "" {
			r.adapterTime.add(k.Device, k.Total.Or(0))
		}
	}
	if r.fromSummary { // which lists the hottest tasks alone
		r.taskTime = max(r.taskTime, r.Platform.GPUTime.Or(0))
	}
	workers := runtime.GOMAXPROCS(0)
	share := (kernels.Len() + workers - 1) / workers
	var all sync.WaitGroup
	for first := 0; first < kernels.Len(); first += share {
		all.Go(func() {
			var row Row
			for i := first; i < min(first+share, kernels.Len()); i++ {
				r.build(i, &row, false)
				r.rows.found[i] = whatFound(&row)
			}
		})
	}
	all.Wait()
}

// addRow adds the row of a log's timing and gives its place.
func (r *Result) addRow(k *ingest.Kernel) int {
	l, place := &r.rows, len(r.rows.found)
	l.extra.Append(k)
	var row Row
	r.build(place, &row, false)
	l.found = append(l.found, whatFound(&row))
	return place
}

func whatFound(row *Row) found {
	f := found{verdict: uint8(slices.Index(verdicts[:], row.Verdict)), cause: uint8(len(causes)), noted: row.Noted()}
	if row.Cause != nil {
		f.cause = uint8(slices.Index(causes, row.Cause.Name))
	}
	return f
}

// kernel makes the kernel of a place.
func (l *rows) kernel(place int, k *ingest.Kernel) {
	if at := place - l.kernels.Len(); at >= 0 {
		l.extra.Into(at, k)
	} else {
		l.kernels.Into(place, k)
	}
}

// begin makes a row as far as its verdict, false when it is no kernel.
func (r *Result) begin(place int, row *Row) bool {
	l := &r.rows
	*row = Row{FromLog: place >= l.kernels.Len()}
	l.kernel(place, &row.Kernel)
	if !row.Kernel.IsKernel() {
		row.Verdict = NotAKernel
		return false
	}
	f := r.forecastAt(place, &row.Kernel)
	r.decide(row, &f)
	return true
}

// decide holds a row against what is predicted for it, as far as its verdict.
func (r *Result) decide(row *Row, f *forecast) {
	row.take(*f)
	if row.Task == ingest.WholeRun {
		row.NoPrediction = "the summary names no task: the value is of the whole run"
	}
	r.derive(row)
	if held, known := row.BusyOccupancy.Value(); known && row.Task == ingest.WholeRun {
		row.NoPrediction += fmt.Sprintf(". XVEs were idle %.1f %% of the time; those that ran held %.1f %%",
			row.Idle.Or(0).Percent(), held.Percent())
	}
	r.judge(row)
}

// Judge gives the row of a kernel as far as its verdict, whether or not the kernel is one of the result's.
func (r *Result) Judge(k *ingest.Kernel) Row {
	row, f := Row{Kernel: *k}, r.forecast(k)
	r.decide(&row, &f)
	return row
}

// forecastAt gives what is predicted for the kernel of a place.
func (r *Result) forecastAt(place int, k *ingest.Kernel) forecast {
	if l := &r.rows; l.forecasts != nil && place < l.kernels.Len() {
		return l.forecasts[2*l.kernels.Setting(place)+k.LeastBarriers()]
	}
	return r.forecast(k)
}

// take fills in what is predicted.
func (row *Row) take(f forecast) {
	row.Predicted, row.NoPrediction, row.ModelPeak, row.XVEs = f.predicted, f.why, f.modelPeak, f.xves
}

// build makes the whole row, the texts of its cause only when asked to.
func (r *Result) build(place int, row *Row, tell bool) {
	if r.begin(place, row) {
		row.Cause = r.cause(row, tell)
		r.checkRow(row, tell)
	}
}

// sort puts the rows in order for reading: what needs attention first, then by slot time lost, then by time; equal ones
// stay in the order of the file. The rows of timings are then known by their number, no longer by their place.
func (r *Result) sort() {
	type key struct {
		total unit.Seconds
		lost  float32
		place uint32
	}
	l := &r.rows
	l.order = make([]uint32, 0, len(l.found))
	var row Row
	var keys []key
	for class := range attentions { // one after the other: the keys of millions of rows take more than the rows
		n := 0
		for i := range l.found {
			if attention(verdicts[l.found[i].verdict]) == class {
				n++
			}
		}
		keys = slices.Grow(keys[:0], n)
		for i := range l.found {
			row.Verdict = verdicts[l.found[i].verdict]
			if attention(row.Verdict) != class {
				continue
			}
			l.kernel(i, &row.Kernel)
			if row.mayLose() {
				row.take(r.forecastAt(i, &row.Kernel))
			}
			keys = append(keys, key{row.Total.Or(-1), float32(row.Lost()), uint32(i)})
		}
		slices.SortFunc(keys, func(a, b key) int {
			return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(b.total, a.total), cmp.Compare(a.place, b.place))
		})
		for _, k := range keys {
			l.order = append(l.order, k.place)
		}
	}
	number := make(map[int]int, len(r.Timings))
	for i := range r.Timings {
		number[r.Timings[i].Row] = -1
	}
	for i, place := range l.order {
		if _, timed := number[int(place)]; timed {
			number[int(place)] = i
		}
	}
	for i := range r.Timings {
		r.Timings[i].Row = number[r.Timings[i].Row]
	}
	if l.forecasts == nil {
		l.arrange()
	}
}

// arrange puts the kernels in the order of the rows, which are read many times from here on.
func (l *rows) arrange() {
	n := l.kernels.Len()
	order := make([]uint32, 0, n)
	moved := make([]found, n, len(l.found))
	for i, place := range l.order {
		if int(place) < n { // those of timings stay where they are
			moved[len(order)] = l.found[place]
			l.order[i] = uint32(len(order))
			order = append(order, place)
		}
	}
	l.found = append(moved, l.found[n:]...)
	l.kernels.Arrange(order)
}

// PerLaunch reports whether each row is one launch, and not all launches of a kernel.
func (r *Result) PerLaunch() bool { return r.instances }

// Len gives the number of rows.
func (r *Result) Len() int {
	if r.Rows != nil {
		return len(r.Rows)
	}
	return len(r.rows.order)
}

// Row gives a row, which must not be changed. It is made in into, or anew when that is nil. It is safe for concurrent
// use.
func (r *Result) Row(i int, into *Row) *Row {
	if r.Rows != nil {
		return &r.Rows[i]
	}
	if into == nil {
		into = new(Row)
	}
	r.build(int(r.rows.order[i]), into, true)
	return into
}

// Bare is Row without the texts, which take longer than the rest: Cause has no Because and no Decide, and of the notes
// there are the codes.
func (r *Result) Bare(i int, into *Row) *Row {
	if r.Rows != nil {
		return &r.Rows[i]
	}
	r.build(int(r.rows.order[i]), into, false)
	return into
}

// Judged is Bare without cause and notes.
func (r *Result) Judged(i int, into *Row) *Row {
	if r.Rows != nil {
		return &r.Rows[i]
	}
	r.begin(int(r.rows.order[i]), into)
	return into
}

// Key gives the key of row i, sizes trimmed.
func (r *Result) Key(i int) ingest.Key {
	if r.Rows != nil {
		return r.Rows[i].Kernel.Key().Trim()
	}
	var k ingest.Kernel
	r.rows.kernel(int(r.rows.order[i]), &k)
	return k.Key().Trim()
}

// Tell gives the cause of a bare row its texts.
func (r *Result) Tell(row *Row) {
	if r.Rows == nil && row.Cause != nil {
		row.Cause = r.cause(row, true)
	}
}

// Task gives the name of the task of row i.
func (r *Result) Task(i int) string {
	if r.Rows != nil {
		return r.Rows[i].Task
	}
	var k ingest.Kernel
	r.rows.kernel(int(r.rows.order[i]), &k)
	return k.Task
}

// All gives the rows in order. A row is good until the next one and must not be changed.
func (r *Result) All() iter.Seq2[int, *Row] {
	return r.each(func(i int, row *Row) { r.build(int(r.rows.order[i]), row, true) })
}

// AllWithoutText is All for counting and choosing: it makes no texts, so that Cause has its name alone and there are no
// Notes. Noted says whether a row has any.
func (r *Result) AllWithoutText() iter.Seq2[int, *Row] {
	names := make([]Cause, len(causes))
	for i, name := range causes {
		names[i].Name = name
	}
	return r.each(func(i int, row *Row) {
		place := r.rows.order[i]
		r.begin(int(place), row)
		if c := r.rows.found[place].cause; int(c) < len(causes) {
			row.Cause = &names[c]
		}
	})
}

// each gives all rows as build makes them, some of them ahead.
func (r *Result) each(build func(i int, row *Row)) iter.Seq2[int, *Row] {
	return func(yield func(int, *Row) bool) {
		for i := range r.Rows {
			if !yield(i, &r.Rows[i]) {
				return
			}
		}
		for i, row := range ahead.Items(len(r.rows.order), build) {
			if !yield(i, row) {
				return
			}
		}
	}
}

// Noted says whether there is something to say of row i: notes, or why a kernel has no prediction.
func (r *Result) Noted(i int) bool {
	if r.Rows != nil {
		return r.Rows[i].Noted()
	}
	return r.rows.found[r.rows.order[i]].noted
}

// View gives the result with some of its rows, in another order. What it sums up is still of all rows.
func (r *Result) View(rows []int) *Result {
	v := *r
	number := make(map[int]int, len(rows))
	if r.Rows != nil {
		v.Rows = make([]Row, len(rows))
	} else {
		v.rows.order = make([]uint32, len(rows))
	}
	for i, row := range rows {
		number[row] = i
		if r.Rows != nil {
			v.Rows[i] = r.Rows[row]
		} else {
			v.rows.order[i] = r.rows.order[row]
		}
	}
	v.Timings = nil
	for _, t := range r.Timings {
		at, shown := number[t.Row]
		if t.Row >= 0 {
			t.Row = at
		}
		if shown || t.Row < 0 {
			v.Timings = append(v.Timings, t)
		}
	}
	return &v
}
