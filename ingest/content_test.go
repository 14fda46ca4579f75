package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"path/filepath"
	"strings"
	"testing"
)

// TestContent: the digest of a text does not depend on how the file is compressed or ends its lines, nor on how it is read.
func TestContent(t *testing.T) {
	text := "alpha\nk 64 50 -\n" + strings.Repeat("k 64 50 -\n", 20000)
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	compress := compressions["gzip, members"]
	dir := write(t, map[string]string{"lf": text, "crlf": crlf, "lf.gz": string(compress(t, []string{text})), "crlf.gz": string(compress(t, []string{crlf})),
		"other": strings.Replace(text, "\n", "\r\r\n", 1), "cr": strings.Replace(text, "\n", "\r", 1)})
	content := func(name string) string {
		r, err := Read(context.Background(), []string{filepath.Join(dir, name)}, Options{Formats: []Format{anything{}}, Content: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Inputs[0].Content == "" || r.Inputs[0].Digest == "" || name == "lf" && r.Inputs[0].Content != r.Inputs[0].Digest {
			t.Errorf("%s: %+v", name, r.Inputs[0])
		}
		return r.Inputs[0].Content
	}
	want := content("lf")
	for name, same := range map[string]bool{"crlf": true, "lf.gz": true, "crlf.gz": true, "other": false, "cr": false} {
		if got := content(name); got == want != same {
			t.Errorf("%s: %s, that with \\n is %s", name, got, want)
		}
	}
	for _, block := range []int{1, 2, 3, 1 << 16} {
		s := &textSum{r: strings.NewReader("a\r\nb\r\rc\r\r\nd\n\re\r"), sum: sha256.New()}
		for p := make([]byte, block); ; {
			if _, err := s.Read(p); err != nil {
				break
			}
		}
		if want := sha256.Sum256([]byte("a\nb\r\rc\r\nd\n\re")); !bytes.Equal(s.sum.Sum(nil), want[:]) {
			t.Errorf("%d bytes at a time: another digest", block)
		}
	}
}

// anything is a format that reads any file.
type anything struct{ lineFormat }

func (anything) Sniff([]byte) bool { return true }
