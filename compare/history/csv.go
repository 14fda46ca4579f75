package history

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gocarina/gocsv"

	"occudiff/ingest/formula"
	"occudiff/ingest/note"
)

// csvRecord is a line of an import or export. All cells are texts here: gocsv would read an empty cell as 0 and "1,234"
// as 1.234 without a word, so numbers and times are read from the texts.
type csvRecord struct {
	Series cell   `csv:"series"`
	Time   string `csv:"time"`
	Value  string `csv:"value"`
	Run    cell   `csv:"run"`
	Device cell   `csv:"device"`
	Driver cell   `csv:"driver"`
	Label  cell   `csv:"label"`
	// Verdict is what validate said of the row; a value that is not the kernel's own is judged by nobody.
	Verdict cell `csv:"verdict"`
	// Added when reading: gocsv's own line numbers are wrong after blank lines and quoted newlines, and it reads ahead in
	// a goroutine of its own, so that what is wrong with a line has to come along with it.
	Line   int    `csv:"#line"`
	Fault  string `csv:"#fault"`
	Places places `csv:"#places"`
}

// csvColumns are the columns that are read; the first three must be there.
func csvColumns() []string {
	return []string{"series", "time", "value", "run", "device", "driver", "label", "verdict"}
}

// cell is a text that a spreadsheet must not run as a formula: an apostrophe stands before it in the file.
type cell string

// MarshalCSV implements gocsv.TypeMarshaller.
func (c cell) MarshalCSV() (string, error) { return formula.Guard(string(c)), nil }

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *cell) UnmarshalCSV(text string) error {
	*c = cell(formula.Unguard(text))
	return nil
}

// maxNotes bounds the notes of one file; more of the same help nobody.
const maxNotes = 100

// ReadRecords reads points from CSV with the columns series, time and value, and optionally run, device, driver,
// label and verdict. Time is RFC 3339 or Unix seconds. A bad line becomes a note and reading goes on; a file without the
// columns is an error. file names the input in messages.
func ReadRecords(r io.Reader, file string) (*Records, []note.Note, error) {
	d := &decoder{csv: csv.NewReader(r), file: file}
	d.csv.FieldsPerRecord = -1
	if err := d.header(); err != nil {
		return nil, nil, err
	}
	records := &Records{}
	err := gocsv.UnmarshalDecoderToCallback(d, func(line csvRecord) {
		record, column, fault := line.record()
		if fault != nil {
			d.note(line.place(d.columns, column), fault.Error())
			return
		}
		records.Add(record)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: reading stopped: %w", file, err)
	}
	if d.hidden > 0 {
		d.notes = append(d.notes, note.Note{Severity: note.Error, Code: "bad-row", Pos: note.Pos{File: file}, Text: fmt.Sprintf("%d more lines cannot be used", d.hidden)})
	}
	return records, d.notes, nil
}

// places are the line and column of each cell of a line, as texts on their way through gocsv: 4:1 4:12 4:33.
type places string

// place gives where the cell of a column begins; where the line does, for no column.
func (c *csvRecord) place(columns []string, column string) note.Pos {
	whole := note.Pos{Line: c.Line}
	list := strings.Fields(string(c.Places))
	i := slices.Index(columns, column)
	if i < 0 || i >= len(list) {
		return whole
	}
	line, at, _ := strings.Cut(list[i], ":")
	var err1, err2 error
	pos := note.Pos{}
	pos.Line, err1 = strconv.Atoi(line)
	pos.Column, err2 = strconv.Atoi(at)
	if err1 != nil || err2 != nil {
		return whole
	}
	return pos
}

// record reads the cells that are no texts. With an error it names the column that is at fault, or none.
func (c *csvRecord) record() (r Record, column string, err error) {
	r = Record{Series: string(c.Series), Run: string(c.Run), Device: string(c.Device), Driver: string(c.Driver), Label: string(c.Label),
		Verdict: string(c.Verdict), Line: c.Line}
	if c.Fault != "" {
		return r, "", errors.New(c.Fault)
	}
	if r.Series == "" {
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
		err = fmt.Errorf("the value %q is not a number; expected one like 62.7, without separators between thousands", text)
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
		return time.Time{}, fmt.Errorf("the time %q cannot be read; expected RFC 3339 as in 2026-03-01T12:00:00Z, or Unix seconds", text)
	}
	whole, part := math.Modf(s)
	// To the microsecond: that is what a float of today's seconds holds.
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC(), nil
}

// decoder feeds gocsv lines that fit the header, with their line numbers.
type decoder struct {
	csv     *csv.Reader
	file    string
	columns []string
	begun   bool
	notes   []note.Note
	hidden  int
}

// header checks the column names before gocsv sees them: it takes a missing column for one of zeros.
func (d *decoder) header() error {
	names, err := d.csv.Read()
	if err == io.EOF {
		return fmt.Errorf("%s is empty; expected a first line with the columns series,time,value", d.file)
	}
	if err != nil {
		return fmt.Errorf("%s: the first line cannot be read: %w; expected the columns series,time,value", d.file, err)
	}
	for i, name := range names {
		if i == 0 {
			name = strings.TrimPrefix(name, "\uFEFF")
		}
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !slices.Contains(csvColumns(), name):
			d.notes = append(d.notes, note.Note{Severity: note.Warning, Code: "unknown-column", Pos: note.Pos{File: d.file, Line: 1},
				Text: fmt.Sprintf("the column %q is not used", name), Hint: "known are " + strings.Join(csvColumns(), ", ")})
			name = fmt.Sprintf("#unused %d", i)
		case slices.Contains(d.columns, name):
			return fmt.Errorf("%s:1: the column %s is there twice; remove one", d.file, name)
		}
		d.columns = append(d.columns, name)
	}
	for _, must := range csvColumns()[:3] {
		if !slices.Contains(d.columns, must) {
			return fmt.Errorf("%s:1: there is no column %s; expected series,time,value and optionally run,device,driver,label,verdict", d.file, must)
		}
	}
	return nil
}

