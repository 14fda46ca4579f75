package vtuneresult

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"occudiff/ingest/note"
)

// A report of the hardware's counters, as it is written every interval, at a context switch and on request.
const (
	idReport   = 0x11d
	idQuery    = 0x235 // of one query around a program, not of a stream
	reportSize = 256   // bytes; other forms of report are not known
	reportTime = 4     // the byte of its own time, 32 bits
	maxLag     = 2     // ticks by which that may be before the record's
)

// stream of counters: the metrics of a set, and what is needed of them.
type counters struct {
	plan      *plan
	occupancy int // places in the plan's values
	active    int
	stall     int
	clocks    int
	threads   int
	barriers  int // -1 where the set does not count them
	percents  []int
}

// names by generation, the newest last.
var metricNames = [][]string{
	{"EuThreadOccupancy", "XVE_THREADS_OCCUPANCY_ALL"},
	{"EuActive", "XVE_ACTIVE"},
	{"EuStall", "XVE_STALL"},
	{"GpuCoreClocks"},
	{"CsThreads"},
	{"ShaderBarriers"},
}

// newCounters plans the metrics that are used of a set. A set without occupancy is an error.
func newCounters(set *metricSet, at note.Pos) (*counters, error) {
	place := make([]int, len(metricNames))
	var wanted []string
	for i, names := range metricNames {
		place[i] = -1
		for _, name := range names {
			if n, known := set.byName[name]; known && set.Counters[n].refused == nil {
				place[i] = n
				wanted = append(wanted, name)
			}
		}
	}
	const hint = "collect with: vtune -collect gpu-hotspots -knob characterization-mode=full-compute"
	if place[0] < 0 {
		why := "no thread occupancy"
		for _, name := range metricNames[0] {
			if n, known := set.byName[name]; known {
				why = fmt.Sprintf("a thread occupancy that cannot be computed: %v", set.Counters[n].refused)
			}
		}
		return nil, note.Faultf(codeNoOccupancy, at, hint, "the metric set %q has %s", set.Params.Name, why)
	}
	if place[3] < 0 {
		return nil, note.Faultf(codeNoOccupancy, at, hint, "the metric set %q does not count the GPU's clocks",
			set.Params.Name)
	}
	p, err := set.newPlan(wanted...)
	if err != nil {
		return nil, note.Faultf(codeNoOccupancy, at, hint, "the metric set %q: %v", set.Params.Name, err)
	}
	c := &counters{plan: p, occupancy: place[0], active: place[1], stall: place[2], clocks: place[3],
		threads: place[4], barriers: place[5]}
	for _, i := range place[:3] {
		if i >= 0 && set.Counters[i].Units == "percent" {
			c.percents = append(c.percents, i)
		}
	}
	return c, nil
}

// sample is what the counters say of the time between two reports. Percentages are as they come; -1 stands for a metric
// that the set has not.
type sample struct {
	start, end               uint64 // on the GPU's clock
	occupancy, active, stall float64
	clocks, threads          float64
	barriers                 float64
}

var errStop = errors.New("enough")

// clockOf gives the clock of the samples, set at the first report.
func clockOf(ctx context.Context, fsys FS, name string) (c clock, err error) {
	err = eachRecord(ctx, fsys, name, io.Discard, func(r *record) error {
		c.take(r)
		if r.id == idReport || r.id == idQuery {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return c, err
}

// mostPercent is the highest percentage that counters read a little apart may give.
const mostPercent = 105

// eachSample calls each with the samples of a file in order; the bytes of the file go to sum too.
func (c *counters) eachSample(
	ctx context.Context, fsys FS, name string, sum io.Writer, each func(*sample) error) error {

	var before [reportSize]byte
	var s sample
	reports := 0
	fault := func(r *record, format string, args ...any) error {
		return note.Faultf(codeDamaged, fsys.pos(name), "copy the result folder again", "report at byte %d: %s", r.at,
			fmt.Sprintf(format, args...))
	}
	err := eachRecord(ctx, fsys, name, sum, func(r *record) error {
		switch {
		case r.id == idQuery:
			return note.Faultf(codeNoCounters, fsys.pos(name), collectHint,
				"these are not streamed samples but one query of the counters, as performance-snapshot makes it")
		case r.id != idReport || r.typ != typeCall:
			return nil
		}
		b := cursor{b: r.body}
		b.u8()
		length := b.u32()
		report := b.take(int(length))
		if length != reportSize || report == nil || len(b.b) > 0 {
			return fault(r, "it claims %d bytes; the known reports have %d", length, reportSize)
		}
		own := binary.LittleEndian.Uint32(report[reportTime:])
		if lag := uint32(r.time) - own; lag > maxLag {
			return fault(r, "its own time, tick %d, is not that of its record, %d", own, uint32(r.time))
		}
		if reports++; reports > 1 {
			if r.time <= s.end {
				return fault(r, "its time is not later than that of the one before")
			}
			s.start, s.end = s.end, r.time
			c.plan.compute(before[:], report)
			if err := c.fill(&s); err != nil {
				return fault(r, "%v", err)
			}
			if err := each(&s); err != nil {
				return err
			}
		}
		s.end = r.time
		copy(before[:], report)
		return nil
	})
	if err == nil && reports < 2 {
		return note.Faultf(codeNoCounters, fsys.pos(name), "let the program run longer, and look at what vtune printed",
			"the file holds %d reports of the counters; two are the least that tell anything", reports)
	}
	return err
}

// fill takes the values of a sample.
func (c *counters) fill(s *sample) error {
	for _, i := range c.percents {
		if v := c.plan.value[i].f(); !(v >= 0 && v <= mostPercent) {
			return fmt.Errorf("%s is %.1f %%, which no GPU has", c.plan.set.Counters[i].Name, v)
		}
	}
	value := func(i int) float64 {
		if i < 0 {
			return -1
		}
		return c.plan.value[i].f()
	}
	s.occupancy, s.active, s.stall = value(c.occupancy), value(c.active), value(c.stall)
	s.clocks, s.threads, s.barriers = value(c.clocks), value(c.threads), value(c.barriers)
	return nil
}

// lengths counts how long samples are, to find what the hardware's interval is.
type lengths struct {
	n     int64
	count map[uint64]int64
}

// maxLengths bounds the different lengths that are counted; nearly all samples have the same.
const maxLengths = 1 << 16

func (l *lengths) add(ticks uint64) {
	if l.count == nil {
		l.count = map[uint64]int64{}
	}
	l.n++
	if _, known := l.count[ticks]; known || len(l.count) < maxLengths {
		l.count[ticks]++
	}
}

// interval gives the most frequent length, and how many samples are longer than one and a half of it: reports were lost
// there.
func (l *lengths) interval() (ticks uint64, lost int64) {
	for t, n := range l.count {
		if n > l.count[ticks] || n == l.count[ticks] && t < ticks {
			ticks = t
		}
	}
	for t, n := range l.count {
		if float64(t) > 1.5*float64(ticks) {
			lost += n
		}
	}
	return ticks, lost
}
