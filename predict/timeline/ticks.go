package timeline

import (
	"context"
	"encoding/binary"

	"occudiff/ingest/unit"
)

// maxStates bounds the memory that the search for a repeated state takes.
const maxStates = 1 << 12

// ticks runs policy Partial for threads that all run equally long. Whatever begins to run then does so at a multiple of
// that time, and all of it ends at the next: the state changes at ticks only.
type ticks struct {
	*ports
	running []int // threads per Xe-core that end at the next tick
	ending  []int // work-groups per Xe-core that end at the next tick
	tick    int64
	levels  []int64           // resident threads of every tick since the beginning, while states are kept
	seen    map[string]moment // nil once a repetition was used
}

// moment is when a state occurred first.
type moment struct{ tick, next int64 }

func runTicks(ctx context.Context, in *Input, rec *recorder) error {
	s := &ticks{ports: newPorts(in), running: make([]int, in.XeCores), ending: make([]int, in.XeCores), seen: map[string]moment{}}
	s.begin = func(p *port, _, n int) { s.running[p.xeCore] += n }
	s.complete = func(p *port) { s.ending[p.xeCore]++ }
	var key []byte
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
		rec.add(threads, unit.Seconds(s.tick)*in.ThreadTime)
		if len(rec.phases) > maxPhases {
			return errPhases()
		}
		if s.tick%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// advance ends everything that runs.
func (s *ticks) advance() {
	s.tick++
	for i := range s.running {
		s.release(i, s.running[i], s.ending[i])
		s.running[i], s.ending[i] = 0, 0
	}
}

// leap uses the fact that the state determines what follows as long as there are work-groups left: when it has occurred
// before, the ticks since then repeat as often as the remaining work-groups allow, and only their levels are recorded.
func (s *ticks) leap(key []byte, rec *recorder) error {
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
		rec.add(cycle[0], unit.Seconds(s.tick)*s.in.ThreadTime)
		return nil
	}
	if repeats > maxPhases/period {
		return errPhases()
	}
	for range repeats {
		for _, threads := range cycle {
			s.tick++
			rec.add(threads, unit.Seconds(s.tick)*s.in.ThreadTime)
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
func (s *ticks) state(key []byte) []byte {
	put := func(v int) { key = binary.AppendUvarint(key, uint64(v)) }
	for i := range s.free {
		put(s.free[i])
		put(s.groups[i])
		put(s.running[i])
		put(s.ending[i])
	}
	for _, p := range s.port {
		put(p.xeCore)
		if p.group < 0 {
			put(0)
		} else {
			put(1 + p.entered)
		}
	}
	return key
}
