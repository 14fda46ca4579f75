package machine

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/report"
)

// The JUnit elements that CI systems read. JUnit XML has no standard, so the
// attributes are the ones that Jenkins, GitLab, and GitHub's test reporters
// use. Empty attributes are left out unless schemas require them. Errors is
// always 0: a kernel passes, fails, or is skipped, and if the input is
// unreadable, no file is written. Message is a pointer, because system-out has
// no message attribute, but a failure has one even if it is empty.
type (
	junitTotals struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr,omitempty"`
	}
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		junitTotals
		Suite junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		junitTotals
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Hostname   string          `xml:"hostname,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr,omitempty"`
		File    string       `xml:"file,attr,omitempty"`
		Line    int          `xml:"line,attr,omitempty"`
		Failure *junitResult `xml:"failure"`
		Skipped *junitResult `xml:"skipped"`
		Output  *junitResult `xml:"system-out"`
	}
	junitResult struct {
		Message *string `xml:"message,attr"`
		Type    string  `xml:"type,attr,omitempty"`
		Text    string  `xml:",innerxml"`
	}
)

// JUnit writes a suite as JUnit XML, with times in seconds at full precision,
// or without times if they are unknown. One-line texts no longer contain
// characters that XML 1.0 does not allow. In other texts, encoding/xml replaces
// these characters.
func JUnit(w io.Writer, s *report.TestSuite) error {
	out := bufio.NewWriterSize(w, 64<<10)
	out.WriteString(xml.Header)
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	err := e.Encode(junitOf(s))
	if err == nil {
		out.WriteByte('\n')
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

func junitOf(s *report.TestSuite) junitSuites {
	totals := junitTotals{Name: s.Name, Tests: len(s.Cases), Failures: s.Count(report.Failed),
		Skipped: s.Count(report.Skipped), Time: seconds(s.Seconds())}
	suite := junitSuite{junitTotals: totals, Hostname: s.Host, Cases: report.ListOf(s.Cases, newJUnitCase),
		Properties: report.ListOf(s.Properties, func(p report.TestProperty) junitProperty { return junitProperty(p) })}
	if !s.Collected.IsZero() {
		suite.Timestamp = s.Collected.UTC().Format("2006-01-02T15:04:05") // no zone, because the schemas allow none
	}
	totals.Name = "occudiff"
	return junitSuites{junitTotals: totals, Suite: suite}
}

func newJUnitCase(c report.Case) junitCase {
	j := junitCase{Class: c.Class, Name: c.Name, Time: seconds(c.Seconds), File: c.File, Line: c.Line}
	result := &junitResult{Text: escapeLines(c.Text + c.Values)}
	switch c.Outcome {
	case report.Failed:
		result.Message, result.Type = &c.Message, c.Type
		j.Failure = result
	case report.Skipped: // no type, because the schemas do not allow one here; the message contains it
		result.Message = &c.Message
		j.Skipped = result
	case report.Passed:
		if result.Text != "" {
			j.Output = result
		}
	}
	return j
}

// escapeLines escapes a text as encoding/xml does, but keeps line breaks for
// people who read the file.
func escapeLines(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // cannot fail, because the buffer is in memory
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}

// seconds returns a time in decimals without an exponent, as schemas require,
// or "" if it is absent. It rounds away digits that result from adding floats,
// as in 1.7017770000000003.
func seconds(time unit.Opt[unit.Seconds]) string {
	t, ok := time.Value()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(report.Round(float64(t)), 'f', -1, 64)
}

// Annotations writes GitHub's workflow commands, one per line: `::error
// file=run.csv,line=2,title=Fan2::Below by 36.8 points`. A runner reads them
// from both streams of a step. The caller limits their number; see
// report.CapAnnotations. A line number without a file is meaningless and is
// left out.
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

// escapeData escapes the message of a workflow command. In a message, % begins
// an escape, and a line break ends the message. A kernel name may look like a
// command or like an escape. Each % is escaped, too, so that %0A in a name
// stays text.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(report.Clean(s))
}

// escapeProperty escapes the value of a property. A comma or two colons would
// end the value.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
