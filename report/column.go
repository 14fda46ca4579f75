package report

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// Col is a column of a table whose rows are of type R: what it is, and how its
// cell is made of a row. A list of them is the one place that names a figure;
// JSON, CSV, JSON Schema, 'occudiff explain' and every table come from it:
//
//	var columns = []report.Col[launch]{
//		report.Define(report.Column{Key: "kernel", Path: "task", Always: true, Title: "Kernel", Kind: report.Name,
//			In: report.All}, func(l *launch) report.Cell { return report.NameCell(l.Task) }),
//		report.Define(report.Column{Key: "total_seconds", Path: "time.total_seconds", Title: "Time", Unit: "ms",
//			Decimals: 3, Kind: report.Duration, In: report.Everywhere},
//			func(l *launch) report.Cell { return report.OptDuration(l.Total) }),
//		report.Define(report.Column{Path: "notes", Always: true, Kind: report.Array, Of: report.ColumnsOf(notes)},
//			func(l *launch) report.Cell { return report.RowsCell(report.NewTable("", "", l.Notes, notes)) }),
//	}
//	table := report.NewTable("launches", "", launches, columns) // for JSON and CSV
//	shown := table.Show("kernel", "total_seconds")              // for people: these first, no column that is empty
//
// The list is in the order of JSON and CSV. Cells are in base units at full
// precision: seconds, bytes, percent.
type Col[R any] struct {
	Column
	Of func(*R) Cell
}

// Define makes a column, with less to write than a literal.
func Define[R any](c Column, of func(*R) Cell) Col[R] { return Col[R]{Column: c, Of: of} }

// NewTable makes a table of rows that are there. This is where their type goes
// away. Cells are made when they are asked for, each alone, so that a table
// costs nothing until somebody looks, and what nobody looks at is not made.
func NewTable[R any](key, title string, rows []R, cols []Col[R]) *Table {
	t := TableOf(key, cols)(rows)
	t.Title = title
	return t
}

// TableOf makes tables of many short lists, such as the notes of each row: they
// share their columns.
func TableOf[R any](key string, cols []Col[R]) func(rows []R) *Table {
	columns := ColumnsOf(cols)
	return func(rows []R) *Table {
		return &Table{Key: key, Len: len(rows), Main: len(rows), In: Everywhere, Columns: columns,
			cell: func(row, column int) Cell { return cols[column].Of(&rows[row]) }}
	}
}

// One is one row as an object of JSON, null for none.
func One[R any](row *R, cols []Col[R]) *Table {
	var rows []R
	if row != nil {
		rows = []R{*row}
	}
	t := NewTable("", "", rows, cols)
	t.One = true
	return t
}

// NewStream makes a table of rows that come one after the other, and of which
// it is unknown beforehand how many there are: for JSON and CSV alone. A row is
// good until the next one.
func NewStream[R any](rows iter.Seq[*R], cols []Col[R]) *Table {
	t := NewTable("rows", "", nil, cols)
	t.records = func(yield func(Record) bool) {
		for row := range rows {
			if !yield(func(column int) Cell { return cols[column].Of(row) }) {
				return
			}
		}
	}
	return t
}

// ColumnsOf returns the columns without how their cells are made, those of a
// kind that has a unit with it.
func ColumnsOf[R any](cols []Col[R]) []Column {
	units := map[Kind]string{Percent: "%", Points: "points", Duration: "s"}
	return ListOf(cols, func(c Col[R]) Column {
		c.Unit = cmp.Or(c.Unit, units[c.Kind])
		return c.Column
	})
}

// Within returns the columns of a part of a row: their keys begin with key and
// their paths with path, and their cells are absent where of gives nil. A part
// with a path of its own that may be missing has a column of Kind Object as
// well.
func Within[R, P any](key, path string, of func(*R) *P, cols []Col[P]) []Col[R] {
	return ListOf(cols, func(c Col[P]) Col[R] {
		column := c.Column
		if column.Key != "" {
			column.Key = key + column.Key
		}
		if column.Path != "" && path != "" {
			column.Path = path + "." + column.Path
		}
		return Col[R]{column, func(row *R) Cell {
			if p := of(row); p != nil {
				return c.Of(p)
			}
			return Cell{}
		}}
	})
}

// Record returns the cells of one row, by the place of their columns.
type Record func(column int) Cell

// Records returns the rows in order. A record is good until the next one.
func (t *Table) Records() iter.Seq[Record] {
	if t.records != nil {
		return t.records
	}
	return func(yield func(Record) bool) {
		for i := range t.Len {
			if !yield(func(column int) Cell { return t.Cell(i, column) }) {
				return
			}
		}
	}
}

// Cell returns one cell. It is safe for concurrent use.
func (t *Table) Cell(row, column int) Cell { return t.cell(row, column) }

