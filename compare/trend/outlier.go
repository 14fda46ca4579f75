package trend

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
	"occudiff/compare/stat"
)

// Panel is a table of values that should be alike, with a row per kernel and a
// column per run. A missing value is NaN.
type Panel [][]float64

// Outlier is a run that differs from the others in all of its kernels, or a
// single value that differs from the others in its row.
type Outlier struct {
	Row int // row of the value; -1 for the whole run
	Run int
	Off float64 // distance from the level of the row; for a whole run, the median over its rows
	P   float64 // probability of so many runs or values at that distance if nothing is wrong
}

const (
	// outlierBudget is the share of panels without outliers in which a false
	// report of whole runs is acceptable, and the share for single values. The
	// occupancies and the times of a folder are two panels, and single values
	// are searched in the first. Together, they report a run in at most one of
	// 100 folders in which no run differs (docs/design/gate-rule.md).
	outlierBudget = 0.002
	// minOthers is the smallest number of values from which a level can be
	// computed.
	minOthers = 3
	// SingleRuns is the smallest number of runs for the test of single values.
	// A value is compared with the best half of the values. With fewer runs,
	// that half has no meaningful spread.
	SingleRuns = 6
	// coreReach limits which values count for the level of a row. It is the
	// largest distance from the best half of the row, in spreads of that half.
	coreReach = 3.5
	// mostReach is the largest distance at which FindOutliers searches for the
	// smallest outlier that would be found, in spreads.
	mostReach = 60.0

	// halfFreedom is the ratio of the degrees of freedom of two spreads: the
	// spread of a half, and a standard deviation.
	halfFreedom = 0.37
	// priorRuns is the weight, in degrees of freedom, of the scatter of the
	// medians that kernel noise explains. It is small, because runs may have
	// additional noise of their own.
	priorRuns = 4.0
	// fewKernels is added to the number of kernels of a run, for the degrees of
	// freedom of its median. With only one kernel, the median has the tails of
	// a single value.
	fewKernels = 2.0
	// betterShare is the share of the budget for values on the better side. It
	// is small, because a high occupancy is seldom a problem.
	betterShare = 0.05
	// alikeKernels is the smallest weight of the typical noise of the kernels,
	// in degrees of freedom. It is needed because few kernels cannot show how
	// much their noise differs.
	alikeKernels = 20.0
	// alikeScatter is the part of an outlier's distance that no value of another
	// run may reach without being an outlier.
	alikeScatter = 0.6
	// mostRuns limits how many runs may be outliers in single kernels:
	// 1/mostRuns of all runs, but at least leastRuns. If more runs differ, or
	// differ by half as much, the differences are normal scatter.
	mostRuns, leastRuns = 6, 2
)

// FindOutliers returns the runs that are outliers as a whole, and the single
// values that are outliers among the other runs. Each list starts with the
// largest difference. Values within the floor of the gate are never outliers.
// If the floor is relative, the values must be logarithms. offs contains the
// difference of each run, or NaN if the run has no value to compare. smallest
// is the size of the smallest single outlier that would be found in a typical
// row. It is 0 if single values are not searched, and infinite if no size is
// sufficient.
//
// Outliers must not hide each other. So a value is compared with the level of
// its row, and values far from the best half of the row do not count for this
// level. The tails are determined from the values that are nearer than the
// candidates. For example, two of twelve nodes that are 20 points low in one
// kernel are compared with the other ten, using the spread of these ten.
func FindOutliers(values Panel, g Gate, single bool) (offs []float64, found []Outlier, smallest float64) {
	if len(values) == 0 {
		return nil, nil, 0
	}
	p := panel{gate: g}
	for _, row := range values {
		p.rows = append(p.rows, slices.Clone(row))
	}
	p.measure()
	offs, found = p.wholeRuns()
	for _, f := range found {
		for _, row := range p.rows {
			row[f.Run] = math.NaN()
		}
	}
	if single && len(present(offs)) >= SingleRuns {
		p.measure()
		var values []Outlier
		values, smallest = p.singleValues()
		found = append(found, values...)
	}
	return offs, found, smallest
}

