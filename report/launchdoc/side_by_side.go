package launchdoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"occudiff/report"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// FromPredictions builds the document that holds one launch on several devices side by side.
func FromPredictions(cases []LaunchCase, version string) *report.Document {
	d := &report.Document{Whole: true, Title: "Predicted occupancy", Version: version}
	if len(cases) == 0 {
		return d
	}
	l := cases[0].Launch
	d.Headline = []string{launchLine(&l) + "; on " + report.Counted(len(cases), "device", "devices")}
	d.Closing = sideBySide(cases)
	s := report.Section{Key: SectionPrediction, Title: "Prediction by device", Text: []string{d.Headline[0], d.Closing}, Items: refusals(cases), ItemsIn: report.Terminal | report.Page}
	s.Tables = []*report.Table{predictionTable(cases)}
	for i := range cases {
		for _, n := range cases[i].Notes {
			s.Items = append(s.Items, report.Item{Lead: cases[i].Device.Key, Text: noteText(n)})
		}
	}
	d.Sections = []report.Section{s}
	return d
}

// predictionTable has a row per device; the keys are those of the JSON output.
func predictionTable(cases []LaunchCase) *report.Table {
	second := slices.ContainsFunc(cases, func(c LaunchCase) bool { return c.Driver != nil })
	t := report.Fixed(TablePredictions, "", caseColumns(second), nil)
	t.Len, t.Main = len(cases), len(cases)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		c := &cases[i]
		l := &c.Launch
		registers := report.Cell{} // the default mode
		if l.GRF > 0 {
			registers = report.IntCell(l.GRF)
		}
		dst = append(dst, report.TextCell(c.Device.Key), report.TextCell(c.Device.Name), report.TextCell(l.Global.String()), report.TextCell(l.Local.String()), report.IntCell(l.SIMD),
			report.IntCell(l.SLM), report.IntCell(l.Barriers), registers, report.IntCell(c.Device.Slots()))
		if p := c.Prediction; p != nil {
			dst = outcome(append(dst, report.TextCell(p.Policy.String())), p)
			if second {
				dst = append(dst, resident(c.Driver)...)
			}
			brief := ""
			if p.Partial {
				brief = "partial work-groups"
			}
			return append(dst, report.TextCell(brief), report.TextCell(partialText(&c.Launch, p)))
		}
		dst = outcome(append(dst, report.Cell{}), nil)
		if second {
			dst = append(dst, resident(nil)...)
		}
		return append(dst, report.StatusCell(refusalWord(c.Refusal), report.Bad), report.StatusCell(errorText(c.Refusal), report.Bad))
	}
	return inTerminal(t)
}

// refusalWord says in a word or three why a launch cannot run, for a table.
func refusalWord(err error) string {
	var refused *predict.LaunchError
	if errors.As(err, &refused) {
		return strings.ReplaceAll(refused.Code, "-", " ")
	}
	return "cannot run"
}

// refusals explains each kind of refusal once, by the first device that has it.
func refusals(cases []LaunchCase) []report.Item {
	var items []report.Item
	kind, count := map[string]int{}, map[string]int{}
	for i := range cases {
		if cases[i].Refusal == nil {
			continue
		}
		word := refusalWord(cases[i].Refusal)
		if count[word]++; count[word] == 1 {
			kind[word] = len(items)
			items = append(items, report.Item{Lead: word, Text: errorText(cases[i].Refusal), Status: report.Bad})
		}
	}
	for word, i := range kind {
		if n := count[word] - 1; n > 0 {
			items[i].Text += fmt.Sprintf("; alike on %s", report.Counted(n, "more device", "more devices"))
		}
	}
	return items
}

// resident are the work-groups that fill the GPU by the model and by the driver's formula.
func resident(r *predict.DriverLimit) []report.Cell {
	if r == nil {
		return make([]report.Cell, 2)
	}
	return []report.Cell{report.IntCell(r.Model), report.IntCell(r.Groups)}
}

// outcomeColumns are the figures of a prediction where it is one of several.
func outcomeColumns() []report.Column {
	return []report.Column{
		{Key: "threads_per_work_group", Title: "Threads per work-group", Brief: "Threads", Kind: report.Integer, In: everywhere, Drop: 3},
		{Key: "by_threads", Group: "Work-groups per Xe-core", Title: "by threads", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "by_slm", Group: "Work-groups per Xe-core", Title: "by SLM", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "by_slots", Group: "Work-groups per Xe-core", Title: "by slots", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "by_barriers", Group: "Work-groups per Xe-core", Title: "by barriers", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "work_groups_per_xe_core", Title: "Work-groups per Xe-core", Brief: "Per Xe-core", Kind: report.Integer, In: everywhere, Drop: 5},
		{Key: "work_groups", Title: "Work-groups", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "xe_core_percent", Title: "Xe-core", Unit: "%", Kind: report.Percent, In: everywhere},
		{Key: "xe_core_of_grf_mode_percent", Title: "Xe-core, of the GRF mode's slots", Unit: "%", Kind: report.Percent, In: report.Page | report.Sheet},
		{Key: "peak_percent", Title: "Peak", Unit: "%", Kind: report.Percent, In: everywhere},
		{Key: "average_percent", Title: "Average", Unit: "%", Kind: report.Percent, In: everywhere},
		{Key: "waves", Title: "Waves", Kind: report.Number, Decimals: 2, In: everywhere, Drop: 6},
		{Key: "tail_percent", Title: "Tail", Unit: "%", Kind: report.Percent, In: everywhere, Drop: 7},
		{Key: "limits", Title: "Limited by", Kind: report.Text, In: everywhere},
	}
}

