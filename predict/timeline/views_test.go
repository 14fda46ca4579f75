package timeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/timeline"
)

func TestLevelsSumPhasesUp(t *testing.T) {
	// 2 ports and no barrier on Tiger Lake: 224 threads, then the 16 that were left out join the next work-groups.
	in := tigerLake(timeline.Partial, 8, 40)
	in.Ports = 2
	got := fmt.Sprint(run(t, in).Levels())
	if want := fmt.Sprint([]timeline.Level{
		{Threads: 224, Occupancy: unit.Ratio(224.0 / 672), Time: 1, Phases: 1},
		{Threads: 96, Occupancy: unit.Ratio(96.0 / 672), Time: 1, Phases: 1},
	}); got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	// 5 slots and work-groups of 3 with a barrier: 3 run while 2 wait, the third enters, and so on; two counts alternate.
	r := run(t, timeline.Input{Policy: timeline.Partial, XeCores: 1, SlotsPerXeCore: 5, ThreadsPerGroup: 3, GroupsPerXeCore: 2,
		Groups: 1000, Ports: 1, Barrier: true})
	levels := r.Levels()
	var time unit.Seconds
	phases := 0
	for _, l := range levels {
		time += l.Time
		phases += l.Phases
	}
	if time != r.Time || phases != len(r.Phases) || len(levels) > 3 {
		t.Errorf("levels %+v of %d phases in %v", levels, len(r.Phases), r.Time)
	}
}

func TestSampledKeepsTheAverage(t *testing.T) {
	r := run(t, tigerLake(timeline.Free, 48, 16)) // 100 % and 14.3 %, one second each
	got := r.Sampled(4)
	want := []unit.Ratio{1, 1, 96.0 / 672, 96.0 / 672}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("four spans of %v: %v; want %v", r.Phases, got, want)
	}
	if mixed := r.Sampled(1); math.Abs(float64(mixed[0]-r.Average)) > 1e-15 {
		t.Errorf("one span has %v; want the average %v", mixed, r.Average)
	}
	if r.Sampled(0) != nil || (timeline.Result{}).Sampled(3) != nil {
		t.Error("spans of nothing")
	}
	random := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		in := randomInput(random)
		in.RunTime = func(group int64, thread int) unit.Seconds { return unit.Seconds(1 + (group*7+int64(thread))%5) }
		r := run(t, in)
		n := 1 + random.IntN(50)
		sum := 0.0
		for _, m := range r.Sampled(n) {
			if m < 0 || float64(m) > float64(r.Peak)*(1+1e-12) {
				t.Fatalf("%+v: a span has %v, the peak is %v", in, m, r.Peak)
			}
			sum += float64(m)
		}
		if math.Abs(sum/float64(n)-float64(r.Average)) > 1e-9 {
			t.Fatalf("%+v: %d spans average %v; want %v", in, n, sum/float64(n), r.Average)
		}
	}
}
