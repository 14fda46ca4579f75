// Package testenv decides which tests run. `go test ./...` needs only Go and is
// fast. Slow tests take long, or need another program or data that is next to
// the project. They run only if OCCUDIFF_TEST=all is set.
package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// All reports whether the slow tests run, too.
func All() bool { return os.Getenv("OCCUDIFF_TEST") == "all" }

// Needs skips a slow test unless all tests run. what names the requirement.
func Needs(t testing.TB, what string) {
	t.Helper()
	if !All() {
		t.Skip("needs " + what + ": runs with OCCUDIFF_TEST=all")
	}
}

// Long skips a test that takes long. With -short, it skips the test even if all
// tests run.
func Long(t testing.TB) {
	t.Helper()
	Needs(t, "more time")
	if testing.Short() {
		t.Skip("takes long: runs without -short")
	}
}

// Program returns the path of the first of these programs that is installed.
// The test is a slow test. It skips if no program is installed.
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

// Shared returns a path in ../shared, the folder with real profiler output and
// reference numbers next to the project. The test is a slow test. It skips if
// the path does not exist.
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
