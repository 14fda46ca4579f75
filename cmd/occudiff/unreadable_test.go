package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// runCommand runs the program in this process and returns its exit status,
// standard output, and standard error.
func runCommand(args ...string) (status int, stdout, stderr string) {
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	status = run(context.Background(), a, args)
	return status, out.String(), errs.String()
}

// TestUnreadableExport truncates a compressed export at many positions. It
// checks that no part of the export is reported, written, or stored.
func TestUnreadableExport(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	for line := range bytes.Lines(text) { // flush after each row, so that a truncated file has complete rows
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

// readOutput returns the text of an output. For a workbook, it returns the text
// of its parts.
func readOutput(t *testing.T, path string) string {
	t.Helper()
	if filepath.Ext(path) != ".xlsx" {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all strings.Builder
	for _, part := range z.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return all.String()
}

// TestStoredOnce checks that a run is stored only once, even if it is added
// again from a compressed copy or a copy with other line breaks.
func TestStoredOnce(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for i, content := range [][]byte{text, z.EncodeAll(text, nil), crlf, z.EncodeAll(crlf, nil), text} {
		name := fmt.Sprintf("run%d", i)
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := runCommand("track", "add", "--device", "max1100", name)
		want := "run 1 has this content already"
		if i == 0 {
			want = "run 1 stored"
		}
		if status != exitDone || !strings.HasPrefix(stdout, want) {
			t.Errorf("%s: exit %d, %s%s, want %s", name, status, stdout, stderr, want)
		}
	}
	other := bytes.Replace(text, []byte("histogram_rows"), []byte("histogram_cols"), 1)
	if err := os.WriteFile("other", z.EncodeAll(other, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stdout, _ := runCommand("track", "add", "--device", "max1100", "other"); !strings.HasPrefix(stdout, "run 2 stored") {
		t.Errorf("another run: %s", stdout)
	}
}
