package ingest

import (
	"iter"
	"math"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Kernels is a list of kernels, or of all their launches: the one container of rows, from a handful to millions. A
// Kernel takes some 450 bytes, most of which rows have in common, so the list keeps them apart:
//
//   - an origin is what nearly all rows of a file share: the file, limits, and which values there are;
//   - a setting is the launch shape under one origin: what has nothing to do with the name;
//   - a shape is a name under one setting, which all launches of a kernel share;
//   - a record holds the numbers of a row that are not the same in all rows of its block.
//
// A row takes some 20 bytes and becomes a Kernel when it is asked for. Its numbers stand together because rows are
// mostly read in another order than that of the file. Reading is safe for concurrent use, changing is not. A nil list
// is empty.
type Kernels struct {
	origins  interner[origin]
	settings interner[setting]
	shapes   interner[shape]
	blocks   []*block
	n        int
}

// NewKernels makes a list.
func NewKernels(list ...Kernel) *Kernels {
	l := &Kernels{}
	for i := range list {
		l.Append(&list[i])
	}
	return l
}

// Len gives the number of rows.
func (l *Kernels) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// Append adds a row.
func (l *Kernels) Append(k *Kernel) {
	if l.n == len(l.blocks)*blockRows {
		l.blocks = append(l.blocks, new(block))
	}
	l.n++
	l.Set(l.n-1, k)
}

// Set replaces row i.
func (l *Kernels) Set(i int, k *Kernel) {
	o, s, v := split(k)
	s.origin = l.origins.number(o)
	v[numberShape] = uint64(l.shapes.number(shape{k.Task, k.Launches, k.Counters, l.settings.number(s)}))
	l.blocks[i/blockRows].set(i%blockRows, &v)
}

// At gives row i.
func (l *Kernels) At(i int) Kernel {
	var k Kernel
	l.Into(i, &k)
	return k
}

// Into makes row i in k.
func (l *Kernels) Into(i int, k *Kernel) {
	var v [numbers]uint64
	l.blocks[i/blockRows].get(i%blockRows, &v)
	shape := l.shapes.value(uint32(v[numberShape]))
	*k = Kernel{Task: shape.task, Launches: shape.spread, Counters: shape.counters}
	l.join(shape.setting, &v, k)
}

// All gives the rows in order. A kernel is good until the next one.
func (l *Kernels) All() iter.Seq2[int, *Kernel] {
	return func(yield func(int, *Kernel) bool) {
		var k Kernel
		for i := range l.Len() {
			l.Into(i, &k)
			if !yield(i, &k) {
				return
			}
		}
	}
}

// Arrange puts the rows in an order that has the number of each row once: row i is then what row order[i] was. What
// belongs to the rows is moved with them, so that reading them one after the other does not jump through memory, which
// takes longer than the rest of it once there are more shapes than the caches hold. Numbers of shapes and settings
// change.
func (l *Kernels) Arrange(order []uint32) {
	shapes, settings := renumbering{to: make([]uint32, l.shapes.n)}, renumbering{to: make([]uint32, l.settings.n)}
	renumber := func(old uint32) uint32 {
		number, first := shapes.number(old)
		if first {
			s := l.shapes.value(old)
			s.setting, _ = settings.number(s.setting)
		}
		return number
	}
	blocks := make([]*block, len(l.blocks))
	var v [numbers]uint64
	for i, from := range order {
		l.blocks[from/blockRows].get(int(from%blockRows), &v)
		v[numberShape] = uint64(renumber(uint32(v[numberShape])))
		if i%blockRows == 0 {
			blocks[i/blockRows] = new(block)
		}
		blocks[i/blockRows].set(i%blockRows, &v)
	}
	l.blocks = blocks
	for old := range uint32(l.shapes.n) { // that no row has any more
		renumber(old)
	}
	for old := range uint32(l.settings.n) {
		settings.number(old)
	}
	l.shapes.arrange(&shapes)
	l.settings.arrange(&settings)
}

// Shapes gives the number of different shapes. Shape numbers are below it, in the order in which they were first met.
func (l *Kernels) Shapes() int {
	if l == nil {
		return 0
	}
	return l.shapes.n
}

// Shape gives the number of row i's shape.
func (l *Kernels) Shape(i int) int {
	return int(l.blocks[i/blockRows].number(i%blockRows, numberShape))
}

// ShapeKernel gives what the rows of a shape have in common. The numbers that differ are zero where a row has them.
func (l *Kernels) ShapeKernel(number int) Kernel {
	s := l.shapes.value(uint32(number))
	k := Kernel{Task: s.task, Launches: s.spread, Counters: s.counters}
	l.join(s.setting, new([numbers]uint64), &k)
	return k
}

// Settings gives the number of different settings. Setting numbers are below it.
func (l *Kernels) Settings() int {
	if l == nil {
		return 0
	}
	return l.settings.n
}

// Setting gives the number of row i's setting: rows of equal settings have all in common that a prediction is made
// from, but for the counts.
func (l *Kernels) Setting(i int) int { return int(l.shapes.value(uint32(l.Shape(i))).setting) }

// SettingKernel gives what the rows of a setting have in common, as ShapeKernel does, without a name.
func (l *Kernels) SettingKernel(number int) Kernel {
	var k Kernel
	l.join(uint32(number), new([numbers]uint64), &k)
	return k
}

type shape struct {
	task     string
	spread   *Spread
	counters *Counters
	setting  uint32
}

// setting is what kernels of any name may have in common.
type setting struct {
	global, local Size3
	simd          int
	origin        uint32
}

// origin is what settings have in common.
type origin struct {
	file, device                         string
	direction                            Direction
	column, registers                    int
	spill, slm                           unit.Bytes
	peak, peakWork, peakSLM, peakBarrier unit.Ratio
	reading                              Reading
	uneven                               bool
	present                              presence
}

// The numbers that differ from row to row.
const (
	numberShape = iota
	numberLine
	numberInstances
	numberTotal
	numberMean
	numberMeasured
	numberPrinted
	numberMeasuredLow
	numberMeasuredHigh
	numberIdleLow
	numberIdleHigh
	numberActive
	numberStalled
	numberIdle
	numberBarrierStall
	numberThreads
	numberBarriers
	numberWindow
	numberInterval
	numbers
)

// presence says which optional values there are, a bit for each in the order in which split takes them and join puts
// them back.
type presence uint32

// split takes a kernel apart, all but its name and spread.
func split(k *Kernel) (o origin, s setting, v [numbers]uint64) {
	p := &o.present
	o = origin{file: k.Pos.File, column: k.Pos.Column, device: k.Device, direction: k.Direction, reading: k.Reading,
		uneven: k.Uneven}
	s = setting{global: k.Global, local: k.Local}
	s.simd, o.registers = take(p, k.SIMD), take(p, k.Registers)
	o.spill, o.slm = take(p, k.Spill), take(p, k.SLM)
	o.peak, o.peakWork, o.peakSLM, o.peakBarrier = take(p, k.Peak), take(p, k.PeakWork), take(p, k.PeakSLM),
		take(p, k.PeakBarrier)
	v = [numbers]uint64{
		numberLine:         uint64(k.Pos.Line),
		numberInstances:    uint64(take(p, k.Instances)),
		numberTotal:        math.Float64bits(float64(take(p, k.Total))),
		numberMean:         math.Float64bits(float64(take(p, k.Mean))),
		numberMeasured:     math.Float64bits(float64(take(p, k.Measured))),
		numberPrinted:      math.Float64bits(float64(take(p, k.Printed))),
		numberMeasuredLow:  math.Float64bits(float64(take(p, k.MeasuredLow))),
		numberMeasuredHigh: math.Float64bits(float64(take(p, k.MeasuredHigh))),
		numberIdleLow:      math.Float64bits(float64(take(p, k.IdleLow))),
		numberIdleHigh:     math.Float64bits(float64(take(p, k.IdleHigh))),
		numberActive:       math.Float64bits(float64(take(p, k.Active))),
		numberStalled:      math.Float64bits(float64(take(p, k.Stalled))),
		numberIdle:         math.Float64bits(float64(take(p, k.Idle))),
		numberBarrierStall: math.Float64bits(float64(take(p, k.BarrierStall))),
		numberThreads:      uint64(take(p, k.Threads)),
		numberBarriers:     uint64(take(p, k.Barriers)),
		numberWindow:       math.Float64bits(take(p, k.CounterTimeRatio)),
		numberInterval:     math.Float64bits(float64(take(p, k.Interval))),
	}
	return o, s, v
}

func take[T any](p *presence, o unit.Opt[T]) T {
	v, ok := o.Value()
	*p <<= 1
	if ok {
		*p |= 1
	}
	return v
}

const optionals = 25 // how many optional values split takes

// join fills in the rest of a kernel from its setting and its numbers.
func (l *Kernels) join(setting uint32, v *[numbers]uint64, k *Kernel) {
	s := l.settings.value(setting)
	o := l.origins.value(s.origin)
	present := o.present << (32 - optionals)
	p := &present
	k.Pos = note.Pos{File: o.file, Line: int(v[numberLine]), Column: o.column}
	k.Device, k.Direction, k.Global, k.Local, k.Reading, k.Uneven = o.device, o.direction, s.global, s.local, o.reading,
		o.uneven
	k.SIMD, k.Registers = put(p, s.simd), put(p, o.registers)
	k.Spill, k.SLM = put(p, o.spill), put(p, o.slm)
	k.Peak, k.PeakWork, k.PeakSLM, k.PeakBarrier = put(p, o.peak), put(p, o.peakWork), put(p, o.peakSLM),
		put(p, o.peakBarrier)
	k.Instances = put(p, int64(v[numberInstances]))
	k.Total = put(p, unit.Seconds(math.Float64frombits(v[numberTotal])))
	k.Mean = put(p, unit.Seconds(math.Float64frombits(v[numberMean])))
	k.Measured = put(p, unit.Ratio(math.Float64frombits(v[numberMeasured])))
	k.Printed = put(p, unit.Ratio(math.Float64frombits(v[numberPrinted])))
	k.MeasuredLow = put(p, unit.Ratio(math.Float64frombits(v[numberMeasuredLow])))
	k.MeasuredHigh = put(p, unit.Ratio(math.Float64frombits(v[numberMeasuredHigh])))
	k.IdleLow = put(p, unit.Ratio(math.Float64frombits(v[numberIdleLow])))
	k.IdleHigh = put(p, unit.Ratio(math.Float64frombits(v[numberIdleHigh])))
	k.Active = put(p, unit.Ratio(math.Float64frombits(v[numberActive])))
	k.Stalled = put(p, unit.Ratio(math.Float64frombits(v[numberStalled])))
	k.Idle = put(p, unit.Ratio(math.Float64frombits(v[numberIdle])))
	k.BarrierStall = put(p, unit.Ratio(math.Float64frombits(v[numberBarrierStall])))
	k.Threads = put(p, int64(v[numberThreads]))
	k.Barriers = put(p, int64(v[numberBarriers]))
	k.CounterTimeRatio = put(p, math.Float64frombits(v[numberWindow]))
	k.Interval = put(p, unit.Seconds(math.Float64frombits(v[numberInterval])))
}

func put[T any](p *presence, v T) (o unit.Opt[T]) {
	if *p>>31 == 1 {
		o = unit.Some(v)
	}
	*p <<= 1
	return o
}
