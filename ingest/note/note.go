// Package note holds what a stage has to say about its input: a position in a
// file and a message with a severity, a stable code and a hint. It is a leaf:
// any stage may add notes, only the command prints them. It does not know what
// the notes are about.
package note

import (
	"errors"
	"fmt"
	"io/fs"
)

// Pos is a place in a file. Line and Column count from 1, lines are physical
// lines of the (decompressed) file and columns are bytes; 0 means that the
// place is not known that closely.
type Pos struct {
	File   string
	Line   int
	Column int
}

// String prints file:line:column as far as it is known, the form that editors
// follow.
func (p Pos) String() string {
	switch {
	case p.File == "" && p.Line == 0:
		return ""
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Severity describes how much a note matters.
type Severity uint8

// The severities, from the least.
const (
	Info    Severity = iota // worth knowing, nothing is wrong
	Warning                 // a number may not mean what it seems to
	Error                   // something was not used
)

// String returns the word that outputs carry.
func (s Severity) String() string {
	return [...]string{"info", "warning", "error"}[min(s, Error)]
}

// NotMeasured is the code of a file without measured occupancy: it says nothing
// where another file of the run has it.
const NotMeasured = "no-occupancy"

// Note is one message about the input or the result.
type Note struct {
	Severity Severity
	Code     string // stable, kebab-case: scripts may match it ("bad-row", "duplicate-column")
	Pos      Pos    // zero when the note is about the whole run
	Text     string // what happened
	Hint     string // what to do next; may be empty
}

// String prints the note on one line: where, how bad, what, and what to do.
func (n Note) String() string {
	text := n.Text
	if n.Severity != Info {
		text = n.Severity.String() + ": " + text
	}
	if p := n.Pos.String(); p != "" {
		text = p + ": " + text
	}
	if n.Hint != "" {
		text += " (" + n.Hint + ")"
	}
	return text
}

// InputError is a note as a Go error: an input that cannot be used at all.
type InputError struct{ Note }

// Error implements error.
func (f *InputError) Error() string {
	n := f.Note
	n.Severity = Info // an error message does not say "error" twice
	return n.String()
}

// Errorf makes an error with a position and a hint.
func Errorf(code string, pos Pos, hint, format string, args ...any) error {
	return &InputError{Note{Severity: Error, Code: code, Pos: pos, Text: fmt.Sprintf(format, args...), Hint: hint}}
}

// Reason takes the path, which the position says already or which is that of a
// temporary file, out of an error of the file system.
func Reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
