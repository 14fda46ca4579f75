package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

const secret = "s3cr3tPW"

func TestAddress(t *testing.T) {
	for _, name := range []string{"PGUSER", "PGHOST", "PGPORT", "PGDATABASE", "PGPASSWORD", "PGSERVICE"} {
		t.Setenv(name, "")
	}
	t.Setenv("PGUSER", "tester")
	for _, c := range []struct{ dsn, where string }{
		{"occudiff.db", "occudiff.db"},
		{"./host=x", "./host=x"},
		{"a:b.db", "a:b.db"},
		{"//server/share/b.db", "//server/share/b.db"},
		{"postgres://me:s3cr3tPW@perf:6543/occ", "postgres://me@perf:6543/occ"},
		{"POSTGRESQL://me:s3cr3tPW@perf/occ?sslmode=disable", "postgres://me@perf/occ"},
		{"postgres://perf/occ?user=me&password=s3cr3tPW", "postgres://me@perf/occ"},
		{"postgres://perf/occ?user=me@corp&sslpassword=s3cr3tPW", "postgres://me%40corp@perf/occ"},
		{"postgres://me:a%40s3cr3tPW@one:1,two:2/occ", "postgres://me@one:1,two:2/occ"},
		{"postgres:///occ?host=/run/postgresql", "postgres://tester@/occ?host=/run/postgresql"},
		{"postgres:///occ?host=/run/postgresql&port=77", "postgres://tester@/occ?host=/run/postgresql&port=77"},
		{"postgres://[::1]:77/occ", "postgres://tester@[::1]:77/occ"},
	} {
		a, err := newAddress(c.dsn)
		if err != nil || a.where != c.where || a.server != strings.HasPrefix(c.where, "postgres") {
			t.Errorf("%s: %+v, %v; want %s", c.dsn, a, err, c.where)
		}
		if masked := Mask("--db=" + c.dsn); strings.Contains(masked, secret) || a.server && masked != "--db="+c.where {
			t.Errorf("%s: shown as %s", c.dsn, masked)
		}
	}
}

// TestBadAddress checks that an address that is not a history is rejected, and
// that no message shows a password.
func TestBadAddress(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct{ dsn, want string }{
		{"mysql://me:s3cr3tPW@perf/occ", "not a history: mysql://... is not a supported kind of history; name a file"},
		{"MySQL://me:s3cr3tPW@perf/occ", "not a history: MySQL://... is not a supported kind of history; name a file"},
		{"postgres://me:12@s3cr3tPW@perf/occ", "the connection to the history failed: the postgres:// URL cannot be " +
			"parsed"},
		{"postgres:/me:s3cr3tPW@perf/occ", "not a history: postgres:/... is not a supported kind of history; name a " +
			"file"},
		{"postgresql:me:s3cr3tPW", "not a history: postgresql:... is not a supported kind of history; name a file"},
		{"//me:s3cr3tPW@perf/occ", "not a history: //... is not a supported kind of history; name a file"},
		{"postgres//me:s3cr3tPW@perf/occ", "not a history: postgres//... is not a supported kind of history; name a " +
			"file"},
		{"postgres/me:s3cr3tPW@perf/occ", "not a history: postgres/... is not a supported kind of history; name a " +
			"file"},
		{"PostgreSQL///me:s3cr3tPW@perf", "not a history: PostgreSQL///... is not a supported kind of history; name " +
			"a file"},
		{"host=perf user=me password=s3cr3tPW", "not a history: a connection string with keywords is not supported; " +
			"write it as postgres://"},
		{"user = me  Password = 's3cr3tPW'", "not a history: a connection string with keywords"},
		{":memory:", "not a history: a history in memory would be gone"},
		{"file:h.db?mode=ro", "not a history: file: is not part of a path"},
		{"postgres://me:s3cr3tPW@perf:port/occ", "the connection to the history failed: the postgres:// URL cannot be used; expected"},
		{"postgres://me:12/s3cr3tPW@perf/occ", "the connection to the history failed: the postgres:// URL cannot be " +
			"parsed"},
		{"postgres://me:12?s3cr3tPW@perf/occ", "the connection to the history failed: the postgres:// URL cannot be " +
			"parsed"},
		{"postgres://me:12?x=s3cr3tPW@perf/occ", "the connection to the history failed: the postgres:// URL cannot " +
			"be parsed"},
		{"postgres://me:12#s3cr3tPW@perf/occ", "the connection to the history failed: the postgres:// URL cannot be " +
			"parsed"},
		{"postgres://me:%zzs3cr3tPW@perf/occ", "the connection to the history failed: the postgres:// URL cannot be used; expected"},
		{"postgres://me:s3cr3tPW@perf/occ?sslmode=s3cr3tPW", "the connection to the history failed: the postgres:// URL cannot be used"},
		{"postgres://me:s3cr3tPW@127.0.0.1:1/occ?connect_timeout=2", "opening the history postgres://me@127.0.0.1:1/occ: the connection to the history failed"},
	} {
		_, err := Open(bg, c.dsn, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v\nwant %s", c.dsn, err, c.want)
		}
		if strings.Contains(Mask(c.dsn), secret) {
			t.Errorf("%s: shown as %s", c.dsn, Mask(c.dsn))
		}
	}
	if made, _ := os.ReadDir(dir); len(made) > 0 {
		t.Errorf("files were made: %v", made)
	}
}

