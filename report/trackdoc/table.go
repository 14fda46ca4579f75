package trackdoc

import "occudiff/report"

// column is a column of a table of rows of one type, and how its cells are made.
type column[T any] struct {
	report.Column
	cell func(T) report.Cell
}

// text, count and words are columns of texts and integers.
func text[T any](key, title string, in report.View, of func(T) string) column[T] {
	return column[T]{report.Column{Key: key, Title: title, Kind: report.Text, In: in},
		func(row T) report.Cell { return report.TextCell(of(row)) }}
}

func count[T any, N ~int | ~int64](key, title string, in report.View, of func(T) N) column[T] {
	return column[T]{report.Column{Key: key, Title: title, Kind: report.Integer, In: in},
		func(row T) report.Cell { return report.IntCell(of(row)) }}
}

// cut lets the cells of a column be cut on a narrow terminal.
func (c column[T]) cut() column[T] {
	c.Cut = true
	return c
}

// drop is the column's turn to give way on a narrow terminal.
func (c column[T]) drop(turn int) column[T] {
	c.Drop = turn
	return c
}

// unit sets the unit that stands in the heading.
func (c column[T]) unit(u string) column[T] {
	c.Unit = u
	return c
}

// brief is the heading where space is dear.
func (c column[T]) brief(heading string) column[T] {
	c.Brief = heading
	return c
}

// group is the heading over neighboring columns.
func (c column[T]) group(heading string) column[T] {
	c.Group = heading
	return c
}

// tableOf makes a table of rows. Its cells are made when they are asked for.
func tableOf[T any](key string, in report.View, rows []T, columns []column[T]) *report.Table {
	t := &report.Table{Key: key, In: in, Len: len(rows), Main: len(rows)}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		for _, c := range columns {
			dst = append(dst, c.cell(rows[i]))
		}
		return dst
	}
	return t
}
