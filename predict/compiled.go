package predict

import (
	"fmt"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// Compiled is what a compiler fixed for a kernel.
type Compiled struct {
	SIMD      int        // sub-group size
	Registers int        // per thread
	SLM       unit.Bytes // per work-group; what arguments add at launch is not in it
	Barriers  int
	Local     unit.Size3 // absent unless the source fixes the work-group size
}

// BinaryPrediction is what a kernel's binary says of its occupancy on a device.
type BinaryPrediction struct {
	Launch     Launch     // as predicted
	Prediction Prediction // without a global size: of a GPU that is full of the kernel's work-groups
	// Best is the work-group size of the highest occupancy; absent where the
	// kernel fixes it.
	Best unit.Size3
}

// PredictCompiled predicts a kernel from its binary. local is the work-group
// size to predict with where the kernel does not fix one; absent takes the
// best. Without a global size the prediction is of a full GPU: it has a peak,
// and nothing that depends on the number of work-groups. The error is a
// *LaunchError.
func PredictCompiled(d *arch.Device, k Compiled, global, local unit.Size3) (BinaryPrediction, error) {
	l := Launch{Global: global, SIMD: k.SIMD, SLM: k.SLM, Barriers: k.Barriers}
	if m, ok := GRFModeFor(d, k.Registers); ok {
		l.GRF = m.Registers
	} else {
		l.GRF = k.Registers // which the device does not have, and Predict says so
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
		if err != nil { // whatever the work-group: the refusal of one says why
			l.Local = unit.Size(int64(max(l.SIMD, 1)))
			_, err = Predict(d, l)
			return b, err
		}
		b.Best = a.Best[0].Launch.Local
		if l.Local = local; !local.Present() {
			l.Local = b.Best
		}
	}
	b.Launch = l
	if !global.Present() { // more work-groups than the GPU holds at once
		l.Global = unit.Size(l.Local.Dim(0)*int64(d.Slots()), l.Local.Dim(1), l.Local.Dim(2))
	}
	p, err := Predict(d, l)
	if !global.Present() { // what depends on their number
		p.Groups, p.Waves, p.LastWaveOccupancy, p.Average, p.AverageHigh = 0, 0, 0, 0, 0
		p.Limits &^= LimitGrid | LimitTail
	}
	b.Prediction = p
	return b, err
}

// sameSize compares sizes of any number of dimensions: those that are not
// printed are 1.
func sameSize(a, b unit.Size3) bool {
	return a.Dim(0) == b.Dim(0) && a.Dim(1) == b.Dim(1) && a.Dim(2) == b.Dim(2)
}
