package report

import (
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// TaskNote is a note with the task that it is about, if any.
type TaskNote struct {
	note.Note
	Task string
}

// RunNotes are notes about a whole run, of no task.
func RunNotes(notes []note.Note) []TaskNote {
	return ListOf(notes, func(n note.Note) TaskNote { return TaskNote{Note: n} })
}

// NoteSection lists notes in the order given: as a list on a page, as a table in a workbook. A workbook has no sheet
// for none.
func NoteSection(notes []TaskNote) Section {
	s := Section{Key: sectionNotes, Title: "Notes", Sheet: "Notes", ItemsIn: Page}
	if len(notes) == 0 {
		s.In, s.Text = Page, []string{"None."}
		return s
	}
	type row struct {
		NoteValue
		Task Symbol `col:"Kernel"`
	}
	var rows []row
	for _, n := range notes {
		text, detail := OneLine(n.Text), OneLine(n.Pos.String())
		if n.Hint != "" {
			text += " (" + OneLine(n.Hint) + ")"
		}
		if n.Task != "" {
			detail = strings.TrimSuffix(KernelName(n.Task)+", "+detail, ", ")
		}
		v := newNoteValue(n.Note)
		s.Items = append(s.Items, Item{Lead: string(v.Severity), Detail: detail, Text: text,
			Status: v.Severity.Cell().Status})
		rows = append(rows, row{v, Symbol(n.Task)})
	}
	t := List("notes", "", rows, "severity", "code", "task", "file", "line", "column", "text", "hint")
	t.In = Sheet
	s.Tables = []*Table{t}
	return s
}

// severity is the word of a note's severity with its color.
type severity string

// Cell implements the cells of Rows.
func (s severity) Cell() Cell {
	for _, w := range s.Words() {
		if w.Text == string(s) {
			return StatusCell(w.Text, w.Status)
		}
	}
	return TextCell(string(s))
}

// Words implements the words of Rows.
func (severity) Words() []Word {
	return []Word{{note.Warning.String(), Unsure}, {note.Error.String(), Bad}}
}

// Notes that say what a command let pass, since it was told to.
const (
	CodeAcceptedDamage   = "accepted-damaged"
	CodeAcceptedUnjudged = "accepted-unjudged"
)

// Lost says what of the input could not be read, from the errors among the notes; empty when all was read.
func Lost(notes []note.Note) string {
	text, more := "", 0
	for _, n := range notes {
		switch {
		case n.Severity < note.Error:
		case text == "":
			text = "not all of the input could be read, so kernels may be missing: " + OneLine(n.String())
		default:
			more++
		}
	}
	if more > 0 {
		text += "; and " + unit.Counted(more, "more error", "more errors")
	}
	return text
}

// NotWhole gives the notes on inputs that are cut off or lost kernels, on what was accepted, and on rows that are left
// out: they belong in the headline, since no number below is of the whole run, or no table has all rows.
func NotWhole(notes []note.Note) []string {
	var lines []string
	if lost := Lost(notes); lost != "" {
		lines = append(lines, UpperFirst(lost))
	}
	for _, n := range notes {
		switch n.Code {
		case "truncated-file", codeSelection, CodeAcceptedDamage, CodeAcceptedUnjudged:
			lines = append(lines, OneLine(n.String()))
		}
	}
	return lines
}
