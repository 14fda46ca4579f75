package compare

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// sampledRun returns a run of one kernel on a Max 1100. The kernel has 3.25
// waves and launches of 1 ms, and is sampled every 100 us.
func sampledRun(average unit.Seconds, count int64) *ingest.Run {
	k := ingest.Kernel{Task: "f", Global: unit.Size(3584 * 32 * 13 / 4), Local: unit.Size(512), SIMD: unit.Some(32),
		Instances: unit.Some(count), Total: unit.Some(unit.Seconds(count) * average)}
	s := ingest.Samples{Key: ingest.Key{Task: "f", SIMD: 32}}
	for launch := range count {
		for i := range int64(10) {
			m := float32(0.98)
			if i > 7 {
				m = 0.2
			}
			s.List = append(s.List, ingest.CounterSample{At: 5e9 + launch*5e6 + (i+1)*100_000, Length: 100_000,
				Measured: m, Launch: uint32(launch)})
		}
	}
	return &ingest.Run{Kernels: []ingest.Kernel{k}, Samples: []ingest.Samples{s}}
}

func describeOverTime(o *OverTime) (list []string) {
	us := func(s unit.Seconds) float64 { return math.Round(float64(s)*1e8) / 100 }
	list = append(list, fmt.Sprintf("%d launches of %g from %s", o.Launches, us(o.Length), o.From))
	if tail, ok := o.Tail.Value(); ok {
		list = append(list, fmt.Sprintf("tail from %g", us(tail)))
	}
	n := len(o.Bins)
	for _, i := range []int{0, n - 1} {
		b := o.Bins[i]
		list = append(list, fmt.Sprintf("bin %g to %g of %d: %.0f, simulated %.0f", us(b.Start), us(b.End), n,
			b.Measured.Percent(), b.Simulated.Percent()))
	}
	b := o.Bars[len(o.Bars)-1]
	return append(list, fmt.Sprintf("bar %g to %g of %d: %.0f", us(b.Start), us(b.End), len(o.Bars),
		b.Measured.Percent()))
}

func TestOverTime(t *testing.T) {
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
		{"a quarter of a wave is left when three quarters of the fourth have passed; the samples end before the launch", 0.0011, false, []string{
			"2 launches of 1100 from the times of the kernel", "tail from 825", "bin 0 to 250 of 4: 98, simulated 100",
			"bin 750 to 1000 of 4: 33, simulated 48", "bar 900 to 1000 of 20: 20"}},
		{"by its samples alone a launch may be longer, so that its tail is not placed", 0.001, false, []string{
			"2 launches of 1000 from its samples, which may miss its end", "bin 0 to 250 of 4: 98, simulated 100",
			"bin 750 to 1000 of 4: 33, simulated 25", "bar 900 to 1000 of 20: 20"}},
		{"a trace has begin and end of each launch, which are brought to one length; a sample that is half outside is no bar", 0.001, true, []string{
			"2 launches of 1000 from the trace", "tail from 750", "bin 0 to 250 of 4: 98, simulated 100",
			"bin 750 to 1000 of 4: 44, simulated 25", "bar 850 to 950 of 19: 20"}},
	} {
		run := sampledRun(x.average, 2)
		if x.trace {
			run.Trace = &ingest.Trace{}
			run.Trace.AddLane("gpu")
			task := run.Trace.Task(ingest.Key{Task: "f"})
			run.Trace.Add(ingest.Launch{Start: 5e9, End: 5e9 + 1_000_000, Task: task})
			run.Trace.Add(ingest.Launch{Start: 5e9 + 4_950_000, End: 5e9 + 5_950_000, Task: task})
			run.Trace.Finish()
		}
		r := Compare(run, given(c.Device), DefaultOptions())
		o := r.OverTime(&r.Rows[0], nil)
		if o == nil {
			t.Fatalf("%s: nothing", x.reason)
		}
		if d := cmp.Diff(x.want, describeOverTime(o)); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.reason, d)
		}
		if last := o.Curve[len(o.Curve)-1]; last.At != o.Length {
			t.Errorf("%s: the curve ends at %v of %v", x.reason, last.At, o.Length)
		}
	}
	run := sampledRun(0.001, 2)
	run.Samples = nil
	r := Compare(run, given(c.Device), DefaultOptions())
	if o := r.OverTime(&r.Rows[0], launches.Profiles(nil)); o != nil {
		t.Errorf("without samples: %+v", o)
	}
}
