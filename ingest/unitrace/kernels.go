package unitrace

import (
	"fmt"
	"math"
	"slices"

	"occudiff/ingest"
	"occudiff/ingest/lines"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// into makes the file's kernels, properties and notes of what the tables told.
func (s *store) into(f *ingest.File) {
	c := s.coverage()
	f.Kernels = &ingest.Kernels{}
	join := s.joiner()
	add := func(k *ingest.Kernel) {
		join(k)
		f.Kernels.Append(k)
	}
	warned := 0
	slices.SortStableFunc(s.order, func(a, b *account) int { return a.rank - b.rank })
	for _, a := range s.order {
		if c.covers(a) {
			continue
		}
		m, t := a.measured(), s.timed(a, c)
		if t == nil || (m != nil && m.kept) { // kept: its launches are rows of their own
			continue
		}
		k := a.kernel()
		if c.several && a.key.adapter >= 0 {
			k.Device = fmt.Sprintf("Device #%d", a.key.adapter)
		}
		k.Instances, k.Total = unit.Some(t.launches), unit.Some(unit.Seconds(t.seconds))
		k.Launches = t.spread.result()
		if i := a.sums[fromIntervals]; i != nil && k.Launches == nil {
			k.Launches = i.spread.result()
		}
		if m != nil {
			m.into(&k)
			k.PerLaunch = m == a.sums[fromQuery]
			k.Pos, k.Launches = m.pos, m.spread.result()
		}
		if n, ok := s.stretched(a, &k, c); ok && warned < lines.MaxShown {
			f.Notes = append(f.Notes, n)
			warned++
		}
		add(&k)
	}
	for _, k := range s.each.All() {
		add(k)
	}
	f.Props = s.propsList
}

func (s *store) severalAdapters() bool {
	first := noDevice
	for _, a := range s.order {
		switch {
		case a.key.adapter == noDevice:
		case first == noDevice:
			first = a.key.adapter
		case first != a.key.adapter:
			return true
		}
	}
	return false
}

// coverage says which kernels are told of launch by launch, so that a table that names less is not taken for kernels of
// its own: timing tables without -v name neither launch shape nor adapter, those with it and timelines no adapter.
type coverage struct {
	shapes   map[string]int // kernels told of launch by launch that have a launch shape, by name
	measured map[ingest.Key]bool
	several  bool // adapters
}

func (s *store) coverage() coverage {
	c := coverage{map[string]int{}, map[ingest.Key]bool{}, s.severalAdapters()}
	seen := map[ingest.Key]bool{}
	for _, a := range s.order {
		if a.measured() == nil && a.sums[fromIntervals] == nil {
			continue
		}
		if a.measured() != nil {
			c.measured[a.key.Key] = true
		}
		if a.key.Global.Present() && !seen[a.key.Key] {
			seen[a.key.Key] = true
			c.shapes[a.key.Task]++
		}
	}
	return c
}

func (c coverage) covers(a *account) bool {
	if a.measured() != nil {
		return false
	}
	if c.measured[a.key.Key] {
		return true
	}
	return !a.key.Global.Present() && a.sums[fromIntervals] == nil && c.shapes[a.key.Task] > 0
}

// measured gives the sums of the table that measured best, nil when none did.
func (a *account) measured() *sum {
	for _, src := range []source{fromQuery, fromAggregate, fromSamples} {
		if a.sums[src] != nil {
			return a.sums[src]
		}
	}
	return nil
}

// timed gives the sums that tell count and time best. A query's own time is what its occupancy is the average over;
// samples miss launches, so that a timing table knows better.
func (s *store) timed(a *account, c coverage) *sum {
	order := []source{fromQuery, fromAggregate, fromTiming, fromIntervals, fromSamples, fromSubmission}
	for _, src := range order {
		if src == fromTiming {
			if t := s.timings(a, c); t != nil {
				return t
			}
			continue
		}
		if a.sums[src] != nil {
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
	plain := kernelKey{ingest.Key{Task: a.key.Task, Direction: a.key.Direction, Device: a.key.Device}, noDevice}
	if o := s.index[plain]; o != nil && a.key.Global.Present() && c.shapes[a.key.Task] == 1 {
		return o.sums[fromTiming]
	}
	return nil
}

// stretched warns of a query that took far longer than its kernel: the occupancy is the average over both.
func (s *store) stretched(a *account, k *ingest.Kernel, c coverage) (note.Note, bool) {
	q, t := a.sums[fromQuery], s.timings(a, c)
	if q == nil || t == nil || q.launches != t.launches || !k.Measured.Present() || q.seconds <= t.seconds*1.1 {
		return note.Note{}, false
	}
	return note.Note{Severity: note.Warning, Code: "query-overhead", Pos: k.Pos,
		Text: fmt.Sprintf("task %q: its metric queries took %s s, its kernels %s s: the measured occupancy is the average over the longer time", k.Task,
			short(q.seconds), short(t.seconds)),
		Hint: "give each launch more work, the query's own time then counts less"}, true
}

func short(x float64) string {
	return fmt.Sprintf("%.4g", math.Max(x, 0))
}

// joiner gives what copies the properties of a kernel into it: those of the same name, and of the same shape and SIMD
// width as far as both say so.
func (s *store) joiner() func(*ingest.Kernel) {
	shapeless, all := map[string][]int{}, map[string][]int{}
	for i, key := range s.shapes {
		all[key.name] = append(all[key.name], i)
		if !key.global.Present() {
			shapeless[key.name] = append(shapeless[key.name], i)
		}
	}
	type question struct {
		name   string
		simd   int
		shaped bool
	}
	known := map[question]int{} // many launches or tiles ask the same
	return func(k *ingest.Kernel) {
		found, ok := s.props[propsKey{k.Task, k.Global, k.Local, k.SIMD.Or(0)}]
		if !ok {
			q := question{k.Task, k.SIMD.Or(0), k.Global.Present()}
			if found, ok = known[q]; !ok {
				candidates := all[k.Task]
				if q.shaped {
					candidates = shapeless[k.Task]
				}
				found = s.only(candidates, q.simd)
				known[q] = found
			}
		}
		if found < 0 {
			return
		}
		p := s.propsList[found]
		k.SLM, k.Spill, k.Registers = p.SLM, p.Spill, p.Registers
		if !k.SIMD.Present() {
			k.SIMD = p.SIMD
		}
	}
}

// only gives the one of some properties that fits a SIMD width, -1 when none does, or several that differ: saying
// nothing is better than the wrong thing.
func (s *store) only(candidates []int, simd int) int {
	found := -1
	for _, j := range candidates {
		width := s.shapes[j].simd
		switch {
		case width != 0 && simd != 0 && width != simd:
		case found < 0:
			found = j
		case needs(s.propsList[j]) != needs(s.propsList[found]):
			return -1
		}
	}
	return found
}

// needs is a kernel's properties without its launch shape and its place in the file.
func needs(p ingest.Props) ingest.Props {
	p.Global, p.Local, p.Pos = unit.Size3{}, unit.Size3{}, note.Pos{}
	return p
}
