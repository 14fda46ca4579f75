package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A filler is a reader with n equal bytes.
type filler struct {
	b byte
	n int
}

func (f *filler) Read(p []byte) (int, error) {
	if f.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), f.n)
	for i := range p[:n] {
		p[i] = f.b
	}
	f.n -= n
	return n, nil
}

// A repeater is a reader that repeats a string n times.
type repeater struct {
	text string
	n    int
	rest string
}

func (r *repeater) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// A counter is a Handler that keeps a short summary per row.
type counter struct {
	rows []string
}

func (c *counter) Row(r *Row) {
	line, column := r.Position(1)
	cell := r.Cell(1)
	c.rows = append(c.rows, fmt.Sprintf("line %d, %d fields, cell 1 at %d:%d, %d bytes, long %v, open %v",
		r.Line(), r.Fields, line, column, len(cell), r.Long(1), r.Open))
}

// scanAll returns a stream's row summaries by line, scanned with two threads,
// and the allocated bytes.
func scanAll(t *testing.T, in io.Reader, sel []int, columns int) (rows []string, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := New(Input{R: in}, Options{Threads: 2})
	if _, err := s.Head(); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(',', 0); err != nil {
		t.Fatal(err)
	}
	a, b := &counter{}, &counter{}
	if _, err := s.Rows(context.Background(), sel, columns, []Handler{a, b}, Break{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	rows = append(a.rows, b.rows...)
	slices.Sort(rows)
	return rows, after.TotalAlloc - before.TotalAlloc
}

func TestBoundedMemory(t *testing.T) {
	const most = 4 << 20
	for _, c := range []struct {
		reason string
		in     io.Reader
		want   []string
	}{
		{"a plain field of 100 MB is cut, and the rows before and after it are complete",
			io.MultiReader(strings.NewReader("a,b,c\nd,"), &filler{'x', 100 << 20}, strings.NewReader(",f\ng,h,i\n")), []string{
				"line 1, 3 fields, cell 1 at 1:3, 1 bytes, long false, open false",
				"line 2, 3 fields, cell 1 at 2:3, 65536 bytes, long true, open false",
				"line 3, 3 fields, cell 1 at 3:3, 1 bytes, long false, open false"}},
		{"a quoted field of 100 MB with newlines is cut, too",
			io.MultiReader(strings.NewReader("d,\""), &repeater{text: "x,\n", n: 10 << 20}, strings.NewReader("\",f\ng,h,i\n")), []string{
				"line 1, 3 fields, cell 1 at 1:3, 65536 bytes, long true, open false",
				"line 10485762, 3 fields, cell 1 at 10485762:3, 1 bytes, long false, open false"}},
		{"a field that is not selected is not stored",
			io.MultiReader(strings.NewReader("d,e,"), &filler{'x', 100 << 20}, strings.NewReader("\ng,h,i\n")), []string{
				"line 1, 3 fields, cell 1 at 1:3, 1 bytes, long false, open false",
				"line 2, 3 fields, cell 1 at 2:3, 1 bytes, long false, open false"}},
		{"five million columns",
			io.MultiReader(strings.NewReader("d,e"), &filler{',', 5_000_000}, strings.NewReader("\ng,h,i\n")), []string{
				"line 1, 5000002 fields, cell 1 at 1:3, 1 bytes, long false, open false",
				"line 2, 3 fields, cell 1 at 2:3, 1 bytes, long false, open false"}},
		{"a quote that never closes includes the rest, in bounded memory",
			io.MultiReader(strings.NewReader("a,b,c\nd,\""), &repeater{text: "x,\n", n: 10 << 20}), []string{
				"line 1, 3 fields, cell 1 at 1:3, 1 bytes, long false, open false",
				"line 2, 2 fields, cell 1 at 2:3, 65536 bytes, long true, open true"}},
		{"zero bytes only", &filler{0, 10 << 20}, []string{"line 1, 1 fields, cell 1 at 0:0, 0 bytes, long false, open false"}},
		{"newlines only", &filler{'\n', 10 << 20}, nil},
	} {
		rows, allocated := scanAll(t, c.in, []int{0, 1}, 3)
		if !slices.Equal(rows, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.reason, strings.Join(rows, "\n"), strings.Join(c.want, "\n"))
		}
		if allocated > most {
			t.Errorf("%s: %d bytes allocated, at most %d expected", c.reason, allocated, most)
		}
	}
}

// TestBlockBoundaries checks that rows, lines, and columns do not depend on the
// byte at which a block ends.
func TestBlockBoundaries(t *testing.T) {
	text := "\"h\r\n\"\"1\",h2,\"h,3\"\r\n\r\n\"\",\"\"\"\",x\n5\" disk,\"a\"b\",y\r\n\n,,\nlast,\"line\"\n\"z\"\r,\"\"\r\nno newline\r"
	want, _ := readAll(t, text, ',', 3, Options{Threads: 1}, false)
	if len(want) != 6 {
		t.Fatalf("%d rows: %+v", len(want), want)
	}
	for block := 1; block <= len(text); block++ {
		for threads := 1; threads <= 3; threads++ {
			for _, stream := range []bool{false, true} {
				for _, plain := range []bool{false, true} {
					if got, _ := readAll(t, text, ',', 3, Options{Threads: threads, Block: block, plain: plain}, stream); !equal(got, want) {
						t.Fatalf("blocks of %d, %d threads, stream %v: %+v\nwant %+v", block, threads, stream, got, want)
					}
				}
			}
		}
	}
}

func TestMasks(t *testing.T) {
	text := make([]byte, 1000)
	for i := range text {
		text[i] = byte(i * 7)
	}
	for _, delim := range []byte{',', 0, 0x80, 0xff, ' '} {
		for n := range len(text) {
			a, b := newChunk(len(text)), newChunk(len(text))
			for _, c := range []*chunk{a, b} {
				copy(c.buf, text)
				c.set(0, n)
			}
			a.mark(delim, plainMasks)
			b.mark(delim, bestMasks)
			if !slices.Equal(a.ends, b.ends) || !slices.Equal(a.lines, b.lines) || !slices.Equal(a.quotes, b.quotes) || a.count != b.count {
				t.Fatalf("masks of %d bytes for the delimiter %q differ", n, delim)
			}
		}
	}
}

// TestFields checks that the field ends are found at any density, up to 64 per
// word.
func TestFields(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for round := range 2000 {
		text := bytes.Repeat([]byte{'x'}, 1+r.Intn(1000))
		for i := range text {
			if r.Intn(1+round%12) == 0 {
				text[i] = ','
			}
			if r.Intn(200) == 0 {
				text[i] = '\n'
			}
		}
		text[len(text)-1] = '\n'
		c := newChunk(len(text))
		copy(c.buf, text)
		c.set(0, len(text))
		c.mark(',', bestMasks)
		c.resolve(0)
		best, plain := make([]uint32, len(text)+64), make([]uint32, len(text)+64)
		for from := 0; from < len(text); {
			var want []uint32
			for i := from; len(want) == 0 || text[want[len(want)-1]] != '\n'; i++ {
				if text[i] != 'x' {
					want = append(want, uint32(i))
				}
			}
			n, m := bestFields(c, from, best), plainFields(c, from, plain)
			if !slices.Equal(best[:n], want) || !slices.Equal(plain[:m], want) {
				t.Fatalf("record at %d of %q: %v, %v; want %v", from, text, best[:n], plain[:m], want)
			}
			from = int(want[n-1]) + 1
		}
	}
}

// broken is an input that fails after n bytes.
type broken struct{ n int64 }

var errBroken = errors.New("the disk is gone")

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.n {
		return 0, errBroken
	}
	return len(p), nil
}

