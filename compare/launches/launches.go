// Package launches tells from all samples and launches of a run what occupancy each kernel had, also where its launches
// are shorter than a sample. It does not know files or layout.
package launches

import (
	"math"
	"math/rand/v2"

	"occudiff/ingest"
)

// Estimate is the mean occupancy over the launches of a task, in percent. The truth lies within Margin of it in 95 of
// 100 runs; a task that no sample tells from another has a margin of 100 or more.
type Estimate struct {
	Task         int
	Mean, Margin float64
	Samples      int64 // that hold some of a launch
}

const (
	draws      = 200  // of blocks, with replacement
	ridge      = 1e-9 // of the diagonal, so that a draw without a part has a solution
	undecided  = 1e-4 // of a part, for which no other accounts: below it, parts are told only together
	normal95   = 1.96
	leastUnits = 8 // blocks below which their spread says little
	// withinLaunches was set on 500 runs with known truth, where intervals hold it in 95 of 100, and checked on a
	// simulated GPU.
	withinLaunches = 2
)

// Solve gives an estimate for each task of a mix: weighted least squares of the samples' values on the shares that the
// parts of launches have in them. The interval is that of a block bootstrap, since samples follow each other, with what
// values change within launches: a sample that holds the end of one launch beside another is not of the first one's
// mean.
func Solve(m *ingest.Mix) []Estimate {
	if m == nil || len(m.Parts) == 0 || len(m.Blocks) == 0 {
		return nil
	}
	n, tasks := len(m.Parts), 0
	for _, p := range m.Parts {
		tasks = max(tasks, p.Task+1)
	}
	// How often each block counts: once for the estimate, as drawn for the bootstrap.
	all := make([]int, len(m.Blocks))
	for i := range all {
		all[i] = 1
	}
	a, b := sum(m, all)
	parts := solve(a, b)
	means := byTask(m, tasks, parts)
	sums, squares := make([]float64, tasks), make([]float64, tasks)
	// A fixed seed: the same input gives the same margins.
	r := rand.New(rand.NewPCG(1, 2))
	for range draws {
		clear(all)
		for range all {
			all[r.IntN(len(all))]++
		}
		for t, v := range byTask(m, tasks, solve(sum(m, all))) {
			sums[t] += v - means[t]
			squares[t] += (v - means[t]) * (v - means[t])
		}
	}
	lost := together(a, n)
	within := changes(m, tasks, parts)
	margins := make([]float64, tasks)
	for t := range tasks {
		spread := squares[t]/draws - sums[t]/draws*sums[t]/draws
		// The bootstrap divides by k where a sample of k has k - 1 degrees of freedom.
		if k := float64(len(m.Blocks)); k > 1 {
			spread *= k / (k - 1)
		}
		margins[t] = min(normal95*math.Sqrt(max(spread, 0)+within[t]*within[t]), 100)
	}
	list := make([]Estimate, 0, tasks)
	for t := range tasks {
		list = append(list, Estimate{Task: t, Mean: means[t], Margin: passedOn(m, a, margins, t)})
	}
	for i, p := range m.Parts {
		e := &list[p.Task]
		e.Samples = max(e.Samples, p.Samples)
		// A margin of 100 says that nothing is known: an occupancy is 0 to 100 anyway.
		if lost[i] || len(m.Blocks) < leastUnits {
			e.Margin = 100
		}
	}
	return list
}

// passedOn is the margin of a task with those of the tasks in its samples: what one of them has too much of the slot
// time there, the other has too little of.
func passedOn(m *ingest.Mix, a, margins []float64, t int) float64 {
	own, shared, n := 0.0, make([]float64, len(margins)), len(m.Parts)
	for i, p := range m.Parts {
		for j, o := range m.Parts {
			switch {
			case p.Task != t:
			case o.Task == t:
				own += a[i*n+j]
			default:
				shared[o.Task] += a[i*n+j]
			}
		}
	}
	sum := margins[t] * margins[t]
	for o, v := range shared {
		if own > 0 {
			sum += margins[o] * margins[o] * v / own * v / own
		}
	}
	return math.Sqrt(sum)
}

// sum adds up blocks, each so many times.
func sum(m *ingest.Mix, times []int) (shares, values []float64) {
	n := len(m.Parts)
	shares, values = make([]float64, n*n), make([]float64, n)
	for i, k := range times {
		if k == 0 {
			continue
		}
		for j, v := range m.Blocks[i].Shares {
			shares[j] += float64(k) * v
		}
		for j, v := range m.Blocks[i].Values {
			values[j] += float64(k) * v
		}
	}
	return shares, values
}

