package compare

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// manyLaunches makes launches of every kind: measured or not, predictable or not, with notes, copies, equal times.
func manyLaunches(n int) []ingest.Kernel {
	rnd := rand.New(rand.NewPCG(1, 2))
	list := make([]ingest.Kernel, n)
	for i := range list {
		shape := rnd.IntN(12)
		k := kernel("VectorAdd<(int)"+strconv.Itoa(shape)+", (int)256>(int)", strconv.Itoa(256<<shape), "256", 16<<(shape%2), 1, float64(1+rnd.IntN(300))*1e-3,
			measured(float64(rnd.IntN(1000))/10), peak(float64(rnd.IntN(8))*12.5), idle(float64(rnd.IntN(500))/10), barrier(float64(rnd.IntN(400))/10))
		k.Pos = note.Pos{File: "run.csv", Line: i + 2}
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
			k.Local = unit.Size(4096) // more than a work-group may have
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
		list[i] = k
	}
	return list
}

// TestRowsAgree holds the rows that All and Row make against those of AllWithoutText, and those whose forecast is kept
// against those that are predicted anew each time.
func TestRowsAgree(t *testing.T) {
	kernels := manyLaunches(5000)
	timings := []ingest.Timing{{Kernel: "VectorAdd<3>", Groups: unit.Some(int64(3))}, {Kernel: "VectorAdd<99>", Groups: unit.Some(int64(99))}, {Kernel: "else"}}
	o := DefaultOptions()
	o.Local, o.SIMD = unit.Size(256), 32
	for _, timings := range [][]ingest.Timing{nil, timings} {
		for _, d := range []*arch.Device{max1550(), nil} {
			got := Compare(&ingest.Run{Kernels: ingest.NewKernels(kernels...), Timings: timings, Instances: true}, d, o)
			want := Compare(&ingest.Run{Kernels: ingest.NewKernels(kernels...), Timings: timings, Instances: true}, d, o)
			if want.rows.forecasts == nil {
				t.Fatal("no forecast is kept")
			}
			want.rows.forecasts = nil
			if got.Len() != len(kernels)+len(timings)/2 {
				t.Fatalf("%d rows", got.Len())
			}
			var into Row
			for i, row := range got.All() {
				if w := want.Row(i, nil); !reflect.DeepEqual(row, w) || !reflect.DeepEqual(got.Row(i, &into), w) {
					t.Fatalf("row %d is %+v, want %+v", i, row, w)
				}
				if got.Noted(i) != row.Noted() {
					t.Fatalf("row %d has notes: %v", i, got.Noted(i))
				}
			}
			for i, row := range got.AllWithoutText() {
				w := want.Row(i, nil)
				if (w.Cause == nil) != (row.Cause == nil) || w.Cause != nil && row.Cause.Name != w.Cause.Name || row.Verdict != w.Verdict || row.Kernel != w.Kernel {
					t.Fatalf("row %d is skimmed as %+v, want %+v", i, row, w)
				}
			}
		}
	}
}

// TestManyShapes compares more launch shapes than have their forecasts kept: the kernels are put in the order of the rows,
// and each row, its cause and the timings are still those of their kernel.
func TestManyShapes(t *testing.T) {
	const n = maxForecasts + 500
	r := rand.New(rand.NewPCG(1, 2))
	var kernels []ingest.Kernel
	for i := range n {
		k := ingest.Kernel{Task: fmt.Sprintf("k%d<%d>", i, i+1), Global: unit.Size(int64(256 * (1 + i))), Local: unit.Size(256), SIMD: unit.Some(32),
			Pos: note.Pos{File: "a.csv", Line: i + 1}, Instances: unit.Some[int64](10), Total: unit.Some(unit.Seconds(r.Float64())),
			Peak: unit.Some[unit.Ratio](1), Measured: unit.Some(unit.Ratio(r.Float64()))}
		kernels = append(kernels, k)
	}
	timings := []ingest.Timing{{Kernel: "k7"}, {Kernel: "else"}, {Kernel: kernels[100].Task}}
	got := Compare(&ingest.Run{Kernels: ingest.NewKernels(kernels...), Timings: timings, Instances: true}, max1550(), DefaultOptions())
	if got.rows.forecasts != nil || got.Len() < n {
		t.Fatalf("%d rows, forecasts kept: %v", got.Len(), got.rows.forecasts != nil)
	}
	seen := map[int]bool{}
	for i, row := range got.All() {
		if row.FromLog {
			continue
		}
		k := kernels[row.Pos.Line-1]
		want := got.Judge(&k)
		if row.Kernel != k || row.Verdict != want.Verdict || *row.Predicted != *want.Predicted || seen[row.Pos.Line] {
			t.Fatalf("row %d is %+v, want %+v", i, row, want)
		}
		if got.Noted(i) != row.Noted() {
			t.Fatalf("row %d has notes: %v", i, got.Noted(i))
		}
		seen[row.Pos.Line] = true
	}
	for i, row := range got.AllWithoutText() {
		if w := got.Row(i, nil); (w.Cause == nil) != (row.Cause == nil) || w.Cause != nil && row.Cause.Name != w.Cause.Name {
			t.Fatalf("row %d is skimmed as %+v, want %+v", i, row, w)
		}
	}
	for _, timing := range got.Timings {
		if timing.Row < 0 {
			continue
		}
		if row := got.Row(timing.Row, nil); row.Task != timing.Kernel && !row.FromLog {
			t.Errorf("the timing of %s is of row %d, %s", timing.Kernel, timing.Row, row.Task)
		}
	}
}

// BenchmarkLaunches compares launches; the memory that stays is a few bytes for each.
func BenchmarkLaunches(b *testing.B) {
	kernels := manyLaunches(100000)
	packed := ingest.NewKernels(kernels...)
	b.ReportAllocs()
	for b.Loop() {
		Compare(&ingest.Run{Kernels: packed, Instances: true}, mtl112(), DefaultOptions())
	}
}

// TestView: a view has the chosen rows in their order, the timings of these, and the summary of all.
func TestView(t *testing.T) {
	run := &ingest.Run{Kernels: ingest.NewKernels(manyLaunches(50)...)}
	whole := Compare(run, nil, DefaultOptions())
	byHand := &Result{Summary: whole.Summary}
	for _, r := range []*Result{whole, byHand} {
		if r == byHand {
			for _, row := range whole.All() {
				byHand.Rows = append(byHand.Rows, *row)
			}
		}
		r.Timings = []Timing{{Row: 7}, {Row: 8}, {Row: -1}}
		v := r.View([]int{30, 7})
		if v.Len() != 2 || v.Summary.Kernels != r.Summary.Kernels || r.Len() != 50 {
			t.Fatalf("%d rows of %d, %d kernels of %d", v.Len(), r.Len(), v.Summary.Kernels, r.Summary.Kernels)
		}
		for i, from := range []int{30, 7} {
			if got, want := v.Row(i, nil), r.Row(from, nil); got.Task != want.Task || got.Pos != want.Pos {
				t.Errorf("row %d is %s, want %s", i, got.Pos, want.Pos)
			}
		}
		if len(v.Timings) != 2 || v.Timings[0].Row != 1 || v.Timings[1].Row != -1 || r.Timings[0].Row != 7 {
			t.Errorf("timings %+v of %+v", v.Timings, r.Timings)
		}
	}
}
