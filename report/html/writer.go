package html

import (
	"bufio"
	"io"
	"strings"

	"occudiff/report"
)

// writer writes HTML. Texts and the values of attributes are escaped; bufio keeps the first error until Flush.
type writer struct {
	*bufio.Writer
	escape *strings.Replacer
}

func newWriter(w io.Writer) writer {
	return writer{bufio.NewWriterSize(w, 64<<10),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")}
}

// raw writes HTML of this package, or what is HTML already.
func (w writer) raw(html string) { w.WriteString(html) }

// text writes what is said, as far as it can be seen.
func (w writer) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' {
			w.escape.WriteString(w, report.Clean(s))
			return
		}
	}
	w.raw(s) // the usual one
}

// open begins an element. Attributes are names, each followed by its value; one without a value is left out.
func (w writer) open(name string, attributes ...string) {
	w.raw("<")
	w.raw(name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			w.raw(" " + attributes[i] + `="`)
			w.text(attributes[i+1])
			w.raw(`"`)
		}
	}
	w.raw(">")
}

func (w writer) close(name string) { w.raw("</" + name + ">") }

// element writes an element that holds a text.
func (w writer) element(name, text string, attributes ...string) {
	w.open(name, attributes...)
	w.text(text)
	w.close(name)
}

// line writes an element on a line of its own, nothing for an empty text.
func (w writer) line(name, text string, attributes ...string) {
	if text != "" {
		w.element(name, text, attributes...)
		w.raw("\n")
	}
}

// small writes a text that explains what stands before it, nothing for an empty one.
func (w writer) small(text string) {
	if text != "" {
		w.raw(" ")
		w.element("small", text)
	}
}
