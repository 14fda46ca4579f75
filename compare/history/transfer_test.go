package history

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"occudiff/ingest/unit"
)

// mixed returns a history with every kind of run that must survive an export:
// runs with and without a job, several runs with one job and time, a run whose
// number is the job of another run, several adapters in one run, a row with
// another driver, a row without a measurement, and verdicts.
func mixed() []Run {
	runs := []Run{sample(0, 3), sample(1, 3), sample(2, 2), sample(3, 2), sample(4, 1), sample(5, 2)}
	runs[0].JobID = ""
	runs[1].Rows[0].Verdict, runs[1].Rows[1].Verdict = "unmeasurable", ""
	runs[1].Rows[2].Set(Measured, unit.Opt[float64]{})
	for i := range 2 {
		runs[2].Rows[i].Device = fmt.Sprintf("Max GPU %d", i)
		runs[2].Rows[i].Task = "the same kernel"
	}
	runs[2].Device = "Max"
	runs[3].Rows[1].Driver = "25.0"
	for i := range runs[3:] {
		runs[3+i].Time, runs[3+i].Label = runs[3].Time, "one moment"
	}
	runs[3].JobID, runs[5].JobID = "5", "" // the job of one run is the number of a run without a job
	runs[4].JobID = "5"
	return runs
}

func isMax(key string) bool { return key == "Max" || key == "Max 1100" }

// carry exports the runs of one history to a file and imports the file into
// another history.
func carry(t *testing.T, from, to *DB) (Imported, error) {
	t.Helper()
	records, notes, err := ReadRecords(strings.NewReader(exported(t, from)), "h.csv", Measured)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	records.IsDevice = isMax
	return to.Import(bg, records)
}

func exported(t *testing.T, d *DB) string {
	t.Helper()
	var b strings.Builder
	w := NewRecordWriter(&b)
	if err := errors.Join(d.Export(bg, w.Write), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// contentOf returns the tables that an import may change, without row numbers.
func contentOf(t *testing.T, d *DB) string {
	t.Helper()
	whole(t, d)
	runs, err := d.List(bg)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range runs {
		run, err := d.Get(bg, runs[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%+v\n", run)
	}
	return b.String() + fmt.Sprint(count(t, d, "occudiff_content"), count(t, d, "occudiff_series"))
}

// TestImportIntoItself checks that an import recognizes all exported runs as
// stored, no matter where they came from.
func TestImportIntoItself(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		for _, run := range mixed() {
			add(t, d, run)
		}
		before := contentOf(t, d)
		if done, err := carry(t, d, d); err != nil || done != (Imported{KnownRuns: 6}) {
			t.Errorf("Import = %+v, %v; want six known runs", done, err)
		}
		if after := contentOf(t, d); after != before {
			t.Errorf("the history became\n%s\nand was\n%s", after, before)
		}
	})
}

// TestExportWithoutProgram checks that a run without a program remains one run,
// even if a program adopted the series of only one of its kernels.
func TestExportWithoutProgram(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, sample(0, 2))
		named := sample(1, 1)
		named.Program = "p"
		add(t, d, named)
		if done, err := carry(t, d, d); err != nil || done != (Imported{KnownRuns: 2}) {
			t.Errorf("Import = %+v, %v; want two known runs", done, err)
		}
	})
}

// TestCopy copies a history into an empty history on each engine.
func TestCopy(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		from, to := open(t, t.TempDir()+"/from.db"), open(t, dsn)
		for _, run := range mixed() {
			add(t, from, run)
		}
		if done, err := carry(t, from, to); err != nil || done != (Imported{Runs: 6, Kernels: 13}) {
			t.Errorf("Import = %+v, %v; want six runs", done, err)
		}
		before := contentOf(t, to)
		if got, want := exported(t, to), exported(t, from); sortedLines(got) != sortedLines(want) {
			t.Errorf("the copy exports\n%s\nwant\n%s", got, want)
		}
		if done, err := carry(t, from, to); err != nil || done != (Imported{KnownRuns: 6}) {
			t.Errorf("again: Import = %+v, %v; want six known runs", done, err)
		}
		if after := contentOf(t, to); after != before {
			t.Errorf("the same again changed the copy from\n%s\nto\n%s", before, after)
		}
		checkCopy(t, from, to)
	})
}

