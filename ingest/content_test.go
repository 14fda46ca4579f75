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

// TestContent checks that the row digest does not depend on the compression,
// the name, or the file's layout.
func TestContent(t *testing.T) {
	text := "alpha\nk 64 50 -\nm 64 51 -\n"
	files := map[string]string{"unchanged": text, "compressed": string(compressions["gzip, members"](t, []string{text})), "other line ends": "alpha\nk 64 50 -\r\nm 64 51 -\r\n",
		"no last newline": text[:len(text)-1], "a blank line": "alpha\n\nk 64 50 -\nm 64 51 -\n", "another value": "alpha\nk 64 50.1 -\nm 64 51 -\n",
		"another name": "alpha\nK 64 50 -\nm 64 51 -\n", "another size": "alpha\nk 65 50 -\nm 64 51 -\n", "one more": text + "n 64 51 -\n",
		"a value that is absent": "alpha\nk 64 50 0\nm 64 51 -\n"}
	dir := write(t, files)
	read := func(name string, side int) Input {
		r, err := Read(context.Background(), []string{filepath.Join(dir, name)}, Options{Formats: []Format{lineFormat("alpha")}, Content: true, ReadOptions: ReadOptions{Result: side}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Inputs[0]
	}
	want := read("unchanged", 0)
	same := map[string]bool{"unchanged": true, "compressed": true, "other line ends": true, "no last newline": true, "a blank line": true}
	for name := range files {
		if got := read(name, 0); got.Content == "" || got.Digest == "" || got.Content == want.Content != same[name] {
			t.Errorf("%s: %s, unchanged %s; want equal: %v", name, got.Content, want.Content, same[name])
		}
	}
	if read("unchanged", 1).Content == read("unchanged", 2).Content {
		t.Error("the two results of a file have the same digest")
	}
	if one := (&File{Further: []*File{{Kernels: []Kernel{{Task: "k"}}}}}); one.content() == (&File{}).content() {
		t.Error("a further export of a file is not part of the digest")
	}
	// An absent value is not zero, and adjacent values are kept apart.
	a := []Kernel{{Task: "ab", Instances: unit.Some(int64(0))}, {Task: "c"}}
	for _, b := range [][]Kernel{{{Task: "ab"}, {Task: "c"}}, {{Task: "a", Instances: unit.Some(int64(0))}, {Task: "bc"}}} {
		if (&File{Kernels: a}).content() == (&File{Kernels: b}).content() {
			t.Error("two different lists have the same digest")
		}
	}
}

// TestContentFields finds an optional field of Kernel that the digest does not
// include.
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
			t.Errorf("%s and %s have the same digest", f.Name, known[digest])
		}
		known[digest] = f.Name
	}
}

// TestFields finds an optional field of Kernel that is not joined when files
// are joined.
func TestFields(t *testing.T) {
	// joined by separate rules
	own := "SIMD Mean MeasuredLow MeasuredHigh IdleLow IdleHigh Interval CounterTimeRatio"
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
