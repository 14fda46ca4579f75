package history

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// csvRecord is a line of an import or export. Number and time are texts here, since what is wrong with one is a note on
// its line alone.
type csvRecord struct {
	Series table.Text `csv:"series"`
	Time   string     `csv:"time"`
	Value  string     `csv:"value"`
	Run    table.Text `csv:"run"`
	Device table.Text `csv:"device"`
	Driver table.Text `csv:"driver"`
	Label  table.Text `csv:"label"`
	// Verdict is what validate said of the row; a value that is not the kernel's own is judged by nobody.
	Verdict table.Text `csv:"verdict"`
	Program table.Text `csv:"program"`
	Branch  table.Text `csv:"branch"`
	Commit  table.Text `csv:"commit"`
	Host    table.Text `csv:"host"`
	Event   table.Text `csv:"event"` // see Record
	Note    table.Text `csv:"note"`
}

// maxNotes bounds the notes of one file; more of the same help nobody.
const maxNotes = 100

// ReadRecords reads points from CSV with the columns series, time and value, and optionally run, device, driver,
// label, verdict and program. Time is RFC 3339 or Unix seconds. A bad line becomes a note and reading goes on; a file
// without the columns is an error. file names the input in messages.
func ReadRecords(r io.Reader, file string) (*Records, []note.Note, error) {
	columns, _ := table.Columns[csvRecord]()
	in := table.NewReader(file, r, table.Format{Code: "track-file", What: "file of points", Columns: columns})
	if err := in.Header(); errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s is empty; expected a first line with the columns series,time,value", file)
	} else if err != nil {
		return nil, nil, err
	}
	for _, must := range columns[:3] {
		if !slices.Contains(in.Columns, must) {
			return nil, nil, fmt.Errorf("%s:1: there is no column %s; "+
				"expected series,time,value and optionally %s", file, must, strings.Join(columns[3:], ","))
		}
	}
	var notes []note.Note
	for _, name := range in.Unknown {
		notes = append(notes,
			note.Note{Severity: note.Warning, Code: "unknown-column", Pos: note.Pos{File: file, Line: 1},
				Text: fmt.Sprintf("the column %q is not used", name), Hint: "known are " + strings.Join(columns, ", ")})
	}
	records, bad := &Records{}, 0
	for rows := []csvRecord(nil); ; {
		s, err := in.Sheet(512)
		if err != nil {
			return nil, nil, err
		}
		if len(s.Records) == 0 {
			break
		}
		var faults []*note.Fault
		rows, faults = table.Decode(s, rows)
		for i := range rows {
			record, column, err := rows[i].record()
			if faults != nil && faults[i] != nil {
				column, err = "", errors.New(faults[i].Text)
			}
			if err == nil {
				record.Line = s.Records[i].Line
				records.Add(record)
			} else if bad++; bad <= maxNotes {
				notes = append(notes,
					note.Note{Severity: note.Error, Code: "bad-row", Pos: s.Pos(i, column), Text: err.Error()})
			}
		}
	}
	if bad > maxNotes {
		notes = append(notes, note.Note{Severity: note.Error, Code: "bad-row", Pos: note.Pos{File: file},
			Text: fmt.Sprintf("%d more lines cannot be used", bad-maxNotes)})
	}
	return records, notes, nil
}

// record reads the cells that are no texts. With an error it names the column that is at fault.
func (c *csvRecord) record() (r Record, column string, err error) {
	r = Record{Series: string(c.Series), Run: string(c.Run), Device: string(c.Device), Driver: string(c.Driver),
		Label: string(c.Label), Verdict: string(c.Verdict), Program: string(c.Program),
		Branch: string(c.Branch), Commit: string(c.Commit), Host: string(c.Host), Event: string(c.Event),
		Note: string(c.Note)}
	if r.Event != "" && r.Event != eventAccepted && r.Event != eventRenamed {
		return r, "event", fmt.Errorf("the event %q is not known; expected %s, %s or none", r.Event, eventAccepted,
			eventRenamed)
	}
	if r.Series == "" && r.Event != eventAccepted {
		return r, "series", errors.New("the line has no series")
	}
	if r.Time, err = parseTime(strings.TrimSpace(c.Time)); err != nil {
		return r, "time", err
	}
	text := strings.TrimSpace(c.Value)
	r.Value, err = strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		err = errors.New("the line has no value; leave runs without a value out")
	case err != nil:
		err = fmt.Errorf("the value %q is not a number; expected one like 62.7, without separators between thousands",
			text)
	case math.IsNaN(r.Value) || math.IsInf(r.Value, 0):
		err = fmt.Errorf("the value %q is not a measurement; leave the line out", text)
	}
	return r, "value", err
}

// parseTime reads RFC 3339 or Unix seconds.
func parseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(s) < 1e11) {
		return time.Time{}, fmt.Errorf("the time %q cannot be read; "+
			"expected RFC 3339 as in 2026-03-01T12:00:00Z, or Unix seconds", text)
	}
	whole, part := math.Modf(s)
	// To the microsecond: that is what a float of today's seconds holds.
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC(), nil
}

// RecordWriter writes points as CSV that ReadRecords reads back.
type RecordWriter struct{ rows *table.Writer[csvRecord] }

// NewRecordWriter writes to w. Flush must be called at the end.
func NewRecordWriter(w io.Writer) *RecordWriter { return &RecordWriter{table.NewWriter[csvRecord](w)} }

// Write adds a point. It fits the visitor of DB.Export.
func (w *RecordWriter) Write(r Record) error {
	return w.rows.Write(csvRecord{
		table.Text(r.Series), r.Time.UTC().Format(time.RFC3339Nano), strconv.FormatFloat(r.Value, 'g', -1, 64),
		table.Text(r.Run), table.Text(r.Device), table.Text(r.Driver), table.Text(r.Label), table.Text(r.Verdict),
		table.Text(r.Program), table.Text(r.Branch), table.Text(r.Commit), table.Text(r.Host), table.Text(r.Event),
		table.Text(r.Note)})
}

// Flush writes what is left, and the column names also when there is no point at all.
func (w *RecordWriter) Flush() error { return w.rows.Flush() }
