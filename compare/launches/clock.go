package launches

import (
	"iter"
	"math"
	"slices"
)

const (
	rateStep    = 0.01 // first step size of the search for the clock ratio in gaps
	clockNoise  = 1e-4 // relative error of a sample's clocks: counters are read at slightly different times
	leastSpread = 1e-3 // smallest spread that widens an interval, relative to the time that a sample refers to
	goodFit     = 5e-3 // largest relative residual at which one clock ratio in gaps explains the clocks
	clockWindow = 3    // samples on each side, during which the clock in launches is nearly constant
)

// counted is a sample with its clocks, and its time inside and outside
// launches.
type counted struct {
	*sample
	in, out float64
}

// fitClock sets the time that each sample's percentages refer to. A percentage
// is a share of the sample's clocks, and the GPU's clock may be slower between
// launches: clocks = rate in launches x (time in launches + ratio x time
// outside). For example, if a launch at 60% fills half of a sample, the sample
// shows 46% at a ratio of 0.3. The rate changes only slowly from sample to
// sample, as GPUs throttle. The ratio is assumed to be the same in the whole
// run. If one ratio does not explain the clocks, the rate is bounded by the
// neighboring samples: it is between their largest clocks / length and their
// smallest clocks / time in launches.
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
		for _, l := range open { // the launches are sorted by start
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

// residualsOf returns the unexpected relative changes of the clock rate during
// launches, from sample to sample. A change is unexpected if the previous
// change does not predict it.
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

// ratioOf returns the clock ratio for which the rate in launches changes most
// smoothly, with its bounds.
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

// clockChanges reports whether the bounds of the clock differ enough to matter.
func (d *recording) clockChanges() bool {
	return slices.ContainsFunc(d.samples, func(y sample) bool { return y.used[2]-y.used[1] > leastSpread*y.used[0] })
}
