package sample

import "occudiff/report"

// Table is a table of the given rows, for files.
func Table(key string, columns []report.Column, rows [][]report.Cell) *report.Table {
	cols := make([]report.Col[[]report.Cell], len(columns))
	for i, c := range columns {
		cols[i] = report.Define(c, func(row *[]report.Cell) report.Cell { return (*row)[i] })
	}
	t := report.NewTable(key, "", rows, cols)
	t.In = report.Files
	return t
}
