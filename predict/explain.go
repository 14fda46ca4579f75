package predict

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Step is one line of the reasoning behind a prediction.
type Step struct {
	Label   string // what is computed: "threads per work-group"
	Formula string // with the figures: "ceil(320 / 32)"
	Value   string // "10", "62.5 %"
	Binds   bool   // the step is a resource that admits no more than N
}

// StepDriver is the label of the step that gives the driver's formula.
const StepDriver = "driver's formula"

// Explain gives the reasoning behind the prediction of a launch, in the order in which it is computed, and the driver's
// formula as a last step where it differs. The error is the one that Predict gives.
func Explain(d *arch.Device, l Launch) ([]Step, error) {
	p, err := Predict(d, l)
	if err != nil {
		return nil, err
	}
	e := explainer{d: d, l: l, p: &p, slots: d.SlotsPerXeCore()}
	e.mode, _ = grfMode(d, l.GRF)
	e.modeSlots = d.XVEPerXeCore * min(e.mode.ThreadsPerXVE, d.ThreadsPerXVE)
	e.launch()
	e.resources()
	e.xeCore()
	if p.HasGrid() {
		e.gpu()
	}
	e.limits()
	e.driver()
	return e.steps, nil
}

type explainer struct {
	d                *arch.Device
	l                Launch
	p                *Prediction
	mode             arch.GRFMode
	slots, modeSlots int
	steps            []Step
}

func (e *explainer) add(label, formula, value string) {
	e.steps = append(e.steps, Step{Label: label, Formula: formula, Value: value})
}

// bound adds a resource of the Xe-core, marked when it binds.
func (e *explainer) bound(l Limit, label, formula string, n int64) {
	if n == Unlimited {
		e.add(label, formula, "no limit")
		return
	}
	e.steps = append(e.steps, Step{label, formula, unit.Thousands(n), e.p.XeCoreLimits&l != 0})
}

// launch explains what the launch is made of.
func (e *explainer) launch() {
	p, l := e.p, e.l
	e.add("work-group size", product(l.Local), unit.Thousands(p.GroupSize)+" work-items")
	e.add("threads per work-group", fmt.Sprintf("ceil(%d / %d)", p.GroupSize, l.SIMD), unit.Thousands(p.ThreadsPerGroup))
	if p.IdleLanes > 0 {
		e.add("idle lanes", fmt.Sprintf("%d x %d - %d, in the last sub-group of each work-group", p.ThreadsPerGroup, l.SIMD, p.GroupSize),
			fmt.Sprintf("%d of %d (%s)", p.IdleLanes, p.ThreadsPerGroup*int64(l.SIMD), percent(ratio(p.IdleLanes, p.ThreadsPerGroup*int64(l.SIMD)))))
	}
	e.add("thread slots per Xe-core", fmt.Sprintf("%d XVE x %d threads", e.d.XVEPerXeCore, e.d.ThreadsPerXVE), unit.Thousands(int64(e.slots)))
	if e.modeSlots != e.slots {
		e.add("of them for this kernel", fmt.Sprintf("%d XVE x %d threads at %d registers per thread", e.d.XVEPerXeCore, e.mode.ThreadsPerXVE, e.mode.Registers),
			unit.Thousands(int64(e.modeSlots)))
	}
}

// resources explains what each resource of an Xe-core admits.
func (e *explainer) resources() {
	d, l, p := e.d, e.l, e.p
	e.bound(LimitThreads, "work-groups by threads", fmt.Sprintf("floor(%d / %d)", e.modeSlots, p.ThreadsPerGroup), p.ByThreads)
	formula := "no SLM used"
	if l.SLM > 0 {
		formula = fmt.Sprintf("floor(%s / %s)", memory(d.SLMPerXeCore), memory(p.SLMAllocated))
		if p.SLMAllocated != l.SLM {
			formula += fmt.Sprintf(", %s rounded up to an allocation step", memory(l.SLM))
		}
	}
	e.bound(LimitSLM, "work-groups by SLM", formula, p.BySLM)
	formula = "work-group slots per Xe-core"
	if l.GroupSlots > 0 {
		formula += ", as given"
	}
	e.bound(LimitSlots, "work-groups by slots", formula, p.BySlots)
	formula = "no barrier used"
	if l.Barriers > 0 {
		slots := barrierSlots(d, l)
		formula = fmt.Sprintf("floor(%d / %d), barrier slots: %s", slots.Count, l.Barriers, slots.Source)
	}
	e.bound(LimitBarriers, "work-groups by barriers", formula, p.ByBarriers)
}

