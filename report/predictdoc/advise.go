package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// adviceList is the JSON output of `occudiff advise` for a launch.
type adviceList struct {
	Schema  string        `json:"schema"`
	Device  *report.Table `json:"device"`
	Kernels *report.Table `json:"kernels"`
	Notes   *report.Table `json:"notes"`
}

// advice is the list of changes that raise the occupancy of one launch.
type advice struct {
	launch predict.Launch
	found  predict.Advice
}

// setting is a proposed launch, or the current launch.
type setting struct {
	predict.Setting
	what string // label in the table of settings
}

// sameSLM is the label of the best setting that keeps the SLM per work-item.
const sameSLM = "best, same SLM"

// words returns the changes compared with the current launch.
func (s *setting) words() string {
	text, local := "", false
	for i, c := range s.Changes {
		if i > 0 {
			text += ", "
		}
		text += c.Text
		local = local || c.Setting == predict.SettingLocal
	}
	if local && s.Prediction.Partial {
		text += ", does not divide the global size: SYCL rejects that"
	}
	return text
}

// adviceColumns are the columns for a launch.
var adviceColumns = slices.Concat(
	report.Within("", "launch",
		func(a *advice) *predict.Launch { return &a.launch },
		report.InJSON(launchColumns)),
	report.Part("", "current",
		func(a *advice) *predict.Prediction { return a.found.Current },
		report.InJSON(predictionColumns)),
	[]report.Col[advice]{
		report.JSON("message",
			func(a *advice) string { return errorText(a.found.Rejection) },
			report.NonZero),
		report.List("best", func(a *advice) []setting {
			return report.ListOf(a.found.Best, func(s predict.Setting) setting { return setting{s, "best"} })
		}, settingColumns),
	},
	report.Part("", "least_change", func(a *advice) *setting {
		if a.found.Least == nil {
			return nil
		}
		return &setting{*a.found.Least, "least change"}
	}, report.InJSON(settingColumns)),
	report.Part("", "best_same_slm", func(a *advice) *setting {
		if a.found.SameSLM == nil {
			return nil
		}
		return &setting{*a.found.SameSLM, sameSLM}
	}, report.InJSON(settingColumns)),
	[]report.Col[advice]{
		report.List("next_steps",
			func(a *advice) []predict.NextStep { return a.found.Next },
			nextColumns),
		report.JSON("work_groups_that_fill",
			func(a *advice) int64 { return a.found.FullGrid.Least },
			report.NonZero),
		report.JSON("work_groups_without_tail",
			func(a *advice) int64 { return a.found.FullGrid.Multiple },
			report.NonZero),
		report.JSON("slm_room_bytes",
			func(a *advice) unit.Bytes { return a.found.SLMRoom },
			report.NonZero),
	})

// settingColumns are the columns for a proposed launch, and for the table that
// compares it with the current launch.
var settingColumns = slices.Concat(
	report.Within("", "launch",
		func(s *setting) *predict.Launch { return &s.Launch },
		report.InJSON(launchColumns)),
	[]report.Col[setting]{
		report.Shown("what", "Setting",
			func(s *setting) string { return s.what },
			report.NonZero),
		report.Shown("local", "Work-group",
			func(s *setting) unit.Size3 { return s.Launch.Local }),
		report.Shown("simd", "SIMD",
			func(s *setting) int { return s.Launch.SIMD },
			report.Drop(6), report.NonZero),
		report.Shown("slm", "SLM",
			func(s *setting) unit.Bytes { return s.Launch.SLM },
			report.Drop(2)),
		report.Shown("registers", "Registers",
			func(s *setting) int { return s.Launch.GRF },
			report.Drop(1),
			report.NonZero),
		report.List("changes",
			func(s *setting) []predict.Change { return s.Changes },
			changeColumns),
	},
	report.Part("", "predicted",
		func(s *setting) *predict.Prediction { return &s.Prediction },
		report.InJSON(predictionColumns, "work_groups_per_xe_core", "xe_core_percent", "peak_percent",
			"average_percent")),
	[]report.Col[setting]{
		report.Shown("changes", "Change", (*setting).words, report.Fold, report.NonZero),
	})

