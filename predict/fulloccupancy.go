package predict

import (
	"math/bits"
	"slices"

	"occudiff/predict/arch"
)

// FullOccupancy is what a work-group has to be for an Xe-core to be full, the table that the guides print for Tiger
// Lake.
type FullOccupancy struct {
	// MaxThreads is the most threads of a work-group: the largest work-group at the smallest sub-group size.
	MaxThreads int64
	MinSIMD    int
	MaxSIMD    int
	MaxGroup   int64 // threads x sub-group size is at most this
	// Threads are the threads per work-group that fill all thread slots of an Xe-core when the
	// work-group has to stay whole, rising.
	Threads []int64
	Least   []LeastGroup // per sub-group size, rising
}

// LeastGroup is the smallest work-group that can fill an Xe-core which holds a limited number of work-groups.
type LeastGroup struct {
	SIMD      int
	Threads   int64 // ceil(thread slots / work-group slots)
	WorkItems int64 // Threads x SIMD: anything smaller leaves slots empty
	// PowerOfTwo is the smallest power of two that is not below WorkItems; the guides print these.
	PowerOfTwo int64
}

// FullOccupancyOf computes the table for a device in its default GRF mode. GroupSlots is how many work-groups an
// Xe-core holds, 0 for the device's own figure; older guides say 16. Without a device the table is empty.
func FullOccupancyOf(d *arch.Device, groupSlots int) FullOccupancy {
	f := FullOccupancy{Threads: []int64{}, Least: []LeastGroup{}}
	if d == nil || d.XVEPerXeCore < 1 || d.ThreadsPerXVE < 1 {
		return f
	}
	f.MaxGroup = int64(d.MaxGroupSize)
	slots := modeSlots(d, 0)
	if groupSlots <= 0 {
		groupSlots = d.GroupSlots
	}
	for _, w := range slices.Sorted(slices.Values(widths(d))) {
		if f.MinSIMD == 0 || w < f.MinSIMD {
			f.MinSIMD = w
		}
		f.MaxSIMD = max(f.MaxSIMD, w)
		least := LeastGroup{SIMD: w, Threads: 1}
		if groupSlots > 0 {
			least.Threads = ceilDiv(slots, int64(groupSlots))
		}
		least.WorkItems = least.Threads * int64(w)
		least.PowerOfTwo = 1 << bits.Len64(uint64(least.WorkItems-1))
		f.Least = append(f.Least, least)
	}
	f.MaxThreads = min(f.MaxGroup/int64(f.MinSIMD), slots)
	for t := int64(1); t <= f.MaxThreads; t++ {
		if slots%t == 0 && (groupSlots <= 0 || slots/t <= int64(groupSlots)) {
			f.Threads = append(f.Threads, t)
		}
	}
	return f
}
