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

// NoteSection lists notes in the order given.
func NoteSection(notes []TaskNote) Section {
	s := Section{Key: sectionNotes, Title: "Notes", Sheet: "Evidence", ItemsIn: Files}
	for _, n := range notes {
		text, detail := OneLine(n.Text), OneLine(n.Pos.String())
		if n.Hint != "" {
			text += " (" + OneLine(n.Hint) + ")"
		}
		if n.Task != "" {
			detail = strings.TrimSuffix(KernelName(n.Task)+", "+detail, ", ")
		}
		s.Items = append(s.Items, Item{Lead: n.Severity.String(), Detail: detail, Text: text,
			Status: severityWord(n.Severity).Status})
	}
	return s
}

// NoteColumns returns the columns of notes for every output.
func NoteColumns() []Col[note.Note] {
	return []Col[note.Note]{
		Define("severity", "Severity", func(n *note.Note) Word { return severityWord(n.Severity) }, Always),
		Define("code", "Code", func(n *note.Note) string { return n.Code }),
		Define("file", "File", func(n *note.Note) string { return n.Pos.File }, NonZero),
		Define("line", "Line", func(n *note.Note) int { return n.Pos.Line }, NonZero),
		Define("column", "Column", func(n *note.Note) int { return n.Pos.Column }, NonZero),
		Define("text", "What happened", func(n *note.Note) string { return n.Text }, Wrap),
		Define("hint", "What to do", func(n *note.Note) string { return n.Hint }, Wrap, NonZero),
	}
}

// Notes is a table of notes.
func Notes(notes []note.Note) *Table { return NewTable("notes", "", notes, NoteColumns()) }

// severityWord returns the severity of a note with its color.
func severityWord(s note.Severity) Word {
	return Word{s.String(), map[note.Severity]Status{note.Warning: Unsure, note.Error: Bad}[s]}
}

// Notes that say what a command let pass, since it was told to.
const (
	CodeAllowedUnreadable = "allowed-unreadable"
	CodeAllowedUnjudged   = "allowed-unjudged"
)

// LostRows describes what of the input could not be read, from the errors among
// the notes; empty when all was read.
func LostRows(notes []note.Note) string {
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
		text += "; and " + unit.Plural(more, "more error")
	}
	return text
}

// IncompleteNotes returns the notes on inputs that are cut off or lost kernels,
// on what was accepted, and on rows that are left out: they belong in the
// headline, since no number below is of the whole run, or no table has all
// rows.
func IncompleteNotes(notes []note.Note) []string {
	var lines []string
	if lost := LostRows(notes); lost != "" {
		lines = append(lines, UpperFirst(lost))
	}
	for _, n := range notes {
		switch n.Code {
		case "truncated-file", codeSelection, CodeAllowedUnreadable, CodeAllowedUnjudged:
			lines = append(lines, OneLine(n.String()))
		}
	}
	return lines
}
