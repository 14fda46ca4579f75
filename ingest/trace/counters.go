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

// PyTorch's scope profiler (pytorch/kineto#1174) reads counters around each
// launch. It writes them as an additional event in the kernel category,
// `metrics: KERNEL`, which is a nanosecond longer than the launch on both sides
// and follows all launches in the trace. The event identifies its launch by
// kernel_id, which numbers launches over all devices. The adjacent events with
// phase C repeat the values, and contain zeros that end the drawn curve. They
// are not read.

// scopePrefix is the name prefix of an event with counters.
const scopePrefix = "metrics: "

// A quantity is a launch counter.
type quantity uint8

const (
	gpuTime   quantity = iota // seconds during which the counters ran
	occupancy                 // ratios of that time
	active
	stalled
	memoryRead // bytes
	memoryWrite
	l3Read
	l3Write
	threads // counts
	barriers
	quantities // how many there are
)

// counterNames are the drivers' names for the counters. Names in capitals
// belong to Xe-HPC and Xe2, Xve... to Xe-LPG, and Eu... to earlier GPUs.
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

// For each kind of quantity, how many units are in a second, the whole, a byte,
// or one. A value without a unit has the driver's default unit.
var (
	timeUnits  = map[string]float64{"": 1e9, "ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1}
	shareUnits = map[string]float64{"": 100, "percent": 100, "%": 100}
	byteUnits  = map[string]float64{"": 1, "bytes": 1, "byte": 1, "B": 1}
	countUnits = map[string]float64{"": 1, "events": 1, "threads": 1, "messages": 1, "count": 1}
)

var unitsOf = [quantities]map[string]float64{gpuTime: timeUnits, occupancy: shareUnits, active: shareUnits,
	stalled: shareUnits, memoryRead: byteUnits, memoryWrite: byteUnits, l3Read: byteUnits, l3Write: byteUnits,
	threads: countUnits, barriers: countUnits}

// A launchID identifies a launch according to its event's arguments.
type launchID struct {
	number   uint64
	named    bool // number is present
	enqueued bool // has a launch's arguments, and therefore no counters
}

// idOf returns the arguments in an event that identify its launch.
func idOf(args []byte) (id launchID) {
	for key, value := range members(args) {
		switch string(key) {
		case "correlation", "device", "sycl queue":
			id.enqueued = true
		case "kernel_id":
			n, err := strconv.ParseUint(string(unquoted(value)), 10, 64)
			id.number, id.named = n, err == nil
		}
	}
	return id
}

// unquoted returns a value without quotes. Some versions write numbers in
// quotes.
func unquoted(b []byte) []byte { return bytes.Trim(b, `"`) }

// A reading contains one launch's counters.
type reading struct {
	id    launchID
	name  string
	drawn bool // has a duration, which the profiler writes if it recorded the launch
	pos   note.Pos
	value [quantities]unit.Opt[float64]
}

// scope reads an event with a launch's counters.
func (r *reader) scope(e *event, id launchID, line int) error {
	x := reading{id: id, name: string(e.name[len(scopePrefix):]), pos: r.pos(line)}
	length, _ := nanoseconds(e.dur)
	x.drawn = length > 1
	r.scoped = true
	if err := r.counters(&x, e.args); err != nil {
		return fmt.Errorf("the counters of %s: %w", table.Quote(x.name), err)
	}
	paired, err := r.pair(&x)
	if paired || err != nil {
		return err
	}
	if len(r.waiting) >= maxTasks {
		return fmt.Errorf("more than %d events with counters precede their launch or have no launch", maxTasks)
	}
	r.waiting = append(r.waiting, x)
	return nil
}

// counters reads the values in an event's arguments.
func (r *reader) counters(x *reading, args []byte) error {
	for key, value := range members(args) {
		// The merged version of the profiler writes NAME::UNIT, drafts write
		// NAME [UNIT], and drivers without units write NAME.
		name, unitName, ok := bytes.Cut(key, []byte("::"))
		if !ok {
			name, unitName, _ = bytes.Cut(bytes.TrimSuffix(key, []byte("]")), []byte(" ["))
		}
		switch string(name) {
		case "":
			return errNotJSON
		case "kernel_id", "queue", "External id", "GpuCoreClocks", "AvgGpuCoreFrequencyMHz": // common, but not used
			continue
		}
		q, known := counterNames[string(name)]
		per := unitsOf[q][string(unitName)]
		if !known || per == 0 {
			if len(r.unused) < mostUnused && !slices.Contains(r.unused, string(key)) {
				r.unused = append(r.unused, string(key))
			}
			continue
		}
		r.occupied = r.occupied || q == occupancy
		v, err := strconv.ParseFloat(string(unquoted(value)), 64)
		switch {
		case err != nil || math.IsNaN(v) || v < 0 || v > 1e18:
			return fmt.Errorf("%s is %s; expected a number of at least 0", key, table.Quote(value))
		case per == 100 && v > 100.5: // counters may exceed 100% slightly because of rounding
			return fmt.Errorf("%s is %s; expected at most 100%%", key, value)
		}
		// If a quantity has two names, use the first.
		if !x.value[q].Present() {
			x.value[q] = unit.Some(v / per)
		}
	}
	return nil
}

// mostUnused is the largest number of unused counters that a note lists.
const mostUnused = 6

// several marks a number that several launches have, for example launches from
// several ranks in one trace.
const several = math.MaxUint32

// pair adds counters to their launch. It returns false if the launch is still
// unknown.
func (r *reader) pair(x *reading) (bool, error) {
	at, known := r.numbered[x.id.number]
	if !known || !x.id.named {
		return false, nil
	}
	if at == several {
		return false, fmt.Errorf("kernel_id %d of %s belongs to several launches", x.id.number, table.Quote(x.name))
	}
	l := r.trace.At(int(at))
	t := r.taskOf[l.Task]
	if t != r.tasks[x.name] && x.name != "kernel_"+strconv.FormatUint(x.id.number, 10) {
		return false, fmt.Errorf("kernel_id %d of %s belongs to a launch of %s", x.id.number, table.Quote(x.name),
			table.Quote(t.kernel.Task))
	}
	delete(r.numbered, x.id.number)
	r.lanesOf[l.Lane].read++
	r.measured(t, x, float64(l.End-l.Start)/1e9, int(at))
	return true, nil
}

// place adds counters that precede their launch, and counters without a launch
// in the trace, because the kernel was not requested or not recorded. The
// latter are still a single launch's values, and GpuTime is its duration. Only
// its start is unknown.
func (r *reader) place() {
	for i := range r.waiting {
		x := &r.waiting[i]
		paired, err := r.pair(x)
		seconds, timed := x.value[gpuTime].Value()
		var t *task
		switch {
		case paired || err != nil:
		case x.drawn: // counting it as a separate launch could count a launch twice
			err = fmt.Errorf("the counters of %s belong to no launch of the trace, or to one that already has counters",
				table.Quote(x.name))
		case !timed:
			err = fmt.Errorf("the counters of %s belong to no launch of the trace, and do not include GpuTime, "+
				"the duration of the launch", table.Quote(x.name))
		default:
			t, err = r.task([]byte(x.name), x.pos.Line)
		}
		if err != nil {
			r.bad.Add(x.pos, "", "%v", err)
		}
		if t == nil {
			continue
		}
		if r.homeless++; r.homeless == 1 {
			r.first = x.pos
		}
		r.measured(t, x, seconds, r.launched(t, seconds, x.pos.Line))
	}
}

// measured adds the counters of a launch that took the given time. row is its
// index among the single launches, if they are kept.
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
	if v, ok := x.value[occupancy].Value(); ok {
		t.occupancies.Add(v, ingest.SampleSize(len(r.tasks)))
	}
}

