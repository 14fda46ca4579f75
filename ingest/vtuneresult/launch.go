package vtuneresult

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// IDs for Level Zero calls and events in VTune 2023.0. Other programming models
// and versions use other IDs, which are unknown, so their launches are not
// decoded.
const (
	idDevice   = 0x8000023f
	idKernel   = 0x24a
	idGroup    = 0x26c
	idLaunch   = 0x24b
	idCopy     = 0x25c
	idFinished = 0x8000025a
)

// maxLaunches limits a folder's launches. A launch needs about 70 bytes while
// it is decoded.
const maxLaunches = 4 << 20

// A launch is a kernel launch or a copy, on the samples' clock.
type launch struct {
	start, end uint64
	task       uint32 // index in tasks
	queue      uint32
}

// tasks numbers the launched tasks like the trace does: a kernel with one
// launch size, or copies. A launch then needs a 4-byte number instead of a key
// with about 100 bytes.
type tasks struct {
	ingest.Trace // without launches until all are known
	slm          []unit.Opt[unit.Bytes]
}

func (t *tasks) number(key ingest.Key, slm unit.Opt[unit.Bytes]) uint32 {
	i := t.Task(key)
	if int(i) == len(t.slm) {
		t.slm = append(t.slm, slm)
	}
	return i
}

// copyTask is the name for copies: Level Zero's function, as VTune prints it.
const copyTask = "zeCommandListAppendMemoryCopy"

// processes returns the files that may contain launches, one list per process:
// its .trace file, followed by its threads' .aux files.
func processes(files []string) (list [][]string) {
	for _, name := range files {
		stem, ok := strings.CutSuffix(name, ".trace")
		// These files contain ITT API calls.
		if !ok || strings.HasPrefix(path.Base(stem), "userapicollector") {
			continue
		}
		process := []string{name}
		for _, aux := range files {
			if strings.HasPrefix(aux, stem+"-") && strings.HasSuffix(aux, ".th.aux") {
				process = append(process, aux)
			}
		}
		list = append(list, process)
	}
	return list
}

// A traced is a process's call or event that is related to launches.
type traced struct {
	time   uint64 // on the processor's clock
	id     uint32
	handle uint64 // kernel handle, or a copy's bytes
	event  uint64
	queue  uint64
	size   [3]uint32
	order  uint64    // launch number
	ticks  [3]uint64 // start, end, and current time for a finished launch, on the GPU's clock
	kernel *made     // kernel that was created
	at     int64     // offset in its file
	file   int       // index among the process's files
}

// A made is a created kernel with the work-group size that was set last. local
// is nil before that.
type made struct {
	name  string
	simd  int
	slm   unit.Bytes
	local *[3]uint32
}

// A decoder decodes one process's launches. Several threads record parts of a
// launch: its kernel's creation, its work-group size, the launch itself, and
// its times after the program waited for it.
type decoder struct {
	*adapter
	files   []string // the process's files
	file    int      // the current file's index
	process clock
	records []traced
}

// gpu is the device that a process recorded.
type gpu struct {
	name string
	id   uint32 // PCI device ID
	seen int
}

// A clock is one of the collection's clocks: its frequency, and the same moment
// in its ticks and in 100 ns since 1970.
type clock struct {
	hertz      uint64
	tick, real uint64
}

// set reads a record that describes a file's clock.
func (c *clock) set(r *record) {
	switch {
	case len(r.real) == 2:
		c.tick, c.real = r.real[0], r.real[1]
	case r.system && r.typ == typeClock && len(r.data) >= 12:
		c.hertz = binary.LittleEndian.Uint64(r.data[4:])
	}
}

// on returns another clock's time at a tick of this one.
func (c *clock) on(o *clock, tick uint64) uint64 {
	if c.hertz == 0 || o.hertz == 0 {
		return 0
	}
	// Both clocks were read together with the time of day, which has a
	// resolution of 100 ns. The result may be wrong by that amount. unwrap
	// needs it only to within 2^31 ticks.
	seconds := float64(int64(tick-c.tick))/float64(c.hertz) + float64(int64(c.real-o.real))/1e7
	return o.tick + uint64(int64(seconds*float64(o.hertz)))
}

// read reads a process's files.
func (d *decoder) read() error {
	for i, name := range d.files {
		d.file = i
		err := d.eachRecord(name, io.Discard, func(r *record) error {
			if i == 0 {
				d.process.set(r)
			}
			return d.call(r)
		})
		if err != nil {
			return err
		}
	}
	// Each thread has its own file. Sort all threads' records by time.
	slices.SortStableFunc(d.records, func(a, b traced) int { return cmp.Compare(a.time, b.time) })
	return nil
}

