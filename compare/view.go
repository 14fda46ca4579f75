package compare

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
