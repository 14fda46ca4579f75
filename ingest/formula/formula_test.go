package formula_test

import (
	"strings"
	"testing"

	"occudiff/ingest/formula"
)

func TestGuard(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"formula", "=1+1", "'=1+1"},
		{"plus", "+1", "'+1"},
		{"minus", "-x", "'-x"},
		{"at", "@SUM(A1)", "'@SUM(A1)"},
		{"tab", "\tx", "'\tx"},
		{"carriage return", "\rx", "'\rx"},
		{"looks guarded: one more, so that it comes back", "'=x", "''=x"},
		{"an apostrophe alone is a name", "'x", "'x"},
		{"ordinary", "Fan2", "Fan2"},
		{"empty", "", ""},
		{"inside is harmless", "a=b", "a=b"},
	} {
		if got := formula.Guard(c.in); got != c.want {
			t.Errorf("%s: Guard(%q) = %q, want %q", c.reason, c.in, got, c.want)
		}
		if got := formula.Unguard(formula.Guard(c.in)); got != c.in {
			t.Errorf("%s: %q came back as %q", c.reason, c.in, got)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, s := range []string{"=HYPERLINK(\"http://x\")", "+1", "@SUM(A1)", "\tcmd", "\rcmd", "first line\nsecond line", "bad utf-8 \xff\xfe", "a|b*c", "", "'", "''="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g := formula.Guard(s)
		if g != "" && strings.IndexByte("=+-@\t\r", g[0]) >= 0 {
			t.Errorf("Guard(%q) = %q is not harmless", s, g)
		}
		if back := formula.Unguard(g); back != s {
			t.Errorf("%q came back as %q", s, back)
		}
	})
}
