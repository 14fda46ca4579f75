// Package report is the model of a report: a Document of sections, tables whose columns carry a unit, cells that carry
// the raw value and its kind, plots as data, notes and provenance; test suites and annotations; and the values that
// several JSON outputs share, with their schema. The packages rundoc, diffdoc, predictdoc and trackdoc fill it, each
// for one question, and decide all that a person will read - what comes first, which unit, how many decimals, which
// words - so that every renderer says the same. It does not know file formats, neither those that are read nor those
// that are written.
package report

import "time"

// Document is a report as plain data, ready to be rendered. Renderers may not sort, average or pick a unit.
type Document struct {
	Title    string
	Subject  string    // one line for a file's properties
	Date     time.Time // when the run was collected; zero when nobody said so. Never the clock
	Screen   *Screen   // what every form begins with; nil for documents that begin with their headline
	Headline []string  // what was run on what, in the first lines
	Closing  string    // how much of it matches, in one sentence
	Sections []Section // in reading order
	Version  string    // of occudiff
	Whole    bool      // a terminal shows all rows and items, not only the first ones
	Titled   bool      // a terminal shows the titles of sections with items
}

// View says in which kind of output a column, a table or the items of a section appear.
type View uint8

// The views. A file is read at leisure and is whole; a terminal has room for what decides.
const (
	Terminal View = 1 << iota // a terminal
	Page                      // Markdown and HTML
	Sheet                     // a workbook
	Data                      // CSV; JSON has what has a path

	Files      = Page | Sheet     // all that is kept
	Everywhere = Terminal | Files // all that people see
	All        = Everywhere | Data
)

// The keys of the sections that several documents have, or that renderers and tests look for.
const (
	SectionSummary    = "summary"
	SectionAttention  = "attention"
	SectionKernels    = "kernels"
	SectionTimings    = "timings"
	SectionDevice     = "device"
	sectionNotes      = "notes"
	SectionProvenance = "provenance"
	SectionSeries     = "series"
)

// Section is a heading and what stands under it: paragraphs, then tables, then plots, then items.
type Section struct {
	Key    string // stable
	Title  string
	Sheet  string   // of a workbook, on which the section stands
	In     View     // where the section appears; 0 is everywhere
	Text   []string // paragraphs
	Tables []*Table
	Plots  []Plot
	Items  []Item
	// ItemsIn is where the items appear: the notes are a list on a page and a table in a workbook.
	ItemsIn View
}

// Item is a message about one thing: a kernel that does not match, or a note.
type Item struct {
	Lead   string // what it is about; may be empty
	Detail string // tells things of one name apart; may be empty
	Text   string
	Status Status
}

// Shown says whether the section appears in a view. One with nothing in it appears in none.
func (s *Section) Shown(in View) bool {
	return (s.In == 0 || s.In&in != 0) && len(s.Text)+len(s.Tables)+len(s.Plots)+len(s.Items) > 0
}

// Provenance is what a result does not know of how it was made.
type Provenance struct {
	Version     string   // of occudiff
	CommandLine []string // program first
	Label       string   // that somebody gave the run; may be empty
	Show        Selection
}
