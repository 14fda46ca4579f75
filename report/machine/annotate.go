package machine

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"occudiff/report"
)

// Annotations writes GitHub's workflow commands, a line each: `::error file=run.csv,line=2,title=Fan2::Below by 36.8
// points`. A runner reads them from both of a step's streams.
// How many of them GitHub shows is for the caller; see report.CapAnnotations. A line without a file says nothing, so it
// is left out.
func Annotations(w io.Writer, list []report.Annotation) error {
	var b bytes.Buffer
	for _, a := range list {
		b.WriteString("::" + string(a.Level))
		separator := byte(' ')
		property := func(name, value string) {
			if value != "" {
				b.WriteByte(separator)
				b.WriteString(name + "=" + escapeProperty(value))
				separator = ','
			}
		}
		property("file", a.File)
		if a.File != "" && a.Line > 0 {
			property("line", strconv.Itoa(a.Line))
		}
		property("title", a.Title)
		b.WriteString("::" + escapeData(a.Message) + "\n")
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing annotations: %w", err)
	}
	return nil
}

// escapeData escapes the message of a workflow command: it ends at the line's end, and % begins an escape.
// A kernel's name may look like a command or like an escape: % goes first, so that %0A of a name stays text.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(report.Clean(s))
}

// escapeProperty escapes the value of a property, which a comma or two colons would end.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
