package phases

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// sampledRun gives a run of a kernel of 3 waves and a quarter on a Max 1100, sampled every 100 us in two launches of 1 ms.
func sampledRun(average unit.Seconds) *ingest.Run {
	k := ingest.Kernel{Task: "f", Global: unit.Size(3584 * 32 * 13 / 4), Local: unit.Size(512), SIMD: unit.Some(32),
		Instances: unit.Some[int64](2), Total: unit.Some(2 * average)}
	s := ingest.Samples{Key: ingest.Key{Task: "f", SIMD: 32}}
	for launch := range uint32(2) {
		for i := range int64(10) {
			m := float32(0.98)
			switch {
			case i == 0:
				m = 0.5
			case i > 7:
				m = 0.2
			}
			s.List = append(s.List, ingest.Moment{At: 5e9 + int64(launch)*5e6 + (i+1)*100_000, Length: 100_000, Measured: m, Launch: launch})
		}
	}
	return &ingest.Run{Kernels: ingest.NewKernels(k), Samples: []ingest.Samples{s}}
}

func describe(l *Launch) (list []string) {
	us := func(s unit.Seconds) float64 { return math.Round(float64(s)*1e8) / 100 }
	for _, p := range l.Phases {
		text := fmt.Sprintf("%s %g to %g", p.Name, us(p.Start), us(p.End))
		if v, ok := p.Predicted.Value(); ok {
			text += fmt.Sprintf(" predicted %.4g", v.Percent())
		}
		if v, ok := p.Measured.Value(); ok {
			text += fmt.Sprintf(" measured %.4g of %d", v.Percent(), p.Samples)
		}
		list = append(list, text)
	}
	return append(list, fmt.Sprintf("%d launches of %g from %s", l.Launches, us(l.Length), l.From))
}

func TestOf(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	c, err := table.Choose(arch.Options{Name: "max1100"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		reason  string
		average unit.Seconds
		trace   bool
		want    []string
	}{
		{"a quarter of a wave is left when three quarters of the fourth have passed", 0.0011, false, []string{
			"ramp 0 to 100 measured 50 of 2", "plateau 100 to 825 predicted 100 measured 98 of 14", "tail 825 to 1100 predicted 25 measured 20 of 4",
			"2 launches of 1100 from the times of the kernel"}},
		{"by its samples alone a launch may be longer, so that its tail is not placed", 0.001, false, []string{
			"ramp 0 to 100 measured 50 of 2", "plateau 100 to 750 predicted 100 measured 80.67 of 18", "tail 750 to 1000 predicted 25",
			"2 launches of 1000 from its samples, which may miss its end"}},
		{"a trace has begin and end of each launch, which are brought to one length", 0.001, true, []string{
			"ramp 0 to 165 measured 50 of 2", "plateau 165 to 825 predicted 100 measured 98 of 13", "tail 825 to 1100 predicted 25 measured 35.6 of 5",
			"2 launches of 1100 from the trace"}},
	} {
		run := sampledRun(x.average)
		if x.trace {
			run.Trace = &ingest.Trace{}
			run.Trace.AddLane("gpu")
			task := run.Trace.Task(ingest.Key{Task: "f"})
			run.Trace.Add(ingest.Launch{Start: 5e9, End: 5e9 + 1_000_000, Task: task})
			run.Trace.Add(ingest.Launch{Start: 5e9 + 4_920_000, End: 5e9 + 6_120_000, Task: task})
			run.Trace.Finish()
		}
		r := compare.Compare(run, c.Device, compare.DefaultOptions())
		l, err := Of(context.Background(), r, r.Row(0, nil))
		if err != nil || l == nil {
			t.Fatalf("%s: %v", x.reason, err)
		}
		if d := cmp.Diff(x.want, describe(l)); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.reason, d)
		}
		if last := l.Curve[len(l.Curve)-1]; last.At != l.Length {
			t.Errorf("%s: the curve ends at %v of %v", x.reason, last.At, l.Length)
		}
	}
	run := sampledRun(0.001)
	run.Samples = nil
	r := compare.Compare(run, c.Device, compare.DefaultOptions())
	if l, err := Of(context.Background(), r, r.Row(0, nil)); l != nil || err != nil {
		t.Errorf("without samples: %+v, %v", l, err)
	}
}
