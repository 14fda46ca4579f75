package diffdoc_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/diffdoc"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"
	"occudiff/report/text"
)

// kernel returns the row of a kernel with the given values. A value that is 0
// is absent in the row.
func kernel(task string, local int64, simd int, measured, predicted, idle float64, perLaunch unit.Seconds) compare.Row {
	r := compare.Row{Verdict: compare.Match, Kernel: &ingest.Kernel{Task: task, Global: unit.Size(4096), Local: unit.Size(local), Pos: note.Pos{File: "run.csv", Line: 2},
		Instances: unit.Some[int64](100), Total: unit.Some(100 * perLaunch)}}
	if simd > 0 {
		r.SIMD = unit.Some(simd)
	}
	if measured > 0 {
		r.Measured = unit.Some(unit.FromPercent(measured))
	}
	if predicted > 0 {
		r.Predicted = &predict.Prediction{Peak: unit.FromPercent(predicted), Average: unit.FromPercent(predicted)}
		held := predict.Utilization{Average: unit.FromPercent(predicted), BusyOccupancy: unit.FromPercent(predicted)} // on all XVEs
		r.XVEs = compare.XVEs{Policy: predict.Whole, Range: predict.Range{Low: held, High: held}}
	}
	if idle > 0 {
		r.Idle, r.BusyOccupancy = unit.Some(unit.FromPercent(idle)), unit.Some(unit.Ratio(measured/(100-idle)))
	}
	return r
}

func side(driver string, rows ...compare.Row) *compare.Result {
	r := &compare.Result{Device: sample.Device(), ChosenBy: arch.Source{Name: "--device"}, Rows: rows, Options: compare.DefaultOptions(),
		Inputs: []ingest.Input{{Path: "run.csv", Kind: "vtune", Rows: int64(len(rows))}}}
	r.Platform.Driver = driver
	r.Platform.Collected = time.Date(2026, 6, 2, 10, 0, 0, 0, time.UTC)
	r.Summary.Kernels = len(rows)
	r.Finish()
	return r
}

// repeats returns four runs per side in which every verdict occurs.
func repeats() []*diff.Result {
	var older, newer []*compare.Result
	for i := range 4 {
		x := float64(i)
		short := kernel("Fan1", 16, 32, 19.9, 14.3, 0, 18e-6)
		short.Verdict = compare.Unmeasurable
		fill := compare.Row{Verdict: compare.NotAKernel, Kernel: &ingest.Kernel{Task: "clEnqueueFillBuffer", Measured: unit.Some[unit.Ratio](0.9)}}
		older = append(older, side("24.35.30872",
			kernel("Fan2", 1024, 32, 62+x/10, 99.5, 20.7, 523e-6), kernel("GEMM", 256, 16, 94+x/10, 98, 0, 2e-3), kernel("stencil", 64, 32, 50+10*x, 98, 0, 1e-3),
			kernel("reduce", 128, 32, 40+x, 90, 0, 4e-3), kernel("scan", 32, 16, 70+x, 80, 0, 1e-3), kernel("gone", 32, 16, 70, 80, 0, 1e-3), short, fill))
		newer = append(newer, side("25.05.32567",
			kernel("Fan2", 1024, 32, 48+x/10, 99.5, 43, 526e-6), kernel("GEMM", 256, 32, 47+x/10, 50, 0, 2e-3), kernel("stencil", 64, 32, 45+10*x, 98, 0, 1e-3),
			kernel("reduce", 128, 32, 60+x, 90, 0, unit.Seconds(2e-3+x*1e-6)), kernel("scan", 32, 16, 70.5+x, 80, 0, 1e-3), kernel("came", 32, 16, 70, 80, 0, 1e-3), short, fill))
	}
	return diff.CompareSides(diff.Side{Name: "runs/main", Runs: older},
		[]diff.Side{{Name: "runs/branch", Runs: newer}}, diff.DefaultOptions())
}

// single returns a diff with one run per side: the two collections of the
// Gaussian program.
func single() []*diff.Result {
	older := side("", kernel("Fan2", 1024, 32, 62.7, 99.5, 20.7, 523e-6))
	newer := side("", kernel("Fan2", 1024, 32, 48.6, 99.5, 43, 526e-6))
	return diff.CompareSides(diff.Side{Name: "bench_gaussian.hotspots.csv", Runs: []*compare.Result{older}},
		[]diff.Side{{Name: "bench_gaussian.offload.csv", Runs: []*compare.Result{newer}}}, diff.DefaultOptions())
}

