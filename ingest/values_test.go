package ingest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// TestTraceBounds checks the first start, the last end, and the resolution of a
// trace.
func TestTraceBounds(t *testing.T) {
	for _, c := range []struct {
		reason            string
		launches          []Launch
		first, last, step int64
	}{
		{"whole microseconds", []Launch{{Start: 2000, End: 5000}, {Start: 6000, End: 7000}}, 2000, 7000, 1000},
		{"one start between microseconds", []Launch{{Start: 2000, End: 5000}, {Start: 6001, End: 7000}}, 2000, 7000, 1},
		{"one end between microseconds", []Launch{{Start: 2000, End: 5999}}, 2000, 5999, 1},
		{"a later launch starts first", []Launch{{Start: 4000, End: 9000}, {Start: 1000, End: 3000}}, 1000, 9000, 1000},
	} {
		var trace Trace
		for _, l := range c.launches {
			trace.Add(l)
		}
		if trace.First != c.first || trace.Last != c.last || trace.Step != c.step {
			t.Errorf("%s: %d to %d, step %d; want %d to %d, step %d", c.reason, trace.First, trace.Last, trace.Step,
				c.first, c.last, c.step)
		}
	}
}

// TestRecordingHalves fills a recording beyond its limit. Each pair of samples
// becomes one, weighted by clocks, or by time without clocks.
func TestRecordingHalves(t *testing.T) {
	for _, c := range []struct {
		reason string
		pair   [2]CounterSample
		want   CounterSample
	}{
		{"weighted by clocks", [2]CounterSample{{At: 10, Length: 10, Clocks: 100, Measured: 50, Active: 20, Stalled: 40},
			{At: 20, Length: 10, Clocks: 300, Measured: 30, Stalled: 100}},
			CounterSample{At: 20, Length: 20, Clocks: 400, Measured: 35, Active: 5, Stalled: 85}},
		{"weighted by time without clocks", [2]CounterSample{{At: 10, Length: 10, Measured: 50, Active: 20, Stalled: 40},
			{At: 40, Length: 30, Measured: 30, Stalled: 100}},
			CounterSample{At: 40, Length: 40, Measured: 35, Active: 5, Stalled: 85}},
		{"samples without a length", [2]CounterSample{{At: 10, Measured: 50}, {At: 20, Measured: 30}},
			CounterSample{At: 20, Measured: 30}},
	} {
		r := Recording{List: slices.Repeat(c.pair[:], MaxSamples/2)}
		r.Add(CounterSample{At: 99})
		if len(r.List) != MaxSamples/2+1 || r.List[MaxSamples/2].At != 99 {
			t.Fatalf("%s: %d samples, want %d and the new one", c.reason, len(r.List), MaxSamples/2)
		}
		for _, at := range []int{0, 1, MaxSamples/2 - 1} {
			if diff := cmp.Diff(c.want, r.List[at]); diff != "" {
				t.Errorf("%s: sample %d (-want +got):\n%s", c.reason, at, diff)
			}
		}
	}
}

// TestSample checks that quantiles of many values come from an evenly spaced
// selection, and that the extremes are exact.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		reason  string
		n, most int
		kept    []float64
	}{
		{"few values are kept", 5, 8, []float64{0, 1, 2, 3, 4}},
		{"at the limit, every second one is kept", 8, 8, []float64{0, 2, 4, 6}},
		{"then every fourth one", 16, 8, []float64{0, 4, 8, 12}},
		{"between two limits", 11, 8, []float64{0, 2, 4, 6, 8, 10}},
	} {
		var s Sample
		for i := range c.n {
			s.Add(float64(i), c.most)
		}
		if !slices.Equal(s.kept, c.kept) || s.Min != 0 || s.Max != float64(c.n-1) || s.N != int64(c.n) {
			t.Errorf("%s: kept %v of %d from %v to %v, want %v", c.reason, s.kept, s.N, s.Min, s.Max, c.kept)
		}
	}
	if few, many := SampleSize(1024), SampleSize(1025); few != 512 || many != 32 {
		t.Errorf("%d values per sample for 1024 samples and %d for more, want 512 and 32", few, many)
	}
}

