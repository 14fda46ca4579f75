// Package launches evaluates the launches, samples, and traces of a run: the
// gaps between launches, the work that ran concurrently, the occupancy of each
// kernel, and how its launches fill over time. It does not depend on files or
// layout.
package launches

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Sequence describes how a run's launches follow each other.
type Sequence struct {
	Devices []Device // devices that ran anything, in the order of the trace
	Tasks   []Task   // by the task's number in the trace
	trace   *ingest.Trace
}

// Device is the activity on a GPU, or on one stack if the program uses it
// separately.
type Device struct {
	Name     string
	Launches int64
	Window   unit.Seconds // time from the start of the first launch to the end of the last
	Busy     unit.Seconds // time in which anything ran on the device
	AtOnce   float64      // mean number of concurrent launches, while any launch ran
}

// Task summarizes the launches of a task.
type Task struct {
	Key      ingest.Key
	Kernel   bool // false for copies and fills
	Launches int64
	Time     unit.Seconds // sum over launches; concurrent launches each count in full
	P10, P90 unit.Seconds // quantiles of the time per launch

	// Idle is the time before the task's launches in which no kernel ran on the
	// GPU. For a copy, it is the time in which nothing ran at all. The first
	// launch on the GPU is excluded. During copies, no XVE has a thread.
	Idle                       unit.Seconds
	Waited                     unit.Seconds // time before the launches in which nothing ran
	GapMean, GapMedian, GapP90 unit.Seconds // time before a launch; 0 for a launch that follows immediately
	Shared                     unit.Seconds // part of Time in which another kernel also ran
	With                       int          // task that ran concurrently for longest; -1 if none or not counted
	alone                      float64
	sampledGaps                unit.Seconds // expected gap time in samples that end during its launches
	times, gaps                ingest.Sample
}

// GapShare returns the share of gaps in the samples that end during the
// launches. A sample contains at most one interval of a gap. For example, a
// pause of 5 s before a launch of 5 ms adds no more to the samples than a pause
// of one interval.
func (t *Task) GapShare() unit.Ratio { return share(t.sampledGaps, t.Time) }

// GapPart returns the share of time in which nothing ran and a launch of this
// task was next, of the time between the start of the first launch and the end
// of the last. The parts of all tasks add up to the gaps of the run.
func (s *Sequence) GapPart(t *Task) unit.Ratio {
	window := unit.Seconds(0)
	for i := range s.Devices {
		window += s.Devices[i].Window
	}
	return share(t.Waited, window)
}

// SharedShare returns the part of the launches' time in which another kernel
// also ran.
func (t *Task) SharedShare() unit.Ratio { return share(t.Shared, t.Time) }

func share(part, whole unit.Seconds) unit.Ratio {
	if whole <= 0 {
		return 0
	}
	return unit.Ratio(min(max(part/whole, 0), 1))
}

// mostPairs and mostAtOnce limit how many pairs of concurrent tasks are
// counted.
const mostPairs, mostAtOnce = 1 << 14, 8

// NewSequence returns the sequence of a trace, in one pass. interval is the
// sampling interval of the run's counters. It returns nil if there is no
// launch.
func NewSequence(trace *ingest.Trace, interval unit.Seconds) *Sequence {
	if trace.Len() == 0 {
		return nil
	}
	s := &Sequence{trace: trace, Tasks: make([]Task, len(trace.Tasks))}
	for i, key := range trace.Tasks {
		k := ingest.Kernel{Task: key.Task, Global: key.Global, Direction: key.Direction}
		s.Tasks[i] = Task{Key: key, Kernel: k.IsKernel(), With: -1}
	}
	// Quantiles are computed from a sample of the launch times. The sample of
	// each task is large if there are few tasks, and small if there are many.
	keep := 4096
	if len(s.Tasks) > 256 {
		keep = 64
	}
	w := walk{Sequence: s, engines: make([]engine, len(trace.Devices)), together: map[[2]uint32]float64{}, keep: keep,
		interval: int64(interval * 1e9)}
	for l := range trace.All() {
		w.launch(l)
	}
	w.finish()
	return s
}

