package report

import (
	"strconv"
	"strings"

	"occudiff/compare"
)

// diffSet is what the columns need to know of all rows.
type diffSet struct {
	rows     []compare.DiffRow
	kernels  int // the first ones
	need     int // the first ones that are not simply unchanged
	tested   bool
	residual bool
	repeated map[string]bool
}

func newDiffSet(d *compare.DiffResult) *diffSet {
	s := &diffSet{rows: d.Rows, kernels: d.Summary.Kernels, repeated: map[string]bool{}}
	for s.need < s.kernels && d.Rows[s.need].Verdict != compare.DiffUnchanged {
		s.need++
	}
	seen := make(map[string]bool, len(d.Rows))
	for i := range d.Rows {
		r := &d.Rows[i]
		s.tested = s.tested || r.Measured.Test.Present() || r.Time.Test.Present()
		s.residual = s.residual || r.Residual.Change.Present()
		s.repeated[r.Task] = s.repeated[r.Task] || seen[r.Task]
		seen[r.Task] = true
	}
	return s
}

// diffColumn is a column with how a row fills it.
type diffColumn struct {
	Column
	cell func(*compare.DiffRow) Cell
}

// table makes the table of the columns that appear in any of the views.
func (s *diffSet) table(in View) *Table {
	var columns []diffColumn
	t := &Table{Key: SectionKernels, Len: len(s.rows), Main: s.kernels, Attention: s.need, In: in}
	for _, c := range s.columns() {
		if c.In&in != 0 {
			columns = append(columns, c)
			t.Columns = append(t.Columns, c.Column)
		}
	}
	t.Row = func(i int, dst []Cell) []Cell {
		for c := range columns {
			dst = append(dst, columns[c].cell(&s.rows[i]))
		}
		return dst
	}
	return t
}

// DiffTable gives the rows of a diff as a flat table at full precision, for CSV: the keys are its stable column names,
// units are part of them.
func DiffTable(d *compare.DiffResult) *Table {
	s := newDiffSet(d)
	s.tested, s.residual = true, true
	t := s.table(Sheet)
	t.In = Glance | Page | Sheet
	return t
}

func diffKernelSection(d *compare.DiffResult) Section {
	s := Section{Key: SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if len(d.Rows) == 0 {
		s.Text = []string{"The inputs hold no kernel."}
		return s
	}
	s.Text = []string{"Regressions first, then what else is not the same, each by time; tasks that are no kernels come last."}
	s.Tables = []*Table{newDiffSet(d).table(Glance | Page | Sheet)}
	return s
}

// columns are those that people read (Glance, Page) and the raw ones (Sheet, and CSV): `~` and "16 -> 32" are words, which
// nobody can compute with.
func (s *diffSet) columns() []diffColumn {
	var list []diffColumn
	add := func(in View, key, group, title, unit string, kind Kind, cell func(*compare.DiffRow) Cell) *Column {
		list = append(list, diffColumn{Column{Key: key, Group: group, Title: title, Unit: unit, Kind: kind, In: in}, cell})
		return &list[len(list)-1].Column
	}
	read := Glance | Page
	add(read|Sheet, "task", "", "Kernel", "", Text, func(r *compare.DiffRow) Cell { return TextCell(r.Task) }).Cut = true
	add(read, "global", "", "Global", "", Text, func(r *compare.DiffRow) Cell { return TextCell(bothSizes(r, compare.ChangeGlobal, globalOf)) }).Drop = 3
	add(read, "local", "", "Local", "", Text, func(r *compare.DiffRow) Cell { return TextCell(bothSizes(r, compare.ChangeLocal, localOf)) }).Drop = 2
	add(read, "simd", "", "SIMD", "", Text, func(r *compare.DiffRow) Cell { return TextCell(bothSizes(r, compare.ChangeSIMD, simdOf)) }).Drop = 4
	s.launchColumns(add)
	s.measuredColumns(add)
	s.residualColumns(add)
	s.timeColumns(add)
	c := add(read|Sheet, "verdict", "", "Verdict", "", Text, func(r *compare.DiffRow) Cell { return StatusCell(string(r.Verdict), diffStatus(r.Verdict)) })
	c.Words = diffWords()
	add(Sheet, "changes", "", "Changed", "", Text, func(r *compare.DiffRow) Cell {
		words := make([]string, len(r.Changes))
		for i, c := range r.Changes {
			words[i] = c.String()
		}
		return TextCell(strings.Join(words, ", "))
	})
	add(Sheet, "label", "", "Label in charts", "", Text, func(r *compare.DiffRow) Cell { return TextCell(s.label(r)) })
	add(Sheet, "because", "", "Because", "", Text, func(r *compare.DiffRow) Cell { return TextCell(r.Because) })
	return list
}

// adder appends a column.
type adder func(in View, key, group, title, unit string, kind Kind, cell func(*compare.DiffRow) Cell) *Column

func (s *diffSet) launchColumns(add adder) {
	for _, c := range []struct {
		key, title string
		of         func(*compare.DiffLaunch) string
		kind       Kind
	}{{"global", "Global", globalOf, Text}, {"local", "Local", localOf, Text}, {"simd", "SIMD", simdOf, Integer}, {"runs", "Runs", runsOf, Integer}} {
		for _, side := range []string{"old", "new"} {
			add(Sheet, c.key+"_"+side, c.title, side, "", c.kind, func(r *compare.DiffRow) Cell {
				text := sideValue(r, side, c.of)
				if c.kind == Text {
					return TextCell(text)
				}
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					return IntCell(n)
				}
				return Cell{}
			})
		}
	}
	add(Sheet, "direction", "", "Direction", "", Text, func(r *compare.DiffRow) Cell { return TextCell(string(r.Direction)) })
}

