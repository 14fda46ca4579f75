package cli

import (
	"slices"
	"strings"
	"unicode"

	"occudiff/ingest/note"
)

// Choice is a name that a user may type, and the text that explains it.
type Choice struct{ Name, Text string }

// Choices returns choices with the given names and without texts.
func Choices(names []string) (list []Choice) {
	for _, name := range names {
		list = append(list, Choice{Name: name})
	}
	return list
}

// DidYouMean returns a question with the names that the user may have meant.
// The question is empty if no name or more than two names are near the typed
// name. For example, "; did you mean --tolerance?".
//
// A name is near if it is spelled similarly. If no name is, a name is near if
// it has at least half of the typed words. If no name has, a name is near if
// its text has at least half of the typed words.
func DidYouMean(typed string, choices []Choice) string {
	typed = strings.ToLower(strings.TrimLeft(typed, "-"))
	words := splitWords(typed)
	for _, near := range []func(Choice) int{
		func(c Choice) int { return note.Similarity(typed, strings.TrimLeft(c.Name, "-")) },
		func(c Choice) int { return sharedWords(words, splitWords(c.Name), sameStem) },
		func(c Choice) int { return sharedWords(words, splitWords(c.Text), sameLongWord) },
	} {
		var best []string
		most := 1
		for _, c := range choices {
			n := near(c)
			if n > most {
				best, most = nil, n
			}
			if n == most && !slices.Contains(best, c.Name) {
				best = append(best, c.Name)
			}
		}
		if len(best) == 1 || len(best) == 2 {
			return "; did you mean " + strings.Join(best, " or ") + "?"
		}
	}
	return ""
}

// sharedWords returns how many of the typed words are in a list of words, or 0
// if less than half of them are.
func sharedWords(typed, words []string, same func(a, b string) bool) (n int) {
	for _, w := range typed {
		if slices.ContainsFunc(words, func(other string) bool { return same(w, other) }) {
			n++
		}
	}
	if 2*n < len(typed) {
		return 0
	}
	return n
}

// sameStem reports whether two words differ only in their endings, such as
// "balance" and "balancing".
func sameStem(a, b string) bool {
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	return a == b && len(a) > 1 || common >= max(5, len(a)-3, len(b)-3)
}

// sameLongWord reports whether two words are equal and long. Short words do not
// count, because most texts contain the same short words.
func sameLongWord(a, b string) bool { return a == b && len(a) >= 5 }

// splitWords returns the words of a name or a text in lowercase.
func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
