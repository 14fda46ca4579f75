package launches

import (
	"iter"
	"math"
	"slices"
)

const (
	rateStep    = 0.01 // first step of the search for the rate of gaps
	clockNoise  = 1e-4 // relative error of a sample's clocks: counters are read a little apart
	leastSpread = 1e-3 // relative, of the time that a sample uses: less does not widen an interval
	goodFit     = 5e-3 // relative residual up to which one rate of the gaps explains the clocks
	clockWindow = 3    // samples on each side in which the clock in launches is nearly constant
)

// counted is a sample with its clocks, and its time in launches and outside.
type counted struct {
	*sample
	in, out float64
}

// fitClock finds the time that each sample's percentages are shares of. They
// are shares of its clocks, and the GPU's clock may be slower between launches:
// clocks = rate in launches x (time in launches + ratio x time outside). For
// example, a sample that a launch of 60% fills by half shows 46% if the ratio is
// 0.3. The rate changes slowly from sample to sample, because GPUs throttle. The
// ratio is one number. If it does not explain the clocks, the rate in launches
// is between the largest clocks / length and the smallest clocks / time in
// launches of the samples around.
func (d *recording) fitClock() {
	list := d.counted()
	if len(list) < clockWindow {
		return
	}
	ratio, low, high := ratioOf(list)
	residuals := slices.Collect(residualsOf(list, ratio))
	for i, y := range list {
		y.used = [...]float64{y.in + ratio*y.out, y.in + low*y.out, y.in + high*y.out}
		if slices.Max(residuals[min(max(i-2, 0), len(residuals)-1):min(i+1, len(residuals))]) <= goodFit {
			continue
		}
		slowest, fastest := 0.0, math.Inf(1)
		for _, o := range list[max(i-clockWindow, 0):min(i+clockWindow+1, len(list))] {
			slowest, fastest = max(slowest, o.clocks/(o.in+o.out)), min(fastest, o.clocks/o.in)
		}
		least, most := max(y.clocks/max(slowest, fastest), y.in), min(y.clocks/min(slowest, fastest), y.in+y.out)
		y.used = [...]float64{(least + most) / 2, least, most}
	}
}

// counted returns the samples that contain launches and clocks.
func (d *recording) counted() (list []counted) {
	var open []span
	next := 0
	for i := range d.samples {
		y := &d.samples[i]
		length := y.end - y.start
		y.used = [...]float64{length, length, length}
		open = slices.DeleteFunc(open, func(l span) bool { return l.end <= y.start })
		for ; next < len(d.launches) && d.launches[next].start < y.end; next++ {
			open = append(open, d.launches[next])
		}
		in, until := 0.0, y.start
		for _, l := range open { // in the order of their starts
			if from, to := max(l.start, until), min(l.end, y.end); to > from {
				in, until = in+to-from, to
			}
		}
		if in > 0 && y.clocks > 0 {
			list = append(list, counted{y, in, length - in})
		}
	}
	return list
}

// residualsOf returns the relative changes of the clock in launches from one
// sample to the next that the change before does not predict.
func residualsOf(list []counted, ratio float64) iter.Seq[float64] {
	rate := func(y counted) float64 { return math.Log(y.clocks / max(y.in+ratio*y.out, 1e-9)) }
	return func(yield func(float64) bool) {
		a, b := rate(list[0]), rate(list[1])
		for _, y := range list[2:] {
			c := rate(y)
			if !yield(math.Abs(a-2*b+c) / math.Sqrt(6)) {
				return
			}
			a, b = b, c
		}
	}
}

// ratioOf returns the ratio of the clock's rates with which the rate in launches
// changes most smoothly, and its bounds.
func ratioOf(list []counted) (best, low, high float64) {
	left := func(ratio float64) (sum float64) {
		for r := range residualsOf(list, ratio) {
			sum += r
		}
		return sum
	}
	best = 1.0
	least := left(1)
	for step, from, to := rateStep, 0.0, 1.0; step > 1e-5; step, from, to = step/10, best-step, best+step {
		for v := max(from, 0); v < min(to, 1); v += step {
			if sum := left(v); sum < least*(1-1e-9) {
				best, least = v, sum
			}
		}
	}
	limit := least + 4*(least/float64(len(list))+clockNoise)
	edge := func(to float64) float64 {
		from := best
		for range 15 {
			mid := (from + to) / 2
			if left(mid) <= limit {
				from = mid
			} else {
				to = mid
			}
		}
		return to
	}
	return best, edge(0), edge(1)
}

// clockChanges reports whether the bounds of the clock matter.
func (d *recording) clockChanges() bool {
	return slices.ContainsFunc(d.samples, func(y sample) bool { return y.used[2]-y.used[1] > leastSpread*y.used[0] })
}
