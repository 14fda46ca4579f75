// Package trace reads Chrome trace JSON, in which unitrace
// (--chrome-kernel-logging) and PyTorch's profiler record when each launch
// started and ended. A trace may have gigabytes: it is read as a stream, and a
// launch needs 24 bytes. A truncated trace, for example from a killed program,
// is used up to its end. The package does not know what the times mean for
// occupancy.
package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Format reads a Chrome trace.
var Format = ingest.Format{Kind: "trace", Description: "a trace", Sniff: sniff, Read: readSource}

const hint = "make one with: unitrace --chrome-kernel-logging ./program"

// sniff reports whether the file is an object with traceEvents, or an event
// array.
func sniff(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	has := func(word string) bool { return bytes.Contains(head, []byte(word)) }
	return bytes.HasPrefix(head, []byte("{")) && has(`"traceEvents"`) ||
		bytes.HasPrefix(head, []byte("[")) && has(`"ph"`) && has(`"pid"`)
}

// readSource returns the file's content.
func readSource(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	r := &reader{in: &scanner{r: table.NewStream(ctx, src, opt), buf: make([]byte, 2*chunk), line: 1}, path: src.Path,
		trace: &ingest.Trace{}, instances: opt.Instances, bad: table.BadRows{Several: true},
		tasks: map[string]*task{}, lanes: map[[2]string]uint32{}, names: map[string]string{},
		numbered: map[uint64]uint32{}}
	err := r.read()
	if e := r.in.err; e != nil && e != io.EOF {
		return nil, e
	}
	return r.finish(err)
}

// maxTasks limits how many names are kept. A program's trace has fewer.
const maxTasks = 1 << 16

type reader struct {
	in        *scanner
	path      string
	trace     *ingest.Trace
	instances bool
	launches  ingest.Launches // if requested
	bad       table.BadRows
	events    int64
	used      int64

	tasks map[string]*task // by the name in the file
	order []*task
	lanes map[[2]string]uint32 // by pid and tid
	names map[string]string    // process names; a process represents a device

	pytorch  bool             // the trace has PyTorch's metadata
	base     int64            // base for all times, in nanoseconds
	platform []deviceMetadata // PyTorch's device metadata
	taskOf   []*task          // a task per trace task
	lanesOf  []lane

	// Fields for counters.
	scoped, occupied bool              // counters are present; occupancy is among them
	numbered         map[uint64]uint32 // launches with a number that have no counters so far
	waiting          []reading         // readings whose launch is unknown so far
	unused           []string          // first counters with an unknown name or unit
	homeless         int64             // readings without a launch in the trace
	first            note.Pos          // the first one's position
}

// A lane is a queue or engine.
type lane struct {
	pid         string
	known, read int // launches with a number, and with counters
}

// A task contains the launches with the same name.
type task struct {
	kernel      ingest.Kernel
	place       int    // index in reader.order
	number      uint32 // number in the trace, once it has a launch there
	placed      bool
	sample      ingest.Sample // launch times
	total       float64
	measured    measurement
	occupancies ingest.Sample // measured occupancies
}

// read reads all events. The error describes where the text stops being a valid
// trace.
func (r *reader) read() error {
	for r.in.peek() >= 0x80 { // skip a byte order mark
		r.in.skip(1)
	}
	switch r.in.peek() {
	case '[':
		return r.array()
	case '{':
		r.in.skip(1)
	default:
		return errNotJSON
	}
	for r.in.peek() != '}' {
		key, err := r.in.value()
		if err != nil {
			return err
		}
		name := string(key) // because the next value overwrites it
		if r.in.peek() != ':' {
			return errNotJSON
		}
		r.in.skip(1)
		if name == `"traceEvents"` && r.in.peek() == '[' {
			err = r.array()
		} else {
			line := r.in.line
			var v []byte
			v, err = r.in.value()
			r.head(name, v, line)
		}
		if err != nil {
			return err
		}
		if r.in.peek() == ',' {
			r.in.skip(1)
		}
	}
	return nil
}

// array reads an event array.
func (r *reader) array() error {
	r.in.skip(1)
	var e event
	for {
		switch r.in.peek() {
		case ',':
			r.in.skip(1)
			continue
		case ']':
			r.in.skip(1)
			return nil
		case '{':
		case 0:
			return errEnd
		default:
			return errNotJSON
		}
		line := r.in.line
		b, err := r.in.value()
		switch {
		// The program was killed while it wrote. The events before this point
		// are valid.
		case errors.Is(err, errEnd), errors.Is(err, errBroken) && !r.in.resync():
			return errEnd
		case err == nil && b == nil:
			err = errLong
		case err == nil:
			r.events++
			var use bool
			if use, err = e.parse(b); use {
				err = r.event(&e, line)
			}
		}
		if err != nil {
			r.bad.Add(r.pos(line), "", "%v", err)
		}
	}
}

