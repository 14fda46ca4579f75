package report

import (
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/symbol"
)

// RunNotes are notes about a whole run, of no task.
func RunNotes(notes []note.Note) []TaskNote {
	list := make([]TaskNote, len(notes))
	for i, n := range notes {
		list[i].Note = n
	}
	return list
}

// NoteSection lists notes in the order given: as a list on a page, as a table in a workbook.
func NoteSection(notes []TaskNote) Section {
	s := Section{Key: SectionNotes, Title: "Notes", Sheet: "Notes", ItemsIn: Page}
	var rows [][]Cell
	for _, n := range notes {
		status, lead := severityStatus(n.Severity), n.Severity.String()
		text, detail := OneLine(n.Text), OneLine(n.Pos.String())
		if n.Hint != "" {
			text += " (" + OneLine(n.Hint) + ")"
		}
		if n.Task != "" {
			detail = strings.TrimSuffix(KernelName(n.Task)+", "+detail, ", ")
		}
		s.Items = append(s.Items, Item{Lead: lead, Detail: detail, Text: text, Status: status})
		rows = append(rows, []Cell{
			StatusCell(lead, status), TextCell(n.Code), TextCell(symbol.Display(n.Task)), TextCell(n.Pos.File), Place(n.Pos.Line), Place(n.Pos.Column), TextCell(n.Text), TextCell(n.Hint),
		})
	}
	if len(rows) == 0 {
		s.Text = []string{"None."}
		return s
	}
	t := Fixed("notes", "", []Column{
		{Key: "severity", Title: "Severity", Kind: Text, In: Sheet, Words: []Word{{"warning", Unsure}, {"error", Bad}}},
		{Key: "code", Title: "Code", Kind: Text, In: Sheet},
		{Key: "task", Title: "Kernel", Kind: Text, In: Sheet},
		{Key: "file", Title: "File", Kind: Text, In: Sheet},
		{Key: "line", Title: "Line", Kind: Integer, In: Sheet},
		{Key: "column", Title: "Column", Kind: Integer, In: Sheet},
		{Key: "text", Title: "What happened", Kind: Text, In: Sheet, Wrap: true},
		{Key: "hint", Title: "What to do", Kind: Text, In: Sheet, Wrap: true},
	}, rows)
	t.In = Sheet
	s.Tables = []*Table{t}
	return s
}

// NotWhole gives the notes on inputs that are cut off: they belong in the headline, since no number below is of the whole run.
func NotWhole(notes []note.Note) []string {
	var lines []string
	for _, n := range notes {
		if n.Code == "truncated-file" {
			lines = append(lines, OneLine(n.String()))
		}
	}
	return lines
}

// TaskNote is a note with the task that it is about, if any.
type TaskNote struct {
	note.Note
	Task string
}

func severityStatus(s note.Severity) Status {
	switch s {
	case note.Warning:
		return Unsure
	case note.Error:
		return Bad
	}
	return Plain
}

// Place is a line or column, absent when it is not known.
func Place(n int) Cell {
	if n <= 0 {
		return Cell{}
	}
	return IntCell(n)
}
