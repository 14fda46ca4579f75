package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// runJSON runs a command line in this process and returns its standard output,
// or nothing if the input cannot be used.
func runJSON(t testing.TB, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, append(args, formatJSON(args)...)); status == exitUsage {
		t.Logf("occudiff %s: %s", strings.Join(args, " "), strings.TrimSpace(errs.String()))
		return nil
	}
	return out.Bytes()
}

// formatJSON returns the flags that request JSON, or none for a command that
// prints only JSON.
func formatJSON(args []string) []string {
	if args[0] == "help" {
		return nil
	}
	return []string{"--format", "json"}
}

// compileSchemas compiles the output of `occudiff help schema`, which also
// checks the schemas against the meta-schema of their draft.
func compileSchemas(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	all := map[string]*jsonschema.Schema{}
	for _, o := range jsonSchemas() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(runJSON(t, "help", "schema", o.Name)))
		if err != nil {
			t.Fatalf("schema %s: %v", o.Name, err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(o.Name+".json", doc); err != nil {
			t.Fatal(err)
		}
		if all[o.ID], err = c.Compile(o.Name + ".json"); err != nil {
			t.Fatalf("schema %s: %v", o.Name, err)
		}
		if d := all[o.ID].DraftVersion; d != 2020 {
			t.Errorf("schema %s is of draft %d, want 2020-12", o.Name, d)
		}
	}
	return all
}

// checkSchema validates an output against the schema with the given ID.
func checkSchema(t testing.TB, schemas map[string]*jsonschema.Schema, id string, out []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	object, _ := v.(map[string]any)
	if object["schema"] != id {
		t.Errorf("the output says %v, want %s", object["schema"], id)
	}
	if err := schemas[id].Validate(v); err != nil {
		t.Error(err)
	}
}

