package vtune

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// A problem is an error in a row. index is none if it concerns the whole row.
type problem struct {
	index int // column index
	text  string
	hint  string

	outside bool // only a share is out of range; the other cells are correct
}

const correctHint = "correct the cell or export the file again"

// misshapen returns the problem with a row whose cells cannot be assigned to
// columns. It returns nil for a message from the vtune command, which prints
// warnings to its standard output, between the rows of a redirected report.
func (a *adder) misshapen(r *scan.Row) *problem {
	p := &problem{index: none, hint: "the file may be cut off: export it again",
		text: fmt.Sprintf("%d fields; expected %d as in the header on line %d", r.Fields, a.h.columns, a.h.pos.Line)}
	switch {
	case r.Open:
		p.text = fmt.Sprintf("the file ends inside the quotes that open on line %d, column %d; the rows after them "+
			"cannot be separated", r.QuoteLine, r.QuoteColumn)
	case r.Fields > a.h.columns:
		p.hint = "a name that contains the delimiter must be quoted"
	case r.Fields < a.h.columns && isMessage(r.Cell(a.h.col[task].index)):
		return nil
	}
	return p
}

// wrong returns the problem with a cell, with the expected form.
func (a *adder) wrong(q quantity, b []byte, negative, large bool) *problem {
	c := &a.h.col[q]
	expected := "a whole number, 0 or above"
	switch {
	case q >= firstShare && c.percent:
		expected = "a percentage from 0 to 100.5"
	case q >= firstShare:
		expected = "a fraction from 0 to 1 or a percentage from 0 to 100.5"
	case q == total || q == average:
		expected = "a time in seconds, 0 or above"
	case q == simd:
		expected = "the number of work-items of a sub-group"
	case large:
		expected = "at most " + unit.Thousands(unit.MaxCount)
	case negative:
		expected = "0 or above"
	}
	return &problem{index: c.index, text: fmt.Sprintf("%q is %s; expected %s", c.name, shorten(b), expected),
		hint: correctHint}
}

// shorten returns a cell, quoted and shortened for a message.
func shorten(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(strings.ToValidUTF8(string(b[:most]), "\ufffd")) + "..."
	}
	return strconv.Quote(string(b))
}

// reject counts a bad row and keeps a note about it. Each worker keeps its
// first notes, because only at the end it is known which are the first in the
// file.
func (a *adder) reject(p *problem) {
	a.bad++
	a.findGlued()
	if len(a.badNotes) >= shown {
		return
	}
	r := a.row
	pos := note.Pos{File: a.h.pos.File, Line: r.Line(), Column: 1}
	text := "bad row: " + p.text
	if p.index != none {
		line, column := r.Position(p.index)
		if pos.Column = column; line != pos.Line { // a record with several lines is reported on its first line
			pos.Column = 1
			text += fmt.Sprintf(" (the cell is on line %d, column %d)", line, column)
		}
	}
	a.badNotes = append(a.badNotes, note.Newf(note.Error, "bad-row", pos, p.hint, "%s", text))
}

// findGlued looks for another export's header in a row's last cell. The rows
// after it have other columns, so the rest of the file has an uncertain
// meaning.
func (a *adder) findGlued() {
	last := a.h.columns - 1
	if a.row.Fields <= last {
		return
	}
	cell := a.row.Cell(last)
	for _, key := range keyColumns {
		at := bytes.Index(cell, []byte(key))
		if at <= 0 {
			continue
		}
		if _, more := keyedAt(cell[at:]); more || at+len(key) == len(cell) {
			a.first(codeJoined, note.Newf(note.Error, codeJoined, a.at(last),
				"join the files again with a line end after each, or pass the files separately",
				"the header of another export begins within this row, after %s", shorten(cell[:at])))
			return
		}
	}
}

const exportHint = "export it with: vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma " +
	"-report-output run.csv -r RESULT_DIR"

// collectHint is for exports without rows: the export is correct, but the
// collection saw no GPU work.
const collectHint = "the collection saw no GPU work: collect again with vtune -collect gpu-hotspots -- PROGRAM and " +
	"look at what it prints"

// noHeader returns the error for a file without a header.
func noHeader(path string, head []byte) error {
	pos := note.InFile(path)
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))) == 0:
		return note.Errorf("empty-file", pos, "the collection or the export failed: run it again and look at what "+
			"vtune printed",
			"the file is empty; expected a VTune export with a header line that begins with \"Computing Task\"")
	case onlyMessages(head):
		return note.Errorf("no-header", pos, exportHint,
			"the file contains only messages of the vtune command and no table; expected a header line that begins with "+
				"\"Computing Task\"")
	}
	return note.Errorf("no-header", pos, exportHint,
		"no header line; expected one whose first field is \"Computing Task\", \"Source Computing Task\" or \"Task "+
			"Type\"")
}

// onlyMessages reports whether the file consists of messages from the vtune
// command, at least one. Such a file is an export that failed, and needs a
// better error than "not recognized".
func onlyMessages(head []byte) bool {
	found := false
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !isMessage(line) {
			return false
		}
		found = true
	}
	return found
}

// missing returns a note if the file has no measured occupancy but a column
// with a similar name.
func (h *header) missing() []note.Note {
	if h.has(measured) || h.like == "" {
		return nil
	}
	return []note.Note{note.Warningf("no-occupancy", h.pos, exportHint, "no column is "+
		"named \"XVE Threads Occupancy(%%)\", so nothing was measured; the nearest is %q, which is not known", h.like)}
}
