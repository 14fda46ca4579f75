package compare

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
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

// TestLaunchesAreRows holds the rows that are made when they are asked for against those that are held.
func TestLaunchesAreRows(t *testing.T) {
	kernels := manyLaunches(5000)
	timings := []ingest.Timing{{Kernel: "VectorAdd<3>", Groups: unit.Some(int64(3))}, {Kernel: "VectorAdd<99>", Groups: unit.Some(int64(99))}, {Kernel: "else"}}
	o := DefaultOptions()
	o.Local, o.SIMD = unit.Size(256), 32
	for _, timings := range [][]ingest.Timing{nil, timings} {
		packed := &ingest.Launches{}
		for i := range kernels {
			packed.Append(&kernels[i])
		}
		for _, dev := range []string{"known", "unknown"} {
			d := max1550()
			if dev == "unknown" {
				d = nil
			}
			want := Compare(&ingest.Run{Kernels: kernels, Timings: timings}, d, o)
			got := Compare(&ingest.Run{Launches: packed, Timings: timings}, d, o)
			if !got.KeepsLaunches() || want.KeepsLaunches() || got.Len() != len(want.Rows) || got.Rows != nil {
				t.Fatalf("%s device: %d rows, want %d", dev, got.Len(), len(want.Rows))
			}
			var into Row
			for i := range want.Rows {
				if row := got.Row(i, &into); !reflect.DeepEqual(*row, want.Rows[i]) {
					t.Fatalf("%s device: row %d is %+v, want %+v", dev, i, row, want.Rows[i])
				}
				if got.Noted(i) != want.Noted(i) {
					t.Fatalf("%s device: row %d has notes: %v", dev, i, got.Noted(i))
				}
			}
			if !reflect.DeepEqual(got.Summary, want.Summary) || !reflect.DeepEqual(got.Timings, want.Timings) || !reflect.DeepEqual(got.Notes, want.Notes) {
				t.Errorf("%s device: summary %+v, want %+v; timings %v, want %v", dev, got.Summary, want.Summary, got.Timings, want.Timings)
			}
			for i, row := range got.Skim() {
				w := want.Rows[i]
				if w.Cause != nil && (row.Cause == nil || row.Cause.Name != w.Cause.Name) || w.Cause == nil && row.Cause != nil || row.Verdict != w.Verdict || row.Kernel != w.Kernel {
					t.Fatalf("%s device: row %d is skimmed as %+v, want %+v", dev, i, row, w)
				}
			}
			for i, row := range got.All() {
				if !reflect.DeepEqual(*row, want.Rows[i]) {
					t.Fatalf("%s device: All differs in row %d", dev, i)
				}
			}
		}
	}
}

// BenchmarkLaunches compares launches; the memory that stays is a few bytes for each.
func BenchmarkLaunches(b *testing.B) {
	kernels := manyLaunches(100000)
	packed := &ingest.Launches{}
	for i := range kernels {
		packed.Append(&kernels[i])
	}
	b.ReportAllocs()
	for b.Loop() {
		Compare(&ingest.Run{Launches: packed}, mtl112(), DefaultOptions())
	}
}