func hostileDiff() []*diff.Result {
	s := diff.Side{Runs: []*compare.Result{sample.Hostile()}}
	return diff.CompareSides(s, []diff.Side{s}, diff.DefaultOptions())
}

func nothing() []*diff.Result {
	return diff.CompareSides(diff.Side{}, make([]diff.Side, 1), diff.DefaultOptions())
}

func TestDiffGolden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		diff         []*diff.Result
	}{
		{"diff-repeats", "every verdict, with tests", repeats()},
		{"diff-single", "one run per side: no tests", single()},
		{"diff-hostile", "names cannot break anything", hostileDiff()},
		{"diff-nothing", "no row at all", nothing()},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := diffdoc.NewOutput(c.diff, report.Provenance{Version: "v0", CommandLine: []string{"occudiff", "diff", "old", "new"}}).Document()
			var screen, page bytes.Buffer
			if err := text.Terminal(&screen, doc, text.Options{Verbose: true}); err != nil {
				t.Fatal(err)
			}
			if err := text.Markdown(&page, doc, nil); err != nil {
				t.Fatal(err)
			}
			testenv.Golden(t, "testdata/"+c.name+".txt", screen.Bytes())
			testenv.Golden(t, "testdata/"+c.name+".md", page.Bytes())
		})
	}
}

// TestDiffFitsTheTerminal checks the width of all lines except commands. A
// wrapped command cannot be pasted.
func TestDiffFitsTheTerminal(t *testing.T) {
	command := regexp.MustCompile(`^[\d, ]*occudiff `)
	for _, d := range [][]*diff.Result{repeats(), single(), hostileDiff(), nothing()} {
		doc := diffdoc.NewOutput(d, report.Provenance{}).Document()
		for width := 20; width < 180; width++ {
			var b bytes.Buffer
			if err := text.Terminal(&b, doc, text.Options{Width: width, Verbose: width%2 == 0}); err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(b.String(), "\n") {
				if w := report.Width(line); w > width && !command.MatchString(line) {
					t.Fatalf("width %d, line %d takes %d columns: %q", width, i+1, w, line)
				}
			}
		}
	}
}

// TestDiffTables checks that every row has a cell for every column, and that
// CSV has numbers where a table for people has `~`.
func TestDiffTables(t *testing.T) {
	for _, d := range [][]*diff.Result{repeats(), single(), hostileDiff(), nothing()} {
		tables := []*report.Table{diffdoc.NewOutput(d, report.Provenance{}).Table}
		for _, s := range diffdoc.NewOutput(d, report.Provenance{}).Document().Sections {
			tables = append(tables, s.Tables...)
		}
		for _, table := range tables {
			keys := map[string]bool{}
			for _, c := range table.Columns {
				if c.Key != "" && keys[c.Key] {
					t.Errorf("table %s has column %s twice", table.Key, c.Key)
				}
				keys[c.Key] = true
			}
			for i := range table.Len {
				if n := len(table.Row(i, nil)); n != len(table.Columns) {
					t.Errorf("table %s, row %d: %d cells for %d columns", table.Key, i, n, len(table.Columns))
				}
			}
		}
	}
	var b bytes.Buffer
	if err := machine.Table(&b, diffdoc.NewOutput(repeats(), report.Provenance{}).Table); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if strings.Contains(b.String(), "~") || len(lines) != 10 || !strings.HasPrefix(lines[0], "task,global_old,global_new,local_old,local_new,simd_old,simd_new,runs_old,runs_new,direction,measured_old_percent,") {
		t.Errorf("CSV of the repeats:\n%s", b.String())
	}
	if single := diffdoc.NewOutput(single(), report.Provenance{}).Table; len(single.ColumnsIn(report.Data)) != strings.Count(lines[0], ",")+1 {
		t.Error("the columns of the CSV depend on the data")
	}
}

