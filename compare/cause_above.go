package compare

import (
	"fmt"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// above names why more was seen than the launch can hold.
func (f *finder) above() {
	r, row := f.r, f.row
	m, traced := row.Measured.Or(0), r.Traced(row)
	if f.smallerGRF(m) || traced != nil && f.tracedOverlap(traced, m) || f.foreign(m) {
		return
	}
	above, withinPeak := r.aboveText(row)
	switch {
	case traced == nil && withinPeak:
		f.add("", CauseOverlap, low, fmt.Sprintf("%s and within the peak of %.1f%%: the tail is shorter than a full wave, or other "+
			"kernels filled it.", above, row.Predicted.Peak.Percent()), byTrace(""))
	case f.readOnOneStack(m):
	case traced != nil:
		f.add("", CauseUnexplained, low, above+", and in the trace no other kernel runs at that time: it may be of another run.", decision{})
	case !row.Average().Present() && row.Reading == ingest.Sampled:
		f.add("", CauseOverlap, low, above+": other kernels may have run in its window, or launches are shorter than the sampling "+
			"interval, which is not given.", byTrace(""))
	default:
		f.add("", CauseOverlap, medium, above+", which this launch alone cannot exceed: other kernels may have run in its window.", byTrace(""))
	}
}

// aboveText says what a row measures more than: the most that the launch reaches alone, or the average over its waves
// where it is within the predicted peak.
func (r *Result) aboveText(row *Row) (text string, withinPeak bool) {
	m, ref, name := row.Measured.Or(0), row.Peak.Or(0), "profiler's peak"
	if p := row.Predicted; p != nil {
		ref, name = p.Peak, "predicted peak"
		if withinPeak = m.Minus(ref) <= r.unseen(row)+digit; withinPeak {
			ref, name = row.reference(), "predicted average"
		}
	}
	return fmt.Sprintf("Measured %.1f%% is above the %s of %.1f%%", m.Percent(), name, ref.Percent()), withinPeak
}

// reach is the highest occupancy that a launch reaches alone: the predicted peak, the profiler's, or all slots.
func reach(p *predict.Prediction, k *ingest.Kernel) unit.Ratio {
	if p != nil {
		return p.Peak
	}
	return k.Peak.Or(1)
}

// foreign says that other tasks under the same samples are enough to explain the value.
func (f *finder) foreign(m unit.Ratio) bool {
	c := &f.row.Certainty
	share := c.Foreign.Or(0)
	if share == 0 || m > c.mixed(f.row.reference()) {
		return false
	}
	f.add("", CauseSampling, medium, fmt.Sprintf("%s, and up to %s of its value can be of other tasks: that is enough for %.1f%%.",
		c.edgesText(), shareText(share), m.Percent()), c.resample())
	return true
}

// mixed is the most that a launch and what can be of other tasks under its samples come to.
func (c *Certainty) mixed(own unit.Ratio) unit.Ratio { return own + c.Foreign.Or(1)*(1-own) }

// readOnOneStack fits a launch on one stack whose counter divides by that stack's slots alone.
func (f *finder) readOnOneStack(m unit.Ratio) bool {
	r := f.r
	if f.row.Predicted == nil {
		return false
	}
	over, ok := r.onOneStack(r.LaunchOf(f.row))
	of := over * unit.Ratio(max(r.Device.Tiles, 1))
	if !ok || !r.Options.within(m.Minus(of)) {
		return false
	}
	f.add("", CauseStack, medium, fmt.Sprintf("A launch on one of %d stacks, read by that stack's counter, predicts %.1f%%, and %.1f"+
		"%% was measured; or other kernels ran in its window.", r.Device.Tiles, of.Percent(), m.Percent()),
		said("the column SubDeviceId: if all rows are of one stack, "+
			r.Options.Naming.Words("name that with --device or --xve", "choose that device")))
	return true
}

// smallerGRF looks for a register mode with more threads than the assumed one that makes a higher value fit: an Xe3
// kernel of 96 registers fills all 10 threads of an XVE.
func (f *finder) smallerGRF(m unit.Ratio) bool {
	r, row := f.r, f.row
	if row.Predicted == nil || row.Registers.Present() {
		return false
	}
	l := r.LaunchOf(row)
	for _, mode := range r.Device.DistinctModes() {
		l.GRF = mode.Registers
		p, err := predict.Predict(r.Device, l)
		if err != nil || p.Peak <= row.Predicted.Peak || !r.Options.within(m.Minus(p.Nearest(m))) {
			continue
		}
		above, _ := r.aboveText(row)
		c := f.add("", CauseGRF, medium, fmt.Sprintf("%s, which assumes 128 registers per thread; a kernel compiled for %d registers predicts "+
			"%.1f%%.", above, mode.Registers, p.Nearest(m).Percent()), byBinary())
		c.Registers = mode.Registers
		return true
	}
	return false
}
