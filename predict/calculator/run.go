package calculator

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Run returns the calculator's output for a device and an input.
func Run(d *Device, in Input) Output {
	out := readForm(d, in)
	if out.Rejection != 0 {
		return Output{Rejection: out.Rejection}
	}
	out.SLMAllocKB = allocated(d, in.SLMKB)
	groups := out.GlobalItems / out.GroupItems
	if out.GlobalItems == 0 { // in this way, the calculator omits the work-group count from the minimum
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

// readForm returns the output with the parsed sizes and the results of the
// calculator's checks. Messages accumulate, except that the calculator checks
// whether the work-group size divides the global size only if all else is
// valid.
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
	refuse(tooBig, v > float64(d.MaxGroupSize)) // v is NaN for four parts
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

// product returns the product of the integers at the start of each part in a
// text, and how many parts there are. It returns ok false if a part does not
// start with a digit. The calculator does not read texts with four or more
// parts.
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

// allocated returns SLM rounded up to the device's next step. The calculator
// does not reject an amount above the largest step: it keeps the amount, and no
// work-group fits.
func allocated(d *Device, kb int) int {
	for _, step := range d.SLMStepsKB {
		if kb <= step {
			return step
		}
	}
	return kb
}

// fill computes one Xe-core's occupancy for a launch with that many
// work-groups, and lists every limit that equals it. Without a global size, the
// calculator uses the work-group slots as the work-group count, so that the
// limits can include wg_total.
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
	}{
		{LimitThreads, unit.Some(o.LimitThreads)}, {LimitSLM, o.LimitSLM},
		{slots, unit.Some(o.LimitGroupSlots)}, {LimitGrid, unit.Some(groups)},
	}
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

// wholeGPU returns the results for the launch distributed over the GPU in
// waves. The calculator rounds the waves to two decimals before it computes the
// average from them.
func wholeGPU(d *Device, o *Output) *GPU {
	wave := d.XeCores() * o.GroupsPerCore * o.GroupItems // in work-items
	left := math.Mod(o.GlobalItems, wave)
	full := math.Trunc(o.GlobalItems / wave)
	if wave == 0 {
		full = math.NaN() // its parseInt returns this for Infinity
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

// The functions below follow JavaScript (ECMA-262), because the calculator's
// results depend on it: which texts are numbers, and how a tie is rounded.
// Considered and rejected: texts that only Number() accepts (`.5e9`,
// `Infinity`) and numbers that are printed with an exponent (from 1e21 on),
// because no form contains them.

// leadingInt matches the text that parseInt reads. White space is defined by
// ECMA-262, which differs from unicode.IsSpace in U+0085 and U+FEFF.
var leadingInt = regexp.MustCompile(`^[\s\v\p{Zs}\x{2028}\x{2029}\x{feff}]*([+-]?)(?:0[xX]([0-9a-fA-F]*)|([0-9]+))`)

// parseInt returns the integer at the start of a text like JavaScript's
// parseInt. For example, `4096 items` is 4096, `16*4` is 16, `0x20` is 32, and
// a text that does not start with a digit is NaN.
func parseInt(text string) float64 {
	m := leadingInt.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return math.NaN()
	}
	digits := m[3]
	if m[2] != "" {
		digits = "0x" + m[2] + "p0"
	}
	v, _ := strconv.ParseFloat(m[1]+digits, 64) // the only error is a range error, and then the value is Inf, too
	return v
}

// toFixed2 returns a number rounded to two decimals like JavaScript's
// toFixed(2): to the hundredths nearest to the exact binary value, and up for a
// tie. For example, 1.005 becomes 1 because its binary value is slightly lower,
// and 0.125 becomes 0.13, although Go's %.2f prints 0.12. x must be finite and
// not negative.
func toFixed2(x float64) float64 {
	r := new(big.Rat).SetFloat64(x)
	r.Mul(r, big.NewRat(200, 1)).Add(r, big.NewRat(1, 1)) // floor(100x + 1/2) = floor((200x+1) / 2)
	n := new(big.Int).Quo(r.Num(), new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	v, _ := new(big.Rat).SetFrac(n, big.NewInt(100)).Float64()
	return v
}
