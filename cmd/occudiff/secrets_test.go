package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

var server testenv.Postgres

// TestSecrets checks that the commands never print or write the password of the
// history.
func TestSecrets(t *testing.T) {
	const secret = "s3cr3tPW"
	export, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	link := strings.Replace(server.Fresh(t), "occudiff@", "occudiff:"+secret+"@", 1)
	query := server.Fresh(t) + "&password=" + secret
	t.Chdir(t.TempDir())
	var said strings.Builder
	run := func(env string, args ...string) int {
		a := &app{stdin: strings.NewReader(""), stdout: &said, stderr: &said, getenv: func(name string) string {
			if name == settingVariable("db") {
				return env
			}
			return ""
		}}
		return run(context.Background(), a, args)
	}
	for name, db := range map[string]string{"link": link, "query": query} {
		outs := []string{"-o", name + ".md", "-o", name + ".html", "-o", name + ".xlsx", "-o", name + ".json"}
		for _, args := range [][]string{
			{"track", "add", "--device", "max1100", export, "--label", "one"},
			append([]string{"track", "report"}, outs...), append([]string{"track", "list"}, "-o", "list-"+name+".md"),
			{"track", "check", "-o", name + ".xml"}, {"track", "export", name + ".csv"}, {"track", "report", "--format", "markdown"},
		} {
			if status := run("", append(args, "--db", db)...); status != exitDone {
				t.Errorf("%q: exit %d\n%s", args, status, said.String())
			}
			if status := run("", append(args, "--db="+db)...); status != exitDone {
				t.Errorf("%q: exit %d\n%s", args, status, said.String())
			}
			if status := run(db, args...); status != exitDone {
				t.Errorf("%q, from the environment: exit %d\n%s", args, status, said.String())
			}
		}
	}
	for _, bad := range []string{strings.Replace(link, "?", ":x?", 1), strings.Replace(link, "/test", "/nothing", 1), "mysql" + link, "POSTGRES" + strings.TrimPrefix(link, "postgres"),
		"host=/tmp password=" + secret, "host=/tmp password = '" + secret + " x'", strings.Replace(link, "@", "#@", 1)} {
		run("", "track", "list", "--db", bad)
		run(bad, "track", "list")
		run("", "track", "add", bad)
		run("", "validate", "-o", bad+".md", bad)
		run("", "diff", "--bogus="+bad, bad, bad)
		run("", bad)
	}
	if strings.Contains(said.String(), secret) {
		t.Errorf("the password was printed:\n%s", said.String())
	}
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.Contains(path+readOutput(t, path), secret) {
			t.Errorf("the password is in %s", path)
		}
		return err
	})
	if entries, derr := os.ReadDir("."); err != nil || derr != nil || len(entries) < 12 {
		t.Errorf("%v, %v, files %v", err, derr, entries)
	}
}
