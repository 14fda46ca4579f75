package timeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"occudiff/predict"
	"occudiff/predict/arch"
)

// TestTooManyThreadsAreRejected checks that a launch's thread count must fit 63
// bits, and that a launch without a global size is rejected.
func TestTooManyThreadsAreRejected(t *testing.T) {
	for _, groups := range []int64{0, math.MaxInt64} {
		_, err := Simulate(t.Context(), &arch.Device{}, &predict.Launch{}, &predict.Prediction{Groups: groups, ThreadsPerGroup: 2}, 0)
		if err == nil || !strings.HasSuffix(err.Error(), "expected at least 1, and no more than 2^63-1 threads in all") {
			t.Errorf("%d work-groups: %v", groups, err)
		}
	}
}

func TestTooManyPhasesAreRejected(t *testing.T) {
	in := input{xeCores: 1, slotsPerXeCore: 112, threadsPerGroup: 40, groupsPerXeCore: 3, groups: 1e12, ports: 1}
	const want = "the launch takes more than 4194304 run times of a thread; simulate fewer work-groups, since the phases repeat"
	if _, err := run(t.Context(), &in, in.slots()); err == nil || err.Error() != want {
		t.Errorf("10^12 work-groups of alternating phases: %v; want %q", err, want)
	}
	in.ports, in.whole = 0, true // one phase and a partial wave, regardless of the work-group count
	if r := simulated(t, in); len(r.Phases) != 1 || r.Time != 5e11 {
		t.Errorf("10^12 work-groups, two at a time: %d phases in %v", len(r.Phases), r.Time)
	}
}

// checkInvariants checks properties that every simulated launch has.
func checkInvariants(t *testing.T, in input, r Result) {
	t.Helper()
	work := float64(in.groups) * float64(in.threadsPerGroup)
	if len(r.Phases) == 0 || r.Peak <= 0 || r.Peak > 1 || r.Average <= 0 || float64(r.Average) > float64(r.Peak)*(1+1e-12) {
		t.Fatalf("%+v: peak %v, average %v, %d phases", in, r.Peak, r.Average, len(r.Phases))
	}
	end := 0.0
	busy := 0.0
	for i, p := range r.Phases {
		if p.Start != end || p.End <= p.Start || p.Threads < 1 || p.Threads > in.slots() || i > 0 && p.Threads == r.Phases[i-1].Threads {
			t.Fatalf("%+v: phase %d is %+v after %v", in, i, p, end)
		}
		end = p.End
		busy += float64(p.Threads) * (p.End - p.Start)
	}
	waits := in.ports > 0 && in.barrier // partly dispatched work-groups occupy slots without running
	if tolerance := 1e-9 * work; busy < work-tolerance || !waits && busy > work+tolerance {
		t.Errorf("%+v: threads x time is %v; the threads run %v", in, busy, work)
	}
}

func randomInput(random *rand.Rand) input {
	in := input{
		whole: random.IntN(2) == 0, xeCores: 1 + random.IntN(7), slotsPerXeCore: 1 + random.IntN(60),
		groups: 1 + random.Int64N(300), groupsPerXeCore: 1 + random.IntN(20), ports: max(0, random.IntN(12)-3),
		barrier: random.IntN(2) == 0,
	}
	in.threadsPerGroup = 1 + random.IntN(in.slotsPerXeCore)
	return in
}

// stepByStep returns a launch's result, simulated without divisions. It is slow
// and is the oracle for run.
func stepByStep(in input) Result {
	rec := &recorder{slots: in.slots()}
	s := newPartial(&in)
	for left := in.groups * int64(in.threadsPerGroup); left > 0; {
		s.tick++
		threads := int64(0)
		switch {
		case in.ports > 0:
			s.fill()
			threads = s.held
			for i := range s.cores {
				left -= int64(s.cores[i].running)
				s.cores[i].end(s, s.cores[i].running, s.cores[i].ending)
			}
		case in.whole:
			threads = fillWhole(&in, left)
		default:
			for threads < left && threads < rec.slots {
				threads++
			}
		}
		rec.add(threads, s.tick)
		if in.ports == 0 {
			left -= threads
		}
	}
	return rec.result()
}

// fillWhole returns how many threads it placed. It places work-groups one by
// one, round robin over the Xe-cores.
func fillWhole(in *input, left int64) (threads int64) {
	cores := make([]struct{ threads, groups int }, in.xeCores)
	for placed := true; placed; {
		placed = false
		for i := range cores {
			c := &cores[i]
			if threads < left && c.threads+in.threadsPerGroup <= in.slotsPerXeCore && c.groups < in.groupsPerXeCore {
				c.threads += in.threadsPerGroup
				c.groups++
				threads += int64(in.threadsPerGroup)
				placed = true
			}
		}
	}
	return threads
}

// TestRunSkipsNothing compares run's divisions with a step-by-step simulation
// of the same launch.
func TestRunSkipsNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		in := randomInput(random)
		fast := simulated(t, in)
		checkInvariants(t, in, fast)
		slow := stepByStep(in)
		if fmt.Sprint(fast.Phases) != fmt.Sprint(slow.Phases) || math.Abs(float64(fast.Average-slow.Average)) > 1e-12 {
			t.Fatalf("%+v:\nat once      %v\nstep by step %v", in, fast.Phases, slow.Phases)
		}
	}
}

// TestFreeIsNeverWorse checks that no policy has a higher average than Free.
// With equal run times, Free leaves slots idle only in its last wave.
func TestFreeIsNeverWorse(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		in := randomInput(random)
		// with a barrier, waiting threads in partly dispatched work-groups are
		// resident without doing work
		in.barrier = false
		ports := in.ports
		in.whole, in.ports = false, 0
		free := simulated(t, in)
		for _, in.ports = range []int{0, ports + 1} {
			in.whole = true
			other := simulated(t, in)
			if float64(other.Average) > float64(free.Average)*(1+1e-12) || other.Time < free.Time || other.Peak > free.Peak {
				t.Fatalf("%+v: averages %v in %v, free %v in %v", in, other.Average, other.Time, free.Average, free.Time)
			}
		}
	}
}

// million returns a launch with a million work-groups that does not fill its
// last wave.
func million(ports int, whole bool) input {
	in := tigerLake(predict.Free, 1_000_000, 40)
	in.ports, in.whole, in.barrier = ports, whole, true
	return in
}

func TestAMillionWorkGroups(t *testing.T) {
	for _, c := range []struct {
		ports  int
		whole  bool
		first  int64 // the first phase's threads
		reason string
	}{
		{0, false, 672, "all slots"},
		{0, true, 480, "two work-groups of 40 threads on each of 6 Xe-cores"},
		{3, false, 336, "three ports serve three Xe-cores with their partly dispatched work-groups"},
	} {
		r := simulated(t, million(c.ports, c.whole))
		if r.Phases[0].Threads != c.first {
			t.Errorf("the first phase has %d threads; want %d: %s", r.Phases[0].Threads, c.first, c.reason)
		}
	}
}

func TestContextEndsLongRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := million(3, false)
	if _, err := run(ctx, &in, in.slots()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
}

func BenchmarkMillionEqualWorkGroups(b *testing.B) {
	for name, in := range map[string]input{"free": million(0, false), "whole": million(0, true), "partial": million(3, false)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				simulated(b, in)
			}
		})
	}
}
