package trace

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// PyTorch's scope profiler (pytorch/kineto#1174) reads counters around each launch and writes them as a further event
// of the category of kernels: `metrics: KERNEL`, a nanosecond longer than the launch on either side, behind all launches
// of the trace. It names its launch by kernel_id, which numbers launches over all devices. The events of phase C beside
// it hold the same values again, and zeros that end the drawn curve: they are not read.

// scopePrefix is what the name of an event with counters begins with.
const scopePrefix = "metrics: "

// quantity is what a counter tells of a launch.
type quantity uint8

const (
	gpuTime    quantity = iota // seconds that the counters ran
	occupancy                  // ratios of that
	active                     //
	stalled                    //
	memoryRead                 // bytes
	memoryWrite
	l3Read
	l3Write
	threads // counts
	barriers
	quantities // how many there are
)

// counterNames are the names that drivers give the counters: in capitals of Xe-HPC and Xe2, Xve... of Xe-LPG, Eu... of
// GPUs before.
var counterNames = map[string]quantity{
	"GpuTime":                   gpuTime,
	"XVE_THREADS_OCCUPANCY_ALL": occupancy, "XveThreadOccupancy": occupancy, "EuThreadOccupancy": occupancy,
	"XVE_ACTIVE": active, "XveActive": active, "EU_ACTIVE": active, "EuActive": active,
	"XVE_STALL": stalled, "XveStall": stalled, "EU_STALL": stalled, "EuStall": stalled,
	"GPU_MEMORY_BYTE_READ": memoryRead, "GtiReadThroughput": memoryRead,
	"GPU_MEMORY_BYTE_WRITE": memoryWrite, "GtiWriteThroughput": memoryWrite,
	"L3_BYTE_READ": l3Read, "L3_BYTE_WRITE": l3Write,
	"XVE_COMPUTE_THREAD_COUNT": threads, "CsThreads": threads,
	"XVE_BARRIER_MESSAGE_COUNT": barriers, "ShaderBarriers": barriers,
}

