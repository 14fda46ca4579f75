package diffdoc

import (
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/report"
)

// kernel is a row of a diff with its name in charts.
type kernel struct {
	*diff.Row
	label string
}

// labeled is how many rows have a name of their own in charts, which show fewer; those of the rest may be equal.
const labeled = 1000

// rowsOf gives the rows with their names in charts: long names are cut so that they still differ, and rows of one name
// are told apart by their shape.
func rowsOf(d *diff.Result) []kernel {
	rows, names, times := make([]kernel, len(d.Rows)), make([]string, len(d.Rows)), map[string]int{}
	for i := range d.Rows {
		rows[i].Row, names[i] = &d.Rows[i], report.KernelName(d.Rows[i].Task)
		if i < labeled {
			times[d.Rows[i].Task]++
		}
	}
	first := min(len(rows), labeled)
	for i, name := range append(report.CutApart(names[:first], report.LabelWidth), names[first:]...) {
		rows[i].label = report.CutMiddle(name, report.LabelWidth)
		if times[rows[i].Task] > 1 {
			rows[i].label += " " + shapeText(rows[i].Row)
		}
	}
	return rows
}

// kernelsOf is how many of the first rows are kernels.
func kernelsOf(d *diff.Result) int {
	n := slices.IndexFunc(d.Rows, func(r diff.Row) bool { return !r.IsKernel })
	if n < 0 {
		return len(d.Rows)
	}
	return n
}

// shown gives the diff with the rows that people want to see. What it sums up is still of all rows.
func shown(d *diff.Result, show report.Selection) *diff.Result {
	if !show.Chosen() {
		return d
	}
	v := *d
	v.Rows = nil
	for _, i := range show.Choose(len(d.Rows), func(i int) report.Candidate { return candidate(&d.Rows[i], show) }) {
		v.Rows = append(v.Rows, d.Rows[i])
	}
	v.Notes = append(show.LeftOut(len(v.Rows), len(d.Rows), "rows", func(i int) string { return d.Rows[i].Task }), d.Notes...)
	return &v
}

// candidate is what a selection considers of a row. Slot time is lost where less is measured than on the old side.
func candidate(r *diff.Row, show report.Selection) report.Candidate {
	change, time := r.Measured().Change.Or(math.NaN()), float64(r.Seconds())
	return report.Candidate{Task: r.Task, Other: !r.IsKernel, Value: show.Value(-change*time, time, change)}
}

// kernelTable makes the table of kernels for people.
func kernelTable(d *diff.Result) *report.Table {
	t := report.NewTable(report.SectionKernels, "", rowsOf(d), kernelColumns).Show(firstKernels...)
	t.Main, t.Form = kernelsOf(d), report.Browser
	has := map[string]bool{}
	for i := range d.Rows {
		r := &d.Rows[i]
		if t.Attention == i && i < t.Main && r.Verdict != diff.Unchanged {
			t.Attention++
		}
		has["tested"] = has["tested"] || r.Measured().P.Present() || r.Delta(compare.MetricTime).P.Present()
		has["residual"] = has["residual"] || r.Delta(compare.MetricResidual).Change.Present()
	}
	if !has["tested"] {
		t.Hide(report.Everywhere, "measured_n", "measured_old_interval", "measured_new_interval", "measured_old_n", "measured_new_n", "residual_old_n", "residual_new_n",
			"average_old_n", "average_new_n")
	}
	if !has["residual"] {
		t.Hide(report.Everywhere, "residual_old_n", "residual_new_n")
	}
	return t
}

// csvTable gives the rows of a diff for CSV.
func csvTable(d *diff.Result, show report.Selection) *report.Table {
	return report.NewTable("rows", "", rowsOf(shown(d, show)), kernelColumns)
}

func kernelSection(d *diff.Result) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if len(d.Rows) == 0 {
		s.Text = []string{"The inputs contain no kernel."}
		return s
	}
	s.Text = []string{"Regressions come first, then what else differs, each by time; tasks that are not kernels " +
		"come last."}
	s.Tables = []*report.Table{kernelTable(d)}
	return s
}
