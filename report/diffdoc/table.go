package diffdoc

import (
	"math"
	"strconv"
	"strings"

	"occudiff/compare/rundiff"
	"occudiff/report"

	"occudiff/compare"
)

// diffSet is what the columns need to know of all rows.
type diffSet struct {
	rows     []rundiff.Row
	kernels  int // the first ones
	need     int // the first ones that are not simply unchanged
	tested   bool
	residual bool
	loaded   bool
	raw      bool // names as the input has them
	repeated map[string]bool
	brief    map[string]string // the names of charts
}

func newDiffSet(d *rundiff.Result) *diffSet {
	s := &diffSet{rows: d.Rows, repeated: map[string]bool{}, brief: map[string]string{}}
	for s.kernels < len(d.Rows) && !d.Rows[s.kernels].NotAKernel {
		s.kernels++
	}
	for s.need < s.kernels && d.Rows[s.need].Verdict != rundiff.Unchanged {
		s.need++
	}
	seen, names := make(map[string]bool, len(d.Rows)), make([]string, len(d.Rows))
	for i := range d.Rows {
		r := &d.Rows[i]
		s.tested = s.tested || r.Measured.Test.Present() || r.Time.Test.Present()
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

// shown gives the diff with the rows that people want to see. What it sums up is still of all rows.
func shown(d *rundiff.Result, show report.Selection) *rundiff.Result {
	if !show.Chosen() {
		return d
	}
	v := *d
	v.Rows = nil
	for _, i := range show.Choose(len(d.Rows), func(i int) report.Candidate {
		return candidate(&d.Rows[i], show.Sort)
	}) {
		v.Rows = append(v.Rows, d.Rows[i])
	}
	v.Notes = append(show.LeftOut(len(v.Rows), len(d.Rows), "rows"), d.Notes...)
	return &v
}

// candidate is what a selection looks at of a row. Slot time is lost where less is measured than on the old side.
func candidate(r *rundiff.Row, by report.SortKey) report.Candidate {
	c := report.Candidate{Task: r.Task, Other: r.NotAKernel, Value: math.NaN()}
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

// diffColumn is a column with how a row fills it.
type diffColumn struct {
	report.Column
	cell func(*rundiff.Row) report.Cell
}

// table makes the table of the columns that appear in any of the views.
func (s *diffSet) table(in report.View) *report.Table {
	var columns []diffColumn
	t := &report.Table{Key: report.SectionKernels, Len: len(s.rows), Main: s.kernels, Attention: s.need, In: in,
		Form: report.Browser}
	for _, c := range s.columns() {
		if c.In&in != 0 {
			columns = append(columns, c)
			t.Columns = append(t.Columns, c.Column)
		}
	}
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		for c := range columns {
			dst = append(dst, columns[c].cell(&s.rows[i]))
		}
		return dst
	}
	return t
}

// DiffTable gives the rows of a diff as a flat table at full precision, for CSV: the keys are its stable column names,
// units are part of them.
func DiffTable(d *rundiff.Result, show report.Selection) *report.Table {
	s := newDiffSet(shown(d, show))
	s.tested, s.residual, s.raw = true, true, true
	t := s.table(report.Sheet)
	t.In = report.Terminal | report.Page | report.Sheet
	return t
}

func diffKernelSection(d *rundiff.Result) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if len(d.Rows) == 0 {
		s.Text = []string{"The inputs hold no kernel."}
		return s
	}
	s.Text = []string{"Regressions first, then what else is not the same, each by time; tasks that are no kernels " +
		"come last."}
	s.Tables = []*report.Table{newDiffSet(d).table(report.Terminal | report.Page | report.Sheet)}
	return s
}

// columns are those that people read (Terminal, Page) and the raw ones (Sheet, and CSV): `~` and "16 -> 32" are words,
// which nobody can compute with.
func (s *diffSet) columns() []diffColumn {
	var list []diffColumn
	add := func(in report.View, key, group, title, unit string, kind report.Kind,
		cell func(*rundiff.Row) report.Cell) *report.Column {
		list = append(list, diffColumn{report.Column{Key: key, Group: group, Title: title, Unit: unit, Kind: kind,
			In: in}, cell})
		return &list[len(list)-1].Column
	}
	read := report.Terminal | report.Page
	name := report.KernelName
	if s.raw {
		name = func(task string) string { return task }
	}
	add(read|report.Sheet, "task", "", "Kernel", "", report.Text,
		func(r *rundiff.Row) report.Cell { return report.TextCell(name(r.Task)) })
	list[0].Cut = true
	add(read, "global", "", "Global", "", report.Text, func(r *rundiff.Row) report.Cell {
		return report.TextCell(bothSizes(r, rundiff.ChangeGlobal, globalOf))
	}).Drop = 3
	add(read, "local", "", "Local", "", report.Text, func(r *rundiff.Row) report.Cell {
		return report.TextCell(bothSizes(r, rundiff.ChangeLocal, localOf))
	}).Drop = 2
	add(read, "simd", "", "SIMD", "", report.Text, func(r *rundiff.Row) report.Cell {
		return report.TextCell(bothSizes(r, rundiff.ChangeSIMD, simdOf))
	}).Drop = 4
	for i := range 3 {
		list[i].Role = report.Code
	}
	s.launchColumns(add)
	s.measuredColumns(add)
	s.residualColumns(add)
	s.timeColumns(add)
	s.partColumns(add)
	c := add(read|report.Sheet, "verdict", "", "Verdict", "", report.Text, func(r *rundiff.Row) report.Cell {
		return report.StatusCell(string(r.Verdict), diffStatus(r.Verdict))
	})
	c.Words, c.Role = diffWords(), report.Choice
	add(report.Sheet, "changes", "", "Changed", "", report.Text, func(r *rundiff.Row) report.Cell {
		words := make([]string, len(r.Changes))
		for i, c := range r.Changes {
			words[i] = c.String()
		}
		return report.TextCell(strings.Join(words, ", "))
	})
	add(report.Sheet, "label", "", "Label in charts", "", report.Text,
		func(r *rundiff.Row) report.Cell { return report.TextCell(s.label(r)) })
	add(report.Sheet, "because", "", "Because", "", report.Text,
		func(r *rundiff.Row) report.Cell { return report.TextCell(r.Because) })
	return list
}

// adder appends a column.
type adder func(in report.View, key, group, title, unit string, kind report.Kind,
	cell func(*rundiff.Row) report.Cell) *report.Column

func (s *diffSet) launchColumns(add adder) {
	for _, c := range []struct {
		key, title string
		of         func(*rundiff.Launch) string
		kind       report.Kind
	}{{"global", "Global", globalOf, report.Text}, {"local", "Local", localOf, report.Text},
		{"simd", "SIMD", simdOf, report.Integer}, {"runs", "Runs", runsOf, report.Integer}} {
		for _, side := range []string{"old", "new"} {
			add(report.Sheet, c.key+"_"+side, c.title, side, "", c.kind, func(r *rundiff.Row) report.Cell {
				text := sideValue(r, side, c.of)
				if c.kind == report.Text {
					return report.TextCell(text)
				}
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					return report.IntCell(n)
				}
				return report.Cell{}
			})
		}
	}
	add(report.Sheet, "direction", "", "Direction", "", report.Text,
		func(r *rundiff.Row) report.Cell { return report.TextCell(string(r.Direction)) })
}

