package timeline

import (
	"context"
	"fmt"
	"math"

	"occudiff/ingest/unit"
)

// event is the end of threads, or of a work-group, on an Xe-core.
type event struct {
	time    float64
	xeCore  int
	threads int
	group   bool
}

// events runs a launch whose threads run unequally long.
type events struct {
	in    *Input
	queue eventQueue
	now   float64
	err   error // the first run time that makes no sense
}

// dispatcher is what a policy does between two points in time.
type dispatcher interface {
	start()         // places all that fits now
	end(e event)    // takes back what an event frees
	threads() int64 // resident
}

// runEvents simulates from event to event.
func runEvents(ctx context.Context, in *Input, rec *recorder) error {
	ev := &events{in: in}
	var d dispatcher
	switch in.Policy {
	case Free:
		d = &freeEvents{events: ev, free: rec.slots}
	case Whole:
		d = newWholeEvents(ev)
	default:
		d = newPortEvents(ev)
	}
	for step := 0; ; step++ {
		d.start()
		if ev.err != nil {
			return ev.err
		}
		if len(ev.queue) == 0 {
			return nil
		}
		threads := d.threads()
		ev.now = ev.queue[0].time
		rec.add(threads, unit.Seconds(ev.now))
		if len(rec.phases) > maxPhases {
			return errPhases()
		}
		for len(ev.queue) > 0 && ev.queue[0].time == ev.now {
			d.end(ev.queue.pop())
		}
		if step%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// begin queues the end of threads from..from+n-1 of a work-group, those of one run time together, and gives the end of
// the last one.
func (ev *events) begin(xeCore int, group int64, from, n int) (last float64) {
	var pending event
	for i := from; i < from+n; i++ {
		t := float64(ev.in.RunTime(group, i))
		if !(t > 0) || math.IsInf(t, 0) {
			if ev.err == nil {
				ev.err = fmt.Errorf("thread %d of work-group %d runs %v s; expected a number above 0", i, group, t)
			}
			return last
		}
		end := ev.now + t
		if end == ev.now || math.IsInf(end, 0) {
			if ev.err == nil {
				ev.err = fmt.Errorf("thread %d of work-group %d runs %v s from %v s on, which a float64 cannot tell apart", i, group, t, ev.now)
			}
			return last
		}
		last = max(last, end)
		if pending.threads > 0 && pending.time == end {
			pending.threads++
			continue
		}
		ev.push(pending)
		pending = event{time: end, xeCore: xeCore, threads: 1}
	}
	ev.push(pending)
	return last
}

func (ev *events) push(e event) {
	if e.threads > 0 || e.group {
		ev.queue.push(e)
	}
}

// freeEvents is policy Free: one pool of slots, threads in order.
type freeEvents struct {
	*events
	free   int64
	group  int64
	thread int
}

func (f *freeEvents) start() {
	for f.free > 0 && f.group < f.in.Groups && f.err == nil {
		n := int(min(f.free, int64(f.in.ThreadsPerGroup-f.thread)))
		f.begin(0, f.group, f.thread, n)
		f.free -= int64(n)
		f.thread += n
		if f.thread == f.in.ThreadsPerGroup {
			f.group, f.thread = f.group+1, 0
		}
	}
}

func (f *freeEvents) end(e event) { f.free += int64(e.threads) }

func (f *freeEvents) threads() int64 { return f.in.slots() - f.free }

// wholeEvents is policy Whole. All work-groups need the same, so that only an Xe-core where something has just ended
// can take one.
type wholeEvents struct {
	*events
	free, groups []int
	changed      []int // Xe-cores where something ended
	listed       []bool
	next         int64
	resident     int64
}

func newWholeEvents(ev *events) *wholeEvents {
	w := &wholeEvents{events: ev, free: make([]int, ev.in.XeCores), groups: make([]int, ev.in.XeCores), listed: make([]bool, ev.in.XeCores)}
	for i := range w.free {
		w.free[i] = ev.in.SlotsPerXeCore
		w.list(i)
	}
	return w
}

func (w *wholeEvents) list(xeCore int) {
	if !w.listed[xeCore] {
		w.listed[xeCore] = true
		w.changed = append(w.changed, xeCore)
	}
}

// start gives one work-group to each Xe-core that has room and goes round again, so that they fill evenly.
func (w *wholeEvents) start() {
	for len(w.changed) > 0 {
		left := w.changed[:0]
		for _, i := range w.changed {
			if w.err == nil && w.next < w.in.Groups && w.free[i] >= w.in.ThreadsPerGroup && w.groups[i] < w.in.GroupsPerXeCore {
				w.place(i)
				left = append(left, i)
			} else {
				w.listed[i] = false
			}
		}
		w.changed = left
	}
}

func (w *wholeEvents) place(xeCore int) {
	n := w.in.ThreadsPerGroup
	last := w.begin(xeCore, w.next, 0, n)
	w.push(event{time: last, xeCore: xeCore, group: true})
	w.free[xeCore] -= n
	w.groups[xeCore]++
	w.resident += int64(n)
	w.next++
}

func (w *wholeEvents) end(e event) {
	w.free[e.xeCore] += e.threads
	w.resident -= int64(e.threads)
	if e.group {
		w.groups[e.xeCore]--
	}
	w.list(e.xeCore)
}

func (w *wholeEvents) threads() int64 { return w.resident }

// portEvents is policy Partial.
type portEvents struct {
	*events
	*ports
}

func newPortEvents(ev *events) *portEvents {
	d := &portEvents{events: ev, ports: newPorts(ev.in)}
	d.ports.begin = func(p *port, from, n int) {
		p.lastEnd = max(p.lastEnd, ev.begin(p.xeCore, p.group, from, n))
	}
	d.ports.complete = func(p *port) {
		ev.push(event{time: p.lastEnd, xeCore: p.xeCore, group: true})
	}
	return d
}

func (d *portEvents) start() { d.fill() }

func (d *portEvents) end(e event) {
	groups := 0
	if e.group {
		groups = 1
	}
	d.release(e.xeCore, e.threads, groups)
}

func (d *portEvents) threads() int64 { return d.held }
