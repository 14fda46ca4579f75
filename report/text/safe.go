package text

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"occudiff/report"
)

// The writers of this file prevent foreign texts, such as names of kernels,
// files, and devices, from being commands for a CI job's runner. A command is a
// line that begins with :: after any spaces and colors, or that contains ##[,
// ##vso[ (Azure Pipelines), or ##teamcity[ anywhere. The writers pass on whole
// lines: their input must end with a line break.

// Safe returns a writer for texts. Characters that could control a terminal or
// change the order of the text become the replacement character. Tabs remain
// unchanged.
func Safe(w io.Writer) io.Writer {
	return &lineWriter{w: w, line: func(line string) string { return inert(strings.Map(visible, line)) }}
}

func visible(r rune) rune {
	if r == '\t' || report.Visible(r) {
		return r
	}
	return utf8.RuneError
}

// JSON returns a writer for JSON that a CI job may print. It writes the bracket
// of a command as an escape sequence, so the JSON keeps its meaning.
func JSON(w io.Writer) io.Writer {
	return &lineWriter{w: w, commands: true,
		line: func(line string) string { return splitCommands(line, `${1}\u005b`) }}
}

// Annotations returns a writer for GitHub annotations. Annotations are commands
// themselves, so only commands for other CI systems within them are made
// harmless.
func Annotations(w io.Writer) io.Writer {
	return &lineWriter{w: w, commands: true, line: splitJobCommands}
}

// jobCommand matches the beginning of a command for a CI job's runner. Such a
// command can be at any position in a line.
var jobCommand = regexp.MustCompile(`(##[A-Za-z]*)\[`)

func splitJobCommands(line string) string { return splitCommands(line, "${1}"+zeroWidth+"[") }

// splitCommands replaces the beginnings of commands. In the replacement, $1 is
// the part before the bracket.
func splitCommands(line, replacement string) string {
	if !strings.Contains(line, "##") { // nearly all lines
		return line
	}
	return jobCommand.ReplaceAllString(line, replacement)
}

// CSV returns a writer for CSV that a person reads. A line break within quotes
// becomes a space, as in a table, and no line remains a command for the runner.
func CSV(w io.Writer) io.Writer { return &csvWriter{lineWriter: lineWriter{w: w, line: inert}} }

// lineWriter replaces each line by the result of a function.
type lineWriter struct {
	w        io.Writer
	line     func(string) string
	commands bool   // line only changes lines that contain ##
	rest     []byte // beginning of an incomplete line
	out      []byte // output buffer, reused because an output may have millions of lines
}

// Write implements io.Writer.
func (l *lineWriter) Write(p []byte) (int, error) {
	last := bytes.LastIndexByte(p, '\n')
	l.rest = append(l.rest, p...)
	if last < 0 {
		return len(p), nil
	}
	end := len(l.rest) - len(p) + last + 1
	lines := l.rest[:end]
	if !l.commands || bytes.Contains(lines, []byte("##")) {
		l.out = l.out[:0]
		for line := range bytes.Lines(lines) {
			l.out = append(append(l.out, l.line(string(line[:len(line)-1]))...), '\n')
		}
		lines = l.out
	}
	if _, err := l.w.Write(lines); err != nil {
		return 0, err
	}
	l.rest = append(l.rest[:0], l.rest[end:]...)
	return len(p), nil
}

type csvWriter struct {
	lineWriter
	quoted bool
}

// Write implements io.Writer.
func (c *csvWriter) Write(p []byte) (int, error) {
	lines := make([]byte, 0, len(p))
	for _, b := range p {
		switch {
		// Within quotes, a doubled quote stands for one quote. It toggles the
		// state twice, so the state does not change.
		case b == '"':
			c.quoted = !c.quoted
		case c.quoted && b == '\n':
			b = ' '
		case c.quoted && b == '\r':
			continue
		}
		lines = append(lines, b)
	}
	if _, err := c.lineWriter.Write(lines); err != nil {
		return 0, err
	}
	return len(p), nil
}

// zeroWidth is a zero-width space, which no runner trims. Before or within a
// command, it changes neither the visible text nor the columns.
const zeroWidth = "\u200b"

// inert returns a line that is not a command for a CI job's runner.
func inert(line string) string {
	line = splitJobCommands(line)
	text := line
	for {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
		if strings.HasPrefix(text, ":") {
			at := len(line) - len(text)
			return line[:at] + zeroWidth + text
		}
		sequence, color := strings.CutPrefix(text, "\x1b")
		if !color {
			return line
		}
		sequence = strings.TrimLeft(sequence, "[;0123456789")
		_, n := utf8.DecodeRuneInString(sequence)
		text = sequence[n:]
	}
}
