package text

import (
	"errors"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/internal/sample"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"ordinary", "a\tb\n漢 é\n", "a\tb\n漢 é\n"},
		{"escape sequences", "\x1b[31mred\u009b0m\x07", "\ufffd[31mred\ufffd0m\ufffd"},
		{"the order of characters", "a\u202eb\u2066", "a\ufffdb\ufffd"},
		{"no text", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"a command of a CI job", "::error::x\n  ::x\na::b\n", "\u200b::error::x\n  \u200b::x\na::b\n"},
		{"an old command", "a ##[error]x ###[x # #[", "a ##\u200b[error]x ###\u200b[x # #["},
	} {
		for _, step := range []int{1, 2, 3, 100} {
			var b strings.Builder
			w := Safe(&b)
			for rest := c.in; rest != ""; {
				n := min(step, len(rest))
				if wrote, err := w.Write([]byte(rest[:n])); err != nil || wrote != n {
					t.Fatal(wrote, err)
				}
				rest = rest[n:]
			}
			if b.String() != c.want {
				t.Errorf("%s, %d bytes at a time: %q, want %q", c.reason, step, b.String(), c.want)
			}
		}
	}
	if _, err := Safe(broken{}).Write([]byte("x")); err == nil {
		t.Error("an error was lost")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

// TestColumnsStay: characters that are replaced do not move the columns behind them.
func TestColumnsStay(t *testing.T) {
	names := []string{"plain", "::error::x", "##[x]", "nul\x00x", "esc\x1b[31mx", "\ufffe\uffff", "漢字", "e\u0301", "bad\xffx", "\u202eabc"}
	doc := &report.Document{Sections: []report.Section{{Tables: []*report.Table{sample.Table("t", []report.Column{
		{Key: "name", Title: "Na\x1bme", Kind: report.Text, In: report.Terminal}, {Key: "mark", Title: "Mark", Kind: report.Text, In: report.Terminal},
	}, func() (rows [][]report.Cell) {
		for _, n := range names {
			rows = append(rows, []report.Cell{report.TextCell(n), report.TextCell("@")})
		}
		return rows
	}())}}}}
	doc.Sections[0].Tables[0].In, doc.Sections[0].Tables[0].Main = report.Terminal, len(names)
	var b strings.Builder
	if err := Terminal(&b, doc, Options{}); err != nil {
		t.Fatal(err)
	}
	want := -1
	for line := range strings.Lines(b.String()) {
		before, _, found := strings.Cut(line, "@")
		if !found {
			continue
		}
		at := report.Width(before)
		if want < 0 {
			want = at
		}
		if at != want {
			t.Errorf("the second column begins at %d, not at %d: %q", at, want, line)
		}
	}
	if want < 0 || strings.ContainsAny(b.String(), "\x1b\x00") {
		t.Errorf("%q", b.String())
	}
}
