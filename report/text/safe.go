package text

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"occudiff/report"
)

// Safe gives a writer for what may hold texts of others, such as names of kernels, files and devices: what could drive
// a terminal or change the order of its characters becomes the replacement character, and no line is a command for the
// runner of a CI job. Line breaks and tabs stay.
func Safe(w io.Writer) io.Writer { return &safe{w: w, start: true} }

type safe struct {
	w     io.Writer
	start bool   // nothing but blanks in this line yet
	hash  int    // how many # came last
	cut   []byte // the beginning of a character that the last call ended in
}

// Write implements io.Writer.
func (s *safe) Write(p []byte) (int, error) {
	text := p
	if len(s.cut) > 0 {
		text = append(s.cut, p...)
	}
	end := len(text)
	// A call may end within a character: what there is of it waits for the next one.
	for i := 1; i < min(utf8.UTFMax, len(text)+1); i++ {
		if b := text[len(text)-i:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRune(b) {
				end -= i
			}
			break
		}
	}
	var out bytes.Buffer
	for _, r := range string(text[:end]) {
		s.put(&out, r)
	}
	s.cut = bytes.Clone(text[end:])
	if _, err := s.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *safe) put(out *bytes.Buffer, r rune) {
	if r == '\n' || r == '\t' {
		s.start, s.hash = s.start || r == '\n', 0
		out.WriteRune(r)
		return
	}
	if s.start && r == ':' || s.hash >= 2 && r == '[' {
		out.WriteString(zeroWidth)
	}
	if s.start = s.start && r == ' '; r == '#' {
		s.hash++
	} else {
		s.hash = 0
	}
	if !report.Visible(r) {
		r = utf8.RuneError
	}
	out.WriteRune(r)
}

// zeroWidth is a space of no width. A runner takes a line that begins with :: for a command, and ##[ anywhere; one of
// these before or between them leaves the text as people see it, and the columns where they are.
const zeroWidth = "\u200b"

// inert gives a line that is no command for the runner of a CI job.
func inert(line string) string {
	if strings.HasPrefix(strings.TrimLeft(line, " "), ":") {
		line = strings.Replace(line, ":", zeroWidth+":", 1)
	}
	return strings.ReplaceAll(line, "##[", "##"+zeroWidth+"[")
}

// CSV gives a writer for CSV that a CI job may print: a line break within quotes becomes a blank, as in a table, and
// nothing is a command for the runner.
func CSV(w io.Writer) io.Writer { return &csv{w: w} }

type csv struct {
	w      io.Writer
	quoted bool
	hash   int // how many # came last
	out    []byte
}

// Write implements io.Writer.
func (c *csv) Write(p []byte) (int, error) {
	c.out = c.out[:0]
	for _, b := range p {
		switch {
		// Two quotes, which are one within quotes, turn this over twice.
		case b == '"':
			c.quoted = !c.quoted
		case c.quoted && b == '\n':
			b = ' '
		case c.quoted && b == '\r':
			continue
		case b == '[' && c.hash >= 2:
			c.out = append(c.out, zeroWidth...)
		}
		if c.hash++; b != '#' {
			c.hash = 0
		}
		c.out = append(c.out, b)
	}
	if _, err := c.w.Write(c.out); err != nil {
		return 0, err
	}
	return len(p), nil
}
