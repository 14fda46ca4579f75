package vtuneresult

import (
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/note"
)

// maxXML limits a configuration file's size. Known metric sets have 30 kB.
const maxXML = 4 << 20

// decodeXML reads a configuration file into a structure.
func decodeXML(fsys FS, name string, into any) error {
	f, err := fsys.Open(name)
	if err != nil {
		return fsys.unreadable(name, "", err)
	}
	defer f.Close()
	limit := &io.LimitedReader{R: f, N: maxXML}
	if err := xml.NewDecoder(limit).Decode(into); err != nil {
		if limit.N == 0 {
			err = fmt.Errorf("longer than %d MiB", maxXML>>20)
		}
		return fsys.damaged(name, "is not XML as VTune writes it: %v", note.Reason(err))
	}
	return nil
}

// A metricSet is the content of gen_metrics*.cfg: the device's constants, and
// one set's counters. Equations convert two hardware reports to values. They
// are postfix, with one token per element.
type metricSet struct {
	Attributes []xml.Attr `xml:",any,attr"`
	Params     struct {
		Name string `xml:"SymbolName,attr"`
	} `xml:"metricSetParams"`
	Counters []*counter `xml:"counter"`

	constants map[string]uint64
	byName    map[string]int // index in Counters
}

// A counter is one metric in a set. Read converts two reports' bytes to a
// count, Norm converts the count to a metric, and Most computes the metric's
// maximum.
type counter struct {
	Name  string    `xml:"SymbolName,attr"`
	Units string    `xml:"MetricResultUnits,attr"`
	Read  []element `xml:"IoReadEquation>EquationElement"`
	Norm  []element `xml:"NormEquation>EquationElement"`
	Most  []element `xml:"MaxValueEquation>EquationElement"`
	Delta element   `xml:"DeltaFunction"`

	read, norm  []step
	unsupported error // reason why it cannot be computed
}

// An element is a token: a word, optionally with a value.
type element struct {
	// together with RD_40BIT_CNTR_ByteOffset
	High       string     `xml:"EQUATION_ELEM_RD_40BIT_CNTR_ByteOffsetExt,attr"`
	Attributes []xml.Attr `xml:",any,attr"`
}

// word returns a token's name and its value.
func (e *element) word() (word, value string) {
	if len(e.Attributes) == 0 {
		return "an element without attributes", ""
	}
	return strings.TrimPrefix(e.Attributes[0].Name.Local, "EQUATION_ELEM_"), e.Attributes[0].Value
}

// A step is a compiled token.
type step struct {
	kind stepKind
	// For a read, at is its bytes' offset, and high an additional upper byte's
	// offset, or -1. For a value, at is the counter's index.
	at, high int
	width    int // read width in bytes
	mask     uint64
	constant number
	apply    func(a, b number) number
}

type stepKind uint8

const (
	stepConstant   stepKind = iota
	stepDifference          // between two reports, modulo the read's width
	stepState               // value in the later report
	stepBefore              // value in the earlier report
	stepCounter             // a counter's difference
	stepMetric              // a metric's value
	stepApply
)

// readMetrics returns a compiled metric set. A counter with an unknown token or
// symbol is marked as unsupported.
func readMetrics(fsys FS, name string) (*metricSet, error) {
	set := &metricSet{constants: map[string]uint64{}, byName: map[string]int{}}
	if err := decodeXML(fsys, name, set); err != nil {
		return nil, err
	}
	for _, a := range set.Attributes {
		// An attribute that is not a number, such as the API version, is not a
		// constant in an equation.
		if v, err := strconv.ParseUint(a.Value, 10, 64); err == nil {
			set.constants[a.Name.Local] = v
		}
	}
	for i, c := range set.Counters {
		set.byName[c.Name] = i
	}
	for i, c := range set.Counters {
		if c.read, c.unsupported = set.compile(c.Read, c.Delta, -1); c.unsupported == nil {
			c.norm, c.unsupported = set.compile(c.Norm, c.Delta, i)
		}
	}
	return set, nil
}

// xves returns the device's XVE count, whose name depends on the generation, or
// 0 if the set does not contain it.
func (set *metricSet) xves() uint64 {
	return max(set.constants["EuCoresTotalCount"], set.constants["VectorEngineTotalCount"])
}

// maxSteps limits an equation's length, and maxStack its depth.
const (
	maxSteps = 512
	maxStack = 64
)

