package history

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

func TestReadRecords(t *testing.T) {
	text := "\uFEFFSeries, time ,value,weather,driver\n" +
		"Fan2,2026-03-01T12:00:00Z,62.7,sun,24.1\n" +
		"\n" +
		"\"two\nlines\",1772366400.25,-1e-3,,\n" +
		"'=1+1,2026-03-01T13:00:00+01:00,1,,\n" +
		"no value,2026-03-01T12:00:00Z,,,\n" +
		"thousands,2026-03-01T12:00:00Z,\"1,234\",,\n" +
		"nan,2026-03-01T12:00:00Z,NaN,,\n" +
		"yesterday,yesterday,5,,\n" +
		",2026-03-01T12:00:00Z,5,,\n" +
		"short,2026-03-01T12:00:00Z\n" +
		"quo\"te,2026-03-01T12:00:00Z,5,,\n" +
		"last,0,0,,\n" +
		"too much,0,140,,\n"
	got, notes, err := readAll(text, Measured)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := []Record{
		{Series: "Fan2", Time: at, Values: values(Measured, 62.7), Driver: "24.1", Line: 2},
		{Series: "two\nlines", Time: at.Add(250 * time.Millisecond), Values: values(Measured, -0.001), Line: 4},
		{Series: "=1+1", Time: at, Values: values(Measured, 1), Line: 6},
		{Series: "last", Time: time.Unix(0, 0).UTC(), Values: values(Measured, 0), Line: 14},
		{Series: "too much", Time: time.Unix(0, 0).UTC(), Values: values(Measured, 140), Line: 15},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ReadRecords = %+v\nwant         %+v", got, want)
	}
	var texts []string
	for _, n := range notes {
		texts = append(texts, n.String())
	}
	wantNotes := []string{
		`h.csv:1: warning: the column "weather" is not used; known are series, time, value, run, device, driver, label, verdict`,
		"h.csv:4: warning: the measured -0.001 is impossible; it is stored as it is, like values of 1 more line",
		"h.csv:7:31: error: the line has no value; leave runs without a value out",
		`h.csv:8:32: error: the value "1,234" is not a number; expected one like 62.7, without separators between thousands`,
		`h.csv:9:26: error: the value "NaN" is not a measurement; leave it out`,
		`h.csv:10:11: error: the time "yesterday" cannot be read; expected RFC 3339 as in 2026-03-01T12:00:00Z, or Unix seconds`,
		"h.csv:11:1: error: the line has no series",
		"h.csv:12: error: the row has 2 cells, but the header has 5",
		`h.csv:13: error: the cell quo"te has a quote inside: quote the whole cell and double the quotes in it`,
	}
	if len(texts) != len(wantNotes) {
		t.Fatalf("notes %q, want %q", texts, wantNotes)
	}
	for i := range texts {
		// Package note decides how message and hint are joined, so only the
		// beginning is compared.
		if head, _, _ := strings.Cut(wantNotes[i], "; known"); !strings.HasPrefix(texts[i], head) {
			t.Errorf("note %q, want %q", texts[i], wantNotes[i])
		}
	}
}