// core is the level of a row, computed without the values that may be outliers.
type core struct {
	at, reach    float64 // values whose distance from at exceeds reach do not count
	n            float64
	sum, squares float64 // sums of the differences from at, and of their squares, over the values that count
}

// coreOf returns the core around the best half of the values.
func coreOf(values []float64, reach float64) core {
	at, _ := bestHalf(values)
	c := core{at: at, reach: reach}
	for _, x := range values {
		if c.counts(x) {
			c.n, c.sum, c.squares = c.n+1, c.sum+x-at, c.squares+(x-at)*(x-at)
		}
	}
	return c
}

// bestHalf returns the mean of the half whose values are nearest to each other.
// spread is the standard deviation of normal values whose best half is equally
// narrow.
func bestHalf(values []float64) (at, spread float64) {
	sorted := slices.Sorted(slices.Values(values))
	more := len(sorted) / 2 // size of the half minus one
	best := 0
	for i := range len(sorted) - more {
		if sorted[i+more]-sorted[i] < sorted[best+more]-sorted[best] {
			best = i
		}
	}
	at, _ = stat.Mean(sorted[best : best+more+1])
	return at, (sorted[best+more] - sorted[best]) * normalMAD / 2
}

func (c *core) counts(x float64) bool { return math.Abs(x-c.at) <= c.reach }

// without returns the core without one value. The value may be outside the
// core.
func (c core) without(x float64) core {
	if d := x - c.at; c.counts(x) {
		c.n, c.sum, c.squares = c.n-1, c.sum-d, c.squares-d*d
	}
	return c
}

func (c *core) mean() float64 { return c.at + c.sum/c.n }

// variance returns the variance of the values that count. It is at least least
// squared.
func (c *core) variance(least float64) stat.Variance {
	freedom := max(1, c.n-1)
	return stat.Variance{Value: max((c.squares-c.sum*c.sum/c.n)/freedom, least*least), Freedom: freedom}
}

// panel is a panel during the search for outliers.
type panel struct {
	rows  [][]float64
	gate  Gate
	cores []core // core by row; n is 0 if a row has too few values
	prior stat.Prior
}

// measure determines the cores of the rows. Rows without noise do not affect
// the estimate of the noise in other rows.
func (p *panel) measure() {
	least := p.gate.finest()
	p.cores = make([]core, len(p.rows))
	half := make([]stat.Variance, len(p.rows))
	var halves, known []stat.Variance
	for k, row := range p.rows {
		if values := present(row); len(values) >= minOthers {
			_, spread := bestHalf(values)
			half[k] = stat.Variance{Value: max(spread*spread, least*least),
				Freedom: max(1, halfFreedom*float64(len(values)-1))}
			if spread > 0 {
				halves = append(halves, half[k])
			}
		}
	}
	prior := stat.NewPrior(halves)
	for k, row := range p.rows {
		if half[k].Freedom > 0 {
			shrunk, _ := prior.Shrink(half[k])
			p.cores[k] = coreOf(present(row), coreReach*math.Sqrt(max(shrunk, half[k].Value)))
			if v := p.cores[k].variance(least); v.Value > least*least {
				known = append(known, v)
			}
		}
	}
	p.prior = stat.NewPrior(known).AtLeast(alikeKernels)
}

