package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// lineFormat returns a format for tests. A file's first line is its kind, and each
// further line is a row: task, global size, measured occupancy, SLM. "-" is
// absent.
func lineFormat(kind string) Format {
	return Format{Kind: kind, Description: "a file of " + kind, Read: readLines,
		Sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte(kind+"\n")) }}
}

func readLines(_ context.Context, src *Source, _ ReadOptions) (*File, error) {
	out := &File{Input: Input{Traits: Traits{ColumnsVary: true}}}
	sc := bufio.NewScanner(src.R)
	for n := 1; sc.Scan(); n++ {
		w := strings.Fields(sc.Text())
		if n == 1 || len(w) == 0 {
			continue
		}
		k := Kernel{Task: w[0], Pos: note.Pos{File: src.Path, Line: n}}
		k.Global, _ = unit.ParseSize(strings.Trim(w[1], "-"))
		var v float64
		if _, err := fmt.Sscan(w[2], &v); err == nil {
			k.Measured = unit.Some(unit.FromPercent(v))
		}
		if _, err := fmt.Sscan(w[3], &v); err == nil {
			k.SLM = unit.Some(unit.Bytes(v))
		}
		if w[0] == "props" {
			out.Props = append(out.Props, Kernel{Task: w[1], SLM: k.SLM})
			continue
		}
		out.Rows++
		out.Kernels = append(out.Kernels, k)
	}
	if out.Rows == 0 && out.Props == nil {
		return nil, note.Errorf("header-only", note.Pos{File: src.Path}, "run it again", "it has no rows")
	}
	return out, sc.Err()
}

var testFormats = []Format{lineFormat("alpha"), lineFormat("beta")}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns the run in the paths.
func read(dir string, names ...string) (*Run, error) {
	var paths []string
	for _, n := range names {
		paths = append(paths, filepath.Join(dir, n))
	}
	return Read(context.Background(), paths, Options{Formats: testFormats})
}