// call reads a record. The IDs are VTune's. Their meaning was inferred from the
// record content.
func (d *decoder) call(r *record) error {
	if r.id == 0 {
		return nil
	}
	c, t := cursor{b: r.body}, traced{time: r.time, id: r.id, at: r.at, file: d.file}
	c.u8()
	switch r.id {
	case idDevice:
		c.take(16)
		d.device.id = c.u32()
		c.take(88) // ends with the slice, XVE, and thread counts
		d.device.name = c.text()
		d.device.seen++
	case idKernel:
		c.u64()
		t.handle = c.u64()
		c.take(8)
		// After module, kernel, and thread: mangled name, the binary's name and
		// size, SIMD width, SLM bytes.
		t.kernel = &made{name: c.text()}
		c.text()
		c.u64()
		t.kernel.simd, t.kernel.slm = int(c.u32()), unit.Bytes(c.u32())
	case idGroup:
		t.handle, t.size = c.u64(), [3]uint32{c.u32(), c.u32(), c.u32()}
	// Command list, kernel, work-groups in x, y, and z, thread, event, events
	// to wait for, number.
	case idLaunch:
		t.queue, t.handle, t.size = c.u64(), c.u64(), [3]uint32{c.u32(), c.u32(), c.u32()}
		c.u32()
		t.event = c.u64()
		c.take(8 * int(min(c.u32(), maxRecord)))
		t.order = c.u64()
	// Command list, destination, source, bytes, event, thread, number. The
	// bytes are stored instead of the kernel.
	case idCopy:
		t.queue = c.u64()
		c.take(16)
		t.handle, t.event = c.u64(), c.u64()
		c.take(8)
		t.order = c.u64()
	case idFinished:
		t.event = c.u64()
		// Start and end on the GPU's clock, the same for its context and the
		// processor's time (skipped), and the GPU's clock when the record was
		// written.
		t.ticks[0], t.ticks[1] = c.u64(), c.u64()
		c.take(24)
		t.ticks[2] = c.u64()
	default:
		return nil
	}
	switch {
	case c.short:
		return fmt.Errorf("the record %#x at byte %d has another layout than the known one", r.id, r.at)
	// A launch has up to three records: its work-group size, the launch itself,
	// and its times.
	case len(d.records) == 3*maxLaunches:
		return fmt.Errorf("more than %s launches", unit.Thousands(maxLaunches))
	}
	d.records = append(d.records, t)
	return nil
}

// pair returns the launches with the times at which the GPU ran them. Because
// events are reused, a time belongs to the oldest launch on its event that has
// no time yet. pair checks everything that can be checked, and returns an error
// for all launches if anything is inconsistent.
func (d *decoder) pair(finalized []span) (list []launch, err error) {
	waiting := map[uint64][]int{}
	kernels := map[uint64]*made{}
	timed := 0
	for i := range d.records {
		t := &d.records[i]
		switch t.id {
		case idDevice:
		case idKernel:
			kernels[t.handle] = t.kernel
		case idGroup:
			if k := kernels[t.handle]; k != nil {
				k.local = &t.size
			}
		case idFinished:
			open := waiting[t.event]
			if len(open) == 0 {
				return nil, fmt.Errorf("a time stamp of the GPU belongs to no launch")
			}
			waiting[t.event] = open[1:]
			l := &list[open[0]]
			if l.start, l.end = t.unwrap(d.process.on(&d.clock, t.time)); l.end <= l.start {
				return nil, note.Errorf(codeContradiction, d.fs.pos(d.files[t.file]), tableHint,
					"record at byte %d: launch %d ends %d ticks before it starts", t.at, open[0]+1, l.start-l.end)
			}
			timed++
		default:
			task, err := d.task(t, kernels[t.handle])
			if err != nil {
				return nil, err
			}
			// VTune numbers launches. A gap means that a launch's record was
			// lost, and all later times would be assigned to the wrong launch.
			if t.order != uint64(len(list)+1) {
				return nil, fmt.Errorf(
					"launch records are missing: launch %d is followed by launch %d", len(list), t.order)
			}
			waiting[t.event] = append(waiting[t.event], len(list))
			list = append(list, launch{task: task, queue: uint32(t.queue)})
		}
	}
	if timed == 0 && len(finalized) == len(list) {
		for i, s := range finalized { // also in launch order
			list[i].start, list[i].end = d.clock.of(s.start), d.clock.of(s.end)
		}
		timed = len(list)
	}
	if timed != len(list) {
		return nil, fmt.Errorf("there are %d launches, but %d time stamps of the GPU", len(list), timed)
	}
	return list, nil
}

// unwrap returns a finished launch's times on the sample clock. The GPU writes
// only the low 32 bits, which wrap after 224 s at 19.2 MHz, and programs may
// run longer. about is the approximate time when they were written.
func (t *traced) unwrap(about uint64) (start, end uint64) {
	now := about + uint64(int64(int32(uint32(t.ticks[2])-uint32(about))))
	back := func(tick uint64) uint64 { return now - uint64(uint32(t.ticks[2])-uint32(tick)) }
	return back(t.ticks[0]), back(t.ticks[1])
}

// task returns a launch's task.
func (d *decoder) task(t *traced, k *made) (uint32, error) {
	if t.id == idCopy {
		return d.tasks.number(ingest.Key{Task: copyTask}, unit.Opt[unit.Bytes]{}), nil
	}
	if k == nil || k.local == nil {
		return 0, fmt.Errorf("launch %d belongs to a kernel without a recorded name or work-group size", t.order)
	}
	var global, local [3]int64
	for i, n := range k.local {
		local[i], global[i] = int64(n), int64(t.size[i])*int64(n)
		if global[i] <= 0 || k.simd < 1 || k.simd > 64 {
			return 0, fmt.Errorf("launch %d has a size or SIMD width that no launch can have", t.order)
		}
	}
	key := ingest.Key{Task: names.Task(k.name), SIMD: k.simd, Global: unit.Size(global[:]...).Trim(),
		Local: unit.Size(local[:]...).Trim()}
	return d.tasks.number(key, unit.Some(k.slm)), nil
}
