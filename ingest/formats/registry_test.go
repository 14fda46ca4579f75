package formats_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"occudiff/ingest/formats"
	"occudiff/internal/testenv"
)

// chosen returns the kind for the format that reads a file with these first
// bytes.
func chosen(head []byte) string {
	for _, format := range formats.All() {
		if format.Sniff(head[:min(len(head), 64<<10)]) {
			return format.Kind
		}
	}
	return "none"
}

// TestChosenFormat checks which format reads each file with real tool output,
// each case, and each built-in input. The first pattern that matches a file
// name determines the expected format.
func TestChosenFormat(t *testing.T) {
	for _, c := range []struct {
		reason, root string
		kinds        [][2]string
	}{
		{"real tool output", testenv.Shared(t, "corpus"), [][2]string{
			{"*.md", "none"}, {"oneprof/*", "unitrace"}, {"unitrace/*", "unitrace"},
			{"oneprof_old_*", "none"}, {"traces/*", "unitrace"}, {"vtune-csv/*", "vtune"}, {"vtune-summary/*", "vtune-summary"}, {"published/*", "none"}, {"zebin/*.cl", "none"}, {"zebin/*", "zebin"},
		}},
		{"cases", testenv.Shared(t, "cases"), [][2]string{
			{"*.md", "none"}, {"*.py", "none"}, {"gate/*", "none"}, {"folder-clock/*", "none"},
			{"torch-table/*", "none"}, {"summary-csv/*", "vtune-summary"}, {"gaps-without-trace/summary.txt", "vtune-summary"},
			{"triton-cache/*", "triton"}, {"compiler-log/*.log", "compiler-log"},
			{"*.log", "vec_add"}, {"query-large-grf/*", "unitrace"}, {"*.csv", "vtune"}, {"*.tsv", "vtune"},
			{"*.json", "trace"}, {"*.txt", "unitrace"},
		}},
		{"built-in inputs", filepath.Join("..", "..", "fixtures"), [][2]string{
			{"*.csv", "vtune"}, {"*.log", "vec_add"}, {"*", "none"},
		}},
	} {
		err := fs.WalkDir(os.DirFS(c.root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(name, "vtune-result/") {
				return err
			}
			data, err := fs.ReadFile(os.DirFS(c.root), name)
			for _, k := range c.kinds {
				if !matches(k[0], name) {
					continue
				}
				if got := chosen(data); got != k[1] {
					t.Errorf("%s: %s is read as %s, want %s", c.reason, name, got, k[1])
				}
				return err
			}
			t.Errorf("%s: the table has no format for %s", c.reason, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// matches reports whether a pattern matches a name, its base name, or one of
// its folders.
func matches(pattern, name string) bool {
	whole, _ := path.Match(pattern, name)
	base, _ := path.Match(pattern, path.Base(name))
	folder, under := strings.CutSuffix(pattern, "/*")
	return whole || base || under && strings.HasPrefix(name, folder+"/")
}

// TestOwnFormat checks that the program reads each format's test inputs with
// that format. A format that is earlier in the list could recognize them first.
func TestOwnFormat(t *testing.T) {
	owners := map[string]string{"vtune": "vtune", "summary": "vtune-summary", "unitrace": "unitrace", "trace": "trace",
		"vecadd": "vec_add", "zebin": "zebin"}
	for folder, kind := range owners {
		checked := 0
		own := func(text string) bool {
			for _, format := range formats.All() {
				if format.Kind == kind && format.Sniff([]byte(text)) {
					return true
				}
			}
			return false
		}
		paths, _ := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
		for _, file := range paths {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil || !strings.Contains(text, "\n") || !own(text) {
					return true
				}
				checked++
				if got := chosen([]byte(text)); got != kind {
					t.Errorf("%s: an input of %s is read as %s:\n%s", file, kind, got, text)
				}
				return true
			})
		}
		t.Logf("%s: %d inputs", folder, checked)
	}
}
