package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"occudiff/ingest/note"
)

// compressions compress a text in pieces: each piece is a block, a member, or a
// frame.
var compressions = map[string]func(t *testing.T, pieces []string) []byte{
	"gzip, flushed": func(t *testing.T, pieces []string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for _, p := range pieces {
			io.WriteString(z, p)
			z.Flush()
		}
		z.Close()
		return b.Bytes()
	},
	"gzip, members": func(t *testing.T, pieces []string) []byte {
		var b bytes.Buffer
		for _, p := range pieces {
			z := gzip.NewWriter(&b)
			io.WriteString(z, p)
			z.Close()
		}
		return b.Bytes()
	},
	"zstd, flushed": func(t *testing.T, pieces []string) []byte {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			io.WriteString(z, p)
			z.Flush()
		}
		z.Close()
		return b.Bytes()
	},
	"zstd, frames": func(t *testing.T, pieces []string) []byte {
		z, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, p := range pieces {
			all = z.EncodeAll([]byte(p), all)
		}
		return all
	},
}

// pieces returns a run in four pieces of complete lines, and the expected
// result.
func pieces() (parts []string, want string) {
	parts = []string{"alpha\n"}
	for p := range 3 {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, "kernel%d 64 %d -\n", p*100+i, (p*37+i*7)%100)
		}
		parts = append(parts, b.String())
		want += b.String()
	}
	return parts, want
}

// TestCutOff truncates compressed runs at every byte. None is used, and the
// error contains the position up to which the file is complete. If the cut is
// between two members or frames, the truncation cannot be detected.
func TestCutOff(t *testing.T) {
	t.Parallel()
	parts, want := pieces()
	path := filepath.Join(t.TempDir(), "run")
	for name, compress := range compressions {
		whole := compress(t, parts)
		ends := map[int]bool{len(whole): true}
		if strings.Contains(name, "members") || strings.Contains(name, "frames") {
			for i := range parts {
				ends[len(compress(t, parts[:i]))] = true
			}
		}
		for n := 4; n <= len(whole); n++ {
			if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			run, err := Read(context.Background(), []string{path}, Options{Formats: testFormats})
			var f *note.InputError
			switch {
			case n == len(whole):
				if err != nil || rows(run) != want {
					t.Errorf("%s, whole: %v", name, err)
				}
			case ends[n]:
			case !errors.As(err, &f) || f.Code != codeDamaged || f.Pos.File != path || !strings.Contains(f.Text, "is cut off "):
				t.Errorf("%s, %d of %d bytes: error %v, want one with the position of the cut", name, n, len(whole), err)
			}
		}
	}
}

// TestCutOffPlace checks the message for a truncated run.
func TestCutOffPlace(t *testing.T) {
	parts, _ := pieces()
	whole := compressions["gzip, flushed"](t, parts)
	// The compressed end is the same bytes, then the end of the stream: 5 bytes
	// and the checksum.
	start := compressions["gzip, flushed"](t, parts[:2])
	dir := write(t, map[string]string{"run.gz": string(whole[:len(start)-13]), "damp.gz": string(whole[:len(whole)-8]) + "checksum"})
	for name, want := range map[string]string{
		"run.gz": "DIR/run.gz: the compressed file is cut off after 198 bytes of text, in line 14 (copy or compress it again)",
		"damp.gz": "DIR/damp.gz: the compressed file is damaged: its checksum does not match the decompressed data " +
			"after 626 bytes of text, in line 38 (copy or compress it again)",
	} {
		if _, err := read(dir, name); errText(err, dir) != want {
			t.Errorf("got  %s\nwant %s", errText(err, dir), want)
		}
	}
}

// TestBytesAfterTheEnd adds bytes after a complete compressed run. Padding is ignored.
// Other bytes are not reported as a truncated run.
func TestBytesAfterTheEnd(t *testing.T) {
	parts, want := pieces()
	for name, compress := range compressions {
		if !strings.HasPrefix(name, "gzip") {
			continue
		}
		whole := string(compress(t, parts))
		dir := write(t, map[string]string{"zeros": whole + strings.Repeat("\x00", 10240), "text": whole + "end of tape\n", "one": whole + "\n"})
		if run, err := read(dir, "zeros"); err != nil || rows(run) != want {
			t.Errorf("%s: %v", name, err)
		}
		for _, file := range []string{"text", "one"} {
			const fault = ": bytes that are not gzip follow the end of the compressed file, after 626 bytes of text, in line 38 " +
				"(if the file is complete without them, unpack it with 'gzip -dc', which ignores them)"
			if _, err := read(dir, file); errText(err, dir) != "DIR/"+file+fault {
				t.Errorf("%s: %v", name, errText(err, dir))
			}
		}
	}
}

// TestLineEnds reads text whose lines end with CR, or with a mixture that has
// only CR in its first 64 KiB.
func TestLineEnds(t *testing.T) {
	parts, want := pieces()
	text := strings.Join(parts, "")
	cr := strings.ReplaceAll(text, "\n", "\r")
	dir := write(t, map[string]string{"cr": cr,
		"mixed": strings.Replace(text, "\n", "\r"+strings.Repeat(" \r", 40<<10), 1)})
	for _, name := range []string{"cr", "mixed"} {
		if run, err := read(dir, name); err != nil || rows(run) != want {
			t.Fatalf("%s: %v", name, err)
		}
	}
	// A part with CR LF follows more than 64 KiB with CR. Each CR LF is one
	// line end.
	blank := "\r" + strings.Repeat(strings.Repeat(" ", 99)+"\r", 1<<10)
	dir = write(t, map[string]string{"cr": cr,
		"to CR LF": strings.Replace(strings.ReplaceAll(text, "\n", "\r\n"), "\r\n", blank, 1)})
	for name, want := range map[string]int{"cr": 37, "to CR LF": 1<<10 + 37} {
		run, err := read(dir, name)
		if err != nil || run.Kernels[len(run.Kernels)-1].Pos.Line != want {
			t.Errorf("%s: lines that end in CR are counted: %v", name, err)
		}
	}
}

// TestFlipped flips bits of compressed runs. If the file is still accepted, the
// run must be unchanged. A few header bits do not affect the text.
func TestFlipped(t *testing.T) {
	t.Parallel()
	parts, want := pieces()
	path := filepath.Join(t.TempDir(), "run")
	random := rand.New(rand.NewPCG(1, 2))
	for name, compress := range compressions {
		whole := compress(t, parts)
		refused := 0
		for range 400 {
			flipped := bytes.Clone(whole)
			flipped[random.IntN(len(whole))] ^= 1 << random.IntN(8)
			if err := os.WriteFile(path, flipped, 0o644); err != nil {
				t.Fatal(err)
			}
			run, err := Read(context.Background(), []string{path}, Options{Formats: testFormats})
			if err != nil {
				refused++
			} else if got := rows(run); got != want {
				t.Errorf("%s: a flipped bit changed the run:\n%s", name, got)
			}
		}
		if refused < 200 {
			t.Errorf("%s: only %d of 400 flips were rejected", name, refused)
		}
	}
}

// TestDamagedAmongOthers checks that a folder with a damaged file is rejected,
// regardless of its other files.
func TestDamagedAmongOthers(t *testing.T) {
	parts, _ := pieces()
	whole := compressions["gzip, flushed"](t, parts)
	dir := write(t, map[string]string{"run/a": "alpha\nk 64 50 -\n", "run/b.gz": string(whole[:len(whole)/2])})
	if _, err := read(dir, "run"); !note.HasCode(err, codeDamaged) {
		t.Errorf("error %v, want the damaged file", err)
	}
}
