package excel

import (
	"bytes"
	"html"
	"math"
	"slices"
	"strings"
	"testing"

	"occudiff/report"
)

// TestLineChart checks that a line chart refers to the cells of the table below
// it.
func TestLineChart(t *testing.T) {
	p := report.Plot{Key: "p", Title: "Occupancy over work-groups", Unit: "%", Max: 100, LineChart: &report.LineChart{
		X: "Work-groups", Y: "Occupancy", Series: []report.LineSeries{
			{Name: "predicted", Points: []report.Point{{X: 1, Y: 10}, {X: 2, Y: 20}}},
			{Name: "measured", Style: report.Marks, Points: []report.Point{{X: 1, Y: 9}, {X: 2, Y: 18}}},
			{Name: "held", Style: report.Steps, Points: []report.Point{{X: 1, Y: 5}, {X: 3, Y: 6}, {X: math.NaN()}, {X: 4, Y: 7}}},
		}}}
	var b bytes.Buffer
	d := &report.Document{Sections: []report.Section{{Key: "s", Title: "Curve", Plots: []report.Plot{p}}}}
	if err := Render(t.Context(), &b, d); err != nil {
		t.Fatal(err)
	}
	chart := html.UnescapeString(partText(t, b.Bytes(), "xl/charts/chart1.xml"))
	rows, err := open(t, b.Bytes()).GetRows("Curve")
	if err != nil {
		t.Fatal(err)
	}
	head := max(slices.IndexFunc(rows, func(r []string) bool { return len(r) > 1 && r[0] == "Work-groups" }), 0)
	got := make([]string, 0, len(rows))
	for _, r := range rows[head:] {
		got = append(got, strings.Join(r, " "))
	}
	want := "Work-groups predicted [%] measured [%] held [%]|1 10 9|2 20 18|1   5|3   5|3   6||4   7" // a gap has no cells
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("cells %q; want %q", text, want)
	}
	span := func(column, from, to int) string {
		return "'Curve'!" + address(column, head+1+from, true) + ":" + address(column, head+1+to, true)
	}
	for _, ref := range []string{span(1, 1, 2), span(2, 1, 2), span(3, 1, 2), span(1, 3, 7), span(4, 3, 7)} {
		if !strings.Contains(chart, ref) {
			t.Errorf("the chart does not draw %s", ref)
		}
	}
}
