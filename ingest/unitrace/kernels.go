package unitrace

import (
	"fmt"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// into makes the file's kernels and notes of what the tables told. They are in
// the order of the report, which is that of its timing table where it has one.
func (r *reader) into(f *ingest.File) error {
	c := r.coverage()
	warned := 0
	warn := func(n note.Note) { // the first ones, of many kernels
		if warned++; warned <= table.MaxShown {
			f.Notes = append(f.Notes, n)
		}
	}
	places := slices.Repeat([]int{-1}, len(r.order)) // of the kernels, by the number of the account
	slices.SortStableFunc(r.order, func(a, b *kernelSums) int { return a.rank - b.rank })
	for _, a := range r.order {
		t := r.timed(a, c)
		if c.covers(a) || t == nil {
			continue
		}
		k := ingest.Kernel{Task: a.key.Task, Global: a.key.Global, Local: a.key.Local, Direction: a.key.Direction,
			Device: a.key.Device, SIMD: unit.NonZero(a.key.SIMD), Pos: a.pos, Instances: unit.Some(t.launches),
			Total: unit.Some(unit.Seconds(t.seconds)), Launches: t.spread()}
		// The number of an adapter is only said where there is more than one:
		// the kernels of one are those of any other run of it.
		if c.several && a.key.adapter >= 0 {
			k.Device = fmt.Sprintf("Device #%d", a.key.adapter)
		}
		// A timing table has sums only; how much launches differ is known where
		// a timeline stands next to it.
		if i := a.sums[fromIntervals]; i != nil && k.Launches == nil {
			k.Launches = i.spread()
		}
		if m, src := a.measured(); m != nil {
			m.into(&k, src)
			k.Pos = m.pos
			if src == fromQuery {
				k.CounterTimeRatio = m.ratio(t)
			}
			if k.CounterTimeRatio.Or(1) <= longWindow {
				k.Launches = m.spread()
			} else {
				warn(windowNote(&k, m, t))
			}
			if n, differs := m.counted(&k); differs {
				warn(n)
			}
		}
		if err := ingest.CheckCounts(&k); err != nil {
			return err
		}
		places[a.number] = len(f.Kernels)
		f.Kernels = append(f.Kernels, k)
	}
	if r.launches.Len() > 0 {
		f.Launches = r.launches.Renumber(places)
	}
	return nil
}

// coverage describes which kernels are told of launch by launch, so that a
// table that names less is not taken for kernels of its own: timing tables
// without -v name neither launch size nor adapter, those with it and timelines
// no adapter. Adding the tables up instead would count each launch as often as
// there are tables.
type coverage struct {
	shapes   map[string]int // kernels told of launch by launch that have a launch size, by name
	measured map[ingest.Key]bool
	several  bool // adapters
}

func (r *reader) coverage() coverage {
	c := coverage{shapes: map[string]int{}, measured: map[ingest.Key]bool{}}
	seen, adapters := map[ingest.Key]bool{}, map[int]bool{}
	for _, a := range r.order {
		if a.key.adapter != noDevice {
			adapters[a.key.adapter] = true
		}
		m, _ := a.measured()
		if m != nil {
			c.measured[a.key.Key] = true
		}
		if told := m != nil || a.sums[fromIntervals] != nil; told && a.key.Global.Present() && !seen[a.key.Key] {
			seen[a.key.Key] = true
			c.shapes[a.key.Task]++
		}
	}
	c.several = len(adapters) > 1
	return c
}

// What is covered is left out: its launches are in the account that tells more,
// and would count twice.
func (c coverage) covers(a *kernelSums) bool {
	if m, _ := a.measured(); m != nil {
		return false
	}
	return c.measured[a.key.Key] ||
		!a.key.Global.Present() && a.sums[fromIntervals] == nil && c.shapes[a.key.Task] > 0
}

// timed returns the sums that tell count and time best: a timing table does. A
// query lasts longer than its kernel, and samples miss launches.
func (r *reader) timed(a *kernelSums, c coverage) *sum {
	t, _ := a.best(fromAggregate, fromTiming)
	// The timing table may name neither shape nor adapter of the kernel; then
	// it has to be told from other kernels.
	if t == nil && !c.several {
		o := r.index[kernelKey{a.key.Key, noDevice}]
		// A table without -v adds all shapes of a name up, so it is of this
		// kernel only if the name has one shape.
		if (o == nil || o.sums[fromTiming] == nil) && a.key.Global.Present() && c.shapes[a.key.Task] == 1 {
			o = r.index[kernelKey{ingest.Key{Task: a.key.Task, Direction: a.key.Direction, Device: a.key.Device}, noDevice}]
		}
		if o != nil {
			t = o.sums[fromTiming]
		}
	}
	if t == nil {
		t, _ = a.best(fromIntervals, fromQuery, fromSamples, fromSubmission)
	}
	return t
}

// longWindow is how many times as long as a kernel its queries may last before
// that is said.
const longWindow = 1.1

// ratio returns how many times as long as the kernel its metric queries lasted,
// where the report has both times.
func (s *sum) ratio(t *sum) (o unit.Opt[float64]) {
	if s != t && s.launches > 0 && t.launches > 0 && t.seconds > 0 {
		o = unit.Some(s.seconds / float64(s.launches) / (t.seconds / float64(t.launches)))
	}
	return o
}

// windowNote states that the occupancy is a mean over more than the kernel. A
// query begins before its kernel and ends after it: of short kernels most of it
// is neither.
func windowNote(k *ingest.Kernel, q, t *sum) note.Note {
	each := func(s *sum) string { return unit.FormatDuration(unit.Seconds(s.seconds / float64(s.launches))) }
	return note.Note{Severity: note.Warning, Code: "query-window", Pos: k.Pos,
		Text: fmt.Sprintf("task %q: its metric queries lasted %s per launch, %.3g times as long as the kernel (%s): "+
			"occupancies are means over the query, times are those of the "+
			"timing table", k.Task, each(q), k.CounterTimeRatio.Or(0), each(t)),
		Hint: "give each launch more work, so that the query's own time counts less"}
}
