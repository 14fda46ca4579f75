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

// A Postgres is a private PostgreSQL server of a test binary. It starts when a
// test first needs it. The zero Postgres is ready to use. TestMain calls Stop,
// which removes the cluster with all databases of the tests.
//
// The server listens on a Unix socket in a temporary folder. Tests therefore
// need no service of the machine, change no other database, and may run while
// other packages are tested. If PostgreSQL is not installed, the tests skip
// with that reason, which .ci/run does not accept.
type Postgres struct {
	once  sync.Once
	Dir   string // folder of the socket
	bin   string // folder of the PostgreSQL programs
	err   error  // reason why the server is not available
	count atomic.Int64
}

// start creates a cluster in a temporary folder and starts the server on a
// socket in that folder. It does not sync data to the disk, because the data is
// removed after the tests.
func (p *Postgres) start() error {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // location on Debian
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
		// The user guarded must enter a password.
		rules := "local all guarded scram-sha-256\nlocal all all trust\n"
		err = os.WriteFile(p.data()+"/pg_hba.conf", []byte(rules), 0o644)
	}
	if err == nil {
		err = p.run("pg_ctl", "start", "-w", "-l", filepath.Join(p.Dir, "log"), "-o",
			"-k "+p.Dir+" -c listen_addresses= -c fsync=off -c max_connections=60")
	}
	return err
}

func (p *Postgres) data() string { return filepath.Join(p.Dir, "data") }

// run runs a PostgreSQL program on the cluster.
func (p *Postgres) run(program string, args ...string) error {
	c := p.Command(filepath.Join(p.bin, program), append([]string{"-D", p.data()}, args...)...)
	c.Dir = p.Dir
	if out, err := c.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(p.Dir, "log"))
		return fmt.Errorf("%s failed: %w: %s%s", program, err, out, log)
	}
	return nil
}

// URL returns the URL of a database of the server.
func (p *Postgres) URL(database string) string {
	return "postgres://occudiff@/" + database + "?host=" + p.Dir
}

// Fresh creates an empty database and returns its URL. Each test has its own
// database, so tests need not clean up.
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

// Run runs an SQL statement directly on the server.
func (p *Postgres) Run(t testing.TB, statement string) {
	t.Helper()
	psql := exec.Command(filepath.Join(p.bin, "psql"), "-d", p.URL("postgres"), "-c", statement)
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// Stop stops the server and removes its data.
func (p *Postgres) Stop() {
	if p.Dir != "" {
		_ = p.run("pg_ctl", "stop", "-m", "immediate") // the data is removed in any case
		os.RemoveAll(p.Dir)
	}
}

// Command returns a command that runs as the user of the tests. If that user is
// root, the command runs as the user postgres, which the PostgreSQL package
// creates: initdb and the server refuse to run as root.
func (*Postgres) Command(name string, args ...string) *exec.Cmd {
	if os.Getuid() != 0 {
		return exec.Command(name, args...)
	}
	asPostgres := []string{"--reuid=postgres", "--regid=postgres", "--clear-groups", name}
	return exec.Command("setpriv", append(asPostgres, args...)...)
}

// Folder creates a temporary folder in which the user postgres can also create
// files and sockets.
func (*Postgres) Folder() (string, error) {
	dir, err := os.MkdirTemp("", "occpg")
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	return dir, err
}
