package unitrace

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// timing reads a row in a device timing or kernel submission table: all of a
// kernel's launches, or those with one launch size.
func (r *reader) timing(f *fields) *rowError {
	timeColumn := total
	if f.source == fromSubmission {
		timeColumn = execute
	}
	if width := f.count(simd).Or(0); width > 0 && width <= 64 && !f.launch.SIMD.Present() {
		f.launch.SIMD = unit.Some(int(width))
	}
	n, haveCalls := f.count(calls).Value()
	seconds, haveTime := f.number(timeColumn).Value()
	switch {
	case f.err != nil:
		return f.err
	case !haveCalls || !haveTime:
		return badf(f.nameAt, "the row has no count or no time")
	}
	s := r.kernelSums(&f.launch, noDevice, r.in.Pos(f.nameAt+1)).of(f.source)
	// Compare this way, because the sum itself could overflow.
	if n > unit.MaxCount-s.launches {
		return f.badf(calls, "the launches of this kernel add up to more than %s", unit.Thousands(unit.MaxCount))
	}
	s.launches += n
	s.seconds += seconds
	return nil
}

// properties reads a row in the kernel properties. If a kernel was compiled
// twice, it keeps the larger requirements, so that no limit is missed.
func (r *reader) properties(f *fields) *rowError {
	t := &f.launch
	p := ingest.Kernel{Task: t.Name, Global: t.Global, Local: t.Local, SIMD: t.SIMD,
		Pos: r.in.Pos(f.nameAt + 1)}
	p.SIMD = cmp.Or(f.small(simd), p.SIMD)
	p.SLM, p.Spill, p.Registers = as[unit.Bytes](f.count(slm)), as[unit.Bytes](f.count(spill)), f.small(registers)
	p.Private = as[unit.Bytes](f.count(private))
	if f.err != nil {
		return f.err
	}
	i, known := r.props[p.Key()]
	if !known {
		r.props[p.Key()] = len(r.propsList)
		r.propsList = append(r.propsList, p)
		return nil
	}
	mostProperties(&r.propsList[i], &p)
	return nil
}

// mostProperties raises properties to those of another entry.
func mostProperties(to, from *ingest.Kernel) {
	most(&to.SLM, from.SLM)
	most(&to.Spill, from.Spill)
	most(&to.Private, from.Private)
	most(&to.Registers, from.Registers)
}

// small returns a lane or register count.
func (f *fields) small(q quantity) unit.Opt[int] {
	o := f.count(q)
	if n := o.Or(1); n < 1 || n > 1<<16 {
		f.err = f.badf(q, "%d is out of range", n)
	}
	return as[int](o)
}

func as[T int | unit.Bytes](n unit.Opt[int64]) unit.Opt[T] {
	v, ok := n.Value()
	return unit.Maybe(T(v), ok)
}

func most[T int | unit.Bytes](to *unit.Opt[T], from unit.Opt[T]) {
	if v, ok := from.Value(); ok && v > to.Or(-1) {
		*to = from
	}
}

// stalled reads a row in an instruction table. It adds each kernel's
// instructions. The tool's own listing shows which instruction stalls.
func (r *reader) stalled(f *fields) *rowError {
	events := make([]int64, len(f.stalls))
	for i, at := range f.stalls {
		var err error
		if events[i], err = strconv.ParseInt(f.parts[at], 10, 64); err != nil || events[i] < 0 {
			return badf(f.start[at], "column %s: %s is not a number of events", f.names[at], table.Quote(f.parts[at]))
		}
	}
	i, known := r.stallsOf[f.launch.Name]
	if !known {
		i, r.stallsOf[f.launch.Name] = len(r.stalls), len(r.stalls)
		r.stalls = append(r.stalls, ingest.TaskStalls{Task: f.launch.Name, Pos: r.in.Pos(f.nameAt + 1)})
	}
	list := &r.stalls[i].Stalls
	for n, column := range f.stalls {
		reason := strings.TrimSuffix(f.names[column], stallEvents)
		at := slices.IndexFunc(*list, func(x ingest.Stall) bool { return x.Reason == reason })
		if at < 0 {
			at, *list = len(*list), append(*list, ingest.Stall{Reason: reason})
		}
		(*list)[at].Share += unit.Ratio(events[n])
	}
	return nil
}

