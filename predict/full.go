package predict

import (
	"math/bits"

	"occudiff/predict/arch"
)

// A FullRange is the range of work-group sizes that can fill an Xe-core, for
// one sub-group size.
type FullRange struct {
	SIMD                      int
	LeastThreads, MostThreads int64 // per work-group
	LeastSize, MostSize       int64 // work-items per work-group; LeastSize is a power of two
}

// FullRanges returns a device's range for each sub-group size, and the smallest
// published number of work-groups per Xe-core, which sets the lower end. For
// example, 16 work-groups fill the 112 slots of a Tiger Lake Xe-core if each
// has at least 7 threads.
func FullRanges(d *arch.Device) (list []FullRange, limit arch.SourcedCount) {
	limit = arch.SourcedCount{Source: "work-group slots", Count: d.GroupSlots}
	for _, b := range d.BarrierSlots {
		if limit.Count == 0 || b.Count < limit.Count {
			limit = b
		}
	}
	if limit.Count == 0 {
		return nil, limit
	}
	least := ceilDiv(int64(d.SlotsPerXeCore()), int64(limit.Count))
	for _, simd := range d.SIMDWidths {
		r := FullRange{SIMD: simd, LeastThreads: least, MostSize: LargestGroup(d, Launch{SIMD: simd})}
		r.MostThreads = r.MostSize / int64(simd)
		r.LeastSize = 1 << bits.Len64(uint64(least*int64(simd)-1))
		list = append(list, r)
	}
	return list, limit
}