// walk visits the launches in the order of their starts.
type walk struct {
	*Sequence
	engines  []engine
	together map[[2]uint32]float64 // nanoseconds in which two tasks ran concurrently, by pair
	keep     int                   // number of sampled times per task
	interval int64                 // nanoseconds between two counter samples
}

// engine is a GPU, with the launches that run on it at the moment.
type engine struct {
	Device
	now, first, last int64
	lastKernel       int64   // end of the kernel that ended last
	busy, product    float64 // in nanoseconds; product is weighted by the number of concurrent launches
	running          endings
	kernels          map[uint32]int // number of running kernel launches by task
	idle             []pause        // pauses within one interval before the last launch
	idleTime         int64          // length of all pauses in idle, in nanoseconds
}

// pause is a time span without a kernel.
type pause struct{ start, end int64 }

// ending is a running launch's end.
type ending struct {
	end  int64
	task uint32
}

// endings is a heap of the running launches. Its first entry is the launch that
// ends first. A sorted list instead would need quadratic time if thousands of
// launches run concurrently.
type endings []ending

func (e endings) Len() int           { return len(e) }
func (e endings) Less(i, j int) bool { return e[i].end < e[j].end }
func (e endings) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *endings) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *endings) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// launch adds the next launch.
func (w *walk) launch(l ingest.Launch) {
	e := &w.engines[w.trace.Lanes[l.Lane]]
	t := &w.Tasks[l.Task]
	w.advance(e, l.Start)
	if e.Launches == 0 {
		e.first, e.last, e.kernels = l.Start, l.Start, map[uint32]int{}
	} else {
		gap := 0.0
		if len(e.running) == 0 {
			gap = float64(max(l.Start-e.last, 0))
		}
		t.Waited += seconds(gap)
		w.before(e, l, gap)
	}
	e.Launches++
	e.now = l.Start
	t.Launches++
	t.Time += seconds(float64(l.End - l.Start))
	t.times.Add(float64(l.End-l.Start), w.keep)
	heap.Push(&e.running, ending{l.End, l.Task})
	if t.Kernel {
		e.kernels[l.Task]++
	}
}

// before adds the time before a launch in which no kernel ran. It begins at the
// end of the previous launch.
func (w *walk) before(e *engine, l ingest.Launch, gap float64) {
	t := &w.Tasks[l.Task]
	if t.Kernel {
		if e.lastKernel == 0 && len(e.kernels) == 0 {
			return
		}
		if gap = 0; len(e.kernels) == 0 {
			gap = float64(max(l.Start-e.lastKernel, 0))
		}
		if gap > 0 {
			e.idle = append(e.idle, pause{e.lastKernel, l.Start})
			e.idleTime += l.Start - e.lastKernel
		}
		t.sampledGaps += w.sampled(e, l)
	}
	t.gaps.Add(gap, w.keep)
	t.Idle += seconds(gap)
}

// sampled returns the expected time of pauses in the samples that end during a
// launch. A sample may end at any time during the launch with equal
// probability, and begins one interval before its end.
func (w *walk) sampled(e *engine, l ingest.Launch) unit.Seconds {
	from, to := l.Start-w.interval, min(l.End-w.interval, l.Start)
	for len(e.idle) > 0 && e.idle[0].end <= from {
		e.idleTime -= e.idle[0].end - e.idle[0].start
		e.idle = e.idle[1:]
	}
	sum, later := 0.0, e.idleTime // later is the time of pauses that every such sample contains completely
	for _, p := range e.idle {
		start := max(p.start, from)
		if start >= to {
			break
		}
		later -= p.end - p.start
		// A sample that begins before the pause contains all of it. A sample
		// that begins within the pause contains a part of it.
		begins := min(p.end, to)
		sum += float64(start-from)*float64(p.end-start) +
			float64(begins-start)*(float64(p.end-start)-float64(begins-start)/2)
	}
	sum += float64(later) * float64(to-from)
	return seconds(sum / float64(max(w.interval, 1)))
}

