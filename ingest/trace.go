package ingest

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// A Trace contains the launch times: kernels, copies, and fills. A launch needs
// 24 bytes, so that a trace with gigabytes fits into memory. The zero Trace is
// empty, and a nil *Trace can be read.
type Trace struct {
	Tasks   []Key    // launched tasks; Device is empty
	Lanes   []int    // device by queue or engine
	Devices []string // device names, "" if unknown

	First, Last int64 // first launch start and last launch end, in nanoseconds
	// Step divides all times, in nanoseconds. It is 1000 for a trace in whole
	// microseconds.
	Step int64
	// Whole is set if the file is a separate run: its writer puts a whole run,
	// or a whole process, into one file.
	Whole bool

	n      int
	blocks []*[launchBlock]Launch
	mixed  bool // the launches are not sorted by their start
	tasks  map[Key]uint32
	byName map[string][]int
}

// A Launch is one launch, in nanoseconds on a clock that all launches in a
// trace share.
type Launch struct {
	Start, End int64
	Task, Lane uint32
}

// Len returns the launch count.
func (t *Trace) Len() int {
	if t == nil {
		return 0
	}
	return t.n
}

// Task returns a task's number. It adds a new task.
func (t *Trace) Task(key Key) uint32 {
	key.Device = ""
	i, known := t.tasks[key]
	if !known {
		if t.tasks == nil {
			t.tasks = map[Key]uint32{}
		}
		i = uint32(len(t.Tasks))
		key.Task = strings.Clone(key.Task) // do not keep the line in memory
		t.tasks[key] = i
		t.Tasks = append(t.Tasks, key)
	}
	return i
}

// Add adds a launch. It must not end before it starts.
func (t *Trace) Add(l Launch) {
	if t.n == len(t.blocks)*launchBlock {
		t.blocks = append(t.blocks, new([launchBlock]Launch))
	}
	if t.n == 0 {
		t.First, t.Last, t.Step = l.Start, l.End, 1000
	}
	t.mixed = t.mixed || t.n > 0 && l.Start <= t.at(t.n-1).Start
	t.n++
	*t.at(t.n - 1) = l
	t.First, t.Last = min(t.First, l.Start), max(t.Last, l.End)
	if l.Start%1000 != 0 || l.End%1000 != 0 {
		t.Step = 1
	}
}

// At returns launch i, in the order of adding. After Finish, launches are
// sorted by start.
func (t *Trace) At(i int) Launch { return *t.at(i) }

func (t *Trace) at(i int) *Launch { return &t.blocks[i/launchBlock][i%launchBlock] }

// All returns the launches in start order.
func (t *Trace) All() iter.Seq[Launch] {
	return func(yield func(Launch) bool) {
		for i := range t.Len() {
			if !yield(*t.at(i)) {
				return
			}
		}
	}
}

// byStart sorts launches by their starts.
type byStart struct{ *Trace }

// Less reports whether launch i comes first. It also orders launches that start
// at the same time, so that results do not depend on the order in the file.
func (s byStart) Less(i, j int) bool {
	a, b := s.at(i), s.at(j)
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Lane, b.Lane),
		cmp.Compare(a.Task, b.Task)) < 0
}

// Swap implements sort.Interface.
func (s byStart) Swap(i, j int) {
	a, b := s.at(i), s.at(j)
	*a, *b = *b, *a
}

// Finish sorts the launches and must be called after the last Add. Find and All
// depend on it.
func (t *Trace) Finish() {
	if t == nil {
		return
	}
	if t.mixed {
		sort.Sort(byStart{t})
		t.mixed = false
	}
	t.byName = indexKeys(t.Tasks)
}

// same reports whether another trace is the same one, read again, for example
// from a result folder and from its archive.
func (t *Trace) same(o *Trace) bool {
	return t.Len() == o.Len() && t.First == o.First && t.Last == o.Last && slices.Equal(t.Tasks, o.Tasks)
}

// clone returns a copy to which launches can be added.
func (t *Trace) clone() *Trace {
	c := &Trace{Step: t.Step, First: t.First, Last: t.Last}
	c.merge(t)
	return c
}

// merge adds another trace's launches. It returns false if they ran at a
// different time: the clocks differ, or it is another run.
func (t *Trace) merge(o *Trace) bool {
	if o.First > t.Last || o.Last < t.First {
		return false
	}
	tasks, first := make([]uint32, len(o.Tasks)), len(t.Lanes)
	for i, key := range o.Tasks {
		tasks[i] = t.Task(key)
	}
	for _, device := range o.Lanes {
		t.AddLane(o.Devices[device])
	}
	for l := range o.All() {
		t.Add(Launch{l.Start, l.End, tasks[l.Task], l.Lane + uint32(first)})
	}
	return true
}

// AddLane adds a device's queue or engine. Processes in one program that share
// a device use the same device name.
func (t *Trace) AddLane(device string) {
	at := slices.Index(t.Devices, device)
	if at < 0 {
		at = len(t.Devices)
		t.Devices = append(t.Devices, device)
	}
	t.Lanes = append(t.Lanes, at)
}

