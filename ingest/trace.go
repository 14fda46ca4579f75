package ingest

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Trace is when launches ran: of kernels, and of copies and fills next to them.
// A launch takes 24 bytes, so that a trace of gigabytes fits into memory. The
// zero Trace is empty; a nil one can be read.
type Trace struct {
	Tasks   []Key    // what was launched; Device is empty
	Lanes   []int    // of each queue or engine: its device
	Devices []string // their names, "" where the trace has none

	First, Last int64 // nanoseconds: when the first launch began and the last one ended
	// Step is what all times are a multiple of, in nanoseconds: 1000 of a trace
	// in whole microseconds.
	Step int64
	// Whole states that the file is a run of its own: its writer puts all of a
	// run, or of one of its processes, into one.
	Whole bool

	n      int
	blocks []*[launchBlock]Launch
	mixed  bool // the launches are not in the order of their starts
	tasks  map[Key]uint32
	byName map[string][]int
}

// Launch is one launch, in nanoseconds of a clock that all launches of a trace
// share.
type Launch struct {
	Start, End int64
	Task, Lane uint32
}

// Len returns the number of launches.
func (t *Trace) Len() int {
	if t == nil {
		return 0
	}
	return t.n
}

// Task returns the number of a task, which it takes in when it is new.
func (t *Trace) Task(key Key) uint32 {
	key.Device = ""
	i, known := t.tasks[key]
	if !known {
		if t.tasks == nil {
			t.tasks = map[Key]uint32{}
		}
		i = uint32(len(t.Tasks))
		key.Task = strings.Clone(key.Task) // not to keep the line
		t.tasks[key] = i
		t.Tasks = append(t.Tasks, key)
	}
	return i
}

// Add adds a launch, which ends no earlier than it starts.
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

// At returns launch i, in the order in which launches were added until Finish
// has sorted them.
func (t *Trace) At(i int) Launch { return *t.at(i) }

func (t *Trace) at(i int) *Launch { return &t.blocks[i/launchBlock][i%launchBlock] }

// All returns the launches in the order of their starts.
func (t *Trace) All() iter.Seq[Launch] {
	return func(yield func(Launch) bool) {
		for i := range t.Len() {
			if !yield(*t.at(i)) {
				return
			}
		}
	}
}

// byStart puts launches in the order of their starts.
type byStart struct{ *Trace }

// Less implements sort.Interface. Launches that start together are ordered too,
// so that an answer does not depend on the file.
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

// Finish is called when all launches are there; Find and All rely on it.
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

// same reports whether another trace is this one, read again: a result folder
// and an archive of it.
func (t *Trace) same(o *Trace) bool {
	return t.Len() == o.Len() && t.First == o.First && t.Last == o.Last && slices.Equal(t.Tasks, o.Tasks)
}

// clone returns a trace that can be added to.
func (t *Trace) clone() *Trace {
	c := &Trace{Step: t.Step, First: t.First, Last: t.Last}
	c.merge(t)
	return c
}

// merge adds the launches of another trace, false when they ran at another
// time: by clocks that are not the same, or in another run.
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

// AddLane adds a queue or engine of a device; ranks of one program name the one
// that they share alike.
func (t *Trace) AddLane(device string) {
	at := slices.Index(t.Devices, device)
	if at < 0 {
		at = len(t.Devices)
		t.Devices = append(t.Devices, device)
	}
	t.Lanes = append(t.Lanes, at)
}

// Find returns the task whose launches are those of a kernel; false where none
// is, or where several may be. Names and sizes are compared as those of several
// files of a run are.
func (t *Trace) Find(k *Kernel) (task int, ok bool) {
	if t.Len() == 0 {
		return 0, false
	}
	return findKey(t.byName, t.Tasks, k)
}

// indexKeys finds keys by the names that several tools print for one kernel.
func indexKeys(keys []Key) map[string][]int {
	byName := map[string][]int{}
	for i := range keys {
		name := names.Comparable(keys[i].Task)
		byName[name] = append(byName[name], i)
	}
	return byName
}

// findKey finds the one key of a kernel, as far as both say what it is.
func findKey(byName map[string][]int, keys []Key, k *Kernel) (at int, ok bool) {
	like, known := byName[k.Task] // many rows are named alike
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

// Samples are occupancies that were measured over time, within launches of one
// task or of whatever ran.
type Samples struct {
	Key  Key // Task is empty where the samples name none
	List []CounterSample
}

// CounterSample is what was measured in the time up to Length before At, in
// nanoseconds. A sample takes 32 bytes.
type CounterSample struct {
	At, Length                int64
	Measured, Active, Stalled float32
	Launch                    uint32 // numbers the launches of the task
}

// MaxSamples bounds what is kept of one file.
const MaxSamples = 1 << 21

// During returns the launch that ran at a moment, of one task or, with a
// negative number, of any; false when none did.
func (t *Trace) During(task int, at int64) (Launch, bool) {
	first := sort.Search(t.Len(), func(i int) bool { return t.at(i).Start > at })
	const most = 256 // launches at once
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
		placed = append(placed, s) // of whatever ran, too
		if lost == len(s.List) {
			r.Notes = append(r.Notes, unplaced(lost, r.Trace))
		}
	}
	r.Samples = placed
}

