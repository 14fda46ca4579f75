package text_test

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
	"occudiff/report/text"
)

func markdownOf(t *testing.T, r *compare.Result) string {
	t.Helper()
	var b bytes.Buffer
	prov := report.Provenance{Version: "v0.1.0", CommandLine: []string{"occudiff", "validate", "a run.csv", "-o", "r.md"}}
	if err := text.Markdown(&b, rundoc.FromResult(r, prov), nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		result       *compare.Result
	}{
		{"gaussian", "the whole page", sample.Gaussian()},
		{"hostile", "names stay plain text", sample.Hostile()},
		{"absent", "what is absent is a dash", sample.Absent()},
		{"logs", "log timings", sample.LogsOnly()},
		{"empty", "no row at all", sample.Empty()},
	} {
		t.Run(c.name, func(t *testing.T) { testenv.Golden(t, "testdata/"+c.name+".md", []byte(markdownOf(t, c.result))) })
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"ordinary", "Fan2", "Fan2"},
		{"tag", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"entity", "a&lt;b", "a&amp;lt;b"},
		{"markup", "a|b*c_d`e", "a\\|b\\*c\\_d\\`e"},
		{"line breaks", "a\nb\r\nc", "a b c"},
		{"a backslash before a letter is itself", `C:\dir`, `C:\dir`},
		{"a backslash before an escaped character is escaped, too", `x\|y`, `x\\\|y`},
		{"a backslash before an entity", `x\<`, `x\\&lt;`},
		{"no chart", "![i](http://x)", `![i\](http://x)`},
		{"brackets without a link stay", "[Outside any task]", "[Outside any task]"},
		{"formulas are text", `=HYPERLINK("http://x")`, `=HYPERLINK("http://x")`},
		{"control characters", "a\x1b[31mb", "a\ufffd[31mb"},
		{"spaces at the ends", " a ", "a"},
	} {
		if got := text.Escape(c.in); got != c.want {
			t.Errorf("%s: Escape(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
	}
}

// TestTablesStayWhole reads every table back as a code host does. It checks
// that each row has as many cells as the heading.
func TestTablesStayWhole(t *testing.T) {
	for _, r := range []*compare.Result{sample.Gaussian(), sample.Hostile(), sample.Absent(), sample.LogsOnly(), sample.Many(40)} {
		want := 0
		for i, line := range strings.Split(markdownOf(t, r), "\n") {
			if !strings.HasPrefix(line, "|") {
				want = 0
				continue
			}
			n := cells(line)
			if want == 0 {
				want = n
			}
			if n != want {
				t.Errorf("line %d has %d cells, its heading %d: %s", i+1, n, want, line)
			}
		}
	}
}

// cells returns the number of cells in a row. A pipe ends a cell unless an odd
// number of backslashes precedes it.
func cells(line string) int {
	n, escaped := 0, false
	for i := range len(line) {
		switch {
		case escaped:
			escaped = false
		case line[i] == '\\':
			escaped = true
		case line[i] == '|':
			n++
		}
	}
	return n - 1
}

// TestHostileNamesInMarkdown checks that no hostile name is HTML or a link outside
// a code span, and that no name ends a code span.
func TestHostileNamesInMarkdown(t *testing.T) {
	out := strings.ReplaceAll(markdownOf(t, sample.Hostile()), "\\`", "")
	out = regexp.MustCompile("`[^`|\\\\\n]+`").ReplaceAllString(out, "")
	for _, bad := range []string{"<script", "](", "\x1b", "\a", "`"} {
		if strings.Contains(strings.ReplaceAll(out, `\](`, ""), bad) {
			t.Errorf("the page contains %q outside a code span", bad)
		}
	}
}

// TestCode checks that kernel names and commands are code spans, and that a
// sentence is not.
func TestCode(t *testing.T) {
	out := markdownOf(t, sample.Gaussian())
	for _, want := range []string{"| `Fan2` |", "- **`Fan2`** (", "| `2048x2048` |"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s:\n%s", want, out)
		}
	}
}

// TestFirstTableFits checks that the first table of kernels has at most 10
// columns, and that a second table has the kernel names and the other columns.
func TestFirstTableFits(t *testing.T) {
	_, all, _ := strings.Cut(markdownOf(t, sample.Gaussian()), "## All kernels\n\n")
	first, second, found := strings.Cut(all, "\n\nMore columns:\n\n")
	if !found || cells(strings.Split(first, "\n")[0]) != 10 || !strings.HasPrefix(second, "| Kernel | Global |") {
		t.Errorf("the table is not in two parts:\n%s", all)
	}
}

func TestSectionOrder(t *testing.T) {
	var got []string
	for _, line := range strings.Split(markdownOf(t, sample.LogsOnly()), "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			got = append(got, title)
		}
	}
	want := "All kernels, Timings of logs, Notes, Terms, Inputs and settings"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range sample.HostileNames() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := text.Escape(s)
		if strings.ContainsAny(e, "<>\n\r\t\x1b") {
			t.Errorf("Escape(%q) = %q", s, e)
		}
		if n := cells("| " + e + " |"); n != 1 {
			t.Errorf("Escape(%q) = %q makes %d cells", s, e, n)
		}
	})
}

// BenchmarkMarkdown measures building and writing pages with few and with many
// kernels.
func BenchmarkMarkdown(b *testing.B) {
	for _, n := range []int{14, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := sample.Many(n)
			b.ReportAllocs()
			for b.Loop() {
				if err := text.Markdown(io.Discard, rundoc.FromResult(r, report.Provenance{}), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
