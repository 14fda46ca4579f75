package trackdoc_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/excel"
	"occudiff/report/html"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"
	"occudiff/report/text"
	"occudiff/report/trackdoc"
)

// followed returns a series with one run per day, which the gate has judged and
// in which change points were searched.
func followed(t *testing.T, m track.Metric, name string, values ...float64) *track.Series {
	t.Helper()
	s := &track.Series{Key: history.Key{Task: name, Device: "mtl-112", Driver: "24.1"}}
	var points []trend.Point
	start := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)
	for i, v := range values {
		at := start.AddDate(0, 0, i)
		s.Points = append(s.Points, history.Point{Run: int64(i + 1), Time: at, Value: v})
		points = append(points, trend.Point{Value: v, Run: i})
	}
	r, err := m.Gate.Replay([][]trend.Point{points})
	if err != nil {
		t.Fatal(err)
	}
	s.Gate, s.Findings = r.Series[0].Verdict, r.Series[0].Findings
	run := func(i int) *track.Ref {
		return &track.Ref{Run: int64(i + 1), Time: s.Points[i].Time, Commit: fmt.Sprint("c", i)}
	}
	for _, f := range s.Gate.Open {
		s.Open = append(s.Open, track.Open{Finding: f, FirstBad: *run(f.First), LastGood: run(f.First - 1)})
		s.FirstBad, s.LastGood = run(s.Gate.Open[0].First), run(s.Gate.Open[0].First-1)
	}
	if n := len(values); s.Gate.Outcome == trend.Alarm {
		s.FirstBad, s.LastGood = run(n-1), run(n-2)
	}
	if s.Found, err = trend.ChangePoints(values, trend.DefaultParams()); err != nil {
		t.Fatal(err)
	}
	return s
}

func measured() track.Metric {
	return track.Metric{Metric: history.Measured, Gate: trend.PointsGate()}
}

func seconds() track.Metric {
	return track.Metric{Metric: history.Seconds, Gate: trend.RelativeGate()}
}

// steps returns n values at each level, with a little noise in a fixed pattern.
func steps(n int, levels ...float64) []float64 {
	noise := [...]float64{0.1, -0.2, 0, 0.3, -0.1, 0.2, -0.3, 0.1, 0}
	var values []float64
	for _, l := range levels {
		for range n {
			values = append(values, l*(1+noise[len(values)%len(noise)]/100))
		}
	}
	return values
}

// reported returns a report about series.
func reported(where string, m track.Metric, list ...*track.Series) *track.Report {
	return &track.Report{Judgment: track.Judgment{Metric: m, Where: where, Series: list}, Params: trend.DefaultParams()}
}

// tracks returns a history in which every verdict occurs.
func tracks(t *testing.T) *track.Report {
	m := measured()
	dropped := append(steps(9, 62.7), 54.7, 54.9)
	moved := followed(t, m, "moved", 50.1)
	moved.Key.Driver = "25.2"
	moved.Restart = &track.Change{What: "launch size", From: "8x8", To: "4x4"}
	ended := followed(t, m, "moved", steps(9, 50)...)
	ended.Ended = true
	short := followed(t, m, "Fan1", steps(9, 19.9)...)
	short.Unmeasurable = true
	list := []*track.Series{short, ended, followed(t, m, "steady", steps(12, 90)...), moved, followed(t, m, "young", 40, 41),
		followed(t, m, "outlier", append(steps(9, 70), 60)...), followed(t, m, "Fan2", dropped...), followed(t, m, "slow change", steps(12, 80, 78)...)}
	runs := map[int64]track.Ref{}
	for i := range int64(24) {
		runs[i+1] = track.Ref{Run: i + 1, Time: time.Date(2026, 1, int(i+1), 2, 0, 0, 0, time.UTC)}
	}
	r := reported("occudiff.db", m, list...)
	r.Refs = runs
	return r
}

