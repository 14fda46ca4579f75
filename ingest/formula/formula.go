// Package formula keeps spreadsheets from running texts of a CSV file as formulas, and gives the texts back.
package formula

import "strings"

// Guard puts an apostrophe before a text that a spreadsheet would run as a formula. Texts that look guarded get one
// more, so that Unguard gives every text back.
func Guard(s string) string {
	if runnable(strings.TrimLeft(s, "'")) {
		return "'" + s
	}
	return s
}

// Unguard undoes Guard.
func Unguard(s string) string {
	if strings.HasPrefix(s, "'") && runnable(strings.TrimLeft(s, "'")) {
		return s[1:]
	}
	return s
}

func runnable(s string) bool { return s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 }
