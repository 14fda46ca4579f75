package main

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

var (
	exampleBody   = regexp.MustCompile(`(?s)func Example\w+\(\) \{\n(.*?)\t// Output:\n(.*?)\n\}`)
	exampleImport = regexp.MustCompile(`(?s)import \(\n(.*?)\n\)`)
)

// TestSecondModule builds the examples of the packages as programs of another
// module and runs them. That module imports this one through a replace
// directive, as described in the README.
func TestSecondModule(t *testing.T) {
	testenv.Long(t) // linking programs
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	requires := strings.Replace(string(mod), "module occudiff\n", "module example\n", 1)
	write(t, filepath.Join(dir, "go.sum"), string(sum))
	write(t, filepath.Join(dir, "go.mod"), requires+"\nrequire occudiff v0.0.0\n\nreplace occudiff => "+root+"\n")
	for _, path := range []string{"ingest/example_test.go", "compare/example_test.go", "predict/example_test.go"} {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		example := exampleBody.FindStringSubmatch(string(text))
		imports := exampleImport.FindStringSubmatch(string(text))
		if example == nil || imports == nil {
			t.Fatalf("%s has no example with an output", path)
		}
		program := "package main\n\nimport (\n" + imports[1] + "\n)\n\nfunc main() {\n" + example[1] + "}\n"
		if at := strings.Index(string(text), "func device("); at >= 0 { // code that all examples of a file share
			end := at + strings.Index(string(text)[at:], "\n}\n") + 3
			program += "\n" + string(text)[at:end]
		}
		code, err := format.Source([]byte(program))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		name := filepath.Dir(path)
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name, "main.go"), string(code))
		c := exec.Command("go", "run", "-mod=mod", "./"+name)
		c.Dir = dir
		c.Env = append(c.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		want := strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(example[2], "\t// ", "")), "\n\n", "\n")
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", path, err, out, want)
		}
	}
}