// TestDiffSummaryText compares the first lines of the summary with sentences
// that are written by hand.
func TestDiffSummaryText(t *testing.T) {
	for _, c := range []struct {
		reason      string
		diff        []*diff.Result
		line, means string
	}{
		{"every verdict", repeats(), "8 kernels, 4 runs per side: gone and 1 more are on one side only, Fan2 regressed (-14.0 points), " +
			"reduce improved (+20.0 points), 1 has another launch, 1 is not comparable, 2 have no significant change; a launch of reduce takes 0.50 times as long",
			// The mean ratio of the times is 0.8918, the sixth root of 0.50325.
			// This is the product of the ratios of six kernels: Fan2 526/523,
			// GEMM 1, stencil 1, reduce 2.0015/4, scan 1, and Fan1 1.
			"The regressed kernel takes 5.0% of the time; runs/main -> runs/branch; changed: driver 24.35.30872 -> 25.05.32567; SIMD width 16 -> 32 (GEMM); a launch takes 0.89 times as long (6 kernels)"},
		{"one run per side", single(), "1 kernel, one run per side: Fan2 regressed (-14.1 points)",
			"The regressed kernel takes 100.0% of the time; bench_gaussian.hotspots.csv -> bench_gaussian.offload.csv"},
		{"nothing", nothing(), "0 kernels, 0 runs per side: there is nothing to compare", ""},
	} {
		s := diffdoc.NewOutput(c.diff, report.Provenance{}).Document().Summary
		if s.Headline != c.line || s.Impact != c.means {
			t.Errorf("%s:\n got %s\n     %s\nwant %s\n     %s", c.reason, s.Headline, s.Impact, c.line, c.means)
		}
	}
}

