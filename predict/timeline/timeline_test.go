package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"occudiff/predict/timeline"
)

func TestRunSaysWhatMakesNoSense(t *testing.T) {
	for _, c := range []struct {
		change func(in *timeline.Input)
		want   string
	}{
		{func(in *timeline.Input) { in.XeCores = 0 }, "the number of Xe-cores is 0; expected 1 to 16777216"},
		{func(in *timeline.Input) { in.SlotsPerXeCore = -1 }, "the number of thread slots per Xe-core is -1; expected 1 to 16777216"},
		{func(in *timeline.Input) { in.ThreadsPerGroup = 1 << 25 }, "the number of threads per work-group is 33554432; expected 1 to 16777216"},
		{func(in *timeline.Input) { in.Groups = 0 }, "the number of work-groups is 0; expected at least 1, and no more than 2^63-1 threads in all"},
		{func(in *timeline.Input) { in.Groups = -5 }, "the number of work-groups is -5; expected at least 1, and no more than 2^63-1 threads in all"},
		{func(in *timeline.Input) { in.Groups = math.MaxInt64 },
			"the number of work-groups is 9223372036854775807; expected at least 1, and no more than 2^63-1 threads in all"},
		{func(in *timeline.Input) { in.Policy = 9 }, "policy 9 is not known; expected free, whole or partial"},
		{func(in *timeline.Input) { in.Policy, in.GroupsPerXeCore = timeline.Whole, 0 },
			"an Xe-core holds 0 work-groups of this launch, so that it can never start"},
		{func(in *timeline.Input) { in.Policy, in.ThreadsPerGroup = timeline.Whole, 113 },
			"a work-group has 113 threads but an Xe-core 112 thread slots; policy whole, and partial with a barrier, need all of them on one Xe-core"},
		{func(in *timeline.Input) {
			in.Policy, in.ThreadsPerGroup, in.Barrier, in.Ports = timeline.Partial, 113, true, 1
		}, "a work-group has 113 threads but an Xe-core 112 thread slots; policy whole, and partial with a barrier, need all of them on one Xe-core"},
		{func(in *timeline.Input) { in.Policy = timeline.Partial }, "policy partial has 0 dispatch ports; expected at least 1"},
	} {
		in := tigerLake(timeline.Free, 8, 40)
		c.change(&in)
		if r, err := timeline.Run(context.Background(), in); err == nil || err.Error() != c.want {
			t.Errorf("got %+v, %v\nwant %s", r, err, c.want)
		}
	}
}

func TestTooManyPhasesAreRefused(t *testing.T) {
	in := timeline.Input{Policy: timeline.Partial, XeCores: 1, SlotsPerXeCore: 112, ThreadsPerGroup: 40, GroupsPerXeCore: 3, Groups: 1e12, Ports: 1}
	const want = "the launch takes more than 4194304 run times of a thread; simulate fewer work-groups, since the phases repeat"
	if _, err := timeline.Run(context.Background(), in); err == nil || err.Error() != want {
		t.Errorf("10^12 work-groups of alternating phases: %v; want %q", err, want)
	}
	in.Policy = timeline.Whole // one phase and a tail, however many
	if r := run(t, in); len(r.Phases) != 1 || r.Time != 5e11 {
		t.Errorf("10^12 work-groups, two at a time: %d phases in %v", len(r.Phases), r.Time)
	}
}

// checkInvariants holds what is true of every simulated launch.
func checkInvariants(t *testing.T, in timeline.Input, r timeline.Result) {
	t.Helper()
	work := float64(in.Groups) * float64(in.ThreadsPerGroup)
	if len(r.Phases) == 0 || r.Peak <= 0 || r.Peak > 1 || r.Average <= 0 || float64(r.Average) > float64(r.Peak)*(1+1e-12) {
		t.Fatalf("%+v: peak %v, average %v, %d phases", in, r.Peak, r.Average, len(r.Phases))
	}
	end := 0.0
	busy := 0.0
	for i, p := range r.Phases {
		if p.Start != end || p.End <= p.Start || p.Threads < 1 || p.Threads > r.Slots || i > 0 && p.Threads == r.Phases[i-1].Threads {
			t.Fatalf("%+v: phase %d is %+v after %v", in, i, p, end)
		}
		end = p.End
		busy += float64(p.Threads) * (p.End - p.Start)
	}
	waits := in.Policy == timeline.Partial && in.Barrier // half-in work-groups hold slots without running
	if tolerance := 1e-9 * work; busy < work-tolerance || !waits && busy > work+tolerance {
		t.Errorf("%+v: threads x time is %v; the threads run %v", in, busy, work)
	}
}

func randomInput(random *rand.Rand) timeline.Input {
	in := timeline.Input{
		Policy: timeline.Policy(random.IntN(3)), XeCores: 1 + random.IntN(7), SlotsPerXeCore: 1 + random.IntN(60),
		Groups: 1 + random.Int64N(300), GroupsPerXeCore: 1 + random.IntN(20), Ports: 1 + random.IntN(8),
		Barrier: random.IntN(2) == 0,
	}
	in.ThreadsPerGroup = 1 + random.IntN(in.SlotsPerXeCore)
	return in
}

