package predict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// A launchProblem is the reason why a launch cannot run. The check that finds
// it only returns its number. reject creates the message, so that millions of
// successful predictions do not pay for it.
type launchProblem uint8

const (
	noProblem launchProblem = iota
	badDevice
	noXeCores
	noLocal
	badLocal
	badGlobal
	badDimensions
	threadOverflow
	noSIMD
	badSIMD
	badGRF
	groupTooLarge
	tooManyThreads
	negativeSLM
	slmTooLarge
	negativeCount
	tooManyBarriers
)

// reject returns the error for a problem, with the requested and the available
// amount.
func (s *resolvedLaunch) reject(f launchProblem, d *arch.Device, l Launch) *LaunchError {
	switch f {
	case badDevice:
		return &LaunchError{"no-device", "no prediction without a device that has XVEs and thread slots",
			"name a device, or complete the device file"}
	case noXeCores:
		return &LaunchError{"no-xe-cores", fmt.Sprintf("the number of Xe-cores of %s is not known", nameOf(d)),
			"give its XVE count, or leave the global size out to predict one Xe-core"}
	case noLocal:
		return &LaunchError{"no-local", "the launch has no work-group size",
			"give the local size, for example 256 or 16x16"}
	case badLocal:
		return badSize("work-group", l.Local)
	case badGlobal:
		return badSize("global", l.Global)
	case badDimensions:
		return badRank(l)
	case threadOverflow:
		return &LaunchError{"size-overflow",
			fmt.Sprintf("the global size %s in work-groups of %d threads needs more than 2^63-1 threads",
				l.Global, s.threads), "check the global size"}
	case noSIMD:
		return &LaunchError{"no-simd", "the launch has no sub-group size (SIMD width)",
			"give one that the device offers: " + list(widths(d))}
	case badSIMD:
		return &LaunchError{"simd-unsupported",
			fmt.Sprintf("%s has no sub-group size (SIMD width) %d", nameOf(d), l.SIMD), "it offers " + list(widths(d))}
	case badGRF:
		return &LaunchError{"grf-unsupported",
			fmt.Sprintf("%s has no mode with %d registers per thread", nameOf(d), l.GRF),
			"it has " + list(registers(d))}
	}
	return s.rejectResource(f, d, l)
}

// rejectResource returns the error for a launch that needs more than the
// available amount of a resource.
func (s *resolvedLaunch) rejectResource(f launchProblem, d *arch.Device, l Launch) *LaunchError {
	switch f {
	case groupTooLarge:
		return s.rejectGroup(d, l)
	case tooManyThreads:
		return s.rejectThreads(d, l)
	case negativeSLM:
		return &LaunchError{"slm-negative", fmt.Sprintf("%d bytes of SLM per work-group are below 0", int64(l.SLM)),
			"0 is none"}
	case slmTooLarge:
		most := min(d.SLMPerGroupMax, d.SLMPerXeCore)
		return &LaunchError{"slm-too-large",
			fmt.Sprintf("%s of SLM per work-group are above the %s that %s allows for one work-group",
				unit.FormatBytes(l.SLM), unit.FormatBytes(most), nameOf(d)),
			"at most " + unit.FormatBytes(most) + " fit"}
	case tooManyBarriers:
		return &LaunchError{"too-many-barriers",
			fmt.Sprintf("a work-group that uses %d barriers needs more than the %d barrier slots of an Xe-core",
				l.Barriers, s.barrierSlots), fmt.Sprintf("at most %d fit", s.barrierSlots)}
	}
	return &LaunchError{"count-negative",
		fmt.Sprintf("barriers %d, barrier slots %d and work-group slots %d must not be below 0",
			l.Barriers, l.BarrierSlots, l.GroupSlots), "0 means none used, or the device's own value"}
}

func (s *resolvedLaunch) rejectGroup(d *arch.Device, l Launch) *LaunchError {
	text := fmt.Sprintf("a work-group of %d work-items is above the %d that %s admits", s.group, s.groupMax, nameOf(d))
	hint := fmt.Sprintf("at most %d work-items fit", s.groupMax)
	if s.groupMax < int64(d.MaxGroupSize) || d.MaxGroupSize == 0 {
		text += fmt.Sprintf(" at SIMD%d and %d registers per thread", l.SIMD, s.mode.Registers)
		if other := s.fitting(d, l); other != "" {
			hint += ", or " + other
		}
	}
	return &LaunchError{"group-too-large", text, hint}
}

