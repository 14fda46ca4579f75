package report

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// A Col is a column of a table with rows of type R. A list of columns is the
// only declaration of its values: JSON, CSV, JSON Schema, 'occudiff explain',
// and every table are made from it. JSON and CSV have the order of the list.
//
//	var columns = slices.Concat([]report.Col[launch]{
//		report.Define("kernel", "Kernel", func(l *launch) string { return l.Task }, report.Name, report.Path("task")),
//		report.Define("total_seconds", "Time", func(l *launch) unit.Opt[unit.Seconds] { return l.Total },
//			report.Milliseconds, report.Drop(2)),
//		report.Define("slm_bytes", "SLM", func(l *launch) unit.Bytes { return l.SLM }, report.NonZero, report.Wide),
//		report.JSON("partial", (*launch).Partial),
//		report.Shown("remark", "Remark", func(l *launch) report.Word { return report.Bad.Word(l.Remark) }),
//		report.List("notes", func(l *launch) []note.Note { return l.Notes }, report.NoteColumns()),
//	}, report.Part("", "predicted", func(l *launch) *prediction { return l.Predicted }, predictionColumns))
//	table := report.NewTable("launches", "", launches, columns) // for JSON and CSV
//	shown := table.Show("kernel", "total_seconds")              // for people: these columns first, and no empty columns
//
// The cells contain values in base units (seconds, bytes, or percent) at full
// precision.
type Col[R any] struct {
	Column
	Of func(*R) Cell
}

// Define returns a column. Its key is its name in CSV and its path in JSON. The
// value type sets the kind, the unit, and the null rule: a unit.Opt may be
// null, every other value is always present. A column with a title is in all
// outputs unless an option is a View. A column without a title or a View is in
// JSON only.
func Define[R any, V Value](key, title string, get func(*R) V, options ...Option) Col[R] {
	c, _ := ColumnFor(reflect.TypeFor[V]())
	c.Key, c.Path, c.Title = key, key, title
	if title != "" {
		c.In = All
	}
	c = c.with(options)
	kind, nonZero := c.Kind, c.Is(NonZero)
	if nonZero {
		c.Traits &^= Always
	}
	return Col[R]{c, func(row *R) Cell {
		cell := cellOf(get(row))
		if cell.Kind == Absent || nonZero && cell.isZero() {
			return Cell{}
		}
		cell.Kind = kind
		return cell
	}}
}

// JSON returns a column that appears only in JSON.
func JSON[R any, V Value](path string, get func(*R) V, options ...Option) Col[R] {
	return Define(path, "", get, options...)
}

// Shown returns a column that appears in all outputs except JSON.
func Shown[R any, V Value](key, title string, get func(*R) V, options ...Option) Col[R] {
	return Define(key, title, get, options...).As(Path(""))
}

// List returns a column that appears only in JSON. Each value of the column is
// a list of rows.
func List[R, P any](path string, get func(*R) []P, cols []Col[P], options ...Option) Col[R] {
	c := Column{Path: path, Kind: Array, Of: columnsOf(cols), Traits: Always}.with(options)
	return Col[R]{c, func(row *R) Cell { return Cell{Kind: Array, Rows: tableOf(c.Of, get(row), cols)} }}
}

// Element returns the columns of a List whose elements are plain values instead
// of objects.
func Element[V Value]() []Col[V] {
	return []Col[V]{JSON(listPath, func(v *V) V { return *v })}
}

// Part returns columns for a part of a row. The part may be missing. In JSON,
// the part is an object, or null if get returns nil. The keys of its columns
// begin with key.
func Part[R, P any](key, path string, get func(*R) *P, cols []Col[P], options ...Option) []Col[R] {
	object := Col[R]{Column{Path: path, Kind: Object}.with(options), func(row *R) Cell {
		if get(row) == nil {
			return Cell{}
		}
		return Cell{Kind: Object}
	}}
	return append([]Col[R]{object}, Within(key, path, get, cols)...)
}

