package launches

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"occudiff/ingest"
	"occudiff/internal/testenv"
)

// clock returns the clock rate at a time. since is the time since the start of
// the gap.
type clock func(at, since float64) float64

// clockedRun is a run on a GPU with a variable clock. Times are in intervals.
type clockedRun struct {
	list    []span
	levels  []float64
	in, gap clock // clock rates in launches and in gaps; gap is relative to in
}

// newClockedRun returns a run with one to three alternating kernels. Launches
// last 0.05 to 4 sampling intervals, and gaps last 0.02 to 1.
func newClockedRun(r *rand.Rand) *clockedRun {
	x := &clockedRun{}
	var lengths []float64
	for range 1 + r.IntN(3) {
		x.levels = append(x.levels, 5+95*r.Float64())
		lengths = append(lengths, 0.05*math.Pow(4/0.05, r.Float64()))
	}
	gap, spread := 0.02*math.Pow(1/0.02, r.Float64()), 0.2+0.8*r.Float64()
	for at := 0.5; at < 250; {
		for k, l := range lengths {
			end := at + l*(0.98+0.04*r.Float64())
			x.list = append(x.list, span{k, at, end})
			at = end + gap*(1-spread+2*spread*r.Float64())
		}
	}
	return x
}

// recording returns the samples of the run. A share cut of the samples is cut
// short by context switches. A share lost is missing, so that the next sample
// is longer.
func (x *clockedRun) recording(r *rand.Rand, cut, lost float64) *ingest.Recording {
	rec := &ingest.Recording{Trace: &ingest.Trace{}}
	ns := func(at float64) int64 { return int64(math.Round(at * 1e6)) }
	for task := range x.levels {
		rec.Trace.Task(ingest.Key{Task: fmt.Sprint(task)})
	}
	for _, l := range x.list {
		rec.Trace.Add(ingest.Launch{Start: ns(l.start), End: ns(l.end), Task: uint32(l.task)})
	}
	rec.Trace.Finish()
	var ends []float64
	for at := 1.0; at < x.list[len(x.list)-1].end+4; at++ {
		if r.Float64() < cut {
			ends = append(ends, at-r.Float64())
		}
		if r.Float64() >= lost {
			ends = append(ends, at)
		}
	}
	const steps = 800 // simulation steps per interval
	from, next, ended := 0.0, 0, 0.0
	for _, end := range ends {
		clocks, used := 0.0, 0.0
		n := max(int((end-from)*steps), 1)
		for i := range n {
			at, dt := from+(end-from)*(float64(i)+0.5)/float64(n), (end-from)/float64(n)
			for next < len(x.list) && x.list[next].end <= at {
				ended, next = x.list[next].end, next+1
			}
			if next < len(x.list) && x.list[next].start <= at {
				c := dt * x.in(at, 0)
				clocks, used = clocks+c, used+c*x.levels[x.list[next].task]
			} else {
				clocks += dt * x.in(at, 0) * x.gap(at, at-ended)
			}
		}
		v := float32(used / max(clocks, 1e-12) / 100)
		rec.Add(ingest.CounterSample{At: ns(end), Length: ns(end) - ns(from), Measured: v, Active: v / 2, Stalled: v / 4,
			Clocks: float32(clocks * 1e6)})
		from = end
	}
	return rec
}

// TestClock checks runs whose clock is slower between launches or changes over
// time. Percentages are shares of clocks, but the true value is a share of
// time.
func TestClock(t *testing.T) {
	runs := uint64(4)
	if testenv.All() && !testing.Short() {
		runs = 24
	}
	constant := func(*rand.Rand) clock { return func(_, _ float64) float64 { return 1 } }
	slow := func(r *rand.Rand) clock {
		rate := 0.1 + 0.7*r.Float64()
		return func(_, _ float64) float64 { return rate }
	}
	throttles := func(r *rand.Rand) clock {
		to, within := 0.5+0.4*r.Float64(), 50+500*r.Float64()
		return func(at, _ float64) float64 { return to + (1-to)*math.Exp(-at/within) }
	}
	parks := func(r *rand.Rand) clock { // the clock slows down some time after a launch
		after := 0.05 + 0.3*r.Float64()
		return func(_, since float64) float64 {
			if since > after {
				return 0
			}
			return 1
		}
	}
	steps := func(r *rand.Rand) clock {
		every, low := 5+40*r.Float64(), 0.5+0.4*r.Float64()
		return func(at, _ float64) float64 {
			if int(at/every)%2 == 1 {
				return low
			}
			return 1
		}
	}
	in, all := 0, 0
	for _, c := range []struct {
		reason    string
		in, gap   func(*rand.Rand) clock
		cut, lost float64
		width     float64 // largest median width of the intervals
	}{
		{"constant clock", constant, constant, 0, 0, 1},
		{"constant clock, cut and lost samples", constant, constant, 0.1, 0.03, 1},
		{"slow gaps", constant, slow, 0, 0, 1},
		{"slow gaps, cut and lost samples", constant, slow, 0.1, 0.03, 1},
		{"throttling", throttles, constant, 0, 0, 1},
		{"throttling, slow gaps", throttles, slow, 0.1, 0.03, 1},
		{"the clock changes in steps", steps, slow, 0, 0, 4},
		{"gaps are parked", constant, parks, 0, 0, 4},
		{"gaps are parked, cut and lost samples", throttles, parks, 0.1, 0.03, 4},
	} {
		widths, errors := []float64{}, []float64{}
		for seed := range runs {
			r := rand.New(rand.NewPCG(seed, 77))
			x := newClockedRun(r)
			x.in, x.gap = c.in(r), c.gap(r)
			for k, v := range NewEstimates(x.recording(r, c.cut, c.lost)).Tasks {
				o, want := v[Occupancy], x.levels[k]
				all++
				if o.Low <= want && want <= o.High {
					in++
				} else {
					t.Logf("%s: seed %d kernel %d: %.2f, estimated %.2f to %.2f", c.reason, seed, k, want, o.Low, o.High)
				}
				errors, widths = append(errors, math.Abs(o.Mean-want)), append(widths, o.High-o.Low)
			}
		}
		slices.Sort(widths)
		slices.Sort(errors)
		width, n := widths[len(widths)/2], len(errors)
		t.Logf("%s: width %.2f in the median; error %.2f, 90%%: %.2f", c.reason, width, errors[n/2], errors[n*9/10])
		if width > c.width {
			t.Errorf("%s: the median interval is %.2f points wide", c.reason, width)
		}
	}
	if t.Logf("%d of %d in their interval", in, all); float64(in) < 0.95*float64(all) {
		t.Errorf("%d of %d in their interval", in, all)
	}
}

// TestClockSteps checks a clock that halves once. Its rate is 30% between
// launches. The time that percentages refer to is known, except in the samples
// next to the step.
func TestClockSteps(t *testing.T) {
	const step = 20
	d, want := &recording{}, []float64{}
	for i := range 2 * step {
		at, in, rate := float64(i), 0.3+0.4*float64(i%2), 1.0
		if i >= step {
			rate = 0.5
		}
		want = append(want, in+0.3*(1-in))
		d.launches = append(d.launches, span{0, at, at + in})
		d.samples = append(d.samples, sample{start: at, end: at + 1, clocks: rate * want[i]})
	}
	d.fitClock()
	for i, y := range d.samples {
		if known := math.Abs(y.used[0]-want[i]) < 0.01; known != (i < step-2 || i >= step+2) {
			t.Errorf("sample %d: %v, want %v", i, y.used, want[i])
		}
	}
}