// TestSpread checks the spread of five launches. A single launch has none.
func TestSpread(t *testing.T) {
	var times, measured Sample
	times.Add(3, 100)
	if s := times.Spread(nil); s != nil {
		t.Errorf("one launch has the spread %+v", s)
	}
	for _, x := range []float64{1, 9, 5, 7} {
		times.Add(x, 100)
	}
	want := &LaunchSpread{MinSeconds: 1, MedianSeconds: 5, MaxSeconds: 9, P10Seconds: unit.Some[unit.Seconds](1.8),
		P90Seconds: unit.Some[unit.Seconds](8.2)}
	if got := times.Spread(&measured); !equalSpread(got, want) {
		t.Errorf("without occupancies: %+v, want %+v", got, want)
	}
	for _, x := range []float64{0.5, 0.25, 1} {
		measured.Add(x, 100)
	}
	want.MinMeasured, want.MedianMeasured, want.MaxMeasured = unit.Some[unit.Ratio](0.25), unit.Some[unit.Ratio](0.5),
		unit.Some[unit.Ratio](1)
	want.UpperMeasured = unit.Some[unit.Ratio](0.75)
	if got := times.Spread(&measured); !equalSpread(got, want) {
		t.Errorf("with occupancies: %+v, want %+v", got, want)
	}
}

func equalSpread(a, b *LaunchSpread) bool { return fmt.Sprintf("%.9v", *a) == fmt.Sprintf("%.9v", *b) }

// TestMean checks the mean of ratios over time.
func TestMean(t *testing.T) {
	type value struct{ ratio, weight float64 }
	for _, c := range []struct {
		reason string
		values []value
		want   unit.Opt[unit.Ratio]
		each   float64
	}{
		{"nothing was added", nil, unit.Opt[unit.Ratio]{}, 0},
		{"a single ratio stays exact", []value{{0.1, 3}}, unit.Some[unit.Ratio](0.1), 3},
		{"weighted by time", []value{{0.5, 1}, {0.25, 3}}, unit.Some[unit.Ratio](0.3125), 2},
		{"a short time has a weight as well", []value{{0.5, 0.25}, {0.25, 0.75}}, unit.Some[unit.Ratio](0.3125), 0.5},
		{"without times, all are equal", []value{{0.5, 0}, {0.25, 0}}, unit.Some[unit.Ratio](0.375), 0},
	} {
		var m Mean
		m.Add(unit.Opt[float64]{}, 5) // an absent value changes nothing
		for _, v := range c.values {
			m.Add(unit.Some(v.ratio), v.weight)
		}
		if m.Value() != c.want || m.EachWeight() != c.each {
			t.Errorf("%s: %v with a mean weight of %v, want %v with %v", c.reason, m.Value(), m.EachWeight(), c.want, c.each)
		}
	}
}

// TestSetMeasured checks the idle share that follows from the active and the
// stalled share.
func TestSetMeasured(t *testing.T) {
	none := unit.Opt[float64]{}
	some := unit.Some[float64]
	for _, c := range []struct {
		reason          string
		active, stalled unit.Opt[float64]
		want            unit.Opt[unit.Ratio]
	}{
		{"the rest of the time", some(0.25), some(0.5), unit.Some[unit.Ratio](0.25)},
		{"a sum that rounding raised above 1", some(0.502), some(0.502), unit.Some[unit.Ratio](0)},
		{"counters that overlap", some(0.7), some(0.5), unit.Opt[unit.Ratio]{}},
		{"no stalled share", some(0.25), none, unit.Opt[unit.Ratio]{}},
		{"no active share", none, some(0.5), unit.Opt[unit.Ratio]{}},
	} {
		var occupancy, active, stalled Mean
		occupancy.Add(some(0.75), 1)
		active.Add(c.active, 1)
		stalled.Add(c.stalled, 1)
		var k Kernel
		k.SetMeasured(&occupancy, &active, &stalled)
		if k.Idle != c.want || k.Measured != unit.Some[unit.Ratio](0.75) {
			t.Errorf("%s: idle %v of a kernel with %v, want %v", c.reason, k.Idle, k.Measured, c.want)
		}
	}
}

