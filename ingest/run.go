// Package ingest turns profiler output into a Run: the kernels, the timings,
// the platform, and notes about what could not be used. It sniffs what a path
// holds, hands it to the format that recognizes it, and merges the files of one
// run. It does not know devices, statistics or layout, and it never prints.
package ingest

import (
	"reflect"
	"regexp"
	"time"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Size3 is a launch size; see unit.Size3.
type Size3 = unit.Size3

// Run is all that was read of one profiler run.
type Run struct {
	Inputs   []Input
	Kernels  []Kernel  // in the order of the first file that has them; copies and other tasks included
	Launches *Launches // nil unless they were asked for and a file has a row for each
	Timings  []Timing  // of logs, in file order
	Platform Platform  // what logs and summaries say of the machine
	// Platforms is the same, one for each file that said anything.
	Platforms []Platform
	// Instructions is what the first export that counts them says.
	Instructions Instructions
	// Recording is what the occupancies of kernels are estimated from, nil when
	// samples or launches are not known.
	Recording *Recording
	// Trace is when launches ran, nil when no file says so.
	Trace   *Trace
	Samples []Samples // occupancies over time, when they were asked for
	Summary []Kernel  // "hottest tasks" of summaries: no launch size. Used when no export gives rows
	Notes   []note.Note
}

// Instructions counts what ran on the XVEs over the whole collection: in the
// rows of kernels, and in all rows. Copies and the time outside any task run
// none, so what is in their rows was taken from kernels by a counter that
// is sampled. Both are 0 where the export does not count instructions.
type Instructions struct{ Kernels, All float64 }

// Input is one file that was read.
type Input struct {
	Path   string
	Kind   string // vtune, vtune-summary, vec_add, unitrace, ...
	Traits Traits
	Digest string // "sha256:..." or "xxh3:..." of the file's bytes
	// Content is the digest of what was read, the same for a file that is
	// compressed, delimited or quoted in another way; "" when it was not asked
	// for.
	Content string
	Rows    int64 // data rows (lines of a log) that were used
	BadRows int64
}

// Key is what makes two rows the same task.
type Key struct {
	Task          string
	Global, Local Size3
	SIMD          int // 0 when absent
	Direction     string
	Device        string
}

// KeyOf returns the key of a launch that a tracer names.
func KeyOf(l *names.Launch) Key {
	return Key{Task: l.Name, Global: l.Global, Local: l.Local, SIMD: l.SIMD.Or(0), Direction: l.Direction, Device: l.Tile}
}

// Trim is the key across tools, some of which print three dimensions where
// others print those that are not 1.
func (k Key) Trim() Key {
	k.Global, k.Local = k.Global.Trim(), k.Local.Trim()
	return k
}

// Reading is how counters were read, which decides how much of their values can
// be a kernel's.
type Reading uint8

// The readings.
const (
	Sampled Reading = iota // over time, a sample for the task under it (VTune)
	// over time, a sample for the launch in whose time it was taken (oneprof -k
	// and -a, unitrace -k)
	SampledIn
	AroundLaunch // around each launch (unitrace -q, oneprof -q): even a short kernel's value is its own
)

// Kernel is one row: a computing task with its launch size, added up over its
// launches. Everything that an export may lack is optional; occupancies are
// ratios weighted by time when launches were added. The tag of a value says how
// messages call it when two files of a run differ in it, see joinedFields; one
// without a tag is joined by a rule of its own.
type Kernel struct {
	Task          string // the unquoted cell, newlines included
	Global, Local Size3  // in work-items; absent for copies
	SIMD          unit.Opt[int]
	Direction     string
	Device        string // adapter and stack of the row when the export names them
	OneStack      bool   // the row belongs to one stack of its adapter
	Pos           note.Pos

	Instances unit.Opt[int64]        `join:"instance count"`
	Total     unit.Opt[unit.Seconds] `join:"total time"` // over all launches
	// Mean is the mean time of a launch where Total / Instances is not: an
	// export may give averages alone. Uneven says that Total and Instances are
	// not of the same launches, because some have no time or no count; Mean is
	// then of those that have both.
	Mean   unit.Opt[unit.Seconds]
	Uneven bool

	Measured unit.Opt[unit.Ratio] `join:"measured occupancy"` // the hardware counter "XVE Threads Occupancy"
	Reading  Reading              // of the counters
	// MeasuredLow and MeasuredHigh, IdleLow and IdleHigh hold the truth in 95
	// of 100 rows, where Measured and Idle are told from all samples and
	// launches; Printed is then the occupancy by the profiler's own rule, which
	// counts each sample for the launch in which it ends.
	MeasuredLow, MeasuredHigh, IdleLow, IdleHigh unit.Opt[unit.Ratio]

	Printed unit.Opt[unit.Ratio] `join:""`
	// Interval is the time between two samples of the counters, where the input
	// has it.
	Interval unit.Opt[unit.Seconds]
	// CounterTimeRatio is how many times as long as the kernel counters that
	// are read around each launch ran, where both times are known: occupancies
	// are means over that.
	CounterTimeRatio unit.Opt[float64]
	Active           unit.Opt[unit.Ratio] `join:"active"` // XVE array state; the three add up to 1
	Stalled          unit.Opt[unit.Ratio] `join:"stalled"`
	Idle             unit.Opt[unit.Ratio] `join:"idle"`
	BarrierStall     unit.Opt[unit.Ratio] `join:"barrier stalls"`  // "XVE Stall Reasons:Barrier"
	Threads          unit.Opt[int64]      `join:"threads started"` // "Computing Threads Started": sampled
	Barriers         unit.Opt[int64]      `join:"GPU barriers"`    // barrier messages

	// What all launches share, so that files of any two kinds should agree on
	// it: the profiler's own static prediction, "Peak XVE Threads Occupancy",
	// with its three limits, and what binaries and tracers tell.
	Peak        unit.Opt[unit.Ratio] `join:"peak occupancy" static:"true"`
	PeakWork    unit.Opt[unit.Ratio] `join:"work size limit" static:"true"`
	PeakSLM     unit.Opt[unit.Ratio] `join:"SLM limit" static:"true"`
	PeakBarrier unit.Opt[unit.Ratio] `join:"barriers limit" static:"true"`
	Spill       unit.Opt[unit.Bytes] `join:"spill" static:"true"`                // per thread
	Private     unit.Opt[unit.Bytes] `join:"private memory" static:"true"`       // per thread
	SLM         unit.Opt[unit.Bytes] `join:"SLM per work-group" static:"true"`   // from unitrace
	Registers   unit.Opt[int]        `join:"registers per thread" static:"true"` // GRF mode (128, 256, ...); from unitrace
	// SpilledRegisters is the spill of a thread in registers, rounded up, as a
	// compiler log has it. The device determines how many bytes a register has.
	SpilledRegisters unit.Opt[int] `join:"spilled registers" static:"true"`

	Counters *Counters // nil when the file has none of them

	Launches *LaunchSpread // spread over launches when the file had a row per launch, otherwise nil
}

// Counters are what an input has next to the occupancy of a kernel: means over
// its launches, by time.
type Counters struct {
	Stalls []Stall // "XVE Stall Reasons", in the order of the file
	Pipes  []Pipe  // "XVE Pipelines:ALU0 active", those that stand for one pipe, in the order of the file
	// In GB/s. A result folder counts what moves to and from L3 as one, which
	// is L3Read.
	MemoryRead, MemoryWrite, L3Read, L3Write unit.Opt[float64]
	// The most that the metric set of a result folder gives each of them, in
	// GB/s at the highest clock.
	MemoryReadPeak, MemoryWritePeak, L3Peak unit.Opt[float64]
}

// Stall is a reason why XVEs stalled, as the export spells it, and its share of
// all stalls.
type Stall struct {
	Reason string
	Share  unit.Ratio
}

// Pipe is what computes in an XVE, and the share of all time in which it did.
type Pipe struct {
	Name   string
	Active unit.Ratio
}

// BusiestPipe is the pipe that was active most; absent where the input counts
// none.
func (c *Counters) BusiestPipe() (busiest unit.Opt[unit.Ratio], name string) {
	if c == nil {
		return busiest, ""
	}
	for _, p := range c.Pipes {
		if !busiest.Present() || p.Active > busiest.Or(0) {
			busiest, name = unit.Some(p.Active), p.Name
		}
	}
	return busiest, name
}

// Memory is what moves to and from memory, in GB/s; absent where the input does
// not say.
func (c *Counters) Memory() unit.Opt[float64] {
	if c == nil || !c.MemoryRead.Present() && !c.MemoryWrite.Present() {
		return unit.Opt[float64]{}
	}
	return unit.Some(c.MemoryRead.Or(0) + c.MemoryWrite.Or(0))
}

// TaskStalls are the reasons of the stalls of all launches of a name, where
// each instruction was sampled by itself.
type TaskStalls struct {
	Task   string
	Stalls []Stall
	Pos    note.Pos
}

// LaunchSpread describes how much launches of one key differ. Quantiles of
// large samples come from a bounded sketch.
type LaunchSpread struct {
	MinSeconds, MedianSeconds, MaxSeconds    unit.Seconds
	MinMeasured, MedianMeasured, MaxMeasured unit.Opt[unit.Ratio]
	// Nine of ten launches take longer than P10Seconds, and as many less than
	// P90Seconds; absent where only the extremes are known.
	P10Seconds, P90Seconds unit.Opt[unit.Seconds]
}

// Key returns the row's key.
func (k *Kernel) Key() Key {
	return Key{k.Task, k.Global, k.Local, k.SIMD.Or(0), k.Direction, k.Device}
}

// WholeRun is the task of the one row that stands for a run whose summary has
// an occupancy and names no task.
const WholeRun = "[Whole run]"

// IsKernel reports whether a task is a kernel and not a copy, a barrier, a fill
// or the time outside any task. Whatever has a launch size is a kernel.
func (k Key) IsKernel() bool {
	return k.Global.Present() || k.Direction == names.NoDirection && !notKernels.MatchString(k.Task)
}

var notKernels = regexp.MustCompile(`^(\[Outside any task]|zeCommandListAppend|zeCommandQueue|clEnqueue|\[Unknown]|Memcpy |Memset )`)

// IsKernel reports whether the task is a kernel, see Key.IsKernel.
func (k *Kernel) IsKernel() bool { return k.Key().IsKernel() }

// LeastBarriers is how many barriers a work-group uses at least. How many it
// takes is in no export; that barrier messages were counted says that it has
// one.
func (k *Kernel) LeastBarriers() int {
	if k.Barriers.Or(0) > 0 {
		return 1
	}
	return 0
}

// CheckCounts finds a count that no run has. Each row was found to be in range;
// it is their sum that is not.
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

// Average returns the mean time of a launch, from total and count where both
// are known of the same launches: a printed average is rounded to a
// microsecond.
func (k *Kernel) Average() unit.Opt[unit.Seconds] {
	if k.Uneven || k.Mean.Present() {
		return k.Mean
	}
	t, ok := k.Total.Value()
	n, counted := k.Instances.Value()
	return unit.Maybe(t/unit.Seconds(n), ok && counted && n > 0)
}

// Timing is a line of a vec_add log: host wall time of submit and wait, never
// equal to a kernel's time.
type Timing struct {
	Kernel        string // as printed: VectorAdd<12>
	Groups        unit.Opt[int64]
	Seconds       unit.Seconds
	Printed       string // the number as printed
	UnitAsPrinted string // "seconds", "u-secs"
	Pos           note.Pos
}

// Platform is what logs and summaries say of the machine. Empty and absent
// fields were not said.
type Platform struct {
	Device       string        // "Intel(R) UHD Graphics P630 [0x3e96]", "Meteor Lake-P [Intel Arc Graphics]"
	DeviceFrom   string        // what said so: "the log", "the summary", "the DevCloud node property"
	NodeProperty string        // gen9, gen11, iris_xe_max
	XVEs         unit.Opt[int] // XVE (EU) count
	// Listed are two different GPUs of the machine, if the input does not tell
	// which of them ran. Device is then empty.
	Listed        [2]ListedGPU
	CountedXVEs   unit.Opt[int] // XVEs that the counters of each launch are of: of the GPU, or of one stack
	ThreadsPerXVE unit.Opt[int]
	Adapters      unit.Opt[int] // equal adapters (GPUs) in the run
	Stacks        unit.Opt[int] // stacks (tiles) per adapter
	// BusyStacks is how many stacks of all adapters were not idle all the time,
	// as a summary's table of adapters says.
	BusyStacks   unit.Opt[int]
	MaxFrequency unit.Opt[float64] // Hz
	Collected    time.Time         // collection start, otherwise the date of the job file; zero when not said
	Host         string
	Command      string
	OS           string
	VTune        string
	Driver       string
	JobID        string
	Occupancy    unit.Opt[unit.Ratio] // the summary's scalar occupancy
	OccupancyPos note.Pos
	GPUBusy      unit.Opt[unit.Ratio] // "GPU Time, % of Elapsed time" or "GPU Stack Utilization" of a summary
	// Active, Stalled and Idle are the XVE state over the whole run, in the
	// summary of hpc-performance.
	Active, Stalled, Idle unit.Opt[unit.Ratio]

	GPUTime unit.Opt[unit.Seconds]
	// SamplingInterval is the time between two samples of the counters, as it
	// was.
	SamplingInterval unit.Opt[unit.Seconds]
	VectorSize       unit.Opt[int64] // of a vec_add log
	Pos              note.Pos        // of the device line
}

// A ListedGPU is one of several GPUs of a machine.
type ListedGPU struct {
	Name string
	XVEs unit.Opt[int]
}

// field is a value of a Kernel, as far as joining files knows of it.
type field struct {
	index  int
	name   string // in messages; "" of what comes from one reading of counters and has no name of its own
	static bool   // the same in all launches
}

// joinedFields are the values of a Kernel with a name in their tags.
var joinedFields = func() (list []field) {
	for f := range reflect.TypeFor[Kernel]().Fields() {
		if name, ok := f.Tag.Lookup("join"); ok {
			list = append(list, field{f.Index[0], name, f.Tag.Get("static") != ""})
		}
	}
	return list
}()

func (f *field) of(k *Kernel) reflect.Value { return reflect.ValueOf(k).Elem().Field(f.index) }

// fill sets what a kernel lacks, and says whether both have it with different
// values.
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

// ClearSampled removes what counters sampled of the state of the XVEs, where
// launches tell it better.
func (k *Kernel) ClearSampled() {
	none := unit.Opt[unit.Ratio]{}
	k.Measured, k.MeasuredLow, k.MeasuredHigh, k.Printed = none, none, none, none
	k.Active, k.Stalled, k.Idle, k.IdleLow, k.IdleHigh, k.BarrierStall = none, none, none, none, none, none
}
