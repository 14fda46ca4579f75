package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/ingest/unit"
)

// named returns run i with one kernel per name. The kernels measure 50, 51, ...
func named(i int, names ...string) Run {
	run := sample(i, len(names))
	for k := range run.Rows {
		run.Rows[k].Task = names[k]
		run.Rows[k].Set(Measured, unit.Some(float64(50+k)))
	}
	return run
}

// lines returns the series with their points, sorted by name.
func lines(t *testing.T, d *DB) string {
	t.Helper()
	var list []string
	p, err := d.Panel(bg, 0, 0, Measured)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Kernels {
		text := p.Kernels[i].Key.Task + ":"
		for _, p := range p.Kernels[i].Points(Measured) {
			text += fmt.Sprintf(" %d=%v", p.Run, p.Value)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// TestChangedNames checks that a kernel's series continues under a changed name
// if the match is unambiguous.
func TestChangedNames(t *testing.T) {
	l := func(n int) string { return fmt.Sprintf("main::{lambda(int)#%d}", n) }
	for _, c := range []struct {
		reason string
		runs   [][]string
		want   string
		moved  int
	}{
		{"a lambda was added before it", [][]string{{"a", l(1)}, {"a", l(2)}}, "a: 1=50 2=50; " + l(2) + ": 1=51 2=51", 1},
		{"a lambda was removed again", [][]string{{l(1)}, {l(2)}, {l(1)}}, l(1) + ": 1=50 2=50 3=50", 2},
		{"either of two lambdas may have been renamed", [][]string{{l(1), l(2)}, {l(2), l(3)}}, l(1) + ": 1=50; " + l(2) + ": 1=51 2=50; " + l(3) + ": 2=51", 0},
		{"of two that are gone neither", [][]string{{l(1), l(2)}, {l(3)}}, l(1) + ": 1=50; " + l(2) + ": 1=51; " + l(3) + ": 2=50", 0},
		{"the renamed lambda is the one with later runs", [][]string{{l(1), l(2)}, {l(2)}, {l(3)}}, l(1) + ": 1=50; " + l(3) + ": 1=51 2=50 3=50", 1},
		{"one hash changed, the others are there", [][]string{{"k_0123abcd", "k_4567abcd"}, {"k_0123abcd", "k_89ababcd"}},
			"k_0123abcd: 1=50 2=50; k_89ababcd: 1=51 2=51", 1},
		{"two changed", [][]string{{"k_0123abcd", "k_4567abcd"}, {"k_0000abcd", "k_89ababcd"}},
			"k_0000abcd: 2=50; k_0123abcd: 1=50; k_4567abcd: 1=51; k_89ababcd: 2=51", 0},
		{"a name in which nothing moves", [][]string{{"k1"}, {"k2"}}, "k1: 1=50; k2: 2=50", 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				d := open(t, dsn)
				moved := 0
				for i, names := range c.runs {
					added, err := d.Add(bg, named(i, names...))
					if err != nil {
						t.Fatal(err)
					}
					moved += len(added.Moved)
				}
				list, err := d.Renames(bg)
				if got := lines(t, d); err != nil || got != c.want || moved != c.moved || len(list) != c.moved {
					t.Errorf("%s, %d moved, %v, %v\nwant %s, %d", got, moved, list, err, c.want, c.moved)
				}
				whole(t, d)
				if err := d.verify(bg); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestImportAfterChangedName checks an export that was made before a name
// changed. Importing it into the same history recognizes all records.
func TestImportAfterChangedName(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, named(0, "main::{lambda(int)#1}", "b"))
		records := &Records{}
		if err := d.Export(bg, func(r Record) error { records.Add(r); return nil }); err != nil {
			t.Fatal(err)
		}
		add(t, d, named(1, "main::{lambda(int)#2}", "b"))
		done, err := d.Import(bg, records)
		if err != nil || done.KnownRuns != 1 || done.Kernels != 0 {
			t.Errorf("Import = %+v, %v; want one known run", done, err)
		}
		whole(t, d)
	})
}

func TestRename(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, named(0, "old", "other"))
		add(t, d, named(1, "new", "other"))
		if err := d.Rename(bg, "old", "new", start); err != nil {
			t.Fatal(err)
		}
		add(t, d, named(2, "old")) // run of an earlier commit
		if got, want := lines(t, d), "new: 1=50 2=50 3=50; other: 1=51 2=51"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		// The new kernel is renamed again: the oldest name now leads to the
		// newest.
		if err := d.Rename(bg, "new", "newest", start.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		add(t, d, named(3, "old"))
		add(t, d, named(4, "new"))
		if got, want := lines(t, d), "newest: 1=50 2=50 3=50 4=50 5=50; other: 1=51 2=51"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		// Rename it back.
		if err := d.Rename(bg, "newest", "old", start.Add(2*time.Hour)); err != nil {
			t.Fatal(err)
		}
		add(t, d, named(5, "old"))
		want := []Rename{{"new", "old", 0, start.Add(time.Hour)}, {"newest", "old", 0, start.Add(2 * time.Hour)}}
		list, err := d.Renames(bg)
		if got := lines(t, d); got != "old: 1=50 2=50 3=50 4=50 5=50 6=50; other: 1=51 2=51" || err != nil || !slices.Equal(list, want) {
			t.Errorf("%s, %v, %v; want the names %v", got, list, err, want)
		}
		// A run with both names has two kernels, even if their launch sizes
		// differ.
		other := named(6, "old", "shaped")
		other.Rows[1].Local = unit.Size(64)
		shaped := add(t, d, other)
		for _, c := range []struct{ old, name, want string }{
			{"old", "other", `both kernels are in one run: run 1 of ` + d.Where() + ` has "old" and "other", so they are two kernels; nothing was changed`},
			{"old", "shaped", `both kernels are in one run: run 7 of ` + d.Where() + ` has "old" and "shaped", so they are two kernels; nothing was changed`},
			{"nosuch", "a", `no such kernel: ` + d.Where() + ` has no "nosuch"; it has "old", "other", "shaped"`},
			{"OTHER", "a", `no such kernel: ` + d.Where() + ` has no "OTHER"; it has "other"`},
			{"old [2048x2048 / 1024x1, SIMD32]", "a", `no such kernel: ` + d.Where() + ` has no "old [2048x2048 / 1024x1, SIMD32]"; give it without its launch size: "old"`},
			{"old", "old", `no such kernel: "old" cannot be renamed to "old"; give another name`},
			{"old", "", `no such kernel: "old" cannot be renamed to ""; give another name`},
		} {
			if err := d.Rename(bg, c.old, c.name, start); err == nil || err.Error() != c.want {
				t.Errorf("%q to %q: %v\nwant %s", c.old, c.name, err, c.want)
			}
		}
		if err := d.Remove(bg, shaped); err != nil {
			t.Fatal(err)
		}
		id := add(t, d, named(6, "old", "newest"))
		if got := lines(t, d); !strings.Contains(got, fmt.Sprintf("newest: %d=51; old: 1=50 2=50 3=50 4=50 5=50 6=50 %d=50;", id, id)) {
			t.Errorf("a run with a kernel of the former name next to it: %s", got)
		}
		whole(t, d)
		if err := d.verify(bg); err != nil {
			t.Error(err)
		}
	})
}

func TestAccept(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		first := add(t, d, named(0, "a", "b"))
		other := named(1, "a", "b")
		other.Device = "mtl-112"
		add(t, d, other)
		second := add(t, d, named(2, "a"))
		now := start.Add(time.Hour)
		if list, err := d.Accept(bg, Accept{Run: second, Note: "wanted", Time: now}, nil); err != nil || len(list) != 1 {
			t.Fatalf("Accept = %+v, %v", list, err)
		}
		is := func(name string) func(Key) bool { return func(k Key) bool { return k.Task == name } }
		if _, err := d.Accept(bg, Accept{Run: second, Note: "it is gone", Time: now}, is("b")); err != nil {
			t.Fatal(err)
		}
		covered := func() string {
			list, err := d.Accepts(bg)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			keys, err := d.readKeys(bg, d.source(), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range list {
				var names []string
				for id, k := range keys {
					if a.Covers(id, k) {
						names = append(names, k.Task+" on "+k.Device)
					}
				}
				slices.Sort(names)
				texts = append(texts, fmt.Sprintf("run %d %q %v: %s", a.Run, a.Note, a.Time.Equal(now), strings.Join(names, ", ")))
			}
			return strings.Join(texts, "; ")
		}
		if got, want := covered(), `run 3 "wanted" true: a on Max 1100, b on Max 1100; run 3 "it is gone" true: b on Max 1100`; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if err := d.Rename(bg, "b", "c", now); err != nil {
			t.Fatal(err)
		}
		list, err := d.Accepts(bg)
		if err != nil || len(list) != 2 || list[1].Key.Task != "c" {
			t.Fatalf("after renaming: %+v, %v", list, err)
		}
		if err := d.Withdraw(bg, list[:1]); err != nil {
			t.Fatal(err)
		}
		if got, want := covered(), `run 3 "it is gone" true: c on Max 1100`; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		// Removing a run removes its accepted levels.
		if err := d.Remove(bg, second); err != nil || covered() != "" {
			t.Errorf("after removing: %q, %v", covered(), err)
		}
		if _, err := d.Accept(bg, Accept{Run: second, Time: now}, nil); !errors.Is(err, errNoRun) {
			t.Errorf("a run that is gone: %v", err)
		}
		want := `no such kernel: none of its names matches on the device of run 1 of ` + d.Where() + `; it has "a", "c"`
		if _, err := d.Accept(bg, Accept{Run: first, Time: now}, is("nosuch")); err == nil || err.Error() != want {
			t.Errorf("a kernel that is not there: %v\nwant %s", err, want)
		}
	})
}

