package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// FuzzRender writes any text to every place of a report where a text from an
// input may appear, and renders the report for a terminal of any width. The
// output must not contain anything that a terminal or a CI job's runner would
// execute.
func FuzzRender(f *testing.F) {
	for i, s := range sample.HostileNames() {
		f.Add(s, uint8(20*i), i%2 == 0)
	}
	f.Add("\n::error::x", uint8(0), false)
	f.Add("a\u200b##[group]漢字", uint8(40), true)
	f.Fuzz(func(t *testing.T, text string, width uint8, verbose bool) {
		var out bytes.Buffer
		d := rundoc.FromResult(sample.Named(text), report.Provenance{Label: text, CommandLine: []string{text}})
		if err := Terminal(&out, d, Options{Width: int(width), Verbose: verbose}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if strings.ContainsFunc(line, func(r rune) bool { return r != utf8.RuneError && !report.Visible(r) }) || !utf8.ValidString(line) ||
				strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Errorf("%q in %d columns gives %q", text, width, line)
			}
		}
	})
}
