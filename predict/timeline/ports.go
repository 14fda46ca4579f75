package timeline

// ports is the state of policy Partial: what is resident on each Xe-core, and what each dispatch port is doing.
type ports struct {
	in     *Input
	free   []int // thread slots per Xe-core
	groups []int // work-groups bound to each Xe-core, half-in ones included
	port   []port
	on     []bool // per Xe-core, whether a port stays on it
	next   int64  // work-group to be taken next
	held   int64  // thread slots held on the whole GPU
	unused int    // no Xe-core below this index is unused; reset when one may have become so

	// begin is told of threads that begin to run, and complete of a work-group whose last thread has begun.
	begin    func(p *port, from, n int)
	complete func(p *port)
}

// port is one dispatch port.
type port struct {
	xeCore  int
	group   int64 // being dispatched, -1 for none
	entered int   // its threads that are in
	lastEnd float64
}

func newPorts(in *Input) *ports {
	d := &ports{in: in, free: make([]int, in.XeCores), groups: make([]int, in.XeCores), on: make([]bool, in.XeCores)}
	for i := range d.free {
		d.free[i] = in.SlotsPerXeCore
	}
	for i := range min(in.Ports, in.XeCores) {
		d.port = append(d.port, port{xeCore: i, group: -1})
		d.on[i] = true
	}
	return d
}

// fill lets every port work until it is blocked, one port after the other. That a port goes on before the next one
// starts is what gives the published phases: 304 threads with three ports or more.
func (d *ports) fill() {
	d.unused = 0
	for i := range d.port {
		p := &d.port[i]
		for d.ready(p) {
			n := min(d.free[p.xeCore], d.in.ThreadsPerGroup-p.entered)
			d.enter(p, n)
			if p.group >= 0 {
				break // half in: blocked until slots of this Xe-core become free
			}
		}
	}
}

// ready gives the port a work-group and an Xe-core that can take a thread of it, if there are any.
func (d *ports) ready(p *port) bool {
	if p.group >= 0 {
		return d.free[p.xeCore] > 0
	}
	if d.next == d.in.Groups {
		return false
	}
	if d.free[p.xeCore] == 0 || d.groups[p.xeCore] == d.in.GroupsPerXeCore {
		to := d.findUnused()
		if to < 0 {
			return false
		}
		d.on[p.xeCore], d.on[to] = false, true
		p.xeCore = to
	}
	p.group, p.entered, p.lastEnd = d.next, 0, 0
	d.next++
	d.groups[p.xeCore]++
	return true
}

// findUnused gives an Xe-core without a port and without a work-group, or -1.
func (d *ports) findUnused() int {
	for ; d.unused < len(d.on); d.unused++ {
		if !d.on[d.unused] && d.groups[d.unused] == 0 {
			return d.unused
		}
	}
	return -1
}

// enter puts the next n threads of the port's work-group in.
func (d *ports) enter(p *port, n int) {
	from := p.entered
	d.free[p.xeCore] -= n
	d.held += int64(n)
	p.entered += n
	whole := p.entered == d.in.ThreadsPerGroup
	switch {
	case !d.in.Barrier:
		d.begin(p, from, n)
	case whole:
		d.begin(p, 0, p.entered)
	}
	if whole {
		d.complete(p)
		p.group = -1
	}
}

// release takes back what ended on an Xe-core.
func (d *ports) release(xeCore, threads, groups int) {
	d.free[xeCore] += threads
	d.held -= int64(threads)
	d.groups[xeCore] -= groups
}
