package ingest

import (
	"hash/maphash"
	"iter"
	"math"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Kernels is a list of kernels, or of all their launches: the one container of rows, from a handful to millions. A
// Kernel takes some 450 bytes, most of which rows have in common, so the list keeps them apart:
//
//   - a setting is what has nothing to do with the name: sizes, limits, the file, and which values there are;
//   - a shape is a name under one setting, which all launches of a kernel share;
//   - a record holds the numbers of a row that are not the same in all rows of its block.
//
// A row takes some 20 bytes and becomes a Kernel when it is asked for. Its numbers stand together because rows are
// mostly read in another order than that of the file. Reading is safe for concurrent use, changing is not. A nil list
// is empty.
type Kernels struct {
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
	s, v := split(k)
	v[numberShape] = uint64(l.shapes.number(shape{k.Task, k.Launches, l.settings.number(s)}))
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
	*k = Kernel{Task: shape.task, Launches: shape.spread}
	l.settings.value(shape.setting).join(&v, k)
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
	k := Kernel{Task: s.task, Launches: s.spread}
	l.settings.value(s.setting).join(new([numbers]uint64), &k)
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
	l.settings.value(uint32(number)).join(new([numbers]uint64), &k)
	return k
}

type shape struct {
	task    string
	spread  *Spread
	setting uint32
}

// setting is what kernels of any name may have in common.
type setting struct {
	file, device                         string
	direction                            Direction
	global, local                        Size3
	column, simd, registers              int
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
func split(k *Kernel) (s setting, v [numbers]uint64) {
	p := &s.present
	s = setting{file: k.Pos.File, column: k.Pos.Column, device: k.Device, direction: k.Direction, global: k.Global,
		local:   k.Local,
		reading: k.Reading, uneven: k.Uneven}
	s.simd, s.registers = take(p, k.SIMD), take(p, k.Registers)
	s.spill, s.slm = take(p, k.Spill), take(p, k.SLM)
	s.peak, s.peakWork, s.peakSLM, s.peakBarrier = take(p, k.Peak), take(p, k.PeakWork), take(p, k.PeakSLM),
		take(p, k.PeakBarrier)
	v = [numbers]uint64{
		numberLine:         uint64(k.Pos.Line),
		numberInstances:    uint64(take(p, k.Instances)),
		numberTotal:        math.Float64bits(float64(take(p, k.Total))),
		numberMean:         math.Float64bits(float64(take(p, k.Mean))),
		numberMeasured:     math.Float64bits(float64(take(p, k.Measured))),
		numberActive:       math.Float64bits(float64(take(p, k.Active))),
		numberStalled:      math.Float64bits(float64(take(p, k.Stalled))),
		numberIdle:         math.Float64bits(float64(take(p, k.Idle))),
		numberBarrierStall: math.Float64bits(float64(take(p, k.BarrierStall))),
		numberThreads:      uint64(take(p, k.Threads)),
		numberBarriers:     uint64(take(p, k.Barriers)),
		numberWindow:       math.Float64bits(take(p, k.Window)),
		numberInterval:     math.Float64bits(float64(take(p, k.Interval))),
	}
	return s, v
}

func take[T any](p *presence, o unit.Opt[T]) T {
	v, ok := o.Value()
	*p <<= 1
	if ok {
		*p |= 1
	}
	return v
}

const optionals = 20 // how many optional values split takes

// join fills in the rest of a kernel from its setting and its numbers.
func (s *setting) join(v *[numbers]uint64, k *Kernel) {
	present := s.present << (32 - optionals)
	p := &present
	k.Pos = note.Pos{File: s.file, Line: int(v[numberLine]), Column: s.column}
	k.Device, k.Direction, k.Global, k.Local, k.Reading, k.Uneven = s.device, s.direction, s.global, s.local, s.reading,
		s.uneven
	k.SIMD, k.Registers = put(p, s.simd), put(p, s.registers)
	k.Spill, k.SLM = put(p, s.spill), put(p, s.slm)
	k.Peak, k.PeakWork, k.PeakSLM, k.PeakBarrier = put(p, s.peak), put(p, s.peakWork), put(p, s.peakSLM),
		put(p, s.peakBarrier)
	k.Instances = put(p, int64(v[numberInstances]))
	k.Total = put(p, unit.Seconds(math.Float64frombits(v[numberTotal])))
	k.Mean = put(p, unit.Seconds(math.Float64frombits(v[numberMean])))
	k.Measured = put(p, unit.Ratio(math.Float64frombits(v[numberMeasured])))
	k.Active = put(p, unit.Ratio(math.Float64frombits(v[numberActive])))
	k.Stalled = put(p, unit.Ratio(math.Float64frombits(v[numberStalled])))
	k.Idle = put(p, unit.Ratio(math.Float64frombits(v[numberIdle])))
	k.BarrierStall = put(p, unit.Ratio(math.Float64frombits(v[numberBarrierStall])))
	k.Threads = put(p, int64(v[numberThreads]))
	k.Barriers = put(p, int64(v[numberBarriers]))
	k.Window = put(p, math.Float64frombits(v[numberWindow]))
	k.Interval = put(p, unit.Seconds(math.Float64frombits(v[numberInterval])))
}

func put[T any](p *presence, v T) (o unit.Opt[T]) {
	if *p>>31 == 1 {
		o = unit.Some(v)
	}
	*p <<= 1
	return o
}

// interner numbers different values in the order in which they are first met. It holds each once, and finds them by
// open addressing: a map would hold them again.
type interner[T comparable] struct {
	n      int
	blocks []*[internBlock]T
	table  []uint32 // one more than a number, 0 where free
	seed   maphash.Seed
	last   uint32 // the number given last: neighbours are often alike
}

const internBlock = 1 << 5

func (t *interner[T]) value(number uint32) *T {
	return &t.blocks[number/internBlock][number%internBlock]
}

func (t *interner[T]) number(v T) uint32 {
	if t.n > 0 && *t.value(t.last) == v {
		return t.last
	}
	if t.n*2 >= len(t.table) {
		t.grow()
	}
	at := t.slot(v)
	if t.table[at] == 0 {
		if t.n == len(t.blocks)*internBlock {
			t.blocks = append(t.blocks, new([internBlock]T))
		}
		*t.value(uint32(t.n)) = v
		t.n++
		t.table[at] = uint32(t.n)
	}
	t.last = t.table[at] - 1
	return t.last
}

// slot gives the place of a value in the table, or the free one where it belongs.
func (t *interner[T]) slot(v T) int {
	mask := len(t.table) - 1
	at := int(maphash.Comparable(t.seed, v)) & mask
	for t.table[at] > 0 && *t.value(t.table[at] - 1) != v {
		at = (at + 1) & mask
	}
	return at
}

func (t *interner[T]) grow() {
	if t.table == nil {
		t.seed = maphash.MakeSeed()
	}
	t.table = make([]uint32, max(16, 2*len(t.table)))
	for i := range uint32(t.n) {
		t.table[t.slot(*t.value(i))] = i + 1
	}
}