func (b broken) Read(p []byte) (int, error) { return 0, errBroken }

func TestReadError(t *testing.T) {
	for _, in := range []Input{{At: broken{3 * blockSize}, Size: 100 * blockSize}, {R: io.MultiReader(strings.NewReader("a,b\n"), broken{})}} {
		s := New(in, Options{})
		_, err := s.Head()
		if err == nil {
			s.Begin(',', 0)
			_, err = s.Rows(context.Background(), nil, 0, []Handler{&keeper{}, &keeper{}}, Break{})
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	}
}

// TestTruncatedWhileRead checks that reading stops at a truncated file's end.
func TestTruncatedWhileRead(t *testing.T) {
	text := strings.Repeat("a,b\n", 1000)
	s := New(Input{At: strings.NewReader(text), Size: 1 << 20}, Options{Block: 128, Threads: 3})
	s.Head()
	s.Begin(',', 0)
	ks := []*keeper{{}, {}, {}}
	if _, err := s.Rows(context.Background(), nil, 2, []Handler{ks[0], ks[1], ks[2]}, Break{}); err != nil {
		t.Fatal(err)
	}
	if n := len(ks[0].rows) + len(ks[1].rows) + len(ks[2].rows); n != 1000 {
		t.Errorf("%d rows", n)
	}
}

// blocked is a reader that never returns.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }

func TestCancelBlockedReader(t *testing.T) {
	s := New(Input{R: io.MultiReader(strings.NewReader("a,b\n"), blocked{})}, Options{Block: 4})
	s.Head()
	s.Begin(',', 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Rows(ctx, nil, 2, []Handler{&keeper{}}, Break{}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestDigestAndProgress(t *testing.T) {
	text := strings.Repeat("a,b\n", 3<<20)
	digest := func(threads int, stream bool) string {
		in := Input{At: strings.NewReader(text), Size: int64(len(text))}
		if stream {
			in = Input{R: strings.NewReader(text)}
		}
		var calls []int64
		s := New(in, Options{Threads: threads, Hash: true, Progress: func(n int64) { calls = append(calls, n) }})
		s.Head()
		s.Begin(',', 0)
		hs := make([]Handler, s.Threads())
		for i := range hs {
			hs[i] = &nothing{}
		}
		if _, err := s.Rows(context.Background(), nil, 2, hs, Break{}); err != nil {
			t.Fatal(err)
		}
		if len(calls) < 2 || !slices.IsSorted(calls) || calls[len(calls)-1] != int64(len(text)) {
			t.Errorf("progress %v", calls)
		}
		return s.Digest()
	}
	want := digest(1, false)
	if len(want) != len("xxh3:")+32 {
		t.Errorf("digest %q", want)
	}
	for threads := 1; threads <= 3; threads++ {
		if got := digest(threads, true); got != want {
			t.Errorf("%d threads, stream: %s, want %s", threads, got, want)
		}
	}
	text = text[:len(text)-2] + "c\n"
	if digest(2, false) == want {
		t.Error("a different text has the same digest")
	}
}

type nothing struct{ n int }

func (h *nothing) Row(*Row) { h.n++ }