// Row appends the cells of row i to dst, one per column. It is safe for
// concurrent use.
func (t *Table) Row(i int, dst []Cell) []Cell {
	for k := range t.Columns {
		dst = append(dst, t.Cell(i, k))
	}
	return dst
}

// Show returns the table as people see it: the columns that keys name come
// first, the others follow in their order, and a column without a title, or
// with nothing in any row, is left out.
func (t *Table) Show(keys ...string) *Table {
	order := slices.DeleteFunc(t.others(t.ordered(nil, keys, t.Column)), func(i int) bool {
		return t.Columns[i].Title == "" || !t.any(i)
	})
	shown, raw := *t, *t
	shown.Columns = ListOf(order, func(i int) Column { return t.Columns[i].onPaper() })
	shown.cell = func(row, column int) Cell {
		at := order[column]
		return raw.Columns[at].paper(raw.Cell(row, at))
	}
	return &shown
}

// any reports whether any row has something in a column.
func (t *Table) any(column int) bool {
	for i := range t.Len {
		if t.Columns[column].paper(t.Cell(i, column)).Kind != Absent {
			return true
		}
	}
	return false
}

// Hide takes columns out of a view.
func (t *Table) Hide(from View, keys ...string) {
	for i := range t.Columns {
		if slices.Contains(keys, t.Columns[i].Key) {
			t.Columns[i].In &^= from
		}
	}
}

// scales are what seconds are multiplied by in the unit of a column.
var scales = map[string]float64{"ms": 1e3, "us": 1e6}

// onPaper is the column of the cells that paper gives.
func (c Column) onPaper() Column {
	switch c.Kind {
	case Duration:
		c.Kind = Number
	case Name, Array, Bool:
		c.Kind = Text
	}
	return c
}

// paper is a cell as people see it: a name decoded, a list with commas, a time
// in the unit of its column.
func (c *Column) paper(v Cell) Cell {
	switch v.Kind {
	case Duration:
		v.Kind, v.Num = Number, v.Num*cmp.Or(scales[c.Unit], 1)
	case Name:
		return TextCell(names.Display(v.Text))
	case Array:
		return StatusCell(strings.Join(v.List, ", "), v.Status)
	case Bool:
		v.Kind = Text
	}
	return v
}

// NameCell is the name of a kernel as the input has it.
func NameCell(s string) Cell { return Cell{Kind: Name, Text: s} }

// OptText is a text that may be absent. One that is there may be empty.
func OptText(o unit.Opt[string]) Cell {
	if s, ok := o.Value(); ok {
		return Cell{Kind: Text, Text: s}
	}
	return Cell{}
}

// SizeCell is a launch size; one of no dimension is an empty list in JSON, and
// nothing elsewhere.
func SizeCell(s unit.Size3) Cell { return TextCell(s.String()) }

// ListCell is a list of words, which may be empty.
func ListCell(words []string) Cell { return Cell{Kind: Array, List: words} }

// listPath is the path of the one column of rows that JSON has as a list of
// values.
const listPath = "."

// IsList reports whether rows of these columns are a list of values in JSON,
// and not of objects.
func IsList(columns []Column) bool { return len(columns) == 1 && columns[0].Path == listPath }

// ListColumns is the column of a list of values; see RowsCell.
func ListColumns[R any](kind Kind, of func(*R) Cell) []Col[R] {
	return []Col[R]{Define(Column{Path: listPath, Kind: kind}, of)}
}

// RowsCell is a list of rows, for JSON.
func RowsCell(rows *Table) Cell { return Cell{Kind: Array, Rows: rows} }

// ObjectCell reports whether an object of JSON is there.
func ObjectCell(there bool) Cell {
	if there {
		return Cell{Kind: Object}
	}
	return Cell{}
}

// BoolCell is yes or no.
func BoolCell(b bool) Cell {
	if b {
		return Cell{Kind: Bool, Text: "yes"}
	}
	return Cell{Kind: Bool, Text: "no"}
}

// OptBool is yes or no, or absent.
func OptBool(o unit.Opt[bool]) Cell {
	if b, ok := o.Value(); ok {
		return BoolCell(b)
	}
	return Cell{}
}

// DurationCell is a time in seconds.
func DurationCell(t unit.Seconds) Cell { return NumCell(Duration, float64(t)) }

// OptDuration is a time in seconds that may be absent.
func OptDuration(o unit.Opt[unit.Seconds]) Cell { return OptNum(Duration, o) }

// ListOf returns what of makes of each element. The list is never nil, so that
// JSON has [] and not null.
func ListOf[T, V any](list []T, of func(T) V) []V {
	values := make([]V, len(list))
	for i, x := range list {
		values[i] = of(x)
	}
	return values
}
