package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Record is a run's kernel in the form of `track import` and `track export`.
type Record struct {
	Series string // Key.Name, or any other name of the series
	Time   time.Time
	Values
	Run     string // the run's name; without it, kernels with one time, device, and driver belong to one run
	Device  string
	Driver  string
	Label   string
	Verdict string // verdict from validate; an unmeasurable value is not judged
	Cause   string
	Program string
	Branch  string
	Commit  string
	Host    string
	VTune   string
	// Frequency is the highest GPU clock, in Hz.
	Frequency unit.Opt[float64]
	// Event is empty for a kernel. Otherwise, the record is an event at the
	// time RecordedAt. "accept" and "noise" accept a run in one series, or in
	// all series if the name is empty, with the Note. "rename" renames a kernel
	// from Series to Note.
	Event, Note string
	RecordedAt  time.Time
	Line        int // line in the input, for messages; 0 if unknown
}

// The events.
const (
	eventAccepted = "accept"
	eventNoise    = "noise"
	eventRenamed  = "rename"
)

// isAccept reports whether the record is an accepted run.
func (r *Record) isAccept() bool { return r.Event == eventAccepted || r.Event == eventNoise }

// columnsOfFile returns the columns of an exported file: series and time, the
// optional columns, and the metrics.
func columnsOfFile() []string {
	return strings.Fields(
		"series time run device driver label verdict cause program branch commit host vtune event note recorded_at" +
			" frequency" + columnNames(" ", ""))
}

// fields returns pointers to the fields, in the order of columnsOfFile.
func (r *Record) fields() []any {
	list := []any{&r.Series, &r.Time, &r.Run, &r.Device, &r.Driver, &r.Label, &r.Verdict, &r.Cause, &r.Program,
		&r.Branch, &r.Commit, &r.Host, &r.VTune, &r.Event, &r.Note, &r.RecordedAt, &r.Frequency}
	for i := range r.Values {
		list = append(list, &r.Values[i])
	}
	return list
}

