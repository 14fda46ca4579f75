package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The bounds of what a reader can hold. Lines count as they are, with their comments.
const (
	mostColumns  = 120 // a tab counts as four
	mostFunction = 60
	mostFile     = 400
)

// structTag finds the tag of a field, which cannot be broken.
var structTag = regexp.MustCompile("`[a-z]+:\".*\"`")

// TestBounds holds every file of the project against them.
func TestBounds(t *testing.T) {
	for path, text := range sources(t) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > mostFile {
			t.Errorf("%s has %d lines; cut it by what it knows into files of at most %d", path, len(lines), mostFile)
		}
		for i, line := range lines {
			if n := len([]rune(strings.ReplaceAll(line, "\t", "    "))); n > mostColumns && !structTag.MatchString(line) {
				t.Errorf("%s:%d has %d columns, more than %d", path, i+1, n, mostColumns)
			}
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := set.Position(f.Pos()).Line, set.Position(f.End()).Line
			if n := last - first + 1; n > mostFunction {
				t.Errorf("%s:%d: %s has %d lines, more than %d", path, first, f.Name.Name, n, mostFunction)
			}
		}
	}

}

// TestOnePlaceForCSV keeps the libraries of small CSV files in the two packages that know their traps.
func TestOnePlaceForCSV(t *testing.T) {
	for path, text := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "ingest/table" || dir == "report/machine" {
			continue
		}
		for _, library := range []string{`"encoding/csv"`, `"github.com/gocarina/gocsv"`} {
			if strings.Contains(text, library) {
				t.Errorf("%s imports %s; use package ingest/table", path, library)
			}
		}
	}
}

// sources gives the Go files of the project by their path, tests left out.
func sources(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		all[rel] = string(text)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}
