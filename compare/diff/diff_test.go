package diff

import (
	"math"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// k describes the kernel of a run for diff tests. A negative occupancy is
// absent.
type k struct {
	task                string
	global, local       []int64
	simd                int
	measured, predicted float64
	idle                float64
	seconds             float64 // time per launch; there are 100 launches
	adapter             string
	grf                 int
	verdict             compare.Verdict
}

func diffRun(rows ...k) *compare.Result {
	r := &compare.Result{}
	for i, x := range rows {
		row := compare.Row{Verdict: x.verdict, Kernel: &ingest.Kernel{Task: x.task, Global: unit.Size(x.global...),
			Local:  unit.Size(x.local...),
			Device: x.adapter, Pos: note.Pos{File: "run.csv", Line: i + 2}}}
		if x.simd > 0 {
			row.SIMD = unit.Some(x.simd)
		}
		if x.grf > 0 {
			row.Registers = unit.Some(x.grf)
		}
		if x.measured >= 0 {
			row.Measured = unit.Some(unit.FromPercent(x.measured))
		}
		if x.idle > 0 {
			row.Idle = unit.Some(unit.FromPercent(x.idle))
			row.BusyOccupancy = unit.Some(unit.Ratio(x.measured / (100 - x.idle)))
		}
		if x.predicted > 0 {
			row.Predicted = &predict.Prediction{Average: unit.FromPercent(x.predicted)}
		}
		if x.seconds > 0 {
			row.Instances, row.Total = unit.Some[int64](100), unit.Some(unit.Seconds(100*x.seconds))
		}
		r.Rows = append(r.Rows, row)
	}
	r.Finish()
	return r
}

// runs returns one run per occupancy, all with the same kernel.
func runs(base k, measured ...float64) []*compare.Result {
	var list []*compare.Result
	for _, m := range measured {
		base.measured = m
		list = append(list, diffRun(base))
	}
	return list
}

func fan2(f func(*k)) k {
	x := k{task: "Fan2", global: []int64{2048, 2048}, local: []int64{1024, 1}, simd: 32, predicted: 99.5}
	if f != nil {
		f(&x)
	}
	return x
}

func TestDiffVerdicts(t *testing.T) {
	base := fan2(nil)
	simd16 := fan2(func(x *k) { x.simd = 16 })
	half := fan2(func(x *k) { x.simd, x.predicted = 16, 50 })
	cases := []struct {
		reason       string
		older, newer []*compare.Result
		want         Verdict
		change       float64 // change of measured occupancy, in points
		p            float64 // 0 if there is no test
	}{
		{"one run per side, beyond the floor", runs(base, 62.7), runs(base, 48.6), Regression, -14.1, 0},
		{"exactly the difference between single runs does not exceed it, even after binary rounding", runs(base, 62.7), runs(base, 53.7),
			Inconclusive, -9, 0},
		{"one digit more exceeds it", runs(base, 62.7), runs(base, 53.6), Regression, -9.1, 0},
		{"the mirror image", runs(base, 60), runs(base, 70), Improvement, 10, 0},
		{"four runs per side, apart: p is 2 of 70 deals", runs(base, 60, 61, 62, 63), runs(base, 50, 51, 52, 53),
			Regression, -10, 2.0 / 70},
		// Mann-Whitney's U is 10 of 16. In 7 + 8 + 7 of the 70 arrangements, U
		// is closer to 8, so p = 48/70.
		{"a noisy fall is not a regression", runs(base, 50, 60, 70, 80), runs(base, 45, 55, 65, 75), Unchanged, -5, 48.0 / 70},
		{"significant, but too small to care", runs(base, 60, 60.1, 60.2, 60.3), runs(base, 59, 59.1, 59.2, 59.3),
			Unchanged, -1, 2.0 / 70},
		{"three on one side allow no test", runs(base, 60, 61, 62, 63, 64), runs(base, 50, 51, 52), Regression, -11, 0},
		{"a change with the predicted effect is not a regression", runs(base, 95), runs(half, 47), ChangedLaunch, -48, 0},
		{"a change that the prediction does not explain is one", runs(base, 95), runs(simd16, 80), Regression, -15, 0},
		{"A launch that was changed for the better, and measures better than that", runs(half, 38), runs(base, 98),
			Improvement, 60, 0},
		{"a better launch without a higher measurement is not a fall", runs(half, 48), runs(base, 49),
			ChangedLaunch, 1, 0},
		{"a changed launch without a prediction is not a regression", runs(fan2(func(x *k) { x.predicted = 0 }), 95), runs(simd16, 80),
			ChangedLaunch, -15, 0},
		{"the residual is tested too: U = 10 again", runs(fan2(func(x *k) { x.predicted = 90 }), 50, 60, 70, 80),
			runs(fan2(func(x *k) { x.simd, x.predicted = 16, 60 }), 15, 25, 35, 45),
			ChangedLaunch, -35, 2.0 / 70},
		{"large GRF is a change of the launch", runs(fan2(func(x *k) { x.grf = 128 }), 95),
			runs(fan2(func(x *k) { x.grf, x.predicted = 256, 50 }), 48), ChangedLaunch, -47, 0},
		// The values come from two collections of a real Gaussian run: 62.7 /
		// 0.793 = 79.1 and 48.6 / 0.57 = 85.3.
		{"busy occupancy rose, but XVEs were idle for longer",
			runs(fan2(func(x *k) { x.idle, x.seconds = 20.7, 523.2e-6 }), 62.7),
			runs(fan2(func(x *k) { x.idle, x.seconds = 43, 525.9e-6 }), 48.6),
			Regression, -14.1, 0},
		{"equal times of four runs are chance", runs(fan2(func(x *k) { x.seconds = 0.001 }), 60, 61, 62, 63),
			runs(fan2(func(x *k) { x.seconds = 0.001 }), 50, 51, 52, 53),
			Regression, -10, 2.0 / 70},
		{"busy occupancy fell, and a test confirms that launches are faster: fewer threads may be faster",
			runs(fan2(func(x *k) { x.idle, x.seconds = 10, 0.002 }), 60, 61, 62, 63),
			runs(fan2(func(x *k) { x.idle, x.seconds = 10, 0.001 }), 50, 51, 52, 53), Faster, -10, 2.0 / 70},
		{"one run per side proves no time", runs(fan2(func(x *k) { x.idle, x.seconds = 10, 0.002 }), 60),
			runs(fan2(func(x *k) { x.idle, x.seconds = 10, 0.001 }), 50), Regression, -10, 0},
		{"an unknown SIMD width is not a change", runs(fan2(func(x *k) { x.simd = 0 }), 62.7), runs(base, 62.7), Inconclusive, 0, 0},
		{"a trailing 1 is not a changed launch size", runs(fan2(func(x *k) { x.local = []int64{1024} }), 62.7),
			runs(base, 62.7), Inconclusive, 0, 0},
	}
	for _, c := range cases {
		d := compareTwo(c.older, c.newer, DefaultOptions())
		if len(d.Rows) != 1 {
			t.Errorf("%s: %d rows; want one", c.reason, len(d.Rows))
			continue
		}
		row := &d.Rows[0]
		change, _ := row.Measured().Change.Value()
		test, tested := row.Measured().P.Value()
		if row.Verdict != c.want || math.Abs(change-c.change) > 1e-9 || tested != (c.p > 0) ||
			math.Abs(test-c.p) > 1e-9 {
			t.Errorf("%s: %s, %+v points, %+v; want %s, %v points, p %v", c.reason, row.Verdict, change,
				row.Measured().P, c.want, c.change, c.p)
		}
	}
}

func TestDiffWithoutNumbers(t *testing.T) {
	base := fan2(func(x *k) { x.measured, x.seconds = 50, 0.001 })
	short := fan2(func(x *k) { x.measured, x.seconds, x.verdict = 20, 0.0005, compare.Unmeasurable })
	peakOnly := fan2(func(x *k) { x.measured, x.seconds = -1, 0.002 })
	fill := k{task: "clEnqueueFillBuffer", measured: 90, verdict: compare.NotAKernel}
	fillNow := fill
	fillNow.measured = 10
	cases := []struct {
		reason       string
		older, newer []*compare.Result
		want         Verdict
	}{
		{"missing is not zero", []*compare.Result{diffRun(base)}, []*compare.Result{diffRun(peakOnly)}, NotComparable},
		{"a value that may belong to another kernel is not compared", []*compare.Result{diffRun(short)}, []*compare.Result{diffRun(base)},
			NotComparable},
		{"each side for its own reason", []*compare.Result{diffRun(short)},
			[]*compare.Result{diffRun(fan2(func(x *k) { x.measured = -1 }))}, NotComparable},
		{"copies are not judged, even if their counter changed", []*compare.Result{diffRun(fill)},
			[]*compare.Result{diffRun(fillNow)}, NotAKernel},
		{"gone", []*compare.Result{diffRun(base), diffRun()}, []*compare.Result{diffRun()}, OnlyOld},
		{"new", []*compare.Result{diffRun()}, []*compare.Result{diffRun(base)}, OnlyNew},
	}
	for _, c := range cases {
		d := compareTwo(c.older, c.newer, DefaultOptions())
		if len(d.Rows) != 1 || d.Rows[0].Verdict != c.want {
			t.Errorf("%s: got %+v;\nwant %s", c.reason, &d.Rows[0], c.want)
		}
		if d.Summary.Regressions != 0 {
			t.Errorf("%s: a regression is counted", c.reason)
		}
	}
}

func TestDiffNamesChangesOfTheRun(t *testing.T) {
	side := func(device, driver, vtune string, measured float64) *compare.Result {
		r := diffRun(fan2(func(x *k) { x.measured = measured }))
		r.Platform.Driver, r.Platform.VTune = driver, vtune
		if device != "" {
			r.Device = &arch.Device{Key: device, Name: strings.ToUpper(device)}
		}
		return r
	}
	for _, c := range []struct {
		reason       string
		older, newer []*compare.Result
		changes      string
		verdict      Verdict
		note         string // code of the last note other than no-test
	}{
		{"unknown properties are not changes", []*compare.Result{side("", "", "", 60)},
			[]*compare.Result{side("", "", "", 60)}, "", Inconclusive, ""},
		{"an unknown driver is never a change", []*compare.Result{side("mtl", "", "", 60)},
			[]*compare.Result{side("mtl", "25.1", "2025.0", 60)}, "", Inconclusive, ""},
		{"a changed driver is named and does not excuse a regression", []*compare.Result{side("mtl", "24.9", "", 60)},
			[]*compare.Result{side("mtl", "25.1", "", 50)},
			"driver 24.9 -> 25.1", Regression, ""},
		{"all three", []*compare.Result{side("mtl", "24.9", "2024.0", 60)},
			[]*compare.Result{side("tgl", "25.1", "2025.0", 60)},
			"device MTL (mtl) -> TGL (tgl); driver 24.9 -> 25.1; VTune version 2024.0 -> 2025.0", ChangedDevice, ""},
		{"on another device the residual decides", []*compare.Result{side("mtl", "", "", 60)},
			[]*compare.Result{side("tgl", "", "", 50)},
			"device MTL (mtl) -> TGL (tgl)", Regression, ""},
		{"a side with two drivers has a separate error", []*compare.Result{side("mtl", "24.9", "", 60),
			side("mtl", "25.1", "", 60)}, []*compare.Result{side("mtl", "25.1", "", 60)},
			"driver 24.9, 25.1 -> 25.1", Inconclusive, "mixed-side"},
	} {
		d := compareTwo(c.older, c.newer, DefaultOptions())
		var words []string
		for _, x := range d.Changes {
			words = append(words, x.String())
		}
		if got := strings.Join(words, "; "); got != c.changes || d.Rows[0].Verdict != c.verdict {
			t.Errorf("%s: %q, %s; want %q, %s", c.reason, got, d.Rows[0].Verdict, c.changes, c.verdict)
		}
		last := ""
		for _, n := range d.Notes {
			if n.Code != "no-test" {
				last = n.Code
			}
		}
		if last != c.note {
			t.Errorf("%s: notes %v; want %q", c.reason, d.Notes, c.note)
		}
	}
}

func TestDiffPairs(t *testing.T) {
	g := func(n int64, local int64, simd int) k {
		return k{task: "GEMM", global: []int64{n, n}, local: []int64{local}, simd: simd, measured: 50}
	}
	for _, c := range []struct {
		reason       string
		older, newer []k
		want         string // expected changes of each pair; - for a kernel that only one side has
	}{
		{"three sizes, all at another width: paired by size", []k{g(1, 8, 16), g(2, 8, 16), g(3, 8, 16)},
			[]k{g(3, 8, 32), g(2, 8, 32), g(1, 8, 32)},
			"GEMM 3x3: SIMD width 16 -> 32 | GEMM 2x2: SIMD width 16 -> 32 | GEMM 1x1: SIMD width 16 -> 32"},
		{"equal keys go first", []k{g(1, 8, 16), g(1, 8, 32)}, []k{g(1, 8, 32), g(1, 16, 16)},
			"GEMM 1x1:  | GEMM 1x1: work-group size 8 -> 16"},
		{"two candidates for one: no guess", []k{g(1, 8, 16), g(1, 16, 16)}, []k{g(1, 32, 16)},
			"GEMM 1x1: only new | GEMM 1x1: only old | GEMM 1x1: only old"},
		{"all of the shape, when it is the only one", []k{g(1, 8, 16)}, []k{g(2, 16, 32)},
			"GEMM 2x2: SIMD width 16 -> 32, global size 1x1 -> 2x2, work-group size 8 -> 16"},
		{"another task is another kernel", []k{{task: "a", measured: 50}}, []k{{task: "b", measured: 50}},
			"b : only new | a : only old"},
		{"adapters are not paired with each other", []k{{task: "a", adapter: "GPU 0", measured: 50},
			{task: "a", adapter: "GPU 1", measured: 50}},
			[]k{{task: "a", adapter: "GPU 1", measured: 50}, {task: "a", adapter: "GPU 0", measured: 50}},
			"a :  | a : "},
		{"an adapter that is named on one side only is unknown on the other", []k{{task: "a", measured: 50}},
			[]k{{task: "a", adapter: "GPU 1", measured: 50}}, "a : "},
		{"another adapter is named", []k{{task: "a", adapter: "GPU 0", measured: 50}},
			[]k{{task: "a", adapter: "GPU 1", measured: 50}}, "a : adapter GPU 0 -> GPU 1"},
	} {
		d := compareTwo([]*compare.Result{diffRun(c.older...)}, []*compare.Result{diffRun(c.newer...)}, DefaultOptions())
		var words []string
		// The pairs keep the new side's order. The test does not need the rows
		// of the result, which are sorted by verdict.
		for _, p := range pair(collect(d.Old.Runs), collect(d.New.Runs)) {
			row := rowOf(p)
			row.Verdict = d.judge(&row)
			text := row.Task + " "
			if row.New != nil {
				text += row.New.Global.String()
			} else {
				text += row.Old.Global.String()
			}
			text += ": "
			if row.Old == nil || row.New == nil {
				text += string(row.Verdict)
			}
			for i, x := range row.Changes {
				text += ", "[:min(2*i, 2)] + x.String()
			}
			words = append(words, text)
		}
		got := strings.Join(words, " | ")
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

func TestDiffTimes(t *testing.T) {
	timed := func(task string, n int64, seconds float64) k {
		return k{task: task, global: []int64{n}, local: []int64{8}, simd: 16, measured: 50, seconds: seconds}
	}
	older := diffRun(timed("twice", 64, 0.001), timed("half", 64, 0.004), timed("bigger", 64, 0.001),
		k{task: "untimed", measured: 50})
	newer := diffRun(timed("twice", 64, 0.002), timed("half", 64, 0.002), timed("bigger", 128, 0.009),
		k{task: "untimed", measured: 50})
	d := compareTwo([]*compare.Result{older}, []*compare.Result{newer}, DefaultOptions())
	if r, ok := d.Summary.TimeRatio.Value(); !ok || math.Abs(r-1) > 1e-12 || d.Summary.TimePairs != 2 ||
		d.Summary.OtherWork != 1 {
		t.Errorf("geometric mean of 2 and 0.5 = %v over %d pairs, %d left out; want 1 over 2, 1 left out",
			d.Summary.TimeRatio, d.Summary.TimePairs, d.Summary.OtherWork)
	}
	for _, row := range d.Rows {
		want := map[string]float64{"twice": 2, "half": 0.5, "bigger": 9}[row.Task]
		if got := row.time().Ratio.Or(0); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: time ratio %v; want %v", row.Task, got, want)
		}
	}
}

func TestDiffOrderAndCounts(t *testing.T) {
	kernel := func(task string, measured, seconds float64) k {
		return k{task: task, global: []int64{64}, local: []int64{8}, simd: 16, measured: measured, seconds: seconds}
	}
	fill := k{task: "zeCommandListAppendMemoryFill", measured: 50, verdict: compare.NotAKernel, seconds: 9}
	older := diffRun(fill, kernel("same", 50, 9), kernel("fell", 50, 1), kernel("fell more", 50, 2),
		kernel("rose", 50, 1), kernel("gone", 50, 1), kernel("unknown", -1, 1))
	newer := diffRun(fill, kernel("same", 50, 9), kernel("fell", 40, 1), kernel("fell more", 30, 2),
		kernel("rose", 60, 1), kernel("came", 50, 1), kernel("unknown", 50, 1),
		k{task: "clEnqueueCopyBuffer", measured: 1, verdict: compare.NotAKernel})
	d := compareTwo([]*compare.Result{older}, []*compare.Result{newer}, DefaultOptions())
	var order []string
	for _, r := range d.Rows {
		order = append(order, r.Task+": "+string(r.Verdict))
	}
	want := "gone: only old, came: only new, fell more: regression, fell: regression, rose: improvement, unknown: not comparable, same: inconclusive, clEnqueueCopyBuffer: only new, zeCommandListAppendMemoryFill: not a kernel"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("order\n got %s\nwant %s", got, want)
	}
	wantSummary := Summary{Kernels: 7, Regressions: 2, Improvements: 1, Inconclusive: 1, Missing: 2, OnlyOld: 1, OnlyNew: 1,
		NotComparable: 1, NotKernels: 2, TimePairs: 5, TimeRatio: d.Summary.TimeRatio}
	if d.Summary != wantSummary {
		t.Errorf("summary\n got %+v\nwant %+v", d.Summary, wantSummary)
	}
}

func TestDiffIntervals(t *testing.T) {
	base := fan2(nil)
	for _, c := range []struct {
		reason                string
		values                []float64
		low, high, confidence float64
	}{
		{"three runs have no interval", []float64{1, 2, 3}, 0, 0, 0},
		{"four reach from end to end: 1 - 2/16", []float64{4, 1, 3, 2}, 1, 4, 0.875},
		{"five: 1 - 2/32", []float64{1, 2, 3, 4, 5}, 1, 5, 0.9375},
		{"six reach 95 %: 1 - 2/64", []float64{1, 2, 3, 4, 5, 6}, 1, 6, 0.96875},
		{"nine leave the ends out: 1 - 2 (1 + 9)/512", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 2, 8, 1 - 20.0/512},
	} {
		d := compareTwo(runs(base, c.values...), runs(base, c.values...), DefaultOptions())
		got := &d.Rows[0].Measured().Old
		if got.Low.Present() != (c.confidence > 0) || math.Abs(got.Low.Or(0)-c.low) > 1e-9 ||
			math.Abs(got.High.Or(0)-c.high) > 1e-9 || math.Abs(got.Confidence.Or(0)-c.confidence) > 1e-9 {
			t.Errorf("%s: %+v; want %v to %v at %v", c.reason, got, c.low, c.high, c.confidence)
		}
	}
}

// TestDiffKeyTwice checks that a kernel is one sample, even if a log times it
// twice.
func TestDiffKeyTwice(t *testing.T) {
	x := fan2(func(x *k) { x.measured = 80 })
	d := compareTwo([]*compare.Result{diffRun(x, x)}, []*compare.Result{diffRun(x)}, DefaultOptions())
	if row := &d.Rows[0]; len(d.Rows) != 1 || row.Measured().Old.N != 1 || row.Old.Runs != 1 {
		t.Errorf("%d rows, the first of %d runs and %d samples; want one of each", len(d.Rows), row.Old.Runs, row.Measured().Old.N)
	}
}

func TestDiffNotes(t *testing.T) {
	one := diffRun(fan2(func(x *k) { x.measured = 50 }))
	one.Inputs = []ingest.Input{{Path: "run.csv", Kind: "vtune", Digest: "sha256:1"},
		{Path: "s.txt", Kind: "vtune-summary", Digest: "sha256:2"}}
	two := diffRun(fan2(func(x *k) { x.measured = 50 }))
	two.Rows[0].Pos.File = "copy.csv"
	two.Inputs = []ingest.Input{{Path: "copy.csv", Kind: "vtune", Digest: "sha256:1"},
		{Path: "s.txt", Kind: "vtune-summary", Digest: "sha256:2"}}
	d := compareTwo([]*compare.Result{one}, []*compare.Result{two}, DefaultOptions())
	var got []string
	for _, n := range d.Notes {
		got = append(got, n.String())
	}
	want := []string{
		"no test is possible with 1 + 1 runs, 4 per side are needed: changes of occupancy up to 9 points are inconclusive, and times are not judged (give each side a folder of 4 repeats or more)",
		"copy.csv: warning: the same content as run.csv: a copy does not count as a second run (give each run once)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes\n got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDiffOfNothing(t *testing.T) {
	d := compareTwo(nil, nil, DefaultOptions())
	if len(d.Rows) != 0 || d.Summary != (Summary{}) {
		t.Errorf("got %+v; want nothing", d)
	}
}
