package report_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"occudiff/report"
	"occudiff/report/internal/sample"
)

func TestPrint(t *testing.T) {
	percent, points := report.Percent, report.Points
	for _, c := range []struct {
		reason   string
		cell     report.Cell
		decimals int
		want     string
	}{
		{"not measured is not zero", report.Cell{}, 0, "-"},
		{"zero is zero", report.NumCell(percent, 0), 0, "0.0"},
		{"one decimal", report.NumCell(percent, 14.285714), 0, "14.3"},
		{"half to even in binary: 0.25 is exact", report.NumCell(percent, 0.25), 0, "0.2"},
		{"just below the edge", report.NumCell(percent, math.Nextafter(0.35, 0)), 0, "0.3"},
		{"rounds up to the next digit", report.NumCell(percent, 99.96), 0, "100.0"},
		{"points carry a sign", report.NumCell(points, 5.6), 0, "+5.6"},
		{"below", report.NumCell(points, -36.81), 0, "-36.8"},
		{"no minus before zero", report.NumCell(points, -0.04), 0, "0.0"},
		{"no plus before zero", report.NumCell(points, 0.04), 0, "0.0"},
		{"thousands", report.IntCell(90462838), 0, "90,462,838"},
		{"no comma in three digits", report.IntCell(999), 0, "999"},
		{"four digits", report.IntCell(1000), 0, "1,000"},
		{"negative", report.IntCell(-2047), 0, "-2,047"},
		{"the smallest integer", report.IntCell(int64(math.MinInt64)), 0, "-9,223,372,036,854,775,808"},
		{"decimals", report.NumCell(report.Number, 12345.6789), 2, "12,345.68"},
		{"no decimals", report.NumCell(report.Number, 12345.6789), 0, "12,346"},
		{"NaN is absent", report.NumCell(percent, math.NaN()), 0, "-"},
		{"infinity is absent", report.NumCell(percent, math.Inf(1)), 0, "-"},
		{"text on one line", report.TextCell("a\r\nb\tc"), 0, "a b c"},
	} {
		if got := (report.Column{Decimals: c.decimals}).Print(c.cell); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestCutMiddle(t *testing.T) {
	for _, c := range []struct {
		reason, in string
		width      int
		want       string
	}{
		{"fits", "Fan2", 4, "Fan2"},
		{"both ends stay", "abcdefghij", 8, "abc...ij"},
		{"odd room", "abcdefghij", 7, "ab...ij"},
		{"no room for ends", "abcdefghij", 3, "..."},
		{"less than the mark", "abcdefghij", 2, ".."},
		{"nothing", "abc", 0, ""},
		{"wide characters are not halved", "漢字漢字漢字", 9, "漢...漢字"},
		{"combined characters stay together", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 5, "e\u0301...e\u0301"},
	} {
		if got := report.CutMiddle(c.in, c.width); got != c.want {
			t.Errorf("%s: CutMiddle(%q, %d) = %q, want %q", c.reason, c.in, c.width, got, c.want)
		}
	}
}

func TestCutDistinct(t *testing.T) {
	vector := func(n string) string { return "VectorAdd<(int)" + n + ", (int)256, (int)32>(int, ...)" }
	for _, c := range []struct {
		reason string
		in     []string
		width  int
		want   []string
	}{
		{"a text that fits is unchanged", []string{"Fan1", "Fan2"}, 4, []string{"Fan1", "Fan2"}},
		{"cut in the middle if the texts stay distinct", []string{"aaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaa2"}, 10, []string{"aaaa...aa1", "aaaa...aa2"}},
		{"variants of a template keep their argument", []string{vector("32"), vector("8")}, 22,
			[]string{"VectorAdd<32, 256, 32>", "VectorAdd<8, 256, 32>"}},
		{"less room: a bit of the start, then the argument", []string{vector("32"), vector("8")}, 16, []string{"VectorAdd<32...", "VectorAdd<8..."}},
		{"a common end takes no room", []string{vector("12"), vector("16")}, 14, []string{"Vector...12...", "Vector...16..."}},
		{"equal texts stay equal", []string{"abcdefghij", "abcdefghij"}, 8, []string{"abc...ij", "abc...ij"}},
		{"the difference is near the end", []string{"abcdefghijklmnop1xyz", "abcdefghijklmnop2xyz"}, 10, []string{"abc...1xyz", "abc...2xyz"}},
		{"one text is a prefix of the other", []string{"aaaaaaaaaaaa", "aaaaaaaaaaaaa"}, 8, []string{"aaa...aa", "aa...a"}},
	} {
		got := report.CutDistinct(c.in, c.width)
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: CutDistinct(%q, %d) = %q, want %q", c.reason, c.in, c.width, got, c.want)
			}
			if report.Width(got[i]) > c.width {
				t.Errorf("%s: %q is wider than %d", c.reason, got[i], c.width)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range append(sample.HostileNames(), "漢字漢字漢字", "e\u0301\u202e") {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		one := report.OneLine(s)
		if !utf8.ValidString(one) || strings.ContainsAny(one, "\n\r\t\x1b\u202e") {
			t.Errorf("OneLine(%q) = %q", s, one)
		}
		if width %= 200; width < 0 {
			width = -width
		}
		if cut := report.CutMiddle(one, width); report.Width(cut) > width {
			t.Errorf("CutMiddle(%q, %d) = %q takes %d columns", one, width, cut, report.Width(cut))
		}
		for _, cut := range report.CutDistinct([]string{one, one + "x", "x" + one, one + one}, width) {
			if report.Width(cut) > width || !utf8.ValidString(cut) {
				t.Errorf("CutDistinct(%q, %d) gives %q, which takes %d columns", one, width, cut, report.Width(cut))
			}
		}
	})
}

// FuzzCutApart checks that CutDistinct does not panic and that the cut texts
// fit the width.
func FuzzCutApart(f *testing.F) {
	f.Add("void ns::f<int>(float*)\nvoid ns::g<int>(float*)", 12)
	f.Add("a::\n::b\n::\na::b(", 4)
	f.Add("f(<)>\n) (\n[ [\n ]", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		names := strings.Split(text, "\n")
		for i := range names {
			names[i] = report.OneLine(names[i])
		}
		width = min(max(width, 0), 200)
		for _, s := range report.CutDistinct(names, width) {
			if report.Width(s) > width {
				t.Errorf("CutDistinct(%q, %d) gave %q", names, width, s)
			}
		}
	})
}
