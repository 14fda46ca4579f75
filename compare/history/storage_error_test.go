package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestNotAHistory(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	foreign := filepath.Join(dir, "foreign.db")
	cut, empty := filepath.Join(dir, "cut.db"), filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte("kernel,time\nFan2,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", foreign)
	if err == nil {
		_, err = db.Exec("CREATE TABLE bookmarks (url TEXT)")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, []byte("SQLite"), 0o666); err != nil {
		t.Fatal(err)
	}
	logged := filepath.Join(dir, "logged.db")
	if err := os.WriteFile(logged, []byte("SQLite format 3\x00\x10\x00\x02\x02"), 0o666); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		reason, path string
		options      Options
		kind         error
		want         string
	}{
		{"a text", text, Options{}, errNotHistory, "not a history: " + text + ` is not an SQLite database (it begins with "kernel,time\nFan2"), nothing was changed; name another file with --db`},
		{"the first bytes only", cut, Options{}, errNotHistory, "not a history: " + cut + ` is not an SQLite database (it begins with "SQLite"), nothing was changed; name another file with --db`},
		{"one with a log, which opening puts into the file", logged, Options{}, errNotHistory, "not a history: " + logged + " is a database with a write-ahead log, which no history has; name another file with --db"},
		{"another program's database", foreign, Options{}, errNotHistory, "not a history: " + foreign + " is a database of another program: it has tables, but none of occudiff's; name another file with --db"},
		{"a folder", dir, Options{}, errNotHistory, "not a history: " + dir + " is not a file; name a file or a postgres:// URL with --db"},
		{"an empty file for a reader", empty, Options{MustExist: true}, errMissing,
			"there is no such history: " + empty + " has no occudiff tables; create them with 'occudiff track add', or name another history with --db"},
		{"a mistyped name", filepath.Join(dir, "none.db"), Options{MustExist: true}, errMissing,
			"there is no such history: " + filepath.Join(dir, "none.db") + " does not exist; 'occudiff track add' makes it, --db names another one"},
		{"a missing folder", filepath.Join(dir, "no", "none.db"), Options{}, errMissing, "there is no such history: the folder of " + filepath.Join(dir, "no", "none.db") + " cannot be used"},
		{"no name", "", Options{}, errMissing, "there is no such history: the name is empty; name a file or a postgres:// URL with --db"},
	}
	for _, c := range cases {
		before := snapshot(t, dir)
		_, err := Open(bg, c.path, c.options)
		if !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.reason, err, c.want)
		}
		if after := snapshot(t, dir); after != before {
			t.Errorf("%s: the folder changed from %s to %s", c.reason, before, after)
		}
	}
}

// snapshot returns the names and contents of the files in a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		fmt.Fprintf(&b, "%s %q\n", e.Name(), data)
	}
	return b.String()
}

// TestFileNames checks file names that contain characters with a special
// meaning in a URI.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain.db", "a b.db", "what?.db", "50%.db", "c#.db", "ä&=.db", "%41.db"} {
		d := open(t, filepath.Join(dir, name))
		add(t, d, sample(0, 1))
		d.Close()
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 7 {
		t.Errorf("the folder holds %v, want the seven files", entries)
	}
}

// TestOtherSchema checks that readers and writers reject a history from an
// older or newer program with an explanation, and do not change it.
func TestOtherSchema(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, sample(0, 3))
		for _, number := range []int{1, 5, schema + 1} {
			if _, err := d.sql.Exec(fmt.Sprintf("UPDATE occudiff_meta SET value = %d", number)); err != nil {
				t.Fatal(err)
			}
			file := !d.engine.server
			before := ""
			if file {
				d.Close()
				before = snapshot(t, filepath.Dir(dsn))
			}
			for _, o := range []Options{{}, {MustExist: true}, {ReadOnly: true, Verify: true}} {
				_, err := Open(bg, dsn, o)
				want := fmt.Sprintf("the history has another schema: %s has schema %d, but this program uses schema "+
					"%d; nothing was changed: export the runs with the occudiff version that made the history "+
					"('occudiff track export runs.csv'), and import them with this version ('occudiff track import "+
					"runs.csv --db NEW'); or name another history with --db", d.Where(), number, schema)
				if !errors.Is(err, errOther) || err.Error() != want {
					t.Errorf("%+v: %v\nwant %s", o, err, want)
				}
				if file && snapshot(t, filepath.Dir(dsn)) != before {
					t.Errorf("schema %d, %+v: the folder was changed", number, o)
				}
			}
			if file {
				raw, err := sql.Open("sqlite", dsn)
				if err != nil {
					t.Fatal(err)
				}
				d = &DB{sql: raw, engine: d.engine}
				t.Cleanup(func() { raw.Close() })
			}
		}
	})
}

