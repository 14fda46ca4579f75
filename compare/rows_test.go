package compare

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// manyLaunches returns launches of every kind: measured or not, predictable or
// not, with notes, copies, and equal times.
func manyLaunches(n int) []ingest.Kernel {
	rnd := rand.New(rand.NewPCG(1, 2))
	list := make([]ingest.Kernel, n)
	for i := range list {
		shape := rnd.IntN(12)
		k := kernel("VectorAdd<(int)"+strconv.Itoa(shape)+", (int)256>(int)", strconv.Itoa(256<<shape), "256",
			16<<(shape%2), 1, float64(1+rnd.IntN(300))*1e-3,
			measured(float64(rnd.IntN(1000))/10), peak(float64(rnd.IntN(8))*12.5), idle(float64(rnd.IntN(500))/10),
			barrier(float64(rnd.IntN(400))/10))
		k.Threads = unit.Some(int64(rnd.IntN(100000)))
		switch rnd.IntN(20) {
		case 0:
			k.Measured = unit.Opt[unit.Ratio]{}
		case 1:
			k.Peak, k.Measured = unit.Opt[unit.Ratio]{}, unit.Opt[unit.Ratio]{}
		case 2:
			k.Global, k.Local = unit.Size3{}, unit.Size3{}
		case 3:
			k = kernel("zeCommandListAppendMemoryCopy", "", "", 0, 1, 0.001, measured(3))
		case 4:
			k.Local = unit.Size(4096) // more work-items than a work-group may have
		case 5:
			k.Barriers = unit.Some(int64(rnd.IntN(2)))
		case 6:
			pct(&k.Active, 90)
			pct(&k.Stalled, 90)
		case 7:
			k.Total = unit.Opt[unit.Seconds]{}
		case 8:
			k.SIMD = unit.Opt[int]{}
		}
		k.Pos = note.Pos{File: "run.csv", Line: i + 2}
		list[i] = k
	}
	return list
}

// TestRowsAreComplete checks that each kernel has one complete row, sorted for
// reading, on one core and on several. It also checks that a timing belongs to
// the row with its kernel's name.
func TestRowsAreComplete(t *testing.T) {
	kernels := manyLaunches(5000)
	for i := range kernels {
		kernels[i].Task += fmt.Sprint(" ", i)
	}
	timings := []ingest.Timing{{Kernel: kernels[7].Task}, {Kernel: "VectorAdd<99>", Groups: unit.Some(int64(99))},
		{Kernel: "else"}}
	o := DefaultOptions()
	o.Local.Set("", unit.Size(256))
	o.SIMD.Set("", 32)
	for _, d := range []*arch.Device{max1550(), nil} {
		run := &ingest.Run{Kernels: kernels, Timings: timings}
		got := Compare(run, given(d), o)
		procs := runtime.GOMAXPROCS(1)
		want := Compare(run, given(d), o)
		runtime.GOMAXPROCS(procs)
		if !reflect.DeepEqual(got.Rows, want.Rows) {
			t.Error("several cores make other rows")
		}
		seen, urgency := map[int]bool{}, 9
		for i := range got.Rows {
			row := &got.Rows[i]
			if urgency < row.Verdict.info().Urgency {
				t.Fatalf("row %d, %s, is after rows that are less urgent", i, row.Verdict)
			}
			urgency = row.Verdict.info().Urgency
			if row.FromLog {
				continue
			}
			if *row.Kernel != kernels[row.Pos.Line-2] || seen[row.Pos.Line] {
				t.Fatalf("row %d is %+v, want %+v", i, row.Kernel, kernels[row.Pos.Line-2])
			}
			seen[row.Pos.Line] = true
			if (row.Speedup.Verdict() == "") != (row.Verdict == NotAKernel) ||
				row.Breakdown != nil && row.Verdict == Below && *row.Cause != row.Breakdown.Causes[0] {
				t.Fatalf("row %d: %s, account %+v, worth %+v", i, row.Verdict, row.Breakdown, row.Speedup)
			}
		}
		if len(seen) != len(kernels) || len(got.Rows) != len(kernels)+1 {
			t.Errorf("%d kernels in %d rows", len(seen), len(got.Rows))
		}
		for _, timing := range got.Timings {
			if row := timing.Row; row >= 0 && !got.Rows[row].FromLog &&
				names.BaseOf(got.Rows[row].Task) != names.BaseOf(timing.Kernel) {
				t.Errorf("the timing of %s is of %s", timing.Kernel, got.Rows[row].Task)
			}
		}
	}
}

