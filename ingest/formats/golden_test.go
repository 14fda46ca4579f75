package formats_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/ingest/internal/ingesttest"
	"occudiff/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestFixtures keeps what is understood of the built-in inputs.
func TestFixtures(t *testing.T) {
	for _, name := range []string{"gen9_vec_add.hotspots.csv", "gen9_vec_add.log", "max1100_mix.hotspots.csv"} {
		golden(t, filepath.Join("..", "..", "fixtures", name), filepath.Join("testdata", "fixtures", name+".golden"))
	}
}

// TestCorpus keeps what is understood of each real file, or why it is refused. A golden of a file that is gone is removed.
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
		t.Errorf("of files that are gone: %s", stale)
	}
}

// golden holds what is understood of a file against another file, or writes that with -update.
func golden(t *testing.T, path, file string) {
	t.Run(filepath.Base(path), func(t *testing.T) {
		got := understood(t, path)
		if *update {
			err := os.MkdirAll(filepath.Dir(file), 0o755)
			if err == nil {
				err = os.WriteFile(file, []byte(got), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got; go test -update accepts it):\n%s", file, d)
		}
	})
}

// understood prints what the first format that knows a file or folder makes of it, without the joining that follows.
func understood(t *testing.T, path string) string {
	t.Helper()
	var f *ingest.File
	var kind string
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		i := slices.IndexFunc(formats.All(), func(f ingest.Format) bool { _, ok := f.(ingest.FolderReader); return ok })
		kind = formats.All()[i].Kind()
		f, err = formats.All()[i].(ingest.FolderReader).ReadFolder(context.Background(), os.DirFS(path), filepath.Base(path), ingest.ReadOptions{})
	} else {
		data, rerr := os.ReadFile(path)
		if rerr != nil {
			t.Fatal(rerr)
		}
		// As much as package ingest shows a format of a file.
		i := slices.IndexFunc(formats.All(), func(f ingest.Format) bool { return f.Sniff(data[:min(len(data), 64<<10)]) })
		if i < 0 {
			return "no format\n"
		}
		kind = formats.All()[i].Kind()
		f, err = formats.All()[i].Read(context.Background(), &ingest.Source{Path: filepath.Base(path), Size: int64(len(data)),
			At: bytes.NewReader(data), R: bytes.NewReader(data)}, ingest.ReadOptions{})
	}
	if err != nil {
		return kind + "\n" + err.Error() + "\n"
	}
	return kind + "\n" + ingesttest.Describe(f)
}
