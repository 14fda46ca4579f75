package trend

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
	"occudiff/compare/stat"
)

// Panel are values that ought to be alike: a row for each kernel, in which every run has a place; NaN where it has no
// value.
type Panel [][]float64

// Aside is what lies aside in a panel: a run over all of its kernels, or one value.
type Aside struct {
	Row int // -1 for the whole run
	Run int
	Off float64 // from the level of its row; of a whole run the median over its rows
	P   float64 // chance that one run, or one value, lies as far off on either side
}

// AsideBudget is the share of panels in which nothing lies aside that may name whole runs, and that may name single
// values; with 0 they are not looked for.
type AsideBudget struct{ Runs, Values float64 }

// FolderBudget is that of a folder of runs, for occupancies; times have that of whole runs once more. Together they name
// somebody for nothing in less than one folder in a hundred (docs/gate.md), with room for noise that is not known.
func FolderBudget() AsideBudget { return AsideBudget{Runs: 0.002, Values: 0.0018} }

const (
	// leastBeside is how many values must stand beside each other before one of them can lie aside.
	leastBeside = 3
	// priorRuns is how many degrees of freedom the scatter of the medians is worth that the noise of the kernels makes:
	// runs may have noise of their own, so it is not worth many.
	priorRuns = 4.0
	// fewKernels is added to the kernels of a run for the degrees of freedom of its median, which has the tails of a
	// single value where it is of one kernel.
	fewKernels = 2.0
	// pseudoValues over the number of values is how many values of Student's t with 3 degrees of freedom are added to
	// those that the tails are told from: the fewer there are, the less it says that none of them is an outlier.
	pseudoValues, mostPseudo = 4000, 100
)

// Asides says which runs lie aside as a whole and, of the other runs, which single values; the farthest off first. What
// is within the floor of the gate is never named; of a relative one the values are logarithms. offs are those of each run, NaN where nothing stands beside it.
//
// It goes by what the gate goes by: levels and spreads that outliers cannot move, spreads shrunk over the kernels, and
// the tails that the runs themselves show. One value of hundreds that could be named lies beyond all that can be
// counted, so the tail goes on as that of Student's t does, with the degrees of freedom that the values of the other
// runs show, each weighted by how likely it is.
func Asides(values Panel, g Gate, budget AsideBudget) (offs []float64, found []Aside) {
	if len(values) == 0 {
		return nil, nil
	}
	p := panel{gate: g}
	for _, row := range values {
		p.rows = append(p.rows, slices.Clone(row))
	}
	p.measure()
	offs, found = p.wholeRuns(budget.Runs)
	for _, f := range found { // the rest is held against the rest
		for _, row := range p.rows {
			row[f.Run] = math.NaN()
		}
	}
	if budget.Values > 0 {
		p.measure()
		found = append(found, p.singleValues(budget.Values)...)
	}
	return offs, found
}

// panel is one that is looked at.
type panel struct {
	rows   [][]float64
	gate   Gate
	levels []level // of the rows; n is 0 where too few stand beside each other
	prior  stat.Prior
}

// measure takes the levels of the rows.
func (p *panel) measure() {
	p.levels = make([]level, len(p.rows))
	var known []stat.Variance
	for k, row := range p.rows {
		if values := present(row, -1); len(values) >= leastBeside {
			p.levels[k] = levelOf(values, p.gate.finest())
			known = append(known, p.levels[k].variance())
		}
	}
	p.prior = stat.NewPrior(known)
}