// rows returns a run's rows as text: task, global size, measured occupancy,
// SLM.
func rows(r *Run) string {
	var b strings.Builder
	for i := range r.Kernels {
		k := &r.Kernels[i]
		m, s := "-", "-"
		if v, ok := k.Measured.Value(); ok {
			m = fmt.Sprint(v.Percent())
		}
		if v, ok := k.SLM.Value(); ok {
			s = fmt.Sprint(v)
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", k.Task, k.Global, m, s)
	}
	return b.String()
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, why string
		files     map[string]string
		paths     []string
		want      string
		notes     []string
		err       string
	}{
		{"two passes", "a second pass fills missing values and adds nothing",
			map[string]string{"a": "alpha\nk 64 50 -\nj 64 - -\n", "b": "alpha\nk 64 - 16\nj 64 20 -\n"}, []string{"a", "b"},
			"k 64 50 16\nj 64 20 -\n", nil, ""},
		{"one value, twice", "equal values are not a difference", map[string]string{"a": "alpha\nk 64 50 8\n", "b": "alpha\nk 64 50 8\n"}, []string{"a", "b"},
			"k 64 50 8\n", nil, ""},
		{"the first path has priority", "and the note names both", map[string]string{"a": "alpha\nk 64 50 8\n", "b": "alpha\nk 64 50 16\n"}, []string{"b", "a"},
			"k 64 50 16\n", []string{`DIR/a:2: warning: task "k": SLM per work-group differs from the value at DIR/b:2; the first file's value is used (give the exports of one run only)`}, ""},
		{"two runs", "one key was measured twice: values are never averaged or dropped", map[string]string{"a": "alpha\nk 64 50 8\n", "b": "alpha\nk 64 51 8\n"}, []string{"a", "b"},
			"", nil, `DIR/b:2: task "k" was measured at 51.0% here and at 50.0% in DIR/a:2: these are two runs (give one export per run; to compare two runs, use 'occudiff diff OLD NEW'; to report several runs, give one folder per run)`},
		{"trailing dimensions of 1", "a tracer prints three dimensions and VTune prints one", map[string]string{"a": "alpha\nk 64 50 -\n", "b": "beta\nk 64x1x1 49 32\n"}, []string{"a", "b"},
			"k 64 50 32\n", []string{`DIR/b:2: warning: task "k": measured occupancy differs from the value at DIR/a:2; the first file's value is used (give the exports of one run only)`}, ""},
		{"launches in one file", "rows of one key in one file are launches, not columns", map[string]string{"a": "alpha\nk 64 50 -\nk 64 52 -\n"}, []string{"a"},
			"k 64 50 -\nk 64 52 -\n", nil, ""},
		{"properties", "template integers print as (int)12 in one tool and 12 in the other",
			map[string]string{"a": "alpha\nVectorAdd<(int)12> 64 50 -\n", "b": "beta\nprops VectorAdd<12> - 4096\n"}, []string{"a", "b"},
			"VectorAdd<(int)12> 64 50 4096\n", nil, ""},
		{"folder", "files that are not profiler output are listed and skipped", map[string]string{"run/a": "alpha\nk 64 50 -\n", "run/README": "hello\n", "run/deep/b": "alpha\nz 1 1 -\n"}, []string{"run"},
			"k 64 50 -\n", []string{"DIR/run/README: skipped: no profiler output"}, ""},
		{"listed", "the same if the user names them", map[string]string{"a": "alpha\nk 64 50 -\n", "README": "hello\n"}, []string{"README", "a"}, "k 64 50 -\n",
			[]string{`DIR/README: warning: skipped: not recognized as a file of alpha or a file of beta; its first line is "hello"`}, ""},
		{"one bad of two", "an unusable file is an error note if another file is usable", map[string]string{"a": "alpha\nk 64 50 -\n", "b": "alpha\n"}, []string{"a", "b"},
			"k 64 50 -\n", []string{"DIR/b: error: it has no rows (run it again)"}, ""},
		{"twice the same path", "is read once", map[string]string{"a": "alpha\nk 64 50 -\n"}, []string{"a", "a"}, "k 64 50 -\n", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.files)
			r, err := read(dir, c.paths...)
			if got := errText(err, dir); got != c.err {
				t.Fatalf("%s: error\n%s\nwant\n%s", c.why, got, c.err)
			}
			if err != nil {
				return
			}
			if d := cmp.Diff(c.want, rows(r)); d != "" {
				t.Errorf("%s (-want +got)\n%s", c.why, d)
			}
			var notes []string
			for _, n := range r.Notes {
				notes = append(notes, strings.ReplaceAll(n.String(), dir, "DIR"))
			}
			if d := cmp.Diff(c.notes, notes); d != "" {
				t.Errorf("%s: notes (-want +got)\n%s", c.why, d)
			}
		})
	}
}

func errText(err error, dir string) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), dir, "DIR")
}

