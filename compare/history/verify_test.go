package history

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/internal/testenv"
)

// TestSchemaNumber checks that a schema number that no program writes is
// reported as damage, both when reading and when migrating.
func TestSchemaNumber(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		d := open(t, dsn)
		add(t, d, sample(0, 3))
		if _, err := d.sql.Exec("UPDATE occudiff_meta SET value = -5"); err != nil {
			t.Fatal(err)
		}
		d.Close()
		for _, o := range []Options{{}, {MustExist: true, ReadOnly: true}} {
			if _, err := Open(bg, dsn, o); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "it has schema -5, which no version of occudiff writes") {
				t.Errorf("%+v: %v", o, err)
			}
		}
	})
}

// TestVerify checks that deleted rows are found. Each case deletes rows from
// one table directly, without this program.
func TestVerify(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "history.db"))
	for i := range 3 {
		add(t, d, sample(i, 5))
	}
	if err := d.verify(bg); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ statement, want string }{
		{"DELETE FROM occudiff_kernel WHERE run_id = 2 AND position = 1", "1 runs have a different number of kernels " +
			"than was stored"},
		{"UPDATE occudiff_kernel SET time = time + 1 WHERE run_id = 2 AND position = 1", "1 runs have a different " +
			"number of kernels than was stored"},
		{"DELETE FROM occudiff_content WHERE run_id = 2", "1 runs have no digest"},
		{"DELETE FROM occudiff_run WHERE id = 2", "5 kernels belong to no run"},
		{"DELETE FROM occudiff_series WHERE id = 2", "3 kernels belong to no series"},
		{"UPDATE occudiff_series SET driver = 'x' WHERE id = 2", "1 series do not match their digest"},
		{"UPDATE occudiff_input SET run_id = 77 WHERE run_id = 2", "1 files or digests belong to no run"},
		{"UPDATE occudiff_content SET run_id = 77 WHERE run_id = 2", "1 files or digests belong to no run"},
	} {
		tx, err := d.sql.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(c.statement); err != nil {
			t.Fatalf("%s: %v", c.statement, err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := d.verify(bg); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.statement, err)
		}
		for _, undo := range []string{"DELETE FROM occudiff_kernel", "DELETE FROM occudiff_series", "DELETE FROM occudiff_run", "DELETE FROM occudiff_input", "DELETE FROM occudiff_content"} {
			if _, err := d.sql.Exec(undo); err != nil {
				t.Fatal(err)
			}
		}
		d.sql.Exec("DELETE FROM sqlite_sequence")
		for i := range 3 {
			add(t, d, sample(i, 5))
		}
	}
}

// contained returns the rows of a history by series, without row numbers.
func contained(d *DB) (string, error) {
	var b strings.Builder
	runs, err := d.List(bg)
	if err != nil {
		return "", err
	}
	for _, r := range runs {
		fmt.Fprintln(&b, "run", r.ID, r.Kernels)
	}
	all, err := d.readKeys(bg, d.source(), "")
	if err != nil {
		return "", err
	}
	err = d.query(bg, "counting", "SELECT series_id, COUNT(*) FROM occudiff_kernel WHERE position >= 0 GROUP BY series_id", nil, func(rows *sql.Rows) error {
		var id, n int64
		err := rows.Scan(&id, &n)
		fmt.Fprintf(&b, "%d %+v %d\n", id, all[id], n)
		return err
	})
	return b.String(), err
}

// TestFlippedBytes flips bytes in a history. It checks that no run, series, or
// row disappears without an error.
func TestFlippedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	d, err := Open(bg, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		add(t, d, sample(i, 40))
	}
	want, err := contained(d)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flips := 400
	if testing.Short() || !testenv.All() {
		flips = 60
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range flips {
		os.Remove(path + "-journal")
		flipped := bytes.Clone(whole)
		at := random.IntN(len(flipped))
		flipped[at] ^= byte(1 + random.IntN(255))
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := Open(bg, path, Options{MustExist: true, ReadOnly: true, Verify: true})
		if err != nil {
			continue
		}
		got, err := contained(d)
		d.Close()
		if err == nil && got != want {
			t.Errorf("byte %d, %d for %d: other content without an error (-want +got):\n%s", at, flipped[at], whole[at], cmp.Diff(want, got))
		}
	}
}