// shares returns the stall events as shares.
func (r *reader) shares() []ingest.TaskStalls {
	return slices.DeleteFunc(r.stalls, func(t ingest.TaskStalls) bool {
		all := unit.Ratio(0)
		for _, x := range t.Stalls {
			all += x.Share
		}
		for i := range t.Stalls {
			t.Stalls[i].Share /= all
		}
		return all == 0
	})
}

// A sample is a row in a metric table: a launch, a tile's part of it, or one
// sample from it. Percentages are stored as ratios. They are absent if the row
// has none, because 0 would mean an idle GPU.
type sample struct {
	seconds, gpu   float64              // kernel time; measurement time, which is the weight
	means          [3]unit.Opt[float64] // occupancy, active, stalled
	counts         [4]unit.Opt[int64]   // threads, barriers, groups, exits
	instance, tile int64
}

// metrics reads a row in a metric table.
func (r *reader) metrics(f *fields) *rowError {
	gpu := f.number(gpuTime).Or(0)
	s := sample{gpu: gpu, seconds: f.number(kernelTime).Or(gpu), instance: f.count(instance).Or(0),
		tile: f.count(subDevice).Or(0)}
	for i := range s.means {
		s.means[i] = f.ratio(occupancy + quantity(i))
	}
	for i := range s.counts {
		s.counts[i] = f.count(threads + quantity(i))
	}
	// Newer tables have a column for the adapter. Older ones have a heading
	// above the table.
	adapter := f.device
	if f.has(device) {
		adapter = int(f.count(device).Or(0))
	}
	pos := r.in.Pos(f.nameAt + 1)
	if f.err != nil {
		return f.err
	}
	// Drop invalid counters before the row is used: the launch then has a time
	// but no occupancy.
	r.invalid.drop(&s, f.void(), pos)
	// A sample between kernels, which unitrace prints on request.
	if name, _, _ := strings.Cut(f.launch.Name, "("); name == "NoKernel" {
		return r.overTime(nil, f, &s)
	}
	if n := f.xves(); n > 0 {
		r.xves[n] = true
	}
	if err := r.interval(f, adapter, s.tile); err != nil {
		return err
	}
	a := r.kernelSums(&f.launch, adapter, pos)
	r.sample(a, f.source, &s, pos)
	return r.overTime(a, f, &s)
}

// interval reads a launch's start and end.
func (r *reader) interval(f *fields, adapter int, tile int64) *rowError {
	if f.source != fromIntervals || !f.has(begin) || !f.has(end) {
		return nil
	}
	from, to := f.counterSample(begin), f.counterSample(end)
	switch {
	case f.err != nil:
		return f.err
	case to < from:
		return f.badf(end, "the launch ends at %d, before its start at %d", to, from)
	}
	r.ran(&f.launch, from, to, fmt.Sprintf("Device #%d.%d", adapter, tile))
	return nil
}

// ran records when a launch ran.
func (r *reader) ran(t *names.Launch, start, end int64, device string) {
	lane := slices.Index(r.trace.Devices, device) // each device has one lane
	if lane < 0 {
		lane = len(r.trace.Lanes)
		r.trace.AddLane(strings.Clone(device))
	}
	r.trace.Add(ingest.Launch{Start: start, End: end, Task: r.trace.Task(ingest.KeyOf(t)), Lane: uint32(lane)})
}

// overTime keeps a sample with its time. If a is nil, the sample belongs to no
// named kernel.
func (r *reader) overTime(a *kernelSums, f *fields, x *sample) *rowError {
	if !r.opt.Samples || f.source != fromSamples || !f.has(sampled) || !x.means[0].Present() ||
		r.sampled >= ingest.MaxSamples {
		return nil
	}
	at := f.counterSample(sampled)
	if f.err != nil {
		return f.err
	}
	i, known := r.seriesOf[a]
	if !known {
		i = len(r.samples)
		r.seriesOf[a] = i
		r.samples = append(r.samples, ingest.Samples{})
	}
	m := ingest.CounterSample{At: at, Length: int64(x.gpu * 1e9), Measured: float32(x.means[0].Or(0))}
	if a != nil {
		r.samples[i].Key = a.key.Key
		// Other files' launches are matched without the tile.
		r.samples[i].Key.Device = ""
		if s := a.sums[fromSamples]; s != nil {
			m.Launch = uint32(s.launches)
		}
	}
	r.sampled++
	r.samples[i].List = append(r.samples[i].List, m)
	return nil
}

