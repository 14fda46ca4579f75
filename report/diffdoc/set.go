package diffdoc

import (
	"math"

	"occudiff/compare/rundiff"
	"occudiff/report"
)

// diffSet is what the columns need to know of all rows.
type diffSet struct {
	rows      []rundiff.Row
	kernels   int // the first ones
	attention int // the first ones that are not simply unchanged
	tested    bool
	residual  bool
	loaded    bool
	raw       bool // for programs
	repeated  map[string]bool
	brief     map[string]string // the names of charts
}

func newDiffSet(d *rundiff.Result) *diffSet {
	s := &diffSet{rows: d.Rows, repeated: map[string]bool{}, brief: map[string]string{}}
	for s.kernels < len(d.Rows) && d.Rows[s.kernels].IsKernel {
		s.kernels++
	}
	for s.attention < s.kernels && d.Rows[s.attention].Verdict != rundiff.Unchanged {
		s.attention++
	}
	seen, names := make(map[string]bool, len(d.Rows)), make([]string, len(d.Rows))
	for i := range d.Rows {
		r := &d.Rows[i]
		s.tested = s.tested || r.Measured.P.Present() || r.Time.P.Present()
		s.loaded = s.loaded || r.Loaded.Change.Present()
		s.residual = s.residual || r.Residual.Change.Present()
		s.repeated[r.Task] = s.repeated[r.Task] || seen[r.Task]
		seen[r.Task] = true
		names[i] = report.KernelName(r.Task)
	}
	for i, name := range report.CutApart(names, report.LabelWidth) {
		s.brief[d.Rows[i].Task] = name
	}
	return s
}

// label names a row briefly; rows of one name are told apart by their shape.
func (s *diffSet) label(r *rundiff.Row) string {
	name := s.brief[r.Task]
	if s.repeated[r.Task] {
		name += " " + shapeText(r)
	}
	return name
}

// shown gives the diff with the rows that people want to see. What it sums up is still of all rows.
func shown(d *rundiff.Result, show report.Selection) *rundiff.Result {
	v := *d
	rows, left := report.Select(show, d.Rows, "rows", func(r *rundiff.Row) report.Candidate {
		return candidate(r, show.Sort)
	})
	v.Rows, v.Notes = rows, append(left, d.Notes...)
	return &v
}

// candidate is what a selection considers of a row. Slot time is lost where less is measured than on the old side.
func candidate(r *rundiff.Row, by report.SortKey) report.Candidate {
	c := report.Candidate{Task: r.Task, Other: !r.IsKernel, Value: math.NaN()}
	change := r.Measured.Change.Or(math.NaN())
	switch by {
	case report.SortLost:
		c.Value = -change * float64(r.Seconds())
	case report.SortTime:
		c.Value = float64(r.Seconds())
	case report.SortDifference:
		c.Value = math.Abs(change)
	}
	return c
}

// table makes the table of kernels.
func (s *diffSet) table() *report.Table {
	t := report.RowsInto(report.SectionKernels, len(s.rows), s.fill, s.columns()...)
	t.Main, t.Attention, t.Form = s.kernels, s.attention, report.Browser
	return t
}

// csvTable gives the rows of a diff as a flat table at full precision, for CSV: the keys are its stable column names,
// units are part of them.
func csvTable(d *rundiff.Result, show report.Selection) *report.Table {
	s := newDiffSet(shown(d, show))
	s.raw = true
	return report.CSV("rows", len(s.rows), s.fill, csvColumns()...)
}

// csvColumns are the columns of the sheet, whatever this diff has of them.
func csvColumns() (keys []string) {
	all := diffSet{tested: true, residual: true}
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
	if len(d.Rows) == 0 {
		s.Text = []string{"The inputs contain no kernel."}
		return s
	}
	s.Text = []string{"Regressions come first, then what else differs, each by time; tasks that are not kernels " +
		"come last."}
	s.Tables = []*report.Table{newDiffSet(d).table()}
	return s
}
