package launchdoc

import (
	"fmt"
	"strings"

	"occudiff/report"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// The keys of what documents of advice hold.
const (
	SectionAdvice = "advice"
	TableBest     = "best"
)

// AdviceCase is a launch and what would raise its occupancy. For a kernel of a run it also says what was seen there.
type AdviceCase struct {
	Device   *arch.Device
	ChosenBy string
	Launch   predict.Launch
	Advice   predict.Advice
	Row      *compare.Row // of a run, nil for a launch from the command line
	Notes    []note.Note
}

// FromAdvice builds the document of advice for one launch.
func FromAdvice(c *AdviceCase, version string) *report.Document {
	d := &report.Document{Whole: true, Title: "Advice", Version: version, Headline: []string{deviceLine(c.Device), launchLine(&c.Launch), nowLine(c)}}
	if launchLine(&c.Launch) == "" {
		d.Headline = []string{d.Headline[0], d.Headline[2]}
	}
	d.Closing = bestLine(c)
	s := report.Section{Key: SectionAdvice, Title: "Settings of the highest occupancy", Text: append(d.Headline[:len(d.Headline):len(d.Headline)], d.Closing),
		Items: adviceItems(c), ItemsIn: report.Terminal | report.Page}
	s.Tables = []*report.Table{inTerminal(bestTable([]AdviceCase{*c}, false))}
	d.Sections = []report.Section{s}
	return d
}

// FromAdvices builds the document of advice for the kernels of a run, those that matter most first.
func FromAdvices(cases []AdviceCase, below float64, kernels int, version string) *report.Document {
	d := &report.Document{Whole: true, Title: "Advice", Version: version}
	d.Closing = fmt.Sprintf("%d of %s predicted or measured below %s %%. A prediction is an upper bound: what else keeps a kernel down stands in 'occudiff validate'.",
		len(cases), report.Counted(kernels, "kernel is", "kernels are"), plainNumber(below))
	if len(cases) == 0 {
		d.Headline, d.Closing = []string{d.Closing}, ""
		d.Sections = []report.Section{{Key: SectionAdvice, Title: "Advice", Text: d.Headline, Tables: []*report.Table{bestTable(nil, true)}}}
		return d
	}
	d.Headline = []string{deviceLine(cases[0].Device)}
	s := report.Section{Key: SectionAdvice, Title: "Advice by kernel", Text: []string{d.Headline[0], d.Closing}, ItemsIn: report.Terminal | report.Page}
	s.Tables = []*report.Table{inTerminal(bestTable(cases, true))}
	for i := range cases {
		s.Items = append(s.Items, kernelItem(&cases[i]))
	}
	d.Sections = []report.Section{s}
	return d
}

// setting is a row of the table of settings: what there is now, or what is proposed.
type setting struct {
	c     *AdviceCase
	what  string // now, best, least change
	l     *predict.Launch
	p     *predict.Prediction
	words string
}

// settings lists what the table shows of a case. A run has many kernels and shows the first proposal of each.
func settings(c *AdviceCase, run bool) []setting {
	var list []setting
	if c.Advice.Current != nil {
		list = append(list, setting{c, "now", &c.Launch, c.Advice.Current, ""})
	}
	best := c.Advice.Best
	if run && len(best) > 1 {
		best = best[:1]
	}
	if l := c.Advice.Least; l != nil && (len(best) == 0 || !sameChanges(l.Changes, best[0].Changes)) {
		list = append(list, setting{c, "least change", &l.Launch, &l.Prediction, changeWords(l.Changes)})
	}
	for i := range best {
		if len(best[i].Changes) == 0 && c.Advice.Current != nil { // the launch as it is
			list[0].what = "now, best"
			continue
		}
		list = append(list, setting{c, "best", &best[i].Launch, &best[i].Prediction, changeWords(best[i].Changes)})
	}
	return list
}

func sameChanges(a, b []predict.Change) bool { return changeWords(a) == changeWords(b) }

func changeWords(list []predict.Change) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = c.String()
	}
	return strings.Join(words, ", ")
}

