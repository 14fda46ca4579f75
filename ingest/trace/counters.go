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
// launch and writes them as a further event of the category of kernels:
// `metrics: KERNEL`, a nanosecond longer than the launch on either side, behind
// all launches of the trace. It names its launch by kernel_id, which numbers
// launches over all devices. The events of phase C next to it hold the same
// values again, and zeros that end the drawn curve: they are not read.

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

// counterNames are the names that drivers give the counters: in capitals of
// Xe-HPC and Xe2, Xve... of Xe-LPG, Eu... of GPUs before.
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

// Of each kind of quantity, how many of a unit make a second, the whole, a byte
// or one. Without a unit the value is in the driver's own.
var (
	timeUnits  = map[string]float64{"": 1e9, "ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1}
	shareUnits = map[string]float64{"": 100, "percent": 100, "%": 100}
	byteUnits  = map[string]float64{"": 1, "bytes": 1, "byte": 1, "B": 1}
	countUnits = map[string]float64{"": 1, "events": 1, "threads": 1, "messages": 1, "count": 1}
)

var unitsOf = [quantities]map[string]float64{gpuTime: timeUnits, occupancy: shareUnits, active: shareUnits,
	stalled: shareUnits, memoryRead: byteUnits, memoryWrite: byteUnits, l3Read: byteUnits, l3Write: byteUnits,
	threads: countUnits, barriers: countUnits}

// launchID is what the arguments of a kernel's event say of its launch.
type launchID struct {
	number   uint64
	named    bool // there is one
	enqueued bool // it has what each launch has, and no counters
}

// idOf reads the arguments of an event as far as its launch goes.
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

// unquoted returns a value without quotes, in which some versions write
// numbers.
func unquoted(b []byte) []byte { return bytes.Trim(b, `"`) }

// reading is the counters of one launch.
type reading struct {
	id    launchID
	name  string
	drawn bool // it has a length, as those have whose launch the profiler recorded
	pos   note.Pos
	value [quantities]unit.Opt[float64]
}

// scope takes an event that holds the counters of a launch.
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
		return fmt.Errorf("more than %d counters belong to no launch that stands before them", maxTasks)
	}
	r.waiting = append(r.waiting, x)
	return nil
}

// counters reads the values of an event's arguments.
func (r *reader) counters(x *reading, args []byte) error {
	for key, value := range members(args) {
		// NAME::UNIT as it was merged, NAME [UNIT] of drafts, NAME where the
		// driver gives no unit.
		name, unitName, ok := bytes.Cut(key, []byte("::"))
		if !ok {
			name, unitName, _ = bytes.Cut(bytes.TrimSuffix(key, []byte("]")), []byte(" ["))
		}
		switch string(name) {
		case "":
			return errNotJSON
		case "kernel_id", "queue", "External id", "GpuCoreClocks", "AvgGpuCoreFrequencyMHz": // asked for by most
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
			return fmt.Errorf("%s is %s, which is not a number from 0 on", key, table.Quote(value))
		case per == 100 && v > 100.5: // counters exceed the whole by a rounding
			return fmt.Errorf("%s is %s, more than the whole", key, value)
		}
		// The first of two names for a quantity counts.
		if !x.value[q].Present() {
			x.value[q] = unit.Some(v / per)
		}
	}
	return nil
}

// mostUnused bounds the counters that are named of those that are not used.
const mostUnused = 6

// several stands for the launch of a number that several launches have, as
// those of ranks in one trace may.
const several = math.MaxUint32

