package machine

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"occudiff/report"
)

// The elements of JUnit's report as CI systems read them. There is no standard; attributes are those that Jenkins,
// GitLab and GitHub's test reporters know.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr,omitempty"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Time       string           `xml:"time,attr,omitempty"`
		Timestamp  string           `xml:"timestamp,attr,omitempty"`
		Hostname   string           `xml:"hostname,attr,omitempty"`
		Properties *junitProperties `xml:"properties"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
)

// JUnit writes a suite as JUnit XML: times in seconds at full precision, left out where they are not known. Whatever
// XML 1.0 cannot hold has been replaced in one-line texts already; encoding/xml replaces it in the others.
func JUnit(w io.Writer, s *report.TestSuite) error {
	if err := junit(bufio.NewWriterSize(w, 64<<10), s); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

// junit leaves all but the cases to encoding/xml, which takes twice as long for one as writing it does: of a run
// that keeps every launch there are millions.
func junit(w *bufio.Writer, s *report.TestSuite) error {
	frame, err := xml.MarshalIndent(junitFrame(s), "", "  ")
	if err != nil {
		return err
	}
	const end = "</testsuite>\n</testsuites>"
	head := bytes.TrimRight(bytes.TrimSuffix(frame, []byte(end)), " \n")
	w.WriteString(xml.Header)
	w.Write(head)
	var b bytes.Buffer
	for c := range s.Cases() {
		b.Reset()
		junitCase(&b, &c)
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	if s.Len() > 0 || len(s.Properties) > 0 {
		w.WriteString("\n  ")
	}
	w.WriteString(end + "\n")
	return w.Flush()
}

// junitFrame is the suite without its cases.
func junitFrame(s *report.TestSuite) junitSuites {
	suite := junitSuite{
		Name: s.Name, Tests: s.Len(), Failures: s.Count(report.TestFailed), Skipped: s.Count(report.TestSkipped),
		Time: seconds(s.Seconds()), Hostname: s.Host,
	}
	if !s.Collected.IsZero() {
		suite.Timestamp = s.Collected.UTC().Format("2006-01-02T15:04:05") // the schemas allow no zone
	}
	if len(s.Properties) > 0 {
		suite.Properties = &junitProperties{}
		for _, p := range s.Properties {
			suite.Properties.List = append(suite.Properties.List, junitProperty(p))
		}
	}
	return junitSuites{Name: "occudiff", Tests: suite.Tests, Failures: suite.Failures, Skipped: suite.Skipped,
		Time: suite.Time, Suites: []junitSuite{suite}}
}

// junitCase writes a case on lines of its own. Attributes that are empty and that schemas do not ask for are left out.
func junitCase(b *bytes.Buffer, c *report.TestCase) {
	b.WriteString("\n    <testcase")
	attribute(b, "classname", c.Class)
	attribute(b, "name", c.Name)
	optional(b, "time", seconds(c.Seconds))
	optional(b, "file", c.File)
	if c.Line != 0 {
		attribute(b, "line", strconv.Itoa(c.Line))
	}
	element := ""
	switch {
	case c.Outcome == report.TestFailed:
		element = "failure"
	case c.Outcome == report.TestSkipped:
		element = "skipped"
	case c.Text != "":
		element = "system-out"
	default:
		b.WriteString("></testcase>")
		return
	}
	b.WriteString(">\n      <" + element)
	if c.Outcome != report.TestPassed {
		attribute(b, "message", c.Message)
	}
	if c.Outcome == report.TestFailed { // schemas know no type of what was skipped; the message says it
		optional(b, "type", c.Type)
	}
	b.WriteByte('>')
	for i, line := range strings.Split(c.Text, "\n") { // line ends stay what they are, for people who read the file
		if i > 0 {
			b.WriteByte('\n')
		}
		escape(b, line)
	}
	b.WriteString("</" + element + ">\n    </testcase>")
}

func optional(b *bytes.Buffer, name, value string) {
	if value != "" {
		attribute(b, name, value)
	}
}

func attribute(b *bytes.Buffer, name, value string) {
	b.WriteString(" " + name + `="`)
	escape(b, value)
	b.WriteByte('"')
}

// escape escapes a text as encoding/xml does, the usual one without a detour.
func escape(b *bytes.Buffer, s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(`"'&<>`, c) >= 0 {
			_ = xml.EscapeText(b, []byte(s)) // only the writer can fail, and this one does not
			return
		}
	}
	b.WriteString(s)
}

// seconds is empty when absent; schemas want decimals, no exponent.
func seconds(t *float64) string {
	if t == nil {
		return ""
	}
	// Twelve digits: a sum of times ends in digits that nobody measured, as 1.7017770000000003.
	short, err := strconv.ParseFloat(strconv.FormatFloat(*t, 'g', 12, 64), 64)
	if err != nil {
		short = *t
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}