var changeColumns = []report.Col[predict.Change]{
	report.JSON("setting",
		func(c *predict.Change) string { return c.Setting }),
	report.JSON("text",
		func(c *predict.Change) string { return c.Text }),
	report.JSON("from",
		func(c *predict.Change) int64 { return c.From }),
	report.JSON("to", func(c *predict.Change) int64 { return c.To }),
}

var nextColumns = slices.Concat([]report.Col[predict.NextStep]{
	report.JSON("limits",
		func(n *predict.NextStep) []string { return n.Limits }),
	report.JSON("before_percent",
		func(n *predict.NextStep) unit.Ratio { return n.Before }),
	report.JSON("after_percent",
		func(n *predict.NextStep) unit.Ratio { return n.After }),
	report.JSON("alone",
		func(n *predict.NextStep) bool { return n.Alone }),
}, report.Within("", "change",
	func(n *predict.NextStep) *predict.Change { return &n.Change },
	changeColumns), []report.Col[predict.NextStep]{
	report.JSON("of",
		func(n *predict.NextStep) string { return n.Of }),
	report.JSON("text",
		func(n *predict.NextStep) string { return n.Text }),
})

// Advise returns the changes that raise the occupancy of a launch.
func Advise(t *arch.Choice, l predict.Launch, may predict.VariableSettings) (*report.Output, error) {
	found, err := predict.Advise(t.Device, l, may)
	if err != nil {
		return nil, err
	}
	c := advice{launch: l, found: found}
	pg := page{
		title:    "Advice",
		key:      "advice",
		heading:  "Settings with the highest occupancy",
		closing:  c.best(),
		items:    c.items(),
		table:    report.NewTable("best", "", c.settings(), settingColumns),
		headline: []string{DeviceLine(t.Device)},
	}
	if line := launchLine(&l); line != "" {
		pg.headline = append(pg.headline, line)
	}
	pg.headline = append(pg.headline, c.now())
	if found.Current == nil && found.Rejection != nil && !l.Local.Present() && l.SIMD == 0 && !l.Global.Present() {
		pg.addFull(t.Device)
	}
	kernels := report.NewTable("kernels", "", []advice{c}, adviceColumns)
	return pg.output(adviceList{adviseSchema, deviceValue(t), kernels, report.Notes(t.Notes)}), nil
}

// settings returns the rows of the settings table: the current launch and the
// proposals. If few settings may change, the least change is often also the
// best change. The table then has it only once.
func (c *advice) settings() (list []setting) {
	if c.found.Current != nil {
		list = append(list, setting{predict.Setting{Launch: c.launch, Prediction: *c.found.Current}, "now"})
	}
	best := c.found.Best
	if l := c.found.Least; l != nil && (len(best) == 0 || !slices.Equal(l.Changes, best[0].Changes)) {
		list = append(list, setting{*l, "least change"})
	}
	if s := c.found.SameSLM; s != nil {
		list = append(list, setting{*s, sameSLM})
	}
	for i := range best {
		if len(best[i].Changes) > 0 || c.found.Current == nil {
			list = append(list, setting{best[i], "best"})
		} else if c.gains() == nil { // the current launch is the best setting
			list[0].what = "now, best"
		}
	}
	return list
}

// now describes the current launch.
func (c *advice) now() string {
	// The current launch has no prediction in two cases: one of its settings
	// was not given and is searched, or its settings were rejected.
	p := c.found.Current
	switch {
	case p == nil && !c.launch.Local.Present():
		return "All work-group sizes are searched."
	case p == nil && c.launch.SIMD == 0:
		return "All sub-group sizes are searched."
	// The rejection contains the rejected value, the limit, and the size that
	// would fit; see predict.LaunchError.
	case p == nil:
		return "Now: cannot run, " + errorText(c.found.Rejection)
	}
	text := "Now: " + reached(p)
	if p.IdleLanes > 0 {
		text += fmt.Sprintf(". %s of the lanes are idle, and the ranking counts only the others",
			p.IdleLaneShare())
	}
	if p.HasGrid() && p.XeCoreLimits != 0 && p.Limits&p.XeCoreLimits == 0 {
		text += ". A full Xe-core has " + p.XeCore.String() + ", limited by " +
			unit.JoinWords(p.XeCoreLimits.Names(), "and")
	}
	return text
}

