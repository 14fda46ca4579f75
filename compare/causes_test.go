package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// TestCausesOfEvidence checks which causes are candidates for each kind of
// evidence. The letters are i for idle XVEs, u for underfilled XVEs, and a for
// a value above the prediction.
func TestCausesOfEvidence(t *testing.T) {
	export := sized | timed | longLaunches
	kinds := []struct {
		name string
		evidence
	}{
		{"sampled", export | otherKernels | otherTasks},
		{"queried", export | otherKernels | queried | launchOnly},
		{"folder", export | otherKernels | traced | launchOnly},
		{"trace", export | otherKernels | otherTasks | traced},
		{"summary", timed | otherKernels | otherTasks},
		{"one kernel", export},
		{"mode known", export | registerMode},
		{"peak and width known", export | profilerPeak | simdWidth},
		{"SLM known", export | slmSize},
		{"barriers", export | usesBarriers | barrierStalls},
		{"short threads", export | shortThreads},
		{"no thread", export | noThread},
		{"policies differ", export | policiesDiffer},
	}
	want := map[string][]string{ // one string per kind of evidence, in the order of the kinds
		CauseNoActivity:        {"", "", "", "", "", "", "", "", "", "", "", "i", ""},
		CauseLaunches:          {"iu", "iu", "iu", "iu", "", "iu", "iu", "iu", "iu", "iu", "iu", "", "iu"},
		CauseAdapters:          {"i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "", ""},
		CausePlacement:         {"i", "i", "i", "i", "", "i", "i", "i", "i", "i", "i", "", ""},
		CauseDispatch:          {"u", "u", "u", "u", "u", "u", "u", "u", "u", "u", "iu", "", "u"},
		CauseImbalance:         {"iu", "iu", "iu", "iu", "", "iu", "iu", "iu", "iu", "iu", "u", "u", "u"},
		CauseStack:             {"ia", "ia", "ia", "ia", "", "ia", "ia", "ia", "ia", "ia", "ia", "a", "a"},
		CauseGaps:              {"i", "", "", "i", "", "i", "i", "i", "i", "i", "i", "", ""},
		CauseGRF:               {"ua", "ua", "ua", "ua", "", "ua", "a", "ua", "ua", "ua", "ua", "a", "ua"},
		CauseSIMD:              {"u", "u", "u", "u", "", "u", "u", "", "u", "u", "u", "", "u"},
		CauseSLM:               {"u", "u", "u", "u", "", "u", "u", "", "", "u", "u", "", "u"},
		CauseSampling:          {"ua", "", "", "ua", "ua", "", "", "", "", "", "", "", ""},
		CauseUnexplained:       {"a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a"},
		CauseConcurrentKernels: {"a", "", "a", "a", "a", "", "", "", "", "", "", "", ""},
	}
	for cause, stages := range want {
		for i, kind := range kinds {
			got := ""
			for part, letter := range map[Part]string{PartIdle: "i", PartUnderfilled: "u", noPart: "a"} {
				if slices.ContainsFunc(causeRules, func(rule causeRule) bool {
					return rule.name == cause && rule.part == part && rule.admit(kind.evidence)
				}) {
					got += letter
				}
			}
			for _, letter := range stages[i] {
				if !slices.Contains([]rune(got), letter) {
					t.Errorf("%s, %s: %q, want %q", cause, kind.name, got, stages[i])
				}
			}
			if len(got) != len(stages[i]) {
				t.Errorf("%s, %s: %q, want %q", cause, kind.name, got, stages[i])
			}
		}
	}
	for i := range causeRules {
		if want[causeRules[i].name] == nil {
			t.Errorf("%s is not tried", causeRules[i].name)
		}
	}
}

// TestExcludedCauses checks that a fact excludes a cause: each row fits the
// cause, and the same row with the fact does not.
func TestExcludedCauses(t *testing.T) {
	around := func(k *ingest.Kernel) { k.Reading = ingest.AroundLaunch }
	computed := func(k *ingest.Kernel) { pct(&k.MeasuredLow, 69.9); pct(&k.MeasuredHigh, 70.1) }
	slm := func(k *ingest.Kernel) { k.SLM = unit.Some(unit.Bytes(1024)) }
	half := func(more ...tell) ingest.Kernel {
		return kernel("k", "1048576", "512", 32, 10, 1, append([]tell{measured(49), idle(1.5)}, more...)...)
	}
	short := func(more ...tell) ingest.Kernel {
		return kernel("k", "1048576", "512", 32, 2000, 1, append([]tell{measured(70), idle(20)}, more...)...)
	}
	tooMuch := func(more ...tell) ingest.Kernel {
		return kernel("k", "2048", "16", 32, 10, 1, append([]tell{measured(60)}, more...)...)
	}
	few := func(more ...tell) ingest.Kernel {
		return kernel("k", "1048576", "512", 32, 10, 1, append([]tell{measured(37.1), idle(1), registers(128)},
			more...)...)
	}
	twoKernels := []ingest.Kernel{kernel("other", "2048", "16", 32, 10, 1)}
	for _, c := range []struct {
		reason     string
		fits, with ingest.Kernel
		others     []ingest.Kernel
		cause      string
	}{
		{"the register mode is known", half(), half(registers(128)), nil, CauseGRF},
		{"values around a launch contain no gaps", short(), short(around), nil, CauseGaps},
		{"values computed for the launches contain no gaps", short(), short(computed), nil, CauseGaps},
		{"values around a launch contain no other kernel", tooMuch(), tooMuch(around), twoKernels, CauseConcurrentKernels},
		{"SLM is known", few(), few(slm), nil, CauseSLM},
	} {
		found := func(k ingest.Kernel) bool {
			r := Compare(&ingest.Run{Kernels: append([]ingest.Kernel{k}, c.others...)}, given(mtl112()),
				DefaultOptions())
			row := &r.Rows[slices.IndexFunc(r.Rows, func(row Row) bool { return row.Task == "k" })]
			causes := []Cause{}
			if row.Breakdown != nil {
				causes = row.Breakdown.Causes
			}
			if row.Cause != nil {
				causes = append(causes, *row.Cause)
			}
			return slices.ContainsFunc(causes, func(x Cause) bool { return x.Name == c.cause })
		}
		if !found(c.fits) || found(c.with) {
			t.Errorf("%s: %s is found without that: %v, with it: %v", c.reason, c.cause, found(c.fits), found(c.with))
		}
	}
}

// TestRegistersOfRemedies checks that "test fewer registers" is proposed only
// if fewer registers allow more threads, and that its bound is never larger
// than the gain in threads.
func TestRegistersOfRemedies(t *testing.T) {
	spill := func(k *ingest.Kernel) { k.Spill = unit.Some(unit.Bytes(2880)) }
	room := func(k *ingest.Kernel) { k.Counters = pipes(30, 10) }
	for _, c := range []struct {
		reason  string
		k       ingest.Kernel
		verdict SpeedupVerdict
		lever   Remedy
		most    float64
	}{
		{"half of the slots, found by their number: 2.2 times would be all slots", kernel("k", "458752", "16", 16, 100, 1, measured(45), array(30, 69, 1), room), MoreThreadsMayHelp, FewerRegisters, 2},
		{"the mode is known, and its slots are full", kernel("k", "458752", "16", 16, 100, 1, measured(49.7), array(30, 69, 1), room, registers(256)), MoreThreadsMayHelp, FewerRegisters, 99 / 49.7},
		{"the same, and nothing shows whether more threads help", kernel("k", "458752", "16", 16, 100, 1, measured(49.7), array(52, 47, 1), registers(256)), SpeedupUndetermined, NoRemedy, 0},
		{"half of what the mode allows: registers are not the limit, and the cause is undetermined", kernel("k", "458752", "16", 16, 100, 1, measured(25), array(30, 69, 1), room, registers(256)), MoreThreadsMayHelp, NoRemedy, 0},
		{"the work-groups fill the mode's slots once: fewer registers admit no more threads", kernel("k", "7168", "16", 16, 100, 1, measured(49.7), array(30, 69, 1), room, registers(256)), MoreThreadsMayHelp, MoreThreads, 99 / 49.7},
		{"the kernel spills", kernel("k", "458752", "16", 16, 100, 1, measured(49.7), array(30, 69, 1), room, registers(256), spill), MoreThreadsMayHelp, FewerValues, 99 / 49.7},
	} {
		d := mtl112()
		d.Memory = []arch.Bandwidth{{Source: "test", GBPerSecond: 100}}
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{c.k}}, given(d), DefaultOptions())
		h, v := r.Rows[0].Fix, r.Rows[0].Speedup.Verdict()
		if v != c.verdict || h.Remedy != c.lever || math.Abs(h.Bound.Or(0)-c.most) > 0.01 {
			t.Errorf("%s: %s, %+v, want %s, %s, up to %.2f", c.reason, v, h, c.verdict, c.lever, c.most)
		}
	}
}

