package sample

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares an output with testdata/name; the flag -update of the test rewrites the file, for a person to review.
// The flag is looked up and not declared: the test packages declare it, and a second declaration panics.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
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
