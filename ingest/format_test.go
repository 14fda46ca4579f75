package ingest_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// made returns a format that the program does not know. A file's first line is
// its kind, followed by tasks with a global size.
func made(kind string, traits ingest.Traits) ingest.Format {
	return ingest.Format{Kind: kind, Description: "a file of " + kind,
		Sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte(kind+"\n")) },
		Read: func(_ context.Context, src *ingest.Source, _ ingest.ReadOptions) (*ingest.File, error) {
			return readMade(src, traits)
		}}
}

func readMade(src *ingest.Source, traits ingest.Traits) (*ingest.File, error) {
	out := &ingest.File{Input: ingest.Input{Traits: traits}}
	scan := bufio.NewScanner(src.R)
	for line := 1; scan.Scan(); line++ {
		w := strings.Fields(scan.Text())
		if len(w) < 2 {
			continue
		}
		k := ingest.Kernel{Task: w[0], Pos: note.Pos{File: src.Path, Line: line}}
		k.Global, _ = unit.ParseSize(strings.Trim(w[1], "-"))
		if traits.NoLaunchSize {
			k.SLM = unit.Some(unit.Bytes(512))
		}
		out.Kernels = append(out.Kernels, k)
		out.Rows++
	}
	return out, scan.Err()
}

// TestNewFormat checks that joining depends only on a format's traits, not on a
// list of known formats.
func TestNewFormat(t *testing.T) {
	for _, c := range []struct {
		name   string
		traits ingest.Traits
		want   string // rows of the run
	}{
		{"a tracer's row without a launch size belongs to the one kernel with its name", ingest.Traits{NoLaunchSize: true}, "k 64 512"},
		{"a row of another kind without a launch size is a separate kernel", ingest.Traits{}, "k 64, k"},
		{"an export without the launch size is joined with the one that has it", ingest.Traits{ColumnsVary: true}, "k 64"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"a": "first\nk 64\n", "b": "second\nk -\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run, err := ingest.Read(context.Background(), []string{dir}, ingest.Options{
			Formats: []ingest.Format{made("first", ingest.Traits{ColumnsVary: true}), made("second", c.traits)}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var rows []string
		for i := range len(run.Kernels) {
			k := run.Kernels[i]
			row := k.Task
			if k.Global.Present() {
				row += " " + k.Global.String()
			}
			if slm, ok := k.SLM.Value(); ok {
				row += " " + unit.Thousands(int64(slm))
			}
			rows = append(rows, row)
		}
		if got := strings.Join(rows, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "k")
	if err := os.WriteFile(path, []byte("image\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ingest.Read(context.Background(), []string{path}, ingest.Options{
		Formats: []ingest.Format{made("image", ingest.Traits{NotARun: "this holds no run", Hint: "give one"})}})
	if err == nil || !strings.Contains(err.Error(), "this holds no run") {
		t.Errorf("only a file without a run: %v", err)
	}
}
