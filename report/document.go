// Package report contains the report model:
//
//   - a Document of sections, tables, charts as data, notes, and provenance
//   - columns with a unit, and cells with a raw value and its kind
//   - test suites and annotations for CI
//   - the values that several JSON outputs share, with their schema
//
// The packages rundoc, diffdoc, predictdoc, and trackdoc fill the model. Each
// package answers one question. These packages decide everything that a person
// reads: the order, the units, the decimals, and the words. Therefore, all
// renderers show the same content. This package does not depend on any file
// format, neither for input nor for output.
package report

import (
	"slices"
	"time"
)

// Document is a report as plain data, ready to be rendered. Renderers must not
// sort, average, or choose a unit.
type Document struct {
	Title    string
	Origin   string    // host, driver, and version of the profiler, as far as known
	Subject  string    // one line that describes the report, for the properties of a file
	Date     time.Time // date of the collection; zero if unknown; never the current time
	Summary  *Summary  // first part in every format; nil for documents that begin with their headline
	Headline []string  // application and device, in the first lines
	Closing  string    // share of the kernels that matches, in one sentence
	Sections []Section // in reading order
	Version  string    // occudiff version
	Whole    bool      // a terminal shows all rows and items, not only the first ones
	Titled   bool      // a terminal shows the titles of sections with items
}

// View is a set of outputs in which a column, a table, or a section's items
// appear.
type View uint8

// The views. A file contains all columns. A terminal has room only for the
// columns that matter most for a decision.
const (
	Terminal View = 1 << iota // a terminal
	Page                      // Markdown and HTML
	Sheet                     // a workbook
	Data                      // CSV; JSON does not use a view, but has each column with a path
	Detail                    // a list with all values of one row, such as a device

	Files      = Page | Sheet     // files for people
	WithUnits  = Terminal | Page  // outputs that print a number together with its unit; a sheet has plain numbers
	Everywhere = Terminal | Files // all outputs for people
	All        = Everywhere | Data
	Kept       = Files | Data // all outputs except the terminal
	Wide       = Sheet | Data // outputs with room for many columns
)

// The keys of sections. Several documents have these sections, or renderers and
// tests search for them.
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

// Section is a heading with its content: paragraphs, tables, plots, and items,
// in this order.
type Section struct {
	Key    string // stable identifier of the section
	Title  string
	Sheet  string   // name of the workbook sheet that has the section
	In     View     // outputs with the section; 0 for all outputs
	Open   bool     // a page shows it unfolded
	Text   []string // paragraphs
	Tables []*Table
	Plots  []Plot
	Items  []Item
	// ItemsIn is the set of outputs with the items. For example, notes are a
	// list on a page and a table in a workbook.
	ItemsIn View
}

// Item is a message about one subject. For example, an item is a note, or a
// message about a kernel that does not match.
type Item struct {
	Lead   string // subject of the message; may be empty
	Code   bool   // Lead is a name of a program
	Detail string // distinguishes subjects with the same name; may be empty
	Text   string
	Status Status
}

// Shown reports whether the section appears in a view. An empty section appears
// in no view.
func (s *Section) Shown(in View) bool {
	return (s.In == 0 || s.In&in != 0) && len(s.Text)+len(s.Tables)+len(s.Plots)+len(s.Items) > 0
}

// TablesIn returns the tables with rows that appear in a view.
func (s *Section) TablesIn(in View) []*Table {
	return slices.DeleteFunc(slices.Clone(s.Tables), func(t *Table) bool { return t.In&in == 0 || t.Len == 0 })
}

// Provenance describes the origin of a report. It contains only facts that are
// not in the results.
type Provenance struct {
	Version     string   // occudiff version
	CommandLine []string // program first
	Label       string   // label of the run; may be empty
	Show        Selection
}

// Output is a command's output in all its formats. A format that is nil is not
// available.
type Output struct {
	Doc          *Document            // for people: terminal, Markdown, HTML, workbook; read it with Document
	Make         func() *Document     // makes Doc on request, if making it takes long
	Version      string               // occudiff version, for a document without one
	Value        any                  // value of the JSON contract
	Table        *Table               // for CSV
	Tests        func() *TestSuite    // for JUnit; made on request
	Chart        *Plot                // for SVG
	Trace        func() any           // events over time, for Perfetto; returns nil if no launch has a start time
	AgentSummary func() *AgentSummary // for agents and CI comments
}

// Document returns the output's document for people, and makes it first if
// necessary.
func (a *Output) Document() *Document {
	if a.Doc == nil && a.Make != nil {
		a.Doc = a.Make()
	}
	if a.Doc != nil && a.Doc.Version == "" {
		a.Doc.Version = a.Version
	}
	return a.Doc
}

// Summary is the first part of a report in every format. A reader should
// understand it within five seconds. It is created once per report, so that a
// terminal, a page, a sheet, and a summary for agents have the same content.
type Summary struct {
	Headline string   // application, device, duration, and share of the kernels that match
	Impact   string   // effect of the results on the run's time; may be empty
	Notes    []string // notes about missing or contradictory inputs, printed before any number
	// Rows contains the first kernels, or is nil if there are none. Each cell
	// is text for people. The first column is the row number, empty if the row
	// needs no action. With the form Facts, the table has one row, printed as
	// one line per column.
	Rows          *Table
	Bars          *StackedBars  // thread-slot breakdown of each row; nil without data
	More          string        // "and 31 more, 4% of the time"; empty if Rows has all
	Advice        []string      // sentences below the rows
	ConfirmReason string        // reason for Confirm, as its heading; may be empty
	Confirm       []NextCommand // commands to run before any change
	Hint          string        // where to find more
}

// NextCommand is a command that resolves an open question about rows.
type NextCommand struct {
	Rows    string // row numbers, for example "1, 3"; empty for all rows
	Command string
	Prose   bool   // Command is a sentence
	Reads   bool   // Command reads the files of the run, which a page cannot name
	Result  string // expected result; may be empty
}

// Text returns the command and its expected result.
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