// TestQuestionsHaveNoRemedy checks rows whose cause has low confidence. Such a
// cause is a question, so the row has a measurement to "confirm with" and no
// remedy.
func TestQuestionsHaveNoRemedy(t *testing.T) {
	for _, c := range []struct {
		reason, cause string
		k, other      ingest.Kernel
	}{
		{"above the prediction, next to another kernel", CauseConcurrentKernels,
			kernel("k", "2048", "16", 32, 10, 1, measured(60)), kernel("other", "2048", "16", 32, 10, 1)},
		{"other kernels may have lowered the value", CauseSampling,
			kernel("k", "114688", "256", 32, 1000, 3, measured(88), idle(1), registers(128)),
			kernel("other", "114688", "256", 32, 1000, 3, measured(50), idle(1))},
	} {
		row := compared(t, mtl112(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k, c.other}})
		if row.Cause == nil || row.Cause.Name != c.cause || row.Cause.Confidence != Low ||
			row.Cause.ConfirmWith == "" || row.Fix.Remedy != NoRemedy {
			t.Errorf("%s: %+v with remedy %q", c.reason, row.Cause, row.Fix.Remedy)
		}
	}
}

// TestFullLanes checks the remedy for lanes without a work-item. Occupancy does
// not show them, so a row can match with full slots.
func TestFullLanes(t *testing.T) {
	memory := func(k *ingest.Kernel) {
		k.Counters = &ingest.Counters{MemoryRead: unit.Some(1100.0), MemoryReadPeak: unit.Some(1200.0)}
	}
	for _, c := range []struct {
		reason, local string
		measured      float64
		more          tell
		want          PossibleFix
	}{
		{"31 of 32 lanes are idle", "1", 98.5, nil, PossibleFix{Remedy: FullLanes, At: 32, From: 1}},
		{"31 of 64", "33", 98.5, nil, PossibleFix{Remedy: FullLanes, At: 64, From: 33}},
		{"two dimensions: 15 of 64", "7 x 7", 98.5, nil, PossibleFix{Remedy: FullLanes, At: 64, From: 49}},
		{"5 of 32", "27", 98.5, nil, PossibleFix{Remedy: FullLanes, At: 32, From: 27}},
		{"4 of 32 are too few", "28", 98.5, nil, PossibleFix{Remedy: LimitedElsewhere}},
		{"none", "64", 98.5, nil, PossibleFix{Remedy: LimitedElsewhere}},
		{"memory is the limit", "33", 98.5, memory, PossibleFix{Remedy: LimitedElsewhere}},
		{"the cause is a question", "33", 85, nil, PossibleFix{Remedy: FullLanes, At: 64, From: 33}},
		{"the peak contradicts the launch", "33", 98.5, func(k *ingest.Kernel) { pct(&k.Peak, 50) }, PossibleFix{Remedy: LimitedElsewhere}},
	} {
		more := []tell{measured(c.measured), array(44.3, 54.9, 0.8), peak(100)}
		if c.more != nil {
			more = append(more, c.more)
		}
		global := "1000000"
		if strings.Contains(c.local, "x") {
			global = "1000 x 1000"
		}
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{kernel("k", global, c.local, 32, 100, 10, more...)}},
			given(max1100()), DefaultOptions())
		row := &r.Rows[0]
		got := row.Fix
		if got.Remedy == LimitedElsewhere {
			got.Bound = optNumber{}
		}
		if got != c.want || got.Remedy == FullLanes && row.UnconfirmedCause() == nil && r.NextStep(row).Action != Advise {
			t.Errorf("%s: %s, %+v, next %+v", c.reason, row.Verdict, got, r.NextStep(row))
		}
	}
}

