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

// NoteSection lists notes in the order given: as a list on a page, as a table
// in a workbook.
func NoteSection(notes []TaskNote) Section {
	s := Section{Key: sectionNotes, Title: "Notes", Sheet: "Notes", ItemsIn: Page}
	if len(notes) == 0 {
		return s
	}
	for _, n := range notes {
		text, detail := OneLine(n.Text), OneLine(n.Pos.String())
		if n.Hint != "" {
			text += " (" + OneLine(n.Hint) + ")"
		}
		if n.Task != "" {
			detail = strings.TrimSuffix(KernelName(n.Task)+", "+detail, ", ")
		}
		s.Items = append(s.Items, Item{Lead: n.Severity.String(), Detail: detail, Text: text,
			Status: severityCell(n.Severity).Status})
	}
	task := Define(Column{Key: "task", Title: "Kernel", Kind: Name, In: Everywhere},
		func(n *TaskNote) Cell { return NameCell(n.Task) })
	t := NewTable("notes", "", notes, append(Within("", "", func(n *TaskNote) *note.Note { return &n.Note }, NoteColumns()),
		task)).Show("severity", "code", "task")
	t.In = Sheet
	s.Tables = []*Table{t}
	return s
}

// NoteColumns are those of notes, in every output.
func NoteColumns() []Col[note.Note] {
	return []Col[note.Note]{
		Define(Column{Key: "severity", Path: "severity", Always: true, Title: "Severity", Kind: Text, In: All},
			func(n *note.Note) Cell { return severityCell(n.Severity) }),
		Define(Column{Key: "code", Path: "code", Always: true, Title: "Code", Kind: Text, In: All,
			Doc: "stable, for scripts"}, func(n *note.Note) Cell { return OptText(unit.Some(n.Code)) }),
		Define(Column{Key: "file", Path: "file", Title: "File", Kind: Text, In: All},
			func(n *note.Note) Cell { return TextCell(n.Pos.File) }),
		Define(Column{Key: "line", Path: "line", Title: "Line", Kind: Integer, In: All},
			func(n *note.Note) Cell { return OptInt(unit.NonZero(n.Pos.Line)) }),
		Define(Column{Key: "column", Path: "column", Title: "Column", Kind: Integer, In: All},
			func(n *note.Note) Cell { return OptInt(unit.NonZero(n.Pos.Column)) }),
		Define(Column{Key: "text", Path: "text", Always: true, Title: "What happened", Kind: Text, Wrap: true, In: All},
			func(n *note.Note) Cell { return OptText(unit.Some(n.Text)) }),
		Define(Column{Key: "hint", Path: "hint", Title: "What to do", Kind: Text, Wrap: true, In: All,
			Doc: "what to do next"}, func(n *note.Note) Cell { return TextCell(n.Hint) }),
	}
}

// Notes is a table of notes.
func Notes(notes []note.Note) *Table { return NewTable("notes", "", notes, NoteColumns()) }

// severityCell is the word of a note's severity with its color.
func severityCell(s note.Severity) Cell {
	return StatusCell(s.String(), map[note.Severity]Status{note.Warning: Unsure, note.Error: Bad}[s])
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
		text += "; and " + unit.FormatCount(more, "more error", "more errors")
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
