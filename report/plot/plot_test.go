package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/plot"
)

func draw(t *testing.T, p *report.Plot, look plot.Look) string {
	t.Helper()
	svg, err := plot.Draw(p, look)
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}

// TestChartsAreValid reads charts with hostile names back as XML. It checks
// that they do not reference other files, that names are text, and that drawing
// a chart again has the same result.
func TestChartsAreValid(t *testing.T) {
	for _, name := range append(sample.HostileNames(), "\u4e2d\u6587 \U0001f600 \ufffe\uffff \"#FF0000\" style=\"fill:#000001\" "+
		"</text><script>alert(1)</script>") {
		for _, p := range []*report.Plot{lineChart(report.LineChart{X: name, Series: []report.LineSeries{line(name, 1, 2)}}),
			{Title: name, Text: name, Unit: name, TimeSeries: series(5, name)}} {
			for _, look := range []plot.Look{{}, {Inline: true}} {
				svg := draw(t, p, look)
				wellFormed(t, name, svg)
				if again := draw(t, p, look); again != svg {
					t.Errorf("%s: two drawings of one plot differ", name)
				}
				for _, bad := range []string{"<script", "style=", "href", "url("} {
					if strings.Contains(strings.ReplaceAll(svg, "style=&#34;", ""), bad) {
						t.Errorf("%s: %s is in the chart", name, bad)
					}
				}
				if look.Inline == strings.Contains(svg, `="#`) {
					t.Errorf("%s: inline %v, but colors are not as they should be", name, look.Inline)
				}
			}
		}
	}
}

func wellFormed(t *testing.T, name, svg string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s is no XML: %v", name, err)
			return
		}
		if e, ok := tok.(xml.StartElement); ok &&
			!strings.Contains(" svg g path text title desc rect line circle polyline polygon ", " "+e.Name.Local+" ") {
			t.Errorf("%s has an element %s", name, e.Name.Local)
		}
	}
}

func TestNoChart(t *testing.T) {
	_, err := plot.Draw(&report.Plot{Key: "p"}, plot.Look{})
	if want := "plot p has no chart"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestVariables checks that a light and a dark page define the same CSS
// variables.
func TestVariables(t *testing.T) {
	names := func(css string) string {
		var b bytes.Buffer
		for _, part := range strings.Split(css, ";") {
			name, _, _ := strings.Cut(part, ":")
			b.WriteString(name + " ")
		}
		return b.String()
	}
	if l, d := names(plot.Variables(false)), names(plot.Variables(true)); l != d {
		t.Errorf("light %s, dark %s", l, d)
	}
}