// outcome appends the cells of outcomeColumns, absent ones without a prediction.
func outcome(dst []report.Cell, p *predict.Prediction) []report.Cell {
	if p == nil {
		return append(dst, make([]report.Cell, len(outcomeColumns()))...)
	}
	dst = append(dst, report.IntCell(p.ThreadsPerGroup), limitCell(p.ByThreads), limitCell(p.BySLM), limitCell(p.BySlots), limitCell(p.ByBarriers),
		report.IntCell(p.GroupsPerXeCore))
	limits := report.TextCell(strings.Join(p.Limits.Names(), " "))
	if !p.HasGrid() {
		return append(dst, report.Cell{}, report.RatioCell(p.XeCore), report.RatioCell(p.XeCoreOfMode), report.Cell{}, report.Cell{}, report.Cell{}, report.Cell{}, limits)
	}
	return append(dst, report.IntCell(p.Groups), report.RatioCell(p.XeCore), report.RatioCell(p.XeCoreOfMode), report.RatioCell(p.Peak), report.RatioCell(p.Average), report.NumCell(report.Number, p.Waves), report.RatioCell(p.Tail), limits)
}

func limitCell(n int64) report.Cell {
	if n == predict.Unlimited {
		return report.Cell{}
	}
	return report.IntCell(n)
}

// caseColumns are those of predictionTable, with the second opinion or without.
func caseColumns(second bool) []report.Column {
	columns := []report.Column{
		{Key: "device", Title: "Device", Kind: report.Text, In: everywhere},
		{Key: "name", Title: "Name", Kind: report.Text, In: everywhere, Drop: 1, Cut: true},
		{Key: "global", Title: "Global", Kind: report.Text, In: report.Sheet},
		{Key: "local", Title: "Local", Kind: report.Text, In: report.Sheet},
		{Key: "simd", Title: "SIMD", Kind: report.Integer, In: report.Sheet},
		{Key: "slm_bytes", Title: "SLM per work-group", Unit: "bytes", Kind: report.Integer, In: report.Sheet},
		{Key: "barriers", Title: "Barriers", Kind: report.Integer, In: report.Sheet},
		{Key: "registers_per_thread", Title: "Registers per thread", Kind: report.Integer, In: report.Sheet},
		{Key: "thread_slots", Title: "Thread slots", Brief: "Slots", Kind: report.Integer, In: everywhere, Drop: 4},
		{Key: "policy", Title: "Policy", Kind: report.Text, In: everywhere, Drop: 2},
	}
	columns = append(columns, outcomeColumns()...)
	if second {
		columns = append(columns,
			report.Column{Key: "resident_work_groups", Group: "Resident", Title: "model", Kind: report.Integer, In: everywhere},
			report.Column{Key: "driver_work_groups", Group: "Resident", Title: "driver's formula", Kind: report.Integer, In: everywhere})
	}
	return append(columns, report.Column{Key: "reason", Title: "Remark", Kind: report.Text, In: report.Terminal},
		report.Column{Key: "message", Title: "Remark", Kind: report.Text, In: report.Page | report.Sheet})
}

// sideBySide says which device does best, and how many cannot run the launch.
func sideBySide(cases []LaunchCase) string {
	best, refused := -1, 0
	figure := func(p *predict.Prediction) unit.Ratio {
		if p.HasGrid() {
			return p.Average
		}
		return p.XeCore
	}
	ties := 0
	for i := range cases {
		p := cases[i].Prediction
		switch {
		case p == nil:
			refused++
		case best < 0 || figure(p) > figure(cases[best].Prediction):
			best, ties = i, 1
		case figure(p) == figure(cases[best].Prediction):
			ties++
		}
	}
	var text string
	if best >= 0 {
		what := "Xe-core occupancy"
		if cases[best].Prediction.HasGrid() {
			what = "average"
		}
		text = fmt.Sprintf("Highest %s: %s on %s", what, ratioText(figure(cases[best].Prediction)), cases[best].Device.Key)
		if ties > 1 {
			text += fmt.Sprintf(" and %d more", ties-1)
		}
		text += "."
	}
	if refused > 0 {
		text += fmt.Sprintf(" It cannot run on %d of %d devices.", refused, len(cases))
	}
	return strings.TrimSpace(text)
}