// present returns the values in a row that are not missing.
func present(row []float64) (values []float64) {
	for _, x := range row {
		if !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}

// wholeRuns returns the runs that are outliers in all of their kernels. It
// compares the medians of the runs with each other. The spread combines two
// parts: the scatter of the medians, and the spread that kernel noise explains.
func (p *panel) wholeRuns() (offs []float64, found []Outlier) {
	least := p.gate.finest()
	var noise []float64
	for k := range p.cores {
		if c := &p.cores[k]; c.n > 0 {
			variance, _ := p.prior.Shrink(c.variance(least))
			noise = append(noise, variance)
		}
	}
	usual, _ := stat.Median(noise)
	runs := len(p.rows[0])
	offs, counts := make([]float64, runs), make([]float64, runs)
	for run := range runs {
		var off []float64
		for k, row := range p.rows {
			if c := &p.cores[k]; c.n > 0 && !math.IsNaN(row[run]) {
				off = append(off, row[run]-c.mean())
			}
		}
		median, ok := stat.Median(off)
		if offs[run], counts[run] = median, float64(len(off)); !ok {
			offs[run] = math.NaN()
		}
	}
	beside := present(offs)
	if len(beside) < minOthers {
		return offs, nil
	}
	_, half := bestHalf(beside)
	for run, off := range offs {
		expected := usual * math.Pi / 2 / counts[run] // variance of a median of normal values
		all := coreOf(beside, coreReach*max(half, math.Sqrt(expected), least))
		others := all.without(off)
		if math.IsNaN(off) || others.n < 2 || math.Abs(off-others.mean())-p.gate.floor() <= rounding {
			continue
		}
		v := others.variance(least)
		freedom := v.Freedom + priorRuns
		spread := max(math.Sqrt((v.Freedom*v.Value+priorRuns*expected)/freedom*(1+1/others.n)), least)
		chance := stat.TwoSided((off-others.mean())/spread, min(freedom, fewKernels+counts[run]))
		if chance < outlierBudget/float64(len(beside)) {
			found = append(found, Outlier{-1, run, off, chance})
		}
	}
	return offs, sorted(found)
}

// distance is a value of the panel, with its distance from the other values in
// spreads.
type distance struct {
	Outlier
	z float64
}

// distances returns the distance of each value from the level of the other
// values in its row, in spreads, the largest first. noisy is the number of
// values in rows with noise. The spreads of these rows are scaled so that the
// median distance equals the median distance of normal values. Rows without
// noise are left out of the scaling, because their equal values would make the
// others look normal.
func (p *panel) distances() (list []distance, noisy int) {
	least := p.gate.finest()
	var sizes []float64
	for k, row := range p.rows {
		all := &p.cores[k]
		quiet := all.variance(least).Value <= least*least
		for run, x := range row {
			others := all.without(x)
			if math.IsNaN(x) || others.n < 2 || quiet && all.counts(x) {
				continue
			}
			variance, _ := p.prior.Shrink(others.variance(least))
			off := x - others.mean()
			z := math.Abs(off) / math.Sqrt(variance*(1+1/others.n))
			list = append(list, distance{Outlier{Row: k, Run: run, Off: off}, z})
			if !quiet {
				sizes = append(sizes, z)
			}
		}
	}
	if half, _ := stat.Median(sizes); half > 0 {
		for i := range list {
			list[i].z /= normalMAD * half
		}
	}
	slices.SortStableFunc(list, func(a, b distance) int { return cmp.Compare(b.z, a.z) })
	return list, len(sizes)
}

// singleValues returns the values that are outliers in their rows. A candidate
// is judged together with the farther values on its side of the row, by the
// chance that one row has so many of them. The tails of the nearer values
// determine this chance. For example, two of twelve nodes that are low in one
// kernel are judged by the chance that one kernel has two such values. If a
// single value is unlikely, all farther values are unlikely, too.
// smallest is the same as in FindOutliers.
func (p *panel) singleValues() (found []Outlier, smallest float64) {
	list, noisy := p.distances()
	var rest tail         // values nearer than the candidate
	var spreads []float64 // by value
	for i := range list {
		list[i].P = 1
		rest.see(list[i].z, 1)
		if list[i].z > 0 {
			spreads = append(spreads, math.Abs(list[i].Off)/list[i].z)
		}
	}
	n := 0.0
	for _, row := range p.rows {
		n += float64(len(present(row)))
	}
	var alone []float64       // for each candidate, the chance of such a value
	sides := map[side][]int{} // places of the candidates on each side of a row
	for i := range list {
		c := &list[i]
		if c.z < coreReach || 4*float64(i+1) > n {
			break
		}
		rest.see(c.z, -1)
		row, size := append(sides[c.side(c.Row)], i), float64(len(present(p.rows[c.Row])))
		sides[c.side(c.Row)] = row
		chance := func(k, ways float64) float64 {
			x := rest.beyond(c.z, max(0, float64(noisy-i-1)), k, ways)
			if c.Off < 0 != (p.gate.Direction == Down) {
				x /= betterShare
			}
			if x >= outlierBudget {
				return 1
			}
			return x
		}
		alone = append(alone, chance(1, math.Log(n-float64(i))))
		if m := float64(len(row)); m > 1 {
			several := chance(m, math.Log(n/size)+combin.LogGeneralizedBinomial(size, m))
			if several < min(list[row[0]].P, alone[row[0]]) { // if not, the farther values alone are less likely
				for _, k := range row {
					list[k].P = several
				}
			}
		}
	}
	reach := math.Inf(1)
	for z := mostReach; z >= coreReach; z-- {
		if rest.beyond(z, max(0, float64(noisy-len(alone))), 1, math.Log(n)) >= outlierBudget {
			break
		}
		reach = z
	}
	if typical, ok := stat.Median(spreads); ok {
		smallest = reach * typical
	}
	least := 1.0
	for i, chance := range slices.Backward(alone) {
		least = min(least, chance)
		list[i].P = min(list[i].P, least)
	}
	// If another run scatters nearly as far, the value is normal scatter, too.
	scatter := map[side]float64{} // largest distance on each side of each run that is not unlikely
	for _, d := range slices.Backward(list) {
		if d.P == 1 {
			scatter[d.side(d.Run)] = d.z
		}
	}
	runs := map[int]bool{}
	for _, c := range list[:len(alone)] {
		nearly := 0.0
		for at, z := range scatter {
			if at.low == (c.Off < 0) && at.of != c.Run {
				nearly = max(nearly, z)
			}
		}
		if c.P < 1 && math.Abs(c.Off)-p.gate.floor() > rounding && nearly < alikeScatter*c.z {
			runs[c.Run] = true
			found = append(found, c.Outlier)
		}
	}
	if len(runs) > max(leastRuns, len(p.rows[0])/mostRuns) {
		found = nil
	}
	return sorted(found), max(p.gate.floor(), smallest)
}

// side is a row or a run, and whether its values are low.
type side struct {
	of  int
	low bool
}

func (o Outlier) side(of int) side { return side{of, o.Off < 0} }

// sorted returns outliers, the largest difference first.
func sorted(list []Outlier) []Outlier {
	slices.SortStableFunc(list, func(a, b Outlier) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Off), math.Abs(a.Off)), cmp.Compare(a.Row, b.Row),
			cmp.Compare(a.Run, b.Run))
	})
	return list
}

