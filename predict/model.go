package predict

import (
	"math/bits"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Predict returns a launch's theoretical occupancy on a device. If the launch
// cannot run, the error is a *LaunchError with both the requested and the
// available amount. Every other launch has a prediction, even if its local size
// does not divide its global size (Prediction.Partial). Without a global size,
// only the Xe-core is predicted: Groups, Peak, Average, AverageHigh, Waves, and
// LastWaveOccupancy are 0 and meaningless, see Prediction.HasGrid.
//
// Policy Auto is Whole if the launch has SLM or barriers, and Free otherwise.
// With Whole, the GPU holds Xe-cores x N work-groups. With Free, a thread uses
// any free slot, so the GPU holds slots / T work-groups, including a fraction.
// If a launch with SLM, barriers, or few work-group slots is predicted with
// Free, these resources still limit the work-groups, because they belong to an
// Xe-core wherever the threads are. Therefore Free is never below Whole.
//
// Predict allocates no memory unless it returns an error. Both arguments may be
// shared between goroutines.
func Predict(d *arch.Device, l Launch) (p Prediction, err error) {
	var s resolvedLaunch
	if bad := s.resolve(d, &l); bad != noProblem {
		return Prediction{}, s.reject(bad, d, l)
	}
	p.xeCore(d, &l, &s)
	if !l.Global.Present() {
		p.Limits = p.XeCoreLimits
		if p.capacity(d, s.slots) > p.capacity(d, s.modeSlots) {
			p.Limits |= LimitRegisters
		}
		return p, nil
	}
	if bad := p.gpu(d, &l, &s); bad != noProblem {
		return Prediction{}, s.reject(bad, d, l)
	}
	return p, nil
}

// A resolvedLaunch contains a launch's values on a device before any division:
// checked sizes, GRF mode, and rounded SLM.
type resolvedLaunch struct {
	group, threads   int64        // work-items and threads per work-group
	mode             arch.GRFMode // the launch's GRF mode
	slots, modeSlots int64        // thread slots per Xe-core: all, and those that the mode allows
	slm              unit.Bytes   // as allocated
	barrierSlots     int64        // 0 if unknown, which means no limit
	groupMax         int64        // maximum work-items per work-group; 0 if unknown
}

// resolve checks the launch against the device, fills s, and returns the
// problem, if any. If there is a problem, s contains the values up to that
// point, which the error message uses.
func (s *resolvedLaunch) resolve(d *arch.Device, l *Launch) launchProblem {
	if d == nil || d.XVEPerXeCore < 1 || d.ThreadsPerXVE < 1 {
		return badDevice
	}
	if !l.Local.Present() {
		return noLocal
	}
	var ok bool
	if s.group, ok = l.Local.Items(); !ok {
		return badLocal
	}
	if l.SIMD == 0 {
		return noSIMD
	}
	if l.SIMD < 0 || !offersSIMD(d, l.SIMD) {
		return badSIMD
	}
	if s.mode, ok = grfMode(d, l.GRF); !ok {
		return badGRF
	}
	s.slots = int64(d.SlotsPerXeCore())
	s.modeSlots = int64(d.XVEPerXeCore) * int64(min(s.mode.ThreadsPerXVE, d.ThreadsPerXVE))
	s.threads = ceilDiv(s.group, int64(l.SIMD))
	s.groupMax = int64(d.MaxGroupSize)
	if len(d.GroupLimits) > 0 {
		s.groupMax = maxGroupSize(d, l.SIMD, s.mode.Registers)
	}
	if s.groupMax > 0 && s.group > s.groupMax {
		return groupTooLarge
	}
	if s.threads > s.modeSlots {
		return tooManyThreads
	}
	return s.resources(d, l)
}

// resources resolves SLM, barriers, and the launch's overrides.
func (s *resolvedLaunch) resources(d *arch.Device, l *Launch) launchProblem {
	if l.SLM < 0 {
		return negativeSLM
	}
	if l.SLM > 0 {
		s.slm = allocated(d, l.SLM)
		if l.SLM > d.SLMPerGroupMax || s.slm > d.SLMPerXeCore {
			return slmTooLarge
		}
	}
	if l.Barriers < 0 || l.BarrierSlots < 0 || l.GroupSlots < 0 || l.GroupsBySLM < 0 || l.GroupsByBarriers < 0 {
		return negativeCount
	}
	switch {
	case l.BarrierSlots > 0:
		s.barrierSlots = int64(l.BarrierSlots)
	case len(d.BarrierSlots) > 0:
		s.barrierSlots = int64(d.BarrierSlots[0].Count)
	}
	if s.barrierSlots > 0 && int64(l.Barriers) > s.barrierSlots {
		return tooManyBarriers
	}
	return noProblem
}

// xeCore fills in the model's section 1: how many work-groups are resident on
// one Xe-core, and the limits.
func (p *Prediction) xeCore(d *arch.Device, l *Launch, s *resolvedLaunch) {
	p.Policy = l.policy()
	p.GroupSize, p.ThreadsPerGroup, p.SLMAllocated = s.group, s.threads, s.slm
	p.IdleLanes = s.threads*int64(l.SIMD) - s.group
	p.ByThreads = quotient(s.modeSlots, s.threads)
	p.BySLM, p.ByGroupSlots, p.ByBarriers = Unlimited, Unlimited, Unlimited
	if s.slm > 0 {
		p.BySLM = quotient(int64(d.SLMPerXeCore), int64(s.slm))
	}
	if l.GroupSlots > 0 {
		p.ByGroupSlots = int64(l.GroupSlots)
	} else if d.GroupSlots > 0 {
		p.ByGroupSlots = int64(d.GroupSlots)
	}
	if l.Barriers > 0 && s.barrierSlots > 0 {
		p.ByBarriers = quotient(s.barrierSlots, int64(l.Barriers))
	}
	p.BySLM, p.ByBarriers = atMost(p.BySLM, l.GroupsBySLM), atMost(p.ByBarriers, l.GroupsByBarriers)
	n := min(p.ByThreads, p.byOtherLimits())
	p.GroupsPerXeCore = n
	p.XeCoreLimits = limitIf(n == p.ByThreads, LimitThreads) | limitIf(n == p.BySLM, LimitSLM) |
		limitIf(n == p.ByGroupSlots, LimitGroupSlots) | limitIf(n == p.ByBarriers, LimitBarriers)
	p.XeCore = ratio(s.threads*n, s.slots)
	p.XeCoreOfMode = ratio(s.threads*n, s.modeSlots)
}

// atMost returns a work-group count, limited to the reported count, if any.
func atMost(groups int64, reported int) int64 {
	if reported > 0 && (groups == Unlimited || groups > int64(reported)) {
		return int64(reported)
	}
	return groups
}

// gpu fills in the model's section 2: the waves over the whole GPU. It counts
// threads, so that the same code works for both policies: a wave is the number
// of threads that are resident with the policy.
func (p *Prediction) gpu(d *arch.Device, l *Launch, s *resolvedLaunch) launchProblem {
	if d.XeCores < 1 {
		return noXeCores
	}
	if bad := p.grid(l); bad != noProblem {
		return bad
	}
	hi, lo := bits.Mul64(uint64(p.Groups), uint64(p.ThreadsPerGroup))
	total := int64(lo)
	if hi != 0 || total < 0 {
		return threadOverflow
	}
	wave := p.capacity(d, s.modeSlots)
	slots := int64(d.XeCores) * s.slots
	full := quotient(total, wave)
	rest := total - full*wave
	lasting := full // waves, including a partial one
	if rest > 0 {
		lasting++
	}
	p.Waves = float64(total) / float64(wave)
	p.Peak = ratio(min(total, wave), slots)
	p.LastWaveOccupancy = ratio(rest, slots)
	// The mean over section 2's waves is all threads divided by all slots that
	// the waves offer. A single division keeps it exact.
	p.Average = min(p.Peak, unit.Ratio(float64(total)/(float64(lasting)*float64(slots))))
	r := p.rangeOf(d, full, wave, rest)
	p.AverageHigh = max(r.High.Average, p.Average)

	p.Limits = p.gpuLimits(d, s, full, wave)
	if full > 0 && rest > 0 && float64(wave-rest)*100 > float64(tailPoints)*float64(lasting)*float64(slots) {
		p.Limits |= LimitTail
	}
	return noProblem
}

// gpuLimits returns the limits that apply to the whole GPU. See
// docs/design/model.md, "Meaning of the limits".
func (p *Prediction) gpuLimits(d *arch.Device, s *resolvedLaunch, full, wave int64) Limit {
	// All work-groups are resident, so no Xe-core limit is limiting.
	if full == 0 {
		return LimitGrid
	}
	limits := p.XeCoreLimits
	if s.modeSlots < s.slots && p.capacity(d, s.slots) > wave {
		limits |= LimitRegisters
	}
	return limits
}

// grid computes how many work-groups there are per dimension. If the local size
// does not divide the global size, the dimension's last work-group is smaller.
// It counts as a whole one, because the hardware walker dispatches it like one.
func (p *Prediction) grid(l *Launch) launchProblem {
	groups := uint64(1)
	for i := range max(l.Global.Rank(), l.Local.Rank()) {
		global, local := l.Global.Dim(i), l.Local.Dim(i)
		if global < 1 {
			return badGlobal
		}
		if i >= l.Global.Rank() && local > 1 {
			return badDimensions
		}
		n := global
		if local != 1 {
			n = quotient(global, local)
			if n*local != global {
				p.Partial = true
				n++
			}
		}
		hi, lo := bits.Mul64(groups, uint64(n))
		if hi != 0 || int64(lo) < 0 {
			return badGlobal
		}
		groups = lo
	}
	if _, ok := l.Global.Items(); !ok {
		return badGlobal
	}
	p.Groups = int64(groups)
	return noProblem
}

// capacity returns how many of this launch's threads can be resident on the GPU
// if an Xe-core has the given number of thread slots.
func (p *Prediction) capacity(d *arch.Device, slotsPerXeCore int64) int64 {
	cores := int64(max(d.XeCores, 1))
	others := p.byOtherLimits()
	if p.Policy == Whole {
		return cores * p.ThreadsPerGroup * min(quotient(slotsPerXeCore, p.ThreadsPerGroup), others)
	}
	if others >= slotsPerXeCore { // also prevents an overflow in the product below
		return cores * slotsPerXeCore
	}
	return cores * min(slotsPerXeCore, p.ThreadsPerGroup*others)
}

// byOtherLimits returns how many work-groups per Xe-core the resources other
// than thread slots allow, or a huge number if none is limiting.
func (p *Prediction) byOtherLimits() int64 {
	// As an unsigned number, Unlimited is the largest value, so a single
	// comparison is sufficient.
	return int64(min(uint64(p.BySLM), uint64(p.ByGroupSlots), uint64(p.ByBarriers), 1<<62))
}
