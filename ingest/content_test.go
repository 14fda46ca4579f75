package ingest

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"occudiff/ingest/unit"
)

// TestContent: the digest of the rows does not depend on how the file is compressed, named or laid out.
func TestContent(t *testing.T) {
	text := "alpha\nk 64 50 -\nm 64 51 -\n"
	files := map[string]string{"as it is": text, "compressed": string(compressions["gzip, members"](t, []string{text})), "other line ends": "alpha\nk 64 50 -\r\nm 64 51 -\r\n",
		"no last newline": text[:len(text)-1], "a blank line": "alpha\n\nk 64 50 -\nm 64 51 -\n", "another value": "alpha\nk 64 50.1 -\nm 64 51 -\n",
		"another name": "alpha\nK 64 50 -\nm 64 51 -\n", "another size": "alpha\nk 65 50 -\nm 64 51 -\n", "one more": text + "n 64 51 -\n",
		"a value that is absent": "alpha\nk 64 50 0\nm 64 51 -\n"}
	dir := write(t, files)
	read := func(name string, side int) Input {
		r, err := Read(context.Background(), []string{filepath.Join(dir, name)}, Options{Formats: []Format{lineFormat{"alpha"}}, Content: true, ReadOptions: ReadOptions{Side: side}})
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

// TestFields finds an optional value of a Kernel that joining files, digests and messages do not know of.
func TestFields(t *testing.T) {
	known := map[uintptr]bool{}
	var k Kernel
	of := reflect.ValueOf(&k).Elem()
	for _, list := range [][]Field{kernelFields, how} {
		for _, f := range list {
			for i := range of.NumField() {
				var from, to Kernel
				v := reflect.ValueOf(&from).Elem().Field(i)
				if some := someOf(v.Interface()); some != nil {
					v.Set(reflect.ValueOf(some))
				} else {
					continue
				}
				if f.fill(&to, &from); to == from {
					known[uintptr(i)] = true
				}
			}
		}
	}
	for i := range of.NumField() {
		name := of.Type().Field(i).Name
		if optional := someOf(of.Field(i).Interface()) != nil; optional && name != "SIMD" && !known[uintptr(i)] {
			t.Errorf("%s is in no list of fields", name)
		}
	}
}

// someOf gives an optional value of a type that is there; nil of other types.
func someOf(v any) any {
	switch v.(type) {
	case unit.Opt[int]:
		return unit.Some(1)
	case unit.Opt[int64]:
		return unit.Some[int64](1)
	case unit.Opt[float64]:
		return unit.Some(1.0)
	case unit.Opt[unit.Ratio]:
		return unit.Some[unit.Ratio](1)
	case unit.Opt[unit.Seconds]:
		return unit.Some[unit.Seconds](1)
	case unit.Opt[unit.Bytes]:
		return unit.Some[unit.Bytes](1)
	}
	return nil
}