// hostileTracks returns a history with names that could harm an output, in
// every place where an output shows a name.
func hostileTracks(t *testing.T) *track.Report {
	r := reported("<b>\x1b[31m.db", measured())
	for _, name := range sample.HostileNames() {
		s := followed(t, r.Metric, name, append(steps(10, 62.7), 54.7, 54.9)...)
		s.Key.Device, s.Key.Driver = name, name
		s.Restart = &track.Change{What: "launch size", From: name, To: name}
		r.Series = append(r.Series, s)
	}
	return r
}

// others returns histories with extreme values, by name.
func others(t *testing.T) map[string]*track.Report {
	m := seconds()
	zero := measured()
	zero.Gate.Direction = trend.Up
	residual := track.Metric{Metric: history.Residual, Gate: trend.PointsGate()}
	return map[string]*track.Report{
		"empty":    reported("empty.db", measured()),
		"seconds":  reported("t.db", m, followed(t, m, "Fan2", steps(12, 523e-6, 560e-6)...)),
		"residual": reported("t.db", residual, followed(t, residual, "Fan2", steps(12, -3, -9)...)),
		// In a change from 0 to 5, one of the two ratios is infinite, which
		// JSON cannot represent.
		"from zero": reported("t.db", zero, followed(t, zero, "Fan2", append(make([]float64, 12), steps(12, 5)...)...)),
		"flat":      reported("t.db", zero, followed(t, zero, "Fan2", make([]float64, 30)...), followed(t, zero, "one", 1)),
		"hostile":   hostileTracks(t),
	}
}

func prov() report.Provenance {
	return report.Provenance{Version: "1.2.3", CommandLine: []string{"occudiff", "track", "report"}}
}