func (s *resolvedLaunch) rejectThreads(d *arch.Device, l Launch) *LaunchError {
	text := fmt.Sprintf("a work-group of %d threads (%d work-items at SIMD%d) "+
		"is above the %d thread slots of an Xe-core", s.threads, s.group, l.SIMD, s.modeSlots)
	if s.modeSlots < s.slots {
		text += fmt.Sprintf(" with %d registers per thread", s.mode.Registers)
	}
	hint := fmt.Sprintf("at most %d work-items fit", s.modeSlots*int64(l.SIMD))
	if other := s.fitting(d, l); other != "" {
		hint += ", or " + other
	}
	return &LaunchError{"too-many-threads", text, hint}
}

// fitting returns the sub-group sizes and GRF modes with which the same
// work-group would run, each with only that change.
func (s *resolvedLaunch) fitting(d *arch.Device, l Launch) string {
	var fit []string
	for _, w := range widths(d) {
		other := l
		other.SIMD = w
		if l.SIMD != ExplicitSIMD && runs(d, other) {
			fit = append(fit, fmt.Sprintf("SIMD%d", w))
		}
	}
	for _, m := range d.DistinctModes() {
		other := l
		other.GRF = m.Registers
		if runs(d, other) {
			fit = append(fit, fmt.Sprintf("%d registers per thread", m.Registers))
		}
	}
	return strings.Join(fit, " or ")
}

// runs reports whether the launch passes the checks for an Xe-core.
func runs(d *arch.Device, l Launch) bool {
	var s resolvedLaunch
	return s.resolve(d, &l) == noProblem
}

func badSize(what string, size unit.Size3) *LaunchError {
	for i := range size.Rank() {
		if size.Dim(i) < 1 {
			return &LaunchError{"size-not-positive", fmt.Sprintf("the %s size %s has a dimension below 1", what, size),
				"every dimension has at least one work-item"}
		}
	}
	return &LaunchError{"size-overflow", fmt.Sprintf("the %s size %s has more than 2^63-1 work-items", what, size),
		"check the dimensions"}
}

const codeDimensions = "dimensions-differ"

// badRank returns the error for a work-group with a dimension that the global
// size does not have. The suggested sizes keep the work-item count.
func badRank(l Launch) *LaunchError {
	group, _ := l.Local.Items()
	hint := fmt.Sprintf("use a work-group of %d", group)
	if items, ok := l.Global.Items(); ok && l.Global.Rank() == 1 {
		if x, y := nearSquare(items, l.Local); x > 0 {
			hint = fmt.Sprintf("use a global size of %dx%d, or a work-group of %d", x, y, group)
		}
	}
	return &LaunchError{codeDimensions, fmt.Sprintf("the global size %s has %s, the work-group %s has %d",
		l.Global, unit.FormatCount(l.Global.Rank(), "dimension", "dimensions"), l.Local, l.Local.Rank()), hint}
}

// mostTried is the largest work-item count whose factors are searched: up to a
// million steps for a one-column work-group.
const mostTried = 1 << 40

// nearSquare returns the global size nearest to a square that has the given
// number of work-items and that a two-dimensional work-group divides, or zeros
// if there is none.
func nearSquare(items int64, local unit.Size3) (x, y int64) {
	if local.Rank() != 2 || items > mostTried {
		return 0, 0
	}
	step := local.Dim(0)
	for x = int64(math.Sqrt(float64(items))) / step * step; x > 0; x -= step {
		if y = items / x; x*y == items && y%local.Dim(1) == 0 {
			return x, y
		}
	}
	return 0, 0
}

func nameOf(d *arch.Device) string {
	if d.Name != "" {
		return d.Name
	}
	if d.Key != "" {
		return d.Key
	}
	return "the device"
}

// widths returns a device's sub-group sizes, or the sizes of all Intel GPUs if
// it lists none.
func widths(d *arch.Device) []int {
	if len(d.SIMDWidths) == 0 {
		return []int{8, 16, 32}
	}
	return d.SIMDWidths
}

func registers(d *arch.Device) []int {
	modes := make([]int, 0, len(d.GRFModes)+1)
	for _, m := range d.GRFModes {
		modes = append(modes, m.Registers)
	}
	if len(modes) == 0 {
		modes = append(modes, defaultGRF)
	}
	return modes
}

// list returns numbers as text: "8, 16 and 32".
func list(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return unit.JoinWords(words, "and")
}
