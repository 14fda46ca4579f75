package diffdoc

import (
	"math"

	"occudiff/compare"
	"occudiff/compare/rundiff"
	"occudiff/report"
)

// labeled is how many rows have a name of their own in charts, which show fewer; those of the rest may be equal.
const labeled = 1000

// diffSet is what the columns need to know of all rows.
// It is made in one pass over what a row shows, without making the rows: a million of them takes seconds.
type diffSet struct {
	*rundiff.Result
	kernels   int // the first ones
	attention int // the first ones that are not simply unchanged
	has       rundiff.Shows
	raw       bool // for programs
	repeated  map[string]bool
	brief     map[string]string // the names of charts
	parts     []compare.Part
}

func newDiffSet(d *rundiff.Result) *diffSet {
	s := &diffSet{Result: d, repeated: map[string]bool{}, brief: map[string]string{}, parts: compare.Parts()}
	// Rows are sorted: kernels before other tasks, and what differs before what does not.
	for s.kernels < d.Len() && d.IsKernel(s.kernels) {
		s.kernels++
	}
	for s.attention < s.kernels && d.Verdict(s.attention) != rundiff.Unchanged {
		s.attention++
	}
	for i := range d.Len() {
		row := d.Shows(i)
		s.has = rundiff.Shows{Tested: s.has.Tested || row.Tested, Loaded: s.has.Loaded || row.Loaded,
			Residual: s.has.Residual || row.Residual}
	}
	seen, names, tasks := map[string]bool{}, []string(nil), []string(nil)
	// Charts cut long names; those that differ only in the middle are cut so that they still differ.
	for i := range min(d.Len(), labeled) {
		task := d.Task(i)
		s.repeated[task] = s.repeated[task] || seen[task]
		seen[task] = true
		tasks, names = append(tasks, task), append(names, report.KernelName(task))
	}
	for i, name := range report.CutApart(names, report.LabelWidth) {
		s.brief[tasks[i]] = name
	}
	return s
}

// label names a row briefly; rows of one name are told apart by their shape.
func (s *diffSet) label(r *rundiff.Row) string {
	name, known := s.brief[r.Task]
	if !known {
		name = report.CutMiddle(report.KernelName(r.Task), report.LabelWidth)
	}
	if s.repeated[r.Task] {
		name += " " + shapeText(r)
	}
	return name
}

// shown gives the diff with the rows that people want to see. What it sums up is still of all rows.
func shown(d *rundiff.Result, show report.Selection) *rundiff.Result {
	if !show.Chosen() {
		return d
	}
	rows := show.Choose(d.Len(), func(i int) report.Candidate { return candidate(d.Row(i, nil), show) })
	v := d.View(rows)
	v.Notes = append(show.LeftOut(len(rows), d.Len(), "rows", d.Task), d.Notes...)
	return v
}

// candidate is what a selection considers of a row. Slot time is lost where less is measured than on the old side.
func candidate(r *rundiff.Row, show report.Selection) report.Candidate {
	change, time := r.Measured.Change.Or(math.NaN()), float64(r.Seconds())
	return report.Candidate{Task: r.Task, Other: !r.IsKernel, Value: show.Value(-change*time, time, change)}
}

// table makes the table of kernels.
func (s *diffSet) table() *report.Table {
	t := report.RowsInto(report.SectionKernels, s.Len(), s.fill, s.columns()...)
	t.Main, t.Attention, t.Form = s.kernels, s.attention, report.Browser
	return t
}

// csvTable gives the rows of a diff as a flat table at full precision, for CSV: the keys are its stable column names,
// units are part of them.
func csvTable(d *rundiff.Result, show report.Selection) *report.Table {
	s := newDiffSet(shown(d, show))
	s.raw = true
	return report.CSV("rows", s.Len(), s.fill, csvColumns()...)
}

// csvColumns are the columns of the sheet, whatever this diff has of them.
func csvColumns() (keys []string) {
	// Stable: a script that reads a column must find it in the CSV of any diff.
	all := diffSet{has: rundiff.Shows{Tested: true, Residual: true}}
	columns := all.columns()
	for i, c := range report.RowsInto("", 0, all.fill, columns...).Columns {
		if c.In&report.Sheet != 0 {
			keys = append(keys, columns[i])
		}
	}
	return keys
}

func kernelSection(d *rundiff.Result) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if d.Len() == 0 {
		s.Text = []string{"The inputs contain no kernel."}
		return s
	}
	s.Text = []string{"Regressions come first, then what else differs, each by time; tasks that are not kernels " +
		"come last."}
	s.Tables = []*report.Table{newDiffSet(d).table()}
	return s
}
