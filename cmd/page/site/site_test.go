package site

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"occudiff/internal/testenv"
)

// mostBytes is the limit of the whole file: 4 MB of 1,024 x 1,024 bytes.
const mostBytes = 4 << 20

// TestFile checks the properties of the page's file that need no browser.
func TestFile(t *testing.T) {
	testenv.Long(t) // compiling the page
	html, err := Compile(context.Background(), "../../..", "v0.0.0-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(html))
	if len(html) > mostBytes {
		t.Errorf("%d bytes, more than %d", len(html), mostBytes)
	}
	for _, want := range []string{"default-src 'none'", "connect-src 'none'", "form-action 'none'", "worker-src blob:"} {
		if !strings.Contains(html, want) {
			t.Errorf("the content security policy lacks %s", want)
		}
	}
	shell, _, _ := strings.Cut(html, `<script type="text/plain"`)
	for _, never := range []string{"unsafe-inline", " 'unsafe-eval'", "src=\"http", "href=\"http", "import("} {
		if strings.Contains(shell, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

// TestProgramDecodes checks that the program in the page can be decoded, with
// the same algorithm as in the page's script.
func TestProgramDecodes(t *testing.T) {
	noise := make([]byte, 500_000)
	random := rand.NewChaCha8([32]byte{})
	random.Read(noise)
	for _, c := range []struct {
		why, data string
		parts     int
	}{
		{"nothing", "", 1},
		{"a byte", "a", 1},
		{"what HTML changes", "\x00\r<\xff" + strings.Repeat("\x00\x0d\x3c\x80", 999), 1},
		{"seven bytes", "seven b", 1},
		{"eight bytes", "eight by", 1},
		{"several pieces", string(noise), 3},
	} {
		rest, err := write([]byte(c.data), "glue")
		if err != nil {
			t.Fatal(err)
		}
		var plain []byte
		parts := 0
		for {
			_, after, found := strings.Cut(rest, `<script type="text/plain"`)
			if !found {
				break
			}
			attributes, after, _ := strings.Cut(after, ">")
			text, after, _ := strings.Cut(after, "</script><script>occudiff.feed()</script>")
			rest, parts = after, parts+1
			if strings.ContainsAny(text, "\x00\r<") {
				t.Errorf("%s: a character that HTML changes", c.why)
			}
			if last := !strings.Contains(rest, `"text/plain"`); last != (attributes == " data-last") {
				t.Errorf("%s: piece %d has %q", c.why, parts, attributes)
			}
			held, bits := 0, 0
			for _, r := range text {
				held, bits = held<<7|int(r&127), bits+7
				if bits >= 8 {
					bits -= 8
					plain = append(plain, byte(held>>bits))
					held &= 1<<bits - 1
				}
			}
		}
		if parts != c.parts {
			t.Errorf("%s: %d pieces, want %d", c.why, parts, c.parts)
		}
		r, err := zstd.NewReader(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != c.data {
			t.Errorf("%s came back as %d bytes, %v", c.why, len(got), err)
		}
	}
}

func TestNoSources(t *testing.T) {
	if got := Sources(t.TempDir()); got != "" {
		t.Errorf("sources of a folder outside any checkout: %s", got)
	}
}
