package formats_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/internal/testenv"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestFixtures checks the content read from the built-in inputs.
func TestFixtures(t *testing.T) {
	for _, name := range []string{"gen9_vec_add.hotspots.csv", "gen9_vec_add.log", "max1100_mix.hotspots.csv"} {
		golden(t, filepath.Join("..", "..", "fixtures", name), filepath.Join("testdata", "fixtures", name+".golden"))
	}
}

// TestCorpus checks the content read from each real file, or why the file is
// rejected. With -update, it removes the golden of a file that no longer
// exists.
func TestCorpus(t *testing.T) {
	corpus := testenv.Shared(t, "corpus")
	stale, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(corpus, "*", "*"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		file := filepath.Join("testdata", filepath.Base(path)+".golden")
		stale = slices.DeleteFunc(stale, func(s string) bool { return s == file })
		golden(t, path, file)
	}
	if len(stale) > 0 {
		t.Errorf("goldens without a file: %s", stale)
	}
}

// TestHandwrittenInputs checks the content read from the handwritten inputs next to each
// format. Each archive begins with the reason for the case and contains the
// input and the expected result. The test reads each input once as a whole and
// once byte by byte.
func TestHandwrittenInputs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "*", "testdata", "*.txtar"))
	if err != nil || len(paths) < 28 {
		t.Fatalf("%d archives, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) == 0 || archive.Files[0].Name != "input" {
				t.Fatalf("%v, want a file named input first", err)
			}
			input := archive.Files[0].Data
			got := understood(t, "f", input, bytes.NewReader(input))
			if testenv.Update() {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(archive.Files) != 2 {
				t.Fatal("want the files input and want (go test -update writes the second)")
			}
			slow := understood(t, "f", input, iotest.OneByteReader(bytes.NewReader(input)))
			for name, got := range map[string]string{"": got, ", byte by byte": slow} {
				if d := cmp.Diff(string(archive.Files[1].Data), got); d != "" {
					t.Errorf("%s%s (-want +got; go test -update accepts it):\n%s", archive.Comment, name, d)
				}
			}
		})
	}
}

// golden compares the content read from a file with a golden file.
func golden(t *testing.T, path, file string) {
	t.Run(filepath.Base(path), func(t *testing.T) { testenv.Golden(t, file, []byte(understoodAt(t, path))) })
}

// understoodAt returns the content that the first format that recognizes a file
// or folder reads from it, before files are joined into runs.
func understoodAt(t *testing.T, path string) string {
	t.Helper()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		for _, format := range formats.All() {
			if format.ReadFolder != nil {
				f, err := format.ReadFolder(context.Background(), os.DirFS(path), filepath.Base(path),
					ingest.ReadOptions{})
				return said(format, f, err)
			}
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return understood(t, filepath.Base(path), data, bytes.NewReader(data))
}

// understood returns the content read from a file's bytes. The reader r returns
// the same bytes.
func understood(t *testing.T, name string, data []byte, r io.Reader) string {
	t.Helper()
	for _, format := range formats.All() {
		if format.Sniff(data[:min(len(data), 64<<10)]) { // package ingest passes this many bytes to Sniff
			src := &ingest.Source{Path: name, Size: int64(len(data)), At: bytes.NewReader(data), R: r}
			f, err := format.Read(context.Background(), src, ingest.ReadOptions{})
			return said(format, f, err)
		}
	}
	return "no format\n"
}

func said(format ingest.Format, f *ingest.File, err error) string {
	if err != nil {
		return format.Kind + "\n" + err.Error() + "\n"
	}
	return format.Kind + "\n" + describe(f)
}
