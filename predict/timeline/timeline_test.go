package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"occudiff/ingest/unit"
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
		{func(in *timeline.Input) { in.ThreadTime = -1 }, "the run time of a thread is -1 s; expected a number above 0, or 0 for 1 s"},
		{func(in *timeline.Input) { in.ThreadTime = unit.Seconds(math.NaN()) }, "the run time of a thread is NaN s; expected a number above 0, or 0 for 1 s"},
		{func(in *timeline.Input) { in.Policy = 9 }, "policy 9 is not known; expected free, whole or partial"},
		{func(in *timeline.Input) { in.Policy, in.GroupsPerXeCore = timeline.Whole, 0 },
			"an Xe-core holds 0 work-groups of this launch, so that it can never start"},
		{func(in *timeline.Input) { in.Policy, in.ThreadsPerGroup = timeline.Whole, 113 },
			"a work-group has 113 threads but an Xe-core 112 thread slots; policy whole, and partial with a barrier, need all of them on one Xe-core"},
		{func(in *timeline.Input) {
			in.Policy, in.ThreadsPerGroup, in.Barrier, in.Ports = timeline.Partial, 113, true, 1
		}, "a work-group has 113 threads but an Xe-core 112 thread slots; policy whole, and partial with a barrier, need all of them on one Xe-core"},
		{func(in *timeline.Input) { in.Policy = timeline.Partial }, "policy partial has 0 dispatch ports; expected at least 1"},
		{func(in *timeline.Input) { in.RunTime = func(int64, int) unit.Seconds { return 0 } },
			"thread 0 of work-group 0 runs 0 s; expected a number above 0"},
		{func(in *timeline.Input) {
			in.RunTime = func(g int64, i int) unit.Seconds {
				if g == 2 && i == 3 {
					return unit.Seconds(math.Inf(1))
				}
				return 1
			}
		}, "thread 3 of work-group 2 runs +Inf s; expected a number above 0"},
		{func(in *timeline.Input) {
			in.SlotsPerXeCore, in.XeCores = 1, 1
			in.RunTime = func(_ int64, i int) unit.Seconds {
				if i == 0 {
					return 1e20
				}
				return 1
			}
		}, "thread 1 of work-group 0 runs 1 s from 1e+20 s on, which a float64 cannot tell apart"},
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
	const want = "the launch has more than 4194304 phases; simulate fewer work-groups, since the phases repeat"
	if _, err := timeline.Run(context.Background(), in); err == nil || err.Error() != want {
		t.Errorf("10^12 work-groups of alternating phases: %v; want %q", err, want)
	}
	in.Policy = timeline.Whole // one phase and a tail, however many
	if r := run(t, in); len(r.Phases) != 1 || r.Time != 5e11 {
		t.Errorf("10^12 work-groups, two at a time: %d phases in %v", len(r.Phases), r.Time)
	}
}

