package report

import (
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// TaskNote is a note about a task, or about a whole run if Task is empty.
type TaskNote struct {
	note.Note
	Task string
}

// RunNotes returns notes about a whole run, without a task.
func RunNotes(notes []note.Note) []TaskNote {
	return ListOf(notes, func(n note.Note) TaskNote { return TaskNote{Note: n} })
}

// NoteSection returns a section that lists notes in the given order.
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

// Notes returns a table of notes.
func Notes(notes []note.Note) *Table { return NewTable("notes", "", notes, NoteColumns()) }

// severityWord returns the severity of a note with its color.
func severityWord(s note.Severity) Word {
	return Word{s.String(), map[note.Severity]Status{note.Warning: Unsure, note.Error: Bad}[s]}
}

// Codes of notes about problems that a flag allowed.
const (
	CodeAllowedUnreadable = "allowed-unreadable"
	CodeAllowedUnjudged   = "allowed-unjudged"
)

// LostRows describes the parts of the input that could not be read, from the
// notes with the severity error. It returns "" if there are no such notes.
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

// IncompleteNotes returns the notes about truncated inputs, lost kernels,
// allowed problems, and rows that are not shown. These notes belong in the
// headline, because they mean that the numbers do not cover the whole run or
// that the tables do not have all rows.
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