func TestSecrets(t *testing.T) {
	for _, word := range []string{
		"postgres://me:s3cr3tPW@perf/occ", "--db=postgres://me:s3cr3tPW@perf/occ", "mysql://me:s3cr3tPW@perf", "host=x password=s3cr3tPW user=me",
		"password = 's3cr3tPW'", "postgres://perf/occ?password=s3cr3tPW&user=me", "postgres://me:s3cr3t%50W@perf/occ", "postgres:me:s3cr3tPW", "--db=//me:s3cr3tPW@perf/occ",
		"postgres//me:s3cr3tPW@perf/occ", "postgres/me:s3cr3tPW@perf/occ", "me:s3cr3tPW@perf/occ", ":s3cr3tPW@perf",
	} {
		found := false
		for _, s := range Secrets(word) {
			found = found || s == secret
		}
		if !found {
			t.Errorf("%s: %q", word, Secrets(word))
		}
	}
	for _, path := range []string{"runs/a.csv", `C:\runs@node\a.csv`, "C:/runs@node/a.csv", "run@12:30.csv", "gemm:a"} {
		if list := Secrets(path); len(list) > 0 || Mask(path) != path {
			t.Errorf("%s: %q, shown as %s", path, list, Mask(path))
		}
	}
	for _, typo := range []string{"postgres//me:s3cr3tPW@perf/occ", "postgres/me:s3cr3tPW@perf", "sub/mysql/me:s3cr3tPW@perf", "--db=me:s3cr3tPW@perf/occ"} {
		if masked := Mask(typo); strings.Contains(masked, secret) {
			t.Errorf("%s: shown as %s", typo, masked)
		}
	}
}

// TestPasswords checks that a password is read from every place that
// PostgreSQL's own programs support.
func TestPasswords(t *testing.T) {
	server.Fresh(t)
	server.Run(t, "CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '"+secret+"'")
	dir := t.TempDir()
	files := map[string]string{"pass": "*:*:*:guarded:" + secret + "\n", "service": "[perf]\nhost=" + server.Dir + "\nuser=guarded\npassword=" + secret + "\ndbname=postgres\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plain := "postgres://guarded@/postgres?host=" + server.Dir
	for _, c := range []struct{ reason, dsn, name, value string }{
		{"in the URL", "postgres://guarded:" + secret + "@/postgres?host=" + server.Dir, "PGAPPNAME", "test"},
		{"as a parameter", plain + "&password=" + secret, "PGAPPNAME", "test"},
		{"in the environment", plain, "PGPASSWORD", secret},
		{"in a file of passwords", plain, "PGPASSFILE", filepath.Join(dir, "pass")},
		{"in a service file", "postgres://?service=perf", "PGSERVICEFILE", filepath.Join(dir, "service")},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			d, err := Open(bg, c.dsn, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if d.Where() != plain {
				t.Errorf("shown as %s, want %s", d.Where(), plain)
			}
		})
	}
	if _, err := Open(bg, plain, Options{}); err == nil || !strings.Contains(err.Error(), "the server rejects") {
		t.Errorf("without a password: %v", err)
	}
}

// TestUnprepared checks the URL that is passed to the driver, and that the
// driver can read it.
func TestUnprepared(t *testing.T) {
	const mode = "default_query_exec_mode="
	for name, want := range map[string]string{
		"postgres://me@perf:6543/occ":                          "postgres://me@perf:6543/occ?" + mode + "exec",
		"postgres://me@perf/occ?":                              "postgres://me@perf/occ?" + mode + "exec",
		"postgres://me@perf/occ?sslmode=disable":               "postgres://me@perf/occ?sslmode=disable&" + mode + "exec",
		"postgres://me@perf/occ?" + mode + "simple_protocol":   "postgres://me@perf/occ?" + mode + "simple_protocol",
		"postgres:///occ?host=/run/postgresql&sslmode=disable": "postgres:///occ?host=/run/postgresql&sslmode=disable&" + mode + "exec",
	} {
		got := unprepared(name)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if _, err := pgx.ParseConfig(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}
