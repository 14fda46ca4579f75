package names

import (
	"slices"
	"strings"
)

// Cut stands where a name was cut. ASCII, because not every console shows an ellipsis.
const Cut = "..."

// Short gives names without what tells none of them apart, and only as much of that as makes them all fit: the
// parameters behind a function's name, its type before it, the arguments of templates, and the scopes that all share.
// What is left out inside a name has a mark.
func Short(names []string, fits func(string) bool) []string {
	steps := []func([]string) []string{each(withoutCasts), each(withoutParameters), each(withoutType), each(withoutArguments), withoutScope}
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
			// A launch shape may follow the name.
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

func distinct(names []string) int {
	seen := make(map[string]bool, len(names))
	for _, s := range names {
		seen[s] = true
	}
	return len(seen)
}

// isSignature says whether a name looks like that of a C++ function: it has brackets, and they match.
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

// outside gives where the characters of a signature are that stand in no brackets.
func outside(s string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		depth := 0
		for i := range len(s) {
			switch s[i] {
			case '<', '(':
				if depth++; depth == 1 && !yield(i) {
					return
				}
			case '>', ')':
				depth--
			default:
				if depth == 0 && !yield(i) {
					return
				}
			}
		}
	}
}

// withoutCasts leaves out the types of numbers among the arguments of a template: f<(int)256, (bool)1> becomes f<256, 1>.
func withoutCasts(s string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(s, "(")
		kind, behind, closed := strings.Cut(rest, ")")
		b.WriteString(before)
		if !closed {
			b.WriteString(s[len(before):])
			return b.String()
		}
		last := strings.TrimRight(before, " ")
		number := behind != "" && behind[0] >= '0' && behind[0] <= '9'
		if !number || !strings.HasSuffix(last, "<") && !strings.HasSuffix(last, ",") || strings.ContainsAny(kind, "(<") {
			b.WriteByte('(')
			s = rest
			continue
		}
		s = behind
	}
}

// withoutParameters leaves out the last brackets: f(float*, int) becomes f.
func withoutParameters(s string) string {
	if !strings.HasSuffix(s, ")") {
		return s
	}
	end := 0
	for i := range outside(s) {
		if s[i] == '(' {
			end = i
		}
	}
	if end == 0 {
		return s
	}
	return strings.TrimSpace(s[:end])
}

// withoutType leaves out what stands before a name: void f<int> becomes f<int>.
func withoutType(s string) string {
	start := 0
	for i := range outside(s) {
		if s[i] == ' ' {
			start = i + 1
		}
	}
	if start == len(s) {
		return s
	}
	return s[start:]
}

// withoutArguments leaves out what stands in the brackets of templates: f<ns::A<int>, 4> becomes f<...>.
func withoutArguments(s string) string {
	var b strings.Builder
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '<':
			if depth++; depth == 1 {
				b.WriteString("<" + Cut)
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

// withoutScope leaves out the scopes that all names with scopes begin with: ns::detail::f becomes ...f.
func withoutScope(names []string) []string {
	common, n := "", 0
	for _, s := range names {
		scope := scopeOf(s)
		if scope == "" {
			continue
		}
		if n++; n == 1 {
			common = scope
		}
		for !strings.HasPrefix(scope, common) {
			common = scopeOf(strings.TrimSuffix(common, "::"))
		}
	}
	if n < 2 || len(common) <= len(Cut) {
		return names
	}
	shorter := slices.Clone(names)
	for i, s := range names {
		if scopeOf(s) != "" {
			shorter[i] = Cut + s[len(common):]
		}
	}
	return shorter
}

// scopeOf gives the scopes that a name begins with: ns::detail:: of ns::detail::f<a::b>.
func scopeOf(s string) string {
	head := s
	if at := strings.IndexAny(s, "<( ["); at >= 0 {
		head = s[:at]
	}
	if at := strings.LastIndex(head, "::"); at >= 0 {
		return head[:at+len("::")]
	}
	return ""
}
