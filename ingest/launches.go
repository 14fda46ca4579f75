package ingest

import (
	"cmp"
	"iter"
	"maps"
	"math"

	"occudiff/ingest/unit"
)

// Launches are the launches of a run's kernels, in file order. There may be
// millions of them, and each needs 40 bytes. Values that all launches share are
// in their kernel. A nil *Launches is empty.
type Launches struct {
	n      int
	blocks []*[launchBlock]launch
	files  map[int]string // for kernels that another file lists first
}

// launchBlock is the number of launches allocated together, here and in a
// Trace. Growing a slice would temporarily need twice its size.
const launchBlock = 1 << 13

// A launch is a stored launch. A negative value is absent.
type launch struct {
	kernel, line                    uint32
	nanos, threads                  int64
	measured, active, stalled, idle int32 // in millionths of 1%
}

// A LaunchRecord is one launch.
type LaunchRecord struct {
	Kernel, Line                    int // Line is in the file that contains the launch, see File
	Time                            unit.Opt[unit.Seconds]
	Threads                         unit.Opt[int64]
	Measured, Active, Stalled, Idle unit.Opt[unit.Ratio]
}

// Len returns the launch count.
func (l *Launches) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// Add adds a launch. It keeps times to the nanosecond and shares to a millionth
// of a percent.
func (l *Launches) Add(r *LaunchRecord) {
	if l.n == len(l.blocks)*launchBlock {
		l.blocks = append(l.blocks, new([launchBlock]launch))
	}
	l.n++
	l.Set(l.n-1, r)
}

func (l *Launches) at(i int) *launch { return &l.blocks[i/launchBlock][i%launchBlock] }

// Set replaces a launch.
func (l *Launches) Set(i int, r *LaunchRecord) {
	to := l.at(i)
	*to = launch{uint32(r.Kernel), uint32(r.Line), -1, r.Threads.Or(-1),
		packed(r.Measured), packed(r.Active), packed(r.Stalled), packed(r.Idle)}
	if t, ok := r.Time.Value(); ok {
		to.nanos = int64(math.Round(float64(t) * 1e9))
	}
}

// At returns a launch.
func (l *Launches) At(i int) LaunchRecord {
	x := l.at(i)
	return LaunchRecord{Kernel: int(x.kernel), Line: int(x.line), Measured: unpacked(x.measured),
		Active: unpacked(x.active), Stalled: unpacked(x.stalled), Idle: unpacked(x.idle),
		Time:    unit.Maybe(unit.Seconds(float64(x.nanos)/1e9), x.nanos >= 0),
		Threads: unit.Maybe(x.threads, x.threads >= 0)}
}

// File returns the file that contains a kernel's launches: the kernel's own
// file, or the later file that added them.
func (l *Launches) File(kernel int, k *Kernel) string { return cmp.Or(l.files[kernel], k.Pos.File) }

// All returns the launches in order.
func (l *Launches) All() iter.Seq2[int, LaunchRecord] {
	return func(yield func(int, LaunchRecord) bool) {
		for i := range l.Len() {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

func packed(o unit.Opt[unit.Ratio]) int32 {
	v, ok := o.Value()
	if !ok {
		return -1
	}
	return int32(min(max(math.Round(v.Percent()*1e6), 0), math.MaxInt32))
}

func unpacked(v int32) unit.Opt[unit.Ratio] {
	return unit.Maybe(unit.FromPercent(float64(v)/1e6), v >= 0)
}

// Renumber returns l after replacing each launch's kernel and dropping launches
// whose new kernel is negative.
func (l *Launches) Renumber(to []int) *Launches {
	if l == nil {
		return nil
	}
	kept := 0
	for i := range l.n {
		x := *l.at(i)
		if k := to[x.kernel]; k >= 0 {
			x.kernel = uint32(k)
			*l.at(kept) = x
			kept++
		}
	}
	l.n, l.blocks = kept, l.blocks[:(kept+launchBlock-1)/launchBlock]
	return l
}

// clone returns a copy that can be changed.
func (l *Launches) clone() *Launches {
	c := &Launches{n: l.n, files: maps.Clone(l.files)}
	for _, b := range l.blocks {
		block := *b
		c.blocks = append(c.blocks, &block)
	}
	return c
}

// MergeByLine returns the launches from two lists, ordered by line. Each list
// must be in that order already. It frees both lists while merging, because
// together they may be most of the memory.
func (l *Launches) MergeByLine(o *Launches) *Launches {
	switch {
	case l.Len() == 0:
		return o
	case o.Len() == 0:
		return l
	}
	list := &Launches{}
	for i, j := 0, 0; i < l.n || j < o.n; {
		from, at := l, &i
		if i == l.n || j < o.n && o.at(j).line < l.at(i).line {
			from, at = o, &j
		}
		r := from.At(*at)
		list.Add(&r)
		if *at++; *at%launchBlock == 0 {
			from.blocks[*at/launchBlock-1] = nil
		}
	}
	return list
}

// byKernel returns the indexes of each kernel's launches, in order.
func (l *Launches) byKernel(kernels int) [][]uint32 {
	counts := make([]int, kernels+1)
	for i := range l.n {
		counts[l.at(i).kernel+1]++
	}
	for k := range kernels {
		counts[k+1] += counts[k]
	}
	all, lists := make([]uint32, l.n), make([][]uint32, kernels)
	for k := range lists {
		lists[k] = all[counts[k]:counts[k]:counts[k+1]]
	}
	for i := range l.n {
		k := l.at(i).kernel
		lists[k] = append(lists[k], uint32(i))
	}
	return lists
}
