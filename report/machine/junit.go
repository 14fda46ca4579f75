package machine

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strconv"

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
		Cases      junitCases       `xml:"testcase"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr,omitempty"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitOutcome `xml:"failure"`
		Skipped *junitOutcome `xml:"skipped"`
		Out     *junitText    `xml:"system-out"`
	}
	junitCases iter.Seq[report.TestCase]
	junitText  struct {
		Text []byte `xml:",innerxml"` // escaped
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    []byte `xml:",innerxml"` // escaped
	}
)

// JUnit writes a suite as JUnit XML: times in seconds at full precision, left out where they are not known. Whatever
// XML 1.0 cannot hold has been replaced in one-line texts already; encoding/xml replaces it in the others.
func JUnit(w io.Writer, s *report.TestSuite) error {
	suite := junitSuite{
		Name: s.Name, Tests: s.Len(), Failures: s.Count(report.TestFailed), Skipped: s.Count(report.TestSkipped),
		Time: seconds(s.Seconds()), Hostname: s.Host,
	}
	suite.Cases = junitCases(s.Cases())
	if !s.Collected.IsZero() {
		suite.Timestamp = s.Collected.UTC().Format("2006-01-02T15:04:05") // the schemas allow no zone
	}
	if len(s.Properties) > 0 {
		suite.Properties = &junitProperties{}
		for _, p := range s.Properties {
			suite.Properties.List = append(suite.Properties.List, junitProperty(p))
		}
	}
	all := junitSuites{Name: "occudiff", Tests: suite.Tests, Failures: suite.Failures, Skipped: suite.Skipped,
		Time: suite.Time, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

// MarshalXML writes the cases one by one.
func (c junitCases) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	for x := range c {
		if err := e.EncodeElement(junitCaseOf(&x), start); err != nil {
			return err
		}
	}
	return nil
}

func junitCaseOf(c *report.TestCase) junitCase {
	j := junitCase{Class: c.Class, Name: c.Name, Time: seconds(c.Seconds), File: c.File, Line: c.Line}
	o := &junitOutcome{Message: c.Message, Type: c.Type, Text: escapeText(c.Text)}
	switch c.Outcome {
	case report.TestPassed:
		if c.Text != "" {
			j.Out = &junitText{o.Text}
		}
	case report.TestFailed:
		j.Failure = o
	case report.TestSkipped:
		o.Type = "" // schemas know none here; the message says it
		j.Skipped = o
	}
	return j
}

// escapeText escapes a text of several lines. Line ends stay what they are, for people who read the file.
func escapeText(s string) []byte {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // only the writer can fail, and this one does not
	return bytes.ReplaceAll(b.Bytes(), []byte("&#xA;"), []byte("\n"))
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
