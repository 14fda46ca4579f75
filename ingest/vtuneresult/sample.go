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

// A report of the hardware's counters, as it is written every interval, at a
// context switch and on request.
const (
	idReport   = 0x11d
	idQuery    = 0x235 // of one query around a program, not of a stream
	reportSize = 256   // bytes; other forms of report are not known
	reportTime = 4     // the byte of its own time, 32 bits
	maxLag     = 2     // ticks by which that may be before the record's
)

// metric is one of the metrics of a set that are used.
type metric int

const (
	occupancy metric = iota
	active
	stall
	clocks
	threads
	barriers
	memoryRead // bytes, as the two below
	memoryWrite
	l3
	metrics // how many there are
)

// metricNames are those of generations of GPUs, the newest last.
var metricNames = [metrics][]string{
	{"EuThreadOccupancy", "XVE_THREADS_OCCUPANCY_ALL"}, {"EuActive", "XVE_ACTIVE"}, {"EuStall", "XVE_STALL"},
	{"GpuCoreClocks"}, {"CsThreads"}, {"ShaderBarriers"}, {"GtiReadThroughput", "GPU_MEMORY_BYTE_READ"},
	{"GtiWriteThroughput", "GPU_MEMORY_BYTE_WRITE"}, {"L3ShaderThroughput"}}

// values are those of metrics. Percentages are as they come; -1 stands for a
// metric that the set has not.
type values [metrics]float64

// counters are the metrics of a set that are used.
type counters struct {
	plan
	place    [metrics]int // in the plan's values, -1 where the set does not count it
	percents []int
}

const occupancyHint = "collect with: vtune -collect gpu-hotspots -knob characterization-mode=full-compute"

// newCounters plans the metrics that are used of a set, which may have no
// occupancy.
func newCounters(set *metricSet, at note.Pos) (*counters, error) {
	c := &counters{plan: newPlan(set)}
	// A set has one of the names; where it has several the newest counts.
	for m, names := range metricNames {
		c.place[m] = -1
		for _, name := range names {
			n, known := set.byName[name]
			if known && set.Counters[n].unsupported == nil && (metric(m) < memoryRead || set.Counters[n].Units == "bytes") {
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

// most returns how many gigabytes of a metric there can be in a second at the
// highest clock, by the set's own equation.
func (c *counters) most(m metric) (most unit.Opt[float64]) {
	i, megahertz := c.place[m], c.constants["GpuMaxFrequencyMHz"]
	if i < 0 || megahertz == 0 {
		return most
	}
	steps, err := c.compile(c.Counters[i].Most, element{}, i)
	// The clocks are all that is known of the second.
	other := func(s step) bool { return s.kind == stepMetric || s.kind == stepCounter && s.at != c.place[clocks] }
	if err != nil || slices.ContainsFunc(steps, other) {
		return most
	}
	c.delta[c.place[clocks]] = wholeNumber(megahertz * 1e6)
	v := c.run(steps, nil, nil).f() / 1e9
	return unit.Maybe(v, v > 0)
}

// sample is what the counters say of the time between two reports.
type sample struct {
	start, end uint64 // on the GPU's clock
	values     values
}

var errStop = errors.New("enough")

// readClock sets the clock of the samples at the first report.
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

// mostPercent is the highest percentage that counters read a little apart may
// give.
const mostPercent = 105

// eachSample calls each with the samples in order; the bytes of their file go
// to sum too.
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
				whose = ", as Xe2 and newer GPUs write them,"
			}
			return note.Errorf("unknown-reports", a.fs.pos(a.sampleFile), tableHint, "report at byte %d: it has %d bytes%s "+
				"and is of device 0x%04x, by VTune %s; those of %d bytes are known, up to Xe-HPG", r.at, length, whose,
				a.set.constants["PciDeviceId"], a.file.Platform.VTune, reportSize)
		}
		// A report of another form would have something else there: this
		// refuses it, whatever its length. Four of ten reports that were seen
		// are one tick before their record.
		own := binary.LittleEndian.Uint32(report[reportTime:])
		if lag := uint32(r.time) - own; lag > maxLag {
			return fault(r, "its own time, tick %d, is not that of its record, %d", own, uint32(r.time))
		}
		// Counters run on from boot, so only differences of two reports mean
		// something.
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
		return note.Errorf(codeNoCounters, a.fs.pos(a.sampleFile), "let the program run longer, and look at what vtune printed",
			"the file holds %d reports of the counters; two are the least that tell anything", reports)
	}
	return err
}

