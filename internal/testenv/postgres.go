package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Postgres is a private PostgreSQL of a test binary, started when a test first
// needs it. The zero Postgres is ready. TestMain calls Stop, which removes the
// cluster with all databases of the tests.
//
// It is on a Unix socket in a temporary folder: tests need no service of the
// machine, touch no database of anybody, and may run next to those of other
// packages. A machine without PostgreSQL skips the tests with that reason,
// which .ci/run does not let pass.
type Postgres struct {
	once  sync.Once
	Dir   string // where its socket is
	bin   string // where its programs are
	err   error  // why there is none
	count atomic.Int64
}

// start makes a cluster in a temporary folder and runs the server on a socket
// in it. Nothing is synced to the disk: the data lives as long as the tests.
func (p *Postgres) start() error {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // of Debian
	if path, err := exec.LookPath("initdb"); err == nil && len(found) == 0 {
		found = append(found, path)
	}
	if len(found) == 0 {
		return errors.New("PostgreSQL is not installed (no initdb in /usr/lib/postgresql/*/bin)")
	}
	p.bin = filepath.Dir(found[len(found)-1])
	var err error
	if p.Dir, err = p.Folder(); err != nil {
		return err
	}
	err = p.run("initdb", "-U", "occudiff", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	if err == nil {
		// The user guarded has to give a password.
		err = os.WriteFile(p.data()+"/pg_hba.conf", []byte("local all guarded scram-sha-256\nlocal all all trust\n"), 0o644)
	}
	if err == nil {
		err = p.run("pg_ctl", "start", "-w", "-l", filepath.Join(p.Dir, "log"), "-o",
			"-k "+p.Dir+" -c listen_addresses= -c fsync=off -c max_connections=60")
	}
	return err
}

func (p *Postgres) data() string { return filepath.Join(p.Dir, "data") }

// run runs a program of the server on the cluster.
func (p *Postgres) run(program string, args ...string) error {
	c := p.Command(filepath.Join(p.bin, program), append([]string{"-D", p.data()}, args...)...)
	c.Dir = p.Dir
	if out, err := c.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(p.Dir, "log"))
		return fmt.Errorf("%s failed: %w: %s%s", program, err, out, log)
	}
	return nil
}

// URL names a database of the server.
func (p *Postgres) URL(database string) string {
	return "postgres://occudiff@/" + database + "?host=" + p.Dir
}

// Fresh makes an empty database.
// Each test has one of its own, so tests need not clean up.
func (p *Postgres) Fresh(t testing.TB) string {
	t.Helper()
	Needs(t, "PostgreSQL")
	p.once.Do(func() { p.err = p.start() })
	if p.err != nil {
		t.Skip(p.err)
	}
	name := fmt.Sprintf("test%d", p.count.Add(1))
	p.Run(t, "CREATE DATABASE "+name)
	return p.URL(name)
}

// Run runs a statement on the server, outside of any history.
func (p *Postgres) Run(t testing.TB, statement string) {
	t.Helper()
	psql := exec.Command(filepath.Join(p.bin, "psql"), "-d", p.URL("postgres"), "-c", statement)
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// Stop ends the server.
func (p *Postgres) Stop() {
	if p.Dir != "" {
		_ = p.run("pg_ctl", "stop", "-m", "immediate") // the data goes anyway
		os.RemoveAll(p.Dir)
	}
}

// Command makes a command of the user that the server's package makes, when
// this process is root: initdb and the server refuse to run as root. Otherwise
// it is of the user of the tests.
func (*Postgres) Command(name string, args ...string) *exec.Cmd {
	if os.Getuid() != 0 {
		return exec.Command(name, args...)
	}
	return exec.Command("setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", name}, args...)...)
}

// Folder makes a temporary folder in which that user makes files and sockets,
// too.
func (*Postgres) Folder() (string, error) {
	dir, err := os.MkdirTemp("", "occpg")
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	return dir, err
}
