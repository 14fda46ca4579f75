package unitrace

import (
	"fmt"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// into makes the file's kernels, properties and notes of what the tables told.
// They are in the order of the report, which is that of its timing table where it has one.
func (s *store) into(f *ingest.File) (err error) {
	c := s.coverage()
	warn := warner(f)
	places := slices.Repeat([]int{-1}, len(s.order)) // of the kernels, by the number of the account
	slices.SortStableFunc(s.order, func(a, b *account) int { return a.rank - b.rank })
	for _, a := range s.order {
		if c.covers(a) {
			continue
		}
		m, src := a.measured()
		t := s.timed(a, c)
		if t == nil {
			continue
		}
		k := a.kernel()
		// The number of an adapter is only said where there is more than one: the kernels of one are those of any
		// other run of it.
		if c.several && a.key.adapter >= 0 {
			k.Device = fmt.Sprintf("Device #%d", a.key.adapter)
		}
		k.Instances, k.Total = unit.Some(t.launches), unit.Some(unit.Seconds(t.seconds))
		k.Launches = t.spread()
		// A timing table has sums only; how much launches differ is known where a timeline stands beside it.
		if i := a.sums[fromIntervals]; i != nil && k.Launches == nil {
			k.Launches = i.spread()
		}
		if m != nil {
			m.into(&k, src)
			k.Pos = m.pos
			k.CounterTimeRatio = s.window(a, t)
			m.check(&k, t, warn)
		}
		places[a.number] = len(f.Kernels)
		f.Kernels = append(f.Kernels, k)
		if err == nil {
			err = ingest.CheckCounts(&k)
		}
	}
	if s.launches.Len() > 0 {
		f.Launches = s.launches.Renumber(places)
	}
	f.Props = s.propsList
	return err
}

// check notes what the measurements of a kernel say against their being its own.
func (s *sum) check(k *ingest.Kernel, timed *sum, warn func(note.Note)) {
	if k.CounterTimeRatio.Or(1) <= longWindow {
		k.Launches = s.spread()
	} else {
		warn(windowNote(k, s, timed))
	}
	if n, differs := s.counted(k); differs {
		warn(n)
	}
}

// warner gives what adds notes to a file: the first ones, of many kernels.
func warner(f *ingest.File) func(note.Note) {
	warned := 0
	return func(n note.Note) {
		if warned++; warned <= table.MaxShown {
			f.Notes = append(f.Notes, n)
		}
	}
}

func (s *store) severalAdapters() bool {
	adapters := map[int]bool{}
	for _, a := range s.order {
		if a.key.adapter != noDevice {
			adapters[a.key.adapter] = true
		}
	}
	return len(adapters) > 1
}

// coverage says which kernels are told of launch by launch, so that a table that names less is not taken for kernels of
// its own: timing tables without -v name neither launch shape nor adapter, those with it and timelines no adapter.
// Adding the tables up instead would count each launch as often as there are tables.
type coverage struct {
	shapes   map[string]int // kernels told of launch by launch that have a launch shape, by name
	measured map[ingest.Key]bool
	several  bool // adapters
}

func (s *store) coverage() coverage {
	c := coverage{map[string]int{}, map[ingest.Key]bool{}, s.severalAdapters()}
	seen := map[ingest.Key]bool{}
	for _, a := range s.order {
		m, _ := a.measured()
		if m == nil && a.sums[fromIntervals] == nil {
			continue
		}
		if m != nil {
			c.measured[a.key.Key] = true
		}
		if a.key.Global.Present() && !seen[a.key.Key] {
			seen[a.key.Key] = true
			c.shapes[a.key.Task]++
		}
	}
	return c
}

// What is covered is left out: its launches are in the account that tells more, and would count twice.
func (c coverage) covers(a *account) bool {
	if m, _ := a.measured(); m != nil {
		return false
	}
	if c.measured[a.key.Key] {
		return true
	}
	return !a.key.Global.Present() && a.sums[fromIntervals] == nil && c.shapes[a.key.Task] > 0
}

// measured gives the sums of the table that measured best, and which that is; nil when none did.
func (a *account) measured() (*sum, source) {
	for _, src := range []source{fromQuery, fromAggregate, fromSamples} {
		if a.sums[src] != nil {
			return a.sums[src], src
		}
	}
	return nil, sources
}

// timed gives the sums that tell count and time best: a timing table does. A query lasts longer than its kernel, and
// samples miss launches.
func (s *store) timed(a *account, c coverage) *sum {
	for _, src := range []source{fromAggregate, fromTiming, fromIntervals, fromQuery, fromSamples, fromSubmission} {
		if src == fromTiming {
			if t := s.timings(a, c); t != nil {
				return t
			}
		} else if a.sums[src] != nil {
			return a.sums[src]
		}
	}
	return nil
}

// timings gives the timing table's sums for a kernel, also where that table names neither its shape nor its adapter;
// nil when they cannot be told from those of other kernels.
func (s *store) timings(a *account, c coverage) *sum {
	if t := a.sums[fromTiming]; t != nil {
		return t
	}
	if c.several {
		return nil
	}
	if o := s.index[kernelKey{a.key.Key, noDevice}]; o != nil && o.sums[fromTiming] != nil {
		return o.sums[fromTiming]
	}
	// A table without -v adds all shapes of a name up, so it is of this kernel only if the name has one shape.
	plain := kernelKey{ingest.Key{Task: a.key.Task, Direction: a.key.Direction, Device: a.key.Device}, noDevice}
	if o := s.index[plain]; o != nil && a.key.Global.Present() && c.shapes[a.key.Task] == 1 {
		return o.sums[fromTiming]
	}
	return nil
}

// longWindow is how many times as long as a kernel its queries may last before that is said.
const longWindow = 1.1

// window gives how many times as long as the kernel its metric queries lasted, where the report has both times.
func (s *store) window(a *account, t *sum) unit.Opt[float64] {
	q := a.sums[fromQuery]
	if q == nil || q == t || q.launches == 0 || t.launches == 0 || t.seconds <= 0 {
		return unit.Opt[float64]{}
	}
	return unit.Some(q.seconds / float64(q.launches) / (t.seconds / float64(t.launches)))
}

// windowNote says that the occupancy is a mean over more than the kernel.
// A query begins before its kernel and ends after it: of short kernels most of it is neither.
func windowNote(k *ingest.Kernel, q, t *sum) note.Note {
	each := func(s *sum) string { return unit.Span(unit.Seconds(s.seconds / float64(s.launches))) }
	return note.Note{Severity: note.Warning, Code: "query-window", Pos: k.Pos,
		Text: fmt.Sprintf("task %q: its metric queries lasted %s per launch, %.3g times as long as the kernel (%s): "+
			"occupancies are means over the query, times are those of the "+
			"timing table", k.Task, each(q), k.CounterTimeRatio.Or(0), each(t)),
		Hint: "give each launch more work, so that the query's own time counts less"}
}