func TestTrackGolden(t *testing.T) {
	var b bytes.Buffer
	d := trackdoc.FromReport(tracks(t), prov()).Doc
	if err := text.Terminal(&b, d, text.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	testenv.Golden(t, "testdata/track.txt", b.Bytes())
	b.Reset()
	if err := text.Markdown(&b, d, nil); err != nil {
		t.Fatal(err)
	}
	testenv.Golden(t, "testdata/track.md", b.Bytes())
}

// TestTrackOrder checks the order of the series: series that need attention
// first, ended and unjudged series last.
func TestTrackOrder(t *testing.T) {
	d := trackdoc.FromReport(tracks(t), prov()).Doc
	table := sample.Find(d, "series")
	var got []string
	var cells []report.Cell
	for i := range table.Len {
		cells = table.Row(i, cells[:0])
		got = append(got, cells[0].Text+"="+cells[table.Column("finding")].Text)
	}
	want := "Fan2=regression slow change=regression outlier=alarm moved=learning: launch size changed here steady=ok young=learning moved=ok, ended Fan1=unmeasurable"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// TestTrackCharts checks that large charts of regressed kernels come first, and
// then at most 13 charts of other kernels. If there is only one series, its
// chart is large. A series with a single run has no chart.
func TestTrackCharts(t *testing.T) {
	m := measured()
	down, flat, once := followed(t, m, "down", steps(12, 80, 70)...), followed(t, m, "flat", steps(12, 50)...), followed(t, m, "once", 40)
	past := followed(t, m, "down", steps(12, 80, 70)...)
	past.Ended = true
	var many []*track.Series
	for range 20 {
		many = append(many, flat)
	}
	for _, c := range []struct {
		reason string
		series []*track.Series
		want   string
	}{
		{"open findings come first", []*track.Series{flat, once, down}, "down flat"},
		{"also from far down in the list", append(many, down), "down" + strings.Repeat(" flat", 13)},
		{"an ended finding is not a current regression", []*track.Series{flat, past}, "flat down"},
		{"a single chart is large", []*track.Series{down}, "down"},
		{"a single run is no chart", []*track.Series{once}, ""},
	} {
		d := trackdoc.FromReport(reported("x.db", m, c.series...), prov()).Doc
		var got []string
		for _, key := range []string{"regressed", "time-series"} {
			section := sample.Section(d, key)
			if section == nil {
				continue
			}
			for i, p := range section.Plots {
				name, _, _ := strings.Cut(p.Title, " ")
				if got = append(got, name); p.TimeSeries.Large != (key == "regressed" || len(c.series) == 1) {
					t.Errorf("%s: chart %d of %s is large: %v", c.reason, i+1, key, p.TimeSeries.Large)
				}
				bad := p.TimeSeries.Points[len(p.TimeSeries.Points)-1].Bad
				if bad != (key == "regressed") || p.TimeSeries.Points[0].Bad {
					t.Errorf("%s: the newest run of %s is bad: %v", c.reason, key, bad)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.reason, got, c.want)
		}
	}
}

// TestTrackSheetShowsEnded checks that a workbook does not show the regression
// of an ended series as a current regression.
func TestTrackSheetShowsEnded(t *testing.T) {
	r := tracks(t)
	r.Series = r.Series[:0]
	ended := followed(t, r.Metric, "moved", append(steps(9, 62.7), 54.7, 54.9)...)
	ended.Ended = true
	r.Series = append(r.Series, ended)
	ans := trackdoc.FromReport(r, prov())
	table := sample.Find(ans.Doc, "series")
	cells := table.Row(0, nil)
	for i, c := range table.Columns {
		if c.In&report.Sheet != 0 && c.Title == "Verdict" && cells[i].Text != "regression, ended" {
			t.Errorf("the sheet's %s is %q", c.Key, cells[i].Text)
		}
	}
	if got := ans.Table.Cell(0, ans.Table.Column("verdict")).Text; got != "regression" {
		t.Errorf("the verdict for programs is %q", got)
	}
}

// TestTrackEverywhere renders every history in every format. It checks that the
// output is well-formed, and that a second rendering has the same output.
func TestTrackEverywhere(t *testing.T) {
	all := others(t)
	all["all verdicts"] = tracks(t)
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			ans := trackdoc.FromReport(r, prov())
			d := ans.Doc
			for format, render := range map[string]func(io.Writer) error{
				"terminal": func(w io.Writer) error { return text.Terminal(w, d, text.Options{Width: 40, Color: true}) },
				"markdown": func(w io.Writer) error { return text.Markdown(w, d, nil) },
				"html":     func(w io.Writer) error { return html.Render(w, d) },
				"json":     func(w io.Writer) error { return machine.JSON(w, ans.Value) },
				"csv":      func(w io.Writer) error { return machine.Table(w, sample.Find(d, "series")) },
			} {
				var first, second bytes.Buffer
				if err := errors.Join(render(&first), render(&second)); err != nil {
					t.Fatalf("%s: %v", format, err)
				}
				if !bytes.Equal(first.Bytes(), second.Bytes()) {
					t.Errorf("%s is not the same twice", format)
				}
				for _, bad := range forbidden(format) {
					if bytes.Contains(first.Bytes(), []byte(bad)) {
						t.Errorf("%s holds %q", format, bad)
					}
				}
			}
			if err := excel.Render(t.Context(), io.Discard, d); err != nil {
				t.Errorf("workbook: %v", err)
			}
		})
	}
}

// forbidden returns texts that a format must not contain.
func forbidden(format string) []string {
	switch format {
	case "json", "csv": // programs receive names unchanged
		return []string{"NaN", "Inf"}
	case "terminal":
		return []string{"NaN", "Inf", "escape\x1b", "\a"}
	case "markdown": // names are code spans, so a tag in them is harmless
		return []string{"NaN", "Inf", "| <script>alert", "escape\x1b", "\a"}
	case "html": // the page's own script contains NaN
		return []string{">NaN", "\"NaN", "<script>alert", "escape\x1b", "\a"}
	}
	return []string{"NaN", "Inf", "<script>alert", "escape\x1b", "\a"}
}

