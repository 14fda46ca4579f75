package predict

import (
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Point is one launch of a sweep: the value that was varied and what Predict
// says of the launch with it.
type Point struct {
	X          int64  // work-items per work-group, bytes of SLM per work-group, sub-group size, registers or work-groups
	Launch     Launch // as predicted
	Own        bool   // the launch that was swept
	Prediction Prediction
	Err        error // a *LaunchError where the launch cannot run
}

// localStep is the step of work-group sizes in SweepLocal, in work-items: the
// smallest sub-group that any GPU has, so that the curve also shows what sizes
// between whole sub-groups lose. The charts of Intel's calculator step alike.
const localStep = 8

// SweepLocal predicts a launch over work-group sizes: every multiple of 8
// work-items up to the largest that can run, and the launch's own. The launch's
// own size keeps its shape; the others are one-dimensional over as many
// work-items as the launch has. Where nothing can run, as without a sub-group
// size, the launch's own size is the only point, or the smallest one, and says
// why.
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

// SweepSLM predicts a launch over SLM per work-group: every KB from none to the
// most that a work-group may have, and the launch's own amount. Under policy
// Auto the point without SLM is dispatched as what it is, a launch without SLM.
func SweepSLM(d *arch.Device, l Launch) []Point {
	sizes := []int64{int64(l.SLM)} // also where it is 0, or below
	if d != nil {
		for x := unit.Bytes(0); x <= d.SLMPerGroupMax; x += 1024 {
			sizes = append(sizes, int64(x))
		}
	}
	return sweep(d, l, sizes, int64(l.SLM), func(l *Launch, x int64) { l.SLM = unit.Bytes(x) })
}

// SweepSIMD predicts a launch over the sub-group sizes that the device offers,
// and its own.
func SweepSIMD(d *arch.Device, l Launch) []Point {
	var widths []int64
	if d != nil {
		for _, w := range d.SIMDWidths {
			widths = append(widths, int64(w))
		}
	}
	return sweep(d, l, widths, int64(l.SIMD), func(l *Launch, x int64) { l.SIMD = int(x) })
}

// SweepGRF predicts a launch over the register modes of the device. Registers
// per thread are a property of the compiled kernel: what a mode spills, and
// which SIMD width the compiler takes for it, only compiling tells.
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

// SweepGroups predicts a launch over numbers of work-groups, its own size each:
// those that are given, or all up to an Xe-core's fill, then whole Xe-cores up
// to one work-group beyond a full GPU and twice that. The launch's own number
// is one of them.
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
			l.Global, l.Local = unit.Size(x*size), unit.Size(size) // of one dimension, over as many work-items
		}
	})
}

// fillingGroups returns the numbers of work-groups at which occupancy changes
// most: up to mostGroups of them.
func fillingGroups(d *arch.Device, l Launch, size int64) (numbers []int64) {
	const mostGroups = 32
	l.Global, l.Local = unit.Size(size), unit.Size(size)
	p, err := Predict(d, l)
	if err != nil {
		return []int64{1}
	}
	core, cores := p.GroupsPerXeCore, int64(d.XeCores)
	full := core * cores // that fill the GPU where work-groups stay whole
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

// sweep predicts a launch with each value set and with its own, 0 for none, in
// rising order, each once. It is never nil.
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

// LargestGroup returns the most work-items of a work-group that can run, by the
// device's maximum, the driver's rules and the thread slots at the launch's
// sub-group size and GRF mode.
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
