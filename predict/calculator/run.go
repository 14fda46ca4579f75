package calculator

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Run computes what the calculator shows for a device and a filled form.
func Run(d *Device, in Input) Output {
	out := readForm(d, in)
	if out.Rejection != 0 {
		return Output{Rejection: out.Rejection}
	}
	out.SLMAllocKB = allocated(d, in.SLMKB)
	groups := out.GlobalItems / out.GroupItems
	if out.GlobalItems == 0 { // the calculator's way to leave the number of work-groups out of the minimum
		groups = float64(d.GroupSlots)
	} else {
		out.Groups = unit.Some(groups)
	}
	out.fill(d, in, groups)
	if out.GlobalItems != 0 {
		out.GPU = wholeGPU(d, &out)
	}
	return out
}

// readForm parses the sizes and applies the calculator's checks. Messages
// accumulate, except that a size that does not divide is only looked at when
// all else is right.
func readForm(d *Device, in Input) (out Output) {
	refuse := func(bit Rejection, that bool) {
		if that {
			out.Rejection |= bit
		}
	}
	silent := false
	if in.Global != "" {
		separator := ","
		if strings.Contains(in.Global, "*") {
			separator = "*"
		}
		v, parts, ok := product(in.Global, separator)
		out.GlobalItems = v + 0 // -0 becomes 0
		silent = parts > 3
		refuse(badGlobal, !ok)
	}
	v, parts, ok := product(in.Local, ",")
	out.GroupItems = v
	silent = silent || parts > 3
	refuse(badLocal, !ok)
	refuse(tooBig, v > float64(d.MaxGroupSize)) // of four parts v is NaN
	refuse(badSIMD, in.SIMD < 1)
	switch {
	case out.Rejection != 0:
	case silent:
		out.Rejection = tooManyParts
	default:
		refuse(notDividing, math.Mod(out.GlobalItems, v) != 0) // also NaN: a work-group size of 0 divides nothing
	}
	return out
}

// product multiplies the integers that the parts of a text begin with, and
// counts the parts; ok is false when one of them begins with no digit. From
// four parts on the calculator does not read them.
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

// allocated rounds SLM up to the device's next step. An amount above the
// largest step stays: the calculator does not refuse it, it just finds that no
// work-group fits.
func allocated(d *Device, kb int) int {
	for _, step := range d.SLMStepsKB {
		if kb <= step {
			return step
		}
	}
	return kb
}

// fill describes what one Xe-core holds of a launch of so many work-groups, and
// names every limit that this number equals. Without a global size the
// calculator takes the work-group slots for the number of work-groups, so that
// wg_total can be named there too.
func (o *Output) fill(d *Device, in Input, groups float64) {
	all := float64(d.Threads)
	available := all
	if in.LargeGRF {
		available /= 2
	}
	slots := LimitGroupSlots
	o.LimitGroupSlots = float64(d.GroupSlots)
	if in.Barrier && d.BarrierSlots != 0 { // they replace the work-group slots
		slots, o.LimitGroupSlots = LimitBarriers, float64(d.BarrierSlots)
	}
	o.ThreadsPerGroup = math.Ceil(o.GroupItems / float64(in.SIMD))
	o.LimitThreads = math.Floor(available / o.ThreadsPerGroup)
	if o.SLMAllocKB != 0 {
		o.LimitSLM = unit.Some(math.Floor(float64(d.SLMKB) / float64(o.SLMAllocKB)))
	}
	limits := []struct {
		name   string
		groups unit.Opt[float64]
	}{{LimitThreads, unit.Some(o.LimitThreads)}, {LimitSLM, o.LimitSLM}, {slots, unit.Some(o.LimitGroupSlots)}, {LimitGrid, unit.Some(groups)}}
	o.GroupsPerCore = o.LimitThreads
	for _, l := range limits {
		if n, ok := l.groups.Value(); ok && o.GroupsPerCore > n {
			o.GroupsPerCore = n
		}
	}
	for _, l := range limits {
		if n, ok := l.groups.Value(); ok && n == o.GroupsPerCore {
			o.LimitedBy = append(o.LimitedBy, l.name)
		}
	}
	o.XeCorePercent = o.ThreadsPerGroup * o.GroupsPerCore / all * 100
}

// wholeGPU spreads the launch over the GPU in waves. The calculator rounds the
// waves to two decimals before it takes the average from them.
func wholeGPU(d *Device, o *Output) *GPU {
	wave := d.XeCores() * o.GroupsPerCore * o.GroupItems // work-items
	left := math.Mod(o.GlobalItems, wave)
	full := math.Trunc(o.GlobalItems / wave)
	if wave == 0 {
		full = math.NaN() // as its parseInt makes of Infinity
	}
	g := &GPU{
		PeakPercent: o.XeCorePercent, AveragePercent: o.XeCorePercent, AverageExact: o.XeCorePercent,
		Waves: full, FullWaves: full, TailPercent: left / wave * o.XeCorePercent,
	}
	if left == 0 || math.IsNaN(left) {
		return g
	}
	exact := full + left/wave
	g.Waves = toFixed2(exact)
	g.AveragePercent = g.Waves * o.XeCorePercent / (full + 1)
	g.AverageExact = exact * o.XeCorePercent / (full + 1)
	if full == 0 {
		g.PeakPercent = left / wave * o.XeCorePercent
	}
	return g
}

// The functions here are JavaScript's, by the rules of ECMA-262, because the
// calculator's answers depend on them: which texts are numbers, and how a tie
// is rounded. Texts that mean something to Number() only (`.5e9`, `Infinity`)
// and numbers whose text has an exponent (from 1e21 on) were followed too, and
// left: no form is filled so.

// leadingInt is what parseInt reads of a text: its white space is that of
// ECMA-262, which differs from unicode.IsSpace by U+0085 and U+FEFF.
var leadingInt = regexp.MustCompile(`^[\s\v\p{Zs}\x{2028}\x{2029}\x{feff}]*([+-]?)(?:0[xX]([0-9a-fA-F]*)|([0-9]+))`)

// parseInt reads the leading integer of a text as JavaScript's parseInt does:
// `4096 items` is 4096, `16*4` is 16, `0x20` is 32, and a text that begins with
// no digit is NaN.
func parseInt(text string) float64 {
	m := leadingInt.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return math.NaN()
	}
	digits := m[3]
	if m[2] != "" {
		digits = "0x" + m[2] + "p0"
	}
	v, _ := strconv.ParseFloat(m[1]+digits, 64) // the only error is the range, and then the value is Inf, too
	return v
}

// toFixed2 rounds to two decimals as JavaScript's toFixed(2) does: to the
// hundredths nearest to the exact binary value, and to the larger of two. 1.005
// is 1 since it is a little less than it looks; 0.125 is 0.13, where Go's %.2f
// gives 0.12. x is finite and not below 0.
func toFixed2(x float64) float64 {
	r := new(big.Rat).SetFloat64(x)
	r.Mul(r, big.NewRat(200, 1)).Add(r, big.NewRat(1, 1)) // floor(100x + 1/2) = floor((200x+1) / 2)
	n := new(big.Int).Quo(r.Num(), new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	v, _ := new(big.Rat).SetFrac(n, big.NewInt(100)).Float64()
	return v
}
