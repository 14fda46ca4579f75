package predict

import "occudiff/predict/arch"

// MaxGroupSize gives the work-items that the driver admits in a work-group at a sub-group size and register count: the
// device's maximum, lowered by its further rules. 0 says that the device gives no maximum.
func MaxGroupSize(d *arch.Device, simd, registers int) int64 { return maxGroup(d, simd, registers) }
