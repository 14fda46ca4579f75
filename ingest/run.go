// Package ingest converts profiler output into a Run: the kernels, the timings,
// the platform, and notes about unusable input. It detects each file's format,
// reads the file with that format, and joins each run's files. It does not know
// devices, statistics, or layout, and it never prints.
package ingest

import (
	"encoding/binary"
	"fmt"
	"hash"
	"iter"
	"math"
	"reflect"
	"regexp"
	"strings"
	"time"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Size3 is a launch size; see unit.Size3.
type Size3 = unit.Size3

// A Run is everything that was read from one profiler run.
type Run struct {
	Inputs []Input
	// Kernels have the order of the first file that contains them, including
	// copies and other tasks.
	Kernels  []Kernel
	Launches *Launches // nil unless requested and a file has a row per launch
	Timings  []Timing  // from logs, in file order
	Platform Platform  // from logs and summaries
	// Platforms contains one platform per file that describes one.
	Platforms []Platform
	// Instructions comes from the first export that counts instructions.
	Instructions Instructions
	// Recording is the data from which the kernel occupancies are estimated. It
	// is nil if samples or launches are unknown.
	Recording *Recording
	// Trace contains the launch times. It is nil if no file has them.
	Trace   *Trace
	Samples []Samples // occupancies over time, if requested
	// Summary contains the "hottest tasks" from summaries, which have no launch
	// size. It is used if no export has rows.
	Summary []Kernel
	Notes   []note.Note
}

// Instructions counts the instructions that XVEs executed during the
// collection: in the kernel rows, and in all rows. Copies and the time outside
// any task execute none, so instructions in their rows are misattributed by a
// sampled counter. Both are 0 if the export does not count instructions.
type Instructions struct{ Kernels, All float64 }

// An Input is one file that was read.
type Input struct {
	Path   string
	Kind   string // vtune, vtune-summary, vec_add, unitrace, ...
	Traits Traits
	Digest string // "sha256:..." or "xxh3:..." of the file's bytes
	// Content is the content's digest. It does not depend on compression,
	// delimiters, or quotes. It is empty if it was not requested.
	Content string
	Rows    int64 // data rows (lines of a log) that were used
	BadRows int64
}

// A Key identifies a task. Rows with the same key belong to the same task.
type Key struct {
	Task          string
	Global, Local Size3
	SIMD          int // 0 if absent
	Direction     string
	Device        string
}

// KeyOf returns the key for a launch that a tracer printed.
func KeyOf(l *names.Launch) Key {
	return Key{l.Name, l.Global, l.Local, l.SIMD.Or(0), l.Direction, l.Tile}
}

// Trim returns the key without trailing dimensions that are 1, so that keys
// from different tools can be compared. Some tools always print three
// dimensions.
func (k Key) Trim() Key {
	k.Global, k.Local = k.Global.Trim(), k.Local.Trim()
	return k
}

// A Reading is the way in which counters were read. It determines to which
// extent their values belong to a kernel.
type Reading uint8

// Ways to read counters.
const (
	Sampled Reading = iota // over time; a sample belongs to the task that VTune assigns
	// Over time; a sample belongs to the launch that ran when it was taken
	// (oneprof -k and -a, unitrace -k).
	SampledIn
	AroundLaunch // around each launch (unitrace -q, oneprof -q); exact even for a short kernel
)

// A Kernel is one row: a computing task with its launch size, summed over its
// launches. Every value that an export may lack is optional. If launches were
// added, occupancies are averages weighted by time. A field's tag is its name
// in messages about differences between files, see joinedFields. A field
// without a tag has its own rule for joining.
type Kernel struct {
	Task          string        // the unquoted cell, including newlines
	Global, Local Size3         // in work-items; absent for copies
	SIMD          unit.Opt[int] `property:"SIMD width"`
	Direction     string
	Device        string // the row's adapter and stack, if the export has them
	OneStack      bool   // the row belongs to a single stack
	Pos           note.Pos

	Instances unit.Opt[int64]        `join:"instance count"`
	Total     unit.Opt[unit.Seconds] `join:"total time"` // over all launches
	// Mean is a launch's mean time if it is not Total / Instances. For example,
	// an export may contain only averages. Uneven means that Total and
	// Instances belong to different launches, because some have no time or no
	// count. Mean then includes the launches that have both.
	Mean   unit.Opt[unit.Seconds]
	Uneven bool

	Measured unit.Opt[unit.Ratio] `join:"measured occupancy"` // hardware counter "XVE Threads Occupancy"
	Reading  Reading              // how the counters were read
	// MeasuredLow and MeasuredHigh, and IdleLow and IdleHigh, contain the true
	// value in 95 of 100 rows if Measured and Idle are estimated from all
	// samples and launches. Printed is then the occupancy by the profiler's own
	// rule, which assigns each sample to the launch in which it ends.
	MeasuredLow, MeasuredHigh, IdleLow, IdleHigh unit.Opt[unit.Ratio]

	Printed unit.Opt[unit.Ratio] `join:""`
	// Interval is the time between two counter samples, if the input contains
	// it.
	Interval unit.Opt[unit.Seconds]
	// CounterTimeRatio is the time over which counters around each launch were
	// read, divided by the kernel's time, if both are known. Occupancies are
	// means over that longer time.
	CounterTimeRatio unit.Opt[float64]
	Active           unit.Opt[unit.Ratio] `join:"active"` // XVE array state; the three add up to 1
	Stalled          unit.Opt[unit.Ratio] `join:"stalled"`
	Idle             unit.Opt[unit.Ratio] `join:"idle"`
	BarrierStall     unit.Opt[unit.Ratio] `join:"barrier stalls"`                   // "XVE Stall Reasons:Barrier"
	Threads          unit.Opt[int64]      `join:"threads started"`                  // "Computing Threads Started": sampled
	Barriers         unit.Opt[int64]      `join:"GPU barriers" property:"barriers"` // barrier messages

	// All launches share the following values, so that any two files should
	// agree on them: the profiler's own static prediction, "Peak XVE Threads
	// Occupancy", with its three limits, and values from binaries and tracers.
	Peak        unit.Opt[unit.Ratio] `join:"peak occupancy" static:"true"`
	PeakWork    unit.Opt[unit.Ratio] `join:"work size limit" static:"true"`
	PeakSLM     unit.Opt[unit.Ratio] `join:"SLM limit" static:"true"`
	PeakBarrier unit.Opt[unit.Ratio] `join:"barriers limit" static:"true"`
	Spill       unit.Opt[unit.Bytes] `join:"spill" static:"true" property:"spill"`                           // per thread
	Private     unit.Opt[unit.Bytes] `join:"private memory" static:"true" property:"private memory"`         // per thread
	SLM         unit.Opt[unit.Bytes] `join:"SLM per work-group" static:"true" property:"SLM per work-group"` // from unitrace
	// Registers is the GRF mode (128, 256, ...) from unitrace.
	Registers unit.Opt[int] `join:"registers per thread" static:"true" property:"registers per thread"`
	// SpilledRegisters is the spill per thread in registers, rounded up, as a
	// compiler log prints it. The bytes per register depend on the device.
	SpilledRegisters unit.Opt[int] `join:"spilled registers" static:"true" property:"spilled registers"`

	Counters *Counters // nil if the file has no other counters

	Launches *LaunchSpread // nil unless the file had a row per launch
}

// sumKernels adds rows to a digest, independent of their positions. It excludes
// the spread over launches, because its medians are estimates.
func sumKernels(h hash.Hash, list []Kernel) {
	var line []byte
	for i := range list {
		k := &list[i]
		line = fmt.Appendf(line[:0], "%q %v %v %v %s %q %d %t",
			k.Task, k.Global, k.Local, k.SIMD, k.Direction, k.Device, k.Reading, k.Uneven)
		for _, v := range [...]unit.Opt[float64]{
			plain(k.Instances), plain(k.Total), plain(k.Measured), plain(k.Printed), plain(k.Active), plain(k.Stalled),
			plain(k.Idle), plain(k.BarrierStall), plain(k.Threads), plain(k.Barriers), plain(k.Peak), plain(k.PeakWork),
			plain(k.PeakSLM), plain(k.PeakBarrier), plain(k.Spill), plain(k.SLM), plain(k.Registers), plain(k.Mean),
			plain(k.MeasuredLow), plain(k.MeasuredHigh), plain(k.IdleLow), plain(k.IdleHigh), plain(k.Interval),
			k.CounterTimeRatio, plain(k.Private), plain(k.SpilledRegisters),
		} {
			x, present := v.Value()
			if line = append(line, 0); present {
				line = binary.LittleEndian.AppendUint64(append(line, 1), math.Float64bits(x))
			}
		}
		h.Write(append(line, '\n'))
	}
}

// plain returns a value without its unit.
func plain[T ~int | ~int64 | ~float64](o unit.Opt[T]) unit.Opt[float64] {
	v, present := o.Value()
	return unit.Maybe(float64(v), present)
}

// Counters are a kernel's counters in addition to its occupancy. They are means
// over its launches, weighted by time.
type Counters struct {
	Stalls []Stall // "XVE Stall Reasons", in file order
	// Pipes are columns such as "XVE Pipelines:ALU0 active", without sums over
	// pipes, in file order.
	Pipes []Pipe
	// Bandwidths in GB/s. A result folder counts reads from and writes to L3 as
	// one value, which is L3Read.
	MemoryRead, MemoryWrite, L3Read, L3Write unit.Opt[float64]
	// Maximum bandwidths according to a result folder's metric set, in GB/s at
	// the highest clock.
	MemoryReadPeak, MemoryWritePeak, L3Peak unit.Opt[float64]
}

// A Stall is a reason why XVEs stalled, in the export's spelling, and its share
// of all stalls.
type Stall struct {
	Reason string
	Share  unit.Ratio
}

// A Pipe is an XVE pipeline and the share of time in which it was active.
type Pipe struct {
	Name   string
	Active unit.Ratio
}

// BusiestPipe returns a pipe's highest activity, and that pipe's name. The
// result is absent if the input has no pipes.
func (c *Counters) BusiestPipe() (busiest unit.Opt[unit.Ratio], name string) {
	if c == nil {
		return busiest, ""
	}
	for _, p := range c.Pipes {
		if p.Active > busiest.Or(-1) {
			busiest, name = unit.Some(p.Active), p.Name
		}
	}
	return busiest, name
}

// Memory returns the total read and write bandwidth in GB/s. It is absent if
// the input has neither.
func (c *Counters) Memory() unit.Opt[float64] {
	if c == nil || !c.MemoryRead.Present() && !c.MemoryWrite.Present() {
		return unit.Opt[float64]{}
	}
	return unit.Some(c.MemoryRead.Or(0) + c.MemoryWrite.Or(0))
}

// A Counter is one entry in a kernel's Counters. Value is in Unit, which is "%"
// or "GB/s".
type Counter struct {
	Name  CounterName
	Unit  string
	Value float64
	// Static reports that the value describes the GPU, and was not measured.
	Static bool
}

// CounterName is a counter's name: VTune's heading, with * as a placeholder for
// the variable part. Equal names belong to the same counter.
type CounterName struct{ heading, part string }

// String returns the name. For example, "XVE Stall Reasons:Send".
func (n CounterName) String() string { return strings.Replace(n.heading, "*", n.part, 1) }

// All returns the counters in file order, bandwidths last.
func (c *Counters) All() iter.Seq[Counter] {
	return func(yield func(Counter) bool) {
		if c == nil {
			return
		}
		for _, s := range c.Stalls {
			if !yield(Counter{CounterName{"XVE Stall Reasons:*", s.Reason}, "%", s.Share.Percent(), false}) {
				return
			}
		}
		for _, p := range c.Pipes {
			if !yield(Counter{CounterName{"XVE Pipelines:* active", p.Name}, "%", p.Active.Percent(), false}) {
				return
			}
		}
		for _, b := range [...]struct {
			name   string
			value  unit.Opt[float64]
			static bool
		}{
			{"GPU Memory Bandwidth:Read", c.MemoryRead, false},
			{"GPU Memory Bandwidth:Write", c.MemoryWrite, false},
			{"GPU L3 Bandwidth:Read", c.L3Read, false},
			{"GPU L3 Bandwidth:Write", c.L3Write, false},
			{"Maximum GPU Memory Bandwidth:Read", c.MemoryReadPeak, true},
			{"Maximum GPU Memory Bandwidth:Write", c.MemoryWritePeak, true},
			{"Maximum GPU L3 Bandwidth", c.L3Peak, true},
		} {
			v, known := b.value.Value()
			if known && !yield(Counter{CounterName{heading: b.name}, "GB/s", v, b.static}) {
				return
			}
		}
	}
}

// TaskStalls contains the stall reasons for all launches with a name, from
// instruction sampling.
type TaskStalls struct {
	Task   string
	Stalls []Stall
	Pos    note.Pos
}

// LaunchSpread describes the variation between launches with the same key. For
// many launches, quantiles come from a bounded sample and are estimates.
type LaunchSpread struct {
	MinSeconds, MedianSeconds, MaxSeconds    unit.Seconds
	MinMeasured, MedianMeasured, MaxMeasured unit.Opt[unit.Ratio]
	UpperMeasured                            unit.Opt[unit.Ratio] // 25% of the launches have at least this value
	// 90% of the launches take longer than P10Seconds, and 90% take less than
	// P90Seconds. They are absent if only the extremes are known.
	P10Seconds, P90Seconds unit.Opt[unit.Seconds]
}

// Key returns the row's key.
func (k *Kernel) Key() Key {
	return Key{k.Task, k.Global, k.Local, k.SIMD.Or(0), k.Direction, k.Device}
}

// WholeRun is the row's task for a complete run, if a summary has an occupancy
// but no tasks.
const WholeRun = "[Whole run]"

// IsKernel reports whether a task is a kernel and not a copy, a barrier, a
// fill, or the time outside any task. A task with a launch size is always a
// kernel.
func (k Key) IsKernel() bool {
	return k.Global.Present() || k.Direction == names.NoDirection && !notKernels.MatchString(k.Task)
}

var notKernels = regexp.MustCompile(
	`^(\[Outside any task]|zeCommandListAppend|zeCommandQueue|clEnqueue|\[Unknown]|Memcpy |Memset )`)

// IsKernel reports whether the task is a kernel, see Key.IsKernel.
func (k *Kernel) IsKernel() bool { return k.Key().IsKernel() }

// LeastBarriers returns a lower bound for a work-group's barrier count. No
// export contains that count, but counted barrier messages prove at least one.
func (k *Kernel) LeastBarriers() int {
	if k.Barriers.Or(0) > 0 {
		return 1
	}
	return 0
}

// CheckCounts returns an error if a count is larger than any real run could
// have. Each row was within the range, but their sum is not.
func CheckCounts(k *Kernel) error {
	for _, c := range []struct {
		what  string
		count unit.Opt[int64]
	}{{"launches", k.Instances}, {"threads", k.Threads}, {"barrier messages", k.Barriers}} {
		if c.count.Or(0) > unit.MaxCount {
			return note.Errorf("count", k.Pos, "a count in the file is wrong: correct it or export the file again",
				"the %s of task %q add up to more than %s, which no run has", c.what, k.Task,
				unit.Thousands(unit.MaxCount))
		}
	}
	return nil
}

// Average returns a launch's mean time. It uses total and count if both belong
// to the same launches, because a printed average is rounded to a microsecond.
func (k *Kernel) Average() unit.Opt[unit.Seconds] {
	if k.Uneven || k.Mean.Present() {
		return k.Mean
	}
	t, ok := k.Total.Value()
	n, counted := k.Instances.Value()
	return unit.Maybe(t/unit.Seconds(n), ok && counted && n > 0)
}

// A Timing is a line in a vec_add log: the host wall time of submit and wait,
// which is never equal to the kernel's time.
type Timing struct {
	Kernel        string // as printed: VectorAdd<12>
	Groups        unit.Opt[int64]
	Seconds       unit.Seconds
	Printed       string // the number as printed
	UnitAsPrinted string // "seconds", "u-secs"
	Pos           note.Pos
}

// A Platform is the machine's description in logs and summaries. Empty and
// absent fields are unknown.
type Platform struct {
	Device       string        // "Intel(R) UHD Graphics P630 [0x3e96]", "Meteor Lake-P [Intel Arc Graphics]"
	DeviceFrom   string        // where Device comes from: "the log", "the summary", "the DevCloud node property"
	NodeProperty string        // gen9, gen11, iris_xe_max
	XVEs         unit.Opt[int] // XVE (EU) count
	// Listed contains two of the machine's GPUs if the input does not identify
	// the run's GPU. Device is then empty.
	Listed        [2]ListedGPU
	CountedXVEs   unit.Opt[int] // XVEs that each launch's counters cover: the whole GPU, or one stack
	ThreadsPerXVE unit.Opt[int]
	Adapters      unit.Opt[int] // equal adapters (GPUs) in the run
	Stacks        unit.Opt[int] // stacks (tiles) per adapter
	// BusyStacks is the number of stacks on all adapters that were ever busy,
	// from a summary's adapter table.
	BusyStacks   unit.Opt[int]
	MaxFrequency unit.Opt[float64] // Hz
	Collected    time.Time         // collection start, otherwise the job file's date; zero if unknown
	Host         string
	Command      string
	OS           string
	VTune        string
	Driver       string
	JobID        string
	Occupancy    unit.Opt[unit.Ratio] // whole-run occupancy in a summary
	OccupancyPos note.Pos
	GPUBusy      unit.Opt[unit.Ratio] // "GPU Time, % of Elapsed time" or "GPU Stack Utilization" of a summary
	// Active, Stalled, and Idle are the XVE state over the whole run, from the
	// hpc-performance summary.
	Active, Stalled, Idle unit.Opt[unit.Ratio]

	GPUTime unit.Opt[unit.Seconds]
	// SamplingInterval is the actual time between two samples of the counters.
	SamplingInterval unit.Opt[unit.Seconds]
	VectorSize       unit.Opt[int64] // from a vec_add log
	Pos              note.Pos        // the device line's position
}

// A ListedGPU is one of a machine's GPUs.
type ListedGPU struct {
	Name string
	XVEs unit.Opt[int]
}

// A field is a Kernel field that is joined when files are joined.
type field struct {
	index  int
	name   string // in messages; "" for a nameless value that comes with a counter reading
	static bool   // the same for all launches
}

// joinedFields are the Kernel fields with a join tag. properties are the fields
// that binaries and tracers contain for a kernel.
var joinedFields, properties = taggedFields("join"), taggedFields("property")

// taggedFields returns the Kernel fields with a tag, which is their name.
func taggedFields(tag string) (list []field) {
	for f := range reflect.TypeFor[Kernel]().Fields() {
		if name, ok := f.Tag.Lookup(tag); ok {
			list = append(list, field{f.Index[0], name, f.Tag.Get("static") != ""})
		}
	}
	return list
}

func (f *field) of(k *Kernel) reflect.Value { return reflect.ValueOf(k).Elem().Field(f.index) }

// fill sets the field if it is missing, and reports whether both kernels have
// it with different values.
func (f *field) fill(to, from *Kernel) (differ bool) {
	a, b := f.of(to), f.of(from)
	switch {
	case b.IsZero():
		return false
	case a.IsZero():
		a.Set(b)
		return false
	}
	return !a.Equal(b)
}

// ClearSampled removes the sampled XVE state. Callers use it if values per
// launch are available.
func (k *Kernel) ClearSampled() {
	none := unit.Opt[unit.Ratio]{}
	k.Measured, k.MeasuredLow, k.MeasuredHigh, k.Printed = none, none, none, none
	k.Active, k.Stalled, k.Idle, k.IdleLow, k.IdleHigh, k.BarrierStall = none, none, none, none, none, none
}
