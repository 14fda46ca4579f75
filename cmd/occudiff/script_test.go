package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"occudiff/internal/testenv"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"occudiff": main, "occudiff-each": eachMain, "occudiff-memory": memoryMain})
}

// eachMain runs the command lines on standard input, one per line, up to the
// first that fails. It makes scenario tests faster, which add hundreds of runs,
// because starting a program takes ten times as long as adding a run.
func eachMain() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		a := &app{stdin: strings.NewReader(""), stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ()}
		if status := run(context.Background(), a, strings.Fields(lines.Text())); status != exitDone {
			os.Exit(status)
		}
	}
	os.Exit(exitDone)
}

// tests runs the tests and then stops the servers that they started.
type tests struct{ *testing.M }

func (t tests) Run() int {
	defer server.Stop()
	return t.M.Run()
}

// TestScript runs the scenario tests in testdata/script with real exit
// statuses, outputs, and files. The environment variable CORPUS is the path of
// real profiler output, if it is installed. Scenarios that need it are skipped
// if it is not.
func TestScript(t *testing.T) { runScripts(t, "script", func() string { return "" }) }

// TestHistoryScript runs the scenario tests in testdata/history with a history
// in a file and with a history on a server. The results must be the same.
func TestHistoryScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the histories are made by shell scripts")
	}
	t.Run("SQLite", func(t *testing.T) { runScripts(t, "history", func() string { return "" }) })
	t.Run("PostgreSQL", func(t *testing.T) {
		server.Fresh(t) // skips the test if there is no server
		runScripts(t, "history", func() string { return server.Fresh(t) })
	})
}

// runScripts runs the scenarios of a folder, each with a separate history. The
// function history returns the name of the history, or "" for a file in the
// scenario's folder.
func runScripts(t *testing.T, folder string, history func() string) {
	fixtures, err := filepath.Abs(filepath.Join("..", "..", "fixtures"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", folder),
		UpdateScripts:       testenv.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("FIXTURES", fixtures)
			e.Setenv("CORPUS", corpus())
			if db := history(); db != "" {
				e.Setenv("OCCUDIFF_DB", db)
			}
			// A program with the race detector sleeps for a second before it
			// exits by default. The scenarios start about a thousand programs.
			e.Setenv("GORACE", "atexit_sleep_ms=10")
			// These settings shorten the startup of the Go runtime, which takes
			// most of the time of a small program.
			if !testenv.All() {
				e.Setenv("GOGC", "off")
				e.Setenv("GOMAXPROCS", "1")
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			return cond == "all" && testenv.All() || cond == "corpus" && corpus() != "", nil
		},
	})
}

// corpus returns the folder of real profiler output, or "" if it is not
// requested or not installed.
func corpus() string {
	if !testenv.All() {
		return ""
	}
	p, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "corpus"))
	if _, serr := os.Stat(p); err != nil || serr != nil {
		return ""
	}
	return p
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestManual runs every command in the sh blocks of the README and of some
// documents, each document in a separate folder, so that the documentation
// stays right. Commands that cannot run in a test (vtune) are in text blocks
// instead.
func TestManual(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{"README.md", "docs/ci.md", "docs/tutorial.md"} {
		text, err := os.ReadFile(filepath.Join(root, doc))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Run(doc, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS(filepath.Join(root, "fixtures"))); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			commands := manualCommands(string(text))
			if len(commands) < 3 {
				t.Errorf("only %d commands were found", len(commands))
			}
			for _, line := range commands {
				runManual(t, line)
			}
		})
	}
}

var sampleBlock = regexp.MustCompile("(?s)```text\n\\$ (occudiff [^\n]*)\n(.*?)```\n")

// TestSample compares each sample output in the README and the tutorial with
// the output of its command, 100 columns wide. -update rewrites the samples.
func TestSample(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS(filepath.Join(root, "fixtures"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for doc, want := range map[string]int{"README.md": 4, "docs/tutorial.md": 3} {
		path := filepath.Join(root, doc)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		samples := 0
		printed := sampleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
			samples++
			return sampleOf(t, sampleBlock.FindStringSubmatch(block)[1])
		})
		switch {
		case samples != want:
			t.Errorf("%s has %d samples, want %d", doc, samples, want)
		case testenv.Update():
			if err := os.WriteFile(path, []byte(printed), 0o644); err != nil {
				t.Fatal(err)
			}
		case printed != string(text):
			t.Errorf("the samples of %s are not what the commands print; run this test with -update (-want +got):\n%s", doc,
				cmp.Diff(string(text), printed))
		}
	}
}

// sampleOf runs a command and returns the block that shows its output.
func sampleOf(t *testing.T, line string) string {
	var out strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: io.Discard, getenv: func(name string) string {
		return map[string]string{"COLUMNS": "100"}[name]
	}}
	if status := run(context.Background(), a, strings.Fields(line)[1:]); status != exitDone {
		t.Errorf("%s: exit %d", line, status)
	}
	return "```text\n$ " + line + "\n" + out.String() + "```\n"
}

// manualCommands returns the lines of the sh blocks, joined at backslashes and
// without comments.
func manualCommands(text string) []string {
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); line != "" && line != "go test ./..." {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func runManual(t *testing.T, line string) {
	words := strings.Fields(strings.Replace(line, "go run ./cmd/occudiff", "occudiff", 1))
	if words[0] != "occudiff" {
		t.Errorf("%q is no command that this test can run; show others in text blocks", line)
		return
	}
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, words[1:]); status != exitDone || out.Len() == 0 {
		t.Errorf("%s: exit %d, %d bytes of output\n%s", line, status, out.Len(), errs.String())
	}
}
