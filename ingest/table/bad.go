package table

import (
	"fmt"

	"occudiff/ingest/note"
)

// MaxShown is how many bad rows of a file are reported one by one.
const MaxShown = 20

// Bad collects the rows of a file that cannot be used: all are counted, the first MaxShown are kept. The zero Bad is
// ready.
type Bad struct {
	Count   int64
	Several bool // rows stand in a line; the caller adds each once
	shown   []note.Note
	last    note.Pos
}

// Add counts a row that cannot be used. A row that is bad in two places is one row.
func (b *Bad) Add(pos note.Pos, hint, format string, args ...any) {
	if b.Count > 0 && b.last.Line == pos.Line && !b.Several {
		return
	}
	b.last = pos
	b.Count++
	if len(b.shown) < MaxShown {
		b.shown = append(b.shown, note.Note{Severity: note.Error, Code: "bad-row", Pos: pos,
			Text: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// Notes gives the notes on the bad rows in the order of the file; the last says how many more there are.
func (b *Bad) Notes() []note.Note {
	notes := b.shown[:len(b.shown):len(b.shown)]
	if more := b.Count - int64(len(notes)); more > 0 {
		notes = append(notes, note.Note{Severity: note.Error, Code: "bad-rows", Pos: note.Pos{File: b.last.File},
			Text: fmt.Sprintf("%d more bad rows, the last in line %d", more, b.last.Line)})
	}
	return notes
}

// Quote prints a piece of input for a message: in quotes, invisible bytes escaped, cut to a readable length.
func Quote[T string | []byte](text T) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most-3])
	}
	return fmt.Sprintf("%q", text)
}
