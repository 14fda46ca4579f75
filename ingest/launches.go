package ingest

import (
	"cmp"
	"iter"
	"math"

	"occudiff/ingest/unit"
)

// Launches are the launches of a run's kernels, in the order of their file:
// there may be millions, and one takes 40 bytes. What launches have in common
// is in their kernel. A nil list is empty.
type Launches struct {
	n      int
	blocks []*[launchBlock]launch
	files  map[int]string // of kernels that another file names first
}

// launchBlock is how many launches are allocated together, here and of a trace:
// growing a slice would need its size twice.
const launchBlock = 1 << 13

// launch is a launch as it is kept; values are below 0 where it has none.
type launch struct {
	kernel, line                    uint32
	nanos, threads                  int64
	measured, active, stalled, idle int32 // millionths of a percent
}

// LaunchRecord is one launch.
type LaunchRecord struct {
	Kernel, Line                    int // Line in the file that has the launch, see File
	Time                            unit.Opt[unit.Seconds]
	Threads                         unit.Opt[int64]
	Measured, Active, Stalled, Idle unit.Opt[unit.Ratio]
}

// Len returns the number of launches.
func (l *Launches) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// Add adds a launch. Times are kept to the nanosecond, shares to a millionth of
// a percent.
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

// File returns the file that has the launches of a kernel: that of the kernel,
// or the one that brought them.
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

// Renumber returns each launch the kernel that its kernel has become, and drops
// those of kernels below 0.
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

// MergeByLine returns the launches of two lists in the order of their lines,
// which each list has already. Both are let go of on the way: together they may
// be most of the memory.
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

// byKernel returns the numbers of the launches of each kernel, in order.
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