// solve solves the normal equations within 0 to 100: what is beyond is set to the end, and the rest solved again.
func solve(a, b []float64) []float64 {
	n := len(b)
	x, fixed, most := make([]float64, n), make([]bool, n), 0.0
	for i := range n {
		most = max(most, a[i*n+i])
	}
	// Each turn sets one at least, so n turns do.
	for range n {
		left, y := make([]float64, n*n), make([]float64, n)
		for i := range n {
			if fixed[i] {
				left[i*n+i], y[i] = 1, x[i]
				continue
			}
			y[i] = b[i]
			for j := range n {
				if fixed[j] {
					y[i] -= a[i*n+j] * x[j]
				} else {
					left[i*n+j] = a[i*n+j]
				}
			}
			left[i*n+i] += a[i*n+i]*ridge + most*ridge
		}
		// Cholesky and not a general solver: the normal equations are symmetric, and a draw is solved 200 times.
		if !factor(left, n) {
			return x
		}
		substitute(left, y)
		again := false
		for i := range n {
			x[i] = min(max(y[i], 0), 100)
			if x[i] != y[i] {
				fixed[i], again = true, true
			}
		}
		if !again {
			break
		}
	}
	return x
}

// factor puts L of a = L L' (Cholesky) in the lower triangle of a, whose rows follow each other; false where a is not
// positive definite.
func factor(a []float64, n int) bool {
	for j := range n {
		for i := j; i < n; i++ {
			v := a[i*n+j]
			for k := range j {
				v -= a[i*n+k] * a[j*n+k]
			}
			if i > j {
				a[i*n+j] = v / a[j*n+j]
			} else if a[j*n+j] = math.Sqrt(v); !(v > 0) {
				return false
			}
		}
	}
	return true
}

// substitute puts x of L L' x = b in place of b.
func substitute(l, b []float64) {
	n := len(b)
	for i := range n {
		for k := range i {
			b[i] -= l[i*n+k] * b[k]
		}
		b[i] /= l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= l[k*n+i] * b[k]
		}
		b[i] /= l[i*n+i]
	}
}

// byTask gives the means of tasks from those of their parts.
func byTask(m *ingest.Mix, tasks int, parts []float64) []float64 {
	means, seconds := make([]float64, tasks), make([]float64, tasks)
	for i, p := range m.Parts {
		means[p.Task] += parts[i] * p.Seconds
		seconds[p.Task] += p.Seconds
	}
	for t := range means {
		means[t] /= math.Max(seconds[t], math.SmallestNonzeroFloat64)
	}
	return means
}

// together finds the parts that are told only together with others: they always share samples in the same proportion,
// so that the others account for all of them. What they leave is one over the diagonal of the inverse.
func together(a []float64, n int) []bool {
	lost, scaled := make([]bool, n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			if d := math.Sqrt(a[i*n+i] * a[j*n+j]); d > 0 {
				scaled[i*n+j] = a[i*n+j] / d
			}
		}
		scaled[i*n+i] = 1 + ridge
	}
	known := factor(scaled, n)
	for i := range n {
		lost[i] = !known || a[i*n+i] == 0
		if !lost[i] {
			column := make([]float64, n)
			column[i] = 1
			substitute(scaled, column)
			lost[i] = column[i]*undecided > 1
		}
	}
	return lost
}

// changes is by how much the mean of a task may be off because values change within launches: what runs beside it in
// its samples is the end or the beginning of others, and not their mean. It is what the mixes do not explain of the
// values, for as much as others take of its samples.
func changes(m *ingest.Mix, tasks int, parts []float64) []float64 {
	b, n, rest := &m.Mixed, len(parts), 0.0
	if b.Weight > 0 { // the squares of what is left: (y - x b)^2
		rest = b.Squares
		for i := range n {
			rest -= 2 * parts[i] * b.Values[i]
			for j := range n {
				rest += parts[i] * b.Shares[i*n+j] * parts[j]
			}
		}
		rest = math.Sqrt(max(rest, 0) / b.Weight)
	}
	own, others := make([]float64, tasks), make([]float64, tasks)
	for _, p := range m.Parts {
		own[p.Task] += p.Own
		others[p.Task] += p.Others
	}
	list := make([]float64, tasks)
	for t := range list {
		if own[t] > 0 {
			list[t] = withinLaunches * rest * others[t] / own[t]
		}
	}
	return list
}
