package predict

import "occudiff/predict/arch"

// maxGroupSize gives the work-items that the driver admits in a work-group at a sub-group size and register count: the
// device's maximum, lowered by the driver's further limits. 0 says that the device gives no maximum.
func maxGroupSize(d *arch.Device, simd, registers int) int64 {
	most := int64(d.MaxGroupSize)
	taken := false
	for i := range d.GroupLimits {
		g := &d.GroupLimits[i]
		if !g.For(simd, registers) {
			continue
		}
		limit := int64(g.WorkItems)
		if g.Threads > 0 {
			if taken {
				continue
			}
			taken, limit = true, int64(g.Threads)*int64(simd)
		}
		if most == 0 || limit < most {
			most = limit
		}
	}
	return most
}
