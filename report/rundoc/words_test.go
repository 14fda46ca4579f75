package rundoc

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// reduce returns a kernel that takes 10 ms in 100 launches.
func reduce(verdict compare.Verdict, edits ...func(*compare.Row)) *compare.Row {
	row := &compare.Row{
		Kernel: &ingest.Kernel{Task: "reduce", Global: unit.Size(114688), Local: unit.Size(256), SIMD: unit.Some(32),
			Instances: unit.Some[int64](100), Total: unit.Some[unit.Seconds](0.01), Measured: unit.Some[unit.Ratio](0.4)},
		Predicted: &predict.Prediction{Groups: 448, GroupSize: 256, ThreadsPerGroup: 8, Waves: 4, Peak: 1, Average: 0.9,
			AverageHigh: 0.98, XeCore: 0.5},
		Verdict: verdict,
	}
	for _, edit := range edits {
		edit(row)
	}
	return row
}

// cause returns an edit that sets the cause of a row.
func cause(name string, sure compare.Confidence) func(*compare.Row) {
	return func(row *compare.Row) {
		row.Cause = &compare.Cause{Name: name, Confidence: sure, Evidence: "the figures show it",
			ConfirmWith: "a trace"}
	}
}

// parts returns an edit that divides the missing occupancy between idle XVEs,
// with the row's cause, and underfilled XVEs, with three other causes.
func parts(idle, underfilled unit.Points) func(*compare.Row) {
	return func(r *compare.Row) {
		b := &compare.SlotBreakdown{}
		for i, p := range compare.Parts() {
			switch p {
			case compare.PartIdle:
				b.Parts[i] = unit.Some(idle)
			case compare.PartUnderfilled:
				b.Parts[i] = unit.Some(underfilled)
			}
		}
		r.Cause.Part = compare.PartIdle
		b.Causes = []compare.Cause{*r.Cause,
			{Part: compare.PartUnderfilled, Name: compare.CauseImbalance, Confidence: compare.Low, Evidence: "groups differ."},
			{Part: compare.PartUnderfilled, Name: compare.CauseSIMD, Confidence: compare.Low},
			{Part: compare.PartUnderfilled, Name: compare.CauseSLM, Confidence: compare.Medium}}
		r.Breakdown, r.Speedup.Verdicts = b, []compare.SpeedupVerdict{compare.SpeedupUndetermined}
	}
}

func meteorLake() *arch.Device {
	t, err := arch.Builtin()
	if err != nil {
		panic(err)
	}
	m, err := t.Find(arch.Query{Name: "mtl-112"})
	if err != nil {
		panic(err)
	}
	return m.Device
}

// of returns a result with the given rows on a Meteor Lake GPU.
func of(rows ...*compare.Row) *compare.Result {
	r := &compare.Result{Device: meteorLake(), ChosenBy: arch.Source{Name: "the summary", Detail: ": 112 XVE"},
		Options: compare.DefaultOptions()}
	for _, row := range rows {
		r.Rows = append(r.Rows, *row)
	}
	return r
}

