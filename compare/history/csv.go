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
	"occudiff/ingest/unit"
)

// Record is a kernel of a run as `track import` and `track export` exchange it.
type Record struct {
	Series string // Key.Name, or any other name
	Time   time.Time
	Values
	Run     string // names the run; kernels of one time, device and driver without it are of one run
	Device  string
	Driver  string
	Label   string
	Verdict string // what validate said of the row; a value that is not the kernel's own is judged by nobody
	Cause   string
	Program string
	Branch  string
	Commit  string
	Host    string
	VTune   string
	// Frequency is the highest of the GPU's clock, in Hz.
	Frequency unit.Opt[float64]
	// Event is empty for a kernel. Else the record says what was said of the history at the time Said: "accept", of a
	// series or, without one, of all, from a run on, with the Note; or "rename", of a kernel from Series to Note.
	Event, Note string
	Said        time.Time
	Line        int // where it was read, for messages; 0 when nowhere
}

// The events.
const (
	eventAccepted = "accept"
	eventRenamed  = "rename"
)

// texts are the columns of a file that are texts, behind series and time.
var texts = [...]struct {
	name string
	of   func(*Record) *string
}{
	{"run", func(r *Record) *string { return &r.Run }},
	{"device", func(r *Record) *string { return &r.Device }},
	{"driver", func(r *Record) *string { return &r.Driver }},
	{"label", func(r *Record) *string { return &r.Label }},
	{"verdict", func(r *Record) *string { return &r.Verdict }},
	{"cause", func(r *Record) *string { return &r.Cause }},
	{"program", func(r *Record) *string { return &r.Program }},
	{"branch", func(r *Record) *string { return &r.Branch }},
	{"commit", func(r *Record) *string { return &r.Commit }},
	{"host", func(r *Record) *string { return &r.Host }},
	{"vtune", func(r *Record) *string { return &r.VTune }},
	{"event", func(r *Record) *string { return &r.Event }},
	{"note", func(r *Record) *string { return &r.Note }},
}

// fileColumns lists the columns of an exported file.
func fileColumns() []string {
	list := []string{"series", "time"}
	for _, t := range texts {
		list = append(list, t.name)
	}
	list = append(list, "said", "frequency")
	for i := range columns {
		list = append(list, string(columns[i].Metric))
	}
	return list
}

// maxNotes bounds the notes of one file; more of the same help nobody.
const maxNotes = 100