// Find returns the task that contains a kernel's launches. It returns false if
// there is none or if several match. Names and sizes are compared as for
// several files in a run.
func (t *Trace) Find(k *Kernel) (task int, ok bool) {
	if t.Len() == 0 {
		return 0, false
	}
	return findKey(t.byName, t.Tasks, k)
}

// indexKeys returns an index of keys by name, in a form in which different
// tools' names are equal.
func indexKeys(keys []Key) map[string][]int {
	byName := map[string][]int{}
	for i := range keys {
		name := names.Comparable(keys[i].Task)
		byName[name] = append(byName[name], i)
	}
	return byName
}

// findKey returns the index of the only key that fits. It returns false if none
// or several fit.
func findKey(byName map[string][]int, keys []Key, k *Kernel) (at int, ok bool) {
	like, known := byName[k.Task] // many rows have the same name
	if !known {
		like = byName[names.Comparable(k.Task)]
	}
	found := 0
	key := k.Key().Trim()
	for _, i := range like {
		o := keys[i].Trim()
		if key.fits(&o) && key.Direction == o.Direction {
			at, found = i, found+1
		}
	}
	return at, found == 1
}

// Samples are occupancies that were measured over time, during one task's
// launches or during any launch.
type Samples struct {
	Key  Key // Task is empty if the samples have no task
	List []CounterSample
}

// A CounterSample contains the values of the interval from At - Length to At,
// both in nanoseconds. Percentages are shares of its clocks. It takes 40 bytes.
type CounterSample struct {
	At, Length                int64
	Measured, Active, Stalled float32
	Clocks                    float32 // GPU clocks; 0 if not counted
	Launch                    uint32  // launch number within the task
}

// MaxSamples is the maximum number of samples kept per file.
const MaxSamples = 1 << 21

// During returns a launch that ran at a time, from one task, or from any task
// if task is negative. It returns false if none ran.
func (t *Trace) During(task int, at int64) (Launch, bool) {
	first := sort.Search(t.Len(), func(i int) bool { return t.at(i).Start > at })
	const most = 256 // maximum concurrent launches
	for i := first - 1; i >= max(first-most, 0); i-- {
		if l := *t.at(i); l.End >= at && (task < 0 || int(l.Task) == task) {
			return l, true
		}
	}
	return Launch{}, false
}

// placeSamples assigns samples without a task to the task that ran when they
// were taken.
func (r *Run) placeSamples() {
	var placed []Samples
	of := map[uint32]int{}
	for _, s := range r.Samples {
		if s.Key.Task != "" {
			placed = append(placed, s)
			continue
		}
		launches, lost := map[Launch]uint32{}, 0
		for _, x := range s.List {
			l, ran := r.Trace.During(-1, x.At)
			if !ran {
				lost++
				continue
			}
			i, known := of[l.Task]
			if !known {
				i = len(placed)
				of[l.Task] = i
				placed = append(placed, Samples{Key: r.Trace.Tasks[l.Task]})
			}
			if _, known := launches[l]; !known {
				launches[l] = uint32(len(launches))
			}
			x.Launch = launches[l]
			placed[i].List = append(placed[i].List, x)
		}
		placed = append(placed, s) // also keep them as samples without a task
		if lost == len(s.List) {
			r.Notes = append(r.Notes, unplaced(lost, r.Trace))
		}
	}
	r.Samples = placed
}

// unplaced returns a note about samples that all lie outside launches.
func unplaced(samples int, t *Trace) note.Note {
	if t.Len() > 0 {
		return note.Warningf("samples-unplaced", note.Pos{},
			"if the launches are shorter than the time between two samples, give each launch more work or sample more "+
				"often; otherwise, the trace belongs to another run",
			"%d samples name no kernel, and none was taken while a launch of the trace ran", samples)
	}
	return note.Warningf("samples-unplaced", note.Pos{}, "add the kernel intervals of the same run (oneprof -i)",
		"%d samples name no kernel, and no launch is known to have run when they were taken", samples)
}

// SamplesOf returns a kernel's samples, or nil if there are none or if they are
// ambiguous.
func SamplesOf(all []Samples, k *Kernel) *Samples {
	keys := make([]Key, len(all))
	for i := range all {
		keys[i] = all[i].Key
	}
	i, ok := findKey(indexKeys(keys), keys, k)
	if !ok {
		return nil
	}
	return &all[i]
}

// A Recording contains all counters that were read over time during a run, and
// the launches on the same clock.
type Recording struct {
	Trace *Trace
	List  []CounterSample
	// Unassigned means that the launch times come from a different clock, which
	// may differ by 0.1 ms.
	Unassigned bool
}

// Add adds the next sample. If there are too many, it merges each pair of
// samples into one.
func (r *Recording) Add(m CounterSample) {
	if len(r.List) >= MaxSamples {
		for i := range len(r.List) / 2 {
			a, b := &r.List[2*i], &r.List[2*i+1]
			length, clocks := a.Length+b.Length, a.Clocks+b.Clocks
			w := float32(float64(a.Length) / float64(max(length, 1)))
			if clocks > 0 {
				w = a.Clocks / clocks
			}
			r.List[i] = CounterSample{At: b.At, Length: length, Clocks: clocks,
				Measured: w*a.Measured + (1-w)*b.Measured, Active: w*a.Active + (1-w)*b.Active,
				Stalled: w*a.Stalled + (1-w)*b.Stalled}
		}
		r.List = r.List[:len(r.List)/2]
	}
	r.List = append(r.List, m)
}

