package report

import (
	"strings"

	"occudiff/compare"
)

// InputLines are the inputs of a run for programs, a line each.
func InputLines(r *compare.Result) (lines []string) {
	for _, in := range r.Inputs {
		lines = append(lines, strings.TrimSpace(in.Path+" "+in.Digest))
	}
	return lines
}

// ListOf gives what of makes of each element. The list is never nil, so that JSON has [] and not null.
func ListOf[T, V any](list []T, of func(T) V) []V {
	values := make([]V, len(list))
	for i, x := range list {
		values[i] = of(x)
	}
	return values
}
