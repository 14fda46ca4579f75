// Package note defines the message that a stage reports about its input: a
// position in a file, a text with a severity, a stable code, and a hint. Any
// stage may add notes. Only the command prints them.
//
// The package imports no other package of the program. It does not know the
// subject of the notes.
package note

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Pos is a position in a file. Line and Column count from 1. Lines are physical
// lines of the decompressed file, and columns are bytes. A zero Line or Column
// is unknown.
type Pos struct {
	File   string
	Line   int
	Column int
}

// String returns file:line:column, the form that editors open, without the
// parts that are unknown.
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

// InFile returns the position of a whole file.
func InFile(path string) Pos { return Pos{File: path} }

// Severity is a note's importance.
type Severity uint8

// Severities, from the lowest to the highest.
const (
	Info    Severity = iota // information; nothing is wrong
	Warning                 // a number may be misleading
	Error                   // part of the input was not used
)

// String returns the severity as outputs print it, for example "warning".
func (s Severity) String() string {
	return [...]string{"info", "warning", "error"}[min(s, Error)]
}

// NotMeasured is the code for a note about a file without measured occupancy.
// The note is dropped if another file of the run has the occupancy.
const NotMeasured = "no-occupancy"

// A Note is one message about the input or the result.
type Note struct {
	Severity Severity
	// Code is stable and in kebab case, so that scripts may match it. For
	// example, "bad-row" or "duplicate-column".
	Code string
	Pos  Pos    // zero if the note is about the whole run
	Text string // problem description
	Hint string // suggested next step; may be empty
}

// String returns the note on one line: position, severity, text, and hint.
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

// An InputError is a note as a Go error: the input cannot be used at all.
type InputError struct{ Note }

// Error returns the message with its position.
func (f *InputError) Error() string {
	n := f.Note
	n.Severity = Info // an error's message needs no "error:"
	return n.String()
}

// Newf returns a note with a formatted text.
func Newf(severity Severity, code string, pos Pos, hint, format string, args ...any) Note {
	return Note{severity, code, pos, fmt.Sprintf(format, args...), hint}
}

// Warningf returns a warning.
func Warningf(code string, pos Pos, hint, format string, args ...any) Note {
	return Newf(Warning, code, pos, hint, format, args...)
}

// Errorf returns an InputError.
func Errorf(code string, pos Pos, hint, format string, args ...any) error {
	return &InputError{Newf(Error, code, pos, hint, format, args...)}
}

// HasCode reports whether an error is an InputError with one of the codes.
func HasCode(err error, codes ...string) bool {
	f, ok := errors.AsType[*InputError](err)
	return ok && slices.Contains(codes, f.Code)
}

// Reason returns a file system error's cause without the path. The note's
// position names the path already, or the path is a temporary file.
func Reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