// checkCopy compares the runs of a copy with the runs of the original, and
// empties the copy.
func checkCopy(t *testing.T, from, to *DB) {
	t.Helper()
	wanted, err := from.List(bg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := to.List(bg)
	if err != nil || len(got) != len(wanted) {
		t.Fatalf("the copy has %d runs, %v; want %d", len(got), err, len(wanted))
	}
	names := func(runs []Run) (list []string) {
		all := runNames(runs)
		for _, r := range runs {
			list = append(list, fmt.Sprintf("%s %s %q on %q, %q: %d", r.Time.Format(time.RFC3339Nano), all[r.ID], r.Label, r.Device, r.Driver, r.Kernels))
		}
		slices.Sort(list)
		return list
	}
	// If a run has two drivers, the drivers are stored only in its rows.
	want := names(wanted)
	want[3] = strings.Replace(want[3], `"24.1"`, `""`, 1)
	if g := names(got); !slices.Equal(g, want) {
		t.Errorf("the copy has the runs\n%s\nwant\n%s", strings.Join(g, "\n"), strings.Join(want, "\n"))
	}
	for _, r := range got {
		run, err := to.Get(bg, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range run.Rows {
			if wantVerdict := verdictOf(r.Label, row.Task); row.Verdict != wantVerdict {
				t.Errorf("run %q, %q: verdict %q, want %q", r.Label, row.Task, row.Verdict, wantVerdict)
			}
		}
		if err := to.Remove(bg, r.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func verdictOf(label, task string) string {
	switch {
	case label == "run 1" && strings.HasPrefix(task, "kernel<0"):
		return "unmeasurable"
	case label == "run 1" && strings.HasPrefix(task, "kernel<1"):
		return ""
	}
	return "below"
}

func sortedLines(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestRunNames(t *testing.T) {
	at := func(id int64, job, label string, hours int) Run {
		return Run{ID: id, JobID: job, Label: label, Time: start.Add(time.Duration(hours) * time.Hour)}
	}
	runs := []Run{at(1, "77", "", 0), at(2, "", "", 0), at(3, "77", "", 0), at(4, "77", "b", 0), at(5, "2", "", 0), at(6, "77#8", "", 0),
		at(8, "77", "", 0), at(7, "77", "", 1)}
	want := map[int64]string{
		1: "77", 2: "2", // a job, and the number of a run without a job
		3: "77#3",        // the second run with the same job and time
		4: "77", 7: "77", // a run with another label, and a run with another time
		5: "2#5",               // a job that is the number of another run
		6: "77#8", 8: "77#8#8", // a job that is the generated name of another run
	}
	if got := runNames(runs); !reflect.DeepEqual(got, want) {
		t.Errorf("runNames = %v\nwant       %v", got, want)
	}
	// Runs keep their names when runs are added.
	for n := range runs {
		for id, name := range runNames(runs[:n]) {
			if n != 6 && name != want[id] {
				t.Errorf("of the first %d runs, run %d is called %s, later %s", n, id, name, want[id])
			}
		}
	}
}

// TestImport checks which lines form one run, and which provenance the run
// gets.
func TestImport(t *testing.T) {
	k := func(task, device string, value float64) Record {
		return Record{Series: task, Time: start, Values: values(Measured, value), Run: "r", Device: device, Driver: "1", Line: 2}
	}
	unnamed := func(r Record) Record { r.Run = ""; return r }
	cases := []struct {
		reason string
		steps  [][]Record
		want   string // expected runs, with their rows
	}{
		{"several metrics", [][]Record{{func() Record { r := k("a", "A", 60); r.Set(Seconds, unit.Some(0.5)); return r }(), k("b", "A", 70)}},
			"r A/1 a:A:60:0.5: b:A:70:<nil>:"},
		{"unnamed runs are distinguished by device", [][]Record{{unnamed(k("a", "A", 60)), unnamed(k("a", "B", 70))}},
			" A/1 a:A:60:<nil>:;  B/1 a:B:70:<nil>:"},
		{"adapters are a run of their device", [][]Record{{k("a", "Max GPU 1", 60), k("a", "Max GPU 0", 70)}},
			"r Max/1 a:Max GPU 1:60:<nil>: a:Max GPU 0:70:<nil>:"},
		{"adapters without a known device", [][]Record{{k("a", "GPU 1", 60), k("a", "GPU 0", 70)}}, "r /1 a:GPU 1:60:<nil>: a:GPU 0:70:<nil>:"},
		{"a row without a device does not get its neighbors' device", [][]Record{{k("a", "Max", 60), k("a", "", 70)}},
			"r /1 a:Max:60:<nil>: a::70:<nil>:"},
		{"a spreadsheet kept 15 digits", [][]Record{{k("a", "A", 66.66666666666667)}, {k("a", "A", 66.6666666666667)}},
			"r A/1 a:A:66.66666666666667:<nil>:"},
		{"a kernel without any value is one all the same", [][]Record{{k("a", "A", 60), {Series: "b", Time: start, Run: "r", Device: "A", Driver: "1"}}},
			"r A/1 a:A:60:<nil>: b:A:<nil>:<nil>:"},
		{"another label, another time are other runs", [][]Record{{k("a", "A", 60)}, {func() Record { r := k("a", "A", 61); r.Label = "x"; return r }(),
			func() Record { r := k("a", "A", 62); r.Time = start.Add(time.Microsecond); return r }()}},
			"r A/1 a:A:60:<nil>:; r A/1 a:A:61:<nil>:; r A/1 a:A:62:<nil>:"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				d := open(t, dsn)
				for _, again := range []bool{false, true} {
					for i, s := range c.steps {
						records := pack(s)
						records.IsDevice = isMax
						if done, err := d.Import(bg, records); err != nil || again && done.Runs > 0 {
							t.Errorf("step %d (again: %v): Import = %+v, %v", i+1, again, done, err)
						}
					}
					if got := shortly(t, d); got != c.want {
						t.Errorf("the history holds %s\nwant              %s", got, c.want)
					}
				}
				whole(t, d)
			})
		})
	}
}

// shortly describes the runs of a history in a short list.
func shortly(t *testing.T, d *DB) string {
	t.Helper()
	list, err := d.List(bg)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range list {
		run, err := d.Get(bg, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s %s/%s", run.JobID, run.Device, run.Driver)
		for _, row := range run.Rows {
			text += fmt.Sprintf(" %s:%s:%v:%v:%s", row.Task, row.Device, orNil(row.Of(Measured)), orNil(row.Of(Seconds)), row.Verdict)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// TestImportContradicts checks that an import of whole runs never changes a
// stored run, and returns an error if the imported run differs.
func TestImportContradicts(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		named := Record{Series: "a [16 / 4]", Time: start, Values: values(Measured, 60), Run: "r", Device: "A", Verdict: "match", Cause: "tail", Line: 2}
		second := Record{Series: "b", Time: start, Values: values(Measured, 61), Run: "r", Device: "A", Line: 3}
		unnamed := Record{Series: "a [16 / 4]", Time: start, Values: values(Measured, 62.5), Device: "A", Line: 4}
		if _, err := d.Import(bg, pack([]Record{named, second, unnamed})); err != nil {
			t.Fatal(err)
		}
		before := contentOf(t, d)
		const why = "; an import contains whole runs: give a different run a different name in the column `run`; to correct a run, remove it first with 'occudiff track remove "
		cases := []struct {
			reason string
			change func(a, b *Record) []Record
			want   string
		}{
			{"a value of a named run", func(a, b *Record) []Record { a.Values = values(Measured, 61); return []Record{*a, *b} },
				`line 2 has measured 61 for "a [16 / 4]" at 2026-03-01T12:00:00Z, but run 1 of the history has 60` + why + "1'"},
			{"an additional value", func(a, b *Record) []Record { a.Set(Seconds, unit.Some(0.5)); return []Record{*a, *b} },
				`line 2 has seconds 0.5 for "a [16 / 4]" at 2026-03-01T12:00:00Z, but run 1 of the history has none` + why + "1'"},
			{"another metric", func(a, b *Record) []Record { a.Values = values(Seconds, 0.5); return []Record{*a, *b} },
				`line 2 has measured none for "a [16 / 4]" at 2026-03-01T12:00:00Z, but run 1 of the history has 60` + why + "1'"},
			{"a verdict", func(a, b *Record) []Record { a.Verdict = "unmeasurable"; return []Record{*a, *b} },
				`line 2 has verdict "unmeasurable" for "a [16 / 4]" at 2026-03-01T12:00:00Z, but run 1 of the history has "match"` + why + "1'"},
			{"a cause", func(a, b *Record) []Record { a.Cause = ""; return []Record{*a, *b} },
				`line 2 has cause "" for "a [16 / 4]" at 2026-03-01T12:00:00Z, but run 1 of the history has "tail"` + why + "1'"},
			{"an additional kernel", func(a, b *Record) []Record { c := *b; c.Series, c.Line = "c", 9; return []Record{*a, *b, c} },
				`line 9 has "c" at 2026-03-01T12:00:00Z, but run 1 of the history has no such kernel` + why + "1'"},
			{"a kernel less", func(a, _ *Record) []Record { return []Record{*a} },
				"run 1 of the history has \"b\", but the file does not have it at 2026-03-01T12:00:00Z; an import contains whole runs: give a different run a different name in the column `run`"},
			{"an unnamed run", func(_, _ *Record) []Record { r := unnamed; r.Values = values(Measured, 61); return []Record{r} },
				`line 4 has measured 61 for "a [16 / 4]" at 2026-03-01T12:00:00Z, but run 2 of the history has 62.5` + why + "2'"},
		}
		for _, c := range cases {
			a, b := named, second
			_, err := d.Import(bg, pack(c.change(&a, &b)))
			if !errors.Is(err, errBadRun) || err.Error() != "after 0 of 1 runs: the run cannot be stored: "+c.want {
				t.Errorf("%s: %v\nwant %s", c.reason, err, c.want)
			}
			if after := contentOf(t, d); after != before {
				t.Errorf("%s: the history became\n%s\nand was\n%s", c.reason, after, before)
			}
		}
		// With its own name, the imported run is a separate run.
		named.Run, named.Values = "other", values(Measured, 61)
		if done, err := d.Import(bg, pack([]Record{named})); err != nil || done.Runs != 1 {
			t.Errorf("with another name: %+v, %v; want a run of its own", done, err)
		}
	})
}

// TestImportStopped interrupts an import at every step. No run may be stored in
// part, and the next import must complete the rest.
func TestImportStopped(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		runs := pack([]Record{{Series: "a", Time: start, Values: values(Measured, 60), Run: "r"}, {Series: "b", Time: start, Values: values(Seconds, 0.25), Run: "r"}})
		for n := 0; ; n++ {
			ctx, cancel := context.WithCancel(bg)
			left, ended := n, false
			d.options.step = func(name string) {
				ended = ended || name == "before commit"
				if left--; left == -1 && !ended {
					cancel()
				}
			}
			done, err := d.Import(ctx, runs)
			d.options.step = nil
			cancel()
			if err == nil {
				if n < 4 || done != (Imported{Runs: 1, Kernels: 2}) {
					t.Errorf("stopped at %d steps, then %+v; want each statement, then a run", n, done)
				}
				break
			}
			if after := shortly(t, d); !errors.Is(err, context.Canceled) || after != "" {
				t.Fatalf("stopped at step %d: %v, the history holds %s, want nothing", n, err, after)
			}
			whole(t, d)
		}
		if got, want := shortly(t, d), "r / a::60:<nil>: b::<nil>:0.25:"; got != want {
			t.Errorf("the history holds %s, want %s", got, want)
		}
		whole(t, d)
	})
}

// TestImportsAtOnce imports a history several times at once, and checks that
// each run is stored once.
func TestImportsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		const runs = 50
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				var records []Record
				for i := range runs {
					records = append(records, Record{Series: "a", Time: start.Add(time.Duration(i) * time.Hour), Values: values(Measured, 1), Run: "r"})
				}
				if _, err := d.Import(bg, pack(records)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if n := count(t, d, "occudiff_run"); n != runs {
			t.Errorf("%d runs are stored, want %d", n, runs)
		}
		whole(t, d)
	})
}

// TestImportUnnamed imports points for two unnamed runs with the same time.
// Each point belongs to the run that has it.
func TestImportUnnamed(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		var points []Record
		for i := range 2 {
			run := sample(i, 1)
			run.Time, run.Label, run.JobID = start, "", ""
			add(t, d, run)
			points = append(points, Record{Series: run.Rows[0].Name(), Time: start, Values: run.Rows[0].Values, Device: "Max 1100", Driver: "24.1", Verdict: "below", Cause: "dispatch", Line: 2})
		}
		before := contentOf(t, d)
		for i, p := range points {
			if done, err := d.Import(bg, pack([]Record{p})); err != nil || done != (Imported{KnownRuns: 1}) {
				t.Errorf("the point of run %d: Import = %+v, %v; want a known run", i+1, done, err)
			}
		}
		points[0].Values.Set(Measured, unit.Some(50.0))
		if _, err := d.Import(bg, pack(points[:1])); err == nil || !strings.Contains(err.Error(), ", but run 1 of the history has 60; ") {
			t.Errorf("a point of neither: %v; want an error that names the first", err)
		}
		if after := contentOf(t, d); after != before {
			t.Errorf("the history became\n%s\nand was\n%s", after, before)
		}
	})
}

