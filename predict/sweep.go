package predict

import (
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// A Point is one launch in a sweep: the varied value, and the prediction.
type Point struct {
	// X is the work-items per work-group, SLM bytes per work-group, sub-group
	// size, registers, or work-groups.
	X          int64
	Launch     Launch // the predicted launch
	Own        bool   // the original launch
	Prediction Prediction
	Err        error // a *LaunchError if the launch cannot run
}

// localStep is the step of work-group sizes in SweepLocal, in work-items. It is
// the smallest sub-group size on any GPU, so that the curve shows the loss for
// sizes between complete sub-groups. Intel's calculator charts use the same
// step.
const localStep = 8

// SweepLocal returns a launch's predictions for every work-group size that is a
// multiple of 8 up to the largest that can run, and for the launch's own size.
// The launch's own size keeps its shape. The others are one-dimensional and
// have the same total work-items. If nothing can run, for example without a
// sub-group size, the only point is the launch's own size or the smallest one,
// with the error.
func SweepLocal(d *arch.Device, l Launch) []Point {
	own, _ := l.Local.Items()
	items, counted := l.Global.Items()
	var sizes []int64
	if d != nil && l.SIMD > 0 {
		for x, most := int64(localStep), LargestGroup(d, l); x <= most; x += localStep {
			sizes = append(sizes, x)
		}
	}
	if own == 0 && len(sizes) == 0 {
		sizes = append(sizes, localStep)
	}
	return sweep(d, l, sizes, own, func(l *Launch, x int64) {
		if x == own {
			return
		}
		if l.Local = unit.Size(x); counted {
			l.Global = unit.Size(items)
		}
	})
}

// SweepSLM returns a launch's predictions for every KB of SLM per work-group,
// from none to a work-group's maximum, and for the launch's own amount. With
// policy Auto, the point without SLM uses a launch's policy without SLM.
func SweepSLM(d *arch.Device, l Launch) []Point {
	sizes := []int64{int64(l.SLM)} // even if it is 0 or negative
	if d != nil {
		for x := unit.Bytes(0); x <= d.SLMPerGroupMax; x += 1024 {
			sizes = append(sizes, int64(x))
		}
	}
	return sweep(d, l, sizes, int64(l.SLM), func(l *Launch, x int64) { l.SLM = unit.Bytes(x) })
}

// SweepSIMD returns a launch's predictions for the device's sub-group sizes,
// and for its own.
func SweepSIMD(d *arch.Device, l Launch) []Point {
	var widths []int64
	if d != nil {
		for _, w := range d.SIMDWidths {
			widths = append(widths, int64(w))
		}
	}
	return sweep(d, l, widths, int64(l.SIMD), func(l *Launch, x int64) { l.SIMD = int(x) })
}

// SweepGRF returns a launch's predictions for the device's register modes. The
// compiler determines the number of registers per thread. A mode's spills, and
// the SIMD width that the compiler chooses for it, are known only after
// compiling.
func SweepGRF(d *arch.Device, l Launch) []Point {
	own := l.GRF
	if own == 0 {
		mode, _ := grfMode(d, 0)
		own = mode.Registers
	}
	var modes []int64
	for _, m := range d.GRFModes {
		modes = append(modes, int64(m.Registers))
	}
	return sweep(d, l, modes, int64(own), func(l *Launch, x int64) { l.GRF = int(x) })
}

// SweepGroups returns a launch's predictions for several work-group counts,
// with its own work-group size. If numbers is empty, it uses all numbers up to
// a full Xe-core, then multiples of a full Xe-core up to one work-group more
// than a full GPU, and twice a full GPU. The launch's own number is included.
func SweepGroups(d *arch.Device, l Launch, numbers []int64) []Point {
	size, sized := l.Local.Items()
	own := int64(0)
	if p, err := Predict(d, l); err == nil && p.HasGrid() {
		own = p.Groups
	}
	if len(numbers) == 0 && sized {
		numbers = fillingGroups(d, l, size)
	}
	return sweep(d, l, numbers, own, func(l *Launch, x int64) {
		if x != own {
			l.Global, l.Local = unit.Size(x*size), unit.Size(size) // one-dimensional, with as many work-items
		}
	})
}

// fillingGroups returns up to mostGroups work-group counts at which occupancy
// changes most.
func fillingGroups(d *arch.Device, l Launch, size int64) (numbers []int64) {
	const mostGroups = 32
	l.Global, l.Local = unit.Size(size), unit.Size(size)
	p, err := Predict(d, l)
	if err != nil {
		return []int64{1}
	}
	core, cores := p.GroupsPerXeCore, int64(d.XeCores)
	full := core * cores // number that fills the GPU if work-groups stay whole
	if p.Policy == Free {
		full = int64(d.Slots()) / p.ThreadsPerGroup
	}
	for x := int64(1); x <= min(core, mostGroups/2); x++ {
		numbers = append(numbers, x)
	}
	step := max(core, (full-core)/(mostGroups/2))
	for x := core; x <= full; x += step {
		numbers = append(numbers, x)
	}
	return append(numbers, max(full, 1), full+1, 2*full)
}

// sweep returns a launch's predictions for each value of one setting. own is the
// value that the launch has now, and is added to the values unless it is 0. The
// points are in ascending order without duplicates. The list is never nil.
func sweep(d *arch.Device, l Launch, values []int64, own int64, set func(l *Launch, x int64)) []Point {
	values = slices.Clone(values)
	if own > 0 {
		values = append(values, own)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	points := make([]Point, 0, len(values))
	for _, x := range values {
		p := Point{X: x, Launch: l, Own: x == own}
		set(&p.Launch, x)
		p.Prediction, p.Err = Predict(d, p.Launch)
		points = append(points, p)
	}
	return points
}

// LargestGroup returns the largest work-group that can run, in work-items,
// which depends on the device's maximum, the driver's rules, and the thread
// slots for the launch's sub-group size and GRF mode.
func LargestGroup(d *arch.Device, l Launch) int64 {
	mode, ok := grfMode(d, l.GRF)
	if !ok {
		return 0
	}
	most := int64(d.XVEPerXeCore) * int64(min(mode.ThreadsPerXVE, d.ThreadsPerXVE)) * int64(l.SIMD)
	if limit := maxGroupSize(d, l.SIMD, mode.Registers); limit > 0 {
		most = min(most, limit)
	}
	return most
}