// freedoms lists the possible degrees of freedom for a tail, from heavy to
// nearly normal. Half of them are nearly normal. Otherwise, 30 values could not
// exclude heavy tails, in which a value 10 spreads off is likely.
var freedoms = [...]float64{2.5, 3.5, 6, 12, 22, 30, 50, 200}

// tails contains Student's t distributions with these degrees of freedom.
// They are scaled so that the median absolute deviation equals the normal
// distribution's.
var tails = func() (all [len(freedoms)]distuv.StudentsT) {
	for i, freedom := range freedoms {
		all[i] = distuv.StudentsT{Sigma: 1, Nu: freedom}
		all[i].Sigma = 1 / normalMAD / all[i].Quantile(0.75)
	}
	return all
}()

// tail contains the log-likelihood of some distances, for each number of
// degrees of freedom.
type tail [len(freedoms)]float64

// see adds a distance, or removes it if the sign is -1.
func (t *tail) see(z, sign float64) {
	for i := range t {
		t[i] += sign * tails[i].LogProb(z)
	}
}

// beyond returns the probability that k values are at least as far off as z, on
// one side. ways is the logarithm of the number of ways in which this can
// happen. The tail is determined from the nearer values.
func (t *tail) beyond(z, nearer, k, ways float64) float64 {
	var logs, chances [len(freedoms)]float64
	for i := range t {
		share := tails[i].CDF(-z)
		logs[i] = t[i] - nearer*math.Log1p(-2*share)
		chances[i] = min(1, math.Exp(ways+k*math.Log(share)))
	}
	best := slices.Max(logs[:])
	sum, chance := 0.0, 0.0
	for i := range logs {
		likely := math.Exp(logs[i] - best)
		sum += likely
		chance += likely * chances[i]
	}
	return chance / sum
}