// Within returns columns for a part of a row. Their keys begin with key and
// their paths with path. Their cells are absent if get returns nil.
func Within[R, P any](key, path string, get func(*R) *P, cols []Col[P]) []Col[R] {
	return ListOf(cols, func(c Col[P]) Col[R] {
		column := c.Column
		if column.Key != "" {
			column.Key = key + column.Key
		}
		if column.Path != "" && path != "" {
			column.Path = path + "." + column.Path
		}
		return Col[R]{column, func(row *R) Cell {
			if p := get(row); p != nil {
				return c.Of(p)
			}
			return Cell{}
		}}
	})
}

// InJSON returns the columns restricted to JSON. Columns whose keys are in but
// stay in all their outputs.
func InJSON[R any](cols []Col[R], but ...string) []Col[R] {
	return ListOf(cols, func(c Col[R]) Col[R] {
		if !slices.Contains(but, c.Key) {
			return c.As(View(0))
		}
		return c
	})
}

// As returns a copy of the column with the options applied.
func (c Col[R]) As(options ...Option) Col[R] { return Col[R]{c.with(options), c.Of} }

// EachAs returns copies of columns with the options applied.
func EachAs[R any](cols []Col[R], options ...Option) []Col[R] {
	return ListOf(cols, func(c Col[R]) Col[R] { return c.As(options...) })
}

// Unsure returns a copy of the column in which the values of some rows support
// no conclusion. A workbook prints such numbers in brackets.
func (c Col[R]) Unsure(is func(*R) bool) Col[R] {
	return Col[R]{c.Column, func(row *R) Cell {
		cell := c.Of(row)
		if is(row) {
			cell.Status = Unsure
		}
		return cell
	}}
}

// Option is a column property other than the key, the title, and the values. A
// View, a Kind, and a Trait are options, too. The option Kind replaces the kind
// that follows from the value type. For example, a float64 may be a Percent,
// and a string a kernel Name.
type Option interface{ set(*Column) }

// Options of columns.
type (
	Key      string // name in CSV, if it differs from the name in JSON
	Path     string // path in JSON: "predicted.peak_percent" is a field of an object; "" omits the column
	Title    string
	Group    string // heading over neighboring columns that share it: "Predicted"
	Unit     string // "ms" and "us" scale seconds for people
	Brief    string // heading for narrow outputs
	Decimals int
	Drop     int // order in which a narrow terminal drops columns: 1 is dropped first, 0 never
)

func (k Key) set(c *Column)      { c.Key = string(k) }
func (p Path) set(c *Column)     { c.Path = string(p) }
func (t Title) set(c *Column)    { c.Title = string(t) }
func (g Group) set(c *Column)    { c.Group = string(g) }
func (u Unit) set(c *Column)     { c.Unit = string(u) }
func (b Brief) set(c *Column)    { c.Brief = string(b) }
func (d Decimals) set(c *Column) { c.Decimals = int(d) }
func (d Drop) set(c *Column)     { c.Drop = int(d) }
func (v View) set(c *Column)     { c.In = v }
func (k Kind) set(c *Column)     { c.Kind = k }
func (t Trait) set(c *Column)    { c.Traits |= t }

// Milliseconds and Microseconds are units of durations for people, each with
// the usual number of decimals.
var (
	Milliseconds Option = options{Unit("ms"), Decimals(3)}
	Microseconds Option = options{Unit("us"), Decimals(1)}
)

// options are several options that are used together.
type options []Option

func (list options) set(c *Column) {
	for _, o := range list {
		o.set(c)
	}
}

// with returns the column with the options applied. A column that appears only
// in JSON needs no key.
func (c Column) with(list options) Column {
	list.set(&c)
	if c.In&All == 0 {
		c.Key = ""
	}
	c.Unit = cmp.Or(c.Unit, units[c.Kind])
	return c
}

// units contains the default unit of a kind.
var units = map[Kind]string{Percent: "%", Points: "points", Duration: "s"}