func bestTable(cases []AdviceCase, run bool) *report.Table {
	var list []setting
	for i := range cases {
		list = append(list, settings(&cases[i], run)...)
	}
	columns := []report.Column{{Key: "what", Title: "Setting", Kind: report.Text, In: everywhere}}
	if run {
		columns = append([]report.Column{{Key: "task", Title: "Kernel", Kind: report.Text, In: everywhere, Cut: true}}, columns...)
	}
	columns = append(columns,
		report.Column{Key: "local", Title: "Work-group", Kind: report.Text, In: everywhere},
		report.Column{Key: "simd", Title: "SIMD", Kind: report.Integer, In: everywhere, Drop: 4},
		report.Column{Key: "slm", Title: "SLM", Unit: "bytes", Kind: report.Integer, In: everywhere, Drop: 2},
		report.Column{Key: "registers", Title: "Registers", Kind: report.Integer, In: everywhere, Drop: 1},
		report.Column{Key: "work_groups_per_xe_core", Title: "Work-groups per Xe-core", Brief: "Per Xe-core", Kind: report.Integer, In: everywhere, Drop: 3},
		report.Column{Key: "xe_core_percent", Title: "Xe-core", Unit: "%", Kind: report.Percent, In: everywhere},
		report.Column{Key: "peak_percent", Title: "Peak", Unit: "%", Kind: report.Percent, In: everywhere},
		report.Column{Key: "average_percent", Title: "Average", Unit: "%", Kind: report.Percent, In: everywhere},
		report.Column{Key: "changes", Title: "Change", Kind: report.Text, In: everywhere, Cut: true})
	t := report.Fixed(TableBest, "", columns, nil)
	t.Len, t.Main = len(list), len(list)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		s := &list[i]
		if run {
			dst = append(dst, report.TextCell(s.c.Row.Task))
		}
		return s.cells(dst)
	}
	return t
}

func (s *setting) cells(dst []report.Cell) []report.Cell {
	registers := report.Cell{} // the default mode
	if s.l.GRF > 0 {
		registers = report.IntCell(s.l.GRF)
	}
	dst = append(dst, report.TextCell(s.what), report.TextCell(s.l.Local.String()), report.IntCell(s.l.SIMD), report.IntCell(s.l.SLM), registers,
		report.IntCell(s.p.GroupsPerXeCore), report.RatioCell(s.p.XeCore))
	if s.p.HasGrid() {
		dst = append(dst, report.RatioCell(s.p.Peak), report.RatioCell(s.p.Average))
	} else {
		dst = append(dst, report.Cell{}, report.Cell{})
	}
	return append(dst, report.TextCell(s.words))
}

// nowLine says where the launch stands.
func nowLine(c *AdviceCase) string {
	p := c.Advice.Current
	switch {
	case p == nil && !c.Launch.Local.Present():
		return "The work-group size is searched."
	case p == nil && c.Launch.SIMD == 0:
		return "The sub-group size is searched."
	case p == nil:
		return "Now: cannot run, " + errorText(c.Advice.Refusal)
	case p.HasGrid():
		return fmt.Sprintf("Now: peak %s, average %s, limited by %s (policy %s)", ratioText(p.Peak), ratioText(p.Average), strings.Join(p.Limits.Names(), " and "), p.Policy)
	}
	return fmt.Sprintf("Now: Xe-core occupancy %s, limited by %s", ratioText(p.XeCore), strings.Join(p.Limits.Names(), " and "))
}

// bestLine sums advice up.
func bestLine(c *AdviceCase) string {
	if len(c.Advice.Best) == 0 {
		return "No setting that may change makes the launch run."
	}
	best := &c.Advice.Best[0]
	if len(best.Changes) == 0 && c.Advice.Current != nil {
		return "No setting that may change does better than the launch as it is."
	}
	text := "Best: " + best.Words() + "."
	if best.Launch.SIMD < c.Launch.SIMD {
		text += " A smaller sub-group takes more threads for the same work: measure before you keep it."
	}
	return text
}

