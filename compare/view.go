package compare

// View gives the result with some of its rows, in another order. What it sums up is still of all rows.
func (r *Result) View(rows []int) *Result {
	v := *r
	v.Rows = make([]Row, len(rows))
	to := make([]int, len(r.Rows)) // the place of each row, -1 of those that are left out
	for i := range to {
		to[i] = -1
	}
	for i, row := range rows {
		to[row], v.Rows[i] = i, r.Rows[row]
	}
	v.place = make([]int, len(r.place))
	for kernel, row := range r.place {
		v.place[kernel] = to[row]
	}
	v.Timings = nil
	for _, t := range r.Timings {
		if t.Row >= 0 {
			if t.Row = to[t.Row]; t.Row < 0 {
				continue
			}
		}
		v.Timings = append(v.Timings, t)
	}
	return &v
}