// present gives the values that are there, but for that of one run.
func present(row []float64, but int) (values []float64) {
	for run, x := range row {
		if run != but && !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}

// wholeRuns finds the runs that lie aside over all of their kernels: their medians are held against each other, whose
// spread is that of the medians and of what the noise of the kernels makes of a median.
func (p *panel) wholeRuns(budget float64) (offs []float64, found []Aside) {
	var noise []float64
	for _, l := range p.levels {
		if l.n > 0 {
			variance, _ := p.prior.Shrink(l.variance())
			noise = append(noise, variance)
		}
	}
	usual, _ := stat.Median(noise)
	runs := len(p.rows[0])
	offs, counts := make([]float64, runs), make([]int, runs)
	for run := range runs {
		var off []float64
		for k, row := range p.rows {
			if l := p.levels[k]; l.n > 0 && !math.IsNaN(row[run]) {
				off = append(off, row[run]-l.at)
			}
		}
		median, ok := stat.Median(off)
		if offs[run], counts[run] = median, len(off); !ok {
			offs[run] = math.NaN()
		}
	}
	beside := present(offs, -1)
	if len(beside) < leastBeside {
		return offs, nil
	}
	all := levelOf(beside, p.gate.finest())
	v := all.variance()
	for run, off := range offs {
		if math.IsNaN(off) || math.Abs(off-all.at)-p.gate.floor() <= rounding {
			continue
		}
		expected := usual * math.Pi / 2 / float64(counts[run]) // the variance of a median of normal values
		freedom := v.Freedom + priorRuns
		at := all
		at.spread = max(math.Sqrt((v.Freedom*v.Value+priorRuns*expected)/freedom), p.gate.finest())
		chance := stat.TwoSided(at.distance(off-all.at), min(freedom, fewKernels+float64(counts[run])))
		if chance < budget/float64(len(beside)) {
			found = append(found, Aside{-1, run, off, chance})
		}
	}
	return offs, sorted(found)
}

// distances gives how far each value lies off the level of the others in its row, in spreads; NaN where too few stand
// beside it. They are scaled so that half of them lie as near as those of a normal distribution do.
func (p *panel) distances() [][]float64 {
	all := make([][]float64, len(p.rows))
	var sizes []float64
	for k, row := range p.rows {
		all[k] = make([]float64, len(row))
		for run, x := range row {
			if all[k][run] = math.NaN(); p.levels[k].n == 0 || math.IsNaN(x) {
				continue
			}
			others := levelOf(present(row, run), p.gate.finest())
			others.spread = others.shrunk(p.prior)
			z := others.distance(x - others.at)
			all[k][run], sizes = z, append(sizes, math.Abs(z))
		}
	}
	if half, _ := stat.Median(sizes); half > 0 {
		for _, row := range all {
			for run := range row {
				row[run] /= normalMAD * half
			}
		}
	}
	return all
}

// singleValues finds the values that lie aside in their rows.
func (p *panel) singleValues(budget float64) (found []Aside) {
	z := p.distances()
	tails := make([]tail, len(p.rows[0])) // by the values of each run
	all, values := tail{}, 0
	students := studentModels()
	for k, row := range z {
		for run, x := range row {
			if math.IsNaN(x) {
				continue
			}
			values++
			// What the printed digit hides says nothing of the tails.
			if math.Abs(p.rows[k][run]-p.levels[k].at) > p.gate.finest() {
				tails[run].see(students, x)
			}
		}
	}
	pseudo := min(pseudoValues/max(values, 1), mostPseudo)
	for q := range pseudo {
		all.see(students, students[three].Quantile((float64(q)+0.5)/float64(pseudo)))
	}
	for run := range tails {
		floats.Add(all[:], tails[run][:])
	}
	for run := range tails {
		others := all
		floats.Sub(others[:], tails[run][:])
		for k, row := range p.rows {
			off := row[run] - p.levels[k].at
			if math.IsNaN(z[k][run]) || math.Abs(off)-p.gate.floor() <= rounding {
				continue
			}
			if chance := others.beyond(students, math.Abs(z[k][run])); chance < budget/float64(values) {
				found = append(found, Aside{k, run, off, chance})
			}
		}
	}
	return sorted(found)
}

// sorted puts what lies the farthest off first.
func sorted(list []Aside) []Aside {
	slices.SortStableFunc(list, func(a, b Aside) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Off), math.Abs(a.Off)), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Run, b.Run))
	})
	return list
}

// freedoms are the degrees of freedom that a tail may have, from those of few values of a heavy one to those of a tail
// that is next to normal; three is the place of what the gate assumes of what it has not seen.
var freedoms = [...]float64{1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 13, 17, 22, 30, 50}

const three = 3

// models are Student's t of these degrees of freedom, with the median absolute deviation of a normal distribution.
type models [len(freedoms)]distuv.StudentsT

func studentModels() *models {
	all := new(models)
	for i, freedom := range freedoms {
		all[i] = distuv.StudentsT{Sigma: 1, Nu: freedom}
		all[i].Sigma = 1 / normalMAD / all[i].Quantile(0.75)
	}
	return all
}

// tail is how likely each number of degrees of freedom is by some distances, as logarithms.
type tail [len(freedoms)]float64

// see takes a distance into account.
func (t *tail) see(all *models, z float64) {
	for i := range all {
		t[i] += all[i].LogProb(z)
	}
}

// beyond gives the share of values that lie as far off as z or farther, on either side.
func (t *tail) beyond(all *models, z float64) float64 {
	best := slices.Max(t[:])
	sum, share := 0.0, 0.0
	for i := range t {
		likely := math.Exp(t[i] - best)
		sum += likely
		share += likely * 2 * all[i].CDF(-z)
	}
	return share / sum
}
