package plot_test

import (
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/plot"
)

// breakdown returns the thread-slot breakdown of some kernels. One kernel has a
// negative part, and another has a part that the others do not have.
func breakdown() *report.StackedBars {
	return &report.StackedBars{
		Parts: []string{"occupied", "underfilled XVEs", "idle XVEs", "shortfall", "last wave (predicted)", "launch limit (predicted)"},
		Rows: []report.StackedRow{
			{Name: "Fan2", Shares: []report.Share{{Part: 0, Value: 62.7}, {Part: 1, Value: 16.2}, {Part: 2, Value: 20.6}, {Part: 4, Value: 0.5}}},
			{Name: "negative", Shares: []report.Share{{Part: 0, Value: 94}, {Part: 1, Value: -3}, {Part: 2, Value: 0.4}, {Part: 4, Value: 5.6}}},
			{Name: "beyond the whole", Shares: []report.Share{{Part: 5, Value: 50}, {Part: 0, Value: 150}}},
			{Name: "nothing is known"},
		}}
}

// TestBar checks that a negative share has no width, that a bar ends at 100%,
// and that a row without parts has no bar.
func TestBar(t *testing.T) {
	var all strings.Builder
	for row, want := range []string{
		"occupied 62.7%, underfilled XVEs 16.2%, idle XVEs 20.6%, last wave (predicted) 0.5%",
		"occupied 94.0%, idle XVEs 0.4%, last wave (predicted) 5.6%",
		"launch limit (predicted) 50.0%, occupied 150.0%",
		"",
	} {
		svg := string(plot.Bar(breakdown(), row))
		if (svg == "") != (want == "") || !strings.Contains(svg, `aria-label="`+want+`"`) && want != "" {
			t.Errorf("row %d: %s, want %q", row, svg, want)
		}
		if svg != "" {
			wellFormed(t, want, svg)
		}
		all.WriteString(svg)
	}
	for part := range breakdown().Parts {
		all.Write(plot.Swatch(part))
	}
	testenv.Golden(t, "testdata/bars.svg", []byte(all.String()))
}

// TestMarks checks a mark at a single predicted average, and a mark with two
// ends for a range of averages.
func TestMarks(t *testing.T) {
	b := breakdown()
	b.Mark = "predicted average"
	b.Rows[0].Mark, b.Rows[1].Mark, b.Rows[1].MarkTo = unit.Some(99.5), unit.Some(62.5), unit.Some(85.0)
	b.Rows[0].Before = []report.Share{{Part: 0, Value: 70}}
	for row, want := range []string{
		"old: measured 70.0%; new: measured 62.7%, underfilled XVEs 16.2%, idle XVEs 20.6%, last wave (predicted) 0.5%; " +
			"predicted average 99.5%",
		"measured 94.0%, idle XVEs 0.4%, last wave (predicted) 5.6%; predicted average 62.5 to 85.0%",
	} {
		want = strings.ReplaceAll(want, "measured", b.Parts[0])
		if svg := string(plot.Bar(b, row)); !strings.Contains(svg, `aria-label="`+want+`"`) {
			t.Errorf("row %d: %s, want %q", row, svg, want)
		}
	}
	svg, err := plot.Draw(&report.Plot{Key: "bars", Title: "Thread-slot breakdown", Bars: b}, plot.Look{})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "a chart", string(svg))
	for _, text := range []string{">Fan2<", ">100%<", ">predicted average<"} {
		if !strings.Contains(string(svg), text) {
			t.Errorf("the chart has no %s", text)
		}
	}
}

// TestShows checks that a legend lists only parts that are visible in a bar,
// because people would search for other parts.
func TestShows(t *testing.T) {
	var shown []int
	for part := range breakdown().Parts {
		if breakdown().Shows(part) {
			shown = append(shown, part)
		}
	}
	if !slices.Equal(shown, []int{0, 1, 2, 4, 5}) {
		t.Errorf("the legend has %v", shown)
	}
}

// TestColorsOfParts checks that the color of a breakdown part has no other use,
// on a light and on a dark page.
func TestColorsOfParts(t *testing.T) {
	for _, dark := range []bool{false, true} {
		of := map[string][]string{}
		for _, v := range strings.Split(strings.TrimSuffix(plot.Variables(dark), ";"), ";") {
			name, color, _ := strings.Cut(strings.TrimPrefix(v, "--plot-"), ":")
			of[color] = append(of[color], name)
		}
		for color, names := range of {
			if len(names) > 1 && strings.Contains(strings.Join(names, " "), "part") {
				t.Errorf("dark %t: %s is the color of %v", dark, color, names)
			}
		}
	}
	var charts strings.Builder
	for _, p := range []*report.Plot{lineChart(report.LineChart{Series: []report.LineSeries{line("a", 1, 2), line("b", 2, 3)}}), {TimeSeries: series(9, "s")}} {
		charts.WriteString(draw(t, p, plot.Look{Inline: true}))
	}
	if strings.Contains(charts.String(), "--plot-part") || !strings.Contains(string(plot.Bar(breakdown(), 0)), "--plot-part2") {
		t.Error("the colors of parts are those of bars alone")
	}
}
