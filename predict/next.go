package predict

import (
	"fmt"
	"math"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// A NextStep is a change that relaxes one of a launch's limits by one step: "2
// KB less SLM per work-group: 5 work-groups per Xe-core instead of 4, Xe-core
// 62.5 -> 78.1%".
type NextStep struct {
	Limits []string // the relaxed limit
	Change Change
	Of     string     // quantity that changes: "Xe-core", "peak", "average"
	Before unit.Ratio // now
	After  unit.Ratio // with only this change
	// Alone is false if other limits prevent a gain from only this change.
	Alone      bool
	Text       string
	Prediction Prediction // with only this change
}

// nextSteps returns the next step for every limit that has one. The list is
// never nil. It is empty for a launch that cannot run, and for a launch that
// fills every slot all the time.
func nextSteps(d *arch.Device, l Launch, may VariableSettings) []NextStep {
	n := stepFinder{d: d, l: l, may: may, steps: []NextStep{}}
	var err error
	if n.p, err = Predict(d, l); err != nil {
		return n.steps
	}
	n.resolve(d, &l)
	n.moreSLM()
	n.fewerBarriers()
	n.resizeForThreads()
	// Enlarge the work-groups, because their number is limited.
	if n.limiting(LimitGroupSlots) && !n.limiting(LimitThreads) {
		n.resize(LimitGroupSlots, n.modeSlots/n.p.GroupsPerXeCore)
	}
	n.smallerMode()
	if n.p.HasGrid() {
		n.grid()
	}
	return n.steps
}

// moved returns the value's change, for example "62.5 -> 78.1%".
func (s *NextStep) moved() string {
	return strings.TrimSuffix(percent(s.Before), "%") + " -> " + percent(s.After)
}

func changeOf(setting string, from, to int64) Change {
	return Change{Setting: setting, From: from, To: to}.worded()
}

type stepFinder struct {
	d   *arch.Device
	l   Launch
	may VariableSettings
	p   Prediction
	resolvedLaunch
	steps []NextStep
}

func (n *stepFinder) limiting(l Limit) bool { return n.p.XeCoreLimits&l != 0 }

// moreSLM finds the largest allocation step that allows one more work-group.
func (n *stepFinder) moreSLM() {
	if !n.limiting(LimitSLM) {
		return
	}
	share := n.d.SLMPerXeCore / unit.Bytes(n.p.GroupsPerXeCore+1)
	var fits unit.Bytes
	for _, step := range n.d.SLMSteps {
		if step <= share {
			fits = step
		}
	}
	if fits <= 0 || fits >= n.l.SLM {
		return
	}
	other := n.l
	other.SLM = fits
	n.xeCore(LimitSLM, other, changeOf(SettingSLM, int64(n.l.SLM), int64(fits)),
		unit.FormatBytes(n.l.SLM-fits)+" less SLM per work-group")
}

func (n *stepFinder) fewerBarriers() {
	if !n.limiting(LimitBarriers) {
		return
	}
	other := n.l
	other.Barriers = int(int64(barrierSlots(n.d, n.l).Count) / (n.p.GroupsPerXeCore + 1))
	if other.Barriers < 1 {
		return
	}
	n.xeCore(LimitBarriers, other, changeOf(SettingBarriers, int64(n.l.Barriers), int64(other.Barriers)),
		unit.Plural(int64(n.l.Barriers-other.Barriers), "fewer barrier")+" per work-group")
}

// resizeForThreads tries both directions: smaller work-groups, so that one more
// fits, and larger work-groups that use the remaining slots. With Free, other
// work-groups' threads already use these slots.
func (n *stepFinder) resizeForThreads() {
	left := n.modeSlots - n.p.ThreadsPerGroup*n.p.GroupsPerXeCore
	if !n.limiting(LimitThreads) || left == 0 || n.p.Policy == Free {
		return
	}
	if smaller := n.modeSlots / (n.p.GroupsPerXeCore + 1); smaller > 0 {
		n.resize(LimitThreads, smaller)
	}
	n.resize(LimitThreads, n.modeSlots/n.p.GroupsPerXeCore)
}

// resize proposes work-groups with the given number of threads if that gains
// occupancy.
func (n *stepFinder) resize(limit Limit, threads int64) {
	to := min(threads*int64(n.l.SIMD), LargestGroup(n.d, n.l)/int64(n.l.SIMD)*int64(n.l.SIMD))
	if to < 1 || to == n.p.GroupSize {
		return
	}
	other := n.l
	if items, ok := n.l.Global.Items(); ok {
		other.Global = unit.Size(items)
	}
	other.Local = unit.Size(to)
	if scaled, ok := scaledSLM(n.l, other.Local); ok && n.may.SLM {
		other.SLM = scaled
	}
	what := unit.Plural(n.p.GroupSize-to, "fewer work-item")
	if to > n.p.GroupSize {
		what = unit.Plural(to-n.p.GroupSize, "more work-item")
	}
	if p, err := Predict(n.d, other); err != nil || p.XeCore <= n.p.XeCore {
		return
	}
	what += " per work-group"
	if other.SLM > 0 {
		what += " with " + unit.FormatBytes(other.SLM) + " SLM"
	}
	n.xeCore(limit, other, changeOf(SettingLocal, n.p.GroupSize, to), what)
}

// smallerMode proposes the largest mode that allows more threads.
func (n *stepFinder) smallerMode() {
	if n.p.Limits&LimitRegisters == 0 {
		return
	}
	var to arch.GRFMode
	for _, m := range n.d.DistinctModes() {
		if m.ThreadsPerXVE > n.mode.ThreadsPerXVE && m.Registers > to.Registers {
			to = m
		}
	}
	if to.Registers == 0 {
		return
	}
	other := n.l
	other.GRF = to.Registers
	n.xeCore(LimitRegisters, other, changeOf(SettingGRF, int64(n.mode.Registers), int64(to.Registers)),
		fmt.Sprintf("%d registers per thread instead of %d", to.Registers, n.mode.Registers))
}

// xeCore adds a step that allows more threads per Xe-core. With a grid, its gain
// is the gain of the launch, because too few work-groups may fill no more slots.
func (n *stepFinder) xeCore(limit Limit, other Launch, change Change, what string) {
	p, err := Predict(n.d, other)
	if err != nil {
		return
	}
	s := NextStep{Limits: limit.Names(), Change: change, Prediction: p}
	s.Of, s.Before, s.After = "Xe-core", n.p.XeCore, p.XeCore
	fuller := s.After > s.Before
	switch {
	case !fuller && (p.GroupsPerXeCore > n.p.GroupsPerXeCore || n.p.XeCoreOfMode == 1):
		return // the slots are full, so nothing can be gained
	case !fuller:
		others := strings.Join((p.XeCoreLimits &^ limit).Names(), ", ")
		s.Text = fmt.Sprintf("%s: one more work-group would fit, but other limits prevent it: %s", what, others)
		n.steps = append(n.steps, s)
		return
	case p.GroupsPerXeCore > n.p.GroupsPerXeCore:
		s.Text = fmt.Sprintf("%s: %d work-groups per Xe-core instead of %d, ", what, p.GroupsPerXeCore,
			n.p.GroupsPerXeCore)
	default:
		s.Text = what + ": a larger share of the thread slots, "
	}
	onXeCore := "Xe-core " + s.moved()
	if n.p.HasGrid() {
		s.Of, s.Before, s.After = "average", n.p.Average, p.Average
		if math.Abs(float64(p.Average-n.p.Average)) < sameResult {
			s.Of, s.Before, s.After = "peak", n.p.Peak, p.Peak
		}
	}
	switch gain := float64(s.After - s.Before); {
	case gain >= sameResult:
		s.Alone = true
		s.Text += s.Of + " " + s.moved()
	case gain <= -sameResult:
		s.Text += onXeCore + ", but " + s.Of + " " + s.moved()
	default:
		s.Text += fmt.Sprintf("%s, but the GPU's peak stays %s, limited by %s", onXeCore, percent(s.After),
			strings.Join(p.Limits.Names(), ", "))
	}
	n.steps = append(n.steps, s)
}

// grid adds steps that fill the GPU or its last wave with work-groups.
func (n *stepFinder) grid() {
	wave := n.p.capacity(n.d, n.modeSlots)
	t := n.p.ThreadsPerGroup
	total := n.p.Groups * t
	full := total / wave
	rest := total % wave
	if rest == 0 {
		return
	}
	if full == 0 {
		up := ceilDiv(wave, t)
		n.groups(LimitGrid, up, "peak", unit.Plural(up-n.p.Groups, "more work-group")+" for a full GPU")
		return
	}
	if n.p.Limits&LimitTail == 0 {
		return
	}
	// Round so that the waves are full or one work-group short, because a
	// work-group's fraction cannot be launched.
	up, down := (full+1)*wave/t, full*wave/t
	n.groups(LimitTail, up, "average", unit.Plural(up-n.p.Groups, "more work-group")+" for a full last wave")
	n.groups(LimitTail, down, "average", unit.Plural(n.p.Groups-down, "fewer work-group")+" for no partial wave")
}

// groups adds a step that changes the work-group count if that gains occupancy.
func (n *stepFinder) groups(limit Limit, to int64, of, what string) {
	if to == n.p.Groups || to < 1 {
		return
	}
	other := n.l
	items := n.p.GroupSize * to
	if items/to != n.p.GroupSize {
		return
	}
	other.Local, other.Global = unit.Size(n.p.GroupSize), unit.Size(items)
	p, err := Predict(n.d, other)
	if err != nil {
		return
	}
	s := NextStep{Limits: limit.Names(), Change: changeOf(SettingGroups, n.p.Groups, to), Of: of,
		Before: n.p.Peak, After: p.Peak, Prediction: p, Alone: true}
	if of == "average" {
		s.Before, s.After = n.p.Average, p.Average
	}
	if s.After <= s.Before {
		return
	}
	s.Text = what + ": " + of + " " + s.moved()
	n.steps = append(n.steps, s)
}
