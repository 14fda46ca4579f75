package ingest

import (
	"fmt"
	"sort"

	"occudiff/ingest/note"
)

// Samples are occupancies that were measured over time, within launches of one task or of whatever ran.
type Samples struct {
	Key  Key // Task is empty where the samples name none
	List []Moment
}

// Moment is what was measured in the time up to Length before At, in nanoseconds. A sample takes 32 bytes.
type Moment struct {
	At, Length                int64
	Measured, Active, Stalled float32
	Launch                    uint32 // numbers the launches of the task
}

// MaxSamples bounds what is kept of one file.
const MaxSamples = 1 << 21

// During gives the launch that ran at a moment, of one task or, with a negative number, of any; false when none did.
func (t *Trace) During(task int, at int64) (Launch, bool) {
	n := t.Len()
	first := sort.Search(n, func(i int) bool { return t.at(i).Start > at })
	const most = 256 // launches at once
	for i := first - 1; i >= max(first-most, 0); i-- {
		if l := t.at(i); l.End >= at && (task < 0 || int(l.Task) == task) {
			return *l, true
		}
	}
	return Launch{}, false
}

// placeSamples gives samples that name no task to the task that ran when they were taken.
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

// unplaced says why no sample is of a launch.
func unplaced(samples int, t *Trace) note.Note {
	n := note.Note{Severity: note.Warning, Code: "samples-unplaced",
		Text: fmt.Sprintf("%d samples name no kernel, and no launch is known to have run when they were taken", samples),
		Hint: "give the kernel intervals of the same run beside them (oneprof -i)"}
	if t.Len() > 0 {
		n.Text = fmt.Sprintf("%d samples name no kernel, and none was taken while a launch of the trace ran", samples)
		n.Hint = "launches that are shorter than the time between two samples need more work each, or more samples; else the " +
			"trace is of another run"
	}
	return n
}

// SamplesOf gives the samples of a kernel, nil where there are none or where they may be of several.
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

// Recording is all that the counters of a run read over time, whatever ran, and the launches on the same clock.
type Recording struct {
	Trace *Trace
	List  []Moment
	// Loose says that the times of the launches are from another clock, which may be 0.1 ms off.
	Loose bool
}

// Add adds the next sample. When there are too many, each two become one.
func (r *Recording) Add(m Moment) {
	if len(r.List) >= MaxSamples {
		for i := range len(r.List) / 2 {
			a, b := &r.List[2*i], &r.List[2*i+1]
			w := float32(float64(a.Length) / float64(max(a.Length+b.Length, 1)))
			r.List[i] = Moment{At: b.At, Length: a.Length + b.Length, Measured: w*a.Measured + (1-w)*b.Measured,
				Active: w*a.Active + (1-w)*b.Active, Stalled: w*a.Stalled + (1-w)*b.Stalled}
		}
		r.List = r.List[:len(r.List)/2]
	}
	r.List = append(r.List, m)
}
