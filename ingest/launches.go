package ingest

import (
	"hash/maphash"
	"math"

	"occudiff/ingest/unit"
)

// Launches is a list of kernels for runs that keep every launch: millions of rows of few kernels. What the launches of a
// kernel share - names, sizes, limits, which values there are - is kept once; a launch takes its line and the numbers that
// differ, a tenth of a Kernel. Reading is safe for concurrent use, changing is not.
type Launches struct {
	shapes []Kernel // the numbers of a launch are zero in them where they are there
	index  map[Kernel]uint32
	recent [recentShapes]uint32 // one more than the shape that was met last with a hash: comparing is cheaper than hashing
	seed   maphash.Seed
	parts  []*launchPart
	n      int
}

const (
	recentShapes = 1 << 12
	partRows     = 1 << 12
)

// The numbers that differ from launch to launch.
const (
	launchTotal = iota
	launchMean
	launchMeasured
	launchActive
	launchStalled
	launchIdle
	launchBarrierStall
	launchThreads
	launchBarriers
	launchNumbers
)

// launchPart holds some rows. A column that is zero in all of them takes nothing.
type launchPart struct {
	shape   [partRows]uint32
	line    [partRows]int64
	numbers [launchNumbers]*[partRows]uint64
}

// Len gives the number of launches.
func (l *Launches) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// Shapes gives the number of different kernels. Shape numbers are below it, in the order in which they were first met.
func (l *Launches) Shapes() int {
	if l == nil {
		return 0
	}
	return len(l.shapes)
}

// ShapeOf gives what the launches of a shape share. The numbers that differ are zero in it where they are there.
func (l *Launches) ShapeOf(shape int) Kernel { return l.shapes[shape] }

// Shape gives the number of what launch i shares with others.
func (l *Launches) Shape(i int) int { return int(l.parts[i/partRows].shape[i%partRows]) }

// Append adds a kernel.
func (l *Launches) Append(k *Kernel) {
	if l.n == len(l.parts)*partRows {
		l.parts = append(l.parts, new(launchPart))
	}
	l.n++
	l.Set(l.n-1, k)
}

// Set replaces launch i.
func (l *Launches) Set(i int, k *Kernel) {
	shape := *k
	v := split(&shape)
	p, at := l.parts[i/partRows], i%partRows
	p.shape[at] = l.intern(&shape)
	p.line[at] = int64(k.Pos.Line)
	for c, x := range v {
		if p.numbers[c] == nil {
			if x == 0 {
				continue
			}
			p.numbers[c] = new([partRows]uint64)
		}
		p.numbers[c][at] = x
	}
}

// At gives launch i.
func (l *Launches) At(i int) Kernel {
	var k Kernel
	l.Into(i, &k)
	return k
}

// Into makes launch i in k.
func (l *Launches) Into(i int, k *Kernel) {
	p, at := l.parts[i/partRows], i%partRows
	*k = l.shapes[p.shape[at]]
	k.Pos.Line = int(p.line[at])
	number := func(c int) uint64 {
		if p.numbers[c] == nil {
			return 0
		}
		return p.numbers[c][at]
	}
	putFloat(&k.Total, number(launchTotal))
	putFloat(&k.Mean, number(launchMean))
	putFloat(&k.Measured, number(launchMeasured))
	putFloat(&k.Active, number(launchActive))
	putFloat(&k.Stalled, number(launchStalled))
	putFloat(&k.Idle, number(launchIdle))
	putFloat(&k.BarrierStall, number(launchBarrierStall))
	putCount(&k.Threads, number(launchThreads))
	putCount(&k.Barriers, number(launchBarriers))
}

// split takes the numbers of a launch out of a kernel.
func split(k *Kernel) (v [launchNumbers]uint64) {
	v = [launchNumbers]uint64{
		takeFloat(&k.Total), takeFloat(&k.Mean), takeFloat(&k.Measured), takeFloat(&k.Active), takeFloat(&k.Stalled), takeFloat(&k.Idle), takeFloat(&k.BarrierStall),
		takeCount(&k.Threads), takeCount(&k.Barriers),
	}
	k.Pos.Line = 0
	return v
}

func takeFloat[T ~float64](o *unit.Opt[T]) uint64 {
	x, ok := o.Value()
	if !ok {
		return 0
	}
	*o = unit.Some[T](0)
	return math.Float64bits(float64(x))
}

func takeCount(o *unit.Opt[int64]) uint64 {
	x, ok := o.Value()
	if !ok {
		return 0
	}
	*o = unit.Some[int64](0)
	return uint64(x)
}

func putFloat[T ~float64](o *unit.Opt[T], bits uint64) {
	if o.Present() {
		*o = unit.Some(T(math.Float64frombits(bits)))
	}
}

func putCount(o *unit.Opt[int64], bits uint64) {
	if o.Present() {
		*o = unit.Some(int64(bits))
	}
}

// intern gives the number of a shape.
func (l *Launches) intern(shape *Kernel) uint32 {
	if l.index == nil {
		l.index, l.seed = map[Kernel]uint32{}, maphash.MakeSeed()
	}
	h := maphash.String(l.seed, shape.Task) ^ uint64(shape.Global.Dim(0))*0x9e3779b97f4a7c15 ^ uint64(shape.Local.Dim(0))*0xc2b2ae3d27d4eb4f ^
		math.Float64bits(float64(shape.Peak.Or(0)))
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	slot := &l.recent[h>>52]
	if *slot > 0 && l.shapes[*slot-1] == *shape {
		return *slot - 1
	}
	id, known := l.index[*shape]
	if !known {
		id = uint32(len(l.shapes))
		l.shapes = append(l.shapes, *shape)
		l.index[*shape] = id
	}
	*slot = id + 1
	return id
}
