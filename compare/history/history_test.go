package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/ingest/unit"
)

var bg = context.Background()

// add stores a run and returns its number. It fails the test unless the run is
// new.
func add(t testing.TB, d *DB, run Run) int64 {
	t.Helper()
	added, err := d.Add(bg, run)
	if err != nil || !added.Stored {
		t.Fatalf("Add = %+v, %v; want it stored", added, err)
	}
	return added.ID
}

func TestRoundTrip(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		want := sample(0, 3)
		// Absent values must be read back as absent, and zero as zero.
		want.Rows[1] = Row{Key: Key{Task: "copy", Direction: "host-to-device", Device: "Other", Driver: "1.0"}, Values: values(Measured, 0), Verdict: "not a kernel"}
		id := add(t, d, want)
		got, err := d.Get(bg, id)
		if err != nil {
			t.Fatal(err)
		}
		want.ID, want.Kernels, want.Inputs[0].Contains = id, 3, false
		for i := range want.Rows {
			if want.Rows[i].Device == "" {
				want.Rows[i].Device, want.Rows[i].Driver = "Max 1100", "24.1"
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Get = %+v\nwant  %+v", got, want)
		}
		list, err := d.List(bg)
		want.Rows = nil
		if err != nil || !reflect.DeepEqual(list, []Run{want}) {
			t.Errorf("List = %+v, %v\nwant   %+v", list, err, []Run{want})
		}
		whole(t, d)
	})
}

// TestSameRunTwice checks that a run is identified by its content and all of
// its provenance.
func TestSameRunTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		given := func(change func(run *Run)) Run {
			run := sample(0, 5)
			run.Inputs[0].Content, run.TimeGiven = "rows:0", true
			change(&run)
			return run
		}
		same := given(func(*Run) {})
		first := add(t, d, same)
		size := func() string {
			return fmt.Sprint(count(t, d, "occudiff_run"), count(t, d, "occudiff_kernel"), count(t, d, "occudiff_input"), count(t, d, "occudiff_content"), count(t, d, "occudiff_series"))
		}
		before := size()
		cases := []struct {
			reason string
			change func(run *Run)
			want   string // result of adding the changed run
		}{
			{"the very same", func(*Run) {}, "is whole"},
			{"without the summary, which carries no rows", func(run *Run) { run.Inputs = run.Inputs[:1] }, "is whole"},
			{"the file has another name and is compressed", func(run *Run) { run.Inputs[0].Path, run.Inputs[0].Digest = "a.gz", "sha256:1" }, "is whole"},
			{"other rows from the same bytes", func(run *Run) { run.Inputs[0].Content = "rows:1" }, "is new"},
			{"a run from two files, one stored before", func(run *Run) {
				run.Inputs = append(run.Inputs, Input{Path: "b.csv", Digest: "sha256:b", Contains: true})
			}, "is a part"},
			{"a commit was reverted", func(run *Run) { run.Commit = "def456" }, "is new"},
			{"the same on a branch", func(run *Run) { run.Branch = "topic" }, "is new"},
			{"on another device", func(run *Run) { run.Device = "mtl-112" }, "is new"},
			{"with another driver", func(run *Run) { run.Driver = "24.2" }, "is new"},
			{"with another version of VTune", func(run *Run) { run.VTune = "2026.0" }, "is new"},
			{"on another host", func(run *Run) { run.Host = "node8" }, "is new"},
			{"in another job", func(run *Run) { run.JobID = "1235" }, "is new"},
			{"with another label", func(run *Run) { run.Label = "again" }, "is new"},
			{"of another program", func(run *Run) { run.Program = "gemm" }, "is new"},
			{"at another time, which was given", func(run *Run) { run.Time = start.Add(time.Hour) }, "is new"},
			{"without the time that was given before", func(run *Run) { run.TimeGiven = false }, "is new"},
		}
		for _, c := range cases {
			run := given(c.change)
			got, err := d.Add(bg, run)
			text := "is new"
			switch {
			case err != nil:
				t.Fatal(err)
			case got.Stored:
				again, err := d.Add(bg, run)
				if err != nil || again.Stored || again.ID != got.ID {
					t.Errorf("%s: added again it is %+v, %v; want run %d", c.reason, again, err, got.ID)
				}
				if err := d.Remove(bg, got.ID); err != nil {
					t.Fatal(err)
				}
			case got.ID != first || len(got.Known) != 1:
				t.Errorf("%s: Add = %+v, want run %d", c.reason, got, first)
			case got.Whole:
				text = "is whole"
			default:
				text = "is a part"
			}
			if text != c.want {
				t.Errorf("%s: it %s, want that it %s", c.reason, text, c.want)
			}
			if after := size(); after[:6] != before[:6] {
				t.Errorf("%s: the tables grew from %s to %s", c.reason, before, after)
			}
		}
		// A file's date is not part of the provenance: a copy has another date.
		undated := given(func(run *Run) { run.TimeGiven = false })
		id := add(t, d, undated)
		undated.Time = start.Add(time.Hour)
		if got, err := d.Add(bg, undated); err != nil || got.ID != id || !got.Whole {
			t.Errorf("a copy of the file: Add = %+v, %v; want run %d", got, err, id)
		}
		// A summary that is added with every run does not identify a run:
		// another export with the same summary is a new run.
		second := add(t, d, sample(1, 5))
		// Removing a run frees its content, and its number is not used again.
		if err := d.Remove(bg, second); err != nil {
			t.Fatal(err)
		}
		if third := add(t, d, sample(1, 5)); third <= second {
			t.Errorf("run %d was removed, the next is %d; want a new number", second, third)
		}
		whole(t, d)
	})
}