// TestTrackJSONContract checks the names of the fields in the JSON contract.
func TestTrackJSONContract(t *testing.T) {
	m := measured()
	r := reported("x.db", m, followed(t, m, "Fan2", append(make([]float64, 12), steps(12, 5)...)...))
	var b bytes.Buffer
	if err := machine.JSON(&b, trackdoc.FromReport(r, prov()).Value); err != nil {
		t.Fatal(err)
	}
	var v struct {
		Schema string
		Series []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if v.Schema != "occudiff/track/1" || len(v.Series) != 1 {
		t.Fatalf("got %+v", v)
	}
	s := v.Series[0]
	if s["name"] != "Fan2" || s["points"] != 24.0 || s["unit"] != "%" {
		t.Errorf("got name %v, points %v, unit %v", s["name"], s["points"], s["unit"])
	}
	change := s["change_points"].([]any)[0].(map[string]any)
	if change["index"] != 12.0 || change["time"] != "2026-01-13T02:00:00Z" || change["mean_before"] != 0.0 || math.Abs(change["mean_after"].(float64)-5) > 0.01 || change["magnitude"] != 1.0 {
		t.Errorf("change point %v", change)
	}
	gate := s["gate"].(map[string]any)
	for _, key := range []string{"verdict", "n", "window", "median", "mad", "threshold"} {
		if _, ok := gate[key]; !ok {
			t.Errorf("the gate has no %s", key)
		}
	}
	var empty bytes.Buffer
	if err := machine.JSON(&empty, trackdoc.FromReport(reported("", m), prov()).Value); err != nil || !strings.Contains(empty.String(), `"series": []`) {
		t.Errorf("no series are %s, %v; want a list", empty.String(), err)
	}
}

// TestTrackCheckSuite checks that a regression fails, that uncertain results
// are skipped, and that the XML is valid.
func TestTrackCheckSuite(t *testing.T) {
	r := tracks(t)
	c := &track.Check{Judgment: r.Judgment, Run: history.Run{ID: 11, Kernels: 8}}
	s := trackdoc.FromCheck(c, prov()).Tests()
	got := map[string]string{}
	for _, k := range s.Cases {
		got[k.Name+k.Class] = map[report.Outcome]string{report.Passed: "passed", report.Failed: "failed", report.Skipped: "skipped"}[k.Outcome] + " " + k.Message
	}
	for name, want := range map[string]string{
		"Fan2mtl-112/24.1": "failed regression: 7.8 points below the level of 9 runs", "steadymtl-112/24.1": "passed ", "outliermtl-112/24.1": "skipped alarm",
		"youngmtl-112/24.1": "skipped learning", "movedmtl-112/25.2": "skipped learning: launch size changed here", "Fan1mtl-112/24.1": "skipped unmeasurable",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	for _, k := range s.Cases { // every case has its evidence, even if it passed
		for _, figure := range []string{"newest: ", "n: ", " of a window of 40\n", "median: ", "MAD: ", "threshold: "} {
			if !strings.Contains(k.Text, figure) && !strings.HasPrefix(k.Message, "learning") && !strings.HasPrefix(k.Name+k.Class, "movedmtl-112/25.2") {
				t.Errorf("%s has no %q:\n%s", k.Name, figure, k.Text)
			}
		}
	}
	hostile := hostileTracks(t)
	c = &track.Check{Judgment: hostile.Judgment}
	var b bytes.Buffer
	if err := machine.JUnit(&b, trackdoc.FromCheck(c, prov()).Tests()); err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(&b)
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
	for _, a := range trackdoc.CheckAnnotations(c) {
		if a.Level != report.AnnotateError || strings.ContainsAny(a.Title+a.Message, "\n\r\x1b") {
			t.Errorf("annotation %+v", a)
		}
	}
}
