// Package launches tells from all samples and launches of a run what occupancy each kernel had, also where its launches
// are shorter than a sample. It does not know files or layout.
package launches

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
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
	undecided  = 1e-6 // of a scaled matrix's largest eigenvalue: below it, parts are told only together
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
	all := make([]int, len(m.Blocks))
	for i := range all {
		all[i] = 1
	}
	a, b := sum(m, all)
	parts := solve(a, b)
	means := byTask(m, tasks, parts)
	sums, squares := make([]float64, tasks), make([]float64, tasks)
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
		if lost[i] || len(m.Blocks) < leastUnits {
			e.Margin = 100
		}
	}
	return list
}

// passedOn is the margin of a task with those of the tasks in its samples: what one of them has too much of the slot
// time there, the other has too little of.
func passedOn(m *ingest.Mix, a *mat.SymDense, margins []float64, t int) float64 {
	own, shared := 0.0, make([]float64, len(margins))
	for i, p := range m.Parts {
		for j, o := range m.Parts {
			switch {
			case p.Task != t:
			case o.Task == t:
				own += a.At(i, j)
			default:
				shared[o.Task] += a.At(i, j)
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
func sum(m *ingest.Mix, times []int) (a *mat.SymDense, b *mat.VecDense) {
	n := len(m.Parts)
	shares, values := make([]float64, n*n), make([]float64, n)
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
	return mat.NewSymDense(n, shares), mat.NewVecDense(n, values)
}

// solve solves the normal equations within 0 to 100: what is beyond is set to the end, and the rest solved again.
func solve(a *mat.SymDense, b *mat.VecDense) []float64 {
	n := b.Len()
	x, fixed, most := make([]float64, n), make([]bool, n), 0.0
	for i := range n {
		most = max(most, a.At(i, i))
	}
	for range n {
		var open []int
		for i := range n {
			if !fixed[i] {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			break
		}
		left, right := mat.NewSymDense(len(open), nil), mat.NewVecDense(len(open), nil)
		for k, i := range open {
			v := b.AtVec(i)
			for j := range n {
				if fixed[j] {
					v -= a.At(i, j) * x[j]
				}
			}
			right.SetVec(k, v)
			for l, j := range open[k:] {
				left.SetSym(k, k+l, a.At(i, j))
			}
			left.SetSym(k, k, a.At(i, i)*(1+ridge)+most*ridge)
		}
		var c mat.Cholesky
		y := mat.NewVecDense(len(open), nil)
		if c.Factorize(left) {
			_ = c.SolveVecTo(y, right) // its error is that the matrix is ill conditioned, which together finds
		}
		again := false
		for k, i := range open {
			x[i] = min(max(y.AtVec(k), 0), 100)
			if x[i] != y.AtVec(k) {
				fixed[i], again = true, true
			}
		}
		if !again {
			break
		}
	}
	return x
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

// together finds the parts that are told only together with others: they always share samples in the same proportion.
func together(a *mat.SymDense, n int) []bool {
	lost := make([]bool, n)
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			if d := math.Sqrt(a.At(i, i) * a.At(j, j)); d > 0 {
				scaled.SetSym(i, j, a.At(i, j)/d)
			}
		}
		lost[i] = scaled.At(i, i) == 0
	}
	var e mat.EigenSym
	if !e.Factorize(scaled, true) {
		for i := range lost {
			lost[i] = true
		}
		return lost
	}
	var v mat.Dense
	e.VectorsTo(&v)
	for k, value := range e.Values(nil) {
		for i := range n {
			if value < undecided*float64(n) && math.Abs(v.At(i, k)) > 0.1 {
				lost[i] = true
			}
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