func (s *diffSet) measuredColumns(add adder) {
	read, all := Glance|Page, Glance|Page|Sheet
	m := func(r *compare.DiffRow) *compare.Delta { return &r.Measured }
	add(all, "measured_old_percent", "Measured", "old", "%", Percent, func(r *compare.DiffRow) Cell { return median(&r.Measured.Old, Percent) }).Drop = 8
	add(all, "measured_new_percent", "Measured", "new", "%", Percent, func(r *compare.DiffRow) Cell { return median(&r.Measured.New, Percent) }).Drop = 9
	if s.tested {
		add(Page, "measured_old_interval", "Interval", "old", "%", Text, func(r *compare.DiffRow) Cell { return interval(&r.Measured.Old) })
		add(Page, "measured_new_interval", "Interval", "new", "%", Text, func(r *compare.DiffRow) Cell { return interval(&r.Measured.New) })
	}
	add(read, "measured_change", "", "Change", "points", Points, func(r *compare.DiffRow) Cell { return changeCell(&r.Measured, Points) }).Drop = 10
	add(Sheet, "measured_change_points", "", "Change", "points", Points, func(r *compare.DiffRow) Cell { return rawChange(&r.Measured, Points) })
	if !s.tested {
		return
	}
	p := add(all, "measured_p", "", "p", "", Number, func(r *compare.DiffRow) Cell { return pCell(&r.Measured) })
	p.Drop, p.Decimals = 5, 3
	add(read, "measured_n", "", "Runs", "", Text, func(r *compare.DiffRow) Cell {
		if r.Measured.Old.N+r.Measured.New.N == 0 {
			return Cell{}
		}
		return TextCell(strconv.Itoa(r.Measured.Old.N) + " + " + strconv.Itoa(r.Measured.New.N))
	}).Drop = 1
	add(Sheet, "measured_significant", "", "Significant", "", Text, func(r *compare.DiffRow) Cell { return significant3(&r.Measured) })
	sampleColumns(add, "measured", "Measured", "%", Percent, 1, m)
}

// sampleColumns are the sizes and intervals of both sides, raw.
func sampleColumns(add adder, key, group, unit string, kind Kind, decimals int, of func(*compare.DiffRow) *compare.Delta) {
	for _, side := range []string{"old", "new"} {
		sample := func(r *compare.DiffRow) *compare.Sample {
			if side == "old" {
				return &of(r).Old
			}
			return &of(r).New
		}
		add(Sheet, key+"_"+side+"_n", group, side+" runs", "", Integer, func(r *compare.DiffRow) Cell { return IntCell(sample(r).N) })
		for i, bound := range []string{"low", "high"} {
			add(Sheet, key+"_"+side+"_"+bound, group, side+" "+bound, unit, kind, func(r *compare.DiffRow) Cell {
				v, ok := sample(r).Interval.Value()
				if !ok {
					return Cell{}
				}
				return NumCell(kind, [...]float64{v.Low, v.High}[i])
			}).Decimals = decimals
		}
	}
}