// compile returns the steps of an equation. If self is negative, the equation
// reads a report. Otherwise, it uses the values of counters and belongs to the
// counter self. compile checks the depth once, so that run needs no check for
// each of a million reports.
func (set *metricSet) compile(elements []element, delta element, self int) (steps []step, err error) {
	depth := 0
	for i := range elements {
		list, err := set.token(&elements[i], delta, self)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if s.kind == stepApply {
				depth--
			} else {
				depth++
			}
			if depth < 1 || depth > maxStack || len(steps) == maxSteps {
				return nil, fmt.Errorf("its equation is not valid at element %d", i+1)
			}
			steps = append(steps, s)
		}
	}
	if depth > 1 {
		return nil, fmt.Errorf("its equation results in %d values; expected 1", depth)
	}
	return steps, nil
}

// token returns an element's steps. It rejects unknown elements, because a
// guess would return a plausible but wrong number.
func (set *metricSet) token(e *element, delta element, self int) ([]step, error) {
	word, value := e.word()
	switch word {
	case "IMM_UINT64":
		v, err := strconv.ParseUint(value, 10, 64)
		return []step{{constant: wholeNumber(v)}}, err
	case "IMM_FLOAT":
		v, err := strconv.ParseFloat(value, 64)
		return []step{{constant: realNumber(v)}}, err
	case "GLOBAL_SYMBOL":
		v, known := set.constants[value]
		if !known {
			return nil, fmt.Errorf("the constant %q is not given", value)
		}
		return []step{{constant: wholeNumber(v)}}, nil
	case "OPERATION":
		apply := operations[strings.TrimPrefix(value, "EQUATION_OPER_")]
		if apply == nil {
			return nil, fmt.Errorf("the operation %q is not known", value)
		}
		return []step{{kind: stepApply, apply: apply}}, nil
	}
	if self < 0 {
		return compileRead(e, word, value, delta)
	}
	return set.valueOf(word, value, self)
}

// valueOf returns the steps of an element that is a counter's value or metric.
func (set *metricSet) valueOf(word, value string, self int) ([]step, error) {
	kind := stepCounter
	switch word {
	case "SELF_COUNTER_VALUE":
		return []step{{kind: kind, at: self}}, nil
	case "LOCAL_METRIC_SYMBOL":
		kind = stepMetric
	case "LOCAL_COUNTER_SYMBOL":
	case "STD_NORM_GPU_DURATION", "STD_NORM_EU_AGGR_DURATION":
		clocks, known := set.byName["GpuCoreClocks"]
		if !known {
			return nil, fmt.Errorf("the set has no GpuCoreClocks")
		}
		units := uint64(1)
		if word == "STD_NORM_EU_AGGR_DURATION" {
			units = set.xves()
		}
		multiply := step{kind: stepApply, apply: operations["FMUL"]}
		divide := step{kind: stepApply, apply: operations["FDIV"]}
		// 100 x self / (clocks x XVEs), in percent; without XVEs for units that
		// the GPU has once.
		return []step{{constant: realNumber(100)}, {kind: stepCounter, at: self}, multiply,
			{kind: stepCounter, at: clocks}, {constant: wholeNumber(units)}, multiply, divide}, nil
	default:
		return nil, fmt.Errorf("the element %s is not known", word)
	}
	at, known := set.byName[value]
	// Values are computed in file order. Therefore a later metric's value is
	// not available, and a metric cannot depend on itself.
	if !known || kind == stepMetric && at >= self {
		return nil, fmt.Errorf("the symbol %q is not known", value)
	}
	return []step{{kind: kind, at: at}}, nil
}

// compileRead returns the steps of an element that reads a report. The
// difference between two reports is computed for each read, with its width. A
// difference between the equation's results would be wrong if a counter wraps.
func compileRead(e *element, word, value string, delta element) ([]step, error) {
	widths := map[string]int{"RD_UINT8": 1, "RD_UINT16": 2, "RD_UINT32": 4, "RD_UINT64": 8,
		// The low 32 bits; the upper 8 bits are elsewhere in the report.
		"RD_40BIT_CNTR_ByteOffset": 4}
	s := step{width: widths[word], high: -1}
	if s.width == 0 {
		return nil, fmt.Errorf("the element %s is not known", word)
	}
	s.mask = 1<<(8*s.width) - 1
	var err error
	if s.at, err = offset(value); err != nil {
		return nil, err
	}
	if strings.HasPrefix(word, "RD_40") {
		if s.high, err = offset(e.High); err != nil {
			return nil, err
		}
		s.mask = 1<<40 - 1
	}
	if s.at+s.width > reportSize {
		return nil, fmt.Errorf("it reads past the end of a report of %d bytes", reportSize)
	}
	switch function, _ := delta.word(); function {
	case "DELTA_N_BITS":
		s.kind = stepDifference
	case "DELTA_NS_TIME":
		// Newer GPUs' timestamps have 56 bits in a 64-bit field.
		s.kind, s.mask = stepDifference, s.mask&(1<<56-1)
	case "DELTA_FUNCTION_NULL", "DELTA_GET_LAST":
		s.kind = stepState
	case "DELTA_GET_PREVIOUS":
		s.kind = stepBefore
	default:
		return nil, fmt.Errorf("the function %s is not known", function)
	}
	return []step{s}, nil
}

