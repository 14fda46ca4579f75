package ingest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNaturally checks the order of names with numbers.
func TestNaturally(t *testing.T) {
	for _, want := range [][]string{
		{"n2", "n10"},
		{"n2", "n02x"},
		{"n", "n1"},
		{"a", "b"},
		{"run9b", "run9c", "run10a"},
		{"1", "2", "10"},
		{"n007", "n8"},
		{"n1", "na"},
	} {
		got := slices.SortedFunc(slices.Values(want), naturally)
		back := slices.Clone(want)
		slices.Reverse(back)
		if slices.SortStableFunc(back, naturally); !slices.Equal(got, want) || !slices.Equal(back, want) {
			t.Errorf("%v and %v, want %v", got, back, want)
		}
	}
	if naturally("n01", "n01") != 0 {
		t.Error("a name differs from itself")
	}
}

// TestEachRun checks the names of the runs, and which files belong to each run.
func TestEachRun(t *testing.T) {
	const measured, other, unmeasured, props = "alpha\nk 512 50 -\n", "alpha\nk 512 60 -\n", "alpha\nk 512 - -\n", "beta\nprops k - 128\n"
	dir := write(t, map[string]string{
		"x/run/a.csv": measured, "y/run/a.csv": other,
		"repeats/n2.csv": measured, "repeats/n10.csv": other, "repeats/p.txt": props, "repeats/job.sh": "make\n",
		"counted/1.csv": measured, "counted/2.csv": other, "counted/3.csv": unmeasured,
	})
	for _, c := range []struct {
		reason string
		paths  []string
		want   []string
	}{
		{"two folders of the same name are numbered", []string{"x/run", "y/run"},
			[]string{"run: k 512 50 - (a.csv)", "run-2: k 512 60 - (a.csv)"}},
		{"a folder with one run", []string{"x"}, []string{"run: k 512 50 - (a.csv)"}},
		{"a file has its own name", []string{"x/run/a.csv"}, []string{"a.csv: k 512 50 - (a.csv)"}},
		{"repeats have the names of their files, in the order of their numbers, and share the properties", []string{"repeats"},
			[]string{"n2.csv: k 512 50 128 (n2.csv, p.txt)", "n10.csv: k 512 60 128 (n10.csv, p.txt)"}},
		{"an export without counters does not identify its run", []string{"counted"},
			[]string{"1.csv: k 512 50 - (1.csv)! run-not-used", "2.csv: k 512 60 - (2.csv)"}},
	} {
		var paths, got []string
		for _, p := range c.paths {
			paths = append(paths, filepath.Join(dir, p))
		}
		opt := Options{Formats: testFormats}
		err := EachRun(paths, testFormats, func(paths []string) ([]*Run, error) { return ReadRuns(t.Context(), paths, opt) },
			func(name string, run *Run) error {
				var files []string
				for _, in := range run.Inputs {
					files = append(files, filepath.Base(in.Path))
				}
				text := name + ": " + strings.TrimSpace(rows(run)) + " (" + strings.Join(files, ", ") + ")"
				for _, n := range run.Notes {
					text += "! " + n.Code
				}
				got = append(got, text)
				return nil
			})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

// TestSameFileTwice checks that a run has a file once if several paths contain
// it.
func TestSameFileTwice(t *testing.T) {
	dir := write(t, map[string]string{"run/a.csv": "alpha\nk 512 50 -\n", "run/b.csv": "alpha\nk 512 - 128\n"})
	for _, paths := range [][]string{{"run/a.csv", "run/a.csv", "run/b.csv"}, {"run", "run/a.csv"}, {"run/b.csv", "run"}} {
		run, err := read(dir, paths...)
		if err != nil || len(run.Inputs) != 2 || rows(run) != "k 512 50 128\n" {
			t.Errorf("%v: %+v, %v; want two files", paths, run, err)
		}
	}
}

// TestRankOf checks which files of a folder with repeats are the repeats.
func TestRankOf(t *testing.T) {
	kernel := func(more ...func(*Run)) *Run {
		r := &Run{Inputs: make([]Input, 1), Kernels: []Kernel{{Task: "k"}}}
		for _, change := range more {
			change(r)
		}
		return r
	}
	list, _, _ := kernels("f", "task k global 64 measured 50")
	for _, c := range []struct {
		reason string
		run    *Run
		want   int
	}{
		{"an export with counters", kernel(func(r *Run) { r.Kernels = list }), measuresKernels},
		{"an export without counters", kernel(func(r *Run) { r.Inputs[0].Traits.ColumnsVary = true }), exported},
		{"a trace", kernel(), traced},
		{"a summary that names tasks", &Run{Summary: []Kernel{{Task: "k"}}}, ofTasks},
		{"a summary of the whole run", &Run{Summary: []Kernel{{Task: WholeRun}}}, ofAllRuns},
		{"a log with only a platform", &Run{}, ofAllRuns},
	} {
		if got := rankOf(c.run); got != c.want {
			t.Errorf("%s has rank %d, want %d", c.reason, got, c.want)
		}
	}
}

// TestFileNames checks which names are exports.
func TestFileNames(t *testing.T) {
	for _, c := range []struct {
		name         string
		text, export bool
	}{
		{"run.csv", true, true}, {"run.txt", true, true}, {"run.csv.gz", true, true}, {"run.txt.zst", true, true},
		{"report.html", false, true}, {"trace.json.gz", false, true}, {"run.sh", false, false}, {"csv", false, false},
	} {
		if text, export := isText(c.name), isExport(c.name); text != c.text || export != c.export {
			t.Errorf("%s: text %t, export %t", c.name, text, export)
		}
	}
}
