package diffdoc

import (
	"math"
	"testing"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict/batch"
	"occudiff/report"
)

// delta returns a metric whose median differs between two sides with n runs.
func delta(metric string, n int, older, newer float64) diff.Delta {
	d := diff.Delta{Metric: metric, Old: diff.Sample{N: n, Median: unit.Some(older)},
		New: diff.Sample{N: n, Median: unit.Some(newer)}}
	if metric == compare.MetricTime {
		d.Ratio = unit.Some(newer / older)
	} else {
		d.Change = unit.Some(newer - older)
	}
	return d
}

// tests returns a delta with the result of a test. limit is the smallest change
// that counts.
func tests(d diff.Delta, p float64, significant bool, limit unit.Points) diff.Delta {
	d.P, d.Significant, d.Limit = unit.Some(p), unit.Some(significant), unit.Some(limit)
	return d
}

// limited returns a delta between single runs. No test can judge it, so it only
// has a limit.
func limited(d diff.Delta, limit unit.Points) diff.Delta {
	d.Limit = unit.Some(limit)
	return d
}

// both returns the row of a kernel that is on both sides.
func both(v diff.Verdict, deltas ...diff.Delta) *diff.Row {
	l := diff.Launch{Global: unit.Size(4096), Local: unit.Size(64), SIMD: unit.Some(16), Runs: 4, Of: 4}
	older, newer := l, l
	return &diff.Row{Task: "k", IsKernel: true, Verdict: v, Old: &older, New: &newer, Deltas: deltas,
		Speedup: speedup(compare.SpeedupUndetermined)}
}

func speedup(v compare.SpeedupVerdict) compare.PotentialSpeedup {
	return compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{v}, Evidence: "stalled 5%"}
}

// with returns a row after a change.
func with(r *diff.Row, change func(*diff.Row)) *diff.Row {
	change(r)
	return r
}

const measured, busy, predicted, residual = compare.MetricMeasured, compare.MetricBusy, compare.MetricPredicted,
	compare.MetricResidual