// NewTable returns a table of rows in memory. Each cell is made when an output
// reads it.
func NewTable[R any](key, title string, rows []R, cols []Col[R]) *Table {
	t := tableOf(columnsOf(cols), rows, cols)
	t.Key, t.Title = key, title
	return t
}

// tableOf returns a table without a key. Many short lists, such as the notes of
// each row, share their columns.
func tableOf[R any](columns []Column, rows []R, cols []Col[R]) *Table {
	return &Table{Len: len(rows), Main: len(rows), In: Everywhere, Columns: columns,
		cell: func(row, column int) Cell { return cols[column].Of(&rows[row]) }}
}

// NoRows returns an empty table, from which the schema of its columns is made.
func NoRows[R any](cols []Col[R]) *Table { return NewTable("", "", []R(nil), cols) }

// One returns a table with one row. In JSON, it is an object instead of a list,
// or null if row is nil.
func One[R any](row *R, cols []Col[R]) *Table {
	var rows []R
	if row != nil {
		rows = []R{*row}
	}
	t := NewTable("", "", rows, cols)
	t.One = true
	return t
}

// NewStream returns a table for JSON and CSV. Its rows arrive one by one, and
// their number is not known in advance. A row is valid until the next row
// arrives.
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

// columnsOf returns the columns without the functions that make their cells.
func columnsOf[R any](cols []Col[R]) []Column {
	return ListOf(cols, func(c Col[R]) Column { return c.Column })
}

// Record returns the cells of one row by column index.
type Record func(column int) Cell

// Records returns the rows in order. A record is valid until the next record is
// read.
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

// Show returns the table in the form for people. The columns in keys come
// first, followed by the others in their order. Columns without a title and
// columns that are empty in every row are left out.
func (t *Table) Show(keys ...string) *Table {
	shown := *t
	shown.arrange(slices.DeleteFunc(t.others(t.ordered(nil, keys, t.Column)), func(i int) bool {
		return t.Columns[i].Title == "" || t.Columns[i].In == 0 || t.isEmpty(i)
	}))
	return &shown
}

// isEmpty reports whether no row has a value in a column.
func (t *Table) isEmpty(column int) bool {
	for i := range t.Len {
		if !t.Cell(i, column).Blank() {
			return false
		}
	}
	return true
}

// Hide removes the columns with the given keys from a view.
func (t *Table) Hide(from View, keys ...string) {
	for i := range t.Columns {
		if slices.Contains(keys, t.Columns[i].Key) {
			t.Columns[i].In &^= from
		}
	}
}

// listPath is the column path for rows that JSON prints as a list of values.
const listPath = "."

// IsList reports whether JSON prints rows with these columns as a list of
// values instead of objects.
func IsList(columns []Column) bool { return len(columns) == 1 && columns[0].Path == listPath }

// ListOf returns the result of a function for each element. The list is never
// nil, so that JSON has [] and not null.
func ListOf[T, V any](list []T, of func(T) V) []V {
	values := make([]V, len(list))
	for i, x := range list {
		values[i] = of(x)
	}
	return values
}

// Explanation returns the glossary's meaning of a heading, or "" if the
// glossary lacks it.
func (c Column) Explanation() string {
	if strings.TrimSpace(c.Title) == "" {
		return ""
	}
	unitless := c
	unitless.Unit = ""
	names := []string{c.Key, unitless.Heading(), c.Title, UpperFirst(c.Title)}
	// A column that is not in JSON may have the same key as a different JSON
	// value, so its key comes last.
	if c.Path == "" {
		names = append(names[1:], c.Key)
		if text := meanings()["summary."+c.Title]; text != "" {
			return text
		}
	}
	if text := meanings()["heading."+strings.ReplaceAll(c.Title, ",", "")]; text != "" {
		return text
	}
	for _, name := range names {
		if text := Describe(name); text != "" {
			return text
		}
	}
	return ""
}
