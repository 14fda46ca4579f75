package timeline

import (
	"context"
	"encoding/binary"
)

// maxStates bounds the memory that the search for a repeated state takes.
const maxStates = 1 << 12

// partial runs policy Partial. All threads run equally long, so whatever begins to run does so at a multiple of that
// time and ends at the next one: the state changes at ticks only.
type partial struct {
	in     *Input
	cores  []core
	ports  []port
	next   int64 // work-group to be taken next
	held   int64 // thread slots held on the whole GPU
	unused int   // no Xe-core below this index is unused; reset when one may have become so

	tick   int64
	levels []int64           // resident threads of every tick since the beginning, while states are kept
	seen   map[string]moment // nil once a repetition was used
}

// core is the state of an Xe-core.
type core struct {
	free    int  // thread slots
	groups  int  // work-groups bound to it, half-in ones included
	running int  // threads that end at the next tick
	ending  int  // work-groups that end at the next tick
	taken   bool // a port stays on it
}

// port is one dispatch port.
type port struct {
	xeCore  int
	half    bool // it dispatches a work-group
	entered int  // threads of that work-group that are in
}

// moment is when a state occurred first.
type moment struct{ tick, next int64 }

func newPartial(in *Input) *partial {
	s := &partial{in: in, cores: make([]core, in.XeCores), seen: map[string]moment{}}
	for i := range s.cores {
		s.cores[i].free = in.SlotsPerXeCore
	}
	for i := range min(in.Ports, in.XeCores) {
		s.ports = append(s.ports, port{xeCore: i})
		s.cores[i].taken = true
	}
	return s
}

func runPartial(ctx context.Context, in *Input, rec *recorder) error {
	s := newPartial(in)
	var key []byte
	if in.Early > 0 {
		s.endEarly(rec)
	}
	for {
		s.fill()
		threads := s.held
		if threads == 0 {
			return nil
		}
		if s.seen != nil {
			key = s.state(key[:0])
			if err := s.leap(key, rec); err != nil {
				return err
			}
			s.levels = append(s.levels, threads)
		}
		s.advance()
		rec.add(threads, s.tick)
		if len(rec.phases) > maxPhases {
			return errPhases()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// endEarly ends a work-group of the first wave before all others. One that has not begun to run cannot end.
func (s *partial) endEarly(rec *recorder) {
	s.fill()
	rec.addUntil(s.held, 0.9)
	if c := &s.cores[s.in.Early-1]; c.ending > 0 && c.running >= s.in.ThreadsPerGroup {
		c.end(s, s.in.ThreadsPerGroup, 1)
	}
	s.seen = nil // what follows begins between two ticks
}

// fill lets every port work until it is blocked, one port after the other. That a port goes on before the next one
// starts is what gives the published phases: 304 threads with three ports or more.
func (s *partial) fill() {
	s.unused = 0
	for i := range s.ports {
		for p := &s.ports[i]; s.ready(p); {
			s.enter(p)
			if p.half {
				break // blocked until slots of this Xe-core become free
			}
		}
	}
}

// ready gives the port a work-group and an Xe-core that can take a thread of it, if there are any.
func (s *partial) ready(p *port) bool {
	c := &s.cores[p.xeCore]
	if p.half {
		return c.free > 0
	}
	if s.next == s.in.Groups {
		return false
	}
	if c.free == 0 || c.groups == s.in.GroupsPerXeCore {
		to := s.findUnused()
		if to < 0 {
			return false
		}
		c.taken = false
		p.xeCore, c = to, &s.cores[to]
		c.taken = true
	}
	p.half, p.entered = true, 0
	s.next++
	c.groups++
	return true
}

// findUnused gives an Xe-core without a port and without a work-group, or -1.
func (s *partial) findUnused() int {
	for ; s.unused < len(s.cores); s.unused++ {
		if c := &s.cores[s.unused]; !c.taken && c.groups == 0 {
			return s.unused
		}
	}
	return -1
}

// enter puts as many threads of the port's work-group in as fit. With a barrier none runs before the last one is in.
func (s *partial) enter(p *port) {
	c := &s.cores[p.xeCore]
	n := min(c.free, s.in.ThreadsPerGroup-p.entered)
	c.free -= n
	s.held += int64(n)
	p.entered += n
	p.half = p.entered < s.in.ThreadsPerGroup
	switch {
	case !s.in.Barrier:
		c.running += n
	case !p.half:
		c.running += p.entered
	}
	if !p.half {
		c.ending++
	}
}

// advance ends everything that runs.
func (s *partial) advance() {
	s.tick++
	for i := range s.cores {
		s.cores[i].end(s, s.cores[i].running, s.cores[i].ending)
	}
}

// end takes back the slots of running threads and of ending work-groups.
func (c *core) end(s *partial, threads, groups int) {
	c.running -= threads
	c.ending -= groups
	c.free += threads
	c.groups -= groups
	s.held -= int64(threads)
}

// leap uses the fact that the state determines what follows as long as there are work-groups left: when it has occurred
// before, the ticks since then repeat as often as the remaining work-groups allow, and only their levels are recorded.
func (s *partial) leap(key []byte, rec *recorder) error {
	before, ok := s.seen[string(key)]
	if !ok {
		s.seen[string(key)] = moment{s.tick, s.next}
		if len(s.seen) >= maxStates {
			s.seen = nil // no repetition in sight: go on tick by tick
		}
		return nil
	}
	s.seen = nil
	period, taken := s.tick-before.tick, s.next-before.next
	if taken == 0 {
		return nil // nothing is left to dispatch
	}
	cycle := s.levels[before.tick:s.tick]
	repeats := (s.in.Groups - s.next) / taken
	s.next += repeats * taken
	if constant(cycle) {
		s.tick += repeats * period
		rec.add(cycle[0], s.tick)
		return nil
	}
	if repeats > maxPhases/period {
		return errPhases()
	}
	for range repeats {
		for _, threads := range cycle {
			s.tick++
			rec.add(threads, s.tick)
		}
	}
	return nil
}

func constant(levels []int64) bool {
	for _, l := range levels {
		if l != levels[0] {
			return false
		}
	}
	return true
}

// state writes down all that the future depends on, except for the number of work-groups left.
func (s *partial) state(key []byte) []byte {
	put := func(v int) { key = binary.AppendUvarint(key, uint64(v)) }
	for i := range s.cores {
		c := &s.cores[i]
		put(c.free)
		put(c.groups)
		put(c.running)
		put(c.ending)
	}
	for _, p := range s.ports {
		put(p.xeCore)
		if p.half {
			put(1 + p.entered)
		} else {
			put(0)
		}
	}
	return key
}
