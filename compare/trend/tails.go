package trend

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// far is where distances are cut, in standard deviations: how far beyond does not matter.
	far = 5.0
	// grain is the width of a bin of distances.
	grain = 0.1
	bins  = 2*int(far/grain) + 1
	// pseudo is how many distances are added from Student's t with 3 degrees of freedom: with few runs of few kernels
	// nobody knows that there are no outliers.
	pseudo = 50.0
	// size of the transform: it holds the sums of the longest window.
	size = 2048
)

// lengths are the windows that are looked at, in runs. A single run proves nothing.
var lengths = [...]int{2, 3, 4, 5, 6, 8, 10, 14, 20}

// tails counts how far runs lay off their baselines, worse being positive.
type tails [bins]float64

// startTails gives what is assumed before anything was seen.
func startTails() (t tails) {
	// Scaled so that its median absolute deviation is that of a normal distribution.
	student := distuv.StudentsT{Mu: 0, Sigma: 0.882, Nu: 3}
	for i := range t {
		low, high := math.Inf(-1), math.Inf(1)
		if i > 0 {
			low = binAt(i) - grain/2
		}
		if i < bins-1 {
			high = binAt(i) + grain/2
		}
		t[i] = pseudo * (student.CDF(high) - student.CDF(low))
	}
	return t
}

func binAt(i int) float64 { return float64(i)*grain - far }

func binOf(z float64) int { return int(math.Round((clip(z, far) + far) / grain)) }

func (t *tails) add(z, weight float64) { t[binOf(z)] += weight }

func (t *tails) merge(other *tails, weight float64) {
	for i, n := range other {
		t[i] += weight * n
	}
}

func (t *tails) count() (n float64) {
	for _, c := range t {
		n += c
	}
	return n
}

// chances says how likely sums of distances are, of as many runs as a window has, when distances come as they were
// counted and one run knows nothing of the next.
type chances struct {
	mean  float64
	above [len(lengths)][]float64 // above[k][i] is P(sum >= i*grain - lengths[k]*far)
}

// transform turns tails into chances: the distribution of a sum is the power of the transform.
func (t *tails) chances(fft *fourier.FFT, lengths []int) *chances {
	c := &chances{}
	total := t.count()
	share := make([]float64, size)
	for i, n := range t {
		share[i] = n / total
		c.mean += share[i] * binAt(i)
	}
	base := fft.Coefficients(nil, share)
	power := make([]complex128, len(base))
	for i := range power {
		power[i] = 1
	}
	raised := 0
	out := make([]float64, size)
	for k, l := range lengths {
		for ; raised < l; raised++ {
			for i := range power {
				power[i] *= base[i]
			}
		}
		fft.Sequence(out, power)
		n := l*(bins-1) + 1
		c.above[k] = make([]float64, n)
		sum := 0.0
		for i := n - 1; i >= 0; i-- {
			sum += max(0, out[i]/size)
			c.above[k][i] = min(1, sum)
		}
	}
	return c
}

// chance gives P(sum of lengths[k] distances >= s).
func (c *chances) chance(k int, s float64) float64 {
	l := float64(lengths[k])
	i := int(math.Floor((s+l*far)/grain + 1e-6))
	return c.above[k][max(0, min(i, len(c.above[k])-1))]
}