func (s *diffSet) measuredColumns(add adder) {
	read, all := report.Terminal|report.Page, report.Terminal|report.Page|report.Sheet
	m := func(r *rundiff.Row) *rundiff.Delta { return &r.Measured }
	add(all, "measured_old_percent", "Measured", "old", "%", report.Percent,
		func(r *rundiff.Row) report.Cell { return median(&r.Measured.Old, report.Percent) }).Drop = 8
	add(all, "measured_new_percent", "Measured", "new", "%", report.Percent,
		func(r *rundiff.Row) report.Cell { return median(&r.Measured.New, report.Percent) }).Drop = 9
	if s.tested {
		add(report.Page, "measured_old_interval", "Interval", "old", "%", report.Text,
			func(r *rundiff.Row) report.Cell { return interval(&r.Measured.Old) })
		add(report.Page, "measured_new_interval", "Interval", "new", "%", report.Text,
			func(r *rundiff.Row) report.Cell { return interval(&r.Measured.New) })
	}
	group, title := "", "Change"
	if s.loaded {
		group, title = "Change", "measured"
	}
	add(read, "measured_change", group, title, "points", report.Points,
		func(r *rundiff.Row) report.Cell { return changeCell(&r.Measured, report.Points) }).Drop = 10
	if s.loaded {
		add(read, "loaded_change", group, "XVEs that ran", "points", report.Points,
			func(r *rundiff.Row) report.Cell { return changeCell(&r.Loaded, report.Points) }).Drop = 6
	}
	add(report.Sheet, "measured_change_points", "", "Change", "points", report.Points,
		func(r *rundiff.Row) report.Cell { return rawChange(&r.Measured, report.Points) })
	if !s.tested {
		return
	}
	p := add(all, "measured_p", "", "p", "", report.Number,
		func(r *rundiff.Row) report.Cell { return pCell(&r.Measured) })
	p.Drop, p.Decimals = 5, 3
	add(read, "measured_n", "", "Runs", "", report.Text, func(r *rundiff.Row) report.Cell {
		if r.Measured.Old.N+r.Measured.New.N == 0 {
			return report.Cell{}
		}
		return report.TextCell(strconv.Itoa(r.Measured.Old.N) + " + " + strconv.Itoa(r.Measured.New.N))
	}).Drop = 1
	add(report.Sheet, "measured_significant", "", "Significant", "", report.Text,
		func(r *rundiff.Row) report.Cell { return significant3(&r.Measured) })
	sampleColumns(add, "measured", "Measured", "%", report.Percent, 1, m)
}

