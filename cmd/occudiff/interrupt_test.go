package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stuck is a stream without input. A read ends the context.
type stuck struct{ stop func() }

func (s stuck) Read([]byte) (int, error) {
	s.stop()
	select {}
}

// TestInterruptedWaiting interrupts commands that wait for input, and checks
// that each command ends and leaves no temporary file.
func TestInterruptedWaiting(t *testing.T) {
	fixture, err := os.ReadFile("../../fixtures/max1100_mix.hotspots.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "old.csv", string(fixture))
	pipes := exec.Command("mkfifo", "pipe").Run() == nil // false on Windows, which has no named pipes
	for _, c := range []struct {
		reason string
		args   string
		pipe   bool
	}{
		{"an export", "validate --device max1100 -o x.xlsx -", false},
		{"a side of a diff", "diff --device max1100 - old.csv", false},
		{"a history", "track import -", false},
		{"a run for a history", "track add --device max1100 -", false},
		{"a batch", "predict --device max1100 -o x.csv --batch -", false},
		{"a named pipe without a writer", "validate --device max1100 -o x.xlsx pipe", true},
		{"a named pipe in a diff", "diff --device max1100 old.csv pipe", true},
		{"a named pipe for a history", "track import pipe", true},
		{"a named pipe of a batch", "predict --device max1100 --batch pipe", true},
		{"a named pipe of devices", "validate --device-file pipe --device max1100 old.csv", true},
	} {
		if c.pipe && !pipes {
			continue
		}
		ctx, stop := context.WithCancel(t.Context())
		if c.pipe {
			time.AfterFunc(50*time.Millisecond, stop) // a stop before the pipe is opened also tests the interrupt
		}
		var errs strings.Builder
		a := &app{stdin: stuck{stop}, stdout: io.Discard, stderr: &errs, getenv: func(string) string { return "" }}
		ended := make(chan int, 1)
		go func() { ended <- run(ctx, a, strings.Fields(c.args)) }()
		select {
		case status := <-ended:
			if status != exitUsage || errs.String() != "occudiff: interrupted; nothing was written\n" {
				t.Errorf("%s: exit %d: %s", c.reason, status, &errs)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the command waits on", c.reason)
		}
		stop()
		if left, _ := filepath.Glob(".occudiff*"); len(left) > 0 {
			t.Errorf("%s: %q is left", c.reason, left)
		}
	}
}
