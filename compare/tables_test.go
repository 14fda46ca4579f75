package compare

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// constants returns the values of this package's string constants whose name
// prefix or type matches.
func constants(t *testing.T, prefix, typ string) (values []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			of, _ := spec.Type.(*ast.Ident)
			lit, isText := spec.Values[0].(*ast.BasicLit)
			if !isText || lit.Kind != token.STRING || !(of != nil && of.Name == typ || prefix != "" &&
				strings.HasPrefix(spec.Names[0].Name, prefix)) {
				return true
			}
			if value, err := strconv.Unquote(lit.Value); err == nil && value != "" {
				values = append(values, value)
			}
			return true
		})
	}
	return values
}

// TestTablesAreComplete checks that each constant is in its table, and that
// each cause, remedy, and verdict is in the glossary.
func TestTablesAreComplete(t *testing.T) {
	glossary, err := os.ReadFile("../report/glossary.txt")
	if err != nil {
		t.Fatal(err)
	}
	tables := []struct {
		what, prefix, typ string
		term              string // term in the glossary for an entry; "" if it has none
		entries           []string
	}{
		{what: "Causes", prefix: "Cause", term: "cause"},
		{what: "remedies", typ: "Remedy", term: "(column|potential speedup)"},
		{what: "Verdicts", typ: "Verdict", term: "verdict"},
		{what: "Metrics", prefix: "Metric"},
	}
	for i := range Verdicts {
		tables[2].entries = append(tables[2].entries, string(Verdicts[i].Verdict))
	}
	for _, m := range Metrics {
		if !slices.Contains(Parts(), Part(m.Name)) {
			tables[3].entries = append(tables[3].entries, m.Name)
		}
		if m.Title == "" || m.Short == "" || m.Unit == "" {
			t.Errorf("Metrics: %+v is not complete", m)
		}
	}
	for _, p := range Parts() {
		if MetricNamed(string(p)) < 0 {
			t.Errorf("Metrics: no entry for %q", p)
		}
	}
	for i := range Causes {
		tables[0].entries = append(tables[0].entries, Causes[i].Name)
		if Causes[i].Short == "" {
			t.Errorf("Causes: %s has no short name", Causes[i].Name)
		}
		facts := []string{CauseBelowTolerance, CauseNoActivity}
		if Causes[i].confirm.text == "" && !slices.Contains(facts, Causes[i].Name) {
			t.Errorf("Causes: nothing confirms %s if its confidence is low", Causes[i].Name)
		}
	}
	for i := range remedies {
		tables[1].entries = append(tables[1].entries, string(remedies[i].Remedy))
	}
	for _, table := range tables {
		want := constants(t, table.prefix, table.typ)
		if len(want) < 5 {
			t.Errorf("%s: only %q are constants", table.what, want)
		}
		for _, value := range want {
			if !slices.Contains(table.entries, value) {
				t.Errorf("%s: no entry for %q", table.what, value)
			}
			if table.term != "" && !regexp.MustCompile(`(?m)^`+table.term+`: (.*, )?`+regexp.QuoteMeta(value)+`(,|$)`).Match(glossary) {
				t.Errorf("%s: %q is not in the glossary", table.what, value)
			}
		}
		if len(want) != len(table.entries) {
			t.Errorf("%s: %d entries for %d constants", table.what, len(table.entries), len(want))
		}
	}
}

// TestObservedCounts checks that each line of the counts belongs to the ground
// that it names. Otherwise, a confidence would come from the counts of another
// ground.
func TestObservedCounts(t *testing.T) {
	observed, err := os.ReadFile("observed.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(observed)), "\n")
	if len(lines) != len(Grounds) {
		t.Fatalf("%d lines for %d grounds", len(lines), len(Grounds))
	}
	for g, line := range lines {
		if numbers, text, _ := strings.Cut(line, ": "); text != Grounds[g].Text || len(strings.Fields(numbers)) != 8 {
			t.Errorf("line %d is %q, want 8 numbers for %q", g+1, line, Grounds[g].Text)
		}
	}
}

// TestNoFlags checks that no text of this package, of track, or of the device
// table names a flag. The page has none, and the commands name their own.
func TestNoFlags(t *testing.T) {
	for _, dir := range []string{".", "track", "../predict/arch"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for _, name := range files {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(source)) {
				flag := regexp.MustCompile(`"[^"]*--[a-z].*"`).FindString(line)
				if flag != "" && !strings.HasSuffix(name, "_test.go") && !strings.Contains(flag, "oneprof") {
					t.Errorf("%s: %s", name, flag)
				}
			}
		}
	}
}
