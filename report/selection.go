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

// Selection describes which rows of the tables of kernels people see, and in
// which order. What is counted, judged and written for programs is always of
// all rows. The zero value shows all in the order in which they are.
type Selection struct {
	Kernel *regexp.Regexp // of the names; nil for all
	Top    int            // the first ones; 0 for all
	Sort   SortKey
}

// SortKey is an order of rows; the empty one is that of the report.
type SortKey string

// The orders: the most first, and names by the alphabet.
const (
	SortLost       SortKey = "lost"
	SortTime       SortKey = "time"
	SortSpeedup    SortKey = "speedup"
	SortDifference SortKey = "difference"
	SortName       SortKey = "name"
)

// Candidate is what a selection looks at of a row.
type Candidate struct {
	Task  string  // the kernel's name as the input has it
	Other bool    // it is not a kernel
	Value float64 // by which it is sorted; NaN where it has none
}

// Value returns what a row is sorted by: NaN for an order that needs none.
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

// Chosen reports whether a selection shows something else than the report does
// by itself.
func (s Selection) Chosen() bool { return s.Kernel != nil || s.Top > 0 || s.Sort != "" }

// Choose returns the rows that are shown, in their order. Tasks that are not a
// kernel come last, and not at all among the first of something.
func (s Selection) Choose(n int, row func(i int) Candidate) []int {
	var list []int
	rows := make([]Candidate, n)
	for i := range n {
		c := row(i)
		name := KernelName(c.Task)
		if s.Kernel != nil && !s.Kernel.MatchString(c.Task) && !s.Kernel.MatchString(name) || c.Other && s.Top > 0 {
			continue
		}
		c.Task = name
		rows[i] = c
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(i, j int) int {
		a, b := &rows[i], &rows[j]
		switch {
		case a.Other != b.Other:
			if a.Other {
				return 1
			}
			return -1
		case s.Sort == "":
			return 0
		case s.Sort == SortName:
			return cmp.Compare(a.Task, b.Task)
		}
		return cmp.Compare(b.Value, a.Value) // NaN, of what has none, is less than any number
	})
	if s.Top > 0 {
		list = list[:min(len(list), s.Top)]
	}
	return list
}

// Select returns the elements of a list that are shown, in their order, and
// says how many are left out.
func Select[T any](s Selection, list []T, what string, of func(*T) Candidate) (some []T, left []note.Note) {
	if !s.Chosen() {
		return list, nil
	}
	for _, i := range s.Choose(len(list), func(i int) Candidate { return of(&list[i]) }) {
		some = append(some, list[i])
	}
	return some, s.LeftOut(len(some), len(list), what, func(i int) Candidate { return of(&list[i]) })
}

// LeftOut describes how many rows are not shown and why: nothing when all are.
// No report may leave out rows without saying so. --top counts kernels, so that
// copies and other tasks are not left out by it. Where none is shown it names
// some of them.
func (s Selection) LeftOut(shown, rows int, what string, row func(i int) Candidate) []note.Note {
	var list []string
	of := 0
	for i := range rows {
		c := row(i)
		if c.Other && s.Top > 0 {
			continue
		}
		if of++; shown == 0 && len(list) < MaxListedTasks {
			list = append(list, ShortName(c.Task, LabelWidth))
		}
	}
	if shown == of {
		return nil
	}
	others := ""
	if shown == 0 {
		others = "; the first are " + strings.Join(list, ", ")
	}
	var flags []string
	if s.Kernel != nil {
		flags = append(flags, "--kernel "+CommandLine([]string{s.Kernel.String()}))
	}
	if s.Top > 0 {
		flags = append(flags, fmt.Sprintf("--top %d", s.Top))
	}
	return []note.Note{{Severity: note.Info, Code: codeSelection, Text: fmt.Sprintf(
		"%s of %s %s are shown (%s); counts, gates, JSON and JUnit are of all of them%s", Thousands(shown),
		Thousands(of), what, strings.Join(flags, " "), others)}}
}

const codeSelection = "selection"

// KernelTables returns the tables whose columns people may choose: those of
// kernels, of one run or of several, or of series.
func (d *Document) KernelTables() (list []*Table) {
	for i := range d.Sections {
		for _, t := range d.Sections[i].Tables {
			if t.Key == SectionKernels || t.Key == SectionSeries || strings.HasSuffix(t.Key, "-"+SectionKernels) {
				list = append(list, t)
			}
		}
	}
	return list
}

// Choose shows the columns that keys name in all tables of kernels. Where a
// screen is before them, it has these columns, too, and no numbers that
// something else is said of.
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

// Keys are those of the columns.
func (t *Table) Keys() []string {
	return ListOf(t.Columns, func(c Column) string { return c.Key })
}

// Find finds a column by its key, with or without its unit, or by its heading;
// -1 when there is none.
func (t *Table) Find(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool {
		unitless := c
		unitless.Unit = ""
		return name != "" && (strings.EqualFold(withoutUnit(c.Key), withoutUnit(name)) ||
			strings.EqualFold(c.Title, name) || strings.EqualFold(unitless.Heading(), name))
	})
}

// Choose makes the columns that keys name the ones that people see, in that
// order, behind the first one, which names the rows. Keys that the table does
// not have are left out.
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

// Only keeps the columns that keys name, in that order.
func (t *Table) Only(keys []string) {
	t.arrange(t.ordered(nil, keys, t.Find))
	for i := range t.Columns {
		t.Columns[i].In |= Data
	}
}

// ordered adds the places of columns to a list.
func (t *Table) ordered(order []int, keys []string, find func(key string) int) []int {
	for _, key := range keys {
		if at := find(key); at >= 0 && !slices.Contains(order, at) {
			order = append(order, at)
		}
	}
	return order
}

// others adds the places that are not in a list.
func (t *Table) others(order []int) []int {
	for i := range t.Columns {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

// withoutUnit is a key without the unit at its end.
func withoutUnit(key string) string {
	for _, unit := range []string{"_percent", "_points", "_seconds"} {
		key = strings.TrimSuffix(key, unit)
	}
	return key
}

// NamePattern returns a regular expression for --kernel that matches only these
// names, "" for none.
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