func (r *reader) pos(line int) note.Pos { return note.Pos{File: r.path, Line: line} }

// event adds a used event.
func (r *reader) event(e *event, line int) error {
	if e.phase == 'M' {
		// Names may follow their process's launches. Therefore lanes get their
		// names at the end.
		for key, value := range members(e.args) {
			if string(key) == "name" && string(e.name) == "process_name" && len(r.names) < maxTasks {
				name, _ := text(value)
				r.names[string(e.pid)] = string(name)
			}
		}
		return nil
	}
	var id launchID
	if e.category == kernelCategory {
		id = idOf(e.args)
		// A user's kernel may have such a name. It is a launch if it has a
		// launch's arguments.
		if bytes.HasPrefix(e.name, []byte(scopePrefix)) && !id.enqueued {
			return r.scope(e, id, line)
		}
	}
	start, ok := nanoseconds(e.ts)
	if !ok {
		return fmt.Errorf("the launch has no start: ts %s is not a number of microseconds", table.Quote(e.ts))
	}
	length, ok := nanoseconds(e.dur)
	start += r.base
	if !ok || length < 0 || start > 1<<62-length {
		return fmt.Errorf("the launch has no duration: dur %s is not a number of microseconds", table.Quote(e.dur))
	}
	t, err := r.task(e.name, line)
	if err != nil {
		return err
	}
	// A map lookup does not copy the key.
	at, known := r.lanes[[2]string{string(e.pid), string(e.tid)}]
	if !known {
		if len(r.lanes) >= maxTasks {
			return fmt.Errorf("more than %d different queues", maxTasks)
		}
		at = uint32(len(r.lanesOf))
		r.lanes[[2]string{string(e.pid), string(e.tid)}] = at
		r.lanesOf = append(r.lanesOf, lane{pid: string(e.pid)})
	}
	if !t.placed {
		t.placed, t.number = true, r.trace.Task(t.kernel.Key())
		if int(t.number) == len(r.taskOf) {
			r.taskOf = append(r.taskOf, t)
		}
	}
	r.trace.Add(ingest.Launch{Start: start, End: start + length, Task: t.number, Lane: at})
	if id.named {
		r.lanesOf[at].known++
		launch := uint32(r.trace.Len() - 1) // its counters refer to this index
		if _, twice := r.numbered[id.number]; twice {
			launch = several
		}
		r.numbered[id.number] = launch
	}
	r.launched(t, float64(length)/1e9, line)
	return nil
}

// launched counts a launch. It returns its index among the single launches, if
// they are kept.
func (r *reader) launched(t *task, seconds float64, line int) (row int) {
	r.used++
	t.total += seconds
	t.sample.Add(seconds, ingest.SampleSize(len(r.tasks)))
	if r.instances {
		r.launches.Add(&ingest.LaunchRecord{Kernel: t.place, Line: line, Time: unit.Some(unit.Seconds(seconds))})
	}
	return r.launches.Len() - 1
}

// task returns the task with a name. It creates the task if it is new.
func (r *reader) task(name []byte, line int) (*task, error) {
	if t, known := r.tasks[string(name)]; known {
		return t, nil
	}
	if len(r.tasks) >= maxTasks {
		return nil, fmt.Errorf("more than %d different names", maxTasks)
	}
	parsed, err := names.ParseLaunch(string(name), false)
	if err != nil {
		return nil, err
	}
	t := &task{place: len(r.order), kernel: ingest.Kernel{Task: parsed.Name, Global: parsed.Global, Local: parsed.Local,
		SIMD: parsed.SIMD, Direction: parsed.Direction, Pos: r.pos(line)}}
	r.tasks[string(name)] = t
	r.order = append(r.order, t)
	return t, nil
}