// counterSample returns a time in nanoseconds. It is parsed as an integer,
// because a float cannot represent nanoseconds since 1970.
func (f *fields) counterSample(q quantity) int64 {
	n, err := strconv.ParseInt(f.parts[f.at[q]], 10, 64)
	if f.err == nil && (err != nil || f.per[q] != 1e9 || n < 0 || n > 1<<62) {
		f.err = f.badf(q, "%s is not a time in nanoseconds", table.Quote(f.parts[f.at[q]]))
	}
	return n
}

// isTimeline reports whether a line belongs to the device timeline:
//
//	Thread 473 Device 597365 : "GEMM[SIMD32 {1; 1; 1} {64; 1; 1}]" [ns] 10 (append) 20 (submit) 30 (start) 40 (end)
//	Device Timeline (queue: 0x556fa2318fc0): GEMM [ns] = 10 (append) 20 (submit) 30 (start) 40 (end)
func isTimeline(trimmed string) bool {
	return strings.HasSuffix(trimmed, " (end)") && strings.Contains(trimmed, " [ns] ") &&
		strings.Contains(trimmed, " (start) ")
}

// timeline reads a launch in the timeline. Only Level Zero quotes names. An
// unquoted name may come from either backend, so its first braces may contain
// work-groups or work-items. Its global size is used only if it can only be
// work-groups.
func (r *reader) timeline(text string) *rowError {
	mark := strings.LastIndex(text, " [ns] ")
	name, times := text[:mark], text[mark+len(" [ns] "):]
	at, device := 0, ""
	for _, before := range []string{" : ", "): "} {
		if i := strings.Index(name, before); i >= 0 {
			at = i + len(before)
			if _, of, ok := strings.Cut(name[:i+1], " Device "); ok {
				device = "Device " + strings.TrimSpace(of)
			}
			break
		}
	}
	full, quoted := strings.TrimSpace(name[at:]), name[at] == '"'
	t, err := names.ParseLaunch(launchNumber.ReplaceAllString(full, "$1"), false)
	if err != nil {
		return badf(at, "%v", err)
	}
	var start, end int64
	if n := startEnd.FindStringSubmatch(times); n != nil {
		start, _ = strconv.ParseInt(n[1], 10, 64) // the largest integer if it is out of range
		end, _ = strconv.ParseInt(n[2], 10, 64)
	}
	// With larger times, sums and differences would overflow.
	if end < start || end <= 0 || end > 1<<62 {
		return badf(mark+len(" [ns] "), "the line has no start and end in nanoseconds: %s", table.Quote(times))
	}
	pos := r.in.Pos(at + 1)
	if quoted || !r.keep(full, numberedLaunch{start: start, end: end, device: device, pos: pos}) {
		r.launched(&t, start, end, device, pos, quoted)
	}
	return nil
}

// launched adds a launch in the timeline. The number in the line is a handle in
// this process, not an adapter's number.
func (r *reader) launched(t *names.Launch, start, end int64, device string, pos note.Pos, quoted bool) {
	if !quoted && !countsGroups(t) {
		t.Global = ingest.Size3{}
	}
	r.ran(t, start, end, device)
	r.sample(r.kernelSums(t, noDevice, pos), fromIntervals, &sample{seconds: float64(end-start) / 1e9}, pos)
}

// countsGroups reports whether a name's first braces can only contain
// work-groups. A launch has at least as many work-items as a work-group.
func countsGroups(t *names.Launch) bool {
	for i := range 3 {
		if g, l := t.Global.Dim(i), t.Local.Dim(i); l > 0 && g/l < l {
			return true
		}
	}
	return false
}

// launchNumber matches the number that onetrace and ze_tracer append to a name
// in the timeline, inside its quotes if there are any: `GEMM<4.1>`, `GEMM(3)`.
// A template argument is not a number with a point.
var launchNumber = regexp.MustCompile(`(?:<\d+\.\d+>|\(\d+\))("?)$`)

// startEnd matches a launch's times on the GPU. The two times before them are
// from the host's queue: append and submit.
var startEnd = regexp.MustCompile(`(\d+) \(start\) (\d+) \(end\)$`)