func TestReadRecordsErrors(t *testing.T) {
	const expected = "expected the columns " +
		"series,time,run,device,driver,label,verdict,cause,program,branch,commit,host,vtune,event,note,recorded_at,frequency,measured,residual,busy,seconds,underfilled,idle,shortfall,peak,spill,total,difference,value, of which only series, time are required"
	cases := []struct{ text, want string }{
		{"", "h.csv is empty; expected a first line with the columns series,time,value"},
		{"time,value\n", "h.csv:1: the header has no series (" + expected + ")"},
		{"series,time,run\n", "h.csv:1: the header has no column of a metric; expected one of measured, residual, " +
			"busy, seconds, underfilled, idle, shortfall, peak, spill, total, difference, value"},
		{"series,time,value,seconds\n", "h.csv:1: the column value is next to columns of metrics; keep one or the " +
			"other: the column value has the metric that --metric names"},
		{"series,time,value,Time\n", `h.csv:1: the column "time" occurs twice (keep one of them)`},
		{"a\"b\n", `h.csv:1: the header cannot be read: the cell a"b has a quote inside: quote the whole cell and double the quotes in it (` + expected + ")"},
	}
	for _, c := range cases {
		if _, _, err := ReadRecords(strings.NewReader(c.text), "h.csv", Measured); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
	_, notes, err := ReadRecords(strings.NewReader("series,time,value\n"+strings.Repeat("x,y,z\n", 500)), "h.csv", Measured)
	if err != nil || len(notes) != table.MaxShown+1 || notes[table.MaxShown].Text != "480 more bad rows, the last in line 501" {
		t.Errorf("500 bad lines: %d notes, %v", len(notes), err)
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	var want []Record
	for i, name := range []string{"plain", "=1+1", "'=1", "'quoted", "-x", "@x", "+", "a,\"b\"\nc", "Fan2 [16 / 4, SIMD32]"} {
		want = append(want, Record{Series: name, Time: start.Add(time.Duration(i) * time.Microsecond), Values: values(Measured, 1/float64(i+3)), Run: "=r", Device: "d", Driver: name, Label: "l", Verdict: name, Line: 2})
	}
	for i := range 600 { // more rows than one batch
		want = append(want, Record{Series: fmt.Sprint("s", i), Time: start, Values: values(Measured, float64(i)/8)})
	}
	var b strings.Builder
	w := NewRecordWriter(&b)
	for _, r := range want {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got, notes, err := readAll(b.String(), Measured)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	for i := range got {
		got[i].Line, want[i].Line = 0, 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v\nwant %+v", got[:12], want[:12])
	}
	b.Reset()
	if err := NewRecordWriter(&b).Flush(); err != nil || b.String() != "series,time,run,device,driver,label,verdict,cause,program,branch,commit,host,vtune,event,note,recorded_at,frequency,measured,residual,busy,seconds,underfilled,idle,shortfall,peak,spill,total,difference\n" {
		t.Errorf("no points are written as %q, %v; want the column names", b.String(), err)
	}
}

// readAll returns the records of a file, in the order of the file.
func readAll(text string, of Metric) (list []Record, notes []note.Note, err error) {
	notes, err = new(Records).read(strings.NewReader(text), "h.csv", of, func(r Record) { list = append(list, r) })
	return list, notes, err
}

// pack groups records into runs.
func pack(list []Record) *Records {
	r := &Records{}
	for _, record := range list {
		r.Add(record)
	}
	return r
}

// TestImpossibleValues checks which values cause a warning.
func TestImpossibleValues(t *testing.T) {
	for _, c := range []struct {
		why  string
		m    Metric
		x    float64
		want Metric
	}{
		{"a quotient of rounded values", Busy, 100.4, ""},
		{"too much", Measured, 140, Measured},
		{"below zero", Peak, -0.1, Peak},
		{"a time below zero", Seconds, -1, Seconds},
		{"a long time", Total, 5000, ""},
		{"a residual", Residual, -60, ""},
		{"a large spill", Spill, 4096, ""},
	} {
		if v := values(c.m, c.x); v.impossible() != c.want {
			t.Errorf("%s: %q, want %q", c.why, v.impossible(), c.want)
		}
	}
}

// FuzzReadRecords checks that no input causes a panic, and that every record
// has a series, a time, and a number.
func FuzzReadRecords(f *testing.F) {
	f.Add("series,time,value\nFan2,2026-03-01T12:00:00Z,62.7\n")
	f.Add("time,series,value,run\n0,\"a\nb\",1e300,'=x\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		records, _, err := readAll(text, Seconds)
		if err != nil {
			return
		}
		for _, r := range records {
			if r.Series == "" || r.Time.IsZero() || r.Line < 2 {
				t.Errorf("%+v of %q", r, text)
			}
		}
	})
}

// FuzzRecordsRoundTrip writes records with arbitrary strings and checks that
// the same records are read back. Strings are arbitrary because a kernel name
// contains whatever a compiler or a profiler wrote.
func FuzzRecordsRoundTrip(f *testing.F) {
	for _, s := range []string{"plain", "=1+1", "'=1", "a,\"b\"\nc", "a\n::error::x", "esc\x1b[31m", "a\u2028b", "a\u0085b", "a\r\nb\r", "\r\n",
		"\ufeffx", "x\x00\xff", "##vso[x", " blank ", "\"", "\r", "a\rb"} {
		f.Add(s, s, 1.5)
	}
	f.Fuzz(func(t *testing.T, name, driver string, value float64) {
		if name == "" || strings.Count(name+driver, "\n") > 60 || len(name)+len(driver) > 100<<10 ||
			math.IsNaN(value) || math.IsInf(value, 0) {
			t.Skip("refused")
		}
		// A residual has no range, so that no value is a warning.
		want := Record{Series: name, Driver: driver, Time: start, Values: values(Residual, value)}
		var b strings.Builder
		w := NewRecordWriter(&b)
		for range 2 {
			if err := errors.Join(w.Write(want), w.Flush()); err != nil {
				t.Fatal(err)
			}
		}
		got, notes, err := readAll(b.String(), Measured)
		if err != nil || len(notes) > 0 || len(got) != 2 {
			t.Fatalf("%q: %d records, %v, %v", b.String(), len(got), notes, err)
		}
		for i := range got {
			if got[i].Line = 0; !reflect.DeepEqual(got[i], want) {
				t.Errorf("%q is read back as %+v", name, got[i])
			}
		}
	})
}
