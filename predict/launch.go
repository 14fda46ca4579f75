package predict

import (
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// defaultGRF is the number of registers for which a kernel is compiled by
// default.
const defaultGRF = 128

// HasGrid reports whether the launch had a global size. Without one, Groups,
// Peak, Average, Waves, and LastWaveOccupancy are meaningless.
func (p *Prediction) HasGrid() bool { return p.Groups > 0 }

// policy returns the launch's policy, with Auto resolved.
func (l *Launch) policy() Policy {
	switch {
	case l.Policy == Free || l.Policy == Whole:
		return l.Policy
	case l.SLM > 0 || l.Barriers > 0 || l.GroupsBySLM > 0 || l.GroupsByBarriers > 0:
		return Whole
	}
	return Free
}

// ExplicitSIMD is the SIMD width for kernels that are written for the vector
// registers (ESIMD): each work-item is a hardware thread. All devices run them.
const ExplicitSIMD = 1

// offersSIMD reports whether the compiler supports the sub-group size. A device
// that lists none supports all.
func offersSIMD(d *arch.Device, simd int) bool {
	return len(d.SIMDWidths) == 0 || simd == ExplicitSIMD || slices.Contains(d.SIMDWidths, simd)
}

// grfMode returns the mode with exactly this many registers, or the default
// mode for 0. A device without modes has one mode that allows all threads.
func grfMode(d *arch.Device, registers int) (arch.GRFMode, bool) {
	if len(d.GRFModes) == 0 {
		one := arch.GRFMode{Registers: defaultGRF, ThreadsPerXVE: d.ThreadsPerXVE}
		return one, registers == 0 || registers == defaultGRF
	}
	for _, m := range d.GRFModes {
		if m.Registers == registers || registers == 0 && m.Registers >= defaultGRF {
			return m, m.ThreadsPerXVE > 0
		}
	}
	last := d.GRFModes[len(d.GRFModes)-1]
	return last, registers == 0 && last.ThreadsPerXVE > 0
}

// modeSlots returns an Xe-core's thread slots in the mode with this many
// registers.
func modeSlots(d *arch.Device, registers int) int64 {
	mode, _ := grfMode(d, registers)
	return int64(d.XVEPerXeCore) * int64(min(mode.ThreadsPerXVE, d.ThreadsPerXVE))
}

// GRFModeFor returns the smallest mode with at least this many registers per
// thread, or false if there is none. A compiler's register count need not be a
// mode: on Xe3, 140 registers need the 160 mode.
func GRFModeFor(d *arch.Device, registers int) (arch.GRFMode, bool) {
	for _, m := range d.GRFModes {
		if m.Registers >= registers {
			return m, true
		}
	}
	if len(d.GRFModes) == 0 && registers <= defaultGRF {
		return grfMode(d, 0)
	}
	return arch.GRFMode{}, false
}

// RegisterLimit returns the share of a device's thread slots that a kernel with
// this many registers per thread can occupy for any launch size. For example,
// 256 registers leave 4 of 8 threads per XVE: 50%. It is absent if the device
// has no such mode.
func RegisterLimit(d *arch.Device, registers int) (most unit.Opt[unit.Ratio]) {
	mode, ok := GRFModeFor(d, registers)
	if !ok || d.SlotsPerXeCore() <= 0 {
		return most
	}
	return unit.Some(unit.Ratio(modeSlots(d, mode.Registers)) / unit.Ratio(d.SlotsPerXeCore()))
}

// SLMLimit returns how many work-groups per Xe-core a work-group's SLM admits,
// for any work-group size. It is absent without SLM.
func SLMLimit(d *arch.Device, slm unit.Bytes) (most unit.Opt[int64]) {
	if slm <= 0 || d.SLMPerXeCore <= 0 {
		return most
	}
	return unit.Some(int64(d.SLMPerXeCore / allocated(d, slm)))
}

// ForRegisters returns a kernel's launch with at least this many registers per
// thread, in the smallest sufficient GRF mode. The error is a *LaunchError if
// the device has none.
func (l Launch) ForRegisters(d *arch.Device, registers int) (Launch, error) {
	mode, ok := GRFModeFor(d, registers)
	if !ok {
		most := defaultGRF
		for _, m := range d.GRFModes {
			most = max(most, m.Registers)
		}
		return l, &LaunchError{Code: "grf-unsupported",
			Text: fmt.Sprintf("%s has at most %d registers per thread, not %d", d.Name, most, registers),
			Hint: "a kernel that needs more spills"}
	}
	l.GRF = mode.Registers
	return l, nil
}

// OtherPolicy returns a launch's prediction with the policy that its prediction
// did not use. It returns nil if the result is the same.
func OtherPolicy(d *arch.Device, l Launch, p *Prediction) *Prediction {
	if !p.HasGrid() {
		return nil
	}
	l.Policy = Free
	if p.Policy == Free {
		l.Policy = Whole
	}
	other, err := Predict(d, l)
	if err != nil || other.Peak == p.Peak && other.Average == p.Average {
		return nil
	}
	return &other
}

// allocated returns SLM rounded up to one of the device's allocation steps.
// Above the largest step, it returns the SLM unchanged, because a work-group's
// limit is checked later.
func allocated(d *arch.Device, slm unit.Bytes) unit.Bytes {
	for _, step := range d.SLMSteps {
		if step >= slm {
			return step
		}
	}
	return slm
}

// ceilDiv returns the quotient of two positive numbers, rounded up.
func ceilDiv(a, b int64) int64 {
	q := quotient(a, b)
	if q*b != a {
		q++
	}
	return q
}

// quotient returns a / b for nonnegative numbers; b must not be 0. Most values
// fit into 32 bits, for which a division is much faster than for 64 bits.
func quotient(a, b int64) int64 {
	if uint64(a|b) <= math.MaxUint32 {
		return int64(uint32(a) / uint32(b))
	}
	return a / b
}

func ratio(a, b int64) unit.Ratio { return unit.Ratio(float64(a) / float64(b)) }

func limitIf(on bool, l Limit) Limit {
	if on {
		return l
	}
	return 0
}

// maxGroupSize returns the largest work-group, in work-items, for a sub-group
// size and register count: the device's maximum, lowered by the driver's
// additional limits. It is 0 if the device has no known maximum.
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