// TestRunSkipsNothing compares the divisions and the repeated states with stepping through the same launch.
func TestRunSkipsNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		in := randomInput(random)
		fast := run(t, in)
		checkInvariants(t, in, fast)
		slow := timeline.StepByStep(in)
		if fmt.Sprint(fast.Phases) != fmt.Sprint(slow.Phases) || math.Abs(float64(fast.Average-slow.Average)) > 1e-12 {
			t.Fatalf("%+v:\nat once      %v\nstep by step %v", in, fast.Phases, slow.Phases)
		}
	}
}

// TestFreeIsNeverWorse: with equal run times Free leaves a slot idle only in its last wave, so that no policy averages more.
func TestFreeIsNeverWorse(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		in := randomInput(random)
		in.Barrier = false // waiting threads of half-in work-groups are resident, which is not what they are there for
		in.Policy = timeline.Free
		free := run(t, in)
		for _, p := range []timeline.Policy{timeline.Whole, timeline.Partial} {
			in.Policy = p
			other := run(t, in)
			if float64(other.Average) > float64(free.Average)*(1+1e-12) || other.Time < free.Time || other.Peak > free.Peak {
				t.Fatalf("%+v: %s averages %v in %v, free %v in %v", in, p, other.Average, other.Time, free.Average, free.Time)
			}
		}
	}
}

// TestPolicyWords pins the words that outputs and flags carry.
func TestPolicyWords(t *testing.T) {
	for p, want := range map[timeline.Policy]string{timeline.Free: "free", timeline.Whole: "whole", timeline.Partial: "partial"} {
		if p.String() != want || p.WhatIf() != (p == timeline.Partial) {
			t.Errorf("policy %d is %q, what-if %t", p, p, p.WhatIf())
		}
	}
}

// million is a launch of a million work-groups that no wave fits evenly.
func million(policy timeline.Policy) timeline.Input {
	in := tigerLake(policy, 1_000_000, 40)
	in.Ports, in.Barrier = 3, true
	return in
}

func TestAMillionWorkGroups(t *testing.T) {
	for _, c := range []struct {
		policy timeline.Policy
		first  int64 // threads of the first phase
		reason string
	}{
		{timeline.Free, 672, "all slots"},
		{timeline.Whole, 480, "two work-groups of 40 threads on each of 6 Xe-cores"},
		{timeline.Partial, 336, "three ports stay on three Xe-cores with their half-in work-groups"},
	} {
		r := run(t, million(c.policy))
		if r.Phases[0].Threads != c.first {
			t.Errorf("%s: the first phase has %d threads; want %d: %s", c.policy, r.Phases[0].Threads, c.first, c.reason)
		}
	}
}

func TestTheContextEndsLongRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := timeline.Run(ctx, million(timeline.Partial)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
}

func FuzzRun(f *testing.F) {
	f.Add(uint8(0), 6, 112, 16, 100, int64(44), 1, false)
	f.Add(uint8(1), 6, 112, 16, 7, int64(48), 1, true)
	f.Add(uint8(2), 6, 112, 40, 100, int64(8), 3, true)
	f.Add(uint8(2), 1, 3, 50, 1, int64(9), 2, false)
	f.Fuzz(func(t *testing.T, policy uint8, xeCores, slots, threads, cap int, groups int64, ports int, barrier bool) {
		if xeCores > 64 || slots > 256 || threads > 256 || groups > 2000 {
			return // larger ones are the same, only slower
		}
		in := timeline.Input{
			Policy: timeline.Policy(policy), XeCores: xeCores, SlotsPerXeCore: slots, ThreadsPerGroup: threads,
			Groups: groups, GroupsPerXeCore: cap, Ports: ports, Barrier: barrier,
		}
		r, err := timeline.Run(context.Background(), in)
		if err != nil {
			return
		}
		checkInvariants(t, in, r)
	})
}

func BenchmarkMillionEqualWorkGroups(b *testing.B) {
	for _, p := range []timeline.Policy{timeline.Free, timeline.Whole, timeline.Partial} {
		b.Run(p.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run(b, million(p))
			}
		})
	}
}

func ExampleRun() {
	// Tiger Lake, 44 work-groups of 16 threads: 42 fill the GPU, two are left for a second wave.
	r, err := timeline.Run(context.Background(), timeline.Input{
		Policy: timeline.Free, XeCores: 6, SlotsPerXeCore: 112, ThreadsPerGroup: 16, Groups: 44,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Phases {
		fmt.Printf("%g to %g: %d threads, %.1f %%\n", p.Start, p.End, p.Threads, p.Occupancy.Percent())
	}
	fmt.Printf("average %.1f %%\n", r.Average.Percent())
	// Output:
	// 0 to 1: 672 threads, 100.0 %
	// 1 to 2: 32 threads, 4.8 %
	// average 52.4 %
}