// TestImportTogether checks that one import with many runs stores the same rows
// as separate imports for each time. In the records, programs are named late,
// so that series get their program within a transaction, and verdicts and
// devices come and go.
func TestImportTogether(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		r := rand.New(rand.NewPCG(5, 6))
		pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
		var all Records
		var each []*Records
		for i := range 2*importBatch + 20 {
			one, added := &Records{}, []Record{}
			for _, name := range []string{"x", "y"}[:1+r.IntN(2)] {
				program := ""
				if i > importBatch/2 {
					program = pick("", "", "p", "q")
				}
				for k := range 1 + r.IntN(6) {
					record := Record{Series: fmt.Sprintf("k%d [256 / 64, SIMD%d]", k*r.IntN(3)+k, 8<<r.IntN(2)), Time: start.Add(time.Duration(i) * time.Hour), Run: name,
						Values: values(Measured, float64(r.IntN(1000))/10), Device: pick("d", "d", "e"), Driver: pick("1", "1", "2"), Verdict: pick("", "match"), Program: program, Line: k}
					taken := false
					for _, o := range added {
						taken = taken || o.Series == record.Series && o.Run == record.Run && o.Device == record.Device && o.Driver == record.Driver
					}
					if !taken {
						added = append(added, record)
						one.Add(record)
						all.Add(record)
					}
				}
			}
			each = append(each, one)
		}
		together := open(t, dsn)
		done, err := together.Import(bg, &all)
		if err != nil || done.Kernels != all.Len() {
			t.Fatal(done, err)
		}
		var apart *DB
		if !together.engine.server {
			apart = open(t, filepath.Join(t.TempDir(), "apart.db"))
		} else {
			apart = open(t, server.Fresh(t))
		}
		for _, one := range each {
			if _, err := apart.Import(bg, one); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := contentOf(t, together), contentOf(t, apart); a != b {
			t.Errorf("together\n%s\napart\n%s", a, b)
		}
		if a, b := seriesList(t, together), seriesList(t, apart); a != b {
			t.Errorf("together\n%s\napart\n%s", a, b)
		}
		if done, err := together.Import(bg, &all); err != nil || done.Runs != 0 {
			t.Errorf("again: %+v, %v", done, err)
		}
	})
}