// TestVerdictText checks the summary row for each verdict.
func TestVerdictText(t *testing.T) {
	fell := delta(measured, 4, 62.7, 48.6)
	simd := diff.Change{What: diff.ChangeSIMD, Old: "16", New: "32"}
	for _, c := range []struct {
		reason string
		row    *diff.Row
		want   string
	}{
		{"tested", both(diff.Regression, tests(fell, 0.029, true, 5)), "regression: p = 0.029, 4 + 4 runs"},
		{"a small p", both(diff.Regression, tests(fell, 0.0001, true, 5)), "regression: p < 0.001, 4 + 4 runs"},
		{"single runs", both(diff.Regression, limited(fell, 10)), "regression: single runs differ by up to 10 points"},
		{"busy occupancy moved as well", both(diff.Regression, limited(fell, 10), tests(delta(busy, 5, 60, 40), 0.01, true, 2)),
			"regression: p = 0.010, 5 + 5 runs"},
		{"busy occupancy moved the other way", both(diff.Regression, limited(fell, 10), tests(delta(busy, 5, 40, 60), 0.01, true, 2)),
			"regression: single runs differ by up to 10 points"},
		{"better", both(diff.Improvement, limited(delta(measured, 1, 40, 60), 10)), "improvement: single runs differ by up to 10 points"},
		{"by the history", both(diff.Regression, func() diff.Delta {
			d := tests(fell, 0, true, 5)
			d.P = unit.Opt[float64]{}
			return d
		}()), "regression: by the noise of the history, 4 + 4 runs"},
		{"within noise", both(diff.Inconclusive, limited(fell, 20)), "inconclusive below 20 points"},
		{"unchanged by a limit", both(diff.Unchanged, limited(fell, 20)), "within 20 points"},
		{"unchanged by a test", both(diff.Unchanged, tests(fell, 0.7, false, 5)), "no significant change"},
		{"only old, with its time", with(both(diff.OnlyOld), func(r *diff.Row) { r.New, r.Share = nil, unit.Some(unit.Ratio(0.25)) }),
			"only old (25.0% of its time)"},
		{"only new, no time", with(both(diff.OnlyNew), func(r *diff.Row) { r.Old = nil }), "only new"},
		{"not comparable", both(diff.NotComparable), "not comparable: not measured on both sides"},
		{"another launch, no prediction", with(both(diff.ChangedLaunch, fell), func(r *diff.Row) { r.Changes = []diff.Change{simd} }),
			"changed launch: its effect cannot be predicted"},
		{"another launch, as predicted", with(both(diff.ChangedLaunch, fell, limited(delta(residual, 4, 0, 0.5), 5)),
			func(r *diff.Row) { r.Changes = []diff.Change{simd} }), "changed launch: as predicted"},
		{"another launch, worse than predicted", with(both(diff.ChangedLaunch, fell, limited(delta(residual, 4, 0, -9), 5)),
			func(r *diff.Row) { r.Changes = []diff.Change{simd} }), "changed launch: measured occupancy fell by more than predicted, busy occupancy did not"},
		{"another launch, not as high as predicted", with(both(diff.ChangedLaunch, limited(delta(measured, 4, 60, 61), 2), limited(delta(residual, 4, 0, -9), 5)),
			func(r *diff.Row) { r.Changes = []diff.Change{simd} }), "changed launch: the measurement did not follow the prediction"},
		{"another launch, better than predicted", with(both(diff.ChangedLaunch, fell, limited(delta(residual, 4, 0, 9), 5)),
			func(r *diff.Row) { r.Changes = []diff.Change{simd} }), "changed launch: better than the change explains"},
		{"faster", both(diff.Faster), "faster at lower occupancy"},
		{"slower, by a test", both(diff.SlowerSame, tests(fell, 0.7, false, 5), tests(delta(compare.MetricTime, 4, 1, 1.3), 0.029, true, 0)),
			"slower at the same occupancy: p = 0.029, 4 + 4 runs"},
	} {
		if got := verdictText(c.row); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestUnsureChanges checks that a change that supports no conclusion is in
// brackets, as text and in a workbook.
func TestUnsureChanges(t *testing.T) {
	fell := delta(measured, 1, 62.7, 61.7)
	for _, c := range []struct {
		verdict diff.Verdict
		want    string
	}{
		{diff.Inconclusive, "(-1.0) unsure"}, {diff.NotComparable, "(-1.0) unsure"}, {diff.Unchanged, "-1.0"}, {diff.Regression, "-1.0"},
	} {
		r, got := &summaryRow{row: row{Row: both(c.verdict, fell)}}, ""
		for _, col := range summaryColumns {
			switch cell := col.Of(r); {
			case col.Key != "change":
			case cell.Kind == report.Text:
				got = cell.Text
			case cell.Status == report.Unsure:
				got += " unsure"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.verdict, got, c.want)
		}
	}
}

// TestSentences checks one sentence of the evidence in each case.
func TestSentences(t *testing.T) {
	m := &compare.MetricInfo{Title: "m", Unit: compare.InPercent}
	fell, longer := delta(measured, 4, 62.7, 48.6), delta(compare.MetricTime, 4, 0.001, 0.00125)
	twice := with(both(diff.Regression), func(r *diff.Row) {
		r.Changes = []diff.Change{{What: diff.ChangeSIMD, Old: "16", New: "32"}, {What: diff.ChangeGlobal, Old: "64", New: "128"}}
	})
	one := with(both(diff.OnlyOld), func(r *diff.Row) { r.New, r.Old.Runs = nil, 3 })
	missing := func(r *diff.Row) { r.Old.Unmeasurable = 1 }
	for _, c := range []struct{ reason, got, want string }{
		{"both medians", fromTo(&fell, "%"), "62.7 -> 48.6%"},
		{"a side without a median", fromTo(&diff.Delta{New: diff.Sample{Median: unit.Some(5.0)}}, "points"), "- -> 5.0 points"},
		{"a change", movedText(m, &fell), "m 62.7 -> 48.6%: -14.1 points"},
		{"beyond a limit", movedText(m, new(limited(fell, 10))), "m 62.7 -> 48.6%: -14.1 points, beyond the 10 that single runs differ by"},
		{"within a limit", movedText(m, new(limited(fell, 20))), "m 62.7 -> 48.6%: -14.1 points, within the 20 that single runs differ by"},
		{"beyond a limit, tested", movedText(m, new(tests(fell, 0.029, true, 5))),
			"m 62.7 -> 48.6%: -14.1 points, beyond 5 (p = 0.029, 4 + 4 runs)"},
		{"not significant", movedText(m, new(tests(fell, 0.5, false, 5))),
			"m 62.7 -> 48.6%: -14.1 points (not significant: p = 0.500, 4 + 4 runs)"},
		{"a small p among many kernels", tested(new(tests(fell, 0.04, false, 5))),
			"not significant: p = 0.040, 4 + 4 runs, a value that one of so many kernels reaches due to noise"},
		{"a time", movedText(&compare.Metrics[compare.MetricNamed(compare.MetricTime)], &longer), "time per launch 1 ms -> 1.25 ms: 1.25x"},
		{"nothing measured", movedText(m, &diff.Delta{}), ""},
		{"nothing tested", tested(&fell), ""},
		{"the launch on both sides", shapeText(both("")), "4096 in 64, SIMD16"},
		{"the launch changed", shapeText(twice), "64 -> 128 in 64, SIMD16 -> 32"},
		{"only one side", shapeText(one), "4096 in 64, SIMD16"},
		{"no global size", shapeText(with(both(""), func(r *diff.Row) { r.Old.Global, r.New.Global = unit.Size3{}, unit.Size3{} })), "64, SIMD16"},
		{"no sub-group size", shapeText(with(both(""), func(r *diff.Row) { r.Old.SIMD, r.New.SIMD = unit.Opt[int]{}, unit.Opt[int]{} })), "4096 in 64"},
		{"changes", changesText(twice), "SIMD width 16 -> 32, global size 64 -> 128"},
		{"runs of each side", runsText(both("", fell)), "4 + 4"},
		{"a single run per side", runsText(both("", delta(measured, 1, 1, 2))), ""},
		{"some runs have it", seenIn(one.Old), "3 of 4 runs"},
		{"all runs have it", seenIn(both("").Old), "4 runs"},
		{"unmeasurable on one side", incomparable(with(both("", diff.Delta{Metric: measured, New: fell.New}), missing)), "unmeasurable on the old side"},
		{"not measured on the new side", incomparable(both("", diff.Delta{Metric: measured, Old: fell.Old})), "not measured on the new side"},
		{"a reason for each side", incomparable(with(both(""), missing)), "unmeasurable on the old side, not measured on the new one"},
		{"misattributed instructions", incomparable(with(both("", fell), func(r *diff.Row) { r.New.Misattributed = unit.Some(unit.Ratio(0.7)) })),
			"70% of all instructions were counted in rows that are not kernels"},
		{"measured on both sides", incomparable(both("", fell)), "the launch times differ"},
		{"only the old side", because(one), "Only the old side has it, in 3 of 4 runs."},
		{"not a kernel", because(both(diff.NotAKernel)), ""},
		{"a regression", because(both(diff.Regression, fell, longer)),
			"Measured occupancy 62.7 -> 48.6%: -14.1 points. Time per launch 1 ms -> 1.25 ms: 1.25x."},
		{"a part of the breakdown", because(both(diff.Regression, fell, delta(string(compare.PartIdle), 4, 10, 24.1))),
			"Measured occupancy 62.7 -> 48.6%: -14.1 points. Slots of idle XVEs 10.0 -> 24.1 points: +14.1 points."},
		{"a part that prints as unmoved", because(both(diff.Regression, fell, delta(string(compare.PartIdle), 4, 10, 10.04))),
			"Measured occupancy 62.7 -> 48.6%: -14.1 points."},
		{"the potential speedup", because(with(both(diff.Faster, fell), func(r *diff.Row) { r.Speedup = speedup(compare.LimitedByOther) })),
			"Measured occupancy 62.7 -> 48.6%: -14.1 points. On the new side, limited by something else: stalled 5%."},
		{"a prediction that moved", because(both(diff.Unchanged, fell, delta(predicted, 4, 100, 50))),
			"Measured occupancy 62.7 -> 48.6%: -14.1 points. Predicted average 100.0 -> 50.0%: -50.0 points."},
		{"a change of the whole run", changedText([]diff.Change{{What: "driver", Old: "1", New: "2"}}), "driver 1 -> 2"},
		{"one change of two kernels", changedText([]diff.Change{{What: "GRF", Old: "128", New: "256", Task: unit.Some("a")},
			{What: "GRF", Old: "128", New: "256", Task: unit.Some("b")}}), "GRF 128 -> 256 (a, b)"},
		{"no rows are left out", andMore(0, "row"), ""},
		{"one row is left out", andMore(1, "row"), "and 1 more row"},
		{"many are", andMore(1200, "row"), "and 1,200 more rows"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}

// TestCases checks the CI test case for each verdict.
func TestCases(t *testing.T) {
	fell := delta(measured, 4, 62.7, 48.6)
	spills := func(r *diff.Row) {
		r.New.Spill = unit.Some[unit.Bytes](64)
		r.Changes = []diff.Change{{What: diff.ChangeSpill, Old: "0", New: "64"}}
	}
	for _, c := range []struct {
		row     *diff.Row
		outcome report.Outcome
		message string
		reason  string
	}{
		{both(diff.Regression, fell), report.Failed, "regression: measured -14.1 points", "measured -14.1 points"},
		{both(diff.Regression, fell, delta(busy, 4, 60, 40)), report.Failed,
			"regression: measured -14.1 points, busy occupancy -20.0 points", "measured -14.1 points, busy occupancy -20.0 points"},
		{with(both(diff.Regression, limited(delta(measured, 1, 97.9, 97.9), 9), limited(delta(busy, 1, 99.1, 99.1), 9)), spills),
			report.Failed, "regression: spill 0 -> 64", "spill 0 -> 64"}, // an unchanged occupancy is not the reason
		{with(both(diff.Regression, limited(fell, 9)), spills), report.Failed,
			"regression: spill 0 -> 64, measured -14.1 points", "spill 0 -> 64, measured -14.1 points"},
		{both(diff.Regression, limited(delta(measured, 1, 60, 61), 9), limited(delta(busy, 1, 60, 40), 9)), report.Failed,
			"regression: busy occupancy -20.0 points", "busy occupancy -20.0 points"},
		{both(diff.Improvement, fell), report.Passed, "", ""},
		{both(diff.Unchanged, fell), report.Passed, "", ""},
		{both(diff.Faster, fell), report.Passed, "", ""},
		{both(diff.Slower, fell), report.Passed, "", ""},
		{both(diff.SlowerSame, fell), report.Passed, "", ""},
		{both(diff.Inconclusive, fell), report.Skipped, "inconclusive", "inconclusive"},
		{both(diff.NotComparable, fell), report.Skipped, "not comparable", "not comparable"},
	} {
		got := caseOf("mtl-112", c.row)
		if got.Outcome != c.outcome || got.Message != c.message || got.Reason != c.reason || got.Name != "k (4096 in 64, SIMD16)" {
			t.Errorf("%s: got %+v", c.row.Verdict, got)
		}
	}
}

// TestBuildChange checks the text about a kernel that differs between two
// builds.
func TestBuildChange(t *testing.T) {
	k := func(registers int, message string) *batch.Kernel {
		return &batch.Kernel{Kernel: zebin.Kernel{Registers: registers, Spill: unit.Some[unit.Bytes](2048)}, Message: message}
	}
	for _, c := range []struct {
		reason string
		build  diff.Build
		want   string
	}{
		{"the same", diff.Build{Old: k(128, ""), New: k(128, "")}, "Nothing changed"},
		{"it does not run", diff.Build{Old: k(128, ""), New: k(256, "no work-group fits")},
			"It can no longer run: no work-group fits"},
		{"it did not run before either", diff.Build{Old: k(128, "no"), New: nil}, "Nothing changed"},
		{"two values", diff.Build{Old: k(128, ""), New: &batch.Kernel{Kernel: zebin.Kernel{Registers: 256}},
			Changed: []string{"spill_bytes", "registers_per_thread"}}, "Spill 2,048 -> - bytes; registers per thread 128 -> 256"},
	} {
		if got := buildChange(&c.build); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestGate checks the sentences of a gate, and the reasons why a summary is
// unusable.
func TestGate(t *testing.T) {
	reason := func(runs []*compare.Result, notes ...note.Note) string {
		return newAgentSummary(runs, notes, "", 3, 1).Reason.Or("")
	}
	failed := report.Case{Name: "k", Class: "mtl-112", Outcome: report.Failed, Type: "regression", Reason: "measured -14.1 points"}
	suite := func(cases ...report.Case) *report.TestSuite { return &report.TestSuite{Cases: cases} }
	sides := func(rows ...*diff.Row) []*diff.Result {
		d := &diff.Result{Options: diff.DefaultOptions()}
		for _, r := range rows {
			d.Rows = append(d.Rows, *r)
		}
		return []*diff.Result{d}
	}
	refused := func(rows ...*diff.Row) string {
		u := Unjudged(sides(rows...))
		text, _ := u.Sort(nil)
		return text
	}
	fell := delta(measured, 4, 62.7, 48.6)
	alone := with(both(diff.OnlyOld), func(r *diff.Row) { r.New, r.Share = nil, unit.Some(unit.Ratio(0.5)) })
	lost := note.Note{Severity: note.Error, Text: "row 3 is cut off"}
	inconclusive := sides()
	inconclusive[0].Summary.Inconclusive = 2
	one := newComparison(sides(both(diff.Unchanged, fell))).suite(report.Provenance{Label: "nightly"})
	for _, c := range []struct{ reason, got, want string }{
		{"the class of a case", one.Cases[0].Class, "unknown device/nightly"},
		{"a whole input", reason(nil), ""},
		{"a lost row", reason(nil, lost), "Not all of the input could be read, so kernels may be missing: error: row 3 is cut off"},
		{"another device", reason([]*compare.Result{{Fit: compare.Fit{Contradiction: "512 XVEs"}}}), "the device cannot be the GPU that ran: 512 XVEs"},
		{"nothing failed", Failure(suite(report.Case{})), ""},
		{"one case failed", Failure(suite(report.Case{}, failed)),
			"--fail-on regression: 1 of 2 kernels regressed: k on mtl-112 (measured -14.1 points)"},
		{"many cases failed", Failure(suite(failed, failed, failed, failed)),
			"--fail-on regression: 4 of 4 kernels regressed: k on mtl-112 (measured -14.1 points), k on mtl-112 (measured -14.1 points), " +
				"k on mtl-112 (measured -14.1 points), 1 more"},
		{"another launch whose measured occupancy fell by more than predicted",
			refused(both(diff.Unchanged, fell), both(diff.ChangedLaunch, limited(fell, 2), limited(delta(compare.MetricResidual, 4, 0, -9), 2))),
			"--fail-on regression: 1 of 2 kernels judged; 1 not: 1 with another launch or device, and with a measured occupancy that fell by more than predicted; --allow-unjudged=unmeasurable accepts that"},
		{"only such a launch", refused(both(diff.ChangedLaunch, limited(fell, 2), limited(delta(compare.MetricResidual, 4, 0, -9), 2))),
			"--fail-on regression had nothing to judge: launches or devices changed, and measured occupancy fell by more than predicted"},
		{"nothing is slower", SlowerSame(sides(both(diff.Unchanged))), ""},
		{"slower at the same occupancy", SlowerSame(sides(both(diff.SlowerSame, delta(compare.MetricTime, 4, 1, 1.3)))),
			"--fail-on regression judges occupancy, which is as before, but k takes 1.30 times as long"},
		{"a slower kernel is judged", refused(both(diff.SlowerSame, fell)), ""},
		{"nothing is inconclusive", Inconclusive(sides()), ""},
		{"two kernels are", Inconclusive(inconclusive), "--fail-on regression: single runs show only changes above 9 points; 2 kernels may have " +
			"changed by less (give each side a folder of 4 repeats or more, or --noise HISTORY)"},
		{"all are judged", refused(both(diff.Unchanged, fell)), ""},
		{"nothing is judged", refused(), "--fail-on regression had nothing to judge: no kernel can be compared"},
		{"only one side", refused(both(diff.Unchanged, fell), alone),
			"--fail-on regression: 1 of 2 kernels judged; 1 not: 1 on one side only (k); --allow-unjudged=missing accepts that"},
		{"unmeasurable in all runs of both sides", refused(both(diff.Unchanged, fell), with(both(diff.NotComparable), func(r *diff.Row) { r.Old.Unmeasurable, r.New.Unmeasurable = 4, 4 })), ""},
		{"unmeasurable in all new runs", refused(both(diff.Unchanged, fell), with(both(diff.NotComparable), func(r *diff.Row) { r.New.Unmeasurable = 4 })),
			"--fail-on regression: 1 of 2 kernels judged; 1 not: 1 not comparable; --allow-unjudged=unmeasurable accepts that"},
		{"unmeasurable in all old runs", refused(both(diff.Unchanged, fell), with(both(diff.NotComparable), func(r *diff.Row) { r.Old.Unmeasurable = 4 })),
			"--fail-on regression: 1 of 2 kernels judged; 1 not: 1 not comparable; --allow-unjudged=unmeasurable accepts that"},
		{"not comparable", refused(both(diff.Unchanged, fell), both(diff.NotComparable)),
			"--fail-on regression: 1 of 2 kernels judged; 1 not: 1 not comparable; --allow-unjudged=unmeasurable accepts that"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}

// TestRunWords checks the sentences about several runs.
func TestRunWords(t *testing.T) {
	run := func(name string, findings ...diff.RunFinding) *diff.RunAcrossKernels {
		return &diff.RunAcrossKernels{Name: name, Findings: findings, Result: &compare.Result{}}
	}
	ratio := func(percent float64) unit.Opt[unit.Ratio] { return unit.Some(unit.FromPercent(percent)) }
	k := &diff.KernelAcrossRuns{Kernel: &ingest.Kernel{Task: "k"}, Measured: []unit.Opt[unit.Ratio]{ratio(40), ratio(60)}, Median: ratio(60), Lowest: ratio(40), Highest: ratio(60), N: 2}
	low := findingRow{Finding: diff.Finding{Run: run("a", diff.RunLow, diff.RunSlow), What: diff.RunLow, Off: unit.Some[unit.Points](-20)}}
	part := findingRow{Finding: diff.Finding{Run: run("b", diff.RunDips), Kernel: k, What: diff.RunDips, Off: unit.Some[unit.Points](-20)}}
	k.Findings = []diff.Finding{low.Finding, part.Finding}
	cells := func(f *findingRow) string { return printed(f, findingColumns) }
	runs := &diff.Runs{Runs: []diff.RunAcrossKernels{*low.Run, *part.Run}, Kernels: []diff.KernelAcrossRuns{*k}, Compared: 2}
	more, copied := low, findingRow{Finding: diff.Finding{Run: run("c", diff.RunCopy)}}
	more.more, copied.Run.CopyOf = 2, "a"
	for _, c := range []struct{ reason, got, want string }{
		{"a whole run", cells(&low), "n=- run=a finding=low occupancy finding=low occupancy, slow kernel=all points=-20.0 time_ratio=- " +
			"kernel=- measured_percent=- median_percent=- measured=-"},
		{"one kernel", cells(&part), "n=- run=b finding=low in part finding=low in part kernel=k points=-20.0 time_ratio=- " +
			"kernel=k measured_percent=40.0 median_percent=60.0 measured=40.0 of 60.0%"},
		{"more kernels", findingColumns[3].Of(&more).Text, "low occupancy, slow; 2 more kernels differ"},
		{"a copy", findingColumns[3].Of(&copied).Text, string(diff.RunCopy) + " of a, left out"},
		{"by run", printed(k, byRun(runs)), "off=a -20.0, b -20.0 run_1=40.0 run_2=60.0"},
		{"a headline", runsLine(runs, []findingRow{low, part}), "2 runs of 1 kernel on an unknown device. 2 differ: a (low occupancy, slow: -20.0 points), " +
			"b (low in part: k -20.0 points). A single kernel needs 6 runs for a test"},
		{"nothing found", notFound(runs), "2 runs are too few to identify an outlier (at least 6 are needed); k varies by 20.0 points. " +
			"Compare two runs with 'occudiff diff'"},
		{"the power of the test", notFound(&diff.Runs{Compared: 9, Smallest: 12.34}), "No outlier was found; no kernel was measured in two runs. " +
			"In a single kernel of one run, a drop of less than 12.3 points would probably be missed"},
		{"no power", notFound(&diff.Runs{Compared: 9, Smallest: unit.Points(math.Inf(1))}), "No outlier was found; no kernel was measured in two runs. " +
			"The runs are too few or too noisy to find an outlier in a single kernel"},
		{"nothing measured", notFound(&diff.Runs{Compared: 9}), "No outlier was found; no kernel was measured in two runs"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
	for _, c := range []struct {
		findings []diff.RunFinding
		want     report.Status
	}{
		{[]diff.RunFinding{diff.RunLow}, report.Bad}, {[]diff.RunFinding{diff.RunHigh}, report.Unsure},
		{[]diff.RunFinding{diff.RunFast, diff.RunPeaks, diff.RunDips}, report.Unsure},
		{[]diff.RunFinding{diff.RunHigh, diff.RunSlow}, report.Bad},
	} {
		f := findingRow{Finding: diff.Finding{Run: run("a", c.findings...)}}
		if got := f.status(); got != c.want {
			t.Errorf("%v: status %d, want %d", c.findings, got, c.want)
		}
	}
}