// best returns a summary of the advice.
func (c *advice) best() string {
	// This result is not an error, because the user may have used --fix to fix
	// every setting that prevents the launch.
	if len(c.found.Best) == 0 {
		return "No change of the allowed settings makes the launch run."
	}
	best := &c.found.Best[0]
	if len(best.Changes) == 0 && c.found.Current != nil {
		if n := c.gains(); n != nil { // such a step changes the number of work-groups, which is not searched
			return report.UpperFirst(stepText(*n)) + ". No other setting does better."
		}
		return "No change of the allowed settings does better than the launch as it is."
	}
	text := "Best: " + best.Words() + "."
	if n := c.found.Equal; n > 1 {
		text = report.Thousands(n) + " settings reach " + best.Reached() + ". The list begins with the smallest " +
			"change, the largest sub-group, and the smallest work-group."
	}
	switch same := c.found.SameSLM; {
	case !c.found.LessSLM:
		return text
	case same != nil:
		return text + " This needs less SLM per work-item than the launch. With the same SLM per work-item: " +
			same.Words() + "."
	}
	return text + " This needs less SLM per work-item than the launch. With the same SLM per work-item, no setting " +
		"does better than the launch."
}

// gains returns the next step that raises the occupancy the most without other
// changes, or nil if there is none.
func (c *advice) gains() (best *predict.NextStep) {
	reaches := func(n *predict.NextStep) unit.Ratio {
		r, _ := figure(&n.Prediction)
		return r
	}
	for i := range c.found.Next {
		if n := &c.found.Next[i]; n.Alone && (best == nil || reaches(n) > reaches(best)) {
			best = n
		}
	}
	return best
}

// items returns other remedies: the next step for each limit, the number of
// work-groups that fill the GPU, and the free SLM.
func (c *advice) items() (items []report.Item) {
	add := func(lead, format string, args ...any) {
		items = append(items, report.Item{Lead: lead, Text: fmt.Sprintf(format, args...)})
	}
	a := &c.found
	for _, n := range a.Next {
		inTable := false
		if a.Least != nil {
			l := &a.Least.Changes[0]
			inTable = n.Change.Setting == l.Setting && n.Change.To == l.To
		}
		if !inTable {
			add("next step", "%s", stepText(n))
		}
	}
	if a.FullGrid.Least > 0 { // with fewer work-groups, some XVEs are idle, whatever the size of the work-groups
		add("grid", "%s fill the GPU; multiples of %s leave no partial last wave",
			unit.Plural(a.FullGrid.Least, "work-group"), report.Thousands(a.FullGrid.Multiple))
	}
	if c.launch.SLM > 0 && a.SLMRoom > c.launch.SLM {
		add("SLM", "up to %s per work-group do not change the number of work-groups per Xe-core",
			unit.FormatBytes(a.SLMRoom))
	}
	return items
}

// stepText returns the description of a next step. It includes the conditions
// for the step.
func stepText(n predict.NextStep) string {
	if n.Prediction.Partial && n.Change.Setting == predict.SettingLocal {
		return n.Text + fmt.Sprintf(" (a what-if: %s work-items do not divide the global size)",
			report.Thousands(n.Prediction.GroupSize))
	}
	return n.Text
}

// probeList is the JSON output of `advise --probe`.
type probeList struct {
	Schema  string        `json:"schema"`
	Device  *report.Table `json:"device"`
	Launch  *report.Table `json:"launch"`
	Current *report.Table `json:"current"`
	Probes  *report.Table `json:"probes"`
}

