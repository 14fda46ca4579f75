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
		{"a name that fits is unchanged", 40, []string{"void ns::f<int>(float*)"}, []string{"void ns::f<int>(float*)"}},
		{"parameters are removed first", 20, []string{"void ns::f<int>(float*)", "void ns::g<int>(float*)"},
			[]string{"void ns::f<int>", "void ns::g<int>"}},
		{"the type is removed next", 10, []string{"void ns::f<int>(float*)"}, []string{"ns::f<int>"}},
		{"parameters that distinguish names are kept", 16, []string{"void f(float*, int)", "void f(double*, int)"},
			[]string{"f(float*, int)", "f(double*, int)"}},
		{"template arguments that distinguish names are kept", 12, []string{"void f<ns::A, 4>()", "void f<ns::B, 4>()"},
			[]string{"f<ns::A, 4>", "f<ns::B, 4>"}},
		{"an ellipsis replaces shared scopes", 12,
			[]string{"ns::detail::alpha<int, ns::x>", "ns::detail::beta<int, ns::x>", "plain", "ns::detail::gamma"},
			[]string{"...alpha<...>", "...beta<...>", "plain", "...gamma"}},
		{"scopes that share only letters are not shared", 8, []string{"nsa::f<int>", "nsb::f<int>"},
			[]string{"nsa::f<...>", "nsb::f<...>"}},
		{"a launch size is kept", 24, []string{"void f<int>(float*) [64 / 8, SIMD32]"},
			[]string{"f<int> [64 / 8, SIMD32]"}},
		{"a name that is not a signature is unchanged", 5, []string{"copy of a buffer", "a < b"}, []string{"copy of a buffer", "a < b"}},
		{"an operator has unbalanced brackets", 5, []string{"ns::operator<<(int)"},
			[]string{"ns::operator<<(int)"}},
		{"an unnamed namespace is part of the name", 30, []string{"void (anonymous namespace)::f<int>(float*)"},
			[]string{"(anonymous namespace)::f<int>"}},
	} {
		if diff := cmp.Diff(test.want, Short(test.names, func(s string) bool { return len(s) <= test.width })); diff != "" {
			t.Errorf("%s: %s", test.reason, diff)
		}
	}
}

// FuzzShort checks that different names stay different and that nothing panics.
func FuzzShort(f *testing.F) {
	f.Add("void ns::f<int>(float*)\nvoid ns::g<int>(float*)", 12)
	f.Add("a::\n::b\n::\na::b(", 4)
	f.Add("f(<)>\n) (\n[ [\n ]", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		list := strings.Split(text, "\n")
		got := Short(slices.Clone(list), func(s string) bool { return len(s) <= width })
		if distinct(got) != distinct(list) {
			t.Errorf("Short(%q, %d) = %q: different names became equal", list, width, got)
		}
	})
}
