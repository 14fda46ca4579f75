package table

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/note"
)

func all(r *Lines) []string {
	var out []string
	for r.Next() {
		out = append(out, string(r.Text))
	}
	return out
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"nothing", "", nil},
		{"the last line end may be missing", "a\nb", []string{"a", "b"}},
		{"an empty last line is not a line", "a\n\n", []string{"a", ""}},
		{"CRLF and BOM are not text; a carriage return inside a line is", "\ufeffa\r\nb\rc\r\n", []string{"a", "b\rc"}},
		{"longer than the buffer", strings.Repeat("x", 100_000) + "\ny", []string{strings.Repeat("x", 100_000), "y"}},
	} {
		r := NewLines(context.Background(), &ingest.Source{R: iotest.OneByteReader(strings.NewReader(c.text))}, ingest.ReadOptions{})
		if d := cmp.Diff(c.want, all(r)); d != "" || r.Err() != nil || r.Number != len(c.want) {
			t.Errorf("%s: line %d, error %v, (-want +got):\n%s", c.reason, r.Number, r.Err(), d)
		}
	}
}

func TestLongLine(t *testing.T) {
	text := strings.Repeat("x", 5*MaxLine) + "\nnext\n"
	r := NewLines(context.Background(), &ingest.Source{R: strings.NewReader(text)}, ingest.ReadOptions{})
	if !r.Next() || !r.Cut || len(r.Text) != MaxLine {
		t.Fatalf("cut %v at %d bytes, want at %d", r.Cut, len(r.Text), MaxLine)
	}
	if !r.Next() || r.Cut || string(r.Text) != "next" || r.Number != 2 {
		t.Fatalf("line %d %q, cut %v; want the complete next line", r.Number, r.Text, r.Cut)
	}
}

func TestLinesEnd(t *testing.T) {
	broken := errors.New("disk on fire")
	r := NewLines(context.Background(), &ingest.Source{R: io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))}, ingest.ReadOptions{})
	if got := all(r); len(got) != 1 || !errors.Is(r.Err(), broken) {
		t.Errorf("read %q, error %v; want the complete lines and the reader's error", got, r.Err())
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := int64(0)
	r = NewLines(ctx, &ingest.Source{R: strings.NewReader(strings.Repeat("line\n", 1<<20))},
		ingest.ReadOptions{Progress: func(read int64) { n = read; cancel() }})
	if got := len(all(r)); !errors.Is(r.Err(), context.Canceled) || n == 0 || int64(got) > 2*checkEvery/5 {
		t.Errorf("read %d lines after %d bytes were reported, error %v; want to stop at once", got, n, r.Err())
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		reason, raw, want string
		index, column     int
	}{
		{"plain text is unchanged", "abc", "abc", 2, 3},
		{"colors", "\x1b[1;32mabc\x1b[0m", "abc", 0, 8},
		{"NULs", "\x00a\x00b", "ab", 1, 4},
		{"a window title", "\x1b]0;title\x07ab", "ab", 0, 11},
		{"a title that ends with ESC backslash", "\x1b]0;t\x1b\\ab", "ab", 1, 9},
		{"a title without an end does not include the rest of the line", "\x1b]0;ab", "0;ab", 0, 3},
		{"a broken sequence", "\x1b[3\x01ab", "\x01ab", 1, 5},
		{"an escape at the end", "ab\x1b", "ab", 2, 4},
		{"other sequences of two bytes", "\x1b(a\x1b=b", "ab", 1, 6},
		{"colors without an end", "ab\x1b[1;3", "ab", 1, 2},
	} {
		if got := string(Plain([]byte(c.raw))); got != c.want {
			t.Errorf("%s: Plain(%q) = %q, want %q", c.reason, c.raw, got, c.want)
		}
		if got := RawColumn([]byte(c.raw), c.index); got != c.column {
			t.Errorf("%s: RawColumn(%q, %d) = %d, want %d", c.reason, c.raw, c.index, got, c.column)
		}
	}
}

func TestBadRows(t *testing.T) {
	var b BadRows
	if len(b.Notes()) != 0 {
		t.Error("notes without bad rows")
	}
	b.Add(note.Pos{File: "f", Line: 1, Column: 2}, "do", "row %d", 1)
	b.Add(note.Pos{File: "f", Line: 1, Column: 9}, "do", "the same row again")
	if n := b.Notes(); b.Count != 1 || len(n) != 1 || n[0].String() != "f:1:2: error: row 1 (do)" || n[0].Code != "bad-row" {
		t.Errorf("%d bad rows, %v", b.Count, n)
	}
	for i := range 30 {
		b.Add(note.Pos{File: "f", Line: i + 2}, "", "row")
	}
	n := b.Notes()
	if b.Count != 31 || len(n) != MaxShown+1 || n[MaxShown].String() != "f: error: 11 more bad rows, the last in line 31" {
		t.Errorf("%d bad rows, %d notes, the last %q", b.Count, len(n), n[len(n)-1])
	}
}
