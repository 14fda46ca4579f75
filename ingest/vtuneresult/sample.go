package vtuneresult

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// A report contains the hardware counters. It is written every interval, at a
// context switch, and on request.
const (
	idReport   = 0x11d
	idQuery    = 0x235 // a query around a program instead of a stream
	reportSize = 256   // bytes; reports with other sizes are not supported
	reportTime = 4     // the offset of the report's own 32-bit time
	maxLag     = 2     // maximum ticks from that time to the record's time
)

// A metric is a set's used metric.
type metric int

const (
	occupancy metric = iota
	active
	stall
	clocks
	threads
	barriers
	memoryRead // in bytes, like the next two
	memoryWrite
	l3
	metrics // number of metrics
)

// metricNames are the names in several GPU generations, with the newest last.
var metricNames = [metrics][]string{
	{"EuThreadOccupancy", "XVE_THREADS_OCCUPANCY_ALL"}, {"EuActive", "XVE_ACTIVE"}, {"EuStall", "XVE_STALL"},
	{"GpuCoreClocks"}, {"CsThreads"}, {"ShaderBarriers"}, {"GtiReadThroughput", "GPU_MEMORY_BYTE_READ"},
	{"GtiWriteThroughput", "GPU_MEMORY_BYTE_WRITE"}, {"L3ShaderThroughput"}}

// values are the metric values. Percentages are 0 to 100. A metric that the set
// does not have is -1.
type values [metrics]float64

// counters are a set's used metrics.
type counters struct {
	plan
	place    [metrics]int // index in the plan's values; -1 if the set does not have the metric
	percents []int
}

const occupancyHint = "collect with: vtune -collect gpu-hotspots; for Gen9 add -knob characterization-mode=full-compute"

// newCounters returns a plan for a set's used metrics. The set may have no
// occupancy.
func newCounters(set *metricSet, at note.Pos) (*counters, error) {
	c := &counters{plan: newPlan(set)}
	// A set normally has one name. If it has several, the newest is used.
	for m, names := range metricNames {
		c.place[m] = -1
		for _, name := range names {
			n, known := set.byName[name]
			if !known || set.Counters[n].unsupported != nil {
				continue
			}
			if metric(m) < memoryRead || set.Counters[n].Units == "bytes" {
				c.place[m] = n
			}
		}
	}
	refused := func(format string, args ...any) error {
		return note.Errorf(codeNoOccupancy, at, occupancyHint, "the metric set %q %s", set.Params.Name,
			fmt.Sprintf(format, args...))
	}
	for _, name := range metricNames[occupancy] {
		if n, known := set.byName[name]; known && c.place[occupancy] < 0 {
			return nil, refused("has a thread occupancy that cannot be computed: %v", set.Counters[n].unsupported)
		}
	}
	if c.place[clocks] < 0 {
		return nil, refused("does not count the GPU's clocks")
	}
	for m, i := range c.place {
		if i < 0 {
			continue
		}
		if err := c.need(i); err != nil {
			return nil, refused("has a metric that cannot be computed: %v", err)
		}
		if metric(m) < clocks && set.Counters[i].Units == "percent" {
			c.percents = append(c.percents, i)
		}
	}
	return c, nil
}

// most returns a metric's maximum in GB/s at the highest clock, computed with
// the set's own equation.
func (c *counters) most(m metric) (most unit.Opt[float64]) {
	i, megahertz := c.place[m], c.constants["GpuMaxFrequencyMHz"]
	if i < 0 || megahertz == 0 {
		return most
	}
	steps, err := c.compile(c.Counters[i].Most, element{}, i)
	// For the maximum, only the clocks in a second are known.
	other := func(s step) bool { return s.kind == stepMetric || s.kind == stepCounter && s.at != c.place[clocks] }
	if err != nil || slices.ContainsFunc(steps, other) {
		return most
	}
	c.delta[c.place[clocks]] = wholeNumber(megahertz * 1e6)
	v := c.run(steps, nil, nil).f() / 1e9
	return unit.Maybe(v, v > 0)
}

// A sample contains the counters' changes between two reports.
type sample struct {
	start, end uint64 // on the GPU's clock
	values     values
}

var errStop = errors.New("enough")