// TestReadersNeverWrite checks that reading a history does not change its
// folder.
func TestReadersNeverWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	d := open(t, path)
	for i := range 3 {
		add(t, d, sample(i, 5))
	}
	d.Close()
	before := snapshot(t, filepath.Dir(path))
	r, err := Open(bg, path, Options{ReadOnly: true, Verify: true, Base: []string{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := r.List(bg)
	if err != nil || len(runs) != 3 {
		t.Errorf("%d runs, %v; want 3", len(runs), err)
	}
	if err := r.Export(bg, func(Record) error { return nil }); err != nil {
		t.Error(err)
	}
	for name, write := range map[string]func() error{
		"Add":    func() error { _, err := r.Add(bg, sample(9, 1)); return err },
		"Accept": func() error { _, err := r.Accept(bg, Accept{Run: 1, Time: start}, nil); return err },
		"Rename": func() error { return r.Rename(bg, "a", "b", start) },
		"Remove": func() error { return r.Remove(bg, 1) },
	} {
		if err := write(); !errors.Is(err, errReadOnly) {
			t.Errorf("%s: %v, want an error of a reader", name, err)
		}
	}
	if snapshot(t, filepath.Dir(path)) != before {
		t.Error("reading left something next to the history while it was open")
	}
	r.Close()
	if snapshot(t, filepath.Dir(path)) != before {
		t.Error("reading changed the history")
	}
}

// unfinished returns the path of a history with one run and the rollback
// journal of an interrupted writer.
func unfinished(t *testing.T) (hot string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	d := open(t, path)
	add(t, d, sample(0, 50))
	d.Close()
	raw := spill(t, path)
	defer raw.Close()
	hot = filepath.Join(t.TempDir(), "hot.db")
	for _, end := range []string{"", journal} {
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(hot+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return hot
}

// spill starts to write to a history. It writes more data than the cache can
// hold, so that changed pages and their journal are on the disk.
func spill(t *testing.T, path string) *sql.DB {
	t.Helper()
	raw, err := sql.Open("sqlite", path+"?_pragma=cache_size(1)")
	if err != nil {
		t.Fatal(err)
	}
	raw.SetMaxOpenConns(1)
	if _, err := raw.Exec("BEGIN IMMEDIATE; UPDATE occudiff_kernel SET cause = cause || '" + strings.Repeat("x", 5000) + "'"); err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestUnfinished checks that an interrupted writer's rollback journal is undone
// in a copy, so that the reader changes no byte.
func TestUnfinished(t *testing.T) {
	hot := unfinished(t)
	before := snapshot(t, filepath.Dir(hot))
	r, err := Open(bg, hot, Options{ReadOnly: true, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := r.List(bg); err != nil || len(runs) != 1 || r.Where() != hot {
		t.Errorf("%s: %d runs, %v; want the one that was stored", r.Where(), len(runs), err)
	}
	if err := r.Export(bg, func(k Record) error {
		if strings.Contains(k.Cause, "xxx") {
			t.Error("the reader sees what was never committed")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	copied := r.folder
	r.Close()
	if _, err := os.Stat(copied); err == nil || copied == "" {
		t.Errorf("the copy %q is left behind", copied)
	}
	if snapshot(t, filepath.Dir(hot)) != before {
		t.Error("the reader changed it")
	}
	whole(t, open(t, hot))
}

// TestUnfinishedMoves copies an unfinished history while a writer undoes the
// unfinished work. The copy must not be used, no matter what the writer does
// next, because the history itself is complete by then.
func TestUnfinishedMoves(t *testing.T) {
	for _, c := range []struct {
		reason string
		next   func(t *testing.T, hot string)
	}{
		{"the journal is gone", func(*testing.T, string) {}},
		{"another run is stored", func(t *testing.T, hot string) { add(t, open(t, hot), sample(1, 50)) }},
		{"the writer has a journal of its own for a while", func(t *testing.T, hot string) {
			raw := spill(t, hot)
			time.AfterFunc(50*time.Millisecond, func() { raw.Close() }) // readers wait until the writer is closed
		}},
		{"that writer is interrupted, too", func(t *testing.T, hot string) {
			raw := spill(t, hot)
			var kept [2][]byte
			for i, end := range []string{"", journal} {
				data, err := os.ReadFile(hot + end)
				if err != nil {
					t.Fatal(err)
				}
				kept[i] = data
			}
			raw.Close()
			for i, end := range []string{"", journal} {
				if err := os.WriteFile(hot+end, kept[i], 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			hot := unfinished(t)
			steps := 0
			r, err := Open(bg, hot, Options{ReadOnly: true, Verify: true, step: func(name string) {
				if steps++; name != "copied the journal" || steps > 1 {
					return
				}
				w := open(t, hot) // opening undoes the unfinished work
				if _, err := w.sql.Exec("BEGIN IMMEDIATE; COMMIT"); err != nil {
					t.Fatal(err)
				}
				w.Close()
				c.next(t, hot)
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if steps == 0 {
				t.Fatal("nothing was copied")
			}
			if err := r.Export(bg, func(k Record) error {
				if strings.Contains(k.Cause, "xxx") {
					t.Error("the reader sees what was never committed")
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOpenedAtOnce checks that many processes can create the same history at
// once.
func TestOpenedAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				d, err := Open(bg, dsn, Options{})
				if err != nil {
					t.Error(err)
					return
				}
				d.Close()
			})
		}
		group.Wait()
		add(t, open(t, dsn), sample(0, 1))
	})
}

// TestDamaged checks files that begin like a database but are damaged after the
// beginning.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	d := open(t, path)
	add(t, d, sample(0, 400))
	d.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		reason string
		spoil  func(b []byte) []byte
		kinds  []error
	}{
		{"the head page is noise", func(b []byte) []byte { copy(b[16:4096], strings.Repeat("noise", 1000)); return b }, []error{errNotHistory, errDamaged}},
		{"cut in the middle", func(b []byte) []byte { return b[:len(b)/2] }, []error{errDamaged}},
		{"pages of zeros", func(b []byte) []byte { clear(b[8192:]); return b }, []error{errDamaged}},
	}
	for _, c := range cases {
		bad := c.spoil(append([]byte{}, good...))
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Open(bg, path, Options{})
		if err == nil {
			_, err = d.Add(bg, sample(1, 400))
			d.Close()
		}
		known := false
		for _, kind := range c.kinds {
			known = known || errors.Is(err, kind)
		}
		if !known || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "nothing was changed; ") {
			t.Errorf("%s: %v; want a clear error of a damaged file", c.reason, err)
		}
		t.Logf("%s: %v", c.reason, err)
		os.Remove(path + "-journal")
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	add(t, open(t, path), sample(0, 2))
	holder, err := sql.Open("sqlite", path)
	if err == nil {
		defer holder.Close()
		holder.SetMaxOpenConns(1)
		_, err = holder.Exec("BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(bg, path, Options{Wait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_, err = d.Add(bg, sample(1, 2))
	want := "adding a run to " + path + ": the history is locked, nothing was changed; another process is writing: wait for it, or end it, and try again"
	if !errors.Is(err, errLocked) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Add = %v\nwant %s", err, want)
	}
	if list, err := d.List(bg); err != nil || len(list) != 1 {
		t.Errorf("readers need no lock, but List = %d runs, %v", len(list), err)
	}
	// A canceled context ends the wait immediately.
	patient, err := Open(bg, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	ctx, cancel := context.WithTimeout(bg, 50*time.Millisecond)
	defer cancel()
	if _, err = patient.Add(ctx, sample(1, 2)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Add with a deadline = %v", err)
	}
	if _, err := holder.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	add(t, d, sample(1, 2))
}

func TestDroppedConnection(t *testing.T) {
	dsn := server.Fresh(t)
	d := open(t, dsn)
	add(t, d, sample(0, 600))
	for n := range 6 {
		left := n
		d.options.step = func(string) {
			if left--; left == -1 {
				server.Run(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname LIKE 'test%'")
			}
		}
		_, err := d.Add(bg, sample(1, 600))
		d.options.step = nil
		want := "adding a run to " + d.Where() + ": the connection to the history failed, unfinished work is undone; " +
			"check that the server runs, and try again: a run is never stored twice ("
		if !errors.Is(err, errConnection) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("cut at step %d: %v\nwant %s", n, err, want)
		}
		whole(t, d)
		if count(t, d, "occudiff_run") != 1 {
			t.Fatalf("cut at step %d: the run was stored", n)
		}
	}
	add(t, d, sample(1, 600))
}

func TestNoServer(t *testing.T) {
	server.Fresh(t)
	cases := []struct {
		reason, dsn string
		kind        error
		want        string
	}{
		{"no server is listening; the password is not shown", "postgres://me:secret@127.0.0.1:1/occupancy?connect_timeout=2", errConnection, "opening the history postgres://me@127.0.0.1:1/occupancy: "},
		{"no such database", server.URL("nowhere"), errConnection, "opening the history " + server.URL("nowhere") +
			": the connection to the history failed, nothing was changed; the server rejects the connection: check " +
			"the user, the password, and the name of the database ("},
		{"an invalid URL", "postgres://host:port/x", errConnection, "the connection to the history failed: the postgres:// URL cannot be used; expected postgres://user@host:port/database; special characters of a password are written as in %40"},
	}
	for _, c := range cases {
		_, err := Open(bg, c.dsn, Options{})
		if !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v\nwant %s", c.reason, err, c.want)
		}
	}
	dsn := server.Fresh(t)
	if _, err := Open(bg, dsn, Options{MustExist: true}); !errors.Is(err, errMissing) {
		t.Errorf("an empty database for a reader: %v", err)
	}
	if n := tables(t, dsn); n != 0 {
		t.Errorf("a reader made %d tables", n)
	}
}

// tables returns how many tables a database has.
func tables(t *testing.T, dsn string) (n int) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
