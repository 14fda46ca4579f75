package ingest

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// TestContent: the digest of the rows does not depend on how the file is
// compressed, named or laid out.
func TestContent(t *testing.T) {
	text := "alpha\nk 64 50 -\nm 64 51 -\n"
	files := map[string]string{"as it is": text, "compressed": string(compressions["gzip, members"](t, []string{text})), "other line ends": "alpha\nk 64 50 -\r\nm 64 51 -\r\n",
		"no last newline": text[:len(text)-1], "a blank line": "alpha\n\nk 64 50 -\nm 64 51 -\n", "another value": "alpha\nk 64 50.1 -\nm 64 51 -\n",
		"another name": "alpha\nK 64 50 -\nm 64 51 -\n", "another size": "alpha\nk 65 50 -\nm 64 51 -\n", "one more": text + "n 64 51 -\n",
		"a value that is absent": "alpha\nk 64 50 0\nm 64 51 -\n"}
	dir := write(t, files)
	read := func(name string, side int) Input {
		r, err := Read(context.Background(), []string{filepath.Join(dir, name)}, Options{Formats: []Format{lineFormat{"alpha"}}, Content: true, ReadOptions: ReadOptions{Result: side}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Inputs[0]
	}
	want := read("as it is", 0)
	same := map[string]bool{"as it is": true, "compressed": true, "other line ends": true, "no last newline": true, "a blank line": true}
	for name := range files {
		if got := read(name, 0); got.Content == "" || got.Digest == "" || got.Content == want.Content != same[name] {
			t.Errorf("%s: %s, as it is %s; want them the same: %v", name, got.Content, want.Content, same[name])
		}
	}
	if read("as it is", 1).Content == read("as it is", 2).Content {
		t.Error("the two sides of a file are the same run")
	}
	// What is absent is not zero, and nothing runs into its neighbor.
	a := []Kernel{{Task: "ab", Instances: unit.Some(int64(0))}, {Task: "c"}}
	for _, b := range [][]Kernel{{{Task: "ab"}, {Task: "c"}}, {{Task: "a", Instances: unit.Some(int64(0))}, {Task: "bc"}}} {
		if (&File{Kernels: a}).content() == (&File{Kernels: b}).content() {
			t.Error("two lists have one digest")
		}
	}
}

// TestContentFields finds an optional value of a Kernel that the digest does
// not have.
func TestContentFields(t *testing.T) {
	known := map[string]string{(&File{Kernels: make([]Kernel, 1)}).content(): "none"}
	for f := range reflect.TypeFor[Kernel]().Fields() {
		var k Kernel
		switch v := reflect.ValueOf(&k).Elem().FieldByIndex(f.Index).Addr().Interface().(type) {
		case *unit.Opt[int]:
			*v = unit.Some(0)
		case *unit.Opt[int64]:
			*v = unit.Some(int64(0))
		case *unit.Opt[float64]:
			*v = unit.Some(0.0)
		case *unit.Opt[unit.Bytes]:
			*v = unit.Some(unit.Bytes(0))
		case *unit.Opt[unit.Ratio]:
			*v = unit.Some(unit.Ratio(0))
		case *unit.Opt[unit.Seconds]:
			*v = unit.Some(unit.Seconds(0))
		default:
			continue
		}
		digest := (&File{Kernels: []Kernel{k}}).content()
		if known[digest] != "" {
			t.Errorf("%s and %s have one digest", f.Name, known[digest])
		}
		known[digest] = f.Name
	}
}

// TestFields finds an optional value of a Kernel that joining files does not
// know of.
func TestFields(t *testing.T) {
	own := "SIMD Mean MeasuredLow MeasuredHigh IdleLow IdleHigh Interval CounterTimeRatio" // have rules of their own
	known := strings.Fields(own)
	kernel := reflect.TypeFor[Kernel]()
	for _, f := range joinedFields {
		known = append(known, kernel.Field(f.index).Name)
	}
	for f := range kernel.Fields() {
		if strings.HasPrefix(f.Type.Name(), "Opt[") != slices.Contains(known, f.Name) {
			t.Errorf("%s is joined: %v", f.Name, slices.Contains(known, f.Name))
		}
	}
}
