package unitrace

import (
	"fmt"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// into adds kernels and notes to the file. The kernels are in report order,
// which is the timing table's order if there is one.
func (r *reader) into(f *ingest.File) error {
	c := r.coverage()
	warned := 0
	warn := func(n note.Note) { // only the first notes if there are many kernels
		if warned++; warned <= table.MaxShown {
			f.Notes = append(f.Notes, n)
		}
	}
	places := slices.Repeat([]int{-1}, len(r.order)) // each kernel's index, by its sums' number
	slices.SortStableFunc(r.order, func(a, b *kernelSums) int { return a.rank - b.rank })
	for _, a := range r.order {
		t := r.timed(a, c)
		if c.covers(a) || t == nil {
			continue
		}
		k := ingest.Kernel{Task: a.key.Task, Global: a.key.Global, Local: a.key.Local, Direction: a.key.Direction,
			Device: a.key.Device, SIMD: unit.NonZero(a.key.SIMD), Pos: a.pos, Instances: unit.Some(t.launches),
			Total: unit.Some(unit.Seconds(t.seconds)), Launches: t.spread()}
		// Add the adapter's number only if there are several. With a single
		// adapter, a number would keep kernels from matching those of other runs.
		if c.several && a.key.adapter >= 0 {
			k.Device = fmt.Sprintf("Device #%d", a.key.adapter)
		}
		// A timing table contains only sums. If there is also a timeline, it
		// contains the variation between launches.
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

// coverage describes the kernels whose launches are listed individually, so
// that a less specific table does not create additional kernels. Timing tables
// without -v have neither a launch size nor an adapter. Timing tables with -v
// and timelines have no adapter. Adding the tables instead would count each
// launch once per table.
type coverage struct {
	// shapes is the launch size count by name, for kernels whose launches are
	// listed individually.
	shapes   map[string]int
	measured map[ingest.Key]bool
	several  bool // several adapters
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

// covers reports whether a kernel must be left out, because other sums contain
// its launches in more detail, and they would be counted twice.
func (c coverage) covers(a *kernelSums) bool {
	if m, _ := a.measured(); m != nil {
		return false
	}
	return c.measured[a.key.Key] ||
		!a.key.Global.Present() && a.sums[fromIntervals] == nil && c.shapes[a.key.Task] > 0
}

// timed returns the sums with the best count and time. It prefers the sums from
// a timing table. A query lasts longer than its kernel, and samples miss
// launches.
func (r *reader) timed(a *kernelSums, c coverage) *sum {
	t, _ := a.best(fromAggregate, fromTiming)
	// A timing table may contain neither the launch size nor the kernel's
	// adapter. Then the kernel must be distinguished from other kernels.
	if t == nil && !c.several {
		o := r.index[kernelKey{a.key.Key, noDevice}]
		// A timing table without -v sums all launch sizes with the same name.
		// Therefore it belongs to this kernel only if the name has one launch
		// size.
		if (o == nil || o.sums[fromTiming] == nil) && a.key.Global.Present() && c.shapes[a.key.Task] == 1 {
			sizeless := ingest.Key{Task: a.key.Task, Direction: a.key.Direction, Device: a.key.Device}
			o = r.index[kernelKey{sizeless, noDevice}]
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

// longWindow is the query time divided by kernel time above which a note is
// added.
const longWindow = 1.1

// ratio returns the metric queries' time divided by the kernel's time, if the
// report contains both.
func (s *sum) ratio(t *sum) (o unit.Opt[float64]) {
	if s != t && s.launches > 0 && t.launches > 0 && t.seconds > 0 {
		o = unit.Some(s.seconds / float64(s.launches) / (t.seconds / float64(t.launches)))
	}
	return o
}

// windowNote returns a note that the occupancy is a mean over more than the
// kernel. A query begins before its kernel and ends after it. For a short
// kernel, most query time is outside the kernel.
func windowNote(k *ingest.Kernel, q, t *sum) note.Note {
	each := func(s *sum) string { return unit.FormatDuration(unit.Seconds(s.seconds / float64(s.launches))) }
	return note.Warningf("query-window", k.Pos, "give each launch more work, so that the query's own time counts less",
		"task %q: its metric queries lasted %s per launch, %.3g times as long as the kernel (%s): "+
			"occupancies are means over the query, and times come from the timing table", k.Task, each(q),
		k.CounterTimeRatio.Or(0), each(t))
}
