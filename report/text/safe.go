package text

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"occudiff/report"
)

// The writers of this file keep texts of others, such as names of kernels, files and devices, from being a command for the
// runner of a CI job: a line that begins with :: when all spaces and colors before it are taken off, or ##[ anywhere.

// Safe gives a writer for texts: what could drive a terminal or change the order of its characters becomes the replacement
// character as well. Line breaks and tabs stay.
func Safe(w io.Writer) io.Writer {
	return &safe{guard: guard{w: w, start: true, bracket: zeroWidth + "["}}
}

type safe struct {
	guard
	cut []byte // the beginning of a character that the last call ended in
}

// Write implements io.Writer.
func (s *safe) Write(p []byte) (int, error) {
	text := append(s.cut, p...)
	end := wholeRunes(text)
	s.cut = bytes.Clone(text[end:])
	_, err := s.guard.Write([]byte(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || report.Visible(r) {
			return r
		}
		return utf8.RuneError
	}, string(text[:end]))))
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// wholeRunes gives where the last character begins that the text does not hold whole, else the end of the text.
func wholeRunes(text []byte) int {
	for i := 1; i < min(utf8.UTFMax, len(text)+1); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				break
			}
			return at
		}
	}
	return len(text)
}

// JSON gives a writer for JSON that a CI job may print: it says the same in other bytes.
func JSON(w io.Writer) io.Writer { return &guard{w: w, start: true, bracket: `\u005b`} }

// zeroWidth is a space of no width, which no runner trims: before or within a command it leaves the text as people see it,
// and the columns where they are.
const zeroWidth = "\u200b"

// guard is a writer without commands for a runner.
type guard struct {
	w       io.Writer
	bracket string // for [ behind ##
	start   bool   // nothing but spaces and colors in this line yet
	color   bool   // within an escape sequence
	hash    int    // how many # came last
	cut     []byte // the beginning of a character that the last call ended in, at the start of a line
	out     []byte
}

// Write implements io.Writer.
func (g *guard) Write(p []byte) (int, error) {
	g.out = g.out[:0]
	rest := append(g.cut, p...)
	for g.cut = nil; len(rest) > 0; {
		if !g.start && g.hash == 0 { // most of all bytes
			n := bytes.IndexAny(rest, "\n\r#")
			if n < 0 {
				n = len(rest)
			}
			if g.out, rest = append(g.out, rest[:n]...), rest[n:]; n > 0 {
				continue
			}
		}
		if g.start && !utf8.FullRune(rest) {
			g.cut = bytes.Clone(rest)
			break
		}
		r, n := utf8.DecodeRune(rest)
		if g.start && r == ':' {
			g.out = append(g.out, zeroWidth...)
		}
		if r == '[' && g.hash >= 2 {
			g.out = append(g.out, g.bracket...)
		} else {
			g.out = append(g.out, rest[:n]...)
		}
		rest = rest[n:]
		switch {
		case r == '\n' || r == '\r':
			g.start, g.color = true, false
		case g.color:
			g.color = r == '[' || r == ';' || unicode.IsDigit(r)
		case g.start && r == '\x1b':
			g.color = true
		default:
			g.start = g.start && (unicode.IsSpace(r) || r == '\ufeff')
		}
		if g.hash++; r != '#' {
			g.hash = 0
		}
	}
	if _, err := g.w.Write(g.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// inert gives a line that is no command for the runner of a CI job.
func inert(line string) string {
	var b strings.Builder
	// A builder takes all, and a line of a table ends in no part of a character.
	_, _ = (&guard{w: &b, start: true, bracket: zeroWidth + "["}).Write([]byte(line))
	return b.String()
}

// CSV gives a writer for CSV that a CI job may print: a line break within quotes becomes a blank, as in a table, and
// nothing is a command for the runner.
func CSV(w io.Writer) io.Writer {
	return &csv{guard: guard{w: w, start: true, bracket: zeroWidth + "["}}
}

type csv struct {
	guard
	quoted bool
	lines  []byte
}

// Write implements io.Writer.
func (c *csv) Write(p []byte) (int, error) {
	c.lines = c.lines[:0]
	for _, b := range p {
		switch {
		// Two quotes, which are one within quotes, turn this over twice.
		case b == '"':
			c.quoted = !c.quoted
		case c.quoted && b == '\n':
			b = ' '
		case c.quoted && b == '\r':
			continue
		}
		c.lines = append(c.lines, b)
	}
	if _, err := c.guard.Write(c.lines); err != nil {
		return 0, err
	}
	return len(p), nil
}
