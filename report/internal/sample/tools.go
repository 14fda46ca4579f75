package sample

import (
	"occudiff/compare"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// Section returns the section of a document with a key, or nil if there is
// none. Tests use keys, because titles change. The result points into the
// document.
func Section(d *report.Document, key string) *report.Section {
	for i := range d.Sections {
		if d.Sections[i].Key == key {
			return &d.Sections[i]
		}
	}
	return nil
}

// Find returns the table of a document with a key, from any section, or nil if
// there is none.
func Find(d *report.Document, key string) *report.Table {
	for i := range d.Sections {
		for _, t := range d.Sections[i].Tables {
			if t.Key == key {
				return t
			}
		}
	}
	return nil
}

// Table returns a table with the given rows, which appears only in files.
func Table(key string, columns []report.Column, rows [][]report.Cell) *report.Table {
	cols := make([]report.Col[[]report.Cell], len(columns))
	for i, c := range columns {
		cols[i] = report.Col[[]report.Cell]{Column: c, Of: func(row *[]report.Cell) report.Cell { return (*row)[i] }}
	}
	t := report.NewTable(key, "", rows, cols)
	t.In = report.Files
	return t
}

// Output returns the output for a run. Its provenance has no version, command
// line, or label, so that golden files do not change with a release.
func Output(r *compare.Result) *report.Output {
	return rundoc.NewOutput(r, report.Provenance{})
}
