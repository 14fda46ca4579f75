package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// FromHere gives a path as GitHub wants it: relative to the working folder, where a job has its checkout, with slashes.
// What lies outside stays as it is, and standard input is no file.
func FromHere(path string) string {
	if path == "" || path == "-" {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return filepath.ToSlash(path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(here, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
