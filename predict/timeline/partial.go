package timeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// partial simulates policy partial. All threads run equally long, so a thread
// starts at a multiple of this time and ends at the next one. The state changes
// only at these ticks.
type partial struct {
	in     *input
	cores  []core
	ports  []port
	next   int64 // next work-group to dispatch
	held   int64 // occupied thread slots on the whole GPU
	unused int   // no Xe-core below this index is unused; reset if one may have become unused

	tick int64
}

// core is an Xe-core's state.
type core struct {
	free    int  // free thread slots
	groups  int  // work-groups bound to it, including partly dispatched ones
	running int  // threads that end at the next tick
	ending  int  // work-groups that end at the next tick
	taken   bool // a port serves it
}

// port is a dispatch port.
type port struct {
	xeCore  int
	half    bool // a work-group is partly dispatched
	entered int  // that work-group's dispatched threads
}

func newPartial(in *input) *partial {
	s := &partial{in: in, cores: make([]core, in.xeCores)}
	for i := range s.cores {
		s.cores[i].free = in.slotsPerXeCore
	}
	for i := range min(in.ports, in.xeCores) {
		s.ports = append(s.ports, port{xeCore: i})
		s.cores[i].taken = true
	}
	return s
}

func runPartial(ctx context.Context, in *input, rec *recorder) error {
	s := newPartial(in)
	for {
		s.fill()
		threads := s.held
		if threads == 0 {
			return nil
		}
		if s.tick == 0 {
			rec.firstEnd = s.firstEnd()
		}
		s.tick++
		used := int64(0)
		for i := range s.cores {
			if s.cores[i].free < in.slotsPerXeCore {
				used++
			}
		}
		rec.used, rec.most = rec.used+used, max(rec.most, used)
		for i := range s.cores { // all running threads end with the tick
			s.cores[i].end(s, s.cores[i].running, s.cores[i].ending)
		}
		rec.add(threads, s.tick)
		if s.tick > maxTicks {
			return fmt.Errorf("the launch takes more than %d run times of a thread; simulate fewer work-groups, since "+
				"the phases repeat", maxTicks)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// fill lets each port dispatch until it is blocked, one port after the other.
// Completing a port before starting the next one reproduces the published
// phases: 304 threads with three ports or more.
func (s *partial) fill() {
	s.unused = 0
	for i := range s.ports {
		for p := &s.ports[i]; s.ready(p); {
			s.enter(p)
			if p.half {
				break // blocked until slots on this Xe-core become free
			}
		}
	}
}

// ready reports whether the port has a work-group and an Xe-core with a free
// slot for it. If necessary, it moves the port and starts the next work-group.
func (s *partial) ready(p *port) bool {
	c := &s.cores[p.xeCore]
	if p.half {
		return c.free > 0
	}
	if s.next == s.in.groups {
		return false
	}
	if c.free == 0 || c.groups == s.in.groupsPerXeCore {
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

// firstEnd returns the threads that remain if one work-group on the Xe-core with
// the fewest threads ends before all others. Its threads share their XVEs with
// the fewest others. It returns 0 if no work-group waits for its last threads, or
// if another work-group can start.
func (s *partial) firstEnd() int64 {
	waits := func(p port) bool { return s.in.barrier && p.half }
	if s.next < s.in.groups || !slices.ContainsFunc(s.ports, waits) {
		return 0
	}
	least := slices.MaxFunc(s.cores, func(a, b core) int { return cmp.Compare(a.freeIfBusy(), b.freeIfBusy()) })
	if least.groups != least.ending || least.groups == 0 {
		return 0
	}
	return s.held - int64(s.in.threadsPerGroup)
}

// freeIfBusy returns the free slots, or -1 if the Xe-core has no work-group.
func (c core) freeIfBusy() int {
	if c.groups == 0 {
		return -1
	}
	return c.free
}

// findUnused returns an Xe-core without a port and without a work-group, or -1
// if there is none.
func (s *partial) findUnused() int {
	for ; s.unused < len(s.cores); s.unused++ {
		if c := &s.cores[s.unused]; !c.taken && c.groups == 0 {
			return s.unused
		}
	}
	return -1
}

// enter dispatches as many threads from the port's work-group as fit. With a
// barrier, no thread runs until the last one is dispatched.
func (s *partial) enter(p *port) {
	c := &s.cores[p.xeCore]
	n := min(c.free, s.in.threadsPerGroup-p.entered)
	c.free -= n
	s.held += int64(n)
	p.entered += n
	p.half = p.entered < s.in.threadsPerGroup
	switch {
	case !s.in.barrier:
		c.running += n
	case !p.half:
		c.running += p.entered
	}
	if !p.half {
		c.ending++
	}
}

// end frees the slots that the running threads and the ending work-groups use.
func (c *core) end(s *partial, threads, groups int) {
	c.running -= threads
	c.ending -= groups
	c.free += threads
	c.groups -= groups
	s.held -= int64(threads)
}
