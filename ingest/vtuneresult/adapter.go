package vtuneresult

import (
	"cmp"
	"fmt"
	"hash"
	"math"
	"path"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// An adapter is one GPU's data. A folder may contain several adapters. Each is
// one file in the run, because each has its own clock and counters.
type adapter struct {
	*reader
	setFile, sampleFile string // counters for one adapter or tile: a metric set and the samples next to it
	set                 *metricSet
	most                [metrics]unit.Opt[float64] // maximum for metrics in bytes, in GB/s
	clock               clock
	tasks               tasks
	launches            []launch
	failed              string // reason why there are no launches
	loose               bool   // the launches are on another clock than the samples
	from                string // where the launch times come from
	totals              []total
	each                *ingest.Launches  // single launches, if requested
	recording           *ingest.Recording // nil without occupancy
	outside             int64             // launches outside the samples
	first               uint64            // the first report's tick
	last                uint64
	samples             int64
	lengths             lengths
	busy                periods
}

// A total is the sum over a task's launches.
type total struct {
	sums
	times, means ingest.Sample
}

// read reads metrics, launches, and samples.
func (a *adapter) read(sum hash.Hash) (err error) {
	if a.set, err = readMetrics(a.fs, a.setFile); err != nil {
		return err
	}
	c, err := newCounters(a.set, a.fs.pos(a.setFile))
	if err != nil {
		return err
	}
	for m := memoryRead; m < metrics; m++ {
		a.most[m] = c.most(m)
	}
	// Read the clock in a separate pass, because the launches must be known
	// before the samples. Only then can each sample be assigned to its launches
	// while it is read, so that no sample is kept.
	if err := a.readClock(); err != nil {
		return err
	}
	// Two writers record the clock in the folder. If they differ, choosing one
	// would be a guess.
	if hertz := a.set.constants["GpuTimestampFrequency"]; a.clock.hertz != hertz || hertz == 0 {
		return a.fs.damaged(a.sampleFile, "the samples use a clock of %d Hz, but %s contains %d Hz", a.clock.hertz,
			path.Base(a.setFile), hertz)
	}
	if err := a.readLaunches(); err != nil {
		return err
	}
	a.totals = make([]total, len(a.tasks.Tasks))
	if a.opt.Instances {
		a.each = &ingest.Launches{}
	}
	if c.place[occupancy] < 0 {
		a.note(note.Warning, codeNoOccupancy, a.fs.pos(a.setFile), occupancyHint, "the metric set %q has no thread "+
			"occupancy: launches, names, sizes, predictions, and gaps are shown, but no measured occupancy",
			a.set.Params.Name)
	} else {
		a.recording = &ingest.Recording{Unassigned: a.loose}
	}
	part := func(percent float64) float32 {
		if percent < 0 { // the set does not have this metric
			return float32(math.NaN())
		}
		return float32(percent / 100)
	}
	slices.SortStableFunc(a.launches, func(a, b launch) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	w := &sweep{launches: a.launches, hertz: float64(a.clock.hertz), done: a.ended}
	err = a.eachSample(c, sum, func(s *sample) {
		if a.last = s.end; a.samples == 0 {
			a.first = s.start
		}
		a.samples++
		a.lengths.add(s.end - s.start)
		if a.recording != nil {
			v := &s.values
			end := a.nanoseconds(s.end)
			a.recording.Add(ingest.CounterSample{At: end, Length: end - a.nanoseconds(s.start),
				Measured: float32(v[occupancy] / 100), Active: part(v[active]), Stalled: part(v[stall]),
				Clocks: float32(v[clocks])})
		}
		a.busy.addSample(s, w.hertz)
		w.addSample(s)
		if a.opt.Progress != nil && a.samples%4096 == 0 {
			a.opt.Progress(a.samples * reportSize / 4) // approximately the bytes read
		}
	})
	if err != nil {
		return err
	}
	for i := range w.open { // launches that are open at the last sample
		a.ended(w.open[i].launch, &w.open[i].sums)
	}
	n := len(a.launches)
	a.launches = slices.DeleteFunc(a.launches, func(l launch) bool { return l.end <= a.first || l.start >= a.last })
	if a.outside = int64(n - len(a.launches)); n > 0 && len(a.launches) == 0 {
		return a.fs.damaged(a.sampleFile, "none of the %d launches ran between the first and the last sample of this "+
			"file: the launches belong to another collection", n)
	}
	return nil
}

// nanoseconds returns a GPU time since the first report. It converts whole
// seconds separately, so that the product fits into 64 bits: 1e9 times the
// ticks in several minutes does not.
func (a *adapter) nanoseconds(tick uint64) int64 {
	t, hertz := int64(tick-a.first), int64(a.clock.hertz)
	return t/hertz*1e9 + t%hertz*1e9/hertz
}

// ended adds a launch after its last sample. Only the sums over a task's
// launches are kept, because a folder may contain millions of launches.
func (a *adapter) ended(l *launch, s *sums) {
	if s.seen == 0 { // before the first or after the last sample
		return
	}
	t := &a.totals[l.task]
	t.add(s)
	t.times.Add(s.seconds, ingest.SampleSize(len(a.totals)))
	if a.recording != nil && s.usable(a.loose) {
		t.means.Add(s.own[occupancy]/s.seen/100, ingest.SampleSize(len(a.totals)))
	}
	if a.each == nil {
		return
	}
	k := a.kernel(int(l.task), s)
	r := &ingest.LaunchRecord{Kernel: int(l.task), Time: k.Total, Threads: k.Threads}
	// The launch's values are its share of each sample, by time. If a sample
	// contains several launches, its exact distribution is unknown, so each
	// launch gets at most what it can have.
	if a.recording != nil && !a.loose && k.IsKernel() {
		ratio := func(sum float64) unit.Opt[unit.Ratio] { return unit.Some(unit.FromPercent(sum / s.seen)) }
		r.Measured = ratio(s.own[occupancy])
		if on, stalled := s.own[active], s.own[stall]; on >= 0 && stalled >= 0 {
			r.Active, r.Stalled, r.Idle = ratio(on), ratio(stalled), ratio(100*s.seen-on-stalled)
		}
	}
	a.each.Add(r)
}

// kernel returns a row for a task's launches.
func (a *adapter) kernel(task int, s *sums) ingest.Kernel {
	key := a.tasks.Tasks[task]
	k := ingest.Kernel{Task: key.Task, Global: key.Global, Local: key.Local, SIMD: unit.NonZero(key.SIMD),
		SLM: a.tasks.slm[task], Pos: a.fs.pos(a.sampleFile), Instances: unit.Some(s.launches),
		Total: unit.Some(unit.Seconds(s.seconds))}
	if !k.IsKernel() {
		return k
	}
	v := &s.values
	// Percentages are weighted by their samples' clocks, not by time. This
	// reproduces VTune's values on a Gen12 and a Gen9 GPU.
	if v[occupancy] >= 0 && v[clocks] > 0 {
		k.Printed = unit.Some(unit.FromPercent(v[occupancy] / v[clocks]))
	}
	// Keep the row with its time and size, because a prediction does not need
	// counters.
	if !s.usable(a.loose) {
		return k
	}
	if v[threads] >= 0 {
		k.Threads = unit.Some(int64(v[threads] + 0.5))
	}
	if v[barriers] >= 0 {
		k.Barriers = unit.Some(int64(v[barriers] + 0.5))
	}
	// Bytes moved during the launch: its share of each sample, by time.
	if max(s.own[memoryRead], s.own[memoryWrite], s.own[l3]) >= 0 {
		moved := func(m metric) unit.Opt[float64] { return unit.Maybe(s.own[m]/s.seen/1e9, s.own[m] >= 0) }
		k.Counters = &ingest.Counters{MemoryRead: moved(memoryRead), MemoryWrite: moved(memoryWrite), L3Read: moved(l3),
			MemoryReadPeak: a.most[memoryRead], MemoryWritePeak: a.most[memoryWrite], L3Peak: a.most[l3]}
	}
	return k
}

// finish fills the file with the data read.
func (a *adapter) finish() {
	f, at := a.file, a.fs.pos(a.sampleFile)
	ticks, lost := a.lengths.interval()
	interval := unit.Seconds(float64(ticks) / float64(a.clock.hertz))
	f.Rows = a.samples
	a.platform(interval)
	// The hardware's interval is a power of 2, in ticks, so 0.853 ms for a
	// requested 1 ms is normal.
	if asked, ok := a.asked.Value(); ok && (interval > asked*1.01 || interval*2 < asked*0.99) {
		a.note(note.Warning, "sampling-interval", at, "", "the samples are %s apart, but %s was requested",
			unit.FormatDuration(interval), unit.FormatDuration(asked))
	}
	if lost > 0 {
		a.note(note.Warning, "lost-samples", at, "sample less often", "%d of %d samples cover more than one and a "+
			"half intervals: reports of the counters were lost", lost, a.samples)
	}
	if len(a.launches) == 0 {
		a.periods(f)
		return
	}
	for task := range a.totals {
		t := &a.totals[task]
		measured := &t.means
		if measured.N != t.times.N { // a spread over only some launches would be misleading
			measured = nil
		}
		k := a.kernel(task, &t.sums)
		k.Launches = t.times.Spread(measured)
		f.Kernels = append(f.Kernels, k)
	}
	f.Launches = a.each
	a.trace(f)
	if a.recording != nil {
		a.recording.Trace, f.Recording = f.Trace, a.recording
		if a.opt.Samples {
			f.Samples = []ingest.Samples{{List: a.recording.List}}
		}
	}
	if a.outside > 0 {
		a.note(note.Warning, "launches-outside", at, "", "%s ran before the first sample or after the last one, "+
			"and are not part of any value", unit.FormatCount(a.outside, "launch", "launches"))
	}
	a.note(note.Info, "launches", at, "", "the launch times of kernels and copies (%d in total) come from %s",
		len(a.launches), a.from)
}

// platform sets the machine properties that the counters contain.
func (a *adapter) platform(interval unit.Seconds) {
	p, set := &a.file.Platform, a.set.constants
	// The name comes from the program's trace, and the PCI ID from the
	// counters. If there are two GPUs, they may belong to different ones.
	name := strings.TrimSpace(strings.SplitN(a.device.name, "[", 2)[0])
	if a.device.seen != 1 || uint64(a.device.id) != set["PciDeviceId"] || name == "" {
		name = "Intel GPU"
	}
	p.Device = fmt.Sprintf("%s [0x%04x]", name, set["PciDeviceId"])
	p.DeviceFrom, p.Pos = "the result folder", a.fs.pos(a.setFile)
	p.SamplingInterval = unit.Some(interval)
	// The file contains 64-bit values. Limit them, so that an absurd count does
	// not overflow to a plausible one.
	p.XVEs = unit.NonZero(int(min(a.set.xves(), 1<<20)))
	p.ThreadsPerXVE = unit.NonZero(int(min(max(set["EuThreadsCount"], set["VectorEngineThreadsCount"]), 1<<10)))
	p.MaxFrequency = unit.NonZero(float64(set["GpuMaxFrequencyMHz"]) * 1e6)
}

// periods adds the times in which threads ran, for a run whose launches are
// unknown. Such a run has no kernels, but the counters still
// contain the occupancy while anything ran.
func (a *adapter) periods(f *ingest.File) {
	at := a.fs.pos(a.sampleFile)
	if a.busy.n == 0 {
		a.note(note.Warning, "launches-unknown", at, "", "no thread ran on the GPU while its counters were sampled, "+
			"and its launches are unknown: %s", a.failed)
		return
	}
	s := &a.busy.sum
	if a.recording != nil {
		f.Platform.Occupancy = unit.Some(unit.FromPercent(s.values[occupancy] / s.values[clocks]))
		f.Platform.OccupancyPos = at
	}
	f.Platform.GPUTime = unit.Some(unit.Seconds(s.seconds))
	a.note(note.Warning, "launches-unknown", at, "give the computing-task export of the run next to the folder",
		"launches are unknown (%s); threads ran in %s, %s in total; the number of periods is not the number of "+
			"launches, because launches close together form one period",
		a.failed, unit.Plural(a.busy.n, "busy period"), unit.FormatDuration(unit.Seconds(s.seconds)))
}

// trace adds the launch times. Each queue is a lane: launches on one queue do
// not overlap unless the program allows it.
func (a *adapter) trace(f *ingest.File) {
	f.Trace = &a.tasks.Trace
	lanes := map[uint32]uint32{}
	for i := range a.launches {
		l := &a.launches[i]
		lane, known := lanes[l.queue]
		if !known {
			lane = uint32(len(lanes))
			lanes[l.queue] = lane
			f.Trace.AddLane("")
		}
		f.Trace.Add(ingest.Launch{Start: a.nanoseconds(l.start), End: a.nanoseconds(l.end), Task: l.task, Lane: lane})
	}
	f.Trace.Finish()
}
