package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// panics is a stream that panics on use.
type panics struct{}

func (panics) Write([]byte) (int, error) { panic("the stream is broken") }
func (panics) Read([]byte) (int, error)  { panic("the stream is broken") }

// TestPanic makes commands panic. It checks that each command prints the place
// of the panic and what the user should report, exits with the status for bugs,
// and leaves no temporary file.
func TestPanic(t *testing.T) {
	fixture, err := os.ReadFile("../../fixtures/max1100_mix.hotspots.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "a.csv", string(fixture))
	for _, c := range []struct {
		reason string
		app    app
		args   []string
	}{
		{"while it reads", app{stdin: panics{}, stdout: io.Discard}, []string{"validate", "--device", "max1100", "-o", "x.json", "-"}},
		{"in a goroutine", app{stdin: panics{}, stdout: io.Discard}, []string{"predict", "--device", "max1100", "--batch", "-"}},
		{"while it prints", app{stdin: strings.NewReader(""), stdout: panics{}}, []string{"validate", "--device", "max1100", "a.csv"}},
		{"while it prints help", app{stdin: strings.NewReader(""), stdout: panics{}}, []string{"--help"}},
	} {
		var errs strings.Builder
		c.app.stderr, c.app.getenv = &errs, func(string) string { return "" }
		status := run(t.Context(), &c.app, c.args)
		for _, want := range []string{"occudiff: bug at cmd/occudiff/gate_test.go:", ": the stream is broken\n", "called from ",
			"please report these lines, 'occudiff --version', the command line, and if possible its input"} {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("%s: %s\nwant %s", c.reason, &errs, want)
			}
		}
		if status != exitBug {
			t.Errorf("%s: exit status %d", c.reason, status)
		}
	}
	if left, _ := filepath.Glob("*"); len(left) != 1 {
		t.Errorf("files are left: %q", left)
	}
	if left, _ := filepath.Glob(".*"); len(left) != 0 {
		t.Errorf("files are left: %q", left)
	}
}
