package trend

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// far is where distances are cut, in spreads: it is unknown tails beyond
	// it.
	far = 5.0
	// grain is the width of a bin of distances.
	grain = 0.05
	bins  = int(far/grain) + 1
	// pseudo is how many distances are added from Student's t with 3 degrees of
	// freedom: with few runs of few kernels it is unknown that there are no
	// outliers.
	pseudo = 50.0
	// memory is how many checks the tails and the autocorrelation come from.
	memory = 60
	// late is how many checks the tails lag behind, so that a drop does not
	// excuse itself, and lateGood the better one: an improvement is not known
	// to be one for some runs.
	late, lateGood = 3, 2 * hold
	// unrelated is how many pairs of neighboring runs without correlation are
	// assumed before any was seen: a dozen pairs cannot tell an autocorrelation
	// of 0.3 from none.
	unrelated = 20.0
	// ownWeight is how many runs of its own a kernel needs until its tails
	// count as much as those of all.
	ownWeight = 20.0
)

// side is the one of a level on which a run lies.
type side int

const (
	bad side = iota
	good
	sides
)

// tails counts runs by how far they lie off their levels.
type tails [sides][bins]float64

func binOf(z float64) int { return min(bins-1, int(math.Abs(z)/grain+1e-9)) }

func sideOf(z float64) side {
	if z >= 0 {
		return bad
	}
	return good
}

// moment is what one check says of the noise.
type moment struct {
	tails
	n              float64 // of its distances
	pairs, squares float64
}

// noise is what is known of the noise of all kernels.
type noise struct {
	moments []moment       // of all checks
	count   [sides]float64 // of all distances in the last checks without the late ones of a side
	student [bins]float64  // share of the pseudo-distances at or beyond a distance, on one side
	share   tails          // of all distances, the same
	rho     float64        // autocorrelation
}

func newNoise() *noise {
	n := &noise{}
	// Scaled so that its median absolute deviation is that of a normal
	// distribution.
	t := distuv.StudentsT{Mu: 0, Sigma: 0.882, Nu: 3}
	for i := range n.student {
		n.student[i] = 1 - t.CDF(float64(i)*grain)
	}
	return n
}

// lag is how many checks the tails of a side lag behind.
var lag = [sides]int{bad: late, good: lateGood}

// add counts a distance in a check, weight being -1 to take it out again. The
// shares follow with the next check.
func (n *noise) add(check int, z, weight float64) {
	last := len(n.moments) - 1
	if math.IsNaN(z) || check <= last-memory {
		return
	}
	m := &n.moments[check]
	m.tails[sideOf(z)][binOf(z)] += weight
	m.n += weight
	for s := range sides {
		if check <= last-lag[s] {
			n.count[s] += weight
		}
	}
}

// pair counts two neighboring distances of a kernel in the newest check, and
// gives their product and square. Two runs far off are a drop, and not
// autocorrelation.
func (n *noise) pair(z, before float64) (product, square float64) {
	if math.IsNaN(z) || math.IsNaN(before) || min(math.Abs(z), math.Abs(before)) >= far {
		return 0, 0
	}
	z, before = clip(z, 3), clip(before, 3)
	product, square = z*before, (z*z+before*before)/2
	m := &n.moments[len(n.moments)-1]
	m.pairs, m.squares = m.pairs+product, m.squares+square
	return product, square
}

// sum turns counts into shares.
func (n *noise) sum() {
	last := len(n.moments) - 1
	for s := range sides {
		var tail [bins]float64
		n.count[s] = 0
		for check := max(0, last-memory+1); check <= last-lag[s]; check++ {
			m := &n.moments[check]
			n.count[s] += m.n
			for bin, c := range m.tails[s] {
				tail[bin] += c
			}
		}
		beyond := 0.0
		for i := bins - 1; i >= 0; i-- {
			beyond += tail[i]
			n.share[s][i] = (beyond + pseudo*n.student[i]) / (n.count[s] + pseudo)
		}
	}
}

// next begins a check.
func (n *noise) next() {
	last := len(n.moments)
	n.moments = append(n.moments, moment{})
	n.sum()
	pairs, squares := 0.0, unrelated
	for _, m := range n.moments[max(0, last-memory):last] {
		pairs, squares = pairs+m.pairs, squares+m.squares
	}
	n.rho = min(max(pairs/squares, 0), 0.9)
}

// beyond returns the share of the runs of all kernels that lie as far off as z
// or farther, on a side. Some runs do not count: those that are asked about.
// Beyond far it falls as that of Student's t with 3 degrees of freedom does:
// with the third power.
func (n *noise) beyond(z float64, s side, but []run) float64 {
	if z > far {
		return n.beyond(far, s, but) * math.Pow(far/z, 3)
	}
	own := 0.0
	for _, u := range but {
		if u.known && u.check <= len(n.moments)-1-lag[s] && sideOf(u.z) == s && binOf(u.z) >= binOf(z) {
			own++
		}
	}
	return n.share[s][binOf(z)] - own/(n.count[s]+pseudo)
}

// severityOf returns as how many runs that know nothing of each other m runs
// count, against a level of n runs: neighbors know of each other (rho), and all
// of them are compared with one level.
func severityOf(m, n int, rho float64) float64 {
	a := (1 + rho) / (1 - rho)
	runs := 1 + float64(m-1)/a
	common := locationLoss * a / (float64(n) + locationLoss*a)
	return runs / (1 + (runs-1)*common)
}
