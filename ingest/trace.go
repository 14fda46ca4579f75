package ingest

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"occudiff/ingest/names"
)

// Trace is when launches ran: of kernels, and of copies and fills beside them. A launch takes 24 bytes, so that a
// trace of gigabytes fits into memory. The zero Trace is empty; a nil one can be read.
type Trace struct {
	Tasks   []Key    // what was launched; Device is empty
	Lanes   []int    // of each queue or engine: its device
	Devices []string // their names, "" where the trace has none

	First, Last int64 // nanoseconds: when the first launch began and the last one ended
	// Step is what all times are a multiple of, in nanoseconds: 1000 of a trace in whole microseconds.
	Step int64
	// Whole says that the file is a run of its own: its writer puts all of a run, or of one of its processes, into one.
	Whole bool

	launches []Launch
	tasks    map[Key]uint32
	byName   map[string][]int
}

// Launch is one launch, in nanoseconds of a clock that all launches of a trace share.
type Launch struct {
	Start, End int64
	Task, Lane uint32
}

// Len gives the number of launches.
func (t *Trace) Len() int {
	if t == nil {
		return 0
	}
	return len(t.launches)
}

// Task gives the number of a task, which it takes in when it is new.
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
	if len(t.launches) == 0 {
		t.First, t.Last, t.Step = l.Start, l.End, 1000
	}
	t.launches = append(t.launches, l)
	t.First, t.Last = min(t.First, l.Start), max(t.Last, l.End)
	if l.Start%1000 != 0 || l.End%1000 != 0 {
		t.Step = 1
	}
}

// At gives launch i, in the order in which launches were added until Finish has sorted them.
func (t *Trace) At(i int) Launch { return t.launches[i] }

// All gives the launches in the order of their starts.
func (t *Trace) All() iter.Seq[Launch] {
	if t == nil {
		return func(func(Launch) bool) {}
	}
	return slices.Values(t.launches)
}

// Finish is called when all launches are there; Find and All rely on it. Launches that start together are ordered too,
// so that an answer does not depend on the file.
func (t *Trace) Finish() {
	if t == nil {
		return
	}
	slices.SortFunc(t.launches, func(a, b Launch) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Lane, b.Lane),
			cmp.Compare(a.Task, b.Task))
	})
	t.byName = indexKeys(t.Tasks)
}

// same says whether another trace is this one, read again: a result folder and an archive of it.
func (t *Trace) same(o *Trace) bool {
	return t.Len() == o.Len() && t.First == o.First && t.Last == o.Last && slices.Equal(t.Tasks, o.Tasks)
}

// clone gives a trace that can be added to.
func (t *Trace) clone() *Trace {
	c := &Trace{Step: t.Step, First: t.First, Last: t.Last}
	c.merge(t)
	return c
}

// merge adds the launches of another trace, false when they ran at another time: by clocks that are not the same, or in
// another run.
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

// AddLane adds a queue or engine of a device; ranks of one program name the one that they share alike.
func (t *Trace) AddLane(device string) {
	at := slices.Index(t.Devices, device)
	if at < 0 {
		at = len(t.Devices)
		t.Devices = append(t.Devices, device)
	}
	t.Lanes = append(t.Lanes, at)
}

// Find gives the task whose launches are those of a kernel; false where none is, or where several may be. Names and
// sizes are compared as those of several files of a run are.
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