// printed formats a field as a cell. Strings are escaped so that spreadsheets
// do not run them as formulas. An absent value is empty.
func printed(field any) string {
	switch f := field.(type) {
	case *string:
		return table.Guard(*f)
	case *time.Time:
		if !f.IsZero() {
			return f.UTC().Format(time.RFC3339Nano)
		}
	case *unit.Opt[float64]:
		if v, ok := f.Value(); ok {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return ""
}

// parse reads a cell into a field. Its error does not name the column.
func parse(name, cell string, field any) (err error) {
	switch f := field.(type) {
	case *string:
		err = (*table.Text)(f).UnmarshalCSV(cell)
		*f = unique.Make(*f).Value() // a history repeats a few distinct strings very often, so they share memory
	case *time.Time:
		if cell != "" {
			*f, err = parseTime(cell)
		}
	case *unit.Opt[float64]:
		*f, err = parseValue(name, cell)
	}
	return err
}

// ReadRecords reads runs from CSV with the columns series, time, and metrics.
// Instead of the metrics, a file may have the column value for one metric. The
// other columns are optional. The time is RFC 3339 or Unix seconds. A bad line
// becomes a note, and reading continues. A file without the columns is an
// error. Messages refer to the input as file.
func ReadRecords(r io.Reader, file string, of Metric) (*Records, []note.Note, error) {
	records := &Records{}
	notes, err := records.read(r, file, of, records.Add)
	return records, notes, err
}

// read passes each record of a file to add.
func (r *Records) read(from io.Reader, file string, of Metric, add func(Record)) ([]note.Note, error) {
	known := append(columnsOfFile(), "value")
	in := table.NewReader(file, from, table.Format{Code: "track-file", What: "file of points", Columns: known,
		Required: known[:2]})
	if err := in.Header(); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty; expected a first line with the columns series,time,value", file)
	} else if err != nil {
		return nil, err
	}
	isMetric := func(name string) bool { return name != "" && Metric(name).index() >= 0 }
	measures := slices.ContainsFunc(in.Columns, isMetric)
	switch r.Alone = slices.Contains(in.Columns, "value"); {
	case r.Alone && measures:
		return nil, fmt.Errorf(
			"%s:1: the column value is next to columns of metrics; keep one or the other: the column value has the "+
				"metric that --metric names", file)
	case !r.Alone && !measures:
		return nil, fmt.Errorf("%s:1: the header has no column of a metric; expected one of %s", file,
			strings.Join(known[len(known)-1-len(columns):], ", "))
	}
	places := make([]int, len(in.Columns)) // index into known for each column; -1 if a column is not used
	for i, name := range in.Columns {
		places[i] = slices.Index(known, name)
	}
	var notes []note.Note
	for _, name := range in.Unknown {
		notes = append(notes,
			note.Warningf("unknown-column", note.Pos{File: file, Line: 1}, "known are "+strings.Join(known, ", "),
				"the column %q is not used", name))
	}
	var bad table.BadRows
	impossible, first := 0, note.Note{}
	for {
		s, err := in.Sheet(512)
		if err != nil {
			return nil, err
		}
		for i := range s.Records {
			record, column, err := readRecord(places, known, &s.Records[i], of)
			if err == nil && r.Alone && record.Event == "" && !record.Values[of.index()].Present() {
				column, err = "value", errors.New("the line has no value; leave runs without a value out")
			}
			if err != nil {
				bad.Add(s.Pos(i, column), "", "%v", err)
				continue
			}
			if m := record.Values.impossible(); m != "" {
				if impossible++; impossible == 1 {
					first = note.Warningf("impossible-value", s.Pos(i, string(m)),
						"percentages are from 0 to 100, and no time is below 0",
						"the %s %s is impossible; it is stored as it is", m, valueText(record.Of(m)))
				}
			}
			add(record)
		}
		if len(s.Records) == 0 {
			r.Bad = int(bad.Count)
			if impossible > 1 {
				first.Text += ", like values of " + unit.Plural(impossible-1, "more line")
			}
			if impossible > 0 {
				notes = append(notes, first)
			}
			return append(notes, bad.Notes()...), nil
		}
	}
}

// readRecord returns the record on a line. An error names the column.
func readRecord(places []int, known []string, line *table.Record, of Metric) (r Record, column string, err error) {
	r.Line = line.Line
	if line.Problem != "" {
		return r, "", errors.New(line.Problem)
	}
	fields := append(r.fields(), &r.Values[of.index()])
	for i, at := range places {
		if at < 0 {
			continue
		}
		if err := parse(known[at], line.Cells[i], fields[at]); err != nil {
			return r, known[at], err
		}
	}
	switch {
	case r.Event != "" && r.Event != eventRenamed && !r.isAccept():
		return r, "event", fmt.Errorf("the event %q is not known; expected %s, %s, %s, or none", r.Event, eventAccepted,
			eventNoise, eventRenamed)
	case r.Series == "" && !r.isAccept():
		return r, "series", errors.New("the line has no series")
	case r.Time.IsZero():
		return r, "time", errors.New("the line has no time")
	case r.Event != "" && r.RecordedAt.IsZero():
		return r, "recorded_at", errors.New("the line has no time in recorded_at")
	}
	return r, "", nil
}

// parseValue returns a number; an empty string is absent.
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

// mostPercent is the largest possible occupancy. Busy occupancy is a quotient of
// rounded values, so it can be above 100%.
const mostPercent = 110

// impossible returns a metric whose value no run can have, or "".
func (v *Values) impossible() Metric {
	for i, c := range columns {
		x := v[i].Or(0)
		if x >= 0 && x <= mostPercent { // nearly all values, so that their units are not looked up
			continue
		}
		if u := c.Unit(); u == "%" || u == "s" && x < 0 {
			return c.Metric
		}
	}
	return ""
}

// parseTime returns the time from RFC 3339 or Unix seconds.
func parseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC(), nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(s) < 1e11) {
		return time.Time{}, fmt.Errorf("the time %q cannot be read; "+
			"expected RFC 3339 as in 2026-03-01T12:00:00Z, or Unix seconds", text)
	}
	whole, part := math.Modf(s)
	// Round to microseconds, the precision at which a float stores today's Unix
	// seconds.
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC(), nil
}

// RecordWriter writes records as CSV that ReadRecords reads back.
type RecordWriter struct{ rows *table.CSV }

// NewRecordWriter returns a writer to w and writes the column names. Flush must
// be called at the end.
func NewRecordWriter(w io.Writer) *RecordWriter {
	rows := table.NewCSV(w)
	_ = rows.Write(columnsOfFile()) // Flush returns the error
	return &RecordWriter{rows}
}

// Write adds a record. It is a visitor for DB.Export.
func (w *RecordWriter) Write(r Record) error {
	var cells []string
	for _, f := range r.fields() {
		cells = append(cells, printed(f))
	}
	return w.rows.Write(cells)
}

