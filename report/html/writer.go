package html

import (
	"bufio"
	"html"
	"strconv"
	"strings"

	"occudiff/report"
)

// writer writes HTML. Texts and the values of attributes are escaped; bufio keeps the first error until Flush.
type writer struct{ *bufio.Writer }

// raw writes HTML of this package, or what is HTML already.
func (w writer) raw(markup string) { w.WriteString(markup) }

// text writes what is said, as far as it can be seen.
func (w writer) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' {
			w.raw(html.EscapeString(report.Clean(s)))
			return
		}
	}
	w.raw(s) // the usual one
}

// markup is HTML already.
type markup string

// put writes HTML of this package with values in it, each where the format has a %. Texts are escaped, and an attribute
// whose value begins with an empty text is left out.
func (w writer) put(format string, values ...any) {
	for _, v := range values {
		before, after, _ := strings.Cut(format, "%")
		if v == "" && strings.HasSuffix(before, `="`) {
			before, after = before[:strings.LastIndexByte(before, ' ')], after[1:]
		}
		w.raw(before)
		format = after
		switch v := v.(type) {
		case string:
			w.text(v)
		case markup:
			w.raw(string(v))
		case int:
			w.raw(strconv.Itoa(v))
		}
	}
	w.raw(format)
}

// line writes a text in an element on a line of its own, nothing for an empty text.
func (w writer) line(format, text string) {
	if text != "" {
		w.put(format+"\n", text)
	}
}

// small gives a text that explains what stands before it, nothing for an empty one.
func small(text string) string {
	if text == "" {
		return ""
	}
	return " <small>%</small>"
}
