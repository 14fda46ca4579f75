package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"occudiff/report/rundoc"
)

// fuzzRun runs the program in this process, without starting other programs,
// and checks that it ends with a valid exit status.
func fuzzRun(t testing.TB, args []string) (status int, stdout string) {
	t.Helper()
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	status = run(ctx, a, args)
	if ctx.Err() != nil {
		t.Errorf("%q does not come to an end", args)
	}
	if status != exitDone && status != exitGate && status != exitUsage {
		t.Errorf("%q: exit %d", args, status)
	}
	if status != exitDone && errs.Len() == 0 {
		t.Errorf("%q: exit %d without a word", args, status)
	}
	return status, out.String()
}

// FuzzArguments runs the program with any arguments, one per line, in a folder
// with a few files. It checks that the program does not panic, that the exit
// status is 0, 1, or 2, and that no input file changes. The program may write
// only files that -o, --db, or an argument names.
func FuzzArguments(f *testing.F) {
	export, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range []string{
		"validate run.csv --device max1100 -o a.md -o b.html", "validate run.csv --device=pvc --fail-on mismatch --instances",
		"diff run.csv run.csv --format json", "predict --device tgl --global 1M --local 16x16 --simd 8 --sweep local",
		"advise --device tgl --global 80K --local 320 --simd 8 --slm 24K", "track add run.csv --db h.db --device max1100",
		"track check --db h.db --window 3", "track export --db h.db x.csv", "devices mtl --xve 112", "explain dispatch",
		"help schema validate", "completion bash", "help track add", "--help", "demo -q",
		"predict --batch devices.csv -o out.csv", "track import --db h.db devices.csv", "validate . --device-file devices.csv",
		"predict --model compute-unit --platform gen11 --local 48 --simd 8", "validate --tolerance NaN run.csv --local 1x1x1x1",
	} {
		f.Add(strings.ReplaceAll(line, " ", "\n"))
	}
	f.Setenv("PATH", "")
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		if len(text) > 200 || slices.ContainsFunc(args, func(a string) bool {
			return strings.ContainsAny(a, `/\`) || strings.Contains(a, "..") || strings.HasPrefix(a, "collect") ||
				strings.HasPrefix(a, "--serve")
		}) {
			t.Skip("outside of the folder, another program, or until it is interrupted")
		}
		dir := t.TempDir()
		t.Chdir(dir)
		inputs := map[string]string{"run.csv": string(export), "devices.csv": "key,name\n", "occudiff.yaml": "track: {}\n"}
		for name, content := range inputs {
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fuzzRun(t, args)
		checkFolder(t, dir, inputs, text)
	})
}

// checkFolder fails the test if an input file changed, or if there is a new
// file that no argument names.
func checkFolder(t *testing.T, dir string, inputs map[string]string, args string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if content, input := inputs[name]; input && name != settingsName {
			if now, err := os.ReadFile(path); err != nil || string(now) != content {
				t.Errorf("%q changed %s, %v", args, name, err)
			}
			return nil
		}
		first, _, _ := strings.Cut(name, string(filepath.Separator))
		stem := strings.TrimSuffix(first, filepath.Ext(first))
		if filepath.Ext(first) == ".svg" { // a plot of a.md is in a.KEY.svg
			stem = strings.TrimSuffix(stem, filepath.Ext(stem))
		}
		if !strings.Contains(args, stem) && !strings.HasPrefix(name, "occudiff-report.") && !strings.HasPrefix(name, "occudiff.") {
			t.Errorf("%q wrote %s", args, name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// FuzzJSON reads any bytes as an export and checks the JSON output of several
// commands against its schema.
func FuzzJSON(f *testing.F) {
	for _, name := range []string{"max1100_mix.hotspots.csv", "gen9_vec_add.log"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", name))
		if err != nil {
			f.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		for n := range uint8(4) {
			f.Add([]byte(strings.Join(lines[:min(len(lines), 4+int(n)*4)], "")), n)
		}
	}
	f.Add([]byte("== L0 Backend ==\n\nKernel, Calls, Time (ns)\n\"f[SIMD32 {4; 1; 1} {64; 1; 1}]\", 2, 1e3\n"), uint8(0))
	schemas := compileSchemas(f)
	path := filepath.Join(f.TempDir(), "run")
	f.Fuzz(func(t *testing.T, text []byte, which uint8) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		commands := []struct{ id, args string }{
			{rundoc.ValidateSchema, "validate --local 64 --simd 16"}, {rundoc.ValidateSchema, "validate --instances"},
			{"occudiff/diff/1", "diff --local 64 " + path},
		}
		c := commands[int(which)%len(commands)]
		args := append(strings.Fields(c.args), path, "--device", "max1100", "-q", "--format", "json")
		if status, out := fuzzRun(t, args); status == exitDone {
			if !json.Valid([]byte(out)) {
				t.Fatalf("%q gives no JSON: %q", args, out)
			}
			checkSchema(t, schemas, c.id, []byte(out))
		}
	})
}
