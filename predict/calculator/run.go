package calculator

import (
	"math"
	"strings"

	"occudiff/ingest/unit"
)

// Run computes what the calculator shows for a device and a filled form.
func Run(d *Device, in Input) Output {
	form, refusal := readForm(d, in)
	if refusal != 0 {
		return Output{Refusal: refusal}
	}
	out := Output{GlobalItems: form.global, GroupItems: form.group, SLMAllocKB: allocated(d, in.SLMKB)}
	groups := form.global / form.group
	if form.global == 0 { // the calculator's way to leave the number of work-groups out of the minimum
		groups = float64(d.GroupSlots)
	} else {
		out.Groups = unit.Some(groups)
	}
	xc := xeCore(d, form, in, out.SLMAllocKB, groups)
	out.ThreadsPerGroup = xc.threads
	out.LimitThreads = xc.byThreads
	if out.SLMAllocKB != 0 {
		out.LimitSLM = unit.Some(xc.bySLM)
	}
	out.LimitSlots = xc.slots
	out.GroupsPerCore = xc.groups
	out.LimitedBy = limitedBy(&out, groups, hasBarriers(d, in))
	out.XeCorePercent = xc.percent
	if form.global != 0 {
		out.GPU = unit.Some(wholeGPU(d, form, xc))
	}
	return out
}

// sizes are the two sizes of the form as numbers.
type sizes struct{ global, group float64 }

// readForm parses the sizes and applies the calculator's checks. Messages accumulate, except that a size that does not
// divide is only looked at when all else is right.
func readForm(d *Device, in Input) (sizes, Refusal) {
	var r Refusal
	silent := false
	var s sizes
	if in.Global != "" {
		sep := ","
		if strings.Contains(in.Global, "*") {
			sep = "*"
		}
		v, parts, ok := product(in.Global, sep)
		s.global = v + 0 // -0 becomes 0
		silent = parts > 3
		if !ok {
			r |= badGlobal
		}
	}
	v, parts, ok := product(in.Local, ",")
	s.group = v
	silent = silent || parts > 3
	if !ok {
		r |= badLocal
	}
	if parts <= 3 && s.group > float64(d.MaxGroupSize) {
		r |= tooBig
	}
	if in.SIMD < 1 {
		r |= badSIMD
	}
	switch {
	case r != 0:
		return s, r
	case silent:
		return s, tooManyParts
	case math.Mod(s.global, s.group) != 0: // also NaN: a work-group size of 0 divides nothing
		return s, notDividing
	}
	return s, 0
}

// product multiplies the integers that the parts of a text begin with, and counts the parts; ok is false when one of
// them begins with no digit. From four parts on the calculator does not read them.
func product(text, separator string) (value float64, parts int, ok bool) {
	list := strings.Split(text, separator)
	if len(list) > 3 {
		return math.NaN(), len(list), true
	}
	value, ok = 1, true
	for _, part := range list {
		v := parseInt(part)
		ok = ok && !math.IsNaN(v)
		value *= v
	}
	return value, len(list), ok
}

// allocated rounds SLM up to the device's next step. An amount above the largest step stays: the calculator does not
// refuse it, it just finds that no work-group fits.
func allocated(d *Device, kb int) int {
	for _, step := range d.SLMStepsKB {
		if kb <= step {
			return step
		}
	}
	return kb
}

// hasBarriers says whether the barrier slots replace the work-group slots.
func hasBarriers(d *Device, in Input) bool { return in.Barrier && d.BarrierSlots != 0 }

// residency is what one Xe-core holds.
type residency struct {
	threads, byThreads, bySLM, slots, groups, percent float64
}

// xeCore computes the residency of one Xe-core; slmKB is as allocated.
func xeCore(d *Device, s sizes, in Input, slmKB int, groups float64) residency {
	all := float64(d.Threads)
	available := all
	if in.LargeGRF {
		available /= 2
	}
	x := residency{threads: math.Ceil(s.group / float64(in.SIMD)), slots: float64(d.GroupSlots)}
	if hasBarriers(d, in) {
		x.slots = float64(d.BarrierSlots)
	}
	x.byThreads = math.Floor(available / x.threads)
	x.bySLM = x.slots
	if slmKB != 0 {
		x.bySLM = math.Floor(float64(d.SLMKB) / float64(slmKB))
	}
	x.groups = x.byThreads
	for _, limit := range [...]float64{x.bySLM, x.slots, groups} {
		if x.groups > limit {
			x.groups = limit
		}
	}
	x.percent = x.threads * x.groups / all * 100
	return x
}

// limitedBy names every limit that the number of work-groups equals. Without a global size the calculator takes the
// work-group slots for the number of work-groups, so that wg_total can be named there too.
func limitedBy(out *Output, groups float64, barriers bool) (l Limits) {
	slots := LimitSlots
	if barriers {
		slots = LimitBarriers
	}
	for _, c := range []struct {
		name   string
		groups unit.Opt[float64]
	}{{LimitThreads, unit.Some(out.LimitThreads)}, {LimitSLM, out.LimitSLM}, {slots, unit.Some(out.LimitSlots)},
		{LimitGrid, unit.Some(groups)}} {
		if n, ok := c.groups.Value(); ok && n == out.GroupsPerCore {
			l = append(l, c.name)
		}
	}
	return l
}

// wholeGPU spreads the launch over the GPU in waves. The calculator rounds the waves to two decimals before it takes
// the average from them.
func wholeGPU(d *Device, s sizes, xc residency) GPU {
	wave := d.XeCores() * xc.groups * s.group // work-items
	left := math.Mod(s.global, wave)
	full := math.Trunc(s.global / wave)
	if wave == 0 {
		full = math.NaN() // as its parseInt makes of Infinity
	}
	g := GPU{
		PeakPercent: xc.percent, AveragePercent: xc.percent, AverageExact: xc.percent,
		Waves: full, FullWaves: full, TailPercent: left / wave * xc.percent,
	}
	if left == 0 || math.IsNaN(left) {
		return g
	}
	exact := full + left/wave
	g.Waves = toFixed2(exact)
	g.AveragePercent = g.Waves * xc.percent / (full + 1)
	g.AverageExact = exact * xc.percent / (full + 1)
	if full == 0 {
		g.PeakPercent = left / wave * xc.percent
	}
	return g
}