// TestBecause compares the evidence for verdicts with sentences that are
// written by hand.
func TestBecause(t *testing.T) {
	fan2 := func(simd int, measured, predicted float64) compare.Row {
		return kernel("Fan2", 1024, simd, measured, predicted, 0, 0)
	}
	short := fan2(32, 20, 14)
	short.Verdict = compare.Unmeasurable
	for _, c := range []struct {
		reason       string
		older, newer []compare.Row // rows of the only run on each side
		want         string
	}{
		{"one run per side", []compare.Row{fan2(32, 62.7, 99.5)}, []compare.Row{fan2(32, 48.6, 99.5)},
			"Measured occupancy 62.7 -> 48.6%: -14.1 points, beyond the 9 that single runs differ by. Slots below the prediction 36.8 -> 50.9 points: +14.1 points."},
		{"exactly the limit for single runs", []compare.Row{fan2(32, 62.7, 99.5)}, []compare.Row{fan2(32, 53.7, 99.5)},
			"Measured occupancy 62.7 -> 53.7%: -9.0 points, within the 9 that single runs differ by."},
		{"another launch: its prediction", []compare.Row{fan2(32, 95, 99.5)}, []compare.Row{fan2(16, 47, 50)},
			"Changed: SIMD width 32 -> 16. Measured occupancy 95.0 -> 47.0%: -48.0 points, beyond the 9 that single runs differ by. Predicted average 99.5 -> 50.0%: -49.5 points. Residual (measured - predicted average) -4.5 -> -3.0 points: +1.5 points, within the 9 that single runs differ by: as predicted."},
		{"another launch that lost more than was predicted", []compare.Row{fan2(32, 95, 99.5)}, []compare.Row{fan2(16, 30, 50)},
			"Changed: SIMD width 32 -> 16. Measured occupancy 95.0 -> 30.0%: -65.0 points, beyond the 9 that single runs differ by. Predicted average 99.5 -> 50.0%: -49.5 points. Residual (measured - predicted average) -4.5 -> -20.0 points: -15.5 points, beyond the 9 that single runs differ by: the change does not explain the drop. Slots below the prediction 4.5 -> 20.0 points: +15.5 points. Slots kept free by limits 0.5 -> 50.0 points: +49.5 points."},
		{"another launch that gained", []compare.Row{fan2(32, 40, 99.5)}, []compare.Row{fan2(16, 45, 50)},
			"Changed: SIMD width 32 -> 16. Measured occupancy 40.0 -> 45.0%: +5.0 points, within the 9 that single runs differ by. Predicted average 99.5 -> 50.0%: -49.5 points. Residual (measured - predicted average) -59.5 -> -5.0 points: +54.5 points, beyond the 9 that single runs differ by: better than the change explains."},
		{"another launch without a prediction", []compare.Row{fan2(32, 95, 0)}, []compare.Row{fan2(16, 80, 0)},
			"Changed: SIMD width 32 -> 16. The effect of the change cannot be predicted. Measured occupancy 95.0 -> 80.0%: -15.0 points, beyond the 9 that single runs differ by."},
		{"each side for its own reason", []compare.Row{short}, []compare.Row{fan2(32, 0, 0)}, "Unmeasurable on the old side, not measured on the new one."},
		{"eight runs", []compare.Row{fan2(32, 60, 99.5), fan2(32, 61, 99.5), fan2(32, 62, 99.5), fan2(32, 63, 99.5)},
			[]compare.Row{fan2(32, 59.5, 99.5), fan2(32, 60.5, 99.5), fan2(32, 61.5, 99.5), fan2(32, 62.5, 99.5)},
			"Measured occupancy 61.5 -> 61.0%: -0.5 points (not significant: p = 0.686, 4 + 4 runs)."},
		{"gone", []compare.Row{fan2(32, 60, 99.5)}, nil, "Only the old side has it, in 1 run."},
		{"missing, from one of several runs", []compare.Row{fan2(32, 60, 99.5), kernel("scan", 32, 16, 60, 80, 0, 0)},
			[]compare.Row{kernel("scan", 32, 16, 60, 80, 0, 0)}, "Only the old side has it, in 1 of 2 runs."},
	} {
		runs := func(rows []compare.Row) (s diff.Side) {
			s.Runs = []*compare.Result{}
			for _, r := range rows {
				s.Runs = append(s.Runs, side("", r))
			}
			return s
		}
		table := diffdoc.NewOutput(diff.CompareSides(runs(c.older), []diff.Side{runs(c.newer)}, diff.DefaultOptions()), report.Provenance{}).Table
		if got := table.Cell(0, table.Column("evidence")).Text; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

// TestWorse checks that a kernel whose busy occupancy regressed is reported
// with the test of the busy occupancy. It also checks that the command to run
// next has the row numbers of the regressed kernels, in whichever rows they
// are.
func TestWorse(t *testing.T) {
	var older, newer []*compare.Result
	for i := range 4 {
		x := float64(i) / 10
		older = append(older, side("", kernel("a", 32, 32, 60+x, 99.5, 20, 1e-3), kernel("c", 32, 32, 60+x, 99.5, 20, 1e-3)))
		newer = append(newer, side("", kernel("a", 32, 32, 60.1+x, 99.5, 10, 1e-3), kernel("b", 32, 32, 60, 99.5, 10, 1e-3),
			kernel("c", 32, 32, 60.1+x, 99.5, 10, 1e-3)))
	}
	sides := diff.CompareSides(diff.Side{Runs: older}, []diff.Side{{Runs: newer}}, diff.DefaultOptions())
	s := diffdoc.NewOutput(sides, report.Provenance{Show: report.Selection{Sort: report.SortName}}).Document().Summary
	if len(s.Confirm) != 1 || s.Confirm[0].Rows != "1, 3" {
		t.Errorf("numbers of %+v, want 1, 3", s.Confirm)
	}
	if got := s.Rows.Cell(0, s.Rows.Column("verdict")).Text; got != "regression: p = 0.029, 4 + 4 runs" {
		t.Errorf("verdict %q", got)
	}
}

// TestDiffContract compares the JSON fields with the contract. It also checks
// that absent values are null and that lists are not.
func TestDiffContract(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{diffdoc.DiffOutput{}, "schema threshold_points alpha old new changes rows summary notes"},
		{diffdoc.DiffSide{}, "name runs"},
		{diffdoc.DiffRun{}, "device driver vtune_version inputs"},
		{diff.Summary{}, "kernels regressions improvements faster_at_lower_occupancy slower_at_higher_occupancy slower_at_the_same_occupancy faster_at_the_same_occupancy unchanged changed_launch changed_device only_old only_new not_comparable not_kernels tested time_ratio time_pairs time_left_out inconclusive missing"},
	} {
		typ := reflect.TypeOf(c.value)
		var names []string
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				names = append(names, f.Tag.Get("json"))
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", typ.Name(), got, c.want)
		}
	}
	rows := diffdoc.NewOutput(nothing(), report.Provenance{}).Value.(*diffdoc.DiffOutput).Rows
	got := map[string]string{} // names of the fields of each object
	for _, c := range rows.Columns {
		if at := strings.LastIndex(c.Path, "."); c.Path != "" {
			got[c.Path[:max(at, 0)]] += " " + c.Path[at+1:]
		}
	}
	const ofLaunch, ofSample = " global local simd adapter grf slm_bytes_per_work_group file line runs unmeasurable_runs " +
		"total_seconds spill_bytes private_bytes", " median n low high confidence"
	want := map[string]string{"": " task is_kernel old new direction measured_percent residual_points " +
		"predicted_average_percent busy_occupancy_percent idle_percent average_seconds parts verdict changes evidence",
		"old": ofLaunch, "new": ofLaunch}
	for _, delta := range []string{"measured_percent", "residual_points", "predicted_average_percent",
		"busy_occupancy_percent", "idle_percent", "average_seconds"} {
		want[delta], want[delta+".old"], want[delta+".new"] = " change_points ratio p significant", ofSample, ofSample
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
	var b bytes.Buffer
	if err := machine.JSON(&b, diffdoc.NewOutput(nothing(), report.Provenance{}).Value); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"changes": []`, `"rows": []`, `"runs": []`, `"name": null`, `"time_ratio": null`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := machine.JSON(&b, diffdoc.NewOutput(repeats(), report.Provenance{}).Value); err != nil {
		t.Fatal(err)
	}
	type sample struct {
		N                 int
		Median, Low, High *float64
	}
	var v struct {
		Rows []struct {
			Task, Verdict string
			Old, New      *struct{}
			Measured      struct {
				Old, New     sample
				ChangePoints *float64 `json:"change_points"`
				Ratio, P     *float64
				Significant  *bool
			} `json:"measured_percent"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	fan2 := v.Rows[2] // the first rows are kernels that only one side has
	// The runs have 62.0 to 62.3 and 48.0 to 48.3, so the medians are 62.15 and
	// 48.15. In two of seventy permutations, the sides are as far apart.
	if m := fan2.Measured; fan2.Task != "Fan2" || fan2.Verdict != "regression" || m.Old.N != 4 || *m.Old.Low != 62 || *m.New.High != 48.3 ||
		*m.ChangePoints < -14.0001 || *m.ChangePoints > -13.9999 || *m.P < 0.02857 || *m.P > 0.02858 || !*m.Significant || m.Ratio != nil {
		t.Errorf("Fan2 = %+v", fan2)
	}
	for _, r := range v.Rows {
		if r.Task == "gone" && (r.New != nil || r.Measured.New.Median != nil || r.Measured.ChangePoints != nil) {
			t.Errorf("what is only old has new values: %+v", r)
		}
	}
}

// TestShown compares the order and the number of the rows that people see with
// values that are written by hand. It also checks that programs get all rows.
func TestShown(t *testing.T) {
	for _, c := range []struct {
		reason string
		show   report.Selection
		want   string
	}{
		{"kernels on only one side, then the worst verdict", report.Selection{Top: 3}, "gone came Fan2"},
		{"slot time lost: measured fell by 47 points of 0.2 s, by 14 of 0.05 s", report.Selection{Top: 2, Sort: report.SortLost}, "GEMM Fan2"},
		{"the most time: 0.4 s, 0.2 s", report.Selection{Top: 2, Sort: report.SortTime}, "reduce GEMM"},
		{"the largest change: 47, 20", report.Selection{Top: 2, Sort: report.SortDifference}, "GEMM reduce"},
	} {
		doc := diffdoc.NewOutput(repeats(), report.Provenance{Show: c.show}).Document()
		table := sample.Find(doc, report.SectionKernels)
		var names []string
		for i := range table.Len {
			names = append(names, table.Row(i, nil)[0].Text)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
		if !strings.Contains(strings.Join(doc.Summary.Notes, "\n"), " rows are shown (") {
			t.Errorf("%s: the screen does not say what is left out: %q", c.reason, doc.Summary.Notes)
		}
	}
}

// TestSides checks a diff of several sides. Each row must contain the name of
// its side, kernels that need attention on any side must come first in every
// output, and the summary must cover all sides.
func TestSides(t *testing.T) {
	run := func(name string, fan2, scan float64) diff.Side {
		return diff.Side{Name: name, Runs: []*compare.Result{side("", kernel("Fan2", 1024, 32, fan2, 99.5, 1, 1e-2),
			kernel("scan", 32, 16, scan, 80, 1, 1e-3))}}
	}
	ans := diffdoc.NewOutput(diff.CompareSides(run("base/run", 60, 70), []diff.Side{run("a/run", 61, 70), run("b/run", 30, 70)},
		diff.DefaultOptions()), report.Provenance{})
	doc := ans.Document()
	const line = "2 sides against base/run. a/run: all are inconclusive; b/run: Fan2 regressed (-30.0 points), 1 is inconclusive"
	if doc.Summary.Headline != line {
		t.Errorf("got %s\nwant %s", doc.Summary.Headline, line)
	}
	rows := sample.Find(doc, report.SectionKernels)
	var got []string
	for i := range rows.Len {
		r := rows.Row(i, nil)
		got = append(got, r[0].Text+" "+r[1].Text+" "+r[2].Text)
	}
	want := "Fan2 b/run regression; Fan2 a/run inconclusive; scan a/run inconclusive; scan b/run inconclusive"
	if strings.Join(got, "; ") != want {
		t.Errorf("rows %q, want %s", got, want)
	}
	summary := ans.AgentSummary()
	if f := summary.Findings[0]; !summary.Usable || summary.Judged != 4 || len(summary.Findings) != 4 || f.Run != "b/run" || f.Kernel != "Fan2" ||
		f.Verdict != "regression" || f.Points.Or(0) > -29.9 {
		t.Errorf("summary %+v", summary)
	}
	cases := ans.Tests()
	const failure = "--fail-on regression: 1 of 4 kernels regressed: Fan2 (4096 in 1024, SIMD32) on mtl-112/b/run (measured -30.0 points, busy occupancy -30.3 points)"
	if text := diffdoc.Failure(cases); text != failure {
		t.Errorf("got %s\nwant %s", text, failure)
	}
	marks := diffdoc.Annotations(cases, report.AnnotateError)
	if len(marks) != 1 || marks[0].File != "run.csv" || marks[0].Line != 2 || !strings.HasPrefix(marks[0].Message, "Regression: measured -30.0 points") {
		t.Errorf("annotations %+v", marks)
	}
}

// TestTotal checks the row with the mean over time. Both sides have the same
// weights, so other times with the same occupancies do not change the mean. For
// example, two kernels that take 4 s on both sides have 60: (40 + 80) / 2.
func TestTotal(t *testing.T) {
	run := func(times, occupancies []float64) *compare.Result {
		var kernels []ingest.Kernel
		for i, seconds := range times {
			kernels = append(kernels, ingest.Kernel{Task: "k" + strconv.Itoa(i), Global: unit.Size(1 << 20), Local: unit.Size(256),
				SIMD: unit.Some(32), Instances: unit.Some[int64](100), Total: unit.Some(unit.Seconds(seconds)),
				Measured: unit.Some(unit.FromPercent(occupancies[i]))})
		}
		return compare.Compare(&ingest.Run{Kernels: kernels}, compare.Choice{Choice: arch.Choice{Device: sample.Device()}},
			compare.DefaultOptions())
	}
	for _, c := range []struct {
		why      string
		old, new *compare.Result
		want     string
	}{
		{"only the times changed", run([]float64{3, 1}, []float64{40, 80}), run([]float64{1, 3}, []float64{40, 80}),
			"mean over time | 60.0 -> 60.0% | 0.0 | 2 of 2 kernels, weighted by the time of both sides"},
		{"a kernel on one side only is left out", run([]float64{3, 1}, []float64{40, 80}),
			run([]float64{3, 1, 9}, []float64{40, 60, 20}),
			"mean over time | 50.0 -> 45.0% | -5.0 | 2 of 3 kernels, weighted by the time of both sides"},
		{"one kernel is its own total", run([]float64{3}, []float64{40}), run([]float64{1}, []float64{40}), ""},
	} {
		side := func(r *compare.Result) diff.Side { return diff.Side{Runs: []*compare.Result{r}} }
		out := diffdoc.NewOutput(diff.CompareSides(side(c.old), []diff.Side{side(c.new)}, diff.DefaultOptions()),
			report.Provenance{})
		rows := out.Document().Summary.Rows.Shown(report.Terminal)
		texts := slices.DeleteFunc(rows.TotalTexts(), func(s string) bool { return s == "" })
		if got := strings.Join(texts, " | "); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
