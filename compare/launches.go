package compare

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// launchRows are the rows of a run that keeps every launch. There may be millions, so a row is made when it is asked for:
// from its packed kernel and from what is predicted for its kernel, which launches share. What decides the order and the
// counts is kept.
type launchRows struct {
	list      *ingest.Launches
	forecasts [2][]forecast // of each shape, without and with barriers
	found     []found       // of each launch
	extra     []Row         // of timings of logs that no launch explains; their places follow those of the launches
	order     []uint32      // the place of each row
}

// found is what came out for a launch.
type found struct {
	verdict, cause uint8 // into verdicts and causes; no cause is len(causes)
	noted          bool  // see Noted
}

var (
	verdicts = [...]Verdict{Match, Below, Above, Unmeasurable, NoPrediction, NoMeasurement, NotAKernel}
	causes   = Causes()
)

// forecast is what is predicted for a kernel, or why nothing is.
type forecast struct {
	made      bool
	predicted *predict.Prediction
	why       string
	modelPeak unit.Ratio           // Row.ModelPeak
	otherPeak unit.Opt[unit.Ratio] // Row.OtherPolicyPeak
	xves      XVEs
}

// compareLaunches judges every launch once.
func (r *Result) compareLaunches(list *ingest.Launches) {
	l := &launchRows{list: list, found: make([]found, list.Len())}
	l.forecasts[0], l.forecasts[1] = make([]forecast, list.Shapes()), make([]forecast, list.Shapes())
	r.launches = l
	var k ingest.Kernel
	for i := range list.Len() {
		list.Into(i, &k)
		r.taskTime += k.Total.Or(0)
		if f := l.forecast(i, &k); !f.made && k.IsKernel() {
			*f = r.forecast(&k)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	share := (list.Len() + workers - 1) / workers
	var all sync.WaitGroup
	for first := 0; first < list.Len(); first += share {
		all.Go(func() {
			var row Row
			for i := first; i < min(first+share, list.Len()); i++ {
				r.build(i, &row, false)
				l.found[i] = whatFound(&row)
			}
		})
	}
	all.Wait()
}

// forecast gives the place of what is predicted for a launch.
func (l *launchRows) forecast(i int, k *ingest.Kernel) *forecast {
	return &l.forecasts[k.LeastBarriers()][l.list.Shape(i)]
}

func whatFound(row *Row) found {
	f := found{verdict: uint8(slices.Index(verdicts[:], row.Verdict)), cause: uint8(len(causes)), noted: noted(row)}
	if row.Cause != nil {
		f.cause = uint8(slices.Index(causes, row.Cause.Name))
	}
	return f
}

// begin makes the row of a launch as far as its verdict, false when it is no kernel.
func (r *Result) begin(place int, row *Row) bool {
	l := r.launches
	*row = Row{}
	l.list.Into(place, &row.Kernel)
	if !row.Kernel.IsKernel() {
		row.Verdict = NotAKernel
		return false
	}
	row.take(l.forecast(place, &row.Kernel))
	r.derive(row)
	r.judge(row)
	return true
}

// build makes the whole row of a launch, the texts of its cause only when asked to.
func (r *Result) build(place int, row *Row, tell bool) {
	if r.begin(place, row) {
		row.Cause = r.cause(row, tell)
		r.checkRow(row)
	}
}

// orderLaunches sorts places where ordinary rows are moved, and gives the row of each place.
func (r *Result) orderLaunches() (to func(place int) int) {
	type key struct {
		total     float64
		place     uint32
		attention uint8
	}
	l := r.launches
	var k ingest.Kernel
	keys := make([]key, r.Len())
	for i := range keys {
		keys[i] = key{place: uint32(i)}
		if at := i - l.list.Len(); at >= 0 {
			keys[i].total, keys[i].attention = float64(l.extra[at].Total.Or(-1)), uint8(attention(l.extra[at].Verdict))
			continue
		}
		l.list.Into(i, &k)
		keys[i].total, keys[i].attention = float64(k.Total.Or(-1)), uint8(attention(verdicts[l.found[i].verdict]))
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.attention, b.attention), cmp.Compare(b.total, a.total), cmp.Compare(a.place, b.place))
	})
	l.order = make([]uint32, len(keys))
	for i := range keys {
		l.order[i] = keys[i].place
	}
	return func(place int) int { return slices.Index(l.order, uint32(place)) }
}

// KeepsLaunches says whether the rows are launches, many of one kernel, which Row and All make when they are asked for. Rows
// is empty then.
func (r *Result) KeepsLaunches() bool { return r.launches != nil }

// Len gives the number of rows.
func (r *Result) Len() int {
	if l := r.launches; l != nil {
		return l.list.Len() + len(l.extra)
	}
	return len(r.Rows)
}

// Row gives a row, which must not be changed. Where rows are not held it is made in into, or anew when that is nil. It is
// safe for concurrent use.
func (r *Result) Row(i int, into *Row) *Row {
	row, place := r.held(i)
	if row != nil {
		return row
	}
	if into == nil {
		into = new(Row)
	}
	r.build(place, into, true)
	return into
}

// held gives a row that is held, else the place of its launch.
func (r *Result) held(i int) (*Row, int) {
	l := r.launches
	if l == nil {
		return &r.Rows[i], i
	}
	place := int(l.order[i])
	if at := place - l.list.Len(); at >= 0 {
		return &l.extra[at], place
	}
	return nil, place
}

// All gives the rows in order. A row is good until the next one and must not be changed.
func (r *Result) All() iter.Seq2[int, *Row] {
	return func(yield func(int, *Row) bool) {
		var row Row
		for i := range r.Len() {
			if !yield(i, r.Row(i, &row)) {
				return
			}
		}
	}
}

// Skim is All for counting and choosing: of rows that are not held, Cause has its name alone and Notes are left out.
// Noted says whether there are any.
func (r *Result) Skim() iter.Seq2[int, *Row] {
	return func(yield func(int, *Row) bool) {
		var row Row
		names := make([]Cause, len(causes)+1)
		for i, name := range causes {
			names[i].Name = name
		}
		for i := range r.Len() {
			held, place := r.held(i)
			if held == nil {
				held = &row
				r.begin(place, held)
				if c := r.launches.found[place].cause; int(c) < len(causes) {
					held.Cause = &names[c]
				}
			}
			if !yield(i, held) {
				return
			}
		}
	}
}

// Noted says whether there is something to say of row i: notes, or why a kernel has no prediction.
func (r *Result) Noted(i int) bool {
	row, place := r.held(i)
	if row == nil {
		return r.launches.found[place].noted
	}
	return noted(row)
}

func noted(row *Row) bool {
	return len(row.Notes) > 0 || row.Predicted == nil && row.NoPredictionWhy != "" && row.Verdict != NotAKernel
}
