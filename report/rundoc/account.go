package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// chartColumns are the columns of the table of kernels that a workbook draws the parts from.
var chartColumns = compare.ByPart[string]{"measured_percent", "underfilled_points", "empty_points", "shortfall_points", "tail_points",
	"limits_points"}

// shownParts are the parts that any account of the run has.
// A column that is empty in every row would ask a question that nobody can answer.
func (s *rowSet) shownParts() []compare.Part {
	return slices.DeleteFunc(compare.Parts(), func(p compare.Part) bool {
		switch p {
		case compare.PartShortfall:
			return s.split == s.accounts
		case compare.PartUnderfilled, compare.PartEmpty:
			return s.split == 0
		}
		return false
	})
}

// legend are the parts that a bar of these rows shows.
// A color in the legend that no bar has makes people search for it.
func (s *rowSet) legend(rows []int) []compare.Part {
	var most compare.ByPart[float64]
	for _, i := range rows {
		a := s.result.Parts(&s.result.Rows[i])
		drawn := a.Drawn()
		for k := range drawn {
			most[k] = max(most[k], drawn[k])
		}
	}
	return slices.DeleteFunc(s.shownParts(), func(p compare.Part) bool {
		return p != compare.PartUsed && most.Of(p) < leastDrawn
	})
}

// leastDrawn is what a part is printed as 0.0 below, in points.
const leastDrawn = 0.05

// accountPlot is the picture of the run: the slots of each kernel, in the order of the table. False where no kernel has
// an account.
func accountPlot(rows *rowSet) (report.Plot, bool) {
	if rows.accounts == 0 {
		return report.Plot{}, false
	}
	shown := rows.legend(rows.accounted)
	// Bars are drawn from parts that are at least 0: a part below 0 is a difference of counters and predictions, which
	// the table has as it is.
	bars := &report.StackedBars{X: "Thread slots of the GPU", Parts: legendOf(shown)}
	for _, i := range rows.accounted {
		row := &rows.result.Rows[i]
		a := rows.result.Parts(row)
		drawn := a.Drawn()
		bar := report.StackedRow{Name: report.KernelName(row.Task)}
		if t, ok := row.Total.Value(); ok {
			bar.Detail = unit.Span(t)
		}
		for k, p := range shown {
			bar.Shares = append(bar.Shares, report.Share{Part: k, Value: drawn.Of(p)})
		}
		bars.Rows = append(bars.Rows, bar)
	}
	report.CutNames(len(bars.Rows), func(i int) *string { return &bars.Rows[i].Name })
	short := "those of XVEs that ran underfilled and of XVEs without any thread"
	if rows.split == 0 {
		short = "those that are short of the prediction"
	}
	// A workbook draws the columns of the table: what is below zero there is cut off on both sides.
	p := report.Plot{Key: "account", Title: "Where the thread slots went", Unit: "%", Max: 100, StackedBars: bars,
		Table: report.SectionKernels, Label: "label", Stacked: bars.Parts, Rows: min(rows.kernels, report.PlotRows),
		Series: report.ListOf(shown, func(p compare.Part) string { return chartColumns.Of(p) }),
		Text:   "A bar per kernel: the slots that held a thread, " + short + ", and what was predicted to stay empty."}
	if rows.accounts > len(bars.Rows) {
		p.Title += ", the first " + report.Thousands(int64(len(bars.Rows))) + " of " +
			report.Thousands(int64(rows.accounts))
	}
	return p, true
}

// legendOf gives a part the hue of its place among all parts, so that it has one color in every report.
func legendOf(shown []compare.Part) []report.Part {
	return report.ListOf(shown, func(p compare.Part) report.Part {
		return report.Part{Name: partName(p), Hue: 1 + slices.Index(compare.Parts(), p)}
	})
}
