package predict

import (
	"fmt"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Compiled contains the compiler's decisions for a kernel.
type Compiled struct {
	SIMD      int        // sub-group size
	Registers int        // per thread
	SLM       unit.Bytes // per work-group, without the SLM that arguments add at launch
	Barriers  int
	Local     unit.Size3 // absent unless the source fixes the work-group size
}

// A BinaryPrediction is a prediction from a kernel's binary.
type BinaryPrediction struct {
	Launch     Launch     // the predicted launch
	Prediction Prediction // without a global size, it is for a GPU filled with the kernel's work-groups
	// Best is the smallest work-group size with the highest occupancy.
	// BestLargest is the largest, and BestSizes is their number. These are
	// absent if the kernel fixes its size.
	Best, BestLargest unit.Size3
	BestSizes         int
}

// PredictCompiled returns the prediction for a kernel binary. If the kernel
// does not fix a work-group size, it uses local, or the best size if local is
// absent. Without a global size, the prediction is for a full GPU: it has a
// peak, but no values that depend on the work-group count. The error is a
// *LaunchError.
func PredictCompiled(d *arch.Device, k Compiled, global, local unit.Size3) (BinaryPrediction, error) {
	l := Launch{Global: global, SIMD: k.SIMD, SLM: k.SLM, Barriers: k.Barriers}
	if m, ok := GRFModeFor(d, k.Registers); ok {
		l.GRF = m.Registers
	} else {
		l.GRF = k.Registers // the device does not have this mode, so Predict returns an error
	}
	var b BinaryPrediction
	switch {
	case k.Local.Present() && local.Present() && !sameSize(k.Local, local):
		return b, &LaunchError{"local-fixed",
			fmt.Sprintf("the kernel fixes its work-group size at %s, not %s", k.Local, local),
			"leave the work-group size out"}
	case k.Local.Present():
		l.Local = k.Local
	default:
		a, err := Advise(d, l, VariableSettings{Local: true})
		if err != nil { // no work-group runs: any of their errors contains the reason
			l.Local = unit.Size(int64(max(l.SIMD, 1)))
			_, err = Predict(d, l)
			return b, err
		}
		b.Best, b.BestLargest, b.BestSizes = a.Best[0].Launch.Local, a.Largest, a.Equal
		if l.Local = local; !local.Present() {
			l.Local = b.Best
		}
	}
	b.Launch = l
	if !global.Present() { // more work-groups than the GPU can hold at once
		l.Global = unit.Size(l.Local.Dim(0)*int64(d.Slots()), l.Local.Dim(1), l.Local.Dim(2))
	}
	p, err := Predict(d, l)
	if !global.Present() { // clear the values that depend on the work-group count
		p.Groups, p.Waves, p.LastWaveOccupancy, p.Average, p.AverageHigh = 0, 0, 0, 0, 0
		p.Limits &^= LimitGrid | LimitTail
	}
	b.Prediction = p
	return b, err
}

// sameSize reports whether two sizes are equal. Missing dimensions are 1.
func sameSize(a, b unit.Size3) bool {
	return a.Dim(0) == b.Dim(0) && a.Dim(1) == b.Dim(1) && a.Dim(2) == b.Dim(2)
}
