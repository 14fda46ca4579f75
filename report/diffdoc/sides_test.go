package diffdoc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
	"occudiff/report"
)

// side returns the rows of a comparison with one run per side.
func side(name string, edit func(*diff.Result), rows ...*diff.Row) *diff.Result {
	run := func() *compare.Result {
		return &compare.Result{Device: &arch.Device{Key: "mtl-112", Name: "Meteor Lake"}, Options: compare.DefaultOptions(),
			Inputs: []ingest.Input{{Path: name + ".csv"}}}
	}
	d := &diff.Result{Options: diff.DefaultOptions(), Old: diff.Side{Name: "base", Runs: []*compare.Result{run()}},
		New: diff.Side{Name: name, Runs: []*compare.Result{run()}}}
	for _, r := range rows {
		if d.Rows = append(d.Rows, *r); r.IsKernel {
			d.Summary.Kernels++
		}
	}
	edit(d)
	return d
}

func named(task string, total unit.Seconds) func(*diff.Row) {
	return func(r *diff.Row) {
		r.Task = task
		for _, l := range []*diff.Launch{r.Old, r.New} {
			if l != nil {
				l.Total = unit.Some(total)
			}
		}
	}
}

// summaryLines returns a summary line by line, with | between cells.
func summaryLines(s *report.Summary) string {
	lines := []string{s.Headline, s.Impact, s.More}
	if s.Rows != nil {
		for _, view := range []report.View{report.Terminal, report.Sheet} {
			t := s.Rows.Shown(view)
			for cells := range t.All() {
				var texts []string
				for i, c := range cells {
					texts = append(texts, t.Columns[i].Key+"="+t.Columns[i].Print(c))
				}
				lines = append(lines, strings.Join(texts, "|"))
			}
			if t.TotalTexts() != nil {
				lines = append(lines, strings.Join(t.TotalTexts(), "|"))
			}
		}
	}
	lines = append(lines, s.Advice...)
	for _, c := range s.Confirm {
		lines = append(lines, s.ConfirmReason+": "+c.Rows+" "+c.Text())
	}
	return strings.Join(lines, "\n")
}

