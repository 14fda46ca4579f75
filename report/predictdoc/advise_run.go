package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// advise advises on a row by the part of its account that most of the unused slots went to: launch settings change
// the limits and the tail, and nothing else. Where threads end faster than the dispatcher starts new ones, nothing is
// proposed that takes more of them.
// What was searched stays for kernels that match: their prediction may be low by itself.
func (a *adviser) advise(i int) advice {
	row := &a.run.Rows[i]
	l, may, account := a.launchOf(row), a.may, row.Account
	below := account != nil && row.Verdict == compare.Below
	if below {
		may.SameThreads = slices.ContainsFunc(account.Causes,
			func(c compare.Cause) bool { return c.Name == compare.CauseDispatch })
	}
	found := a.search(l, may)
	if !below {
		return advice{launch: l, found: found, row: row}
	}
	most := account.Most()
	settings := most == compare.PartLimits || most == compare.PartTail
	v := advice{launch: l, found: found, row: row, part: string(most)}
	// What was searched is dropped: a smaller work-group would be advice on a loss that it does not touch.
	if !settings {
		v.found.Best, v.found.Least, v.found.Next = nil, nil, nil
		v.do = whatToDo(account, most)
	}
	return v
}

// whatToDo says what the causes of the largest part ask for, or of both parts where they have no order.
func whatToDo(a *compare.Account, most compare.Part) string {
	parts := []compare.Part{most}
	if a.Unordered && most != compare.PartShortfall {
		parts = []compare.Part{compare.PartEmpty, compare.PartUnderfilled}
	}
	of := string(most) + " XVEs"
	switch {
	case len(parts) == 2:
		of = "empty and underfilled XVEs"
	case most == compare.PartShortfall:
		of = "what is short of the prediction"
	}
	// The text of a cause is that of 'occudiff explain': a reader who looks it up finds the same words.
	text := "Most is lost to " + of + ", which launch settings do not change."
	texts := report.CauseTerms()
	for _, p := range parts {
		c := slices.IndexFunc(a.Causes, func(c compare.Cause) bool { return c.Part == p })
		if c < 0 {
			continue
		}
		// Every cause has a text of what to do.
		cause := a.Causes[c]
		i := slices.IndexFunc(texts, func(t report.Term) bool { return t.Name == cause.Name })
		said := fmt.Sprintf(" Cause: %s (%s confidence). %s", cause.Name, cause.Confidence, texts[i].Do)
		if !strings.Contains(text, said) { // both parts may have one cause
			text += said
		}
	}
	return text
}

// lostLanes says that lanes have no work-item.
func lostLanes(share unit.Ratio, group int64, simd int) string {
	return fmt.Sprintf("%s of the lanes are lost: %s in sub-groups of %d.", percent(share),
		unit.Counted(group, "work-item", "work-items"), simd)
}

// kernel is what is said of one kernel of a run.
// The table says where the kernel stands. It begins with what was measured, then what to change, then what the measurement leaves open: who reads on
// stops where it is clear.
func (c *advice) kernel() report.Item {
	r := c.row
	text := ""
	if m, ok := r.Measured.Value(); ok {
		text = "Measured " + percent(m) + "."
	}
	if len(c.found.Best) > 0 && len(c.found.Best[0].Changes) > 0 {
		text += " " + c.best()
	}
	if c.found.Least != nil {
		text += " Least change: " + c.least() + "."
	}
	// In a list of kernels there is room for the first step that raises the occupancy by itself.
	if n := c.gains(); n != nil {
		text += " " + report.UpperFirst(stepText(*n)) + "."
	}
	switch {
	case c.do != "":
		text += " " + c.do
	// Advice on a value that may be other kernels' has to say so.
	case r.Cause != nil && (r.Verdict == compare.Below || r.Verdict == compare.Unmeasurable):
		text += fmt.Sprintf(" About the measurement (%s): %s", r.Cause.Name, r.Cause.Because)
	}
	if lanes, ok := r.IdleLanes().Value(); ok && lanes > 0 {
		text += " " + lostLanes(lanes, r.Predicted.GroupSize, c.launch.SIMD)
	}
	return report.Item{Text: strings.TrimSpace(text), Lead: r.Task, Detail: fmt.Sprintf("%s in %s, SIMD%d", c.launch.Global, c.launch.Local,
		c.launch.SIMD)}
}
