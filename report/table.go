package report

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Column describes the cells of one column. Define creates a column. The types
// listed after Option explain its fields.
type Column struct {
	Key, Path                 string
	Group, Title, Unit, Brief string
	Kind                      Kind
	Decimals, Drop            int
	In                        View
	Traits                    Trait
	Of                        []Column // the row columns of a List
	Total                     Cell     // for people: the cell in the row of totals, which is below the other rows
}

// Trait is a set of column properties.
type Trait uint16

// The traits.
const (
	Code     Trait = 1 << iota // names of a program, in its font
	Bar                        // percentages; a page draws a bar behind each
	Choice                     // values that a page offers for selecting rows
	Heat                       // percentages, colored by their size in a workbook
	Cut                        // a narrow terminal cuts long texts in the middle
	Fold                       // sentences or formulas, which a narrow terminal breaks into lines
	Wrap                       // sentences, which a workbook breaks into lines
	Print                      // a printed workbook has the column, even if a narrow terminal drops it
	Right                      // texts that are aligned to the right, like numbers
	NonZero                    // zero and the empty text are absent
	Always                     // never null in JSON if the object that contains it is present
	Optional                   // JSON leaves out an absent value
)

// Is reports whether a column has a trait.
func (c Column) Is(t Trait) bool { return c.Traits&t != 0 }

// Form describes how a page shows a table. In other files, every table is
// plain.
type Form uint8

// The forms of a table.
const (
	Grid    Form = iota // rows and columns
	Browser             // a grid whose rows readers filter
	Facts               // one row of a summary, printed as one line per column
)

// Heading returns the whole heading with the unit on one line: "Predicted peak
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

// RightAligned reports whether the cells align to the right, as numbers do.
func (c Column) RightAligned() bool { return c.Kind >= Integer || c.Is(Right) }

// Table is a list of rows. Its cells are made when an output reads them,
// because a run that keeps every launch has millions. NewTable and NewStream
// create a table.
type Table struct {
	Key     string
	Title   string // empty if the section's title is sufficient
	Columns []Column
	Len     int
	// Main is the number of rows in the main part. A terminal leaves out the
	// rows after the main part. For example, copies follow the kernels.
	Main int
	In   View
	Form Form
	One  bool // JSON has the only row as an object; see the function One

	chosen bool // the user chose the columns

	cell    func(row, column int) Cell // see NewTable
	records iter.Seq[Record]           // see NewStream
}

// ColumnsIn returns the indices of the columns that a view shows. On a page,
// the columns for selecting rows are next to the names, so that they are
// visible on a narrow page. If the user chose the columns, their order does not
// change.
func (t *Table) ColumnsIn(v View) (list []int) {
	for i, c := range t.Columns {
		switch {
		case c.In&v == 0:
		case v == Page && c.Is(Choice) && len(list) > 1 && !t.chosen:
			list = slices.Insert(list, 1, i)
		default:
			list = append(list, i)
		}
	}
	return list
}

// Shown returns the table with only the columns of a view. Use it to read rows,
// because the cells of other columns may take longer to make.
func (t *Table) Shown(v View) *Table {
	shown := *t
	shown.arrange(t.ColumnsIn(v))
	return &shown
}

// Lead returns the table with the columns of a view, most important columns
// first, and the number of important columns. At most n columns are important:
// the columns with the trait Print, then the columns that a narrow terminal
// drops last. If the user chose the columns, the first n are important.
func (t *Table) Lead(v View, n int) (*Table, int) {
	shown := t.ColumnsIn(v)
	lead := slices.Clone(shown)
	if !t.chosen {
		onTerminal := func(i int) bool { return t.Columns[i].In&Terminal != 0 }
		if slices.ContainsFunc(lead, onTerminal) {
			lead = slices.DeleteFunc(lead, func(i int) bool { return !onTerminal(i) })
		}
		slices.SortStableFunc(lead, func(a, b int) int {
			last := func(i int) int {
				if t.Columns[i].Is(Print) {
					return -math.MaxInt
				}
				return -cmp.Or(t.Columns[i].Drop, math.MaxInt)
			}
			return cmp.Compare(last(a), last(b))
		})
	}
	lead = lead[:min(n, len(lead))]
	slices.Sort(lead)
	first := *t
	isLead := func(i int) bool { return slices.Contains(lead, i) }
	first.arrange(append(lead, slices.DeleteFunc(shown, isLead)...))
	return &first, len(lead)
}

// arrange restricts the table to some columns, in their order.
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

// TotalTexts returns the row of totals as texts for people, or nil if no column
// has a total.
func (t *Table) TotalTexts() []string {
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return !c.Total.Blank() }) {
		return nil
	}
	return ListOf(t.Columns, func(c Column) string {
		if c.Total.Blank() {
			return ""
		}
		return c.Print(c.Total)
	})
}

// All returns the rows in order. The cells of a row are valid until the next
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

// Column returns the index of the column with a key, or -1 if there is none.
func (t *Table) Column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
}
