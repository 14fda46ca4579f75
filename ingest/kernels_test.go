package ingest

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// TestKernelsGiveBack puts kernels of every kind in and takes them out: nothing may be lost, nothing absent become zero.
func TestKernelsGiveBack(t *testing.T) {
	full := Kernel{
		Task: "k\n<int>", Global: unit.Size(512, 2), Local: unit.Size(64), SIMD: unit.Some(32), Direction: DeviceToHost, Device: "GPU 1",
		Pos: note.Pos{File: "a.csv", Line: 7, Column: 3}, Instances: unit.Some[int64](1), Total: unit.Some[unit.Seconds](0.1 + 0.2), Mean: unit.Some[unit.Seconds](0.1), Uneven: true,
		Measured: unit.Some[unit.Ratio](0.627), Reading: AroundLaunch, Interval: unit.Some(unit.Seconds(0.001)), CounterTimeRatio: unit.Some(1.5), Peak: unit.Some[unit.Ratio](1), PeakWork: unit.Some[unit.Ratio](0.5),
		PeakSLM: unit.Some[unit.Ratio](0.25), PeakBarrier: unit.Some[unit.Ratio](0.125), Active: unit.Some[unit.Ratio](0.1),
		Stalled: unit.Some[unit.Ratio](0.2), Idle: unit.Some[unit.Ratio](0.7), BarrierStall: unit.Some[unit.Ratio](0.3),
		Threads: unit.Some[int64](math.MaxInt64), Barriers: unit.Some[int64](12), Spill: unit.Some[unit.Bytes](64), SLM: unit.Some[unit.Bytes](1024),
		Registers: unit.Some(256), Launches: &Spread{MinSeconds: 1},
	}
	zero := full
	zero.Total, zero.Measured, zero.Idle, zero.Threads, zero.Barriers = unit.Some[unit.Seconds](0), unit.Some[unit.Ratio](0), unit.Some[unit.Ratio](0), unit.Some[int64](0), unit.Some[int64](0)
	absent := zero
	absent.Total, absent.Measured, absent.Idle, absent.Threads, absent.Barriers = unit.Opt[unit.Seconds]{}, unit.Opt[unit.Ratio]{}, unit.Opt[unit.Ratio]{}, unit.Opt[int64]{}, unit.Opt[int64]{}
	other := full
	other.Peak, other.Pos.Line = unit.Some[unit.Ratio](0.5), math.MaxInt32+1
	kinds := []Kernel{full, {}, zero, absent, {Task: "copy", Direction: HostToDevice}, other}
	var l Kernels
	const n = 3*blockRows + 5
	want := func(i int) Kernel {
		k := kinds[i%len(kinds)]
		k.Pos.Line += i
		return k
	}
	for i := range n {
		k := want(i)
		l.Append(&k)
	}
	if l.Len() != n || l.Shapes() != len(kinds)-1 || l.Settings() != len(kinds)-1 { // two differ in numbers only
		t.Fatalf("%d rows of %d shapes and %d settings, want %d of %d", l.Len(), l.Shapes(), l.Settings(), n, len(kinds)-1)
	}
	for i := range n {
		if got := l.At(i); got != want(i) {
			t.Fatalf("launch %d is %+v, want %+v", i, got, want(i))
		}
	}
	l.Set(blockRows, &absent)
	if got := l.At(blockRows); got != absent || l.At(blockRows-1) != want(blockRows-1) || l.At(blockRows+1) != want(blockRows+1) {
		t.Errorf("after setting one launch it is %+v, want %+v, and its neighbors as they were", got, absent)
	}
	if (*Kernels)(nil).Len() != 0 {
		t.Error("no list has launches")
	}
}

// TestKernelsArrange reads rows in another order, and changes and adds some afterward: what they share is found again.
func TestKernelsArrange(t *testing.T) {
	const n = 3*blockRows + 5
	var l Kernels
	var want []Kernel
	for i := range n {
		k := Kernel{Task: fmt.Sprint("k", i%300), Global: unit.Size(int64(64 * (1 + i%70))), Pos: note.Pos{File: "a.csv", Line: i + 1},
			Measured: unit.Some(unit.Ratio(i) / n)}
		l.Append(&k)
		want = append(want, k)
	}
	last := want[0]
	last.Task, last.Global = "gone", unit.Size(1)
	l.Append(&last)
	l.Set(n, &want[0]) // a shape and a setting that no row has
	want = append(want, want[0])
	order := make([]uint32, n+1)
	for i, from := range rand.New(rand.NewSource(1)).Perm(n + 1) {
		order[i] = uint32(from)
	}
	shapes, settings := l.Shapes(), l.Settings()
	l.Arrange(order)
	if l.Len() != n+1 || l.Shapes() != shapes || l.Settings() != settings {
		t.Errorf("%d rows of %d shapes and %d settings, want %d of %d and %d", l.Len(), l.Shapes(), l.Settings(), n+1, shapes, settings)
	}
	met := 0
	for i, from := range order {
		if got := l.At(i); got != want[from] {
			t.Fatalf("row %d is %+v, want %+v", i, got, want[from])
		}
		if l.Shape(i) > met {
			t.Fatalf("row %d has shape %d where %d is the next one", i, l.Shape(i), met)
		}
		met = max(met, l.Shape(i)+1)
	}
	l.Append(&want[7])
	l.Set(0, &last)
	if l.At(n+1) != want[7] || l.At(0) != last || l.Shapes() != shapes || l.Settings() != settings {
		t.Errorf("after a further row: %+v, %+v, %d shapes, %d settings", l.At(n+1), l.At(0), l.Shapes(), l.Settings())
	}
	(&Kernels{}).Arrange(nil)
}

// BenchmarkKernels shows what a row takes.
func BenchmarkKernels(b *testing.B) {
	k := Kernel{Task: "VectorAdd<(int)1, (int)256>", Global: unit.Size(4096), Local: unit.Size(256), SIMD: unit.Some(32), Peak: unit.Some[unit.Ratio](1),
		Instances: unit.Some[int64](1), Total: unit.Some[unit.Seconds](1), Measured: unit.Some[unit.Ratio](0.5), Idle: unit.Some[unit.Ratio](0.5)}
	b.ReportAllocs()
	var l Kernels
	for i := range b.N {
		k.Pos.Line = i
		l.Append(&k)
	}
}
