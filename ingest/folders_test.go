package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// TestFoldersWithoutRun checks folders whose subfolders are empty, contain no
// run, or contain only a damaged file, which belongs to a run.
func TestFoldersWithoutRun(t *testing.T) {
	dir := write(t, map[string]string{"none/c/README": "hello\n", "some/a/x": "alpha\nk 64 50 -\n", "some/c/README": "hello\n",
		"damaged/a/x.gz": "\x1f\x8b\x08\x00", "damaged/b/x": "alpha\nk 64 50 -\n"})
	if err := os.Mkdir(filepath.Join(dir, "some", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][][]string{
		"none":    {{"none"}},
		"some":    {{"some/a", "some/c"}},
		"damaged": {{"damaged/a"}, {"damaged/b"}},
	} {
		var got [][]string
		for _, run := range Runs([]string{filepath.Join(dir, name)}, testFormats) {
			var paths []string
			for _, p := range run {
				p, _ = filepath.Rel(dir, p)
				paths = append(paths, filepath.ToSlash(p))
			}
			got = append(got, paths)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if got := Size([]string{filepath.Join(dir, "some", "a"), filepath.Join(dir, "none", "c")}); got != 16+6 {
		t.Errorf("the files have %d bytes, want 22", got)
	}
	if got := Size([]string{filepath.Join(dir, "some", "empty")}); got != 0 {
		t.Errorf("an empty folder has %d bytes", got)
	}
}

// TestTwoResults reads a file with two results, such as a difference report.
// Each result is a run with its own name.
func TestTwoResults(t *testing.T) {
	dir := write(t, map[string]string{"both.csv": "two\n"})
	format := lineFormat("two")
	format.Read = func(_ context.Context, src *Source, opt ReadOptions) (*File, error) {
		if opt.Result == 0 {
			return nil, NewMultipleResultsError(2, note.Errorf("two-results", note.InFile(src.Path), "", "two results"))
		}
		return &File{Input: Input{Rows: 1}, Kernels: []Kernel{{Task: "k", SLM: unit.Some(unit.Bytes(opt.Result))}}}, nil
	}
	opt := Options{Formats: []Format{format}}
	var got []string
	err := EachRun([]string{filepath.Join(dir, "both.csv")}, opt.Formats,
		func(paths []string) ([]*Run, error) { return ReadRuns(t.Context(), paths, opt) },
		func(name string, run *Run) error {
			if ResultsOfOneFile([]*Run{run}) {
				t.Error("one run is several results")
			}
			got = append(got, name+": "+strings.TrimSpace(rows(run)))
			return nil
		})
	if want := "both.csv, result 1: k  - 1; both.csv, result 2: k  - 2"; err != nil || strings.Join(got, "; ") != want {
		t.Errorf("%q, %v; want %s", got, err, want)
	}
}

// TestNotUsed checks the reason why a file of a folder is not used, without the
// hint that is meant for a file that the user named.
func TestNotUsed(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{note.Errorf("c", note.Pos{File: "f", Line: 3}, "a hint", "a bad row"),
			"f: warning: not used: f:3: a bad row (repair it or take it out of the folder)"},
		{note.Errorf("c", note.Pos{}, "", "no rows"), "f: warning: not used: no rows (repair it or take it out of the folder)"},
		{os.ErrClosed, "f: warning: not used: file already closed (repair it or take it out of the folder)"},
	} {
		if got := notUsed("f", c.err).String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestPlatforms checks the platform of a run whose files describe different
// ones: the first device, with its position, and other values that it lacks.
func TestPlatforms(t *testing.T) {
	first := Platform{Driver: "24.1", XVEs: unit.Some(96)}
	second := Platform{Device: "A", DeviceFrom: "the summary", Pos: note.Pos{File: "f2"}, Driver: "24.2"}
	third := Platform{Device: "B", DeviceFrom: "the log", Pos: note.Pos{File: "f3"}, VTune: "2025"}
	run, err := Join([]File{{Platform: first}, {Platform: second}, {}, {Platform: third}})
	want := Platform{Device: "A", DeviceFrom: "the summary", Pos: note.Pos{File: "f2"}, Driver: "24.1", XVEs: unit.Some(96),
		VTune: "2025"}
	if err != nil || run.Platform != want || len(run.Platforms) != 3 {
		t.Errorf("%+v of %d, %v; want %+v", run.Platform, len(run.Platforms), err, want)
	}
}
