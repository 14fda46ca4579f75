package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// pool starts a private PgBouncer in transaction mode for a database, and
// returns the address of the database behind it. Two transactions from one
// client may use two connections to the server.
func pool(t testing.TB, dsn string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; exec.Command(program, "--version").Run() != nil {
			t.Skip("PgBouncer is not installed")
		}
	}
	dir, err := server.Folder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ini := filepath.Join(dir, "ini")
	settings := fmt.Sprintf("[databases]\n* = host=%s user=occudiff\n[pgbouncer]\nlisten_addr =\n"+
		"unix_socket_dir = %s\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"+
		"server_round_robin = 1\n", server.Dir, dir)
	if err := os.WriteFile(ini, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	command := server.Command(program, "-q", ini)
	command.Dir = dir
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	// PgBouncer's own port is 6432, which is part of its socket's name.
	pooled := strings.Replace(dsn, server.Dir, dir+"&port=6432", 1)
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

// TestPooler checks that a history works through PgBouncer in transaction mode.
// Each transaction may use another connection to the server, which does not
// know statements that were prepared on an earlier connection.
func TestPooler(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the private server is started on a Unix socket")
	}
	dsn := pool(t, server.Fresh(t))
	var group errgroup.Group
	for w := range 3 {
		group.Go(func() error {
			for i := range 4 { // each command opens the history again
				d, err := Open(bg, dsn, Options{Verify: true})
				if err != nil {
					return err
				}
				run := sample(10*w+i, 300)
				run.Rows[0].Task = fmt.Sprintf("main::{lambda(int)#%d}", i)
				if _, err := d.Add(bg, run); err != nil {
					return err
				}
				d.Close()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	d := open(t, dsn)
	for i := range 5 {
		p, err := d.Panel(bg, 12, 60, Measured)
		if err != nil || len(p.Kernels) != 300 {
			t.Fatalf("Panel, time %d: %d kernels, %v", i, len(p.Kernels), err)
		}
	}
	records := &Records{}
	if err := d.Export(bg, func(r Record) error { records.Add(r); return nil }); err != nil {
		t.Fatal(err)
	}
	if done, err := open(t, pool(t, server.Fresh(t))).Import(bg, records); err != nil || done.Kernels != records.Len() {
		t.Errorf("Import = %+v, %v; want %d points", done, err, records.Len())
	}
	whole(t, d)
}

// TestReader checks that a read-only user can list, check, and report, and gets
// an error that explains why writing fails.
func TestReader(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the private server is started on a Unix socket")
	}
	dsn := server.Fresh(t)
	d := open(t, dsn)
	id := add(t, d, sample(0, 2))
	name := "reader" + filepath.Base(strings.Split(dsn, "?")[0])
	for _, text := range []string{"CREATE ROLE " + name + " LOGIN", "GRANT USAGE ON SCHEMA public TO " + name, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + name} {
		if _, err := d.sql.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	reader := strings.Replace(dsn, "occudiff@", name+"@", 1)
	r, err := Open(bg, reader, Options{MustExist: true, ReadOnly: true, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if p, err := r.Panel(bg, id, 9, Measured); err != nil || len(p.Kernels) != 2 {
		t.Errorf("Panel: %+v, %v", p, err)
	}
	if runs, err := r.List(bg); err != nil || len(runs) != 1 {
		t.Errorf("List: %d runs, %v", len(runs), err)
	}
	_, err = r.Add(bg, sample(1, 2))
	if !errors.Is(err, errReadOnly) || !strings.Contains(err.Error(), "nothing was changed: it was opened for reading") {
		t.Errorf("Add: %v", err)
	}
	// A command that adds returns an error that contains the reason.
	w, err := Open(bg, reader, Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err = w.Add(bg, sample(1, 2)); !errors.Is(err, errReadOnly) || !strings.Contains(err.Error(), "nothing was changed; this user may only read") {
		t.Errorf("Add: %v", err)
	}
}

// TestWritersTakeTurns checks that a writer waits for another writer for the
// configured time, and then returns an error.
func TestWritersTakeTurns(t *testing.T) {
	dsn := server.Fresh(t)
	holder := open(t, dsn)
	// A server may be configured so that a transaction sees only data from
	// before it began to wait.
	if _, err := holder.sql.Exec("ALTER ROLE occudiff SET default_transaction_isolation = 'repeatable read'"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { holder.sql.Exec("ALTER ROLE occudiff RESET default_transaction_isolation") })
	for _, c := range []struct {
		reason string
		hold   time.Duration
		want   string
	}{
		{"a writer that ends in time", 300 * time.Millisecond, ""},
		{"a writer that does not end in time", 2 * time.Second, "the history is locked, nothing was changed; another process is writing"},
	} {
		d, err := Open(bg, dsn, Options{Wait: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		run, err := clean(sample(len(c.reason), 2))
		if err != nil {
			t.Fatal(err)
		}
		began, ended := make(chan bool), make(chan error)
		go func() {
			ended <- holder.write(bg, "holding", func(w *writing) {
				w.add(run)
				close(began)
				time.Sleep(c.hold)
			})
		}()
		<-began
		_, err = d.Add(bg, sample(len(c.reason)+1, 3)) // the run has the same kernels as the run before
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, errLocked) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: Add = %v, want %q", c.reason, err, c.want)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		whole(t, d)
		d.Close()
	}
}

// TestSilentServer checks a server that accepts a connection but does not
// answer. The connection ends after a time limit, which the error names.
func TestSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no port to listen on: ", err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	os.Unsetenv("PGCONNECT_TIMEOUT")
	ctx, stop := context.WithTimeout(bg, 20*time.Second)
	defer stop()
	_, err = Open(ctx, "postgres://me:secretPW@"+l.Addr().String()+"/runs?sslmode=disable", Options{Wait: time.Second / 2})
	if !errors.Is(err, errConnection) || !strings.Contains(err.Error(), "did not answer within 500ms") || strings.Contains(err.Error(), "secretPW") {
		t.Errorf("Open = %v", err)
	}
}
