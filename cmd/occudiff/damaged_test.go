package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// runCommand runs the program in this process and gives its exit status, standard output and standard error.
func runCommand(args ...string) (status int, stdout, stderr string) {
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	status = a.run(context.Background(), args)
	return status, out.String(), errs.String()
}

// TestDamagedExport cuts a compressed export at many bytes: nothing of it is reported, written or stored.
func TestDamagedExport(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	for line := range bytes.Lines(text) { // where a flush ends, every row before the cut is whole
		g.Write(line)
		g.Flush()
	}
	g.Close()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, db, out := filepath.Join(dir, "run"), filepath.Join(dir, "h.db"), filepath.Join(dir, "out.md")
	for name, whole := range map[string][]byte{"gzip": gz.Bytes(), "zstd": z.EncodeAll(text, nil)} {
		for n := 1; n < len(whole); n += max(1, len(whole)/60) {
			if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"validate", "--device", "max1100", "-o", out, path},
				{"track", "add", "--device", "max1100", "--db", db, path},
			} {
				status, stdout, stderr := runCommand(args...)
				if status != exitUsage || stdout != "" || !strings.Contains(stderr, path) {
					t.Errorf("%s, %d of %d bytes, %s: exit %d\n%s%s", name, n, len(whole), args[0], status, stdout, stderr)
				}
			}
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files were left: %v", entries)
	}
}
