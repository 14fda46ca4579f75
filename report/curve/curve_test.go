package curve_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"occudiff/report/curve"
)

func draw(t *testing.T, c curve.Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := curve.SVG(&b, c); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return b.String()
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
}

func line(name string, ys ...float64) curve.Series {
	s := curve.Series{Name: name}
	for i, y := range ys {
		s.Points = append(s.Points, curve.Point{X: float64(i), Y: y})
	}
	return s
}

func TestSVG(t *testing.T) {
	c := curve.Chart{Title: "Occupancy <of> a & b", X: "Work-group size", Y: "Occupancy [%]", MaxY: 100, YStep: 20, XStep: 1,
		Series: []curve.Series{line("Xe-core", 10, 50, 100), line("average", 5, 25, 90)}}
	svg := draw(t, c)
	for _, want := range []string{"Occupancy &lt;of&gt; a &amp; b", ">Work-group size<", ">Occupancy [%]<", ">Xe-core<", ">average<", ">80<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in the picture", want)
		}
	}
	if svg != draw(t, c) {
		t.Error("the same chart gives other bytes")
	}
}

func TestSVGOfOddData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		reason string
		series curve.Series
		paths  string // how the legend names it; empty when nothing can be drawn
	}{
		{"a gap cuts a line in two", line("gap", 1, 2, nan, 3, 4), "gap"},
		{"infinities are gaps", line("inf", 1, inf, 2), "inf"},
		{"one point is a mark", line("one", 7), "one"},
		{"all zero still has an axis", line("zero", 0, 0, 0), "zero"},
		{"steps", curve.Series{Name: "steps", Style: curve.Steps, Points: line("", 1, 2, 2).Points}, "steps"},
		{"marks", curve.Series{Name: "marks", Style: curve.Marks, Points: line("", 1, 2, 2).Points}, "marks"},
		{"gaps alone", line("nothing", nan, nan), ""},
		{"no point", curve.Series{Name: "empty"}, ""},
	} {
		chart := curve.Chart{Series: []curve.Series{c.series}}
		if c.paths == "" {
			if err := curve.SVG(io.Discard, chart); err == nil || err.Error() != "there is no point to draw" {
				t.Errorf("%s: got %v", c.reason, err)
			}
			continue
		}
		svg := draw(t, chart)
		if !strings.Contains(svg, ">"+c.paths+"<") {
			t.Errorf("%s: the legend does not name it", c.reason)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: a coordinate is no number", c.reason)
		}
	}
}

// TestTicks: a step that is far too small for the data must not give a million numbers.
func TestTicks(t *testing.T) {
	s := curve.Series{Points: []curve.Point{{X: 0, Y: 1}, {X: 1e6, Y: 2}}}
	svg := draw(t, curve.Chart{XStep: 1, YStep: 0.5, Series: []curve.Series{s}})
	if n := strings.Count(svg, "<text"); n > 40 {
		t.Errorf("%d texts in a small picture", n)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestSVGReportsWriteErrors(t *testing.T) {
	err := curve.SVG(full{}, curve.Chart{Series: []curve.Series{line("a", 1, 2)}})
	if err == nil || !strings.Contains(err.Error(), "writing SVG: disk full") {
		t.Errorf("got %v", err)
	}
}
