package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/plot"
	"occudiff/report/rundoc"
)

var _ = flag.Bool("update", false, "rewrite the golden files")

func draw(t *testing.T, p *report.Plot, look plot.Look) string {
	t.Helper()
	svg, err := plot.Draw(p, look)
	if err != nil {
		t.Fatal(err)
	}
	return string(svg)
}

func TestGolden(t *testing.T) {
	d := rundoc.FromResult(sample.Gaussian(), report.Provenance{})
	for _, p := range d.Plots(report.Page) {
		sample.Golden(t, "gaussian-"+p.Key+".svg", []byte(draw(t, p, plot.Look{})))
	}
}

// TestSound reads every picture of every sample back as XML and checks that it names nothing outside itself, that names
// are text, and that it comes out the same twice.
func TestSound(t *testing.T) {
	strange := sample.Gaussian()
	strange.Rows[0].Task = "\u4e2d\u6587 \U0001f600 \ufffe\uffff \"#FF0000\" style=\"fill:#000001\" " +
		"</text><script>alert(1)</script>"
	for name, r := range map[string]*compare.Result{"gaussian": sample.Gaussian(), "hostile": sample.Hostile(),
		"absent": sample.Absent(), "logs": sample.LogsOnly(), "empty": sample.Empty(), "many": sample.Many(1000),
		"strange": strange} {
		d := rundoc.FromResult(r, report.Provenance{})
		for _, p := range d.Plots(report.Page) {
			for _, look := range []plot.Look{{}, {Inline: true}} {
				svg := draw(t, p, look)
				wellFormed(t, name+" "+p.Key, svg)
				if again := draw(t, p, look); again != svg {
					t.Errorf("%s %s: two drawings of one plot differ", name, p.Key)
				}
				for _, bad := range []string{"<script", "style=", "href", "url("} {
					if strings.Contains(strings.ReplaceAll(svg, "style=&#34;", ""), bad) {
						t.Errorf("%s %s contains %s", name, p.Key, bad)
					}
				}
				if look.Inline == strings.Contains(svg, `="#`) {
					t.Errorf("%s %s: inline %v, but colors are not as they should be", name, p.Key, look.Inline)
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

// TestPicturesOfManyStaySmall holds the size of the pictures of a run of many kernels.
func TestPicturesOfManyStaySmall(t *testing.T) {
	d := rundoc.FromResult(sample.Many(5000), report.Provenance{})
	for _, p := range d.Plots(report.Page) {
		if n := len(draw(t, p, plot.Look{Inline: true})); n > 200_000 {
			t.Errorf("%s has %d bytes for 5,000 kernels", p.Key, n)
		}
	}
}

func TestNoPicture(t *testing.T) {
	_, err := plot.Draw(&report.Plot{Key: "p"}, plot.Look{})
	if want := "plot p has no picture"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestVariables checks that a light and a dark page define the same names.
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
