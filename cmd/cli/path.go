package cli

import (
	"os"
	"path/filepath"
)

// FromHere gives a path as GitHub wants it: relative to the working folder, where a job has its checkout, with slashes.
// What lies outside stays as it is, and standard input is no file.
func FromHere(path string) string {
	if path == "" || path == "-" {
		return ""
	}
	here, _ := os.Getwd()
	full, _ := filepath.Abs(path)
	if rel, err := filepath.Rel(here, full); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}
