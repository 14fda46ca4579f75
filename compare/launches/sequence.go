// Package launches tells what the launches, samples and traces of a run say:
// the gaps between launches, what ran at the same time, what each kernel held
// of the GPU, and how its launches fill over time. It does not know files or
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

// Sequence is how the launches of a run follow each other.
type Sequence struct {
	Devices []Device // those that ran anything, in the order of the trace
	Tasks   []Task   // by the number of the trace's task
	trace   *ingest.Trace
}

// Device is what ran on a GPU, or on the stack of one that a program uses by
// itself.
type Device struct {
	Name     string
	Launches int64
	Window   unit.Seconds // from the first launch to the end of the last
	Busy     unit.Seconds // in which anything ran
	AtOnce   float64      // how many launches ran at once while any did
}

// Task is what the launches of a task have in common.
type Task struct {
	Key      ingest.Key
	Kernel   bool // not a copy or a fill
	Launches int64
	Time     unit.Seconds // of all launches; launches at once count once each
	P10, P90 unit.Seconds // of a launch

	// Idle is the time before its launches in which no kernel ran on the GPU,
	// or nothing before a copy, from the second such launch of the GPU on:
	// copies leave all XVEs without a thread.
	Idle                       unit.Seconds
	Waited                     unit.Seconds // before its launches, in which nothing at all ran
	GapMean, GapMedian, GapP90 unit.Seconds // before a launch; a launch that begins in time has a gap of 0
	Shared                     unit.Seconds // part of Time in which another kernel ran as well
	With                       int          // the task that ran with it for longest, -1 when none did or nobody counted
	alone                      float64
	sampledGaps                unit.Seconds // expected time of gaps in the samples that end in its launches
	times, gaps                ingest.Sample
}

// GapShare returns the share of gaps in the samples that end in the launches. A
// sample contains at most one interval of a gap. For example, a pause of 5 s
// before a launch of 5 ms adds no more to it than a pause of one interval.
func (t *Task) GapShare() unit.Ratio { return share(t.sampledGaps, t.Time) }

// GapPart is the part of the time from the first launch to the end of the last
// in which nothing ran and a task was next: those of all tasks add up to the
// gaps of the run.
func (s *Sequence) GapPart(t *Task) unit.Ratio {
	window := unit.Seconds(0)
	for i := range s.Devices {
		window += s.Devices[i].Window
	}
	return share(t.Waited, window)
}

// SharedShare is the part of the launches' time in which another kernel ran as
// well.
func (t *Task) SharedShare() unit.Ratio { return share(t.Shared, t.Time) }

func share(part, whole unit.Seconds) unit.Ratio {
	if whole <= 0 {
		return 0
	}
	return unit.Ratio(min(max(part/whole, 0), 1))
}

// mostPairs and mostAtOnce bound how much is kept of who ran with whom.
const mostPairs, mostAtOnce = 1 << 14, 8

// NewSequence goes through a trace once, of a run whose counters were sampled
// at an interval. It is nil where there is no launch.
func NewSequence(trace *ingest.Trace, interval unit.Seconds) *Sequence {
	if trace.Len() == 0 {
		return nil
	}
	s := &Sequence{trace: trace, Tasks: make([]Task, len(trace.Tasks))}
	for i, key := range trace.Tasks {
		k := ingest.Kernel{Task: key.Task, Global: key.Global, Direction: key.Direction}
		s.Tasks[i] = Task{Key: key, Kernel: k.IsKernel(), With: -1}
	}
	// Times of launches are sampled for their quantiles: many for few tasks,
	// few for many.
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

// walk goes through the launches in the order of their starts.
type walk struct {
	*Sequence
	engines  []engine
	together map[[2]uint32]float64 // nanoseconds that two tasks ran at once
	keep     int                   // times that are sampled of each task
	interval int64                 // nanoseconds between two samples of the counters
}

// engine is a GPU with the launches that run on it.
type engine struct {
	Device
	now, first, last int64
	lastKernel       int64   // latest end of a kernel
	busy, product    float64 // nanoseconds; times the number of launches that ran at once
	running          endings
	kernels          map[uint32]int // launches that run, by task; kernels alone
	idle             []pause        // within one interval of the last launch
	idleTime         int64          // nanoseconds of all pauses in idle
}

// pause is a time without a kernel.
type pause struct{ start, end int64 }

// ending is the end of a running launch.
type ending struct {
	end  int64
	task uint32
}

// endings is a heap of running launches: the first entry ends first. Sorting
// them instead needs quadratic time if thousands of launches run concurrently.
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

// before counts the time before a launch without a kernel, which begins at the
// end of the last one.
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

// sampled returns the expected time of pauses in the samples that end in a
// launch. A sample ends at any moment of it with the same probability, and
// begins one interval before.
func (w *walk) sampled(e *engine, l ingest.Launch) unit.Seconds {
	from, to := l.Start-w.interval, min(l.End-w.interval, l.Start)
	for len(e.idle) > 0 && e.idle[0].end <= from {
		e.idleTime -= e.idle[0].end - e.idle[0].start
		e.idle = e.idle[1:]
	}
	sum, later := 0.0, e.idleTime // later: pauses that every sample contains as a whole
	for _, p := range e.idle {
		start := max(p.start, from)
		if start >= to {
			break
		}
		later -= p.end - p.start
		// Samples that begin before the pause contain all of it, and those that
		// begin within it a part.
		begins := min(p.end, to)
		sum += float64(start-from)*float64(p.end-start) +
			float64(begins-start)*(float64(p.end-start)-float64(begins-start)/2)
	}
	sum += float64(later) * float64(to-from)
	return seconds(sum / float64(max(w.interval, 1)))
}

func seconds(nanoseconds float64) unit.Seconds { return unit.Seconds(nanoseconds / 1e9) }

// advance lets time pass on a GPU up to a moment.
func (w *walk) advance(e *engine, to int64) {
	for len(e.running) > 0 && e.running[0].end <= to {
		w.pass(e)
	}
	if len(e.running) > 0 {
		w.during(e, to)
	}
}

// pass advances to the next end of a launch and removes that launch.
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

// during counts the time from now to a moment, while nothing begins or ends.
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

// Of returns the task whose launches are those of a kernel, nil where none is
// or several may be.
func (s *Sequence) Of(k *ingest.Kernel) *Task {
	if s != nil {
		if i, ok := s.trace.Find(k); ok {
			return &s.Tasks[i]
		}
	}
	return nil
}

// Step is the step of the trace's clock.
func (s *Sequence) Step() unit.Seconds { return seconds(float64(s.trace.Step)) }

// Longest returns the numbers of the tasks with the most time, the most first.
func (s *Sequence) Longest(n int) []int {
	order := longestFirst(len(s.Tasks), func(i int) float64 { return float64(s.Tasks[i].Time) })
	return order[:min(n, len(order))]
}

// longestFirst returns the numbers below n by their time; equal ones stay in
// order.
func longestFirst(n int, time func(int) float64) (order []int) {
	for i := range n {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(time(b), time(a)) })
	return order
}