// fill takes the values of a sample. A percentage that cannot be means that the
// equations do not fit the reports, and then no other figure is right either.
func (c *counters) fill(s *sample) error {
	for _, i := range c.percents {
		if v := c.value[i].f(); !(v >= 0 && v <= mostPercent) {
			return fmt.Errorf("%s is %.1f%%, which no GPU has", c.Counters[i].Name, v)
		}
	}
	for m, i := range c.place {
		if s.values[m] = -1; i >= 0 {
			s.values[m] = c.value[i].f()
		}
	}
	return nil
}

// lengths counts how long samples are, in ticks, to find what the hardware's
// interval is.
type lengths map[uint64]int64

// maxLengths bounds the different lengths that are counted; nearly all samples
// have the same.
const maxLengths = 1 << 16

func (l lengths) add(ticks uint64) {
	if _, known := l[ticks]; known || len(l) < maxLengths {
		l[ticks]++
	}
}

// interval returns the most frequent length, and how many samples are longer
// than one and a half of it: reports were lost there.
func (l lengths) interval() (ticks uint64, lost int64) {
	for t, n := range l {
		// The mode, not the mean: context switches cut samples short, and lost
		// reports make some longer.
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

// sums adds up samples in two ways: those that end within a launch, as VTune
// gives each sample to the launch in which it ends; and of all, the launches'
// part of the time that launches have in them. The two answer two questions:
// what VTune prints, and what the launches had.
type sums struct {
	launches int64
	seconds  float64 // of the launches

	samples int64   // that end within
	covered float64 // seconds of launches within those
	values  values  // of those samples: percentages x clocks

	seen float64 // seconds of launches within any sample
	own  values  // percentages x seconds, bytes; below 0 of a metric that the set has not
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

// The least that counters are given of: VTune prints them of any, and of few
// they are of the wrong moments.
const (
	fewSamples = 5
	leastShare = 0.8 // of the launches' time within samples that end in them
)

// leastLoose is the mean time of launches, in seconds, whose place among the
// samples is known to 0.1 ms.
const leastLoose = 1e-3

// usable reports whether the counters are of these launches. loose says that
// the times of the launches are on another clock than the samples.
func (s *sums) usable(loose bool) bool {
	return s.samples >= fewSamples && s.covered/s.seconds >= leastShare &&
		!(loose && s.seconds < leastLoose*float64(s.launches))
}

// sweep goes through samples and launches in the order of time. It keeps the
// launches that are open and no sample: memory does not grow with the length of
// a run.
type sweep struct {
	launches []launch // by start
	hertz    float64
	next     int
	open     []open
	done     func(*launch, *sums)
}

// open is a launch that began and is not known to have ended.
type open struct {
	*launch
	sums sums
}

// addSample takes the next sample.
func (w *sweep) addSample(s *sample) {
	// Launches may run side by side, so several are open at a time; those that
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
		// VTune's rule, which the figures of its screens confirm: the sample is
		// of the launch in which it ends.
		if s.end <= o.end {
			o.sums.end(s, within(o))
		}
	}
}

// share adds what a launch has of a sample in which it runs for some seconds,
// of those of all launches and of its length. All that is counted in a sample
// is of launches.
func (s *sums) share(x *sample, within, all, length float64) {
	if within <= 0 { // a launch of less than a tick
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
		if metric(m) < clocks { // a percentage of them
			v *= x.values[clocks]
		}
		s.values[m] += v
	}
}

// periods are the times in which threads ran, as samples show them: several
// launches may be one.
type periods struct {
	n   int64
	in  bool
	sum sums
}

// leastBusy is the occupancy in percent above which threads ran; counters are
// read a little apart.
const leastBusy = 0.3

func (p *periods) addSample(s *sample, hertz float64) {
	// The busy signal of the GPU does not tell: it stays up between launches
	// that are close.
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
