package diff

import (
	"fmt"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
)

// TestBuildVerdicts checks the verdict and the changed properties of a kernel
// between two builds, and the order of the kernels.
func TestBuildVerdicts(t *testing.T) {
	kernel := func(name string, edits ...func(*batch.Kernel)) batch.Kernel {
		p := &predict.BinaryPrediction{}
		p.Prediction = predict.Prediction{Groups: 8, Peak: 0.5, Average: 0.4}
		k := batch.Kernel{Kernel: zebin.Kernel{Name: name, Registers: 128, SIMD: 16, Spill: unit.Some[unit.Bytes](64), Scratch: unit.Some[unit.Bytes](64),
			Private: unit.Some[unit.Bytes](32), SLM: unit.Some[unit.Bytes](1024), Barriers: unit.Some(1)}, Prediction: p}
		for _, edit := range edits {
			edit(&k)
		}
		return k
	}
	type edit = func(*batch.Kernel)
	spill := func(n unit.Bytes) edit { return func(k *batch.Kernel) { k.Spill = unit.Some(n) } }
	scratch := func(n unit.Bytes) edit { return func(k *batch.Kernel) { k.Scratch = unit.Some(n) } }
	noSpill := func(k *batch.Kernel) { k.Spill = unit.Opt[unit.Bytes]{} }
	peak := func(x unit.Ratio) edit { return func(k *batch.Kernel) { k.Prediction.Prediction.Peak = x } }
	fails := func(k *batch.Kernel) { k.Prediction = nil }
	for _, c := range []struct {
		why      string
		old, new []edit
		want     string
	}{
		{"the same", nil, nil, "same []"},
		{"more spill", nil, []edit{spill(65)}, "worse [spill_bytes]"},
		{"less spill", nil, []edit{spill(0)}, "better [spill_bytes]"},
		{"an unknown spill", nil, []edit{noSpill}, "same [spill_bytes]"},
		{"scratch is not judged next to a spill", nil, []edit{scratch(128)}, "same [scratch_bytes]"},
		{"scratch without an old spill", []edit{noSpill}, []edit{scratch(128)}, "worse [spill_bytes scratch_bytes]"},
		{"scratch without a spill", []edit{noSpill}, []edit{noSpill, scratch(32)}, "better [scratch_bytes]"},
		{"private memory", nil, []edit{func(k *batch.Kernel) { k.Private = unit.Some[unit.Bytes](64) }}, "same [private_bytes]"},
		{"registers", nil, []edit{func(k *batch.Kernel) { k.Registers = 256 }}, "same [registers_per_thread]"},
		{"a SIMD width", nil, []edit{func(k *batch.Kernel) { k.SIMD = 32 }}, "same [simd]"},
		{"SLM", nil, []edit{func(k *batch.Kernel) { k.SLM = unit.Some[unit.Bytes](0) }}, "same [slm_bytes]"},
		{"barriers", nil, []edit{func(k *batch.Kernel) { k.Barriers = unit.Some(2) }}, "same [barriers]"},
		{"a lower peak", nil, []edit{peak(0.4)}, "worse [peak_percent]"},
		{"a higher peak", nil, []edit{peak(0.6)}, "better [peak_percent]"},
		{"a peak that prints alike", nil, []edit{peak(0.50049)}, "same []"},
		{"a peak of another digit", nil, []edit{peak(0.5006)}, "better [peak_percent]"},
		{"a lower average", nil, []edit{func(k *batch.Kernel) { k.Prediction.Prediction.Average = 0.3 }}, "worse [average_percent]"},
		{"no global size", nil, []edit{func(k *batch.Kernel) { k.Prediction.Prediction.Groups = 0 }}, "same [average_percent]"},
		{"worse and better", nil, []edit{spill(0), peak(0.4)}, "worse [spill_bytes peak_percent]"},
		{"it no longer runs", nil, []edit{fails, spill(0)}, "worse [spill_bytes peak_percent average_percent]"},
		{"it runs now", []edit{fails}, nil, "better [peak_percent average_percent]"},
		{"a fixed work-group size", nil, []edit{func(k *batch.Kernel) { k.Local = unit.Size(64) }}, "same [local]"},
	} {
		b := Builds([]batch.Kernel{kernel("k", c.old...)}, []batch.Kernel{kernel("k", c.new...)})[0]
		if got := fmt.Sprint(b.Verdict, " ", b.Changed); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	on := func(key string) edit { return func(k *batch.Kernel) { k.Device = &arch.Device{Key: key} } }
	var got []string
	for _, b := range Builds([]batch.Kernel{kernel("z", on("a")), kernel("b"), kernel("gone"), kernel("a"), kernel("y")},
		[]batch.Kernel{kernel("new"), kernel("a"), kernel("y", spill(0)), kernel("b"), kernel("z", on("b")), kernel("z", on("a"), spill(65))}) {
		got = append(got, fmt.Sprint(b.Verdict, " ", b.Kernel().Name, b.Kernel().DeviceKey()))
	}
	if got, want := strings.Join(got, ", "), "worse za, better y, same a, same b, added new, added zb, removed gone"; got != want {
		t.Errorf("order: %s, want %s", got, want)
	}
}

// rowWith returns a kernel on both sides whose measured occupancy changed by
// points and whose launches take ratio times as long.
func rowWith(points, ratio float64, edits ...func(*Row)) *Row {
	r := &Row{Task: "k", IsKernel: true, Old: &Launch{Runs: 4, Of: 4}, New: &Launch{Runs: 4, Of: 4}, Deltas: []Delta{
		{Metric: compare.MetricMeasured, Change: unit.Some(points), Significant: unit.Some(true), Limit: unit.Some[unit.Points](2)},
		{Metric: compare.MetricTime, Ratio: unit.Some(ratio), Significant: unit.Some(true)}}}
	for _, edit := range edits {
		edit(r)
	}
	return r
}

// TestRowRules checks each rule about a row at its limits.
func TestRowRules(t *testing.T) {
	untested := func(metric string) func(*Row) {
		return func(r *Row) { r.Delta(metric).Significant = unit.Opt[bool]{} }
	}
	chance := func(metric string) func(*Row) {
		return func(r *Row) { r.Delta(metric).Significant = unit.Some(false) }
	}
	changed := func(what string) func(*Row) {
		return func(r *Row) { r.Changes = append(r.Changes, Change{What: what}) }
	}
	share := func(x unit.Ratio) func(*Row) {
		return func(r *Row) { r.New, r.Share = nil, unit.Some(x) }
	}
	memory := func(what string, was, is unit.Bytes) func(*Row) {
		return func(r *Row) {
			changed(what)(r)
			if r.Old.Spill, r.New.Spill = unit.Some(was), unit.Some(is); what == ChangePrivate {
				r.Old.Private, r.New.Private, r.Old.Spill, r.New.Spill = r.Old.Spill, r.New.Spill, r.Old.Private, r.New.Private
			}
		}
	}
	exact := func(r *Row) { r.Old.Exact, r.New.Exact = true, true }
	misattributed := func(x unit.Ratio) func(*Row) { return func(r *Row) { r.New.Misattributed = unit.Some(x) } }
	with := func(metric string, points float64) func(*Row) {
		return func(r *Row) {
			r.Deltas = append(r.Deltas, Delta{Metric: metric, Change: unit.Some(points), Significant: unit.Some(true), Limit: unit.Some[unit.Points](2)})
		}
	}
	judge := func(r *Row, edits ...func(*Result)) string {
		d := &Result{Options: DefaultOptions()}
		for _, edit := range edits {
			edit(d)
		}
		return string(d.judge(r))
	}
	otherDevice := func(d *Result) { d.otherDevice = true }
	unfollowed := func(v Verdict, measured, residual float64) string {
		r := rowWith(measured, 1, with(compare.MetricResidual, residual), func(r *Row) { r.Verdict = v })
		return fmt.Sprint(r.Unfollowed())
	}
	way := func(r *Row) string {
		c, way := r.Memory()
		return fmt.Sprint(c.What, way)
	}
	for _, c := range []struct{ why, got, want string }{
		{"a kernel of 1% is missing", fmt.Sprint(rowWith(0, 1, share(0.01)).Missing()), "true"},
		{"a kernel of less than 1% is not", fmt.Sprint(rowWith(0, 1, share(0.0099)).Missing()), "false"},
		{"an unknown share is missing", fmt.Sprint(rowWith(0, 1, func(r *Row) { r.Old = nil }).Missing()), "true"},
		{"a kernel on both sides", fmt.Sprint(rowWith(0, 1).Missing()), "false"},
		{"a copy is no kernel", fmt.Sprint(rowWith(0, 1, share(1), func(r *Row) { r.IsKernel = false }).Missing()), "false"},
		{"a launch without a prediction", fmt.Sprint(rowWith(0, 1, func(r *Row) { r.Verdict = ChangedLaunch }).Unexplained()), "true"},
		{"a launch with a prediction", fmt.Sprint(rowWith(0, 1, with(compare.MetricResidual, 0), func(r *Row) { r.Verdict = ChangedDevice }).Unexplained()), "false"},
		{"another launch, lower than predicted", unfollowed(ChangedLaunch, -3, -3), "true"},
		{"another device, lower than predicted", unfollowed(ChangedDevice, -3, -3), "true"},
		{"another launch, lower by as much as predicted", unfollowed(ChangedLaunch, -3, -1), "false"},
		{"another launch, not as high as predicted", unfollowed(ChangedLaunch, 0, -3), "false"},
		{"the same launch, lower than predicted", unfollowed(Regression, -3, -3), "false"},
		{"no other launch", fmt.Sprint(rowWith(0, 1, func(r *Row) { r.Verdict = Unchanged }).Unexplained()), "false"},
		{"more spill", way(rowWith(0, 1, changed(ChangeGRF), memory(ChangeSpill, 0, 64))), "spill-1"},
		{"less private memory", way(rowWith(0, 1, memory(ChangePrivate, 64, 0))), "private memory1"},
		{"no memory", way(rowWith(0, 1, changed(ChangeGRF))), "0"},
		{"10% faster", fmt.Sprint(rowWith(0, 1/1.1).pace()), "0"},
		{"more than 10% faster", fmt.Sprint(rowWith(0, 1/1.11).pace()), "1"},
		{"10% slower", fmt.Sprint(rowWith(0, 1.1).pace()), "0"},
		{"more than 10% slower", fmt.Sprint(rowWith(0, 1.11).pace()), "-1"},
		{"slower due to noise", fmt.Sprint(rowWith(0, 2, chance(compare.MetricTime)).pace()), "0"},
		{"another time", fmt.Sprint(rowWith(0, 2).OtherTime(), rowWith(0, 1).OtherTime(), rowWith(0, 2, changed(ChangeGlobal)).OtherTime()), "true false false"},
		{"lower and faster", fmt.Sprint(rowWith(-3, 0.5).trade()), "-1"},
		{"higher and slower", fmt.Sprint(rowWith(3, 2).trade()), "1"},
		{"lower and slower", fmt.Sprint(rowWith(-3, 2).trade()), "0"},
		{"lower due to noise", fmt.Sprint(rowWith(-3, 0.5, chance(compare.MetricMeasured)).trade()), "0"},
		{"unchanged and faster", fmt.Sprint(rowWith(0, 0.5).trade()), "0"},
		{"comparable", fmt.Sprint(rowWith(0, 1.1).comparable(), rowWith(0, 1/1.1).comparable()), "true true"},
		{"other times are not", fmt.Sprint(rowWith(0, 1.11).comparable(), rowWith(0, 0.89).comparable()), "false false"},
		{"counters around each launch are", fmt.Sprint(rowWith(0, 2, exact).comparable()), "true"},
		{"on one side only", fmt.Sprint(rowWith(0, 2, func(r *Row) { r.Old.Exact = true }).comparable()), "false"},
		{"misattributed instructions", fmt.Sprint(rowWith(0, 1, misattributed(compare.MisattributedMedium)).comparable(), rowWith(0, 1, misattributed(1)).comparable()), "true false"},
		{"a regression", judge(rowWith(-3, 1)), "regression"},
		{"at the limit", judge(rowWith(-2, 1)), "unchanged"},
		{"an improvement", judge(rowWith(3, 1)), "improvement"},
		{"faster at lower occupancy", judge(rowWith(-3, 0.5)), "faster at lower occupancy"},
		{"slower at higher occupancy", judge(rowWith(3, 2)), "slower at higher occupancy"},
		{"lower and slower is a regression", judge(rowWith(-3, 2)), "regression"},
		{"only slower", judge(rowWith(0, 2)), "slower at the same occupancy"},
		{"only faster", judge(rowWith(0, 0.5)), "faster at the same occupancy"},
		{"slower, with counters around each launch", judge(rowWith(0, 2, exact)), "slower at the same occupancy"},
		{"slower, with misattributed instructions", judge(rowWith(0, 2, misattributed(1))), "not comparable"},
		{"slower, by untested times", judge(rowWith(0, 2, untested(compare.MetricTime))), "inconclusive"},
		{"slower, due to noise", judge(rowWith(0, 2, chance(compare.MetricTime))), "not comparable"},
		{"slower, and more spill", judge(rowWith(0, 2, memory(ChangeSpill, 0, 64))), "regression"},
		{"faster, and less spill", judge(rowWith(0, 0.5, memory(ChangeSpill, 64, 0))), "improvement"},
		{"an untested change within the limit", judge(rowWith(-1, 1, untested(compare.MetricMeasured))), "inconclusive"},
		{"an untested time", judge(rowWith(-1, 2, untested(compare.MetricMeasured), untested(compare.MetricTime))), "inconclusive"},
		{"a copy", judge(rowWith(-3, 1, func(r *Row) { r.IsKernel = false })), "not a kernel"},
		{"not measured", judge(rowWith(0, 1, func(r *Row) { r.Deltas = r.Deltas[1:] })), "not comparable"},
		{"another launch", judge(rowWith(-3, 1, changed(ChangeSIMD))), "changed launch"},
		{"another launch, not as predicted", judge(rowWith(-3, 1, changed(ChangeSIMD), with(compare.MetricResidual, -3))), "regression"},
		{"another launch, busy as before", judge(rowWith(-3, 1, changed(ChangeSIMD), with(compare.MetricResidual, -3), with(compare.MetricBusy, 0))), "changed launch"},
		{"another launch, less busy than predicted", judge(rowWith(-3, 1, changed(ChangeSIMD), with(compare.MetricBusy, -3), with(compare.MetricBusyResidual, -3))), "regression"},
		{"another launch, less busy as predicted", judge(rowWith(-3, 1, changed(ChangeSIMD), with(compare.MetricBusy, -3), with(compare.MetricBusyResidual, 0))), "changed launch"},
		{"busy and measured in opposite directions", judge(rowWith(3, 1, with(compare.MetricBusy, -3))), "improvement"},
		{"less busy", judge(rowWith(0, 1, with(compare.MetricBusy, -3))), "regression"},
		{"another device", judge(rowWith(-3, 1), otherDevice), "changed device"},
		{"more spill, unchanged", judge(rowWith(0, 1, memory(ChangeSpill, 0, 64))), "regression"},
		{"less spill, unchanged", judge(rowWith(0, 1, memory(ChangeSpill, 64, 0))), "improvement"},
		{"more spill, but faster", judge(rowWith(0, 0.5, memory(ChangeSpill, 0, 64))), "faster at the same occupancy"},
		{"more spill on another device", judge(rowWith(0, 1, memory(ChangeSpill, 0, 64)), otherDevice), "changed device"},
		{"more spill with another SIMD width", judge(rowWith(0, 1, memory(ChangeSpill, 0, 64), changed(ChangeSIMD))), "changed launch"},
		{"more spill with another SIMD width, and slower", judge(rowWith(0, 2, memory(ChangeSpill, 0, 64), changed(ChangeSIMD))), "regression"},
		{"an improvement in spite of more spill", judge(rowWith(3, 1, memory(ChangeSpill, 0, 64))), "improvement"},
		{"the longer side", fmt.Sprint(rowWith(0, 1, func(r *Row) { r.Old.Total, r.New.Total = unit.Some[unit.Seconds](2), unit.Some[unit.Seconds](3) }).Seconds(), rowWith(0, 1).Seconds()), "3 -1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.why, c.got, c.want)
		}
	}
}

// TestPairs checks which launches of two sides are paired.
func TestPairs(t *testing.T) {
	l := func(task string, global, local int64, simd int, adapter string) k {
		return k{task: task, global: []int64{global}, local: []int64{local}, simd: simd, adapter: adapter, measured: 50, seconds: 1}
	}
	base := l("k", 1024, 64, 16, "GPU 0")
	for _, c := range []struct {
		why        string
		older, new []k
		want       string
	}{
		{"equal launches", []k{base}, []k{base}, ""},
		{"another adapter", []k{base}, []k{l("k", 1024, 64, 16, "GPU 1")}, "adapter GPU 0 -> GPU 1"},
		{"another SIMD width", []k{base}, []k{l("k", 1024, 64, 32, "GPU 0")}, "SIMD width 16 -> 32"},
		{"another work-group size", []k{base}, []k{l("k", 1024, 128, 16, "GPU 0")}, "work-group size 64 -> 128"},
		{"another global size", []k{base}, []k{l("k", 2048, 64, 16, "GPU 0")}, "global size 1024 -> 2048"},
		{"two properties", []k{base}, []k{l("k", 1024, 128, 32, "GPU 0")}, "SIMD width 16 -> 32, work-group size 64 -> 128"},
		{"both sizes", []k{base}, []k{l("k", 2048, 128, 16, "GPU 0")}, "global size 1024 -> 2048, work-group size 64 -> 128"},
		{"all but the adapter", []k{base}, []k{l("k", 2048, 128, 32, "GPU 0")}, "SIMD width 16 -> 32, global size 1024 -> 2048, work-group size 64 -> 128"},
		{"all", []k{base}, []k{l("k", 2048, 128, 32, "GPU 1")}, "adapter GPU 0 -> GPU 1, SIMD width 16 -> 32, global size 1024 -> 2048, work-group size 64 -> 128"},
		{"the nearest of two", []k{base}, []k{l("k", 1024, 64, 32, "GPU 0"), l("k", 2048, 128, 32, "GPU 0")}, "SIMD width 16 -> 32; only new"},
		{"two candidates", []k{base}, []k{l("k", 1024, 64, 8, "GPU 0"), l("k", 1024, 64, 32, "GPU 0")}, "only new; only new; only old"},
		{"another kernel", []k{base}, []k{l("m", 1024, 64, 16, "GPU 0")}, "only new; only old"},
		{"another number of a lambda", []k{l("main::{lambda()#1}", 1024, 64, 16, "")}, []k{l("main::{lambda()#2}", 1024, 64, 16, "")}, "name main::{lambda()#1} -> main::{lambda()#2}"},
	} {
		var list []string
		for _, p := range pair(collect([]*compare.Result{diffRun(c.older...)}), collect([]*compare.Result{diffRun(c.new...)})) {
			row := rowOf(p)
			switch {
			case row.Old == nil:
				list = append(list, "only new")
			case row.New == nil:
				list = append(list, "only old")
			default:
				var changes []string
				for _, change := range row.Changes {
					changes = append(changes, change.String())
				}
				list = append(list, strings.Join(changes, ", "))
			}
		}
		if got := strings.Join(list, "; "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// TestCollect checks the properties of a launch that come from several runs.
func TestCollect(t *testing.T) {
	run := func(edit func(*compare.Row)) *compare.Result {
		r := diffRun(fan2(func(x *k) { x.measured, x.seconds = 50, 1 }))
		edit(&r.Rows[0])
		return r
	}
	of := func(edits ...func(*compare.Row)) *samples {
		var list []*compare.Result
		for _, edit := range edits {
			list = append(list, run(edit))
		}
		return collect(list)[0]
	}
	intervals := func(n float64) func(*compare.Row) {
		return func(r *compare.Row) { r.Certainty.Intervals = unit.Some(n) }
	}
	same := func(*compare.Row) {}
	bytes := func(n unit.Bytes) unit.Opt[unit.Bytes] { return unit.Some(n) }
	a := of(func(r *compare.Row) {
		r.TimeShare, r.Certainty.Misattributed, r.Certainty.Exact = unit.Some[unit.Ratio](0.2), unit.Some[unit.Ratio](0.3), true
		r.Verdict = compare.Unmeasurable
	}, func(r *compare.Row) {
		r.TimeShare, r.Certainty.Misattributed, r.Certainty.Exact = unit.Some[unit.Ratio](0.1), unit.Some[unit.Ratio](0.1), true
		r.Registers, r.SLM, r.Spill, r.Private = unit.Some(256), bytes(1), bytes(2), bytes(3)
	}, func(r *compare.Row) {
		r.Registers, r.SLM, r.Spill, r.Private = unit.Some(128), bytes(4), bytes(5), bytes(6)
		r.Total = unit.Some[unit.Seconds](300)
	})
	m := compare.MetricNamed(compare.MetricMeasured)
	for _, c := range []struct{ why, got, want string }{
		{"runs", fmt.Sprint(a.launch.Runs, " ", a.launch.Unmeasurable, " ", len(a.values[m])), "3 1 2"},
		{"the largest share", fmt.Sprint(a.share, a.launch.Misattributed), "{0.2 true} {0.3 true}"},
		{"not all runs are exact", fmt.Sprint(a.launch.Exact, of(func(r *compare.Row) { r.Certainty.Exact = true }).launch.Exact, of(same, func(r *compare.Row) { r.Certainty.Exact = true }).launch.Exact), "false true false"},
		{"the first known property", fmt.Sprint(a.launch.Registers, a.launch.SLM, a.launch.Spill, a.launch.Private), "{256 true} {1 true} {2 true} {3 true}"},
		{"the median time", fmt.Sprint(a.launch.Total), "{100 true}"},
		{"the fewest intervals", fmt.Sprint(of(intervals(2), intervals(0.5), intervals(3)).launch.Intervals), "{0.5 true}"},
		{"an unmeasurable row without a value", fmt.Sprint(of(func(r *compare.Row) { r.Verdict, r.Measured = compare.Unmeasurable, unit.Opt[unit.Ratio]{} }).launch.Unmeasurable), "0"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.why, c.got, c.want)
		}
	}
	twice := diffRun(fan2(nil), fan2(nil))
	if got := collect([]*compare.Result{twice})[0].launch.Runs; got != 1 {
		t.Errorf("a key that occurs again counts as %d runs", got)
	}
}

// TestRunFacts checks the findings about runs that a test needs no numbers for.
func TestRunFacts(t *testing.T) {
	run := func(seconds float64, rows ...k) *compare.Result {
		r := diffRun(rows...)
		r.Summary.KernelTime = unit.Some(unit.Seconds(seconds))
		r.Summary.Kernels = len(rows)
		return r
	}
	a, b := fan2(func(x *k) { x.measured = 50 }), fan2(func(x *k) { x.task, x.measured = "b", 40 })
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("r", i))
		}
		return list
	}
	of := func(list ...*compare.Result) string {
		s := CompareRuns(names(len(list)), list)
		var found []string
		for _, f := range s.Findings {
			found = append(found, f.Run.Name+" "+string(f.What))
		}
		return fmt.Sprint(s.Compared, " ", strings.Join(found, ", "))
	}
	varied := &Runs{Kernels: []KernelAcrossRuns{{N: 1, Highest: unit.Some[unit.Ratio](1)}, {N: 2, Lowest: unit.Some[unit.Ratio](0.2), Highest: unit.Some[unit.Ratio](0.5)},
		{N: 2, Lowest: unit.Some[unit.Ratio](0.4), Highest: unit.Some[unit.Ratio](0.6)}}}
	k, points := varied.MostVaried()
	for _, c := range []struct{ why, got, want string }{
		{"two runs", of(run(1, a), run(1, a)), "2 "},
		{"no kernel", of(run(1, a), run(1, a), run(1)), "2 r2 no work"},
		{"no time", of(run(1, a), run(1, a), run(0.0099, a)), "2 r2 no work"},
		{"1% of the time", of(run(1, a), run(1, a), run(0.01, a)), "3 "},
		{"a missing kernel", of(run(1, a, b), run(1, a, b), run(1, a)), "3 r2 kernels missing"},
		{"a kernel of half of the runs", of(run(1, a, b), run(1, a, b), run(1, a), run(1, a)), "4 "},
		{"the largest range", fmt.Sprint(k == &varied.Kernels[1], fmt.Sprintf(" %.0f", float64(points))), "true 30"},
		{"no values", fmt.Sprint((&Runs{}).MostVaried()), "<nil> 0"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.why, c.got, c.want)
		}
	}
	s := &Runs{Runs: make([]RunAcrossKernels, 3)}
	for i := range s.Runs {
		s.Runs[i].Place, s.Runs[i].Name = i, fmt.Sprint("r", i)
	}
	off := func(x unit.Points) unit.Opt[unit.Points] { return unit.Some(x) }
	s.Findings = []Finding{{Run: &s.Runs[2], What: RunHigh, Off: off(9)}, {Run: &s.Runs[1], What: RunLow, Off: off(-3)}, {Run: &s.Runs[0], What: RunLow, Off: off(-5)},
		{Run: &s.Runs[1], What: RunSlow}, {Run: &s.Runs[0], What: RunSlow}}
	s.sortFindings()
	got := ""
	for _, f := range s.Findings {
		got += f.Run.Name + " " + string(f.What) + ", "
	}
	if want := "r0 low occupancy, r1 low occupancy, r0 slow, r1 slow, r2 high occupancy, "; got != want || fmt.Sprint(s.Runs[0].Findings) != "[low occupancy slow]" {
		t.Errorf("order: %s, want %s", got, want)
	}
}
