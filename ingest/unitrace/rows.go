package unitrace

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// timing takes a row of a device timing or kernel submission table: all launches of a kernel, or of one of its shapes.
func (r *reader) timing(f *fields) error {
	t, err := names.ParseLaunch(f.name, r.section.items)
	if err != nil {
		return badf(f.nameAt, "%v", err)
	}
	timeColumn := total
	if f.source == fromSubmission {
		timeColumn = execute
	}
	if width, ok := f.count(simd).Value(); ok && width > 0 && width <= 64 && !t.SIMD.Present() {
		t.SIMD = unit.Some(int(width))
	}
	n, haveCalls := f.count(calls).Value()
	seconds, haveTime := f.number(timeColumn).Value()
	switch {
	case f.err != nil:
		return f.err
	case !haveCalls || !haveTime:
		return badf(f.nameAt, "the row has no count or no time")
	}
	a, err := r.store.kernel(t, noDevice, r.in.Pos(f.nameAt+1))
	if err != nil {
		return badf(f.nameAt, "%v", err)
	}
	s := a.of(f.source)
	// Compared this way around, since the sum itself could overflow.
	if n > unit.MaxCount-s.launches {
		return f.badf(calls, "the launches of this kernel add up to more than %s", unit.Thousands(unit.MaxCount))
	}
	s.launches += n
	s.seconds += seconds
	return nil
}

// properties takes a row of the kernel properties.
func (r *reader) properties(f *fields) error {
	t, err := names.ParseLaunch(f.name, r.section.items)
	if err != nil {
		return badf(f.nameAt, "%v", err)
	}
	p := ingest.Kernel{Task: t.Name, Global: t.Global, Local: t.Local, SIMD: t.SIMD, Pos: r.in.Pos(f.nameAt + 1)}
	for _, c := range []struct {
		q  quantity
		to *unit.Opt[unit.Bytes]
	}{{slm, &p.SLM}, {spill, &p.Spill}} {
		if n, ok := f.count(c.q).Value(); ok {
			*c.to = unit.Some(unit.Bytes(n))
		}
	}
	for _, c := range []struct {
		q       quantity
		unknown string // what stands where the tool does not know
		to      *unit.Opt[int]
	}{{simd, "ANY", &p.SIMD}, {registers, "unknown", &p.Registers}} {
		if !f.has(c.q) || f.parts[f.at[c.q]] == c.unknown {
			continue
		}
		switch n, ok := f.count(c.q).Value(); {
		case ok && (n < 1 || n > 1<<16):
			return f.badf(c.q, "%d is out of range", n)
		case ok:
			*c.to = unit.Some(int(n))
		}
	}
	if f.err != nil {
		return f.err
	}
	if err := r.store.properties(propsKey{t.Name, t.Global, t.Local, p.SIMD.Or(0)}, p); err != nil {
		return badf(f.nameAt, "%v", err)
	}
	return nil
}

// stalls takes a row of a table of instructions.
// Instructions are added up to their kernel: which one stalls is a question for the tool's own listing.
func (r *reader) stalls(f *fields) error {
	t, err := names.ParseLaunch(f.name, r.section.items)
	if err != nil {
		return badf(f.nameAt, "%v", err)
	}
	events := make([]int64, len(f.header.stalls))
	for i, c := range f.header.stalls {
		if events[i], err = strconv.ParseInt(f.parts[c.at], 10, 64); err != nil || events[i] < 0 {
			return badf(f.start[c.at], "column %s%s: %s is not a number of events", c.name, stallEvents,
				table.Quote(f.parts[c.at]))
		}
	}
	if err := r.store.stalled(t.Name, f.header.stalls, events, r.in.Pos(f.nameAt+1)); err != nil {
		return badf(f.nameAt, "%v", err)
	}
	return nil
}

// sample is a row of a metric table: a launch, a tile's share of it, or a sample of it.
// Percentages are ratios here, and absent where the row has none: 0 would be an idle GPU.
type sample struct {
	seconds, gpu                     float64 // of the kernel; of the measurement, the weight
	occupancy, active, stalled       unit.Opt[float64]
	threads, barriers, groups, exits unit.Opt[int64]
	instance, tile, adapter          int64
}

// metrics takes a row of a metric table.
func (r *reader) metrics(f *fields) error {
	t, err := names.ParseLaunch(f.name, r.section.items)
	if err != nil {
		return badf(f.nameAt, "%v", err)
	}
	s, err := f.sample()
	if err != nil {
		return err
	}
	// Before anything is kept of the row: a launch with void counters has a time and no occupancy.
	r.invalid.drop(&s, f.void(), r.in.Pos(f.nameAt+1))
	// A sample between kernels, which unitrace prints on request.
	if name, _, _ := strings.Cut(t.Name, "("); name == "NoKernel" {
		return r.store.overTime(nil, f, &s)
	}
	if n := f.xves(); n > 0 && !r.store.xves[n] {
		if r.store.xves == nil {
			r.store.xves = map[int]bool{}
		}
		r.store.xves[n] = true
	}
	// Newer tables have a column for the adapter, older ones a heading above the table.
	adapter := int(s.adapter)
	if !f.has(device) {
		adapter = f.device
	}
	a, err := r.store.kernel(t, adapter, r.in.Pos(f.nameAt+1))
	if err != nil {
		return badf(f.nameAt, "%v", err)
	}
	if err := r.interval(f, &t, adapter, s.tile); err != nil {
		return err
	}
	r.store.sample(a, f.source, s, r.in.Pos(f.nameAt+1))
	return r.store.overTime(a, f, &s)
}

// interval takes when a launch began and ended.
func (r *reader) interval(f *fields, t *names.Launch, adapter int, tile int64) error {
	if f.source != fromIntervals || !f.has(begin) || !f.has(end) {
		return nil
	}
	from, err := f.moment(begin)
	if err != nil {
		return err
	}
	to, err := f.moment(end)
	if err != nil {
		return err
	}
	if to < from {
		return f.badf(end, "the launch ends at %d, before its start at %d", to, from)
	}
	r.store.ran(t, from, to, fmt.Sprintf("Device #%d.%d", adapter, tile))
	return nil
}

// moment is a time in nanoseconds. A float holds none of those since 1970.
func (f *fields) moment(q quantity) (int64, error) {
	n, err := strconv.ParseInt(f.parts[f.at[q]], 10, 64)
	if err != nil || f.per[q] != 1e9 || n < 0 || n > 1<<62 {
		return 0, f.badf(q, "%s is no time in nanoseconds", table.Quote(f.parts[f.at[q]]))
	}
	return n, nil
}

func (f *fields) sample() (sample, error) {
	gpu := f.number(gpuTime).Or(0)
	s := sample{gpu: gpu, seconds: f.number(kernelTime).Or(gpu),
		occupancy: f.ratio(occupancy), active: f.ratio(active), stalled: f.ratio(stalled),
		threads: f.count(threads), barriers: f.count(barriers), instance: f.count(instance).Or(0),
		groups: f.count(groups), exits: f.count(exits), tile: f.count(subDevice).Or(0), adapter: f.count(device).Or(0)}
	if f.err == nil && s.adapter > 1<<20 {
		f.err = f.badf(device, "%d is out of range", s.adapter)
	}
	return s, f.err
}
