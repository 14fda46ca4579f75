package trend

import (
	"math"
	"slices"
)

// search finds the change points of one window after the other, and keeps its tables between them.
type search struct {
	p      float64
	values []float64
	// rows[t*n+k] is the sum of |v[t]-v[j]| for t < j <= k, and columns[t] the sum of |v[i]-v[t]| for i < t.
	rows, columns []float64
	within        []float64 // sums of rows from below, of the interval at hand
	across        []float64 // sums of rows from above
}

// candidate is the best place to cut an interval of the window.
type candidate struct {
	start, end, index int
	q                 float64
	ok                bool
}

// window gives the change points of a window, ascending. It cuts at the best place of all intervals as long as the cut
// is significant. Only the two new intervals are searched after a cut; the others keep their candidates.
func (s *search) window(values []float64) []int {
	s.tabulate(values)
	cuts := []candidate{s.best(0, len(values))}
	var found []int
	for {
		next := -1
		for i, c := range cuts {
			if c.ok && (next < 0 || c.q > cuts[next].q) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		c := cuts[next]
		p := studentP(describe(values[c.start:c.index]), describe(values[c.index:c.end]))
		if !(p <= s.p) {
			break
		}
		found = append(found, c.index)
		cuts = slices.Replace(cuts, next, next+1, s.best(c.start, c.index), s.best(c.index, c.end))
	}
	slices.Sort(found)
	return found
}

// tabulate sums the distances of the window's values.
func (s *search) tabulate(values []float64) {
	n := len(values)
	s.values = values
	s.rows = slices.Grow(s.rows[:0], n*n)[:n*n]
	s.within = slices.Grow(s.within[:0], n*n)[:n*n]
	s.columns = slices.Grow(s.columns[:0], n)[:n]
	s.across = slices.Grow(s.across[:0], n)[:n]
	clear(s.columns)
	for t, v := range values {
		row := s.rows[t*n : t*n+n]
		sum := 0.0
		for j := t + 1; j < n; j++ {
			d := math.Abs(values[j] - v)
			sum += d
			row[j] = sum
			s.columns[j] += d
		}
	}
}

// best gives the index t with the largest energy distance between [start, t) and [t, end'), over all t and all end' up
// to end (Q of Matteson and James with alpha = 1):
//
//	Q(X, Y) = 2/(m+n) sum|x-y| - 2m/((m+n)(n-1)) sum|x-x'| - 2n/((m+n)(m-1)) sum|y-y'|   with n = |X|, m = |Y|
//
// Every sum comes from the one before it, so an interval takes O(length^2). The order of additions is that of Otava's
// matrices: with whole numbers several places can have equal Q, and then the last bit would decide.
func (s *search) best(start, end int) candidate {
	c := candidate{start: start, end: end}
	if end-start < 2 {
		return c
	}
	s.sumBelow(start, end)
	n := len(s.values)
	across := s.across[start:end]
	clear(across)
	before := 0.0 // sum of distances within [start, t)
	for t := start + 1; t < end; t++ {
		above := s.rows[(t-1)*n : t*n]
		for k := t; k < end; k++ {
			across[k-start] += above[k]
		}
		if t > start+1 {
			before += s.column(start, t-1)
		}
		s.row(&c, t, before)
	}
	return c
}

// row looks through all ends of the second part for a cut at t.
func (s *search) row(c *candidate, t int, before float64) {
	n := len(s.values)
	x := float64(t - c.start)
	within := s.within[t*n : t*n+n]
	// Where the table has no entry (an end before t) its value is 0, and it takes part: if all distances of real cuts
	// are negative, Otava cuts at the first such place. Only significance decides whether the cut is taken.
	if t > c.start+1 && (!c.ok || 0 > c.q) {
		c.index, c.q, c.ok = t, 0, true
	}
	for k := t; k < c.end; k++ {
		y := float64(k + 1 - t)
		both := x + y
		q := float64(2 / both * (s.across[k] - before))
		if x > 1 {
			q -= float64(2 * y / (both * (x - 1)) * before)
		}
		if y > 1 {
			q -= float64(2 * x / (both * (y - 1)) * within[k])
		}
		if !c.ok || q > c.q {
			c.index, c.q, c.ok = t, q, true
		}
	}
}

// sumBelow fills within[t][k] with the distances within [t, k], adding rows from the bottom.
func (s *search) sumBelow(start, end int) {
	n := len(s.values)
	clear(s.within[(end-1)*n : (end-1)*n+end])
	for t := end - 2; t > start; t-- {
		row, below, sum := s.rows[t*n:t*n+end], s.within[(t+1)*n:(t+1)*n+end], s.within[t*n:t*n+end]
		sum[t] = 0
		for k := t + 1; k < end; k++ {
			sum[k] = below[k] + row[k]
		}
	}
}

// column gives the sum of |v[i]-v[t]| for start <= i < t.
func (s *search) column(start, t int) float64 {
	skipped := 0.0
	for _, v := range s.values[:start] {
		skipped += math.Abs(s.values[t] - v)
	}
	return s.columns[t] - skipped
}
