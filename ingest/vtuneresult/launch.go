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

// What calls and events of Level Zero are recorded under, in VTune 2023.0.
// Other programming models and versions have other numbers, which are not
// known: their launches are not decoded.
const (
	idDevice   = 0x8000023f
	idKernel   = 0x24a
	idGroup    = 0x26c
	idLaunch   = 0x24b
	idCopy     = 0x25c
	idFinished = 0x8000025a
)

// maxLaunches bounds what is kept of a folder; a launch takes some 70 bytes
// while it is decoded.
const maxLaunches = 4 << 20

// launch is one launch of a kernel, or a copy, on the clock of the samples.
type launch struct {
	start, end uint64
	task       uint32 // see tasks
	queue      uint32
}

// tasks numbers what was launched, as the trace does: a kernel in one launch
// size, or copies. A launch then has a number of 4 bytes instead of a key of a
// hundred.
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

// copyTask is what copies are called: Level Zero's name, as VTune prints it.
const copyTask = "zeCommandListAppendMemoryCopy"

// processes finds those of some files that may hold launches: of each process
// of the program its .trace file, and the .aux files of its threads behind it.
func processes(files []string) (list [][]string) {
	for _, name := range files {
		stem, ok := strings.CutSuffix(name, ".trace")
		// That one holds calls of the ITT API.
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

// traced is a call or event of a process that has to do with launches.
type traced struct {
	time   uint64 // of the processor's clock
	id     uint32
	handle uint64 // of the kernel, or the bytes of a copy
	event  uint64
	queue  uint64
	size   [3]uint32
	order  uint64    // the launch's number
	ticks  [3]uint64 // of a finished launch: start, end and now on the GPU's clock
	kernel *made     // that was made
	at     int64     // where it is in its file
	file   int       // of the process
}

// made is a kernel as it was created, with the size of work-groups that was set
// last; nil before that.
type made struct {
	name  string
	simd  int
	slm   unit.Bytes
	local *[3]uint32
}

// decoder decodes the launches of one process. A launch is told in pieces by
// several threads: its kernel when it was made, its group size, itself, and its
// times when the program waited for it.
type decoder struct {
	*adapter
	files   []string // of the process
	file    int      // which is read
	process clock
	records []traced
}

// gpu is what a process recorded of the device.
type gpu struct {
	name string
	id   uint32 // of PCI
	seen int
}

// clock is one clock of the collection: its ticks a second, and a moment on it
// and in 100 ns since 1970.
type clock struct {
	hertz      uint64
	tick, real uint64
}

// set takes the records that tell of a file's clock.
func (c *clock) set(r *record) {
	switch {
	case len(r.real) == 2:
		c.tick, c.real = r.real[0], r.real[1]
	case r.system && r.typ == typeClock && len(r.data) >= 12:
		c.hertz = binary.LittleEndian.Uint64(r.data[4:])
	}
}

// on returns the moment of another clock at a moment of this one.
func (c *clock) on(o *clock, tick uint64) uint64 {
	if c.hertz == 0 || o.hertz == 0 {
		return 0
	}
	// Both clocks were read together with the time of day, in 100 ns: that is
	// how far the result may be off, which unwrap needs only to 2^31 ticks.
	seconds := float64(int64(tick-c.tick))/float64(c.hertz) + float64(int64(c.real-o.real))/1e7
	return o.tick + uint64(int64(seconds*float64(o.hertz)))
}

// read reads the files of a process.
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
	// Threads have files of their own; what counts is the order over all of
	// them.
	slices.SortStableFunc(d.records, func(a, b traced) int { return cmp.Compare(a.time, b.time) })
	return nil
}

// call takes a record. Ids are VTune's, their meaning was read from what they
// hold.
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
		c.take(88) // how many slices, XVEs and threads, at the end
		d.device.name = c.text()
		d.device.seen++
	case idKernel:
		c.u64()
		t.handle = c.u64()
		c.take(8)
		// Behind module, kernel and thread: the mangled name, the name of the
		// binary, its size, SIMD width, bytes of SLM.
		t.kernel = &made{name: c.text()}
		c.text()
		c.u64()
		t.kernel.simd, t.kernel.slm = int(c.u32()), unit.Bytes(c.u32())
	case idGroup:
		t.handle, t.size = c.u64(), [3]uint32{c.u32(), c.u32(), c.u32()}
	// Command list, kernel, work-groups in x, y and z, thread, event, events to
	// wait for, number.
	case idLaunch:
		t.queue, t.handle, t.size = c.u64(), c.u64(), [3]uint32{c.u32(), c.u32(), c.u32()}
		c.u32()
		t.event = c.u64()
		c.take(8 * int(min(c.u32(), maxRecord)))
		t.order = c.u64()
	// Command list, destination, source, bytes, event, thread, number. The
	// bytes take the place of the kernel.
	case idCopy:
		t.queue = c.u64()
		c.take(16)
		t.handle, t.event = c.u64(), c.u64()
		c.take(8)
		t.order = c.u64()
	case idFinished:
		t.event = c.u64()
		// Start and end on the GPU's clock; what is left out are those of its
		// context and the processor's time; then the GPU's clock when this was
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
	// A launch is up to three records: its group size, itself and its time.
	case len(d.records) == 3*maxLaunches:
		return fmt.Errorf("more than %s launches", unit.Thousands(maxLaunches))
	}
	d.records = append(d.records, t)
	return nil
}

