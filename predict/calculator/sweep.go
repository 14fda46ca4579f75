package calculator

// Point is a point of one of the calculator's impact charts.
type Point struct {
	X             int // work-items per work-group, or KB of SLM
	XeCorePercent float64
}

// SweepLocal gives the chart of Xe-core occupancy over work-group sizes: 0 to the device maximum in steps of 8, all
// else as in the form. It is nil when the calculator refuses the form, since it then draws nothing. Sizes that do not
// divide the global size are drawn too, with the number of work-groups of the form.
func SweepLocal(d *Device, in Input) []Point {
	return sweep(d, in, d.MaxGroupSize, 8,
		func(o *Output, size int) (float64, int) { return float64(size), o.SLMAllocKB })
}

// SweepSLM gives the chart of Xe-core occupancy over SLM per work-group: every KB up to the slider's end, not rounded
// up to allocation steps, so that the chart can show more than Run does for the same amount. It is nil when the
// calculator refuses the form.
func SweepSLM(d *Device, in Input) []Point {
	return sweep(d, in, d.SLMKBPerGroup, 1, func(o *Output, kb int) (float64, int) { return o.GroupItems, kb })
}

// sweep draws a chart from 0 to last. Of the form's output and a value it takes the work-group size and the KB of SLM.
func sweep(d *Device, in Input, last, step int, at func(o *Output, x int) (group float64, slmKB int)) []Point {
	out := Run(d, in)
	if out.Refusal != 0 {
		return nil
	}
	groups := out.Groups.Or(float64(d.GroupSlots))
	var points []Point
	for x := 0; x <= last; x += step {
		group, slmKB := at(&out, x)
		points = append(points, Point{x, xeCore(d, sizes{group: group}, in, slmKB, groups).percent})
	}
	return points
}