// pair adds counters to the launch that they are of; false when it is not known
// so far.
func (r *reader) pair(x *reading) (bool, error) {
	at, known := r.numbered[x.id.number]
	if !known || !x.id.named {
		return false, nil
	}
	if at == several {
		return false, fmt.Errorf("kernel_id %d of %s is of several launches", x.id.number, table.Quote(x.name))
	}
	l := r.trace.At(int(at))
	t := r.taskOf[l.Task]
	if t != r.tasks[x.name] && x.name != "kernel_"+strconv.FormatUint(x.id.number, 10) {
		return false, fmt.Errorf("kernel_id %d of %s is of a launch of %s", x.id.number, table.Quote(x.name),
			table.Quote(t.kernel.Task))
	}
	delete(r.numbered, x.id.number)
	r.lanesOf[l.Lane].read++
	r.measured(t, x, float64(l.End-l.Start)/1e9, int(at))
	return true, nil
}

// place adds the counters whose launch is behind them, and those that no
// launch of the trace has: of kernels that were not asked for or not recorded.
// Their values are a launch's own, and GpuTime is how long that took; when it
// ran is not known.
func (r *reader) place() {
	for i := range r.waiting {
		x := &r.waiting[i]
		paired, err := r.pair(x)
		seconds, timed := x.value[gpuTime].Value()
		var t *task
		switch {
		case paired || err != nil:
		case x.drawn: // to count it by itself could be to count a launch twice
			err = fmt.Errorf("the counters of %s are of no launch of the trace, or of one that has some",
				table.Quote(x.name))
		case !timed:
			err = fmt.Errorf("the counters of %s are of no launch of the trace, and GpuTime, which says how long it took, "+
				"is not among them", table.Quote(x.name))
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

// measured adds what was measured of a launch, which took so many seconds. row
// is its place where launches are kept.
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

// measurement is what counters tell of the launches of a kernel.
type measurement struct {
	n      int64
	means  [3]ingest.Mean       // occupancy, active, stalled
	totals [quantities]struct { // of gpuTime, and from memoryRead on
		sum, seconds float64 // of launches that have it
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

// into sets what was measured of a kernel of so many launches.
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
	// Counts are of all launches or of none.
	for i, to := range []*unit.Opt[int64]{&k.Threads, &k.Barriers} {
		if t := m.totals[threads+quantity(i)]; t.n == launches {
			*to = unit.Some(int64(min(t.sum, 2*unit.MaxCount))) // more is refused, see ingest.CheckCounts
		}
	}
}

// askFor is how a trace with counters is made.
const askFor = "profile with experimental_config=torch._C._profiler._ExperimentalConfig(profiler_metrics=" +
	"[\"GpuTime\", \"XVE_ACTIVE\", \"XVE_STALL\", \"XVE_THREADS_OCCUPANCY_ALL\"], profiler_measure_per_kernel=True)"

// counterNotes describes what the counters of the trace lack.
func (r *reader) counterNotes() (list []note.Note) {
	add := func(severity note.Severity, code, hint, format string, args ...any) {
		list = append(list, note.Note{Severity: severity, Code: code, Pos: note.Pos{File: r.path},
			Text: fmt.Sprintf(format, args...), Hint: hint})
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
			"the counters of the trace do not have XVE_THREADS_OCCUPANCY_ALL, so that no occupancy was measured")
	}
	if len(r.unused) > 0 {
		add(note.Info, "counters-unused", "", "counters whose name or unit is not known are not used: %s",
			strings.Join(r.unused, ", "))
	}
	if r.homeless > 0 {
		add(note.Warning, "counters-without-launch", "", "the counters of %s belong to no launch of the trace: they are used "+
			"with the time that GpuTime gives, and have no place in gaps and overlaps",
			unit.FormatCount(r.homeless, "launch", "launches"))
		list[len(list)-1].Pos = r.first
	}
	if missing > 0 {
		text := fmt.Sprintf("there are no counters of %d of %s", missing, unit.FormatCount(launches, "launch", "launches"))
		for device, name := range r.trace.Devices {
			if read[device] == 0 && known[device] > 0 && len(known) > 1 {
				text += fmt.Sprintf("; of device %s none has any", name)
			}
		}
		add(note.Warning, "counters-missing", "another process may have held the counters, or the trace is cut off: "+
			"events with counters stand last", "%s", text)
	}
	return list
}