// TestOutputsKeepTheirSchemas validates the outputs of the commands against
// their schemas.
func TestOutputsKeepTheirSchemas(t *testing.T) {
	schemas := compileSchemas(t)
	const fixture = "../../fixtures/max1100_mix.hotspots.csv"
	dir := t.TempDir()
	log := filepath.Join(dir, "one.csv")
	write(t, log, "Computing Task,Work Size:Global,Work Size:Local,SIMD Width,Computing Task:Total Time\n\"x\ny\",64,,,\n")
	for _, c := range []struct{ reason, id, args string }{
		{"every field of a run without measurement", "occudiff/validate/1", "demo --vec-add -q -o " + filepath.Join(dir, "d.md")},
		{"measured, with causes", "occudiff/validate/1", "validate --device max1100 " + fixture},
		{"no device at all", "occudiff/validate/1", "validate --device tgl " + log},
		{"a log, with rows of its own", "occudiff/validate/1", "validate --local 256 --simd 32 ../../fixtures/gen9_vec_add.log"},
		{"launches by themselves", "occudiff/validate/1", "validate --instances --device max1100 " + fixture},
		{"two runs", "occudiff/validate-runs/1", "validate --device max1100 " + twoRuns(t, dir, fixture)},
		{"two sides", "occudiff/diff/1", "diff --device max1100 " + fixture + " " + fixture},
		{"three sides", "occudiff/diff-sides/1", "diff --device max1100 " + strings.Repeat(fixture+" ", 3)},
		{"the table", "occudiff/devices/1", "devices"},
		{"one device", "occudiff/devices/1", "devices tgl"},
		{"all devices, some of which reject the launch", "occudiff/predict/1", "predict --device all --global 512x512 --local 16x16 --simd 8"},
		{"SLM and barriers", "occudiff/predict/1", "predict --device tgl --global 81920 --local 320 --simd 32 --slm 16K --barriers 1 --explain"},
		{"one Xe-core", "occudiff/predict/1", "predict --device max1550 --local 256 --simd 16 --explain"},
		{"the calculator", "occudiff/predict/1", "predict --compat calculator --device fam:gen12 --global 81920 --local 256 --simd 16"},
		{"the calculator, one Xe-core", "occudiff/predict/1", "predict --compat calculator --device fam:gen12 --local 256 --simd 16"},
		{"a compute unit", "occudiff/predict/1", "predict --model compute-unit --platform gen11 --local 48 --simd 8 --slm 768 --registers 384"},
		{"a sweep of sizes", "occudiff/sweep/1", "predict --device tgl --global 81920 --local 256 --simd 16 --sweep local"},
		{"a sweep of SLM", "occudiff/sweep/1", "predict --device tgl --global 81920 --local 256 --simd 16 --sweep slm"},
		{"a sweep of sub-group sizes, one of which cannot run", "occudiff/sweep/1", "predict --device tgl --global 81920 --local 512 --simd 16 --sweep simd"},
		{"a timeline", "occudiff/timeline/1", "predict --device tgl --global 2560 --local 320 --simd 8 --timeline"},
		{"a what-if", "occudiff/timeline/1", "predict --device tgl --global 81920 --local 320 --simd 32 --timeline --policy partial --ports 2"},
		{"advice on a launch", "occudiff/advise/1", "advise --device tgl --global 81920 --local 320 --simd 8 --slm 24K --barriers 1"},
		{"advice on a launch that cannot run", "occudiff/advise/1", "advise --device tgl --global 81920 --local 1000 --simd 8"},
		{"advice on a device", "occudiff/advise/1", "advise --device tgl --work-group-slots 16"},
		{"probes", "occudiff/advise/1", "advise --probe --device tgl --global 81920 --local 320 --simd 8 --slm 24K"},
		{"advice on a compute unit", "occudiff/advise/1", "advise --model compute-unit --platform rtx2080ti --simd 32"},
		{"a stored run", "occudiff/track-add/1", "track add --time 2026-03-01T02:00:00Z --device max1100 --db " + filepath.Join(dir, "h.db") + " " + fixture},
		{"the stored runs", "occudiff/track-list/1", "track list --db " + filepath.Join(dir, "h.db")},
	} {
		t.Run(c.args, func(t *testing.T) {
			out := runJSON(t, strings.Fields(c.args)...)
			if out == nil {
				t.Fatalf("%s: no output", c.reason)
			}
			checkSchema(t, schemas, c.id, out)
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// twoRuns makes two folders with a run each.
func twoRuns(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a", "run.csv"), string(text))
	write(t, filepath.Join(dir, "b", "run.csv"), string(text))
	return filepath.Join(dir, "a") + " " + filepath.Join(dir, "b")
}

// TestRealOutputsKeepTheirSchemas validates the output for every real file
// against its schema.
func TestRealOutputsKeepTheirSchemas(t *testing.T) {
	corpus := testenv.Shared(t, "corpus")
	schemas := compileSchemas(t)
	used := 0
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		info, ierr := d.Info()
		if err != nil || ierr != nil || d.IsDir() || info.Size() > 4<<20 {
			return err
		}
		if out := runJSON(t, "validate", "--device", "max1100", path); out != nil {
			used++
			checkSchema(t, schemas, rundoc.ValidateSchema, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if used < 15 {
		t.Errorf("only %d files of the corpus gave an output", used)
	}
}

// TestSchemaRejects changes a valid output in one place at a time, and checks
// that the schema rejects each change.
func TestSchemaRejects(t *testing.T) {
	schemas := compileSchemas(t)
	out := runJSON(t, "validate", "--device", "max1100", "../../fixtures/max1100_mix.hotspots.csv")
	row := func(v map[string]any) map[string]any { return v["rows"].([]any)[0].(map[string]any) }
	for _, c := range []struct {
		reason, at string
		change     func(map[string]any)
	}{
		{"another version", "/schema", func(v map[string]any) { v["schema"] = "occudiff/validate/2" }},
		{"a list that is null", "/notes", func(v map[string]any) { v["notes"] = nil }},
		{"a field that is missing", "", func(v map[string]any) { delete(v, "summary") }},
		{"absent is null, not left out", "/rows/0", func(v map[string]any) { delete(row(v), "measured_percent") }},
		{"an unknown field", "/rows/0", func(v map[string]any) { row(v)["extra"] = 1 }},
		{"a number as text", "/rows/0/measured_percent", func(v map[string]any) { row(v)["measured_percent"] = "62.7" }},
		{"half a launch", "/rows/0/instances", func(v map[string]any) { row(v)["instances"] = json.Number("1.5") }},
		{"line 0", "/rows/0/line", func(v map[string]any) { row(v)["line"] = json.Number("0") }},
		{"a size of 0", "/rows/0/local/0", func(v map[string]any) { row(v)["local"] = []any{json.Number("0")} }},
		{"four dimensions", "/rows/0/global", func(v map[string]any) {
			row(v)["global"] = []any{json.Number("1"), json.Number("1"), json.Number("1"), json.Number("1")}
		}},
		{"fewer kernels than none", "/summary/kernels", func(v map[string]any) { v["summary"].(map[string]any)["kernels"] = json.Number("-1") }},
	} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if err := schemas[rundoc.ValidateSchema].Validate(v); err != nil {
			t.Fatalf("before the change: %v", err)
		}
		c.change(v.(map[string]any))
		err = schemas[rundoc.ValidateSchema].Validate(v)
		if err == nil {
			t.Errorf("%s passes", c.reason)
		} else if want := "at '" + c.at; !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it %s'", c.reason, err, want)
		}
	}
}

// TestEveryOutputHasASchema fails for schema IDs in the source that `occudiff
// help schema` does not list.
func TestEveryOutputHasASchema(t *testing.T) {
	id := regexp.MustCompile(`"(occudiff/[a-z-]+/[0-9]+)"`)
	for _, dir := range []string{".", filepath.Join("..", "..", "report")} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range id.FindAllStringSubmatch(string(text), -1) {
				if _, err := report.FindSchema(jsonSchemas(), m[1]); err != nil {
					t.Errorf("%s writes %s, which has no schema: add it to report.Outputs", f, m[1])
				}
			}
		}
	}
}
