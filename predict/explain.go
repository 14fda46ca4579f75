package predict

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// A Step is one line of a prediction's explanation.
type Step struct {
	Label      string // the result's name: "threads per work-group"
	Formula    string // with numbers: "ceil(320 / 32)"
	Value      string // "10", "62.5%"
	Limiting   bool   // the step is a resource that allows no more than N
	Supporting bool   // explains a value in another step, or a resource that is not limiting
}

// Explain returns a prediction's explanation, in computation order. It returns
// the same errors as Predict.
func Explain(d *arch.Device, l Launch) ([]Step, error) {
	p, err := Predict(d, l)
	if err != nil {
		return nil, err
	}
	e := explainer{d: d, l: l, p: &p}
	e.resolve(d, &l)
	e.launch()
	e.resources()
	e.xeCore()
	if p.HasGrid() {
		e.gpu()
	}
	e.limits()
	return e.steps, nil
}

type explainer struct {
	d *arch.Device
	l Launch
	p *Prediction
	resolvedLaunch
	steps []Step
}

// add adds a step. formula is a format if there are figures.
func (e *explainer) add(label, value, formula string, figures ...any) {
	if len(figures) > 0 {
		formula = fmt.Sprintf(formula, figures...)
	}
	e.steps = append(e.steps, Step{Label: label, Formula: formula, Value: value})
}

// supporting marks the last step as supporting.
func (e *explainer) supporting() { e.steps[len(e.steps)-1].Supporting = true }

// bound adds an Xe-core resource. It is marked if it is limiting.
func (e *explainer) bound(l Limit, label string, n int64, formula string, figures ...any) {
	value := unit.Thousands(n)
	if n == Unlimited {
		value = "no limit"
	}
	e.add(label, value, formula, figures...)
	s := &e.steps[len(e.steps)-1]
	s.Limiting = n != Unlimited && e.p.XeCoreLimits&l != 0
	s.Supporting = !s.Limiting && l != LimitThreads
}

// launch explains the launch's values.
func (e *explainer) launch() {
	p, d, lanes := e.p, e.d, e.p.ThreadsPerGroup*int64(e.l.SIMD)
	e.add("work-group size", unit.Plural(p.GroupSize, "work-item"), product(e.l.Local))
	e.supporting()
	e.add("threads per work-group", unit.Thousands(p.ThreadsPerGroup), "ceil(%d / %d)", p.GroupSize, e.l.SIMD)
	if p.IdleLanes > 0 {
		e.add("idle lanes", fmt.Sprintf("%d of %d (%s)", p.IdleLanes, lanes, percent(ratio(p.IdleLanes, lanes))),
			"%d x %d - %d in each work-group", p.ThreadsPerGroup, e.l.SIMD, p.GroupSize)
	}
	e.add("thread slots per Xe-core", unit.Thousands(e.slots), "%d XVE x %d threads", d.XVEPerXeCore, d.ThreadsPerXVE)
	e.supporting()
	e.add("share of one work-group", percent(ratio(p.ThreadsPerGroup, e.slots)), "%d / %d", p.ThreadsPerGroup, e.slots)
	e.supporting()
	if e.modeSlots != e.slots {
		e.add("slots of the GRF mode", unit.Thousands(e.modeSlots), "%d XVE x %d threads at %d registers",
			d.XVEPerXeCore, e.mode.ThreadsPerXVE, e.mode.Registers)
	}
}

// resources explains how many work-groups each Xe-core resource allows.
func (e *explainer) resources() {
	d, l, p := e.d, e.l, e.p
	e.bound(LimitThreads, "work-groups by threads", p.ByThreads, "floor(%d / %d)", e.modeSlots, p.ThreadsPerGroup)
	formula := "no SLM used"
	if l.SLM > 0 {
		formula = fmt.Sprintf("floor(%s / %s)", unit.FormatBytes(d.SLMPerXeCore), unit.FormatBytes(p.SLMAllocated))
		if p.SLMAllocated != l.SLM {
			formula += fmt.Sprintf(", %s rounded up to an allocation step", unit.FormatBytes(l.SLM))
		}
	}
	e.bound(LimitSLM, "work-groups by SLM", p.BySLM, formula)
	formula = "work-group slots per Xe-core"
	if l.GroupSlots > 0 {
		formula += ", as given"
	}
	e.bound(LimitGroupSlots, "work-groups by slots", p.ByGroupSlots, formula)
	formula = "no barrier used"
	if l.Barriers > 0 {
		slots := barrierSlots(d, l)
		formula = fmt.Sprintf("floor(%d / %d), barrier slots: %s", slots.Count, l.Barriers, slots.Source)
	}
	e.bound(LimitBarriers, "work-groups by barriers", p.ByBarriers, formula)
}

