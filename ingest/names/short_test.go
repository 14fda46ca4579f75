package names

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShort(t *testing.T) {
	for _, test := range []struct {
		reason      string
		width       int
		names, want []string
	}{
		{"what fits stays", 40, []string{"void ns::f<int>(float*)"}, []string{"void ns::f<int>(float*)"}},
		{"parameters go first", 20, []string{"void ns::f<int>(float*)", "void ns::g<int>(float*)"},
			[]string{"void ns::f<int>", "void ns::g<int>"}},
		{"then the type", 10, []string{"void ns::f<int>(float*)"}, []string{"ns::f<int>"}},
		{"parameters that tell names apart stay", 16, []string{"void f(float*, int)", "void f(double*, int)"},
			[]string{"f(float*, int)", "f(double*, int)"}},
		{"arguments that do, too", 12, []string{"void f<ns::A, 4>()", "void f<ns::B, 4>()"},
			[]string{"f<ns::A, 4>", "f<ns::B, 4>"}},
		{"shared scopes have a mark", 12,
			[]string{"ns::detail::alpha<int, ns::x>", "ns::detail::beta<int, ns::x>", "plain", "ns::detail::gamma"},
			[]string{"...alpha<...>", "...beta<...>", "plain", "...gamma"}},
		{"scopes that are alike in letters alone are not shared", 8, []string{"nsa::f<int>", "nsb::f<int>"},
			[]string{"nsa::f<...>", "nsb::f<...>"}},
		{"a launch size stays", 24, []string{"void f<int>(float*) [64 / 8, SIMD32]"},
			[]string{"f<int> [64 / 8, SIMD32]"}},
		{"what is no signature stays", 5, []string{"copy of a buffer", "a < b"}, []string{"copy of a buffer", "a < b"}},
		{"operators have brackets that do not match", 5, []string{"ns::operator<<(int)"},
			[]string{"ns::operator<<(int)"}},
		{"an unnamed namespace is a name", 30, []string{"void (anonymous namespace)::f<int>(float*)"},
			[]string{"(anonymous namespace)::f<int>"}},
	} {
		if diff := cmp.Diff(test.want, Short(test.names, func(s string) bool { return len(s) <= test.width })); diff != "" {
			t.Errorf("%s: %s", test.reason, diff)
		}
	}
}

// FuzzShort: names that differ stay different, and nothing panics.
func FuzzShort(f *testing.F) {
	f.Add("void ns::f<int>(float*)\nvoid ns::g<int>(float*)", 12)
	f.Add("a::\n::b\n::\na::b(", 4)
	f.Add("f(<)>\n) (\n[ [\n ]", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		list := strings.Split(text, "\n")
		got := Short(slices.Clone(list), func(s string) bool { return len(s) <= width })
		if distinct(got) != distinct(list) {
			t.Errorf("Short(%q, %d) = %q: names became one", list, width, got)
		}
	})
}
