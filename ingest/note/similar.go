package note

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// DidYouMean returns a question that suggests the name that is most similar to
// a typed name, or "" if no name is similar. The suggestion begins with before.
// For example, "; did you mean out/run.csv?".
func DidYouMean(before, typed string, names []string) string {
	best, most := "", 0
	for _, name := range names {
		if n := Similarity(typed, name); n > most {
			best, most = name, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + before + best + "?"
}

// Similarity returns a positive number if a typed name is similar to a name. It
// is similar if it is a prefix of the name. It is also similar if its first
// letter is right and the number of wrong letters is small: at most two, and at
// most one in three. Upper and lower case are equal.
func Similarity(typed, name string) int {
	limit := 1 + min(2, len(typed)/3)
	typed, name = strings.ToLower(typed), strings.ToLower(name)
	if len(typed) > 1 && strings.HasPrefix(name, typed) {
		return limit
	}
	if typed == "" || name == "" || typed[0] != name[0] || len(typed) > len(name)+2 || len(name) > len(typed)+2 {
		return 0 // the time grows with the product of the lengths
	}
	return limit - levenshtein.ComputeDistance(typed, name)
}
