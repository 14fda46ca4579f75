package sample

import "occudiff/report"

// Table is a table of the given rows, for files.
// The cells are copied into dst, as Row must do it: rows may be asked for by several goroutines at once.
func Table(key string, columns []report.Column, rows [][]report.Cell) *report.Table {
	return &report.Table{Key: key, Columns: columns, Len: len(rows), Main: len(rows), In: report.Files,
		Row: func(i int, dst []report.Cell) []report.Cell { return append(dst, rows[i]...) }}
}
