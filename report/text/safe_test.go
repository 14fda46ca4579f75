package text

import (
	"errors"
	"io"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/internal/sample"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"ordinary", "a\tb\n漢 é\n", "a\tb\n漢 é\n"},
		{"escape sequences", "\x1b[31mred\u009b0m\x07\n", "\ufffd[31mred\ufffd0m\ufffd\n"},
		{"the order of characters", "a\u202eb\u2066\n", "a\ufffdb\ufffd\n"},
		{"no text", "a\xff\xfeb\n", "a\ufffd\ufffdb\n"},
		{"a command of a CI job", "::error::x\n  ::x\na::b\n", "\u200b::error::x\n  \u200b::x\na::b\n"},
		{"every space that a runner trims", "\u00a0::error::x\n\u1680\u3000 ::x\n\ufeff::x\n\u202f:\n", "\u00a0\u200b::error::x\n\u1680\u3000 \u200b::x\n\ufeff\u200b::x\n\u202f\u200b:\n"},
		{"an old command", "a ##[error]x ###[x # #[\n", "a ##\u200b[error]x ###\u200b[x # #[\n"},
		{"commands of Azure Pipelines and TeamCity", "a ##vso[task.setvariable]x ##teamcity[a]\n", "a ##vso\u200b[task.setvariable]x ##teamcity\u200b[a]\n"},
		{"a heading in brackets is none", "## a[0]\n", "## a[0]\n"},
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
	if _, err := Safe(broken{}).Write([]byte("x\n")); err == nil {
		t.Error("an error was lost")
	}
}

// TestGuards checks that the writers keep colors and data but do not keep
// commands for a CI job's runner.
func TestGuards(t *testing.T) {
	line := func(w func(io.Writer) io.Writer, in string, step int) string {
		var b strings.Builder
		to := w(&b)
		for rest := in; rest != ""; rest = rest[min(step, len(rest)):] {
			if _, err := to.Write([]byte(rest[:min(step, len(rest))])); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	for _, c := range []struct {
		reason   string
		w        func(io.Writer) io.Writer
		in, want string
	}{
		{"JSON has the same meaning", JSON, "{\"a\": \"##[x ###[::\"}\n", "{\"a\": \"##\\u005bx ###\\u005b::\"}\n"},
		{"JSON of an Azure command", JSON, "[\"##vso[x\"]\n", "[\"##vso\\u005bx\"]\n"},
		{"an annotation stays an annotation", Annotations, "::error title=##vso[x::##[y\n", "::error title=##vso\u200b[x::##\u200b[y\n"},
		{"a cell of CSV", CSV, "\u2003::x,\"a\n::b\"\n##[x\n", "\u2003\u200b::x,\"a ::b\"\n##\u200b[x\n"},
	} {
		for _, step := range []int{1, 2, 3, 100} {
			if got := line(c.w, c.in, step); got != c.want {
				t.Errorf("%s, %d bytes at a time: %q, want %q", c.reason, step, got, c.want)
			}
		}
	}
	if got, want := inert(" \x1b[1;31m\u00a0::x\x1b[0m ::"), " \x1b[1;31m\u00a0\u200b::x\x1b[0m ::"; got != want {
		t.Errorf("a line with color: %q, want %q", got, want)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

// TestColumnsStay checks that replacing a character in a cell does not move the
// columns after it.
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
