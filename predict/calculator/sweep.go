package calculator

// Point is a point of one of the calculator's impact charts.
type Point struct {
	X             int // work-items per work-group, or KB of SLM
	XeCorePercent float64
}

// SweepLocal gives the chart of Xe-core occupancy over work-group sizes: 0 to the device maximum in steps of 8, all else
// as in the form. It is nil when the calculator refuses the form, since it then draws nothing. Sizes that do not divide
// the global size are drawn too, with the number of work-groups of the form.
func SweepLocal(d *Device, in Input) []Point {
	out := Run(d, in)
	if out.Refusal != 0 {
		return nil
	}
	groups := out.Groups.Or(float64(d.GroupSlots))
	var points []Point
	for size := 0; size <= d.MaxGroupSize; size += 8 {
		x := xeCore(d, sizes{group: float64(size)}, in, out.SLMAllocKB, groups)
		points = append(points, Point{X: size, XeCorePercent: x.percent})
	}
	return points
}

// SweepSLM gives the chart of Xe-core occupancy over SLM per work-group: every KB up to the slider's end, not rounded up
// to allocation steps, so that the chart can show more than Run does for the same amount. It is nil when the calculator
// refuses the form.
func SweepSLM(d *Device, in Input) []Point {
	out := Run(d, in)
	if out.Refusal != 0 {
		return nil
	}
	groups := out.Groups.Or(float64(d.GroupSlots))
	var points []Point
	for kb := 0; kb <= d.SLMKBPerGroup; kb++ {
		x := xeCore(d, sizes{group: out.GroupItems}, in, kb, groups)
		points = append(points, Point{X: kb, XeCorePercent: x.percent})
	}
	return points
}
