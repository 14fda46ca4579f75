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
	if here, err := os.Getwd(); err == nil {
		if full, err := filepath.Abs(path); err == nil {
			if rel, err := filepath.Rel(here, full); err == nil && filepath.IsLocal(rel) {
				path = rel
			}
		}
	}
	return filepath.ToSlash(path)
}
