package launches

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// traceOf parses a trace from lines of the form "task lane start end", with
// times in microseconds.
func traceOf(devices []string, lines string) *ingest.Trace {
	t := &ingest.Trace{}
	for _, d := range devices {
		t.AddLane(d)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		var name string
		var lane uint32
		var start, end int64
		if _, err := fmt.Sscan(line, &name, &lane, &start, &end); err != nil {
			panic(err)
		}
		key := ingest.Key{Task: name}
		if name == "copy" {
			key.Direction = names.HostToDevice
		}
		t.Add(ingest.Launch{Start: start * 1000, End: end * 1000, Task: t.Task(key), Lane: lane})
	}
	t.Finish()
	return t
}

func us(s unit.Seconds) float64 { return math.Round(float64(s)*1e9) / 1e3 }

// describe returns a sequence as text, with times in microseconds.
func describe(s *Sequence) string {
	var b strings.Builder
	for _, d := range s.Devices {
		fmt.Fprintf(&b, "device %s launches %d busy %g of %g at once %.3g\n", d.Name, d.Launches, us(d.Busy), us(d.Window), d.AtOnce)
	}
	for _, t := range s.Tasks {
		fmt.Fprintf(&b, "%s launches %d time %g p10 %g p90 %g gap %g %g %g idle %g shared %g", t.Key.Task, t.Launches, us(t.Time),
			us(t.P10), us(t.P90), us(t.GapMean), us(t.GapMedian), us(t.GapP90), us(t.Idle), us(t.Shared))
		if t.With >= 0 {
			fmt.Fprintf(&b, " with %s", s.Tasks[t.With].Key.Task)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSequence(t *testing.T) {
	for _, c := range []struct {
		reason  string
		devices []string
		lines   string
		want    string
	}{
		{"before a copy, nothing runs in a gap; before a kernel, no kernel runs; the first launch has no gap", []string{"gpu"}, `
a 0 0 10
copy 0 12 14
b 0 20 50
a 0 50 60
a 0 100 110`, `device gpu launches 5 busy 62 of 110 at once 1
a launches 3 time 30 p10 10 p90 10 gap 20 20 36 idle 40 shared 0
copy launches 1 time 2 p10 2 p90 2 gap 2 2 2 idle 2 shared 0
b launches 1 time 30 p10 30 p90 30 gap 10 10 10 idle 10 shared 0
`},
		{"a kernel shares its time with other kernels, not with copies and not with itself", []string{"gpu", "gpu", "gpu"}, `
a 0 0 100
copy 1 0 100
b 1 20 30
a 2 40 60
c 1 50 80`, `device gpu launches 5 busy 100 of 100 at once 2.6
a launches 2 time 120 p10 28 p90 92 gap 0 0 0 idle 0 shared 50 with c
copy launches 1 time 100 p10 100 p90 100 gap 0 0 0 idle 0 shared 0
b launches 1 time 10 p10 10 p90 10 gap 0 0 0 idle 0 shared 10 with a
c launches 1 time 30 p10 30 p90 30 gap 0 0 0 idle 0 shared 30 with a
`},
		{"devices are distinguished, and an idle one is left out", []string{"gpu 0", "gpu 1", "gpu 2"}, `
a 0 0 10
b 1 5 15
a 0 30 40`, `device gpu 0 launches 2 busy 20 of 40 at once 1
device gpu 1 launches 1 busy 10 of 10 at once 1
a launches 2 time 20 p10 10 p90 10 gap 20 20 20 idle 20 shared 0
b launches 1 time 10 p10 10 p90 10 gap 0 0 0 idle 0 shared 0
`},
		{"launches that took no time by a clock of whole microseconds", []string{"gpu"}, `
a 0 5 5
a 0 5 5
a 0 9 9`, `device gpu launches 3 busy 0 of 4 at once 0
a launches 3 time 0 p10 0 p90 0 gap 2 2 3.6 idle 4 shared 0
`},
	} {
		if d := cmp.Diff(c.want, describe(NewSequence(traceOf(c.devices, c.lines), 1e-3))); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
	if NewSequence(nil, 1e-3) != nil || NewSequence(&ingest.Trace{}, 1e-3) != nil {
		t.Error("a sequence of no launch")
	}
}

// TestStepByStep compares the walk with a simple count over every microsecond.
func TestStepByStep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		tr := &ingest.Trace{}
		lanes := 1 + random.IntN(3)
		for range lanes {
			tr.AddLane("gpu")
		}
		const most = 200
		running := make([][]int, most+40) // tasks that run at each microsecond
		times := map[int]float64{}
		for range 1 + random.IntN(25) {
			start, task := random.IntN(most), random.IntN(4)
			end := start + random.IntN(30)
			tr.Add(ingest.Launch{Start: int64(start) * 1000, End: int64(end) * 1000, Task: tr.Task(ingest.Key{Task: string(rune('a' + task))}),
				Lane: uint32(random.IntN(lanes))})
			number := int(tr.Task(ingest.Key{Task: string(rune('a' + task))}))
			for at := start; at < end; at++ {
				running[at] = append(running[at], number)
			}
			times[number] += float64(end - start)
		}
		tr.Finish()
		s := NewSequence(tr, 1e-3)
		busy, product, shared := 0.0, 0.0, map[int]float64{}
		for _, tasks := range running {
			if len(tasks) > 0 {
				busy++
			}
			product += float64(len(tasks))
			for _, a := range tasks {
				for _, b := range tasks {
					if a != b {
						shared[a]++
						break
					}
				}
			}
		}
		d := s.Devices[0]
		if us(d.Busy) != busy || math.Abs(d.AtOnce*busy-product) > 1e-6 {
			t.Fatalf("busy %v at once %v, want %v and %v", us(d.Busy), d.AtOnce, busy, product/busy)
		}
		idle := 0.0
		for i, task := range s.Tasks {
			if us(task.Time) != times[i] || us(task.Shared) != shared[i] {
				t.Fatalf("task %d: time %v shared %v, want %v and %v", i, us(task.Time), us(task.Shared), times[i], shared[i])
			}
			idle += us(task.Idle)
		}
		if math.Abs(idle-(us(d.Window)-busy)) > 1e-6 {
			t.Fatalf("idle %v of %v, busy %v", idle, us(d.Window), busy)
		}
	}
}

// TestManyAtOnce checks 200,000 launches that all overlap. An algorithm with
// quadratic time would need half a minute.
func TestManyAtOnce(t *testing.T) {
	tr := &ingest.Trace{}
	tr.AddLane("gpu")
	const n = 200_000
	for i := range n {
		tr.Add(ingest.Launch{Start: int64(i), End: int64(2*n + i), Task: tr.Task(ingest.Key{Task: fmt.Sprint(i % 5000)})})
	}
	tr.Finish()
	if s := NewSequence(tr, 1e-3); us(s.Devices[0].Busy) != 3*n/1e3-1e-3 {
		t.Errorf("busy %v", us(s.Devices[0].Busy))
	}
}

// BenchmarkSequence measures a million launches of 90 to 130 ns with sampling
// intervals of 1 ms, so that an interval contains thousands of gaps.
func BenchmarkSequence(b *testing.B) {
	tr := &ingest.Trace{}
	tr.AddLane("gpu")
	for i := range int64(1_000_000) {
		task := tr.Task(ingest.Key{Task: fmt.Sprint(i % 50)})
		tr.Add(ingest.Launch{Start: 100 * i, End: 100*i + 90 + i%3*20, Task: task})
	}
	tr.Finish()
	for b.Loop() {
		NewSequence(tr, 1e-3)
	}
}

// TestGapShare checks the gap share of a task whose launches are at equal
// distances. Times are in microseconds.
func TestGapShare(t *testing.T) {
	for _, c := range []struct {
		reason                   string
		launches, length, pauses int
		interval                 unit.Seconds
		want                     unit.Ratio
	}{
		{"long launches: a sample contains half of an interval of the gap on average", 40, 50_000, 50_000, 655e-6, 0.0064},
		{"a gap of half an interval: 3/8 of an interval on average", 1000, 100, 10, 20e-6, 0.075},
		{"short launches: samples contain as many gaps as launches", 10_000, 2, 2, 100e-6, 0.5},
		{"launches without gaps", 100, 10, 0, 20e-6, 0},
	} {
		lines, now := "", 0
		for range c.launches {
			lines += fmt.Sprintf("a 0 %d %d\n", now, now+c.length)
			now += c.length + c.pauses
		}
		s := NewSequence(traceOf([]string{"gpu"}, lines), c.interval)
		if got := s.Tasks[0].GapShare(); math.Abs(float64(got-c.want)) > 0.01*float64(c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
	one := traceOf([]string{"gpu"}, "a 0 0 5000\na 0 5010 10010\na 0 5010010 5015010")
	if got := NewSequence(one, 1e-3).Tasks[0].GapShare(); got > 0.04 {
		t.Errorf("a pause of 5 s: %v", got)
	}
}

// TestShares checks the shares of a sequence. Two kernels alternate with gaps
// of 10 us, and b overlaps the last launch of a by half. Times are in
// microseconds.
func TestShares(t *testing.T) {
	s := NewSequence(traceOf([]string{"gpu"}, "a 0 0 20\nb 0 30 50\na 0 60 80\nb 0 70 90"), 1e-3)
	a, b := &s.Tasks[0], &s.Tasks[1]
	for _, c := range []struct {
		reason    string
		got, want unit.Ratio
	}{
		{"of 90 us, 10 us before a launch of a", s.GapPart(a), 1.0 / 9},
		{"of 90 us, 10 us before a launch of b", s.GapPart(b), 1.0 / 9},
		{"of two launches of a, b ran next to half of one", a.SharedShare(), 0.25},
		{"of two launches of b, a ran next to half of one", b.SharedShare(), 0.25},
		{"no time at all", (&Task{}).SharedShare(), 0},
		{"more than the whole time, by rounding", (&Task{Time: 1, Shared: 1.5}).SharedShare(), 1},
	} {
		if math.Abs(float64(c.got-c.want)) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.reason, float64(c.got), float64(c.want))
		}
	}
	if s.Step() != 1e-6 {
		t.Errorf("times in whole microseconds have the resolution %v", s.Step())
	}
	for name, want := range map[string]*Task{"a": a, "b": b, "c": nil} {
		if got := s.Of(&ingest.Kernel{Task: name}); got != want {
			t.Errorf("the kernel %s has the task %+v", name, got)
		}
	}
	if none := (*Sequence)(nil); none.Of(&ingest.Kernel{Task: "a"}) != nil {
		t.Error("a run without a trace has a task")
	}
}

// TestLongest checks the order of tasks: by time, and in the order of the trace
// for equal times.
func TestLongest(t *testing.T) {
	s := NewSequence(traceOf([]string{"gpu"}, "short 0 0 5\nb 0 10 30\nlong 0 40 90\na 0 100 120"), 1e-3)
	if got := s.Longest(3); !cmp.Equal(got, []int{2, 1, 3}) {
		t.Errorf("the longest tasks are %v, want long, b, and a", got)
	}
	if got := s.Longest(9); len(got) != 4 {
		t.Errorf("%d tasks, want all 4", len(got))
	}
}
