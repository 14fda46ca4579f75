package names

import (
	"regexp"
	"strings"
)

// ByName is a value for kernels: for one by its name, for several by a pattern in which * stands for any text, and for
// all others. A name beats a pattern, a longer pattern a shorter one, and both beat the value for all others. The zero
// value has none.
type ByName[T any] struct {
	list []named[T]
}

type named[T any] struct {
	name    string         // empty is for all others
	pattern *regexp.Regexp // nil of a name
	value   T
}

// Set adds a value for a name or a pattern; the empty name is for all other kernels.
func (b *ByName[T]) Set(name string, v T) {
	n := named[T]{name: name, value: v}
	if strings.Contains(name, "*") {
		n.pattern = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, ".*") + "$")
	}
	b.list = append(b.list, n)
}

// Of gives the value for a kernel, whose name may be as a profiler or a compiler has it.
func (b *ByName[T]) Of(task string) (v T, ok bool) {
	best := -1
	for i := range b.list {
		if n := &b.list[i]; n.rank() > best && n.matches(task) {
			best, v = n.rank(), n.value
		}
	}
	return v, best >= 0
}

// Unmatched gives the names and patterns that no kernel has.
func (b *ByName[T]) Unmatched(tasks []string) (left []string) {
	for i := range b.list {
		n, found := &b.list[i], false
		for _, task := range tasks {
			found = found || n.matches(task)
		}
		if !found && n.name != "" {
			left = append(left, n.name)
		}
	}
	return left
}

const aName = 1 << 30 // beats a pattern of any length

func (n *named[T]) rank() int {
	if n.pattern == nil && n.name != "" {
		return aName
	}
	return len(n.name)
}

func (n *named[T]) matches(task string) bool {
	for _, as := range []string{task, Display(task)} {
		if n.name == "" || n.name == as || n.pattern != nil && n.pattern.MatchString(as) {
			return true
		}
	}
	return false
}
