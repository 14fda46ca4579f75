package timeline

import (
	"context"
	"fmt"
)

// partial runs policy partial. All threads run equally long, so whatever begins
// to run does so at a multiple of that time and ends at the next one: the state
// changes at ticks only.
type partial struct {
	in     *input
	cores  []core
	ports  []port
	next   int64 // work-group to be taken next
	held   int64 // thread slots held on the whole GPU
	unused int   // no Xe-core below this index is unused; reset when one may have become so

	tick int64
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
		s.tick++
		used := int64(0)
		for i := range s.cores {
			if s.cores[i].free < in.slotsPerXeCore {
				used++
			}
		}
		rec.used, rec.most = rec.used+used, max(rec.most, used)
		for i := range s.cores { // everything that runs ends with the tick
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

// fill lets every port work until it is blocked, one port after the other. That
// a port goes on before the next one starts is what gives the published phases:
// 304 threads with three ports or more.
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

// ready returns the port a work-group and an Xe-core that can take a thread of
// it, if there are any.
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

// findUnused returns an Xe-core without a port and without a work-group, or -1.
func (s *partial) findUnused() int {
	for ; s.unused < len(s.cores); s.unused++ {
		if c := &s.cores[s.unused]; !c.taken && c.groups == 0 {
			return s.unused
		}
	}
	return -1
}

// enter puts as many threads of the port's work-group in as fit. With a barrier
// none runs before the last one is in.
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

// end takes back the slots of running threads and of ending work-groups.
func (c *core) end(s *partial, threads, groups int) {
	c.running -= threads
	c.ending -= groups
	c.free += threads
	c.groups -= groups
	s.held -= int64(threads)
}
