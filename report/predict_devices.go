package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// FromPredictions builds the document that holds one launch on several devices side by side.
func FromPredictions(cases []LaunchCase, version string) *Document {
	d := &Document{Title: "Predicted occupancy", Version: version}
	if len(cases) == 0 {
		return d
	}
	l := cases[0].Launch
	d.Headline = []string{launchLine(&l) + "; on " + Counted(len(cases), "device", "devices")}
	d.Closing = sideBySide(cases)
	s := Section{Key: SectionPrediction, Title: "Prediction by device", Text: []string{d.Headline[0], d.Closing}, Items: refusals(cases), ItemsIn: Glance | Page}
	s.Tables = []*Table{predictionTable(cases)}
	for i := range cases {
		for _, n := range cases[i].Notes {
			s.Items = append(s.Items, Item{Lead: cases[i].Device.Key, Text: noteText(n)})
		}
	}
	d.Sections = []Section{s}
	return d
}

// predictionTable has a row per device; the keys are those of the JSON output.
func predictionTable(cases []LaunchCase) *Table {
	second := slices.ContainsFunc(cases, func(c LaunchCase) bool { return c.Driver != nil })
	t := Fixed(TablePredictions, "", caseColumns(second), nil)
	t.Len, t.Main = len(cases), len(cases)
	t.Row = func(i int, dst []Cell) []Cell {
		c := &cases[i]
		l := &c.Launch
		registers := Cell{} // the default mode
		if l.GRF > 0 {
			registers = IntCell(l.GRF)
		}
		dst = append(dst, TextCell(c.Device.Key), TextCell(c.Device.Name), TextCell(l.Global.String()), TextCell(l.Local.String()), IntCell(l.SIMD),
			IntCell(l.SLM), IntCell(l.Barriers), registers, IntCell(c.Device.Slots()))
		if p := c.Prediction; p != nil {
			dst = outcome(append(dst, TextCell(p.Policy.String())), p)
			if second {
				dst = append(dst, resident(c.Driver)...)
			}
			brief := ""
			if p.Partial {
				brief = "partial work-groups"
			}
			return append(dst, TextCell(brief), TextCell(partialText(&c.Launch, p)))
		}
		dst = outcome(append(dst, Cell{}), nil)
		if second {
			dst = append(dst, resident(nil)...)
		}
		return append(dst, StatusCell(refusalWord(c.Refusal), Bad), StatusCell(errorText(c.Refusal), Bad))
	}
	return glance(t)
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
func refusals(cases []LaunchCase) []Item {
	var items []Item
	kind, count := map[string]int{}, map[string]int{}
	for i := range cases {
		if cases[i].Refusal == nil {
			continue
		}
		word := refusalWord(cases[i].Refusal)
		if count[word]++; count[word] == 1 {
			kind[word] = len(items)
			items = append(items, Item{Lead: word, Text: errorText(cases[i].Refusal), Status: Bad})
		}
	}
	for word, i := range kind {
		if n := count[word] - 1; n > 0 {
			items[i].Text += fmt.Sprintf("; alike on %s", Counted(n, "more device", "more devices"))
		}
	}
	return items
}

// resident are the work-groups that fill the GPU by the model and by the driver's formula.
func resident(r *predict.DriverLimit) []Cell {
	if r == nil {
		return make([]Cell, 2)
	}
	return []Cell{IntCell(r.Model), IntCell(r.Groups)}
}

// outcomeColumns are the figures of a prediction where it is one of several.
func outcomeColumns() []Column {
	return []Column{
		{Key: "threads_per_work_group", Title: "Threads per work-group", Brief: "Threads", Kind: Integer, In: everywhere, Drop: 3},
		{Key: "by_threads", Group: "Work-groups per Xe-core", Title: "by threads", Kind: Integer, In: Page | Sheet},
		{Key: "by_slm", Group: "Work-groups per Xe-core", Title: "by SLM", Kind: Integer, In: Page | Sheet},
		{Key: "by_slots", Group: "Work-groups per Xe-core", Title: "by slots", Kind: Integer, In: Page | Sheet},
		{Key: "by_barriers", Group: "Work-groups per Xe-core", Title: "by barriers", Kind: Integer, In: Page | Sheet},
		{Key: "work_groups_per_xe_core", Title: "Work-groups per Xe-core", Brief: "Per Xe-core", Kind: Integer, In: everywhere, Drop: 5},
		{Key: "work_groups", Title: "Work-groups", Kind: Integer, In: Page | Sheet},
		{Key: "xe_core_percent", Title: "Xe-core", Unit: "%", Kind: Percent, In: everywhere},
		{Key: "xe_core_of_grf_mode_percent", Title: "Xe-core, of the GRF mode's slots", Unit: "%", Kind: Percent, In: Page | Sheet},
		{Key: "peak_percent", Title: "Peak", Unit: "%", Kind: Percent, In: everywhere},
		{Key: "average_percent", Title: "Average", Unit: "%", Kind: Percent, In: everywhere},
		{Key: "waves", Title: "Waves", Kind: Number, Decimals: 2, In: everywhere, Drop: 6},
		{Key: "tail_percent", Title: "Tail", Unit: "%", Kind: Percent, In: everywhere, Drop: 7},
		{Key: "limits", Title: "Limited by", Kind: Text, In: everywhere},
	}
}

// outcome appends the cells of outcomeColumns, absent ones without a prediction.
func outcome(dst []Cell, p *predict.Prediction) []Cell {
	if p == nil {
		return append(dst, make([]Cell, len(outcomeColumns()))...)
	}
	dst = append(dst, IntCell(p.ThreadsPerGroup), limitCell(p.ByThreads), limitCell(p.BySLM), limitCell(p.BySlots), limitCell(p.ByBarriers),
		IntCell(p.GroupsPerXeCore))
	limits := TextCell(strings.Join(p.Limits.Names(), " "))
	if !p.HasGrid() {
		return append(dst, Cell{}, ratioCell(p.XeCore), ratioCell(p.XeCoreOfMode), Cell{}, Cell{}, Cell{}, Cell{}, limits)
	}
	return append(dst, IntCell(p.Groups), ratioCell(p.XeCore), ratioCell(p.XeCoreOfMode), ratioCell(p.Peak), ratioCell(p.Average), NumCell(Number, p.Waves), ratioCell(p.Tail), limits)
}

func limitCell(n int64) Cell {
	if n == predict.Unlimited {
		return Cell{}
	}
	return IntCell(n)
}

// caseColumns are those of predictionTable, with the second opinion or without.
func caseColumns(second bool) []Column {
	columns := []Column{
		{Key: "device", Title: "Device", Kind: Text, In: everywhere},
		{Key: "name", Title: "Name", Kind: Text, In: everywhere, Drop: 1, Cut: true},
		{Key: "global", Title: "Global", Kind: Text, In: Sheet},
		{Key: "local", Title: "Local", Kind: Text, In: Sheet},
		{Key: "simd", Title: "SIMD", Kind: Integer, In: Sheet},
		{Key: "slm_bytes", Title: "SLM per work-group", Unit: "bytes", Kind: Integer, In: Sheet},
		{Key: "barriers", Title: "Barriers", Kind: Integer, In: Sheet},
		{Key: "registers_per_thread", Title: "Registers per thread", Kind: Integer, In: Sheet},
		{Key: "thread_slots", Title: "Thread slots", Brief: "Slots", Kind: Integer, In: everywhere, Drop: 4},
		{Key: "policy", Title: "Policy", Kind: Text, In: everywhere, Drop: 2},
	}
	columns = append(columns, outcomeColumns()...)
	if second {
		columns = append(columns,
			Column{Key: "resident_work_groups", Group: "Resident", Title: "model", Kind: Integer, In: everywhere},
			Column{Key: "driver_work_groups", Group: "Resident", Title: "driver's formula", Kind: Integer, In: everywhere})
	}
	return append(columns, Column{Key: "reason", Title: "Remark", Kind: Text, In: Glance},
		Column{Key: "message", Title: "Remark", Kind: Text, In: Page | Sheet})
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
