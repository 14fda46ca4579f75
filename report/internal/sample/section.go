package sample

import "occudiff/report"

// Section finds a section of a document by its key, nil when there is none.
// Tests go by keys, since titles are wording that changes. It points into the document.
func Section(d *report.Document, key string) *report.Section {
	for i := range d.Sections {
		if d.Sections[i].Key == key {
			return &d.Sections[i]
		}
	}
	return nil
}

// Find finds a table of a document by its key in any section, nil when there is none.
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