func TestPhasesOfUnequalThreads(t *testing.T) {
	// One Xe-core of 4 slots, work-groups of 2 threads; work-group 1 runs three times as long as the others.
	slow := func(group int64, _ int) unit.Seconds {
		if group == 1 {
			return 3
		}
		return 1
	}
	for _, c := range []struct {
		in      timeline.Input
		want    string
		average unit.Ratio
		reason  string
	}{
		{timeline.Input{Policy: timeline.Whole, Groups: 3, RunTime: slow}, "4 0-2, 2 2-3", 10.0 / 12,
			"0 and 1 start; 2 takes the place of 0 at 1 and ends at 2; 1 ends at 3"},
		{timeline.Input{Policy: timeline.Free, Groups: 3, RunTime: slow}, "4 0-2, 2 2-3", 10.0 / 12, "the same threads in the same slots"},
		{timeline.Input{Policy: timeline.Whole, Groups: 3, GroupsPerXeCore: 1, RunTime: slow}, "2 0-5", 0.5, "one work-group at a time"},
		{timeline.Input{Policy: timeline.Partial, Ports: 1, Groups: 3, RunTime: slow}, "4 0-2, 2 2-3", 10.0 / 12, "work-groups fit exactly: like whole"},
		{timeline.Input{Policy: timeline.Whole, Groups: 2, RunTime: func(_ int64, i int) unit.Seconds { return unit.Seconds(i + 1) }}, "4 0-1, 2 1-2",
			6.0 / 8, "a thread's slot is free as soon as it ends"},
		{timeline.Input{Policy: timeline.Whole, Groups: 3, GroupsPerXeCore: 2, RunTime: func(_ int64, i int) unit.Seconds { return unit.Seconds(i + 1) }},
			"4 0-1, 2 1-3, 1 3-4", 9.0 / 16, "at 1 there are two free slots, but the resources of a work-group only at 2"},
	} {
		c.in.XeCores, c.in.SlotsPerXeCore, c.in.ThreadsPerGroup = 1, 4, 2
		if c.in.GroupsPerXeCore == 0 {
			c.in.GroupsPerXeCore = math.MaxInt32
		}
		r := run(t, c.in)
		text := ""
		for i, p := range r.Phases {
			if i > 0 {
				text += ", "
			}
			text += fmt.Sprintf("%d %g-%g", p.Threads, float64(p.Start), float64(p.End))
		}
		if text != c.want || math.Abs(float64(r.Average-c.average)) > 1e-15 {
			t.Errorf("%s, %d work-groups: %s, average %v; want %s, %v: %s", c.in.Policy, c.in.Groups, text, r.Average, c.want, c.average, c.reason)
		}
	}
}

// checkInvariants holds what is true of every simulated launch. work is the sum of all threads' run times.
func checkInvariants(t *testing.T, in timeline.Input, r timeline.Result, work float64) {
	t.Helper()
	if len(r.Phases) == 0 || r.Peak <= 0 || r.Peak > 1 || r.Average <= 0 || float64(r.Average) > float64(r.Peak)*(1+1e-12) {
		t.Fatalf("%+v: peak %v, average %v, %d phases", in, r.Peak, r.Average, len(r.Phases))
	}
	var end unit.Seconds
	busy := 0.0
	for i, p := range r.Phases {
		if p.Start != end || p.End <= p.Start || p.Threads < 1 || p.Threads > r.Slots || i > 0 && p.Threads == r.Phases[i-1].Threads {
			t.Fatalf("%+v: phase %d is %+v after %v", in, i, p, end)
		}
		end = p.End
		busy += float64(p.Threads) * float64(p.End-p.Start)
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
		Barrier: random.IntN(2) == 0, ThreadTime: unit.Seconds(random.IntN(3)),
	}
	in.ThreadsPerGroup = 1 + random.IntN(in.SlotsPerXeCore)
	return in
}

// TestEqualThreadsBothWays compares the stepping over equal waves with the event simulation of the same launch.
func TestEqualThreadsBothWays(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		in := randomInput(random)
		fast := run(t, in)
		each := max(in.ThreadTime, 1)
		if in.ThreadTime == 0 {
			each = 1
		}
		work := float64(in.Groups) * float64(in.ThreadsPerGroup) * float64(each)
		checkInvariants(t, in, fast, work)
		in.RunTime = func(int64, int) unit.Seconds { return each }
		slow := run(t, in)
		if fmt.Sprint(fast.Phases) != fmt.Sprint(slow.Phases) || math.Abs(float64(fast.Average-slow.Average)) > 1e-12 {
			in.RunTime = nil
			t.Fatalf("%+v:\nwave by wave   %v\nevent by event %v", in, fast.Phases, slow.Phases)
		}
	}
}

func TestUnequalThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		in := randomInput(random)
		seed := random.Uint64()
		in.RunTime = func(group int64, thread int) unit.Seconds {
			h := (uint64(group)*1_000_003 + uint64(thread) + seed) * 0x9E3779B97F4A7C15
			return unit.Seconds(1 + h>>60) // 1 to 16, exact sums
		}
		work := 0.0
		for g := range in.Groups {
			for i := range in.ThreadsPerGroup {
				work += float64(in.RunTime(g, i))
			}
		}
		checkInvariants(t, in, run(t, in), work)
	}
}

