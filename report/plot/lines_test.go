package plot_test

import (
	"math"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/plot"
)

func lineChart(c report.LineChart) *report.Plot {
	return &report.Plot{Title: "Occupancy <of> a & b", Max: 100, Unit: "%", LineChart: &c}
}

func line(name string, ys ...float64) report.LineSeries {
	s := report.LineSeries{Name: name}
	for i, y := range ys {
		s.Points = append(s.Points, report.Point{X: float64(i), Y: y})
	}
	return s
}

func TestLineChart(t *testing.T) {
	p := lineChart(report.LineChart{X: "Work-group size", Y: "Occupancy", XStep: 1,
		Series: []report.LineSeries{line("Xe-core", 10, 50, 100), line("average", 5, 25, 90)}})
	svg := draw(t, p, plot.Look{})
	for _, want := range []string{"Occupancy &lt;of&gt; a &amp; b", ">Work-group size<", ">Occupancy [%]<",
		">Xe-core<", ">average<", ">80<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in the chart", want)
		}
	}
	if svg != draw(t, p, plot.Look{}) {
		t.Error("the same chart gives other bytes")
	}
}

func TestLineChartWithOddData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		reason string
		series report.LineSeries
		drawn  string // SVG elements that draw the data; empty if nothing can be drawn
	}{
		{"a gap cuts a line in two", line("gap", 1, 2, nan, 3, 4), "polyline polyline"},
		{"infinities are gaps", line("inf", 1, inf, 2), "circle circle"},
		{"one point is a mark", line("one", 7), "circle"},
		{"all zero still has an axis", line("zero", 0, 0, 0), "polyline"},
		{"steps", report.LineSeries{Name: "steps", Style: report.Steps, Points: line("", 1, 2, 2).Points},
			"polygon polyline"},
		{"marks", report.LineSeries{Name: "marks", Style: report.Marks, Points: line("", 1, 2, 2).Points},
			"circle circle circle"},
		{"only gaps", line("nothing", nan, nan), ""},
		{"no point", report.LineSeries{Name: "empty"}, ""},
	} {
		p := lineChart(report.LineChart{Series: []report.LineSeries{c.series}})
		if c.drawn == "" {
			if _, err := plot.Draw(p, plot.Look{}); err == nil || err.Error() != "there is no point to draw" {
				t.Errorf("%s: got %v", c.reason, err)
			}
			continue
		}
		svg := draw(t, p, plot.Look{})
		wellFormed(t, c.reason, svg)
		if !strings.Contains(svg, ">"+c.series.Name+"<") {
			t.Errorf("%s: the legend does not name it", c.reason)
		}
		_, data, _ := strings.Cut(svg, ">"+c.series.Name+"</text>")
		var drawn []string
		for _, part := range strings.Split(data, "<") {
			if name, _, _ := strings.Cut(part, " "); name == "polyline" || name == "polygon" || name == "circle" {
				drawn = append(drawn, name)
			}
		}
		if got := strings.Join(drawn, " "); got != c.drawn {
			t.Errorf("%s: drawn %q, want %q", c.reason, got, c.drawn)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: a coordinate is not a number", c.reason)
		}
	}
}

// TestTicks checks that a step that is far too small for the data does not
// result in a million numbers.
func TestTicks(t *testing.T) {
	s := report.LineSeries{Points: []report.Point{{X: 0, Y: 1}, {X: 1e6, Y: 2}}}
	svg := draw(t, lineChart(report.LineChart{XStep: 1, Series: []report.LineSeries{s}}), plot.Look{})
	if n := strings.Count(svg, "<text"); n > 40 {
		t.Errorf("%d texts in a small chart", n)
	}
}

// FuzzDraw draws all kinds of plots with hostile numbers and names. It checks
// that nothing panics, and that the result is XML with valid numbers.
func FuzzDraw(f *testing.F) {
	f.Add(100.0, 62.7, 99.5, "Fan2", 350.0)
	f.Add(math.Inf(1), math.NaN(), -1e308, `"><script>`, 1.0)
	f.Add(5e-324, 1e308, math.Copysign(0, -1), "\x00\xff]]>", 0.0)
	f.Fuzz(func(t *testing.T, a, b, c float64, name string, width float64) {
		if width > 4000 { // pixels
			return
		}
		points := []report.Point{{X: a, Y: b}, {X: b, Y: c}, {X: c, Y: a}}
		times := series(3, name)
		times.Points[0].Value, times.Points[1].Value, times.Threshold = a, b, unit.Some(c)
		for _, p := range []*report.Plot{
			{TimeSeries: times},
			{LineChart: &report.LineChart{X: name, Y: name, XStep: a, Series: []report.LineSeries{{Name: name,
				Points: points}}}},
		} {
			p.Title, p.Text, p.Max, p.Unit = name, name, a, name
			for _, inline := range []bool{false, true} {
				svg, err := plot.Draw(p, plot.Look{Inline: inline, Width: width})
				if err == nil {
					checkDrawn(t, name, string(svg))
				}
			}
		}
	})
}

// TestNumbersOnlyAtPoints checks that an axis has numbers only at the points if
// no values exist between them. For example, no sub-group has 24 work-items.
func TestNumbersOnlyAtPoints(t *testing.T) {
	for _, alone := range [][]float64{nil, {8, 16, 32}} {
		chart := lineChart(report.LineChart{X: "Sub-group size", Y: "Occupancy", XStep: 8, XAlone: alone,
			Series: []report.LineSeries{{Name: "GPU peak", Points: []report.Point{{X: 8, Y: 50}, {X: 16, Y: 90}, {X: 32, Y: 90}}}}})
		picture := draw(t, chart, plot.Look{})
		for number, want := range map[string]bool{">8<": true, ">16<": true, ">24<": alone == nil, ">32<": true} {
			if strings.Contains(picture, number) != want {
				t.Errorf("numbers %v: a number %s: %t, want %t", alone, number, !want, want)
			}
		}
	}
}