// A Sample summarizes values in bounded memory. Above a limit, it keeps every
// second, fourth, ... value, so that quantiles come from an evenly spaced
// selection. The zero Sample is empty.
type Sample struct {
	N        int64
	Min, Max float64
	stride   int64
	kept     []float64
}

// SampleSize returns the number of values to keep per sample: fewer values if
// there are many samples.
func SampleSize(samples int) int {
	if samples > 1024 {
		return 32
	}
	return 512
}

// Add adds a value. most is the number of values to keep.
func (s *Sample) Add(x float64, most int) {
	if s.N == 0 {
		s.Min, s.Max, s.stride = x, x, 1
	}
	s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	if s.N%s.stride == 0 {
		s.kept = append(s.kept, x)
		for len(s.kept) >= most {
			n := 0
			for i := 0; i < len(s.kept); i += 2 {
				s.kept[n] = s.kept[i]
				n++
			}
			s.kept, s.stride = s.kept[:n], s.stride*2
		}
	}
	s.N++
}

// Quantiles returns the values below which the given shares of all values are.
// The share 0.5 returns the median, which is interpolated if the number of
// values is even.
func (s *Sample) Quantiles(shares ...float64) []float64 {
	list := make([]float64, len(shares))
	x := slices.Clone(s.kept)
	slices.Sort(x)
	for i, share := range shares {
		if len(x) > 0 {
			at := share * float64(len(x)-1)
			low := int(at)
			high := min(low+1, len(x)-1)
			list[i] = x[low] + (x[high]-x[low])*(at-float64(low))
		}
	}
	return list
}

// Spread returns the spread of the times of at least two launches, and of their
// measured occupancies. It returns nil for fewer launches.
func (s *Sample) Spread(measured *Sample) *LaunchSpread {
	if s.N < 2 {
		return nil
	}
	q := s.Quantiles(0.1, 0.5, 0.9)
	spread := &LaunchSpread{
		MinSeconds: unit.Seconds(s.Min), MedianSeconds: unit.Seconds(q[1]), MaxSeconds: unit.Seconds(s.Max),
		P10Seconds: unit.Some(unit.Seconds(q[0])), P90Seconds: unit.Some(unit.Seconds(q[2]))}
	if measured != nil && measured.N > 0 {
		q := measured.Quantiles(0.5, 0.75)
		spread.MinMeasured = unit.Some(unit.Ratio(measured.Min))
		spread.MedianMeasured, spread.UpperMeasured = unit.Some(unit.Ratio(q[0])), unit.Some(unit.Ratio(q[1]))
		spread.MaxMeasured = unit.Some(unit.Ratio(measured.Max))
	}
	return spread
}

// A Mean is an average of ratios, weighted by the time over which they were
// measured. Without times, all ratios have the same weight. The zero Mean is
// empty.
type Mean struct{ product, weight, plain, n float64 }

// Add adds a ratio if it is present.
func (m *Mean) Add(x unit.Opt[float64], weight float64) {
	if v, ok := x.Value(); ok {
		m.Merge(&Mean{v * weight, weight, v, 1})
	}
}

// Merge adds the ratios of another mean.
func (m *Mean) Merge(o *Mean) {
	m.product, m.weight = m.product+o.product, m.weight+o.weight
	m.plain, m.n = m.plain+o.plain, m.n+o.n
}

// Value returns the mean, or an absent value if nothing was added. A single
// ratio is returned unchanged, without the rounding error of a product and its
// division.
func (m *Mean) Value() unit.Opt[unit.Ratio] {
	switch {
	case m.n == 0:
		return unit.Opt[unit.Ratio]{}
	case m.n == 1 || m.weight == 0:
		return unit.Some(unit.Ratio(m.plain / m.n))
	}
	return unit.Some(unit.Ratio(m.product / m.weight))
}

// EachWeight returns the mean weight, or 0 if the mean is empty.
func (m *Mean) EachWeight() float64 {
	if m.n == 0 {
		return 0
	}
	return m.weight / m.n
}

// SetMeasured sets a kernel's counters. Tracers do not print the idle share. By
// definition of the two counters, time that is neither active nor stalled is
// idle.
func (k *Kernel) SetMeasured(occupancy, active, stalled *Mean) {
	k.Measured, k.Active, k.Stalled = occupancy.Value(), active.Value(), stalled.Value()
	a, haveActive := k.Active.Value()
	s, haveStalled := k.Stalled.Value()
	// A sum above 1, beyond a rounding error, means that the two counters
	// overlap on this GPU. The idle share is then unknown.
	if rest := 1 - a - s; haveActive && haveStalled && rest > -0.005 {
		k.Idle = unit.Some(max(rest, 0))
	}
}