// TestReturns checks that a remedy is not printed if it cannot return 33% of
// the missing points.
func TestReturns(t *testing.T) {
	// 2,441 work-groups are 5.4 waves, so the partial last wave costs 9 of 100
	// points.
	lastWave := kernel("k", "624896", "256", 32, 200, 8, measured(10.7), array(10, 89, 1), registers(128))
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{lastWave}}, given(max1100()), DefaultOptions())
	row := &r.Rows[0]
	if h := row.Fix; row.Verdict != Below || h.SavesTime() {
		t.Errorf("%s by %v with a last wave of %v points: %+v", row.Verdict, row.Difference,
			row.Breakdown.Points(PartLastWave), h)
	}
	// Gaps of 4.7% explain only 3 of 40 missing points.
	few := Cause{Name: CauseGaps, Confidence: High, Explains: unit.Some[unit.Points](3), Ground: tracedGapsEnough}
	all := Cause{Name: CauseImbalance, Confidence: Low}
	f := finder{row: &Row{Difference: unit.Some[unit.Points](-40)}}
	if first := slices.MinFunc([]Cause{few, all}, f.better); first.Name != all.Name {
		t.Errorf("%s of 3 points heads a row of 40", first.Name)
	}
}

// TestSecondReadings checks that a cause has low confidence if the same
// evidence has another reading.
func TestSecondReadings(t *testing.T) {
	many := func(more ...tell) ingest.Kernel { return kernel("k", "1048576", "512", 32, 10, 1, more...) }
	once := func(more ...tell) ingest.Kernel { return kernel("k", "20480", "512", 32, 10, 1, more...) }
	for _, c := range []struct {
		reason string
		on     *arch.Device
		k      ingest.Kernel
		cause  string
		want   Confidence
	}{
		{"half of the slots in many waves are a register mode", mtl112(), many(measured(49), peak(100), idle(1.5)), CauseGRF, Medium},
		{"work-groups that all start at once may end unevenly", mtl112(), once(measured(36), peak(71.4), idle(10)), CauseGRF, Low},
		{"the idle share is less than one of two stacks", max1550(), many(measured(60), idle(40)), CauseImbalance, Medium},
		{"one of two stacks may not have worked", max1550(), many(measured(36), idle(58)), CauseImbalance, Low},
		{"the peaks differ by most of the shortfall", mtl112(), many(measured(48), peak(50)), CauseModelMismatch, Medium},
		{"the peaks differ by less than half of the shortfall", mtl112(), many(measured(20), peak(87.5)), CauseModelMismatch, Low},
	} {
		row := &Compare(&ingest.Run{Kernels: []ingest.Kernel{c.k}}, given(c.on), DefaultOptions()).Rows[0]
		if row.Cause == nil || row.Cause.Name != c.cause || row.Cause.Confidence != c.want || c.want == Low && row.Cause.ConfirmWith == "" {
			t.Errorf("%s: %+v, want %s with %v confidence", c.reason, row.Cause, c.cause, c.want)
		}
	}
}