// A measurement contains the counters for a kernel's launches.
type measurement struct {
	n      int64
	means  [3]ingest.Mean       // occupancy, active, stalled
	totals [quantities]struct { // for gpuTime, and from memoryRead on
		sum, seconds float64 // time in launches that have the counter
		n            int64
	}
}

func (m *measurement) add(x *reading, seconds float64) {
	m.n++
	for i := range m.means {
		m.means[i].Add(x.value[occupancy+quantity(i)], seconds)
	}
	for q := range m.totals {
		if v, ok := x.value[q].Value(); ok {
			t := &m.totals[q]
			t.sum, t.seconds, t.n = t.sum+v, t.seconds+seconds, t.n+1
		}
	}
}

// into sets a kernel's measured values. launches is its launch count.
func (m *measurement) into(k *ingest.Kernel, launches int64) {
	if m.n == 0 {
		return
	}
	k.Reading = ingest.AroundLaunch
	k.SetMeasured(&m.means[0], &m.means[1], &m.means[2])
	if t := m.totals[gpuTime]; t.seconds > 0 {
		k.CounterTimeRatio = unit.Some(t.sum / t.seconds)
	}
	var c ingest.Counters
	for i, to := range []*unit.Opt[float64]{&c.MemoryRead, &c.MemoryWrite, &c.L3Read, &c.L3Write} {
		if t := m.totals[memoryRead+quantity(i)]; t.seconds > 0 {
			*to = unit.Some(t.sum / t.seconds / 1e9)
			k.Counters = &c
		}
	}
	// Use a count only if all launches have it.
	for i, to := range []*unit.Opt[int64]{&k.Threads, &k.Barriers} {
		if t := m.totals[threads+quantity(i)]; t.n == launches {
			*to = unit.Some(int64(min(t.sum, 2*unit.MaxCount))) // a larger sum is rejected, see ingest.CheckCounts
		}
	}
}