// TestCounters checks the order, names, and units of all counters, and the
// values that are computed from them.
func TestCounters(t *testing.T) {
	c := &Counters{Stalls: []Stall{{"Send", 0.5}}, Pipes: []Pipe{{"ALU0", 0.25}, {"XMX", 0.75}, {"ALU1", 0.75}},
		MemoryRead: unit.Some(3.0), L3Read: unit.Some(5.0), L3Write: unit.Some(6.0), MemoryReadPeak: unit.Some(8.0)}
	var list []string
	for counter := range c.All() {
		list = append(list, fmt.Sprint(counter.Name, " ", counter.Value, counter.Unit, " ", counter.Static))
	}
	want := []string{"XVE Stall Reasons:Send 50% false", "XVE Pipelines:ALU0 active 25% false",
		"XVE Pipelines:XMX active 75% false", "XVE Pipelines:ALU1 active 75% false", "GPU Memory Bandwidth:Read 3GB/s false",
		"GPU L3 Bandwidth:Read 5GB/s false", "GPU L3 Bandwidth:Write 6GB/s false", "Maximum GPU Memory Bandwidth:Read 8GB/s true"}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	for range c.All() {
		break // a caller may stop early
	}
	if busiest, name := c.BusiestPipe(); busiest != unit.Some[unit.Ratio](0.75) || name != "XMX" {
		t.Errorf("the busiest pipe is %s with %v, want the first one with 75%%", name, busiest)
	}
	if m := c.Memory(); m != unit.Some(3.0) {
		t.Errorf("reads of 3 GB/s without writes are %v", m)
	}
	if c.MemoryWrite = unit.Some(4.0); c.Memory() != unit.Some(7.0) {
		t.Errorf("reads of 3 and writes of 4 GB/s are %v", c.Memory())
	}
	if c.MemoryRead = (unit.Opt[float64]{}); c.Memory() != unit.Some(4.0) {
		t.Errorf("writes of 4 GB/s without reads are %v", c.Memory())
	}
	none := (*Counters)(nil)
	if _, name := none.BusiestPipe(); name != "" || none.Memory().Present() || len(slices.Collect(none.All())) != 0 {
		t.Error("a kernel without counters has some")
	}
}

// TestKernelAverage checks the mean time of a launch.
func TestKernelAverage(t *testing.T) {
	total, mean := unit.Some[unit.Seconds](6), unit.Some[unit.Seconds](5)
	for _, c := range []struct {
		reason string
		k      Kernel
		want   unit.Opt[unit.Seconds]
	}{
		{"total and count", Kernel{Total: total, Instances: unit.Some[int64](3)}, unit.Some[unit.Seconds](2)},
		{"one launch", Kernel{Total: total, Instances: unit.Some[int64](1)}, total},
		{"only the mean is known", Kernel{Mean: mean}, mean},
		{"the mean replaces total and count of different launches", Kernel{Total: total, Instances: unit.Some[int64](3), Mean: mean, Uneven: true}, mean},
		{"different launches without a mean", Kernel{Total: total, Instances: unit.Some[int64](3), Uneven: true}, unit.Opt[unit.Seconds]{}},
		{"no launch", Kernel{Total: total, Instances: unit.Some[int64](0)}, unit.Opt[unit.Seconds]{}},
		{"no count", Kernel{Total: total}, unit.Opt[unit.Seconds]{}},
	} {
		if got := c.k.Average(); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestCheckCounts checks that the largest possible count is accepted, and one
// more is an error that names the count.
func TestCheckCounts(t *testing.T) {
	most := unit.Some[int64](unit.MaxCount)
	if err := CheckCounts(&Kernel{Instances: most, Threads: most, Barriers: most}); err != nil {
		t.Error(err)
	}
	over := unit.Some[int64](unit.MaxCount + 1)
	for what, k := range map[string]Kernel{"launches": {Instances: over}, "threads": {Threads: over},
		"barrier messages": {Barriers: over}} {
		k.Task, k.Pos = "k", note.Pos{File: "f.csv", Line: 2}
		want := fmt.Sprintf(`f.csv:2: the %s of task "k" add up to more than %s, which no run has (a count in the file `+
			"is wrong: correct it or export the file again)", what, unit.Thousands(unit.MaxCount))
		if err := CheckCounts(&k); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
}

// TestMergeByLine checks the order of the launches of two lists.
func TestMergeByLine(t *testing.T) {
	list := func(lines ...int) *Launches {
		l := &Launches{}
		for _, n := range lines {
			l.Add(&LaunchRecord{Line: n})
		}
		return l
	}
	many := make([]int, launchBlock+3)
	for i := range many {
		many[i] = 2*i + 1
	}
	for _, c := range []struct {
		reason     string
		a, b, want []int
	}{
		{"alternating", []int{1, 4, 5}, []int{2, 3, 6}, []int{1, 2, 3, 4, 5, 6}},
		{"one list ends first", []int{1, 2}, []int{3, 4}, []int{1, 2, 3, 4}},
		{"the other list ends first", []int{3, 4}, []int{1, 2}, []int{1, 2, 3, 4}},
		{"an empty list", nil, []int{1, 2}, []int{1, 2}},
		{"another empty list", []int{1, 2}, nil, []int{1, 2}},
		{"more than one block", many, []int{2}, slices.Insert(slices.Clone(many), 1, 2)},
	} {
		var got []int
		for _, l := range list(c.a...).MergeByLine(list(c.b...)).All() {
			got = append(got, l.Line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}