// xeCore explains section 1's result.
func (e *explainer) xeCore() {
	p := e.p
	e.add("work-groups per Xe-core", "the least of these", unit.Thousands(p.GroupsPerXeCore))
	e.add("Xe-core occupancy", fmt.Sprintf("%d x %d / %d", p.ThreadsPerGroup, p.GroupsPerXeCore, e.slots), percent(p.XeCore))
	if e.modeSlots != e.slots {
		e.add("of the slots that the GRF mode leaves", fmt.Sprintf("%d x %d / %d", p.ThreadsPerGroup, p.GroupsPerXeCore, e.modeSlots), percent(p.XeCoreOfMode))
	}
}

// gpu explains section 2: the waves.
func (e *explainer) gpu() {
	p, d := e.p, e.d
	formula := e.l.Global.String() + " / " + e.l.Local.String()
	if p.Partial {
		formula += ", rounded up in each dimension: the last work-group there is smaller and counts as a whole one"
	}
	e.add("work-groups", formula, unit.Thousands(p.Groups))
	wave := p.capacity(d, int64(e.modeSlots))
	all := int64(d.Slots())
	e.add("dispatch policy", policyReason(e.l), p.Policy.String())
	if p.Policy == Whole {
		e.add("GPU capacity", fmt.Sprintf("%d Xe-cores x %d work-groups", d.XeCores, p.GroupsPerXeCore), unit.Thousands(wave/p.ThreadsPerGroup)+" work-groups")
	} else {
		e.add("GPU capacity", fmt.Sprintf("%d thread slots / %d", wave, p.ThreadsPerGroup), decimal(float64(wave)/float64(p.ThreadsPerGroup))+" work-groups")
	}
	total := p.Groups * p.ThreadsPerGroup
	e.add("waves", fmt.Sprintf("%d x %d / %d threads", p.Groups, p.ThreadsPerGroup, wave), decimal(p.Waves))
	e.add("GPU peak occupancy", fmt.Sprintf("min(%d, %d) / %d", total, wave, all), percent(p.Peak))
	if p.Tail > 0 {
		e.add("occupancy of the last wave", fmt.Sprintf("%d / %d", total%wave, all), percent(p.Tail))
	} else {
		e.add("occupancy of the last wave", "it is full", percent(p.Peak))
	}
	lasting := ceilDiv(total, wave)
	e.add("GPU average occupancy", fmt.Sprintf("%d / (%s x %d)", total, plural(lasting, "wave", "waves"), all), percent(p.Average))
}

// limits names all that binds, with a reason where the figures above do not show it.
func (e *explainer) limits() {
	p := e.p
	var reasons []string
	if p.Limits&(LimitThreads|LimitSLM|LimitSlots|LimitBarriers) != 0 {
		reasons = append(reasons, "the least of the work-groups by resource")
	}
	if p.Limits&LimitRegisters != 0 {
		reasons = append(reasons, fmt.Sprintf("%d registers leave %d of %d threads per XVE", e.mode.Registers, e.mode.ThreadsPerXVE, e.d.ThreadsPerXVE))
	}
	if p.Limits&LimitGrid != 0 {
		reasons = append(reasons, "less than one wave of work-groups")
	}
	if p.Limits&LimitTail != 0 {
		reasons = append(reasons, fmt.Sprintf("the last wave costs %.1f points of the average", float64(p.Peak.Minus(p.Average))))
	}
	e.add("limited by", strings.Join(reasons, "; "), join(p.Limits.Names()))
}

func (e *explainer) driver() {
	r, err := DriverMaxGroups(e.d, e.l)
	if err != nil || !r.Differs {
		return
	}
	e.add(StepDriver, strings.Join(r.Reasons, "; "), fmt.Sprintf("%s co-resident work-groups, the model has %s", unit.Thousands(r.Groups), unit.Thousands(r.Model)))
}

// policyReason says why a launch has its policy.
func policyReason(l Launch) string {
	switch {
	case l.Policy == Free || l.Policy == Whole:
		return "as given"
	case l.SLM > 0 && l.Barriers > 0:
		return "SLM and barriers keep a work-group whole on one Xe-core"
	case l.SLM > 0:
		return "SLM keeps a work-group whole on one Xe-core"
	case l.Barriers > 0:
		return "a barrier keeps a work-group whole on one Xe-core"
	}
	return "without SLM and barriers a thread goes to any free slot"
}

// product words the dimensions of a size: "16 x 16".
func product(s unit.Size3) string {
	return strings.ReplaceAll(s.String(), "x", " x ")
}

// decimal words a number with up to two decimals, and a small one with two digits: nothing reads 0 that is not.
func decimal(v float64) string {
	if v > 0 && v < 0.005 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// percent words a ratio with one decimal, more for what would read 0.0 %.
func percent(r unit.Ratio) string {
	p := r.Percent()
	if p > 0 && p < 0.05 {
		return strconv.FormatFloat(p, 'g', 2, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}
