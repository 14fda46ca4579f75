package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// Selection describes which rows people see in the tables of kernels, and in
// what order. Counts, verdicts, and outputs for programs always cover all rows.
// The zero value shows all rows in the report's own order.
type Selection struct {
	Kernel *regexp.Regexp // pattern for names; nil for all
	Top    int            // number of rows; 0 for all
	Sort   SortKey
}

// SortKey is an order of rows. The empty key is the report's own order.
type SortKey string

// The orders of rows. Numbers are sorted from high to low, and names
// alphabetically.
const (
	SortLost       SortKey = "lost"
	SortTime       SortKey = "time"
	SortSpeedup    SortKey = "speedup"
	SortDifference SortKey = "difference"
	SortName       SortKey = "name"
)

// Candidate contains the values of a row that a selection needs.
type Candidate struct {
	Task  string  // kernel name as in the input
	Other bool    // the task is not a kernel
	Value float64 // sort value; NaN if it has none
}

// Value returns the sort value of a row, or NaN if the order needs none.
func (s Selection) Value(lost, time, difference float64) float64 {
	switch s.Sort {
	case SortLost:
		return lost
	case SortTime:
		return time
	case SortDifference:
		return math.Abs(difference)
	}
	return math.NaN()
}

// Chosen reports whether the selection differs from the report's default.
func (s Selection) Chosen() bool { return s.Kernel != nil || s.Top > 0 || s.Sort != "" }

// Select returns the elements to show, in the selection's order, and a note
// with the number of elements that are not shown. Tasks that are not kernels
// come last. If the selection limits the number of rows, they are left out, and
// they are not counted.
func Select[T any](s Selection, list []T, what string, of func(*T) Candidate) (some []T, left []note.Note) {
	if !s.Chosen() {
		return list, nil
	}
	var rows []candidate
	var names []string
	for i := range list {
		c := candidate{of(&list[i]), i}
		if c.Other && s.Top > 0 {
			continue
		}
		names = append(names, c.Task)
		c.Task = KernelName(c.Task)
		if s.Kernel == nil || s.Kernel.MatchString(c.Task) || s.Kernel.MatchString(names[len(names)-1]) {
			rows = append(rows, c)
		}
	}
	slices.SortStableFunc(rows, s.compare)
	if s.Top > 0 {
		rows = rows[:min(len(rows), s.Top)]
	}
	for _, c := range rows {
		some = append(some, list[c.at])
	}
	if len(rows) == len(names) {
		return some, nil
	}
	return some, []note.Note{s.leftOut(len(rows), what, names)}
}

// candidate is an element and its index.
type candidate struct {
	Candidate
	at int
}

func (s Selection) compare(a, b candidate) int {
	switch {
	case a.Other != b.Other && a.Other:
		return 1
	case a.Other != b.Other:
		return -1
	case s.Sort == SortName:
		return cmp.Compare(a.Task, b.Task)
	case s.Sort != "":
		return cmp.Compare(b.Value, a.Value) // NaN, a missing value, is less than any number
	}
	return 0
}

// leftOut describes how many rows are shown and why not all. Every report must
// mention rows that it leaves out. If no row is shown, the note has some of the
// names.
func (s Selection) leftOut(shown int, what string, names []string) note.Note {
	others := ""
	if shown == 0 {
		few := ListOf(names[:min(len(names), MaxListedTasks)], func(task string) string {
			return ShortName(task, LabelWidth)
		})
		others = "; the first are " + strings.Join(few, ", ")
	}
	var flags []string
	if s.Kernel != nil {
		flags = append(flags, "--kernel "+note.CommandLine(s.Kernel.String()))
	}
	if s.Top > 0 {
		flags = append(flags, fmt.Sprintf("--top %d", s.Top))
	}
	return note.Newf(note.Info, codeSelection, note.Pos{}, "",
		"%s of %s %s are shown (%s); counts, gates, JSON, and JUnit cover all of them%s", Thousands(shown),
		Thousands(len(names)), what, strings.Join(flags, " "), others)
}

const codeSelection = "selection"

// KernelTables returns the tables in which people may choose the columns. These
// are the tables of kernels in one or several runs, and the tables of series.
func (d *Document) KernelTables() (list []*Table) {
	for i := range d.Sections {
		for _, t := range d.Sections[i].Tables {
			if t.Key == SectionKernels || t.Key == SectionSeries {
				list = append(list, t)
			}
		}
	}
	return list
}

// Choose shows the columns in keys in all tables of kernels. If the document
// has a summary, its table gets the same columns. Its bars and commands are
// removed, because they refer to row numbers.
func (d *Document) Choose(keys []string) {
	tables := d.KernelTables()
	for _, t := range tables {
		t.Choose(keys)
	}
	if s := d.Summary; s != nil && s.Rows != nil && len(tables) == 1 {
		rows := *tables[0]
		rows.Len, rows.Form = min(rows.Main, s.Rows.Len), Grid
		s.Rows, s.Bars, s.ConfirmReason, s.Confirm = &rows, nil, "", nil
	}
}

// Keys returns the keys of the columns.
func (t *Table) Keys() []string {
	return ListOf(t.Columns, func(c Column) string { return c.Key })
}

// Find returns the index of the column with a key, with or without its unit, or
// of the column with that heading. It returns -1 if there is no such column.
func (t *Table) Find(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool {
		unitless := c
		unitless.Unit = ""
		return name != "" && (strings.EqualFold(withoutUnit(c.Key), withoutUnit(name)) ||
			strings.EqualFold(c.Title, name) || strings.EqualFold(unitless.Heading(), name))
	})
}

// Choose shows people the columns in keys, in that order, after the first
// column, which contains the row names. Keys that the table does not have are
// ignored.
func (t *Table) Choose(keys []string) {
	order := t.ordered([]int{0}, keys, t.Find)
	shown := len(order)
	t.chosen = true
	t.arrange(t.others(order))
	for k := range t.Columns {
		c := &t.Columns[k]
		if k < shown {
			c.In, c.Drop = c.In|Terminal|Page, 0
		} else {
			c.In &^= Terminal | Page
		}
	}
}

// Only keeps the columns in keys, in that order.
func (t *Table) Only(keys []string) {
	t.arrange(t.ordered(nil, keys, t.Find))
	for i := range t.Columns {
		t.Columns[i].In |= Data
	}
}

// ordered appends the indices of the columns in keys to a list of column
// indices.
func (t *Table) ordered(order []int, keys []string, find func(key string) int) []int {
	for _, key := range keys {
		if at := find(key); at >= 0 && !slices.Contains(order, at) {
			order = append(order, at)
		}
	}
	return order
}

// others appends the indices that are missing in a list of column indices.
func (t *Table) others(order []int) []int {
	for i := range t.Columns {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

// withoutUnit returns a key without its unit suffix.
func withoutUnit(key string) string {
	for _, unit := range []string{"_percent", "_points", "_seconds"} {
		key = strings.TrimSuffix(key, unit)
	}
	return key
}

// NamePattern returns a regular expression for --kernel that matches only these
// names, or "" for none.
func NamePattern(names []string) string {
	names = ListOf(names, regexp.QuoteMeta)
	slices.Sort(names)
	switch names = slices.Compact(names); len(names) {
	case 0:
		return ""
	case 1:
		return "^" + names[0] + "$"
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
