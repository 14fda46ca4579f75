package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// TermSection explains the terms of a document, each once. The terms are the
// headings of its summary and the other given names of the glossary. A kind
// before a name selects one of several entries. For example, "verdict of diff:
// regression".
func TermSection(s *Summary, names ...string) Section {
	sec := Section{Key: "terms", Title: "Terms", Sheet: "Evidence", ItemsIn: Files}
	add := func(name, text string) {
		known := func(i Item) bool { return i.Lead == name }
		if text != "" && !slices.ContainsFunc(sec.Items, known) {
			sec.Items = append(sec.Items, Item{Lead: name, Text: text})
		}
	}
	if t := s.Rows; t != nil {
		for _, i := range t.ColumnsIn(Terminal) {
			add(t.Columns[i].Title, t.Columns[i].Explanation())
		}
	}
	for _, name := range Distinct(names) {
		lead := strings.TrimSpace(name[strings.LastIndexByte(name, ':')+1:])
		add(lead, cmp.Or(Describe(name), Describe(lead)))
	}
	return sec
}

// RunTitle returns a title with programs, devices, and a date, as far as known.
// For example, "GPU occupancy of gemm on Max 1100, 2026-03-04".
func RunTitle(what string, programs, devices []string, date time.Time) string {
	if of := Distinct(programs); len(of) > 0 {
		what += " of " + severalOr(of, "programs")
	}
	if on := Distinct(devices); len(on) > 0 {
		what += " on " + severalOr(on, "devices")
	}
	if !date.IsZero() {
		what += ", " + date.Format("2006-01-02")
	}
	return what
}

// severalOr returns the names if there are one or two, otherwise their number.
func severalOr(names []string, plural string) string {
	if len(names) > 2 {
		return unit.FormatCount(len(names), "", plural)
	}
	return OneLine(strings.Join(names, " and "))
}

// Distinct returns the names that are not empty, each once.
func Distinct(names []string) (list []string) {
	for _, name := range names {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Known returns each known value after its name: "driver 24.1, VTune 2025.0".
// In pairs, names and values alternate.
func Known(pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, pairs[i]+" "+OneLine(pairs[i+1]))
		}
	}
	return strings.Join(parts, ", ")
}