// TestFreeIsNeverWorse: with equal run times Free leaves a slot idle only in its last wave, so that no policy averages more.
// With unequal ones that does not hold: a different order can pack the long threads better.
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

func TestAMillionWorkGroupsTakeNoTime(t *testing.T) {
	for _, c := range []struct {
		policy timeline.Policy
		first  int64 // threads of the first phase
		reason string
	}{
		{timeline.Free, 672, "all slots"},
		{timeline.Whole, 480, "two work-groups of 40 threads on each of 6 Xe-cores"},
		{timeline.Partial, 336, "three ports stay on three Xe-cores with their half-in work-groups"},
	} {
		started := time.Now()
		r := run(t, million(c.policy))
		took := time.Since(started)
		if r.Phases[0].Threads != c.first {
			t.Errorf("%s: the first phase has %d threads; want %d: %s", c.policy, r.Phases[0].Threads, c.first, c.reason)
		}
		if took > 500*time.Millisecond { // far above what it takes, since tests share the machine
			t.Errorf("%s: a million equal work-groups took %v", c.policy, took)
		}
		t.Logf("%s: %v, %d phases, average %.4f", c.policy, took, len(r.Phases), r.Average)
	}
}

func TestTheContextEndsLongRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := million(timeline.Whole)
	in.RunTime = func(group int64, _ int) unit.Seconds { return unit.Seconds(1 + group%7) }
	if _, err := timeline.Run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
}

func FuzzRun(f *testing.F) {
	f.Add(uint8(0), 6, 112, 16, 100, int64(44), 1, false, int64(1), int64(0))
	f.Add(uint8(1), 6, 112, 16, 7, int64(48), 1, true, int64(2), int64(3))
	f.Add(uint8(2), 6, 112, 40, 100, int64(8), 3, true, int64(1), int64(5))
	f.Add(uint8(2), 1, 3, 50, 1, int64(9), 2, false, int64(1), int64(2))
	f.Fuzz(func(t *testing.T, policy uint8, xeCores, slots, threads, cap int, groups int64, ports int, barrier bool, each, spread int64) {
		if xeCores > 64 || slots > 256 || threads > 256 || groups > 2000 || each < 0 || each > 1000 || spread < 0 || spread > 50 {
			return // larger ones are the same, only slower
		}
		in := timeline.Input{
			Policy: timeline.Policy(policy), XeCores: xeCores, SlotsPerXeCore: slots, ThreadsPerGroup: threads, Groups: groups,
			GroupsPerXeCore: cap, Ports: ports, Barrier: barrier, ThreadTime: unit.Seconds(each),
		}
		work := float64(groups) * float64(threads) * float64(max(each, 1))
		if spread > 0 {
			in.RunTime = func(group int64, thread int) unit.Seconds { return unit.Seconds(1 + (group+int64(thread))%spread) }
			work = 0
			for g := range max(groups, 0) {
				for i := range max(threads, 0) {
					work += float64(in.RunTime(g, i))
				}
			}
		}
		r, err := timeline.Run(context.Background(), in)
		if err != nil {
			return
		}
		checkInvariants(t, in, r, work)
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

func BenchmarkMillionUnequalWorkGroups(b *testing.B) {
	for _, p := range []timeline.Policy{timeline.Free, timeline.Whole, timeline.Partial} {
		b.Run(p.String(), func(b *testing.B) {
			in := million(p)
			in.RunTime = func(group int64, _ int) unit.Seconds { return unit.Seconds(1 + float64(group%97)/100) }
			b.ReportAllocs()
			for b.Loop() {
				run(b, in)
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
		fmt.Printf("%g to %g: %d threads, %.1f %%\n", float64(p.Start), float64(p.End), p.Threads, p.Occupancy.Percent())
	}
	fmt.Printf("average %.1f %%\n", r.Average.Percent())
	// Output:
	// 0 to 1: 672 threads, 100.0 %
	// 1 to 2: 32 threads, 4.8 %
	// average 52.4 %
}
