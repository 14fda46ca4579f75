package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// going is the function stopped for work that is never canceled.
func going() error { return nil }

// put writes a text to paths as a command would.
func put(text string, paths ...string) error { return putBeside(nil, going, text, paths...) }

// putBeside is like put, but for a command that reads inputs and that may be
// canceled.
func putBeside(inputs []string, stopped func() error, text string, paths ...string) error {
	s := &outputFiles{inputs: inputs, stopped: stopped}
	for _, p := range paths {
		f, err := s.open(p, "")
		if err != nil {
			s.discard()
			return err
		}
		f.write = func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	return s.place()
}

// files returns a list of a folder's files with their modes and sizes.
func files(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.Type().IsRegular():
			fmt.Fprintf(&b, "%s %d\n", name, info.Size())
		default:
			fmt.Fprintf(&b, "%s %v\n", name, e.Type())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
}

func TestFilesAreComplete(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("no more")
	s := &outputFiles{stopped: going}
	for name, fault := range map[string]error{"a.md": nil, "b.md": broken, "c.md": broken} {
		f, err := s.open(filepath.Join(dir, name), "")
		if err != nil {
			t.Fatal(err)
		}
		f.write = func(w io.Writer) error { io.WriteString(w, "half"); return fault }
	}
	err := s.place()
	if got := files(t, dir); !errors.Is(err, broken) || !strings.Contains(err.Error(), "b.md was not written") ||
		!strings.Contains(err.Error(), "c.md was not written") || got != "a.md 4\n" {
		t.Errorf("error %v; left: %s", err, got)
	}
	calledOff := errors.New("called off")
	if err := putBeside(nil, func() error { return calledOff }, "x", filepath.Join(dir, "a.md")); !errors.Is(err, calledOff) || files(t, dir) != "a.md 4\n" {
		t.Errorf("error %v; left: %s", err, files(t, dir))
	}
	if err := put("xy", filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")); err != nil || files(t, dir) != "a.md 2\nb.md 2\n" {
		t.Errorf("error %v; files: %s", err, files(t, dir))
	}
}

func TestKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666} {
		writeFile(t, path, "old")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := put("x", path); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v became %v", mode, info.Mode().Perm())
		}
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target.md"), filepath.Join(dir, "link.md")
	link(t, "target.md", path)
	for range 2 { // at first the target does not exist
		if err := put("x", path); err != nil || files(t, dir) != "link.md L---------\ntarget.md 1\n" {
			t.Fatalf("error %v; files: %s", err, files(t, dir))
		}
	}
	if err := put("x", path, target); err == nil || err.Error() != "is given twice" {
		t.Errorf("a file and a link to it: %v", err)
	}
}

func TestInputsAreRejected(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "runs", "in.csv")
	if err := os.MkdirAll(filepath.Dir(in), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, in, "input")
	hard, soft := filepath.Join(dir, "hard.csv"), filepath.Join(dir, "soft.csv")
	if err := os.Link(in, hard); err != nil {
		t.Skip("no hard links here: ", err)
	}
	link(t, in, soft)
	for _, path := range []string{in, hard, soft, filepath.Join(dir, "runs", "..", "runs", "in.csv")} {
		for _, given := range []string{in, filepath.Dir(in), dir, hard, soft} {
			err := putBeside([]string{"nothing", given}, going, "x", path)
			if err == nil || !strings.HasPrefix(err.Error(), "would overwrite the input ") {
				t.Errorf("reads %s, writes %s: %v", given, path, err)
			}
		}
	}
	if b, err := os.ReadFile(in); err != nil || string(b) != "input" {
		t.Errorf("the input is %q now, %v", b, err)
	}
}

// TestSpecialFilesAreRejected checks that targets that are not regular files are rejected and
// not replaced.
func TestSpecialFilesAreRejected(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such files here")
	}
	dir := t.TempDir()
	null := filepath.Join(dir, "null.md")
	link(t, os.DevNull, null)
	if err := put("x", null); err == nil || err.Error() != "is not a regular file; give another name" || files(t, dir) != "null.md L---------\n" {
		t.Errorf("a device: error %v; files: %s", err, files(t, dir))
	}
	if err := put("x", dir); err == nil || err.Error() != "is a folder; give a file in it" {
		t.Errorf("a folder: %v", err)
	}
}