// pair pairs the launches with the times at which the GPU ran them: a time
// belongs to the oldest launch on its event that has none, since events are
// used again. It checks all that can be checked and refuses the whole
// otherwise.
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
				return nil, fmt.Errorf("a time of the GPU belongs to no launch")
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
			// VTune numbers launches: a hole is a launch whose record was lost,
			// and all later times would be of their neighbors.
			if t.order != uint64(len(list)+1) {
				return nil, fmt.Errorf("launch %d is followed by launch %d", len(list), t.order)
			}
			waiting[t.event] = append(waiting[t.event], len(list))
			list = append(list, launch{task: task, queue: uint32(t.queue)})
		}
	}
	if timed == 0 && len(finalized) == len(list) {
		for i, s := range finalized { // in the order of launching, too
			list[i].start, list[i].end = d.clock.of(s.start), d.clock.of(s.end)
		}
		timed = len(list)
	}
	if timed != len(list) {
		return nil, fmt.Errorf("%d launches and %d times of the GPU", len(list), timed)
	}
	return list, nil
}

// unwrap returns the times of a finished launch on the clock of the samples,
// whose low 32 bits the GPU writes: about is when they were written on it. At
// 19.2 MHz 32 bits wrap after 224 s, which a program may well run.
func (t *traced) unwrap(about uint64) (start, end uint64) {
	now := about + uint64(int64(int32(uint32(t.ticks[2])-uint32(about))))
	back := func(tick uint64) uint64 { return now - uint64(uint32(t.ticks[2])-uint32(tick)) }
	return back(t.ticks[0]), back(t.ticks[1])
}

// task returns what a launch is of.
func (d *decoder) task(t *traced, k *made) (uint32, error) {
	if t.id == idCopy {
		return d.tasks.number(ingest.Key{Task: copyTask}, unit.Opt[unit.Bytes]{}), nil
	}
	if k == nil || k.local == nil {
		return 0, fmt.Errorf("launch %d is of a kernel whose name or work-group size is not told", t.order)
	}
	var global, local [3]int64
	for i, n := range k.local {
		local[i], global[i] = int64(n), int64(t.size[i])*int64(n)
		if global[i] <= 0 || k.simd < 1 || k.simd > 64 {
			return 0, fmt.Errorf("launch %d has a size or SIMD width that no launch has", t.order)
		}
	}
	key := ingest.Key{Task: names.Task(k.name), SIMD: k.simd, Global: unit.Size(global[:]...).Trim(),
		Local: unit.Size(local[:]...).Trim()}
	return d.tasks.number(key, unit.Some(k.slm)), nil
}
