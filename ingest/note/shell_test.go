package note_test

import (
	"testing"

	"occudiff/ingest/note"
)

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		arg, want, reason string
	}{
		{"./app", "./app", "a path is plain"},
		{"", "''", "an empty argument would vanish"},
		{"a b", "'a b'", "a blank separates arguments"},
		{"it's", `'it'\''s'`, "a quote ends the quoted part"},
		{"$HOME;ls", "'$HOME;ls'", "a variable and a second command"},
		{"*", "'*'", "a pattern"},
		{"a\x7fb", "'a\x7fb'", "a control character"},
		{"größe", "größe", "letters outside of ASCII are plain"},
	} {
		if got := note.CommandLine("run", c.arg); got != "run "+c.want {
			t.Errorf("%s: %s, want run %s", c.reason, got, c.want)
		}
	}
}