// TestSummaries checks the summary of a comparison in each case.
func TestSummaries(t *testing.T) {
	fell := tests(delta(measured, 4, 62.7, 48.6), 0.029, true, 5)
	slower := delta(compare.MetricTime, 4, 0.001, 0.00125)
	regressed, same := with(both(diff.Regression, fell), named("a", 3)), with(both(diff.Unchanged, delta(measured, 4, 50, 51)), named("b", 1))
	of := func(sides ...*diff.Result) string {
		c := newComparison(sides)
		return summaryLines(c.summary(c.rows, nil))
	}
	none := func(*diff.Result) {}
	steady, lower := with(both(diff.Unchanged, delta(measured, 4, 50, 50)), named("b", 1)), with(both(diff.Regression, delta(measured, 4, 80, 60)), named("c", 3))
	unmeasured, apart := with(both(diff.NotComparable), named("d", 9)), with(both(diff.NotComparable, fell), named("k", 9))
	otherTime := func(d *diff.Result) { d.Summary.TimeRatio, d.Summary.TimePairs = unit.Some(1.006), 2 }
	spill := with(both(diff.Regression, fell), func(r *diff.Row) {
		r.Changes = []diff.Change{{What: diff.ChangeSpill, Old: "0 bytes", New: "64 bytes"}}
	})
	var many []*diff.Row
	for i := range 12 {
		many = append(many, with(both(diff.Regression, fell), named(string(rune('a'+i)), 1)))
	}
	runs := func(findings, kernels int) string {
		s := &diff.Runs{Compared: 12}
		for i := range 12 {
			s.Runs = append(s.Runs, diff.RunAcrossKernels{Name: fmt.Sprint("r", i), Findings: []diff.RunFinding{diff.RunLow}, Result: side(fmt.Sprint("r", i), none).New.Runs[0]})
		}
		s.Runs[11].Notes = []note.Note{{Severity: note.Error, Text: "row 3 is cut off"}}
		for i := range kernels {
			s.Kernels = append(s.Kernels, diff.KernelAcrossRuns{Kernel: &ingest.Kernel{Task: fmt.Sprint("k", i)}, Measured: make([]unit.Opt[unit.Ratio], 12)})
		}
		for i := range findings {
			s.Findings = append(s.Findings, diff.Finding{Run: &s.Runs[i], What: diff.RunLow})
		}
		d := Runs(s, report.Provenance{}).Document()
		lines := []string{d.Summary.More, fmt.Sprint(d.Summary.Rows.Len, " rows of ", len(d.Sections), " sections"), strings.Join(d.Summary.Notes, "")}
		for _, c := range d.Summary.Confirm {
			lines = append(lines, d.Summary.ConfirmReason+": "+c.Rows+" "+c.Text())
		}
		return strings.Join(lines, "\n")
	}
	bar := bars([]summaryRow{{row: row{Row: with(both(diff.Regression, fell, delta(predicted, 4, 90, 80), delta(string(compare.PartIdle), 4, 10, 24)), func(*diff.Row) {})}}})
	lacking := &diff.Runs{Compared: 3,
		Runs: []diff.RunAcrossKernels{{Name: "n3", Result: side("n3", none).New.Runs[0],
			Findings: []diff.RunFinding{diff.RunMissingKernels}, MissingKernels: []string{"axpy"}}},
		Kernels: []diff.KernelAcrossRuns{{Kernel: &ingest.Kernel{Task: "hist"}, N: 2,
			Lowest: unit.Some[unit.Ratio](0.4), Highest: unit.Some[unit.Ratio](0.6)}}}
	lacking.Findings = []diff.Finding{{Run: &lacking.Runs[0], What: diff.RunMissingKernels}}
	for _, c := range []struct{ reason, got, want string }{
		{"nothing", of(side("new", none)), `0 kernels, one run per side: there is nothing to compare
base -> new
`},
		{"a regression", of(side("new", none, regressed, same)), `2 kernels, one run per side: a regressed (-14.1 points), 1 has no significant change
The regressed kernel takes 75.0% of the time; base -> new

n=1|kernel=a|measured=62.7 -> 48.6%|change=-14.1|verdict=regression: p = 0.029, 4 + 4 runs
n=|kernel=b|measured=50.0 -> 51.0%|change=+1.0|verdict=within 0 points
|mean over time|59.5 -> 49.2%|-10.3|2 of 2 kernels, weighted by the time of both sides
n=1|kernel=a|measured_old=62.7|measured_new=48.6|change=-14.1|verdict=regression: p = 0.029, 4 + 4 runs
n=-|kernel=b|measured_old=50.0|measured_new=51.0|change=+1.0|verdict=within 0 points
|mean over time|59.5|49.2|-10.3|2 of 2 kernels, weighted by the time of both sides
Find the cause of the lower occupancy: 1 occudiff validate --device mtl-112 new.csv`},
		{"a regression and an improvement", of(side("new", none, regressed, with(both(diff.Improvement, delta(measured, 4, 40, 60)), named("c", 1)))), `2 kernels, one run per side: a regressed (-14.1 points), c improved (+20.0 points)
The regressed kernel takes 75.0% of the time; base -> new

n=1|kernel=a|measured=62.7 -> 48.6%|change=-14.1|verdict=regression: p = 0.029, 4 + 4 runs
n=|kernel=c|measured=40.0 -> 60.0%|change=+20.0|verdict=improvement: single runs differ by up to 0 points
|mean over time|57.0 -> 51.5%|-5.6|2 of 2 kernels, weighted by the time of both sides
n=1|kernel=a|measured_old=62.7|measured_new=48.6|change=-14.1|verdict=regression: p = 0.029, 4 + 4 runs
n=-|kernel=c|measured_old=40.0|measured_new=60.0|change=+20.0|verdict=improvement: single runs differ by up to 0 points
|mean over time|57.0|51.5|-5.6|2 of 2 kernels, weighted by the time of both sides
Find the cause of the lower occupancy: 1 occudiff validate --device mtl-112 new.csv`},
		{"two regressions", strings.SplitN(of(side("new", none, regressed, with(both(diff.Regression, fell), named("c", 2)), same)), "\n", 3)[1], "The regressed kernels take 83.3% of the time, most of it a; base -> new"},
		{"two equal regressions", strings.SplitN(of(side("new", none, regressed, with(both(diff.Regression, fell), named("c", 3)))), "\n", 3)[1], "The regressed kernels take 100.0% of the time, most of it a; base -> new"},
		{"no time is known", strings.SplitN(of(side("new", none, both(diff.Regression, fell))), "\n", 3)[1], "base -> new"},
		{"no change", of(side("new", none, same, with(both(diff.Unchanged, delta(measured, 4, 50, 47)), named("c", 1)), with(both(diff.Unchanged, delta(measured, 4, 50, 49)), named("d", 1)))), `3 kernels, one run per side: all have no significant change
base -> new

kernel=c|measured=50.0 -> 47.0%|change=-3.0|verdict=within 0 points; 2 more, -1.0 to +1.0
mean over time|50.0 -> 49.0%|-1.0|3 of 3 kernels, weighted by the time of both sides
kernel=c|measured_old=50.0|measured_new=47.0|change=-3.0|verdict=within 0 points; 2 more, -1.0 to +1.0
mean over time|50.0|49.0|-1.0|3 of 3 kernels, weighted by the time of both sides`},
		{"an inconclusive kernel", of(side("new", func(d *diff.Result) { d.Summary.Inconclusive = 1 }, with(both(diff.Inconclusive, limited(fell, 20)), named("a", 1)))), `1 kernel, one run per side: a is inconclusive
base -> new

kernel=a|measured=62.7 -> 48.6%|change=(-14.1)|verdict=inconclusive below 20 points
kernel=a|measured_old=62.7|measured_new=48.6|change=-14.1|verdict=inconclusive below 20 points
To detect 2 points: 4 runs per side in two folders, or the noise of a history`},
		{"other times are not hidden by a larger change", of(side("new", none, with(both(diff.Inconclusive, limited(fell, 20)), named("a", 1)),
			with(both(diff.Inconclusive, delta(measured, 1, 50, 50), slower), named("b", 1)))), `2 kernels, one run per side: all are inconclusive; a launch of b takes 1.25 times as long
base -> new

kernel=b|measured=50.0 -> 50.0%|change=(0.0)|ratio=1.25x|verdict=inconclusive below 0 points
kernel=a|measured=62.7 -> 48.6%|change=(-14.1)|ratio=-|verdict=inconclusive below 20 points
mean over time|56.4 -> 49.3%|-7.1||2 of 2 kernels, weighted by the time of both sides
kernel=b|measured_old=50.0|measured_new=50.0|change=0.0|ratio=1.25|verdict=inconclusive below 0 points
kernel=a|measured_old=62.7|measured_new=48.6|change=-14.1|ratio=-|verdict=inconclusive below 20 points
mean over time|56.4|49.3|-7.1||2 of 2 kernels, weighted by the time of both sides`},
		{"other launches", of(side("new", none, both(diff.ChangedLaunch, fell))), `1 kernel, one run per side: k has another launch
base -> new

n=1|kernel=k|measured=62.7 -> 48.6%|change=-14.1|verdict=changed launch: its effect cannot be predicted
n=1|kernel=k|measured_old=62.7|measured_new=48.6|change=-14.1|verdict=changed launch: its effect cannot be predicted`},
		{"missing", of(side("new", none, with(both(diff.OnlyOld), func(r *diff.Row) { r.New, r.Share = nil, unit.Some[unit.Ratio](0.25) }))), `1 kernel, one run per side: k is on one side only (25.0% of its time)
base -> new

n=1|kernel=k|verdict=only old (25.0% of its time)
n=1|kernel=k|verdict=only old (25.0% of its time)`},
		{"a spill", strings.SplitN(of(side("new", none, spill)), "\n", 2)[0], "1 kernel, one run per side: k regressed (-14.1 points)"},
		{"a mean over time: 72.5 = (50 + 3 x 80) / 4, without the kernels that are not comparable",
			strings.Split(of(side("new", none, steady, lower, unmeasured, apart)), "\n")[6],
			"|mean over time|72.5 -> 57.5%|-15.0|2 of 4 kernels, weighted by the time of both sides"},
		{"a mean of one kernel", fmt.Sprint(strings.Contains(of(side("new", none, steady, unmeasured, apart)), "mean")), "false"},
		{"a mean without times", fmt.Sprint(strings.Contains(of(side("new", none, both(diff.Unchanged, fell), both(diff.Unchanged, fell))), "mean")), "false"},
		{"a longer time", strings.SplitN(of(side("new", otherTime, same)), "\n", 3)[1], "base -> new; a launch takes 1.01 times as long (2 kernels)"},
		{"a time that rounds to 1.00", strings.SplitN(of(side("new", func(d *diff.Result) { otherTime(d); d.Summary.TimeRatio = unit.Some(1.004) }, same)), "\n", 3)[1], "base -> new"},
		{"one time", strings.SplitN(of(side("new", func(d *diff.Result) { otherTime(d); d.Summary.TimePairs = 1 }, same)), "\n", 3)[1], "base -> new"},
		{"other times", timeText(side("", none, with(both(diff.Unchanged, tests(slower, 0.01, true, 0)), named("a", 1)), with(both(diff.Unchanged, tests(slower, 0.01, true, 0)), named("b", 2)))), "; a launch of b takes 1.25 times as long, and of 1 more another time"},
		{"many rows", strings.SplitN(of(side("new", none, many...)), "\n", 4)[2], "and 2 more rows"},
		{"two sides", of(side("x/new", none, regressed), side("y/old", none, same)), `2 sides against base. new: a regressed (-14.1 points); old: b has no significant change


n=1|kernel=a|side=new|measured=62.7 -> 48.6%|change=-14.1|verdict=regression: p = 0.029, 4 + 4 runs
n=|kernel=b|side=old|measured=50.0 -> 51.0%|change=+1.0|verdict=within 0 points
n=1|kernel=a|side=new|measured_old=62.7|measured_new=48.6|change=-14.1|verdict=regression: p = 0.029, 4 + 4 runs
n=-|kernel=b|side=old|measured_old=50.0|measured_new=51.0|change=+1.0|verdict=within 0 points`},
		{"a bar", fmt.Sprint(bar.Rows[0].Before, bar.Rows[0].Shares, bar.Rows[0].Mark), "[{0 62.7} {2 10}] [{0 48.6} {2 24}] {80 true}"},
		{"no bar", fmt.Sprint(bars([]summaryRow{{row: row{Row: both(diff.Unchanged)}}}) == nil), "true"},
		{"advice", strings.SplitN(of(side("new", func(d *diff.Result) { d.Summary.Inconclusive = 2 })), "\n", 4)[3],
			"To detect 2 points: 4 runs per side in two folders, or the noise of a history"},
		{"a missing kernel does not hide a difference", runsLine(lacking, findingRows(lacking)),
			"1 run of 1 kernel on Meteor Lake. 1 differs: n3 (kernels missing: axpy); hist varies by 20.0 points. " +
				"A single kernel needs 6 runs for a test"},
		{"one run differs", runs(1, 2), `
1 rows of 4 sections
Not all of the input could be read, so kernels may be missing: error: row 3 is cut off
Validate such a run alone: 1 occudiff validate --device mtl-112 r0.csv`},
		{"more runs than commands", runs(4, 2), `
4 rows of 4 sections
Not all of the input could be read, so kernels may be missing: error: row 3 is cut off
Validate such a run alone: 1 occudiff validate --device mtl-112 r0.csv
Validate such a run alone: 2 occudiff validate --device mtl-112 r1.csv
Validate such a run alone: 3 occudiff validate --device mtl-112 r2.csv`},
		{"as many runs as rows", runs(10, 2), `
10 rows of 4 sections
Not all of the input could be read, so kernels may be missing: error: row 3 is cut off
Validate such a run alone: 1 occudiff validate --device mtl-112 r0.csv
Validate such a run alone: 2 occudiff validate --device mtl-112 r1.csv
Validate such a run alone: 3 occudiff validate --device mtl-112 r2.csv`},
		{"more runs than rows", runs(11, 2), `and 1 more run
10 rows of 5 sections
Not all of the input could be read, so kernels may be missing: error: row 3 is cut off
Validate such a run alone: 1 occudiff validate --device mtl-112 r0.csv
Validate such a run alone: 2 occudiff validate --device mtl-112 r1.csv
Validate such a run alone: 3 occudiff validate --device mtl-112 r2.csv`},
		{"no run differs", runs(0, 2), `
2 rows of 4 sections
Not all of the input could be read, so kernels may be missing: error: row 3 is cut off`},
		{"no run of many kernels differs", runs(0, 11), `and 1 more kernel
10 rows of 4 sections
Not all of the input could be read, so kernels may be missing: error: row 3 is cut off`},
		{"names of sides", fmt.Sprint(sideNames([]*diff.Result{side("base/run", none), side("new/run", none)}), sideNames([]*diff.Result{side("base/a", none), side("new/b", none)})),
			"[base/run new/run] [a b]"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

// TestAgents checks the summaries for agents.
func TestAgents(t *testing.T) {
	fell := tests(delta(measured, 4, 62.7, 48.6), 0.029, true, 5)
	none := func(*diff.Result) {}
	text := func(a *report.AgentSummary) string {
		list, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(string(list), `{"schema":"occudiff/summary/1",`)
	}
	of := func(sides ...*diff.Result) string { return text(newComparison(sides).agentSummary()) }
	counts := func(d *diff.Result) {
		d.Summary = diff.Summary{Kernels: 9, NotComparable: 1, OnlyOld: 2, OnlyNew: 1, ChangedDevice: 1}
	}
	run := func(name string, findings ...diff.RunFinding) diff.RunAcrossKernels {
		return diff.RunAcrossKernels{Name: name, Findings: findings, Result: &compare.Result{Device: &arch.Device{Key: "mtl-112"},
			Inputs: []ingest.Input{{Path: name}}, Options: compare.DefaultOptions()}}
	}
	runs := func(compared int, edits ...func(*diff.Runs)) string {
		a, b := run("a", diff.RunLow), run("b", diff.RunCopy)
		b.Place = 1
		k := diff.KernelAcrossRuns{Kernel: &ingest.Kernel{Task: "k"}, N: 6, Predicted: unit.Some[unit.Ratio](0.9),
			Measured: []unit.Opt[unit.Ratio]{unit.Some[unit.Ratio](0.4), unit.Some[unit.Ratio](0.6)}}
		young := k
		young.N = 5
		s := &diff.Runs{Runs: []diff.RunAcrossKernels{a, b}, Kernels: []diff.KernelAcrossRuns{k, young}, Compared: compared}
		s.Findings = []diff.Finding{{Run: &s.Runs[0], What: diff.RunLow, Kernel: &s.Kernels[0], Off: unit.Some[unit.Points](-20)}, {Run: &s.Runs[1], What: diff.RunCopy}}
		for _, edit := range edits {
			edit(s)
		}
		return text(runsAgentSummary(s))
	}
	for _, c := range []struct{ reason, got, want string }{
		{"a regression", of(side("new", none, both(diff.Regression, fell))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"k","verdict":"regression","predicted_percent":null,"measured_percent":48.6,"lost_seconds":null,"cause":null,"confidence":"high","potential_speedup":"undetermined","bound":null,"points":-14.100000000000001,"next_command":"occudiff explain regression"}],"judged":1,"not_judged":0}`},
		{"a regression of single runs", of(side("new", none, both(diff.Regression, limited(delta(measured, 1, 62.7, 48.6), 10)))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"k","verdict":"regression","predicted_percent":null,"measured_percent":48.6,"lost_seconds":null,"cause":null,"confidence":"medium","potential_speedup":"undetermined","bound":null,"points":-14.100000000000001,"next_command":"occudiff explain regression"}],"judged":1,"not_judged":0}`},
		{"a regression of the busy occupancy", of(side("new", none, both(diff.Regression, delta(measured, 4, 62.7, 61), tests(delta(busy, 4, 60, 40), 0.01, true, 5)))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"k","verdict":"regression","predicted_percent":null,"measured_percent":61,"lost_seconds":null,"cause":null,"confidence":"high","potential_speedup":"undetermined","bound":null,"points":-1.7000000000000028,"next_command":"occudiff explain regression"}],"judged":1,"not_judged":0}`},
		{"an unchanged kernel", of(side("new", none, both(diff.Unchanged, delta(measured, 4, 50, 51)))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"k","verdict":"unchanged","predicted_percent":null,"measured_percent":51,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"undetermined","bound":null,"points":1,"next_command":null}],"judged":1,"not_judged":0}`},
		{"faster at lower occupancy", of(side("new", none, both(diff.Faster, fell))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"k","verdict":"faster at lower occupancy","predicted_percent":null,"measured_percent":48.6,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"limited by something else","bound":null,"points":-14.100000000000001,"next_command":"occudiff explain 'faster at lower occupancy'"}],"judged":1,"not_judged":0}`},
		{"another launch that fell by more than predicted", of(side("new", none, both(diff.ChangedLaunch, limited(fell, 2), limited(delta(compare.MetricResidual, 4, 0, -9), 2)))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"kernel":"k","verdict":"changed launch","predicted_percent":null,"measured_percent":48.6,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"undetermined","bound":null,"points":-14.100000000000001,"next_command":"occudiff explain 'changed launch'"}],"judged":0,"not_judged":1}`},
		{"rows without a finding", of(side("new", counts, both(diff.NotComparable), both(diff.ChangedDevice), with(both(diff.Unchanged), func(r *diff.Row) { r.IsKernel = false }))), `"usable":true,"reason":null,"device":"mtl-112","findings":[],"judged":4,"not_judged":5}`},
		{"nothing judged", of(side("new", func(d *diff.Result) { d.Summary = diff.Summary{Kernels: 1, NotComparable: 1} })), `"usable":false,"reason":"no kernel can be compared","device":null,"findings":[],"judged":0,"not_judged":1}`},
		{"a lost row", of(side("new", func(d *diff.Result) { d.Notes = []note.Note{{Severity: note.Error, Text: "row 3 is cut off"}} }, both(diff.Unchanged))), `"usable":false,"reason":"Not all of the input could be read, so kernels may be missing: error: row 3 is cut off","device":null,"findings":[],"judged":1,"not_judged":0}`},
		{"two sides", of(side("x", none, both(diff.Regression, fell)), side("y", none, both(diff.Unchanged, fell))), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"run":"x","kernel":"k","verdict":"regression","predicted_percent":null,"measured_percent":48.6,"lost_seconds":null,"cause":null,"confidence":"high","potential_speedup":"undetermined","bound":null,"points":-14.100000000000001,"next_command":"occudiff explain regression"},{"run":"y","kernel":"k","verdict":"unchanged","predicted_percent":null,"measured_percent":48.6,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"undetermined","bound":null,"points":-14.100000000000001,"next_command":null}],"judged":2,"not_judged":0}`},
		{"runs", runs(6), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"run":"a","kernel":"k","verdict":"low occupancy","predicted_percent":90,"measured_percent":40,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"","bound":null,"points":-20,"next_command":"occudiff validate --device mtl-112 a"},{"run":"b","kernel":"","verdict":"a copy","predicted_percent":null,"measured_percent":null,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"","bound":null,"points":null,"next_command":null}],"judged":1,"not_judged":1}`},
		{"few runs", runs(5, func(s *diff.Runs) { s.Findings = nil }), `"usable":false,"reason":"5 runs are too few to identify an outlier (at least 6 are needed); k varies by 0.0 points","device":null,"findings":[],"judged":0,"not_judged":2}`},
		{"few runs with a finding", runs(5), `"usable":true,"reason":null,"device":"mtl-112","findings":[{"run":"a","kernel":"k","verdict":"low occupancy","predicted_percent":90,"measured_percent":40,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"","bound":null,"points":-20,"next_command":"occudiff validate --device mtl-112 a"},{"run":"b","kernel":"","verdict":"a copy","predicted_percent":null,"measured_percent":null,"lost_seconds":null,"cause":null,"confidence":null,"potential_speedup":"","bound":null,"points":null,"next_command":null}],"judged":1,"not_judged":1}`},
		{"a run that is cut off", runs(6, func(s *diff.Runs) { s.Runs[1].Notes = []note.Note{{Severity: note.Error, Text: "row 3 is cut off"}} }), `"usable":false,"reason":"Not all of the input could be read, so kernels may be missing: error: row 3 is cut off","device":null,"findings":[],"judged":1,"not_judged":1}`},
		{"no common kernel", Disjoint([]*diff.Result{side("", none, with(both(diff.OnlyOld), func(r *diff.Row) { r.Task, r.New = "a", nil }), with(both(diff.OnlyNew), func(r *diff.Row) { r.Task, r.Old = "b", nil }))}), "the runs have no kernel in common, so nothing was compared: one has a; the other has b"},
		{"a common kernel", Disjoint([]*diff.Result{side("", none, with(both(diff.OnlyOld), func(r *diff.Row) { r.Task, r.New = "a", nil }), both(diff.Unchanged))}), ""},
		{"a common copy is no kernel", Disjoint([]*diff.Result{side("", none, with(both(diff.NotAKernel), func(r *diff.Row) { r.IsKernel = false }),
			with(both(diff.OnlyOld), func(r *diff.Row) { r.Task, r.New = "a", nil }), with(both(diff.OnlyNew), func(r *diff.Row) { r.Task, r.Old = "b", nil }))}), "the runs have no kernel in common, so nothing was compared: one has a; the other has b"},
		{"one side is empty", Disjoint([]*diff.Result{side("", none, with(both(diff.OnlyOld), func(r *diff.Row) { r.New = nil }))}), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

// TestBuilds checks the output for two builds.
func TestBuilds(t *testing.T) {
	k := func(name string, registers int, message string) *batch.Kernel {
		return &batch.Kernel{Kernel: zebin.Kernel{Name: name, Registers: registers, Spill: unit.Some[unit.Bytes](2048)}, Message: message,
			File: name + ".bin", Device: &arch.Device{Key: "mtl-112"}}
	}
	pairs := []diff.Build{
		{Old: k("a", 128, ""), New: k("a", 256, "no work-group fits"), Verdict: diff.Worse, Changed: []string{"registers_per_thread"}},
		{New: k("b", 128, ""), Verdict: diff.Added},
		{Old: k("c", 128, ""), Verdict: diff.Removed},
		{Old: k("d", 128, ""), New: k("d", 128, ""), Verdict: diff.Same},
	}
	o := Builds(pairs, nil, report.Provenance{})
	var cells []string
	for row := range o.Table.All() {
		var texts []string
		for i, c := range row {
			if col := o.Table.Columns[i]; col.In&report.Everywhere != 0 && c.Kind != report.Absent && c.String() != "" {
				texts = append(texts, col.Key+"="+col.Print(c))
			}
		}
		cells = append(cells, strings.Join(texts, " "))
	}
	var cases []string
	for _, c := range o.Tests().Cases {
		cases = append(cases, fmt.Sprint(c.Class, " ", c.Name, " ", c.Outcome, " ", c.Type, ": ", c.Message, c.Reason, " (", c.Text, ")"))
	}
	var drops []string
	for _, c := range o.Table.Columns {
		if c.Drop > 0 && c.Key != "" {
			drops = append(drops, fmt.Sprint(c.Key, " ", c.Drop))
		}
	}
	same := Builds(pairs[3:], nil, report.Provenance{})
	other := k("b", 128, "")
	other.Device = &arch.Device{Key: "max1100"}
	onOther := []diff.Build{{New: other, Verdict: diff.Added}, pairs[2]}
	for _, c := range []struct{ reason, got, want string }{
		{"cells", strings.Join(cells, "\n"), `demangled=a device=mtl-112 verdict=worse spill_bytes=2,048 scratch_bytes=- registers_per_thread=128 -> 256 simd=0 slm_bytes=- barriers=- peak_percent=- average_percent=- message=no work-group fits
demangled=b device=mtl-112 verdict=added spill_bytes=2,048 scratch_bytes=- registers_per_thread=128 simd=0 slm_bytes=- barriers=- peak_percent=- average_percent=-
demangled=c device=mtl-112 verdict=removed spill_bytes=2,048 scratch_bytes=- registers_per_thread=128 simd=0 slm_bytes=- barriers=- peak_percent=- average_percent=-
demangled=d device=mtl-112 verdict=same spill_bytes=2,048 scratch_bytes=- registers_per_thread=128 simd=0 slm_bytes=- barriers=- peak_percent=- average_percent=-`},
		{"cases", strings.Join(cases, "\n"), `mtl-112 a 1 worse: It can no longer run: no work-group fits.It can no longer run: no work-group fits (It can no longer run: no work-group fits.)
mtl-112 b 2 added: added (Nothing changed.)
mtl-112 c 2 removed: removed (Nothing changed.)
mtl-112 d 0 :  (Nothing changed.)`},
		{"a headline", o.Doc.Headline[0], "4 kernels: 1 worse, 1 same, 1 added, 1 removed"},
		{"how to measure the changes", o.Doc.Closing, "To measure what changed: occudiff collect --kernel '^(a|b)$' -- ./app"},
		{"columns for a narrow terminal", strings.Join(drops, ", "), "spill_bytes 7, scratch_bytes 6, registers_per_thread 4, simd 3, slm_bytes 2, barriers 1"},
		{"nothing changed", same.Doc.Headline[0] + same.Doc.Closing, "1 kernel: 1 same"},
		{"a kernel in both builds", DisjointBuilds(pairs), ""},
		{"only new kernels", DisjointBuilds(pairs[1:2]), ""},
		{"other names", DisjointBuilds(pairs[1:3]), "the builds have no kernel in common, so nothing was compared: the old build has c; the new build has b"},
		{"other devices", DisjointBuilds(onOther), "the builds have no kernel in common, so nothing was compared: the old build is for mtl-112, and the new build is for max1100; with --device, both are predicted for one device"},
		{"nothing was compared, so nothing is measured", Builds(onOther, nil, report.Provenance{}).Doc.Closing, ""},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}

// TestSections checks the sections and the provenance of a comparison.
func TestSections(t *testing.T) {
	fell := tests(delta(measured, 4, 62.7, 48.6), 0.029, true, 5)
	none := func(*diff.Result) {}
	of := func(sides ...*diff.Result) string {
		d := NewOutput(sides, report.Provenance{}).Document()
		lines := []string{d.Title}
		for _, s := range d.Sections {
			line := s.Key
			for _, i := range s.Items {
				if s.Key == "terms" {
					line += "; " + i.Lead
					continue
				}
				line += fmt.Sprint("; ", i.Lead, " (", i.Detail, ") ", i.Status, ": ", i.Text)
			}
			for _, table := range s.Tables {
				line += fmt.Sprint("; ", table.Len, " ", table.Main, " ", table.Form)
				for cells := range table.All() {
					line += " / " + cells[0].String() + " " + cells[1].String()
				}
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n")
	}
	copied := with(both(diff.NotAKernel), func(r *diff.Row) { r.Task, r.IsKernel = "copy", false })
	properties := func(d *diff.Result) string {
		s := newComparison([]*diff.Result{d}).suite(report.Provenance{Version: "v1", CommandLine: []string{"occudiff", "diff"}})
		text := fmt.Sprint(s.Host, " ", s.Collected.Format("2006-01-02"), " ", len(s.Cases), " ", s.Cases[0].Class)
		for _, p := range s.Properties {
			text += "; " + p.Name + "=" + p.Value
		}
		return text
	}
	status := map[diff.Verdict]report.Status{diff.Regression: report.Bad, diff.Improvement: report.Good, diff.Faster: report.Good,
		diff.Unchanged: report.Plain, diff.NotAKernel: report.Muted, diff.Inconclusive: report.Unsure, diff.OnlyOld: report.Unsure}
	for v, want := range status {
		if got := statusOf(v); got != want {
			t.Errorf("%s: status %d, want %d", v, got, want)
		}
	}
	for _, c := range []struct{ reason, got, want string }{
		{"one side", of(side("new", none, both(diff.Regression, fell), both(diff.Unchanged, fell), both(diff.Inconclusive, fell), copied)), `Old and new GPU occupancy on Meteor Lake
attention; k (4096 in 64, SIMD16) 2: regression. Measured occupancy 62.7 -> 48.6%: -14.1 points, beyond 5 (p = 0.029, 4 + 4 runs).
kernels; 4 3 1 / k regression / k inconclusive / k unchanged / copy not a kernel
notes
terms; #; Kernel; Measured; Points; Verdict; regression; inconclusive; unchanged; not a kernel
provenance; 4 4 0 / Made by occudiff / Threshold 2 points / base new.csv; mtl-112 () / new new.csv; mtl-112 ()`},
		{"two sides", of(side("x", none, both(diff.Regression, fell)), side("y", none, both(diff.Improvement, fell))), `GPU occupancy of 3 sides on Meteor Lake
attention; k (4096 in 64, SIMD16) 2: x: regression. Measured occupancy 62.7 -> 48.6%: -14.1 points, beyond 5 (p = 0.029, 4 + 4 runs).; k (4096 in 64, SIMD16) 1: y: improvement. Measured occupancy 62.7 -> 48.6%: -14.1 points, beyond 5 (p = 0.029, 4 + 4 runs).
kernels; 2 2 1 / k x / k y
notes
terms; #; Kernel; Side; Measured; Points; Verdict; regression; improvement
provenance; 5 5 0 / Made by occudiff / Threshold 2 points / base x.csv; mtl-112 () / x x.csv; mtl-112 () / y y.csv; mtl-112 ()`},
		{"properties of a suite", properties(side("new", func(d *diff.Result) {
			d.New.Runs[0].Platform.Host, d.New.Runs[0].Platform.Collected = "h", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
			d.Summary.NotComparable, d.Changes = 3, []diff.Change{{What: "driver", Old: "1", New: "2"}}
		}, copied, both(diff.Unchanged, fell))), `h 2026-01-02 1 mtl-112; occudiff.version=v1; command=occudiff diff; threshold_points=2; old=base, 1 run on Meteor Lake; old.input.1=new.csv; new=new, 1 run on Meteor Lake; new.input.1=new.csv; kernels.not_comparable=3; changed=driver 1 -> 2`},
		{"columns over all runs", printed(&diff.KernelAcrossRuns{Kernel: &ingest.Kernel{Task: "k", Global: unit.Size(64), Local: unit.Size(8), SIMD: unit.Some(16), Direction: "read"}, N: 5,
			Predicted: unit.Some[unit.Ratio](0.1), Median: unit.Some[unit.Ratio](0.2), Lowest: unit.Some[unit.Ratio](0.3), Highest: unit.Some[unit.Ratio](0.4)}, manyColumns), `task=k launch_size=64 in 8, SIMD16 global=64 local=8 simd=16 direction=read runs=5 predicted_average_percent=10.0 median_percent=20.0 lowest=30.0 highest=40.0 measured_percent=-`},
		{"no rows", of(side("new", none)), `Old and new GPU occupancy on Meteor Lake
attention
kernels
notes
terms
provenance; 4 4 0 / Made by occudiff / Threshold 2 points / base new.csv; mtl-112 () / new new.csv; mtl-112 ()`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, c.got, c.want)
		}
	}
}
