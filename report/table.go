package report

import (
	"iter"
	"math"
	"slices"

	"occudiff/ingest/unit"
)

func RatioCell(r unit.Ratio) Cell { return NumCell(Percent, r.Percent()) }

// Kind describes what a cell holds and so how it is printed.
type Kind uint8

// The kinds. The zero cell is Absent: not measured is not zero.
const (
	Absent   Kind = iota
	Text          // Cell.Text
	Name          // Cell.Text, the name of a kernel as the input has it; decoded for people
	Size          // of columns only: the cells are texts as in 512x512; with one dimension a number in a workbook
	Array         // Cell.List or Cell.Rows
	Bool          // Cell.Text, yes or no
	Object        // of JSON alone: an object, which has the columns whose paths begin with its own
	Integer       // Cell.Int, thousands separated for people
	Number        // Cell.Num with the column's decimals
	Percent       // Cell.Num, 0..100, one decimal
	Points        // Cell.Num, percentage points, one decimal and a sign
	Duration      // Cell.Num, seconds; for people in the column's unit with its decimals
)

// Status repeats in color what a word says already.
type Status uint8

// The statuses.
const (
	Plain  Status = iota
	Good          // matches
	Bad           // does not
	Unsure        // cannot be said
	Muted         // not of interest
)

// Cell is one value of a table. Num and Int are in the unit of the column, at
// full precision.
type Cell struct {
	Kind   Kind
	Status Status
	Text   string
	Num    float64
	Int    int64
	List   []string
	Rows   *Table // of JSON alone
}

// Column describes the cells of one column.
type Column struct {
	Key  string // stable; the heading in CSV
	Path string // in JSON, which lacks it where that is empty: "predicted.peak_percent" is a field of an object
	Doc  string // what its heading does not say, for JSON Schema and 'occudiff explain'
	// Always is set where JSON never has null in its object, Optional where
	// JSON leaves out what is absent.
	Always, Optional bool
	Of               []Column // of the rows in a list

	Group string // heading over neighboring columns that share it: "Predicted"
	Title string
	Unit  string // stands once, in the heading; empty when there is none
	Brief string // heading where space is dear; empty when Title and Unit will do
	Kind  Kind   // of the cells, unless the table is one of names and values
	// Decimals of Number cells.
	Decimals int
	In       View
	// Drop is the order in which columns give way on a narrow terminal, 1 goes
	// first; 0 stays.
	Drop int
	// Cut is set where long texts may be cut in the middle on a narrow
	// terminal.
	Cut bool
	// Fold is set where texts are sentences or formulas: a narrow terminal
	// breaks them into lines.
	Fold bool
	// Wrap is set where texts are sentences: a workbook breaks them into lines.
	Wrap bool
	Role Role
}

// Role describes what a page does with a column next to printing it.
type Role uint8

// The roles, which add up.
const (
	Code   Role = 1 << iota // names of a program, in its font
	Bar                     // percentages, with a bar behind each
	Choice                  // words to choose rows by
	Heat                    // percentages that a workbook colors by how much they are
)

// Form describes how a page shows a table. Other files have a plain table for
// each.
type Form uint8

// The forms.
const (
	Grid    Form = iota // rows and columns
	Browser             // a grid whose rows readers filter
	Facts               // of a screen: one row, whose columns are its lines
)

// Heading returns the whole heading on one line, with the unit: "Predicted peak
// [%]".
func (c Column) Heading() string {
	h := c.Title
	if c.Group != "" {
		h = c.Group + " " + c.Title
	}
	if c.Unit != "" {
		h += " [" + c.Unit + "]"
	}
	return h
}

// RightAligned reports whether the cells are numbers.
func (c Column) RightAligned() bool { return c.Kind >= Integer }

// Table is rows of cells, which are made when they are asked for, because a run
// that keeps every launch has millions. NewTable and NewStream make one.
type Table struct {
	Key     string
	Title   string // empty when the section's title says it
	Columns []Column
	Len     int
	// Main is how many of the first rows are what the table is about; the rest
	// is company (copies next to kernels) that a terminal leaves out.
	Main int
	In   View
	Form Form
	One  bool // JSON has the row as an object, see One

	chosen bool // somebody gave the order of the columns

	cell    func(row, column int) Cell // see NewTable
	records iter.Seq[Record]           // see NewStream
}

// ColumnsIn returns the indices of the columns that a view shows. A page has
// the words to choose rows by next to their names, where a narrow one shows
// them, unless somebody gave the order.
func (t *Table) ColumnsIn(v View) (list []int) {
	for i, c := range t.Columns {
		switch {
		case c.In&v == 0:
		case v == Page && c.Role&Choice != 0 && len(list) > 1 && !t.chosen:
			list = slices.Insert(list, 1, i)
		default:
			list = append(list, i)
		}
	}
	return list
}

// Shown returns the table with the columns of a view alone. It is for reading
// rows: the cells of other columns may take longer to make.
func (t *Table) Shown(v View) *Table {
	shown := *t
	shown.arrange(t.ColumnsIn(v))
	return &shown
}

// arrange shows some of the columns of a table, in their order.
func (t *Table) arrange(order []int) {
	all := *t
	t.Columns = ListOf(order, func(i int) Column { return all.Columns[i] })
	t.cell = func(row, column int) Cell { return all.Cell(row, order[column]) }
	if all.records != nil {
		t.records = func(yield func(Record) bool) {
			for r := range all.records {
				if !yield(func(column int) Cell { return r(order[column]) }) {
					return
				}
			}
		}
	}
}

// All returns the rows in order. The cells of a row are good until the next
// one.
func (t *Table) All() iter.Seq[[]Cell] {
	return func(yield func([]Cell) bool) {
		var cells []Cell
		for i := range t.Len {
			if cells = t.Row(i, cells[:0]); !yield(cells) {
				return
			}
		}
	}
}

// Column finds a column's index by its key, -1 when there is none.
func (t *Table) Column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
}

// TextCell is a text; an empty one is absent.
func TextCell(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{Kind: Text, Text: s}
}

// StatusCell is a text with a status.
func StatusCell(s string, status Status) Cell {
	c := TextCell(s)
	c.Status = status
	return c
}

// IntCell is a count.
func IntCell[T ~int | ~int64](n T) Cell { return Cell{Kind: Integer, Int: int64(n)} }

// NumCell is a number of a kind; NaN and the infinities are absent, since no
// output has a way to write them.
func NumCell(kind Kind, x float64) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Cell{}
	}
	return Cell{Kind: kind, Num: x}
}

func OptInt[T ~int | ~int64](o unit.Opt[T]) Cell {
	if n, ok := o.Value(); ok {
		return IntCell(n)
	}
	return Cell{}
}

func OptPercent(o unit.Opt[unit.Ratio]) Cell {
	if r, ok := o.Value(); ok {
		return NumCell(Percent, r.Percent())
	}
	return Cell{}
}

func OptPoints(o unit.Opt[unit.Points]) Cell { return OptNum(Points, o) }

// OptNum is a number of a kind that may be absent.
func OptNum[T ~float64](kind Kind, o unit.Opt[T]) Cell {
	if x, ok := o.Value(); ok {
		return NumCell(kind, float64(x))
	}
	return Cell{}
}
