package html

import (
	"bufio"
	"bytes"
	"html/template"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"occudiff/report"
)

// FuzzWriter compares our writer with html/template. An HTML parser must read
// both outputs as the same element, with the same text and the same attribute.
func FuzzWriter(f *testing.F) {
	for _, s := range []string{"Fan2", "a<b>&\"'", "</p><script>alert(1)</script>", "&amp; &#34; &lt",
		"\x00\xff\ufffe", "a\r\nb", "` onload=x", "javascript:alert(1)"} {
		f.Add(s)
	}
	t := template.Must(template.New("").Parse(`<p title="{{.}}" class="x">{{.}}</p>`))
	f.Fuzz(func(test *testing.T, s string) {
		var ours, theirs bytes.Buffer
		w := writer{bufio.NewWriter(&ours)}
		w.put(`<p title="%" class="x">%</p>`, s, s)
		if err := w.Flush(); err != nil {
			test.Fatal(err)
		}
		if err := t.Execute(&theirs, report.Clean(s)); err != nil {
			test.Fatal(err)
		}
		if s == "" { // an attribute without a value is left out
			return
		}
		got, want := parsed(test, ours.String()), parsed(test, theirs.String())
		if got != want || strings.Count(got, "<") != 2 {
			test.Errorf("%q is read back as %q, html/template's as %q", s, got, want)
		}
	})
}

// parsed returns the elements, attributes, and texts of a fragment in a
// comparable form.
func parsed(t *testing.T, fragment string) string {
	t.Helper()
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(fragment))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		switch token.Type {
		case html.TextToken:
			b.WriteString(strings.ReplaceAll(token.Data, "<", "&lt;"))
		default:
			b.WriteString("<" + token.Data)
			for _, a := range token.Attr {
				b.WriteString(" " + a.Key + "=" + strings.ReplaceAll(a.Val, "<", "&lt;"))
			}
		}
	}
	return b.String()
}