// adviceItems are what else there is to say: the least change, the next steps, how many work-groups fill, the rules.
func adviceItems(c *AdviceCase) []report.Item {
	var items []report.Item
	add := func(lead, text string) { items = append(items, report.Item{Lead: lead, Text: text}) }
	a := &c.Advice
	if l := a.Least; l != nil {
		add("least change", changeWords(l.Changes)+": "+gain(a.Current, &l.Prediction))
	}
	for _, n := range a.Next {
		add("next step", stepText(n))
	}
	if a.Fill.Least > 0 {
		text := fmt.Sprintf("%s fill the GPU", report.Counted(int(a.Fill.Least), "work-group", "work-groups"))
		if a.Fill.Multiple > 0 {
			text += fmt.Sprintf("; multiples of %s leave no tail", report.Thousands(a.Fill.Multiple))
		}
		add("grid", text)
	}
	if c.Launch.SLM > 0 && a.SLMRoom > c.Launch.SLM {
		add("SLM", fmt.Sprintf("up to %s per work-group leave the number of work-groups per Xe-core as it is", slmText(a.SLMRoom)))
	}
	for _, r := range a.Rules {
		add("rule", fmt.Sprintf("%s: %s %s", r.Why, r.Text, r.Limit))
	}
	for _, n := range c.Notes {
		add(n.Severity.String(), noteText(n))
	}
	return items
}

// stepText is the text of a next step, and what it would cost beside.
func stepText(n predict.NextStep) string {
	if n.Prediction.Partial {
		return n.Text + fmt.Sprintf(" (a what-if: %s work-items do not divide the global size)", report.Thousands(n.Prediction.GroupSize))
	}
	return n.Text
}

// gain words what a setting reaches against what there is.
func gain(now, then *predict.Prediction) string {
	switch {
	case now == nil && then.HasGrid():
		return fmt.Sprintf("it runs, with peak %s, average %s", ratioText(then.Peak), ratioText(then.Average))
	case now == nil:
		return "it runs, with Xe-core occupancy " + ratioText(then.XeCore)
	case then.HasGrid():
		return fmt.Sprintf("peak %s -> %s, average %s -> %s", report.Decimal(now.Peak.Percent(), 1), ratioText(then.Peak), report.Decimal(now.Average.Percent(), 1), ratioText(then.Average))
	}
	return fmt.Sprintf("Xe-core occupancy %s -> %s", report.Decimal(now.XeCore.Percent(), 1), ratioText(then.XeCore))
}

// kernelItem is what is said of one kernel of a run.
func kernelItem(c *AdviceCase) report.Item {
	r := c.Row
	detail := fmt.Sprintf("%s in %s, SIMD%d", c.Launch.Global, c.Launch.Local, c.Launch.SIMD)
	text := nowLine(c)
	if m, ok := r.Measured.Value(); ok {
		text += ", measured " + ratioText(m)
	}
	text += "."
	if b := c.Advice.Best; len(b) > 0 && len(b[0].Changes) > 0 {
		text += " " + bestLine(c)
	}
	if l := c.Advice.Least; l != nil {
		text += " Least change: " + changeWords(l.Changes) + ": " + gain(c.Advice.Current, &l.Prediction) + "."
	}
	for _, n := range c.Advice.Next {
		if n.Alone {
			text += " " + capital(stepText(n)) + "."
		}
	}
	if r.Cause != nil && (r.Verdict == compare.Below || r.Verdict == compare.Unmeasurable) {
		text += fmt.Sprintf(" What was measured is explained by %s: %s", r.Cause.Name, r.Cause.Because)
	}
	return report.Item{Lead: r.Task, Detail: detail, Text: text}
}