func TestRemove(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		a := add(t, d, sample(0, 4))
		add(t, d, sample(1, 4))
		if err := d.Remove(bg, a); err != nil {
			t.Fatal(err)
		}
		whole(t, d)
		if n := count(t, d, "occudiff_kernel"); n != 4 {
			t.Errorf("%d rows are left, want 4", n)
		}
		want := fmt.Sprintf("no such run: %s has no run %d; 'occudiff track list' shows the runs", d.Where(), a)
		for _, err := range []error{d.Remove(bg, a), func() error { _, err := d.Get(bg, a); return err }()} {
			if !errors.Is(err, errNoRun) || err.Error() != want {
				t.Errorf("a run that is gone: %v, want %s", err, want)
			}
		}
	})
}

// TestHostileTexts checks strings that one of the engines would reject or cut.
func TestHostileTexts(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		run := sample(0, 4)
		run.Rows[0].Task = "nul\x00 and \xff\xfe"
		run.Rows[1].Task = strings.Repeat("very long template<", 20000) // longer than any index entry
		run.Rows[2].Task = `'; DROP TABLE occudiff_run; -- $1 ? %s`
		run.Rows[3].Task = "=1+1"
		run.Label = "a\x00b"
		got, err := d.Get(bg, add(t, d, run))
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows[0].Task != "nul\uFFFD and \uFFFD" || got.Label != "a\uFFFDb" {
			t.Errorf("bytes that are no text became %q and %q", got.Rows[0].Task, got.Label)
		}
		for i := 1; i < 4; i++ {
			if got.Rows[i].Task != run.Rows[i].Task {
				t.Errorf("task %d came back changed", i)
			}
		}
		// If the same bytes are added again, they belong to the same series.
		run.Inputs = []Input{{Digest: "other"}}
		run.Time = run.Time.Add(time.Hour)
		add(t, d, run)
		if n := count(t, d, "occudiff_series"); n != 4 {
			t.Errorf("there are %d series, want 4", n)
		}
	})
}

func TestBadRuns(t *testing.T) {
	d := open(t, t.TempDir()+"/history.db")
	change := func(f func(*Run)) Run { r := sample(0, 3); f(&r); return r }
	cases := []struct {
		run  Run
		want string
	}{
		{change(func(r *Run) { r.Time = time.Time{} }), "it has no time, so it has no place in a history; give the time of the collection"},
		{change(func(r *Run) { r.Time = time.Date(20260, 1, 1, 0, 0, 0, 0, time.UTC) }), "its time is in the year 20260; give the time of the collection"},
		{change(func(r *Run) { r.Rows = nil }), "it has no kernel; add an export with computing tasks"},
		{change(func(r *Run) { r.Rows[2] = r.Rows[0]; r.Rows[0].Device = "Max 1100" }),
			"its rows 1 and 3 are the same kernel (kernel<0, \"ä\n\"> [2048x2048 / 1024x1, SIMD32]); merge the launches of a kernel first"},
		{change(func(r *Run) { r.Rows[1].Set(Busy, unit.Some(math.NaN())) }), "row 2 (kernel<1, \"ä\n\"> [2048x2048 / 1024x1, SIMD32]): busy is NaN; leave it absent"},
	}
	for _, c := range cases {
		_, err := d.Add(bg, c.run)
		if !errors.Is(err, errBadRun) || err.Error() != "the run cannot be stored: "+c.want {
			t.Errorf("Add says %v\nwant %s", err, c.want)
		}
	}
	if n := count(t, d, "occudiff_run"); n != 0 {
		t.Errorf("%d runs were stored", n)
	}
}

