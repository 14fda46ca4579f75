package predict

import (
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// defaultGRF is the register count that a kernel is compiled for unless someone
// asks for more.
const defaultGRF = 128

// HasGrid reports whether the launch had a global size: without one Groups,
// Peak, Average, Waves and LastWaveOccupancy say nothing.
func (p *Prediction) HasGrid() bool { return p.Groups > 0 }

// policy resolves Auto.
func (l *Launch) policy() Policy {
	switch {
	case l.Policy == Free || l.Policy == Whole:
		return l.Policy
	case l.SLM > 0 || l.Barriers > 0 || l.GroupsBySLM > 0 || l.GroupsByBarriers > 0:
		return Whole
	}
	return Free
}

// ExplicitSIMD is the SIMD width of kernels that are written for the vector
// registers (ESIMD): each of their work-items is a hardware thread. All devices
// run them.
const ExplicitSIMD = 1

// offersSIMD reports whether the compiler offers the sub-group size; a device
// that lists none offers all.
func offersSIMD(d *arch.Device, simd int) bool {
	return len(d.SIMDWidths) == 0 || simd == ExplicitSIMD || slices.Contains(d.SIMDWidths, simd)
}

// grfMode finds the mode of exactly so many registers, or the default one
// for 0. A device without modes has one, which leaves all threads.
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

// modeSlots returns the thread slots of an Xe-core that the mode of so many
// registers leaves.
func modeSlots(d *arch.Device, registers int) int64 {
	mode, _ := grfMode(d, registers)
	return int64(d.XVEPerXeCore) * int64(min(mode.ThreadsPerXVE, d.ThreadsPerXVE))
}

// GRFModeFor returns the smallest mode that holds a kernel of so many registers
// per thread, and false when none does. The register count that a compiler
// reports need not be a mode: 140 registers need the 160 mode of an Xe3.
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
// so many registers per thread can occupy, whatever its launch size is. For
// example, 256 registers leave 4 of 8 threads per XVE: 50%. It is absent if the
// device has no such mode.
func RegisterLimit(d *arch.Device, registers int) (most unit.Opt[unit.Ratio]) {
	mode, ok := GRFModeFor(d, registers)
	if !ok || d.ThreadsPerXVE <= 0 {
		return most
	}
	return unit.Some(unit.Ratio(min(mode.ThreadsPerXVE, d.ThreadsPerXVE)) / unit.Ratio(d.ThreadsPerXVE))
}

// SLMLimit returns the number of work-groups per Xe-core that the SLM of a
// work-group admits, whatever its size is. It is absent without SLM.
func SLMLimit(d *arch.Device, slm unit.Bytes) (most unit.Opt[int64]) {
	if slm <= 0 || d.SLMPerXeCore <= 0 {
		return most
	}
	return unit.Some(int64(d.SLMPerXeCore / allocated(d, slm)))
}

// ForRegisters returns the launch of a kernel that needs so many registers per
// thread: in the smallest GRF mode that holds them. The error is a *LaunchError
// when the device has none.
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

// OtherPolicy predicts a launch under the policy that its prediction did not
// take, nil where that gives the same.
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

// allocated rounds SLM up to a size that the device allocates. Above the
// largest step it stays as it is: the check against the work-group's maximum
// follows.
func allocated(d *arch.Device, slm unit.Bytes) unit.Bytes {
	for _, step := range d.SLMSteps {
		if step >= slm {
			return step
		}
	}
	return slm
}

// ceilDiv rounds the quotient of two positive numbers up.
func ceilDiv(a, b int64) int64 {
	q := quotient(a, b)
	if q*b != a {
		q++
	}
	return q
}

// quotient divides two numbers that are not negative; b is above 0. Most
// figures fit 32 bits, where dividing costs a fraction of what it does in 64.
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

// maxGroupSize returns the work-items that the driver admits in a work-group at
// a sub-group size and register count: the device's maximum, lowered by the
// driver's further limits. 0 says that the device gives no maximum.
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
