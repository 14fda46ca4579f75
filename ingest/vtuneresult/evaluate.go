package vtuneresult

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// number is a value of an equation: an unsigned integer, or floating point. Intel's library computes in 32-bit floating
// point, in which counters of 40 bits lose counts; with 64 bits the values that VTune prints come out.
type number struct {
	bits  uint64
	float bool
}

func wholeNumber(v uint64) number { return number{bits: v} }
func realNumber(v float64) number { return number{bits: math.Float64bits(v), float: true} }

func (n number) f() float64 {
	if n.float {
		return math.Float64frombits(n.bits)
	}
	return float64(n.bits)
}

// A conversion of what does not fit is not defined in Go (it differs between processors), so it is bounded here.
func (n number) u() uint64 {
	if !n.float {
		return n.bits
	}
	switch v := math.Float64frombits(n.bits); {
	case v >= 1<<64:
		return math.MaxUint64
	case v > 0:
		return uint64(v)
	}
	return 0
}

// operations are those of metrics_discovery_api.h. A division by zero gives 0.
var operations = map[string]func(a, b number) number{
	"RSHIFT": func(a, b number) number { return wholeNumber(a.u() >> b.u()) },
	"LSHIFT": func(a, b number) number { return wholeNumber(a.u() << b.u()) },
	"AND":    func(a, b number) number { return wholeNumber(a.u() & b.u()) },
	"OR":     func(a, b number) number { return wholeNumber(a.u() | b.u()) },
	"XOR":    func(a, b number) number { return wholeNumber(a.u() ^ b.u()) },
	"XNOR":   func(a, b number) number { return wholeNumber(^(a.u() ^ b.u())) },
	"AND_L":  func(a, b number) number { return truth(a.u() != 0 && b.u() != 0) },
	"EQUALS": func(a, b number) number { return truth(a.u() == b.u()) },
	"UADD":   func(a, b number) number { return wholeNumber(a.u() + b.u()) },
	"USUB":   func(a, b number) number { return wholeNumber(a.u() - b.u()) },
	"UMUL":   func(a, b number) number { return wholeNumber(a.u() * b.u()) },
	"UDIV": func(a, b number) number {
		if b.u() == 0 {
			return wholeNumber(0)
		}
		return wholeNumber(a.u() / b.u())
	},
	"UMIN": func(a, b number) number { return wholeNumber(min(a.u(), b.u())) },
	"UMAX": func(a, b number) number { return wholeNumber(max(a.u(), b.u())) },
	"UGT":  func(a, b number) number { return truth(a.u() > b.u()) },
	"ULT":  func(a, b number) number { return truth(a.u() < b.u()) },
	"UGTE": func(a, b number) number { return truth(a.u() >= b.u()) },
	"ULTE": func(a, b number) number { return truth(a.u() <= b.u()) },
	"FADD": func(a, b number) number { return realNumber(a.f() + b.f()) },
	"FSUB": func(a, b number) number { return realNumber(a.f() - b.f()) },
	"FMUL": func(a, b number) number { return realNumber(a.f() * b.f()) },
	"FDIV": func(a, b number) number {
		if b.f() == 0 {
			return realNumber(0)
		}
		return realNumber(a.f() / b.f())
	},
	"FMIN": func(a, b number) number { return realNumber(min(a.f(), b.f())) },
	"FMAX": func(a, b number) number { return realNumber(max(a.f(), b.f())) },
	"FGT":  func(a, b number) number { return truth(a.f() > b.f()) },
	"FLT":  func(a, b number) number { return truth(a.f() < b.f()) },
	"FGTE": func(a, b number) number { return truth(a.f() >= b.f()) },
	"FLTE": func(a, b number) number { return truth(a.f() <= b.f()) },
}

func truth(v bool) number {
	if v {
		return wholeNumber(1)
	}
	return wholeNumber(0)
}

// plan computes some of a set's metrics from pairs of reports.
// It is made once for a set and evaluated for each of a million samples, so it holds all memory that that takes.
type plan struct {
	*metricSet
	used                []int // places among the counters: of the metrics, and of what they need
	delta, value, stack []number
}

func newPlan(set *metricSet) plan {
	return plan{metricSet: set, delta: make([]number, len(set.Counters)), value: make([]number, len(set.Counters)),
		stack: make([]number, maxStack)}
}

// need adds a counter, and those that its value is made of, in file order.
func (p *plan) need(i int) error {
	if slices.Contains(p.used, i) {
		return nil
	}
	c := p.Counters[i]
	if c.refused != nil {
		return fmt.Errorf("%s: %w", c.Name, c.refused)
	}
	// Before what it needs, so that symbols that name each other end.
	p.used = append(p.used, i)
	for _, s := range c.norm {
		if s.kind == stepCounter || s.kind == stepMetric {
			if err := p.need(s.at); err != nil {
				return err
			}
		}
	}
	slices.Sort(p.used)
	return nil
}

// compute computes the metrics between two reports.
// All differences come first: an equation may name the difference of a counter that stands behind it, but the value
// only of one before it (md_metrics_calculator.h).
func (p *plan) compute(before, after []byte) {
	for _, i := range p.used {
		p.delta[i] = p.run(p.Counters[i].read, before, after)
	}
	for _, i := range p.used {
		if p.value[i] = p.delta[i]; len(p.Counters[i].norm) > 0 {
			p.value[i] = p.run(p.Counters[i].norm, nil, nil)
		}
	}
}

// run gives the result of an equation, 0 of an empty one. The top of the stack is kept apart: most of the time of a
// result goes by here.
func (p *plan) run(steps []step, before, after []byte) (v number) {
	below := 0
	for i := range steps {
		s := &steps[i]
		if s.kind == stepApply {
			below--
			v = s.apply(p.stack[below], v)
			continue
		}
		p.stack[below] = v
		below++
		switch s.kind {
		case stepConstant:
			v = s.constant
		case stepDifference:
			v = wholeNumber((s.load(after) - s.load(before)) & s.mask)
		case stepState:
			v = wholeNumber(s.load(after))
		case stepBefore:
			v = wholeNumber(s.load(before))
		case stepCounter:
			v = p.delta[s.at]
		case stepMetric:
			v = p.value[s.at]
		}
	}
	return v
}

// load reads the bytes of a report, which has reportSize of them.
func (s *step) load(report []byte) uint64 {
	switch b := report[s.at:]; {
	case s.high >= 0:
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(report[s.high])<<32
	case s.width == 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case s.width == 8:
		return binary.LittleEndian.Uint64(b)
	case s.width == 2:
		return uint64(binary.LittleEndian.Uint16(b))
	default:
		return uint64(b[0])
	}
}