func (s *diffSet) residualColumns(add adder) {
	if !s.residual {
		return
	}
	add(Glance|Page, "residual_change", "", "Residual change", "points", Points, func(r *compare.DiffRow) Cell { return changeCell(&r.Residual, Points) }).Drop = 6
	add(Sheet, "residual_old_points", "Residual", "old", "points", Points, func(r *compare.DiffRow) Cell { return median(&r.Residual.Old, Points) })
	add(Sheet, "residual_new_points", "Residual", "new", "points", Points, func(r *compare.DiffRow) Cell { return median(&r.Residual.New, Points) })
	add(Sheet, "residual_change_points", "Residual", "change", "points", Points, func(r *compare.DiffRow) Cell { return rawChange(&r.Residual, Points) })
	if s.tested {
		add(Sheet, "residual_p", "Residual", "p", "", Number, func(r *compare.DiffRow) Cell { return pCell(&r.Residual) }).Decimals = 3
		sampleColumns(add, "residual", "Residual", "points", Points, 1, func(r *compare.DiffRow) *compare.Delta { return &r.Residual })
	}
	for _, c := range []struct {
		key, title string
		of         func(*compare.DiffRow) *compare.Delta
	}{
		{"predicted", "Predicted average", func(r *compare.DiffRow) *compare.Delta { return &r.Predicted }},
		{"loaded", "Measured while loaded", func(r *compare.DiffRow) *compare.Delta { return &r.Loaded }},
		{"idle", "XVE idle", func(r *compare.DiffRow) *compare.Delta { return &r.Idle }},
	} {
		add(Sheet, c.key+"_old_percent", c.title, "old", "%", Percent, func(r *compare.DiffRow) Cell { return median(&c.of(r).Old, Percent) })
		add(Sheet, c.key+"_new_percent", c.title, "new", "%", Percent, func(r *compare.DiffRow) Cell { return median(&c.of(r).New, Percent) })
	}
}

func (s *diffSet) timeColumns(add adder) {
	c := add(Glance|Page, "time", "", "Time new/old", "", Number, func(r *compare.DiffRow) Cell { return changeCell(&r.Time, Number) })
	c.Drop, c.Decimals = 7, 2
	add(Sheet, "average_old_seconds", "Time per launch", "old", "s", Number, func(r *compare.DiffRow) Cell { return median(&r.Time.Old, Number) }).Decimals = 6
	add(Sheet, "average_new_seconds", "Time per launch", "new", "s", Number, func(r *compare.DiffRow) Cell { return median(&r.Time.New, Number) }).Decimals = 6
	add(Sheet, "time_ratio", "Time per launch", "new / old", "", Number, func(r *compare.DiffRow) Cell { return rawChange(&r.Time, Number) }).Decimals = 3
	if s.tested {
		add(Sheet, "time_p", "Time per launch", "p", "", Number, func(r *compare.DiffRow) Cell { return pCell(&r.Time) }).Decimals = 3
		sampleColumns(add, "average", "Time per launch", "s", Number, 6, func(r *compare.DiffRow) *compare.Delta { return &r.Time })
	}
}

func median(s *compare.Sample, kind Kind) Cell {
	if x, ok := s.Median.Value(); ok {
		return NumCell(kind, x)
	}
	return Cell{}
}

func rawChange(d *compare.Delta, kind Kind) Cell {
	if x, ok := d.Change.Value(); ok {
		return NumCell(kind, x)
	}
	return Cell{}
}

// insignificant is what people read where a test found nothing.
const insignificant = "~"

func changeCell(d *compare.Delta, kind Kind) Cell {
	if d.Change.Present() && d.Insignificant() {
		return TextCell(insignificant)
	}
	return rawChange(d, kind)
}

func pCell(d *compare.Delta) Cell {
	if t, ok := d.Test.Value(); ok {
		return NumCell(Number, t.P)
	}
	return Cell{}
}

func significant3(d *compare.Delta) Cell {
	switch v, ok := d.Significant.Value(); {
	case !ok:
		return Cell{}
	case v:
		return TextCell("yes")
	}
	return TextCell("no")
}

func interval(s *compare.Sample) Cell {
	v, ok := s.Interval.Value()
	if !ok {
		return Cell{}
	}
	return TextCell(Decimal(v.Low, 1) + " to " + Decimal(v.High, 1))
}

func globalOf(l *compare.DiffLaunch) string { return l.Global.String() }
func localOf(l *compare.DiffLaunch) string  { return l.Local.String() }
func runsOf(l *compare.DiffLaunch) string   { return strconv.Itoa(l.Runs) }
func simdOf(l *compare.DiffLaunch) string {
	if n, ok := l.SIMD.Value(); ok {
		return strconv.Itoa(n)
	}
	return ""
}

func sideValue(r *compare.DiffRow, side string, of func(*compare.DiffLaunch) string) string {
	l := r.Old
	if side == "new" {
		l = r.New
	}
	if l == nil {
		return ""
	}
	return of(l)
}

// bothSizes prints what both sides say, "16 -> 32" where they differ, what one says where the other says nothing.
func bothSizes(r *compare.DiffRow, what string, of func(*compare.DiffLaunch) string) string {
	for _, c := range r.Changes {
		if c.What == what {
			return c.Old + " -> " + c.New
		}
	}
	if b := sideValue(r, "new", of); b != "" {
		return b
	}
	return sideValue(r, "old", of)
}

// label names a row briefly; rows of one name are told apart by their shape.
func (s *diffSet) label(r *compare.DiffRow) string {
	name := CutMiddle(OneLine(r.Task), labelWidth)
	if s.repeated[r.Task] {
		name += " " + diffShape(r)
	}
	return name
}