// TestEventsAreExported checks that accepted runs, renames, and branches are
// exported with the points, and are imported once.
func TestEventsAreExported(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, named(0, "a", "b"))
		topic := named(1, "a", "b")
		topic.Branch = "topic"
		id := add(t, d, topic)
		if err := d.Rename(bg, "b", "c", start); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Accept(bg, Accept{Run: id, Note: "all", Time: start}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Accept(bg, Accept{Run: id, Note: "one", Time: start}, func(k Key) bool { return k.Task == "c" }); err != nil {
			t.Fatal(err)
		}
		export := func(d *DB) string {
			var b strings.Builder
			w := NewRecordWriter(&b)
			if err := errors.Join(d.Export(bg, w.Write), w.Flush()); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		text := export(d)
		other := open(t, t.TempDir()+"/other.db")
		for i, want := range []int{3, 0} {
			records, notes, err := ReadRecords(strings.NewReader(text), "h.csv", Measured)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			for _, to := range []*DB{other, d} {
				if to == d {
					want = 0 // the history already has the events
				}
				if done, err := to.Import(bg, records); err != nil || done.Events != want {
					t.Errorf("import %d: %+v, %v; want %d events", i, done, err, want)
				}
			}
		}
		again := export(other)
		sorted := func(text string) string { // series are in the order in which they were first stored
			return strings.Join(slices.Sorted(strings.SplitSeq(text, "\n")), "\n")
		}
		if lines := strings.Count(text, ",accept,") + strings.Count(text, ",rename,"); lines != 3 || sorted(again) != sorted(text) {
			t.Errorf("%d events came out:\n%s\nand from the copy\n%s", lines, text, again)
		}
		add(t, other, named(2, "b"))
		if got := lines(t, other); !strings.Contains(got, "c: ") || strings.Contains(got, "b: ") {
			t.Errorf("the copy does not know the new name: %s", got)
		}
	})
}
