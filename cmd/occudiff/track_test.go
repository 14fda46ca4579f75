package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
)

// inTrack runs a command and returns its output.
func inTrack(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, args); status != want {
		t.Fatalf("occudiff %s: exit %d, want %d\n%s", strings.Join(args, " "), status, want, errs.String())
	}
	return out.String()
}

// TestReadersNeverWrite checks that commands that only read a history leave its
// bytes unchanged, including a history that they cannot read.
func TestReadersNeverWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	var lines strings.Builder
	lines.WriteString("series,time,value,device\n")
	for i := range 12 {
		fmt.Fprintf(&lines, "k,%d,%d,mtl-112\n", 1767225600+i*3600, 60+i%2)
	}
	if err := os.WriteFile("points.csv", []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	inTrack(t, exitDone, "track", "import", "points.csv", "--db", "h.db")
	bytes := func() string {
		text, err := os.ReadFile("h.db")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readers := []string{"track list", "track export", "track export out.csv", "track report", "track check", "track check --last 3 --fail-on never",
		"track backtest", "track backtest --target 1", "diff --noise h.db a.csv a.csv --device mtl-112"}
	writers := []string{"track accept --all", "track rename k j", "track remove 1 --yes", "track import points.csv"}
	export := "Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width," +
		"XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%),XVE Threads Occupancy(%)\n" +
		"k,4096,256,1.07,200,32,44.5,54.3,1.2,100.0,60.5\n"
	if err := os.WriteFile("a.csv", []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(want int, commands ...string) {
		t.Helper()
		before := bytes()
		for _, command := range commands {
			args := strings.Fields(command)
			if args[0] == "track" {
				args = append(args, "--db", "h.db")
			}
			inTrack(t, want, args...)
			if bytes() != before {
				t.Errorf("%s changed the history", command)
			}
		}
	}
	ask(exitDone, readers...)
	db, err := sql.Open("sqlite", "h.db")
	if err == nil {
		_, err = db.Exec("UPDATE occudiff_meta SET value = 5")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	ask(exitUsage, append(readers, writers...)...)
	if err := os.WriteFile("h.db", []byte(bytes()[:5000]), 0o600); err != nil { // truncated
		t.Fatal(err)
	}
	ask(exitUsage, readers...)
	if err := os.WriteFile("h.db", []byte("kernel,time\n"), 0o600); err != nil { // not a history
		t.Fatal(err)
	}
	ask(exitUsage, append(readers, writers...)...)
}
