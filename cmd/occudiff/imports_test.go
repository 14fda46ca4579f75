package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

// arrows lists the packages of the project that each package may import. A
// package that is not listed fails the test, so that new packages are added
// deliberately. Packages in ingest that are not listed are file formats and use
// the entry "ingest/*". The package comments state what each package must not
// contain.
var arrows = map[string][]string{
	"ingest/note":  {},
	"ingest/names": {"ingest/unit"},
	"ingest/unit":  {},
	"ingest/table": {"ingest", "ingest/note", "ingest/unit"},
	"ingest":       {"ingest/names", "ingest/note", "ingest/unit", "internal/bug"},
	"ingest/scan":  {"internal/bug"},

	"ingest/*":       {"ingest", "ingest/names", "ingest/note", "ingest/scan", "ingest/table", "ingest/unit"},
	"ingest/formats": {"ingest", "ingest/*"},
	"ingest/collect": {"ingest", "ingest/note", "ingest/*"},

	"predict/arch":        {"ingest", "ingest/note", "ingest/table", "ingest/unit"},
	"predict":             {"predict/arch", "ingest/unit"},
	"predict/calculator":  {"ingest/table", "ingest/unit"},
	"predict/computeunit": {"ingest/note", "ingest/table", "ingest/unit"},
	"predict/timeline":    {"ingest/unit", "predict", "predict/arch"},
	"predict/batch":       {"ingest/names", "ingest/note", "ingest/table", "ingest/unit", "ingest/*", "predict", "predict/arch", "predict/calculator", "predict/computeunit", "internal/bug"},

	"compare/stat":     {},
	"compare/trend":    {"compare/stat", "ingest/unit"},
	"compare/history":  {"compare", "ingest/note", "ingest/names", "ingest/table", "ingest/unit"},
	"compare":          {"ingest", "ingest/note", "ingest/names", "ingest/unit", "predict", "predict/arch", "predict/timeline", "compare/launches", "compare/stat", "internal/bug"},
	"compare/launches": {"ingest", "ingest/unit"},

	"compare/diff":  {"compare", "predict/batch", "compare/stat", "compare/trend", "ingest", "ingest/note", "ingest/names", "ingest/unit"},
	"compare/track": {"compare", "predict/batch", "compare/history", "compare/stat", "compare/trend", "ingest/names", "ingest/unit", "internal/bug"},

	"report": {"ingest/note", "ingest/names", "ingest/unit"},
	"report/rundoc": {"report", "report/predictdoc", "compare", "compare/launches", "ingest", "ingest/note", "ingest/unit",
		"predict", "predict/arch"},
	"report/diffdoc":    {"report", "report/predictdoc", "predict/batch", "report/rundoc", "compare", "compare/diff", "ingest", "ingest/note", "ingest/unit"},
	"report/predictdoc": {"report", "compare", "ingest/collect", "ingest/note", "ingest/unit", "predict", "predict/arch", "predict/batch", "predict/calculator", "predict/computeunit", "predict/timeline"},
	"report/trackdoc":   {"report", "compare/history", "compare/stat", "compare/track", "compare/trend", "ingest/note", "ingest/unit"},
	"report/plot":       {"report"},
	"report/excel":      {"report", "ingest/unit"},
	"report/html":       {"report", "report/plot"},
	"report/machine":    {"report", "ingest/table", "ingest/unit"},
	"report/text":       {"report"},

	"fixtures": {},

	// The packages of the page.
	"cmd/page/app": {"compare", "compare/diff", "fixtures", "ingest", "ingest/formats", "ingest/note", "ingest/unit", "predict", "predict/arch",
		"predict/calculator", "report", "report/diffdoc", "report/html", "report/predictdoc", "report/machine", "report/rundoc", "report/text"},
	"cmd/page/site": {"cmd/page/app", "report/html"},

	// cmd/occudiff may import all packages.
	"cmd/cli": {"ingest/names", "ingest/note", "ingest/unit", "report/text"},

	// The package that reports panics of goroutines.
	"internal/bug": {},

	// The packages for tests of several packages.
	"internal/testenv":       {"ingest/unit"},
	"report/internal/sample": {"report", "report/rundoc", "compare", "ingest", "ingest/note", "ingest/unit", "predict/arch"},
}

// placed returns the key of arrows for a package.
func placed(name string) string {
	if arrows[name] == nil && path.Dir(name) == "ingest" {
		return "ingest/*"
	}
	return name
}

// TestArchitecture checks that the documentation names each package, by its path or
// its last part.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "design", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range arrows {
		if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "`"+path.Base(name)+"`") {
			t.Errorf("docs/design/architecture.md does not describe %s", name)
		}
	}
}

// readsCSV lists the packages that read and write CSV.
var readsCSV = []string{"ingest/table", "report/machine"}

// TestArrows checks that packages import only the packages that arrows allows.
func TestArrows(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := map[string]bool{}
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := placed(strings.TrimPrefix(p.ImportPath, "occudiff/"))
		for _, i := range p.Imports {
			if (i == "encoding/csv" || i == "github.com/gocarina/gocsv") && !slices.Contains(readsCSV, name) {
				t.Errorf("%s imports %s; only %s may", name, i, strings.Join(readsCSV, " and "))
			}
		}
		if name == "cmd/occudiff" || name == "cmd/page" {
			continue // these packages may import all packages
		}
		may, known := arrows[name]
		if !known {
			t.Errorf("package %s is not in arrows: list what it may import", name)
			continue
		}
		seen[name] = true
		for _, i := range p.Imports {
			if i, ours := strings.CutPrefix(i, "occudiff/"); ours && !slices.Contains(may, placed(i)) {
				t.Errorf("%s imports %s; it may import %s", name, i, strings.Join(may, ", "))
			}
		}
	}
	var gone []string
	for name := range arrows {
		if !seen[name] {
			gone = append(gone, name)
		}
	}
	if sort.Strings(gone); len(gone) > 0 {
		t.Errorf("in arrows but not in the project: %s", strings.Join(gone, ", "))
	}
}
