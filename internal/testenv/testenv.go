// Package testenv decides which tests run. `go test ./...` needs Go alone and
// is quick. Tests of the slow tests need another program or data that lies next
// to the project, or take long: they run where OCCUDIFF_TEST=all is set.
package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// All reports whether all tests are asked for.
func All() bool { return os.Getenv("OCCUDIFF_TEST") == "all" }

// Needs skips a test of the slow tests unless all tests are asked for.
func Needs(t testing.TB, what string) {
	t.Helper()
	if !All() {
		t.Skip("needs " + what + ": runs with OCCUDIFF_TEST=all")
	}
}

// Long skips a test that takes long, also where all tests are asked for with
// -short.
func Long(t testing.TB) {
	t.Helper()
	Needs(t, "more time")
	if testing.Short() {
		t.Skip("takes long: runs without -short")
	}
}

// Program is the first of these programs that is installed. Its test is of the
// slow tests and skips without one.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	Needs(t, names[0])
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip(names[0] + " is not installed")
	return ""
}

// Shared is a path in the folder of real profiler output and reference figures
// next to the project. Its test is of the slow tests and skips without that
// path.
func Shared(t testing.TB, names ...string) string {
	t.Helper()
	Needs(t, "../shared")
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		} else if filepath.Dir(root) == root {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	path := filepath.Join(append([]string{root, "..", "shared"}, names...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("not next to the project: ../shared/" + filepath.ToSlash(filepath.Join(names...)))
	}
	return path
}