// sampleColumns are the sizes and intervals of both sides, raw.
func sampleColumns(add adder, key, group, unit string, kind report.Kind, decimals int,
	of func(*rundiff.Row) *rundiff.Delta) {
	for _, side := range []string{"old", "new"} {
		sample := func(r *rundiff.Row) *rundiff.Sample {
			if side == "old" {
				return &of(r).Old
			}
			return &of(r).New
		}
		add(report.Sheet, key+"_"+side+"_n", group, side+" runs", "", report.Integer,
			func(r *rundiff.Row) report.Cell { return report.IntCell(sample(r).N) })
		for i, bound := range []string{"low", "high"} {
			add(report.Sheet, key+"_"+side+"_"+bound, group, side+" "+bound, unit, kind,
				func(r *rundiff.Row) report.Cell {
					v, ok := sample(r).Interval.Value()
					if !ok {
						return report.Cell{}
					}
					return report.NumCell(kind, [...]float64{v.Low, v.High}[i])
				}).Decimals = decimals
		}
	}
}

func (s *diffSet) residualColumns(add adder) {
	if !s.residual {
		return
	}
	add(report.Terminal|report.Page, "residual_change", "", "Residual change", "points", report.Points,
		func(r *rundiff.Row) report.Cell { return changeCell(&r.Residual, report.Points) }).Drop = 5
	add(report.Sheet, "residual_old_points", "Residual", "old", "points", report.Points,
		func(r *rundiff.Row) report.Cell { return median(&r.Residual.Old, report.Points) })
	add(report.Sheet, "residual_new_points", "Residual", "new", "points", report.Points,
		func(r *rundiff.Row) report.Cell { return median(&r.Residual.New, report.Points) })
	add(report.Sheet, "residual_change_points", "Residual", "change", "points", report.Points,
		func(r *rundiff.Row) report.Cell { return rawChange(&r.Residual, report.Points) })
	if s.tested {
		add(report.Sheet, "residual_p", "Residual", "p", "", report.Number,
			func(r *rundiff.Row) report.Cell { return pCell(&r.Residual) }).Decimals = 3
		sampleColumns(add, "residual", "Residual", "points", report.Points, 1,
			func(r *rundiff.Row) *rundiff.Delta { return &r.Residual })
	}
	for _, c := range []struct {
		key, title string
		of         func(*rundiff.Row) *rundiff.Delta
	}{
		{"predicted", "Predicted average", func(r *rundiff.Row) *rundiff.Delta { return &r.Predicted }},
		{"loaded", "XVEs that ran", func(r *rundiff.Row) *rundiff.Delta { return &r.Loaded }},
		{"idle", "XVE idle", func(r *rundiff.Row) *rundiff.Delta { return &r.Idle }},
	} {
		add(report.Sheet, c.key+"_old_percent", c.title, "old", "%", report.Percent,
			func(r *rundiff.Row) report.Cell { return median(&c.of(r).Old, report.Percent) })
		add(report.Sheet, c.key+"_new_percent", c.title, "new", "%", report.Percent,
			func(r *rundiff.Row) report.Cell { return median(&c.of(r).New, report.Percent) })
	}
}

func (s *diffSet) timeColumns(add adder) {
	c := add(report.Terminal|report.Page, "time", "", "Time new/old", "", report.Number,
		func(r *rundiff.Row) report.Cell { return changeCell(&r.Time, report.Number) })
	c.Drop, c.Decimals = 7, 2
	add(report.Sheet, "average_old_seconds", "Time per launch", "old", "s", report.Number,
		func(r *rundiff.Row) report.Cell { return median(&r.Time.Old, report.Number) }).Decimals = 6
	add(report.Sheet, "average_new_seconds", "Time per launch", "new", "s", report.Number,
		func(r *rundiff.Row) report.Cell { return median(&r.Time.New, report.Number) }).Decimals = 6
	add(report.Sheet, "time_ratio", "Time per launch", "new / old", "", report.Number,
		func(r *rundiff.Row) report.Cell { return rawChange(&r.Time, report.Number) }).Decimals = 3
	if s.tested {
		add(report.Sheet, "time_p", "Time per launch", "p", "", report.Number,
			func(r *rundiff.Row) report.Cell { return pCell(&r.Time) }).Decimals = 3
		sampleColumns(add, "average", "Time per launch", "s", report.Number, 6,
			func(r *rundiff.Row) *rundiff.Delta { return &r.Time })
	}
}

// partColumns say how far each part of the account moved, raw.
func (s *diffSet) partColumns(add adder) {
	for _, part := range compare.Parts() {
		add(report.Sheet, string(part)+"_change_points", "Account", string(part), "points", report.Points,
			func(r *rundiff.Row) report.Cell {
				for i := range r.Parts {
					if r.Parts[i].Part == part {
						return rawChange(&r.Parts[i].Delta, report.Points)
					}
				}
				return report.Cell{}
			})
	}
}
