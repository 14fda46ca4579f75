package note

import "strings"

// CommandLine returns arguments with the quotes that a POSIX shell needs. For
// example, the arguments cat and "a b" become cat 'a b'.
func CommandLine(args ...string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = a; a == "" || strings.ContainsFunc(a, needsQuotes) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

func needsQuotes(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 ||
		strings.ContainsRune("-_./,:=@%+", r))
}
