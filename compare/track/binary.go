package track

import (
	"occudiff/compare/history"
	"occudiff/ingest/unit"
	"occudiff/predict/batch"
)

// FromBinaries says what of the kernels of binaries is stored: spills and predicted peaks, a row for each kernel and
// device. A series goes on when the compiler takes another SIMD width, unless a kernel is there in several.
func FromBinaries(kernels []batch.Kernel) history.Run {
	var run history.Run
	several := map[history.Key]int{}
	key := func(k *batch.Kernel) history.Key { return history.Key{Task: k.Demangled(), Device: k.Device.Key} }
	for i := range kernels {
		several[key(&kernels[i])]++
	}
	seen := map[history.Key]bool{}
	for i := range kernels {
		k := &kernels[i]
		row := history.Row{Key: key(k)}
		spill := k.Spill
		if !spill.Present() { // an older compiler: spills and private memory together
			spill = k.Scratch
		}
		n, ok := spill.Value()
		row.Set(history.Spill, unit.Maybe(float64(n), ok))
		if several[row.Key] > 1 {
			row.SIMD = k.SIMD
		}
		if seen[row.Key] { // the same kernel in two files
			continue
		}
		seen[row.Key] = true
		if p := k.Prediction; p != nil {
			row.Set(history.Peak, unit.Some(p.Prediction.Peak.Percent()))
		}
		run.Rows = append(run.Rows, row)
		if run.Device == "" {
			run.Device = k.Device.Key
		}
	}
	return run
}