// ReadRecords reads runs from CSV with the columns series and time and those of metrics, or with the column value alone,
// which is then of a metric; the others are optional. Time is RFC 3339 or Unix seconds. A bad line becomes a note and
// reading goes on; a file without the columns is an error. file names the input in messages.
func ReadRecords(r io.Reader, file string, of Metric) (*Records, []note.Note, error) {
	known := append(fileColumns(), "value")
	in := table.NewReader(file, r, table.Format{Code: "track-file", What: "file of points", Columns: known})
	if err := in.Header(); errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s is empty; expected a first line with the columns series,time,value", file)
	} else if err != nil {
		return nil, nil, err
	}
	f := fileReader{of: of, records: &Records{Alone: slices.Contains(in.Columns, "value")}}
	if err := f.check(in.Columns, file); err != nil {
		return nil, nil, err
	}
	var notes []note.Note
	for _, name := range in.Unknown {
		notes = append(notes,
			note.Note{Severity: note.Warning, Code: "unknown-column", Pos: note.Pos{File: file, Line: 1},
				Text: fmt.Sprintf("the column %q is not used", name), Hint: "known are " + strings.Join(known, ", ")})
	}
	bad := 0
	for {
		s, err := in.Sheet(512)
		if err != nil {
			return nil, nil, err
		}
		if len(s.Records) == 0 {
			break
		}
		for i := range s.Records {
			record, column, err := f.record(s.Columns, &s.Records[i])
			if err == nil {
				f.records.Add(record)
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
	return f.records, notes, nil
}

// fileReader reads the lines of a file.
type fileReader struct {
	of      Metric // of the column value
	records *Records
}

// check says what is wrong with the columns of a file.
func (f *fileReader) check(has []string, file string) error {
	measures := slices.ContainsFunc(has, func(c string) bool { return c != "" && Metric(c).index() >= 0 })
	optional := fileColumns()[2:]
	for _, must := range []string{"series", "time", "value"} {
		if !slices.Contains(has, must) && !(must == "value" && measures) {
			return fmt.Errorf("%s:1: there is no column %s; expected series,time and value or those of metrics (%s), and "+
				"optionally %s", file, must, strings.Join(optional[len(texts)+2:], ","),
				strings.Join(optional[:len(texts)+2], ","))
		}
	}
	if f.records.Alone && measures {
		return fmt.Errorf("%s:1: there is a column value beside columns of metrics; keep one of them: value alone is of "+
			"the metric that --metric names", file)
	}
	return nil
}

// record reads the cells of a line. With an error it names the column that is at fault.
func (f *fileReader) record(names []string, line *table.Record) (r Record, column string, err error) {
	r.Line = line.Line
	if line.Fault != "" {
		return r, "", errors.New(line.Fault)
	}
	cell := func(name string) string {
		if i := slices.Index(names, name); i >= 0 {
			return line.Cells[i]
		}
		return ""
	}
	text := func(name string) string {
		var t table.Text
		_ = t.UnmarshalCSV(cell(name)) // it takes any text
		return string(t)
	}
	for _, t := range texts {
		*t.of(&r) = text(t.name)
	}
	r.Series = text("series")
	if r.Event != "" && r.Event != eventAccepted && r.Event != eventRenamed {
		return r, "event", fmt.Errorf("the event %q is not known; expected %s, %s or none", r.Event, eventAccepted,
			eventRenamed)
	}
	if r.Series == "" && r.Event != eventAccepted {
		return r, "series", errors.New("the line has no series")
	}
	if r.Time, err = parseTime(cell("time")); err != nil {
		return r, "time", err
	}
	if r.Event != "" {
		r.Said, err = parseTime(cell("said"))
		return r, "said", err
	}
	if r.Frequency, err = parseValue("frequency", cell("frequency")); err != nil {
		return r, "frequency", err
	}
	if f.records.Alone {
		v, err := parseValue("value", cell("value"))
		if err == nil && !v.Present() {
			err = errors.New("the line has no value; leave runs without a value out")
		}
		r.Set(f.of, v)
		return r, "value", err
	}
	for i := range columns {
		name := string(columns[i].Metric)
		if r.Values[i], err = parseValue(name, cell(name)); err != nil {
			return r, name, err
		}
	}
	return r, "", nil
}

// parseValue reads a number; nothing is absent.
func parseValue(name, text string) (unit.Opt[float64], error) {
	if text = strings.TrimSpace(text); text == "" {
		return unit.Opt[float64]{}, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		err = fmt.Errorf("the %s %q is not a number; expected one like 62.7, without separators between thousands",
			name, text)
	case math.IsNaN(v) || math.IsInf(v, 0):
		err = fmt.Errorf("the %s %q is not a measurement; leave it out", name, text)
	}
	return unit.Some(v), err
}

// parseTime reads RFC 3339 or Unix seconds.
func parseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
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

// RecordWriter writes records as CSV that ReadRecords reads back.
type RecordWriter struct {
	rows  *table.CSV
	cells []string
}

// NewRecordWriter writes to w, the names of the columns first. Flush must be called at the end.
func NewRecordWriter(w io.Writer) *RecordWriter {
	rows := table.NewCSV(w)
	_ = rows.Write(fileColumns()) // Flush tells
	return &RecordWriter{rows: rows}
}

// Write adds a record. It fits the visitor of DB.Export.
func (w *RecordWriter) Write(r Record) error {
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	number := func(o unit.Opt[float64]) string {
		if v, ok := o.Value(); ok {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return ""
	}
	w.cells = append(w.cells[:0], table.Guard(r.Series), at(r.Time))
	for _, t := range texts {
		w.cells = append(w.cells, table.Guard(*t.of(&r)))
	}
	w.cells = append(w.cells, at(r.Said), number(r.Frequency))
	for _, v := range r.Values {
		w.cells = append(w.cells, number(v))
	}
	return w.rows.Write(w.cells)
}

// Flush writes what is left.
func (w *RecordWriter) Flush() error {
	w.rows.Flush()
	return w.rows.Error()
}
