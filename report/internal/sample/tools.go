package sample

import (
	"occudiff/compare"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// Section finds a section of a document by its key, nil when there is none.
// Tests go by keys, since titles are wording that changes. It points into the
// document.
func Section(d *report.Document, key string) *report.Section {
	for i := range d.Sections {
		if d.Sections[i].Key == key {
			return &d.Sections[i]
		}
	}
	return nil
}

// Find finds a table of a document by its key in any section, nil when there is
// none.
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

// Table is a table of the given rows, for files.
func Table(key string, columns []report.Column, rows [][]report.Cell) *report.Table {
	cols := make([]report.Col[[]report.Cell], len(columns))
	for i, c := range columns {
		cols[i] = report.Col[[]report.Cell]{Column: c, Of: func(row *[]report.Cell) report.Cell { return (*row)[i] }}
	}
	t := report.NewTable(key, "", rows, cols)
	t.In = report.Files
	return t
}

// Output returns a run in every form, with a provenance that is the same in
// every test. Without a version, a command line and a label the goldens do not
// change with a release.
func Output(r *compare.Result) *report.Output { return rundoc.NewOutput(r, report.Provenance{}) }