// readClock reads the samples' clock up to the first report.
func (a *adapter) readClock() error {
	err := a.eachRecord(a.sampleFile, io.Discard, func(r *record) error {
		a.clock.set(r)
		if r.id == idReport || r.id == idQuery {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// mostPercent is the highest plausible percentage. It may exceed 100, because
// counters are not read at exactly the same time.
const mostPercent = 105

// eachSample calls a function for each sample in order. It also writes the
// file's bytes to sum.
func (a *adapter) eachSample(c *counters, sum io.Writer, each func(*sample)) error {
	var before [reportSize]byte
	var s sample
	reports := 0
	fault := func(r *record, format string, args ...any) error {
		return a.fs.damaged(a.sampleFile, "report at byte %d: %s", r.at, fmt.Sprintf(format, args...))
	}
	err := a.eachRecord(a.sampleFile, sum, func(r *record) error {
		switch {
		case r.id == idQuery:
			return note.Errorf(codeNoCounters, a.fs.pos(a.sampleFile), collectHint,
				"these are not streamed samples but one query of the counters, as performance-snapshot makes it")
		case r.id != idReport || r.typ != typeCall:
			return nil
		}
		b := cursor{b: r.body}
		b.u8()
		length := b.u32()
		report := b.take(int(length))
		if length != reportSize || report == nil || len(b.b) > 0 {
			whose := ""
			if length == 576 || length == 640 {
				whose = ", as on Xe2 and newer GPUs"
			}
			return note.Errorf("unknown-reports", a.fs.pos(a.sampleFile), tableHint,
				"report at byte %d: it has %d bytes%s (device 0x%04x, VTune %s); expected %d bytes, as on GPUs up to "+
					"Xe-HPG", r.at, length, whose,
				a.set.constants["PciDeviceId"], a.file.Platform.VTune, reportSize)
		}
		// A report with another layout would have something else at this
		// offset. Therefore this check rejects it, regardless of its length. In
		// the known results, 40% of the reports are one tick before their
		// record.
		own := binary.LittleEndian.Uint32(report[reportTime:])
		if lag := uint32(r.time) - own; lag > maxLag {
			return fault(r, "its time, tick %d, does not match the time of its record, tick %d", own, uint32(r.time))
		}
		// Counters count from the machine's boot, so only the difference
		// between two reports is meaningful.
		if reports++; reports > 1 {
			if r.time <= s.end {
				return fault(r, "its time is not later than that of the one before")
			}
			s.start, s.end = s.end, r.time
			c.compute(before[:], report)
			if err := c.fill(&s); err != nil {
				return fault(r, "%v", err)
			}
			each(&s)
		}
		s.end = r.time
		copy(before[:], report)
		return nil
	})
	if err == nil && reports < 2 {
		return note.Errorf(codeNoCounters, a.fs.pos(a.sampleFile),
			"let the program run longer, and look at what vtune printed",
			"the file contains %d reports of the counters; at least two are required", reports)
	}
	return err
}

// fill sets a sample's values. An impossible percentage means that the
// equations do not match the reports, so the other values would be wrong, too.
func (c *counters) fill(s *sample) error {
	for _, i := range c.percents {
		if v := c.value[i].f(); !(v >= 0 && v <= mostPercent) {
			return fmt.Errorf("%s is %.1f%%, which is impossible", c.Counters[i].Name, v)
		}
	}
	for m, i := range c.place {
		if s.values[m] = -1; i >= 0 {
			s.values[m] = c.value[i].f()
		}
	}
	return nil
}

// lengths counts the sample lengths in ticks, to find the hardware's interval.
type lengths map[uint64]int64

// maxLengths limits how many different lengths are counted. Nearly all samples
// have the same length.
const maxLengths = 1 << 16

func (l lengths) add(ticks uint64) {
	if _, known := l[ticks]; known || len(l) < maxLengths {
		l[ticks]++
	}
}

// interval returns the most frequent length, and how many samples are longer
// than 1.5 times that length. Reports were lost in these samples.
func (l lengths) interval() (ticks uint64, lost int64) {
	for t, n := range l {
		// Use the mode instead of the mean: context switches shorten samples,
		// and lost reports lengthen them.
		if n > l[ticks] || n == l[ticks] && t < ticks {
			ticks = t
		}
	}
	for t, n := range l {
		if float64(t) > 1.5*float64(ticks) {
			lost += n
		}
	}
	return ticks, lost
}

// sums adds samples in two ways. The first uses VTune's rule: each sample
// belongs to the launch in which it ends. The second distributes each sample
// over all launches in it, by their time. The first reproduces the values that
// VTune prints, and the second estimates the launch values.
type sums struct {
	launches int64
	seconds  float64 // the launches' duration

	samples int64   // samples that end within a launch
	covered float64 // launch seconds within these samples
	values  values  // these samples' values: percentages x clocks

	seen float64 // launch seconds within any sample
	// own are percentages x seconds, or bytes. A value is negative if the set
	// does not have the metric.
	own values
}

func (s *sums) add(o *sums) {
	s.launches += o.launches
	s.seconds += o.seconds
	s.samples += o.samples
	s.covered += o.covered
	s.seen += o.seen
	for m, v := range o.values {
		s.values[m] += v
		s.own[m] += o.own[m]
	}
}

// Lower limits for showing counters. VTune has no limits, but with few samples
// the counters belong to the wrong moments.
const (
	fewSamples = 5
	leastShare = 0.8 // share of launch time within samples that end in launches
)

// leastLoose is the minimum mean launch duration, in seconds, if their position
// among the samples is known only to 0.1 ms.
const leastLoose = 1e-3

// usable reports whether the counters belong to these launches. loose means
// that the launches are on another clock than the samples.
func (s *sums) usable(loose bool) bool {
	return s.samples >= fewSamples && s.covered/s.seconds >= leastShare &&
		!(loose && s.seconds < leastLoose*float64(s.launches))
}

// A sweep processes samples and launches in time order. It keeps only the open
// launches and no samples, so that the memory does not depend on the run's
// length.
type sweep struct {
	launches []launch // sorted by start
	hertz    float64
	next     int
	open     []open
	done     func(*launch, *sums)
}

// An open is a launch that has started and may still run.
type open struct {
	*launch
	sums sums
}

// addSample adds the next sample.
func (w *sweep) addSample(s *sample) {
	// Launches may run concurrently, so several can be open. Launches that
	// ended before this sample are done.
	for ; w.next < len(w.launches) && w.launches[w.next].start < s.end; w.next++ {
		l := &w.launches[w.next]
		w.open = append(w.open, open{l, sums{launches: 1, seconds: float64(l.end-l.start) / w.hertz}})
	}
	kept, length, all := w.open[:0], float64(s.end-s.start)/w.hertz, 0.0
	within := func(o *open) float64 { return float64(min(o.end, s.end)-max(o.start, s.start)) / w.hertz }
	for i := range w.open {
		o := &w.open[i]
		if o.end <= s.start {
			w.done(o.launch, &o.sums)
			continue
		}
		all += within(o)
		kept = append(kept, *o)
	}
	w.open = kept
	for i := range w.open {
		o := &w.open[i]
		o.sums.share(s, within(o), all, length)
		// VTune's rule, which the values in its screens confirm: a sample
		// belongs to the launch in which it ends.
		if s.end <= o.end {
			o.sums.end(s, within(o))
		}
	}
}

// share adds a launch's share of a sample. The launch runs for within seconds
// of the sample, all launches together for all seconds, and the sample is
// length seconds long. All counts in a sample are attributed to launches.
func (s *sums) share(x *sample, within, all, length float64) {
	if within <= 0 { // a launch shorter than a tick
		return
	}
	s.seen += within
	for m, v := range x.values {
		switch part := within / all; {
		case v < 0:
			s.own[m] = -1
		case metric(m) < clocks:
			s.own[m] += min(v*length*part, 100*within)
		default:
			s.own[m] += v * part
		}
	}
}

// end adds a sample that ends within the launch.
func (s *sums) end(x *sample, within float64) {
	s.samples++
	s.covered += within
	for m, v := range x.values {
		if metric(m) < clocks { // weight a percentage by the clocks
			v *= x.values[clocks]
		}
		s.values[m] += v
	}
}

// periods are the times in which threads ran according to the samples. Several
// launches may form one period.
type periods struct {
	n   int64
	in  bool
	sum sums
}

// leastBusy is the occupancy, in percent, above which threads ran. It is not 0,
// because counters are not read at exactly the same time.
const leastBusy = 0.3

func (p *periods) addSample(s *sample, hertz float64) {
	// The GPU's busy signal is not useful here, because it stays set between
	// launches that are close together.
	busy := s.values[occupancy] > leastBusy || s.values[threads] > 0
	if busy {
		if !p.in {
			p.n++
		}
		seconds := float64(s.end-s.start) / hertz
		p.sum.seconds += seconds
		p.sum.end(s, seconds)
	}
	p.in = busy
}