func seconds(nanoseconds float64) unit.Seconds { return unit.Seconds(nanoseconds / 1e9) }

// advance moves a GPU forward to a time.
func (w *walk) advance(e *engine, to int64) {
	for len(e.running) > 0 && e.running[0].end <= to {
		w.pass(e)
	}
	if len(e.running) > 0 {
		w.during(e, to)
	}
}

// pass moves forward to the next end of a launch and removes that launch.
func (w *walk) pass(e *engine) {
	w.during(e, e.running[0].end)
	done := heap.Pop(&e.running).(ending)
	e.last = max(e.last, done.end)
	if w.Tasks[done.task].Kernel {
		e.lastKernel = max(e.lastKernel, done.end)
		if e.kernels[done.task]--; e.kernels[done.task] == 0 {
			delete(e.kernels, done.task)
		}
	}
}

// during counts the time until to, during which no launch begins or ends.
func (w *walk) during(e *engine, to int64) {
	d := float64(to - e.now)
	if e.now = to; d <= 0 {
		return
	}
	e.busy += d
	e.product += d * float64(len(e.running))
	switch n := len(e.kernels); {
	case n == 1:
		for task, count := range e.kernels {
			w.Tasks[task].alone += d * float64(count)
		}
	case n > 1 && n <= mostAtOnce:
		for a, count := range e.kernels {
			for b := range e.kernels {
				if _, known := w.together[[2]uint32{a, b}]; a != b && (known || len(w.together) < mostPairs) {
					w.together[[2]uint32{a, b}] += d * float64(count)
				}
			}
		}
	}
}

func (w *walk) finish() {
	for i := range w.engines {
		e := &w.engines[i]
		if w.advance(e, math.MaxInt64); e.Launches == 0 {
			continue
		}
		e.Name, e.Window, e.Busy = w.trace.Devices[i], seconds(float64(e.last-e.first)), seconds(e.busy)
		if e.busy > 0 {
			e.AtOnce = e.product / e.busy
		}
		w.Devices = append(w.Devices, e.Device)
	}
	for i := range w.Tasks {
		t := &w.Tasks[i]
		q := t.times.Quantiles(0.1, 0.9)
		t.P10, t.P90 = seconds(q[0]), seconds(q[1])
		q = t.gaps.Quantiles(0.5, 0.9)
		t.GapMedian, t.GapP90 = seconds(q[0]), seconds(q[1])
		if t.gaps.N > 0 {
			t.GapMean = t.Idle / unit.Seconds(t.gaps.N)
		}
		if t.Kernel {
			t.Shared = max(t.Time-seconds(t.alone), 0)
		}
		t.times, t.gaps = ingest.Sample{}, ingest.Sample{}
	}
	longest := make([]float64, len(w.Tasks))
	for pair, d := range w.together {
		a, b := pair[0], int(pair[1])
		if d > longest[a] || d == longest[a] && b < w.Tasks[a].With {
			longest[a], w.Tasks[a].With = d, b
		}
	}
}

// Of returns the task that contains a kernel's launches. It returns nil if no
// task matches or several may match.
func (s *Sequence) Of(k *ingest.Kernel) *Task {
	if s != nil {
		if i, ok := s.trace.Find(k); ok {
			return &s.Tasks[i]
		}
	}
	return nil
}

// Step returns the resolution of the trace's clock.
func (s *Sequence) Step() unit.Seconds { return seconds(float64(s.trace.Step)) }

// Longest returns the numbers of the n tasks with the most time, in descending
// order.
func (s *Sequence) Longest(n int) []int {
	order := longestFirst(len(s.Tasks), func(i int) float64 { return float64(s.Tasks[i].Time) })
	return order[:min(n, len(order))]
}

// longestFirst returns the numbers below n, sorted by descending time. Numbers
// with equal times stay in order.
func longestFirst(n int, time func(int) float64) (order []int) {
	for i := range n {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(time(b), time(a)) })
	return order
}