// finish returns the file, or an error if nothing in it can be used.
func (r *reader) finish(stopped error) (*ingest.File, error) {
	r.place()
	f := &ingest.File{Input: ingest.Input{Rows: r.used, BadRows: r.bad.Count,
		Traits: ingest.Traits{NoLaunchSize: true}}, Trace: r.trace}
	pos := note.Pos{File: r.path, Line: r.in.line}
	if r.used == 0 {
		switch bad := r.bad.Notes(); {
		case len(bad) > 0:
			return nil, note.Errorf("no-kernels", bad[0].Pos, hint,
				"none of the launches can be used; the first: %s", bad[0].Text)
		case stopped != nil:
			return nil, note.Errorf("no-kernels", pos, hint,
				"the trace is cut off before any launch on a GPU: %v", stopped)
		}
		return nil, note.Errorf("no-kernels", note.InFile(r.path), hint+", or profile with ProfilerActivity.XPU",
			"the trace has %d events, none of which is a launch on a GPU", r.events)
	}
	f.Notes = r.bad.Notes()
	if stopped != nil {
		f.Notes = append(f.Notes, note.Warningf("trace-cut-off", pos, "let the program end by itself",
			"the trace is cut off: the %d launches before this line are used, the rest is "+
				"lost", r.used))
	}
	r.trace.Whole = r.pytorch
	for _, l := range r.lanesOf {
		r.trace.AddLane(r.device(l.pid))
		r.trace.Whole = r.trace.Whole || l.known > 0
	}
	f.Notes = append(f.Notes, r.counterNotes()...)
	r.devices(f)
	for _, t := range r.order {
		k := &t.kernel
		k.Instances, k.Total = unit.Some(t.sample.N), unit.Some(unit.Seconds(t.total))
		k.Launches = t.sample.Spread(&t.occupancies)
		t.measured.into(k, t.sample.N)
		if err := ingest.CheckCounts(k); err != nil {
			return nil, err
		}
		f.Kernels = append(f.Kernels, *k)
	}
	if r.instances {
		f.Launches = &r.launches
	}
	return f, nil
}

// device returns a process's device name. unitrace writes a separate process
// for each rank, even if ranks share a GPU.
func (r *reader) device(pid string) string {
	name := r.names[pid]
	if at := strings.Index(name, "DEVICE<"); at >= 0 {
		return name[at:]
	}
	return strings.Trim(pid, `"`)
}

// deviceMetadata is PyTorch's device description.
type deviceMetadata struct {
	ID     int
	Name   string
	Units  int     `json:"maxComputeUnits"`   // XVEs
	Clock  float64 `json:"maxClockFrequency"` // MHz
	Driver string  `json:"driverVersion"`
	line   int
}

// head reads a trace member other than the events.
func (r *reader) head(name string, value []byte, line int) {
	switch name {
	case `"baseTimeNanoseconds"`:
		// Ignore it after the events, because it would shift the ones that were
		// read already. PyTorch writes it before them.
		n, err := strconv.ParseInt(string(unquoted(value)), 10, 64)
		if err == nil && n >= 0 && n < 1<<62 && r.events == 0 {
			r.base = n
		}
	case `"deviceProperties"`: // only PyTorch writes it
		r.pytorch = true
		var list []deviceMetadata
		if json.Unmarshal(value, &list) == nil && len(list) < maxTasks {
			for i := range list {
				list[i].line = line
			}
			r.platform = list
		}
	}
}

// devices sets the launches' device if PyTorch recorded it. The launch
// processes are device numbers.
func (r *reader) devices(f *ingest.File) {
	// In a trace without launches, the counters' device is unknown if there are
	// several.
	alone := len(r.trace.Devices) == 0 && len(r.platform) == 1
	of := slices.DeleteFunc(r.platform, func(d deviceMetadata) bool {
		return !alone && !slices.Contains(r.trace.Devices, strconv.Itoa(d.ID)) || !strings.Contains(d.Name, "Intel")
	})
	if len(of) == 0 {
		return
	}
	first := of[0]
	pos := note.Pos{File: r.path, Line: first.line}
	for _, d := range of[1:] {
		if d.Name != first.Name || d.Units != first.Units {
			f.Notes = append(f.Notes, note.Warningf("several-devices", pos, "record each device in its own trace",
				"the launches ran on different devices: %s with %d XVEs and %s with %d", first.Name, first.Units,
				d.Name, d.Units))
			return
		}
	}
	p := &f.Platform
	p.Device, p.DeviceFrom, p.Pos, p.Driver = first.Name, "the trace", pos, first.Driver
	if first.Units > 0 && first.Units < 1<<20 {
		p.XVEs = unit.Some(first.Units)
	}
	if len(of) > 1 {
		p.Adapters = unit.Some(len(of))
	}
	if first.Clock > 0 && first.Clock < 1e6 {
		p.MaxFrequency = unit.Some(first.Clock * 1e6)
	}
}