// unplaced describes why no sample is of a launch.
func unplaced(samples int, t *Trace) note.Note {
	n := note.Note{Severity: note.Warning, Code: "samples-unplaced",
		Text: fmt.Sprintf("%d samples name no kernel, and no launch is known to have run when they were taken", samples),
		Hint: "give the kernel intervals of the same run next to them (oneprof -i)"}
	if t.Len() > 0 {
		n.Text = fmt.Sprintf("%d samples name no kernel, and none was taken while a launch of the trace ran", samples)
		n.Hint = "launches that are shorter than the time between two samples need more work each, or more samples; else the " +
			"trace is of another run"
	}
	return n
}

// SamplesOf returns the samples of a kernel, nil where there are none or where
// they may be of several.
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

// Recording is all that the counters of a run read over time, whatever ran, and
// the launches on the same clock.
type Recording struct {
	Trace *Trace
	List  []CounterSample
	// Unassigned states that the times of the launches are from another clock,
	// which may be 0.1 ms off.
	Unassigned bool
}

// Add adds the next sample. When there are too many, each two become one.
func (r *Recording) Add(m CounterSample) {
	if len(r.List) >= MaxSamples {
		for i := range len(r.List) / 2 {
			a, b := &r.List[2*i], &r.List[2*i+1]
			w := float32(float64(a.Length) / float64(max(a.Length+b.Length, 1)))
			r.List[i] = CounterSample{At: b.At, Length: a.Length + b.Length, Measured: w*a.Measured + (1-w)*b.Measured,
				Active: w*a.Active + (1-w)*b.Active, Stalled: w*a.Stalled + (1-w)*b.Stalled}
		}
		r.List = r.List[:len(r.List)/2]
	}
	r.List = append(r.List, m)
}

// Sample gathers how much values differ, in bounded memory: beyond a limit it
// keeps every second, fourth, ... value, so that quantiles are those of an even
// selection. The zero Sample is empty.
type Sample struct {
	N        int64
	Min, Max float64
	stride   int64
	kept     []float64
}

// SampleSize is how many values are kept of each of so many samples: many of
// few, few of many.
func SampleSize(samples int) int {
	if samples > 1024 {
		return 32
	}
	return 512
}

// Add adds a value; most is how many are kept.
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

// Quantiles returns the values below which shares of all lie; a half gives the
// median, which is between two values where they are even in number.
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

// Spread returns the spread of the times of two launches or more, and that of
// their measured occupancies, nil for none.
func (s *Sample) Spread(measured *Sample) *LaunchSpread {
	if s.N < 2 {
		return nil
	}
	q := s.Quantiles(0.1, 0.5, 0.9)
	spread := &LaunchSpread{
		MinSeconds: unit.Seconds(s.Min), MedianSeconds: unit.Seconds(q[1]), MaxSeconds: unit.Seconds(s.Max),
		P10Seconds: unit.Some(unit.Seconds(q[0])), P90Seconds: unit.Some(unit.Seconds(q[2]))}
	if measured != nil && measured.N > 0 {
		spread.MinMeasured = unit.Some(unit.Ratio(measured.Min))
		spread.MedianMeasured = unit.Some(unit.Ratio(measured.Quantiles(0.5)[0]))
		spread.MaxMeasured = unit.Some(unit.Ratio(measured.Max))
	}
	return spread
}

// Mean is an average of ratios, weighted by the time that they were measured
// over; those without a time count alike. The zero Mean is empty.
type Mean struct{ product, weight, plain, n float64 }

// Add adds a ratio, if there is one.
func (m *Mean) Add(x unit.Opt[float64], weight float64) {
	if v, ok := x.Value(); ok {
		m.Merge(&Mean{v * weight, weight, v, 1})
	}
}

// Merge adds what another mean is of.
func (m *Mean) Merge(o *Mean) {
	m.product, m.weight = m.product+o.product, m.weight+o.weight
	m.plain, m.n = m.plain+o.plain, m.n+o.n
}

// Value returns the mean, absent where nothing was added. One value comes as it
// is, without the rounding of a product and its division.
func (m *Mean) Value() unit.Opt[unit.Ratio] {
	switch {
	case m.n == 0:
		return unit.Opt[unit.Ratio]{}
	case m.n == 1 || m.weight == 0:
		return unit.Some(unit.Ratio(m.plain / m.n))
	}
	return unit.Some(unit.Ratio(m.product / m.weight))
}

// EachWeight returns the mean weight, 0 where there is none.
func (m *Mean) EachWeight() float64 {
	if m.n == 0 {
		return 0
	}
	return m.weight / m.n
}

// SetMeasured sets what counters measured of a kernel. Tracers do not print the
// idle share: what is neither active nor stalled is idle, by the definition of
// the two counters.
func (k *Kernel) SetMeasured(occupancy, active, stalled *Mean) {
	k.Measured, k.Active, k.Stalled = occupancy.Value(), active.Value(), stalled.Value()
	a, haveActive := k.Active.Value()
	s, haveStalled := k.Stalled.Value()
	// More than a rounding below 0 means that the two counters overlap on this
	// GPU: then the idle share is not known.
	if rest := 1 - a - s; haveActive && haveStalled && rest > -0.005 {
		k.Idle = unit.Some(max(rest, 0))
	}
}
