package sample

import "occudiff/report"

// Section finds a section of a document by its key, nil when there is none.
func Section(d *report.Document, key string) *report.Section {
	for i := range d.Sections {
		if d.Sections[i].Key == key {
			return &d.Sections[i]
		}
	}
	return nil
}
