package compare

import (
	"iter"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// What follows is for callers that do not read Rows yet.

// Len gives the number of rows.
func (r *Result) Len() int { return len(r.Rows) }

// Row gives a row.
func (r *Result) Row(i int, _ *Row) *Row { return &r.Rows[i] }

// Bare is Row.
func (r *Result) Bare(i int, _ *Row) *Row { return &r.Rows[i] }

// Key gives the key of row i, sizes trimmed.
func (r *Result) Key(i int) ingest.Key { return r.Rows[i].Kernel.Key().Trim() }

// Tell does nothing.
func (r *Result) Tell(*Row) {}

// Task gives the name of the task of row i.
func (r *Result) Task(i int) string { return r.Rows[i].Task }

// Noted says whether there is something to say of row i.
func (r *Result) Noted(i int) bool { return r.Rows[i].Noted() }

// All gives the rows in order.
func (r *Result) All() iter.Seq2[int, *Row] {
	return func(yield func(int, *Row) bool) {
		for i := range r.Rows {
			if !yield(i, &r.Rows[i]) {
				return
			}
		}
	}
}

// AllWithoutText is All.
func (r *Result) AllWithoutText() iter.Seq2[int, *Row] { return r.All() }

// Certainty gives the bounds for a row.
func (r *Result) Certainty(row *Row) Certainty { return r.certainty(row) }

// TimeShare is the part of the GPU time of all tasks that a row takes.
func (r *Result) TimeShare(row *Row) unit.Opt[unit.Ratio] {
	t, ok := row.Total.Value()
	all := r.Summary.GPUTime.Or(0)
	if !ok || all <= 0 {
		return unit.Opt[unit.Ratio]{}
	}
	return unit.Some(unit.Ratio(t / all))
}

// Worth says what more occupancy is worth to a row.
func (r *Result) Worth(row *Row) Worth { return row.Worth }

// Account gives the account of a row, nil when it has none.
func (r *Result) Account(row *Row) *Account { return row.Account }

// Figures gives the account of a row.
func (r *Result) Figures(row *Row) (a Account, ok bool) {
	if row.Account != nil {
		return *row.Account, true
	}
	return a, false
}

// View gives the result with some of its rows, in another order. What it sums up is still of all rows.
func (r *Result) View(rows []int) *Result {
	v := *r
	number := make(map[int]int, len(rows))
	v.Rows = make([]Row, len(rows))
	for i, row := range rows {
		number[row], v.Rows[i] = i, r.Rows[row]
	}
	if r.launches != nil {
		v.launches = r.launches.Of(func(kernel int) bool {
			_, shown := number[r.place[kernel]]
			return shown
		})
		v.place = make([]int, len(r.place))
		for kernel, row := range r.place {
			v.place[kernel] = number[row]
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

// Data gives row i of what programs read, and how many there are: the launches where they are there, else the kernels.
func (r *Result) Data(i int, into *Row) *Row {
	if r.LaunchCount() == 0 {
		return &r.Rows[i]
	}
	r.setLaunch(into, i)
	return into
}

// DataLen gives the number of those.
func (r *Result) DataLen() int {
	if n := r.LaunchCount(); n > 0 {
		return n
	}
	return len(r.Rows)
}

// PerLaunch said whether each row is a launch.
func (r *Result) PerLaunch() bool { return false }
