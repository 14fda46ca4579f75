package compare

import (
	"cmp"

	"occudiff/predict"
	"occudiff/predict/arch"
)

// Elsewhere is the prediction of a measured launch on another device.
type Elsewhere struct {
	Predicted *predict.Prediction // nil if there is none
	Remark    string              // why there is no prediction, or what it does not include; may be empty
}

// On predicts the launch of a row on another device. It ignores the limits that
// a profiler reports as shares, because they apply only to the device that ran.
func (r *Result) On(row *Row, d *arch.Device) Elsewhere {
	if missing := r.shapeMissing(row); missing != "" {
		return Elsewhere{Remark: missing}
	}
	l := r.LaunchOf(row)
	remark := ""
	if n := cmp.Or(l.GroupsBySLM, l.GroupsByBarriers); n > 0 {
		remark = "at most: VTune reports a limit by SLM or barriers, but not the amount"
	}
	l.GroupsBySLM, l.GroupsByBarriers = 0, 0
	p, err := predict.Predict(d, l)
	if err != nil {
		return Elsewhere{Remark: err.Error()}
	}
	return Elsewhere{&p, remark}
}
