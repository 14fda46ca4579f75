package history

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("OCCUDIFF_HISTORY_CHILD"); job != "" {
		child(job)
		return
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

// server is this test binary's private PostgreSQL, started when a test first
// needs it.
var server testenv.Postgres

// onBoth runs a test on a fresh SQLite file and on a fresh PostgreSQL database.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "history.db")) })
	t.Run("PostgreSQL", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("the private server is started on a Unix socket")
		}
		test(t, server.Fresh(t))
	})
}

// open returns a history that is open for the duration of a test.
func open(t testing.TB, dsn string) *DB {
	t.Helper()
	d, err := Open(context.Background(), dsn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// count returns a table's row count.
func count(t testing.TB, d *DB, table string) int {
	t.Helper()
	var n int
	if err := d.sql.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// whole fails the test unless every run has all of its rows and every row has a
// run.
func whole(t testing.TB, d *DB) {
	t.Helper()
	for _, q := range []string{
		`SELECT COUNT(*) FROM occudiff_run r WHERE kernels <> (SELECT COUNT(*) FROM occudiff_kernel k WHERE k.run_id = r.id)`,
		`SELECT COUNT(*) FROM occudiff_run r WHERE NOT EXISTS (SELECT 1 FROM occudiff_content c WHERE c.run_id = r.id)`,
		`SELECT COUNT(*) FROM occudiff_kernel k WHERE NOT EXISTS (SELECT 1 FROM occudiff_run r WHERE r.id = k.run_id AND r.time = k.time)`,
		`SELECT COUNT(*) FROM occudiff_kernel k WHERE NOT EXISTS (SELECT 1 FROM occudiff_series s WHERE s.id = k.series_id)`,
		`SELECT COUNT(*) FROM occudiff_input i WHERE NOT EXISTS (SELECT 1 FROM occudiff_run r WHERE r.id = i.run_id)`,
		`SELECT COUNT(*) FROM occudiff_content c WHERE NOT EXISTS (SELECT 1 FROM occudiff_run r WHERE r.id = c.run_id)`,
	} {
		var n int
		if err := d.sql.QueryRow(q).Scan(&n); err != nil || n != 0 {
			t.Fatalf("%s = %d, %v; want 0", strings.Join(strings.Fields(q), " "), n, err)
		}
	}
	if !d.engine.server {
		var answer string
		if err := d.sql.QueryRow("PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
			t.Fatalf("integrity_check = %s, %v", answer, err)
		}
	}
}