// probe is a launch with one changed setting, and its predicted occupancy. The
// work stays the same, so that times per work-item can be compared.
type probe struct {
	predict.Setting
	slm    unit.Opt[unit.Bytes] // only if SLM is the changed setting
	source string               // change to make in the source
}

var probeColumns = []report.Col[probe]{
	report.Define("change", "Change",
		func(p *probe) string { return briefly.Replace(p.Changes[0].Text) }),
	report.Define("slm", "SLM",
		func(p *probe) unit.Opt[unit.Bytes] { return p.slm },
		report.Wide,
		report.Path("slm_bytes")),

	report.Define("local", "Work-group",
		func(p *probe) unit.Size3 { return p.Launch.Local },
		report.Wide),
	report.Define("registers", "Registers",
		func(p *probe) int { return p.Launch.GRF },
		report.Wide, report.NonZero),
	report.Define("work_groups_per_xe_core", "Per Xe-core",
		func(p *probe) int64 { return p.Prediction.GroupsPerXeCore }),
	report.Define("peak_percent", "Predicted peak",
		func(p *probe) unit.Ratio { return p.Prediction.Peak }),
	report.Define("average_percent", "Predicted average",
		func(p *probe) unit.Ratio { return p.Prediction.Average }),
	report.Shown("source", "In the source",
		func(p *probe) string { return p.source },
		report.Fold, report.NonZero),
}

var briefly = strings.NewReplacer(" per work-group", "", " per thread", "")

// Probe returns settings that lower a launch's occupancy in steps without
// changing its work. Measuring them shows whether occupancy matters for the
// kernel.
func Probe(t *arch.Choice, l predict.Launch) (*report.Output, error) {
	now, err := predict.Predict(t.Device, l)
	if err != nil {
		return nil, err
	}
	found, err := predict.Probes(t.Device, l)
	if err != nil {
		return nil, err
	}
	probes, items := []probe{}, []report.Item(nil)
	for i := range found {
		p := probe{Setting: found[i]}
		// The text contains the names of SYCL and OpenCL and the compiler
		// option, so that it can be pasted.
		how := report.Item{Lead: "work-group",
			Text: "only if the kernel computes the same result in work-groups of any size"}
		switch p.Changes[0].Setting {
		case predict.SettingSLM:
			p.slm = unit.Some(p.Launch.SLM)
			// The text requests only the additional SLM, because the kernel
			// already has the rest.
			p.source = fmt.Sprintf("local_accessor<char> of %d bytes", p.Launch.SLM-l.SLM)
			how = report.Item{Lead: "SLM", Text: "SYCL: sycl::local_accessor<char>; OpenCL: a `__local char *` " +
				"argument, set with clSetKernelArg(kernel, i, BYTES, NULL). Write a byte of it under a condition that " +
				"the compiler cannot see to be false, or it drops the SLM"}
		case predict.SettingLocal:
			p.source = "local size " + p.Launch.Local.String()
		default:
			p.source = "-ze-opt-large-register-file"
			how = report.Item{Lead: "GRF mode", Text: "a build option of the kernels; OpenCL: " +
				"-cl-intel-256-GRF-per-thread. It also changes the code: fewer spills may hide the cost of fewer " +
				"threads"}
		}
		probes, items = append(probes, p), addOnce(items, how)
	}
	v := probeList{adviseSchema, deviceValue(t), launchValue(&l), predictedValue(&now),
		report.NewTable("probes", "", probes, probeColumns)}
	pg := page{
		title:    "Probes",
		key:      "probes",
		heading:  "Probes",
		table:    v.Probes,
		items:    items,
		headline: []string{DeviceLine(t.Device), launchLine(&l), "Now: " + reached(&now)},
		closing: "Measure the launch as it is and with each probe, several times each, and compare them with " +
			"'occudiff diff BASE PROBE...'. If less occupancy takes no more time per work-item, occupancy " +
			"is sufficient.",
	}
	if len(probes) == 0 {
		pg.closing = "No setting lowers the occupancy by " + report.Shortest(predict.MinProbe) + " points or more."
	}
	return pg.output(v), nil
}