// TestOneOfSeveralGPUs checks the second reading of idle XVEs: one of k GPUs had
// work, and the profiler averaged over all of them. That reading has no bound.
func TestOneOfSeveralGPUs(t *testing.T) {
	one := func(m, i float64, more ...tell) ingest.Kernel {
		return kernel("k", "16777216", "256", 32, 100, 10, append([]tell{measured(m), peak(100), idle(i)}, more...)...)
	}
	also := func(m, i float64) ingest.Kernel {
		return kernel("other", "16777216", "256", 32, 100, 10, measured(m), idle(i))
	}
	integrated := b580()
	integrated.Memory = []arch.Bandwidth{{GBPerSecond: 100, Fastest: "LPDDR5X"}}
	listed := ingest.Platform{XVEs: unit.Some(160)}
	sizeless := func(k *ingest.Kernel) { k.Global = unit.Size3{} }
	adapter := func(k *ingest.Kernel) { k.Device = "GPU 0" }
	for _, c := range []struct {
		reason   string
		on       *arch.Device
		platform ingest.Platform
		kernels  []ingest.Kernel
		cause    string
		gpus     string // in the evidence; empty if the idle time belongs to the launches
	}{
		{"one GPU of four, nearly full", b580(), ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2)}, CauseImbalance, "one of 4 GPUs had work"},
		{"one of eight", b580(), ingest.Platform{}, []ingest.Kernel{one(12.3, 87.6)}, CauseImbalance, "one of 8 GPUs had work"},
		{"two GPUs of two stacks", max1550(), ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2)}, CauseImbalance, "if one stack has no work, or if one of 4 GPUs"},
		{"no launch size", b580(), ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2, sizeless)}, CauseAdapters, "one of 4 GPUs had work"},
		{"a second kernel is less busy on that GPU", b580(), ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2), also(12.3, 87.5)}, CauseImbalance, "one of 4 GPUs had work"},
		{"a second kernel keeps most XVEs busy", b580(), ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2), also(84.2, 15.4)}, CauseImbalance, ""},
		{"an idle share between 3/4 and 4/5", b580(), ingest.Platform{}, []ingest.Kernel{one(22, 77.5)}, CauseImbalance, ""},
		{"an integrated GPU", integrated, ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2)}, CauseImbalance, ""},
		{"a summary lists one GPU", b580(), listed, []ingest.Kernel{one(24.4, 75.2)}, CauseImbalance, ""},
		{"the row belongs to one adapter", b580(), ingest.Platform{}, []ingest.Kernel{one(24.4, 75.2, adapter)}, CauseImbalance, ""},
	} {
		r := Compare(&ingest.Run{Kernels: c.kernels, Platform: c.platform}, given(c.on), DefaultOptions())
		row := &r.Rows[slices.IndexFunc(r.Rows, func(row Row) bool { return row.Task == "k" })]
		got, several := row.Cause, c.gpus != ""
		if got == nil || got.Name != c.cause || (got.Confidence == Low) != several || !strings.Contains(got.Evidence, c.gpus) ||
			several && got.ConfirmWith != targetGPU || row.Speedup.Balancing.Max.Present() == several || (row.Fix.Remedy == NoRemedy) != several {
			t.Errorf("%s: %+v, %+v, %+v, want %s with %q", c.reason, got, row.Speedup, row.Fix, c.cause, c.gpus)
		}
	}
}