// GetCSVRow implements gocsv.SimpleDecoder.
func (d *decoder) GetCSVRow() ([]string, error) {
	if !d.begun {
		d.begun = true
		return append(slices.Clone(d.columns), "#line", "#fault", "#places"), nil
	}
	row, err := d.csv.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return d.faulty(bad.StartLine, "the line is no CSV: "+bad.Err.Error()), nil
	case err != nil:
		return nil, err
	}
	line, _ := d.csv.FieldPos(0)
	if len(row) != len(d.columns) {
		return d.faulty(line, fmt.Sprintf("the line has %d cells, the header %d", len(row), len(d.columns))), nil
	}
	return append(row, strconv.Itoa(line), "", d.places(len(row))), nil
}

// faulty stands for a line that cannot be used.
func (d *decoder) faulty(line int, fault string) []string {
	return append(make([]string, len(d.columns)), strconv.Itoa(line), fault, "")
}

// places prints where the cells of the line that was read last begin.
func (d *decoder) places(cells int) string {
	text := make([]byte, 0, 8*cells)
	for i := range cells {
		line, column := d.csv.FieldPos(i)
		text = strconv.AppendInt(text, int64(line), 10)
		text = append(text, ':')
		text = strconv.AppendInt(text, int64(column), 10)
		text = append(text, ' ')
	}
	return string(text)
}

// GetCSVRows implements gocsv.SimpleDecoder; streaming does not use it.
func (d *decoder) GetCSVRows() ([][]string, error) {
	return nil, errors.New("not supported")
}

// note keeps what is wrong with a line.
func (d *decoder) note(at note.Pos, text string) {
	if len(d.notes) >= maxNotes {
		d.hidden++
		return
	}
	at.File = d.file
	d.notes = append(d.notes, note.Note{Severity: note.Error, Code: "bad-row", Pos: at, Text: text})
}

// RecordWriter writes points as CSV that ReadRecords reads back.
type RecordWriter struct {
	csv   *csv.Writer
	batch []csvExport
	begun bool
}

// csvExport is csvRecord without the line.
type csvExport struct {
	Series cell   `csv:"series"`
	Time   string `csv:"time"`
	Value  string `csv:"value"`
	Run    cell   `csv:"run"`
	Device cell   `csv:"device"`
	Driver cell   `csv:"driver"`
	Label  cell   `csv:"label"`

	Verdict cell `csv:"verdict"`
}

// NewRecordWriter writes to w. Flush must be called at the end.
func NewRecordWriter(w io.Writer) *RecordWriter { return &RecordWriter{csv: csv.NewWriter(w)} }

// Write adds a point. It fits the visitor of DB.Export.
func (w *RecordWriter) Write(r Record) error {
	w.batch = append(w.batch, csvExport{cell(r.Series), r.Time.UTC().Format(time.RFC3339Nano), strconv.FormatFloat(r.Value, 'g', -1, 64),
		cell(r.Run), cell(r.Device), cell(r.Driver), cell(r.Label), cell(r.Verdict)})
	if len(w.batch) < 512 {
		return nil
	}
	return w.Flush()
}

// Flush writes what is left, and the column names also when there is no point at all.
func (w *RecordWriter) Flush() error {
	marshal := gocsv.MarshalCSVWithoutHeaders
	if !w.begun {
		marshal, w.begun = gocsv.MarshalCSV, true
	}
	err := marshal(&w.batch, w.csv)
	w.batch = w.batch[:0]
	w.csv.Flush()
	return errors.Join(err, w.csv.Error())
}
