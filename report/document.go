// Package report is the model of a report: a Document of sections, tables whose
// columns carry a unit, cells that carry the raw value and its kind, plots as
// data, notes and provenance; test suites and annotations; and the values that
// several JSON outputs share, with their schema. The packages rundoc, diffdoc,
// predictdoc and trackdoc fill it, each for one question, and decide all that a
// person will read - what comes first, which unit, how many decimals, which
// words - so that every renderer says the same. It does not know file formats,
// neither those that are read nor those that are written.
package report

import "time"

// Document is a report as plain data, ready to be rendered. Renderers may not
// sort, average or pick a unit.
type Document struct {
	Title    string
	Origin   string    // host, driver, and version of the profiler, as far as known
	Subject  string    // one line for a file's properties
	Date     time.Time // when the run was collected; zero if unknown; never the time of the clock
	Summary  *Summary  // first part of every format; nil for documents that begin with their headline
	Headline []string  // what was run on what, in the first lines
	Closing  string    // how much of it matches, in one sentence
	Sections []Section // in reading order
	Version  string    // of occudiff
	Whole    bool      // a terminal shows all rows and items, not only the first ones
	Titled   bool      // a terminal shows the titles of sections with items
}

// View says in which kind of output a column, a table or the items of a section
// appear.
type View uint8

// The views. A file is read at leisure and is whole; a terminal has room for
// what decides.
const (
	Terminal View = 1 << iota // a terminal
	Page                      // Markdown and HTML
	Sheet                     // a workbook
	Data                      // CSV; JSON has what has a path
	Detail                    // a list of all values of one row, such as a device

	Files      = Page | Sheet     // all that is kept
	WithUnits  = Terminal | Page  // where numbers are texts with their unit; a sheet has numbers
	Everywhere = Terminal | Files // all that people see
	All        = Everywhere | Data
	Kept       = Files | Data // not on a terminal
	Wide       = Sheet | Data // outputs with room for many columns
)

// The keys of the sections that several documents have, or that renderers and
// tests look for.
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

// Section is a heading with its content: paragraphs, then tables, then plots, then
// items.
type Section struct {
	Key    string // stable
	Title  string
	Sheet  string   // of a workbook, on which the section stands
	In     View     // where the section appears; 0 is everywhere
	Open   bool     // a page shows it unfolded
	Text   []string // paragraphs
	Tables []*Table
	Plots  []Plot
	Items  []Item
	// ItemsIn is where the items appear: the notes are a list on a page and a
	// table in a workbook.
	ItemsIn View
}

// Item is a message about one thing: a kernel that does not match, or a note.
type Item struct {
	Lead   string // what it is about; may be empty
	Detail string // tells things of one name apart; may be empty
	Text   string
	Status Status
}

// Shown reports whether the section appears in a view. One with nothing in it
// appears in none.
func (s *Section) Shown(in View) bool {
	return (s.In == 0 || s.In&in != 0) && len(s.Text)+len(s.Tables)+len(s.Plots)+len(s.Items) > 0
}

// Provenance describes the origin of a result: the parts that a result lacks.
type Provenance struct {
	Version     string   // of occudiff
	CommandLine []string // program first
	Label       string   // label of the run; may be empty
	Show        Selection
}

// Output is the output of a command in all its formats. A format that is nil is not
// available.
type Output struct {
	Doc          *Document            // for people: terminal, Markdown, HTML, workbook; Document gives it
	Make         func() *Document     // makes Doc when it is asked for, where that takes long
	Version      string               // of occudiff, for a document that does not have it
	Value        any                  // of the JSON contract
	Table        *Table               // for CSV
	Tests        func() *TestSuite    // for JUnit; made when it is asked for
	Chart        *Plot                // for SVG
	Trace        func() any           // events over time, for Perfetto; returns nil if no launch has a start time
	AgentSummary func() *AgentSummary // for agents and comments of CI
}

// Document returns the form for people.
func (a *Output) Document() *Document {
	if a.Doc == nil && a.Make != nil {
		a.Doc = a.Make()
	}
	if a.Doc != nil && a.Doc.Version == "" {
		a.Doc.Version = a.Version
	}
	return a.Doc
}

// Summary is the first part of every format, which a reader understands within
// five seconds. It is created once, so that a terminal, a page, a sheet, and a
// summary for agents have the same content.
type Summary struct {
	Headline string   // what ran on what, for how long, and how much of it is as predicted
	Impact   string   // what that means for its time; may be empty
	Notes    []string // what is not whole, or contradicts itself: said before any figure
	// Rows contains the first kernels, nil without any. Each cell is text for
	// people. The first column is the number of a row, empty if there is nothing
	// to do. With the form Facts, there is one row, and its columns are its
	// lines.
	Rows          *Table
	Bars          *StackedBars  // where the thread slots of each of the rows went; nil where nothing tells
	More          string        // "and 31 more, 4% of the time"; empty where Rows has all
	Advice        []string      // sentences below the rows
	ConfirmReason string        // heads Confirm: why it is asked for; may be empty
	Confirm       []NextCommand // what to run before anything is changed
	Hint          string        // where more is
}

// NextCommand is a command that settles something about rows.
type NextCommand struct {
	Rows    string // their numbers: "1, 3"; empty where it is about all
	Command string
	Result  string // what comes of it; may be empty
}

// Text is the command and what comes of it.
func (c *NextCommand) Text() string {
	if c.Result == "" {
		return c.Command
	}
	return c.Command + "   (" + c.Result + ")"
}

// SummaryRows is the largest number of rows in a summary.
const SummaryRows = 10

// SummaryHint is the last line of a summary.
const SummaryHint = "'occudiff explain TERM' explains a term, -v shows the evidence, and " +
	"-o report.html writes the full report"
