package html

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// FuzzRender writes any text to every place of a page where a text from an input
// may appear. It checks that the text remains text and creates no element.
func FuzzRender(f *testing.F) {
	for _, s := range sample.HostileNames() {
		f.Add(s)
	}
	f.Add("</script><script>alert(1)")
	f.Add("{{.}} ]]> --> ' onload=x")
	want := elements(f, rundoc.FromResult(sample.Named("x"), report.Provenance{Label: "x", CommandLine: []string{"x"}}))
	f.Fuzz(func(t *testing.T, text string) {
		got := elements(t, rundoc.FromResult(sample.Named(text), report.Provenance{Label: text, CommandLine: []string{text}}))
		for name, n := range got {
			if strings.HasPrefix(name, "!") || n != want[name] && (name == "script" || name == "style" || name == "a" || name == "svg") {
				t.Errorf("%q makes %d of %s, not %d", text, n, name, want[name])
			}
		}
	})
}

// elements counts the elements of a page by name. It also counts invisible
// characters, event handlers, and links to unexpected addresses, under names
// that begin with "!".
func elements(t testing.TB, d *report.Document) map[string]int {
	var page bytes.Buffer
	if err := Render(&page, d); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	if bad := strings.IndexFunc(page.String(), func(r rune) bool {
		return r != utf8.RuneError && r != '\n' && r != '\t' && !report.Visible(r)
	}); bad >= 0 {
		count["!"+page.String()[bad:bad+4]]++
	}
	for z := html.NewTokenizer(&page); z.Next() != html.ErrorToken; {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		count[token.Data]++
		for _, a := range token.Attr {
			link := strings.ToLower(strings.TrimSpace(a.Val))
			if strings.HasPrefix(a.Key, "on") || (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(link, "#") &&
				link != "data:," && !strings.HasPrefix(link, "https://") {
				count["!"+a.Key+"="+a.Val]++
			}
		}
	}
	return count
}