// offset returns a read's offset, which must be inside a report.
func offset(text string) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil || v < 0 || v >= reportSize {
		return 0, fmt.Errorf("it reads at byte %q of a report of %d bytes", text, reportSize)
	}
	return v, nil
}

// A number is a value in an equation: an unsigned integer or a floating-point
// number. Intel's library computes with 32-bit floating point, in which 40-bit
// counters lose precision. With 64 bits, the results match the values that
// VTune prints.
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

// u returns the number as an unsigned integer. It limits the value, because in
// Go, converting a value that does not fit is undefined and depends on the
// processor.
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

// operations are the operations in metrics_discovery_api.h. A division by zero
// returns 0.
var operations = map[string]func(a, b number) number{
	"RSHIFT": func(a, b number) number { return wholeNumber(a.u() >> b.u()) },
	"LSHIFT": func(a, b number) number { return wholeNumber(a.u() << b.u()) },
	"AND":    func(a, b number) number { return wholeNumber(a.u() & b.u()) },
	"OR":     func(a, b number) number { return wholeNumber(a.u() | b.u()) },
	"XOR":    func(a, b number) number { return wholeNumber(a.u() ^ b.u()) },
	"XNOR":   func(a, b number) number { return wholeNumber(^(a.u() ^ b.u())) },
	"AND_L":  func(a, b number) number { return truth(a.u() != 0 && b.u() != 0) },
	"EQUALS": func(a, b number) number { return truth(a.u() == b.u()) },
}

func init() {
	arithmetic("U", number.u, wholeNumber)
	arithmetic("F", number.f, realNumber)
}

// arithmetic adds the operations that exist for whole and for real numbers.
func arithmetic[T uint64 | float64](prefix string, of func(number) T, is func(T) number) {
	for name, apply := range map[string]func(a, b T) T{
		"ADD": func(a, b T) T { return a + b },
		"SUB": func(a, b T) T { return a - b },
		"MUL": func(a, b T) T { return a * b },
		"DIV": func(a, b T) T {
			if b == 0 {
				return 0
			}
			return a / b
		},
		"MIN": func(a, b T) T { return min(a, b) },
		"MAX": func(a, b T) T { return max(a, b) },
	} {
		operations[prefix+name] = func(a, b number) number { return is(apply(of(a), of(b))) }
	}
	for name, holds := range map[string]func(a, b T) bool{
		"GT":  func(a, b T) bool { return a > b },
		"LT":  func(a, b T) bool { return a < b },
		"GTE": func(a, b T) bool { return a >= b },
		"LTE": func(a, b T) bool { return a <= b },
	} {
		operations[prefix+name] = func(a, b number) number { return truth(holds(of(a), of(b))) }
	}
}

func truth(v bool) number {
	if v {
		return wholeNumber(1)
	}
	return wholeNumber(0)
}

// A plan computes some metrics in a set from pairs of reports. It is created
// once per set and evaluated for a million samples, so it owns all the memory
// that this needs.
type plan struct {
	*metricSet
	used                []int // indexes of the counters needed, directly or indirectly
	delta, value, stack []number
}

func newPlan(set *metricSet) plan {
	return plan{metricSet: set, delta: make([]number, len(set.Counters)), value: make([]number, len(set.Counters)),
		stack: make([]number, maxStack)}
}

// need adds a counter and the counters on which it depends, in file order.
func (p *plan) need(i int) error {
	if slices.Contains(p.used, i) {
		return nil
	}
	c := p.Counters[i]
	if c.unsupported != nil {
		return fmt.Errorf("%s: %w", c.Name, c.unsupported)
	}
	// Add the counter before its dependencies, so that circular references end.
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

// compute computes the metrics between two reports. It computes all differences
// first, because an equation may use any counter's difference, but only earlier
// counters' values (md_metrics_calculator.h).
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

// run returns an equation's result, or 0 for an empty one. It keeps the top of
// the stack in a variable, because most of the time for reading a result is
// spent here.
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

// load returns a read's bytes in a report with reportSize bytes.
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
