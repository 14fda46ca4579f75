package testenv

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Update reports whether the test must rewrite the golden files.
func Update() bool { return *update }

// Golden compares an output with a golden file. With -update, it rewrites the
// file instead, and a person must review the change.
func Golden(t testing.TB, path string, got []byte) {
	t.Helper()
	if *update {
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = os.WriteFile(path, got, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with go test -update", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (-want +got); if that is right, rewrite it with go test -update:\n%s", path,
			cmp.Diff(string(want), string(got)))
	}
}

// Made returns an input that was written for tests: the first file of
// testdata/NAME.txtar. The tests of ingest/formats check how each is read.
func Made(t testing.TB, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return string(archive.Files[0].Data)
}
