package machine_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"occudiff/compare"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"
	"occudiff/report/rundoc"
)

func toJUnit(t *testing.T, r *compare.Result) string {
	t.Helper()
	var b bytes.Buffer
	prov := report.Provenance{Version: "1.2.3", CommandLine: []string{"occudiff", "validate", "a b.csv"}, Label: "nightly"}
	if err := machine.JUnit(&b, rundoc.TestSuiteFrom(r, prov)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJUnitGolden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		result       *compare.Result
	}{
		{"gaussian", "a failure and a skipped case; copies left out", sample.Gaussian()},
		{"hostile", "any name gives XML 1.0", sample.Hostile()},
		{"absent", "no device, no times: no attributes", sample.Absent()},
		{"empty", "a suite without cases", sample.Empty()},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := toJUnit(t, c.result)
			checkXML(t, out)
			testenv.Golden(t, "testdata/"+c.name+".xml", []byte(out))
		})
	}
}

// checkXML reads the whole document with a strict reader and checks every
// character. XML 1.0 allows tab, line feed, carriage return, and characters
// starting with U+0020, except surrogates, U+FFFE, and U+FFFF.
func checkXML(t *testing.T, out string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(out))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
	if !utf8.ValidString(out) {
		t.Error("not UTF-8")
	}
	for _, r := range out {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			t.Fatalf("character %U is not XML 1.0", r)
		}
	}
}

// TestJUnitKeepsNames reads the case names back and checks that printable names
// are unchanged.
func TestJUnitKeepsNames(t *testing.T) {
	var v struct {
		Cases []struct {
			Name string `xml:"name,attr"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(toJUnit(t, sample.Hostile())), &v); err != nil {
		t.Fatal(err)
	}
	for i, name := range sample.HostileNames() {
		want := report.OneLine(name) + " (2048x2048 in 1024x1, SIMD32)"
		if v.Cases[i].Name != want && v.Cases[i].Name != want+" #2" { // two names become equal: a tab and a line break
			t.Errorf("case %d: got %q, want %q", i, v.Cases[i].Name, want)
		}
	}
}

func FuzzJUnit(f *testing.F) {
	for _, name := range sample.HostileNames() {
		f.Add(name, name)
	}
	f.Add("\x00\ufffe\uffff", "]]>\x0b")
	f.Fuzz(func(t *testing.T, name, because string) {
		r := sample.Gaussian()
		r.Rows[0].Task, r.Rows[0].Cause.Evidence, r.Rows[0].Cause.Name = name, because, because
		r.Rows[0].Pos.File, r.Inputs[0].Path, r.Device.Key = name, because, name
		checkXML(t, toJUnit(t, r))
	})
}

// TestAnnotations checks that annotations are escaped by GitHub's rules: first
// %, then line breaks, and in properties also colons and commas.
func TestAnnotations(t *testing.T) {
	for _, c := range []struct {
		a            report.Annotation
		want, reason string
	}{
		{report.Annotation{Level: report.AnnotateError, File: "run.csv", Line: 2, Title: "Fan2", Message: "below"},
			"::error file=run.csv,line=2,title=Fan2::below\n", "all properties"},
		{report.Annotation{Level: report.AnnotateWarning, Message: "62.7%: a\r\nb, c"},
			"::warning::62.7%25: a%0D%0Ab, c\n", "a message keeps its colons and commas"},
		{report.Annotation{Level: report.AnnotateWarning, File: `C:\a,b%.csv`, Title: "k::f<1,2>\n::error::x", Message: "m"},
			"::warning file=C%3A\\a%2Cb%25.csv,title=k%3A%3Af<1%2C2>%0A%3A%3Aerror%3A%3Ax::m\n", "nothing ends a property early"},
		{report.Annotation{Level: report.AnnotateNotice, Line: 7, Title: "t", Message: ""},
			"::notice title=t::\n", "a line without a file says nothing"},
		{report.Annotation{Level: report.AnnotateError, Message: "::set-output name=x::%0A"},
			"::error::::set-output name=x::%250A\n", "what looks like a command or an escape is text"},
	} {
		var b bytes.Buffer
		if err := machine.Annotations(&b, []report.Annotation{c.a}); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.reason, b.String(), c.want)
		}
	}
}
