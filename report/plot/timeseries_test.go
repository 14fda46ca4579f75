package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/plot"
)

// series returns n runs around a level, with a change point in the middle.
func series(n int, name string) *report.TimeSeries {
	limit := 58.0
	c := &report.TimeSeries{Threshold: unit.Some(limit), Segments: []report.Segment{{From: 0, To: n / 2, Mean: 62},
		{From: n / 2, To: n, Mean: 55, Name: "change: " + name, Status: report.Bad}}}
	for i := range n {
		v := 62 + float64(i%3)/10
		if i >= n/2 {
			v -= 7
		}
		c.Points = append(c.Points, report.TimePoint{Time: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC), Value: v,
			Name: "run " + name})
	}
	return c
}

// TestTimeSeriesGolden compares the drawing of a time series with a golden
// file, which people can inspect visually.
func TestTimeSeriesGolden(t *testing.T) {
	p := report.Plot{Key: "series", Title: "Fan2", Unit: "%", Text: "A point per run.", TimeSeries: series(20, "Fan2")}
	testenv.Golden(t, "testdata/timeseries.svg", []byte(draw(t, &p, plot.Look{})))
}

// TestTimeSeriesAreValid draws extreme time series: with no run, with one run,
// with equal values, with very many runs, and with names that must stay text.
// The results must be XML with valid numbers and a tooltip for every run.
func TestTimeSeriesAreValid(t *testing.T) {
	flat := series(5, "flat")
	flat.Segments, flat.Threshold = nil, unit.Opt[float64]{}
	for i := range flat.Points {
		flat.Points[i].Value = 0
	}
	huge := series(10, "huge")
	for i := range huge.Points {
		huge.Points[i].Value *= 1e12
	}
	all := map[string]*report.TimeSeries{"empty": {}, "one": series(1, "one"), "two": series(2, "two"), "flat": flat,
		"huge": huge, "many": series(3000, "many")}
	for _, name := range sample.HostileNames() {
		all[name] = series(9, name)
	}
	for name, c := range all {
		for _, large := range []bool{false, true} {
			c.Large = large
			p := report.Plot{Key: "c", Title: name, Text: name, TimeSeries: c}
			for _, look := range []plot.Look{{}, {Inline: true}} {
				svg := draw(t, &p, look)
				checkDrawn(t, name, svg)
				if titles := strings.Count(svg, "<title>run "); titles != len(c.Points) {
					t.Errorf("%q: %d runs can be pointed at, want %d", name, titles, len(c.Points))
				}
			}
		}
	}
}

// TestTimeSeriesDates checks, for any number of runs, that the dates below a
// time series do not overlap, and that the newest date is among them.
func TestTimeSeriesDates(t *testing.T) {
	label := regexp.MustCompile(`<text x="([0-9.]+)" y="[0-9.]+" text-anchor="middle" font-size="11"[^>]*>` +
		`([0-9: -]+)</text>`)
	for n := range 120 {
		c := series(n+1, "k")
		for i := range c.Points { // at this interval, a date takes the most room
			c.Points[i].Time = time.Date(2026, 1, 1, 0, 20*i, 0, 0, time.UTC)
		}
		for _, large := range []bool{false, true} {
			c.Large = large
			var at []float64
			for _, m := range label.FindAllStringSubmatch(draw(t,
				&report.Plot{Key: "c", TimeSeries: c}, plot.Look{}), -1) {
				x, err := strconv.ParseFloat(m[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				if len(at) == 0 && m[2] != c.Points[n].Time.Format("01-02 15:04") {
					t.Errorf("%d runs: the last date is %s, want that of the newest run", n+1, m[2])
				}
				if at = append(at, x); len(at) > 1 && at[len(at)-2]-x < 64 {
					t.Errorf("%d runs: dates at %v overlap", n+1, at)
				}
			}
			if len(at) == 0 {
				t.Errorf("%d runs: no date", n+1)
			}
		}
	}
}

func checkDrawn(t *testing.T, name, svg string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%q: not XML: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "script" || e.Name.Local == "b" {
				t.Errorf("%q: an element %s got in", name, e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%q: %s has %s=%q", name, e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}