// Flush writes the buffered records.
func (w *RecordWriter) Flush() error {
	w.rows.Flush()
	return w.rows.Error()
}

// Records contains kernel records to import, grouped by run, and the history's
// events.
type Records struct {
	Alone bool // the file had the column value instead of metrics
	Bad   int  // number of lines that cannot be used

	// IsDevice, if set, reports whether a string is a device's key. With it, a
	// run on several adapters of one device ("max1100 GPU 0", "max1100 GPU 1")
	// is stored as a run on that device.
	IsDevice func(key string) bool

	runs   []importedRun
	events []Record
	kernel int // number of kernels

	at   map[identity]int
	keys map[kernelText]*Key
}

// identity contains the fields that the lines of one run have in common. Device
// and driver distinguish runs only if the run has no name, because a named run
// may have several devices and drivers.
type identity struct {
	us                                  int64
	run, device, driver, label, program string
}

// kernelText is a line's kernel, as it was spelled.
type kernelText struct{ series, device, driver string }

// importedRun is a run without its rows, and the lines that become its rows
// when the run is stored.
type importedRun struct {
	Run
	lines []importedLine
}

type importedLine struct {
	key *Key // shared by all lines with this kernel
	Values
	verdict, cause string
	line           int
}

// Len returns the number of kernels in all runs.
func (r *Records) Len() int { return r.kernel }

// Add appends a kernel record, or an event.
func (r *Records) Add(p Record) {
	if p.Event != "" {
		r.events = append(r.events, p)
		return
	}
	if r.at == nil {
		r.at, r.keys = map[identity]int{}, map[kernelText]*Key{}
	}
	id := identity{us: p.Time.UnixMicro(), run: p.Run, label: p.Label, program: p.Program}
	if p.Run == "" {
		id.device, id.driver = p.Device, p.Driver
	}
	i, known := r.at[id]
	if !known {
		i, r.at[id] = len(r.runs), len(r.runs)
		r.runs = append(r.runs, importedRun{Run: Run{Time: time.UnixMicro(id.us).UTC(), Label: p.Label, JobID: p.Run,
			Program: p.Program, Branch: p.Branch, Commit: p.Commit, Host: p.Host, VTune: p.VTune,
			Frequency: p.Frequency}})
	}
	of := kernelText{p.Series, p.Device, p.Driver}
	k, known := r.keys[of]
	if !known {
		key := parseName(p.Series)
		key.Device, key.Driver = p.Device, p.Driver
		k, r.keys[of] = &key, &key
	}
	r.runs[i].lines = append(r.runs[i].lines, importedLine{k, p.Values, p.Verdict, p.Cause, p.Line})
	r.kernel++
}

// ordered returns the runs, oldest first. It returns an error if a run has a
// kernel twice.
func (r *Records) ordered() ([]importedRun, error) {
	seen := map[*Key]int{} // line number of each kernel in a run
	for i := range r.runs {
		clear(seen)
		for _, l := range r.runs[i].lines {
			if first, twice := seen[l.key]; twice {
				return nil, fmt.Errorf(
					"%w: lines %d and %d are the same series %q at the same time (%s); give them different names in the column `run`", errBadRun, first, l.line, l.key.Name(), r.runs[i].Time.Format(time.RFC3339))
			}
			seen[l.key] = l.line
		}
	}
	byTime := func(a, b importedRun) int { return a.Time.Compare(b.Time) }
	return slices.SortedStableFunc(slices.Values(r.runs), byTime), nil
}

// withRows returns the run with its rows. If all rows share a device or driver,
// the run gets it, too. If the rows are on several adapters of one device, the
// run gets that device.
func (r *Records) withRows(in *importedRun) Run {
	run := in.Run
	run.Rows = make([]Row, len(in.lines))
	for i, l := range in.lines {
		run.Rows[i] = Row{*l.key, l.Values, l.verdict, l.cause}
	}
	shared := func(of func(*Row) string) string { // the value that all rows share, otherwise ""
		first := of(&run.Rows[0])
		if slices.ContainsFunc(run.Rows, func(row Row) bool { return of(&row) != first }) {
			return ""
		}
		return first
	}
	run.Device, run.Driver = shared(func(row *Row) string { return row.Device }),
		shared(func(row *Row) string { return row.Driver })
	device := shared(func(row *Row) string { before, _, _ := strings.Cut(row.Device, " "); return before })
	if device != "" && r.IsDevice != nil && r.IsDevice(device) {
		run.Device = cmp.Or(run.Device, device)
	}
	return run
}