// perUnit is how many of a unit make a second, the whole, a byte or one. Without a unit the value is in the driver's
// own, the first of each.
func (q quantity) perUnit(name string) (per float64, known bool) {
	switch q {
	case gpuTime:
		per, known = map[string]float64{"": 1e9, "ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1}[name]
	case occupancy, active, stalled:
		per, known = map[string]float64{"": 100, "percent": 100, "%": 100}[name]
	case memoryRead, memoryWrite, l3Read, l3Write:
		per, known = map[string]float64{"": 1, "bytes": 1, "byte": 1, "B": 1}[name]
	default:
		per, known = map[string]float64{"": 1, "events": 1, "threads": 1, "messages": 1, "count": 1}[name]
	}
	return per, known
}

// reading is the counters of one launch.
type reading struct {
	id    uint64
	named bool // it says which launch it is of
	name  string
	start int64 // of the event, a nanosecond before the launch
	drawn bool  // it has a length, as those have whose launch is known
	pos   note.Pos
	value [quantities]float64
	has   [quantities]bool
}

func (r *reading) opt(q quantity) unit.Opt[float64] { return unit.Maybe(r.value[q], r.has[q]) }

// arguments are what the arguments of a kernel's event say of its launch.
type arguments struct {
	id       uint64
	named    bool
	enqueued bool // it has what each launch has, and no counters
}

// argumentsOf reads the arguments of an event as far as its launch goes.
func argumentsOf(b []byte) (a arguments) {
	m := membersOf(b)
	for m.next() {
		switch string(m.key) {
		case "correlation", "device", "sycl queue":
			a.enqueued = true
		case "kernel_id":
			n, err := strconv.ParseUint(string(unquoted(m.value)), 10, 64)
			a.id, a.named = n, err == nil
		}
	}
	return a
}

// unquoted gives a value without quotes, in which some versions write numbers.
func unquoted(b []byte) []byte { return bytes.Trim(b, `"`) }

// scope takes an event that holds the counters of a launch.
func (r *reader) scope(e *event, a arguments, line int) error {
	x := reading{id: a.id, named: a.named, name: string(e.name[len(scopePrefix):]), pos: r.pos(line)}
	if start, ok := nanoseconds(e.ts); ok {
		x.start = start + r.base
	}
	length, _ := nanoseconds(e.dur)
	x.drawn = length > 1
	r.counts.events++
	if err := r.counters(&x, e.args); err != nil {
		return fmt.Errorf("the counters of %s: %w", table.Quote(x.name), err)
	}
	at, err := r.launchOf(&x)
	switch {
	case err != nil:
		return err
	case at >= 0:
		r.take(at, &x)
	case len(r.waiting) >= maxTasks:
		return fmt.Errorf("more than %d counters belong to no launch that stands before them", maxTasks)
	default:
		r.waiting = append(r.waiting, x)
	}
	return nil
}

// counters reads the values of an event's arguments.
func (r *reader) counters(x *reading, args []byte) error {
	m := membersOf(args)
	for m.next() {
		key := string(m.key)
		// NAME::UNIT as it was merged, NAME [UNIT] of drafts, NAME where the driver gives no unit.
		name, unitName, _ := strings.Cut(key, "::")
		if n, u, ok := strings.Cut(strings.TrimSuffix(key, "]"), " ["); ok {
			name, unitName = n, u
		}
		switch name {
		case "kernel_id", "queue", "External id", "GpuCoreClocks", "AvgGpuCoreFrequencyMHz": // asked for by most
			continue
		}
		q, known := counterNames[name]
		if !known {
			r.counts.other.add(name)
			continue
		}
		r.counts.has[q] = true
		per, known := q.perUnit(unitName)
		if !known {
			r.counts.units.add(key)
			continue
		}
		v, err := strconv.ParseFloat(string(unquoted(m.value)), 64)
		switch {
		case err != nil || math.IsNaN(v) || v < 0 || v > 1e18:
			return fmt.Errorf("%s is %s, which is no number from 0 on", key, table.Quote(m.value))
		case per == 100 && v > 100.5: // counters exceed the whole by a rounding
			return fmt.Errorf("%s is %s, more than the whole", key, m.value)
		}
		// The first of two names for a quantity counts.
		if !x.has[q] {
			x.value[q], x.has[q] = v/per, true
		}
	}
	return m.err
}

// launchID is a launch with a number, by which counters name it. A trace may have millions.
type launchID struct {
	launch uint32 // in the order of the file
	before uint32 // the launch before it with the same number: its place in reader.known, from 1 on
	read   bool   // its counters were met
}

// identify notes the number of the launch that was added last.
func (r *reader) identify(a arguments) {
	if a.named {
		r.known = append(r.known, launchID{launch: uint32(r.trace.Len() - 1), before: r.numbered[a.id]})
		r.numbered[a.id] = uint32(len(r.known))
	}
}

// launchOf finds the launch of counters in reader.known, -1 when it is not known so far.
func (r *reader) launchOf(x *reading) (int, error) {
	if !x.named {
		return -1, nil
	}
	anonymous := x.name == "kernel_"+strconv.FormatUint(x.id, 10)
	found, near, several := -1, -1, false
	for next := r.numbered[x.id]; next > 0; next = r.known[next-1].before {
		at := int(next) - 1
		l := r.trace.At(int(r.known[at].launch))
		if !anonymous && r.order[r.taskOf[l.Task]] != r.tasks[x.name] {
			continue // several ranks in one trace number their launches alike
		}
		if several = found >= 0; !several {
			found = at
		}
		if d := l.Start - x.start; max(d, -d) <= 1000 && near < 0 {
			near = at
		}
	}
	switch {
	case several && near < 0:
		return -1, fmt.Errorf("kernel_id %d of %s is of several launches, none of which ran then", x.id, table.Quote(x.name))
	case several: // of ranks that run the same program, by when the launch began
		found = near
	}
	if found >= 0 && r.known[found].read {
		return -1, fmt.Errorf("the counters of the launch with kernel_id %d of %s stand in the trace twice", x.id,
			table.Quote(x.name))
	}
	return found, nil
}

// take adds counters to the launch that they are of, given by its place in reader.known.
func (r *reader) take(at int, x *reading) {
	known := &r.known[at]
	known.read = true
	l := r.trace.At(int(known.launch))
	r.measured(r.order[r.taskOf[l.Task]], x, float64(l.End-l.Start)/1e9, int(known.launch))
}

// measured adds what was measured of a launch, which took so many seconds. row is its place where launches are kept.
func (r *reader) measured(t *task, x *reading, seconds float64, row int) {
	if r.instances {
		var m measurement
		var k ingest.Kernel
		m.add(x, seconds)
		m.into(&k, 1)
		l := r.launches.At(row)
		l.Threads, l.Measured, l.Active, l.Stalled, l.Idle = k.Threads, k.Measured, k.Active, k.Stalled, k.Idle
		r.launches.Set(row, &l)
	}
	t.measured.add(x, seconds)
	if x.has[occupancy] {
		t.occupancies.Add(x.value[occupancy], ingest.SampleSize(len(r.tasks)))
	}
}

// measurement is what counters tell of the launches of a kernel.
type measurement struct {
	n          int64
	window, of float64                           // seconds that the counters ran, and the launches that they were read around
	means      [3]ingest.Mean                    // occupancy, active, stalled
	bytes      [4]struct{ sum, seconds float64 } // read and written
	counts     [2]int64
	counted    [2]int64 // launches of those
}

func (m *measurement) add(x *reading, seconds float64) {
	m.n++
	if gpu, ok := x.opt(gpuTime).Value(); ok && seconds > 0 {
		m.window, m.of = m.window+gpu, m.of+seconds
	}
	for i := range m.means {
		m.means[i].Add(x.opt(occupancy+quantity(i)), seconds)
	}
	for i := range m.bytes {
		if v, ok := x.opt(memoryRead + quantity(i)).Value(); ok && seconds > 0 {
			b := &m.bytes[i]
			b.sum, b.seconds = b.sum+v, b.seconds+seconds
		}
	}
	for i := range m.counts {
		if v, ok := x.opt(threads + quantity(i)).Value(); ok {
			// A sum stays at what is no count any more, see ingest.CheckCounts.
			m.counts[i] = min(m.counts[i]+int64(min(v, unit.MaxCount+1)), unit.MaxCount+1)
			m.counted[i]++
		}
	}
}

// into sets what was measured of a kernel of so many launches.
func (m *measurement) into(k *ingest.Kernel, launches int64) {
	if m.n == 0 {
		return
	}
	k.Reading = ingest.AroundLaunch
	k.SetMeasured(&m.means[0], &m.means[1], &m.means[2])
	if m.of > 0 {
		k.CounterTimeRatio = unit.Some(m.window / m.of)
	}
	// Counts are of all launches or of none.
	if m.counted[0] == launches {
		k.Threads = unit.Some(m.counts[0])
	}
	if m.counted[1] == launches {
		k.Barriers = unit.Some(m.counts[1])
	}
}

// bandwidths gives those of the launches, nil where none was counted.
func (m *measurement) bandwidths() *ingest.Counters {
	var c ingest.Counters
	for i, to := range []*unit.Opt[float64]{&c.MemoryRead, &c.MemoryWrite, &c.L3Read, &c.L3Write} {
		if b := m.bytes[i]; b.seconds > 0 {
			*to = unit.Some(b.sum / b.seconds / 1e9)
		}
	}
	if !c.MemoryRead.Present() && !c.MemoryWrite.Present() && !c.L3Read.Present() && !c.L3Write.Present() {
		return nil
	}
	return &c
}

// homeless adds the counters that no launch of the trace has: of kernels that were not asked for or not recorded. Their
// values are a launch's own, and GpuTime is how long that took; when it ran is not known.
func (r *reader) homeless() {
	for i := range r.waiting {
		x := &r.waiting[i]
		at, err := r.launchOf(x)
		switch {
		case err != nil:
			r.bad.Add(x.pos, "", "%v", err)
			continue
		case at >= 0:
			r.take(at, x)
			continue
		}
		// With a length its launch was known to the profiler, and may stand in the trace under another number: to count
		// it by itself could be to count it twice.
		if t := r.tasks[x.name]; x.drawn && t != nil && t.placed {
			r.counts.strange.add(x.name, x.pos)
			continue
		}
		if !x.has[gpuTime] {
			r.counts.untimed.add(x.name, x.pos)
			continue
		}
		t, err := r.named(x.name, launchCategory, x.pos.Line)
		if err != nil {
			r.bad.Add(x.pos, "", "%v", err)
			continue
		}
		r.counts.homeless.add(x.name, x.pos)
		r.used++
		row := r.launched(t, x.value[gpuTime], x.pos.Line)
		r.measured(t, x, x.value[gpuTime], row)
	}
	r.waiting = nil
}

// counted is what is known of all counters of a trace.
type counted struct {
	events            int64
	has               [quantities]bool
	other             firstNames // counters that are not used
	units             firstNames // counters in a unit that is not known
	homeless, untimed met        // without a launch
	strange           met        // of a launch that is not found
}

// firstNames are the first of some names, in the order in which they were met.
type firstNames []string

const maxNames = 256

func (n *firstNames) add(name string) {
	if len(*n) < maxNames && !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}

// String gives the first few.
func (n firstNames) String() string {
	const most = 6
	text := strings.Join(n[:min(most, len(n))], ", ")
	if more := len(n) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// met counts some events and keeps the first.
type met struct {
	n    int64
	name string
	pos  note.Pos
}

func (e *met) add(name string, pos note.Pos) {
	if e.n++; e.n == 1 {
		e.name, e.pos = name, pos
	}
}

// askFor is how a trace with counters is made.
const askFor = "profile with experimental_config=torch._C._profiler._ExperimentalConfig(profiler_metrics=" +
	"[\"GpuTime\", \"XVE_ACTIVE\", \"XVE_STALL\", \"XVE_THREADS_OCCUPANCY_ALL\"], profiler_measure_per_kernel=True)"

// notes says what the counters of the trace lack.
func (r *reader) counterNotes() (list []note.Note) {
	c := &r.counts
	add := func(severity note.Severity, code string, pos note.Pos, hint, format string, args ...any) {
		pos.File = r.path
		list = append(list, note.Note{Severity: severity, Code: code, Pos: pos, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	if c.events == 0 {
		if len(r.known) > 0 {
			add(note.Info, note.NotMeasured, note.Pos{}, askFor, "no counters in the trace: occupancy was not measured in it")
		}
		return list
	}
	if !c.has[occupancy] {
		add(note.Warning, note.NotMeasured, note.Pos{}, askFor,
			"the counters of the trace do not have XVE_THREADS_OCCUPANCY_ALL, so that no occupancy was measured")
	}
	if len(c.units) > 0 {
		add(note.Warning, "counter-unit", note.Pos{}, "", "counters in units that are not known are not used: %v", c.units)
	}
	if len(c.other) > 0 {
		add(note.Info, "counters-unused", note.Pos{}, "", "counters of the trace that say nothing of occupancy are not used: %v", c.other)
	}
	for _, x := range []struct {
		met
		code, hint, are, so string
	}{
		{c.homeless, "counters-without-launch", "", "belong to no launch of the trace",
			": they are used with the time that GpuTime gives, and have no place in gaps and overlaps"},
		{c.strange, "counters-of-others", "", "are of no launch of that kernel in the trace", ": they are not used"},
		{c.untimed, "counters-without-time", "ask for the counter GpuTime, too", "belong to no launch of the trace",
			", and no GpuTime says how long it took: they are not used"},
	} {
		if x.n > 0 {
			add(note.Warning, x.code, x.pos, x.hint, "the counters of %s %s (the first: %s)%s",
				unit.Counted(x.n, "launch", "launches"), x.are, table.Quote(x.name), x.so)
		}
	}
	if text := r.unread(); text != "" {
		add(note.Warning, "counters-missing", note.Pos{}, "another process may have held the counters, or the trace is cut "+
			"off: events with counters stand last", "%s", text)
	}
	return list
}

// unread says of how many launches there are no counters; "" when there are of all.
func (r *reader) unread() string {
	missing, ofTask := 0, map[uint32]int{}
	var devices []string
	has := map[string]bool{} // a device some
	for _, x := range r.known {
		l := r.trace.At(int(x.launch))
		device := r.device(r.pids[l.Lane])
		if !slices.Contains(devices, device) {
			devices = append(devices, device)
		}
		if x.read {
			has[device] = true
			continue
		}
		missing++
		ofTask[l.Task]++
	}
	if missing == 0 {
		return ""
	}
	text := fmt.Sprintf("there are no counters of %d of %s", missing, unit.Counted(len(r.known), "launch", "launches"))
	var some firstNames
	for _, t := range r.order {
		if n := ofTask[t.number]; t.placed && n > 0 {
			some.add(fmt.Sprintf("%s (%d of %d)", table.Quote(t.kernel.Task), n, t.sample.N))
		}
	}
	text += ": " + some.String()
	for _, d := range devices {
		if len(devices) > 1 && !has[d] {
			text += fmt.Sprintf("; of device %s none has any", d)
		}
	}
	return text
}
