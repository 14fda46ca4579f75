package names

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// ByName is a value for kernels: for one by its name, for several by a pattern in which * stands for any text, and for
// all others. A name beats a pattern, a longer pattern a shorter one, and both beat the value for all others. The zero
// value has none.
type ByName[T any] struct {
	list []named[T]
}

type named[T any] struct {
	name    string // empty is for all others
	pattern *regexp.Regexp
	rank    int
	value   T
}

const aName = 1 << 30 // beats a pattern of any length

// Set adds a value for a name or a pattern; the empty name is for all other kernels.
func (b *ByName[T]) Set(name string, v T) {
	n := named[T]{name: name, rank: len(name), value: v}
	if name != "" && !strings.Contains(name, "*") {
		n.rank = aName
	}
	text := strings.ReplaceAll(regexp.QuoteMeta(cmp.Or(name, "*")), `\*`, ".*")
	n.pattern = regexp.MustCompile("(?s)^" + text + "$")
	b.list = append(b.list, n)
}

// Of gives the value for a kernel, whose name may be as a profiler or a compiler has it.
func (b *ByName[T]) Of(task string) (v T, ok bool) {
	best := -1
	for _, n := range b.list {
		if n.rank > best && n.matches(task) {
			best, v = n.rank, n.value
		}
	}
	return v, best >= 0
}

// Unmatched gives the names and patterns that no kernel has.
func (b *ByName[T]) Unmatched(tasks []string) (left []string) {
	for _, n := range b.list {
		if n.name != "" && !slices.ContainsFunc(tasks, n.matches) {
			left = append(left, n.name)
		}
	}
	return left
}

func (n named[T]) matches(task string) bool {
	return n.pattern.MatchString(task) || n.pattern.MatchString(Display(task))
}
