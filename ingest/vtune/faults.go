package vtune

import (
	"bytes"
	"fmt"

	"occudiff/ingest/note"
)

const exportHint = "export it with: vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma " +
	"-report-output run.csv -r RESULT_DIR"

// collectHint is for exports without rows: the export is right, the collection saw no GPU work.
const collectHint = "the collection saw no GPU work: collect again with vtune -collect gpu-hotspots -- PROGRAM and " +
	"look at what it prints"

// hostTasks is the answer to -group-by task.
func hostTasks(pos note.Pos) error {
	return note.Faultf("host-tasks", pos, exportHint,
		"this export is grouped by host task, not per kernel: it has no launch shape and no occupancy; expected one "+
			"grouped by computing-task or computing-instance")
}

// noHeader says what a file without a header is.
func noHeader(path string, head []byte) error {
	pos := note.Pos{File: path}
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))) == 0:
		return note.Faultf("empty-file", pos, "the collection or the export failed: run it again and look at what "+
			"vtune printed",
			"the file is empty; expected a VTune export with a header line that begins with \"Computing Task\"")
	case onlyMessages(head):
		return note.Faultf("no-header", pos, exportHint,
			"the file holds messages of the vtune command and no table; expected a header line that begins with "+
				"\"Computing Task\"")
	}
	return note.Faultf("no-header", pos, exportHint,
		"no header line; expected one whose first field is \"Computing Task\", \"Source Computing Task\" or \"Task "+
			"Type\"")
}

// onlyMessages says whether all lines are messages of the vtune command, and there is one.
// Such a file is an export that failed, and deserves a better answer than "not recognized".
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

// missing names the column of the measured occupancy where the file has one of another name in its place.
func (h *header) missing() []note.Note {
	if h.has(measured) || h.like == "" {
		return nil
	}
	return []note.Note{{Severity: note.Warning, Code: "no-occupancy", Pos: h.pos, Text: fmt.Sprintf("no column is "+
		"named \"XVE Threads Occupancy(%%)\", so nothing was measured; the nearest is %q, which is not known", h.like),
		Hint: exportHint}}
}