// TestUnusable checks the messages for paths that cannot be used.
func TestUnusable(t *testing.T) {
	const hint = "(" + exportHint + ")"
	files := map[string]string{"empty": "", "blank": "\n \n", "text": "hello there\n", "zip": "PK\x03\x04rest", "noise": "\x00\x01\x00\x02\x00\x00",
		"header": "alpha\n", "dir/README": "hello\n", "kernel.cl": "__kernel void k() {}\n", "result/r000.vtune": "x", "truncated.gz": "\x1f\x8b\x08\x00",
		// Other tools' outputs, according to their sources and manuals.
		"hw.csv":    "Function\tHardware Event Count:INST_RETIRED.ANY\tModule\nmain\t123\ta.out\n",
		"sysmon":    "====\nGPU 0: Intel(R) Iris(R) Plus Graphics 655 [0x3ea5]    PCI bus: 0000:00:02.0\nEU Count: 48    Threads per EU: 7    EU SIMD Width: 8\n",
		"xmx.json":  `{"ts":1,"XVE_INST_EXECUTED_XMX_FP16":0}` + "\n",
		"run.ipynb": `{"cells": [{"cell_type": "code", "outputs": [{"text": ["hello there\n"]}]}]}`}
	dir := write(t, files)
	if err := os.Mkdir(filepath.Join(dir, "void"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"empty":  "the file is empty; expected a file of alpha or a file of beta (the collection or the export failed: run it again and look at what vtune printed)",
		"blank":  "the file is empty; expected a file of alpha or a file of beta (the collection or the export failed: run it again and look at what vtune printed)",
		"text":   `not recognized as a file of alpha or a file of beta; its first line is "hello there" ` + hint,
		"hw.csv": "this is VTune's report of hardware events (hw-events), which counts events by function and contains no occupancy of a kernel " + hint,
		"sysmon": "this is the output of sysmon, which lists GPUs and the processes on them, but no kernels (take " +
			"the name of the GPU from it for " +
			"--device, and trace the program with: unitrace -d -v -q -o report.txt ./program)",
		"xmx.json": "this is a capture of xmxmon, which samples the counters of a whole GPU and names no kernel (measure the program's kernels " +
			"with: unitrace -d -v -q -o report.txt ./program)",
		"run.ipynb": `the outputs of this notebook: not recognized as a file of alpha or a file of beta; its first line is "hello there" ` + hint,
		"zip":       "this is a zip archive or an Office document; expected a file of alpha or a file of beta " + hint,
		"noise":     "this is a binary file; expected a file of alpha or a file of beta " + hint,
		"header":    "it has no rows (run it again)",
		"missing":   "no such file (check the path)",
		"texx":      "no such file; did you mean DIR/text? (check the path)",
		"kernel.cl": "this is the source of kernels, which contains no run (predict its kernels with 'occudiff predict', or " +
			"give the export of their run)",
		"dir":          "nothing here is profiler output " + hint,
		"void":         "the folder contains no files " + hint,
		"result":       "this is a VTune result folder, not an export (" + strings.Replace(exportHint, "RESULT_DIR", "DIR/result", 1) + ")",
		"truncated.gz": "the compressed file is cut off before any text (copy or compress it again)",
	} {
		_, err := read(dir, name)
		if got := errText(err, dir); got != "DIR/"+name+": "+want {
			t.Errorf("%s:\n got %s\nwant DIR/%s: %s", name, got, name, want)
		}
	}
}

// TestOpenError checks the messages for files that cannot be opened.
func TestOpenError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fs.ErrPermission, "a.csv: may not be read: permission denied (check its permissions)"},
		{errors.New("disk failure"), "a.csv: cannot be read: disk failure"},
	} {
		if got := openError("a.csv", c.err).Error(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestNearestName checks which file is suggested for a missing path: the most
// similar one, with at most two changed letters and at most one in three.
func TestNearestName(t *testing.T) {
	dir := write(t, map[string]string{"run-old.csv": "", "run-new.csv": "", "ab": "", "abcdef": ""}) + string(filepath.Separator)
	for name, want := range map[string]string{"run-nev.csv": "run-new.csv", "RUN-OLD.CSV": "run-old.csv", "run-now.csv": "run-new.csv",
		"run-xxx.csv": "", "xb": "", "abxdef": "abcdef", "abxxef": "abcdef", "abxxxf": "", "abcdefgh": "abcdef"} {
		got := strings.TrimPrefix(nearestName(dir+name), "; did you mean "+dir)
		if strings.TrimSuffix(got, "?") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestIsNotebook checks which texts are notebooks, including the form before
// version 4, which has worksheets.
func TestIsNotebook(t *testing.T) {
	for text, want := range map[string]bool{`{"cells": [{"cell_type": "code"}]}`: true, `{"worksheets": [{"cell_type": "code"}]}`: true,
		"\ufeff\n {\"cells\": [{\"cell_type\": \"code\"}]}": true, `{"cells": []}`: false, `{"cell_type": "code"}`: false,
		`["cells", "cell_type"]`: false} {
		if got := isNotebook([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestCompressed reads gzip and zstd files and standard input, which are
// detected by content. The digests belong to the compressed bytes.
func TestCompressed(t *testing.T) {
	const text = "alpha\nk 64 50 -\n"
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write([]byte(text))
	g.Close()
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte(text))
	z.Close()
	dir := write(t, map[string]string{"plain": text, "a.gz": gz.String(), "b": zs.String()})
	digests := map[string]bool{}
	for _, name := range []string{"plain", "a.gz", "b"} {
		r, err := read(dir, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := rows(r); got != "k 64 50 -\n" {
			t.Errorf("%s: %q", name, got)
		}
		digests[r.Inputs[0].Digest] = true
	}
	if len(digests) != 3 {
		t.Errorf("digests must be computed before decompression: %v", digests)
	}
	r, err := Read(context.Background(), []string{"-"}, Options{Formats: testFormats, Stdin: &gz})
	if err != nil || rows(r) != "k 64 50 -\n" {
		t.Errorf("standard input: %v", err)
	}
	// The text's SHA-256 according to sha256sum.
	r, _ = read(dir, "plain")
	if got := r.Inputs[0].Digest; got != "sha256:"+sumPlain {
		t.Errorf("digest %s", got)
	}
}

// half is a format that reads only the first part.
var half = Format{Kind: "half", Sniff: func([]byte) bool { return true },
	Read: func(_ context.Context, src *Source, opt ReadOptions) (*File, error) {
		_, err := io.CopyN(io.Discard, src.R, src.Size/2)
		if !opt.Hash {
			err = errors.New("no digest was requested")
		}
		return &File{}, err
	}}

// TestLargeDigest checks that a large file whose format computes no digest is
// hashed completely.
func TestLargeDigest(t *testing.T) {
	text := strings.Repeat("text\n", 50_000)
	sum := sha256.New()
	src := &Source{Path: "f", Size: int64(len(text)), At: strings.NewReader(text), R: bufio.NewReaderSize(io.TeeReader(strings.NewReader(text), sum), sniffSize)}
	in, err := readSource(context.Background(), src, sum, Options{Formats: []Format{half}})
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); err != nil || in.Digest != want {
		t.Errorf("digest %s, error %v; want %s", in.Digest, err, want)
	}
}

// TestUTF16 reads redirected output from Windows PowerShell.
func TestUTF16(t *testing.T) {
	encode := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	const text = "alpha\nk\u00e4\U0001f600 64 50 -\n"
	little := encode(binary.LittleEndian, text)
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write([]byte(little))
	g.Close()
	dir := write(t, map[string]string{"plain": text, "little": little, "big": encode(binary.BigEndian, text), "gz": gz.String(),
		"half": little[:len(little)-1], "alone": encode(binary.LittleEndian, "hello\n")})
	for _, name := range []string{"plain", "little", "big", "gz"} {
		r, err := read(dir, name)
		if err != nil || rows(r) != "k\u00e4\U0001f600 64 50 -\n" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r, err := read(dir, "half"); err != nil || r.Inputs[0].Rows != 1 {
		t.Errorf("half of the last line end is missing: %v", err)
	}
	if _, err := read(dir, "alone"); err == nil || !strings.Contains(err.Error(), `its first line is "hello"`) {
		t.Errorf("no profiler's: %v", err)
	}
}

// sumPlain is the output of sha256sum for the plain text of TestCompressed.
const sumPlain = "8c8a58359470c70cd42fd5f7308cb7b71efbb10d95bb1de94b0db0ac09b5a118"

// noting returns a format that calls a function before it reads a file.
func noting(before func(path string)) Format {
	f := lineFormat("alpha")
	f.Read = func(ctx context.Context, src *Source, opt ReadOptions) (*File, error) {
		before(src.Path)
		return readLines(ctx, src, opt)
	}
	return f
}

// TestDigestOfReplacedFile checks that a file that is replaced while it is read
// gets the parsed bytes' digest.
func TestDigestOfReplacedFile(t *testing.T) {
	dir := write(t, map[string]string{"run": "alpha\nk 64 50 -\n", "new": "alpha\nk 64 10 -\n"})
	path := filepath.Join(dir, "run")
	f := noting(func(string) {
		if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
			t.Error(err)
		}
	})
	r, err := Read(context.Background(), []string{path}, Options{Formats: []Format{f}})
	if err != nil || rows(r) != "k 64 50 -\n" || r.Inputs[0].Digest != "sha256:"+sumPlain {
		t.Errorf("error %v, rows %q, digest %s", err, rows(r), r.Inputs[0].Digest)
	}
}

// TestWholeRun checks that a summary with an occupancy and without tasks
// becomes a row, but not if another file names tasks.
func TestWholeRun(t *testing.T) {
	platform := Platform{Occupancy: unit.Some[unit.Ratio](0.5), OccupancyPos: note.Pos{File: "s", Line: 3}, GPUTime: unit.Some[unit.Seconds](2)}
	for _, c := range []struct {
		reason string
		file   File
		want   string
	}{
		{"only a platform", File{Platform: platform}, WholeRun},
		{"a task of a summary", File{Platform: platform, Summary: []Kernel{{Task: "k"}}}, "k"},
		{"a log timing", File{Platform: platform, Timings: []Timing{{Kernel: "k"}}}, ""},
		{"a kernel of an export", File{Platform: platform, Kernels: []Kernel{{Task: "k"}}}, ""},
		{"no occupancy", File{}, ""},
	} {
		run, err := Join([]File{c.file})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, k := range run.Summary {
			got += k.Task
			if k.Task == WholeRun && (k.Pos.Line != 3 || k.Total.Or(0) != 2 || k.Measured.Or(0) != 0.5) {
				t.Errorf("%s: %+v", c.reason, k)
			}
		}
		if got != c.want {
			t.Errorf("%s: the summary contains %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestRuns checks how paths are split into runs.
func TestRuns(t *testing.T) {
	dir := write(t, map[string]string{"a/x": "alpha\n", "b/x": "alpha\n", "c/README": "hello\n", "README": "hello\n", "one/x": "alpha\n", "one/deep/x": "alpha\n"})
	in := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return paths
	}
	for _, c := range []struct {
		reason string
		paths  []string
		want   [][]string
	}{
		{"a folder of folders; files that are not profiler output are listed with the first run", in(""),
			[][]string{in("a", "README", "c"), in("b"), in("one")}},
		{"each folder is a run", in("a", "b"), [][]string{in("a"), in("b")}},
		{"files next to folders are one run", in("a", "b/x"), [][]string{in("a", "b/x")}},
		{"a folder that contains files itself", in("one"), [][]string{in("one")}},
		{"nothing usable", in("c"), [][]string{in("c")}},
	} {
		if d := cmp.Diff(c.want, Runs(c.paths, testFormats)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestStalls joins stall reasons with a kernel that has one launch size, a
// kernel that has two, and a name that no export has.
func TestStalls(t *testing.T) {
	list, _, _ := kernels("f1", "task A global 64 measured 50\ntask B global 64 measured 50\ntask B global 128 measured 50")
	only := func(reason string) []Stall { return []Stall{{Reason: reason, Share: 1}} }
	list[1].Counters = &Counters{Stalls: only("Barrier")} // from the export, which has one per row
	run, err := Join([]File{{Kernels: list}, {Stalls: []TaskStalls{
		{Task: "A", Stalls: only("Sbid")}, {Task: "B", Stalls: only("Send")}, {Task: "C", Stalls: only("Send")}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range run.Kernels {
		k := &run.Kernels[i]
		text := k.Task
		if k.Counters != nil {
			text += " " + k.Counters.Stalls[0].Reason
		}
		got = append(got, text)
	}
	for _, n := range run.Notes {
		got = append(got, n.Code)
	}
	if want := "A Sbid, B Barrier, B, stalls-of-several"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestReadRuns reads a folder with repeats, which is recognized only after its
// files were joined. Each file must be read once, and each run must be the same
// as if only its files had been read.
func TestReadRuns(t *testing.T) {
	dir := write(t, map[string]string{
		"repeats/1.csv":     "alpha\nk 512 50 -\n",
		"repeats/2.csv":     "alpha\nk 512 60 -\nl 256 10 -\n",
		"repeats/props.txt": "beta\nprops k - 128\n",
		"repeats/run.sh":    "make\n",
	})
	reads := map[string]int{}
	count := noting(func(path string) { reads[filepath.Base(path)]++ })
	opt := Options{Formats: []Format{count, lineFormat("beta")}}
	path := func(names ...string) (list []string) {
		for _, name := range names {
			list = append(list, filepath.Join(dir, "repeats", name))
		}
		return list
	}
	runs, err := ReadRuns(t.Context(), path(""), opt)
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if d := cmp.Diff(map[string]int{"1.csv": 1, "2.csv": 1}, reads); d != "" {
		t.Errorf("reads of each file: %s", d)
	}
	all := cmp.Exporter(func(reflect.Type) bool { return true })
	for i, run := range runs {
		want, err := Read(t.Context(), path(fmt.Sprintf("%d.csv", i+1), "props.txt"), opt)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Kernels, run.Kernels, all); d != "" {
			t.Errorf("run %d: %s", i+1, d)
		}
	}
}