// xeCore explains the model's section 1: one Xe-core.
func (e *explainer) xeCore() {
	t, n := e.p.ThreadsPerGroup, e.p.GroupsPerXeCore
	e.add("work-groups per Xe-core", unit.Thousands(n), "the least of these")
	e.add("Xe-core occupancy", percent(e.p.XeCore), "%d x %d / %d", t, n, e.slots)
	if e.modeSlots != e.slots {
		e.add("of the GRF mode's slots", percent(e.p.XeCoreOfMode), "%d x %d / %d", t, n, e.modeSlots)
	}
}

// gpu explains the model's section 2: the waves.
func (e *explainer) gpu() {
	p, d := e.p, e.d
	formula := e.l.Global.String() + " / " + e.l.Local.String()
	if p.Partial {
		formula += ", rounded up: the last work-groups are smaller but count as whole ones"
	}
	e.add("work-groups", unit.Thousands(p.Groups), formula)
	wave, t := p.capacity(d, e.modeSlots), p.ThreadsPerGroup
	all := int64(d.Slots())
	e.add("dispatch policy", p.Policy.String(), policyReason(e.l))
	e.supporting()
	if p.Policy == Whole {
		e.add("GPU capacity", unit.Thousands(wave/t)+" work-groups", "%d Xe-cores x %d work-groups", d.XeCores,
			p.GroupsPerXeCore)
	} else {
		e.add("GPU capacity", decimal(float64(wave)/float64(t))+" work-groups", "%d thread slots / %d", wave, t)
	}
	e.supporting()
	total := p.Groups * t
	e.add("waves", decimal(p.Waves), "%d x %d / %d threads", p.Groups, t, wave)
	e.add("GPU peak occupancy", percent(p.Peak), "min(%d, %d) / %d", total, wave, all)
	if p.LastWaveOccupancy > 0 {
		e.add("occupancy of the last wave", percent(p.LastWaveOccupancy), "%d / %d", total%wave, all)
	} else {
		e.add("occupancy of the last wave", percent(p.Peak), "it is full")
	}
	waves := unit.FormatCount(ceilDiv(total, wave), "wave", "waves")
	e.add("GPU average occupancy", percent(p.Average), "%d / (%s x %d)", total, waves, all)
	if p.Ranges() {
		full, rest := total/wave, total%wave
		_, most := p.usedXVEs(d, wave)
		_, left := p.usedXVEs(d, rest)
		of := "threads per XVE"
		if p.drifts(full) {
			left, most, of = rest, wave, "threads"
		}
		e.add("GPU average, up to", percent(p.AverageHigh), "(%d x %d + t x %d) / (%d x (%d + t)), t = %d / %d %s",
			full, wave, rest, all, full, left, most, of)
		e.supporting()
	}
}

// limits adds all limiting resources, with a reason if the values above do not
// show it.
func (e *explainer) limits() {
	p := e.p
	var reasons []string
	if p.Limits&(LimitThreads|LimitSLM|LimitGroupSlots|LimitBarriers) != 0 {
		reasons = append(reasons, "the resource that allows the fewest work-groups")
	}
	if p.Limits&LimitRegisters != 0 {
		reasons = append(reasons, fmt.Sprintf("%d registers leave %d of %d threads per XVE",
			e.mode.Registers, e.mode.ThreadsPerXVE, e.d.ThreadsPerXVE))
	}
	if p.Limits&LimitGrid != 0 {
		reasons = append(reasons, "less than one wave of work-groups")
	}
	if p.Limits&LimitTail != 0 {
		cost := fmt.Sprintf("%.1f", p.Peak.Minus(p.Average))
		if p.Ranges() {
			cost = fmt.Sprintf("%.1f to %s", max(p.Peak.Minus(p.AverageHigh), 0), cost)
		}
		reasons = append(reasons, "the last wave costs "+cost+" points of the average")
	}
	e.add("limited by", strings.Join(p.Limits.Names(), ", "), strings.Join(reasons, "; "))
	e.supporting()
}

// policyReason returns the reason for a launch's policy.
func policyReason(l Launch) string {
	switch {
	case l.Policy == Free || l.Policy == Whole:
		return "as given"
	case l.SLM > 0 && l.Barriers > 0:
		return "SLM and barriers keep a work-group on one Xe-core"
	case l.SLM > 0:
		return "SLM keeps a work-group on one Xe-core"
	case l.Barriers > 0:
		return "a barrier keeps a work-group on one Xe-core"
	}
	return "without SLM and barriers, a thread can use any free slot"
}

// product returns a size with spaces: "16 x 16".
func product(s unit.Size3) string {
	return strings.ReplaceAll(s.String(), "x", " x ")
}

// decimal returns a number with up to two decimals, or with two digits if it is
// small. Only 0 prints as 0.
func decimal(v float64) string {
	if v > 0 && v < 0.005 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// percent returns a ratio with one decimal, or with more if that would print
// 0.0%.
func percent(r unit.Ratio) string {
	p := r.Percent()
	if p > 0 && p < 0.05 {
		return strconv.FormatFloat(p, 'g', 2, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}
