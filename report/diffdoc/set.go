package diffdoc

import (
	"iter"
	"math"

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
	repeated  map[string]bool
	brief     map[string]string // the names of charts
}

func newDiffSet(d *rundiff.Result) *diffSet {
	s := &diffSet{Result: d, repeated: map[string]bool{}, brief: map[string]string{}}
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

// each gives the rows one by one. A row is good until the next one.
func (s *diffSet) each() iter.Seq[*kernel] {
	return func(yield func(*kernel) bool) {
		for _, r := range s.All() {
			if !yield(&kernel{r, s}) {
				return
			}
		}
	}
}

// table makes the table of kernels for people.
func (s *diffSet) table() *report.Table {
	list := make([]kernel, s.Len())
	for i := range list {
		list[i] = kernel{s.Row(i, nil), s}
	}
	t := report.NewTable(report.SectionKernels, "", list, kernelColumns).Show(firstKernels...)
	t.Main, t.Attention, t.Form = s.kernels, s.attention, report.Browser
	if !s.has.Tested {
		t.Hide(report.Everywhere, "measured_n", "measured_old_interval", "measured_new_interval", "measured_old_n", "measured_new_n", "residual_old_n", "residual_new_n",
			"average_old_n", "average_new_n")
	}
	if !s.has.Residual {
		t.Hide(report.Everywhere, "residual_old_n", "residual_new_n")
	}
	return t
}

// csvTable gives the rows of a diff for CSV.
func csvTable(d *rundiff.Result, show report.Selection) *report.Table {
	return report.NewStream("rows", newDiffSet(shown(d, show)).each(), kernelColumns)
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
