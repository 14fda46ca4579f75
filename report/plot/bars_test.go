package plot_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/plot"
	"occudiff/report/rundoc"
)

// account is where the thread slots of some kernels went; one has a negative part, one a part that others do not have.
func account() *report.Plot {
	return &report.Plot{Key: "account", Title: "Where the thread slots went", Unit: "%", Max: 100,
		StackedBars: &report.StackedBars{
			X: "Thread slots of the GPU",
			Parts: []report.Part{{Name: "used", Hue: 1}, {Name: "underfilled XVEs", Hue: 2}, {Name: "empty XVEs", Hue: 3},
				{Name: "shortfall", Hue: 4}, {Name: "last wave (predicted)", Hue: 5}, {Name: "limits (predicted)", Hue: 6}},
			Rows: []report.StackedRow{
				{Name: "Fan2", Detail: "2048x2048 in 1024x1, SIMD32", Shares: []report.Share{{Part: 0, Value: 62.7},
					{Part: 1, Value: 16.2}, {Part: 2, Value: 20.6}, {Part: 4, Value: 0.5}}},
				{Name: "gemm<float, 16>", Detail: "512x512", Shares: []report.Share{{Part: 0, Value: 94},
					{Part: 1, Value: -3}, {Part: 2, Value: 0.4}, {Part: 4, Value: 5.6}}},
				{Name: "hgemm", Shares: []report.Share{{Part: 0, Value: 46.8}, {Part: 3, Value: 3.2},
					{Part: 5, Value: 50}}},
				{Name: "unknown part", Shares: []report.Share{{Part: 9, Value: 50}, {Part: 0, Value: 150}}},
			},
		}}
}

func TestRowsGolden(t *testing.T) {
	for _, p := range []*report.Plot{account()} {
		svg := draw(t, p, plot.Look{})
		wellFormed(t, p.Key, svg)
		sample.Golden(t, p.Key+".svg", []byte(svg))
	}
}

// TestStackedBars: a negative share takes no room, a bar ends with the whole, and a part that is not known is not
// drawn.
func TestStackedBars(t *testing.T) {
	svg := draw(t, account(), plot.Look{})
	for _, want := range []string{"Fan2: used 62.7 %", "Fan2: empty XVEs 20.6 %", "hgemm: shortfall 3.2 %",
		"hgemm: limits (predicted) 50.0 %"} {
		if strings.Count(svg, "<title>"+want+"</title>") != 1 {
			t.Errorf("no part %q", want)
		}
	}
	for _, bad := range []string{"-3.0", "hgemm: underfilled", "hgemm: empty"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%q is drawn", bad)
		}
	}
	used := `x="223" y="188" width="492.2" height="16"`
	if !strings.Contains(svg, used) {
		t.Errorf("no bar %s: 150 %% of a whole of 100 must end with it", used)
	}
}

// TestNarrowRows: on a phone the name of a row stands above it, with what tells it apart, and nothing is beyond the
// edge.
func TestNarrowRows(t *testing.T) {
	svg := draw(t, account(), plot.Look{Inline: true, Width: 340})
	if !strings.Contains(svg, ">Fan2 2048x2048 in 1024x1, SIMD32</text>") ||
		!strings.Contains(svg, `viewBox="0 0 340 `) {
		t.Error("the name of the first row does not stand above it")
	}
	rect := regexp.MustCompile(`<rect x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"`)
	for _, m := range rect.FindAllStringSubmatch(svg, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		width, _ := strconv.ParseFloat(m[2], 64)
		if x+width > 340 {
			t.Errorf("%s ends beyond the edge", m[0])
		}
	}
}

// TestColorsOfParts: the color of a part of the account is that of nothing else, on a light and on a dark page.
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
	d := rundoc.FromResult(sample.Gaussian(), report.Provenance{})
	for _, p := range append(d.Plots(report.Page), account()) {
		if has := strings.Contains(draw(t, p, plot.Look{Inline: true}), "--plot-part"); has != (p.StackedBars != nil) {
			t.Errorf("%s: colors of parts %t", p.Key, has)
		}
	}
}
