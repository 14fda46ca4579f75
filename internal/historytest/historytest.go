// Package historytest runs a private PostgreSQL server for tests. It knows no history.
//
// The server is one of the test binary's own, on a Unix socket in a temporary folder: tests need no service of the
// machine, touch no database of anybody, and may run beside those of other packages. A machine without PostgreSQL skips
// the tests with that reason, which .ci/run does not let pass.
package historytest

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	// The driver registers itself as "pgx".
	_ "github.com/jackc/pgx/v5/stdlib"
	"occudiff/internal/testenv"
)

// Server is a private PostgreSQL of a test binary, started when a test first needs it. The zero Server is ready.
// TestMain calls Stop, which removes the cluster with all databases of the tests.
type Server struct {
	once    sync.Once
	Dir     string // where its socket is
	command *exec.Cmd
	missing string // why there is none
	count   atomic.Int64
}

// binaries finds the newest installed server.
func (p *Server) binaries() string {
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
func (p *Server) start() {
	bin := p.binaries()
	if !slices.Contains(sql.Drivers(), "pgx") {
		p.missing = "this build has no PostgreSQL driver (build tag pgx)"
		return
	}
	if bin == "" {
		p.missing = "PostgreSQL is not installed (no initdb in /usr/lib/postgresql/*/bin)"
		return
	}
	err := p.initialize(bin)
	if err == nil {
		err = p.launch(bin)
	}
	if err != nil {
		p.missing = err.Error()
	}
}

// initialize makes the cluster.
// Nothing is synced to the disk, neither here (--no-sync) nor in launch (fsync=off): the data lives as long as the
// tests.
func (p *Server) initialize(bin string) error {
	var err error
	if p.Dir, err = os.MkdirTemp("", "occpg"); err != nil {
		return err
	}
	if err := giveToPostgres(p.Dir); err != nil {
		return fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres: %w", err)
	}
	data := filepath.Join(p.Dir, "data")
	init := asPostgres(filepath.Join(bin, "initdb"), "-D", data, "-U", "occudiff", "-A", "trust", "-E", "UTF8",
		"--no-locale", "--no-sync")
	init.Dir = p.Dir
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb failed: %w: %s", err, out)
	}
	// The user guarded has to give a password.
	rules := "local all guarded scram-sha-256\nlocal all all trust\n"
	return os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(rules), 0o644)
}

// launch runs the server until it answers.
// It listens on its socket alone. What it prints goes into a file, which the error quotes when it does not come up in
// about ten seconds.
func (p *Server) launch(bin string) error {
	p.command = asPostgres(filepath.Join(bin, "postgres"), "-D", filepath.Join(p.Dir, "data"), "-k", p.Dir, "-c",
		"listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60")
	p.command.Dir = p.Dir
	log, err := os.Create(filepath.Join(p.Dir, "log"))
	if err == nil {
		defer log.Close()
		p.command.Stdout, p.command.Stderr = log, log
		err = p.command.Start()
	}
	if err != nil {
		p.command = nil
		return fmt.Errorf("PostgreSQL does not start: %w", err)
	}
	for range 200 {
		db, err := sql.Open("pgx", p.URL("postgres"))
		if err == nil {
			err = db.Ping()
			db.Close()
		}
		if err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(filepath.Join(p.Dir, "log"))
	return fmt.Errorf("PostgreSQL does not answer: %s", text)
}

// URL names a database of the server.
func (p *Server) URL(database string) string {
	return "postgres://occudiff@/" + database + "?host=" + p.Dir
}

// Fresh makes an empty database.
// Each test has one of its own, so tests need not clean up.
func (p *Server) Fresh(t testing.TB) string {
	t.Helper()
	testenv.Needs(t, "PostgreSQL")
	p.once.Do(p.start)
	if p.missing != "" {
		t.Skip(p.missing)
	}
	name := fmt.Sprintf("test%d", p.count.Add(1))
	p.Run(t, "CREATE DATABASE "+name)
	return p.URL(name)
}

// Run runs a statement on the server, outside of any history.
func (p *Server) Run(t testing.TB, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", p.URL("postgres"))
	if err == nil {
		_, err = db.Exec(statement)
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Stop ends the server.
func (p *Server) Stop() {
	if p.command != nil {
		_ = p.command.Process.Signal(os.Interrupt) // fast shutdown
		_ = p.command.Wait()
	}
	if p.Dir != "" {
		os.RemoveAll(p.Dir)
	}
}

// Pool gives a database through a PgBouncer of its own in transaction mode, which runs for the length of the test: two
// transactions of one client may go to two connections of the server.
func (p *Server) Pool(t testing.TB, dsn string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; exec.Command(program, "--version").Run() != nil {
			t.Skip("PgBouncer is not installed")
		}
	}
	dir, err := os.MkdirTemp("", "occpool")
	if err == nil {
		err = giveToPostgres(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ini := filepath.Join(dir, "ini")
	settings := fmt.Sprintf("[databases]\n* = host=%s user=occudiff\n[pgbouncer]\nlisten_addr =\n"+
		"unix_socket_dir = %s\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"+
		"server_round_robin = 1\n", p.Dir, dir)
	if err := os.WriteFile(ini, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	command := asPostgres(program, "-q", ini)
	command.Dir = dir
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	// 6432 is PgBouncer's own port, which names its socket.
	pooled := strings.Replace(dsn, p.Dir, dir+"&port=6432", 1)
	for range 100 {
		db, err := sql.Open("pgx", pooled+"&default_query_exec_mode=simple_protocol")
		if err == nil {
			err = db.Ping()
			db.Close()
		}
		if err == nil {
			return pooled
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("PgBouncer does not answer")
	return ""
}

// asPostgres makes a command of the user that the server's package makes, when this process is root: initdb and the
// server refuse to run as root. Otherwise it is of the user of the tests.
func asPostgres(name string, args ...string) *exec.Cmd {
	if os.Getuid() != 0 {
		return exec.Command(name, args...)
	}
	return exec.Command("setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", name}, args...)...)
}

// giveToPostgres makes a folder that of the same user: initdb writes into it, and the server makes its socket there.
func giveToPostgres(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return os.Chown(dir, uid, gid)
}