// TestLaunchRows checks that each launch is compared with the prediction for
// its kernel, by the kernel's rule.
func TestLaunchRows(t *testing.T) {
	pctOf := func(v float64) unit.Opt[unit.Ratio] { return unit.Some(unit.FromPercent(v)) }
	kernels := []ingest.Kernel{
		kernel("short", "114688", "256", 32, 4, 0.001, measured(60), idle(8)),
		kernel("long", "114688", "256", 32, 4, 4, measured(90), idle(8)),
		kernel("zeCommandListAppendMemoryCopy", "", "", 0, 1, 0.1),
		kernel("shapeless", "", "", 0, 1, 1, measured(50)),
	}
	l := &ingest.Launches{}
	for _, r := range []ingest.LaunchRecord{
		{Kernel: 1, Line: 2, Time: unit.Some[unit.Seconds](1), Measured: pctOf(97), Idle: pctOf(1)},
		{Kernel: 1, Line: 3, Time: unit.Some[unit.Seconds](1), Measured: pctOf(70), Idle: pctOf(2)},
		{Kernel: 1, Line: 4, Time: unit.Some[unit.Seconds](1)},
		{Kernel: 0, Line: 5, Time: unit.Some[unit.Seconds](0.00025), Measured: pctOf(97)},
		{Kernel: 2, Line: 6, Time: unit.Some[unit.Seconds](0.1)},
		{Kernel: 3, Line: 7, Measured: pctOf(50)},
	} {
		l.Add(&r)
	}
	r := Compare(&ingest.Run{Kernels: kernels, Launches: l}, given(mtl112()), DefaultOptions())
	var got []string
	for row := range r.Launches() {
		text := fmt.Sprintf("%d %s %s", row.Pos.Line, row.Task[:4], row.Verdict)
		if d, ok := row.Difference.Value(); ok {
			text += fmt.Sprintf(" %+.1f", float64(d))
		}
		if row.Instances.Or(0) != 1 || row.Cause != nil || row.Breakdown != nil || len(row.Notes) > 0 {
			t.Errorf("a launch with what is of its kernel: %+v", row)
		}
		if share, known := row.TimeShare.Value(); known {
			text += fmt.Sprintf(", %.4f of the time", float64(share))
		}
		if kernel := r.Rows[slices.IndexFunc(r.Rows,
			func(x Row) bool { return x.Task == row.Task })]; row.Difference.Present() &&
			row.Certainty != kernel.Certainty {
			t.Errorf("line %d: %+v, want that of its kernel: %+v", row.Pos.Line, row.Certainty, kernel.Certainty)
		}
		got = append(got, text)
	}
	// All tasks take 5.101 s. A launch without a time has no share of it.
	want := []string{"2 long match -3.0, 0.1960 of the time", "3 long below -30.0, 0.1960 of the time",
		"4 long no measurement, 0.1960 of the time",
		"5 shor unmeasurable -3.0, 0.0000 of the time", "6 zeCo not a kernel, 0.0196 of the time", "7 shap no prediction"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(r.Rows) != len(kernels) || r.LaunchCount() != 6 {
		t.Errorf("%d rows, %d launches", len(r.Rows), r.LaunchCount())
	}
	// A view has only the launches of its kernels, in the order of the file.
	at := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Task == "long" })
	v := r.View([]int{at})
	var lines []int
	for row := range v.Launches() {
		if lines = append(lines, row.Pos.Line); row.Task != "long" || row.Predicted != r.Rows[at].Predicted {
			t.Errorf("a launch of %s in a view of long", row.Task)
		}
	}
	if !slices.Equal(lines, []int{2, 3, 4}) {
		t.Errorf("the view has launches of lines %v", lines)
	}
}

// BenchmarkKernels compares more different kernels than any run has.
func BenchmarkKernels(b *testing.B) {
	kernels := manyLaunches(100000)
	b.ReportAllocs()
	for b.Loop() {
		Compare(&ingest.Run{Kernels: kernels}, given(mtl112()), DefaultOptions())
	}
}

// TestView checks that a view has the chosen rows in the given order, the
// timings of these rows, and the summary of all rows.
func TestView(t *testing.T) {
	run := &ingest.Run{Kernels: manyLaunches(50)}
	r := Compare(run, given(nil), DefaultOptions())
	r.Timings = []Timing{{Row: 7}, {Row: 8}, {Row: -1}, {Row: 0}, {Row: 30}}
	v := r.View([]int{30, 7, 0})
	if len(v.Rows) != 3 || v.Summary.Kernels != r.Summary.Kernels || len(r.Rows) != 50 {
		t.Fatalf("%d rows of %d, %d kernels of %d", len(v.Rows), len(r.Rows), v.Summary.Kernels, r.Summary.Kernels)
	}
	for i, from := range []int{30, 7, 0} {
		if got, want := v.Rows[i], r.Rows[from]; got.Task != want.Task || got.Pos != want.Pos {
			t.Errorf("row %d is %s, want %s", i, got.Pos, want.Pos)
		}
	}
	if len(v.Timings) != 4 || v.Timings[0].Row != 1 || v.Timings[1].Row != -1 || v.Timings[2].Row != 2 ||
		v.Timings[3].Row != 0 || r.Timings[0].Row != 7 {
		t.Errorf("timings %+v of %+v", v.Timings, r.Timings)
	}
}