func TestNames(t *testing.T) {
	cases := []struct {
		key  Key
		want string
	}{
		{Key{Task: "Fan2", Global: unit.Size(2048, 2048), Local: unit.Size(1024, 1), SIMD: 32}, "Fan2 [2048x2048 / 1024x1, SIMD32]"},
		{Key{Task: "Fan1", Global: unit.Size(16)}, "Fan1 [16]"},
		{Key{Task: "k", SIMD: 16}, "k [SIMD16]"},
		{Key{Task: "k", Local: unit.Size(16), SIMD: 8}, "k [ / 16, SIMD8]"},
		{Key{Task: "copy", Direction: "host-to-device"}, "copy [host-to-device]"},
		{Key{Task: "copy", SIMD: 8, Direction: "device-to-host"}, "copy [SIMD8, device-to-host]"},
		{Key{Task: "plain"}, "plain"},
		{Key{Task: "a [b] c"}, "a [b] c"},
		{Key{Task: "m[3]"}, "m[3]"},
		{Key{Task: "two\nlines [x]", Global: unit.Size(1, 2, 3)}, "two\nlines [x] [1x2x3]"},
	}
	for _, c := range cases {
		if got := c.key.Name(); got != c.want {
			t.Errorf("Name = %q, want %q", got, c.want)
		}
		if got := parseName(c.want); got != c.key {
			t.Errorf("parseName(%q) = %+v, want %+v", c.want, got, c.key)
		}
	}
}

// FuzzParseName checks that a parsed key prints the same string that was
// parsed.
func FuzzParseName(f *testing.F) {
	f.Add("Fan2 [2048x2048 / 1024x1, SIMD32]")
	f.Add("a [0x1]")
	f.Fuzz(func(t *testing.T, name string) {
		if got := parseName(name).Name(); got != name {
			t.Errorf("%q became %q", name, got)
		}
	})
}

func TestMetrics(t *testing.T) {
	units := map[Metric]string{Measured: "%", Busy: "%", Residual: "points", Seconds: "s", Underfilled: "points", IdleXVEs: "points", Shortfall: "points", Peak: "%", Spill: "bytes"}
	d := open(t, t.TempDir()+"/history.db")
	for i, m := range Metrics() {
		if got, err := ParseMetric(string(m)); err != nil || got != m || m.Unit() != units[m] {
			t.Errorf("ParseMetric(%s) = %s, %v, unit %q; want itself and %q", m, got, err, m.Unit(), units[m])
		}
		// An imported metric is exported as the same metric, to the last digit.
		if _, err := d.Import(bg, pack([]Record{{Series: "k", Time: start.Add(time.Duration(i) * time.Hour), Values: values(m, 62.7)}})); err != nil {
			t.Fatal(err)
		}
		var values []float64
		if p, err := d.Panel(bg, 0, 0, m); err != nil || len(p.Kernels) != 1 || func() bool { values = append(values, p.Kernels[0].Points(m)[0].Value); return false }() || !slices.Equal(values, []float64{62.7}) {
			t.Errorf("%s: %v, %v; want 62.7", m, values, err)
		}
	}
	const want = `metric "speed" is not known; use measured, residual, busy, seconds, underfilled, idle, shortfall, peak or spill`
	for _, name := range []string{"speed", "total"} { // the second metric is stored, but not tracked
		if _, err := ParseMetric(name); err == nil || err.Error() != strings.Replace(want, "speed", name, 1) {
			t.Errorf("an unknown metric: %v, want %s", err, want)
		}
	}
}

func TestImportExport(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		var records []Record
		for i := range 3 {
			for _, name := range []string{"Fan2 [16 / 4, SIMD32]", "free text"} {
				records = append(records, Record{Series: name, Time: start.AddDate(0, 0, -i), Values: values(Measured, 62.7-float64(i)), Run: fmt.Sprintf("r%d", i),
					Device: "Arc", Driver: "1", Label: "nightly", Line: len(records) + 2})
			}
		}
		done, err := d.Import(bg, pack(records))
		if err != nil || done != (Imported{Runs: 3, Kernels: 6}) {
			t.Fatalf("Import = %+v, %v; want 3 runs with 6 points", done, err)
		}
		if done, err = d.Import(bg, pack(records)); err != nil || done != (Imported{KnownRuns: 3}) {
			t.Errorf("Import again = %+v, %v; want 3 known runs and nothing new", done, err)
		}
		whole(t, d)
		var out []Record
		if err := d.Export(bg, func(r Record) error { out = append(out, r); return nil }); err != nil {
			t.Fatal(err)
		}
		byPlace := func(a, b Record) int { return strings.Compare(a.Series+a.Run, b.Series+b.Run) }
		for i := range records {
			records[i].Line = 0
		}
		slices.SortFunc(records, byPlace)
		slices.SortFunc(out, byPlace)
		if !reflect.DeepEqual(out, records) {
			t.Errorf("Export = %+v\nwant     %+v", out, records)
		}
		records = append(records, records[0])
		records[0].Line, records[len(records)-1].Line = 2, 8
		want := `the run cannot be stored: lines 2 and 8 are the same series "Fan2 [16 / 4, SIMD32]" at the same time (2026-03-01T12:00:00Z); give them different names in the column ` + "`run`"
		if _, err := d.Import(bg, pack(records)); err == nil || err.Error() != want {
			t.Errorf("Import of a point twice: %v\nwant %s", err, want)
		}
	})
}
