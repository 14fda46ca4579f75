package launchdoc

import (
	"fmt"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// AdviseRun answers what would raise the occupancy of those kernels of a run that are predicted or measured below a
// percentage, in the order of the run: those that need attention first. slots is asked for the launch of a row as it is
// to be advised on.
func AdviseRun(r *compare.Result, below float64, may predict.Vary,
	launchOf func(*compare.Row) predict.Launch) *report.Answer {
	list, kernels := []advice{}, 0
	low := unit.FromPercent(below)
	for i := range r.Len() {
		row := r.Row(i, nil)
		if row.Predicted == nil || row.Verdict == compare.NotAKernel {
			continue
		}
		kernels++
		if row.Predicted.Average >= low && row.Measured.Or(1) >= low {
			continue
		}
		if a, err := adviceFor(r, row, launchOf(row), may); err == nil { // the row has a prediction: its launch runs
			list = append(list, a)
		}
	}
	t := arch.Choice{Device: r.Device, By: r.ChosenBy}
	pg := page{title: "Advice", key: "advice", heading: "Advice by kernel", headline: []string{deviceLine(&t)},
		table: settingsTable(list, true),
		closing: fmt.Sprintf("%d of %s predicted or measured below %s %%. A prediction is an upper bound: what else "+
			"keeps a kernel down stands in 'occudiff validate'.",
			len(list), report.Counted(kernels, "kernel is", "kernels are"), number(below))}
	v := adviceList{Schema: adviseSchema, Kernels: list, Notes: report.NoteValues(r.Notes)}
	if len(list) == 0 {
		pg.heading, pg.headline, pg.closing, pg.table.In = "Advice", []string{pg.closing}, "", report.Page|report.Sheet
		return pg.answer(v)
	}
	for i := range list {
		pg.items = append(pg.items, list[i].kernel())
	}
	v.Device = deviceValue(&t)
	return pg.answer(v)
}

// adviceFor advises on a row by the part of its account that most of the unused slots went to: launch settings change
// the limits and the tail, and nothing else. Where threads end faster than the dispatcher starts new ones, nothing is
// proposed that takes more of them.
func adviceFor(r *compare.Result, row *compare.Row, l predict.Launch, may predict.Vary) (advice, error) {
	account := r.Account(row)
	below := account != nil && row.Verdict == compare.Below
	if below {
		may.SameThreads = slices.ContainsFunc(account.Causes,
			func(c compare.Cause) bool { return c.Name == compare.CauseDispatch })
	}
	found, err := predict.Advise(r.Device, l, may)
	if err != nil || !below {
		return newAdvice(l, found, row), err
	}
	most := account.Most()
	if most == compare.PartLimits || most == compare.PartTail {
		a := newAdvice(l, found, row)
		a.Part = report.Filled(string(most))
		return a, nil
	}
	found.Best, found.Least, found.Next = nil, nil, nil
	a := newAdvice(l, found, row)
	a.Part, a.Do = report.Filled(string(most)), whatToDo(account, most)
	return a, nil
}

// whatToDo says what the causes of the largest part ask for, or of both parts where they have no order.
func whatToDo(a *compare.Account, most compare.Part) *string {
	parts := []compare.Part{most}
	if a.Unordered && most != compare.PartShortfall {
		parts = []compare.Part{compare.PartEmpty, compare.PartUnderfilled}
	}
	of := string(most) + " XVEs"
	switch {
	case len(parts) == 2:
		of = "empty and underfilled XVEs"
	case most == compare.PartShortfall:
		of = "below the prediction"
	}
	text := "Most of what is not used is " + of + ", which launch settings do not change."
	texts := compare.CauseTexts()
	for _, p := range parts {
		c := slices.IndexFunc(a.Causes, func(c compare.Cause) bool { return c.Part == p })
		if c < 0 {
			continue
		}
		cause := a.Causes[c]
		i := slices.IndexFunc(texts, func(t compare.CauseText) bool { return t.Name == cause.Name })
		text += fmt.Sprintf(" Cause: %s (%s confidence). %s", cause.Name, cause.Confidence, texts[i].Do)
	}
	return &text
}

// lostLanes says that lanes have no work-item.
func lostLanes(share unit.Ratio, group int64, simd int) string {
	return fmt.Sprintf("%s of the lanes are lost: %s in sub-groups of %d.", percent(share),
		report.Counted(int(group), "work-item", "work-items"), simd)
}

// kernel is what is said of one kernel of a run.
func (c *advice) kernel() report.Item {
	r := c.row
	text := c.now()
	if m, ok := r.Measured.Value(); ok {
		text += ", measured " + percent(m)
	}
	text += "."
	if len(c.Best) > 0 && len(c.Best[0].Changes) > 0 {
		text += " " + c.best()
	}
	if c.Least != nil {
		text += " Least change: " + c.least() + "."
	}
	for _, n := range c.found.Next {
		if n.Alone {
			text += " " + report.UpperFirst(stepText(n)) + "."
		}
	}
	switch {
	case c.Do != nil:
		text += " " + *c.Do
	case r.Cause != nil && (r.Verdict == compare.Below || r.Verdict == compare.Unmeasurable):
		text += fmt.Sprintf(" What was measured: %s. %s", r.Cause.Name, r.Cause.Because)
	}
	if lanes, ok := r.IdleLanes().Value(); ok && lanes > 0 {
		text += " " + lostLanes(lanes, r.Predicted.GroupSize, c.launch.SIMD)
	}
	return report.Item{Lead: r.Task, Detail: fmt.Sprintf("%s in %s, SIMD%d", c.launch.Global, c.launch.Local,
		c.launch.SIMD), Text: text}
}
