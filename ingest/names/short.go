package names

import (
	"regexp"
	"slices"
	"strings"
)

// Ellipsis replaces a removed part in a name. It is ASCII, because not every
// console shows the character for an ellipsis.
const Ellipsis = "..."

// Short returns shorter names that remain different from each other. It removes
// parts step by step until all names fit: casts before template numbers, the
// parameters after a function name, the type before it, template arguments, and
// the scopes that all names share. It skips a step that would make two names
// equal. An ellipsis marks a part removed inside a name.
func Short(names []string, fits func(string) bool) []string {
	steps := []func([]string) []string{each(withoutCasts), each(withoutParameters), each(withoutType),
		each(withoutArguments), withoutScope}
	for _, step := range steps {
		if !slices.ContainsFunc(names, func(s string) bool { return !fits(s) }) {
			break
		}
		if shorter := step(names); distinct(shorter) == distinct(names) {
			names = shorter
		}
	}
	return names
}

func each(change func(string) string) func([]string) []string {
	return func(names []string) []string {
		changed := make([]string, len(names))
		for i, s := range names {
			changed[i] = s
			// A launch size may follow the name.
			at := strings.LastIndex(s, " [")
			if at < 0 || !strings.HasSuffix(s, "]") {
				at = len(s)
			}
			if name := s[:at]; isSignature(name) {
				changed[i] = change(name) + s[at:]
			}
		}
		return changed
	}
}

func distinct(names []string) int { return len(slices.Compact(slices.Sorted(slices.Values(names)))) }

// isSignature reports whether a name looks like a C++ function: it has
// brackets, and they are balanced.
func isSignature(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<', '(':
			depth++
		case '>', ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0 && strings.ContainsAny(s, "<(") && !strings.Contains(s, "operator")
}

// parts returns the index at which the name in a signature begins, after its
// type, and the index at which it ends, before its parameters.
func parts(s string) (begin, end int) {
	depth := 0
	end = len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '<' || c == '(':
			if depth++; depth == 1 && c == '(' && i > 0 && strings.HasSuffix(s, ")") {
				end = i
			}
		case c == '>' || c == ')':
			depth--
		case c == ' ' && depth == 0 && i+1 < len(s):
			begin = i + 1
		}
	}
	return begin, end
}

// withoutParameters returns a name without its last parentheses: f for
// f(float*, int).
func withoutParameters(s string) string {
	_, end := parts(s)
	return strings.TrimSpace(s[:end])
}

// withoutType returns a name without the type before it: f<int> for void
// f<int>.
func withoutType(s string) string {
	begin, _ := parts(s)
	return s[begin:]
}

// withoutArguments returns a name without template arguments: f<...> for
// f<ns::A<int>, 4>.
func withoutArguments(s string) string {
	var b strings.Builder
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '<':
			if depth++; depth == 1 {
				b.WriteString("<" + Ellipsis)
			}
		case s[i] == '>':
			depth--
		}
		if depth == 0 {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// withoutScope returns names without the scopes that all names with a scope
// share: ...f for ns::detail::f.
func withoutScope(names []string) []string {
	scoped := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return scopeOf(s) == "" })
	if len(scoped) < 2 {
		return names
	}
	common := scopeOf(scoped[0])
	for _, s := range scoped {
		for !strings.HasPrefix(s, common) {
			common = scopeOf(strings.TrimSuffix(common, "::"))
		}
	}
	if len(common) <= len(Ellipsis) {
		return names
	}
	shorter := slices.Clone(names)
	for i, s := range names {
		if rest, ok := strings.CutPrefix(s, common); ok {
			shorter[i] = Ellipsis + rest
		}
	}
	return shorter
}

// scope matches the scopes at the beginning of a name: ns::detail:: in
// ns::detail::f<a::b>.
var scope = regexp.MustCompile(`^[^<( \[]*::`)

func scopeOf(s string) string { return scope.FindString(s) }
