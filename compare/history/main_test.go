package history

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("OCCUDIFF_HISTORY_CHILD"); job != "" {
		child(job)
		return
	}
	code := m.Run()
	server.stop()
	os.Exit(code)
}

// server is the private PostgreSQL of this test binary, started when a test first needs it.
var server postgres

type postgres struct {
	once    sync.Once
	dir     string
	command *exec.Cmd
	missing string // why there is none
	count   atomic.Int64
}

// binaries finds the newest installed server.
func (p *postgres) binaries() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) })
	for _, dir := range slices.Backward(append(found, "/usr/local/bin", "/usr/bin")) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir
		}
	}
	return ""
}

// start makes a cluster in a temporary folder and runs the server on a socket in it. It refuses to run as root, so root
// becomes the user that its package makes.
func (p *postgres) start() {
	bin := p.binaries()
	if !slices.Contains(sql.Drivers(), "pgx") {
		p.missing = "this build has no PostgreSQL driver (build tag pgx)"
		return
	}
	if bin == "" {
		p.missing = "PostgreSQL is not installed (no initdb in /usr/lib/postgresql/*/bin)"
		return
	}
	var err error
	if p.dir, err = os.MkdirTemp("", "occpg"); err != nil {
		p.missing = err.Error()
		return
	}
	if err := giveToPostgres(p.dir); err != nil {
		p.missing = "PostgreSQL does not run as root, and there is no user postgres: " + err.Error()
		return
	}
	data := filepath.Join(p.dir, "data")
	init := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "occudiff", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	init.Dir = p.dir
	asPostgres(init)
	if out, err := init.CombinedOutput(); err != nil {
		p.missing = fmt.Sprintf("initdb failed: %v: %s", err, out)
		return
	}
	p.command = exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", p.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60")
	p.command.Dir = p.dir
	asPostgres(p.command)
	log, err := os.Create(filepath.Join(p.dir, "log"))
	if err == nil {
		defer log.Close()
		p.command.Stdout, p.command.Stderr = log, log
		err = p.command.Start()
	}
	if err != nil {
		p.missing = "PostgreSQL does not start: " + err.Error()
		p.command = nil
		return
	}
	for range 200 {
		db, err := sql.Open("pgx", p.url("postgres"))
		if err == nil {
			err = db.Ping()
			db.Close()
		}
		if err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(filepath.Join(p.dir, "log"))
	p.missing = "PostgreSQL does not answer: " + string(text)
}

func (p *postgres) url(database string) string {
	return "postgres://occudiff@/" + database + "?host=" + p.dir
}

// fresh makes an empty database.
func (p *postgres) fresh(t testing.TB) string {
	t.Helper()
	p.once.Do(p.start)
	if p.missing != "" {
		t.Skip(p.missing)
	}
	name := fmt.Sprintf("test%d", p.count.Add(1))
	p.run(t, "CREATE DATABASE "+name)
	return p.url(name)
}

// run runs a statement on the server, outside of any history.
func (p *postgres) run(t testing.TB, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", p.url("postgres"))
	if err == nil {
		_, err = db.Exec(statement)
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *postgres) stop() {
	if p.command != nil {
		_ = p.command.Process.Signal(os.Interrupt) // fast shutdown
		_ = p.command.Wait()
	}
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}

// onBoth runs a test on a fresh SQLite file and on a fresh PostgreSQL database.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "history.db")) })
	t.Run("PostgreSQL", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("the private server is started on a Unix socket")
		}
		test(t, server.fresh(t))
	})
}

// open opens a history for the length of a test.
func open(t testing.TB, dsn string) *DB {
	t.Helper()
	d, err := Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// count gives the number of rows of a table.
func count(t testing.TB, d *DB, table string) int {
	t.Helper()
	var n int
	if err := d.sql.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// whole fails the test unless every run has all of its rows and every row has a run.
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
	if d.engine.ownFile {
		var answer string
		if err := d.sql.QueryRow("PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
			t.Fatalf("integrity_check = %s, %v", answer, err)
		}
	}
}