func TestWhy(t *testing.T) {
	sampling := cause(compare.CauseSampling, compare.High)
	for _, c := range []struct {
		why  string
		row  *compare.Row
		want string
	}{
		{"a match needs no cause", reduce(compare.Match), "matches"},
		{"a limit explains a low match", reduce(compare.Match, func(r *compare.Row) { r.Predicted.Limits = predict.LimitSLM }), "matches: slm"},
		{"up to a match of less than 95%", reduce(compare.Match, func(r *compare.Row) {
			r.Predicted.Limits, r.Predicted.Average = predict.LimitSLM, 0.949
		}), "matches: slm"},
		{"no limit", reduce(compare.Match, func(r *compare.Row) { r.Predicted.Limits = 0 }), "matches"},
		{"but not a match of 95% or more", reduce(compare.Match, func(r *compare.Row) {
			r.Predicted.Limits, r.Predicted.Average = predict.LimitSLM, 0.95
		}), "matches"},
		{"less than a wave", reduce(compare.Match, func(r *compare.Row) { r.Predicted.Waves = 0.5 }), "matches: few work-groups"},
		{"exactly a wave", reduce(compare.Match, func(r *compare.Row) { r.Predicted.Waves = 1 }), "matches"},
		{"a partial last wave", reduce(compare.Match, func(r *compare.Row) { r.Predicted.Limits = predict.LimitTail }), "matches: last wave"},
		{"a cause outweighs the last wave", reduce(compare.Match, cause(compare.CauseGaps, compare.High), func(r *compare.Row) {
			r.Predicted.Limits = predict.LimitTail | predict.LimitSLM
		}), "matches: slm"},
		{"without a prediction", reduce(compare.Match, func(r *compare.Row) { r.Predicted = nil }), "matches"},
		{"without a launch size", reduce(compare.Match, func(r *compare.Row) {
			r.Predicted.Groups, r.Predicted.Limits = 0, predict.LimitSLM
		}), "matches"},
		{"idle time aside", reduce(compare.MatchWhileBusy), "matches while it runs"},
		{"two predictions agree", reduce(compare.PeaksAgree), "peaks agree"},
		{"nothing measured", reduce(compare.NoMeasurement), "not measured"},
		{"no global size", reduce(compare.NoPrediction, func(r *compare.Row) { r.Global = unit.Size3{} }), "no global size"},
		{"no work-group size", reduce(compare.NoPrediction, func(r *compare.Row) { r.Local = unit.Size3{} }), "no work-group size"},
		{"no SIMD width", reduce(compare.NoPrediction, func(r *compare.Row) { r.SIMD = unit.Opt[int]{} }), "no SIMD width"},
		{"a launch that the device rejects", reduce(compare.NoPrediction), "cannot run"},
		{"a sure cause", reduce(compare.Below, cause(compare.CauseDispatch, compare.High)), "very short threads"},
		{"a likely cause", reduce(compare.Below, cause(compare.CauseDispatch, compare.Low)), "very short threads?"},
		{"no cause", reduce(compare.Below), "below"},
		{"launches shorter than a sample", reduce(compare.Unmeasurable, sampling, func(r *compare.Row) {
			r.Certainty.Intervals = unit.Some(0.1)
		}), "launches of 100 us"},
		{"launches of one sample", reduce(compare.Unmeasurable, sampling, func(r *compare.Row) {
			r.Certainty.Intervals = unit.Some(1.0)
		}), "others in the value"},
		{"an unknown number of samples", reduce(compare.Unmeasurable, sampling), "others in the value"},
		{"within the bounds", reduce(compare.Possible), "possible"},
		{"a bound inside of the prediction", reduce(compare.Possible, func(r *compare.Row) { r.BoundHigh = unit.Some[unit.Ratio](0.95) }), "possible: 90-95%"},
		{"a bound at the end of the prediction", reduce(compare.Possible, func(r *compare.Row) { r.BoundHigh = unit.Some[unit.Ratio](0.98) }), "possible"},
		{"idle time without an occupancy", reduce(compare.Below, sampling, func(r *compare.Row) { r.Basis = compare.BasisBounds }), "XVEs were idle"},
		{"busy time without an occupancy", reduce(compare.Above, sampling, func(r *compare.Row) { r.Basis = compare.BasisBounds }), "more XVEs were busy"},
		{"a second cause", reduce(compare.Below, cause(compare.CauseDispatch, compare.High), parts(20, 19)), "very short threads, uneven work-groups?"},
		{"a small second part", reduce(compare.Below, cause(compare.CauseDispatch, compare.High), parts(20, 1)), "very short threads"},
	} {
		if got := whyText(of(c.row), c.row); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestFix(t *testing.T) {
	bound := func(x float64) compare.PossibleFix { return compare.PossibleFix{Bound: unit.Some(x)} }
	fix := func(remedy compare.Remedy, at, from int64, of compare.PossibleFix) compare.PossibleFix {
		of.Remedy, of.At, of.From = remedy, at, from
		return of
	}
	none := compare.PossibleFix{}
	limited := func(by compare.Limiter) *compare.Row {
		return reduce(compare.Match, func(r *compare.Row) {
			r.Speedup.LimitedBy, r.Counters = by, &ingest.Counters{Pipes: []ingest.Pipe{{Name: "ALU0", Active: 0.1}, {Name: "XMX", Active: 0.9}}}
		})
	}
	lanes := func(items int64) *compare.Row {
		return reduce(compare.Match, func(r *compare.Row) {
			threads := (items + 31) / 32
			r.Predicted = &predict.Prediction{GroupSize: items, ThreadsPerGroup: threads, IdleLanes: threads*32 - items}
		})
	}
	for _, c := range []struct {
		why  string
		row  *compare.Row
		fix  compare.PossibleFix
		want string
	}{
		{"no remedy", reduce(compare.Match), none, ""},
		{"with a bound", reduce(compare.Below), fix(compare.BalanceWorkGroups, 0, 0, bound(1.84)), "balance the work-groups: up to 1.8x"},
		{"a negligible bound", reduce(compare.Below), fix(compare.BalanceWorkGroups, 0, 0, bound(1.04)), "balance the work-groups"},
		{"the smallest bound that is shown", reduce(compare.Below), fix(compare.BalanceWorkGroups, 0, 0, bound(1.05)), "balance the work-groups: up to 1.1x"},
		{"idle time may be between launches", reduce(compare.MatchWhileBusy), fix(compare.ShorterGaps, 0, 0, none), "shorter gaps?"},
		{"full waves", reduce(compare.Match), fix(compare.FillWaves, 2240, 1400, none), "2,240 work-groups, not 1,400"},
		{"another number for each kernel", reduce(compare.Match), fix(compare.FillWaves, 0, 0, none), "more work-groups"},
		{"a GRF mode", reduce(compare.Below), fix(compare.FewerRegisters, 128, 256, bound(2)), "test 128 registers: up to 2.0x unless it spills"},
		{"several GRF modes", reduce(compare.Below), fix(compare.FewerRegisters, 0, 0, none), "test fewer registers unless it spills"},
		{"a SIMD width", reduce(compare.Below), fix(compare.FewerValues, 16, 0, none), "fewer live values or SIMD16"},
		{"nothing to gain", reduce(compare.Match), fix(compare.LimitedElsewhere, 0, 0, none), "none: limited by something else"},
		{"full slots", limited(compare.LimitedBySlots), fix(compare.LimitedElsewhere, 0, 0, bound(1.04)), "none: slots are full"},
		{"slots with room", limited(compare.LimitedBySlots), fix(compare.LimitedElsewhere, 0, 0, bound(1.05)), "none: slots limit it to 1.1x"},
		{"a busy pipe", limited(compare.LimitedByPipe), fix(compare.LimitedElsewhere, 0, 0, none), "none: pipe XMX is busy"},
		{"memory", limited(compare.LimitedByMemory), fix(compare.LimitedElsewhere, 0, 0, none), "none: memory is busy"},
		{"stalls", limited(compare.LimitedByStalls), fix(compare.LimitedElsewhere, 0, 0, none), "none: stalls that threads cannot hide"},
		{"idle lanes", lanes(33), fix(compare.FullLanes, 64, 33, none), "work-group size 32 or 64: 48% of the lanes are idle"},
		{"fewer work-items than lanes", lanes(1), fix(compare.FullLanes, 32, 1, none), "work-group size 32: 97% of the lanes are idle"},
		{"another size for each kernel", lanes(1), fix(compare.FullLanes, 0, 0, none), "full lanes"},
		{"several SIMD widths", reduce(compare.Below), fix(compare.FewerValues, 0, 0, none), "fewer live values"},
		{"more threads are not the fix of a difference", reduce(compare.Below), fix(compare.LimitedElsewhere, 0, 0, none), "not threads: limited by something else"},
	} {
		if got := fixText(c.row, c.fix); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestEvidence(t *testing.T) {
	difference := func(points unit.Points) func(*compare.Row) {
		return func(r *compare.Row) { r.Difference = unit.Some(points) }
	}
	dispatch := cause(compare.CauseDispatch, compare.Medium)
	for _, c := range []struct {
		why  string
		row  *compare.Row
		want string
	}{
		{"below, with a cause", reduce(compare.Below, difference(-36.84), dispatch),
			"below by 36.8 points: very short threads. The figures show it (medium). Confirm with: a trace."},
		{"above, with a cause", reduce(compare.Above, difference(9), cause(compare.CauseConcurrentKernels, compare.Low)),
			"above by 9.0 points: others ran as well. The figures show it (low). Confirm with: a trace."},
		{"a fact has no confidence", reduce(compare.Unmeasurable, cause(compare.CauseSampling, 0)), "unmeasurable: others in the value. The figures show it. Confirm with: a trace."},
		{"above is a distance as well", reduce(compare.Above, difference(4.96)), "above by 5.0 points."},
		{"a match has no distance", reduce(compare.Match, difference(-2)), "match."},
		{"no prediction", reduce(compare.NoPrediction, func(r *compare.Row) { r.NoPrediction = "no size." }), "no prediction. No size."},
		{"idle time aside", reduce(compare.MatchWhileBusy),
			"match while busy. While it ran, it filled XVEs as predicted. The idle time may be between launches."},
		{"a cause that needs no confirmation", reduce(compare.MatchWhileBusy, dispatch),
			"match while busy: very short threads. The figures show it (medium)."},
		{"compared with another prediction", reduce(compare.Match, func(r *compare.Row) { r.Basis = compare.BasisMeasuredPeak }),
			"match. It is compared with VTune's peak, which leaves out the partial last wave."},
		{"two parts", reduce(compare.Below, difference(-36.84), dispatch, parts(20, 16.84)), "below by 36.8 points: very short threads, uneven work-groups. 20.1 points: idle XVEs. The figures show it (medium).\n16.9 points: underfilled XVEs. Groups differ (low). Also possible: simd (low), slm (medium). Confirm with: a trace."},
		{"a second part of one point", reduce(compare.Below, difference(-21), dispatch, parts(20, 1)), "below by 21.0 points: very short threads. 20.1 points: idle XVEs. The figures show it (medium).\n1.1 points: underfilled XVEs. Groups differ (low). Also possible: simd (low), slm (medium). Confirm with: a trace."},
		{"a negligible second part", reduce(compare.Below, difference(-20), dispatch, parts(20, 0.9)), "below by 20.0 points: very short threads. 20.1 points: idle XVEs. The figures show it (medium). Confirm with: a trace."},
		{"the same reason for two parts", reduce(compare.Below, difference(-40), dispatch, parts(20, 20), func(r *compare.Row) {
			r.Breakdown.Causes[1].Evidence, r.Breakdown.Causes[1].Confidence = r.Cause.Evidence, r.Cause.Confidence
			r.Breakdown.Causes = r.Breakdown.Causes[:2]
		}), "below by 40.0 points: very short threads, uneven work-groups. 20.1 points: idle XVEs. The figures show it (medium).\n20.1 points: underfilled XVEs. For the same reason. Confirm with: a trace."},
		{"a cause that states its own doubt", reduce(compare.Below, difference(-20), cause(compare.CauseGaps, compare.Low), parts(20, 0)), "below by 20.0 points: time between launches. 20.1 points: idle XVEs. The figures show it. Confirm with: a trace."},
		{"a potential speedup", reduce(compare.Below, difference(-20), dispatch, parts(20, 0), func(r *compare.Row) {
			r.Speedup = compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{compare.BalanceTheWork}, Evidence: "groups differ",
				Balancing: compare.Bound{Max: unit.Some(1.84), Formula: "f"}}
		}), "below by 20.0 points: very short threads. 20.1 points: idle XVEs. The figures show it (medium). Confirm with: a trace. Potential speedup: balance the work: groups differ; with work for them at most 1.8 times as fast (f)."},
		{"a bound that belongs to another change", reduce(compare.MatchWhileBusy, dispatch, parts(20, 0), func(r *compare.Row) {
			r.Speedup = compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{compare.LimitedByOther}, Evidence: "memory",
				Balancing: compare.Bound{Max: unit.Some(1.84), Formula: "f"}}
		}), "match while busy: very short threads. The figures show it (medium). Potential speedup: limited by something else: memory."},
		{"bounds", reduce(compare.Possible, func(r *compare.Row) {
			r.Idle, r.BoundLow, r.BoundHigh = unit.Some[unit.Ratio](0.1), unit.Some[unit.Ratio](0.2), unit.Some[unit.Ratio](0.9)
			r.Threads = unit.Some[int64](1)
		}), "possible. XVEs were idle for 10.0% of the time, so 20.0% to 90.0% of the thread slots were occupied."},
		{"bounds and the predicted threads", reduce(compare.Possible, func(r *compare.Row) { r.Threads = r.ThreadsPredicted() }), "possible. XVEs were idle for 0.0% of the time, so 0.0% to 100.0% of the thread slots were occupied. 358,400 threads were started, as predicted."},
		{"idle lanes", reduce(compare.Match, func(r *compare.Row) {
			r.Predicted.GroupSize, r.Predicted.IdleLanes, r.Predicted.ThreadsPerGroup = 48, 16, 2
		}), "match. Lost lanes: 25.0%, for 48 work-items in sub-groups of 32."},
	} {
		if got := evidence(c.row); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestLaunchSize(t *testing.T) {
	for _, c := range []struct {
		why  string
		k    ingest.Kernel
		want string
	}{
		{"nothing is known", ingest.Kernel{}, ""},
		{"all is known", ingest.Kernel{Global: unit.Size(2048, 2048), Local: unit.Size(1024, 1), SIMD: unit.Some(32), Device: "GPU 1"},
			"2048x2048 in 1024x1, SIMD32, GPU 1"},
		{"no global size", ingest.Kernel{Local: unit.Size(64)}, "64"},
		{"only the SIMD width", ingest.Kernel{SIMD: unit.Some(8)}, "SIMD8"},
		{"registers", ingest.Kernel{Registers: unit.Some(256)}, ", 256 registers"},
		{"spilled registers", ingest.Kernel{Spill: unit.Some[unit.Bytes](2880)}, ", spill 2,880 bytes per thread"},
		{"nothing is spilled", ingest.Kernel{Spill: unit.Some[unit.Bytes](0)}, ""},
		{"private memory", ingest.Kernel{Private: unit.Some[unit.Bytes](1)}, ", private memory 1 byte per thread"},
	} {
		if got := LaunchSize(&c.k) + compiled(&c.k); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestRangeText(t *testing.T) {
	for _, c := range []struct {
		list []int
		want string
	}{
		{nil, ""}, {[]int{1}, "1"}, {[]int{1, 2}, "1, 2"}, {[]int{1, 2, 3}, "1 to 3"}, {[]int{1, 3}, "1, 3"},
		{[]int{1, 2, 3, 5, 7, 8, 9}, "1 to 3, 5, 7 to 9"},
	} {
		if got := rangeText(c.list); got != c.want {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}

func TestCommonName(t *testing.T) {
	for _, c := range []struct {
		why, names, want string
	}{
		{"one kernel", "axpy", "axpy"},
		{"equal names", "axpy axpy", "axpy"},
		{"numbers that differ", "add<1> add<2> add<13>", "add<*>"},
		{"a common digit is not a part of the name", "step10 step11", "step*"},
		{"nothing in common", "fill copy", "*"},
		{"only a beginning", "addx addy", "add*"},
		{"only an end", "xadd yadd", "*add"},
		{"a beginning and an end that overlap", "aab aaab", "aa*"},
		{"a beginning and an end that touch", "abcab abxcab", "ab*cab"},
	} {
		var rows []*compare.Row
		var all []int
		for i, name := range strings.Fields(c.names) {
			rows, all = append(rows, reduce(compare.Match, func(r *compare.Row) { r.Task = name })), append(all, i)
		}
		if got := commonName(of(rows...), all); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestCommands(t *testing.T) {
	launch := func(edit func(*predict.Launch)) predict.Launch {
		l := predict.Launch{Global: unit.Size(4096), Local: unit.Size(256), SIMD: 32}
		edit(&l)
		return l
	}
	const common = "occudiff advise --device mtl-112 --global 4K --local 256 --simd 32"
	for _, c := range []struct {
		why  string
		l    predict.Launch
		want string
	}{
		{"a multiple of 1024", launch(func(*predict.Launch) {}), common},
		{"no multiple of 1024", launch(func(l *predict.Launch) { l.Global = unit.Size(4097) }),
			"occudiff advise --device mtl-112 --global 4097 --local 256 --simd 32"},
		{"two dimensions", launch(func(l *predict.Launch) { l.Global, l.Local = unit.Size(1024, 2), unit.Size(16, 16) }),
			"occudiff advise --device mtl-112 --global 1024x2 --local 16x16 --simd 32"},
		{"registers and SLM", launch(func(l *predict.Launch) { l.GRF, l.SLM, l.Policy = 256, 4096, predict.Whole }),
			common + " --registers 256 --slm 4096"},
		{"barriers", launch(func(l *predict.Launch) { l.Barriers, l.Policy = 1, predict.Whole }), common + " --barriers 1"},
		{"whole work-groups without SLM", launch(func(l *predict.Launch) { l.Policy = predict.Whole }), common + " --policy whole"},
		{"divided work-groups with SLM", launch(func(l *predict.Launch) { l.SLM, l.Policy = 1, predict.Free }),
			common + " --slm 1 --policy free"},
		{"the smaller of two limits", launch(func(l *predict.Launch) { l.GroupsBySLM, l.GroupsByBarriers = 4, 2 }),
			common + " --work-group-slots 2"},
		{"one limit", launch(func(l *predict.Launch) { l.GroupsBySLM = 4 }), common + " --work-group-slots 4"},
	} {
		if got := launchCommand(of(), c.l, "advise"); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	own := reduce(compare.Below, func(r *compare.Row) { r.Certainty.Own = true })
	if got := commandOf(of(), own, compare.NextStep{Action: compare.Interval, Setting: unit.Some(1e-4)}); got != "oneprof -k -i --sampling-interval 100 ./app" {
		t.Errorf("a run of oneprof: %q", got)
	}
	for _, c := range []struct {
		why  string
		app  string
		next compare.NextStep
		want string
	}{
		{"nothing to run", "./a", compare.NextStep{}, ""},
		{"the command of the run", "./a 1", compare.NextStep{Action: compare.Trace}, "unitrace --chrome-kernel-logging ./a 1"},
		{"an unknown command", "", compare.NextStep{Action: compare.Query}, "unitrace -q ./app"},
		{"a command for a shell", "./a; rm b", compare.NextStep{Action: compare.Query}, "unitrace -q ./app"},
		{"a sampling interval", "./a", compare.NextStep{Action: compare.Interval, Setting: unit.Some(1e-4)},
			"vtune -collect gpu-hotspots -knob gpu-sampling-interval=0.1 -- ./a"},
		{"an export", "./a", compare.NextStep{Action: compare.Export}, exportCommand},
		{"a binary", "./a", compare.NextStep{Action: compare.Binary}, "unitrace --device-timing --verbose ./a"},
		{"a setting", "", compare.NextStep{Action: compare.Advise}, "occudiff advise --device mtl-112 --global 112K --local 256 --simd 32"},
		{"another grid", "", compare.NextStep{Action: compare.Grid}, "occudiff predict --device mtl-112 --global 224K --local 256 --simd 32"},
		{"a search", "", compare.NextStep{Action: compare.Probe},
			"occudiff advise --device mtl-112 --global 112K --local 256 --simd 32 --probe"},
	} {
		r := of(reduce(compare.Below, func(r *compare.Row) { r.Fix.At = 896 }))
		r.Platform.Command = c.app
		if got := commandOf(r, &r.Rows[0], c.next); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		why  string
		sum  compare.Summary
		want string
	}{
		{"no kernel", compare.Summary{}, "0 kernels"},
		{"one kernel per verdict", compare.Summary{Kernels: 3, Matched: 1, Below: 1, Above: 1, KernelTime: unit.Some[unit.Seconds](0.5)},
			"3 kernels, 500 ms. 1 below prediction, 1 above it, 1 match"},
		{"none is below", compare.Summary{Kernels: 1, Above: 1}, "1 kernel. 1 above prediction"},
		{"short launches", compare.Summary{Kernels: 1, Unmeasurable: 1}, "1 kernel. 1 too short to measure"},
		{"nothing measured", compare.Summary{Kernels: 2, PeaksAgree: 1, NoMeasurement: 1},
			"2 kernels. 1 not measured: peaks agree, 1 not measured"},
	} {
		r := of()
		r.Summary = c.sum
		if got := countsOf(r, nil); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	if got := deviceName(of()); got != "Meteor Lake Arc" {
		t.Errorf("%q", got)
	}
	if got := deviceName(&compare.Result{}); got != "Unknown device" {
		t.Errorf("%q", got)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		why    string
		shares []float64
		want   string
	}{
		{"no time", nil, ""},
		{"the sum", []float64{0.2, 0.3}, "50%"},
		{"rounds to nothing", []float64{0.004}, "less than 1%"},
		{"half a percent", []float64{0.005}, "less than 1%"},
		{"more than half a percent", []float64{0.0051}, "1%"},
		{"nothing", []float64{0}, "0%"},
	} {
		var lines []line
		for _, s := range c.shares {
			lines = append(lines, line{share: unit.Some(unit.Ratio(s))})
		}
		if got := shareText(lines); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestGate(t *testing.T) {
	for _, c := range []struct {
		why, gate string
		sum       compare.Summary
		failure   string
		unjudged  string
	}{
		{"no gate", "never", compare.Summary{Kernels: 1, Below: 1}, "", ""},
		{"all match", "mismatch", compare.Summary{Kernels: 2, Matched: 2, Judged: 2}, "", ""},
		{"one is below", "mismatch", compare.Summary{Kernels: 2, Matched: 1, Below: 1, Judged: 2},
			"1 of 2 kernels do not match within 5 points", ""},
		{"above fails as well", "mismatch", compare.Summary{Kernels: 1, Above: 1, Judged: 1},
			"1 of 1 kernels do not match within 5 points", ""},
		{"one is not judged", "mismatch", compare.Summary{Kernels: 2, Matched: 1, Judged: 1, Unmeasurable: 1}, "",
			"--fail-on mismatch: 1 of 2 kernels judged; 1 not: 1 unmeasurable; --allow-unjudged=unmeasurable accepts that"},
		{"nothing is judged", "mismatch", compare.Summary{Kernels: 1, NoPrediction: 1}, "",
			"--fail-on mismatch had nothing to judge: none of 1 kernel could be compared"},
		{"peaks", "mismatch", compare.Summary{Kernels: 1, PeaksAgree: 1, ModelCompared: 1, ModelMatched: 1}, "",
			"--fail-on mismatch had nothing to judge: none of 1 kernel could be compared with a measurement; --fail-on model judges VTune's peaks"},
		{"a wrong model", "model", compare.Summary{Kernels: 2, ModelCompared: 2, ModelMatched: 1},
			"the prediction differs from the profiler's peak on 1 of 2 kernels by more than 0.1 points", ""},
		{"kernels without a peak", "model", compare.Summary{Kernels: 3, ModelCompared: 1, ModelMatched: 1, NoPrediction: 1}, "",
			"--fail-on model: 1 of 3 kernels judged; 2 not: 1 without a prediction, 1 without a peak of the profiler; " +
				"--allow-unjudged=no-prediction,unmeasurable accepts that"},
	} {
		r := of()
		r.Summary = c.sum
		g := JudgeGate(r, c.gate)
		unjudged, _ := g.Unjudged.Sort(nil)
		if g.Failure != c.failure || unjudged != c.unjudged {
			t.Errorf("%s:\n got %q, %q\nwant %q, %q", c.why, g.Failure, unjudged, c.failure, c.unjudged)
		}
	}
}

// TestGateOfAnotherDevice checks that the gate mismatch judges no kernel if the
// device cannot be the GPU that ran.
func TestGateOfAnotherDevice(t *testing.T) {
	r := of()
	r.Summary = compare.Summary{Kernels: 2, Below: 1, Matched: 1, Judged: 2, ModelCompared: 2}
	r.Fit.Contradiction = "it has 96 XVEs"
	g := JudgeGate(r, "mismatch")
	unjudged, _ := g.Unjudged.Sort([]string{report.ReasonUnmeasurable, report.ReasonNoPrediction})
	want := "--fail-on mismatch had nothing to judge: The device cannot be the GPU that ran: it has 96 XVEs; " +
		"choose the GPU that ran, or give --force-device"
	if g.Failure != "" || unjudged != want {
		t.Errorf("got %q, %q\nwant %q", g.Failure, unjudged, want)
	}
	if got := JudgeGate(r, "model").Failure; got != "the device cannot be the GPU that ran: it has 96 XVEs" {
		t.Errorf("the gate model: %q", got)
	}
}

func TestStatus(t *testing.T) {
	for v, want := range map[compare.Verdict]report.Status{
		compare.Match: report.Good, compare.MatchWhileBusy: report.Good, compare.PeaksAgree: report.Good,
		compare.Below: report.Bad, compare.Above: report.Bad, compare.Unmeasurable: report.Unsure,
		compare.NoPrediction: report.Muted, compare.NotAKernel: report.Muted,
	} {
		if got := statusOf(v); got != want {
			t.Errorf("%s: %v, want %v", v, got, want)
		}
	}
}

// summaryLines returns a summary line by line, with | between cells.
func summaryLines(s *report.Summary) string {
	list := append([]string{s.Headline, s.Impact}, s.Notes...)
	if s.Rows != nil {
		for cells := range s.Rows.Shown(report.Terminal).All() {
			var row []string
			for i, c := range cells {
				row = append(row, s.Rows.Shown(report.Terminal).Columns[i].Print(c))
			}
			list = append(list, strings.Join(row, "|"))
		}
	}
	list = append(append(list, s.More), s.Advice...)
	if s.ConfirmReason != "" {
		list = append(list, s.ConfirmReason+":")
	}
	for _, c := range s.Confirm {
		list = append(list, strings.TrimSpace(c.Rows+" "+c.Text()))
	}
	return strings.Join(slices.DeleteFunc(list, func(text string) bool { return text == "" }), "\n")
}

func TestSummary(t *testing.T) {
	named := func(task string, total unit.Seconds) func(*compare.Row) {
		return func(r *compare.Row) { r.Task, r.Total = task, unit.Some(total) }
	}
	match := func(task string, total unit.Seconds) *compare.Row {
		return reduce(compare.Match, named(task, total), func(r *compare.Row) {
			r.Measured = unit.Some[unit.Ratio](0.92)
			r.Fix.Remedy, r.Speedup = compare.LimitedElsewhere, compare.PotentialSpeedup{
				Verdicts: []compare.SpeedupVerdict{compare.LimitedByOther}, LimitedBy: compare.LimitedBySlots}
		})
	}
	gaps := func(r *compare.Row) { r.Fix = compare.PossibleFix{Remedy: compare.ShorterGaps, Bound: unit.Some(1.5)} }
	uneven := func(r *compare.Row) {
		r.Fix = compare.PossibleFix{Remedy: compare.BalanceWorkGroups, Bound: unit.Some(2.0)}
	}
	below := func(task string, total unit.Seconds, sure compare.Confidence, edits ...func(*compare.Row)) *compare.Row {
		edits = append([]func(*compare.Row){named(task, total), cause(compare.CauseImbalance, sure), uneven,
			func(r *compare.Row) { r.Difference = unit.Some[unit.Points](-50) }}, edits...)
		return reduce(compare.Below, edits...)
	}
	var many, alike []*compare.Row
	for i := range 13 {
		many = append(many, below(string(rune('a'+i)), unit.Seconds(i+1), compare.High))
		alike = append(alike, below("add<"+strconv.Itoa(i)+">", 1, compare.Medium))
	}
	short := reduce(compare.Unmeasurable, named("k", 1e-3), cause(compare.CauseSampling, 0), func(r *compare.Row) {
		r.Certainty.Intervals, r.Fix.Remedy = unit.Some(0.1), compare.LongerLaunch
	})
	noSize := func(r *compare.Row) {
		r.Predicted, r.Global, r.NoPrediction = nil, unit.Size3{}, "the input has no global size"
	}
	adapters, simd16 := cause(compare.CauseAdapters, compare.High), func(r *compare.Row) { r.SIMD = unit.Some(16) }
	noActivity, others := cause(compare.CauseNoActivity, compare.High), cause(compare.CauseConcurrentKernels, compare.Low)
	for _, c := range []struct {
		why  string
		rows []*compare.Row
		show report.Selection
		want string
	}{
		{"a known cause of a kernel without a prediction", []*compare.Row{reduce(compare.NoPrediction, noSize, adapters)}, report.Selection{}, `reduce, 10 ms in 100 launches: 40.0% measured
The figures show it. Nothing is predicted: the input has no global size
not all GPUs worked, no global size
Confirm first:
a trace
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR   (to get the launch sizes)`},
		{"a kernel without a prediction", []*compare.Row{reduce(compare.NoPrediction, noSize)}, report.Selection{}, `reduce, 10 ms in 100 launches: 40.0% measured
Nothing is predicted: the input has no global size
To get the launch sizes:
vtune -report hotspots -group-by computing-task -format csv -csv-delimiter comma -report-output run.csv -r RESULT_DIR`},
		{"the reason is a cell if no sentence has it", []*compare.Row{reduce(compare.NoMeasurement)}, report.Selection{}, `reduce, 10 ms in 100 launches: 40.0% measured, 90-98% predicted average
not measured`},
		{"a cause without a fix has a measurement", []*compare.Row{reduce(compare.Below, named("k", 1), noActivity), match("l", 1)}, report.Selection{}, `2 kernels, 2 s. 1 below prediction, 1 match
More threads will not help l (50%)
1|k|50.0%|90-98%|40.0%|no thread seen|
|l|50.0%|90-98%|92.0%|matches|none: slots are full
Confirm first:
1 a trace`},
		{"also after a row that may cost time", []*compare.Row{below("k", 2, compare.High), reduce(compare.Above, named("l", 1), others)}, report.Selection{}, `2 kernels, 3 s. 1 below prediction
Occupancy may cost time in kernel 1 (67%)
1|k|66.7%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
2|l|33.3%|90-98%|40.0%|others ran as well?|
Confirm first (low confidence in 2):
1, 2 a trace`},
		{"two SIMD widths of one kernel", []*compare.Row{below("k", 1, compare.High, simd16), match("k", 1)}, report.Selection{}, `2 kernels, 2 s. 1 below prediction, 1 match
Occupancy may cost time in kernel 1 (50%); more threads will not help k 114688 in 256, SIMD32 (50%)
1|k 114688 in 256, SIMD16|50.0%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
|k 114688 in 256, SIMD32|50.0%|90-98%|92.0%|matches|none: slots are full
Confirm first:
1 a trace`},
		{"a kernel without a row in the summary", append(slices.Clone(many[2:]), match("b", 2)), report.Selection{}, `12 kernels, 90 s. 11 below prediction, 1 match
Occupancy may cost time in 11 kernels (98%): uneven work-groups; more threads will not help b 114688 in 256, SIMD32 (2%)
1|m|14.4%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
2|l|13.3%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
3|k|12.2%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
4|j|11.1%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
5|i|10.0%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
6|h|8.9%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
7|g|7.8%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
8|f|6.7%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
9|e|5.6%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
10|d|4.4%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
and 2 more kernels, 6% of the time
Confirm first:
1 to 10 a trace`},
		{"no kernel", nil, report.Selection{}, `0 kernels
There is nothing to compare`},
		{"a match with its values", []*compare.Row{match("k", 1)}, report.Selection{}, `k, 1 s in 100 launches
k fills the GPU as predicted (92 of 90 to 98%); more threads will not help: slots are full`},
		{"a match with its limit", []*compare.Row{reduce(compare.Match, func(r *compare.Row) {
			r.Predicted.Limits, r.Fix.Remedy, r.Speedup.LimitedBy = predict.LimitSLM, compare.LimitedElsewhere, compare.LimitedBySlots
		})}, report.Selection{}, `reduce, 10 ms in 100 launches
reduce fills the GPU as predicted (40 of 90 to 98%); more threads will not help: slots are full
matches: slm`},
		{"one kernel", []*compare.Row{below("k", 1, compare.Medium)}, report.Selection{}, `k, 1 s in 100 launches: 40.0% measured, 90-98% predicted average
uneven work-groups|balance the work-groups: up to 2.0x
Confirm first (medium confidence):
a trace`},
		{"one kernel with a proven cause", []*compare.Row{below("k", 1, compare.High)}, report.Selection{}, `k, 1 s in 100 launches: 40.0% measured, 90-98% predicted average
uneven work-groups|balance the work-groups: up to 2.0x
Confirm first:
a trace`},
		{"time between launches", []*compare.Row{below("k", 1, compare.High, gaps), match("l", 1)}, report.Selection{}, `2 kernels, 2 s. 1 below prediction, 1 match
Time between launches may cost time in kernel 1 (50%); more threads will not help l (50%)
1|k|50.0%|90-98%|40.0%|uneven work-groups|shorter gaps: up to 1.5x
|l|50.0%|90-98%|92.0%|matches|none: slots are full
Confirm first:
1 a trace`},
		{"the least confidence counts", []*compare.Row{below("a", 2, compare.Medium), below("b", 1, compare.Low)}, report.Selection{}, `2 kernels, 3 s. 2 below prediction
Occupancy may cost time in kernels 1, 2 (100%)
1|a|66.7%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
2|b|33.3%|90-98%|40.0%|uneven work-groups?|balance the work-groups: up to 2.0x
Confirm first (medium confidence in 1; low confidence in 2):
1, 2 a trace`},
		{"a row without a number has no command", []*compare.Row{match("b", 3), below("a", 1, compare.Medium)}, report.Selection{}, `2 kernels, 4 s. 1 below prediction, 1 match
Occupancy may cost time in kernel 1 (25%); more threads will not help b (75%)
1|a|25.0%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
|b|75.0%|90-98%|92.0%|matches|none: slots are full
Confirm first (medium confidence in 1):
1 a trace`},
		{"a kernel of no weight comes last", []*compare.Row{below("a", 0.001, compare.High), match("b", 1)}, report.Selection{}, `2 kernels, 1 s. 1 below prediction, 1 match
b fills the GPU as predicted (92 of 90 to 98%); more threads will not help: slots are full
b|99.9%|90-98%|92.0%|matches|none: slots are full
a|0.1%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x`},
		{"half of a percent has weight", []*compare.Row{below("a", 0.02, compare.High), match("b", 1)}, report.Selection{}, `2 kernels, 1.02 s. 1 below prediction, 1 match
Occupancy may cost time in kernel 1 (2%); more threads will not help b (98%)
1|a|2.0%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
|b|98.0%|90-98%|92.0%|matches|none: slots are full
Confirm first:
1 a trace`},
		{"more kernels than rows", many, report.Selection{}, `13 kernels, 91 s. 13 below prediction
Occupancy may cost time in 13 kernels (100%): uneven work-groups
1|m|14.3%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
2|l|13.2%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
3|k|12.1%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
4|j|11.0%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
5|i|9.9%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
6|h|8.8%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
7|g|7.7%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
8|f|6.6%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
9|e|5.5%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
10|d|4.4%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
and 3 more kernels, 7% of the time
Confirm first:
1 to 10 a trace`},
		{"the first two", many, report.Selection{Top: 2}, `13 kernels, 91 s. 13 below prediction
Occupancy may cost time in kernels 1, 2 (3%)
2 of 13 rows are shown (--top 2); counts, gates, JSON, and JUnit cover all of them
1|b|2.2%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
2|a|1.1%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
Confirm first:
1, 2 a trace`},
		{"the slot time that orders the rows", many[:3], report.Selection{Sort: report.SortLost}, `3 kernels, 6 s. 3 below prediction
Occupancy may cost time in kernels 1 to 3 (100%)
1|c|50.0%|90-98%|40.0%|uneven work-groups|1.5 s|balance the work-groups: up to 2.0x
2|b|33.3%|90-98%|40.0%|uneven work-groups|1 s|balance the work-groups: up to 2.0x
3|a|16.7%|90-98%|40.0%|uneven work-groups|500 ms|balance the work-groups: up to 2.0x
Confirm first:
1 to 3 a trace`},
		{"the difference that orders the rows", many[:3], report.Selection{Sort: report.SortDifference}, `3 kernels, 6 s. 3 below prediction
Occupancy may cost time in kernels 1 to 3 (100%)
1|a|16.7%|90-98%|40.0%|uneven work-groups|-50.0|balance the work-groups: up to 2.0x
2|b|33.3%|90-98%|40.0%|uneven work-groups|-50.0|balance the work-groups: up to 2.0x
3|c|50.0%|90-98%|40.0%|uneven work-groups|-50.0|balance the work-groups: up to 2.0x
Confirm first:
1 to 3 a trace`},
		{"similar names are one row", append(slices.Clone(alike[:3]), match("mul", 1), match("sub", 1)), report.Selection{}, `5 kernels, 5 s. 3 below prediction, 2 match
Occupancy may cost time in 3 kernels (60%): uneven work-groups; more threads will not help 2 kernels (40%)
1|add<*>|3|60.0%|90-98%|40.0%|uneven work-groups|balance the work-groups: up to 2.0x
|mul|1|20.0%|90-98%|92.0%|matches|none: slots are full
|sub|1|20.0%|90-98%|92.0%|matches|none: slots are full
Confirm first (medium confidence in 1):
1 a trace`},
		{"short launches", []*compare.Row{short, match("l", 1)}, report.Selection{}, `2 kernels, 1 s. 1 match, 1 too short to measure
l fills the GPU as predicted (92 of 90 to 98%); more threads will not help: slots are full
l|99.9%|90-98%|92.0%|matches|none: slots are full
k|0.1%|90-98%|(40.0%)|launches of 10 us|longer launches`},
	} {
		r := of(c.rows...)
		for _, row := range c.rows {
			r.Summary.Kernels++
			r.Summary.KernelTime = unit.Some(r.Summary.KernelTime.Or(0) + row.Total.Or(0))
			switch row.Verdict {
			case compare.Below:
				r.Summary.Below++
			case compare.Match:
				r.Summary.Matched++
			case compare.Unmeasurable:
				r.Summary.Unmeasurable++
			case compare.NoPrediction:
				r.Summary.NoPrediction++
			}
		}
		got := strings.TrimPrefix(summaryLines(FromResult(r, report.Provenance{Show: c.show}).Summary), "Meteor Lake Arc: ")
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// TestCells checks the printed value of each column, for a row in which all
// values differ.
func TestCells(t *testing.T) {
	share := func(x float64) unit.Opt[unit.Ratio] { return unit.Some(unit.Ratio(x / 100)) }
	row := reduce(compare.Below, cause(compare.CauseDispatch, compare.Medium), func(r *compare.Row) {
		r.Pos.File, r.Pos.Line, r.Direction, r.Device = "run.csv", 7, "read", "GPU 1"
		r.Registers, r.Spill, r.Private = unit.Some(256), unit.Some[unit.Bytes](64), unit.Some[unit.Bytes](128)
		r.Peak, r.MeasuredLow, r.MeasuredHigh, r.OwnLow, r.OwnHigh = share(1), share(2), share(3), share(4), share(5)
		r.Printed, r.Active, r.Stalled, r.Idle, r.IdleLow, r.IdleHigh = share(6), share(7), share(8), share(9), share(10), share(11)
		r.BusyOccupancy, r.Threads, r.ThreadLifetime = share(12), unit.Some[int64](13), unit.Some[unit.Seconds](14e-6)
		r.Basis, r.Difference, r.PeakDifference = compare.BasisPeak, unit.Some[unit.Points](-15), unit.Some[unit.Points](16)
		r.TimeShare = share(17)
		r.Predicted.IdleLanes = 64
		r.Breakdown = &compare.SlotBreakdown{Policy: predict.Whole, PredictedIdle: share(18), Lost: unit.Some[unit.Seconds](19)}
		for i := range r.Breakdown.Parts {
			r.Breakdown.Parts[i] = unit.Some(unit.Points(20 + i))
		}
		r.Breakdown.Certainty = compare.Certainty{Intervals: unit.Some(0.26), OwnShare: share(27), OutsideLaunches: share(28),
			OtherTasks: share(29), Misattributed: share(30)}
		r.Speedup = compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{compare.BalanceTheWork, compare.MoreThreadsMayHelp},
			Evidence: "because", MoreThreads: compare.Bound{Max: unit.Some(3.1), Formula: "f"},
			Balancing: compare.Bound{Max: unit.Some(3.2), Formula: "g"}}
		r.Fix = compare.PossibleFix{Remedy: compare.BalanceWorkGroups, Bound: unit.Some(3.3)}
		r.Launches = &ingest.LaunchSpread{MinSeconds: 34e-6, MedianSeconds: 35e-6, MaxSeconds: 36e-6, MinMeasured: share(37),
			MedianMeasured: share(38), MaxMeasured: share(39)}
		r.Counters = &ingest.Counters{Stalls: []ingest.Stall{{Reason: "Send", Share: unit.FromPercent(41)}},
			Pipes: []ingest.Pipe{{Name: "ALU0", Active: unit.FromPercent(42)}}, MemoryRead: unit.Some(43.0), L3Peak: unit.Some(44.0)}
	})
	columns := withCounters(&compare.Result{Rows: []compare.Row{*row}})
	table := report.NewTable("", "", []kernel{{row, unit.Some[unit.Seconds](40)}}, columns)
	for _, c := range []struct{ key, want string }{
		{"task", "reduce"}, {"global", "114688"}, {"local", "256"}, {"simd", "32"}, {"direction", "read"}, {"file", "run.csv"},
		{"line", "7"}, {"instances", "100"}, {"total_seconds", "10.000"}, {"average_seconds", "100.0"},
		{"registers_per_thread", "256"}, {"spill_bytes", "64"}, {"private_bytes", "128"}, {"profiler_peak_percent", "1.0"},
		{"measured_percent", "40.0"}, {"measured_low_percent", "2.0"}, {"measured_high_percent", "3.0"},
		{"own_low_percent", "4.0"}, {"own_high_percent", "5.0"}, {"printed_percent", "6.0"}, {"active_percent", "7.0"},
		{"stalled_percent", "8.0"}, {"idle_percent", "9.0"}, {"idle_low_percent", "10.0"}, {"idle_high_percent", "11.0"},
		{"busy_occupancy_percent", "12.0"}, {"threads_started", "13"}, {"thread_life_seconds", "14.0"}, {"basis", "profiler peak"},
		{"difference_points", "-15.0"}, {"model_difference_points", "+16.0"}, {"verdict", "below"}, {"cause", "dispatch"},
		{"confidence", "medium"}, {"evidence", "the figures show it"}, {"possible_fix", "balance the work-groups"},
		{"possible_fix_bound", "3.30"}, {"possible_fix_text", "balance the work-groups: up to 3.3x"},
		{"occupied_points", "20.0"}, {"underfilled_points", "21.0"}, {"idle_points", "22.0"}, {"shortfall_points", "23.0"},
		{"last_wave_points", "24.0"}, {"launch_limit_points", "25.0"}, {"slot_breakdown_policy", "whole"},
		{"predicted_idle_percent", "18.0"}, {"launch_intervals", "0.26"}, {"own_share", "0.270"}, {"outside_launches_bound", "0.280"},
		{"other_tasks_bound", "0.290"}, {"misattributed_share", "0.300"}, {"lost_seconds", "19"},
		{"potential_speedup", "balance the work, more threads may help"}, {"more_threads_bound", "3.10"}, {"balancing_bound", "3.20"},
		{"potential_speedup_evidence", "because"}, {"more_threads_formula", "f"}, {"balancing_formula", "g"},
		{"launch_min", "34.0"}, {"launch_median", "35.0"}, {"launch_max", "36.0"}, {"launch_measured_min", "37.0"},
		{"launch_measured_median", "38.0"}, {"launch_measured_max", "39.0"}, {"device", "GPU 1"}, {"threads_predicted", "358,400"},
		{"XVE Stall Reasons:Send", "41.0"}, {"XVE Pipelines:ALU0 active", "42.0"}, {"GPU Memory Bandwidth:Read", "43.0"},
		{"Maximum GPU L3 Bandwidth", "44.0"},
		{"idle_lanes", "20.0"}, {"time_share", "17.0"}, {"host_seconds", "40.000000"},
	} {
		at := table.Column(c.key)
		if at < 0 {
			t.Errorf("no column %s", c.key)
		} else if got := printed(table, at); got != c.want {
			t.Errorf("%s: %q, want %q", c.key, got, c.want)
		}
	}
}

// printed returns the first cell of a column as people read it.
func printed(table *report.Table, at int) string {
	return table.Columns[at].Print(table.Cell(0, at))
}
