package compare

import (
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
			got := Compare(&ingest.Run{Kernels: ingest.NewKernels(kernels...), Timings: timings}, d, o)
			want := Compare(&ingest.Run{Kernels: ingest.NewKernels(kernels...), Timings: timings}, d, o)
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
				if got.Noted(i) != noted(row) {
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
