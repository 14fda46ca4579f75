package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Variance is a measured variance with its degrees of freedom.
type Variance struct{ Value, Freedom float64 }

// Prior describes the variances of several series by the typical variance, and
// by its weight in degrees of freedom. The weight is large if the variances of
// the series are similar, and small if they differ (Smyth 2004, "Linear models
// and empirical Bayes methods", section 6.2,
// https://doi.org/10.2202/1544-6115.1027). The zero value contains no
// information.
type Prior struct{ variance, freedom float64 }

const (
	// mostFreedom limits the weight of a prior.
	mostFreedom = 60.0
	// leastSeries is the smallest number of series from which a prior can be
	// estimated.
	leastSeries = 3
)

// PriorOf returns a prior with the given variance and degrees of freedom.
func PriorOf(v Variance) Prior { return Prior{v.Value, v.Freedom} }

// NewPrior returns the prior estimated from measured variances, which must be
// above zero.
func NewPrior(of []Variance) Prior {
	if len(of) < leastSeries {
		return Prior{}
	}
	sum, freedom := 0.0, 0.0
	logs := make([]float64, len(of))
	for i, v := range of {
		logs[i] = math.Log(v.Value) - logBias(v.Freedom)
		sum += logs[i]
		freedom += v.Freedom
	}
	n, squares := float64(len(of)), 0.0
	mean := sum / n
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	// The scatter of the logarithms has two sources: measurement error, and the
	// scatter of the true variances. The difference is the second.
	between := squares/(n-1) - trigamma(freedom/n/2)
	if between <= 0 {
		return Prior{math.Exp(mean), mostFreedom}
	}
	d := min(mostFreedom, 2*inverseTrigamma(between))
	return Prior{math.Exp(mean + logBias(d)), d}
}

// AtLeast returns the prior with a weight of at least the given degrees of
// freedom. A prior without information does not change.
func (p Prior) AtLeast(freedom float64) Prior {
	if p.freedom > 0 {
		p.freedom = max(p.freedom, freedom)
	}
	return p
}

// logBias returns the mean difference between the logarithm of a measured
// variance with d degrees of freedom and the logarithm of the true variance.
func logBias(d float64) float64 { return mathext.Digamma(d/2) - math.Log(d/2) }

func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma returns the x with trigamma(x) = y, by bisecting the
// logarithm.
func inverseTrigamma(y float64) float64 {
	low, high := math.Log(1e-3), math.Log(1e4)
	for range 60 {
		if middle := (low + high) / 2; trigamma(math.Exp(middle)) > y {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(low)
}

// Shrink returns a variance combined with the prior, and its degrees of
// freedom.
func (p Prior) Shrink(v Variance) (value, freedom float64) {
	freedom = v.Freedom + p.freedom
	return (v.Freedom*v.Value + p.freedom*p.variance) / freedom, freedom
}

// TwoSided returns the probability that the magnitude of a Student's t is at
// least |t|.
func TwoSided(t, freedom float64) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t))
}

// Holm reports which of several tests are significant if the probability of
// even one false positive among them is at most alpha (Holm 1979). It compares
// the smallest p with alpha / n, the next with alpha / (n - 1), and so on,
// until one fails.
func Holm(ps []float64, alpha float64) []bool {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	significant := make([]bool, len(ps))
	for i, k := range order {
		if ps[k] >= alpha/float64(len(ps)-i) {
			break
		}
		significant[k] = true
	}
	return significant
}
