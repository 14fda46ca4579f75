package rundoc

import (
	"strconv"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

const (
	// fullItems is how many explanations have the parts of the account in words; others have the cause.
	fullItems = 200
	// mostItems is how many kernels are explained one by one: the table of kernels has the cause of all.
	mostItems = 1000
)

// attentionSection says of each kernel that does not match why, with its reasoning and, for the first, a picture of its
// waves, in the order of the table of kernels.
func attentionSection(r *compare.Result, rows *rowSet) report.Section {
	s := report.Section{Key: report.SectionAttention, Title: "Kernels that do not match", Sheet: "Summary",
		ItemsIn: report.Everywhere}
	for i, at := range rows.explained[:min(len(rows.explained), mostItems)] {
		it := attentionItem(r, at)
		// The parts in words take most of the time of a large report; the table has them for every kernel.
		if i >= fullItems {
			it.Text = sentence(&r.Rows[at])
		}
		s.Items = append(s.Items, it)
	}
	addWaves(r, s.Items)
	if n := len(rows.explained) - len(s.Items); n > 0 {
		s.Items = append(s.Items, report.Item{Lead: unit.Counted(n, "more kernel", "more kernels"),
			Text: "The table of kernels has the cause of each."})
	}
	if len(s.Items) == 0 {
		s.Text = []string{"None."}
	}
	return s
}

// addWaves gives the first rows that have several waves a picture of them.
func addWaves(r *compare.Result, items []report.Item) {
	plots := 0
	for i := range items {
		if plots == wavesRows {
			return
		}
		if p, ok := wavesPlot(&r.Rows[items[i].Row], "waves-"+strconv.Itoa(plots+1)); ok {
			items[i].Plot = &p
			plots++
		}
	}
}

// attentionItem explains a row.
func attentionItem(r *compare.Result, at int) report.Item {
	row := &r.Rows[at]
	return report.Item{Lead: report.KernelName(row.Task), Detail: Shape(&row.Kernel),
		Text: explanation(r, row), Status: statusOf(row.Verdict),
		Table: report.SectionKernels, Row: at, Source: source(row.Pos),
		// Made when a reader opens them: of most rows nobody does.
		Steps: func() []report.Step { return stepsOf(r, row) },
		Facts: func() string { return facts(r, row) }}
}

// source says where a row is from.
func source(at note.Pos) string {
	if at.File == "" || at.Line <= 0 {
		return report.OneLine(at.File)
	}
	return report.OneLine(at.File) + ", line " + report.Thousands(int64(at.Line))
}