// askFor is the hint for recording a trace with counters.
const askFor = "profile with experimental_config=torch._C._profiler._ExperimentalConfig(profiler_metrics=" +
	"[\"GpuTime\", \"XVE_ACTIVE\", \"XVE_STALL\", \"XVE_THREADS_OCCUPANCY_ALL\"], profiler_measure_per_kernel=True)"

// counterNotes returns notes about missing counters.
func (r *reader) counterNotes() (list []note.Note) {
	add := func(severity note.Severity, code, hint, format string, args ...any) {
		list = append(list, note.Newf(severity, code, note.InFile(r.path), hint, format, args...))
	}
	known, read := make([]int, len(r.trace.Devices)), make([]int, len(r.trace.Devices))
	launches, missing := 0, 0
	for lane, l := range r.lanesOf {
		device := r.trace.Lanes[lane]
		known[device], read[device] = known[device]+l.known, read[device]+l.read
		launches, missing = launches+l.known, missing+l.known-l.read
	}
	if !r.scoped {
		if launches > 0 {
			add(note.Info, note.NotMeasured, askFor, "no counters in the trace: occupancy was not measured in it")
		}
		return list
	}
	if !r.occupied {
		add(note.Warning, note.NotMeasured, askFor,
			"the counters of the trace do not include XVE_THREADS_OCCUPANCY_ALL, so no occupancy was measured")
	}
	if len(r.unused) > 0 {
		add(note.Info, "counters-unused", "", "counters with an unknown name or unit are not used: %s",
			strings.Join(r.unused, ", "))
	}
	if r.homeless > 0 {
		add(note.Warning, "counters-without-launch", "", "the counters of %s belong to no launch of the trace: "+
			"they are used with GpuTime as the duration, but are not part of gaps and overlaps",
			unit.FormatCount(r.homeless, "launch", "launches"))
		list[len(list)-1].Pos = r.first
	}
	if missing > 0 {
		all := unit.FormatCount(launches, "launch", "launches")
		text := fmt.Sprintf("counters are missing for %d of %s", missing, all)
		for device, name := range r.trace.Devices {
			if read[device] == 0 && known[device] > 0 && len(known) > 1 {
				text += fmt.Sprintf("; device %s has none", name)
			}
		}
		add(note.Warning, "counters-missing", "another process may have used the counters, or the trace is cut off: "+
			"events with counters are at the end of a trace", "%s", text)
	}
	return list
}
